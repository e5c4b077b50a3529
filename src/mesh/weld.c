/*
 * Points of the draft. Equal points are found by a table, then sorted by x, y, z. In this order each point is kept unless
 * one that was kept lies within the weld length: then it becomes the first of those. So kept points are farther apart than the
 * weld length, no point moves by more, and chains of near points do not collapse. A grid finds the kept points nearby.
 */
#include <math.h>

#include "base/hash.h"
#include "mesh/draft.h"

enum { CELL = 4 }; /* weld lengths; wide, so that few points look into neighbor cells */

typedef struct located {
    double at[3];
    uint32_t number;
} located;

/* An open table of numbers + 1; 0 is free. */
typedef struct table {
    uint32_t *slot;
    size_t mask;
} table;

static rps_status make_table(rps_draft *d, size_t items, table *out, rps_error *err) {
    size_t slots = 16;
    void *p;
    while (slots < 2 * items) slots *= 2;
    RPS_TRY(rps_arena_take_items(&d->arena, slots, sizeof(uint32_t), &p, err));
    memset(p, 0, slots * sizeof(uint32_t));
    *out = (table){p, slots - 1};
    return RPS_OK;
}

/* --- equal points ------------------------------------------------------------------------------------------------- */

static rps_status move_point(const rps_draft *d, const double raw[3], size_t triangle, double out[3], rps_error *err) {
    const rps_mesh_options *o = d->options;
    const rps_vec3 x = rps_vec3_add(rps_quat_rotate(o->turn, rps_vec3_scale(rps_vec3_of(raw), o->factor)), o->shift);
    const double most = 1e30; /* m, so that volumes and moments stay far from overflow */
    if (!(fabs(x.x) < most && fabs(x.y) < most && fabs(x.z) < most)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "triangle %zu has a corner at (%g, %g, %g) in the unit of the file, which is farther than 1e30 "
                        "m or not finite; "
                        "repair the file",
                        triangle + 1, raw[0], raw[1], raw[2]);
    }
    rps_vec3_put(out, rps_vec3_add(x, rps_vec3_zero())); /* -0 becomes 0 */
    return RPS_OK;
}

/* The number of the point among the different ones so far, `count` of them; a new one is added. */
static uint32_t number_of(const table *known, located *point, size_t *count, const double at[3]) {
    for (size_t k = (size_t)rps_hash64(at, 3 * sizeof *at) & known->mask;; k = (k + 1) & known->mask) {
        const uint32_t number = known->slot[k];
        if (number == 0) {
            memcpy(point[*count].at, at, 3 * sizeof *at);
            point[*count].number = (uint32_t)*count;
            known->slot[k] = (uint32_t)(++*count);
            return (uint32_t)*count - 1;
        }
        if (rps_same_bits(point[number - 1].at, at, 3 * sizeof *at)) return number - 1;
    }
}

/* Fills the corners of the draft's triangles with numbers of different points. */
static rps_status find_different(rps_draft *d, const rps_raw_mesh *raw, located *point, size_t *count, rps_error *err) {
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    void *p;
    table known;
    RPS_TRY(rps_arena_take_items(&d->arena, raw->points, sizeof(uint32_t), &p, err));
    uint32_t *number = p; /* by raw point, UINT32_MAX: not yet used */
    memset(number, 0xff, raw->points * sizeof *number);
    RPS_TRY(make_table(d, raw->points, &known, err));
    *count = 0;
    for (size_t t = 0; t < raw->triangles; t++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t corner = raw->triangle[t][k];
            if (corner >= raw->points) {
                return rps_fail(err, RPS_BAD_INPUT, "triangle %zu names point %zu, and there are %zu; repair the file",
                                t + 1, (size_t)corner + 1, raw->points);
            }
            if (number[corner] == UINT32_MAX) {
                double at[3];
                RPS_TRY(move_point(d, raw->point[corner], t, at, err));
                number[corner] = number_of(&known, point, count, at);
            }
            d->triangle[t][k] = number[corner];
        }
    }
    for (size_t k = 0; k < raw->points; k++) {
        if (number[k] == UINT32_MAX) rps_mesh_note(d->report, RPS_FOUND_UNUSED, RPS_NO_TRIANGLE, raw->point[k]);
    }
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static bool located_before(const located *a, const located *b) {
    for (int k = 0; k < 2; k++) {
        if (a->at[k] != b->at[k]) return a->at[k] < b->at[k];
    }
    return a->at[2] < b->at[2];
}

/* Merges the sorted runs from[begin .. middle - 1] and from[middle .. end - 1]. */
static void merge_runs(const located *from, located *to, size_t begin, size_t middle, size_t end) {
    size_t a = begin, b = middle;
    for (size_t k = begin; k < end; k++) {
        to[k] = b == end || (a < middle && !located_before(&from[b], &from[a])) ? from[a++] : from[b++];
    }
}

/* Sorts *point by way of *other; swaps the two if that leaves the result there. */
static void sort_located(located **point, located **other, size_t count) {
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            const size_t middle = begin + run < count ? begin + run : count;
            const size_t end = middle + run < count ? middle + run : count;
            merge_runs(*point, *other, begin, middle, end);
        }
        located *sorted = *other;
        *other = *point;
        *point = sorted;
    }
}

/* --- near points -------------------------------------------------------------------------------------------------- */

typedef struct grid {
    double low[3], width; /* m; low: by the weld length below all points, so that cells are numbered from 0 */
    table head;           /* by the hash of a cell: the last kept point there, + 1 */
    uint32_t *next;       /* by kept point: the one before it in the list, + 1 */
} grid;

