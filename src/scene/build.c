/* Builds the world from the checked tree: options, materials, pairs, bodies, and the time step. */
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "detect/detect.h"
#include "detect/image.h"
#include "scene/events.h"
#include "scene/motion_file.h"
#include "scene/scene_internal.h"
#include "scene/overlap_grid.h"
#include "scene/stages.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* --- materials ----------------------------------------------------------------------------------------------------- */

double rps_build_young(const rps_node *material) {
    return rps_node_is(rps_node_get(material, "young"), "rigid") ? INFINITY : rps_node_number(material, "young", NAN);
}

static rps_status build_materials(const rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *materials = rps_node_get(scene->text->root, "materials");
    for (size_t i = 0; i < materials->count; i++) {
        const rps_node *node = materials->entry[i].value;
        rps_material material = rps_material_default();
        material.name = materials->entry[i].key;
        material.young = rps_build_young(node);
        material.poisson = rps_node_number(node, "poisson", NAN);
        material.density = rps_node_number(node, "density", NAN);
        int index;
        RPS_TRY(
            rps_place_wrap(err, materials->entry[i].key_place, rps_world_add_material(world, &material, &index, err)));
    }
    return RPS_OK;
}

rps_status rps_build_material(const rps_world *world, const rps_node *node, int *index, rps_error *err) {
    *index = rps_world_find_material(world, node->text);
    if (*index >= 0) return RPS_OK;
    const char *names[64];
    char hint[512];
    size_t n = 0;
    for (int i = 0; i < rps_world_material_count(world) && n < 64; i++) names[n++] = rps_world_material(world, i).name;
    return rps_place_fail(err, node->place, "there is no material `%.60s`%s", node->text,
                          rps_suggest(node->text, names, n, hint, sizeof hint));
}

/* --- overlap at the start ------------------------------------------------------------------------------------------ */

static void describe_body(const rps_world *world, uint64_t id, char *out, size_t bytes) {
    char name[RPS_BODY_NAME];
    const size_t slot = rps_world_slot(world, id);
    const double *x = world->bodies.pose[slot].position;
    rps_snprintf(out, bytes, "%s at (%.6g, %.6g, %.6g) m", rps_body_name(world, slot, name, sizeof name), x[0], x[1],
                 x[2]);
}

/* Checks that the periods suit fixed and driven bodies beside free bodies of that radius, in all stages. */
static rps_status check_held_images(const rps_scene *scene, const rps_world *world, double radius, rps_error *err) {
    double cutoff = 0.0;
    for (size_t k = 0; k < world->pairs; k++) {
        const rps_pair_setup *pair = &world->pair_setup[k];
        cutoff = fmax(cutoff, pair->ranged && radius > 0.0 ? rps_pair_range_bound(pair, radius, true) : pair->cutoff);
    }
    if (radius > 0.0) RPS_TRY(rps_image_check(world, (1.0 + cutoff) * radius, err));
    for (size_t i = 0; i < scene->stages.count; i++) {
        const rps_stage *stage = &scene->stages.item[i];
        for (size_t k = 0; k < stage->drives; k++) {
            const rps_stage_drive *drive = &stage->drive[k];
            RPS_TRY(rps_image_check_turn(world, rps_world_slot(world, drive->id), &drive->drive, err));
        }
    }
    return RPS_OK;
}

/* The two largest. */
static void note_radius(double most[2], double radius) {
    if (radius > most[0]) {
        most[1] = most[0];
        most[0] = radius;
    } else if (radius > most[1]) {
        most[1] = radius;
    }
}

/* Two bodies must meet in one image only. This checks free spheres; at the start the lists check it with skin and
 * cutoff. */
