/*
 * What the rotation of a body with three principal moments of inertia means: angular momentum L (world axes) is the
 * state, angular velocity and energy follow from it and the attitude.
 */
#include "base/elementary.h"
#include "world/world.h"

double rps_mean_inertia(const double inertia[3]) {
    if (inertia[0] == inertia[1] && inertia[1] == inertia[2]) return inertia[0];
    return rps_cbrt(inertia[0]) * rps_cbrt(inertia[1]) * rps_cbrt(inertia[2]);
}

static rps_quat orientation_of(const rps_bodies *bodies, size_t slot) {
    const double *q = bodies->orientation[slot];
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

double rps_body_rotation_energy(const rps_bodies *bodies, size_t slot) {
    const double *l = bodies->angular_momentum[slot], *inertia = bodies->inertia[slot];
    rps_vec3 m = rps_quat_rotate_inverse(orientation_of(bodies, slot), (rps_vec3){l[0], l[1], l[2]});
    return 0.5 * ((m.x * m.x / inertia[0] + m.y * m.y / inertia[1]) + m.z * m.z / inertia[2]);
}

void rps_body_start_rotation(rps_bodies *bodies, size_t slot) {
    if (bodies->piece[slot][0] < 0) return;
    const double *w = bodies->motion[slot].angular_velocity, *inertia = bodies->inertia[slot];
    rps_quat q = orientation_of(bodies, slot);
    rps_vec3 m = rps_quat_rotate_inverse(q, (rps_vec3){w[0], w[1], w[2]});
    rps_vec3 l = rps_quat_rotate(q, (rps_vec3){inertia[0] * m.x, inertia[1] * m.y, inertia[2] * m.z});
    bodies->angular_momentum[slot][0] = l.x;
    bodies->angular_momentum[slot][1] = l.y;
    bodies->angular_momentum[slot][2] = l.z;
}
