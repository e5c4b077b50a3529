/*
 * Stages of a run. A stage changes drives, gravity and positions of walls at its beginning. It lasts for a time, or
 * until a probe or the energies meet its condition. Its changes become state of the world; this file keeps only the
 * current stage, its start, and how earlier stages ended.
 */
#include "scene/stages.h"
#include "world/surface_velocity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "detect/detect.h"
#include "scene/events.h"
#include "scene/quantity.h"
#include <repose/body.h>

enum { EVERY = 50 }; /* steps between tests of energies, each about as expensive as a step */

/* --- reading ------------------------------------------------------------------------------------------------------- */

const rps_node *rps_stages_node(const rps_scene *scene) {
    return rps_node_get(scene->text->root, "stages");
}

bool rps_stages_drive(const rps_scene *scene, const char *name) {
    const rps_node *stages = rps_stages_node(scene);
    for (size_t i = 0; name && stages && i < stages->count; i++) {
        if (rps_node_get(rps_node_get(stages->entry[i].value, "drives"), name)) return true;
    }
    return false;
}

rps_status rps_stages_time(const rps_scene *scene, double *total, rps_error *err) {
    const rps_node *stages = rps_stages_node(scene);
    *total = 0.0;
    if (!stages || stages->count == 0) {
        const rps_node *run = rps_node_get(scene->text->root, "run");
        return rps_place_fail(err, run->place,
                              "the key `until` is missing in `run`\nsimulated time: a time, such as 1 s");
    }
    for (size_t i = 0; i < stages->count; i++) {
        const rps_node *stage = stages->entry[i].value, *until = rps_node_get(stage, "until");
        const double most = rps_node_number(until, "time", rps_node_number(stage, "limit", NAN));
        if (isnan(most)) {
            return rps_place_fail(err, stage->place,
                                  "neither the stage nor the run says how long this may last\nadd `limit: 10 s` to the "
                                  "stage, or `until` to `run`");
        }
        *total += most;
    }
    return RPS_OK;
}

static rps_status read_until(rps_scene *scene, rps_stage *stage, bool last, rps_error *err) {
    static const char *const key[] = {"time", "probe", "rest", "speed"};
    const rps_node *until = rps_node_get(stage->node, "until"), *limit = rps_node_get(stage->node, "limit");
    const rps_node *missed = rps_node_get(stage->node, "missed");
    int found = 0;
    stage->above = stage->below = NAN;
    stage->limit = rps_node_number(stage->node, "limit", INFINITY);
    stage->passes = rps_node_is(missed, "next");
    if (!until) {
        if (last) return RPS_OK;
        return rps_place_fail(
            err, stage->node->place,
            "the stage `%s` does not say when it ends; only the last one may go on to the end of the run"
            "\nadd `until: {time: 1 s}`, or a condition",
            stage->name);
    }
    for (int k = 0; k < 4; k++) {
        const rps_node *node = rps_node_get(until, key[k]);
        if (!node) continue;
        if (found++) return rps_place_fail(err, node->place, "a stage ends by one of time, probe, rest and speed");
        stage->until = (rps_stage_until)(RPS_STAGE_TIME + k);
        stage->value = node->number[0];
    }
    if (!found) return rps_place_fail(err, until->place, "`until` takes one of: time, probe, rest, speed");
    stage->after = rps_node_number(until, "after", 0.0);
    rps_node *above = rps_node_get(until, "above"), *below = rps_node_get(until, "below");
    if ((above || below) != (stage->until == RPS_STAGE_PROBE)) {
        return rps_place_fail(err,
                              (above   ? above
                               : below ? below
                                       : until)
                                  ->place,
                              above || below
                                  ? "`above` and `below` belong to a `probe`"
                                  : "at which value of the probe does the stage end?\nadd `above` or `below`");
    }
    if (stage->until == RPS_STAGE_TIME) {
        if (limit) return rps_place_fail(err, limit->place, "a stage that lasts for a time needs no limit");
        stage->time = stage->limit = stage->value;
        return RPS_OK;
    }
    if (!limit) {
        return rps_place_fail(err, until->place,
                              "a condition may never come, so the stage needs a longest time\nadd `limit: 10 s` beside "
                              "`until`");
    }
    if (!(stage->after < stage->limit)) {
        return rps_place_fail(err, rps_node_get(until, "after")->place, "the limit of %g s comes before this time",
                              stage->limit);
    }
    if (stage->until != RPS_STAGE_PROBE) {
        const rps_node *ledger = rps_node_get(rps_node_get(scene->text->root, "run"), "ledger");
        if (stage->until == RPS_STAGE_REST && ledger->number[0] == 0.0) {
            return rps_place_fail(err, until->place, "`rest` asks the energy ledger\nset `ledger: true` in `run`");
        }
        return RPS_OK;
    }
    RPS_TRY(rps_scene_find_probe(scene, rps_node_get(until, "probe"), &stage->probe, err));
    const char *unit = scene->observer.probe[stage->probe].info.unit;
    if (above) RPS_TRY(rps_schema_quantity(above, unit, &stage->above, err));
    if (below) RPS_TRY(rps_schema_quantity(below, unit, &stage->below, err));
    return RPS_OK;
}

