/*
 * The tangential compliance of parallel cylinders at a contact of half width a (Lai, Chen & Huang 2021, eqs. 20, 31 and
 * 33): the displacement at full slip is F mu N/(pi E_eff) with N per metre of length, F = g_1 + g_2, with r = a/R of
 * each body
 *
 *   g = log(2/r) + 1/2 + w (log(4/r) + nu/(2 (1 - nu))) = (1 + w) log(4/r) + p
 *
 * penalty: equation takes w of eq. 33, a fit for .01 <= r <= .2; it decreases beyond its vertex, so r is clamped at
 * .2 there. half takes w = 1/2. refit is g = log(2/r) + 1/2 + C(r, nu), fitted to finite elements for r from .005 to
 * .3 and clamped beyond, with the correct limit for narrow contacts. In the logarithms r is at most 1. w and p are
 * polynomials in r.
 *
 * A plane is a mirror, as in the normal law: F = 2 g of the disk.
 */
#ifndef RPS_LAW_HERTZ2D_TANGENT_H
#define RPS_LAW_HERTZ2D_TANGENT_H

#include "base/status.h"
#include "law/hertz2d.h"

/* Constants, from `first` on: pi E_eff of two disks and of a disk of each material on a plane (times the depth); the
 * r at which it is clamped; g of body 0, then of body 1 */
enum {
    RPS_TANGENT_PAIR,
    RPS_TANGENT_FIRST,
    RPS_TANGENT_SECOND,
    RPS_TANGENT_HOLD,
    RPS_TANGENT_W2,
    RPS_TANGENT_W0,
    RPS_TANGENT_W1,
    RPS_TANGENT_P0,
    RPS_TANGENT_P1,
    RPS_TANGENT_P2,
    RPS_TANGENT_BODY = RPS_TANGENT_P2 + 1 - RPS_TANGENT_W0,
    RPS_TANGENT_CONSTANTS = RPS_TANGENT_W0 + 2 * RPS_TANGENT_BODY
};

/* g of a body at r = a/radius. */
static inline __attribute__((always_inline)) double rps_tangent_compliance(const double *constant, int body, double a,
                                                                           double radius) {
    const double *of = constant + body * RPS_TANGENT_BODY, hold = constant[RPS_TANGENT_HOLD];
    double ratio = a / radius, least = ratio > 1e-100 ? ratio : 1e-100;
    double held = ratio < hold ? ratio : hold, inside = least < 1.0 ? least : 1.0;
    double w = of[RPS_TANGENT_W0] + held * (of[RPS_TANGENT_W1] + held * constant[RPS_TANGENT_W2]);
    double p = of[RPS_TANGENT_P0] + held * (of[RPS_TANGENT_P1] + held * of[RPS_TANGENT_P2]);
    return (1.0 + w) * rps_log_positive(4.0 / inside) + p;
}

/* F = g_1 + g_2; radius 0: a plane. */
static inline __attribute__((always_inline)) double rps_tangent_sum(const double *constant, double a, double r0,
                                                                    double r1) {
    double g0 = rps_tangent_compliance(constant, 0, a, r0 > 0.0 ? r0 : r1);
    double g1 = rps_tangent_compliance(constant, 1, a, r1 > 0.0 ? r1 : r0);
    g0 = r0 > 0.0 ? g0 : g1;
    g1 = r1 > 0.0 ? g1 : g0;
    return g0 + g1;
}

