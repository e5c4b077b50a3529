/* Packing: small grains are scattered at random, then grow by steps; after each the contacts push them apart. */
#include "scene/packing.h"

#include <math.h>
#include <string.h>

#include <repose/body.h>

#include "base/elementary.h"
#include "scene/free_place.h"
#include "world/body_shape.h"

enum {
    CHUNK = 10,        /* steps between two looks at the overlaps */
    CHUNKS_MOST = 200, /* of a size on the way */
    SHRINKS = 40,      /* of the size at which grains are scattered */
    TRIES = 1000       /* places for one of them */
};
static const double SCATTERED = 0.2; /* part of the region that the spheres around the scattered grains fill */
/* Growth in one step, of a ball; and the overlap of the smaller radius at which it goes on. Sharp edges, which pass through
 * each other from .075 of the half width on, then stay below that: a step brings edges of cubes closer by .049. */
static const double GROWTH = 0.03, DEEP_ON_WAY = 0.02;
static const double JAMMED = 0.2; /* overlap that is left on the way */
/* Grains grow to (1 + MARGIN) of their size until no overlap is above DEEP: then they are put down in their size, and none is
 * left, not even with a wall, which does not shrink. */
static const double DEEP = 5e-4, MARGIN = 6e-4;

/* --- counting ------------------------------------------------------------------------------------------------------ */

static double power_of_size(const rps_packing_task *task, double size) {
    return task->scene->planar ? size * size : size * size * size;
}

/* A grain of size 1. */
typedef struct unit_grain {
    double volume; /* m^3; of a disk its area, m^2 */
    double round;  /* half of its smallest width over the radius of the sphere around it */
} unit_grain;

static rps_status measure_unit(const rps_packing_task *task, unit_grain *unit, rps_error *err) {
    rps_world *alone;
    rps_body_def def;
    rps_particle_template_of_size(task->particle_template, 1.0, &def);
    def.kind = RPS_BODY_FIXED;
    def.group = 0;
    RPS_TRY(rps_scratch_world(task->world, &alone, err));
    const rps_status status = rps_world_add_body(alone, &def, NULL, err);
    if (status == RPS_OK) {
        const double r = rps_body_equal_radius(alone, 0);
        unit->volume = task->scene->planar ? RPS_PI * (r * r) : 4.0 / 3.0 * RPS_PI * (r * r * r);
        unit->round = fmin(1.0, rps_body_half_width(alone, 0) / task->particle_template->bound);
    }
    rps_world_destroy(alone);
    return status;
}

rps_status rps_packing_count(const rps_packing_task *task, double fraction, size_t *count, rps_error *err) {
    const double wanted = fraction * rps_region_volume(&task->region);
    double sum = 0.0;
    unit_grain unit = {0};
    RPS_TRY(measure_unit(task, &unit, err));
    for (uint64_t k = 0;; k++) {
        if (k % RPS_SCENE_ASK_EVERY == 0) {
            RPS_TRY(rps_scene_may_proceed(task->scene, err));
            RPS_TRY(rps_sizes_prepare(&task->particle_template->sizes, k + RPS_SCENE_ASK_EVERY, err));
        }
        const double size =
            rps_sizes_draw(&task->particle_template->sizes, task->scene->seed, rps_set_key(task->number, k));
        const double one = unit.volume * power_of_size(task, size);
        *count = (size_t)k;
        if (sum + 0.5 * one > wanted) return RPS_OK;
        sum += one;
        if (k >= 100000000)
            return rps_fail(err, RPS_BAD_INPUT, "more than 1e8 grains would fill %g of the region", fraction);
    }
}

/* --- the start ----------------------------------------------------------------------------------------------------- */

/* Largest size, as a part of the true one, at which the spheres around the grains fill SCATTERED of the region. */
static double first_scale(const rps_packing_task *task, size_t count) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double radius =
            task->particle_template->bound *
            rps_sizes_draw(&task->particle_template->sizes, task->scene->seed, rps_set_key(task->number, k));
        sum += power_of_size(task, radius);
    }
    const double filled = (task->scene->planar ? RPS_PI : 4.0 / 3.0 * RPS_PI) * sum,
                 part = SCATTERED * rps_region_volume(&task->region) / filled;
    return fmin(1.0, task->scene->planar ? sqrt(part) : rps_cbrt(part));
}

