/* Planes of flow and sinks: what they read of a scene, and what they see of a step. */
#include "scene/traffic.h"

#include "scene/events.h"

#include <math.h>
#include <repose/body.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene_internal.h"

/* --- reading ------------------------------------------------------------------------------------------------------- */

static bool scene_is_sheared(const rps_scene *scene) {
    return scene->shear.flow != scene->shear.gradient;
}

/* A plane across a periodic axis repeats with the period; a tilted one would be dense. */
static rps_status read_period(const rps_scene *scene, const rps_node *node, rps_flow *flow, rps_error *err) {
    const double n[3] = {flow->normal.x, flow->normal.y, flow->normal.z};
    for (int k = 0; k < 3; k++) {
        if (!(scene->period[k] > 0.0) || n[k] == 0.0) continue;
        if (fabs(n[k]) != 1.0) {
            return rps_place_fail(err, node->place,
                                  "the plane is tilted against the periodic axis %c, where its images would be all "
                                  "over the space\ngive it a normal along that axis, or across it",
                                  "xyz"[k]);
        }
        flow->period = scene->period[k];
    }
    return RPS_OK;
}

static rps_status read_flow(rps_scene *scene, const rps_entry *entry, rps_flow *flow, rps_error *err) {
    const rps_node *node = entry->value, *within = rps_node_get(node, "within");
    double point[3] = {0.0, 0.0, 0.0}, normal[3] = {0.0, 0.0, 0.0};
    *flow = (rps_flow){.name = entry->key, .node = node, .bounded = within != NULL};
    if (scene_is_sheared(scene)) {
        return rps_place_fail(err, node->place, "a flow is not measured in a sheared cell: its images move");
    }
    rps_node_vector(node, "point", point, 3);
    rps_node_vector(node, "normal", normal, 3);
    flow->point = rps_vec3_of(point);
    flow->normal = rps_vec3_normalize(rps_vec3_of(normal));
    if (!(rps_vec3_norm2(flow->normal) > 0.5)) {
        return rps_place_fail(err, rps_node_get(node, "normal")->place, "`normal` has no direction: its length is 0");
    }
    RPS_TRY(read_period(scene, node, flow, err));
    return within ? rps_region_read(scene, within, RPS_REGION_HOLDS, &flow->within, err) : RPS_OK;
}

static rps_status read_sink(rps_scene *scene, const rps_entry *entry, rps_sink *sink, rps_error *err) {
    const rps_node *node = entry->value, *set = rps_node_get(node, "set");
    *sink = (rps_sink){.name = entry->key, .node = node, .group = -1};
    RPS_TRY(rps_region_read(scene, rps_node_get(node, "region"), RPS_REGION_HOLDS, &sink->region, err));
    if (!set) return RPS_OK;
    const rps_named *named;
    RPS_TRY(rps_scene_reference(scene, set, 2, &named, err));
    sink->group = named->group;
    return RPS_OK;
}

/* Two sources that gave again the mass of one sink would double it. */
static rps_status check_recycling(const rps_scene *scene, size_t source, size_t sink, rps_error *err) {
    const rps_supply *own = &scene->insertions.item[source].supply;
    for (size_t i = 0; i < source; i++) {
        if (scene->insertions.item[i].supply.taken != &scene->traffic.sink[sink].tally) continue;
        return rps_place_fail(err, own->recycles->place, "the mass of the sink `%s` is given again by `%s` already",
                              scene->traffic.sink[sink].name, rps_node_text(scene->insertions.item[i].node, "name"));
    }
    return RPS_OK;
}

rps_status rps_build_traffic(rps_scene *scene, const rps_world *world, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const rps_node *flows = rps_node_get(scene->text->root, "flows"), *sinks = rps_node_get(scene->text->root, "sinks");
    (void)world;
    t->flow = rps_pool_take(&scene->pool, (flows->count + 1) * sizeof *t->flow, err);
    t->sink = rps_pool_take(&scene->pool, (sinks->count + 1) * sizeof *t->sink, err);
    if (!t->flow || !t->sink) return RPS_NO_MEMORY;
    for (; t->flows < flows->count; t->flows++) {
        RPS_TRY(read_flow(scene, &flows->entry[t->flows], &t->flow[t->flows], err));
    }
    for (; t->sinks < sinks->count; t->sinks++) {
        RPS_TRY(read_sink(scene, &sinks->entry[t->sinks], &t->sink[t->sinks], err));
    }
    RPS_TRY(rps_build_zones(scene, err));
    for (size_t i = 0; i < scene->insertions.count; i++) {
        rps_supply *supply = &scene->insertions.item[i].supply;
        size_t sink;
        if (!supply->recycles) continue;
        RPS_TRY(rps_traffic_find_sink(scene, supply->recycles, &sink, err));
        RPS_TRY(check_recycling(scene, i, sink, err));
        supply->taken = &t->sink[sink].tally;
    }
    return RPS_OK;
}

