/*
 * The periodic cell: the box whose images fill space along its periodic axes. All arithmetic with periods is here.
 *
 * Positions lie in [0, period). Two bodies meet in the nearest image of their difference, which is found axis by axis. The
 * formula is written once, as a macro over a number or a vector of numbers, so that kernels (cell_wide.h) share it.
 */
#ifndef RPS_BASE_CELL_H
#define RPS_BASE_CELL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rps_cell {
    double period[3]; /* m; 0: the axis is open */
    double half[3];   /* m, half the period; infinite on an open axis */
    bool periodic;    /* along some axis */
} rps_cell;

/* The cell with these periods, m; 0: open. */
rps_cell rps_cell_make(const double period[3]);

/* x in the image in which the difference d is at most `half`: `by` is added to x if d is below -half and taken off if it is
 * above half. PART(condition, number): the number where the condition holds, else 0. */
#define RPS_CELL_IMAGE(x, d, half, by, PART) (((x) + PART((d) < -(half), by)) - PART((d) > (half), by))
#define RPS_CELL_PART_(condition, number) ((condition) ? (number) : 0.0)

/* The nearest image of a difference along one axis; both positions lie in the cell. */
static inline double rps_cell_nearest_along(const rps_cell *cell, int axis, double d) {
    return RPS_CELL_IMAGE(d, d, cell->half[axis], cell->period[axis], RPS_CELL_PART_);
}

/* The nearest image of the difference of two positions in the cell, in place. */
static inline void rps_cell_nearest(const rps_cell *cell, double d[3]) {
    for (int k = 0; k < 3; k++) d[k] = rps_cell_nearest_along(cell, k, d[k]);
}

/* Periods to take off any difference for its nearest image along a periodic axis; 0 up to half a period. */
static inline double rps_cell_turns(const rps_cell *cell, int axis, double d) {
    const double half = cell->half[axis], period = cell->period[axis];
    return d > half ? ceil((d - half) / period) : d < -half ? -ceil((-d - half) / period) : 0.0;
}

/* The second nearest image of a nearest one along a periodic axis. */
static inline double rps_cell_second_along(const rps_cell *cell, int axis, double d) {
    return d > 0.0 ? d - cell->period[axis] : d + cell->period[axis];
}

/* The whole periods nearest to a distance, m, to which no rounding clings; 0 along an open axis. */
static inline double rps_cell_whole_along(const rps_cell *cell, int axis, double distance) {
    const double period = cell->period[axis];
    return period > 0.0 ? period * floor(distance / period + 0.5) : 0.0;
}

/* The image of x that is nearest above `low` along a periodic axis. */
static inline double rps_cell_next_along(const rps_cell *cell, int axis, double x, double low) {
    return x - floor((x - low) / cell->period[axis]) * cell->period[axis];
}

/* How many images of x, 0 or more, lie in [low, high) along a periodic axis. */
static inline double rps_cell_count_along(const rps_cell *cell, int axis, double x, double low, double high) {
    return ceil((high - x) / cell->period[axis]) - ceil((low - x) / cell->period[axis]);
}

/* Brings a position into the cell and adds the periods taken off to `image`. False, with the position left alone, if it is
 * not a number or 1e9 periods or more away. */
bool rps_cell_wrap(const rps_cell *cell, double x[3], int32_t image[3]);

/* The position that was brought into the cell from this image. */
static inline void rps_cell_unwrap(const rps_cell *cell, const double x[3], const int32_t image[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = x[k] + image[k] * cell->period[k];
}

#endif
