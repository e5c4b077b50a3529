/* Zones: which bodies stay in them, and the tallies of those that have left. */
#include "scene/zone.h"

#include <math.h>
#include <repose/body.h>
#include <string.h>

#include "scene/scene_internal.h"

/* --- reading ------------------------------------------------------------------------------------------------------- */

rps_status rps_build_zones(rps_scene *scene, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const rps_node *zones = rps_node_get(scene->text->root, "zones");
    t->zone = rps_pool_take(&scene->pool, (zones->count + 1) * sizeof *t->zone, err);
    if (!t->zone) return RPS_NO_MEMORY;
    for (size_t k = 0; k < zones->count; k++) {
        rps_zone *zone = &t->zone[k];
        const rps_node *region = rps_node_get(zones->entry[k].value, "region");
        *zone = (rps_zone){.name = zones->entry[k].key, .node = zones->entry[k].value, .gone = UINT64_MAX};
        RPS_TRY(rps_region_read(scene, region, RPS_REGION_HOLDS, &zone->region, err));
        t->zones++;
    }
    return RPS_OK;
}

void rps_zones_release(const rps_allocator *allocator, rps_zone *zone, size_t count) {
    for (size_t k = 0; k < count; k++) {
        rps_tally_release(allocator, &zone[k].tally);
        rps_buffer_release(allocator, &zone[k].stay, &zone[k].stay_bytes);
    }
}

rps_status rps_zone_find(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    const char *names[64];
    for (*index = 0; *index < t->zones; ++*index) {
        if (strcmp(t->zone[*index].name, node->text) == 0) return RPS_OK;
        if (*index < 64) names[*index] = t->zone[*index].name;
    }
    return rps_traffic_unknown(node, "zone", names, t->zones < 64 ? t->zones : 64, err);
}

/* --- stays --------------------------------------------------------------------------------------------------------- */

static void begin_stay(rps_stay *stay, const rps_bodies *bodies, size_t slot, uint64_t step) {
    *stay = (rps_stay){.inside = true, .group = bodies->group[slot][0], .mass = bodies->mass[slot][0], .from = step};
}

static rps_status end_stay(rps_scene *scene, rps_zone *zone, uint64_t id, uint64_t step, rps_error *err) {
    rps_stay *stay = (rps_stay *)zone->stay + id;
    const rps_tally_sum sum = {1.0, stay->mass, rps_traffic_age(scene, stay->from, step)};
    stay->inside = false;
    return rps_tally_add(scene->allocator, &zone->tally, step, stay->group, &sum, err);
}

static rps_status end_of_removed(rps_scene *scene, const rps_world *world, rps_zone *zone, rps_error *err) {
    const rps_stay *stay = zone->stay;
    const uint64_t gone = world->bodies.ids - world->bodies.count;
    for (uint64_t id = 0; gone != zone->gone && id < zone->known; id++) {
        if (!stay[id].inside || rps_world_has_body(world, id)) continue;
        RPS_TRY(end_stay(scene, zone, id, rps_world_steps(world), err));
    }
    zone->gone = gone;
    return RPS_OK;
}

static rps_status begin_of_new(rps_scene *scene, const rps_world *world, rps_zone *zone, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const size_t used = (size_t)zone->known * sizeof(rps_stay), need = (size_t)bodies->ids * sizeof(rps_stay);
    if (need <= used) return RPS_OK;
    RPS_TRY(rps_buffer_reserve(scene->allocator, &zone->stay, &zone->stay_bytes, used, need, err));
    memset((char *)zone->stay + used, 0, need - used);
    rps_stay *stay = zone->stay;
    for (uint64_t s; rps_bodies_next(bodies, &zone->known, &s); zone->known++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        if (!rps_region_holds(&zone->region, &world->cell, bodies->pose[s].position)) continue;
        begin_stay(&stay[zone->known], bodies, s, rps_world_steps(world));
    }
    zone->known = bodies->ids;
    return RPS_OK;
}

rps_status rps_zones_before_step(rps_scene *scene, const rps_world *world, rps_error *err) {
    for (size_t k = 0; k < scene->traffic.zones; k++) {
        RPS_TRY(end_of_removed(scene, world, &scene->traffic.zone[k], err));
        RPS_TRY(begin_of_new(scene, world, &scene->traffic.zone[k], err));
    }
    return RPS_OK;
}

rps_status rps_zones_after_step(rps_scene *scene, const rps_world *world, rps_error *err) {
    rps_traffic *t = &scene->traffic;
    const rps_bodies *bodies = &world->bodies;
    const uint64_t step = rps_world_steps(world);
    size_t count = 0;
    for (size_t s = 0; s < bodies->count; s++) {
        const uint64_t id = bodies->id[s][0];
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        for (size_t k = 0; k < t->zones; k++) {
            const rps_zone *zone = &t->zone[k];
            rps_stay *stay = (rps_stay *)zone->stay + id;
            if (id >= zone->known) continue;
            const bool inside = rps_region_holds(&zone->region, &world->cell, bodies->pose[s].position);
            const rps_passing one = {.where = k, .id = id, .slot = s};
            if (inside && !stay->inside) begin_stay(stay, bodies, s, step);
            if (!inside && stay->inside) RPS_TRY(rps_traffic_note(scene, &count, &one, err));
        }
    }
    rps_traffic_sort(scene, count); /* sums are in the order of ids */
    for (size_t n = 0; n < count; n++) {
        const rps_passing *one = (const rps_passing *)t->passing + n;
        RPS_TRY(end_stay(scene, &t->zone[one->where], one->id, step, err));
    }
    return RPS_OK;
}

