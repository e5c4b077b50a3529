/* Accelerated projected gradient in the group metric, after Nesterov, with the step found by backtracking and a
 * restart whenever the momentum points uphill. The true law is reached by an outer fixed point: s is held while the
 * convex program with q_n + s is solved to a share of the current residual, then updated from the velocities. The
 * momentum is kept through an update: s changes little, and building up momentum again would cost more than the whole
 * inner solution. */
#include "iterate.h"

#include <math.h>
#include <string.h>

#define INNER_SHARE 0.8 /* early updates pay, as the momentum survives them */
#define STEP_UP (1 / 0.97)
enum { INNER_MAX = 1000 };

/* Rows of a piece; the last piece has the rows of joints. */
typedef struct span {
    size_t contact, contact_end, row, row_end;
} span;

static span span_of(const rps_cone_view *p, size_t piece) {
    size_t d = (size_t)p->shape->rows;
    if (piece == rps_cone_pieces(p)) {
        return (span){p->contacts, p->contacts, p->contacts * d, p->rows};
    }
    size_t first = piece * RPS_CONE_PIECE, end = first + RPS_CONE_PIECE;
    end = end < p->contacts ? end : p->contacts;
    return (span){first, end, first * d, end * d};
}

static double apgd_eta_of(const rps_cone_view *p, size_t row) {
    size_t d = (size_t)p->shape->rows, i = row / d;
    return i < p->contacts ? p->eta[i * RPS_CONE_GROUPS + (size_t)p->shape->group[row % d]]
                           : p->joint_eta[row - p->contacts * d];
}

typedef struct gradient {
    rps_cone_iterate *it;
    double *r, *wr, *y, *wy, *x, *wx, *u;
    double t, beta; /* of the present stage */
} gradient;

static double sum_parts(const rps_cone_iterate *it, int which) {
    double sum = 0;
    for (size_t k = 0; k <= rps_cone_pieces(it->view); k++) {
        sum += it->part[k][which];
    }
    return sum;
}

static void project_part(void *context, rps_part pieces) {
    const gradient *a = context;
    const rps_cone_view *p = a->it->view;
    const rps_cone_shape *s = p->shape;
    const double t = a->t;
    size_t d = (size_t)s->rows;
    for (size_t piece = pieces.begin; piece < pieces.end; piece++) {
        span part = span_of(p, piece);
        for (size_t i = part.contact; i < part.contact_end; i++) {
            const double *eta = p->eta + i * RPS_CONE_GROUPS;
            for (size_t k = 0; k < d; k++) {
                size_t at = i * d + k;
                double u = a->wy[at] + p->q[at] + (k == 0 ? a->it->slip[i] : 0);
                a->x[at] = a->y[at] - t * eta[s->group[k]] * u;
            }
            rps_cone_project(s, p->c + i * (size_t)s->cones, eta, a->x + i * d, a->x + i * d);
        }
        for (size_t at = part.contact_end * d; at < part.row_end; at++) {
            size_t k = at - p->contacts * d;
            double x = a->y[at] - t * p->joint_eta[k] * (a->wy[at] + p->q[at]);
            a->x[at] = x < p->low[k] ? p->low[k] : x > p->high[k] ? p->high[k] : x;
        }
        double moved = 0, uphill = 0;
        for (size_t at = part.row; at < part.row_end; at++) {
            double step = a->x[at] - a->y[at], eta = apgd_eta_of(p, at);
            moved += step * step / eta;
            uphill -= step * (a->x[at] - a->r[at]) / eta;
        }
        a->it->part[piece][0] = moved;
        a->it->part[piece][1] = uphill;
    }
}

/* x = P(y - t B (wy + q + s e_n)); parts: |x - y|^2, (y - x).(x - r), both by B^-1. */
static void project_step(gradient *a, double t) {
    a->t = t;
    rps_cone_each_piece(a->it->view, project_part, a);
}

static void energy_part(void *context, rps_part pieces) {
    const gradient *a = context;
    for (size_t piece = pieces.begin; piece < pieces.end; piece++) {
        span part = span_of(a->it->view, piece);
        double sum = 0;
        for (size_t at = part.row; at < part.row_end; at++) {
            sum += (a->x[at] - a->y[at]) * (a->wx[at] - a->wy[at]);
        }
        a->it->part[piece][2] = sum;
    }
}

/* d.(W d), d = x - y */
static double energy(gradient *a) {
    rps_cone_each_piece(a->it->view, energy_part, a);
    return sum_parts(a->it, 2);
}

