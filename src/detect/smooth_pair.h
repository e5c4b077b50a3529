/*
 * Pairs of bodies that are one ellipsoid or superquadric each, as lanes of a group (touch_smooth.h).
 */
#ifndef RPS_DETECT_SMOOTH_PAIR_H
#define RPS_DETECT_SMOOTH_PAIR_H

#include "detect/touch_smooth.h"
#include "shape/shape.h"
#include "world/body_shape.h"

/* A body that is one smooth shape. */
typedef struct rps_smooth_shape {
    const rps_shape *shape;
    const double *axis, *exponent; /* three semi-axes, m; n1, n2 */
    double half_width;             /* m */
    double radius;                 /* m, of the bounding sphere */
} rps_smooth_shape;

/* Both bodies as smooth shapes; false if this file is not for them: other shapes, exponents below 2, semi-axes so
 * different that curvatures span more digits than the residuals leave, or images of held bodies (image.h). */
bool rps_smooth_pair(const rps_world *world, size_t slot_i, size_t slot_j, rps_smooth_shape shape[2]);
/* Above this ratio of the semi-axes the curvatures span more digits than the residuals of the kernels leave. */
#define RPS_SMOOTH_ASPECT 16.0

/* True of an ellipsoid that this file is for, or a superquadric that is one. Its semi-axes come first in its parameters. */
static inline bool rps_piece_is_ellipsoid(const rps_piece *piece) {
    const double *p = piece->parameter;
    if (piece->shape != (double)RPS_SHAPE_INDEX(ellipsoid) &&
        !(piece->shape == (double)RPS_SHAPE_INDEX(superquadric) && p[3] == 2.0 && p[4] == 2.0)) {
        return false;
    }
    return RPS_SMOOTH_ASPECT * piece->half_width >= piece->radius;
}
/* Puts a pair into lane m, but for the start points. d: m, from j to i. */
void rps_smooth_set(rps_smooth_group *group, int m, const rps_world *world, size_t slot_i, size_t slot_j,
                    const rps_smooth_shape shape[2], const double d[3]);
/* Repeats lane n - 1 in the lanes from n on. */
void rps_smooth_fill(rps_smooth_group *group, int n);
/* True if lane m is the contact of the pair: a common normal, and the one of the smallest overlap (pair_convex.c). */
bool rps_smooth_proven(const rps_smooth_group *group, int m, const rps_smooth_shape shape[2]);
/* Gaps of up to RPS_SMOOTH_GROUP pairs that rps_smooth_pair allows, as rps_convex_gap, m. Returns a set bit for each
 * that is found. */
unsigned rps_smooth_gaps(const rps_world *world, const uint32_t *a, const uint32_t *b, const size_t *index, int n,
                         double *gap);

#endif
