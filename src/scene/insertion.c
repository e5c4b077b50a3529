/* Insertion: particles appear over time at random free positions in a region.
 *
 * Supply.c says when particle k of a set is due. Its size is a function of the seed, the set and k; the positions
 * tried at a step are a function of these and the step number. Only distances decide whether a position is free. So
 * the result does not depend on threads, and a restart needs only the number of particles inserted so far. A particle
 * without a free position waits for the next step, with all later ones; the delay is recorded and reported. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/elementary.h"
#include "base/random.h"
#include "scene/free_place.h"
#include "scene/region_face.h"
#include "scene/scene_internal.h"
#include "scene/solid.h"
#include "shape/shape.h"

/* Fraction of space filled when no random position is free: random sequential addition of spheres, and of disks (J.
 * Feder, J. Theor. Biol. 87 (1980) 237: 0.38 and 0.547). */
#define JAMMED_SPHERES 0.38
#define JAMMED_DISKS 0.547
enum { SAMPLES = 256, POINTS = 16 }; /* sampled grains of a set, and points around each */
static const double MARGIN = 1.1;    /* error of the estimate, as tested */

/* True if the grain excludes the bounding sphere of the next one from `x`. */
static bool excludes(const rps_body_def *def, rps_vec3 x, double radius) {
    const rps_solid ball = {
        .shape = &rps_shape_sphere, .parameter = {radius}, .orientation = rps_quat_identity(), .center = x};
    for (int k = 0; k < rps_solids_of_def(def); k++) {
        const rps_solid piece = rps_solid_of_def(def, k);
        if (!(rps_solid_gap(&ball, &piece, rps_vec3_sub(x, piece.center), 0.0) > 0.0)) return true;
    }
    return false;
}

/* Fraction of points of the cube around a grain from which it excludes the bounding sphere of the next one. The
 * points have low discrepancy: multiples of the powers of 1/p, p^4 = p + 1. */
static double excluded_part(const rps_body_def *def, double radius, bool planar, uint64_t sample) {
    static const double stride[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    int hits = 0;
    for (int i = 0; i < POINTS; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            const double turns = ((double)sample * POINTS + i) * stride[k];
            x[k] = planar && k == 1 ? 0.0 : 4.0 * radius * (turns - floor(turns) - 0.5);
        }
        hits += excludes(def, rps_vec3_of(x), radius);
    }
    return (double)hits / POINTS;
}

/* Number of grains in the full region. A grain counts as the sphere that excludes the same volume for bounding
 * spheres of others: 1/8 of that volume, 1/4 in a plane. */
static double insertion_capacity_for(const rps_scene *scene, const rps_insertion *insertion) {
    const rps_body_def *one = &insertion->particle_template.def;
    const bool planar = scene->planar, ball = !one->piece && rps_shape_is_round(rps_shape_find(one->shape)),
               round = ball || rps_def_has_mesh(one); /* nearly */
    double mean = 0.0;
    rps_body_def def;
    for (uint64_t k = 0; k < SAMPLES; k++) {
        const double r = rps_particle_template_draw(&insertion->particle_template, scene->seed,
                                                    rps_set_key(insertion->number, k), &def);
        const double sphere = planar ? RPS_PI * (r * r) : 4.0 / 3.0 * RPS_PI * (r * r * r);
        const double cube = planar ? 4.0 * (r * r) : 8.0 * (r * r * r);
        mean += (round ? sphere : cube * excluded_part(&def, r, planar, k)) / SAMPLES;
    }
    return rps_region_volume(&insertion->region) * (planar ? JAMMED_DISKS : JAMMED_SPHERES) / mean;
}

/* Time in which a grain leaves the region by its fall and velocity, s; infinite if nothing moves it. */
static double passage(const rps_scene *scene, const rps_insertion *insertion) {
    const double *v = insertion->particle_template.def.velocity, *a = scene->gravity;
    double g = sqrt((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]), speed = 0.0, way = 0.0;
    const double *along = g > 0.0 ? a : v;
    const double size = sqrt((along[0] * along[0] + along[1] * along[1]) + along[2] * along[2]);
    if (!(size > 0.0)) return INFINITY;
    for (int k = 0; k < 3; k++) {
        speed += v[k] * along[k] / size;
        way += fabs(along[k] / size) * (insertion->high[k] - insertion->low[k]);
    }
    if (!(g > 0.0)) return way / speed;
    return (sqrt(speed * speed + 2.0 * g * way) - speed) / g;
}

