/* A problem in velocities of bodies, M v = H r + f with u = H' v + w, turned into one in impulses alone: u = W r + q with
 * W = H' M^-1 H and q = H' M^-1 f + w. */
#ifndef RPS_CONE_CONDENSE_H
#define RPS_CONE_CONDENSE_H

#include "cone/problem.h"

/* Entries of a matrix; a place that comes twice has the sum. */
typedef struct rps_cone_entries {
    rps_cone_entry *entry;
    size_t count;
} rps_cone_entries;

/* Sorts by columns, or by rows, and adds what has one place. */
void rps_cone_entries_by_column(rps_cone_entries *of);
void rps_cone_entries_by_row(rps_cone_entries *of);

/* M: n x n by rows; H: n x m by columns; f [n]. q [m] holds w on entry and q on return. *w gets the entries of W that are
 * not zero, in a buffer of *capacity bytes that the caller releases by rps_buffer_release, also after a failure; both begin
 * empty. RPS_BAD_INPUT if M is singular. */
rps_status rps_cone_condense(const rps_allocator *allocator, size_t n, const rps_cone_entries *M, size_t m,
                             const rps_cone_entries *H, const double *f, double *q, rps_cone_entries *w,
                             size_t *capacity, rps_error *err);

#endif
