/*
 * The time step. It is given, or the smaller of a fraction of the stability limit and the step at which impacts have
 * the required accuracy. It always divides the run evenly.
 */
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "detect/pair_sheet.h"
#include "io/file_names.h"
#include "law/arrays.h"
#include "scene/events.h"
#include "scene/scene_internal.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

static const double SAYS = 0.05;    /* impact error above which a given step draws a warning */
static const double RELAXED = 0.05; /* accuracy and fraction of critical damping with which `explain` compares */
static const double SOFTER = 0.3;
static const double TELLS = 2.0; /* a stable step this many times longer than the chosen one is reported */
enum { COORDINATION = 14 };      /* copies per body, enough to be treated as a packing */

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
    options.shear = (rps_shear){0}; /* its bodies do not move and no time passes */
    options.log = NULL;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    RPS_TRY(rps_world_create(&options, scratch, err));
    rps_status status = copy_laws(world, *scratch, err);
    if (status == RPS_OK) status = rps_world_lend_meshes(world, *scratch, false, err);
    if (status != RPS_OK) {
        rps_world_destroy(*scratch);
        *scratch = NULL;
    }
    return status;
}

/* A single body that will enter and feel forces. */
static bool is_to_come(const rps_event *event) {
    return event->kind == RPS_EVENT_ENTERS && !event->done && event->def.kind == RPS_BODY_FREE;
}

static bool any_to_come(const rps_scene *scene) {
    for (size_t i = 0; i < scene->events.count; i++) {
        if (is_to_come(&scene->events.item[i])) return true;
    }
    return scene->insertions.count > 0;
}

/* A world that represents the particles still to be inserted: copies of the smallest body of each insertion, and a
 * large fixed body of every material. It serves only to compute a stability limit. */
static rps_status fill_scratch(const rps_scene *scene, const rps_world *world, rps_world *scratch, rps_error *err) {
    uint64_t id;
    double smallest = INFINITY;
    for (size_t i = 0; i < scene->insertions.count; i++) {
        const rps_particle_template *particle_template = &scene->insertions.item[i].particle_template;
        rps_body_def def;
        rps_particle_template_of_size(particle_template, particle_template->sizes.low, &def);
        def.group = 0;
        smallest = fmin(smallest, particle_template->sizes.low * particle_template->bound);
        for (int k = 0; k < COORDINATION; k++) RPS_TRY(rps_world_add_body(scratch, &def, &id, err));
    }
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        rps_body_def def = event->def;
        if (!is_to_come(event)) continue;
        def.group = 0;
        smallest = fmin(smallest, event->radius);
        for (int k = 0; k < COORDINATION; k++) RPS_TRY(rps_world_add_body(scratch, &def, &id, err));
    }
    for (int m = 0; m < rps_world_material_count(world); m++) {
        rps_body_def def = rps_body_def_default();
        def.shape = rps_scene_grain(scene);
        def.material = m;
        def.kind = RPS_BODY_FIXED;
        def.radius = 1000.0 * smallest; /* nearly a plane, and allowed on periodic axes */
        RPS_TRY(rps_world_add_body(scratch, &def, &id, err));
    }
    return RPS_OK;
}

/* Upper bound of the mass still to be inserted, kg. The copies in the scratch world have the smallest size. */
static double inserted_mass(const rps_scene *scene, const rps_world *scratch) {
    double sum = 0.0;
    for (size_t i = 0; i < scene->insertions.count; i++) {
        const rps_sizes *sizes = &scene->insertions.item[i].particle_template.sizes;
        const double grown = fmax(sizes->high / sizes->low, 1.0), one = scratch->bodies.mass[i * COORDINATION][0];
        sum += (double)rps_insertion_planned(&scene->insertions.item[i]) * one *
               (scene->planar ? grown * grown : grown * grown * grown);
    }
    size_t at = scene->insertions.count * COORDINATION;
    for (size_t i = 0; i < scene->events.count; i++) {
        if (!is_to_come(&scene->events.item[i])) continue;
        sum += scratch->bodies.mass[at][0];
        at += COORDINATION;
    }
    return sum;
}

/* The expected loads of contacts, and a world of the particles still to be inserted; NULL: there are none. */
typedef struct outlook {
    rps_expected expected;
    rps_world *scratch;
    const rps_node *node; /* `run` */
    double span;          /* s, which the step divides evenly; 0: none */
} outlook;

static rps_status build_step_look_ahead(const rps_scene *scene, rps_world *world, outlook *ahead, rps_error *err) {
    if (any_to_come(scene)) {
        RPS_TRY(rps_scratch_world(world, &ahead->scratch, err));
        RPS_TRY(fill_scratch(scene, world, ahead->scratch, err));
    }
    return rps_expect(scene, world, ahead->scratch ? inserted_mass(scene, ahead->scratch) : 0.0, &ahead->expected, err);
}

