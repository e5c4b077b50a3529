/* Chooses the method, and alone decides when a problem is solved. `auto` starts with the accelerated gradient, which
 * was faster on nearly all problems tried, or for large systems with sweeps, which cost a fraction there. A method
 * that gains too little in its turn hands over to the next, and turns grow longer: gradient to Newton's method, if
 * factors are affordable, and this to sweeps. Decisions depend on residuals only, never on time. */
#include "solver.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "iterate.h"

enum {
    VECTORS = 8,
    SWEEPS_TURN = 100,
    SWEEPS_JOINTS_TURN = 30,  /* what contacts and bounded rows leave of them converges soon or hardly */
    SWEEPS_FIRST_TURN = 400,  /* where a gradient step costs several sweeps */
    SWEEPS_AGAIN_TURN = 1000, /* from zero */
    GRADIENT_TURN = 1000,
    GRADIENT_BETWEEN = 100,
    NEWTON_TURN = 200,
    TURN_MAX = 20000
};
#define FACTORISED_MAX 6000 /* unknowns: with more, auto leaves out Newton's method */
#define MACHINE_MAX 600     /* unknowns: with joints and no more than these, auto starts with Newton's method */
#define GRADIENT_GAIN 0.25  /* in its turn; less is stagnation */
#define DIVERGED 1e3        /* impulses over velocities, in the metric: well-posed problems have 1 to 100 */
#define PROOF 1e2           /* the velocity that would be needed, over the velocities of the problem */
#define MET 1e-3            /* what is left over the velocities of the problem: less, and a solution is there */

bool rps_cone_note(rps_cone_iterate *it, double residual) {
    if (residual < it->residual) {
        it->residual = residual;
        memcpy(it->best, it->r, it->view->rows * sizeof *it->r);
    }
    return it->residual <= it->options->tolerance || it->result.iterations >= it->options->max_iterations ||
           (it->options->max_seconds > 0 && rps_clock_seconds() - it->start_time >= it->options->max_seconds);
}

/* Impulses of an infeasible problem grow without bound, and the residual, relative to them, tends to 0. For any z in
 * K, every change of velocity v that satisfies the convex law has |v| >= -q.z / |D z|, D' v = u - q. The impulses
 * serve as z once they are large: if the bound exceeds the velocities of the problem by far, there is no solution. Light
 * bodies that hold heavy ones reach such impulses in a solution; there, what the residual leaves is small beside q too. */
static bool infeasible(const rps_cone_iterate *it) {
    const rps_cone_view *p = it->view;
    size_t d = (size_t)p->shape->rows, contact_rows = p->rows - p->joint_rows;
    double impulses = 0, free = 0, qz = 0, zwz = 0, *wz = it->work[0];
    const double *z = it->best;
    p->product(p->context, z, wz);
    for (size_t k = 0; k < p->rows; k++) {
        double eta = k < contact_rows ? p->eta[k / d * RPS_CONE_GROUPS + (size_t)p->shape->group[k % d]]
                                      : p->joint_eta[k - contact_rows];
        impulses += z[k] * z[k] / eta;
        free += p->q[k] * p->q[k] * eta;
        qz += p->q[k] * z[k];
        zwz += wz[k] * z[k];
    }
    if (it->residual * it->residual * impulses < MET * MET * free) return false;
    return impulses > DIVERGED * DIVERGED * free && qz < 0 && qz * qz > PROOF * PROOF * free * fabs(zwz);
}

enum { GRADIENT, SWEEPS, NEWTON, METHODS };

static bool take_turn(rps_cone_iterate *it, int method, uint64_t quota) {
    const rps_cone_view *p = it->view;
    if (method == NEWTON) return rps_cone_newton(it, quota);
    if (p->prepare && (it->status = p->prepare(p->context, it->err)) != RPS_OK) return true;
    return method == SWEEPS ? rps_cone_nsgs(it, quota) : rps_cone_apgd(it, quota);
}

/* Contacts between bodies that joints hold. */
static bool touch_jointed(const rps_cone_view *p) {
    return p->contacts > 0 && p->joint_rows > 0;
}

/* Few bodies, held by joints, in contact: a Newton step costs as much as a few sweeps, and from the impulses of the step
 * before one is mostly enough. */
static bool is_small_machine(const rps_cone_view *p) {
    return touch_jointed(p) && p->form && p->form_unknowns <= MACHINE_MAX;
}

/* The next method after one that gained too little. */
static int next_method(const rps_cone_iterate *it, int method) {
    if (it->options->method == RPS_CONE_NEWTON) {
        return method == NEWTON ? GRADIENT : NEWTON;
    }
    bool newton = it->view->form && it->view->form_unknowns <= FACTORISED_MAX;
    if (touch_jointed(it->view) && newton) return method == SWEEPS ? NEWTON : SWEEPS;
    return method == GRADIENT && newton ? NEWTON : method == SWEEPS ? GRADIENT : SWEEPS;
}

/* s(u) of a steep cone is so large that the fixed point of the gradient method diverges; sweeps treat it in each
 * block. */
static bool is_steep(const rps_cone_view *p) {
    for (size_t i = 0; i < p->contacts; i++) {
        if (rps_cone_is_steep(p->shape, p->c + i * (size_t)p->shape->cones, p->eta + i * RPS_CONE_GROUPS)) {
            return true;
        }
    }
    return false;
}

/* Sweeps alone, and only without joints: their loads change little from step to step, so the warm start is good. */
static bool may_start_again(const rps_cone_iterate *it) {
    return it->options->method == RPS_CONE_AUTO && it->warm && it->view->sweeps_first && it->view->joint_rows == 0;
}

