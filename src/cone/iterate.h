/* What the solvers share: the state of a solution under way and its limits. */
#ifndef RPS_CONE_ITERATE_H
#define RPS_CONE_ITERATE_H

#include "cone/solver.h"

/* Sums of squares of the natural map, of impulses, velocities and free velocities. */
typedef struct rps_cone_squares {
    double f, r, u, q;
} rps_cone_squares;

/* Adds contact i with its impulses, velocities and the slip speed that is added to the normal row. */
void rps_cone_add_squares(const rps_cone_problem *problem, size_t i, const double *eta, const double *r,
                          const double *u, double slip, rps_cone_squares *sum);
/* |F| / max(|r|, |u|, |q|). */
double rps_cone_ratio(const rps_cone_squares *sum);

typedef struct rps_cone_iterate {
    const rps_cone_problem *problem;
    const rps_cone_options *options;
    double *r;         /* [rows] the current impulses */
    double *best;      /* [rows] those with the smallest residual so far */
    double *work[6];   /* [rows] each, of the method that runs */
    double *slip;      /* [contacts] s of APGD's fixed point */
    double *inverse;   /* [contacts][d][d] of the diagonal blocks; a block without inverse starts with NaN */
    double residual;   /* of `best` */
    double start_time; /* by rps_clock_seconds */
    rps_cone_result result;
} rps_cone_iterate;

/* Notes the residual of it->r, keeps it if it is the best; true if the solver must stop: solved, or a limit reached. */
bool rps_cone_note(rps_cone_iterate *it, double residual);

/* Run until solved, a limit, or `quota` further iterations; true if the solver must stop. */
bool rps_cone_nsgs(rps_cone_iterate *it, uint64_t quota);
bool rps_cone_apgd(rps_cone_iterate *it, uint64_t quota);

/* Fills it->inverse. */
void rps_cone_invert_blocks(rps_cone_iterate *it);

#endif
