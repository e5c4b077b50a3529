/*
 * Smallest gaps of pairs of spheres along their predicted paths, RPS_WIDE pairs at a time.
 *
 * Relative to the other sphere a center moves from d to d + u t. The gap is smallest at the closest approach, at the
 * fraction -d.ut / |ut|^2 of the path, or at the end of the path that is nearer to it.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include "base/cell_simd.h"
#include "detect/swept_spheres.h"

enum { PAIRS_AHEAD = 24 };
#define LEAST 1e-200 /* m^2: below any real displacement */

/* Poses and paths are scattered in memory: the first sphere of a run of pairs is mostly the same, the second is not. */
static inline __attribute__((always_inline)) void prefetch_ahead(const rps_swept_spheres *task, size_t first) {
    const size_t last = task->count - 1, at = first + PAIRS_AHEAD;
    for (size_t m = 0; m < RPS_WIDE; m++) {
        const uint32_t j = task->j[at + m < last ? at + m : last];
        __builtin_prefetch(&task->pose[j], 0, 3);
        __builtin_prefetch(&task->prediction[j], 0, 3);
    }
}

/* Moves to the nearest image in a sheared cell, whose images move. */
static inline __attribute__((always_inline)) void shear_speed(const rps_cell *cell, const rps_simd *d, rps_simd *u) {
    const rps_simd away = d[cell->gradient];
    const double half = cell->half[cell->gradient], speed = cell->speed;
    u[cell->flow] -= RPS_CELL_LANES_(away > half, speed) - RPS_CELL_LANES_(away < -half, speed);
}

/* RPS_WIDE pairs: gap in m, pass2 in m^2/s^2. */
static inline __attribute__((always_inline)) void sweep_some(const rps_swept_spheres *task, const uint32_t *i,
                                                             const uint32_t *j, rps_simd *gap, rps_simd *pass2) {
    const rps_simd4 add_radius = {1.0, 1.0, 1.0, -1.0}; /* the fourth element of a difference is the sum of the radii */
    rps_simd4 between[RPS_WIDE], pass[RPS_WIDE];
    for (int m = 0; m < RPS_WIDE; m++) {
        const rps_simd4 *at_i = (const rps_simd4 *)&task->pose[i[m]], *at_j = (const rps_simd4 *)&task->pose[j[m]];
        const rps_half4 *path_i = (const rps_half4 *)&task->prediction[i[m]];
        const rps_half4 *path_j = (const rps_half4 *)&task->prediction[j[m]];
        between[m] = *at_i - add_radius * *at_j;
        pass[m] = __builtin_convertvector(*path_i, rps_simd4) - __builtin_convertvector(*path_j, rps_simd4);
    }
    rps_simd d[4], u[4];
    RPS_TRANSPOSE_HALVES(between, d);
    RPS_TRANSPOSE_HALVES(pass, u);
    if (task->cell.sheared) shear_speed(&task->cell, d, u);
    rps_cell_nearest_simd(&task->cell, d);
    const double time = task->time;
    const rps_simd x = u[0] * time, y = u[1] * time, z = u[2] * time, none = RPS_ALL(0.0), whole = RPS_ALL(1.0);
    const rps_simd way2 = ((x * x + y * y) + z * z) + LEAST, ahead = -((d[0] * x + d[1] * y) + d[2] * z);
    rps_simd part = RPS_SELECT(ahead > none, ahead, none) / way2; /* fraction of the path to the closest approach */
    part = RPS_SELECT(part < whole, part, whole);
    const rps_simd nx = d[0] + part * x, ny = d[1] + part * y, nz = d[2] + part * z;
    const rps_simd distance2 = (nx * nx + ny * ny) + nz * nz;
    *gap = RPS_SQRT(distance2) - d[3];
    *pass2 = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
}

/* The last pairs, fewer than RPS_WIDE: the first of them fills the other lanes. */
static void sweep_rest(const rps_swept_spheres *task, size_t first) {
    const size_t left = task->count - first;
    uint32_t i[RPS_WIDE], j[RPS_WIDE];
    for (size_t m = 0; m < RPS_WIDE; m++) {
        i[m] = task->i[first + (m < left ? m : 0)];
        j[m] = task->j[first + (m < left ? m : 0)];
    }
    rps_simd gap, pass2;
    sweep_some(task, i, j, &gap, &pass2);
    for (size_t m = 0; m < left; m++) {
        task->gap[first + m] = gap[m];
        task->pass2[first + m] = (float)pass2[m];
    }
}

void RPS_ISA_NAME(rps_sweep_spheres)(const rps_swept_spheres *task) {
    size_t first = 0;
    for (; first + RPS_WIDE <= task->count; first += RPS_WIDE) {
        rps_simd pass2;
        prefetch_ahead(task, first);
        sweep_some(task, task->i + first, task->j + first, (rps_simd *)(task->gap + first), &pass2);
        for (int m = 0; m < RPS_WIDE; m++) task->pass2[first + (size_t)m] = (float)pass2[m];
    }
    if (first < task->count) sweep_rest(task, first);
}