static size_t grid_slot(const grid *g, const int64_t cell[3]) {
    return (size_t)rps_hash64(cell, 3 * sizeof *cell) & g->head.mask;
}

static int64_t grid_cell(const grid *g, double x, int axis) {
    return (int64_t)((x - g->low[axis]) / g->width);
}

/* The first kept point within the weld length, or UINT32_MAX. */
static uint32_t kept_near(const rps_draft *d, const grid *g, const double at[3]) {
    int64_t from[3], to[3], cell[3];
    uint32_t first = UINT32_MAX;
    for (int k = 0; k < 3; k++) {
        from[k] = grid_cell(g, at[k] - d->weld, k);
        to[k] = grid_cell(g, at[k] + d->weld, k);
    }
    for (cell[0] = from[0]; cell[0] <= to[0]; cell[0]++) {
        for (cell[1] = from[1]; cell[1] <= to[1]; cell[1]++) {
            for (cell[2] = from[2]; cell[2] <= to[2]; cell[2]++) {
                for (uint32_t n = g->head.slot[grid_slot(g, cell)]; n != 0; n = g->next[n - 1]) {
                    const rps_vec3 apart = rps_vec3_sub(rps_draft_point(d, n - 1), rps_vec3_of(at));
                    if (n - 1 < first && rps_vec3_norm2(apart) <= d->weld * d->weld) first = n - 1;
                }
            }
        }
    }
    return first;
}

/* Keeps points of the sorted ones; place[number of a different point] becomes that of a kept one. */
static rps_status keep_points(rps_draft *d, const located *sorted, size_t count, uint32_t *place, rps_error *err) {
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    void *p;
    grid g = {.width = CELL * d->weld};
    for (int k = 0; k < 3; k++) {
        g.low[k] = sorted[0].at[k];
        for (size_t n = 1; n < count; n++) g.low[k] = sorted[n].at[k] < g.low[k] ? sorted[n].at[k] : g.low[k];
        g.low[k] -= d->weld;
    }
    RPS_TRY(make_table(d, count, &g.head, err));
    RPS_TRY(rps_arena_take_items(&d->arena, count, sizeof(uint32_t), &p, err));
    g.next = p;
    d->points = 0;
    for (size_t k = 0; k < count; k++) {
        const double *at = sorted[k].at;
        uint32_t kept = kept_near(d, &g, at);
        if (kept == UINT32_MAX) {
            const int64_t cell[3] = {grid_cell(&g, at[0], 0), grid_cell(&g, at[1], 1), grid_cell(&g, at[2], 2)};
            uint32_t *head = &g.head.slot[grid_slot(&g, cell)];
            kept = (uint32_t)d->points++;
            memcpy(d->point[kept], at, sizeof d->point[kept]);
            g.next[kept] = *head;
            *head = kept + 1;
        } else {
            rps_mesh_note(d->report, RPS_FOUND_WELDED, RPS_NO_TRIANGLE, at);
        }
        place[sorted[k].number] = kept;
    }
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}

/* Sets the weld length by the extent of the points. */
static rps_status set_weld_length(rps_draft *d, const located *point, size_t count, rps_error *err) {
    double extent = 0.0, farthest = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = point[0].at[k], high = low;
        for (size_t n = 1; n < count; n++) {
            low = point[n].at[k] < low ? point[n].at[k] : low;
            high = point[n].at[k] > high ? point[n].at[k] : high;
        }
        extent = high - low > extent ? high - low : extent;
        farthest = rps_larger(farthest, rps_larger(fabs(low), fabs(high)));
    }
    d->weld = d->report->weld_length = d->options->weld * extent;
    if (!(extent > 1e-30)) {
        return rps_fail(err, RPS_BAD_INPUT, "the mesh has an extent of %g m; check its unit", extent);
    }
    if (d->weld < 8.0 * 0x1p-52 * farthest) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the mesh is %g m wide and lies %g m from the origin: the weld length of %g m is less than the "
                        "rounding of its coordinates; move it nearer or raise `weld`",
                        extent, farthest, d->weld);
    }
    return RPS_OK;
}

rps_status rps_draft_weld(rps_draft *d, const rps_raw_mesh *raw, rps_error *err) {
    void *triangle, *origin, *kept, *different, *other, *place;
    size_t count;
    RPS_TRY(rps_arena_take_items(&d->arena, raw->triangles, sizeof *d->triangle, &triangle, err));
    RPS_TRY(rps_arena_take_items(&d->arena, raw->triangles, sizeof *d->origin, &origin, err));
    d->triangle = triangle;
    d->origin = origin;
    d->triangles = raw->triangles;
    for (size_t t = 0; t < raw->triangles; t++) d->origin[t] = (uint32_t)t;
    RPS_TRY(rps_arena_take_items(&d->arena, raw->points, sizeof *d->point, &kept, err));
    d->point = kept;
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    RPS_TRY(rps_arena_take_items(&d->arena, raw->points, sizeof(located), &different, err));
    RPS_TRY(rps_arena_take_items(&d->arena, raw->points, sizeof(located), &other, err));
    RPS_TRY(rps_arena_take_items(&d->arena, raw->points, sizeof(uint32_t), &place, err));
    located *point = different, *spare = other;
    RPS_TRY(find_different(d, raw, point, &count, err));
    RPS_TRY(set_weld_length(d, point, count, err));
    sort_located(&point, &spare, count);
    RPS_TRY(keep_points(d, point, count, place, err));
    for (size_t t = 0; t < d->triangles; t++) {
        for (int k = 0; k < 3; k++) d->triangle[t][k] = ((const uint32_t *)place)[d->triangle[t][k]];
    }
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}
