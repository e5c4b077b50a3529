/*
 * Viscous damping of the normal motion in proportion to the mass: c = gamma m_eff, so that bodies of any size lose
 * the same share of their speed in the same time. With Hooke and tension: allow an impact returns
 * e = exp(-gamma t/2), t = pi/sqrt(k/m_eff - gamma^2/4) its duration. Silbert et al. 2001.
 */
#include "base/status.h"
#include "law/dashpot.h"

RPS_KERNEL(damping_mass) {
    rps_dashpot(b, constant, RPS_DASHPOT_MASS);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_mass_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_dashpot_linear(setup, "mass", err));
    return rps_dashpot_prepare(setup, "mass", "the rate gamma (1/s)", constant, err);
}

static rps_law_spring damping_mass_spring(const double *constant, const rps_law_contact *contact) {
    return rps_dashpot_spring(RPS_DASHPOT_MASS, constant, contact);
}

static void damping_mass_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    rps_dashpot_cone(RPS_DASHPOT_MASS, constant, contact, cone);
}

const rps_law rps_law_damping_mass = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "mass",
    .summary = "viscous, in proportion to the mass: c = gamma m_eff",
    .citation = "Silbert et al. 2001",
    .parameter = {{"value", "1/s", "rate gamma", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS | RPS_ARRAY(mass_eff),
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_mass_prepare,
    .spring = damping_mass_spring,
    .cone = damping_mass_cone_of,
    .nonsmooth = "with normal law hooke, by the restitution that follows",
    .kernel = RPS_LAW_KERNELS(damping_mass),
};
#endif
