/* The order in which KLU eliminates the unknowns of a sparse matrix, and the places of its factors with the pivots on the
 * diagonal. Both follow from the pattern alone and cost more than the factors of a small matrix, so they are kept from step to
 * step while the pattern stays. Numbers are always those of klu_refactor: results know nothing of the steps before. */
#ifndef RPS_CONE_ELIMINATION_H
#define RPS_CONE_ELIMINATION_H

#include <suitesparse/klu.h>

#include "base/array.h"

typedef struct rps_cone_order {
    const rps_allocator *allocator;
    size_t n, entries;
    int *start, *row; /* [n + 1], [entries]: the pattern, by columns */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *diagonal; /* factors with the pivots on the diagonal, or NULL: not made yet */
} rps_cone_order;

/* Makes *order that of the pattern; keeps the one that is there (NULL: none) if it has the same. RPS_NO_MEMORY leaves
 * NULL. */
rps_status rps_cone_order_make(rps_cone_order **order, const rps_allocator *allocator, size_t n, const int *start,
                               const int *row, rps_error *err);
/* Factors of the matrix `value` with its pivots on the diagonal, in order->diagonal until the next call; false if a
 * pivot is too small for that, or there is no memory. */
bool rps_cone_order_factor(rps_cone_order *order, double *value);
/* Releases it; *order = NULL. Harmless on NULL. */
void rps_cone_order_release(rps_cone_order **order);

#endif
