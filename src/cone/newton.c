/* Newton's method on proximal steps: r+ = P(r0 - beta B (u(r+) + s e_n)) is solved for r+, with r0 the impulses so
 * far. For a fixed s this is the proximal point method, whose equations are regular even where W has half its rank,
 * as in hyperstatic stacks; the larger beta the fewer steps it takes. With the semismooth derivative of the
 * projection each step takes a few solutions of a sparse system, damped by the size of the residual. s(u) and its
 * derivative are part of the equations. beta grows while steps succeed and falls otherwise; after a few failures the
 * gradient method takes over. */
#include "newton.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

enum { INNER_MAX = 25, HALVINGS = 8, FAILURES = 4 };
#define BETA_FIRST 1e2 /* in the group metric, in which the diagonal of W is one */
#define BETA_MAX 1e10
#define BETA_UP 5
#define BETA_DOWN 8
#define INNER_SHARE 1e-1 /* of the initial residual: below it a proximal step is solved */
#define GOOD_SHARE 0.1   /* ... or at least of use */

static void contact_rows(const rps_cone_proximal *a, size_t i, bool derive) {
    const rps_cone_view *view = a->it->view;
    const rps_cone_shape *s = view->shape;
    size_t d = (size_t)s->rows;
    const double *c = view->c + i * (size_t)s->cones, *origin = a->origin + i * d, *u = a->u + i * d;
    const double *soft = a->compliance ? a->compliance + i * RPS_CONE_GROUPS : NULL;
    double eta[RPS_CONE_GROUPS] = {0}, share[RPS_CONE_GROUPS] = {0}, x[RPS_CONE_ROWS] = {0}, w[RPS_CONE_ROWS] = {0};
    for (int g = 0; g <= s->cones; g++) {
        double step = a->beta * view->eta[i * RPS_CONE_GROUPS + (size_t)g];
        share[g] = 1 / (1 + (soft ? soft[g] * step : 0));
        eta[g] = step * share[g];
    }
    for (size_t k = 0; k < d; k++) { /* as for s, with the compliance of the impulses so far */
        w[k] = u[k] + (soft ? soft[s->group[k]] * origin[k] : 0);
    }
    bool coulomb = a->it->options->law == RPS_CONE_COULOMB;
    double slip = coulomb ? rps_cone_slip(s, c, w) : 0;
    for (size_t k = 0; k < d; k++) {
        int g = s->group[k];
        x[k] = share[g] * origin[k] - eta[g] * (k == 0 ? u[0] + slip : u[k]);
    }
    rps_cone_project(s, c, eta, x, a->r + i * d);
    if (!derive) {
        return;
    }
    double *left = a->left + i * d * d;
    rps_cone_project_derivative(s, c, eta, x, left);
    for (size_t k = 0; k < d * d; k++) {
        left[k] *= eta[s->group[k % d]];
    }
    for (int cone = 0; cone < s->cones && coulomb; cone++) { /* a holding cone will not slip */
        int first = s->first[cone], size = s->size[cone];
        double l = size > 1 ? sqrt(w[first] * w[first] + w[first + 1] * w[first + 1]) : fabs(w[first]);
        double n = size > 1 ? sqrt(x[first] * x[first] + x[first + 1] * x[first + 1]) : fabs(x[first]);
        if (!(l > 0) || c[cone] == INFINITY || !(n > c[cone] * a->r[i * d])) {
            continue;
        }
        for (size_t k = 0; k < d; k++) {
            for (int m = first; m < first + size; m++) {
                left[k * d + (size_t)m] += left[k * d] * c[cone] * w[m] / l;
            }
        }
    }
}

void rps_cone_proximal_rows(const rps_cone_proximal *a, bool derive) {
    const rps_cone_view *view = a->it->view;
    size_t contact_count = view->rows - view->joint_rows, d = (size_t)view->shape->rows;
    for (size_t i = 0; i < view->contacts; i++) {
        contact_rows(a, i, derive);
    }
    for (size_t k = 0; k < view->joint_rows; k++) {
        size_t at = contact_count + k;
        double step = a->beta * view->joint_eta[k], share = 1 / (1 + a->joint_compliance[k] * step);
        double x = share * (a->origin[at] - step * a->u[at]);
        bool low = x<view->low[k], high = x> view->high[k];
        a->r[at] = low ? view->low[k] : high ? view->high[k] : x;
        if (derive) {
            a->left[contact_count * d + k] = low || high ? 0 : share * step;
        }
    }
}

/* --- the method --------------------------------------------------------------------------------------------------- */

struct rps_cone_newton {
    rps_cone_form *form;
    double *y, *g, *dy, *trial; /* [unknowns] */
    size_t bytes;
    double *left;
    double beta; /* of the next step */
};

