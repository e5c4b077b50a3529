/* The time step: given or a part of the stability limit, and always a whole part of the run. */
#include <math.h>

#include "base/c_locale.h"
#include "scene/internal.h"
#include "step/step_stages.h"

enum { CROWD = 14 }; /* enough copies that the limit counts them as a packing */

static rps_status copy_laws(const rps_world *world, rps_world *scratch, rps_error *err) {
    int index;
    for (int m = 0; m < rps_world_material_count(world); m++) {
        rps_material material = rps_world_material(world, m);
        RPS_TRY(rps_world_add_material(scratch, &material, &index, err));
    }
    for (size_t i = 0; i < world->own_laws; i++) RPS_TRY(rps_world_register_law(scratch, world->own_law[i], err));
    for (size_t p = 0; p < world->pairs; p++) {
        const rps_pair_setup *pair = &world->pair_setup[p];
        RPS_TRY(rps_world_set_pair(scratch, pair->material[0], pair->material[1], &pair->given, err));
    }
    return RPS_OK;
}

rps_status rps_scratch_world(const rps_world *world, rps_world **scratch, rps_error *err) {
    rps_world_options options = world->options;
    options.threads = 1;
    options.ledger = false;
    options.log = NULL;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    RPS_TRY(rps_world_create(&options, scratch, err));
    rps_status status = copy_laws(world, *scratch, err);
    if (status != RPS_OK) rps_world_destroy(*scratch);
    return status;
}

/* A world that holds what will be poured: copies of the smallest body of each pouring, and something large and fixed
 * of every material. Only its stability limit is asked for. */
static rps_status fill_scratch(const rps_scene *scene, const rps_world *world, rps_world *scratch, rps_error *err) {
    uint64_t id;
    double smallest = INFINITY;
    for (size_t i = 0; i < scene->pours; i++) {
        const rps_recipe *recipe = &scene->pour[i].recipe;
        rps_body_def def;
        rps_recipe_of_size(recipe, recipe->sizes.low, &def);
        def.group = 0;
        smallest = fmin(smallest, recipe->sizes.low * recipe->bound);
        for (int k = 0; k < CROWD; k++) RPS_TRY(rps_world_add_body(scratch, &def, &id, err));
    }
    for (int m = 0; m < rps_world_material_count(world); m++) {
        rps_body_def def = rps_body_def_default();
        def.shape = rps_scene_grain(scene);
        def.material = m;
        def.kind = RPS_BODY_FIXED;
        def.radius = 1000.0 * smallest; /* as good as a plane, and never refused on periodic axes */
        RPS_TRY(rps_world_add_body(scratch, &def, &id, err));
    }
    return RPS_OK;
}

/* kg, at most, of all that will be poured: copies in the scratch world are of the smallest size. */
static double poured_mass(const rps_scene *scene, const rps_world *scratch) {
    double sum = 0.0;
    for (size_t i = 0; i < scene->pours; i++) {
        const rps_sizes *sizes = &scene->pour[i].recipe.sizes;
        const double grown = fmax(sizes->high / sizes->low, 1.0), one = scratch->bodies.mass[i * CROWD][0];
        sum += (double)scene->pour[i].count * one * (scene->planar ? grown * grown : grown * grown * grown);
    }
    return sum;
}

/* The limit to be expected, of what is there and of what will be poured. */
static rps_status limits(const rps_scene *scene, rps_world *world, rps_step_limit *limit, rps_error *err) {
    rps_world *scratch = NULL;
    rps_step_limit poured;
    rps_expected expected;
    rps_status status = RPS_OK;
    if (scene->pours > 0) {
        RPS_TRY(rps_scratch_world(world, &scratch, err));
        status = fill_scratch(scene, world, scratch, err);
    }
    if (status == RPS_OK)
        status = rps_expect(scene, world, scratch ? poured_mass(scene, scratch) : 0.0, &expected, err);
    if (status == RPS_OK) rps_step_limit_expected(world, &expected, limit);
    if (status == RPS_OK && scratch) {
        rps_step_limit_expected(scratch, &expected, &poured);
        poured.id[0] = poured.id[1] = UINT64_MAX;
        if (poured.step < limit->step) *limit = poured;
        status = rps_world_step_limit(scratch, &world->guard.later, err);
        world->guard.later.id[0] = world->guard.later.id[1] = UINT64_MAX;
    }
    if (scratch) rps_world_destroy(scratch);
    return status;
}

/* A run that goes on with another end keeps its step, though one begun anew with this end might choose another. */
static void tell_kept(const rps_scene *scene, double anew) {
    const double step = scene->kept_step, until = scene->run.until, end = floor(until / step + 0.5) * step;
    const bool whole = fabs(end - until) <= 1e-12 * until;
    char text[256], where[96] = "";
    if (step == anew || !scene->log) return;
    if (!whole) rps_snprintf(where, sizeof where, " and ends at the step nearest to it, at %.9g s", end);
    rps_snprintf(text, sizeof text,
                 "the run until %.9g s keeps its step of %.9g s%s; begun anew it would take one of %.9g s", until, step,
                 where, anew);
    scene->log(scene->log_context, RPS_LOG_WARNING, text);
}

/* An interval below the step is none that was meant: with another step there would be more of them. */
static void tell_intervals(const rps_scene *scene) {
    static const char *const key[] = {"frames", "series"}, *const what[] = {"a frame", "a row"};
    const rps_node *output = rps_node_get(scene->root, "output");
    for (int k = 0; k < 2 && scene->log; k++) {
        const double interval = rps_node_number(output, key[k], 0.0);
        if (!(interval > 0.0 && interval < scene->run.step * (1.0 - 1e-9))) continue;
        char text[256];
        rps_snprintf(text, sizeof text,
                     "`output: {%s: ...}` is %.4g s, less than the step of %.4g s: %s is written at every step", key[k],
                     interval, scene->run.step, what[k]);
        scene->log(scene->log_context, RPS_LOG_WARNING, text);
    }
}

rps_status rps_build_step(rps_scene *scene, rps_world *world, rps_error *err) {
    rps_scene_run *run = &scene->run;
    const rps_node *node = rps_node_get(scene->root, "run"), *step = rps_node_get(node, "step");
    RPS_TRY(rps_place_wrap(err, step->place, limits(scene, world, &run->limit, err)));
    double wanted = run->step_wanted;
    if (run->step_chosen) {
        if (!(run->limit.step > 0.0 && run->limit.step < 1e300)) {
            return rps_place_fail(err, step->place,
                                  "no contact limits the time step, so none can be chosen\ngive it: step: 1e-4 s");
        }
        wanted = fmin(rps_node_number(node, "safety", 0.5) * run->limit.step, run->until);
    }
    double steps = fmax(ceil(run->until / wanted * (1.0 - 1e-12)), 1.0);
    if (!(steps <= 1e15)) {
        return rps_place_fail(err, step->place, "the run would take more than 1e15 steps of %g s", wanted);
    }
    /* A step that goes into `until` a whole number of times up to rounding is taken as it is, to the bit: so the step does
     * not depend on how long the run is. */
    bool whole = fabs(run->until - steps * wanted) <= 1e-12 * run->until;
    run->step = whole ? wanted : run->until / steps;
    if (scene->kept_step > 0.0) {
        tell_kept(scene, run->step);
        run->step = scene->kept_step;
    } else {
        tell_intervals(scene);
    }
    return rps_place_wrap(err, step->place, rps_world_set_step(world, run->step, err));
}