/* Warns before the run if grains leave the region more slowly than they are due to arrive. An estimate: it assumes
 * that inserted particles do not pile up into the region. */
static void foresee(const rps_scene *scene, const rps_insertion *insertion) {
    const double count = (double)insertion->count, span = insertion->span,
                 capacity = insertion_capacity_for(scene, insertion);
    const double rate = capacity / passage(scene, insertion), most = capacity + rate * span;
    if (!(capacity > 0.0) || !(count > MARGIN * most)) return; /* particles on a disk leave it at once */
    char text[512], finish[96] = "and none leaves it by itself";
    const double end = insertion->first + (count - capacity) / rate;
    if (rate > 0.0)
        rps_snprintf(finish, sizeof finish, "the last comes at about %.3g s, the run ends at %.4g s", end,
                     scene->run.until);
    rps_snprintf(
        text, sizeof text,
        "particles `%s`: %.0f are to be poured within %.4g s, but only about %.0f find a place in the region by "
        "then; %s. "
        "Pour more slowly, with a velocity out of the region, or into a larger one",
        rps_node_text(insertion->node, "name"), count, span, most, finish);
    if (scene->log) scene->log(scene->log_context, RPS_LOG_WARNING, text);
}

static rps_status read_limit(const rps_node *pour, rps_insertion *insertion, rps_error *err) {
    rps_node *limit = rps_node_get(pour, "shortage");
    rps_error unused;
    insertion->limit = INFINITY;
    if (!limit) return RPS_OK;
    insertion->limit_of_mass = rps_schema_quantity(limit, "1", &insertion->limit, &unused) != RPS_OK;
    if (insertion->limit_of_mass) RPS_TRY(rps_schema_quantity(limit, "kg", &insertion->limit, err));
    if (insertion->limit_of_mass && isnan(insertion->unit_mass)) {
        return rps_place_fail(err, limit->place, "the mass of these particles is not known: give a number of them");
    }
    return insertion->limit >= 0.0 ? RPS_OK : rps_place_fail(err, limit->place, "`shortage` must not be negative");
}

static rps_status read_speed(const rps_node *pour, rps_insertion *insertion, rps_error *err) {
    const rps_node *speed = rps_node_get(pour, "speed");
    insertion->speed = rps_node_number(pour, "speed", 0.0);
    if (!(insertion->speed > 0.0) || rps_region_is_face(&insertion->region)) return RPS_OK;
    return rps_place_fail(err, speed->place,
                          "`speed` is along the normal of a disk, a rectangle or a surface, which this region is not\n"
                          "give a `velocity`");
}

rps_status rps_build_insertion(rps_scene *scene, const rps_world *world, const rps_node *set,
                               const rps_particle_template *particle_template, uint32_t number, rps_error *err) {
    const rps_node *node = rps_node_get(set, "pour"), *region = rps_node_get(node, "region");
    const rps_node *velocity = rps_node_get(set, "velocity");
    rps_insertion insertion = {.node = set, .particle_template = *particle_template, .number = number};
    if (velocity && rps_node_get(node, "velocity")) {
        return rps_place_fail(err, velocity->place, "the velocity is given twice, here and in `pour`");
    }
    rps_node_vector(node, "velocity", insertion.particle_template.def.velocity, 3);
    insertion.spread = rps_node_number(node, "spread", 0.0);
    if (particle_template->def.kind != RPS_BODY_FREE)
        return rps_place_fail(err, set->place, "poured particles must be free to move");
    insertion.tries = (int)rps_node_number(node, "tries", 100.0);
    if (!rps_node_get(set, "count") && !rps_node_get(node, "rate") && !rps_node_get(node, "total") &&
        !rps_node_get(node, "recycles")) {
        return rps_place_fail(err, set->place, "the key `count` is missing: how many spheres are poured");
    }
    RPS_TRY(rps_supply_is_counted(set) ? rps_supply_read_count(scene, world, set, &insertion, err)
                                       : rps_supply_read(scene, world, set, &insertion, err));
    const uint64_t planned = rps_insertion_planned(&insertion);
    RPS_TRY(rps_sizes_prepare(&particle_template->sizes, planned > SAMPLES ? planned : SAMPLES, err));
    RPS_TRY(read_limit(node, &insertion, err));
    RPS_TRY(rps_region_read(scene, region, RPS_REGION_SOURCE, &insertion.region, err));
    RPS_TRY(read_speed(node, &insertion, err));
    const double bound = rps_particle_template_bound(particle_template);
    for (int k = 0; k < 3; k++) { /* before a surface, on a face, or inside */
        const double reach = insertion.region.kind == RPS_REGION_SURFACE ? 1.01 * bound : 0.0;
        insertion.low[k] = insertion.region.low[k] - reach;
        insertion.high[k] = insertion.region.high[k] + reach;
    }
    RPS_TRY(rps_region_check_space(&insertion.region, region->place, bound, err));
    if (planned > 0) foresee(scene, &insertion);
    scene->insertions.item[scene->insertions.count++] = insertion;
    scene->bodies_total += planned;
    return RPS_OK;
}

