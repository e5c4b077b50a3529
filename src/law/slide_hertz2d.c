/*
 * Friction of parallel cylinders, the simplified law of the plane-strain model (eqs. 31 to 33): T += K ds, capped at mu N,
 * with the secant stiffness at full slip K = pi E_eff depth/(g_1 + g_2). With r = a/R of each body
 *
 *   g = log(2/r) + 1/2 + w (log(4/r) + nu/(2 (1 - nu)))
 *
 * penalty: equation takes w of eq. 33, a fit for .01 <= r <= .2; it falls beyond its vertex, so r is held at .2 in it.
 * half takes w = 1/2. refit is g = log(2/r) + 1/2 + C(r, nu), fitted to finite elements for r from .005 to .3, where it is
 * held, with the right limit for narrow contacts. In the logarithms r counts as 1 at most.
 *
 * A plane is a mirror, as in the normal law. The cap holds the length of T, so it is signed. unloading: on scales T down with
 * K where K falls (Walton's rule), so that no cycle delivers energy. The spring is that of the Mindlin laws, with K in the
 * place of the contact radius.
 */
#include "law/hertz2d.h"
#include "law/mindlin.h"

enum { P_FRICTION, P_MODULUS, P_PENALTY, P_UNLOADING, P_DAMPING };
enum { PENALTY_EQUATION, PENALTY_HALF, PENALTY_REFIT };
enum { UNLOADING_OFF, UNLOADING_ON };
/* g = (1 + w) log(4/r) + p with polynomials w, p in r held at HOLD; of body 0, then of body 1 */
enum { PAIR = RPS_MINDLIN_UNLIMITED + 1, FIRST, SECOND, HOLD, W2, W0, W1, P0, P1, P2, BODY = P2 + 1 - W0 };
_Static_assert(W0 + 2 * BODY <= RPS_LAW_CONSTANTS, "constants");

static inline __attribute__((always_inline)) double compliance(const double *constant, int body, double a,
                                                               double radius) {
    const double *of = constant + body * BODY;
    double ratio = a / radius, least = ratio > 1e-100 ? ratio : 1e-100;
    double held = ratio < constant[HOLD] ? ratio : constant[HOLD], inside = least < 1.0 ? least : 1.0;
    double w = of[W0] + held * (of[W1] + held * constant[W2]), p = of[P0] + held * (of[P1] + held * of[P2]);
    return (1.0 + w) * rps_log_positive(4.0 / inside) + p;
}

static inline __attribute__((always_inline)) double tangent_stiffness(const double *constant, double a, double r0,
                                                                      double r1) {
    double k = rps_hertz2d_choice(r0, r1, constant[PAIR], constant[FIRST], constant[SECOND]);
    double g0 = compliance(constant, 0, a, r0 > 0.0 ? r0 : r1), g1 = compliance(constant, 1, a, r1 > 0.0 ? r1 : r0);
    g0 = r0 > 0.0 ? g0 : g1;
    g1 = r1 > 0.0 ? g1 : g0;
    return k / (g0 + g1);
}

RPS_KERNEL(slide_hertz2d) {
    _Alignas(64) double k[RPS_BATCH];
    RPS_IN(contact_radius);
    RPS_IN_AS(radius0, b->radius[0]);
    RPS_IN_AS(radius1, b->radius[1]);
    RPS_EACH_CONTACT(c) {
        k[c] = tangent_stiffness(constant, contact_radius[c], radius0[c], radius1[c]);
    }
    rps_batch spring = *b;
    spring.contact_radius = k;
    rps_mindlin(&spring, constant);
}

#if RPS_LAW_DESCRIPTOR
static void prepare_body(int penalty, double nu, double *constant, double *of) {
    const double half_poisson = 0.5 * nu / (1.0 - nu), shift = 0.5 - 0x1.62e42fefa39efp-1; /* 1/2 - log 2 */
    double w[3] = {penalty == PENALTY_HALF ? 0.5 : 0.0, 0.0, 0.0}, c[3] = {0.0, 0.0, 0.0};
    if (penalty == PENALTY_EQUATION) {
        w[0] = 0.22 + 0.18 * nu + 0.36 * nu * nu;
        w[1] = 2.89 + 1.75 * nu;
        w[2] = -10.31;
    } else if (penalty == PENALTY_REFIT) {
        c[0] = 0.1442 + 1.4251 / (1.0 - nu);
        c[1] = -(1.0042 + 0.1052 / (1.0 - nu));
        c[2] = -1.1909;
    }
    constant[HOLD] = penalty == PENALTY_REFIT ? 0.3 : 0.2;
    constant[W2] = w[2];
    of[W0] = w[0];
    of[W1] = w[1];
    of[P0] = shift + w[0] * half_poisson + c[0];
    of[P1] = w[1] * half_poisson + c[1];
    of[P2] = w[2] * half_poisson + c[2];
}

