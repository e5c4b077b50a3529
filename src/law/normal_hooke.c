/*
 * Hooke: N = k delta, energy k delta^2/2. Cundall & Strack 1979. The contact radius follows from the overlap, a =
 * sqrt(R_eff delta), as in Hertz contact.
 */
#include <math.h>

#include "base/status.h"
#include <repose/law_kernel.h>

enum { P_STIFFNESS };
enum { STIFFNESS };

RPS_KERNEL(normal_hooke) {
    const double k = constant[STIFFNESS];
    RPS_IN(overlap);
    RPS_IN(radius_eff);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 ? overlap[c] : 0.0;
        double load = k * depth;
        contact_radius[c] = sqrt(radius_eff[c] * depth);
        elastic_load[c] = load;
        stiffness[c] = k;
        energy[c] = 0.5 * load * depth;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_hooke_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    constant[STIFFNESS] = setup->value[P_STIFFNESS];
    if (isnan(constant[STIFFNESS])) {
        return rps_fail(err, RPS_BAD_INPUT, "normal law `hooke` needs `stiffness` (N/m)");
    }
    return RPS_OK;
}

static rps_law_spring normal_hooke_spring(const double *constant, const rps_law_contact *contact) {
    (void)contact;
    return (rps_law_spring){constant[STIFFNESS], 0.0};
}

static void normal_hooke_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->stiffness = constant[STIFFNESS];
}

const rps_law rps_law_normal_hooke = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "hooke",
    .summary = "k delta",
    .citation = "Cundall & Strack 1979",
    .parameter = {{"stiffness", "N/m", "k", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS}},
    .exponent = 1.0,
    .reads = RPS_ARRAY(overlap) | RPS_ARRAY(radius_eff),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy),
    .prepare = normal_hooke_prepare,
    .spring = normal_hooke_spring,
    .cone = normal_hooke_cone_of,
    .kernel = RPS_LAW_KERNELS(normal_hooke),
};
#endif
