/*
 * Rotational state. For a body with three principal moments of inertia the state is the angular momentum L (world
 * axes); angular velocity and energy follow from it and the attitude. For a sphere, or a body that a drive rotates,
 * the state is the angular velocity.
 *
 * The middle moment, Ib, is treated as that of a ball: w = L/Ib + R (1/I - 1/Ib) R^T L. For a body with equal moments
 * this is L/I to the bit; with two equal moments one term remains.
 */
#include "base/elementary.h"
#include "base/flush.h"
#include "world/body_shape.h"
#include "world/world.h"

double rps_mean_inertia(const double inertia[3]) {
    if (inertia[0] == inertia[1] && inertia[1] == inertia[2]) return inertia[0];
    return rps_cbrt(inertia[0]) * rps_cbrt(inertia[1]) * rps_cbrt(inertia[2]);
}

rps_free_rotation rps_body_free_rotation(const double inertia[3]) {
    int low = 0, middle = 1, high = 2, swap;
    if (inertia[middle] < inertia[low]) swap = low, low = middle, middle = swap;
    if (inertia[high] < inertia[middle]) swap = middle, middle = high, high = swap;
    if (inertia[middle] < inertia[low]) swap = low, low = middle, middle = swap;
    const double inverse_mid = 1.0 / inertia[middle];
    return (rps_free_rotation){.low = low,
                               .high = high,
                               .inverse_mid = inverse_mid,
                               .delta_high = 1.0 / inertia[low] - inverse_mid,
                               .delta_low = 1.0 / inertia[high] - inverse_mid};
}

static rps_quat rotation_orientation_of(const rps_bodies *bodies, size_t slot) {
    const double *q = bodies->orientation[slot];
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

void rps_body_update_angular_velocity(rps_bodies *bodies, size_t slot) {
    const rps_free_rotation free_rotation = rps_body_free_rotation(bodies->inertia[slot]);
    const rps_vec3 l = rps_vec3_of(bodies->angular_momentum[slot]);
    const rps_quat q = rotation_orientation_of(bodies, slot);
    double m[3], rest[3] = {0.0, 0.0, 0.0};
    rps_vec3_put(m, rps_quat_rotate_inverse(q, l));
    rest[free_rotation.low] = free_rotation.delta_high * m[free_rotation.low];
    rest[free_rotation.high] = free_rotation.delta_low * m[free_rotation.high];
    rps_vec3_put(
        bodies->motion[slot].angular_velocity,
        rps_vec3_flush(rps_vec3_add_scaled(rps_quat_rotate(q, rps_vec3_of(rest)), free_rotation.inverse_mid, l)));
}

static bool has_momentum(const rps_bodies *bodies, size_t slot) {
    return rps_body_has_pieces(bodies, slot) && bodies->kind[slot][0] == RPS_BODY_FREE;
}

/* Angular velocity times inertia in the body's axes, rotated back to the world's. */
static rps_vec3 momentum_of_rotation(const rps_bodies *bodies, size_t slot) {
    const rps_vec3 w = rps_vec3_of(bodies->motion[slot].angular_velocity), inertia = rps_vec3_of(bodies->inertia[slot]);
    if (!rps_body_has_pieces(bodies, slot)) return rps_vec3_scale(w, inertia.x);
    const rps_quat q = rotation_orientation_of(bodies, slot);
    return rps_quat_rotate(q, rps_vec3_mul(inertia, rps_quat_rotate_inverse(q, w)));
}

rps_vec3 rps_body_spin_momentum(const rps_bodies *bodies, size_t slot) {
    return has_momentum(bodies, slot) ? rps_vec3_of(bodies->angular_momentum[slot])
                                      : momentum_of_rotation(bodies, slot);
}

double rps_body_rotation_energy(const rps_bodies *bodies, size_t slot) {
    const rps_vec3 w = rps_vec3_of(bodies->motion[slot].angular_velocity);
    const double *inertia = bodies->inertia[slot];
    if (!rps_body_has_pieces(bodies, slot)) return 0.5 * inertia[0] * rps_vec3_norm2(w);
    const rps_quat q = rotation_orientation_of(bodies, slot);
    if (!has_momentum(bodies, slot)) {
        const rps_vec3 angular = rps_quat_rotate_inverse(q, w);
        return 0.5 * rps_vec3_dot(rps_vec3_mul(rps_vec3_of(inertia), angular), angular);
    }
    const rps_vec3 m = rps_quat_rotate_inverse(q, rps_vec3_of(bodies->angular_momentum[slot]));
    return 0.5 * ((m.x * m.x / inertia[0] + m.y * m.y / inertia[1]) + m.z * m.z / inertia[2]);
}

void rps_body_start_rotation(rps_bodies *bodies, size_t slot) {
    if (!rps_body_has_pieces(bodies, slot)) return;
    rps_vec3_put(bodies->angular_momentum[slot], rps_vec3_flush(momentum_of_rotation(bodies, slot)));
}
