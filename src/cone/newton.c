/* Newton's method on proximal steps: r+ solves the law with velocities u(r+) + (r+ - r0) / (beta eta), r0 the impulses
 * so far. This is the proximal point method, whose equations are regular even where W has half its rank, as in hyperstatic
 * stacks; the larger beta the fewer steps it takes. With the semismooth derivative each step takes a few solutions of a
 * sparse system, damped by the size of the residual. beta grows while steps succeed and falls otherwise; after a few
 * failures another method takes over.
 *
 * With that compliance on the diagonal the law of a contact has a closed form. The convex one is a projection on the cone.
 * Coulomb's is that of Alart & Curnier (1991): with x = r0 - beta eta u the normal impulse is max(0, x_n), and friction is
 * x_t, cut at mu times it. It needs no s(u), which a projection would take from impulses of the step before. */
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
#define RISE 1.1       /* of the residual in a step: on a plateau of another method the first steps raise it a little */
#define GOOD_SHARE 0.1 /* ... or at least of use */

/* The point of a contact before its cone bounds it, x = share r0 - eta u, and the metric eta with compliance. */
typedef struct proximal_point {
    double eta[RPS_CONE_GROUPS], x[RPS_CONE_ROWS];
} proximal_point;

static proximal_point proximal_point_of(const rps_cone_proximal *a, size_t i) {
    const rps_cone_view *view = a->it->view;
    const rps_cone_shape *s = view->shape;
    const size_t d = (size_t)s->rows;
    const double *soft = a->compliance ? a->compliance + i * RPS_CONE_GROUPS : NULL;
    proximal_point p = {{0}, {0}};
    double share[RPS_CONE_GROUPS] = {0};
    for (int g = 0; g <= s->cones; g++) {
        const double step = a->beta * view->eta[i * RPS_CONE_GROUPS + (size_t)g];
        share[g] = 1 / (1 + (soft ? soft[g] * step : 0));
        p.eta[g] = step * share[g];
    }
    for (size_t k = 0; k < d; k++) {
        const int g = s->group[k];
        p.x[k] = share[g] * a->origin[i * d + k] - p.eta[g] * a->u[i * d + k];
    }
    return p;
}

/* The convex law: the projection on the cone. left, if asked for: its derivative times eta. */
static void convex_rows(const rps_cone_shape *s, const double *c, const proximal_point *p, double *r, double *left) {
    const size_t d = (size_t)s->rows;
    rps_cone_project(s, c, p->eta, p->x, r);
    if (!left) return;
    rps_cone_project_derivative(s, c, p->eta, p->x, left);
    for (size_t k = 0; k < d * d; k++) {
        left[k] *= p->eta[s->group[k % d]];
    }
}

/* Coulomb's law: friction of one cone, cut at the bound that the normal impulse sets. */
static void coulomb_cone(const rps_cone_shape *s, double c, int cone, const proximal_point *p, double *r,
                         double *left) {
    const size_t d = (size_t)s->rows, first = (size_t)s->first[cone], size = (size_t)s->size[cone];
    const double *x = p->x + first, eta = p->eta[1 + cone], bound = c * r[0];
    const double square = x[0] * x[0] + (size > 1 ? x[1] * x[1] : 0);
    const bool holds = c == INFINITY || square <= bound * bound;
    const double length = sqrt(square), share = holds ? 1 : bound / length;
    for (size_t k = 0; k < size; k++) r[first + k] = share * x[k];
    if (!left || (holds && r[0] == 0 && c != INFINITY)) return;
    for (size_t k = 0; k < size; k++) {
        double *row = left + (first + k) * d;
        if (!holds) row[0] = c * x[k] / length * left[0];
        for (size_t m = 0; m < size; m++) {
            row[first + m] = share * eta * ((k == m ? 1 : 0) - (holds ? 0 : x[k] / length * (x[m] / length)));
        }
    }
}

/* ... of all rows. Its s(u) leaves the normal impulse as it is without friction. */
static void coulomb_rows(const rps_cone_shape *s, const double *c, const proximal_point *p, double *r, double *left) {
    if (left) memset(left, 0, (size_t)(s->rows * s->rows) * sizeof *left);
    r[0] = p->x[0] > 0 ? p->x[0] : 0;
    if (left && r[0] > 0) left[0] = p->eta[0];
    for (int cone = 0; cone < s->cones; cone++) coulomb_cone(s, c[cone], cone, p, r, left);
}

void rps_cone_proximal_rows(const rps_cone_proximal *a, bool derive) {
    const rps_cone_view *view = a->it->view;
    const rps_cone_shape *s = view->shape;
    size_t contact_count = view->rows - view->joint_rows, d = (size_t)s->rows;
    for (size_t i = 0; i < view->contacts; i++) {
        const proximal_point p = proximal_point_of(a, i);
        const double *c = view->c + i * (size_t)s->cones;
        double *left = derive ? a->left + i * d * d : NULL;
        if (a->it->options->law == RPS_CONE_COULOMB) {
            coulomb_rows(s, c, &p, a->r + i * d, left);
        } else {
            convex_rows(s, c, &p, a->r + i * d, left);
        }
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
        if (!rps_cone_sparse_factor(form->matrix, true) || !rps_cone_sparse_solve(form->matrix, m->dy)) {
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
        bool better = good && now < RISE * last;
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
