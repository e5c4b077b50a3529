/* Orders of elimination: kept while the pattern of a matrix stays. */
#include "elimination.h"

#include <string.h>

#define LEAST_PIVOT 1e-14 /* of the largest: less is rounding */

void rps_cone_order_release(rps_cone_order **order) {
    rps_cone_order *o = *order;
    *order = NULL;
    if (!o) return;
    if (o->diagonal) klu_free_numeric(&o->diagonal, &o->common);
    if (o->symbolic) klu_free_symbolic(&o->symbolic, &o->common);
    rps_memory_release(o->allocator, o->start, (o->n + 1) * sizeof *o->start);
    rps_memory_release(o->allocator, o->row, o->entries * sizeof *o->row);
    rps_memory_release(o->allocator, o, sizeof *o);
}

static bool is_order_of(const rps_cone_order *o, size_t n, const int *start, const int *row) {
    return o && o->n == n && memcmp(o->start, start, (n + 1) * sizeof *start) == 0 &&
           memcmp(o->row, row, o->entries * sizeof *row) == 0;
}

static rps_status order_ints(const rps_allocator *allocator, size_t count, const int *from, int **to, rps_error *err) {
    void *block;
    RPS_TRY(rps_memory_alloc(allocator, count * sizeof *from, &block, err));
    memcpy(block, from, count * sizeof *from);
    *to = block;
    return RPS_OK;
}

static rps_status order_fill(rps_cone_order *o, const int *start, const int *row, rps_error *err) {
    RPS_TRY(order_ints(o->allocator, o->n + 1, start, &o->start, err));
    RPS_TRY(order_ints(o->allocator, o->entries, row, &o->row, err));
    klu_defaults(&o->common);
    o->symbolic = klu_analyze((int)o->n, o->start, o->row, &o->common);
    return o->symbolic ? RPS_OK : rps_fail(err, RPS_NO_MEMORY, "no memory to order a matrix of %zu rows", o->n);
}

rps_status rps_cone_order_make(rps_cone_order **order, const rps_allocator *allocator, size_t n, const int *start,
                               const int *row, rps_error *err) {
    if (is_order_of(*order, n, start, row)) return RPS_OK;
    rps_cone_order_release(order);
    void *block;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, sizeof **order, &block, err));
    *order = block;
    **order = (rps_cone_order){.allocator = allocator, .n = n, .entries = (size_t)start[n]};
    const rps_status status = order_fill(*order, start, row, err);
    if (status != RPS_OK) rps_cone_order_release(order);
    return status;
}

bool rps_cone_order_factor(rps_cone_order *o, double *value) {
    if (!o->diagonal) {
        const double tolerance = o->common.tol;
        o->common.tol = 0.0;
        o->diagonal = klu_factor(o->start, o->row, value, o->symbolic, &o->common);
        o->common.tol = tolerance;
    }
    return o->diagonal && klu_refactor(o->start, o->row, value, o->symbolic, o->diagonal, &o->common) &&
           klu_rcond(o->symbolic, o->diagonal, &o->common) && o->common.rcond > LEAST_PIVOT;
}
