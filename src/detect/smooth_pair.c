/* Bodies of a world as lanes of a group. */
#include "detect/smooth_pair.h"

#include <math.h>

#include "base/cpu.h"
#include "detect/gap_table.h"

static rps_smooth_touch_fn *const touch_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_smooth_touch);
static rps_smooth_start_fn *const start_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_smooth_start);

static const double ROUND[2] = {2.0, 2.0};

static bool is_smooth(const rps_world *world, size_t slot, rps_smooth_shape *out) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece == NULL || rps_body_piece_count(&world->bodies, slot) != 1) return false;
    const double *p = piece->parameter;
    const int shape = (int)piece->shape;
    *out = (rps_smooth_shape){NULL, p, ROUND, piece->half_width, piece->radius};
    if (shape == RPS_SHAPE_INDEX(superquadric)) {
        out->shape = &rps_shape_superquadric;
        out->exponent = p + 3;
        if (!(p[3] >= 2.0 && p[4] >= 2.0)) return false;
    } else if (shape == RPS_SHAPE_INDEX(ellipsoid)) {
        out->shape = &rps_shape_ellipsoid;
    } else {
        return false;
    }
    return RPS_SMOOTH_ASPECT * piece->half_width >= piece->radius;
}

static bool is_held_body(const rps_world *world, size_t slot) {
    return world->bodies.kind[slot][0] != RPS_BODY_FREE;
}

bool rps_smooth_pair(const rps_world *world, size_t slot_i, size_t slot_j, rps_smooth_shape shape[2]) {
    if (!is_smooth(world, slot_i, &shape[0]) || !is_smooth(world, slot_j, &shape[1])) return false;
    return !(world->cell.periodic && (is_held_body(world, slot_i) || is_held_body(world, slot_j)));
}

static bool are_ellipsoids(const rps_smooth_shape shape[2]) {
    const double *a = shape[0].exponent, *b = shape[1].exponent;
    return a[0] == 2.0 && a[1] == 2.0 && b[0] == 2.0 && b[1] == 2.0;
}

void rps_smooth_set(rps_smooth_group *group, int m, const rps_world *world, size_t slot_i, size_t slot_j,
                    const rps_smooth_shape shape[2], const double d[3]) {
    const size_t slot[2] = {slot_i, slot_j};
    /* NOLINTNEXTLINE(*UndefinedBinaryOperatorResult): of a pair that rps_smooth_pair has found smooth, as callers must */
    group->size[m] = shape[0].radius > shape[1].radius ? shape[0].radius : shape[1].radius;
    for (int k = 0; k < 3; k++) group->d[k][m] = d[k];
    for (int side = 0; side < 2; side++) {
        rps_smooth_body *to = &group->body[side];
        const double *q = world->bodies.orientation[slot[side]];
        for (int k = 0; k < 4; k++) to->turn[k][m] = q[k];
        for (int k = 0; k < 3; k++) to->axis[k][m] = shape[side].axis[k];
        for (int k = 0; k < 2; k++) to->exponent[k][m] = shape[side].exponent[k];
    }
}

void rps_smooth_fill(rps_smooth_group *group, int n) {
    for (int m = n; m < RPS_SMOOTH_GROUP; m++) {
        group->size[m] = group->size[n - 1];
        for (int k = 0; k < 3; k++) group->d[k][m] = group->d[k][n - 1];
        for (int side = 0; side < 2; side++) {
            rps_smooth_body *b = &group->body[side];
            for (int k = 0; k < 4; k++) b->turn[k][m] = b->turn[k][n - 1];
            for (int k = 0; k < 2; k++) b->exponent[k][m] = b->exponent[k][n - 1];
            for (int k = 0; k < 3; k++) {
                b->axis[k][m] = b->axis[k][n - 1];
                b->point[k][m] = b->point[k][n - 1];
            }
        }
    }
}

/* Whether an overlap is below the smallest radius of a superquadric by a bound without roots and divisions. */
static bool is_shallow(const rps_smooth_shape *shape, double overlap) {
    const double *a = shape->axis, *n = shape->exponent;
    double least = a[0] < a[1] ? a[0] : a[1];
    least = a[2] < least ? a[2] : least;
    return overlap * (((a[0] + a[1]) + a[2]) * ((n[0] + n[1]) - 2.0)) < 0.99 * (least * least);
}

bool rps_smooth_proven(const rps_smooth_group *group, int m, const rps_smooth_shape shape[2]) {
    if (!(group->found[m] > 0.5)) return false;
    const double overlap = group->overlap[m];
    if (!(overlap > 0.0)) return true;
    if (shape[0].shape == &rps_shape_superquadric && is_shallow(&shape[0], overlap)) return true;
    return overlap <= shape[0].shape->smallest_radius(shape[0].axis) + shape[1].shape->smallest_radius(shape[1].axis);
}

unsigned rps_smooth_gaps(const rps_world *world, const uint32_t *a, const uint32_t *b, const size_t *index, int n,
                         double *gap) {
    rps_smooth_group group;
    rps_smooth_shape shape[RPS_SMOOTH_GROUP][2];
    unsigned found = 0;
    bool near = false;
    group.ellipsoids = true;
    group.gradients = false;
    for (int m = 0; m < n; m++) {
        const size_t i = a[index[m]], j = b[index[m]];
        const rps_vec3 d = rps_pair_difference(world, i, j);
        (void)rps_smooth_pair(world, i, j, shape[m]);
        rps_smooth_set(&group, m, world, i, j, shape[m], (const double[]){d.x, d.y, d.z});
        group.ellipsoids = group.ellipsoids && are_ellipsoids(shape[m]);
    }
    rps_smooth_fill(&group, n);
    start_of[world->isa](&group);
    for (int m = 0; m < n; m++) {
        const double smaller = shape[m][0].radius < shape[m][1].radius ? shape[m][0].radius : shape[m][1].radius;
        gap[index[m]] = -group.overlap[m];
        if (-group.overlap[m] > 0.01 * smaller) found |= 1U << m;
        near = near || (found >> m & 1U) == 0;
    }
    if (!near) return found;
    touch_of[world->isa](&group);
    for (int m = 0; m < n; m++) {
        if ((found >> m & 1U) != 0 || !rps_smooth_proven(&group, m, shape[m])) continue;
        gap[index[m]] = -group.overlap[m];
        found |= 1U << m;
    }
    return found;
}
