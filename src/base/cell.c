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

bool rps_cell_wrap(const rps_cell *cell, double x[3], int32_t image[3]) {
    double rest[3];
    int32_t turns[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const double period = cell->period[k];
        rest[k] = x[k];
        if (!(period > 0.0) || (x[k] >= 0.0 && x[k] < period)) continue;
        if (!(fabs(x[k] / period) < PERIODS_MOST)) return false;
        turns[k] = cell_split(x[k], period, &rest[k]);
    }
    for (int k = 0; k < 3; k++) image[k] += turns[k];
    memcpy(x, rest, sizeof rest);
    return true;
}
