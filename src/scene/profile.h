/* Profiles: what bodies have in the bins of a line or of the distance from an axis. A body counts in the bin of its
 * centre, so that the sums over bins are those of the bodies between the ends. */
#ifndef RPS_SCENE_PROFILE_H
#define RPS_SCENE_PROFILE_H

#include "io/profile_tables.h"
#include "scene/region.h"
#include "world/world.h"

typedef struct rps_profile {
    const char *name;
    bool radial;
    rps_vec3 point, direction; /* m; unit vector of the line, or of the axis */
    int axis;                  /* of a line along a coordinate; -1: none */
    double from, to;           /* m */
    size_t bins;
    double extent; /* m^2 across a line, m along an axis; 0: not known */
    bool bounded;
    rps_region region; /* used if bounded */
    int group;         /* -1: all free bodies */
} rps_profile;

rps_status rps_build_profiles(rps_scene *scene, rps_error *err);
const rps_profile *rps_scene_profiles(const rps_scene *scene, size_t *count);

/* The bins of all profiles of a scene, the context, for results. measure takes moments as rps_frame_stress_add
 * makes them, NULL: none. */
rps_profile_source rps_scene_profile_source(const rps_scene *scene);

#endif
