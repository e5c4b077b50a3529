/*
 * Viscous damping of the normal motion in proportion to the mass and the contact radius: c = gamma m_eff a, as Silbert
 * et al. 2001 have it for Hertz contact. It is often called viscoelastic, but is not the law of viscoelastic spheres,
 * whose damper knows no mass (damping_viscoelastic.c).
 */
#include "base/status.h"
#include "law/dashpot.h"

RPS_KERNEL(damping_mass_radius) {
    rps_dashpot(b, constant, RPS_DASHPOT_MASS_RADIUS);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_mass_radius_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    return rps_dashpot_prepare(setup, "mass_radius", "gamma (1/m/s)", constant, err);
}

static rps_law_spring damping_mass_radius_spring(const double *constant, const rps_law_contact *contact) {
    return rps_dashpot_spring(RPS_DASHPOT_MASS_RADIUS, constant, contact);
}

const rps_law rps_law_damping_mass_radius = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "mass_radius",
    .summary = "viscous, in proportion to mass and contact radius: c = gamma m_eff a",
    .citation = "Silbert et al. 2001",
    .parameter = {{"value", "1/m/s", "gamma", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS | RPS_ARRAY(mass_eff) | RPS_ARRAY(contact_radius),
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_mass_radius_prepare,
    .spring = damping_mass_radius_spring,
    .nonsmooth = "the rebound of an impact within a step is a coefficient of restitution, and with this dashpot it "
                 "depends on the speed; take restitution or ratio",
    .kernel = RPS_LAW_KERNELS(damping_mass_radius),
};
#endif
