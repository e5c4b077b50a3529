/* Modes of springs and dampers that act on one body (step_modes.h). */
#include "step/step_modes.h"

#include <math.h>

enum { N = RPS_STEP_COORDINATES };

void rps_step_modes_add(rps_step_modes *modes, const double b[N], double other2, double k, double c) {
    double own2 = 0.0;
    for (int p = 0; p < N; p++) own2 += b[p] * b[p];
    if (!(own2 > 0.0) || (k == 0.0 && c == 0.0)) return;
    const double weight = (own2 + other2) / own2;
    for (int p = 0; p < N; p++) {
        const double k_p = weight * k * b[p], c_p = weight * c * b[p];
        for (int q = 0; q < N; q++) {
            modes->stiffness.m[p][q] += k_p * b[q];
            modes->damper.m[p][q] += c_p * b[q];
        }
    }
}

/* The largest eigenvalue of a positive semidefinite matrix, by squaring until one direction is left. */
static double largest_eigenvalue(const rps_step_matrix *given) {
    rps_step_matrix a = *given;
    for (int power = 0; power < 7; power++) {
        double trace = 0.0;
        for (int p = 0; p < N; p++) trace += a.m[p][p];
        if (!(trace > 0.0)) return 0.0;
        for (int p = 0; p < N; p++) {
            for (int q = 0; q < N; q++) a.m[p][q] /= trace;
        }
        rps_step_matrix square = {{{0.0}}};
        for (int p = 0; p < N; p++) { /* rows innermost: sums of their own, which run side by side */
            for (int r = 0; r < N; r++) {
                for (int q = 0; q < N; q++) square.m[p][q] += a.m[p][r] * a.m[r][q];
            }
        }
        a = square;
    }
    int column = 0;
    for (int p = 1; p < N; p++) {
        if (a.m[p][p] > a.m[column][column]) column = p;
    }
    double above = 0.0, below = 0.0;
    for (int p = 0; p < N; p++) {
        below += a.m[p][column] * a.m[p][column];
        for (int q = 0; q < N; q++) above += a.m[p][column] * given->m[p][q] * a.m[q][column];
    }
    return below > 0.0 ? above / below : 0.0;
}

static double step_modes_at(const rps_step_modes *modes, double dt) {
    rps_step_matrix sum;
    for (int p = 0; p < N; p++) {
        for (int q = 0; q < N; q++) sum.m[p][q] = dt * (dt * modes->stiffness.m[p][q] + 2.0 * modes->damper.m[p][q]);
    }
    return largest_eigenvalue(&sum);
}

/* The step at which the largest eigenvalue is 4: at most the limit of springs or dampers alone, and at least half of
 * it. */
double rps_step_modes_limit(const rps_step_modes *modes, double best) {
    static const double margin = 1.0 + 1e-6;
    if (isfinite(best) && step_modes_at(modes, margin * best) <= 4.0) return INFINITY;
    const double k = largest_eigenvalue(&modes->stiffness), c = largest_eigenvalue(&modes->damper);
    const double springs = k > 0.0 ? 2.0 / sqrt(k) : INFINITY, dampers = c > 0.0 ? 2.0 / c : INFINITY;
    double high = springs < dampers ? springs : dampers, low = 0.5 * high;
    if (!(low <= best)) return INFINITY;
    for (int n = 0; n < 30 && c > 0.0; n++) {
        const double middle = 0.5 * (low + high);
        if (step_modes_at(modes, middle) > 4.0) high = middle;
        if (!(step_modes_at(modes, middle) > 4.0)) low = middle;
    }
    return c > 0.0 ? low : high;
}
