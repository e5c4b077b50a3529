/*
 * Elastoplastic spring of two stiffnesses (Walton & Braun 1986): N = k_1 delta when loaded for the first time, and
 * N = k_2 (delta - delta_0), not below 0, when un- and reloaded, delta_0 = (1 - k_1/k_2) delta_m the overlap that stays after the
 * largest, delta_m. The restitution is sqrt(k_1/k_2) at any speed. With `slope` S the unloading is the stiffer the larger the load
 * has been, k_2 = k_1 (1 + S delta_m), and the restitution falls with the speed.
 */
#include "law/plastic.h"

enum { P_STIFFNESS, P_UNLOADING, P_SLOPE };
enum { LOADING, UNLOADING, GROWTH /* of k_2, N/m^2 */ };

RPS_KERNEL(normal_walton_braun) {
    const double loading = constant[LOADING], unloading = constant[UNLOADING], growth = constant[GROWTH];
    RPS_PLASTIC_LANES;
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 && touch[c] > 0.5 ? overlap[c] : 0.0;
        double most = largest[c] > depth ? largest[c] : depth, k = unloading + growth * most;
        double back = k * (depth - most) + loading * most; /* k_2 (delta - delta_0) */
        double load = back > 0.0 ? back : 0.0, stored = 0.5 * load * load / k;
        largest[c] = touch[c] > 0.5 ? most : 0.0;
        contact_radius[c] = sqrt(radius_eff[c] * depth);
        stiffness[c] = loading;
        RPS_PLASTIC_BOOK(c, load, stored);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_walton_braun_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double loading = setup->value[P_STIFFNESS], unloading = setup->value[P_UNLOADING],
                 slope = setup->value[P_SLOPE];
    if (isnan(loading) || isnan(unloading) == isnan(slope)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `walton_braun` needs `stiffness`, of loading (N/m), and either `unloading` (N/m), the "
            "stiffness of unloading, or `slope` (1/m), its growth with the largest overlap");
    }
    if (unloading < loading) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `walton_braun`: `unloading`, %g N/m, is below `stiffness`, %g N/m, so contacts would make "
            "energy; give at least that of loading",
            unloading, loading);
    }
    constant[LOADING] = loading;
    constant[UNLOADING] = isnan(slope) ? unloading : loading;
    constant[GROWTH] = isnan(slope) ? 0.0 : loading * slope;
    return RPS_OK;
}

static rps_law_spring normal_walton_braun_spring(const double *constant, const rps_law_contact *contact) {
    const double depth = contact->overlap > 0.0 ? contact->overlap : 0.0;
    return (rps_law_spring){constant[UNLOADING] + constant[GROWTH] * depth, 0.0};
}

const rps_law rps_law_normal_walton_braun = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "walton_braun",
    .summary = "elastoplastic: k_1 delta loaded first, k_2 (delta - delta_0) un- and reloaded",
    .citation = "Walton & Braun 1986",
    .parameter = {{"stiffness", "N/m", "k_1, of first loading", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS},
                  {"unloading", "N/m", "k_2, at least k_1; restitution sqrt(k_1/k_2)", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"slope", "1/m", "S, instead: k_2 = k_1 (1 + S delta_m)", 0.0, 1e15, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_PLASTIC_MEMORY,
    .exponent = 1.0,
    .reads = RPS_PLASTIC_READS,
    .writes = RPS_PLASTIC_WRITES,
    .prepare = normal_walton_braun_prepare,
    .spring = normal_walton_braun_spring,
    .nonsmooth = "its load depends on the largest overlap so far, of which that stepper keeps no memory; take hooke or "
                 "hertz with damping `restitution`",
    .kernel = RPS_LAW_KERNELS(normal_walton_braun),
};
#endif
