/*
 * Free rotation of a rigid body with three moments of inertia: no torque acts.
 *
 * Its energy is split into three parts, each a rotation about a known axis. The first is that of a ball with the
 * middle moment, a rotation about L. The others are the differences of the smallest and the largest moment, rotations
 * about these two body axes (Dullweber, Leimkuhler, McLachlan 1997 split into all three axes). The ball's part
 * commutes with the others, which are composed symmetrically: low/2 high low/2. So L in world axes is never written,
 * the error is of second order, the energy stays near the true one for all times, and a body with two equal moments
 * rotates without error.
 */
#include "base/elementary.h"
#include "base/flush.h"
#include "step/motion.h"

/* tan(angle/2) */
static double tan_half(double angle) {
    const double x = 0.5 * angle, x2 = x * x;
    return x * (x2 <= RPS_TAN_OVER_X_X2_MAX ? rps_tan_over_x_small(x2) : rps_tan_over_x_full(x2));
}

/* Rotates the body about one of its own axes; m = R^T L rotates the other way. The quaternion is not normalised: only
 * its direction counts. */
static rps_quat turn_axis(rps_quat q, double m[3], int axis, double angle) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const double t = tan_half(angle), scale = 1.0 / (1.0 + t * t);
    const double cosine = (1.0 - t * t) * scale, sine = 2.0 * t * scale;
    const double mb = m[b], mc = m[c];
    m[b] = cosine * mb + sine * mc;
    m[c] = cosine * mc - sine * mb;
    return rps_quat_mul(q, (rps_quat){1.0, axis == 0 ? t : 0.0, axis == 1 ? t : 0.0, axis == 2 ? t : 0.0});
}

/* The rotation of the step as contacts of spheres read it. */
static void set_rotation(rps_pose *pose, rps_vec3 g) {
    rps_vec3_put(pose->rodrigues, g);
    pose->rodrigues_scale[0] = 2.0 / (1.0 + rps_vec3_norm2(g));
}

double rps_free_rotation_advance(rps_bodies *bodies, size_t slot, double dt) {
    double *o = bodies->orientation[slot];
    const double *momentum = bodies->angular_momentum[slot];
    const rps_vec3 l = {momentum[0], momentum[1], momentum[2]};
    const double size = rps_vec3_norm(l);
    if (size == 0.0) {
        set_rotation(&bodies->pose[slot], rps_vec3_zero());
        return 0.0; /* the attitude keeps its bits */
    }
    const rps_free_rotation free_rotation = rps_body_free_rotation(bodies->inertia[slot]);
    const rps_quat before = {o[0], o[1], o[2], o[3]};
    const rps_vec3 body = rps_quat_rotate_inverse(before, l);
    double m[3] = {body.x, body.y, body.z};
    rps_quat q = before;
    if (free_rotation.delta_high > 0.0) {
        q = turn_axis(q, m, free_rotation.low, 0.5 * dt * free_rotation.delta_high * m[free_rotation.low]);
    }
    if (free_rotation.delta_low < 0.0) {
        q = turn_axis(q, m, free_rotation.high, dt * free_rotation.delta_low * m[free_rotation.high]);
    }
    if (free_rotation.delta_high > 0.0) {
        q = turn_axis(q, m, free_rotation.low, 0.5 * dt * free_rotation.delta_high * m[free_rotation.low]);
    }
    const rps_vec3 g = rps_vec3_scale(l, tan_half(dt * free_rotation.inverse_mid * size) / size);
    q = rps_quat_flush(rps_quat_normalize(rps_quat_mul((rps_quat){1.0, g.x, g.y, g.z}, q)));
    o[0] = q.w;
    o[1] = q.x;
    o[2] = q.y;
    o[3] = q.z;
    const rps_quat turned = rps_quat_mul(q, rps_quat_conjugate(before));
    set_rotation(&bodies->pose[slot], rps_vec3_scale((rps_vec3){turned.x, turned.y, turned.z}, 1.0 / turned.w));
    return 2.0 * rps_vec3_norm((rps_vec3){turned.x, turned.y, turned.z});
}
