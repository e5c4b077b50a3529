/* Velocities and loads at the sides of a joint (joint_sides.h). */
#include "step/joint_sides.h"

rps_twist rps_joint_twist_of(const rps_twist *twist, uint32_t slot) {
    return slot == UINT32_MAX ? (rps_twist){{0.0}, {0.0}} : twist[slot];
}

void rps_joint_twists_of(const rps_twist *twist, const rps_step_joint *step, rps_twist out[4]) {
    for (int k = 0; k < 4; k++) out[k] = rps_joint_twist_of(twist, step->slot[k]);
}

rps_vec3 rps_joint_speed_at(const rps_twist *twist, rps_vec3 branch) {
    return rps_vec3_add(rps_vec3_of(twist->v), rps_vec3_cross(rps_vec3_of(twist->w), branch));
}

/* The part of the second joint of a coupling; 0 of others. */
static double other_velocity(const rps_step_joint *step, const rps_twist twist[4]) {
    rps_vec3 v[2];
    for (int k = 0; k < 2; k++) {
        v[k] = step->other_turns ? rps_vec3_of(twist[2 + k].w) : rps_joint_speed_at(&twist[2 + k], step->branch[2 + k]);
    }
    return rps_vec3_dot(step->other, rps_vec3_sub(v[0], v[1]));
}

double rps_joint_pair_velocity(const rps_step_joint_row *row, const rps_step_joint *step, const rps_twist twist[4]) {
    double u = 0.0;
    for (int k = 0; k < 2; k++) {
        const rps_vec3 w = rps_vec3_of(twist[k].w), v = row->turns ? w : rps_joint_speed_at(&twist[k], step->branch[k]);
        const double part = rps_vec3_dot(row->along, v) + row->twist * rps_vec3_dot(row->along, w);
        u = k == 0 ? part : u - part;
    }
    return u;
}

double rps_joint_row_velocity(const rps_step_joint_row *row, const rps_step_joint *step, const rps_twist twist[4]) {
    return rps_joint_pair_velocity(row, step, twist) + other_velocity(step, twist);
}

void rps_joint_push(const rps_step_joint *step, int from, rps_vec3 force, rps_vec3 couple, rps_twist *load) {
    for (int side = from; side < from + 2; side++) {
        if (step->slot[side] == UINT32_MAX) continue;
        rps_twist *to = &load[step->slot[side]];
        const rps_vec3 torque = rps_vec3_add(rps_vec3_cross(step->branch[side], force), couple);
        const double sign = side == from ? 1.0 : -1.0;
        rps_vec3_put(to->v, rps_vec3_add_scaled(rps_vec3_of(to->v), sign, force));
        rps_vec3_put(to->w, rps_vec3_add_scaled(rps_vec3_of(to->w), sign, torque));
    }
}
