/* Residuals: the natural map of the law over the size of what it is made of. Norms are kept as squares, and the root is
 * taken of their ratio, which is a pure number. */
#include "iterate.h"

#include <math.h>

static double of_map(const rps_cone_problem *p, rps_cone_law law, const double *r, const double *u, bool metric) {
    static const double one[RPS_CONE_GROUPS] = {1, 1, 1, 1};
    const rps_cone_shape *s = p->shape;
    rps_cone_squares sum = {0};
    for (size_t i = 0; i < p->contacts; i++) {
        size_t at = i * (size_t)s->rows;
        const double *c = p->c + i * (size_t)s->cones;
        double slip = law == RPS_CONE_COULOMB ? rps_cone_slip(s, c, u + at) : 0;
        rps_cone_add_squares(p, i, metric ? p->eta + i * RPS_CONE_GROUPS : one, r + at, u + at, slip, &sum);
    }
    return rps_cone_ratio(&sum);
}

void rps_cone_add_squares(const rps_cone_problem *p, size_t i, const double *eta, const double *r, const double *u,
                          double slip, rps_cone_squares *sum) {
    const rps_cone_shape *s = p->shape;
    const double *q = p->q + i * (size_t)s->rows;
    double x[RPS_CONE_ROWS], y[RPS_CONE_ROWS];
    for (int k = 0; k < s->rows; k++) {
        x[k] = r[k] - eta[s->group[k]] * (k == 0 ? u[0] + slip : u[k]);
    }
    rps_cone_project(s, p->c + i * (size_t)s->cones, eta, x, y);
    for (int k = 0; k < s->rows; k++) {
        double e = eta[s->group[k]], f = r[k] - y[k];
        sum->f += f * f / e;
        sum->r += r[k] * r[k] / e;
        sum->u += u[k] * u[k] * e;
        sum->q += q[k] * q[k] * e;
    }
}

double rps_cone_ratio(const rps_cone_squares *sum) {
    double size = sum->r > sum->u ? sum->r : sum->u;
    size = size > sum->q ? size : sum->q;
    if (!isfinite(sum->f) || !isfinite(size)) {
        return INFINITY; /* diverged: worse than anything */
    }
    return size > 0 ? sqrt(sum->f / size) : 0;
}

double rps_cone_residual_metric(const rps_cone_problem *p, rps_cone_law law, const double *r, const double *u) {
    return of_map(p, law, r, u, true);
}

double rps_cone_residual_euclidean(const rps_cone_problem *p, rps_cone_law law, const double *r, const double *u) {
    return of_map(p, law, r, u, false);
}