void rps_traffic_keep_events(rps_scene *scene) {
    for (size_t i = 0; i < scene->observer.probes; i++) {
        const rps_probe *probe = &scene->observer.probe[i];
        rps_tally *tally = rps_probe_tally(scene, probe);
        if (!tally || !(probe->window > 0.0)) continue;
        const uint64_t window = rps_window_steps(probe->window, scene->run.step);
        tally->window = tally->window > window ? tally->window : window;
    }
}

void rps_traffic_release(rps_traffic *t, const rps_allocator *allocator) {
    for (size_t k = 0; k < t->flows; k++) rps_tally_release(allocator, &t->flow[k].tally);
    for (size_t k = 0; k < t->sinks; k++) rps_tally_release(allocator, &t->sink[k].tally);
    rps_zones_release(allocator, t->zone, t->zones);
    rps_buffer_release(allocator, &t->before, &t->before_bytes);
    rps_buffer_release(allocator, &t->came, &t->came_bytes);
    rps_buffer_release(allocator, &t->passing, &t->passing_bytes);
    rps_buffer_release(allocator, &t->taken, &t->taken_bytes);
}

rps_status rps_traffic_unknown(const rps_node *node, const char *what, const char *const *names, size_t count,
                               rps_error *err) {
    char hint[512];
    return rps_place_fail(err, node->place, "there is no %s `%.60s`%s", what, node->text,
                          count == 0 ? ": the scene has none"
                                     : rps_suggest(node->text, names, count, hint, sizeof hint));
}

rps_status rps_traffic_find_flow(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    const char *names[64];
    for (*index = 0; *index < t->flows; ++*index) {
        if (strcmp(t->flow[*index].name, node->text) == 0) return RPS_OK;
        if (*index < 64) names[*index] = t->flow[*index].name;
    }
    return rps_traffic_unknown(node, "flow", names, t->flows < 64 ? t->flows : 64, err);
}

rps_status rps_traffic_find_sink(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    const char *names[64];
    for (*index = 0; *index < t->sinks; ++*index) {
        if (strcmp(t->sink[*index].name, node->text) == 0) return RPS_OK;
        if (*index < 64) names[*index] = t->sink[*index].name;
    }
    return rps_traffic_unknown(node, "sink", names, t->sinks < 64 ? t->sinks : 64, err);
}

rps_status rps_traffic_find_source(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err) {
    const rps_insertions *all = &scene->insertions;
    const char *names[64];
    for (*index = 0; *index < all->count; ++*index) {
        const char *name = rps_node_text(all->item[*index].node, "name");
        if (strcmp(name, node->text) == 0) return RPS_OK;
        if (*index < 64) names[*index] = name;
    }
    return rps_traffic_unknown(node, "set that is poured", names, all->count < 64 ? all->count : 64, err);
}

/* --- what passes in a step ------------------------------------------------------------------------------------------ */

rps_status rps_traffic_note(rps_scene *scene, size_t *count, const rps_passing *one, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const size_t used = *count * sizeof *one;
    RPS_TRY(rps_buffer_reserve(scene->allocator, &t->passing, &t->passing_bytes, used, used + sizeof *one, err));
    ((rps_passing *)t->passing)[(*count)++] = *one;
    return RPS_OK;
}

