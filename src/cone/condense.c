/* M is factorised once and solved for each column of H. KLU solves block by block, so that entries of W between contacts
 * that share no body stay exact zeros, which are left out. */
#include "condense.h"

#include <stdlib.h>
#include <string.h>

#include "elimination.h"
#include "newton.h"

/* --- entries ------------------------------------------------------------------------------------------------------------ */

static int entry_by_row(const void *a, const void *b) {
    const rps_cone_entry *x = a, *y = b;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    return x->j < y->j ? -1 : x->j > y->j;
}

static int entry_by_column(const void *a, const void *b) {
    const rps_cone_entry *x = a, *y = b;
    if (x->j != y->j) return x->j < y->j ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

static void add_equal_places(rps_cone_entries *of) {
    size_t kept = 0;
    for (size_t k = 0; k < of->count; k++) {
        rps_cone_entry *last = kept > 0 ? &of->entry[kept - 1] : NULL;
        if (last && last->i == of->entry[k].i && last->j == of->entry[k].j) {
            last->value += of->entry[k].value;
        } else {
            of->entry[kept++] = of->entry[k];
        }
    }
    of->count = kept;
}

void rps_cone_entries_by_row(rps_cone_entries *of) {
    if (of->count > 0) qsort(of->entry, of->count, sizeof *of->entry, entry_by_row);
    add_equal_places(of);
}

void rps_cone_entries_by_column(rps_cone_entries *of) {
    if (of->count > 0) qsort(of->entry, of->count, sizeof *of->entry, entry_by_column);
    add_equal_places(of);
}

/* --- M ------------------------------------------------------------------------------------------------------------------ */

typedef struct condensed {
    const rps_allocator *allocator;
    size_t n, m;
    const rps_cone_entries *M, *H;
    size_t *start;    /* [n + 1] rows of M */
    uint32_t *column; /* [entries of M] */
    double *scale;    /* [n] */
    double *x;        /* [n] */
    size_t *first;    /* [m + 1] columns of H */
    rps_cone_order *order;
    rps_cone_sparse *matrix;
} condensed;

static rps_status condensed_take(condensed *c, size_t count, size_t size, void *out, rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, size, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(c->allocator, bytes, &block, err));
    memcpy(out, &block, sizeof block);
    return RPS_OK;
}

static void condensed_release(condensed *c) {
    rps_cone_sparse_release(c->matrix);
    rps_cone_order_release(&c->order);
    rps_memory_release(c->allocator, c->start, (c->n + 1) * sizeof *c->start);
    rps_memory_release(c->allocator, c->column, c->M->count * sizeof *c->column);
    rps_memory_release(c->allocator, c->scale, c->n * sizeof *c->scale);
    rps_memory_release(c->allocator, c->x, c->n * sizeof *c->x);
    rps_memory_release(c->allocator, c->first, (c->m + 1) * sizeof *c->first);
}

static rps_status factor_mass(condensed *c, rps_error *err) {
    for (size_t k = 0; k < c->M->count; k++) {
        c->start[c->M->entry[k].i + 1]++;
        c->column[k] = c->M->entry[k].j;
    }
    for (size_t i = 0; i < c->n; i++) {
        c->start[i + 1] += c->start[i];
        c->scale[i] = 1.0;
    }
    RPS_TRY(rps_cone_sparse_make(&c->matrix, &c->order, c->allocator, c->n, 1, c->start, c->column, c->scale, err));
    for (size_t k = 0; k < c->M->count; k++) {
        size_t stride;
        *rps_cone_sparse_block(c->matrix, k, &stride) = c->M->entry[k].value;
    }
    if (rps_cone_sparse_factor(c->matrix, false)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "M is singular, so no velocity follows from the impulses");
}

/* --- W and q ------------------------------------------------------------------------------------------------------------- */

static double column_times(const condensed *c, size_t j, const double *x) {
    double sum = 0.0;
    for (size_t k = c->first[j]; k < c->first[j + 1]; k++) sum += c->H->entry[k].value * x[c->H->entry[k].i];
    return sum;
}

static rps_status solve_mass(condensed *c, rps_error *err) {
    if (rps_cone_sparse_solve(c->matrix, c->x)) return RPS_OK;
    return rps_fail(err, RPS_NO_MEMORY, "no memory to solve with a matrix of %zu rows", c->n);
}

static rps_status column_of_w(condensed *c, size_t j, rps_cone_entries *w, size_t *capacity, rps_error *err) {
    if (c->first[j] == c->first[j + 1]) return RPS_OK;
    memset(c->x, 0, c->n * sizeof *c->x);
    for (size_t k = c->first[j]; k < c->first[j + 1]; k++) c->x[c->H->entry[k].i] = c->H->entry[k].value;
    RPS_TRY(solve_mass(c, err));
    for (size_t i = 0; i < c->m; i++) {
        const double value = column_times(c, i, c->x);
        if (value == 0.0) continue;
        void *buffer = w->entry;
        const size_t used = w->count * sizeof *w->entry;
        const rps_status status =
            rps_buffer_reserve(c->allocator, &buffer, capacity, used, used + sizeof *w->entry, err);
        w->entry = buffer;
        if (status != RPS_OK) return status;
        w->entry[w->count++] = (rps_cone_entry){(uint32_t)i, (uint32_t)j, value};
    }
    return RPS_OK;
}

static rps_status condense(condensed *c, const double *f, double *q, rps_cone_entries *w, size_t *capacity,
                           rps_error *err) {
    RPS_TRY(condensed_take(c, c->n + 1, sizeof *c->start, &c->start, err));
    RPS_TRY(condensed_take(c, c->M->count, sizeof *c->column, &c->column, err));
    RPS_TRY(condensed_take(c, c->n, sizeof *c->scale, &c->scale, err));
    RPS_TRY(condensed_take(c, c->n, sizeof *c->x, &c->x, err));
    RPS_TRY(condensed_take(c, c->m + 1, sizeof *c->first, &c->first, err));
    for (size_t k = 0; k < c->H->count; k++) c->first[c->H->entry[k].j + 1]++;
    for (size_t j = 0; j < c->m; j++) c->first[j + 1] += c->first[j];
    RPS_TRY(factor_mass(c, err));
    memcpy(c->x, f, c->n * sizeof *c->x);
    RPS_TRY(solve_mass(c, err));
    for (size_t j = 0; j < c->m; j++) q[j] += column_times(c, j, c->x);
    for (size_t j = 0; j < c->m; j++) RPS_TRY(column_of_w(c, j, w, capacity, err));
    return RPS_OK;
}

rps_status rps_cone_condense(const rps_allocator *allocator, size_t n, const rps_cone_entries *M, size_t m,
                             const rps_cone_entries *H, const double *f, double *q, rps_cone_entries *w,
                             size_t *capacity, rps_error *err) {
    condensed c = {.allocator = allocator, .n = n, .m = m, .M = M, .H = H};
    const rps_status status = condense(&c, f, q, w, capacity, err);
    condensed_release(&c);
    return status;
}
