/* The geometry of a bond (bond_motion.h). */
#include "step/bond_motion.h"

#include <math.h>

#include "base/elementary.h"
#include "base/flush.h"

static rps_quat frame_now(const rps_world *world, const rps_bond *bond, const size_t slot[2], int k) {
    const double *o = world->bodies.orientation[slot[k]];
    return rps_quat_mul((rps_quat){o[0], o[1], o[2], o[3]}, bond->record.frame[k]);
}

static void find_points(const rps_world *world, const rps_bond *bond, const size_t slot[2], rps_bond_motion *out) {
    const double *period = world->cell.period;
    double d[3];
    for (int k = 0; k < 2; k++) {
        const double *o = world->bodies.orientation[slot[k]];
        out->arm[k] = rps_quat_rotate((rps_quat){o[0], o[1], o[2], o[3]}, bond->record.point[k]);
    }
    const double *x_i = world->bodies.pose[slot[0]].position, *x_j = world->bodies.pose[slot[1]].position;
    const int32_t *image_i = world->bodies.image[slot[0]], *image_j = world->bodies.image[slot[1]];
    for (int k = 0; k < 3; k++) {
        const double images = (double)(image_j[k] - image_i[k]) + bond->record.image[k];
        d[k] = (x_j[k] - x_i[k]) + images * period[k];
    }
    out->between = rps_vec3_add(rps_vec3_of(d), rps_vec3_sub(out->arm[1], out->arm[0]));
}

void rps_bond_motion_of(const rps_world *world, const rps_bond *bond, rps_bond_motion *out) {
    const size_t slot[2] = {world->bodies.slot_of[bond->body[0]], world->bodies.slot_of[bond->body[1]]};
    find_points(world, bond, slot, out);
    const rps_quat a = frame_now(world, bond, slot, 0), b = frame_now(world, bond, slot, 1);
    rps_quat turn = rps_quat_normalize(rps_quat_mul(rps_quat_conjugate(a), b)); /* by 2 |w| */
    if (turn.w < 0.0) turn = (rps_quat){-turn.w, -turn.x, -turn.y, -turn.z};
    const rps_quat halfway = rps_quat_normalize((rps_quat){1.0 + turn.w, turn.x, turn.y, turn.z});
    out->axes = rps_quat_normalize(rps_quat_mul(a, halfway));
    const rps_vec3 v = {turn.x, turn.y, turn.z};
    out->sine = rps_vec3_norm(v);
    out->cosine = turn.w;
    out->ratio = out->sine > 1e-9 ? rps_atan2(out->sine, turn.w) / out->sine : 1.0; /* below, 1 to rounding */
    out->half = rps_vec3_scale(v, out->ratio);
    out->local = rps_quat_rotate_inverse(out->axes, out->between);
    const rps_vec3 stretch =
        rps_vec3_flush(rps_vec3_make(out->local.x, out->local.y, out->local.z - bond->record.length));
    out->strain = (rps_bond_strain){.stretch = {stretch.x, stretch.y, stretch.z}};
    rps_vec3_put(out->strain.rotation, rps_vec3_flush(rps_vec3_scale(out->half, 2.0)));
}

void rps_bond_wrench_of(const rps_world *world, const rps_bond_motion *motion, const rps_bond_loads *loads,
                        rps_bond_wrench *out) {
    const rps_vec3 n = rps_vec3_of(loads->force), w = motion->half;
    const rps_vec3 e = rps_vec3_cross(motion->local, n);
    /* c = (sin|w|/|w|)^2/(1 + cos|w|), without cancellation */
    const double c = 1.0 / ((motion->ratio * motion->ratio) * (1.0 + motion->cosine));
    const rps_vec3 y = rps_vec3_add_scaled(rps_vec3_of(loads->torque), 0.5 * c, rps_vec3_cross(e, w));
    rps_vec3 h = y;
    const double w2 = rps_vec3_norm2(w);
    if (w2 > 1e-30) { /* S^-1 is the identity to rounding below */
        const rps_vec3 across = rps_vec3_add_scaled(y, -rps_vec3_dot(y, w) / w2, w);
        h = rps_vec3_add_scaled(y, motion->ratio - 1.0, across);
    }
    rps_vec3 force = rps_quat_rotate(motion->axes, n), couple = rps_quat_rotate(motion->axes, h);
    const bool planar = world->options.dimension == 2;
    if (planar) force.y = couple.x = couple.z = 0.0;
    rps_vec3 half_moment = rps_vec3_scale(rps_vec3_cross(motion->between, force), 0.5);
    rps_vec3 moment[2] = {rps_vec3_cross(motion->arm[0], force), rps_vec3_cross(force, motion->arm[1])};
    out->force = rps_vec3_flush(force);
    out->torque[0] = rps_vec3_flush(rps_vec3_add(rps_vec3_add(half_moment, couple), moment[0]));
    out->torque[1] = rps_vec3_flush(rps_vec3_add(rps_vec3_sub(half_moment, couple), moment[1]));
    out->stored = loads->stored;
}
