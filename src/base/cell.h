/*
 * The periodic cell: the box whose images fill space along its periodic axes. All arithmetic with periods is here.
 *
 * Positions lie in [0, period). Two bodies meet in the nearest image of their difference, which is found axis by axis. The
 * formula is written once, as a macro over a number or a vector of numbers, so that kernels (cell_simd.h) share it.
 *
 * A cell may be sheared (Lees & Edwards 1972): the next image up the gradient axis moves along the flow axis with
 * `speed`, the shear rate times the period of the gradient axis, and has come as far as `travel`. A body that leaves
 * through the upper face re-enters through the lower one, displaced by -travel along the flow axis and slower by
 * `speed`. Positions need only the travel modulo the period, which is `offset`.
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
    bool sheared;
    int flow, gradient; /* axes of a sheared cell, both periodic */
    double speed;       /* m/s; 0 unless sheared, and so are the next three */
    double travel;      /* m */
    double offset;      /* m, travel minus whole periods, at most half a period */
    int32_t whole;      /* these periods */
} rps_cell;

/* The cell with these periods, m; 0: open. */
rps_cell rps_cell_make(const double period[3]);
/* Shears the cell, at no travel. rate: 1/s. */
void rps_cell_shear(rps_cell *cell, int flow, int gradient, double rate);
/* False, with the cell unchanged, for a travel of 1e9 periods or more, or NaN. */
bool rps_cell_set_travel(rps_cell *cell, double travel);

/* x in the image in which the difference d is at most `half`: `by` is added to x if d is below -half and taken off if it is
 * above half. PART(condition, number): the number where the condition holds, else 0. */
#define RPS_CELL_IMAGE(x, d, half, by, PART) (((x) + PART((d) < -(half), by)) - PART((d) > (half), by))
#define RPS_CELL_PART_(condition, number) ((condition) ? (number) : 0.0)

/* The nearest image of a difference along one axis; both positions lie in the cell. */
static inline double rps_cell_nearest_along(const rps_cell *cell, int axis, double d) {
    return RPS_CELL_IMAGE(d, d, cell->half[axis], cell->period[axis], RPS_CELL_PART_);
}

/* Moves a difference along the flow axis of a sheared cell to the image that is nearest along the gradient axis. */
static inline void rps_cell_nearest_layer(const rps_cell *cell, double d[3]) {
    const int f = cell->flow, g = cell->gradient;
    d[f] = RPS_CELL_IMAGE(d[f], d[g], cell->half[g], cell->offset, RPS_CELL_PART_);
}

/* The nearest image of the difference of two positions in the cell, in place. */
static inline void rps_cell_nearest(const rps_cell *cell, double d[3]) {
    if (cell->sheared) rps_cell_nearest_layer(cell, d);
    for (int k = 0; k < 3; k++) d[k] = rps_cell_nearest_along(cell, k, d[k]);
}

/* Of two positions in a sheared cell with the difference d along the gradient axis: how many images up the second one is
 * seen from the first, -1 to 1. */
static inline double rps_cell_images_up(const rps_cell *cell, double d) {
    const double half = cell->half[cell->gradient];
    return RPS_CELL_PART_(d > half, 1.0) - RPS_CELL_PART_(d < -half, 1.0);
}

/* Mean velocity along the flow axis of a homogeneous shear at a height along the gradient axis, at rest in the middle of the
 * cell, m/s. */
static inline double rps_cell_flow_at(const rps_cell *cell, double height) {
    return cell->sheared ? cell->speed * (height / cell->period[cell->gradient] - 0.5) : 0.0;
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

/* The multiple of the period nearest to a distance, m, without rounding error; 0 along an open axis. */
static inline double rps_cell_whole_along(const rps_cell *cell, int axis, double distance) {
    const double period = cell->period[axis];
    return period > 0.0 ? period * floor(distance / period + 0.5) : 0.0;
}

/* The image of x that is nearest above `low` along a periodic axis. */
static inline double rps_cell_next_along(const rps_cell *cell, int axis, double x, double low) {
    return x - floor((x - low) / cell->period[axis]) * cell->period[axis];
}

/* The images x + n period in [low, high] along a periodic axis: n from *first to *last, whole numbers; none if last < first. */
static inline void rps_cell_images_along(const rps_cell *cell, int axis, double x, double low, double high,
                                         double *first, double *last) {
    *first = ceil((low - x) / cell->period[axis]);
    *last = floor((high - x) / cell->period[axis]);
}

/* How many images of x, 0 or more, lie in [low, high) along a periodic axis. */
static inline double rps_cell_count_along(const rps_cell *cell, int axis, double x, double low, double high) {
    return ceil((high - x) / cell->period[axis]) - ceil((low - x) / cell->period[axis]);
}

/* Brings a position into the cell and adds the periods taken off to `image`; in a sheared cell the velocity becomes
 * that of this image (v: NULL elsewhere). False, with everything unchanged, for a position that is NaN or 1e9 periods
 * or more away. */
bool rps_cell_wrap(const rps_cell *cell, double x[3], double v[3], int32_t image[3]);

/* The position in this image of one in the cell: on the path that the body took, which is smooth across the faces. */
static inline void rps_cell_unwrap(const rps_cell *cell, const double x[3], const int32_t image[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = x[k] + image[k] * cell->period[k];
    if (cell->sheared) out[cell->flow] += image[cell->gradient] * cell->travel;
}

/* The same with the offset for the travel: some image along the flow axis, for a search among all of them. */
static inline void rps_cell_image_near(const rps_cell *cell, const double x[3], const int32_t image[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = x[k] + image[k] * cell->period[k];
    if (cell->sheared) out[cell->flow] += image[cell->gradient] * cell->offset;
}

#endif
