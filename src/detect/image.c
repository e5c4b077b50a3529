/* Periodic images of fixed and driven bodies; image.h has the rules. */
#include "detect/image.h"

#include <math.h>

#include "detect/gap_table.h"
#include "detect/pair_core.h"
#include "world/body_shape.h"

static const double ALIGNED = 1.0 - 5e-13; /* cosine of a millionth of a radian */
static const double WHOLE = 1.0 - 1e-9;    /* a length set equal to the period may have been rounded */

/* --- extents -------------------------------------------------------------------------------------------------------- */

static rps_vec3 unit(int axis) {
    return rps_vec3_make(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

static double component(rps_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Half length of the prismatic part of a shape along each of its axes (m); 0 if it has none. as_contact: of the shape
 * with rounded edges that contacts use. */
static void flat_parts(const rps_side *side, bool as_contact, double flat[3]) {
    flat[0] = flat[1] = flat[2] = 0.0;
    if (side->shape == &rps_shape_cylinder) {
        flat[2] = 0.5 * side->parameter[1];
    } else if (side->shape->core) {
        const rps_shape_core core = side->shape->core(side->parameter), rounded = rps_core_for_contact(&core);
        for (int a = 0; a < 3; a++) flat[a] = as_contact ? rounded.half[a] : core.half[a];
    }
}

/* True if the piece is a prism along this axis of the world, at least as long as the period. *half: half length of
 * its prismatic part (m). */
static bool is_endless(const rps_side *side, int axis, double period, double *half) {
    double flat[3];
    if (2.0 * side->shape->bounding_radius(side->parameter) < WHOLE * period) return false;
    flat_parts(side, false, flat);
    const rps_vec3 local = rps_quat_rotate_inverse(side->orientation, unit(axis));
    for (int a = 0; a < 3; a++) {
        if (!(fabs(component(local, a)) >= ALIGNED) || !(2.0 * flat[a] >= WHOLE * period)) continue;
        flat_parts(side, true, flat);
        *half = flat[a];
        return true;
    }
    return false;
}

/* Extent of the shape from its origin along an axis of the world, in either direction (m). */
static double image_extent_along(const rps_side *side, int axis) {
    const rps_vec3 local = rps_quat_rotate_inverse(side->orientation, unit(axis));
    const rps_vec3 back = rps_vec3_neg(local);
    const double ahead = rps_vec3_dot(side->shape->support(side->parameter, local), local);
    const double behind = rps_vec3_dot(side->shape->support(side->parameter, back), back);
    return ahead > behind ? ahead : behind;
}

/* The same for all attitudes that the body can take. */
static double extent_ever(const rps_world *world, size_t slot, const rps_side *side, double radius, int axis) {
    return world->bodies.kind[slot][0] == RPS_BODY_FIXED ? image_extent_along(side, axis) : radius;
}

/* --- images of a pair ----------------------------------------------------------------------------------------------- */

static bool is_held(const rps_world *world, size_t slot) {
    return slot != SIZE_MAX && world->bodies.kind[slot][0] != RPS_BODY_FREE;
}

bool rps_image_matters(const rps_world *world, const rps_image_pair *pair) {
    return world->cell.periodic && (is_held(world, pair->slot_i) || is_held(world, pair->slot_j)) &&
           !pair->i->shape->unbounded && !pair->j->shape->unbounded;
}

/* One axis of a pair of pieces. */
typedef struct along {
    double d;      /* m, of the nearest image */
    bool odd;      /* the number of that image, which does not change when bodies cross the period */
    bool endless;  /* one of both pieces */
    bool j_is_it;  /* piece j */
    double bounds; /* m, range of the difference to an endless piece */
} along;

/* True if the image that is `turns` periods from that of the bodies has an odd number. */
static bool is_odd(const rps_world *world, const rps_image_pair *pair, int axis, double turns) {
    const rps_bodies *bodies = &world->bodies;
    if (pair->slot_i == SIZE_MAX || pair->slot_j == SIZE_MAX) return false;
    const double between = bodies->pose[pair->slot_i].position[axis] - bodies->pose[pair->slot_j].position[axis];
    const long number = (long)bodies->image[pair->slot_i][axis] - (long)bodies->image[pair->slot_j][axis] +
                        (long)rps_cell_turns(&world->cell, axis, between) + (long)turns;
    return (number & 1) != 0;
}

static along look_along(const rps_world *world, const rps_image_pair *pair, int axis) {
    const double period = world->cell.period[axis], whole = component(pair->d, axis);
    const double turns = rps_cell_turns(&world->cell, axis, whole);
    along a = {.d = turns == 0.0 ? whole : whole - turns * period, .odd = is_odd(world, pair, axis, turns)};
    double half = 0.0;
    if (is_held(world, pair->slot_j) && is_endless(pair->j, axis, period, &half)) {
        a.endless = a.j_is_it = true;
    } else if (is_held(world, pair->slot_i) && is_endless(pair->i, axis, period, &half)) {
        a.endless = true;
    }
    /* the other piece reaches no farther than a quarter of a period, so it sees no end */
    a.bounds = half > 0.25 * period ? half - 0.25 * period : 0.0;
    return a;
}

static double image_clamp(double d, double bounds) {
    return d > bounds ? bounds : d < -bounds ? -bounds : d;
}

static unsigned digit_of(unsigned code, int axis) {
    return axis == 0 ? code % 3 : axis == 1 ? code / 3 % 3 : code / 9;
}

rps_vec3 rps_image_choose(const rps_world *world, const rps_image_pair *pair, unsigned code, rps_vec3 *shift,
                          unsigned *endless) {
    double d[3] = {pair->d.x, pair->d.y, pair->d.z}, moved[3] = {0.0, 0.0, 0.0};
    *endless = 0;
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        const unsigned digit = digit_of(code, k);
        if (!(period > 0.0)) continue;
        const along a = look_along(world, pair, k);
        d[k] = digit != 0 && a.odd != (digit == 2) ? rps_cell_second_along(&world->cell, k, a.d) : a.d;
        if (!a.endless) continue;
        const double near = image_clamp(d[k], a.bounds);
        moved[k] = d[k] - near;
        d[k] = near;
        *endless |= 1U << (a.j_is_it ? 3 + k : k);
    }
    *shift = rps_vec3_of(moved);
    return rps_vec3_of(d);
}

unsigned rps_image_of_plane(const rps_world *world, bool plane_is_i, bool plane_is_j) {
    unsigned periods = 0;
    for (int k = 0; k < 3; k++) periods |= world->cell.period[k] > 0.0 ? 1U << k : 0U;
    return plane_is_i ? periods : plane_is_j ? periods << 3 : 0U;
}

int rps_image_near(const rps_world *world, const rps_image_pair *pair, unsigned code, rps_vec3 out[RPS_IMAGES_MOST]) {
    rps_vec3 shift;
    unsigned endless;
    int count = 1;
    out[0] = rps_image_choose(world, pair, code, &shift, &endless);
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k], d = component(out[0], k);
        /* up to a quarter of a period, the next image is half a period farther than both pieces reach */
        if (!(period > 0.0) || digit_of(code, k) != 0 || (endless >> k & 9U) != 0 || !(fabs(d) > 0.25 * period))
            continue;
        for (int n = 0; n < count; n++) {
            double x[3] = {out[n].x, out[n].y, out[n].z};
            x[k] = rps_cell_second_along(&world->cell, k, d);
            out[count + n] = rps_vec3_of(x);
        }
        count *= 2;
    }
    return count;
}

