/* Finds the events of a scene, and lets them happen. */
#include "scene/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/body.h>

#include "base/c_locale.h"
#include "detect/detect.h"
#include "scene/solid.h"
#include "shape/shape.h"
#include "scene/stages.h"
#include "world/body_shape.h"
#include "world/mesh_table.h"

/* --- reading ------------------------------------------------------------------------------------------------------ */

static rps_status new_event(rps_scene *scene, rps_event_kind kind, const rps_node *node, rps_event **out,
                            rps_error *err) {
    rps_events *events = &scene->events;
    if (events->count == events->capacity) {
        const size_t capacity = events->capacity ? 2 * events->capacity : 8;
        rps_event *grown = rps_pool_take(&scene->pool, capacity * sizeof *grown, err);
        if (!grown) return RPS_NO_MEMORY;
        if (events->count > 0) memcpy(grown, events->item, events->count * sizeof *grown);
        events->item = grown;
        events->capacity = capacity;
    }
    *out = &events->item[events->count++];
    **out = (rps_event){.kind = kind, .node = node, .time = NAN, .stage = -1, .group = -1, .id = UINT64_MAX};
    return RPS_OK;
}

/* Its time or stage, from {time} or {stage}. */
static rps_status read_when(const rps_scene *scene, const rps_node *node, rps_event *event, rps_error *err) {
    const rps_node *stage = rps_node_get(node, "stage");
    event->time = rps_node_number(node, "time", NAN);
    return stage ? rps_stage_find(scene, stage, &event->stage, err) : RPS_OK;
}

static double event_radius(const rps_world *world, const rps_body_def *def) {
    double parameter[RPS_SHAPE_PARAMETERS], radius = 0.0;
    for (int k = 0; k < def->pieces; k++) {
        const rps_piece_def *piece = &def->piece[k];
        memcpy(parameter, piece->parameter, sizeof parameter);
        const rps_shape *shape = rps_shape_at(rps_shape_find(piece->shape));
        if (rps_shape_check(shape, parameter, "a piece", NULL) != RPS_OK) continue;
        const double *x = piece->position;
        const double way = sqrt((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]);
        radius = fmax(radius, way + shape->bounding_radius(parameter));
    }
    if (def->pieces > 0) return radius;
    const rps_shape *shape = rps_shape_at(rps_shape_find(def->shape));
    memcpy(parameter, def->parameter, sizeof parameter);
    if (rps_shape_is_round(rps_shape_find(def->shape))) return def->radius;
    if (shape == &rps_shape_mesh) { /* a wall is no grain that may be lost */
        const rps_world_mesh *mesh = &world->mesh[(size_t)parameter[0]];
        return mesh->solid ? rps_mesh_farthest(&mesh->mesh) + rps_vec3_norm(mesh->center) : 0.0;
    }
    if (shape->unbounded || rps_shape_check(shape, parameter, "", NULL) != RPS_OK) return 0.0;
    return shape->bounding_radius(parameter);
}

rps_status rps_event_of_entering(rps_scene *scene, rps_world *world, const rps_node *node, const rps_body_def *def,
                                 rps_error *err) {
    const rps_node *enters = rps_node_get(node, "enters");
    rps_event *event;
    if (!rps_node_get(node, "name")) {
        return rps_place_fail(err, enters->place, "a body that enters later needs a name\ngive it `name`");
    }
    if (world->cell.sheared) {
        return rps_place_fail(err, enters->place, "bodies do not enter a sheared cell one by one\nleave `enters` out");
    }
    RPS_TRY(new_event(scene, RPS_EVENT_ENTERS, enters, &event, err));
    event->def = *def;
    event->group = def->group;
    event->named = scene->names.count; /* the next name */
    event->radius = event_radius(world, def);
    return RPS_OK;
}

static rps_status read_body(rps_scene *scene, const rps_named *named, rps_error *err) {
    static const struct {
        const char *key;
        rps_event_kind kind;
    } later[] = {{"held", RPS_EVENT_HELD}, {"released", RPS_EVENT_RELEASED}, {"leaves", RPS_EVENT_REMOVED}};
    for (size_t k = 0; k < sizeof later / sizeof *later; k++) {
        const rps_node *node = rps_node_get(named->node, later[k].key);
        rps_event *event;
        if (!node) continue;
        RPS_TRY(new_event(scene, later[k].kind, node, &event, err));
        event->group = named->group;
        RPS_TRY(read_when(scene, node, event, err));
    }
    return RPS_OK;
}