double rps_zone_age(const rps_scene *scene, const rps_world *world, size_t index, int group) {
    const rps_zone *zone = &scene->traffic.zone[index];
    const rps_stay *stay = zone->stay;
    double sum = 0.0, count = 0.0;
    for (uint64_t id = 0; id < zone->known; id++) {
        if (!stay[id].inside || (group >= 0 && stay[id].group != group)) continue;
        sum += rps_traffic_age(scene, stay[id].from, rps_world_steps(world));
        count++;
    }
    return count > 0.0 ? sum / count : NAN;
}

rps_status rps_zone_carry(rps_scene *scene, rps_zone *zone, const rps_zone *from, const int *group_of, rps_error *err) {
    const size_t bytes = (size_t)from->known * sizeof(rps_stay);
    if (bytes == 0) return RPS_OK;
    RPS_TRY(rps_buffer_reserve(scene->allocator, &zone->stay, &zone->stay_bytes, 0, bytes, err));
    rps_stay *stay = memcpy(zone->stay, from->stay, bytes);
    for (uint64_t id = 0; id < from->known; id++) {
        if (!stay[id].inside) continue;
        stay[id].group = group_of[stay[id].group];
        if (stay[id].group < 0)
            return rps_place_fail(err, zone->node->place, "a body of a set that this scene lacks stays in the zone");
    }
    zone->known = from->known;
    zone->gone = from->gone;
    return RPS_OK;
}

/* --- in a checkpoint ----------------------------------------------------------------------------------------------- */

const char rps_zone_stays_name[] = "scene/stays: zone, id, step, group";
const char rps_zone_masses_name[] = "scene/stays: mass";

static size_t stays(const rps_zone *zone) {
    size_t count = 0;
    for (uint64_t id = 0; id < zone->known; id++) count += ((const rps_stay *)zone->stay)[id].inside;
    return count;
}

rps_status rps_zones_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    size_t count = 0, n = 0;
    void *words, *masses;
    if (t->zones == 0) return RPS_OK;
    for (size_t k = 0; k < t->zones; k++) count += stays(&t->zone[k]);
    RPS_TRY(rps_serializer_add(serializer, rps_zone_stays_name, RPS_TYPE_uint64, 4, count, &words, err));
    uint64_t(*word)[4] = words;
    for (size_t k = 0; k < t->zones; k++) {
        const rps_stay *stay = t->zone[k].stay;
        for (uint64_t id = 0; id < t->zone[k].known; id++) {
            if (!stay[id].inside) continue;
            word[n][0] = k;
            word[n][1] = id;
            word[n][2] = stay[id].from;
            word[n++][3] = (uint64_t)stay[id].group;
        }
    }
    RPS_TRY(rps_serializer_add(serializer, rps_zone_masses_name, RPS_TYPE_double, 1, count, &masses, err));
    double *mass = masses;
    for (size_t k = 0; k < t->zones; k++) {
        const rps_stay *stay = t->zone[k].stay;
        for (uint64_t id = 0; id < t->zone[k].known; id++) {
            if (stay[id].inside) *mass++ = stay[id].mass;
        }
    }
    return RPS_OK;
}

static rps_status restore_stay(rps_scene *scene, const rps_world *world, const uint64_t word[4], double mass,
                               const rps_checkpoint *c, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    const bool sound = word[0] < t->zones && word[1] < world->bodies.ids && word[2] <= rps_world_steps(world) &&
                       word[3] < world->groups && mass >= 0.0 && isfinite(mass);
    if (!sound) {
        return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: stays in zones make no sense",
                        rps_checkpoint_path(c));
    }
    ((rps_stay *)t->zone[word[0]].stay)[word[1]] =
        (rps_stay){.inside = true, .group = (int32_t)word[3], .mass = mass, .from = word[2]};
    return RPS_OK;
}

rps_status rps_zones_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const rps_traffic *t = &scene->traffic;
    const rps_section *words, *masses;
    const size_t bytes = (size_t)world->bodies.ids * sizeof(rps_stay);
    if (t->zones == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, rps_zone_stays_name, RPS_TYPE_uint64, 4, SIZE_MAX, &words, err));
    RPS_TRY(rps_checkpoint_need(c, rps_zone_masses_name, RPS_TYPE_double, 1, words->count, &masses, err));
    for (size_t k = 0; k < t->zones && bytes > 0; k++) {
        rps_zone *zone = &t->zone[k];
        RPS_TRY(rps_buffer_reserve(scene->allocator, &zone->stay, &zone->stay_bytes, 0, bytes, err));
        memset(zone->stay, 0, bytes);
        zone->known = world->bodies.ids;
    }
    for (size_t n = 0; n < words->count; n++) {
        const uint64_t *word = (const uint64_t *)words->data + 4 * n;
        RPS_TRY(restore_stay(scene, world, word, ((const double *)masses->data)[n], c, err));
    }
    return RPS_OK;
}
