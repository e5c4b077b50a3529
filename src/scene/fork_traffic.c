/* Counts of flows, sinks, zones and sources that a fork takes over. */
#include <string.h>

#include "scene/fork_match.h"
#include "scene/scene_internal.h"

typedef struct counts_of {
    rps_scene *scene;
    const int *group_of; /* of this scene, by the group of the other; -1: not here */
    const rps_world *world;
    const char *run;
} counts_of;

static rps_status carry_tally(const counts_of *all, rps_tally *mine, const rps_tally *theirs, rps_error *err) {
    int missing;
    RPS_TRY(rps_tally_carry(all->scene->allocator, mine, theirs, all->group_of, rps_world_steps(all->world), &missing,
                            err));
    if (missing < 0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "%.80s counted bodies of `%.60s`, which this scene lacks; add it, from when it `enters`", all->run,
                    rps_world_group_name(all->world, missing));
}

static void begin_tally(const counts_of *all, rps_tally *tally) {
    tally->begun = tally->since = rps_world_steps(all->world);
}

static rps_status fork_flows(const counts_of *all, const rps_traffic *theirs, rps_error *err) {
    rps_traffic *t = &all->scene->traffic;
    for (size_t k = 0; k < t->flows; k++) {
        rps_flow *mine = &t->flow[k];
        begin_tally(all, &mine->tally);
        for (size_t n = 0; n < theirs->flows; n++) {
            const rps_flow *other = &theirs->flow[n];
            if (strcmp(mine->name, other->name) != 0 || !rps_fork_same(mine->node, other->node)) continue;
            RPS_TRY(carry_tally(all, &mine->tally, &other->tally, err));
        }
    }
    return RPS_OK;
}

static rps_status fork_sinks(const counts_of *all, const rps_traffic *theirs, rps_error *err) {
    rps_traffic *t = &all->scene->traffic;
    const size_t bytes = (size_t)theirs->dated * sizeof(uint64_t);
    for (size_t k = 0; k < t->sinks; k++) {
        rps_sink *mine = &t->sink[k];
        begin_tally(all, &mine->tally);
        for (size_t n = 0; n < theirs->sinks; n++) {
            if (strcmp(mine->name, theirs->sink[n].name) != 0) continue;
            RPS_TRY(carry_tally(all, &mine->tally, &theirs->sink[n].tally, err));
        }
    }
    if (t->sinks == 0 || theirs->sinks == 0 || bytes == 0) return RPS_OK;
    RPS_TRY(rps_buffer_reserve(all->scene->allocator, &t->came, &t->came_bytes, 0, bytes, err));
    memcpy(t->came, theirs->came, bytes);
    t->dated = theirs->dated;
    return RPS_OK;
}

static rps_status fork_zones(const counts_of *all, const rps_traffic *theirs, rps_error *err) {
    rps_traffic *t = &all->scene->traffic;
    for (size_t k = 0; k < t->zones; k++) {
        rps_zone *mine = &t->zone[k];
        begin_tally(all, &mine->tally);
        for (size_t n = 0; n < theirs->zones; n++) {
            const rps_zone *other = &theirs->zone[n];
            if (strcmp(mine->name, other->name) != 0 || !rps_fork_same(mine->node, other->node)) continue;
            RPS_TRY(carry_tally(all, &mine->tally, &other->tally, err));
            RPS_TRY(rps_zone_carry(all->scene, mine, other, all->group_of, err));
        }
    }
    return RPS_OK;
}

/* The sets of both scenes are the same. */
static rps_status fork_sources(const counts_of *all, const rps_scene *source, rps_error *err) {
    const rps_insertions *mine = &all->scene->insertions, *theirs = &source->insertions;
    if (!all->scene->traffic.sources) return RPS_OK;
    for (size_t k = 0; k < mine->count; k++) {
        begin_tally(all, &mine->item[k].tally);
        if (source->traffic.sources) RPS_TRY(carry_tally(all, &mine->item[k].tally, &theirs->item[k].tally, err));
    }
    return RPS_OK;
}

rps_status rps_traffic_fork(rps_scene *scene, const rps_scene *source, const rps_world *built, const rps_world *world,
                            const char *run, rps_error *err) {
    int *group_of = rps_pool_take(&scene->pool, ((size_t)world->groups + 1) * sizeof *group_of, err);
    if (!group_of) return RPS_NO_MEMORY;
    for (size_t g = 0; g < (size_t)world->groups; g++) {
        group_of[g] = -1;
        for (size_t k = 0; k < (size_t)built->groups; k++) {
            if (strcmp(built->group[k], world->group[g]) == 0) group_of[g] = (int)k;
        }
    }
    const counts_of all = {scene, group_of, world, run};
    RPS_TRY(fork_flows(&all, &source->traffic, err));
    RPS_TRY(fork_sinks(&all, &source->traffic, err));
    RPS_TRY(fork_zones(&all, &source->traffic, err));
    return fork_sources(&all, source, err);
}

size_t rps_scene_counts(const rps_scene *scene) {
    return rps_traffic_tallies(scene);
}

void rps_scene_count_at(const rps_scene *scene, size_t index, const char **what, const char **name, uint64_t *begun) {
    *begun = rps_traffic_tally(scene, index, what, name)->begun;
}
