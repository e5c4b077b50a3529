/*
 * Contacts of two ellipsoids or superquadrics (exponents from 2 on), RPS_WIDE pairs at a time (touch_smooth_kernel.c).
 *
 * A group holds up to RPS_SMOOTH_GROUP pairs, one a lane; empty lanes repeat a full one. No lane depends on another, so
 * a result does not depend on the group that the pair is in. Points are in units of m from the center of their body, in
 * the axes of that body.
 */
#ifndef RPS_DETECT_TOUCH_SMOOTH_H
#define RPS_DETECT_TOUCH_SMOOTH_H

#include <stdbool.h>

enum { RPS_SMOOTH_GROUP = 8 };
typedef double rps_smooth_lane[RPS_SMOOTH_GROUP];

typedef struct rps_smooth_body {
    rps_smooth_lane turn[4];     /* quaternion w x y z from the body's axes to the world's */
    rps_smooth_lane axis[3];     /* m, semi-axes */
    rps_smooth_lane exponent[2]; /* n1, n2 of superquadric.c; not read of ellipsoids */
    rps_smooth_lane point[3];    /* m, start, near the surface */
    /* found, all but the branch as touch.h defines it */
    rps_smooth_lane branch[3];   /* m, world axes: from the center to the surface point */
    rps_smooth_lane curve[6];    /* 1/m, shape operator, world axes */
    rps_smooth_lane mean;        /* 1/m, mean curvature */
    rps_smooth_lane gradient[3]; /* 1/m^2, of the mean curvature along the surface, world axes */
} rps_smooth_body;

typedef struct rps_smooth_group {
    _Alignas(64) rps_smooth_lane d[3]; /* m, center of i less center of j */
    rps_smooth_lane size;              /* m, the larger bounding radius */
    rps_smooth_body body[2];           /* i, j */
    bool ellipsoids;                   /* all exponents are 2 */
    bool gradients;                    /* gradients are wanted; superquadrics that are apart have 0 */
    rps_smooth_lane normal[3];         /* unit, from j into i */
    rps_smooth_lane overlap;           /* m */
    rps_smooth_lane found;             /* 1: the point is a common normal to rounding, else 0 */
} rps_smooth_group;

/* Common normals from the start points. Normal and overlap are good to 1e-12 of the size, the points to that times the
 * local condition number. Which common normal of two overlapping bodies it is the caller must prove (pair_convex.c). */
typedef void rps_smooth_touch_fn(rps_smooth_group *group);
rps_smooth_touch_fn rps_smooth_touch_sse2, rps_smooth_touch_avx2, rps_smooth_touch_avx512;

/* The distance of the two planes across the line of centers that support the bodies, as `-overlap`: positive, the
 * bodies are at least that far apart. Sets the start points to the support points. */
typedef void rps_smooth_start_fn(rps_smooth_group *group);
rps_smooth_start_fn rps_smooth_start_sse2, rps_smooth_start_avx2, rps_smooth_start_avx512;

#endif
