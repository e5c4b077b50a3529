/*
 * Contacts of smooth bodies, many at a time.
 *
 * Ellipsoids touch each other, spheres and planes by ellipsoid_geometry_kernel.c. Superquadrics follow in groups of
 * RPS_SMOOTH_GROUP (detect/touch_smooth.h): a contact that existed starts from its points of the last evaluation, which the
 * state holds in the axes of the bodies; so a restart gives the same bits. A pair that does not touch is first tested across
 * the line of centers, which ends most of them, and starts from the points of that test. No contact depends on the others of
 * its group. Pairs whose result is not proven are left to general_geometry.c.
 */
#include "step/general_geometry.h"

#include <math.h>
#include <stddef.h>

#include "base/simd.h"
#include "detect/image.h"
#include "detect/smooth_pair.h"
#include "step/ellipsoid_geometry.h"
#include "step/step_stages.h"

static rps_ellipsoid_geometry_fn *const ellipsoids_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_ellipsoid_geometry);
static rps_smooth_touch_fn *const touch_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_smooth_touch);
static rps_smooth_start_fn *const start_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_smooth_start);

/* Entries of a batch, in rising order. */
typedef struct smooth_list {
    int n;
    uint8_t entry[RPS_BATCH];
} smooth_list;

/* fresh: pairs without a start; known: with one. */
typedef struct smooth_batch {
    const rps_batch_task *task;
    rps_lanes *lanes;
    const rps_world *world;
    smooth_list fresh, known;
    double start[RPS_BATCH][2][3];        /* m, points of i and j, in the axes of the bodies */
    rps_smooth_shape shape[RPS_BATCH][2]; /* i, j */
    uint64_t done;                        /* bit c: the geometry of entry c is complete */
    rps_smooth_group group;
} smooth_batch;

static bool existed(const smooth_batch *b, int c) {
    return rps_batch_lane(b->task, rps_batch_layout(b->task)->modes)[c] > 0.5;
}

/* m, gap up to which a new contact is looked for. */
static double cutoff_of(const smooth_batch *b, int c) {
    return b->task->pair->cutoff * rps_pair_smaller_radius(b->shape[c][0].radius, b->shape[c][1].radius);
}

static void sort_entries(smooth_batch *b) {
    const rps_batch_task *task = b->task;
    const int track = rps_batch_layout(task)->track;
    b->fresh.n = b->known.n = 0;
    for (int c = 0; c < task->n; c++) {
        if ((b->done >> c & 1U) != 0) continue;
        if (!rps_smooth_pair(b->world, task->slot_i[c], task->slot_j[c], b->shape[c])) continue;
        smooth_list *list = existed(b, c) ? &b->known : &b->fresh;
        list->entry[list->n++] = (uint8_t)c;
        for (int k = 0; k < 3; k++) {
            b->start[c][0][k] = rps_batch_lane(task, track + RPS_FRAME_CI + k)[c];
            b->start[c][1][k] = rps_batch_lane(task, track + RPS_FRAME_CJ + k)[c];
        }
    }
}

/* Fills the group with entries of a list from `first` on; returns how many. */
static int fill_group(smooth_batch *b, const smooth_list *list, int first) {
    const rps_batch_task *task = b->task;
    const int n = list->n - first < RPS_SMOOTH_GROUP ? list->n - first : RPS_SMOOTH_GROUP;
    for (int m = 0; m < n; m++) {
        const int c = list->entry[first + m];
        const double d[3] = {b->lanes->d[0][c], b->lanes->d[1][c], b->lanes->d[2][c]};
        rps_smooth_set(&b->group, m, b->world, task->slot_i[c], task->slot_j[c], b->shape[c], d);
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 3; k++) b->group.body[side].point[k][m] = b->start[c][side][k];
        }
    }
    rps_smooth_fill(&b->group, n);
    return n;
}

