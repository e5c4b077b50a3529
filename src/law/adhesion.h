/*
 * Adhesion of two surfaces by their work of adhesion W (J/m^2): what it takes to part them, gamma_i + gamma_j - gamma_ij
 * of their surface energies, so 2 gamma of two equal ones.
 *
 * Contacts with a modulus and a work of adhesion alone are similar: with U the stored energy, N = dU/ddelta,
 * U(delta, R) = R^(4/3) h(delta R^(-1/3)). So R dU/dR = (4 U - delta N)/3, which is U/2 for Hertz.
 */
#ifndef RPS_LAW_ADHESION_H
#define RPS_LAW_ADHESION_H

#include "base/elementary.h"
#include "law/hertz.h"

enum { RPS_ADHESION_WORK, RPS_ADHESION_MODULUS, RPS_ADHESION_NEXT /* of a law's own parameters and constants */ };

#define RPS_ADHESION_PARAMETERS                                                                                     \
    {"work_of_adhesion", "J/m^2", "W, of the interface: 2 gamma of equal surfaces", 1e-9, 1e6, NAN, NULL,           \
     RPS_PARAMETER_OTHER},                                                                                          \
    {                                                                                                               \
        "effective_modulus", "Pa", "E_eff; default: from young and poisson of the materials", 1.0, 1e15, NAN, NULL, \
            RPS_PARAMETER_MODULUS                                                                                   \
    }

#if RPS_LAW_DESCRIPTOR
static inline rps_status rps_adhesion_modulus(const rps_law_setup *setup, const char *law, double given,
                                              double *modulus, rps_error *err) {
    *modulus = rps_hertz_modulus(setup, given);
    if (!(*modulus >= 1.0 && *modulus <= 1e15)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `%s` needs `young` and `poisson` of both materials, or its own `effective_modulus`, "
            "of 1 to 1e15 Pa",
            law);
    }
    return RPS_OK;
}

static inline rps_status rps_adhesion_prepare(const rps_law_setup *setup, const char *law, double *constant,
                                              rps_error *err) {
    RPS_TRY(rps_adhesion_modulus(setup, law, setup->value[RPS_ADHESION_MODULUS], &constant[RPS_ADHESION_MODULUS], err));
    constant[RPS_ADHESION_WORK] = setup->value[RPS_ADHESION_WORK];
    if (isnan(constant[RPS_ADHESION_WORK])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "normal law `%s` needs `work_of_adhesion` (J/m^2), twice the surface energy of equal surfaces; "
                        "some programs ask for half of it, the surface energy",
                        law);
    }
    return RPS_OK;
}

static inline void rps_adhesion_effective(const double *constant, double *value) {
    value[RPS_ADHESION_MODULUS] = constant[RPS_ADHESION_MODULUS];
}
#endif

#endif
