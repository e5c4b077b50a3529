/* Solvers of cone complementarity problems, and the residuals of their results.
 *
 * All of them work in the group metric B = diag(eta), so that results are independent of units: a change of units by
 * powers of two leaves the iteration counts unchanged, any other affects them only through rounding. */
#ifndef RPS_CONE_SOLVER_H
#define RPS_CONE_SOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "cone/problem.h"

/* RPS_CONE_COULOMB: the true law, u + s(u) e_n in the dual cone. RPS_CONE_CONVEX: u itself, which opens sliding
 * contacts. */
typedef enum rps_cone_law { RPS_CONE_COULOMB, RPS_CONE_CONVEX } rps_cone_law;

/* NSGS: block Gauss-Seidel in the order of the contacts, s(u) kept up to date in each block. APGD: accelerated
 * projected gradient with restart, s(u) by an outer fixed point. NEWTON: proximal steps solved by Newton's method on factorised
 * blocks, with steps of APGD where they fail; for hyperstatic stacks. AUTO: APGD, and the others when it stagnates. */
typedef enum rps_cone_method { RPS_CONE_AUTO, RPS_CONE_NSGS, RPS_CONE_APGD, RPS_CONE_NEWTON } rps_cone_method;

typedef struct rps_cone_options {
    rps_cone_law law;
    rps_cone_method method;
    double tolerance;        /* of the residual in the group metric, > 0 */
    uint64_t max_iterations; /* sweeps of NSGS, steps of APGD and of Newton together */
    double max_seconds;      /* of wall time; <= 0: no limit. Time affects nothing but this stop */
    bool least_norm;         /* of joints: impulses of least norm among those with the same effect, round loops too */
} rps_cone_options;

typedef struct rps_cone_result {
    bool solved;     /* residual_metric <= tolerance, and not infeasible */
    bool infeasible; /* the impulses diverge: velocities a hundred times those of the problem would be needed */
    uint64_t iterations, sweeps, gradient_steps, newton_steps, candidate_updates, switches;
    double residual_metric, residual_euclidean; /* of r as it is returned */
    double slip_change; /* |s(u) - s used last| of APGD's fixed point is at most this, m/s; else 0 */
    double approach;    /* largest max(0, -u_n), m/s */
    double seconds;
} rps_cone_result;

/* r: [rows], the start on entry (projected first) and the best impulses found on return; u: [rows], W r + q of them.
 * Only a failure of memory or an option out of range is an error; an unsolved problem is a valid result. */
rps_status rps_cone_solve(const rps_cone_problem *problem, const rps_cone_options *options, double *r, double *u,
                          rps_cone_result *result, rps_error *err);

/* |F| / max(|r|, |u|, |q|), 0 if all vanish, with F = r - P(r - B (u + s(u) e_n)); impulses are measured by B^-1 and
 * velocities by B. */
double rps_cone_residual_metric(const rps_cone_problem *problem, rps_cone_law law, const double *r, const double *u);
/* The same with B the unit matrix: it depends on units; other programs print it. */
double rps_cone_residual_euclidean(const rps_cone_problem *problem, rps_cone_law law, const double *r, const double *u);

#endif
