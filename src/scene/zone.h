/*
 * Zones: regions that are watched, for how long bodies stay in them.
 *
 * A stay begins with the step after which the centre of a free body lies in the region, with its insertion there, or
 * with the run. It ends with the step after which the centre lies outside, or just before the step in which the body is
 * removed. The tally of a zone has the stays that have ended; one that goes on is kept by id.
 */
#ifndef RPS_SCENE_ZONE_H
#define RPS_SCENE_ZONE_H

#include "scene/region.h"
#include "scene/tally.h"
#include "world/world.h"

/* Of the body with this id. Group and mass are kept, since a removed body has none. */
typedef struct rps_stay {
    bool inside;
    int32_t group;
    double mass;   /* kg */
    uint64_t from; /* the step after which it began */
} rps_stay;

typedef struct rps_zone {
    const char *name;
    const rps_node *node;
    rps_region region;
    rps_tally tally; /* of stays that have ended, by their length */
    void *stay;      /* rps_stay by id */
    size_t stay_bytes;
    uint64_t known; /* ids below this are in `stay` */
    uint64_t gone;  /* how many ids had no body when it was looked last; UINT64_MAX: never looked */
} rps_zone;

rps_status rps_build_zones(rps_scene *scene, rps_error *err);
void rps_zones_release(const rps_allocator *allocator, rps_zone *zone, size_t count);
/* Resolves a name; fails at the node with near matches. */
rps_status rps_zone_find(const rps_scene *scene, const rps_node *node, size_t *index, rps_error *err);
/* Before a step: notes bodies that came and that were removed. After it: those that moved in and out. */
rps_status rps_zones_before_step(rps_scene *scene, const rps_world *world, rps_error *err);
rps_status rps_zones_after_step(rps_scene *scene, const rps_world *world, rps_error *err);
/* Mean time since the bodies of a group (-1: of all) that are inside came in, s; NAN if there are none. */
double rps_zone_age(const rps_scene *scene, const rps_world *world, size_t index, int group);

/* sections of a checkpoint; absent in a scene without zones */
extern const char rps_zone_stays_name[], rps_zone_masses_name[];
rps_status rps_zones_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err);
/* Takes over the stays of a zone of another scene, and their groups renumbered; bodies keep their ids. */
rps_status rps_zone_carry(rps_scene *scene, rps_zone *zone, const rps_zone *from, const int *group_of, rps_error *err);
rps_status rps_zones_restore(rps_scene *scene, const rps_world *world, const rps_checkpoint *c, rps_error *err);

#endif