/* A warm start may lie where sweeps hardly move, as with the loads of arches that have just failed; from zero they then take
 * a third of the sweeps. */
static bool start_from_zero(rps_cone_iterate *it) {
    memset(it->r, 0, it->view->rows * sizeof *it->r);
    return rps_cone_nsgs(it, SWEEPS_AGAIN_TURN);
}

static void solve_run(rps_cone_iterate *it) {
    rps_cone_method asked = it->options->method;
    bool newton = asked == RPS_CONE_NEWTON && it->view->form;
    const bool small_machine = is_small_machine(it->view), direct = asked == RPS_CONE_AUTO && small_machine;
    uint64_t turn[METHODS] = {newton ? GRADIENT_BETWEEN : GRADIENT_TURN,
                              small_machine            ? SWEEPS_JOINTS_TURN
                              : it->view->sweeps_first ? SWEEPS_FIRST_TURN
                                                       : SWEEPS_TURN,
                              NEWTON_TURN};
    bool sweeps = asked == RPS_CONE_NSGS || (asked == RPS_CONE_AUTO && (it->view->sweeps_first || is_steep(it->view)));
    int method = newton || direct ? NEWTON : sweeps ? SWEEPS : GRADIENT;
    bool stop = false, again = may_start_again(it);
    while (!stop) {
        double before = it->residual;
        stop = take_turn(it, method, turn[method]);
        if (it->status != RPS_OK) {
            return;
        }
        bool gained = it->residual <= (method == GRADIENT ? GRADIENT_GAIN : 0.5) * before;
        if ((stop || !gained) && infeasible(it)) {
            it->result.infeasible = true;
            return;
        }
        if (!gained && !stop && again) {
            again = false;
            stop = start_from_zero(it);
            gained = it->residual <= 0.5 * before;
        }
        if (!gained) {
            turn[method] += turn[method] < TURN_MAX ? turn[method] / 2 : 0;
        }
        if ((!gained && asked == RPS_CONE_AUTO) || newton) {
            method = next_method(it, method);
            it->result.switches++;
            memcpy(it->r, it->best, it->view->rows * sizeof *it->r);
        }
    }
}

static void solve_start(rps_cone_iterate *it, double *u) {
    const rps_cone_view *p = it->view;
    const rps_cone_shape *s = p->shape;
    for (size_t i = 0; i < p->contacts; i++) {
        double *r = it->r + i * (size_t)s->rows;
        rps_cone_project(s, p->c + i * (size_t)s->cones, p->eta + i * RPS_CONE_GROUPS, r, r);
    }
    for (size_t k = 0; k < p->joint_rows; k++) {
        double *g = it->r + p->rows - p->joint_rows + k;
        *g = *g < p->low[k] ? p->low[k] : *g > p->high[k] ? p->high[k] : *g;
    }
    p->product(p->context, it->r, u);
    for (size_t k = 0; k < p->rows; k++) {
        u[k] += p->q[k];
    }
    for (size_t k = 0; k < p->rows; k++) it->warm = it->warm || it->r[k] != 0;
    it->residual = INFINITY;
    if (!rps_cone_note(it, rps_cone_residual(p, it->options->law, it->r, u, true, it->part))) {
        solve_run(it);
    }
}

bool rps_cone_iterate_size(const rps_cone_view *view, size_t *count) {
    return rps_size_mul(view->rows, VECTORS, count) && rps_size_add(*count, view->contacts, count) &&
           rps_size_add(*count, 8 * (rps_cone_pieces(view) + 1), count);
}

rps_status rps_cone_iterate_run(const rps_cone_view *view, const rps_cone_options *options, double *memory, double *r,
                                double *u, double *slip, rps_cone_result *result, rps_error *err) {
    rps_cone_iterate it = {.view = view, .options = options, .r = r, .start_time = rps_clock_seconds(), .err = err};
    it.part = (double(*)[8])memory;
    it.best = memory + 8 * (rps_cone_pieces(view) + 1);
    for (int k = 0; k < 6; k++) {
        it.work[k] = it.best + (size_t)(k + 1) * view->rows;
    }
    it.slip = it.work[5] + view->rows;
    it.slip_given = slip != NULL;
    for (size_t i = 0; i < view->contacts; i++) {
        it.slip[i] = slip ? slip[i] : 0;
    }
    memcpy(it.best, r, view->rows * sizeof *r);

    solve_start(&it, it.work[0]);
    rps_cone_newton_release(&it);
    RPS_TRY(it.status);

    memcpy(r, it.best, view->rows * sizeof *r);
    view->product(view->context, r, u);
    *result = it.result;
    size_t d = (size_t)view->shape->rows;
    for (size_t k = 0; k < view->rows; k++) {
        u[k] += view->q[k];
        if (k < view->contacts * d && k % d == 0 && -u[k] > result->approach) {
            result->approach = -u[k];
        }
    }
    for (size_t i = 0; slip && i < view->contacts; i++) {
        slip[i] = rps_cone_slip(view->shape, view->c + i * (size_t)view->shape->cones, u + i * d);
    }
    result->residual_metric = rps_cone_residual(view, options->law, r, u, true, it.part);
    result->residual_euclidean = rps_cone_residual(view, options->law, r, u, false, it.part);
    result->solved = result->residual_metric <= options->tolerance && !result->infeasible;
    result->seconds = rps_clock_seconds() - it.start_time;
    return RPS_OK;
}