/* The expected limit, over current bodies and those still to be inserted. */
static rps_status limits(const outlook *ahead, rps_world *world, rps_step_limit *limit, rps_error *err) {
    rps_step_limit inserted;
    rps_step_limit_expected(world, &ahead->expected, limit);
    if (world->bonds.count > 0) {
        RPS_TRY(rps_bonds_index(world, &world->bonds, err));
        rps_step_limit_of_bonds(world, limit);
    }
    if (!ahead->scratch) return RPS_OK;
    rps_step_limit_expected(ahead->scratch, &ahead->expected, &inserted);
    inserted.id[0] = inserted.id[1] = UINT64_MAX;
    if (inserted.step < limit->step) *limit = inserted;
    const rps_status status = rps_world_step_limit(ahead->scratch, &world->guard.later, err);
    world->guard.later.id[0] = world->guard.later.id[1] = UINT64_MAX;
    return status;
}

/* The impact that needs the shortest step, or (step > 0) has the largest error, over current bodies and those still
 * to be inserted. */
static void impacts(const outlook *ahead, const rps_world *world, double accuracy, double longest, double step,
                    rps_impact *impact) {
    rps_impact inserted;
    rps_impact_expected(world, &ahead->expected, accuracy, longest, step, impact);
    if (!ahead->scratch) return;
    rps_impact_expected(ahead->scratch, &ahead->expected, accuracy, longest, step, &inserted);
    inserted.id[0] = inserted.id[1] = UINT64_MAX;
    const bool worse = step > 0.0 ? fmax(inserted.restitution_error, inserted.balance_error) >
                                        fmax(impact->restitution_error, impact->balance_error)
                                  : inserted.step < impact->step;
    if (inserted.speed > 0.0 && (worse || !(impact->speed > 0.0))) *impact = inserted;
}

/* A run resumed to a new end keeps its step, although a new run to this end might choose another. */
static void tell_kept(const rps_scene *scene, double new_choice) {
    const double step = scene->kept_step, until = scene->run.until, end = floor(until / step + 0.5) * step;
    const bool whole = fabs(end - until) <= 1e-12 * until;
    char text[256], where[96] = "";
    if (step == new_choice || !scene->log) return;
    if (!whole) rps_snprintf(where, sizeof where, " and ends at the step nearest to it, at %.9g s", end);
    rps_snprintf(text, sizeof text,
                 "the run until %.9g s keeps its step of %.9g s%s; started again it would take one of %.9g s", until,
                 step, where, new_choice);
    scene->log(scene->log_context, RPS_LOG_WARNING, text);
}

/* An output interval below the step is not intended: the number of outputs would depend on the step. */
static void tell_intervals(const rps_scene *scene) {
    static const char *const key[] = {
#define RPS_WRITER(name, share, shown, item, meaning) #name,
#include "language/writer_list.inc"
#undef RPS_WRITER
    };
    static const char *const what[] = {
#define RPS_WRITER(name, share, shown, item, meaning) item,
#include "language/writer_list.inc"
#undef RPS_WRITER
    };
    const rps_node *output = rps_node_get(scene->text->root, "output");
    for (int k = 0; k < RPS_WRITERS && scene->log; k++) {
        const double interval = rps_node_number(output, key[k], 0.0);
        if (!(interval > 0.0 && interval < scene->run.step * (1.0 - 1e-9))) continue;
        char text[256];
        rps_snprintf(text, sizeof text,
                     "`output: {%s: ...}` is %.4g s, less than the step of %.4g s: %s is written at every step", key[k],
                     interval, scene->run.step, what[k]);
        scene->log(scene->log_context, RPS_LOG_WARNING, text);
    }
}

/* A ball that nearly fills a hollow wall: laws take its contact for a small one. The first ball and wall are told. */
static void tell_conformal(const rps_scene *scene, const rps_world *world) {
    const rps_bodies *bodies = &world->bodies;
    for (size_t wall = 0; wall < bodies->count && scene->log; wall++) {
        if (!rps_body_has_sheets(world, wall)) continue;
        for (size_t s = 0; s < bodies->count; s++) {
            const double radius = bodies->pose[s].radius[0];
            double hollow[2];
            if (bodies->kind[s][0] != RPS_BODY_FREE || rps_body_has_pieces(bodies, s)) continue;
            rps_body_hollow(world, wall, radius, hollow);
            const double most = fmax(hollow[0], hollow[1]) * radius;
            if (!(most >= RPS_SHEET_NEAR && most < RPS_SHEET_CONFORMAL * (1.0 - 1e-9))) continue;
            char a[RPS_BODY_NAME], b[RPS_BODY_NAME], text[512];
            rps_snprintf(
                text, sizeof text,
                "%s nearly fills the hollow of %s: its radius is %.3g of that of the wall. From %g on a contact "
                "is wide, which the laws do not know, and from %g on it is refused",
                rps_body_name(world, s, a, sizeof a), rps_body_name(world, wall, b, sizeof b), most, RPS_SHEET_NEAR,
                RPS_SHEET_CONFORMAL);
            scene->log(scene->log_context, RPS_LOG_WARNING, text);
            return;
        }
    }
}

