/*
 * Roll friction of Ai, Chen, Rotter & Ooi 2011, model C: an elastic-plastic rolling spring with a dashpot. A fraction
 * f, `at_cap`, of the dashpot still acts while the spring is at its cap.
 *
 * M = K_R theta, limited to M_max = mu_r R_eff N;   + C_R w_r below the cap,  + f C_R w_r at it
 *   K_R = K_E R_eff^2 with K_E = `stiffness` (the authors: 2.25 mu_r^2 k_n),  C_R = 2 eta_r sqrt(I K_R), eta_r = `damping`
 *
 * With f = 1 (the default) the torque exceeds mu_r R_eff N while bodies roll, which makes piles steeper. With f = 0 nothing
 * exceeds the cap, as in the law of Iwashita & Oda and in the model epsd of LIGGGHTS.
 */
#include "law/roll_spring.h"

enum { P_COEFFICIENT, P_STIFFNESS, P_DAMPING, P_AT_CAP };

RPS_KERNEL(roll_ai) {
    rps_roll_spring(b, constant, true);
}

#if RPS_LAW_DESCRIPTOR
enum { SLIDE_STIFFNESS = 2 };

static rps_status roll_ai_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[P_COEFFICIENT])) {
        return rps_fail(err, RPS_BAD_INPUT, "roll law `ai` has no cap: give `coefficient`, mu_r of mu_r R_eff N");
    }
    const double k = isnan(v[P_STIFFNESS]) ? setup->slide_value[SLIDE_STIFFNESS] : v[P_STIFFNESS];
    if (isnan(k)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "roll law `ai` has no `stiffness`: give it (its authors: 2.25 mu_r^2 k_n), or a slide law with a "
            "`stiffness`, from which it is taken");
    }
    constant[RPS_ROLL_K] = k;
    constant[RPS_ROLL_K_R] = constant[RPS_ROLL_WIDTH] = 0.0;
    constant[RPS_ROLL_MU] = v[P_COEFFICIENT];
    constant[RPS_ROLL_AT_CAP] = v[P_AT_CAP];
    if (setup->nonsmooth && v[P_AT_CAP] > 0.0) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "roll law `ai`: a dashpot that acts on at the cap leaves the cone of the nonsmooth stepper; write "
            "`at_cap: 0`");
    }
    return rps_roll_damper(setup, NAN, v[P_DAMPING], 0.0, "ai", constant, err);
}

static void roll_ai_effective(const double *constant, double *value) {
    value[P_STIFFNESS] = constant[RPS_ROLL_K];
    value[P_DAMPING] = constant[RPS_ROLL_CRITICAL];
}

const rps_law rps_law_roll_ai = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "ai",
    .summary = "elastic-plastic rolling spring, capped at mu_r R_eff N, whose dashpot acts on at the cap",
    .citation = "Ai, Chen, Rotter & Ooi 2011, Powder Technol. 206, model C",
    .parameter = {{"coefficient", "", "mu_r: cap of the spring's torque over R_eff N", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_FRICTION},
                  {"stiffness", "N/m", "K_E of K_R = K_E R_eff^2; default: the slide law's", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_STIFFNESS},
                  {"damping", "", "C_R as a fraction of critical, 2 sqrt(I K_R); default 0", 0.0, 100.0, NAN, NULL,
                   RPS_PARAMETER_DAMPING},
                  {"at_cap", "", "f, the fraction of the dashpot that acts at the cap; LIGGGHTS epsd: 0", 0.0, 1.0, 1.0,
                   NULL, RPS_PARAMETER_OTHER}},
    .memory = RPS_ROLL_SPRING_MEMORY,
    .modes = 1,
    .exception = {{"whole load within the static cap", "the dashpot adds to the cap",
                   "Ai et al. 2011; f = 0 cures it"}},
    .reads = RPS_ROLL_SPRING_READS,
    .writes = RPS_ROLL_SPRING_WRITES,
    .prepare = roll_ai_prepare,
    .effective = roll_ai_effective,
    .spring = rps_roll_spring_of,
    .cone = rps_roll_cone,
    .nonsmooth = "with `at_cap: 0`",
    .kernel = RPS_LAW_KERNELS(roll_ai),
};
#endif
