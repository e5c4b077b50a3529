/* The nearest image of cell.h for RPS_WIDE differences at a time. */
#ifndef RPS_BASE_CELL_SIMD_H
#define RPS_BASE_CELL_SIMD_H

#include "base/cell.h"
#include "base/simd.h"

#define RPS_CELL_LANES_(condition, number) ((rps_simd)((rps_mask)(condition) & (rps_mask)RPS_ALL(number)))

static inline __attribute__((always_inline)) void rps_cell_nearest_simd(const rps_cell *cell, rps_simd d[3]) {
    if (cell->sheared) {
        const int f = cell->flow, g = cell->gradient;
        d[f] = RPS_CELL_IMAGE(d[f], d[g], cell->half[g], cell->offset, RPS_CELL_LANES_);
    }
    for (int k = 0; k < 3; k++) {
        if (!(cell->period[k] > 0.0)) continue;
        d[k] = RPS_CELL_IMAGE(d[k], d[k], cell->half[k], cell->period[k], RPS_CELL_LANES_);
    }
}

#endif
