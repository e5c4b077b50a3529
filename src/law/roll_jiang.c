/*
 * Roll friction of Jiang and Wang: a rolling spring and dashpot; the dashpot is off at the cap.
 *
 *   M = K_R theta + C_R w_r in stick,  |K_R theta| <= M_max,  C_R = 2 eta_r sqrt(I K_R), eta_r = `damping`, 0 at the cap
 *
 *   `coefficient`        K_R = k R_eff^2, k the stiffness of sliding;  M_max = mu_r R_eff N
 *   `shape`              the contact is a bed of normal springs of width beta r, r = 2 R_eff, k their normal stiffness:
 *     bed: disk          a round bed (Jiang 2015, spheres): K_R = k (beta r)^2/4, M_max = zeta beta r N/4
 *     bed: strip         a strip (Jiang 2005, disks):       K_R = k (beta r)^2/12, M_max = beta r N/6
 *
 * zeta = `crushing`, 2.1, is the factor by which crushing of asperities raises the torque above that at the first
 * opening of the bed. I is that of the default dampers, by the form's damper_mass. The sum of spring and dashpot is
 * limited to M_max unless the form says damper: free.
 */
#include "law/roll_spring.h"

enum { P_COEFFICIENT, P_SHAPE, P_BED, P_CRUSHING, P_STIFFNESS, P_DAMPER, P_DAMPING };
enum { BED_DISK, BED_STRIP };
enum { BARE_K = RPS_ROLL_CONSTANTS, CRUSHING }; /* k itself, for `effective` */

RPS_KERNEL(roll_jiang) {
    rps_roll_spring(b, constant, false);
}

#if RPS_LAW_DESCRIPTOR
enum { SLIDE_STIFFNESS = 2 };

static rps_status roll_jiang_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    const int bed = !isnan(v[P_SHAPE]), strip = v[P_BED] == BED_STRIP;
    if (isnan(v[P_COEFFICIENT]) != bed) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "roll law `jiang` %s: give `coefficient`, mu_r of the cap mu_r R_eff N, or `shape`, the width "
                        "of the contact over 2 R_eff",
                        bed ? "is given both `coefficient` and `shape`" : "has no cap");
    }
    if (!isnan(v[P_CRUSHING]) && (!bed || strip)) {
        return rps_fail(err, RPS_BAD_INPUT, "roll law `jiang`: `crushing` belongs to `shape` with `bed: disk`");
    }
    const double k = isnan(v[P_STIFFNESS]) && !bed ? setup->slide_value[SLIDE_STIFFNESS] : v[P_STIFFNESS];
    if (isnan(k)) {
        return rps_fail(err, RPS_BAD_INPUT, "roll law `jiang` has no `stiffness`: %s",
                        bed ? "with `shape` it is the normal stiffness of the contact"
                            : "give it, or a slide law with a `stiffness`, from which it is taken");
    }
    const double width = bed ? 2.0 * v[P_SHAPE] : 0.0; /* over R_eff */
    const double crushing = isnan(v[P_CRUSHING]) ? 2.1 : v[P_CRUSHING];
    constant[RPS_ROLL_K] = bed ? k * width * width / (strip ? 12.0 : 4.0) : k;
    constant[RPS_ROLL_K_R] = 0.0;
    constant[RPS_ROLL_MU] = bed ? width * (strip ? 1.0 / 6.0 : crushing / 4.0) : v[P_COEFFICIENT];
    constant[RPS_ROLL_WIDTH] = 0.0;
    constant[BARE_K] = k;
    constant[CRUSHING] = bed && !strip ? crushing : NAN;
    return rps_roll_damper(setup, v[P_DAMPER], v[P_DAMPING], 1.0, "jiang", constant, err);
}

static void roll_jiang_effective(const double *constant, double *value) {
    value[P_STIFFNESS] = constant[BARE_K];
    value[P_CRUSHING] = constant[CRUSHING];
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[RPS_ROLL_CRITICAL];
}

const rps_law rps_law_roll_jiang = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "jiang",
    .summary = "rolling spring-dashpot, off at the cap; stiffness and cap of a bed of springs, or mu_r R_eff N",
    .citation = "Jiang, Yu & Harris 2005, Comput. Geotech. 32; Jiang, Shen & Wang 2015, Comput. Geotech. 65",
    .parameter = {{"coefficient", "", "mu_r: cap of the torque over R_eff N, with K_R = stiffness R_eff^2", 0.0, 1e6,
                   NAN, NULL, RPS_PARAMETER_FRICTION},
                  {"shape", "", "beta: width of the contact over 2 R_eff, instead of coefficient", 1e-6, 10.0, NAN,
                   NULL, RPS_PARAMETER_OTHER},
                  {"bed", "", "with shape: springs over a disk (spheres) or a strip (disks)", 0, 1, BED_DISK,
                   "disk|strip", RPS_PARAMETER_OTHER},
                  {"crushing", "", "with bed disk, zeta: cap over that at the first opening of the bed; default 2.1",
                   0.0, 1e3, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"stiffness", "N/m", "k: tangential, default the slide law's; with shape normal", 1e-300, 1e300, NAN,
                   NULL, RPS_PARAMETER_STIFFNESS},
                  {"damper", "N m s/rad", "C_R; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damping", "", "eta_r: C_R as a fraction of critical, 2 sqrt(I K_R); default 1", 0.0, 100.0, NAN,
                   NULL, RPS_PARAMETER_DAMPING}},
    .memory = RPS_ROLL_SPRING_MEMORY,
    .modes = 1,
    .reads = RPS_ROLL_SPRING_READS,
    .writes = RPS_ROLL_SPRING_WRITES,
    .prepare = roll_jiang_prepare,
    .effective = roll_jiang_effective,
    .spring = rps_roll_spring_of,
    .cone = rps_roll_cone,
    .kernel = RPS_LAW_KERNELS(roll_jiang),
};
#endif
