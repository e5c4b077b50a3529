/* A grid of cells with linked lists. A sphere is stored in the cell of its centre. A query visits all cells from
 * which the largest stored sphere could reach. Spheres far larger than a cell are in a separate list. */
#include "scene/overlap_grid.h"

#include <math.h>
#include <string.h>

#include "scene/solid.h"
#include "shape/shape.h"
#include "world/body_shape.h"

enum { CELLS_MAX = 1 << 22 };

rps_status rps_near_init(rps_overlap_grid *grid, const double low[3], const double high[3], double cell,
                         const rps_cell *periods, size_t expected, const rps_allocator *allocator, rps_error *err) {
    *grid = (rps_overlap_grid){.allocator = allocator, .cell = cell, .big = -1, .big_limit = 2};
    memcpy(grid->low, low, sizeof grid->low);
    memcpy(grid->high, high, sizeof grid->high);
    grid->periods = *periods;
    double cells = 1.0, most = fmin(8.0 * (double)expected + 64.0, CELLS_MAX);
    for (;;) {
        cells = 1.0;
        for (int k = 0; k < 3; k++) cells *= fmax(1.0, ceil((high[k] - low[k]) / grid->cell));
        if (cells <= most) break;
        grid->cell *= 1.25;
    }
    for (int k = 0; k < 3; k++) grid->n[k] = (int)fmax(1.0, ceil((high[k] - low[k]) / grid->cell));
    grid->head_bytes = (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2] * sizeof *grid->head;
    void *memory;
    RPS_TRY(rps_memory_alloc(allocator, grid->head_bytes, &memory, err));
    grid->head = memory;
    memset(grid->head, 0xff, grid->head_bytes);
    return RPS_OK;
}

void rps_near_release(rps_overlap_grid *grid) {
    void *items = grid->item;
    if (grid->head) rps_memory_release(grid->allocator, grid->head, grid->head_bytes);
    rps_buffer_release(grid->allocator, &items, &grid->buffer_bytes);
    grid->head = NULL;
    grid->item = NULL;
}

static int cell_of(const rps_overlap_grid *grid, int axis, double x) {
    double cell = floor((x - grid->low[axis]) / grid->cell);
    return cell < 0.0 ? 0 : cell >= grid->n[axis] ? grid->n[axis] - 1 : (int)cell;
}

rps_status rps_near_add(rps_overlap_grid *grid, const double position[3], double radius, uint64_t tag, rps_error *err) {
    void *items = grid->item;
    RPS_TRY(rps_buffer_reserve(grid->allocator, &items, &grid->buffer_bytes, grid->count * sizeof *grid->item,
                               (grid->count + 1) * sizeof *grid->item, err));
    grid->item = items;
    rps_near_item *item = &grid->item[grid->count];
    *item = (rps_near_item){{position[0], position[1], position[2]}, radius, tag, -1};
    int32_t *head = &grid->big;
    if (!(radius > (double)grid->big_limit * grid->cell)) {
        size_t cell = (size_t)cell_of(grid, 2, position[2]);
        cell = cell * (size_t)grid->n[1] + (size_t)cell_of(grid, 1, position[1]);
        cell = cell * (size_t)grid->n[0] + (size_t)cell_of(grid, 0, position[0]);
        head = &grid->head[cell];
        if (radius > grid->largest) grid->largest = radius;
    }
    if (radius > grid->biggest) grid->biggest = radius;
    item->next = *head;
    *head = (int32_t)grid->count++;
    return RPS_OK;
}

/* One list; false: stop. */
static bool overlap_grid_look(const rps_overlap_grid *grid, int32_t head, const double x[3], double radius,
                              rps_near_found found, void *context) {
    for (int32_t i = head; i >= 0; i = grid->item[i].next) {
        const rps_near_item *item = &grid->item[i];
        double reach = radius + item->radius, d2 = 0.0;
        for (int k = 0; k < 3; k++) d2 += (x[k] - item->position[k]) * (x[k] - item->position[k]);
        if (d2 < reach * reach && !found(context, item, reach - sqrt(d2))) return false;
    }
    return true;
}

static bool look_around(const rps_overlap_grid *grid, const double x[3], double radius, rps_near_found found,
                        void *context) {
    int from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = cell_of(grid, k, x[k] - radius - grid->largest);
        to[k] = cell_of(grid, k, x[k] + radius + grid->largest);
    }
    if (!overlap_grid_look(grid, grid->big, x, radius, found, context)) return false;
    for (int c = from[2]; c <= to[2]; c++) {
        for (int b = from[1]; b <= to[1]; b++) {
            for (int a = from[0]; a <= to[0]; a++) {
                size_t cell = ((size_t)c * (size_t)grid->n[1] + (size_t)b) * (size_t)grid->n[0] + (size_t)a;
                if (!overlap_grid_look(grid, grid->head[cell], x, radius, found, context)) return false;
            }
        }
    }
    return true;
}

void rps_near_each(const rps_overlap_grid *grid, const double position[3], double radius, rps_near_found found,
                   void *context) {
    int images[3];
    for (int k = 0; k < 3; k++) images[k] = grid->periods.period[k] > 0.0;
    for (int c = -images[2]; c <= images[2]; c++) {
        for (int b = -images[1]; b <= images[1]; b++) {
            for (int a = -images[0]; a <= images[0]; a++) {
                const int32_t image_of[3] = {a, b, c};
                double x[3];
                rps_cell_image_near(&grid->periods, position, image_of, x);
                bool image = a != 0 || b != 0 || c != 0, far = false;
                for (int k = 0; k < 3; k++) {
                    double reach = radius + grid->biggest;
                    far = far || x[k] < grid->low[k] - reach || x[k] > grid->high[k] + reach;
                }
                if (image && far) continue;
                if (!look_around(grid, x, radius, found, context)) return;
            }
        }
    }
}