static rps_status read_drives(rps_scene *scene, rps_world *world, rps_stage *stage, rps_error *err) {
    const rps_node *drives = rps_node_get(stage->node, "drives");
    if (!drives) return RPS_OK;
    stage->drive = rps_pool_take(&scene->pool, (drives->count + 1) * sizeof *stage->drive, err);
    if (!stage->drive) return RPS_NO_MEMORY;
    for (int images = 0; images < 2; images++) { /* mirror images last, since they need their originals */
        for (size_t i = 0; i < drives->count; i++) {
            rps_node *node = drives->entry[i].value;
            const rps_named *named;
            if ((rps_node_get(node, "mirror") != NULL) != (images == 1)) continue;
            rps_node name = {.text = drives->entry[i].key, .place = drives->entry[i].key_place};
            RPS_TRY(rps_scene_reference(scene, &name, 1, &named, err));
            if (world->bodies.kind[rps_world_slot(world, named->id)][0] != RPS_BODY_DRIVEN) {
                return rps_place_fail(err, name.place,
                                      "`%s` is free, so that no stage can drive it\nmake it `fixed: true` or give it a "
                                      "`drive`",
                                      name.text);
            }
            rps_stage_drive *drive = &stage->drive[stage->drives++];
            *drive = (rps_stage_drive){.id = named->id, .node = node};
            RPS_TRY(rps_read_drive(scene, node, &drive->drive, err));
            rps_drive check = drive->drive;
            RPS_TRY(rps_place_wrap(err, node->place, rps_drive_state_check(world, named->id, &check, err)));
            if (check.kind != RPS_DRIVE_MOTION) rps_drive_state_will_servo(world, named->id);
            if (rps_drive_runs(&check)) rps_drive_state_will_run(world, named->id);
        }
    }
    return RPS_OK;
}

static rps_status read_places(rps_scene *scene, rps_stage *stage, rps_error *err) {
    const rps_node *place = rps_node_get(stage->node, "place");
    if (!place) return RPS_OK;
    stage->place = rps_pool_take(&scene->pool, (place->count + 1) * sizeof *stage->place, err);
    if (!stage->place) return RPS_NO_MEMORY;
    for (size_t i = 0; i < place->count; i++) {
        const rps_named *named;
        const rps_node *item = place->entry[i].value;
        RPS_TRY(rps_scene_reference(scene, item, 1, &named, err));
        if (named->def.piece || strcmp(named->def.shape, "plane") != 0) {
            return rps_place_fail(
                err, item->place,
                "`%s` is no plane: only planes are placed, along their normals up to the nearest body", item->text);
        }
        stage->place[stage->places++] = named->id;
    }
    return RPS_OK;
}

