/*
 * Viscous damping of the normal motion that returns a wanted coefficient of restitution e in a head-on impact.
 *
 * c = factor sqrt(S m_eff), S = dN/ddelta. With the force allowed to pull until the overlap ends (tension: allow) the
 * factor is exact in closed form: 2 b for Hooke, 2 sqrt(5/6) b for Hertz, b = -ln e/sqrt(pi^2 + ln^2 e) (Tsuji,
 * Tanaka & Ishida 1992; Antypov & Elliott 2011). With the pull cut off (tension: cut) the same factor rebounds
 * faster; the right one is, for Hooke, the inverse of the closed form of Schwager & Poschel 2007, and for Hertz the
 * fit of Thornton, Cummins & Cleary 2013 (about 1e-3 in e).
 *
 * Springs always return some of the energy: with the pull cut off, critical damping still rebounds with e = exp(-2) = .135
 * (Hooke). The nonsmooth stepper takes e as it is, down to 0.
 */
#include "base/elementary.h"
#include "base/status.h"
#include "law/dashpot.h"

enum { P_RESTITUTION };

#define LEAST 0.01 /* below it the damper is far above critical, and rebounds depend on the step */

RPS_KERNEL(damping_restitution) {
    rps_dashpot(b, constant);
}

#if RPS_LAW_DESCRIPTOR
/* Restitution of a linear spring with damping ratio z whose contact ends when the load reaches 0. */
static double hooke_cut(double z) {
    if (z < 1.0) {
        double s = sqrt(1.0 - z * z);
        return s > 1e-6 ? rps_exp(-z / s * (RPS_PI - rps_atan2(2.0 * z * s, 1.0 - 2.0 * z * z))) : rps_exp(-2.0);
    }
    double s = sqrt(z * z - 1.0);
    return s > 1e-6 ? rps_exp(-z / s * rps_log((z + s) / (z - s))) : rps_exp(-2.0);
}

static double hooke_cut_ratio(double e) {
    double low = 0.0, high = 1e3;
    for (int k = 0; k < 200 && low < high; k++) {
        double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) {
            break;
        }
        if (hooke_cut(mid) > e) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

static double hertz_cut_factor(double e) {
    static const double h[10] = {-6.918798, -16.41105, 146.8049,  -796.4559, 2928.711,
                                 -7206.864, 11494.29,  -11342.18, 6276.757,  -1489.915};
    double a = 0.0;
    for (int k = 9; k >= 0; k--) {
        a = e * (h[k] + a);
    }
    double inside = 1.0 - (1.0 + e) * (1.0 + e) * rps_exp(a);
    return 2.0 * sqrt(1.0 / inside - 1.0);
}

static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
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
    const int cut = setup->tension == RPS_TENSION_CUT;
    double factor;
    if (e >= 1.0) {
        factor = 0.0;
    } else if (e < LEAST) { /* nonsmooth: critical damping, the limit of the closed form */
        factor = 2.0 * (hertz ? sqrt(5.0 / 6.0) : 1.0);
    } else if (cut) {
        factor = hertz ? hertz_cut_factor(e) : 2.0 * hooke_cut_ratio(e);
    } else {
        double l = rps_log(e);
        double b = -l / sqrt(RPS_PI * RPS_PI + l * l);
        factor = 2.0 * b * (hertz ? sqrt(5.0 / 6.0) : 1.0);
    }
    constant[RPS_DASHPOT_FACTOR] = factor;
    constant[RPS_DASHPOT_CUT] = cut;
    constant[RPS_DASHPOT_RESTITUTION] = e;
    return RPS_OK;
}

static void cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)contact;
    cone->restitution = constant[RPS_DASHPOT_RESTITUTION];
}

const rps_law rps_law_damping_restitution = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_DAMPING,
    .name = "restitution",
    .summary = "viscous, returning a coefficient of restitution, with or without a pulling part",
    .citation = "Tsuji et al. 1992; Schwager & Poschel 2007; Thornton et al. 2013",
    .parameter = {{"value", "", "coefficient of restitution e; at least 0.01 but in the nonsmooth stepper", 0.0, 1.0,
                   NAN, NULL}},
    .memory = RPS_DASHPOT_MEMORY,
    .prepare = prepare,
    .spring = spring,
    .cone = cone_of,
    .kernel = RPS_LAW_KERNELS(damping_restitution),
};
#endif