static rps_status read_list(rps_scene *scene, int stage, const char *key, rps_event_kind kind, rps_error *err) {
    const rps_node *list = rps_node_get(scene->stages.item[stage].node, key);
    for (size_t i = 0; list && i < list->count; i++) {
        const rps_node *node = list->entry[i].value;
        const rps_named *named;
        rps_event *event;
        RPS_TRY(new_event(scene, kind, node, &event, err));
        event->stage = stage;
        if (node->kind == RPS_NODE_SCALAR) {
            RPS_TRY(rps_scene_reference(scene, node, 0, &named, err));
            event->group = named->group;
            continue;
        }
        const rps_node *set = rps_node_get(node, "set"), *region = rps_node_get(node, "region");
        if (set) {
            RPS_TRY(rps_scene_reference(scene, set, 0, &named, err));
            event->group = named->group;
        }
        event->somewhere = true;
        RPS_TRY(rps_region_read(scene, region, RPS_REGION_HOLDS, &event->region, err));
    }
    return RPS_OK;
}

/* Driven bodies are not removed: their drives are part of the state. */
static rps_status check_target(const rps_scene *scene, const rps_event *event, rps_error *err) {
    for (size_t i = 0; i < scene->names.count && event->kind == RPS_EVENT_REMOVED; i++) {
        const rps_named *named = &scene->names.item[i];
        if (named->group != event->group || named->is_set || named->def.kind != RPS_BODY_DRIVEN) continue;
        return rps_place_fail(err, event->node->place,
                              "`%s` is driven, and a drive belongs to the whole run: it cannot be removed\nlet a stage "
                              "give it another drive, or move it away",
                              named->name);
    }
    return RPS_OK;
}

rps_status rps_build_events(rps_scene *scene, const rps_world *world, rps_error *err) {
    scene->events.groups = world->groups;
    scene->events.meets_group = rps_pool_take(&scene->pool, world->groups * sizeof(bool), err);
    if (!scene->events.meets_group) return RPS_NO_MEMORY;
    for (size_t i = 0; i < scene->events.count; i++) {
        rps_event *event = &scene->events.item[i]; /* those that enter */
        RPS_TRY(read_when(scene, event->node, event, err));
    }
    for (size_t i = 0; i < scene->names.count; i++) RPS_TRY(read_body(scene, &scene->names.item[i], err));
    for (size_t i = 0; i < scene->stages.count; i++) {
        RPS_TRY(read_list(scene, (int)i, "remove", RPS_EVENT_REMOVED, err));
        RPS_TRY(read_list(scene, (int)i, "hold", RPS_EVENT_HELD, err));
        RPS_TRY(read_list(scene, (int)i, "release", RPS_EVENT_RELEASED, err));
    }
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        RPS_TRY(check_target(scene, event, err));
        if (event->group >= 0) scene->events.meets_group[event->group] = true;
        if (world->cell.sheared && (event->kind == RPS_EVENT_HELD || event->kind == RPS_EVENT_RELEASED)) {
            return rps_place_fail(err, event->node->place, "a sheared cell has free bodies only");
        }
    }
    return RPS_OK;
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

bool rps_events_bring(const rps_scene *scene, size_t named) {
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        if (event->kind == RPS_EVENT_ENTERS && event->named == named && !event->done) return true;
    }
    return false;
}

bool rps_events_have(const rps_scene *scene, rps_event_kind kind) {
    for (size_t i = 0; i < scene->events.count; i++) {
        if (scene->events.item[i].kind == kind) return true;
    }
    return false;
}

bool rps_events_wait(const rps_scene *scene) {
    for (size_t i = 0; i < scene->events.count; i++) {
        if (!scene->events.item[i].done && scene->events.item[i].stage < 0) return true;
    }
    return false;
}

bool rps_event_is_due(const rps_scene *scene, uint64_t step) {
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        if (!event->done && event->stage < 0 && rps_step_nearest(scene->run.clock, event->time) <= (double)step)
            return true;
    }
    return false;
}

/* --- happening ---------------------------------------------------------------------------------------------------- */

