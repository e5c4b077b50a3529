/*
 * Viscous damping of the normal motion that yields a given coefficient of restitution e in a head-on impact.
 *
 * c = factor sqrt(S m_eff), S = dN/ddelta, factor = 2 z for Hooke and 2 sqrt(5/6) z for Hertz. With y = delta^(5/4)
 * and dtau = delta^(1/4) dt a Hertz impact becomes that of a linear spring with the damping ratio z: y'' + 2 z y' + y
 * = 0, and the load vanishes where y'' does. So one z(e) serves both springs. With the force allowed to pull until
 * the overlap ends (tension: allow), z = -ln e/sqrt(pi^2 + ln^2 e) (Tsuji, Tanaka & Ishida 1992; Antypov & Elliott
 * 2011). With tension cut off (tension: cut) the same z rebounds faster; the correct z is the inverse of the closed
 * form of Schwager & Poeschel 2007.
 *
 * Springs always return some energy: with tension cut off, critical damping still rebounds with e = exp(-2) = .135.
 * The nonsmooth stepper uses e directly, down to 0, in impacts that its steps do not resolve; those that they do follow the dashpot,
 * of 0.01 where e is less.
 */
#include "base/elementary.h"
#include "base/status.h"
#include "law/dashpot.h"

enum { P_RESTITUTION };

#define LEAST 0.01 /* a lower value needs a damper far above critical, whose rebounds depend on the step */

RPS_KERNEL(damping_restitution) {
    rps_dashpot(b, constant, RPS_DASHPOT_CRITICAL);
}

#if RPS_LAW_DESCRIPTOR
static rps_status damping_restitution_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double e = setup->value[P_RESTITUTION];
    if (isnan(e)) {
        return rps_fail(err, RPS_BAD_INPUT, "damping law `restitution` needs `value`, the coefficient of restitution");
    }
    if (!(setup->normal_exponent > 0.0)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "damping law `restitution` needs a normal law with a stiffness (hooke, hertz); an imposed load has no "
            "impact: write damping: none");
    }
    if (setup->normal_exponent != 1.0 && setup->normal_exponent != 1.5) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "damping law `restitution` has its closed form for loads ~ delta (hooke) and delta^1.5 (hertz); "
            "with this normal law write damping: ratio");
    }
    if (!setup->nonsmooth && e < LEAST) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "damping law `restitution` cannot return %g: springs give back some of the energy, and their least is "
            "%g; for a dull impact write damping: {law: ratio, value: 1, tension: allow}, critical damping, or use "
            "run.stepper "
            "nonsmooth, which takes 0",
            e, LEAST);
    }
    const int hertz = setup->normal_exponent > 1.25;
    const int cut = setup->tension == RPS_TENSION_CUT || setup->nonsmooth; /* where contacts do not pull */
    double ratio;
    if (e >= 1.0) {
        ratio = 0.0;
    } else if (cut) {
        ratio = rps_dashpot_cut_ratio(e > LEAST ? e : LEAST);
    } else {
        const double l = rps_log(e);
        ratio = -l / sqrt(RPS_PI * RPS_PI + l * l);
    }
    constant[RPS_DASHPOT_FACTOR] = 2.0 * ratio * (hertz ? sqrt(5.0 / 6.0) : 1.0);
    constant[RPS_DASHPOT_CUT] = cut;
    constant[RPS_DASHPOT_RESTITUTION] = e;
    return RPS_OK;
}

static void damping_restitution_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->restitution = constant[RPS_DASHPOT_RESTITUTION];
}

const rps_law rps_law_damping_restitution = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "restitution",
    .summary = "viscous, returning a coefficient of restitution, with or without a pulling part",
    .citation = "Tsuji et al. 1992; Antypov & Elliott 2011; Schwager & Poeschel 2007",
    .parameter = {{"value", "", "coefficient of restitution e; at least 0.01 but in the nonsmooth stepper", 0.0, 1.0,
                   NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_DASHPOT_MEMORY,
    .reads = RPS_DASHPOT_READS_CRITICAL,
    .writes = RPS_DASHPOT_WRITES,
    .prepare = damping_restitution_prepare,
    .spring = rps_dashpot_critical,
    .cone = damping_restitution_cone_of,
    .kernel = RPS_LAW_KERNELS(damping_restitution),
};
#endif