int rps_image_codes(const rps_world *world, const rps_image_pair *pair, double radius_i, double radius_j, double cutoff,
                    unsigned code[RPS_IMAGES_MOST]) {
    static const unsigned power[3] = {1, 3, 9};
    int count = 1;
    code[0] = 0;
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        double unused;
        if (!(period > 0.0) || radius_i + radius_j + cutoff <= 0.5 * period) continue;
        if (is_held(world, pair->slot_i) && is_endless(pair->i, k, period, &unused)) continue;
        if (is_held(world, pair->slot_j) && is_endless(pair->j, k, period, &unused)) continue;
        if (extent_ever(world, pair->slot_i, pair->i, radius_i, k) +
                extent_ever(world, pair->slot_j, pair->j, radius_j, k) + cutoff <=
            0.5 * period) {
            continue;
        }
        for (int n = 0; n < count; n++) {
            code[count + n] = code[n] + 2 * power[k];
            code[n] += power[k];
        }
        count *= 2;
    }
    return count;
}

bool rps_image_fits(const rps_world *world, const rps_image_pair *pair, double radius_i, double radius_j, double cutoff,
                    int *axis) {
    if (!is_held(world, pair->slot_i) || !is_held(world, pair->slot_j)) return true; /* rps_image_check saw to that */
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        if (!(period > 0.0) || radius_i + radius_j + cutoff <= 0.5 * period) continue;
        const double i = extent_ever(world, pair->slot_i, pair->i, radius_i, k);
        const double j = extent_ever(world, pair->slot_j, pair->j, radius_j, k);
        if (i + j + cutoff <= 0.5 * period || (i < j ? i : j) + cutoff <= 0.25 * period) continue;
        *axis = k;
        return false;
    }
    return true;
}