/* Finds a place for each grain at that scale; *all: every one has its place. */
static rps_status scatter_at(const rps_packing_task *task, const rps_world *ground, double scale, rps_packing *out,
                             bool *all, rps_error *err) {
    const rps_particle_template *of = task->particle_template;
    const uint64_t seed = task->scene->seed;
    rps_free_places places;
    rps_status status = rps_free_places_find(ground, task->region.low, task->region.high,
                                             scale * rps_particle_template_bound(of), out->count, &places, err);
    *all = true;
    for (size_t k = 0; k < out->count && status == RPS_OK && *all; k++) {
        const uint64_t key = rps_set_key(task->number, k);
        rps_body_def def;
        const double radius = scale * rps_particle_template_draw(of, seed, key, &def);
        memcpy(out->orientation[k], def.orientation, sizeof def.orientation);
        bool placed = false;
        for (uint64_t t = 0; t < TRIES && !placed; t++) {
            rps_region_draw(&task->region, &ground->cell, radius, seed, key, t, out->position[k]);
            placed = rps_free_place(&places, out->position[k], radius);
        }
        *all = placed;
        if (placed) status = rps_free_place_take(&places, out->position[k], radius, err);
        if (status == RPS_OK && k % RPS_SCENE_ASK_EVERY == 0) status = rps_scene_may_proceed(task->scene, err);
    }
    rps_free_places_release(&places);
    return status;
}

static rps_status packing_scatter(const rps_packing_task *task, const rps_world *ground, rps_packing *out,
                                  double *scale, rps_error *err) {
    bool all = false;
    *scale = first_scale(task, out->count);
    for (int k = 0; k < SHRINKS && !all; k++) {
        if (k > 0) *scale *= 0.9;
        RPS_TRY(scatter_at(task, ground, *scale, out, &all, err));
    }
    if (all) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "no free place was found for each of %zu grains, not even at %.2g of their size\nthe region is full of "
        "other bodies, or a mesh or wall in it has its solid side there",
        out->count, *scale);
}

/* --- growth -------------------------------------------------------------------------------------------------------- */

typedef struct growth {
    const rps_packing_task *task;
    rps_world *ground;
    rps_packing *packed;
    unit_grain unit;
    double scale;
    uint64_t first; /* id of the first grain */
    bool started;
} growth;

/* Grain k at a scale. Of a grain of pieces the axes in which they are given stay the body's: it has an inertia of its own. */
static void grain_at(const growth *g, size_t k, double scale, rps_body_def *def) {
    const rps_particle_template *of = g->task->particle_template;
    const double size = scale * rps_sizes_draw(&of->sizes, g->task->scene->seed, rps_set_key(g->task->number, k));
    rps_particle_template_of_size(of, size, def);
    def->kind = RPS_BODY_FREE;
    def->group = 0;
    def->mass = 1.0;
    def->inertia[0] = def->piece ? 0.4 * (size * of->bound) * (size * of->bound) : NAN;
    def->inertia[1] = def->inertia[2] = NAN;
    def->locked = def->locked || !of->turned;
    memset(def->velocity, 0, sizeof def->velocity);
    memset(def->angular_velocity, 0, sizeof def->angular_velocity);
    memcpy(def->position, g->packed->position[k], sizeof def->position);
    memcpy(def->orientation, g->packed->orientation[k], sizeof def->orientation);
}

static rps_status put_grains(growth *g, rps_error *err) {
    g->first = rps_world_id_end(g->ground);
    for (size_t k = 0; k < g->packed->count; k++) {
        if (k % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(g->task->scene, err));
        rps_body_def def;
        grain_at(g, k, g->scale, &def);
        RPS_TRY(rps_world_add_body(g->ground, &def, NULL, err));
    }
    if (g->started) return RPS_OK;
    rps_step_limit limit;
    g->started = true;
    RPS_TRY(rps_world_step_limit(g->ground, &limit, err));
    return rps_world_set_step(g->ground, 0.5 * limit.step, err);
}

static rps_status take_grains(growth *g, rps_error *err) {
    const rps_cell *cell = &g->ground->cell;
    void *memory;
    const size_t bytes = g->packed->count * sizeof(uint64_t);
    for (size_t k = 0; k < g->packed->count; k++) {
        double *x = g->packed->position[k];
        RPS_TRY(rps_world_body_position(g->ground, g->first + k, x, err));
        RPS_TRY(rps_world_body_orientation(g->ground, g->first + k, g->packed->orientation[k], err));
        for (int axis = 0; axis < 3; axis++) {
            if (cell->period[axis] > 0.0) x[axis] = rps_cell_next_along(cell, axis, x[axis], 0.0);
        }
    }
    RPS_TRY(rps_memory_alloc(g->packed->allocator, bytes, &memory, err));
    uint64_t *id = memory;
    for (size_t k = 0; k < g->packed->count; k++) id[k] = g->first + k;
    const rps_status status = rps_world_remove_bodies(g->ground, id, g->packed->count, err);
    rps_memory_release(g->packed->allocator, memory, bytes);
    return status;
}

