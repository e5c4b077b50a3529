/* Growth of a packing: the grains are put down a little larger, contacts push them apart, and so on until they have their size,
 * or until they bear a pressure. */
#include <math.h>
#include <string.h>

#include <repose/body.h>

#include "base/c_locale.h"
#include "base/elementary.h"
#include "scene/packing.h"

enum {
    CHUNK = 10,        /* steps between two looks at the overlaps */
    CHUNKS_MOST = 200, /* of a size on the way */
    LOOKS_MOST = 400,  /* at the pressure of one size, each after REST_STEPS */
    REST_STEPS = 50,
    ALIKE = 3,      /* looks in a row that see the same pressure end the wait for rest */
    SIZES_MOST = 40 /* that are tried for a pressure */
};
/* Growth in one step, of a ball; and the overlap of the smaller radius at which it goes on. Sharp edges, which pass through
 * each other from .075 of the half width on, then stay below that: a step brings edges of cubes closer by .049. */
static const double GROWTH = 0.03, DEEP_ON_WAY = 0.02;
static const double JAMMED = 0.2; /* overlap that is left on the way */
/* Grains grow to (1 + MARGIN) of their size until no overlap is above DEEP: then they are put down in their size, and none is
 * left, not even with a wall, which does not shrink. */
static const double DEEP = 5e-4, MARGIN = 6e-4;
/* Pressures of two looks that count as the same, and of the result. The step is shorter where the stiffness is that of the
 * scene, which may grow with the overlap: at DEEP_ON_WAY a Hertz contact is 1.4 times as stiff as at the .01 of the limit. */
static const double SAME = 2e-3, EXACT = 1e-2, SHORT = 0.25, OF_LIMIT = 0.5;

typedef struct growth {
    const rps_packing_task *task;
    rps_world *ground;
    rps_packing *packed;
    const rps_unit_grain *unit;
    double scale;
    uint64_t first; /* id of the first grain */
    bool started, has_meshes;
    rps_scaled_meshes meshes;
} growth;

/* Grain k at a scale. Of a grain of pieces the axes in which they are given stay the body's: it has an inertia of its own. */
static rps_status grain_at(growth *g, size_t k, double scale, rps_body_def *def, rps_error *err) {
    const rps_particle_template *of = g->task->particle_template;
    const double drawn = rps_sizes_draw(&of->sizes, g->task->scene->seed, rps_set_key(g->task->number, k));
    const double size = scale * drawn;
    rps_particle_template_of_size(of, of->mesh ? drawn : size, def); /* a mesh of this size is not there yet */
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
    return g->has_meshes ? rps_scaled_meshes_use(&g->meshes, of, scale, def, err) : RPS_OK;
}

static rps_status put_grains(growth *g, rps_error *err) {
    g->first = rps_world_id_end(g->ground);
    for (size_t k = 0; k < g->packed->count; k++) {
        if (k % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(g->task->scene, err));
        rps_body_def def;
        RPS_TRY(grain_at(g, k, g->scale, &def, err));
        RPS_TRY(rps_world_add_body(g->ground, &def, NULL, err));
    }
    if (g->started) return RPS_OK;
    rps_step_limit limit;
    g->started = true;
    RPS_TRY(rps_world_step_limit(g->ground, &limit, err));
    return rps_world_set_step(g->ground, (g->task->pressure > 0.0 ? SHORT : OF_LIMIT) * limit.step, err);
}

/* The pose of the axes of the file, of a grain that is a mesh. */
static void take_pose_of_file(const growth *g, size_t k) {
    rps_body_def def;
    const rps_particle_template *of = g->task->particle_template;
    if (of->mesh == NULL) return;
    const double drawn = rps_sizes_draw(&of->sizes, g->task->scene->seed, rps_set_key(g->task->number, k));
    rps_particle_template_of_size(of, drawn, &def);
    rps_scaled_meshes_pose(&g->meshes, &def, g->scale, g->packed->position[k], g->packed->orientation[k]);
}

