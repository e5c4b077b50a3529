/*
 * The normal dashpot of Tsuji, Tanaka & Ishida 1992 for Hertz contact: alpha(e) sqrt(m_eff k_H) delta^(1/4), with
 * alpha in closed form. tension: allow returns e exactly; with tension: cut alpha stays as published and the rebound
 * is faster (e = 0.5 becomes 0.55). The law `restitution` corrects the factor for that case.
 */
#include "base/status.h"
#include "law/dashpot.h"
#include "law/tsuji.h"

enum { P_RESTITUTION };

RPS_KERNEL(damping_tsuji) {
    rps_dashpot(b, constant, RPS_DASHPOT_CRITICAL);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_tsuji_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (isnan(setup->value[P_RESTITUTION])) {
        return rps_fail(err, RPS_BAD_INPUT, "damping law `tsuji` needs `value`, the coefficient of restitution");
    }
    if (!(setup->normal_exponent > 1.25 && setup->normal_exponent < 1.75)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "damping law `tsuji` is stated for Hertz contact: use normal law hertz, or damping law "
                        "restitution");
    }
    constant[RPS_DASHPOT_FACTOR] = rps_tsuji_factor(setup->value[P_RESTITUTION]);
    rps_dashpot_set_critical(setup, sqrt(6.0 / 5.0), constant);
    return RPS_OK;
}

/* That of the dashpot: the e of the law with tension: allow. */
static void damping_tsuji_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->restitution = rps_dashpot_rebound(constant, 0.5 * sqrt(6.0 / 5.0) * constant[RPS_DASHPOT_FACTOR]);
}

const rps_law rps_law_damping_tsuji = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "tsuji",
    .summary = "viscous, alpha(e) sqrt(m_eff k_H) delta^(1/4); e is exact with tension: allow",
    .citation = "Tsuji, Tanaka & Ishida 1992",
    .parameter = {{"value", "", "coefficient of restitution e", 0.01, 1.0, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS_CRITICAL,
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_tsuji_prepare,
    .spring = rps_dashpot_critical,
    .cone = damping_tsuji_cone_of,
    .nonsmooth = "by the restitution that follows",
    .kernel = RPS_LAW_KERNELS(damping_tsuji),
};
#endif