static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double mu = setup->value[P_FRICTION];
    const rps_hertz2d_moduli moduli = rps_hertz2d_moduli_of(setup, setup->value[P_MODULUS]);
    if (isnan(mu)) {
        return rps_fail(err, RPS_BAD_INPUT, "slide law `hertz2d` needs `friction`, the coefficient mu");
    }
    if (!(setup->normal_exponent > 0.0)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `hertz2d` takes its stiffness from the contact radius, which an imposed normal load does "
            "not have: use normal law hertz2d, or slide law tracked or cundall_strack");
    }
    if (!rps_hertz2d_known(moduli.pair) || isnan(setup->poisson[0]) || isnan(setup->poisson[1])) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `hertz2d` needs `poisson` of both materials, and `young` of both (at least one of them "
            "not rigid) or its own `effective_modulus`");
    }
    const double scale = RPS_PI * setup->length;
    constant[RPS_MINDLIN_FRICTION] = mu;
    constant[RPS_MINDLIN_SHEAR] = 0.125; /* 8 G* = 1: the spring reads K instead of a */
    constant[RPS_MINDLIN_DAMPING] = setup->value[P_DAMPING];
    constant[RPS_MINDLIN_DASHPOT] = constant[RPS_MINDLIN_INCREASE] = 0.0;
    constant[RPS_MINDLIN_DECREASE] = setup->value[P_UNLOADING] == UNLOADING_ON;
    constant[RPS_MINDLIN_UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? 1e200 : 0.0;
    constant[PAIR] = scale * moduli.pair;
    constant[FIRST] = scale * moduli.first;
    constant[SECOND] = scale * moduli.second;
    for (int k = 0; k < 2; k++) {
        prepare_body((int)setup->value[P_PENALTY], setup->poisson[k], constant, constant + k * BODY);
    }
    return RPS_OK;
}

static rps_law_spring spring_of(const double *constant, const rps_law_contact *contact) {
    const double k = tangent_stiffness(constant, contact->contact_radius, contact->radius[0], contact->radius[1]);
    return (rps_law_spring){k, 2.0 * constant[RPS_MINDLIN_DAMPING] * sqrt(contact->damper_mass * k)};
}

const rps_law rps_law_slide_hertz2d = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "hertz2d",
    .summary =
        "parallel cylinders, for disks of a planar scene: T += K ds with the secant stiffness at full slip, capped at "
        "mu N",
    .citation = "two-dimensional Hertz contact of frictional cylinders, 2020, eqs. 31 to 33; Walton 2010",
    .parameter =
        {{"friction", "", "friction coefficient mu", 0.0, 1e6, NAN, NULL},
         {"effective_modulus", "Pa",
          "E_eff of two disks, twice that on a plane; default: from young and poisson of the materials", 1e-300, 1e300,
          NAN, NULL},
         {"penalty", "",
          "penalty factor w: equation (33 of the paper, a/R held at 0.2), half (1/2), refit (to finite elements, "
          "a/R held at 0.3)",
          0, 2, PENALTY_EQUATION, "equation|half|refit"},
         {"unloading", "", "whether T falls with the stiffness", 0, 1, UNLOADING_OFF, "off|on"},
         RPS_MINDLIN_DAMPING_PARAMETER},
    .memory = {{"T", "N", "elastic tangential force", RPS_MEMORY_TANGENT},
               {"slide_stiffness", "N/m", "K of the last evaluation", RPS_MEMORY_SCALAR},
               {"slide_damper", "N", "damper force of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 1,
    .dimension = 2,
    .exception = {{"passive",
                   "slip under a large load taken back under a small one delivers (K2 - K1) s^2/2 a cycle, unless "
                   "unloading: on",
                   "Elata & Berryman 1996; Walton 2010"},
                  {"gives back what radial loading stored",
                   "with unloading: on T falls faster than the motion that is taken back; cure: unloading: off",
                   "Walton 2010"},
                  {"keeps its force while the load cycles",
                   "with unloading: on every cycle of the load takes its part of T, K_lo/K_hi; cure: unloading: off",
                   "Walton 2010"}},
    .prepare = prepare,
    .spring = spring_of,
    .kernel = RPS_LAW_KERNELS(slide_hertz2d),
};
#endif
