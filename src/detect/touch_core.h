/*
 * Contacts of features of two cores (pair_core.h), RPS_WIDE of them at a time (touch_core_kernel.c).
 *
 * A group holds up to RPS_CORE_GROUP contacts of one kind, one a lane. No lane depends on another, so a result does not depend
 * on the group that the contact is in. Each kind has a first and a second body:
 *   balls    a vertex of the first against the solid second one;
 *   edges    an edge of each;
 *   corners  a vertex of the first against a plane.
 */
#ifndef RPS_DETECT_TOUCH_CORE_H
#define RPS_DETECT_TOUCH_CORE_H

enum { RPS_CORE_GROUP = 8 };
typedef double rps_core_lane[RPS_CORE_GROUP];

typedef struct rps_core_body {
    rps_core_lane turn[4];  /* quaternion w x y z from the core's axes to the world's; not read of a plane */
    rps_core_lane point[3]; /* m, in the core's axes: the vertex, or the middle of the edge */
    rps_core_lane
        along[3]; /* unit: the direction of the edge in the core's axes; of a plane its normal in the world's */
    rps_core_lane half[3]; /* m: half extents of the solid; of an edge half[0] */
    rps_core_lane radius;  /* m */
    rps_core_lane taper;   /* 1/m, of an edge: its radius is less by taper t^2 at t from the middle */
    rps_core_lane bend;    /* 1/m, curvature of edges and corners */
    /* found, as touch.h defines it: */
    rps_core_lane branch[3]; /* m, world axes */
    rps_core_lane curve[6];  /* 1/m, world axes */
} rps_core_body;

typedef struct rps_core_group {
    _Alignas(64) rps_core_lane d[3]; /* m, origin of the first core less that of the second */
    rps_core_lane cutoff;            /* m, gaps above it are apart */
    rps_core_body body[2];
    rps_core_lane normal[3]; /* unit, from the second body into the first */
    rps_core_lane overlap;   /* m; of a contact that is apart all that is set */
} rps_core_group;

/* The first n lanes of the group. All others hold numbers too, of any value. */
typedef void rps_core_touch_fn(rps_core_group *group, int n);
rps_core_touch_fn rps_core_balls_sse2, rps_core_balls_avx2, rps_core_balls_avx512;
rps_core_touch_fn rps_core_edges_sse2, rps_core_edges_avx2, rps_core_edges_avx512;
rps_core_touch_fn rps_core_corners_sse2, rps_core_corners_avx2, rps_core_corners_avx512;

#endif
