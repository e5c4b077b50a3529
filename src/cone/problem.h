/* A cone complementarity problem: find impulses r and velocities u = W r + q, six rows a contact or fewer, such that
 * every contact obeys the law of its friction cones. Independent of bodies. W is stored by blocks of d x d. */
#ifndef RPS_CONE_PROBLEM_H
#define RPS_CONE_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "cone/project.h"

typedef struct rps_cone_problem {
    const rps_allocator *allocator;
    const rps_cone_shape *shape;
    size_t contacts, rows; /* rows = d contacts */
    double *c;             /* [contacts][cones]: mu, then sigma (d = 6), then rho [m] */
    double *q;             /* [rows] velocities without impulses, m/s and rad/s */
    /* Blocks of contact i: start[i] ... start[i + 1] - 1, by rising column; every diagonal block is there. */
    size_t *start;    /* [contacts + 1] */
    uint32_t *column; /* [blocks] contact whose impulses the block multiplies */
    double *block;    /* [blocks][d][d], by rows, 1/kg, 1/(kg m), 1/(kg m^2) */
    size_t *diagonal; /* [contacts] number of the diagonal block */
    double *eta;      /* [contacts][groups] the group metric: 1 / mean of the group's diagonal of W */
    double *lambda;   /* [contacts] bound of the largest eigenvalue of the block scaled by eta, 6 % above it at most */
    rps_workers workers; /* for products and residuals. The bits do not depend on them */
    double asymmetry;    /* max |W_ij - W_ji| / max |W_ij| */
    size_t asymmetry_i, asymmetry_j;
} rps_cone_problem;

/* The largest asymmetry that is accepted. */
#define RPS_CONE_ASYMMETRY_MAX 1e-2

/* One entry of W, rows counted from 0. */
typedef struct rps_cone_entry {
    uint32_t i, j;
    double value;
} rps_cone_entry;

/* Builds a problem from its numbers, all copied; rho may be NULL for d < 5, sigma for d < 6, allocator may be NULL. A
 * coefficient of INFINITY holds its rows under any load. Entries come in any order, each at most once. RPS_BAD_INPUT
 * for negative coefficients, rows out of range, entries given twice, numbers that are not finite, a diagonal that is
 * not positive, asymmetry above RPS_CONE_ASYMMETRY_MAX. On failure *problem is empty; the caller releases it in any
 * case. */
rps_status rps_cone_problem_make(rps_cone_problem *problem, const rps_allocator *allocator, int d, size_t contacts,
                                 const double *mu, const double *rho, const double *sigma, const double *q,
                                 const rps_cone_entry *entry, size_t entries, rps_error *err);

void rps_cone_problem_release(rps_cone_problem *problem);

/* u = W r for the rows of contact i: d numbers. */
void rps_cone_row_product(const rps_cone_problem *problem, size_t i, const double *r, double *u);
/* The workers to use: one for small problems. */
rps_workers rps_cone_problem_workers(const rps_cone_problem *problem);
/* u = W r, all rows. */
void rps_cone_product(const rps_cone_problem *problem, const double *r, double *u);

#endif
