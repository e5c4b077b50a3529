/*
 * Friction of parallel cylinders, the simplified law of the plane-strain model (eqs. 31 to 33): T += K ds, capped at mu N,
 * with the secant stiffness at full slip K = pi E_eff depth/F, F of hertz2d_tangent.h.
 *
 * The cap holds the length of T, so it is signed. unloading: on scales T down with K where K falls (Walton's rule), so
 * that no cycle delivers energy. The spring is that of the Mindlin laws, with K in the place of the contact radius.
 */
#include "law/hertz2d_tangent.h"
#include "law/mindlin.h"

enum { P_UNLOADING = 3, P_DAMPING };
enum { UNLOADING_OFF, UNLOADING_ON };
enum { TANGENT = RPS_MINDLIN_UNLIMITED + 1 };
_Static_assert((int)TANGENT + (int)RPS_TANGENT_CONSTANTS <= (int)RPS_LAW_CONSTANTS, "constants");

static inline __attribute__((always_inline)) double tangent_stiffness(const double *constant, double a, double r0,
                                                                      double r1) {
    const double *t = constant + TANGENT;
    double k = rps_hertz2d_choice(r0, r1, t[RPS_TANGENT_PAIR], t[RPS_TANGENT_FIRST], t[RPS_TANGENT_SECOND]);
    return k / rps_tangent_sum(t, a, r0, r1);
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
static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_tangent_prepare(setup, "hertz2d", constant + TANGENT, err));
    constant[RPS_MINDLIN_FRICTION] = setup->value[RPS_TANGENT_V_FRICTION];
    constant[RPS_MINDLIN_SHEAR] = 0.125; /* 8 G* = 1: the spring reads K instead of a */
    constant[RPS_MINDLIN_DAMPING] = setup->value[P_DAMPING];
    constant[RPS_MINDLIN_DASHPOT] = constant[RPS_MINDLIN_INCREASE] = 0.0;
    constant[RPS_MINDLIN_DECREASE] = setup->value[P_UNLOADING] == UNLOADING_ON;
    constant[RPS_MINDLIN_UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? 1e200 : 0.0;
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
    .parameter = {RPS_TANGENT_PARAMETERS,
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
