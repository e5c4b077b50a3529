/*
 * DMT: Hertz contact with a constant pull, the adhesion of stiff small spheres, which acts around the area of contact
 * (Derjaguin, Muller & Toporov 1975): N = 4/3 E_eff sqrt(R) delta^1.5 - F, F = 2 pi W R, energy 2/5 k delta^2.5 - F delta.
 *
 * The law acts while the surfaces overlap. It is conservative: without a dashpot bodies leave each other as fast as they came, and
 * nothing sticks. The pull across the gap is left out.
 */
#include "law/adhesion.h"

enum { P_FRICTION = RPS_ADHESION_NEXT };
enum { PULL_BY_RADIUS = RPS_ADHESION_NEXT, BONUS };

RPS_KERNEL(normal_dmt) {
    const double modulus = constant[RPS_ADHESION_MODULUS], pull_by_radius = constant[PULL_BY_RADIUS];
    const double bonus = constant[BONUS];
    RPS_IN(touch);
    RPS_IN(overlap);
    RPS_IN(radius_eff);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_LANE(pull);
    RPS_LANE(cap_bonus);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 ? overlap[c] : 0.0, on = touch[c] > 0.5 ? 1.0 : 0.0;
        double a = sqrt(radius_eff[c] * depth), hertz = 4.0 / 3.0 * modulus * a * depth;
        double most = on * pull_by_radius * radius_eff[c];
        contact_radius[c] = a;
        elastic_load[c] = hertz - most;
        stiffness[c] = 2.0 * modulus * a;
        pull[c] = most;
        cap_bonus[c] = bonus * most;
        energy[c] = (0.4 * hertz - most) * depth;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_dmt_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (setup->nonsmooth && !(setup->value[P_FRICTION] > 0.5)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `dmt`: in the nonsmooth stepper friction is capped by mu (N + F), the load of the cone "
            "that the pull-off force F shifts; write `cap: pulloff`");
    }
    RPS_TRY(rps_adhesion_prepare(setup, "dmt", constant, err));
    constant[PULL_BY_RADIUS] = 2.0 * RPS_PI * constant[RPS_ADHESION_WORK];
    constant[BONUS] = setup->value[P_FRICTION] > 0.5 ? 1.0 : 2.0;
    return RPS_OK;
}

static rps_law_spring normal_dmt_spring(const double *constant, const rps_law_contact *contact) {
    const double depth = contact->overlap > 0.0 ? contact->overlap : 0.0;
    return (rps_law_spring){2.0 * constant[RPS_ADHESION_MODULUS] * sqrt(contact->radius_eff * depth), 0.0};
}

/* The secant of the Hertz part, as in hertz. */
static void normal_dmt_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    cone->stiffness = rps_hertz_secant(constant[RPS_ADHESION_MODULUS], contact);
    cone->pull = constant[PULL_BY_RADIUS] * contact->radius_eff;
}

const rps_law rps_law_normal_dmt = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "dmt",
    .summary = "Hertz with a constant pull while in contact: 4/3 E_eff sqrt(R_eff) delta^1.5 - 2 pi W R_eff",
    .citation = "Derjaguin, Muller & Toporov 1975",
    .parameter = {RPS_ADHESION_PARAMETERS,
                  {"cap", "", "load of friction caps: N + 2 F, or N + F, the Hertz part", 0.0, 1.0, 0.0,
                   "two_pulloff|pulloff", RPS_PARAMETER_OTHER}},
    .exponent = 1.5,
    .radius_exponent = 0.5,
    .similar = 1,
    .dimension = 3,
    .reads = RPS_ARRAY(touch) | RPS_ARRAY(overlap) | RPS_ARRAY(radius_eff),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(pull) |
              RPS_ARRAY(cap_bonus) | RPS_ARRAY(energy),
    .prepare = normal_dmt_prepare,
    .effective = rps_adhesion_effective,
    .spring = normal_dmt_spring,
    .cone = normal_dmt_cone_of,
    .nonsmooth = "with `cap: pulloff`",
    .kernel = RPS_LAW_KERNELS(normal_dmt),
};
#endif