static rps_status newton_prepare(rps_cone_iterate *it) {
    const rps_cone_view *view = it->view;
    rps_cone_form *form = NULL;
    void *memory = NULL;
    size_t square = (size_t)view->shape->rows * (view->rows - view->joint_rows) + view->joint_rows, count, bytes;
    RPS_TRY(view->form(view->context, view, &form, it->err));
    size_t header = (sizeof(struct rps_cone_newton) + sizeof(double) - 1) / sizeof(double);
    rps_status status = rps_size_mul(form->unknowns, 4, &count) && rps_size_add(count, square + header, &count)
                            ? rps_size_of_items(count, sizeof(double), &bytes, it->err)
                            : rps_fail(it->err, RPS_NO_MEMORY, "%zu rows do not fit into memory", view->rows);
    status = status == RPS_OK ? rps_memory_alloc_zeroed(form->allocator, bytes, &memory, it->err) : status;
    if (status != RPS_OK) {
        form->release(form);
        return status;
    }
    it->newton = memory;
    double *at = (double *)memory + header;
    *it->newton = (struct rps_cone_newton){form,
                                           at,
                                           at + form->unknowns,
                                           at + 2 * form->unknowns,
                                           at + 3 * form->unknowns,
                                           bytes,
                                           at + 4 * form->unknowns,
                                           BETA_FIRST};
    return RPS_OK;
}

void rps_cone_newton_release(rps_cone_iterate *it) {
    if (it->newton) {
        rps_cone_form *form = it->newton->form;
        rps_memory_release(form->allocator, it->newton, it->newton->bytes);
        form->release(form);
        it->newton = NULL;
    }
}

/* Solves one proximal step; false if the residual does not fall below the required share. */
static bool solve_step(rps_cone_proximal *a) {
    struct rps_cone_newton *m = a->it->newton;
    rps_cone_form *form = m->form;
    form->start(form->context, a->origin, m->y);
    double size = form->map(form->context, a, m->y, m->g, true), first = size;
    const double share = INNER_SHARE / a->beta; /* the residual turns into impulses times beta */
    bool progress = true;
    for (int n = 0; n < INNER_MAX && progress && size > share * share * first; n++) {
        a->it->result.iterations++;
        a->it->result.newton_steps++;
        form->derivative(form->context, a);
        memcpy(m->dy, m->g, form->unknowns * sizeof *m->dy);
        if (!rps_cone_sparse_factor(form->matrix) || !rps_cone_sparse_solve(form->matrix, m->dy)) {
            break;
        }
        double length = 1;
        progress = false;
        for (int halving = 0; halving < HALVINGS && !progress; halving++) {
            for (size_t k = 0; k < form->unknowns; k++) {
                m->trial[k] = m->y[k] - length * m->dy[k];
            }
            double next = form->map(form->context, a, m->trial, m->g, true);
            progress = next < (1 - 0.2 * length) * size;
            size = progress ? next : size;
            length *= 0.5;
        }
        if (progress) {
            memcpy(m->y, m->trial, form->unknowns * sizeof *m->y);
        }
    }
    if (!progress) {
        form->map(form->context, a, m->y, m->g, false);
    }
    return size <= GOOD_SHARE * GOOD_SHARE * first;
}

bool rps_cone_newton(rps_cone_iterate *it, uint64_t quota) {
    const rps_cone_view *view = it->view;
    if (!it->newton && (it->status = newton_prepare(it)) != RPS_OK) {
        return true;
    }
    rps_cone_proximal a = {.it = it,
                           .origin = it->work[0],
                           .compliance = it->newton->form->compliance,
                           .joint_compliance = it->newton->form->joint_compliance,
                           .u = it->work[1],
                           .r = it->work[2],
                           .left = it->newton->left};
    double *origin = it->work[0], *u = it->work[3], *beta = &it->newton->beta;
    uint64_t end = it->result.iterations + quota;
    int failures = 0;
    memcpy(origin, it->r, view->rows * sizeof *origin);
    while (it->result.iterations < end && failures < FAILURES) {
        uint64_t before = it->result.iterations;
        a.beta = *beta;
        bool good = solve_step(&a);
        it->result.iterations += it->result.iterations == before; /* so that limits are reached */
        memcpy(it->r, a.r, view->rows * sizeof *it->r);
        view->product(view->context, it->r, u);
        for (size_t k = 0; k < view->rows; k++) {
            u[k] += view->q[k];
        }
        double last = it->residual;
        double now = rps_cone_residual(view, it->options->law, it->r, u, true, it->part);
        if (rps_cone_note(it, now)) {
            return true;
        }
        bool better = good && now < last;
        failures = better ? 0 : failures + 1;
        *beta = better                  ? *beta * BETA_UP < BETA_MAX ? *beta * BETA_UP : BETA_MAX
                : *beta / BETA_DOWN > 1 ? *beta / BETA_DOWN
                                        : 1;
        if (better) {
            memcpy(origin, it->r, view->rows * sizeof *origin);
        }
    }
    return false;
}
