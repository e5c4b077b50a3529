/* A problem in its own units. */
#ifndef RPS_CONE_SCALE_H
#define RPS_CONE_SCALE_H

#include "cone/problem.h"

/* The problem in scaled rows, r = unit r', u = (U^2 / unit) u' with unit_k = U sqrt(eta_k), U^2 = sum eta q^2 (1
 * where q vanishes): independent of units, with eta = 1. Every number is rounded to `bits` significant bits, which
 * removes differences by rounding. unit: [rows]. The blocks' columns are those of `p`, which must outlive it. The
 * caller releases *scaled by rps_cone_scaled_release, also after a failure. */
rps_status rps_cone_problem_scaled(const rps_cone_problem *p, int bits, rps_cone_problem *scaled, double *unit,
                                   rps_error *err);
void rps_cone_scaled_release(rps_cone_problem *scaled);

#endif
