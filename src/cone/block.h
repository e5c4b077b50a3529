/* The local problem of one contact: its impulses for given velocities without them. */
#ifndef RPS_CONE_BLOCK_H
#define RPS_CONE_BLOCK_H

#include "cone/solver.h"

/* lambda: the largest eigenvalue of diag(eta) w is at most (tr (diag(eta) w)^32)^(1/32), 6 % above it at most. */
double rps_cone_block_bound(const rps_cone_shape *shape, const double *w, const double *eta);

/* eta of a block from its diagonal; a group of zeros gets the normal row's. False if eta is not finite. */
bool rps_cone_block_metric(const rps_cone_shape *shape, const double *w, double *eta);

/* inverse [d][d] of w without the rows that hold nothing, those of a coefficient of zero and those that no impulse moves;
 * they are zero there. Starts with NaN if there is none. */
void rps_cone_block_invert(const rps_cone_shape *shape, const double *w, const double *eta, const double *c,
                           double *inverse);

/* Solves the law of one contact for its impulses, starting from the given r: u = w r + b. The accuracy exceeds the
 * needs of a sweep, but is not round-off. */
void rps_cone_block_solve(const rps_cone_shape *shape, rps_cone_law law, const double *w, const double *inverse,
                          const double *c, const double *eta, double lambda, const double *b, double *r);

#endif