static void build_step_say(const rps_scene *scene, int level, const char *text) {
    if (scene->log) scene->log(scene->log_context, level, text);
}

/* Reports a given step with inaccurate impacts, and a chosen step much shorter than stability requires. */
static void tell_accuracy(const rps_scene *scene, const rps_world *world) {
    const rps_scene_run *run = &scene->run;
    const rps_impact *impact = &run->impact;
    const double error = fmax(impact->restitution_error, impact->balance_error);
    char text[640], errors[160];
    rps_impact_words(impact, errors, sizeof errors);
    if (!(impact->speed > 0.0) || !(run->accuracy > 0.0)) return;
    if (!run->step_chosen && error > SAYS) {
        rps_snprintf(
            text, sizeof text,
            "the step of %.3g s takes %.3g steps for an impact of %s on %s at %.3g m/s: %s; a step of %.2g s keeps "
            "both within %.2g %%; where impacts do not matter, say `accuracy: off` in `run`",
            run->step, impact->duration / run->step, rps_world_material(world, impact->material[0]).name,
            rps_world_material(world, impact->material[1]).name, impact->speed, errors, impact->step,
            100.0 * run->accuracy);
        build_step_say(scene, RPS_LOG_WARNING, text);
    } else if (run->step_chosen && run->stable_step > TELLS * run->step) {
        rps_snprintf(
            text, sizeof text,
            "impacts accurate to %.2g %% take a step %.3g times shorter than stability asks for; where they do not "
            "matter, say `accuracy: off` in `run` (`repose explain` has the numbers)",
            100.0 * run->accuracy, run->stable_step / run->step);
        build_step_say(scene, RPS_LOG_INFO, text);
    }
}

/* The stable step if the limiting damper were a smaller fraction of critical damping; 0: unknown. */
static rps_status soften(const rps_scene *scene, const rps_world *world, const outlook *ahead, double *step,
                         rps_error *err) {
    const rps_step_limit *limit = &scene->run.limit;
    *step = 0.0;
    if (limit->bond) return RPS_OK; /* its dampers are not of the pair */
    const int a = limit->material[0], b = limit->material[1], role = (int)limit->role;
    const rps_pair_setup *pair = rps_world_pair_of(world, a, b);
    rps_pair given = pair->given;
    rps_world *other;
    const int k = rps_law_parameter_of(pair->law[role], RPS_PARAMETER_DAMPING);
    if (!limit->damping || k < 0) return RPS_OK;
    if (given.value[role][k] <= SOFTER) return RPS_OK;
    given.value[role][k] = SOFTER;
    RPS_TRY(rps_scratch_world(world, &other, err));
    if (rps_world_set_pair(other, a, b, &given, NULL) == RPS_OK) { /* fails if a damper is given in N s/m */
        rps_world changed[2] = {*world, ahead->scratch ? *ahead->scratch : *world};
        *step = INFINITY;
        for (int w = 0; w < 2; w++) {
            rps_step_limit softer;
            changed[w].pair_setup = other->pair_setup;
            rps_step_limit_expected(&changed[w], &ahead->expected, &softer);
            *step = fmin(*step, softer.step);
        }
    }
    rps_world_destroy(other);
    return RPS_OK;
}