static rps_status some_steps(growth *g, double *overlap, rps_error *err) {
    rps_extremes extremes;
    RPS_TRY(rps_scene_may_proceed(g->task->scene, err));
    RPS_TRY(rps_world_step(g->ground, CHUNK, err));
    RPS_TRY(rps_world_extremes(g->ground, &extremes, err));
    *overlap = extremes.overlap;
    return RPS_OK;
}

/* On the way: until overlaps are small enough to go on. At the end: until they are below DEEP, or fall no more; a wave needs
 * the more steps to cross the packing the more grains it has. */
static rps_status relax(growth *g, bool last, double *overlap, rps_error *err) {
    const int window = 100 + (int)(5.0 * rps_cbrt((double)g->packed->count));
    double before = INFINITY;
    *overlap = 0.0;
    for (int chunk = 1; last || chunk <= CHUNKS_MOST; chunk++) {
        RPS_TRY(some_steps(g, overlap, err));
        if (*overlap < (last ? DEEP : DEEP_ON_WAY)) return RPS_OK;
        if (!last || chunk % window) continue;
        if (*overlap > 0.9 * before) return RPS_OK;
        before = *overlap;
    }
    return RPS_OK;
}

static rps_status jammed(const growth *g, double overlap, rps_error *err) {
    double sum = 0.0;
    for (size_t k = 0; k < g->packed->count; k++) {
        const rps_sizes *sizes = &g->task->particle_template->sizes;
        sum += g->unit.volume * power_of_size(g->task, g->scale * rps_sizes_draw(sizes, g->task->scene->seed,
                                                                                 rps_set_key(g->task->number, k)));
    }
    return rps_fail(
        err, RPS_BAD_INPUT,
        "the packing jams: where its grains fill %.4g of the region, they still overlap by up to %.2g of the "
        "smaller radius\nask for a lower fraction: spheres of one size jam at about 0.64, disks at 0.84",
        sum / rps_region_volume(&g->task->region), overlap);
}

static rps_status grow(growth *g, rps_error *err) {
    const double end = 1.0 + MARGIN;
    for (;;) {
        const bool last = g->scale >= end;
        double overlap;
        RPS_TRY(put_grains(g, err));
        RPS_TRY(relax(g, last, &overlap, err));
        if (overlap > (last ? DEEP : JAMMED)) return jammed(g, overlap, err);
        RPS_TRY(take_grains(g, err));
        if (last) return RPS_OK;
        g->scale = fmin(end, g->scale * (1.0 + GROWTH * g->unit.round));
    }
}

/* --- all of it ----------------------------------------------------------------------------------------------------- */

static rps_status packing_reserve(const rps_allocator *allocator, size_t count, rps_packing *out, rps_error *err) {
    void *memory;
    *out = (rps_packing){.allocator = allocator, .count = count};
    RPS_TRY(rps_memory_alloc(allocator, count * sizeof *out->position, &memory, err));
    out->position = memory;
    RPS_TRY(rps_memory_alloc(allocator, count * sizeof *out->orientation, &memory, err));
    out->orientation = memory;
    return RPS_OK;
}

void rps_packing_release(rps_packing *packed) {
    if (packed->position)
        rps_memory_release(packed->allocator, packed->position, packed->count * sizeof *packed->position);
    if (packed->orientation)
        rps_memory_release(packed->allocator, packed->orientation, packed->count * sizeof *packed->orientation);
    *packed = (rps_packing){0};
}

rps_status rps_packing_make(const rps_packing_task *task, size_t count, rps_packing *out, rps_error *err) {
    growth g = {.task = task, .packed = out};
    RPS_TRY(packing_reserve(task->world->allocator, count, out, err));
    RPS_TRY(rps_sizes_prepare(&task->particle_template->sizes, count, err));
    RPS_TRY(measure_unit(task, &g.unit, err));
    RPS_TRY(rps_packing_world(task, &g.ground, err));
    rps_status status = packing_scatter(task, g.ground, out, &g.scale, err);
    if (status == RPS_OK) status = grow(&g, err);
    rps_world_destroy(g.ground);
    return status;
}