static rps_status build_check_periods(const rps_scene *scene, const rps_world *world, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    double most[2] = {0.0, 0.0};
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        if (event->kind == RPS_EVENT_ENTERS && event->def.kind == RPS_BODY_FREE) note_radius(most, event->radius);
    }
    for (size_t s = 0; s < bodies->count + 2 * scene->insertions.count; s++) {
        const bool inserted = s >= bodies->count; /* two of each set */
        const double radius =
            inserted ? rps_particle_template_bound(&scene->insertions.item[(s - bodies->count) / 2].particle_template)
                     : bodies->pose[s].radius[0];
        if (!inserted && bodies->kind[s][0] != RPS_BODY_FREE) continue;
        note_radius(most, radius);
    }
    const double need = most[1] > 0.0 ? 2.0 * (most[0] + most[1]) : 2.0 * most[0];
    /* suggest a period that the lists accept too, for any mean radius */
    const double enough = most[1] > 0.0 ? rps_detect_least_period(world, most[0], most[1], most[0]) : need;
    for (int k = 0; k < 3; k++) {
        if (!(scene->period[k] > 0.0) || scene->period[k] >= need) continue;
        return rps_place_fail(
            err, rps_node_get(scene->text->root, "periodic")->place,
            "the period along %c is %g m, but at least %g m are needed, so that a body meets another, "
            "or itself, in one image only\nmake it longer, or leave the axis open",
            "xyz"[k], scene -> period[k], enough);
    }
    const rps_node *periodic = rps_node_get(scene->text->root, "periodic");
    return periodic ? rps_place_wrap(err, periodic->place, check_held_images(scene, world, most[0], err)) : RPS_OK;
}

static rps_status build_check_overlap(const rps_scene *scene, const rps_world *world, rps_error *err) {
    const rps_node *allowed = rps_node_get(scene->text->root, "overlap");
    rps_overlap worst;
    RPS_TRY(rps_near_worst_overlap(world, fmax(0.5, allowed->number[0]), &worst, err));
    if (!(worst.relative > allowed->number[0]) && !worst.same_centre) return RPS_OK;
    char a[160], b[160];
    describe_body(world, worst.id[0], a, sizeof a);
    describe_body(world, worst.id[1], b, sizeof b);
    rps_place place = rps_node_get(scene->text->root, "run")->place;
    bool pieces = false;
    for (int k = 0; k < 2; k++) {
        size_t slot = rps_world_slot(world, worst.id[k]);
        int group = world->bodies.group[slot][0];
        pieces = pieces || rps_body_has_pieces(&world->bodies, slot);
        for (size_t i = 0; i < scene->names.count && group > 0; i++) {
            if (scene->names.item[i].group == group) place = scene->names.item[i].node->place;
        }
    }
    if (worst.same_centre) {
        return rps_place_fail(err, place,
                              "two bodies have the same centre, so that their contact has no direction\n%s\n%s\nmove "
                              "them apart, or keep one from acting on the other by `exclude:`",
                              a, b);
    }
    return rps_place_fail(err, place,
                          "two bodies overlap by %.3g of %s at the start; %.3g is allowed\n%s\n%s\nmove "
                          "them apart, keep them from touching by `exclude`, or allow it by `overlap:`",
                          worst.relative, pieces ? "half of the smaller width" : "the smaller radius",
                          allowed->number[0], a, b);
}

/* --- build --------------------------------------------------------------------------------------------------------- */

/* A number is a limit at which the run stops; a word keeps the default limit. */
static void read_guard(const rps_node *node, rps_guard_action *action, double *limit) {
    const int word = node ? rps_choice("stop|warn|off", node->text) : -1;
    if (word >= 0) {
        *action = (rps_guard_action)word;
    } else if (node) {
        *limit = node->number[0];
    }
}

rps_status rps_scene_read_guards(const rps_scene *scene, const rps_node *root, rps_guards *guards, rps_error *err) {
    const rps_node *node = rps_node_get(root, "guards"), *domain = rps_node_get(node, "domain");
    const bool nonsmooth = rps_node_is(rps_node_get(rps_node_get(root, "run"), "stepper"), "nonsmooth");
    const rps_guards defaults = rps_world_options_default().guards;
    double unused;
    memcpy(guards->action, defaults.action, sizeof guards->action);
    guards->step = defaults.step;
    /* A nonsmooth step uses the tangent planes at its start. They are invalid for a body that moves by more than its
     * size or a radian. */
    guards->motion = nonsmooth ? 2.0 : defaults.motion;
    guards->rotation = nonsmooth ? 1.0 : defaults.rotation;
    guards->overlap = fmax(defaults.overlap, rps_node_number(root, "overlap", 0.0));
    read_guard(rps_node_get(node, "overlap"), &guards->action[RPS_GUARD_OVERLAP], &guards->overlap);
    read_guard(rps_node_get(node, "motion"), &guards->action[RPS_GUARD_MOTION], &guards->motion);
    read_guard(rps_node_get(node, "lost"), &guards->action[RPS_GUARD_LOST], &unused);
    read_guard(rps_node_get(node, "step"), &guards->action[RPS_GUARD_STABLE], &guards->step);
    guards->rotation = rps_node_number(node, "rotation", guards->rotation);
    for (int k = 0; k < 3 && domain; k++) {
        guards->low[k] = domain->entry[0].value->number[k];
        guards->high[k] = domain->entry[1].value->number[k];
        if (scene->planar && k == 1) { /* the plane y = 0 lies inside */
            guards->low[k] = -scene->depth;
            guards->high[k] = scene->depth;
        }
        if (!(guards->low[k] < guards->high[k])) {
            return rps_place_fail(err, domain->place, "the domain ends before it begins along %c", "xyz"[k]);
        }
    }
    return RPS_OK;
}

