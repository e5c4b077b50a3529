/* Where the bodies of a joint are (joint_pose.h). */
#include "step/joint_pose.h"

#include <math.h>

#include "base/elementary.h"
#include "world/world.h"

void rps_joint_look(const rps_world *world, const rps_joint *joint, rps_joint_pose *pose) {
    for (int k = 0; k < 2; k++) {
        pose->x[k] = rps_vec3_zero();
        pose->branch[k] = joint->anchor[k];
        pose->q[k] = joint->frame[k];
        if (joint->body[k] == RPS_JOINT_WORLD) continue;
        const size_t s = world->bodies.slot_of[joint->body[k]];
        const double *o = world->bodies.orientation[s];
        const rps_quat q = {o[0], o[1], o[2], o[3]};
        double x[3];
        rps_world_unwrapped(world, s, x);
        pose->x[k] = rps_vec3_of(x);
        pose->branch[k] = rps_quat_rotate(q, joint->anchor[k]);
        pose->q[k] = rps_quat_mul(q, joint->frame[k]);
    }
    const rps_vec3 centres = rps_vec3_sub(rps_vec3_sub(pose->x[0], pose->x[1]), joint->image);
    pose->separation = rps_vec3_add(centres, rps_vec3_sub(pose->branch[0], pose->branch[1]));
    for (int k = 0; k < 3; k++) {
        const rps_vec3 unit = {k == 0, k == 1, k == 2};
        pose->axis[k] = rps_quat_rotate(pose->q[1], unit);
        pose->first[k] = rps_quat_rotate(pose->q[0], unit);
    }
}

/* rad, without whole turns. Those of a universal joint are the turns of its cross, about the axis of the second body, and of the
 * first body about its own axis in the cross. */
static double joint_angle(const rps_joint *joint, const rps_joint_pose *pose, int k) {
    const rps_vec3 *a = pose->axis, *b = pose->first;
    if (joint->kind == RPS_JOINT_UNIVERSAL) {
        return k == 0 ? rps_atan2(rps_vec3_dot(b[0], a[1]), rps_vec3_dot(b[0], a[0]))
                      : rps_atan2(rps_vec3_dot(a[2], b[1]), rps_vec3_dot(a[2], b[2]));
    }
    const rps_quat q = rps_quat_mul(rps_quat_conjugate(pose->q[1]), pose->q[0]);
    return 2.0 * rps_atan2(q.z, q.w);
}

rps_vec3 rps_joint_coordinate_axis(const rps_joint *joint, const rps_joint_pose *pose, int k) {
    if (joint->kind == RPS_JOINT_PLANAR && k > 0) return pose->axis[k - 1];
    return joint->kind == RPS_JOINT_UNIVERSAL && k == 1 ? pose->first[0] : pose->axis[2];
}

double rps_joint_coordinate_now(const rps_joint *joint, const rps_joint_pose *pose, int k) {
    if (joint->kind == RPS_JOINT_DISTANCE) return rps_vec3_norm(pose->separation);
    switch (rps_joint_freedom(joint, k)) {
    case RPS_JOINT_SLIDES:
        return rps_vec3_dot(pose->separation, rps_joint_coordinate_axis(joint, pose, k));
    case RPS_JOINT_TURNS: {
        const double angle = joint_angle(joint, pose, k);
        const double turns = (angle - joint->memory.position[k]) / (2.0 * RPS_PI);
        if (!(fabs(turns) < 1e15)) return angle;
        return angle - 2.0 * RPS_PI * (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    }
    default:
        return 0.0;
    }
}

double rps_joint_lead(const rps_joint *joint) {
    return joint->pitch / (2.0 * RPS_PI);
}

double rps_joint_screw_error(const rps_joint *joint, const rps_joint_pose *pose) {
    return rps_joint_coordinate_now(joint, pose, 1) - rps_joint_lead(joint) * rps_joint_coordinate_now(joint, pose, 0);
}

double rps_joint_point_error(const rps_joint *joint, const rps_joint_pose *pose) {
    const rps_vec3 apart = pose->separation, across = rps_vec3_reject(apart, pose->axis[2]);
    switch (joint->kind) {
    case RPS_JOINT_DISTANCE:
        return fabs(rps_vec3_norm(apart) - joint->length);
    case RPS_JOINT_PLANAR:
        return fabs(rps_vec3_dot(apart, pose->axis[2]));
    case RPS_JOINT_SCREW: {
        const double behind = rps_joint_screw_error(joint, pose);
        return sqrt(rps_vec3_norm2(across) + behind * behind);
    }
    default:
        return rps_vec3_norm(rps_joint_freedom(joint, 0) == RPS_JOINT_SLIDES ? across : apart);
    }
}

rps_vec3 rps_joint_line(const rps_joint_pose *pose) {
    const rps_vec3 d = rps_vec3_normalize(pose->separation);
    return rps_vec3_norm2(d) > 0.5 ? d : pose->axis[2]; /* points that coincide are parted anywhere */
}
