/*
 * Narrow phase: the gap between the pieces of two bodies, one file a pair of shapes, in closed form.
 *
 * A pair of shapes is written once, in its primary order; the table in pair.c says which order a pair of bodies has.
 * This is geometry for lists and questions; the contact loop has its own, vectorised.
 */
#ifndef RPS_DETECT_PAIR_H
#define RPS_DETECT_PAIR_H

#include "shape/shape.h"
#include "world/world.h"

typedef enum rps_pair_shape { RPS_PAIR_SPHERE, RPS_PAIR_PLANE, RPS_PAIR_SHAPES } rps_pair_shape;

/* Which column and row of the table a body has. */
static inline rps_pair_shape rps_pair_shape_of(const rps_world *world, size_t slot) {
    return world->bodies.shape[slot][0] == RPS_SHAPE_INDEX(plane) ? RPS_PAIR_PLANE : RPS_PAIR_SPHERE;
}

/* gap[k], m, between the bodies in slots a[k] and b[k]; negative of the overlap. */
typedef void (*rps_gap_function)(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count,
                                 double *gap);

void rps_gap_sphere_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap);
/* Primary order: a are planes, b are spheres. */
void rps_gap_plane_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap);

/* The same for any shapes; pairs that have no gap function (two planes) are infinitely apart. */
void rps_pair_gaps(const rps_world *world, rps_pair_shape shape_a, rps_pair_shape shape_b, const uint32_t *a,
                   const uint32_t *b, size_t count, double *gap);

/* False for pairs of shapes that never touch. */
bool rps_pair_exists(rps_pair_shape a, rps_pair_shape b);

/* m; the radius that scales the reach of a pair: the smaller one, and beside a plane the other's. */
static inline double rps_pair_smaller_radius(double a, double b) {
    return a > 0.0 && (a < b || !(b > 0.0)) ? a : b;
}

#endif
