/*
 * The parallel bond of Potyondy & Cundall 2004: a disk of elastic springs over the cross-section of a rod (rod.h). Loads
 * grow by increments of displacement and rotation at the middle of the bond, and turn with it (step/bond_motion.h):
 *
 *   dF_n = kn A dU_n,  dF_s = ks A dU_s,  dM_b = kn I dTheta_b,  dM_t = ks J dTheta_t
 *   kn = E/L,  ks = kn/stiffness_ratio       or both in Pa/m
 *
 * The energy is F_n^2/(2 kn A) + F_s^2/(2 ks A) + M_b^2/(2 kn I) + M_t^2/(2 ks J). It is not a function of the places
 * of the bodies: where the line of the bond goes round a cone, the spin about it adds up to the solid angle of the cone.
 */
#include <math.h>

#include "base/status.h"
#include "law/rod.h"

enum { P_YOUNG, P_RATIO, P_NORMAL = 4, P_SHEAR_STIFFNESS = RPS_ROD_OWN };

static rps_status normal_of(const rps_bond_setup *setup, double *normal, rps_error *err) {
    const double young = setup->value[P_YOUNG], given = setup->value[P_NORMAL];
    *normal = isnan(young) ? given : young / setup->length;
    if (isnan(young) != isnan(given)) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "bond law `parallel` %s: give `young`, of which the stiffness is E/L, or `normal_stiffness` in Pa/m",
        isnan(young) ? "has no normal stiffness" : "is given both `young` and `normal_stiffness`");
}

static rps_status bond_parallel_prepare(const rps_bond_setup *setup, double *constant, rps_error *err) {
    const double ratio = setup->value[P_RATIO], given = setup->value[P_SHEAR_STIFFNESS];
    rps_rod_section rod;
    double normal;
    RPS_TRY(normal_of(setup, &normal, err));
    if (isnan(ratio) == isnan(given)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bond law `parallel` %s: give `stiffness_ratio`, normal over shear stiffness, or "
                        "`shear_stiffness` in Pa/m",
                        isnan(ratio) ? "has no shear stiffness"
                                     : "is given both `stiffness_ratio` and `shear_stiffness`");
    }
    RPS_TRY(rps_rod_section_of(setup, "parallel", &rod, err));
    const double shear = isnan(ratio) ? given : normal / ratio;
    const double k[6] = {shear * rod.area,     shear * rod.area,     normal * rod.area,
                         normal * rod.bending, normal * rod.bending, shear * rod.twisting};
    rps_rod_prepare(setup, &rod, k, constant);
    return RPS_OK;
}

const rps_bond_law rps_bond_law_parallel = {
    .size = sizeof(rps_bond_law),
    .name = "parallel",
    .summary = "springs over a cross-section, whose loads grow by increments and turn with the bond",
    .citation = "Potyondy & Cundall 2004, section 2.2; moment factor: Potyondy 2011",
    .parameter = {{"young", "Pa", "E; the normal stiffness is E/L", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_MODULUS},
                  {"stiffness_ratio", "", "normal over shear stiffness", 1e-9, 1e9, NAN, NULL, RPS_PARAMETER_OTHER},
                  RPS_ROD_SECTION,
                  {"normal_stiffness", "Pa/m", "kn, instead of `young`", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  RPS_ROD_STRENGTH,
                  {"shear_stiffness", "Pa/m", "ks, instead of `stiffness_ratio`", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_OTHER}},
    .measure = RPS_BOND_OF_PATH,
    .memory = RPS_ROD_MEMORY,
    .failure = RPS_ROD_FAILURES,
    .prepare = bond_parallel_prepare,
    .evaluate = rps_rod_evaluate,
    .spring = rps_rod_spring,
    .exception =
        {{"closed motion leaves nothing",
          "its strains are summed along the path; a line that goes round a cone leaves the solid angle as twist "
          "(cure: `beam`)",
          ""}},
};
