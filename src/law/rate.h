/*
 * Set-up shared by the slide laws whose friction depends on the rate of slip: their spring. K is given, or K = 8 G* a of a
 * Hertz contact, with the force scaled down when K falls, as in the law `walton`, so that no cycle of slip and load
 * delivers energy.
 */
#ifndef RPS_LAW_RATE_H
#define RPS_LAW_RATE_H

#include "law/mindlin.h"

/* The first constants, parameters and memories of these laws. */
enum { RPS_RATE_STIFFNESS, RPS_RATE_PER_RADIUS, RPS_RATE_OWN }; /* K = STIFFNESS + PER_RADIUS a */
enum { RPS_RATE_P_STIFFNESS, RPS_RATE_P_SHEAR, RPS_RATE_P_OWN };
enum { RPS_RATE_FORCE, RPS_RATE_SPRING, RPS_RATE_M_OWN };

static inline double rps_rate_stiffness(const double *constant, double contact_radius) {
    return constant[RPS_RATE_STIFFNESS] + constant[RPS_RATE_PER_RADIUS] * contact_radius;
}

#if RPS_LAW_DESCRIPTOR
/* The spring. `law` is the name in error messages. */
static inline rps_status rps_rate_prepare(const rps_law_setup *setup, const char *law, double *constant,
                                          rps_error *err) {
    const double stiffness = setup->value[RPS_RATE_P_STIFFNESS], given = setup->value[RPS_RATE_P_SHEAR];
    constant[RPS_RATE_STIFFNESS] = stiffness;
    constant[RPS_RATE_PER_RADIUS] = 0.0;
    if (!isnan(stiffness) && !isnan(given)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `%s` is given both `stiffness` and `effective_shear`: leave one out", law);
    }
    if (!isnan(stiffness)) return RPS_OK;
    if (!isnan(setup->length) || !(setup->normal_exponent > 0.0)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `%s` has no `stiffness`: give it; only of contacts at a point whose normal law knows "
            "the contact radius it can be taken from the materials",
            law);
    }
    const double shear = rps_mindlin_shear(setup, given);
    if (!(shear > 0.0) || isinf(shear)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `%s` needs `stiffness`, or `young` and `poisson` of both materials, or its own "
                        "`effective_shear`",
                        law);
    }
    constant[RPS_RATE_STIFFNESS] = 0.0;
    constant[RPS_RATE_PER_RADIUS] = 8.0 * shear;
    return RPS_OK;
}

static inline void rps_rate_effective(const double *constant, double *value) {
    if (constant[RPS_RATE_PER_RADIUS] > 0.0) value[RPS_RATE_P_SHEAR] = 0.125 * constant[RPS_RATE_PER_RADIUS];
}

/* clang-format off */
#define RPS_RATE_PARAMETERS                                                                                      \
    {"stiffness", "N/m", "of the spring; default: 8 G* a of a Hertz contact", 1e-300, 1e300, NAN, NULL,          \
     RPS_PARAMETER_STIFFNESS},                                                                                   \
    {"effective_shear", "Pa",                                                                                    \
     "G*, 1/G* = sum of (2 - nu)/G; default: from young and poisson of the materials", 1e-300, 1e300, NAN, NULL, \
     RPS_PARAMETER_OTHER}
#define RPS_RATE_MEMORY                                                                                          \
    {"T", "N", "elastic tangential force", RPS_MEMORY_TANGENT},                                                  \
    {"slide_stiffness", "N/m", "K of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_STIFFNESS}
#define RPS_RATE_EXCEPTIONS                                                                                      \
    {"gives back what radial loading stored",                                                                    \
     "without `stiffness` the force falls with 8 G* a, and a third of what was stored is lost on radial "        \
     "unloading; cure: `stiffness`",                                                                             \
     "Walton 2010"},                                                                                             \
    {"keeps its force while the load cycles",                                                                    \
     "without `stiffness` every cycle of the load takes its part of T, (N_lo/N_hi)^(1/3); cure: `stiffness`",    \
     "Walton 2010"}
/* clang-format on */
#endif

#endif