static int by_place_and_id(const void *a, const void *b) {
    const rps_passing *x = a, *y = b;
    if (x->where != y->where) return x->where < y->where ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void rps_traffic_sort(rps_scene *scene, size_t count) {
    if (count > 1) qsort(scene->traffic.passing, count, sizeof(rps_passing), by_place_and_id);
}

double rps_traffic_age(const rps_scene *scene, uint64_t came, uint64_t now) {
    if (came >= scene->run.clock.number) return (double)(now - came) * scene->run.step;
    return rps_scene_time(scene, now) - rps_scene_time(scene, came);
}

/* Adds those that passed to their tallies, in the order of ids. */
static rps_status tally_passing(rps_scene *scene, const rps_world *world, size_t count, bool sinks, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const rps_bodies *bodies = &world->bodies;
    const uint64_t step = rps_world_steps(world);
    rps_traffic_sort(scene, count);
    for (size_t k = 0; k < count; k++) {
        const rps_passing *one = (const rps_passing *)t->passing + k;
        const double age =
            t->dated > one->id ? rps_traffic_age(scene, ((const uint64_t *)t->came)[one->id], step) : 0.0;
        const rps_tally_sum sum = {one->sign, one->sign * bodies->mass[one->slot][0], one->sign * age};
        rps_tally *tally = sinks ? &t->sink[one->where].tally : &t->flow[one->where].tally;
        RPS_TRY(rps_tally_add(scene->allocator, tally, step, bodies->group[one->slot][0], &sum, err));
    }
    return RPS_OK;
}

/* --- sinks --------------------------------------------------------------------------------------------------------- */

/* The sink that takes a free body; NULL: none. */
static const rps_sink *sink_of(const rps_scene *scene, const rps_world *world, size_t slot) {
    const rps_traffic *t = &scene->traffic;
    for (size_t k = 0; k < t->sinks; k++) {
        const rps_sink *sink = &t->sink[k];
        if (sink->group >= 0 && world->bodies.group[slot][0] != sink->group) continue;
        if (rps_region_holds(&sink->region, &world->cell, world->bodies.pose[slot].position)) return sink;
    }
    return NULL;
}

static rps_status find_leaving(rps_scene *scene, const rps_world *world, size_t *count, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    const rps_bodies *bodies = &world->bodies;
    *count = 0;
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        const rps_sink *sink = sink_of(scene, world, s);
        if (sink == NULL) continue;
        const rps_passing one = {.where = (size_t)(sink - t->sink), .id = bodies->id[s][0], .slot = s, .sign = 1};
        RPS_TRY(rps_traffic_note(scene, count, &one, err));
    }
    return RPS_OK;
}

static rps_status empty_sinks(rps_scene *scene, rps_world *world, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    size_t count;
    RPS_TRY(find_leaving(scene, world, &count, err));
    if (count == 0) return RPS_OK;
    RPS_TRY(tally_passing(scene, world, count, true, err));
    RPS_TRY(rps_buffer_reserve(scene->allocator, &t->taken, &t->taken_bytes, 0, count * sizeof(uint64_t), err));
    const rps_passing *passing = t->passing;
    uint64_t *id = t->taken;
    for (size_t k = 0; k < count; k++) id[k] = passing[k].id;
    return rps_place_wrap(err, t->sink[passing[0].where].node->place, rps_world_remove_bodies(world, id, count, err));
}

/* --- planes of flow ------------------------------------------------------------------------------------------------ */

/* The number of planes, images included, at or behind a point at this distance before the first; all others differ by
 * a constant that does not matter. */
static double level(const rps_flow *flow, double distance) {
    return flow->period > 0.0 ? floor(distance / flow->period) : distance >= 0.0 ? 1.0 : 0.0;
}

/* Does the way from a to b, unwrapped, cross the plane, +1 along the normal, -1 against it, within its outline? */
static int crossing(const rps_flow *flow, const rps_cell *cell, const double a[3], const double b[3]) {
    const rps_vec3 from = rps_vec3_sub(rps_vec3_of(a), flow->point), to = rps_vec3_sub(rps_vec3_of(b), flow->point);
    const double start = rps_vec3_dot(from, flow->normal), end = rps_vec3_dot(to, flow->normal);
    const double low = level(flow, start), high = level(flow, end);
    if (low == high) return 0;
    const int sign = high > low ? 1 : -1;
    if (!flow->bounded) return sign;
    const double plane = flow->period > 0.0 ? flow->period * fmax(low, high) : 0.0;
    const double part = (plane - start) / (end - start);
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = a[k] + part * (b[k] - a[k]);
    return rps_region_holds(&flow->within, cell, x) ? sign : 0;
}

static rps_status find_crossings(rps_scene *scene, const rps_world *world, size_t *count, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const rps_bodies *bodies = &world->bodies;
    double(*before)[3] = t->before;
    *count = 0;
    for (size_t s = 0; s < bodies->count; s++) {
        const uint64_t id = bodies->id[s][0];
        double x[3];
        if (bodies->kind[s][0] != RPS_BODY_FREE || id >= t->placed) continue;
        rps_world_unwrapped(world, s, x);
        for (size_t k = 0; k < t->flows; k++) {
            const int sign = crossing(&t->flow[k], &world->cell, before[id], x);
            const rps_passing one = {.where = k, .id = id, .slot = s, .sign = sign};
            if (sign != 0) RPS_TRY(rps_traffic_note(scene, count, &one, err));
        }
        memcpy(before[id], x, sizeof x);
    }
    return RPS_OK;
}