static void advance_part(void *context, rps_part pieces) {
    const gradient *a = context;
    const rps_cone_view *p = a->it->view;
    const rps_cone_shape *s = p->shape;
    const double beta = a->beta;
    size_t d = (size_t)s->rows;
    bool coulomb = a->it->options->law == RPS_CONE_COULOMB;
    for (size_t piece = pieces.begin; piece < pieces.end; piece++) {
        span part = span_of(p, piece);
        rps_cone_squares law = {0}, program = {0};
        for (size_t at = part.row; at < part.row_end; at++) {
            if (beta >= 0) {
                a->y[at] = a->x[at] + beta * (a->x[at] - a->r[at]);
                a->wy[at] = a->wx[at] + beta * (a->wx[at] - a->wr[at]);
                a->r[at] = a->x[at];
                a->wr[at] = a->wx[at];
            }
            a->u[at] = a->wr[at] + p->q[at];
        }
        for (size_t i = part.contact; i < part.contact_end; i++) {
            const double *eta = p->eta + i * RPS_CONE_GROUPS, *r = a->r + i * d, *u = a->u + i * d;
            rps_cone_add_squares(p, i, eta, r, u, a->it->slip[i], &program);
            if (coulomb) {
                rps_cone_add_squares(p, i, eta, r, u, rps_cone_slip(s, p->c + i * (size_t)s->cones, u), &law);
            }
        }
        for (size_t at = part.contact_end * d; at < part.row_end; at++) {
            size_t k = at - p->contacts * d;
            rps_cone_add_joint_squares(p, k, p->joint_eta[k], a->r[at], a->u[at], &program);
            rps_cone_add_joint_squares(p, k, p->joint_eta[k], a->r[at], a->u[at], &law);
        }
        memcpy(a->it->part[piece], &law, sizeof law);
        memcpy(a->it->part[piece] + 4, &program, sizeof program);
    }
}

/* Moves on from x with momentum beta (none: beta < 0, r stays) and evaluates r: *held for the program with fixed s,
 * the return value for the true law. */
static double apgd_advance(gradient *a, double beta, double *held) {
    bool coulomb = a->it->options->law == RPS_CONE_COULOMB;
    a->beta = beta;
    rps_cone_each_piece(a->it->view, advance_part, a);
    double sum[8];
    for (int k = 0; k < 8; k++) {
        sum[k] = sum_parts(a->it, k);
    }
    rps_cone_squares law = {sum[0], sum[1], sum[2], sum[3]}, program = {sum[4], sum[5], sum[6], sum[7]};
    *held = rps_cone_ratio(&program);
    return coulomb ? rps_cone_ratio(&law) : *held;
}

static void renew_slip(rps_cone_iterate *it, const double *u) {
    const rps_cone_view *p = it->view;
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
    const rps_cone_view *p = it->view;
    gradient a = {it, it->r, it->work[0], it->work[1], it->work[2], it->work[3], it->work[4], it->work[5], 0, 0};
    double theta = 1, t = INFINITY, held, residual;
    for (size_t i = 0; i < p->contacts; i++) {
        t = 1 / p->lambda[i] < t ? 1 / p->lambda[i] : t;
    }
    t = t < INFINITY ? t : 1;
    p->product(p->context, a.r, a.wr);
    residual = apgd_advance(&a, -1, &held);
    renew_slip(it, a.u);
    double target = INNER_SHARE * residual;
    memcpy(a.y, a.r, p->rows * sizeof *a.r);
    memcpy(a.wy, a.wr, p->rows * sizeof *a.r);
    uint64_t inner = 0;
    for (uint64_t n = 0; n < quota; n++) {
        for (;;) { /* the step is short enough if the quadratic model lies above the program at x */
            project_step(&a, t);
            p->product(p->context, a.x, a.wx);
            if (!(t * energy(&a) > sum_parts(it, 0) * (1 + 1e-12)) || t < 1e-12) {
                break;
            }
            t *= 0.5;
        }
        bool uphill = sum_parts(it, 1) > 0;
        double next = 0.5 * (sqrt(theta * theta * theta * theta + 4 * theta * theta) - theta * theta);
        double beta = uphill ? 0 : theta * (1 - theta) / (theta * theta + next);
        theta = uphill ? 1 : next;
        residual = apgd_advance(&a, beta, &held);
        t *= STEP_UP;
        it->result.gradient_steps++;
        it->result.iterations++;
        if (rps_cone_note(it, residual)) {
            return true;
        }
        if (it->options->law == RPS_CONE_COULOMB && (held <= target || ++inner >= INNER_MAX)) {
            renew_slip(it, a.u);
            it->result.candidate_updates++;
            residual = residual < it->options->tolerance ? it->options->tolerance : residual;
            target = INNER_SHARE * residual;
            inner = 0;
        }
    }
    return false;
}
