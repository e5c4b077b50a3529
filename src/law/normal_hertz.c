/*
 * Hertz: N = 4/3 E_eff sqrt(R_eff) delta^1.5, contact radius a = sqrt(R_eff delta), tangent stiffness 2 E_eff a,
 * energy 2/5 N delta. Hertz 1882; Johnson, Contact Mechanics, chapter 4.
 */
#include "base/elementary.h"
#include "law/hertz.h"

enum { P_MODULUS };
enum { MODULUS };

RPS_KERNEL(normal_hertz) {
    const double modulus = constant[MODULUS];
    RPS_IN(overlap);
    RPS_IN(radius_eff);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 ? overlap[c] : 0.0;
        double a2 = radius_eff[c] * depth, a = sqrt(a2);
        double load = 4.0 / 3.0 * modulus * a * depth;
        contact_radius[c] = a;
        elastic_load[c] = load;
        stiffness[c] = 2.0 * modulus * a;
        energy[c] = 0.4 * load * depth;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_hertz_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    constant[MODULUS] = rps_hertz_modulus(setup, setup->value[P_MODULUS]);
    if (!(constant[MODULUS] > 0.0) || isinf(constant[MODULUS])) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `hertz` needs `young` and `poisson` of both materials, or its own `effective_modulus`");
    }
    return RPS_OK;
}

static rps_law_spring normal_hertz_spring(const double *constant, const rps_law_contact *contact) {
    return (rps_law_spring){2.0 * constant[MODULUS] * sqrt(contact->radius_eff * contact->overlap), 0.0};
}

static void normal_hertz_effective(const double *constant, double *value) {
    value[P_MODULUS] = constant[MODULUS];
}

static void normal_hertz_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    cone->stiffness = rps_hertz_secant(constant[MODULUS], contact);
}

const rps_law rps_law_normal_hertz = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "hertz",
    .summary = "4/3 E_eff sqrt(R_eff) delta^1.5",
    .citation = "Hertz 1882; Johnson 1985, chapter 4",
    .parameter = {{"effective_modulus", "Pa", "E_eff; default: from young and poisson of the materials", 1e-300, 1e300,
                   NAN, NULL, RPS_PARAMETER_MODULUS}},
    .exponent = 1.5,
    .radius_exponent = 0.5,
    .dimension = 3,
    .reads = RPS_ARRAY(overlap) | RPS_ARRAY(radius_eff),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy),
    .prepare = normal_hertz_prepare,
    .effective = normal_hertz_effective,
    .spring = normal_hertz_spring,
    .cone = normal_hertz_cone_of,
    .kernel = RPS_LAW_KERNELS(normal_hertz),
};
#endif
