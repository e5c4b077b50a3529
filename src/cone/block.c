/* Solves one block. It is open if the velocity without impulses separates, and held if the impulses that stop all
 * motion lie in the cone. Otherwise projected steps in the group metric, with s(u) updated at each, find the
 * solution; for a fixed s they are steps of a convex quadratic program. */
#include "block.h"

#include <math.h>
#include <string.h>

enum { LOCAL_STEPS = 40, SQUARINGS = 5 };
#define LOCAL_SHARE 1e-2 /* last step of the block over its first: the neighbours change the block by more */

/* No start vector, so that a change of units by powers of two changes no bit. */
double rps_cone_block_bound(const rps_cone_shape *shape, const double *w, const double *eta) {
    int d = shape->rows;
    double a[RPS_CONE_ROWS * RPS_CONE_ROWS] = {0}, square[RPS_CONE_ROWS * RPS_CONE_ROWS] = {0};
    double scale[SQUARINGS + 1] = {0}, bound;
    for (int k = 0; k < d * d; k++) {
        a[k] = eta[shape->group[k / d]] * w[k];
    }
    for (int round = 0; round <= SQUARINGS; round++) {
        double trace = 0;
        for (int k = 0; k < d; k++) {
            trace += a[k * d + k];
        }
        scale[round] = trace;
        if (!(trace > 0) || round == SQUARINGS) {
            break;
        }
        for (int k = 0; k < d * d; k++) {
            a[k] /= trace;
        }
        for (int i = 0; i < d; i++) {
            for (int j = 0; j < d; j++) {
                double sum = 0;
                for (int k = 0; k < d; k++) {
                    sum += a[i * d + k] * a[k * d + j];
                }
                square[i * d + j] = sum;
            }
        }
        memcpy(a, square, sizeof a);
    }
    bound = scale[SQUARINGS];
    for (int round = SQUARINGS; round > 0; round--) {
        bound = scale[round - 1] * sqrt(bound);
    }
    return bound > 0 ? bound : scale[0];
}

bool rps_cone_block_metric(const rps_cone_shape *shape, const double *w, double *eta) {
    bool finite = isfinite(eta[0] = 1 / w[0]);
    for (int g = 0; g < shape->cones; g++) {
        double sum = 0;
        for (int k = shape->first[g]; k < shape->first[g] + shape->size[g]; k++) {
            sum += w[k * shape->rows + k];
        }
        eta[1 + g] = sum > 0 ? shape->size[g] / sum : eta[0]; /* rows that no impulse moves: any number works */
        finite = finite && isfinite(eta[1 + g]);
    }
    return finite;
}

static double coefficient(const rps_cone_shape *shape, const double *c, int row) {
    return row == 0 ? 1 : c[shape->group[row] - 1];
}

void rps_cone_block_invert(const rps_cone_shape *shape, const double *w, const double *eta, const double *c,
                           double *inverse) {
    int d = shape->rows;
    bool holds[RPS_CONE_ROWS] = {false};
    for (int k = 0; k < d; k++) {
        holds[k] = coefficient(shape, c, k) > 0 && w[k * d + k] > 0;
    }
    double a[RPS_CONE_ROWS][2 * RPS_CONE_ROWS] = {{0}};
    bool regular = true;
    for (int k = 0; k < d; k++) { /* diag(eta) W has pivots that are pure numbers */
        for (int j = 0; j < d; j++) {
            a[k][j] = holds[k] && holds[j] ? eta[shape->group[k]] * w[k * d + j] : j == k;
            a[k][d + j] = holds[k] && j == k ? eta[shape->group[k]] : 0;
        }
    }
    for (int k = 0; k < d && regular; k++) { /* no pivoting: the matrix is positive definite, or not used */
        regular = a[k][k] > 1e-9;
        for (int j = 0; j < d && regular; j++) {
            double factor = j == k ? 0 : a[j][k] / a[k][k];
            for (int m = k; m < 2 * d && factor != 0; m++) {
                a[j][m] -= factor * a[k][m];
            }
        }
    }
    for (int k = 0; k < d * d; k++) {
        inverse[k] = regular ? a[k / d][d + k % d] / a[k / d][k / d] : NAN;
    }
}

static bool block_inside(const rps_cone_shape *s, const double *c, const double *r) {
    for (int i = 0; i < s->cones; i++) {
        const double *l = r + s->first[i];
        double bound = c[i] * r[0];
        if (c[i] < INFINITY && !(l[0] * l[0] + (s->size[i] > 1 ? l[1] * l[1] : 0) <= bound * bound)) {
            return false;
        }
    }
    return r[0] >= 0;
}

static bool block_holds(const rps_cone_shape *s, const double *c) {
    for (int i = 0; i < s->cones; i++) {
        if (c[i] == INFINITY) {
            return true;
        }
    }
    return false;
}

void rps_cone_block_solve(const rps_cone_shape *s, rps_cone_law law, const double *w, const double *inverse,
                          const double *c, const double *eta, double lambda, const double *b, double *r) {
    int d = s->rows;
    bool coulomb = law == RPS_CONE_COULOMB;
    if (b[0] >= (coulomb ? 0 : rps_cone_slip(s, c, b)) && !block_holds(s, c)) {
        memset(r, 0, (size_t)d * sizeof *r);
        return;
    }
    if (!isnan(inverse[0])) {
        double held[RPS_CONE_ROWS] = {0};
        bool moves = false; /* although it should be held: nothing can stop it */
        for (int k = 0; k < d; k++) {
            moves = moves || (inverse[k * d + k] == 0 && coefficient(s, c, k) > 0 && b[k] != 0);
            for (int j = 0; j < d; j++) {
                held[k] -= inverse[k * d + j] * b[j];
            }
        }
        if (!moves && block_inside(s, c, held)) {
            memcpy(r, held, (size_t)d * sizeof *r);
            return;
        }
    }
    double first = 0;
    for (int step = 0; step < LOCAL_STEPS; step++) {
        double u[RPS_CONE_ROWS] = {0}, x[RPS_CONE_ROWS] = {0}, change = 0;
        for (int k = 0; k < d; k++) {
            u[k] = b[k];
            for (int j = 0; j < d; j++) {
                u[k] += w[k * d + j] * r[j];
            }
        }
        u[0] += coulomb ? rps_cone_slip(s, c, u) : 0;
        for (int k = 0; k < d; k++) {
            x[k] = r[k] - eta[s->group[k]] / lambda * u[k];
        }
        rps_cone_project(s, c, eta, x, x);
        for (int k = 0; k < d; k++) {
            double moved = x[k] - r[k];
            change += moved * moved / eta[s->group[k]];
            r[k] = x[k];
        }
        first = step == 0 ? change : first;
        if (change <= LOCAL_SHARE * LOCAL_SHARE * first) {
            return;
        }
    }
}
