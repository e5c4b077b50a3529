/* The tallies of planes and sinks, and the steps at which bodies came, in a checkpoint. */
#include <math.h>
#include <string.h>

#include "scene/scene_internal.h"

const char rps_traffic_begun_name[] = "scene/passed since: begun, events known";
const char rps_traffic_totals_name[] = "scene/passed: of, group, number, mass, age";
const char rps_traffic_events_name[] = "scene/passed of late: of, step, group, number, mass, age";
const char rps_traffic_came_name[] = "scene/came: step, by id";

size_t rps_traffic_tallies(const rps_scene *scene) {
    return scene->traffic.flows + scene->traffic.sinks + scene->traffic.zones +
           (scene->traffic.sources ? scene->insertions.count : 0);
}

rps_tally *rps_traffic_tally(const rps_scene *scene, size_t index, const char **what, const char **name) {
    const rps_traffic *t = &scene->traffic;
    if (index < t->flows) {
        *what = "flow", *name = t->flow[index].name;
        return &t->flow[index].tally;
    }
    index -= t->flows;
    if (index < t->sinks) {
        *what = "sink", *name = t->sink[index].name;
        return &t->sink[index].tally;
    }
    index -= t->sinks;
    if (index < t->zones) {
        *what = "zone", *name = t->zone[index].name;
        return &t->zone[index].tally;
    }
    rps_insertion *insertion = &scene->insertions.item[index - t->zones];
    *what = "source", *name = rps_node_text(insertion->node, "name");
    return &insertion->tally;
}

static rps_tally *tally_at(const rps_scene *scene, size_t index) {
    const char *what, *name;
    return rps_traffic_tally(scene, index, &what, &name);
}

/* Of a fork: when each began to count. */
static rps_status save_begun(const rps_scene *scene, rps_serializer *serializer, rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_add(serializer, rps_traffic_begun_name, RPS_TYPE_uint64, 2, rps_traffic_tallies(scene), &to,
                               err));
    for (size_t k = 0; k < rps_traffic_tallies(scene); k++) {
        const rps_tally *tally = tally_at(scene, k);
        ((uint64_t *)to)[2 * k] = tally->begun;
        ((uint64_t *)to)[2 * k + 1] = tally->since;
    }
    return RPS_OK;
}

/* The rows of all tallies, each with the number of its tally. */
static rps_status save_rows(const rps_scene *scene, bool events, rps_serializer *serializer, rps_error *err) {
    const int row = events ? RPS_TALLY_EVENT_ROW : RPS_TALLY_TOTAL_ROW;
    const char *name = events ? rps_traffic_events_name : rps_traffic_totals_name;
    size_t count = 0;
    void *to;
    for (size_t k = 0; k < rps_traffic_tallies(scene); k++) {
        count += events ? rps_tally_events(tally_at(scene, k)) : rps_tally_totals(tally_at(scene, k));
    }
    RPS_TRY(rps_serializer_add(serializer, name, RPS_TYPE_double, row, count, &to, err));
    double *out = to;
    for (size_t k = 0; k < rps_traffic_tallies(scene); k++) {
        const rps_tally *tally = tally_at(scene, k);
        if (events) {
            rps_tally_put_events(tally, (double)k, out);
            out += rps_tally_events(tally) * (size_t)row;
        } else {
            rps_tally_put_totals(tally, (double)k, out);
            out += rps_tally_totals(tally) * (size_t)row;
        }
    }
    return RPS_OK;
}

static rps_status save_came(const rps_scene *scene, const rps_world *world, rps_serializer *serializer,
                            rps_error *err) {
    const uint64_t *came = scene->traffic.came;
    size_t n = 0;
    void *to;
    RPS_TRY(rps_serializer_add(serializer, rps_traffic_came_name, RPS_TYPE_uint64, 1, world->bodies.count, &to, err));
    for (uint64_t id = 0, slot; rps_bodies_next(&world->bodies, &id, &slot); id++) {
        ((uint64_t *)to)[n++] = id < scene->traffic.dated ? came[id] : rps_world_steps(world);
    }
    return RPS_OK;
}

