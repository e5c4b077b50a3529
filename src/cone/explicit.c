/* Problems with W given by blocks: their interface to the solvers, and sweeps over their block rows. */
#include <math.h>
#include <string.h>

#include "block.h"
#include "newton.h"
#include "scale.h"

enum { LEAST_BITS = 24, MOST_BITS = 53 };
#define SCALED_TOLERANCE 0.9 /* so that the rounding of the problem does not show */

typedef struct explicit_form {
    const rps_cone_problem *p;
    double *inverse; /* [contacts][d][d] of the diagonal blocks */
} explicit_form;

static void explicit_product(void *context, const double *x, double *wx) {
    const explicit_form *form = context;
    rps_cone_product(form->p, x, wx);
}

static rps_status explicit_form_of(void *context, const rps_cone_view *view, rps_cone_form **form, rps_error *err) {
    const explicit_form *f = context;
    return rps_cone_form_of_blocks(view, f->p, form, err);
}

static rps_cone_view view_of(const rps_cone_problem *p) {
    return (rps_cone_view){.shape = p->shape,
                           .contacts = p->contacts,
                           .rows = p->rows,
                           .c = p->c,
                           .eta = p->eta,
                           .lambda = p->lambda,
                           .q = p->q,
                           .workers = rps_cone_problem_workers(p),
                           .product = explicit_product};
}

static double explicit_sweep(void *context, rps_cone_law law, double beta, double *r, double *old, double *uphill) {
    const explicit_form *form = context;
    const rps_cone_problem *p = form->p;
    const rps_cone_shape *s = p->shape;
    const rps_cone_view view = view_of(p);
    int d = s->rows;
    rps_cone_squares sum = {0};
    *uphill = 0;
    for (size_t k = 0; k < p->rows; k++) {
        double last = r[k];
        r[k] += beta * (last - old[k]);
        old[k] = last;
    }
    for (size_t i = 0; i < p->contacts; i++) {
        size_t at = i * (size_t)d, square = (size_t)d * (size_t)d;
        double u[RPS_CONE_ROWS] = {0}, b[RPS_CONE_ROWS] = {0};
        const double *w = p->block + p->diagonal[i] * square, *c = p->c + i * (size_t)s->cones;
        const double *eta = p->eta + i * RPS_CONE_GROUPS;
        rps_cone_row_product(p, i, r, u);
        for (int k = 0; k < d; k++) {
            u[k] += p->q[at + (size_t)k];
            b[k] = u[k];
            for (int j = 0; j < d; j++) {
                b[k] -= w[k * d + j] * r[at + (size_t)j];
            }
        }
        double slip = law == RPS_CONE_COULOMB ? rps_cone_slip(s, c, u) : 0;
        rps_cone_add_squares(&view, i, eta, r + at, u, slip, &sum);
        double y[RPS_CONE_ROWS] = {0};
        memcpy(y, r + at, (size_t)d * sizeof *y);
        rps_cone_block_solve(s, law, w, form->inverse + i * square, c, eta, p->lambda[i], b, r + at);
        for (int k = 0; k < d; k++) {
            size_t row = at + (size_t)k;
            *uphill += (y[k] - r[row]) * (r[row] - old[row]) / eta[s->group[k]];
        }
    }
    return rps_cone_ratio(&sum);
}

double rps_cone_residual_metric(const rps_cone_problem *problem, rps_cone_law law, const double *r, const double *u) {
    const rps_cone_view view = view_of(problem);
    return rps_cone_residual(&view, law, r, u, true, NULL);
}

double rps_cone_residual_euclidean(const rps_cone_problem *problem, rps_cone_law law, const double *r,
                                   const double *u) {
    const rps_cone_view view = view_of(problem);
    return rps_cone_residual(&view, law, r, u, false, NULL);
}

