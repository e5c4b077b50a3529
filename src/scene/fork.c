/*
 * Begins a simulation from the state of another. Both were built by their own scenes; the world of the other one is taken
 * over and then changed, as a stage would change it, to what this scene says.
 */
#include "scene/fork.h"

#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/state.h"
#include "scene/events.h"
#include "scene/fork_match.h"
#include "scene/stages.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* --- what is set up ------------------------------------------------------------------------------------------------ */

static void swap_bytes(void *a, void *b, size_t bytes) {
    unsigned char *x = a, *y = b;
    for (size_t k = 0; k < bytes; k++) {
        const unsigned char t = x[k];
        x[k] = y[k];
        y[k] = t;
    }
}
#define SWAP(a, b) swap_bytes(&(a), &(b), sizeof(a))

/* Gives the world the groups of the built one, and its rules of contacts. */
static rps_status take_groups(rps_world *world, rps_world *built, const char *run, rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    for (size_t s = 0; s < bodies->count; s++) {
        const char *name = rps_world_group_name(world, bodies->group[s][0]);
        size_t at = 0;
        while (at < built->groups && strcmp(built->group[at], name) != 0) at++;
        if (at == built->groups) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%.80s has bodies of `%.60s`, which this scene lacks; add it, from when it `enters`", run,
                            name);
        }
        if (bodies->group[s][0] != (int32_t)at) bodies->group[s][0] = (int32_t)at;
    }
    SWAP(world->group, built->group);
    SWAP(world->groups, built->groups);
    SWAP(world->rule, built->rule);
    return RPS_OK;
}

/* Gives the world the driven bodies of the built one; those that were driven go on as they do. */
static rps_status take_drives(rps_world *world, rps_world *built, const char *run, rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    size_t kept = 0;
    for (size_t k = 0; k < built->drives; k++) {
        rps_drive_state *mine = &built->driven[k];
        const size_t slot = rps_world_slot(world, mine->body);
        if (slot == SIZE_MAX) return rps_fail(err, RPS_BAD_INPUT, "a driven body of this scene has left %.80s", run);
        const int32_t old = bodies->drive[slot][0];
        if (old >= 0) {
            const bool seeks = mine->is_servo;
            const rps_drive initial = mine->initial;
            const rps_vec3 made = mine->made_start;
            *mine = world->driven[old];
            mine->is_servo = mine->is_servo || seeks;
            mine->initial = initial;
            mine->made_start = made;
            kept++;
        } else {
            const double *w = mine->now.angular_velocity;
            double x[3];
            if (rps_body_is_plane(bodies, slot) && (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0)) {
                return rps_fail(err, RPS_BAD_INPUT, "a plane that stands still in %.80s cannot turn in this run", run);
            }
            rps_world_unwrapped(world, slot, x);
            mine->start = rps_vec3_of(x);
            bodies->kind[slot][0] = RPS_BODY_DRIVEN;
        }
        bodies->drive[slot][0] = (int32_t)k;
    }
    if (kept < world->drives) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "a body that is driven in %.80s is not in this scene: give it a drive here too, such as "
                        "{velocity: [0, 0, 0]}",
                        run);
    }
    SWAP(world->driven, built->driven);
    SWAP(world->drives, built->drives);
    world->lists_stale = true;
    return rps_drives_join(world) ? RPS_OK : rps_fail(err, RPS_INTERNAL, "a drive mirrors none");
}

/* --- names and events ---------------------------------------------------------------------------------------------- */

static void take_names(rps_scene *scene, const rps_scene *source) {
    for (size_t i = 0; i < scene->names.count; i++) {
        rps_named *mine = &scene->names.item[i];
        const rps_named *theirs = rps_scene_named(source, mine->name);
        if (theirs && !mine->is_set) mine->id = theirs->id;
    }
    for (size_t i = 0; i < scene->observer.probes; i++) {
        rps_probe *probe = &scene->observer.probe[i];
        for (int k = 0; k < 2; k++) {
            if (probe->named[k] > 0) probe->id[k] = scene->names.item[probe->named[k] - 1].id;
        }
    }
}

