/*
 * The exact geometry of bodies, for queries before a run and between steps: do two overlap, and where does one touch
 * another? Here a pair has one gap, even if the step gives it several contacts.
 */
#ifndef RPS_SCENE_SOLID_H
#define RPS_SCENE_SOLID_H

#include "detect/touch.h"
#include "world/world.h"

/* A placed shape: a body of one piece, or one piece of a body. */
typedef struct rps_solid {
    const rps_shape *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
    rps_vec3 center; /* m, origin of the shape */
    rps_quat orientation;
    rps_vec3 normal;      /* of a plane */
    const rps_mesh *mesh; /* of a mesh */
} rps_solid;

/* The number of solids, and one of them by index: of a checked definition, and of a body. */
int rps_solids_of_def(const rps_body_def *def);
rps_solid rps_solid_of_def(const rps_body_def *def, int piece);
int rps_solids_of_body(const rps_world *world, size_t slot);
rps_solid rps_solid_of_body(const rps_world *world, size_t slot, int piece);

/* m, farthest extent from the centre along a unit vector; infinite where a plane is unbounded. */
double rps_solid_extent(const rps_solid *solid, rps_vec3 direction);
/* m, gap between the surfaces; if they overlap, minus the smallest translation that separates them. d: m, centre of a
 * minus centre of b. Above `reach` the result says only that it is above. Two planes are infinitely far apart. */
double rps_solid_gap(const rps_solid *a, const rps_solid *b, rps_vec3 d, double reach);
/* The gap of bounded shapes at any distance, and the normal from b into a, which is the gradient of the gap as a
 * moves. */
double rps_solid_touch(const rps_solid *a, const rps_solid *b, rps_vec3 d, rps_vec3 *normal);
/* The gap of two bodies in their nearest images: the smallest of all pairs of pieces. */
double rps_body_gap(const rps_world *world, size_t slot_a, size_t slot_b, double reach);
/* m, between a body and a ball about a point; exact only near 0. */
double rps_ball_gap(const rps_world *world, size_t slot, rps_vec3 center, double radius);

#endif