/* Where nothing is in its way, so that no contact brings energy from nowhere. */
static rps_status check_free_place(const rps_world *world, const rps_event *event, size_t slot, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    for (size_t s = 0; s < bodies->count; s++) {
        char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
        if (s == slot || !rps_world_may_touch(world, s, slot)) continue;
        double gap =
            bodies->id[s][0] < bodies->id[slot][0] ? rps_detect_gap(world, s, slot) : rps_detect_gap(world, slot, s);
        if (gap < 0.0 && (rps_body_has_pieces(bodies, s) || rps_body_has_pieces(bodies, slot))) { /* of their spheres */
            const bool plane = rps_body_is_plane(bodies, slot);
            gap = rps_body_gap(world, plane ? s : slot, plane ? slot : s, 0.0);
        }
        if (!(gap < 0.0)) continue;
        return rps_place_fail(err, event->node->place,
                              "%s cannot enter at t = %.6g s: it would overlap %s by %.4g m, and nothing would have "
                              "brought the energy of their contact\ngive it a free place, or let it enter later",
                              rps_body_name(world, slot, a, sizeof a), rps_world_time(world),
                              rps_body_name(world, s, b, sizeof b), -gap);
    }
    return RPS_OK;
}

/* Its drive counts its times from the entering. */
static rps_status put_body(const rps_scene *scene, rps_world *world, const rps_event *event, double now, uint64_t *id,
                           rps_error *err) {
    const rps_named *named = &scene->names.item[event->named];
    rps_body_def def = event->def;
    if (def.kind == RPS_BODY_DRIVEN) {
        const bool ends = def.drive.until >= def.drive.from;
        def.drive.from += now;
        def.drive.until = ends ? def.drive.until + now : -1.0;
    }
    return rps_place_wrap(err, named->node->place, rps_world_add_body(world, &def, id, err));
}

static void tell_id(rps_scene *scene, const rps_event *event) {
    scene->names.item[event->named].id = event->id;
    for (size_t i = 0; i < scene->observer.probes; i++) {
        rps_probe *probe = &scene->observer.probe[i];
        for (int k = 0; k < 2; k++) {
            if (probe->named[k] == event->named + 1) probe->id[k] = event->id;
        }
    }
}

static rps_status enter(rps_scene *scene, rps_world *world, rps_event *event, rps_error *err) {
    const rps_named *named = &scene->names.item[event->named];
    const rps_node *drive = rps_node_get(named->node, "drive");
    RPS_TRY(put_body(scene, world, event, event->when, &event->id, err));
    const size_t slot = rps_world_slot(world, event->id);
    RPS_TRY(check_free_place(world, event, slot, err));
    event->bodies = 1;
    tell_id(scene, event);
    if (!drive || !rps_drive_servo_node(drive)) return RPS_OK;
    rps_drive seeks;
    RPS_TRY(rps_read_drive(scene, drive, &seeks, err));
    seeks.from += event->when;
    if (seeks.until >= 0.0) seeks.until += event->when;
    return rps_place_wrap(err, drive->place, rps_world_set_drive(world, event->id, &seeks, err));
}

/* The bodies that an event meets. */
static bool concerns(const rps_world *world, const rps_event *event, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    const int kind = bodies->kind[slot][0];
    if (event->group >= 0 && bodies->group[slot][0] != event->group) return false;
    if (event->group < 0 && kind != RPS_BODY_FREE) return false;
    const bool named = event->group >= 0 && !event->somewhere; /* driven bodies are meant by their names alone */
    if (kind == RPS_BODY_DRIVEN && (!named || event->kind == RPS_EVENT_REMOVED)) return false;
    if (event->kind == RPS_EVENT_HELD && kind == RPS_BODY_FIXED) return false;
    if (event->kind == RPS_EVENT_RELEASED && kind == RPS_BODY_FREE) return false;
    return !event->somewhere || rps_region_holds(&event->region, &world->cell, bodies->pose[slot].position);
}

static rps_status act_on_bodies(rps_scene *scene, rps_world *world, rps_event *event, rps_error *err) {
    size_t bytes, count = 0;
    void *memory;
    RPS_TRY(rps_size_of_items(world->bodies.count + 1, sizeof(uint64_t), &bytes, err));
    RPS_TRY(rps_memory_alloc(scene->allocator, bytes, &memory, err));
    uint64_t *id = memory;
    /* in the order of ids, so that sums have the same bits whatever the slots */
    for (uint64_t next = 0, slot; rps_bodies_next(&world->bodies, &next, &slot); next++) {
        if (concerns(world, event, (size_t)slot)) id[count++] = next;
    }
    const rps_status status =
        event->kind == RPS_EVENT_REMOVED
            ? rps_world_remove_bodies(world, id, count, err)
            : rps_world_set_kind(world, id, count, event->kind == RPS_EVENT_HELD ? RPS_BODY_FIXED : RPS_BODY_FREE, err);
    rps_memory_release(scene->allocator, memory, bytes);
    event->bodies = count;
    return rps_place_wrap(err, event->node->place, status);
}