static bool same_event(const rps_scene *scene, const rps_event *a, const rps_scene *source, const rps_event *b,
                       const rps_world *mine, const rps_world *theirs) {
    if (a->kind != b->kind || (a->stage < 0) != (b->stage < 0) || a->somewhere != b->somewhere) return false;
    const char *x = rps_world_group_name(mine, a->group), *y = rps_world_group_name(theirs, b->group);
    if ((x != NULL) != (y != NULL) || (x && strcmp(x, y) != 0)) return false;
    if (a->stage < 0) return a->time == b->time;
    return strcmp(scene->stages.item[a->stage].name, source->stages.item[b->stage].name) == 0;
}

/* Before the groups of the worlds are swapped. */
static rps_status take_events(rps_scene *scene, const rps_scene *source, rps_world *built, const rps_world *world,
                              rps_error *err) {
    for (size_t i = 0; i < scene->events.count; i++) {
        rps_event *mine = &scene->events.item[i];
        for (size_t k = 0; k < source->events.count; k++) {
            const rps_event *theirs = &source->events.item[k];
            if (!theirs->done || !same_event(scene, mine, source, theirs, built, world)) continue;
            mine->done = true;
            mine->when = theirs->when;
            mine->id = theirs->id;
            mine->bodies = theirs->bodies;
        }
        if (mine->done || mine->stage >= 0 || !(mine->time < rps_world_time(world))) continue;
        return rps_place_fail(err, mine->node->place,
                              "%.6g s is before the start of this run, which is at %.6g s\ngive it a later time, or a "
                              "stage",
                              mine->time, rps_world_time(world));
    }
    return rps_events_put_driven(scene, built, err);
}

/* --- stages --------------------------------------------------------------------------------------------------------- */

/* Where this scene goes on: after the stage of the same name that has ended, within one that runs, else at its first. */
static rps_status take_stage(rps_simulation *s, const rps_simulation *from, rps_origin *origin, bool *begins,
                             rps_error *err) {
    rps_stages *mine = &s->scene->stages;
    const rps_stages *theirs = &from->scene->stages;
    const rps_node *stages = rps_stages_node(s->scene);
    size_t last = theirs->now, at = 0;
    *begins = mine->count > 0;
    if (theirs->count > 0 && last == theirs->count) last--;
    if (theirs->count > 0) {
        const rps_stage *stage = &theirs->item[last];
        snprintf(origin->stage, sizeof origin->stage, "%s", stage->name);
        origin->ended = stage->why != RPS_STAGE_RUNS;
        while (at < mine->count && strcmp(mine->item[at].name, stage->name) != 0) at++;
    } else {
        at = mine->count;
    }
    mine->now = 0;
    if (at == mine->count) return RPS_OK;
    for (size_t i = 0; i <= at; i++) {
        const bool known = i < theirs->count && strcmp(mine->item[i].name, theirs->item[i].name) == 0;
        const rps_stage *one = &theirs->item[known ? i : last];
        mine->item[i].end = one->end;
        mine->item[i].why = i < at ? RPS_STAGE_DONE : one->why;
        mine->item[i].from = one->from;
        mine->item[i].from_time = one->from_time;
        mine->item[i].step = one->step;
    }
    mine->now = at;
    mine->from = theirs->from;
    *begins = false;
    s->stage_is_over = origin->ended;
    if (origin->ended && at + 1 == mine->count) {
        return rps_place_fail(err, stages->place,
                              "`%.60s` has ended in %.80s, and no stage follows it here\nadd a stage, or start from "
                              "an earlier one: --from DIR@STAGE",
                              mine->item[at].name, origin->run);
    }
    return RPS_OK;
}

/* The tree of the stage in which the scene is. */
static const rps_node *tree_now(const rps_scene *scene, bool begins) {
    const rps_node *root = scene->text->root;
    for (size_t i = 0; !begins && i <= scene->stages.now && i < scene->stages.count; i++) {
        if (scene->stages.item[i].root) root = scene->stages.item[i].root;
    }
    return root;
}