/* The default domain extends far beyond all bodies, including those to be inserted. */
static void choose_domain(const rps_scene *scene, rps_world *world) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (rps_node_get(rps_node_get(scene->text->root, "guards"), "domain")) return;
    for (size_t i = 0; i < scene->insertions.count; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], scene->insertions.item[i].low[k]);
            high[k] = fmax(high[k], scene->insertions.item[i].high[k]);
        }
    }
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        for (int k = 0; k < 3 && event->kind == RPS_EVENT_ENTERS; k++) {
            low[k] = fmin(low[k], event->def.position[k] - event->radius);
            high[k] = fmax(high[k], event->def.position[k] + event->radius);
        }
    }
    rps_guard_domain(world, low, high);
}

static void read_nonsmooth(const rps_node *run, rps_world_options *options) {
    rps_nonsmooth_options *o = &options->nonsmooth;
    if (!rps_node_is(rps_node_get(run, "stepper"), "nonsmooth")) return;
    options->stepper = RPS_NONSMOOTH;
    o->cone = rps_node_is(rps_node_get(run, "cone"), "convex") ? RPS_FRICTION_CONVEX : RPS_FRICTION_COULOMB;
    o->rigid = rps_node_is(rps_node_get(run, "compliance"), "rigid");
    o->tolerance = rps_node_number(run, "tolerance", o->tolerance);
    o->max_iterations = (uint64_t)rps_node_number(run, "max_iterations", (double)o->max_iterations);
    const rps_node *missed = rps_node_get(run, "on_missed");
    o->on_missed = rps_node_is(missed, "stop")     ? RPS_MISSED_STOP
                   : rps_node_is(missed, "refine") ? RPS_MISSED_REFINE
                                                   : RPS_MISSED_WARN;
    o->margin = rps_node_number(run, "margin", o->margin);
    o->recovery_speed = rps_node_number(run, "recovery_speed", o->recovery_speed);
    o->impact_speed = rps_node_number(run, "impact_speed", o->impact_speed);
}

/* The source location for errors of the options: the key of the shear if there is one. */
static rps_place place_of_options(const rps_scene *scene) {
    const rps_node *periodic = rps_node_get(scene->text->root, "periodic"), *shear = rps_node_get(periodic, "shear");
    return (shear ? shear : rps_node_get(scene->text->root, "run"))->place;
}

static rps_status create_world(rps_scene *scene, rps_world **world, rps_error *err) {
    const rps_node *run = rps_node_get(scene->text->root, "run");
    rps_world_options options = rps_world_options_default();
    options.integrator = rps_node_is(rps_node_get(run, "integrator"), "verlet") ? RPS_VERLET : RPS_HALF_IMPLICIT;
    options.step = scene->run.step_chosen ? 1e-6 : scene->run.step_wanted;
    read_nonsmooth(run, &options);
    memcpy(options.gravity, scene->gravity, sizeof options.gravity);
    memcpy(options.period, scene->period, sizeof options.period);
    options.shear = scene->shear;
    options.dimension = scene->planar ? 2 : 3;
    options.depth = scene->depth;
    options.threads = scene->threads;
    options.scheduler = scene->scheduler;
    options.isa = scene->isa;
    options.ledger = rps_node_number(run, "ledger", 1.0) != 0.0;
    options.frames = rps_node_is(rps_node_get(run, "record"), "frame");
    options.seed = scene->seed;
    RPS_TRY(rps_scene_read_guards(scene, scene->text->root, &options.guards, err));
    options.log = scene->log;
    options.log_context = scene->log_context;
    if (scene->allocator) options.allocator = *scene->allocator;
    return rps_place_wrap(err, place_of_options(scene), rps_world_create(&options, world, err));
}