static rps_status build_stage(rps_scene *scene, rps_world *world, const rps_node *node, bool last, rps_stage *stage,
                              rps_error *err) {
    *stage = (rps_stage){.name = rps_node_text(node, "name"), .node = node};
    if (scene->text->stage_root) stage->root = scene->text->stage_root[stage - scene->stages.item];
    for (const rps_stage *other = scene->stages.item; other < stage; other++) {
        if (strcmp(other->name, stage->name) == 0) {
            return rps_place_fail(err, rps_node_get(node, "name")->place,
                                  "the name `%s` is taken; the first stands in line %d", stage->name,
                                  rps_node_get(other->node, "name")->place.line);
        }
    }
    const rps_node *gravity = rps_node_get(node, "gravity");
    stage->has_gravity = gravity != NULL;
    if (gravity && rps_stage_sets(stage, "gravity")) {
        return rps_place_fail(err, gravity->place,
                              "the stage says gravity twice, here and in its `set`\nleave one out");
    }
    if (gravity && gravity->kind == RPS_NODE_LIST) memcpy(stage->gravity, gravity->number, sizeof stage->gravity);
    RPS_TRY(read_until(scene, stage, last, err));
    RPS_TRY(read_drives(scene, world, stage, err));
    return read_places(scene, stage, err);
}

rps_status rps_build_stages(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *stages = rps_stages_node(scene);
    if (!stages || stages->count == 0) return RPS_OK;
    scene->stages.item = rps_pool_take(&scene->pool, stages->count * sizeof *scene->stages.item, err);
    if (!scene->stages.item) return RPS_NO_MEMORY;
    for (size_t i = 0; i < stages->count; i++) {
        RPS_TRY(build_stage(scene, world, stages->entry[i].value, i + 1 == stages->count, &scene->stages.item[i], err));
        scene->stages.count++;
    }
    return RPS_OK;
}

rps_status rps_stage_find(const rps_scene *scene, const rps_node *node, int *stage, rps_error *err) {
    const char *names[64];
    char hint[512];
    size_t n = 0;
    for (size_t i = 0; i < scene->stages.count; i++) {
        if (strcmp(scene->stages.item[i].name, node->text) == 0) {
            *stage = (int)i;
            return RPS_OK;
        }
        if (n < 64) names[n++] = scene->stages.item[i].name;
    }
    if (n == 0) return rps_place_fail(err, node->place, "there is no stage `%.60s`: the scene has none", node->text);
    return rps_place_fail(err, node->place, "there is no stage `%.60s`%s", node->text,
                          rps_suggest(node->text, names, n, hint, sizeof hint));
}

double rps_stage_longest(const rps_scene *scene, int stage) {
    const double limit = scene->stages.item[stage].limit;
    return limit < scene->run.until ? limit : scene->run.until;
}

/* --- what a stage changes ------------------------------------------------------------------------------------------ */

/* Moves a plane along its normal to touch the nearest free body. */
static rps_status place_plane(const rps_stage *stage, rps_world *world, uint64_t id, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const size_t slot = rps_world_slot(world, id);
    const double *n = bodies->normal[slot];
    double gap = INFINITY, x[3];
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        const double one = bodies->id[s][0] < id ? rps_detect_gap(world, s, slot) : rps_detect_gap(world, slot, s);
        gap = one < gap ? one : gap;
    }
    if (!(gap < INFINITY) || gap < 0.0) {
        char name[RPS_BODY_NAME];
        return rps_fail(err, RPS_BAD_INPUT, "the stage `%s` cannot place the %s: %s", stage->name,
                        rps_body_name(world, slot, name, sizeof name),
                        gap < 0.0 ? "a body reaches behind it already; begin farther away"
                                  : "there are no free bodies");
    }
    for (int k = 0; k < 3; k++) x[k] = bodies->pose[slot].position[k] + gap * n[k];
    return rps_world_set_position(world, id, x, err);
}

static void note_beginning(rps_scene *scene, const rps_world *world) {
    rps_stage *stage = &scene->stages.item[scene->stages.now];
    stage->from = rps_world_steps(world);
    stage->from_time = rps_world_time(world);
    stage->step = world->step;
}

double rps_scene_time(const rps_scene *scene, uint64_t step) {
    const rps_stages *stages = &scene->stages;
    for (size_t i = stages->now < stages->count ? stages->now + 1 : stages->count; i-- > 0;) {
        const rps_stage *stage = &stages->item[i];
        if (step >= stage->from)
            return rps_step_time((rps_step_clock){stage->from, stage->from_time, stage->step}, step);
    }
    return rps_step_time(scene->run.clock, step);
}

