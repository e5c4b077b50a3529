/*
 * Smallest gaps of pairs of spheres along their predicted paths (gap_spheres_kernel.c).
 */
#ifndef RPS_DETECT_SWEPT_SPHERES_H
#define RPS_DETECT_SWEPT_SPHERES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cell.h"
#include "detect/prediction.h"
#include "world/bodies.h"

typedef struct rps_swept_spheres {
    /* read */
    const rps_pose *pose; /* by slot */
    const rps_prediction *prediction;
    const uint32_t *i, *j; /* slots, by pair */
    size_t count;
    double time; /* s, length of the paths */
    rps_cell cell;
    /* written, by pair */
    double *gap;  /* m */
    float *pass2; /* m^2/s^2, squared speed at which the two pass each other */
} rps_swept_spheres;

typedef void rps_sweep_spheres_fn(const rps_swept_spheres *task);
rps_sweep_spheres_fn rps_sweep_spheres_sse2, rps_sweep_spheres_avx2, rps_sweep_spheres_avx512;

#endif
