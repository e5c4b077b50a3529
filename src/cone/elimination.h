/* The order in which KLU eliminates the unknowns of a sparse matrix. It follows from the pattern alone and costs as much as the
 * factors of a small matrix, so it is kept from step to step while the pattern stays. Pivots depend on the numbers and are chosen
 * each time from these alone: results know nothing of the steps before. */
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
} rps_cone_order;

/* Makes *order that of the pattern; keeps the one that is there (NULL: none) if it has the same. RPS_NO_MEMORY leaves
 * NULL. */
rps_status rps_cone_order_make(rps_cone_order **order, const rps_allocator *allocator, size_t n, const int *start,
                               const int *row, rps_error *err);
/* Releases it; *order = NULL. Harmless on NULL. */
void rps_cone_order_release(rps_cone_order **order);

#endif
