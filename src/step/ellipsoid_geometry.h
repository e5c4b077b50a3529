/*
 * Contacts of two ellipsoids, of an ellipsoid and a sphere, and of an ellipsoid and a plane: RPS_WIDE of a batch at a time
 * (ellipsoid_geometry_kernel.c). smooth_geometry.c says which entries of the batch these are.
 */
#ifndef RPS_STEP_ELLIPSOID_GEOMETRY_H
#define RPS_STEP_ELLIPSOID_GEOMETRY_H

#include "step/batch.h"

typedef struct rps_ellipsoid_entries {
    rps_lane mine; /* 1: an entry of this file, else 0 */
    /* of i and j; of other entries any that can be read: */
    const double *axis[2][RPS_BATCH_CAPACITY]; /* three semi-axes, m (of a plane 0), and any fourth number */
    const double *size[2][RPS_BATCH_CAPACITY]; /* half width and equal radius, m, and any two more numbers */
    double sphere[2][RPS_BATCH_CAPACITY][4];   /* what both refer to of a sphere: its radius */
} rps_ellipsoid_entries;

/* The geometry of the entries; of a plane lanes->normal holds the normal, from j into i. Returns a set bit for each that is
 * complete; all others must be set
 * after it, padding too: their lanes hold anything but for d and the radii. */
typedef uint64_t rps_ellipsoid_geometry_fn(const rps_batch_task *task, rps_lanes *lanes,
                                           const rps_ellipsoid_entries *entries);
rps_ellipsoid_geometry_fn rps_ellipsoid_geometry_sse2, rps_ellipsoid_geometry_avx2, rps_ellipsoid_geometry_avx512;

#endif