/* Chooses the step, and computes the alternatives to it. */
static rps_status build_step_choose(rps_scene *scene, const rps_world *world, const outlook *ahead, double *wanted,
                                    rps_error *err) {
    rps_scene_run *run = &scene->run;
    const rps_node *node = ahead->node, *step = rps_node_get(node, "step");
    const double longest = ahead->span > 0.0 ? ahead->span : run->until;
    if (!(run->limit.step > 0.0 && run->limit.step < 1e300)) {
        return rps_place_fail(err, step->place,
                              "no contact limits the time step, so none can be chosen\ngive it: step: 1e-4 s");
    }
    const double safety = rps_node_number(node, "safety", 0.5);
    run->stable_step = fmin(safety * run->limit.step, longest);
    *wanted = run->stable_step;
    run->softer = SOFTER;
    RPS_TRY(soften(scene, world, ahead, &run->softer_step, err));
    run->softer_step = fmin(safety * run->softer_step, longest);
    if (!(run->accuracy > 0.0)) return RPS_OK;
    impacts(ahead, world, run->accuracy, run->stable_step, 0.0, &run->impact);
    if (!(run->impact.speed > 0.0)) return RPS_OK;
    *wanted = run->impact.step;
    if (*wanted < run->stable_step) {
        rps_impact relaxed;
        impacts(ahead, world, RELAXED, run->stable_step, 0.0, &relaxed);
        run->relaxed = RELAXED;
        run->relaxed_step = run->accuracy < RELAXED ? relaxed.step : 0.0;
        impacts(ahead, world, 0.0, 0.0, run->stable_step, &run->stable_impact);
    }
    return RPS_OK;
}

static rps_status build_step(rps_scene *scene, rps_world *world, outlook *ahead, rps_error *err) {
    rps_scene_run *run = &scene->run;
    const rps_node *step = rps_node_get(ahead->node, "step");
    const double span = ahead->span;
    RPS_TRY(rps_place_wrap(err, step->place, build_step_look_ahead(scene, world, ahead, err)));
    RPS_TRY(rps_place_wrap(err, step->place, limits(ahead, world, &run->limit, err)));
    double wanted = run->step_wanted;
    if (run->step_chosen) RPS_TRY(build_step_choose(scene, world, ahead, &wanted, err));
    double steps = fmax(ceil(span / wanted * (1.0 - 1e-12)), 1.0);
    if (!(steps <= 1e15)) {
        return rps_place_fail(err, step->place, "the run would take more than 1e15 steps of %g s", wanted);
    }
    /* A step that divides the span evenly, up to rounding, is used bit for bit, so it does not depend on the length of
     * the run. */
    bool whole = !(span > 0.0) || fabs(span - steps * wanted) <= 1e-12 * span;
    run->step = whole ? wanted : span / steps;
    if (scene->kept_step > 0.0) {
        tell_kept(scene, run->step);
        run->step = scene->kept_step;
    } else if (rps_world_steps(world) == 0) {
        tell_intervals(scene);
        tell_conformal(scene, world);
    }
    rps_impact needed = run->impact;
    impacts(ahead, world, 0.0, 0.0, run->step, &run->impact);
    const double error = fmax(run->impact.restitution_error, run->impact.balance_error);
    if (!run->step_chosen && run->accuracy > 0.0 && error > run->accuracy)
        impacts(ahead, world, run->accuracy, run->limit.step, 0.0, &needed);
    run->impact.step = needed.step;
    tell_accuracy(scene, world);
    return RPS_OK;
}

rps_status rps_build_step(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *run = rps_node_get(scene->text->root, "run"), *node = rps_node_get(run, "accuracy");
    const rps_node *step = rps_node_get(run, "step");
    outlook ahead = {.node = run, .span = scene->run.until};
    scene->run.accuracy = rps_node_is(node, "off") ? 0.0 : rps_node_number(run, "accuracy", RPS_IMPACT_ACCURACY);
    memset(&scene->run.impact, 0, sizeof scene->run.impact);
    rps_status status = build_step(scene, world, &ahead, err);
    if (ahead.scratch) rps_world_destroy(ahead.scratch);
    RPS_TRY(status);
    RPS_TRY(rps_place_wrap(err, step->place, rps_world_set_step(world, scene->run.step, err)));
    scene->run.first_step = scene->run.step;
    scene->run.clock = rps_world_clock(world);
    return RPS_OK;
}

rps_status rps_build_step_of_stage(rps_scene *scene, rps_world *world, const rps_node *root, double span, double *step,
                                   rps_error *err) {
    const rps_node *run = rps_node_get(root, "run"), *given = rps_node_get(run, "step");
    const rps_scene_run before = scene->run; /* reports are about the start */
    const double kept = scene->kept_step;
    outlook ahead = {.node = run, .span = span};
    scene->kept_step = 0.0;
    scene->run.step_chosen = rps_node_is(given, "auto");
    scene->run.step_wanted = scene->run.step_chosen ? 0.0 : given->number[0];
    scene->run.accuracy =
        rps_node_is(rps_node_get(run, "accuracy"), "off") ? 0.0 : rps_node_number(run, "accuracy", RPS_IMPACT_ACCURACY);
    memset(&scene->run.impact, 0, sizeof scene->run.impact);
    const rps_status status = build_step(scene, world, &ahead, err);
    *step = scene->run.step;
    if (ahead.scratch) rps_world_destroy(ahead.scratch);
    scene->run = before;
    scene->kept_step = kept;
    return status;
}