static bool found_one(void *context, const rps_near_item *item, double overlap) {
    (void)item, (void)overlap;
    ++*(size_t *)context;
    return true;
}

size_t rps_near_count(const rps_overlap_grid *grid, const double position[3], double radius) {
    size_t count = 0;
    rps_near_each(grid, position, radius, found_one, &count);
    return count;
}

/* --- the worst overlap of a world --------------------------------------------------------------------------------- */

typedef struct search {
    const rps_world *world;
    size_t slot;
    rps_overlap *worst;
    double enough;
    size_t *left; /* overlapping pairs still to be examined after one exceeds `enough` */
} search;

/* If all bodies are at one place, as after a spacing in the wrong unit, n^2 pairs overlap; the search must still end.
 * Packings have fewer overlaps per body than this. */
enum { OVERLAPS_OF_A_BODY = 100 };

static void take_overlap(const search *s, size_t other, double relative, bool same_centre) {
    const rps_bodies *bodies = &s->world->bodies;
    uint64_t a = bodies->id[s->slot][0], b = bodies->id[other][0];
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    rps_overlap *worst = s->worst;
    if (worst->same_centre && !same_centre) return;
    const bool worse = relative > worst->relative || (same_centre && !worst->same_centre);
    const bool tie =
        relative == worst->relative && (low < worst->id[0] || (low == worst->id[0] && high < worst->id[1]));
    if (!worse && !tie) return;
    if (!rps_world_may_touch(s->world, s->slot, other)) return;
    *worst = (rps_overlap){relative, {low, high}, same_centre};
}

static bool found_overlap(void *context, const rps_near_item *item, double overlap) {
    const search *s = context;
    const rps_bodies *bodies = &s->world->bodies;
    size_t other = (size_t)item->tag;
    if (other == s->slot) return true;
    if (s->worst->relative > s->enough && --*s->left == 0) return false;
    const bool spheres = !rps_body_has_pieces(bodies, s->slot) && !rps_body_has_pieces(bodies, other);
    const double half = rps_pair_smaller_radius(rps_body_half_width(s->world, s->slot), /* 0 of walls */
                                                rps_body_half_width(s->world, other));
    if (!spheres) { /* each pair once, and only if its bounding spheres overlap by more than the worst */
        if (other > s->slot || overlap < s->worst->relative * half || s->worst->relative > s->enough) return true;
        overlap = -rps_body_gap(s->world, s->slot, other, 0.0);
    }
    const double radii = bodies->pose[s->slot].radius[0] + bodies->pose[other].radius[0];
    if (overlap > 0.0) take_overlap(s, other, overlap / half, spheres && overlap >= radii);
    return true;
}

static void plane_overlaps(const rps_world *world, size_t plane, rps_overlap *worst) {
    const rps_bodies *bodies = &world->bodies;
    const double *n = bodies->normal[plane], *p = bodies->pose[plane].position;
    for (size_t s = 0; s < bodies->count; s++) {
        const double *x = bodies->pose[s].position, radius = bodies->pose[s].radius[0];
        double overlap = radius - (((x[0] - p[0]) * n[0] + (x[1] - p[1]) * n[1]) + (x[2] - p[2]) * n[2]);
        search of_body = {world, s, worst, 0.0, NULL};
        if (!(radius > 0.0 && overlap > 0.0)) continue;
        if (rps_body_has_pieces(bodies, s)) overlap = -rps_body_gap(world, s, plane, 0.0);
        if (overlap > 0.0) take_overlap(&of_body, plane, overlap / rps_body_half_width(world, s), false);
    }
}

rps_status rps_near_worst_overlap(const rps_world *world, double enough, rps_overlap *worst, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    double low[3] = {0}, high[3] = {0}, sum = 0.0;
    size_t spheres = 0;
    *worst = (rps_overlap){.relative = 0.0};
    for (size_t s = 0; s < bodies->count; s++) {
        const rps_pose *pose = &bodies->pose[s];
        if (rps_body_is_plane(bodies, s)) continue;
        for (int k = 0; k < 3; k++) {
            low[k] = spheres ? fmin(low[k], pose->position[k]) : pose->position[k];
            high[k] = spheres ? fmax(high[k], pose->position[k]) : pose->position[k];
        }
        sum += pose->radius[0];
        spheres++;
    }
    if (!spheres) return RPS_OK;
    rps_overlap_grid grid;
    RPS_TRY(rps_near_init(&grid, low, high, 2.0 * sum / (double)spheres, &world->cell, spheres, world->allocator, err));
    rps_status status = RPS_OK;
    for (size_t s = 0; s < bodies->count && status == RPS_OK; s++) {
        const rps_pose *pose = &bodies->pose[s];
        if (!rps_body_is_plane(bodies, s)) status = rps_near_add(&grid, pose->position, pose->radius[0], s, err);
    }
    size_t left = OVERLAPS_OF_A_BODY * bodies->count;
    for (size_t s = 0; s < bodies->count && status == RPS_OK && left > 0; s++) {
        search look_for = {world, s, worst, enough, &left};
        const rps_pose *pose = &bodies->pose[s];
        if (rps_body_is_plane(bodies, s)) {
            plane_overlaps(world, s, worst);
        } else {
            rps_near_each(&grid, pose->position, pose->radius[0], found_overlap, &look_for);
        }
    }
    rps_near_release(&grid);
    return status;
}
