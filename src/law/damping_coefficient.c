/*
 * Viscous damping of the normal motion with one coefficient for all contacts: load c ddelta/dt. Cundall & Strack 1979.
 */
#include "base/status.h"
#include "law/dashpot.h"

RPS_KERNEL(damping_coefficient) {
    rps_dashpot(b, constant, RPS_DASHPOT_GIVEN);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_coefficient_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_dashpot_linear(setup, "coefficient", err));
    return rps_dashpot_prepare(setup, "coefficient", "the coefficient c (N s/m)", constant, err);
}

static rps_law_spring damping_coefficient_spring(const double *constant, const rps_law_contact *contact) {
    return rps_dashpot_spring(RPS_DASHPOT_GIVEN, constant, contact);
}

static void damping_coefficient_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    rps_dashpot_cone(RPS_DASHPOT_GIVEN, constant, contact, cone);
}

const rps_law rps_law_damping_coefficient = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "coefficient",
    .summary = "viscous, the coefficient c is given",
    .citation = "Cundall & Strack 1979",
    .parameter = {{"value", "N s/m", "coefficient c", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS,
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_coefficient_prepare,
    .spring = damping_coefficient_spring,
    .cone = damping_coefficient_cone_of,
    .nonsmooth = "with normal law hooke, by the restitution that follows",
    .kernel = RPS_LAW_KERNELS(damping_coefficient),
};
#endif
