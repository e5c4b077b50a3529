/* Accelerated projected gradient in the group metric, after Nesterov, with the step found by backtracking and a restart
 * whenever the momentum points uphill. The true law is reached by an outer fixed point: s is held while the convex
 * program with q_n + s is solved to a share of the current residual, then renewed from the velocities. The momentum is
 * kept through a renewal: s changes little, and building momentum up again would cost more than the whole inner
 * solution. */
#include "iterate.h"

#include <math.h>
#include <string.h>

#define INNER_SHARE 0.8 /* early renewals pay, as the momentum survives them */
#define STEP_UP (1 / 0.97)
enum { INNER_MAX = 1000 };

/* x = P(y - t B (wy + q + s e_n)) for every contact. */
static void project_step(const rps_cone_iterate *it, const double *y, const double *wy, double t, double *x) {
    const rps_cone_problem *p = it->problem;
    const rps_cone_shape *s = p->shape;
    for (size_t i = 0; i < p->contacts; i++) {
        size_t at = i * (size_t)s->rows;
        const double *eta = p->eta + i * RPS_CONE_GROUPS;
        for (int k = 0; k < s->rows; k++) {
            size_t a = at + (size_t)k;
            double u = wy[a] + p->q[a] + (k == 0 ? it->slip[i] : 0);
            x[a] = y[a] - t * eta[s->group[k]] * u;
        }
        rps_cone_project(s, p->c + i * (size_t)s->cones, eta, x + at, x + at);
    }
}

/* sum (a - b) (c - e) / eta */
static double inner_product(const rps_cone_problem *p, const double *a, const double *b, const double *c,
                            const double *e) {
    int d = p->shape->rows;
    double sum = 0;
    for (size_t i = 0; i < p->contacts; i++) {
        const double *eta = p->eta + i * RPS_CONE_GROUPS;
        for (int k = 0; k < d; k++) {
            size_t at = i * (size_t)d + (size_t)k;
            sum += (a[at] - b[at]) * (c[at] - e[at]) / eta[p->shape->group[k]];
        }
    }
    return sum;
}

/* d.(W d), d = x - y */
static double energy(const rps_cone_problem *p, const double *x, const double *wx, const double *y, const double *wy) {
    double sum = 0;
    for (size_t k = 0; k < p->rows; k++) {
        sum += (x[k] - y[k]) * (wx[k] - wy[k]);
    }
    return sum;
}

/* Residuals of r with u = wr + q: `with_slip` for the program with the s that is held, the return value for the law. */
static double judge(const rps_cone_iterate *it, const double *r, const double *wr, double *u, double *with_slip) {
    const rps_cone_problem *p = it->problem;
    const rps_cone_shape *s = p->shape;
    rps_cone_squares law = {0}, held = {0};
    for (size_t k = 0; k < p->rows; k++) {
        u[k] = wr[k] + p->q[k];
    }
    for (size_t i = 0; i < p->contacts; i++) {
        size_t at = i * (size_t)s->rows;
        const double *eta = p->eta + i * RPS_CONE_GROUPS;
        rps_cone_add_squares(p, i, eta, r + at, u + at, it->slip[i], &held);
        if (it->options->law == RPS_CONE_COULOMB) {
            double slip = rps_cone_slip(s, p->c + i * (size_t)s->cones, u + at);
            rps_cone_add_squares(p, i, eta, r + at, u + at, slip, &law);
        }
    }
    *with_slip = rps_cone_ratio(&held);
    return it->options->law == RPS_CONE_COULOMB ? rps_cone_ratio(&law) : *with_slip;
}

static void renew_slip(rps_cone_iterate *it, const double *u) {
    const rps_cone_problem *p = it->problem;
    if (it->options->law != RPS_CONE_COULOMB) {
        return;
    }
    it->result.slip_change = 0;
    for (size_t i = 0; i < p->contacts; i++) {
        double slip = rps_cone_slip(p->shape, p->c + i * (size_t)p->shape->cones, u + i * (size_t)p->shape->rows);
        double change = fabs(slip - it->slip[i]);
        it->result.slip_change = change > it->result.slip_change ? change : it->result.slip_change;
        it->slip[i] = slip;
    }
}

bool rps_cone_apgd(rps_cone_iterate *it, uint64_t quota) {
    const rps_cone_problem *p = it->problem;
    double *r = it->r, *wr = it->work[0], *y = it->work[1], *wy = it->work[2], *x = it->work[3], *wx = it->work[4],
           *u = it->work[5];
    double theta = 1, t = INFINITY, held, residual;
    for (size_t i = 0; i < p->contacts; i++) {
        t = 1 / p->lambda[i] < t ? 1 / p->lambda[i] : t;
    }
    rps_cone_product(p, r, wr);
    residual = judge(it, r, wr, u, &held);
    renew_slip(it, u);
    double target = INNER_SHARE * residual;
    memcpy(y, r, p->rows * sizeof *r);
    memcpy(wy, wr, p->rows * sizeof *r);
    uint64_t inner = 0;
    for (uint64_t n = 0; n < quota; n++) {
        for (;;) { /* the step is short enough if the quadratic model lies above the program at x */
            project_step(it, y, wy, t, x);
            rps_cone_product(p, x, wx);
            if (!(t * energy(p, x, wx, y, wy) > inner_product(p, x, y, x, y) * (1 + 1e-12)) || t < 1e-12) {
                break;
            }
            t *= 0.5;
        }
        bool uphill = inner_product(p, y, x, x, r) > 0;
        double next = 0.5 * (sqrt(theta * theta * theta * theta + 4 * theta * theta) - theta * theta);
        double beta = uphill ? 0 : theta * (1 - theta) / (theta * theta + next);
        theta = uphill ? 1 : next;
        for (size_t k = 0; k < p->rows; k++) {
            y[k] = x[k] + beta * (x[k] - r[k]);
            wy[k] = wx[k] + beta * (wx[k] - wr[k]);
            r[k] = x[k];
            wr[k] = wx[k];
        }
        t *= STEP_UP;
        it->result.gradient_steps++;
        it->result.iterations++;
        residual = judge(it, r, wr, u, &held);
        if (rps_cone_note(it, residual)) {
            return true;
        }
        if (it->options->law == RPS_CONE_COULOMB && (held <= target || ++inner >= INNER_MAX)) {
            renew_slip(it, u);
            it->result.outer_updates++;
            residual = residual < it->options->tolerance ? it->options->tolerance : residual;
            target = INNER_SHARE * residual;
            inner = 0;
        }
    }
    return false;
}