#if RPS_LAW_DESCRIPTOR
enum { RPS_PENALTY_EQUATION, RPS_PENALTY_HALF, RPS_PENALTY_REFIT };
#define RPS_TANGENT_PARAMETERS                                                                                       \
    {"friction", "", "friction coefficient mu", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_FRICTION},                        \
        {"effective_modulus",                                                                                        \
         "Pa",                                                                                                       \
         "E_eff of two disks, twice that on a plane; default: from young and poisson of the materials",              \
         1e-300,                                                                                                     \
         1e300,                                                                                                      \
         NAN,                                                                                                        \
         NULL,                                                                                                       \
         RPS_PARAMETER_MODULUS},                                                                                     \
    {                                                                                                                \
        "penalty", "",                                                                                               \
            "penalty factor w: equation (33 of the paper, a/R held at 0.2), half (1/2), refit (to finite elements, " \
            "a/R held at 0.3)",                                                                                      \
            0, 2, RPS_PENALTY_EQUATION, "equation|half|refit", RPS_PARAMETER_OTHER                                   \
    }
enum { RPS_TANGENT_V_FRICTION, RPS_TANGENT_V_MODULUS, RPS_TANGENT_V_PENALTY, RPS_TANGENT_V_OWN };

static inline void rps_tangent_prepare_body(int penalty, double nu, double *constant, double *of) {
    const double half_poisson = 0.5 * nu / (1.0 - nu), shift = 0.5 - 0x1.62e42fefa39efp-1; /* 1/2 - log 2 */
    double w[3] = {penalty == RPS_PENALTY_HALF ? 0.5 : 0.0, 0.0, 0.0}, c[3] = {0.0, 0.0, 0.0};
    if (penalty == RPS_PENALTY_EQUATION) {
        w[0] = 0.22 + 0.18 * nu + 0.36 * nu * nu;
        w[1] = 2.89 + 1.75 * nu;
        w[2] = -10.31;
    } else if (penalty == RPS_PENALTY_REFIT) {
        c[0] = 0.1442 + 1.4251 / (1.0 - nu);
        c[1] = -(1.0042 + 0.1052 / (1.0 - nu));
        c[2] = -1.1909;
    }
    constant[RPS_TANGENT_HOLD] = penalty == RPS_PENALTY_REFIT ? 0.3 : 0.2;
    constant[RPS_TANGENT_W2] = w[2];
    of[RPS_TANGENT_W0] = w[0];
    of[RPS_TANGENT_W1] = w[1];
    of[RPS_TANGENT_P0] = shift + w[0] * half_poisson + c[0];
    of[RPS_TANGENT_P1] = w[1] * half_poisson + c[1];
    of[RPS_TANGENT_P2] = w[2] * half_poisson + c[2];
}

/* Checks the inputs of the laws and fills RPS_TANGENT_CONSTANTS constants; `law` is the name in error messages. */
static inline rps_status rps_tangent_prepare(const rps_law_setup *setup, const char *law, double *constant,
                                             rps_error *err) {
    const rps_hertz2d_moduli moduli = rps_hertz2d_moduli_of(setup, setup->value[RPS_TANGENT_V_MODULUS]);
    if (isnan(setup->value[RPS_TANGENT_V_FRICTION])) {
        return rps_fail(err, RPS_BAD_INPUT, "slide law `%s` needs `friction`, the coefficient mu", law);
    }
    if (!(setup->normal_exponent > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `%s` takes its stiffness from the contact radius, which an imposed normal load does "
                        "not have: use normal law hertz2d, or slide law tracked or cundall_strack",
                        law);
    }
    if (!rps_hertz2d_known(moduli.pair) || isnan(setup->poisson[0]) || isnan(setup->poisson[1])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "slide law `%s` needs `poisson` of both materials, and `young` of both or its own "
                        "`effective_modulus`",
                        law);
    }
    const double scale = RPS_PI * setup->length;
    constant[RPS_TANGENT_PAIR] = scale * moduli.pair;
    constant[RPS_TANGENT_FIRST] = scale * moduli.first;
    constant[RPS_TANGENT_SECOND] = scale * moduli.second;
    for (int k = 0; k < 2; k++) {
        rps_tangent_prepare_body((int)setup->value[RPS_TANGENT_V_PENALTY], setup->poisson[k], constant,
                                 constant + k * RPS_TANGENT_BODY);
    }
    return RPS_OK;
}
#endif

#endif