static rps_status happen(rps_scene *scene, rps_world *world, rps_event *event, rps_error *err) {
    event->done = true;
    event->when = rps_world_time(world);
    return event->kind == RPS_EVENT_ENTERS ? enter(scene, world, event, err) : act_on_bodies(scene, world, event, err);
}

rps_status rps_events_of_stage(rps_scene *scene, rps_world *world, size_t stage, rps_error *err) {
    for (int kind = 0; kind < RPS_EVENT_KINDS; kind++) {
        for (size_t i = 0; i < scene->events.count; i++) {
            rps_event *event = &scene->events.item[i];
            const bool now = (int)event->kind == kind && event->stage == (int)stage && !event->done;
            if (now) RPS_TRY(happen(scene, world, event, err));
        }
    }
    return RPS_OK;
}

rps_status rps_events_due(rps_scene *scene, rps_world *world, rps_error *err) {
    const double step = (double)rps_world_steps(world);
    for (int kind = 0; kind < RPS_EVENT_KINDS; kind++) {
        for (size_t i = 0; i < scene->events.count; i++) {
            rps_event *event = &scene->events.item[i];
            if ((int)event->kind != kind || event->done || event->stage >= 0) continue;
            if (rps_step_nearest(scene->run.clock, event->time) > step) continue;
            RPS_TRY(happen(scene, world, event, err));
        }
    }
    return RPS_OK;
}

/* --- across a restart --------------------------------------------------------------------------------------------- */

enum { WORDS = 3 };
const char rps_scene_events_name[] = "scene/events: done, id, bodies";
const char rps_scene_event_times_name[] = "scene/events: time";

rps_status rps_events_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err) {
    const size_t count = scene->events.count;
    void *to, *times;
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, rps_scene_events_name, RPS_TYPE_uint64, WORDS, count, &to, err));
    for (size_t i = 0; i < count; i++) {
        const rps_event *event = &scene->events.item[i];
        const uint64_t word[WORDS] = {event->done, event->id, event->bodies};
        memcpy((uint64_t *)to + i * (size_t)WORDS, word, sizeof word);
    }
    RPS_TRY(rps_serializer_add(serializer, rps_scene_event_times_name, RPS_TYPE_double, 1, count, &times, err));
    for (size_t i = 0; i < count; i++) ((double *)times)[i] = scene->events.item[i].when;
    return RPS_OK;
}

/* Driven bodies that entered, in the order in which they did: that of their ids. */
rps_status rps_events_put_driven(const rps_scene *scene, rps_world *world, rps_error *err) {
    for (uint64_t last = 0;;) {
        const rps_event *next = NULL;
        uint64_t id;
        for (size_t i = 0; i < scene->events.count; i++) {
            const rps_event *event = &scene->events.item[i];
            const bool ours = event->kind == RPS_EVENT_ENTERS && event->done && event->def.kind == RPS_BODY_DRIVEN;
            if (ours && event->id >= last && (!next || event->id < next->id)) next = event;
        }
        if (!next) return RPS_OK;
        RPS_TRY(put_body(scene, world, next, next->when, &id, err));
        world->driven[world->drives - 1].body = next->id; /* the bodies of the state replace those of the world */
        last = next->id + 1;
    }
}

rps_status rps_events_restore(rps_scene *scene, rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const size_t count = scene->events.count;
    const rps_section *words, *times;
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, rps_scene_events_name, RPS_TYPE_uint64, WORDS, count, &words, err));
    RPS_TRY(rps_checkpoint_need(c, rps_scene_event_times_name, RPS_TYPE_double, 1, count, &times, err));
    for (size_t i = 0; i < count; i++) {
        rps_event *event = &scene->events.item[i];
        const uint64_t *word = (const uint64_t *)words->data + i * (size_t)WORDS;
        const bool enters = event->kind == RPS_EVENT_ENTERS, done = word[0] == 1;
        event->when = ((const double *)times->data)[i];
        if (word[0] > 1 || !(event->when >= 0.0 && event->when < 1e300) ||
            (word[1] == UINT64_MAX) != !(enters && done)) {
            return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: its events make no sense",
                            rps_checkpoint_path(c));
        }
        event->done = done;
        event->id = word[1];
        event->bodies = word[2];
        if (enters && done) tell_id(scene, event);
    }
    return rps_events_put_driven(scene, world, err);
}