static rps_status gravity_now(const rps_scene *scene, bool begins, double out[3], rps_error *err) {
    RPS_TRY(rps_scene_read_gravity(scene, rps_node_get(scene->text->root, "gravity"), out, err));
    for (size_t i = 0; !begins && i <= scene->stages.now && i < scene->stages.count; i++) {
        const rps_stage *stage = &scene->stages.item[i];
        if (stage->has_gravity) memcpy(out, stage->gravity, sizeof stage->gravity);
        if (stage->root && rps_stage_sets(stage, "gravity")) {
            RPS_TRY(rps_scene_read_gravity(scene, rps_node_get(stage->root, "gravity"), out, err));
        }
    }
    return RPS_OK;
}

/* --- changes -------------------------------------------------------------------------------------------------------- */

static rps_status take_step(rps_simulation *s, const rps_node *mine, const rps_node *theirs, bool laws,
                            rps_error *err) {
    const rps_node *a = rps_node_get(rps_node_get(mine, "run"), "step"),
                   *b = rps_node_get(rps_node_get(theirs, "run"), "step");
    const bool chosen = rps_node_is(a, "auto"), was = rps_node_is(b, "auto");
    double step = s->world->step;
    if (chosen ? laws || !was : was || a->number[0] != b->number[0]) {
        const double left = s->scene->run.until - rps_world_time(s->world);
        RPS_TRY(rps_build_step_of_stage(s->scene, s->world, mine, left > 0.0 ? left : 0.0, &step, err));
    }
    RPS_TRY(rps_world_set_step(s->world, step, err));
    s->scene->run.step = s->world->step;
    s->scene->run.clock = rps_world_clock(s->world);
    return RPS_OK;
}

static rps_status fork_laws(rps_simulation *s, const rps_simulation *from, bool begins, rps_error *err) {
    rps_scene *scene = s->scene;
    rps_world *world = s->world;
    const rps_node *mine = tree_now(scene, begins), *theirs = tree_now(from->scene, false);
    double gravity[3];
    rps_guards guards = world->options.guards;
    bool laws = false;
    RPS_TRY(rps_scene_change_laws(scene, mine, mine->place, world, &laws, err));
    RPS_TRY(rps_scene_read_guards(scene, mine, &guards, err));
    RPS_TRY(rps_world_set_guards(world, &guards, err));
    RPS_TRY(gravity_now(scene, begins, gravity, err));
    if (memcmp(gravity, world->options.gravity, sizeof gravity) != 0) {
        RPS_TRY(rps_place_wrap(err, mine->place, rps_world_set_gravity(world, gravity, err)));
        laws = true;
    }
    memcpy(scene->gravity, gravity, sizeof gravity);
    RPS_TRY(rps_scene_set_fluid(mine, world, err));
    return take_step(s, mine, theirs, laws, err);
}

static rps_status take_sources(rps_scene *scene, const rps_scene *source, rps_error *err) {
    for (size_t i = 0; i < scene->insertions.count; i++) {
        rps_insertion *mine = &scene->insertions.item[i];
        RPS_TRY(rps_insertion_resume(mine, source->insertions.item[i].done, scene->seed, err));
        mine->late = source->insertions.item[i].late;
    }
    return RPS_OK;
}

/* Kept as a setting, so that a resumed run has it too. */
static rps_status move_end(rps_scene *scene, double time, rps_error *err) {
    char text[48];
    scene->run.until += time;
    rps_snprintf(text, sizeof text, "%.17g s", scene->run.until);
    scene->text->until = rps_pool_printf(&scene->text->pool, err, "%s", text);
    return scene->text->until ? RPS_OK : RPS_NO_MEMORY;
}

/* --- the origin ----------------------------------------------------------------------------------------------------- */

const char rps_scene_origin_name[] = "scene/origin: run and stage", rps_scene_origin_time_name[] = "scene/origin: time",
           rps_scene_origin_words_name[] = "scene/origin: step, hash, stage ended";

