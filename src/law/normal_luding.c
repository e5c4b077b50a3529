/*
 * Elastoplastic adhesive spring (Luding 2008), with 2 R = 2 R_i R_j/(R_i + R_j):
 *
 *   k_2 = k_1 + (k_p - k_1) delta_m/delta*, at most k_p;   delta* = k_p/(k_p - k_1) phi_f 2 R
 *   N   = k_2 (delta - delta_0),   delta_0 = (1 - k_1/k_2) min(delta_m, delta*)
 *   N   = -k_c delta where that is larger
 *
 * With delta_m the present overlap, N = k_1 delta: the first loading; beyond delta* it is elastic. Without phi_f k_2 = k_p always. On
 * the adhesive branch delta_m shrinks, so that reloading starts from there along k_2: the delta_m whose own line of unloading meets
 * the branch at the present overlap.
 */
#include "law/plastic.h"

enum { P_STIFFNESS, P_UNLOADING, P_COHESION, P_PLASTICITY };
enum { LOADING, UNLOADING, COHESION, LIMIT /* delta* by R_eff; 0: none */ };

RPS_KERNEL(normal_luding) {
    const double loading = constant[LOADING], stiffest = constant[UNLOADING], cohesion = constant[COHESION];
    const double limit_by_radius = constant[LIMIT], varies = limit_by_radius > 0.0 ? 1.0 : 0.0;
    RPS_PLASTIC_LANES;
    RPS_LANE(pull);
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 && touch[c] > 0.5 ? overlap[c] : 0.0;
        double limit = varies > 0.5 ? limit_by_radius * radius_eff[c] : 1.0; /* m */
        double growth = varies * (stiffest - loading) / limit;               /* of k_2, N/m^2 */
        double most = largest[c] > depth ? largest[c] : depth;
        double plastic = varies > 0.5 && most > limit ? limit : most;
        double k = varies > 0.5 ? loading + growth * plastic : stiffest;
        double load = k * (depth - plastic) + loading * plastic, branch = -cohesion * depth;
        int pulled = load < branch;
        /* delta_m on the branch, by the same k_2 or by that of the new one */
        double fixed = depth * (stiffest + cohesion) / (stiffest - loading);
        double inside = 0.25 * depth * depth + depth * (loading + cohesion) / (growth > 0.0 ? growth : 1.0);
        double varied = 0.5 * depth + sqrt(inside);
        double shrunk = varies > 0.5 ? varied : fixed;
        shrunk = shrunk < most ? shrunk : most;
        most = pulled ? shrunk : most;
        plastic = varies > 0.5 && most > limit ? limit : most;
        k = varies > 0.5 ? loading + growth * plastic : stiffest;
        load = pulled ? branch : load;
        double stored = 0.5 * load * load / k;
        largest[c] = touch[c] > 0.5 ? most : 0.0;
        contact_radius[c] = sqrt(radius_eff[c] * depth);
        stiffness[c] = loading;
        pull[c] = cohesion * (k - loading) / (k + cohesion) * plastic;
        RPS_PLASTIC_BOOK(c, load, stored);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_luding_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double loading = setup->value[P_STIFFNESS], unloading = setup->value[P_UNLOADING],
                 cohesion = setup->value[P_COHESION];
    if (isnan(loading) || isnan(unloading)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `luding` needs `stiffness`, of loading, and `unloading`, the largest of unloading (N/m)");
    }
    if (!(unloading > loading)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `luding`: `unloading`, %g N/m, must be above `stiffness`, %g N/m; for an elastic spring use "
            "`hooke`",
            unloading, loading);
    }
    if (cohesion > unloading) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "normal law `luding`: `cohesion`, %g N/m, is above `unloading`, %g N/m; give at most that",
                        cohesion, unloading);
    }
    constant[LOADING] = loading;
    constant[UNLOADING] = unloading;
    constant[COHESION] = cohesion;
    constant[LIMIT] =
        isnan(setup->value[P_PLASTICITY]) ? 0.0 : 2.0 * setup->value[P_PLASTICITY] * unloading / (unloading - loading);
    return RPS_OK;
}

static rps_law_spring normal_luding_spring(const double *constant, const rps_law_contact *contact) {
    (void)contact;
    return (rps_law_spring){constant[UNLOADING], 0.0};
}

const rps_law rps_law_normal_luding = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "luding",
    .summary = "elastoplastic and adhesive: k_1 loaded first, k_2 un- and reloaded, a pull of -k_c delta at most",
    .citation = "Luding 2008",
    .parameter = {{"stiffness", "N/m", "k_1, of first loading", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS},
                  {"unloading", "N/m", "k_p, the largest of unloading, above k_1", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"cohesion", "N/m", "k_c, of the adhesive branch, at most k_p", 0.0, 1e300, 0.0, NULL,
                   RPS_PARAMETER_OTHER},
                  {"plasticity", "",
                   "phi_f, plastic overlap by 2 R_eff beyond which contacts are elastic; not given: k_2 = k_p", 1e-9,
                   1.0, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_PLASTIC_MEMORY,
    .exponent = 1.0,
    .dimension = 3,
    .reads = RPS_PLASTIC_READS,
    .writes = RPS_PLASTIC_WRITES | RPS_ARRAY(pull),
    .prepare = normal_luding_prepare,
    .spring = normal_luding_spring,
    .nonsmooth = "its load depends on the largest overlap so far, of which that stepper keeps no memory; take hooke or "
                 "hertz with damping `restitution`",
    .kernel = RPS_LAW_KERNELS(normal_luding),
};
#endif