rps_status rps_scene_may_proceed(const rps_scene *scene, rps_error *err) {
    if (!scene->proceed || scene->proceed(scene->proceed_context)) return RPS_OK;
    return rps_fail(err, RPS_STOPPED, "the run was stopped while its scene was being set up; it has no results");
}

/* The bodies whose loads frames hold. */
static rps_status build_loads(const rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *list = rps_node_get(rps_node_get(scene->text->root, "output"), "loads");
    for (size_t k = 0; k < list->count; k++) {
        const rps_node *item = list->entry[k].value;
        const rps_named *named;
        RPS_TRY(rps_scene_reference(scene, item, 1, &named, err));
        RPS_TRY(rps_place_wrap(err, item->place, rps_world_want_loads(world, named->id, true, err)));
    }
    return RPS_OK;
}

static rps_status fill_world(rps_scene *scene, rps_world *world, rps_error *err) {
    for (size_t i = 0; i < scene->text->own.count; i++)
        RPS_TRY(rps_world_register_law(world, scene->text->own.law[i], err));
    RPS_TRY(build_materials(scene, world, err));
    RPS_TRY(rps_build_pairs(scene, world, err));
    RPS_TRY(rps_scene_set_fluid(scene->text->root, world, err));
    RPS_TRY(rps_build_heat(scene, world, err));
    RPS_TRY(rps_build_motions(scene, world, err));
    RPS_TRY(rps_build_bodies(scene, world, err));
    RPS_TRY(rps_build_particles(scene, world, err));
    RPS_TRY(rps_build_drives(scene, world, err));
    RPS_TRY(rps_build_forces(scene, world, err));
    RPS_TRY(rps_build_joints(scene, world, err));
    RPS_TRY(rps_build_bonds(scene, world, err));
    if (scene->bodies_total == 0) {
        return rps_place_fail(err, scene->text->root->place, "the scene has no bodies\ngive `bodies` or `particles`");
    }
    RPS_TRY(build_loads(scene, world, err));
    RPS_TRY(rps_build_traffic(scene, world, err));
    RPS_TRY(rps_build_profiles(scene, err));
    RPS_TRY(rps_build_probes(scene, world, err));
    RPS_TRY(rps_build_stages(scene, world, err));
    RPS_TRY(rps_build_events(scene, world, err));
    RPS_TRY(rps_build_contacts(scene, world, err)); /* needs to know which bodies seek a load in any stage */
    RPS_TRY(scene->observer.sweeping ? rps_build_measures(scene, world, err) : rps_build_checks(scene, err));
    RPS_TRY(build_check_periods(scene, world, err));
    RPS_TRY(rps_scene_may_proceed(scene, err));
    RPS_TRY(build_check_overlap(scene, world, err));
    RPS_TRY(rps_scene_may_proceed(scene, err));
    choose_domain(scene, world);
    RPS_TRY(rps_build_step(scene, world, err));
    rps_motions_tell_step(scene, world);
    rps_scene_tell_drag(scene, world);
    rps_traffic_keep_events(scene);
    RPS_TRY(rps_stages_check_laws(scene, world, err));
    RPS_TRY(rps_stages_begin(scene, world, err));
    return rps_scene_may_proceed(scene, err);
}

rps_status rps_scene_build(rps_scene *scene, rps_world **out, rps_error *err) {
    *out = NULL;
    if (scene->built) return rps_fail(err, RPS_BAD_INPUT, "a scene builds its world once; load it again for another");
    scene->built = true;
    rps_world *world;
    RPS_TRY(create_world(scene, &world, err));
    rps_status status = fill_world(scene, world, err);
    if (status != RPS_OK) {
        rps_world_destroy(world);
        return status;
    }
    scene->bodies_built = rps_world_body_count(world);
    *out = world;
    return RPS_OK;
}