static rps_status begin_stage(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_stage *stage = &scene->stages.item[scene->stages.now];
    const double now = rps_world_time(world);
    scene->stages.from = rps_world_steps(world);
    RPS_TRY(rps_stage_change_world(scene, world, scene->stages.now, err));
    if (stage->has_gravity) {
        RPS_TRY(rps_place_wrap(err, rps_node_get(stage->node, "gravity")->place,
                               rps_world_set_gravity(world, stage->gravity, err)));
        memcpy(scene->gravity, stage->gravity, sizeof scene->gravity);
    }
    for (size_t i = 0; i < stage->places; i++) RPS_TRY(place_plane(stage, world, stage->place[i], err));
    for (size_t i = 0; i < stage->drives; i++) {
        rps_drive drive = stage->drive[i].drive;
        const bool ends = drive.until >= drive.from;
        drive.from += now; /* times in a stage count from its beginning */
        drive.until = ends ? drive.until + now : -1.0;
        RPS_TRY(rps_place_wrap(err, stage->drive[i].node->place,
                               rps_world_set_drive(world, stage->drive[i].id, &drive, err)));
    }
    RPS_TRY(rps_events_of_stage(scene, world, scene->stages.now, err));
    RPS_TRY(rps_stage_change_step(scene, world, scene->stages.now, err));
    note_beginning(scene, world);
    return RPS_OK;
}

rps_status rps_stages_begin(rps_scene *scene, rps_world *world, rps_error *err) {
    return scene->stages.count > 0 ? begin_stage(scene, world, err) : RPS_OK;
}

/* --- when a stage ends --------------------------------------------------------------------------------------------- */

static uint64_t steps_of(const rps_scene *scene, double time) {
    const double steps = floor(time / scene->run.step + 0.5);
    return steps < 1.0 ? 1 : steps < 1e18 ? (uint64_t)steps : UINT64_MAX / 2;
}

static const rps_stage *stage_now(const rps_scene *scene) {
    return scene->stages.now < scene->stages.count ? &scene->stages.item[scene->stages.now] : NULL;
}

static bool at_limit(const rps_scene *scene, const rps_stage *stage, uint64_t step) {
    return stage->limit < INFINITY && step == scene->stages.from + steps_of(scene, stage->limit);
}

bool rps_scene_stage_looks(const rps_scene *scene, uint64_t step) {
    const rps_stage *stage = stage_now(scene);
    if (!stage || step <= scene->stages.from) return false;
    if (at_limit(scene, stage, step)) return true;
    const uint64_t since = step - scene->stages.from;
    if (stage->until < RPS_STAGE_PROBE || (stage->after > 0.0 && since < steps_of(scene, stage->after))) return false;
    return stage->until == RPS_STAGE_PROBE || since % EVERY == 0;
}

bool rps_scene_stage_may_end_run(const rps_scene *scene, uint64_t step) {
    return scene->stages.now + 1 == scene->stages.count && rps_scene_stage_looks(scene, step);
}

bool rps_stage_asks(const rps_scene *scene, size_t probe, uint64_t step) {
    const rps_stage *stage = stage_now(scene);
    return stage && stage->until == RPS_STAGE_PROBE && stage->probe == probe && rps_scene_stage_looks(scene, step);
}

/* The quantity tested by the condition of a stage. */
static rps_status condition(rps_scene *scene, rps_world *world, const rps_stage *stage, const double *value,
                            bool *holds, double *measured, rps_error *err) {
    rps_grains grains;
    *holds = false;
    *measured = NAN;
    switch (stage->until) {
    case RPS_STAGE_PROBE:
        *measured = value[stage->probe];
        *holds = !isnan(*measured) && (*measured > stage->above || *measured < stage->below);
        break;
    case RPS_STAGE_REST:
        RPS_TRY(rps_quantity_rest(scene, world, measured, err));
        *holds = *measured < stage->value;
        break;
    case RPS_STAGE_SPEED:
        rps_measure_grains(world, -1, scene->gravity, &grains);
        *measured = grains.speed_max;
        *holds = *measured < stage->value;
        break;
    default:
        break;
    }
    return RPS_OK;
}

