/*
 * Set-up shared by the three tracked laws: static and kinetic coefficient and stiffness, from the law's own block or
 * else the slide block; and the default damper as a fraction of critical.
 */
#ifndef RPS_LAW_FRICTION_H
#define RPS_LAW_FRICTION_H

#include <math.h>

#include "base/status.h"
#include <repose/law_kernel.h>

/* The order of the first three parameters of every law named "tracked". */
enum { RPS_FRICTION_STATIC, RPS_FRICTION_KINETIC, RPS_FRICTION_STIFFNESS, RPS_FRICTION_BASIC };

/* Reads the three; NAN falls back to the value of the slide law. Refuses missing values and static < kinetic. */
static inline rps_status rps_friction_basic(const rps_law_setup *setup, const char *role, double basic[3],
                                            rps_error *err) {
    static const char *const name[3] = {"static", "kinetic", "stiffness"};
    for (int k = 0; k < RPS_FRICTION_BASIC; k++) {
        basic[k] = isnan(setup->value[k]) ? setup->slide_value[k] : setup->value[k];
        if (isnan(basic[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "%s law `tracked` has no `%s`: give it in the %s block%s", role,
                            name[k], role,
                            role[0] == 's' && role[1] == 'l' ? "" : " or in the slide block, from which it is taken");
        }
    }
    if (basic[0] < basic[1]) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law `tracked`: static (%g) is below kinetic (%g); friction at rest is at least that in "
                        "motion: raise static or lower kinetic",
                        role, basic[0], basic[1]);
    }
    return RPS_OK;
}

/* The threshold of roll and spin as a length, accepted by the nonsmooth stepper only: NAN or refused elsewhere. `eta`
 * is the alternative parameter; `direct`: thresholds or stiffnesses are given in angles, which that stepper does not
 * support. */
static inline rps_status rps_friction_length(const rps_law_setup *setup, const char *role, double length, double eta,
                                             int direct, rps_error *err) {
    if (!setup->nonsmooth && !isnan(length)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law `tracked`: `length` is taken by the nonsmooth stepper only; give `eta`", role);
    }
    if (setup->nonsmooth && direct) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law `tracked`: thresholds and stiffnesses given directly, in angles, have no form for the "
                        "nonsmooth stepper; give `eta`, or `length`",
                        role);
    }
    if (!isnan(length) && !isnan(eta)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law `tracked` is given both `eta` and `length`: leave one out", role);
    }
    return RPS_OK;
}

/* Damper of a law: given directly, or `damping` (default 1) times critical; critical = factor * sqrt(mass or inertia). */
static inline rps_status rps_friction_damper(double given, double damping, double factor, const char *role,
                                             double *damper, double *per_sqrt, rps_error *err) {
    if (!isnan(given) && !isnan(damping)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law `tracked` is given both `damper` and `damping`: leave one out",
                        role);
    }
    *damper = isnan(given) ? 0.0 : given;
    *per_sqrt = isnan(given) ? (isnan(damping) ? 1.0 : damping) * factor : 0.0;
    return RPS_OK;
}

#endif
