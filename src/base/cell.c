#include "base/cell.h"

#include <string.h>

#define PERIODS_MOST 1e9 /* images are counted in 32 bits */

rps_cell rps_cell_make(const double period[3]) {
    rps_cell cell = {.periodic = false};
    for (int k = 0; k < 3; k++) {
        cell.period[k] = period[k];
        cell.half[k] = period[k] > 0.0 ? 0.5 * period[k] : INFINITY;
        cell.periodic = cell.periodic || period[k] > 0.0;
    }
    return cell;
}

/* Periods of x; *rest: what is left of it, in [0, period). */
static int32_t cell_split(double x, double period, double *rest) {
    int64_t whole = (int64_t)(x / period);
    *rest = x - (double)whole * period;
    if (*rest < 0.0) {
        *rest += period;
        whole--;
    }
    if (*rest >= period) { /* also where a tiny negative rest was rounded up to the period */
        *rest -= period;
        whole++;
    }
    return (int32_t)whole;
}

void rps_cell_shear(rps_cell *cell, int flow, int gradient, double rate) {
    cell->sheared = true;
    cell->flow = flow;
    cell->gradient = gradient;
    cell->speed = rate * cell->period[gradient];
}

bool rps_cell_set_travel(rps_cell *cell, double travel) {
    const double periods = travel / cell->period[cell->flow];
    if (!(fabs(periods) < PERIODS_MOST)) return false;
    cell->travel = travel;
    cell->whole = (int32_t)floor(periods + 0.5);
    cell->offset = travel - cell->whole * cell->period[cell->flow];
    return true;
}

/* Brings x into one period of an axis. */
static bool wrap_along(const rps_cell *cell, int axis, double *x, int32_t *turns) {
    const double period = cell->period[axis], given = *x;
    *turns = 0;
    if (!(period > 0.0) || (given >= 0.0 && given < period)) return true;
    if (!(fabs(given / period) < PERIODS_MOST)) return false;
    *turns = cell_split(given, period, x);
    return true;
}

bool rps_cell_wrap(const rps_cell *cell, double x[3], double v[3], int32_t image[3]) {
    const int f = cell->flow, g = cell->gradient;
    double to[3] = {x[0], x[1], x[2]};
    int32_t turns[3], up = 0;
    if (cell->sheared) { /* first along the gradient axis, which moves it along the flow axis */
        if (!wrap_along(cell, g, &to[g], &up)) return false;
        to[f] -= up * cell->offset;
    }
    for (int k = 0; k < 3; k++) {
        if (!wrap_along(cell, k, &to[k], &turns[k])) return false;
    }
    for (int k = 0; k < 3; k++) image[k] += turns[k];
    memcpy(x, to, sizeof to);
    if (up == 0) return true;
    v[f] -= up * cell->speed;
    image[g] += up;
    image[f] -= up * cell->whole; /* they are in the travel of rps_cell_unwrap */
    return true;
}