/* Ends the pairs that the line of centers separates; the others get start points. */
static void test_fresh(smooth_batch *b) {
    const smooth_list *from = &b->fresh;
    smooth_list *to = &b->known;
    for (int first = 0, n; first < from->n; first += n) {
        n = fill_group(b, from, first);
        start_of[b->task->all->isa](&b->group);
        for (int m = 0; m < n; m++) {
            const int c = from->entry[first + m];
            if (-b->group.overlap[m] > cutoff_of(b, c)) {
                rps_geometry_apart(b->task, b->lanes, c, b->group.overlap[m]);
                b->done |= UINT64_C(1) << c;
                continue;
            }
            to->entry[to->n++] = (uint8_t)c;
            for (int side = 0; side < 2; side++) {
                for (int k = 0; k < 3; k++) b->start[c][side][k] = b->group.body[side].point[k][m];
            }
        }
    }
}

static rps_vec3 lane_of(const rps_smooth_lane *lane, int m) {
    return (rps_vec3){lane[0][m], lane[1][m], lane[2][m]};
}

/* Writes lane m of the group as the result of entry c. */
static void take_result(const smooth_batch *b, int m, int c) {
    const rps_smooth_body *body = b->group.body;
    const double overlap = b->group.overlap[m], half_i = b->shape[c][0].half_width, half_j = b->shape[c][1].half_width;
    if (!existed(b, c) && -overlap > cutoff_of(b, c)) {
        rps_geometry_apart(b->task, b->lanes, c, overlap);
        return;
    }
    rps_touch t = {.normal = lane_of(b->group.normal, m),
                   .overlap = overlap,
                   .branch_i = lane_of(body[0].branch, m),
                   .branch_j = lane_of(body[1].branch, m),
                   .curvature_sum = body[0].mean[m] + body[1].mean[m]};
    for (int k = 0; k < 6; k++) {
        t.curve_i.s[k] = body[0].curve[k][m];
        t.curve_j.s[k] = body[1].curve[k][m];
    }
    rps_vec3 gradient[2] = {rps_vec3_zero(), rps_vec3_zero()};
    for (int side = 0; side < 2 && b->group.gradients && overlap > 0.0; side++)
        gradient[side] = lane_of(body[side].gradient, m);
    const bool deep = overlap > 0.2 * (half_i < half_j ? half_i : half_j); /* as rps_convex_touch */
    rps_geometry_put(b->task, b->lanes, c, &t, deep, gradient);
}

static void touch_known(smooth_batch *b) {
    const smooth_list *list = &b->known;
    for (int first = 0, n; first < list->n; first += n) {
        n = fill_group(b, list, first);
        touch_of[b->task->all->isa](&b->group);
        for (int m = 0; m < n; m++) {
            const int c = list->entry[first + m];
            if (!rps_smooth_proven(&b->group, m, b->shape[c])) continue;
            take_result(b, m, c);
            b->done |= UINT64_C(1) << c;
        }
    }
}

/* --- ellipsoids ------------------------------------------------------------------------------------------------------ */

/* A plane has no semi-axes, no width and any radius. */
static const double PLANE_AXES[4] = {0.0, 0.0, 0.0, 0.0}, PLANE_SIZES[4] = {0.0, INFINITY, 0.0, 0.0};

