/*
 * Viscoelastic bodies: the stress follows the strain with the delay A, so that c = A dN/ddelta; for Hertz
 * 3/2 A k_H sqrt(delta). The restitution falls with the speed, 1 - e ~ v^(1/5). Kuwabara & Kono 1987; Brilliantov,
 * Spahn, Hertzsch & Poeschel 1996, who derive A from the viscosities of the material.
 */
#include "base/status.h"
#include "law/dashpot.h"

RPS_KERNEL(damping_viscoelastic) {
    rps_dashpot(b, constant, RPS_DASHPOT_STIFFNESS);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_viscoelastic_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (!(setup->normal_exponent > 0.0)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "damping law `viscoelastic` needs a normal law with a stiffness (hooke, hertz); with an imposed "
            "load write damping: none or coefficient");
    }
    RPS_TRY(rps_dashpot_linear(setup, "viscoelastic", err));
    return rps_dashpot_prepare(setup, "viscoelastic", "the time A (s)", constant, err);
}

static rps_law_spring damping_viscoelastic_spring(const double *constant, const rps_law_contact *contact) {
    return rps_dashpot_spring(RPS_DASHPOT_STIFFNESS, constant, contact);
}

static void damping_viscoelastic_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    rps_dashpot_cone(RPS_DASHPOT_STIFFNESS, constant, contact, cone);
}

const rps_law rps_law_damping_viscoelastic = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "viscoelastic",
    .summary = "viscoelastic, in proportion to the stiffness: c = A dN/ddelta",
    .citation = "Kuwabara & Kono 1987; Brilliantov et al. 1996",
    .parameter = {{"value", "s", "time A", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS | RPS_ARRAY(stiffness),
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_viscoelastic_prepare,
    .spring = damping_viscoelastic_spring,
    .cone = damping_viscoelastic_cone_of,
    .nonsmooth = "with normal law hooke, by the restitution that follows",
    .kernel = RPS_LAW_KERNELS(damping_viscoelastic),
};
#endif
