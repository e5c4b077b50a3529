/* Residuals: the natural map of the law, relative to the size of its terms. Norms are kept as squares, and the root
 * is taken of their dimensionless ratio. */
#include "iterate.h"

#include <math.h>
#include <string.h>

/* Where a coefficient is large in the metric the dual cone is thin, and with s(u) even velocities that approach lie
 * next to it: the natural map sees only u_n / c of them, and would accept r = 0. For such cones u_n itself is added. */
#define STEEP 10.0

bool rps_cone_is_steep(const rps_cone_shape *s, const double *c, const double *eta) {
    for (int i = 0; i < s->cones; i++) {
        /* NOLINTNEXTLINE(*UndefinedBinaryOperatorResult): each cone has its group, RPS_CONE_GROUPS in all */
        if (c[i] < INFINITY && c[i] * c[i] * eta[0] > STEEP * STEEP * eta[1 + i]) {
            return true;
        }
    }
    return false;
}

void rps_cone_add_squares(const rps_cone_view *view, size_t i, const double *eta, const double *r, const double *u,
                          double slip, rps_cone_squares *sum) {
    const rps_cone_shape *s = view->shape;
    const double *q = view->q + i * (size_t)s->rows;
    double x[RPS_CONE_ROWS], y[RPS_CONE_ROWS];
    for (int k = 0; k < s->rows; k++) {
        x[k] = r[k] - eta[s->group[k]] * (k == 0 ? u[0] + slip : u[k]);
    }
    rps_cone_project(s, view->c + i * (size_t)s->cones, eta, x, y);
    for (int k = 0; k < s->rows; k++) {
        double e = eta[s->group[k]], f = r[k] - y[k];
        sum->f += f * f / e;
        sum->r += r[k] * r[k] / e;
        sum->u += u[k] * u[k] * e;
        sum->q += q[k] * q[k] * e;
    }
    if (u[0] < 0 && rps_cone_is_steep(s, view->c + i * (size_t)s->cones, eta)) {
        sum->f += u[0] * u[0] * eta[0];
    }
}

void rps_cone_add_joint_squares(const rps_cone_view *view, size_t k, double eta, double g, double u,
                                rps_cone_squares *sum) {
    double q = view->q[view->rows - view->joint_rows + k], x = g - eta * u;
    x = x < view->low[k] ? view->low[k] : x > view->high[k] ? view->high[k] : x;
    sum->f += (g - x) * (g - x) / eta;
    sum->r += g * g / eta;
    sum->u += u * u * eta;
    sum->q += q * q * eta;
}

double rps_cone_ratio(const rps_cone_squares *sum) {
    double size = sum->r > sum->u ? sum->r : sum->u;
    size = size > sum->q ? size : sum->q;
    if (!isfinite(sum->f) || !isfinite(size)) {
        return INFINITY; /* diverged: worse than anything */
    }
    return size > 0 ? sqrt(sum->f / size) : 0;
}

static rps_cone_squares residual_of_piece(const rps_cone_view *view, rps_cone_law law, const double *r, const double *u,
                                          bool metric, size_t piece) {
    static const double one[RPS_CONE_GROUPS] = {1, 1, 1, 1};
    const rps_cone_shape *s = view->shape;
    size_t end = (piece + 1) * RPS_CONE_PIECE < view->contacts ? (piece + 1) * RPS_CONE_PIECE : view->contacts;
    rps_cone_squares sum = {0};
    for (size_t i = piece * RPS_CONE_PIECE; i < end; i++) {
        size_t at = i * (size_t)s->rows;
        double slip = law == RPS_CONE_COULOMB ? rps_cone_slip(s, view->c + i * (size_t)s->cones, u + at) : 0;
        rps_cone_add_squares(view, i, metric ? view->eta + i * RPS_CONE_GROUPS : one, r + at, u + at, slip, &sum);
    }
    return sum;
}

typedef struct residual_task {
    const rps_cone_view *view;
    rps_cone_law law;
    bool metric;
    const double *r, *u;
    double (*part)[8];
} residual_task;

static void residual_of_part(void *context, rps_part part) {
    const residual_task *task = context;
    for (size_t piece = part.begin; piece < part.end; piece++) {
        const rps_cone_squares of = residual_of_piece(task->view, task->law, task->r, task->u, task->metric, piece);
        memcpy(task->part[piece], &of, sizeof of);
    }
}

static void residual_add(rps_cone_squares *sum, const rps_cone_squares *part) {
    sum->f += part->f;
    sum->r += part->r;
    sum->u += part->u;
    sum->q += part->q;
}

double rps_cone_residual(const rps_cone_view *view, rps_cone_law law, const double *r, const double *u, bool metric,
                         double (*part)[8]) {
    rps_cone_squares sum = {0}, one;
    size_t first = view->rows - view->joint_rows, pieces = rps_cone_pieces(view);
    if (part) {
        residual_task task = {view, law, metric, r, u, part};
        rps_parallel_for(view->workers, pieces, residual_of_part, &task);
    }
    for (size_t piece = 0; piece < pieces; piece++) {
        if (part) {
            memcpy(&one, part[piece], sizeof one);
        } else {
            one = residual_of_piece(view, law, r, u, metric, piece);
        }
        residual_add(&sum, &one);
    }
    for (size_t k = 0; k < view->joint_rows; k++) {
        rps_cone_add_joint_squares(view, k, metric ? view->joint_eta[k] : 1, r[first + k], u[first + k], &sum);
    }
    return rps_cone_ratio(&sum);
}
