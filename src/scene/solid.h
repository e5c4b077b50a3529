/*
 * Bodies by their true geometry, for what is asked before a run and between steps: do two overlap, where does one touch
 * another. Here a pair has one gap, whatever contacts the step makes of it.
 */
#ifndef RPS_SCENE_SOLID_H
#define RPS_SCENE_SOLID_H

#include "detect/touch.h"
#include "world/world.h"

/* A shape in the world: a body of one piece, or a piece. */
typedef struct rps_solid {
    const rps_shape *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
    rps_vec3 center; /* m, origin of the shape */
    rps_quat orientation;
    rps_vec3 normal; /* of a plane */
} rps_solid;

/* How many a body has, and the one with a number below that: of a definition, which was checked, and of a body. */
int rps_solids_of_def(const rps_body_def *def);
rps_solid rps_solid_of_def(const rps_body_def *def, int piece);
int rps_solids_of_body(const rps_world *world, size_t slot);
rps_solid rps_solid_of_body(const rps_world *world, size_t slot, int piece);

/* m, farthest extent from the centre along a unit vector; infinite for what a plane has no end in. */
double rps_solid_extent(const rps_solid *solid, rps_vec3 direction);
/* m, from the surface of one to that of the other, negative of the smallest translation that separates them. d: m, centre of a
 * less centre of b. A gap above `reach` may come out as a lower bound of it. Two planes are infinitely apart. */
double rps_solid_gap(const rps_solid *a, const rps_solid *b, rps_vec3 d, double reach);
/* The gap of bounded shapes however far apart, and the normal from b into a: what the gap grows by as a moves. */
double rps_solid_touch(const rps_solid *a, const rps_solid *b, rps_vec3 d, rps_vec3 *normal);
/* The gap of two bodies in nearest images, the smallest of all pairs of pieces. */
double rps_body_gap(const rps_world *world, size_t slot_a, size_t slot_b, double reach);
/* m, between a body and a ball about a point; exact only near 0. */
double rps_ball_gap(const rps_world *world, size_t slot, rps_vec3 center, double radius);

#endif
