/*
 * Traffic: the bodies that cross planes of flow, those that leave by sinks, and those that stay in zones (zone.h).
 *
 * A crossing is found from the positions of a body before and after a step, so that what crossed a plane is exactly
 * what came to lie before it (`level` in traffic.c). A sink removes bodies just before the next step: results at the
 * end of a step still have them, with all their contacts.
 *
 * Only free bodies are seen. All is a function of the state at the ends of steps; a restart needs the tallies and the
 * steps at which bodies came.
 */
#ifndef RPS_SCENE_TRAFFIC_H
#define RPS_SCENE_TRAFFIC_H

#include "scene/region.h"
#include "scene/tally.h"
#include "scene/zone.h"
#include "world/world.h"

/* A plane of flow. */
typedef struct rps_flow {
    const char *name;
    const rps_node *node;
    rps_vec3 point, normal; /* m; unit vector: crossings along it are positive */
    double period;          /* m, along the normal; 0: none */
    bool bounded;           /* crossings count within `within` only */
    rps_region within;
    rps_tally tally;
} rps_flow;

typedef struct rps_sink {
    const char *name;
    const rps_node *node;
    rps_region region;
    int group; /* of the bodies that it takes; -1: all free bodies */
    rps_tally tally;
} rps_sink;

/* A body that passes in a step, found in the order of slots. */
typedef struct rps_passing {
    size_t where; /* index of the plane, sink or zone */
    uint64_t id;
    size_t slot;
    int sign;
} rps_passing;

typedef struct rps_traffic {
    rps_flow *flow;
    size_t flows;
    rps_sink *sink;
    size_t sinks;
    rps_zone *zone;
    size_t zones;
    bool sources; /* a probe reads what sources gave */
    void *before; /* double[3] by id, m, unwrapped: positions before the next step */
    void *came;   /* uint64_t by id: the step before which the body came */
    size_t before_bytes, came_bytes;
    uint64_t placed, dated; /* ids below these are in `before`, in `came` */
    void *passing;          /* rps_passing, scratch */
    void *taken;            /* uint64_t ids, scratch */
    size_t passing_bytes, taken_bytes;
} rps_traffic;

/* Reads `flows` and `sinks`; needs all names of sets. */
rps_status rps_build_traffic(rps_scene *scene, const rps_world *world, rps_error *err);
/* Once the step and the probes are known: how long events are kept. */
void rps_traffic_keep_events(rps_scene *scene);
void rps_traffic_release(rps_traffic *traffic, const rps_allocator *allocator);

/* Adds one to those that pass, which are then sorted by place and id. */
rps_status rps_traffic_note(rps_scene *scene, size_t *count, const rps_passing *one, rps_error *err);
void rps_traffic_sort(rps_scene *scene, size_t count);
/* s, between two steps. */
double rps_traffic_age(const rps_scene *scene, uint64_t came, uint64_t now);

/* Fails at a node that names none of these. */
rps_status rps_traffic_unknown(const rps_node *node, const char *what, const char *const *names, size_t count,
                               rps_error *err);
/* Resolves a name; fails at the node with near matches. */
rps_status rps_traffic_find_flow(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err);
rps_status rps_traffic_find_source(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err);
rps_status rps_traffic_find_sink(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err);

/* sections of a checkpoint; absent in a scene that counts nothing */
extern const char rps_traffic_begun_name[], rps_traffic_totals_name[], rps_traffic_events_name[],
    rps_traffic_came_name[];
rps_status rps_traffic_save(const rps_scene *scene, const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_traffic_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err);

/* fork_traffic.c: takes over the counts of the scene from which a fork begins, before the groups of the worlds are
 * exchanged. Those of flows, zones and sources go on where the other scene says the same under the same name, and those of sinks
 * by name; all others begin at this step. */
rps_status rps_traffic_fork(rps_scene *scene, const rps_scene *source, const rps_world *built, const rps_world *world,
                            const char *run, rps_error *err);
/* All tallies: of flows, sinks, zones and, if a probe reads one, sources; what they are of, for summaries. */
size_t rps_traffic_tallies(const rps_scene *scene);
rps_tally *rps_traffic_tally(const rps_scene *scene, size_t index, const char **what, const char **name);

#endif
