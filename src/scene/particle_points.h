/* Particles from the files of other programs, as io/points.h reads them. */
#ifndef RPS_SCENE_PARTICLE_POINTS_H
#define RPS_SCENE_PARTICLE_POINTS_H

#include "io/points.h"
#include "scene/scene_internal.h"

typedef struct rps_particle_points {
    const rps_node *set, *node; /* the set and its `file` */
    const char *path;
    rps_points_format format;
    const rps_particle_template *particle_template;
    uint32_t number; /* of the set */
} rps_particle_points;

/* Is it a dump, data, VTU or PLY, by its `format`, which may be NULL, or by its name? */
bool rps_is_points_file(const char *path, const rps_node *format, rps_points_format *out);
/* Adds a body for each point of the last frame. */
rps_status rps_build_particle_points(rps_scene *scene, rps_world *world, const rps_particle_points *from,
                                     uint64_t *count, rps_error *err);

#endif