/* --- insertion ----------------------------------------------------------------------------------------------------- */

/* The spread of velocities is normal, each component by itself. */
static void spread_velocity(const rps_insertion *insertion, const rps_world *world, uint64_t seed, rps_body_def *def) {
    const uint64_t key = rps_set_key(insertion->number, insertion->done);
    for (int k = 0; k < 3 && insertion->spread > 0.0; k++) {
        if (world->options.dimension == 2 && k == 1) continue;
        def->velocity[k] += insertion->spread * rps_random_normal(seed, RPS_RANDOM_VELOCITY, key, (uint64_t)k);
    }
}

static rps_status note_inserted(rps_scene *scene, const rps_world *world, rps_insertion *insertion, uint64_t id,
                                rps_error *err) {
    const size_t slot = rps_world_slot(world, id);
    const rps_tally_sum sum = {1.0, world->bodies.mass[slot][0], 0.0};
    insertion->late = fmax(insertion->late, rps_world_time(world) - rps_insertion_time(insertion, scene->seed));
    rps_insertion_advance(insertion, scene->seed);
    if (!scene->traffic.sources) return RPS_OK;
    return rps_tally_add(scene->allocator, &insertion->tally, rps_world_steps(world), world->bodies.group[slot][0],
                         &sum, err);
}

static rps_status insert_one(rps_scene *scene, rps_insertion *insertion, rps_world *world, rps_free_places *free,
                             bool *placed, rps_error *err) {
    const uint64_t seed = scene->seed, key = rps_set_key(insertion->number, insertion->done);
    rps_body_def def;
    double radius = rps_particle_template_draw(&insertion->particle_template, seed, key, &def), x[3];
    uint64_t step = rps_world_steps(world);
    rps_vec3 front;
    *placed = false;
    spread_velocity(insertion, world, seed, &def);
    for (int t = 0; t < insertion->tries; t++) {
        const uint64_t attempt = step * (uint64_t)insertion->tries + (uint64_t)t;
        if (!rps_region_draw(&insertion->region, &world->cell, radius, seed, key, attempt, x, &front)) continue;
        if (!rps_free_place(free, x, radius)) continue;
        uint64_t id;
        memcpy(def.position, x, sizeof x);
        const double out[3] = {front.x, front.y, front.z};
        for (int k = 0; k < 3; k++) def.velocity[k] += insertion->speed * out[k];
        rps_scene_add_flow(world, &def);
        RPS_TRY(rps_place_wrap(err, insertion->node->place, rps_world_add_body(world, &def, &id, err)));
        RPS_TRY(note_inserted(scene, world, insertion, id, err));
        *placed = true;
        return rps_free_place_take(free, x, radius, err);
    }
    return RPS_OK;
}

static bool is_due(const rps_scene *scene, const rps_insertion *insertion, double time) {
    return rps_insertion_due(insertion, 0, insertion->given, time, scene->seed);
}