/* --- what is refused ------------------------------------------------------------------------------------------------ */

rps_status rps_image_check_turn(const rps_world *world, size_t slot, const rps_drive *drive, rps_error *err) {
    const double *w = drive->angular_velocity;
    const rps_motion_table *table = rps_drive_table(world, drive);
    const int32_t pieces = rps_body_piece_count(&world->bodies, slot);
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        const int other[2] = {(k + 1) % 3, (k + 2) % 3};
        bool turns = w[other[0]] != 0.0 || w[other[1]] != 0.0;
        turns = turns || (table && (table->along[3 + other[0]] || table->along[3 + other[1]]));
        if (!(period > 0.0) || !turns) continue;
        for (int32_t n = 0; n < pieces; n++) {
            char name[RPS_BODY_NAME];
            rps_side side;
            rps_vec3 offset;
            double half;
            rps_pair_side(world, slot, (uint32_t)n, &side, &offset);
            if (!is_endless(&side, k, period, &half)) continue;
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s is longer than the period of %g m along %c and turns about another axis, so that its "
                            "images would part and pass through each other. Let it turn about %c alone, or make it "
                            "shorter than the period.",
                            rps_body_name(world, slot, name, sizeof name), period, "xyz"[k], "xyz"[k]);
        }
    }
    return RPS_OK;
}

static rps_status check_piece(const rps_world *world, size_t slot, uint32_t piece, double free_radius, rps_error *err) {
    char name[RPS_BODY_NAME];
    rps_side side;
    rps_vec3 offset;
    int wide = 0;
    rps_pair_side(world, slot, piece, &side, &offset);
    const double radius = side.shape->bounding_radius(side.parameter);
    rps_body_name(world, slot, name, sizeof name);
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        double half;
        if (!(period > 0.0) || radius + free_radius <= 0.5 * period) continue;
        const bool endless = is_endless(&side, k, period, &half);
        const double extent = image_extent_along(&side, k);
        if (!endless && 2.0 * extent >= WHOLE * period) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s reaches %g m along %c, at least the period of %g m, so that its images overlap each other. "
                "Give it the shape of a box, a cylinder or a capsule whose axis is along %c and whose "
                "straight part is at least as long as the period, or make it shorter.",
                name, 2.0 * extent, "xyz"[k], period, "xyz"[k]);
        }
        if (!endless && extent_ever(world, slot, &side, radius, k) + free_radius <= 0.5 * period) continue;
        if (free_radius > 0.25 * period) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "The period along %c is %g m, and %s reaches across half of it; then it must be at least four "
                "times the largest radius of a free body with the reach of its laws, %g m. Make the box longer "
                "along %c.",
                "xyz"[k], period, name, 4.0 * free_radius, "xyz"[k]);
        }
        wide += !endless;
    }
    if (wide < 3) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "%s reaches across half of the period along x, y and z, but a body may do so along two axes at most. "
        "Make the box longer along one of them.",
        name);
}

rps_status rps_image_check(const rps_world *world, double free_radius, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    for (uint64_t id = 0, slot; rps_bodies_next(bodies, &id, &slot); id++) {
        if (!is_held(world, slot) || !rps_body_has_pieces(bodies, slot)) continue;
        const int32_t pieces = rps_body_piece_count(bodies, slot), drive = bodies->drive[slot][0];
        if (bodies->kind[slot][0] == RPS_BODY_DRIVEN && drive >= 0) {
            RPS_TRY(rps_image_check_turn(world, slot, &world->driven[drive].now, err));
        }
        for (int32_t k = 0; k < pieces; k++) {
            RPS_TRY(check_piece(world, slot, (uint32_t)k, free_radius, err));
        }
    }
    return RPS_OK;
}