rps_status rps_scene_stage_over(rps_scene *scene, rps_world *world, const double *value, bool *over, rps_error *err) {
    const uint64_t step = rps_world_steps(world);
    bool holds;
    double measured;
    *over = false;
    if (!rps_scene_stage_looks(scene, step)) return RPS_OK;
    rps_stage *stage = &scene->stages.item[scene->stages.now];
    const bool limit = at_limit(scene, stage, step);
    RPS_TRY(condition(scene, world, stage, value, &holds, &measured, err));
    if (!holds && !limit) return RPS_OK;
    if (!holds && stage->until != RPS_STAGE_TIME && stage->until != RPS_STAGE_OPEN && !stage->passes) {
        return rps_place_fail(err, rps_node_get(stage->node, "until")->place,
                              "the stage `%s` has lasted for its limit of %g s, and its condition has not come: it "
                              "measures %.6g\ngive it more time, ask for less, or write `missed: next` to go on",
                              stage->name, stage->limit, measured);
    }
    stage->end = step;
    stage->why = holds || stage->until == RPS_STAGE_TIME ? RPS_STAGE_DONE : RPS_STAGE_LIMIT;
    *over = true;
    return RPS_OK;
}

rps_status rps_scene_stage_next(rps_scene *scene, rps_world *world, bool *more, rps_error *err) {
    scene->stages.now++;
    scene->stages.from = rps_world_steps(world);
    *more = scene->stages.now < scene->stages.count;
    return *more ? begin_stage(scene, world, err) : RPS_OK;
}

/* --- reports and restarts
 * ------------------------------------------------------------------------------------------- */

size_t rps_scene_stage_count(const rps_scene *scene) {
    return scene->stages.count;
}

void rps_scene_stage(const rps_scene *scene, size_t index, rps_stage_info *out) {
    static const char *const why[RPS_STAGE_WHYS] = {"", "done", "limit"};
    const rps_stage *stage = &scene->stages.item[index];
    const bool begun = index <= scene->stages.now;
    *out = (rps_stage_info){.name = stage->name, .why = why[stage->why], .begun = begun};
    out->from = index == 0 ? 0 : scene->stages.item[index - 1].end;
    out->to = stage->end;
    out->from_time = rps_scene_time(scene, out->from);
    out->to_time = rps_scene_time(scene, out->to);
    out->ended = stage->why != RPS_STAGE_RUNS;
}

void rps_scene_stage_until(const rps_scene *scene, size_t index, char *text, size_t size) {
    const rps_stage *stage = &scene->stages.item[index];
    char limit[80] = "", above[40] = "", below[40] = "";
    if (stage->until != RPS_STAGE_TIME && isfinite(stage->limit)) {
        char after[40] = "";
        if (stage->after > 0.0) rps_snprintf(after, sizeof after, ", after %.6g s", stage->after);
        rps_snprintf(limit, sizeof limit, "%s; at most %.6g s", after, stage->limit);
    }
    switch (stage->until) {
    case RPS_STAGE_TIME:
        rps_snprintf(text, size, "%.6g s have passed", stage->limit);
        break;
    case RPS_STAGE_PROBE:
        if (!isnan(stage->above)) rps_snprintf(above, sizeof above, " above %.6g", stage->above);
        if (!isnan(stage->below)) rps_snprintf(below, sizeof below, " below %.6g", stage->below);
        snprintf(text, size, "probe `%s` is%s%s%s", scene->observer.probe[stage->probe].info.name, above, below, limit);
        break;
    case RPS_STAGE_REST:
        rps_snprintf(text, size, "kinetic over elastic energy is below %.6g%s", stage->value, limit);
        break;
    case RPS_STAGE_SPEED:
        rps_snprintf(text, size, "the fastest grain is slower than %.6g m/s%s", stage->value, limit);
        break;
    default:
        snprintf(text, size, "the end of the run");
        break;
    }
}

