/* Initial positions of bodies: shared by spheres (place.c) and all other shapes (place_shape.c). */
#ifndef RPS_SCENE_PLACE_H
#define RPS_SCENE_PLACE_H

#include "scene/scene_internal.h"

/* The state of placing one body. */
typedef struct rps_placing {
    const rps_scene *scene;
    const rps_world *world;
    const rps_node *place;
    const rps_body_def *def;
    bool rest;
    double gap;    /* m, of touching bodies */
    rps_vec3 load; /* N, force that presses the body */
    const rps_named *base[2];
    int bases;
    rps_error *err;
} rps_placing;

/* `above`, or against gravity, or +z. */
rps_vec3 rps_place_up(const rps_placing *p);
/* Finds the position of a body of known shape and orientation on one base. The body moves along the normal of a
 * plane, from the centre of a sphere towards `at`, or along `above` from `at` (NULL: the centre) on any other shape. */
rps_status rps_place_shape(const rps_placing *p, bool on_plane, const rps_vec3 *at, double position[3]);

#endif