static rps_status take_grains(growth *g, rps_error *err) {
    const rps_cell *cell = &g->ground->cell;
    void *memory;
    const size_t bytes = g->packed->count * sizeof(uint64_t);
    for (size_t k = 0; k < g->packed->count; k++) {
        double *x = g->packed->position[k];
        RPS_TRY(rps_world_body_position(g->ground, g->first + k, x, err));
        RPS_TRY(rps_world_body_orientation(g->ground, g->first + k, g->packed->orientation[k], err));
        take_pose_of_file(g, k);
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

/* Part of the region that the grains fill at this scale. */
static double filled(const growth *g, double scale) {
    double sum = 0.0;
    for (size_t k = 0; k < g->packed->count; k++) {
        const double size =
            rps_sizes_draw(&g->task->particle_template->sizes, g->task->scene->seed, rps_set_key(g->task->number, k));
        sum += g->unit->volume * rps_packing_power(g->task, scale * size);
    }
    return sum / rps_region_volume(&g->task->region);
}

static rps_status jammed(const growth *g, double overlap, rps_error *err) {
    return rps_fail(
        err, RPS_BAD_INPUT,
        "the packing jams: where its grains fill %.4g of the region, they still overlap by up to %.2g of the "
        "smaller radius\nask for a lower fraction: spheres of one size jam at about 0.64, disks at 0.84",
        filled(g, g->scale), overlap);
}

static rps_status grow_to_size(growth *g, rps_error *err) {
    const double end = 1.0 + MARGIN;
    for (;;) {
        const bool last = g->scale >= end;
        double overlap;
        RPS_TRY(put_grains(g, err));
        RPS_TRY(relax(g, last, &overlap, err));
        if (overlap > (last ? DEEP : JAMMED)) return jammed(g, overlap, err);
        RPS_TRY(take_grains(g, err));
        if (last) return RPS_OK;
        g->scale = fmin(end, g->scale * (1.0 + GROWTH * g->unit->round));
    }
}

/* --- to a pressure ------------------------------------------------------------------------------------------------- */

/* Mean normal stress of the grains, Pa: force times branch over the volume of the region. */
static rps_status measure_pressure(growth *g, double *pressure, rps_error *err) {
    const rps_scene *scene = g->task->scene;
    const rps_contact *contact;
    size_t count;
    double sum = 0.0;
    RPS_TRY(rps_world_contact_view(g->ground, &contact, &count, err));
    for (size_t c = 0; c < count; c++) {
        double force[3], along = 0.0;
        rps_contact_force(&contact[c], force); /* on body i */
        for (int k = 0; k < 3; k++) {
            along -= contact[c].id_i >= g->first ? force[k] * contact[c].branch_i[k] : 0.0;
            along += contact[c].id_j >= g->first ? force[k] * contact[c].branch_j[k] : 0.0;
        }
        sum += along;
    }
    *pressure = sum / ((scene->planar ? 2.0 * scene->depth : 3.0) * rps_region_volume(&g->task->region));
    return RPS_OK;
}

/* Puts the grains down at the present scale and steps until the pressure no longer changes. */
static rps_status find_pressure(growth *g, double *pressure, rps_error *err) {
    double before = -1.0;
    int alike = 0;
    RPS_TRY(put_grains(g, err));
    for (int look = 0; look < LOOKS_MOST && alike < ALIKE; look++) {
        RPS_TRY(rps_scene_may_proceed(g->task->scene, err));
        rps_world_keep_contacts(g->ground, false);
        RPS_TRY(rps_world_step(g->ground, REST_STEPS - 1, err));
        rps_world_keep_contacts(g->ground, true);
        RPS_TRY(rps_world_step(g->ground, 1, err));
        RPS_TRY(measure_pressure(g, pressure, err));
        alike = fabs(*pressure - before) <= SAME * fmax(*pressure, g->task->pressure) ? alike + 1 : 0;
        before = *pressure;
    }
    rps_world_keep_contacts(g->ground, false);
    return take_grains(g, err);
}

/* Grows until overlaps no longer vanish. */
static rps_status grow_to_jam(growth *g, rps_error *err) {
    for (double overlap = 0.0;;) {
        RPS_TRY(put_grains(g, err));
        RPS_TRY(relax(g, false, &overlap, err));
        RPS_TRY(take_grains(g, err));
        if (overlap >= DEEP_ON_WAY) return RPS_OK;
        g->scale *= 1.0 + GROWTH * g->unit->round;
    }
}

static void say_pressure(const growth *g, double pressure) {
    char text[320];
    const rps_scene *scene = g->task->scene;
    if (!scene->log) return;
    rps_snprintf(
        text, sizeof text,
        "packing `%s`: %zu particles fill %.4g of the region and bear %.4g Pa; all their sizes are multiplied by %.6g",
        rps_node_text(g->task->set, "name"), g->packed->count, filled(g, g->scale), pressure, g->scale);
    scene->log(scene->log_context, RPS_LOG_INFO, text);
}

/* The size at which the packing bears the pressure, between one that bears less and one that bears more. */
static rps_status grow_to_pressure(growth *g, rps_error *err) {
    const double wanted = g->task->pressure;
    double low = 0.0, high = 0.0, pressure = 0.0;
    RPS_TRY(grow_to_jam(g, err));
    for (int k = 0; k < SIZES_MOST; k++) {
        RPS_TRY(find_pressure(g, &pressure, err));
        if (fabs(pressure - wanted) <= EXACT * wanted) {
            say_pressure(g, pressure);
            g->packed->factor = g->scale;
            return RPS_OK;
        }
        if (pressure < wanted) low = g->scale;
        if (pressure > wanted) high = g->scale;
        if (high > 0.0 && low > 0.0)
            g->scale = 0.5 * (low + high);
        else
            g->scale *= high > 0.0 ? 1.0 / (1.0 + GROWTH * g->unit->round) : 1.0 + GROWTH * g->unit->round;
    }
    return rps_fail(
        err, RPS_BAD_INPUT,
        "no size of the grains was found at which the packing bears %.4g Pa; the last one bore %.4g Pa\n"
        "ask for a pressure that overlaps of 1e-6 to 0.1 of the radius give with the normal law of the pair",
        wanted, pressure);
}

rps_status rps_packing_grow(const rps_packing_task *task, rps_world *ground, const rps_unit_grain *unit, double scale,
                            rps_packing *packed, rps_error *err) {
    growth g = {.task = task, .ground = ground, .packed = packed, .unit = unit, .scale = scale};
    g.has_meshes = rps_def_has_mesh(&task->particle_template->def);
    g.meshes = (rps_scaled_meshes){.from = task->world, .to = ground};
    packed->factor = 1.0;
    const rps_status status = task->pressure > 0.0 ? grow_to_pressure(&g, err) : grow_to_size(&g, err);
    rps_scaled_meshes_release(&g.meshes);
    return status;
}