rps_status rps_traffic_save(const rps_scene *scene, const rps_world *world, rps_serializer *serializer,
                            rps_error *err) {
    if (rps_traffic_tallies(scene) == 0) return RPS_OK;
    RPS_TRY(save_begun(scene, serializer, err));
    RPS_TRY(save_rows(scene, false, serializer, err));
    RPS_TRY(save_rows(scene, true, serializer, err));
    RPS_TRY(rps_zones_save(scene, serializer, err));
    return scene->traffic.sinks > 0 ? save_came(scene, world, serializer, err) : RPS_OK;
}

/* --- restoring ----------------------------------------------------------------------------------------------------- */

static rps_status traffic_contradicts(const rps_checkpoint *c, const char *what, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: %s", rps_checkpoint_path(c), what);
}

static rps_status restore_rows(rps_scene *scene, const rps_world *world, bool events, const rps_checkpoint *c,
                               rps_error *err) {
    const rps_section *s;
    const int row = events ? RPS_TALLY_EVENT_ROW : RPS_TALLY_TOTAL_ROW;
    const size_t groups = world->groups;
    RPS_TRY(rps_checkpoint_need(c, events ? rps_traffic_events_name : rps_traffic_totals_name, RPS_TYPE_double, row,
                                SIZE_MAX, &s, err));
    for (size_t n = 0; n < s->count; n++) {
        const double *in = (const double *)s->data + n * (size_t)row;
        bool sound = in[0] >= 0.0 && in[0] < (double)rps_traffic_tallies(scene) && in[0] == floor(in[0]);
        if (sound) {
            rps_tally *tally = tally_at(scene, (size_t)in[0]);
            RPS_TRY(events ? rps_tally_take_event(scene->allocator, tally, groups, in, &sound, err)
                           : rps_tally_take_total(scene->allocator, tally, groups, in, &sound, err));
        }
        if (!sound) return traffic_contradicts(c, "the numbers of bodies that passed make no sense", err);
    }
    return RPS_OK;
}

static rps_status restore_begun(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const rps_section *s;
    RPS_TRY(rps_checkpoint_need(c, rps_traffic_begun_name, RPS_TYPE_uint64, 2, rps_traffic_tallies(scene), &s, err));
    for (size_t k = 0; k < rps_traffic_tallies(scene); k++) {
        const uint64_t *word = (const uint64_t *)s->data + 2 * k;
        rps_tally *tally = tally_at(scene, k);
        if (word[0] > word[1] || word[1] > rps_world_steps(world)) {
            return traffic_contradicts(c, "counts of bodies that passed begin after its time", err);
        }
        tally->begun = word[0];
        tally->since = word[1];
    }
    return RPS_OK;
}

static rps_status restore_came(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const rps_section *s;
    const uint64_t ids = world->bodies.ids;
    size_t n = 0;
    RPS_TRY(rps_checkpoint_need(c, rps_traffic_came_name, RPS_TYPE_uint64, 1, world->bodies.count, &s, err));
    RPS_TRY(rps_buffer_reserve(scene->allocator, &t->came, &t->came_bytes, 0, (size_t)ids * sizeof(uint64_t), err));
    uint64_t *came = t->came;
    memset(came, 0, (size_t)ids * sizeof *came);
    for (uint64_t id = 0, slot; rps_bodies_next(&world->bodies, &id, &slot); id++) {
        came[id] = ((const uint64_t *)s->data)[n++];
        if (came[id] > rps_world_steps(world)) return traffic_contradicts(c, "a body came after its time", err);
    }
    t->dated = ids;
    return RPS_OK;
}

rps_status rps_traffic_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    if (rps_traffic_tallies(scene) == 0) return RPS_OK;
    RPS_TRY(restore_begun(scene, world, c, err));
    RPS_TRY(restore_rows(scene, world, false, c, err));
    RPS_TRY(restore_rows(scene, world, true, c, err));
    RPS_TRY(rps_zones_restore(scene, world, c, err));
    return scene->traffic.sinks > 0 ? restore_came(scene, world, c, err) : RPS_OK;
}
