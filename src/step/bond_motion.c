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

/* Strains of the places; returns half the rotation of the second body against the first. */
static rps_quat measure_places(const rps_world *world, const rps_bond *bond, rps_bond_motion *out) {
    const size_t slot[2] = {world->bodies.slot_of[bond->body[0]], world->bodies.slot_of[bond->body[1]]};
    find_points(world, bond, slot, out);
    const rps_quat a = frame_now(world, bond, slot, 0), b = frame_now(world, bond, slot, 1);
    rps_quat turn = rps_quat_normalize(rps_quat_mul(rps_quat_conjugate(a), b)); /* by 2 |w| */
    if (turn.w < 0.0) turn = (rps_quat){-turn.w, -turn.x, -turn.y, -turn.z};
    const rps_quat halfway = rps_quat_normalize((rps_quat){1.0 + turn.w, turn.x, turn.y, turn.z});
    out->axes = rps_quat_normalize(rps_quat_mul(a, halfway));
    out->of_path = false;
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
    return halfway;
}

/* --- the path ------------------------------------------------------------------------------------------------------- */

static bool follows_path(const rps_world *world, const rps_bond *bond) {
    return world->bonds.setting[(size_t)bond->record.setting].law->measure == RPS_BOND_OF_PATH;
}

/* The rotation vector of a turn by less than a right angle. */
static rps_vec3 small_turn(rps_quat q) {
    const rps_vec3 v = {q.x, q.y, q.z};
    return rps_vec3_scale(v, 2.0 * rps_asin_over_x_full(rps_vec3_norm2(v)));
}

/* The axes after their third has become n1, by the least turn, and after the spin about it. */
static rps_quat carried_axes(rps_quat axes, rps_vec3 n1, double spin) {
    const rps_vec3 n0 = rps_quat_rotate(axes, rps_vec3_make(0.0, 0.0, 1.0)), e = rps_vec3_cross(n0, n1);
    const rps_quat least = rps_quat_normalize((rps_quat){1.0 + rps_vec3_dot(n0, n1), e.x, e.y, e.z});
    const rps_quat about = rps_quat_from_rotation_vector(rps_vec3_scale(n1, spin));
    return rps_quat_normalize(rps_quat_mul(about, rps_quat_mul(least, axes)));
}

static void add_increment(double strain[3], rps_quat axes, rps_vec3 increment) {
    const rps_vec3 local = rps_quat_rotate_inverse(axes, increment);
    rps_vec3_put(strain, rps_vec3_flush(rps_vec3_add(rps_vec3_of(strain), local)));
}

/* Takes the path to the half rotation and line of now; all vectors in the axes midway between both bodies. */
static void follow_path(rps_bond_path *path, double length, rps_quat half, rps_vec3 line) {
    const rps_vec3 first = small_turn(rps_quat_mul(rps_quat_conjugate(half), path->half));
    const rps_vec3 second = small_turn(rps_quat_mul(half, rps_quat_conjugate(path->half)));
    const rps_vec3 mean = rps_vec3_scale(rps_vec3_add(first, second), 0.5);
    const rps_vec3 middle = rps_vec3_scale(rps_vec3_add(path->line, line), 0.5);
    const rps_vec3 moved = rps_vec3_sub(rps_vec3_sub(line, path->line), rps_vec3_cross(mean, middle));
    const rps_quat before = path->axes;
    const double spin = rps_vec3_dot(mean, rps_vec3_normalize(middle));
    const rps_quat after = carried_axes(before, rps_vec3_normalize(line), spin);
    const rps_quat midway =
        rps_quat_normalize((rps_quat){before.w + after.w, before.x + after.x, before.y + after.y, before.z + after.z});
    add_increment(path->strain, midway, moved);
    add_increment(path->strain + 3, midway, rps_vec3_sub(second, first));
    path->strain[2] = rps_flush(rps_vec3_norm(line) - length);
    path->axes = rps_quat_flush(after);
    path->half = rps_quat_flush(half);
    path->line = rps_vec3_flush(line);
}

static void take_path(const rps_bond_path *path, rps_bond_motion *out) {
    out->of_path = true;
    out->axes = rps_quat_normalize(rps_quat_mul(out->axes, path->axes));
    for (int k = 0; k < 3; k++) {
        out->strain.stretch[k] = path->strain[k];
        out->strain.rotation[k] = path->strain[3 + k];
    }
}

void rps_bond_motion_of(const rps_world *world, const rps_bond *bond, rps_bond_motion *out) {
    (void)measure_places(world, bond, out);
    if (follows_path(world, bond)) take_path(&bond->record.path, out);
}

void rps_bond_motion_on(const rps_world *world, const rps_bond *bond, rps_bond_path *path, rps_bond_motion *out) {
    const rps_quat half = measure_places(world, bond, out);
    if (!follows_path(world, bond)) return;
    follow_path(path, bond->record.length, half, out->local);
    take_path(path, out);
}

/* --- loads ---------------------------------------------------------------------------------------------------------- */

/* h: the couple that is conjugate to the rotation vector. */
static rps_vec3 couple_of(const rps_bond_motion *motion, const rps_bond_loads *loads) {
    const rps_vec3 n = rps_vec3_of(loads->force), w = motion->half;
    const rps_vec3 e = rps_vec3_cross(motion->local, n);
    /* c = (sin|w|/|w|)^2/(1 + cos|w|), without cancellation */
    const double c = 1.0 / ((motion->ratio * motion->ratio) * (1.0 + motion->cosine));
    const rps_vec3 y = rps_vec3_add_scaled(rps_vec3_of(loads->torque), 0.5 * c, rps_vec3_cross(e, w));
    const double w2 = rps_vec3_norm2(w);
    if (!(w2 > 1e-30)) return y; /* S^-1 is the identity to rounding */
    const rps_vec3 across = rps_vec3_add_scaled(y, -rps_vec3_dot(y, w) / w2, w);
    return rps_vec3_add_scaled(y, motion->ratio - 1.0, across);
}

void rps_bond_wrench_of(const rps_world *world, const rps_bond_motion *motion, const rps_bond_loads *loads,
                        rps_bond_wrench *out) {
    const rps_vec3 n = rps_vec3_of(loads->force);
    const rps_vec3 h = motion->of_path ? rps_vec3_of(loads->torque) : couple_of(motion, loads);
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
