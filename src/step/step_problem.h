/* The contact problem of a nonsmooth step, for files (run/dump.c). */
#ifndef RPS_STEP_STEP_PROBLEM_H
#define RPS_STEP_STEP_PROBLEM_H

#include "cone/problem.h"
#include "world/world.h"

typedef struct rps_step_problem {
    rps_cone_problem cone; /* six rows a contact; without contacts empty */
    const double *impulse; /* r [rows], N s and N m s: the solution that the step used; of the world */
    double *velocity;      /* u = W r + q [rows], m/s and rad/s */
    uint64_t (*bodies)[2]; /* [contacts] ids: rows are velocities of the first less those of the second */
    double length;         /* s, of the step; of one that was repeated in parts, of the last */
    bool convex;           /* solved with the convex relaxation */
} rps_step_problem;

/* Of the last step of a world with the nonsmooth stepper, before bodies come or go. RPS_UNSUPPORTED for a step with rows
 * of joints or locked axes. The caller releases *problem, also after a failure. */
rps_status rps_step_problem_make(const rps_world *world, rps_step_problem *problem, rps_error *err);
void rps_step_problem_release(const rps_world *world, rps_step_problem *problem);

#endif