const char rps_scene_stages_name[] = "scene/stages: number, first step; end and why of each";
const char rps_scene_stage_times_name[] = "scene/stages: time of the beginning and step of each that changed the step";

rps_status rps_stages_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err) {
    void *to;
    if (scene->stages.count == 0) return RPS_OK;
    RPS_TRY(
        rps_serializer_add(serializer, rps_scene_stages_name, RPS_TYPE_uint64, 2, scene->stages.count + 1, &to, err));
    uint64_t *word = to;
    word[0] = scene->stages.now;
    word[1] = scene->stages.from;
    for (size_t i = 0; i < scene->stages.count; i++) {
        word[2 * i + 2] = scene->stages.item[i].end;
        word[2 * i + 3] = (uint64_t)scene->stages.item[i].why;
    }
    RPS_TRY(
        rps_serializer_add(serializer, rps_scene_stage_times_name, RPS_TYPE_double, 2, scene->stages.count, &to, err));
    double *number = to;
    for (size_t i = 0; i < scene->stages.count; i++) {
        number[2 * i] = scene->stages.item[i].from_time;
        number[2 * i + 1] = scene->stages.item[i].step;
    }
    return RPS_OK;
}

bool rps_stage_has_ended(const rps_scene *scene) {
    const rps_stages *stages = &scene->stages;
    return stages->now < stages->count && stages->item[stages->now].why != RPS_STAGE_RUNS;
}

static rps_status stages_contradict(const rps_checkpoint *c, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: its stages make no sense",
                    rps_checkpoint_path(c));
}

/* Times and steps; a checkpoint from before stages could change the step has none of them. */
static rps_status restore_times(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const rps_section *s = NULL;
    if (rps_checkpoint_find(c, rps_scene_stage_times_name)) {
        RPS_TRY(rps_checkpoint_need(c, rps_scene_stage_times_name, RPS_TYPE_double, 2, scene->stages.count, &s, err));
    }
    for (size_t i = 0; i < scene->stages.count; i++) {
        rps_stage *stage = &scene->stages.item[i];
        const double *number = s ? (const double *)s->data + 2 * i : NULL;
        stage->from = i > 0 ? scene->stages.item[i - 1].end : 0;
        if (i == scene->stages.now) stage->from = scene->stages.from;
        stage->step = number ? number[1] : world->step;
        stage->from_time = number ? number[0] : rps_step_time(scene->run.clock, stage->from);
        if (i <= scene->stages.now && !(stage->step > 0.0 && stage->from_time >= 0.0 && stage->from_time < 1e300)) {
            return stages_contradict(c, err);
        }
    }
    return RPS_OK;
}

rps_status rps_stages_look(const rps_scene *scene, const rps_checkpoint *c, size_t *now, rps_error *err) {
    const rps_section *s;
    *now = 0;
    if (scene->stages.count == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, rps_scene_stages_name, RPS_TYPE_uint64, 2, scene->stages.count + 1, &s, err));
    *now = *(const uint64_t *)s->data;
    return *now <= scene->stages.count ? RPS_OK : stages_contradict(c, err);
}

rps_status rps_stages_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const rps_section *s;
    memcpy(scene->gravity, world->options.gravity, sizeof scene->gravity);
    scene->run.step = world->step;
    scene->run.clock = rps_world_clock(world);
    if (scene->stages.count == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, rps_scene_stages_name, RPS_TYPE_uint64, 2, scene->stages.count + 1, &s, err));
    const uint64_t *word = s->data;
    bool sound = word[0] <= scene->stages.count && word[1] <= world->steps;
    for (size_t i = 0; i < scene->stages.count && sound; i++) {
        scene->stages.item[i].end = word[2 * i + 2];
        scene->stages.item[i].why = (int)word[2 * i + 3];
        sound = word[2 * i + 3] < RPS_STAGE_WHYS && scene->stages.item[i].end <= world->steps &&
                ((scene->stages.item[i].why != RPS_STAGE_RUNS) == (i < word[0]) || i == word[0]);
    }
    if (!sound) return stages_contradict(c, err);
    scene->stages.now = word[0];
    scene->stages.from = word[1];
    return restore_times(scene, world, c, err);
}
