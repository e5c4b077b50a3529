/* Newton's equations in impulses, z = r(W z + q), with W by blocks: 1 + (-dr/du) W. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "elimination.h"
#include "newton.h"

typedef struct blocks_form {
    rps_cone_form form;
    const rps_cone_view *view;
    const rps_cone_problem *p;
    double *scale;
    rps_cone_order *order;
} blocks_form;

static void newton_blocks_start(void *context, const double *r, double *y) {
    const blocks_form *f = context;
    memcpy(y, r, f->p->rows * sizeof *y);
}

static double newton_blocks_map(void *context, rps_cone_proximal *a, const double *z, double *g, bool derive) {
    const blocks_form *f = context;
    const rps_cone_problem *p = f->p;
    size_t d = (size_t)p->shape->rows;
    double sum = 0;
    rps_cone_product(p, z, a->u);
    for (size_t k = 0; k < p->rows; k++) {
        a->u[k] += f->view->q[k];
    }
    rps_cone_proximal_rows(a, derive);
    for (size_t k = 0; k < p->rows; k++) {
        g[k] = z[k] - a->r[k];
        sum += g[k] * g[k] / p->eta[k / d * RPS_CONE_GROUPS + (size_t)p->shape->group[k % d]];
    }
    return sum;
}

static void newton_blocks_derivative(void *context, const rps_cone_proximal *a) {
    const blocks_form *f = context;
    const rps_cone_problem *p = f->p;
    size_t d = (size_t)p->shape->rows;
    for (size_t i = 0; i < p->contacts; i++) {
        const double *left = a->left + i * d * d;
        for (size_t b = p->start[i]; b < p->start[i + 1]; b++) {
            const double *w = p->block + b * d * d;
            size_t stride;
            double *to = rps_cone_sparse_block(f->form.matrix, b, &stride);
            for (size_t m = 0; m < d * d; m++) {
                size_t row = m % d, k = m / d;
                double sum = p->column[b] == i && row == k ? 1 : 0;
                for (size_t n = 0; n < d; n++) {
                    sum += left[row * d + n] * w[n * d + k];
                }
                to[k * stride + row] = sum;
            }
        }
    }
}

static void newton_blocks_release(rps_cone_form *form) {
    blocks_form *f = form->context;
    rps_cone_sparse_release(f->form.matrix);
    rps_cone_order_release(&f->order);
    rps_memory_release(f->form.allocator, f->scale, f->p->rows * sizeof *f->scale);
    rps_memory_release(f->form.allocator, f, sizeof *f);
}

rps_status rps_cone_form_of_blocks(const rps_cone_view *view, const rps_cone_problem *p, rps_cone_form **form,
                                   rps_error *err) {
    void *block;
    RPS_TRY(rps_memory_alloc_zeroed(p->allocator, sizeof(blocks_form), &block, err));
    blocks_form *f = block;
    f->view = view;
    f->p = p;
    f->form = (rps_cone_form){.context = f,
                              .allocator = p->allocator,
                              .unknowns = p->rows,
                              .start = newton_blocks_start,
                              .map = newton_blocks_map,
                              .derivative = newton_blocks_derivative,
                              .release = newton_blocks_release};
    size_t bytes, d = (size_t)p->shape->rows;
    rps_status status = rps_size_of_items(p->rows, sizeof *f->scale, &bytes, err);
    status = status == RPS_OK ? rps_memory_alloc(p->allocator, bytes, &block, err) : status;
    if (status == RPS_OK) {
        f->scale = block;
        for (size_t k = 0; k < p->rows; k++) { /* impulses of turning over a length */
            const double *eta = p->eta + k / d * RPS_CONE_GROUPS;
            f->scale[k] = sqrt(eta[p->shape->group[k % d]] / eta[0]);
        }
        status = rps_cone_sparse_make(&f->form.matrix, &f->order, p->allocator, p->contacts, d, p->start, p->column,
                                      f->scale, err);
    }
    if (status != RPS_OK) {
        newton_blocks_release(&f->form);
        return status;
    }
    *form = &f->form;
    return RPS_OK;
}