/* Runs the methods on a problem, from r. */
static rps_status iterate(const rps_cone_problem *p, const rps_cone_options *options, double *r, double *u,
                          rps_cone_result *result, rps_error *err) {
    explicit_form form = {.p = p};
    rps_cone_view view = view_of(p);
    view.context = &form;
    view.sweep = explicit_sweep;
    view.form = explicit_form_of;
    view.form_unknowns = 3 * p->rows; /* factors of W have more fill-in than those of bodies */
    size_t d = (size_t)p->shape->rows, vectors, inverses, count, bytes;
    void *memory;
    RPS_TRY(rps_cone_iterate_size(&view, &vectors) && rps_size_mul(p->rows, d, &inverses) &&
                    rps_size_add(vectors, inverses, &count)
                ? rps_size_of_items(count, sizeof(double), &bytes, err)
                : rps_fail(err, RPS_NO_MEMORY, "a problem of %zu rows does not fit into memory", p->rows));
    RPS_TRY(rps_memory_alloc_zeroed(p->allocator, bytes, &memory, err));
    form.inverse = (double *)memory + vectors;
    for (size_t i = 0; i < p->contacts; i++) {
        rps_cone_block_invert(p->shape, p->block + p->diagonal[i] * d * d, p->eta + i * RPS_CONE_GROUPS,
                              p->c + i * (size_t)p->shape->cones, form.inverse + i * d * d);
    }
    rps_status status = rps_cone_iterate_run(&view, options, memory, r, u, NULL, result, err);
    rps_memory_release(p->allocator, memory, bytes);
    return status;
}

/* Significant bits of the numbers used by the methods: rounding stays below a sixteenth of the tolerance. */
static int bits_for(double tolerance) {
    int bits = LEAST_BITS;
    for (double step = 1.0 / (1 << LEAST_BITS); bits < MOST_BITS && step > tolerance / 8; step /= 2) {
        bits++;
    }
    return bits;
}

/* First solves the scaled and rounded problem, which leaves the residual of the rounding; then continues on the
 * original problem from there. */
static rps_status solve_scaled(const rps_cone_problem *p, rps_cone_problem *scaled, const rps_cone_options *options,
                               double *unit, double *r, double *u, rps_cone_result *result, rps_error *err) {
    rps_cone_options first = *options, last = *options;
    rps_cone_result rest;
    first.tolerance = SCALED_TOLERANCE * options->tolerance;
    RPS_TRY(rps_cone_problem_scaled(p, bits_for(options->tolerance), scaled, unit, err));
    double slowest = INFINITY; /* the largest unit of s(u) */
    for (size_t k = 0; k < p->rows; k++) r[k] /= unit[k];
    for (size_t i = 0; i < p->contacts; i++) {
        const double eta = p->eta[i * RPS_CONE_GROUPS];
        slowest = eta < slowest ? eta : slowest;
    }
    RPS_TRY(iterate(scaled, &first, r, u, result, err));
    for (size_t k = 0; k < p->rows; k++) r[k] *= unit[k];
    last.max_iterations -= result->iterations < last.max_iterations ? result->iterations : last.max_iterations;
    if (result->infeasible) last.max_iterations = 0;
    if (last.max_seconds > 0) {
        const double left = last.max_seconds - result->seconds;
        last.max_seconds = left > 1e-9 ? left : 1e-9;
    }
    RPS_TRY(iterate(p, &last, r, u, &rest, err));
    if (p->contacts > 0) result->slip_change *= unit[0] / sqrt(p->eta[0]) / sqrt(slowest);
    result->iterations += rest.iterations;
    result->sweeps += rest.sweeps;
    result->gradient_steps += rest.gradient_steps;
    result->newton_steps += rest.newton_steps;
    result->candidate_updates += rest.candidate_updates;
    result->switches += rest.switches;
    result->seconds += rest.seconds;
    if (rest.candidate_updates > 0) result->slip_change = rest.slip_change;
    result->infeasible = result->infeasible || rest.infeasible;
    result->residual_metric = rest.residual_metric;
    result->residual_euclidean = rest.residual_euclidean;
    result->approach = rest.approach;
    result->solved = rest.residual_metric <= options->tolerance && !result->infeasible;
    return RPS_OK;
}

rps_status rps_cone_solve(const rps_cone_problem *p, const rps_cone_options *options, double *r, double *u,
                          rps_cone_result *result, rps_error *err) {
    if (!(options->tolerance > 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "the tolerance is %g; it must be above zero", options->tolerance);
    }
    size_t bytes;
    void *unit;
    rps_cone_problem scaled = {0};
    RPS_TRY(rps_size_of_items(p->rows, sizeof(double), &bytes, err));
    RPS_TRY(rps_memory_alloc(p->allocator, bytes, &unit, err));
    rps_status status = solve_scaled(p, &scaled, options, unit, r, u, result, err);
    rps_cone_scaled_release(&scaled);
    rps_memory_release(p->allocator, unit, bytes);
    return status;
}
