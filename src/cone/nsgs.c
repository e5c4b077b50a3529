/* Block Gauss-Seidel. Each block is solved to more than the sweep can use: open, if the velocity without impulses
 * parts; held, if the impulses that stop all motion lie in the cone; else projected steps in the group metric with
 * s(u) renewed at each, which for a fixed s are steps of a convex quadratic program. */
#include "iterate.h"

#include <math.h>
#include <string.h>

enum { LOCAL_STEPS = 40, RESIDUAL_EVERY = 10 };
#define LOCAL_SHARE 1e-2 /* the block's last step over its first: the neighbours change it by more */

void rps_cone_invert_blocks(rps_cone_iterate *it) {
    const rps_cone_problem *p = it->problem;
    int d = p->shape->rows;
    for (size_t i = 0; i < p->contacts; i++) {
        const double *w = p->block + p->diagonal[i] * (size_t)(d * d), *eta = p->eta + i * RPS_CONE_GROUPS;
        double *inverse = it->inverse + i * (size_t)(d * d), a[RPS_CONE_ROWS][2 * RPS_CONE_ROWS] = {{0}};
        bool regular = true;
        for (int k = 0; k < d; k++) { /* diag(eta) W has pivots that are pure numbers */
            for (int j = 0; j < d; j++) {
                a[k][j] = eta[p->shape->group[k]] * w[k * d + j];
                a[k][d + j] = j == k ? eta[p->shape->group[k]] : 0;
            }
        }
        for (int k = 0; k < d && regular; k++) { /* no exchange of rows: the matrix is positive, or not used */
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
}

static bool inside(const rps_cone_shape *s, const double *c, const double *r) {
    for (int i = 0; i < s->cones; i++) {
        const double *l = r + s->first[i];
        double bound = c[i] * r[0];
        if (!(l[0] * l[0] + (s->size[i] > 1 ? l[1] * l[1] : 0) <= bound * bound)) {
            return false;
        }
    }
    return r[0] >= 0;
}

/* b: velocities without the contact's own impulses. */
static void solve_block(const rps_cone_iterate *it, size_t i, const double *b, double *r) {
    const rps_cone_problem *p = it->problem;
    const rps_cone_shape *s = p->shape;
    int d = s->rows;
    const double *w = p->block + p->diagonal[i] * (size_t)(d * d), *inverse = it->inverse + i * (size_t)(d * d);
    const double *c = p->c + i * (size_t)s->cones, *eta = p->eta + i * RPS_CONE_GROUPS;
    bool coulomb = it->options->law == RPS_CONE_COULOMB;
    if (b[0] >= (coulomb ? 0 : rps_cone_slip(s, c, b))) {
        memset(r, 0, (size_t)d * sizeof *r);
        return;
    }
    if (!isnan(inverse[0])) {
        double held[RPS_CONE_ROWS] = {0};
        for (int k = 0; k < d; k++) {
            held[k] = 0;
            for (int j = 0; j < d; j++) {
                held[k] -= inverse[k * d + j] * b[j];
            }
        }
        if (inside(s, c, held)) {
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
            x[k] = r[k] - eta[s->group[k]] / p->lambda[i] * u[k];
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

/* One sweep; returns the residual as the contacts saw it while the sweep passed, which is no proof but a hint. */
static double sweep(rps_cone_iterate *it) {
    const rps_cone_problem *p = it->problem;
    const rps_cone_shape *s = p->shape;
    int d = s->rows;
    bool coulomb = it->options->law == RPS_CONE_COULOMB;
    rps_cone_squares sum = {0};
    for (size_t i = 0; i < p->contacts; i++) {
        size_t at = i * (size_t)d;
        double u[RPS_CONE_ROWS] = {0}, b[RPS_CONE_ROWS] = {0};
        const double *w = p->block + p->diagonal[i] * (size_t)(d * d);
        rps_cone_row_product(p, i, it->r, u);
        for (int k = 0; k < d; k++) {
            u[k] += p->q[at + (size_t)k];
            b[k] = u[k];
            for (int j = 0; j < d; j++) {
                b[k] -= w[k * d + j] * it->r[at + (size_t)j];
            }
        }
        double slip = coulomb ? rps_cone_slip(s, p->c + i * (size_t)s->cones, u) : 0;
        rps_cone_add_squares(p, i, p->eta + i * RPS_CONE_GROUPS, it->r + at, u, slip, &sum);
        solve_block(it, i, b, it->r + at);
    }
    return rps_cone_ratio(&sum);
}

bool rps_cone_nsgs(rps_cone_iterate *it, uint64_t quota) {
    const rps_cone_problem *p = it->problem;
    double *u = it->work[0];
    bool stop = false;
    for (uint64_t n = 1; n <= quota && !stop; n++) {
        double hint = sweep(it);
        it->result.sweeps++;
        it->result.iterations++;
        if (hint <= 2 * it->options->tolerance || n % RESIDUAL_EVERY == 0 || n == quota ||
            it->result.iterations >= it->options->max_iterations) {
            rps_cone_product(p, it->r, u);
            for (size_t k = 0; k < p->rows; k++) {
                u[k] += p->q[k];
            }
            stop = rps_cone_note(it, rps_cone_residual_metric(p, it->options->law, it->r, u));
        }
    }
    return stop;
}
