/*
 * Viscous damping of the normal motion, given as the ratio z to critical damping: c = 2 z sqrt(m_eff S), S =
 * dN/ddelta. With the linear spring z is the usual damping ratio; with Hertz it is the local ratio at every overlap.
 */
#include "base/status.h"
#include "law/dashpot.h"

enum { P_RATIO };
enum { BY_EXPONENT = RPS_DASHPOT_RESTITUTION + 1 };

RPS_KERNEL(damping_ratio) {
    rps_dashpot(b, constant, RPS_DASHPOT_CRITICAL);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_ratio_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (isnan(setup->value[P_RATIO])) {
        return rps_fail(err, RPS_BAD_INPUT, "damping law `ratio` needs `value`, the fraction of critical damping");
    }
    constant[RPS_DASHPOT_FACTOR] = 2.0 * setup->value[P_RATIO];
    constant[BY_EXPONENT] = setup->normal_exponent == 1.5 ? sqrt(6.0 / 5.0) : 1.0;
    rps_dashpot_set_critical(setup, constant[BY_EXPONENT], constant);
    if (setup->normal_exponent == 1.5) return RPS_OK;
    RPS_TRY(rps_dashpot_linear(setup, "ratio", err));
    return RPS_OK;
}

/* Of Hertz y = delta^(5/4) is the overlap of a linear spring with sqrt(6/5) times the ratio (damping_restitution.c). */
static void damping_ratio_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->restitution = rps_dashpot_rebound(constant, 0.5 * constant[RPS_DASHPOT_FACTOR] * constant[BY_EXPONENT]);
}

const rps_law rps_law_damping_ratio = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "ratio",
    .summary = "viscous, a fraction of critical: c = 2 z sqrt(m_eff dN/ddelta)",
    .citation = "",
    .parameter = {{"value", "", "damping ratio z", 0.0, 100.0, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS_CRITICAL,
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_ratio_prepare,
    .spring = rps_dashpot_critical,
    .cone = damping_ratio_cone_of,
    .nonsmooth = "with normal law hooke or one of exponent 3/2, by the restitution that follows",
    .kernel = RPS_LAW_KERNELS(damping_ratio),
};
#endif
