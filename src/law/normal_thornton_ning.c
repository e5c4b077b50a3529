/*
 * Elastic-perfectly plastic sphere (Thornton 1997; Thornton & Ning 1998): Hertz until the pressure in the middle reaches the yield
 * pressure p_y, at d_y = R (pi p_y/(2 E_eff))^2, then N = F_y + pi p_y R (delta - d_y). Unloaded from delta_m, F_m it is Hertz of a
 * flatter sphere, R_p = R F_H/F_m with F_H = 4/3 E_eff sqrt(R) delta_m^1.5:
 *
 *   N = 4/3 E_eff sqrt(R_p) (delta - d_p)^1.5,   d_p = delta_m (1 - F_m/F_H)
 *
 * which at delta_m is the loading, with the same contact radius, sqrt(R delta_m). Stored is 2/5 N (delta - d_p).
 */
#include "law/hertz.h"
#include "law/plastic.h"

enum { P_YIELD, P_MODULUS };
enum { YIELD, MODULUS, DEPTH_BY_RADIUS };

RPS_KERNEL(normal_thornton_ning) {
    const double yield = constant[YIELD], modulus = constant[MODULUS], depth_by_radius = constant[DEPTH_BY_RADIUS];
    RPS_PLASTIC_LANES;
    RPS_EACH_CONTACT(c) {
        double r = radius_eff[c], depth = overlap[c] > 0.0 && touch[c] > 0.5 ? overlap[c] : 0.0;
        double most = largest[c] > depth ? largest[c] : depth;
        double at_yield = depth_by_radius * r, elastic = most < at_yield ? most : at_yield;
        double full = 4.0 / 3.0 * modulus * sqrt(r * most) * most; /* F_H */
        double force = 4.0 / 3.0 * modulus * sqrt(r * elastic) * elastic + RPS_PI * yield * r * (most - elastic);
        double part = full > 0.0 ? force / full : 1.0; /* F_m/F_H, R/R_p */
        part = part < 1.0 ? part : 1.0;
        double left = depth - most * (1.0 - part); /* delta - d_p */
        left = left > 0.0 ? left : 0.0;
        double a = sqrt(r * left / part), load = 4.0 / 3.0 * modulus * a * left, stored = 0.4 * load * left;
        largest[c] = touch[c] > 0.5 ? most : 0.0;
        contact_radius[c] = a;
        stiffness[c] = 2.0 * modulus * a;
        RPS_PLASTIC_BOOK(c, load, stored);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_thornton_ning_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double modulus = rps_hertz_modulus(setup, setup->value[P_MODULUS]), yield = setup->value[P_YIELD];
    if (!(modulus > 0.0) || isinf(modulus)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "normal law `thornton_ning` needs `young` and `poisson` of both materials, or its own "
                        "`effective_modulus`");
    }
    if (isnan(yield)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `thornton_ning` needs `yield_pressure` (Pa), the contact pressure at yield, about 1.6 to 2.8 "
            "times the yield stress of the softer material");
    }
    const double strain = RPS_PI * yield / (2.0 * modulus);
    constant[YIELD] = yield;
    constant[MODULUS] = modulus;
    constant[DEPTH_BY_RADIUS] = strain * strain;
    return RPS_OK;
}

static rps_law_spring normal_thornton_ning_spring(const double *constant, const rps_law_contact *contact) {
    const double depth = contact->overlap > 0.0 ? contact->overlap : 0.0;
    return (rps_law_spring){2.0 * constant[MODULUS] * sqrt(contact->radius_eff * depth), 0.0};
}

static void normal_thornton_ning_effective(const double *constant, double *value) {
    value[P_MODULUS] = constant[MODULUS];
}

const rps_law rps_law_normal_thornton_ning = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "thornton_ning",
    .summary = "Hertz to a yield pressure, then plastic; unloaded as Hertz of a flatter sphere",
    .citation = "Thornton & Ning 1998",
    .parameter = {{"yield_pressure", "Pa", "p_y, contact pressure at yield", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"effective_modulus", "Pa", "E_eff; default: from young and poisson of the materials", 1e-300, 1e300,
                   NAN, NULL, RPS_PARAMETER_MODULUS}},
    .memory = RPS_PLASTIC_MEMORY,
    .exponent = 1.5,
    .dimension = 3,
    .spheres = 1,
    .reads = RPS_PLASTIC_READS,
    .writes = RPS_PLASTIC_WRITES,
    .prepare = normal_thornton_ning_prepare,
    .effective = normal_thornton_ning_effective,
    .spring = normal_thornton_ning_spring,
    .nonsmooth = "its load depends on the largest overlap so far, of which that stepper keeps no memory; take hooke or "
                 "hertz with damping `restitution`",
    .kernel = RPS_LAW_KERNELS(normal_thornton_ning),
};
#endif