/* One body of entry c; false if ellipsoid_geometry_kernel.c is not for it. */
static inline bool set_side(rps_ellipsoid_entries *e, const rps_world *world, size_t slot, int side, int c) {
    const rps_bodies *bodies = &world->bodies;
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (piece == NULL && rps_body_is_plane(bodies, slot)) {
        e->axis[side][c] = PLANE_AXES;
        e->size[side][c] = PLANE_SIZES;
        return true;
    }
    if (world->cell.periodic && bodies->kind[slot][0] != RPS_BODY_FREE) return false; /* image.h */
    if (piece == NULL) {
        double *own = e->sphere[side][c];
        for (int k = 0; k < 4; k++) own[k] = bodies->pose[slot].radius[0];
        e->axis[side][c] = e->size[side][c] = own;
        return true;
    }
    e->axis[side][c] = piece->parameter;
    e->size[side][c] = &piece->half_width;
    return rps_body_piece_count(bodies, slot) == 1 && rps_piece_is_ellipsoid(piece);
}
_Static_assert(offsetof(rps_piece, equal_radius) == offsetof(rps_piece, half_width) + sizeof(double) &&
                   sizeof(rps_piece) >= offsetof(rps_piece, half_width) + 4 * sizeof(double),
               "both sizes of a piece are read as one vector");

/* A plane's normal, from j into i. */
static void set_plane_normal(const rps_batch_task *task, rps_lanes *lanes, int c) {
    const bool is_i = rps_body_is_plane(&task->all->shapes->world->bodies, task->slot_i[c]);
    const double *normal = task->all->bodies.normal[is_i ? task->slot_i[c] : task->slot_j[c]];
    for (int k = 0; k < 3; k++) lanes->normal[k][c] = is_i ? -normal[k] : normal[k];
}

static bool set_entry(const rps_batch_task *task, rps_lanes *lanes, rps_ellipsoid_entries *e, int c) {
    const rps_world *world = task->all->shapes->world;
    const size_t i = task->slot_i[c], j = task->slot_j[c];
    if (!rps_body_has_pieces(&world->bodies, i) && !rps_body_has_pieces(&world->bodies, j)) return false;
    if (!set_side(e, world, i, 0, c) || !set_side(e, world, j, 1, c)) return false;
    if (e->axis[0][c] == PLANE_AXES || e->axis[1][c] == PLANE_AXES) set_plane_normal(task, lanes, c);
    return true;
}

/* A plane's points go on from one period to the next. */
static void follow_planes(const rps_batch_task *task, const rps_lanes *lanes, const rps_ellipsoid_entries *e,
                          uint64_t done) {
    while (done != 0) {
        const int c = rps_next_bit(&done);
        const unsigned endless =
            rps_image_of_plane(task->all->shapes->world, e->axis[0][c] == PLANE_AXES, e->axis[1][c] == PLANE_AXES);
        const rps_lane *i = lanes->branch_i, *j = lanes->branch_j;
        rps_geometry_follow_images(task, c, endless, (rps_vec3){i[0][c], i[1][c], i[2][c]},
                                   (rps_vec3){j[0][c], j[1][c], j[2][c]});
    }
}

static uint64_t touch_ellipsoids(const rps_batch_task *task, rps_lanes *lanes) {
    rps_ellipsoid_entries e;
    bool any = false;
    for (int c = 0; c < task->padded; c++) {
        const bool mine = c < task->n && set_entry(task, lanes, &e, c);
        e.mine[c] = mine ? 1.0 : 0.0;
        any = any || mine;
        for (int side = 0; side < 2 && !mine; side++) {
            e.axis[side][c] = PLANE_AXES;
            e.size[side][c] = PLANE_SIZES;
        }
    }
    if (!any) return 0;
    const uint64_t done = ellipsoids_of[task->all->isa](task, lanes, &e);
    if (task->all->cell.periodic) follow_planes(task, lanes, &e, done);
    return done;
}

uint64_t rps_smooth_geometry(const rps_batch_task *task, rps_lanes *lanes) {
    if (task->all->dimension == 2 || task->pair->lines) return 0;
    smooth_batch b;
    b.task = task;
    b.lanes = lanes;
    b.world = task->all->shapes->world;
    b.done = touch_ellipsoids(task, lanes);
    b.group.ellipsoids = false;
    b.group.gradients = task->pair->law[RPS_ROLE_NORMAL]->radius_exponent != 0.0;
    sort_entries(&b);
    test_fresh(&b);
    touch_known(&b);
    return b.done;
}
