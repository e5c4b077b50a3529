/*
 * Roll friction of Iwashita & Oda 1998: an elastic-plastic rolling spring with a dashpot.
 *
 * theta += w_r dt;  M = K_R theta, limited to M_max with theta = M_max/K_R and no dashpot; below it M + C_R w_r
 *   M_max = mu_r R_eff N (`coefficient`), or eta B N (`eta`, as in the source) with B = 2 a the width of the contact
 *   K_R   = K_E R_eff^2, K_E the stiffness of sliding (as in the source, where K_R = k_s r^2), or given
 *
 * The source treats disks, with a scalar theta; here theta is a tangent vector that the engine rotates with the
 * contact. The sum of spring and dashpot is limited to M_max unless the form says damper: free.
 */
#include "law/roll_spring.h"

enum { P_COEFFICIENT, P_ETA, P_STIFFNESS, P_ANGULAR, P_DAMPER, P_DAMPING };

RPS_KERNEL(roll_iwashita_oda) {
    rps_roll_spring(b, constant, false);
}

#if RPS_LAW_DESCRIPTOR
enum { SLIDE_STIFFNESS = 2 };

static rps_status roll_iwashita_oda_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[P_COEFFICIENT]) == isnan(v[P_ETA])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "roll law `iwashita_oda` %s: give `coefficient`, mu_r of the cap mu_r R_eff N, or `eta` of "
                        "the cap eta 2 a N",
                        isnan(v[P_ETA]) ? "has no cap" : "is given both `coefficient` and `eta`");
    }
    if (!isnan(v[P_STIFFNESS]) && !isnan(v[P_ANGULAR])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "roll law `iwashita_oda` is given both `stiffness` and `angular_stiffness`: leave one out");
    }
    const double k = isnan(v[P_STIFFNESS]) ? setup->slide_value[SLIDE_STIFFNESS] : v[P_STIFFNESS];
    const int given = !isnan(v[P_ANGULAR]);
    if (!given && isnan(k)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "roll law `iwashita_oda` has no stiffness: give `stiffness` or `angular_stiffness`, or a "
                        "slide law with a `stiffness`, from which it is taken");
    }
    constant[RPS_ROLL_K] = given ? 0.0 : k;
    constant[RPS_ROLL_K_R] = given ? v[P_ANGULAR] : 0.0;
    constant[RPS_ROLL_MU] = isnan(v[P_COEFFICIENT]) ? 0.0 : v[P_COEFFICIENT];
    constant[RPS_ROLL_WIDTH] = isnan(v[P_ETA]) ? 0.0 : v[P_ETA];
    return rps_roll_damper(setup, v[P_DAMPER], v[P_DAMPING], 0.0, "iwashita_oda", constant, err);
}

static void roll_iwashita_oda_effective(const double *constant, double *value) {
    if (!(constant[RPS_ROLL_K_R] > 0.0)) value[P_STIFFNESS] = constant[RPS_ROLL_K];
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[RPS_ROLL_CRITICAL];
}

const rps_law rps_law_roll_iwashita_oda = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "iwashita_oda",
    .summary = "elastic-plastic rolling spring, capped at mu_r R_eff N or eta 2 a N, with a dashpot below the cap",
    .citation = "Iwashita & Oda 1998, J. Eng. Mech. 124; model C of Ai et al. 2011",
    .parameter = {{"coefficient", "", "mu_r: cap of the torque over R_eff N", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_FRICTION},
                  {"eta", "", "cap of the torque over 2 a N, a the contact radius", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"stiffness", "N/m", "K_E of K_R = K_E R_eff^2; default: the slide law's", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_STIFFNESS},
                  {"angular_stiffness", "N m/rad", "K_R given directly", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damper", "N m s/rad", "C_R; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damping", "", "C_R as a fraction of critical, 2 sqrt(I K_R); default 0", 0.0, 100.0, NAN, NULL,
                   RPS_PARAMETER_DAMPING}},
    .memory = RPS_ROLL_SPRING_MEMORY,
    .modes = 1,
    .reads = RPS_ROLL_SPRING_READS,
    .writes = RPS_ROLL_SPRING_WRITES,
    .prepare = roll_iwashita_oda_prepare,
    .effective = roll_iwashita_oda_effective,
    .spring = rps_roll_spring_of,
    .cone = rps_roll_cone,
    .kernel = RPS_LAW_KERNELS(roll_iwashita_oda),
};
#endif