/* --- watched by others ---------------------------------------------------------------------------------------------- */

size_t rps_scene_watches(const rps_scene *scene) {
    return scene->traffic.flows + scene->traffic.zones;
}

bool rps_scene_watch_body(const rps_scene *scene, const rps_world *world, size_t slot, double *number) {
    const rps_traffic *t = &scene->traffic;
    double x[3];
    if (world->bodies.kind[slot][0] != RPS_BODY_FREE) {
        for (size_t k = 0; k < t->flows + t->zones; k++) number[k] = 0.0;
        return false;
    }
    rps_world_unwrapped(world, slot, x);
    for (size_t k = 0; k < t->flows; k++) {
        const rps_flow *flow = &t->flow[k];
        number[k] = level(flow, rps_vec3_dot(rps_vec3_sub(rps_vec3_of(x), flow->point), flow->normal));
    }
    for (size_t k = 0; k < t->zones; k++) {
        const double *at = world->bodies.pose[slot].position;
        number[t->flows + k] = rps_region_holds(&t->zone[k].region, &world->cell, at) ? 1.0 : 0.0;
    }
    return sink_of(scene, world, slot) != NULL;
}

bool rps_scene_can_watch(const rps_scene *scene) {
    bool bounded = false;
    for (size_t k = 0; k < scene->traffic.flows; k++) bounded = bounded || scene->traffic.flow[k].bounded;
    return !bounded;
}

bool rps_scene_sinks_take(const rps_scene *scene, const rps_world *world) {
    bool takes = false;
    for (size_t s = 0; s < world->bodies.count && scene->traffic.sinks > 0 && !takes; s++) {
        takes = world->bodies.kind[s][0] == RPS_BODY_FREE && sink_of(scene, world, s) != NULL;
    }
    return takes;
}

/* --- before and after a step --------------------------------------------------------------------------------------- */

/* Notes the positions of bodies that came since the last step, and when they came. */
static rps_status note_new(rps_scene *scene, const rps_world *world, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const uint64_t ids = world->bodies.ids, step = rps_world_steps(world);
    const size_t placed = (size_t)t->placed * sizeof(double[3]), dated = (size_t)t->dated * sizeof(uint64_t);
    if (t->flows > 0 && ids > t->placed) {
        RPS_TRY(rps_buffer_reserve(scene->allocator, &t->before, &t->before_bytes, placed,
                                   (size_t)ids * sizeof(double[3]), err));
        for (uint64_t s; rps_bodies_next(&world->bodies, &t->placed, &s); t->placed++) {
            rps_world_unwrapped(world, s, ((double(*)[3])t->before)[t->placed]);
        }
    }
    if (t->sinks > 0 && ids > t->dated) {
        RPS_TRY(
            rps_buffer_reserve(scene->allocator, &t->came, &t->came_bytes, dated, (size_t)ids * sizeof(uint64_t), err));
        for (; t->dated < ids; t->dated++) ((uint64_t *)t->came)[t->dated] = step;
    }
    return RPS_OK;
}

bool rps_scene_has_traffic(const rps_scene *scene) {
    return scene->traffic.flows + scene->traffic.sinks + scene->traffic.zones > 0;
}

rps_status rps_scene_before_step(rps_scene *scene, rps_world *world, size_t *added, rps_error *err) {
    if (scene->traffic.sinks > 0) RPS_TRY(empty_sinks(scene, world, err));
    RPS_TRY(rps_events_due(scene, world, err));
    RPS_TRY(rps_scene_insert(scene, world, added, err));
    RPS_TRY(note_new(scene, world, err));
    return rps_zones_before_step(scene, world, err);
}

rps_status rps_scene_after_step(rps_scene *scene, const rps_world *world, rps_error *err) {
    size_t count;
    RPS_TRY(rps_zones_after_step(scene, world, err));
    if (scene->traffic.flows == 0) return RPS_OK;
    RPS_TRY(find_crossings(scene, world, &count, err));
    return tally_passing(scene, world, count, false, err);
}

size_t rps_scene_sinks(const rps_scene *scene) {
    return scene->traffic.sinks;
}

void rps_scene_sink_at(const rps_scene *scene, size_t index, const char **name, double *number, double *mass) {
    const rps_sink *sink = &scene->traffic.sink[index];
    const rps_tally_sum sum = rps_tally_total(&sink->tally, -1);
    *name = sink->name;
    *number = sum.number;
    *mass = sum.mass;
}
