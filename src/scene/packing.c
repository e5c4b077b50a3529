/* Packing: how many grains there are, where they are scattered while they are small, and all of it together. */
#include "scene/packing.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "mesh/mesh_core.h"
#include "scene/free_place.h"
#include "world/body_shape.h"

enum {
    SHRINKS = 40, /* of the size at which grains are scattered */
    TRIES = 1000  /* places for one of them */
};
static const double SCATTERED = 0.2; /* part of the region that the spheres around the scattered grains fill */

/* --- counting ------------------------------------------------------------------------------------------------------ */

double rps_packing_power(const rps_packing_task *task, double size) {
    return task->scene->planar ? size * size : size * size * size;
}

/* Of the only body of a world, half its smallest width in a contact, m. */
static double contact_width(const rps_world *alone) {
    double half = rps_body_half_width(alone, 0);
    const rps_piece *piece = rps_body_pieces(alone, 0);
    for (int32_t k = 0; piece != NULL && k < rps_body_piece_count(&alone->bodies, 0); k++) {
        const rps_mesh *mesh = rps_piece_mesh(alone, &piece[k]);
        if (mesh != NULL && mesh->core != NULL) half = fmin(half, mesh->core->half);
    }
    return half;
}

/* Of meshes there are those of the sizes of the set alone. */
static rps_status measure_unit(const rps_packing_task *task, rps_unit_grain *unit, rps_error *err) {
    const rps_particle_template *of = task->particle_template;
    rps_world *alone;
    rps_body_def def;
    RPS_TRY(rps_sizes_prepare(&of->sizes, 1, err));
    const double size =
        rps_def_has_mesh(&of->def) ? rps_sizes_draw(&of->sizes, task->scene->seed, rps_set_key(task->number, 0)) : 1.0;
    rps_particle_template_of_size(of, size, &def);
    def.kind = RPS_BODY_FIXED;
    def.group = 0;
    RPS_TRY(rps_scratch_world(task->world, &alone, err));
    const rps_status status = rps_world_add_body(alone, &def, NULL, err);
    if (status == RPS_OK) {
        const double r = rps_body_equal_radius(alone, 0) / size;
        unit->volume = task->scene->planar ? RPS_PI * (r * r) : 4.0 / 3.0 * RPS_PI * (r * r * r);
        unit->round = fmin(1.0, contact_width(alone) / (of->bound * size));
    }
    rps_world_destroy(alone);
    return status;
}

rps_status rps_packing_count(const rps_packing_task *task, double fraction, size_t *count, rps_error *err) {
    const double wanted = fraction * rps_region_volume(&task->region);
    double sum = 0.0;
    rps_unit_grain unit = {0};
    RPS_TRY(measure_unit(task, &unit, err));
    for (uint64_t k = 0;; k++) {
        if (k % RPS_SCENE_ASK_EVERY == 0) {
            RPS_TRY(rps_scene_may_proceed(task->scene, err));
            RPS_TRY(rps_sizes_prepare(&task->particle_template->sizes, k + RPS_SCENE_ASK_EVERY, err));
        }
        const double size =
            rps_sizes_draw(&task->particle_template->sizes, task->scene->seed, rps_set_key(task->number, k));
        const double one = unit.volume * rps_packing_power(task, size);
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
        sum += rps_packing_power(task, radius);
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
            placed = rps_region_draw(&task->region, &ground->cell, radius, seed, key, t, out->position[k], NULL) &&
                     rps_free_place(&places, out->position[k], radius);
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
    rps_unit_grain unit;
    rps_world *ground;
    double scale;
    RPS_TRY(packing_reserve(task->world->allocator, count, out, err));
    RPS_TRY(rps_sizes_prepare(&task->particle_template->sizes, count, err));
    RPS_TRY(measure_unit(task, &unit, err));
    RPS_TRY(rps_packing_world(task, &ground, err));
    rps_status status = packing_scatter(task, ground, out, &scale, err);
    if (status == RPS_OK) status = rps_packing_grow(task, ground, &unit, scale, out, err);
    rps_world_destroy(ground);
    return status;
}