/* Fails if the source is behind by more than it may be. */
static rps_status check_shortage(const rps_scene *scene, const rps_insertion *insertion, double time, rps_error *err) {
    uint64_t number;
    double mass;
    if (!(insertion->limit < INFINITY)) return RPS_OK;
    rps_insertion_behind(insertion, time, scene->seed, &number, &mass);
    const double behind = insertion->limit_of_mass ? mass : (double)number;
    if (behind <= insertion->limit) return RPS_OK;
    const char *unit = insertion->limit_of_mass ? " kg" : "";
    return rps_place_fail(
        err, rps_node_get(rps_node_get(insertion->node, "pour"), "shortage")->place,
        "the source of `%s` is behind by %.6g%s at t = %.6g s, for want of a free place in its region; "
        "%.6g%s are allowed\npour more slowly, into a larger region, or with a velocity out of it",
        rps_node_text(insertion->node, "name"), behind, unit, time, insertion->limit, unit);
}

bool rps_scene_insert_due(const rps_scene *scene, double time) {
    bool any = false;
    for (size_t i = 0; i < scene->insertions.count; i++) any = any || is_due(scene, &scene->insertions.item[i], time);
    return any;
}

rps_status rps_scene_insert(rps_scene *scene, rps_world *world, size_t *added, rps_error *err) {
    double time = rps_world_time(world);
    if (added) *added = 0;
    for (size_t i = 0; i < scene->insertions.count; i++) {
        rps_insertion *insertion = &scene->insertions.item[i];
        RPS_TRY(rps_supply_prepare(insertion, err));
        if (!is_due(scene, insertion, time)) continue;
        rps_free_places free;
        uint64_t due;
        double mass;
        rps_insertion_behind(insertion, time, scene->seed, &due, &mass);
        rps_status status =
            rps_free_places_find(world, insertion->low, insertion->high,
                                 rps_particle_template_bound(&insertion->particle_template), due, &free, err);
        bool placed = true;
        while (status == RPS_OK && placed && is_due(scene, insertion, time)) {
            status = insert_one(scene, insertion, world, &free, &placed, err);
            if (status == RPS_OK && placed && added) (*added)++;
        }
        rps_free_places_release(&free);
        RPS_TRY(status);
        RPS_TRY(check_shortage(scene, insertion, time, err));
    }
    return RPS_OK;
}

/* --- what came of it ----------------------------------------------------------------------------------------------- */

size_t rps_scene_insertions(const rps_scene *scene) {
    return scene->insertions.count;
}

void rps_scene_insertion_at(const rps_scene *scene, size_t index, rps_insertion_info *out) {
    const rps_insertion *insertion = &scene->insertions.item[index];
    const uint64_t count = insertion->supply.recycles ? insertion->done : insertion->count;
    *out = (rps_insertion_info){rps_node_text(insertion->node, "name"), insertion->done, count, insertion->late};
}

const rps_body_def *rps_scene_insertion_body(const rps_scene *scene, size_t index) {
    return &scene->insertions.item[index].particle_template.def;
}

const char *rps_scene_insertion_behind(rps_scene *scene, size_t index) {
    const rps_insertion *insertion = &scene->insertions.item[index];
    const char *name = rps_node_text(insertion->node, "name");
    const double fair = fmax(0.05 * insertion->span, 2.0 * scene->run.step);
    if (insertion->supply.recycles) {
        uint64_t number;
        double mass;
        rps_insertion_behind(insertion, 0.0, scene->seed, &number, &mass);
        if (number < 2) return NULL; /* one that left in the last steps */
        return rps_pool_printf(&scene->observer.notes, NULL, "%llu particles `%s` wait to be recycled",
                               (unsigned long long)number, name);
    }
    if (insertion->done < insertion->count && !scene->observer.cut) { /* a stopped run would have inserted them later */
        return rps_pool_printf(&scene->observer.notes, NULL, "%llu of %llu particles `%s` were poured",
                               (unsigned long long)insertion->done, (unsigned long long)insertion->count, name);
    }
    if (!(insertion->late > fair)) return NULL;
    return rps_pool_printf(&scene->observer.notes, NULL, "particles `%s` were poured up to %.3g s after their time",
                           name, insertion->late);
}