const rps_origin *rps_scene_origin(const rps_scene *scene) {
    return scene->origin;
}

rps_status rps_origin_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err) {
    const rps_origin *o = scene->origin;
    char text[2 * RPS_ORIGIN_TEXT + 2];
    if (!o) return RPS_OK;
    const uint64_t word[4] = {o->step, o->hash[0], o->hash[1], o->ended};
    const int length = snprintf(text, sizeof text, "%s\n%s", o->run, o->stage);
    RPS_TRY(rps_serializer_text(serializer, rps_scene_origin_name, text, (size_t)length, err));
    RPS_TRY(rps_serializer_doubles(serializer, rps_scene_origin_time_name, &o->time, 1, err));
    return rps_serializer_words(serializer, rps_scene_origin_words_name, word, 4, err);
}

rps_status rps_origin_restore(rps_scene *scene, const rps_checkpoint *c, rps_error *err) {
    const char *text;
    uint64_t word[4];
    if (!rps_checkpoint_find(c, rps_scene_origin_name)) return RPS_OK;
    rps_origin *o = rps_pool_take(&scene->pool, sizeof *o, err);
    if (!o) return RPS_NO_MEMORY;
    RPS_TRY(rps_checkpoint_text(c, rps_scene_origin_name, &text, NULL, err));
    RPS_TRY(rps_checkpoint_doubles(c, rps_scene_origin_time_name, &o->time, 1, err));
    RPS_TRY(rps_checkpoint_words(c, rps_scene_origin_words_name, word, 4, err));
    const size_t run = strcspn(text, "\n");
    snprintf(o->run, sizeof o->run, "%.*s", (int)run, text);
    snprintf(o->stage, sizeof o->stage, "%s", text[run] ? text + run + 1 : "");
    o->step = word[0];
    o->hash[0] = word[1];
    o->hash[1] = word[2];
    o->ended = word[3] == 1;
    scene->origin = o;
    return RPS_OK;
}

/* --- the fork ------------------------------------------------------------------------------------------------------- */

rps_status rps_simulation_fork(rps_simulation *s, rps_simulation *from, const char *run, rps_error *err) {
    rps_scene *scene = s->scene;
    rps_world *built = s->world, *world = from->world;
    bool begins;
    rps_origin *origin = rps_pool_take(&scene->pool, sizeof *origin, err);
    if (!origin) return RPS_NO_MEMORY;
    snprintf(origin->run, sizeof origin->run, "%s", run);
    origin->time = rps_world_time(world);
    origin->step = rps_world_steps(world);
    RPS_TRY(rps_world_hash(world, origin->hash, err));
    RPS_TRY(rps_fork_match(scene->text->root, from->scene->text->root, run, err));
    RPS_TRY(take_events(scene, from->scene, built, world, err));
    take_names(scene, from->scene);
    RPS_TRY(rps_traffic_fork(scene, from->scene, built, world, run, err));
    RPS_TRY(take_groups(world, built, run, err));
    RPS_TRY(take_drives(world, built, run, err));
    memcpy(world->gravity_made, built->gravity_made, sizeof world->gravity_made);
    s->world = world; /* and the built one is released with the source */
    from->world = built;
    RPS_TRY(take_sources(scene, from->scene, err));
    RPS_TRY(take_stage(s, from, origin, &begins, err));
    RPS_TRY(fork_laws(s, from, begins, err));
    scene->origin = origin;
    s->started = true;
    s->steps = rps_world_steps(world);
    if (begins) { /* the stages follow one another from now on */
        if (!rps_node_get(rps_node_get(scene->text->root, "run"), "until")) RPS_TRY(move_end(scene, origin->time, err));
        RPS_TRY(rps_stages_begin(scene, world, err));
    }
    rps_simulation_find_end(s);
    if (s->last_step > s->steps) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "the state of %.80s is at t = %.9g s, and this scene ends at %.9g s: time goes on, so give it a later "
        "`run.until`",
        run, rps_world_time(world), scene->run.until);
}
