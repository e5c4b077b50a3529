/* Problems whose W is given by blocks: the view that solvers take of them, and sweeps over their rows of blocks. */
#include <math.h>
#include <string.h>

#include "block.h"
#include "newton.h"

typedef struct explicit_form {
    const rps_cone_problem *p;
    double *inverse; /* [contacts][d][d] of the diagonal blocks */
} explicit_form;

static void product(void *context, const double *x, double *wx) {
    const explicit_form *form = context;
    rps_cone_product(form->p, x, wx);
}

static rps_status form_of(void *context, const rps_cone_view *view, rps_cone_form **form, rps_error *err) {
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
                           .threads = rps_cone_problem_threads(p),
                           .product = product};
}

static double sweep(void *context, rps_cone_law law, double beta, double *r, double *old, double *uphill) {
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
        size_t at = i * (size_t)d, square = (size_t)(d * d);
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

rps_status rps_cone_solve(const rps_cone_problem *p, const rps_cone_options *options, double *r, double *u,
                          rps_cone_result *result, rps_error *err) {
    if (!(options->tolerance > 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "the tolerance is %g; it must be above zero", options->tolerance);
    }
    explicit_form form = {.p = p};
    rps_cone_view view = view_of(p);
    view.context = &form;
    view.sweep = sweep;
    view.form = form_of;
    view.form_unknowns = 3 * p->rows; /* factors of W fill up more than those of bodies */
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
