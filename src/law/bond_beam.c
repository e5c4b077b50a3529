/*
 * The elastic beam as a bond: a short rod (rod.h) between two bodies, as one element of the geometrically exact
 * (Simo-Reissner) beam. Stiffnesses of shear, extension, bending and twist:
 *
 *   kn = E A/L,  kb = E I/L,  kt = G J/L,  G = E/(2 (1 + nu))
 *   ks = 1/(L/(kappa G A) + L^3/(12 E I))    shear: beam (default)
 *   ks = kappa G A/L                         shear: point
 *   ks = 12 E I/L^3                          shear: euler
 *   kappa = 6 (1 + nu)/(7 + 6 nu)
 *
 * With the shear of the beam, a chain of any number of bonds has the deflections of Timoshenko's beam at its nodes.
 */
#include <math.h>

#include "base/status.h"
#include "law/rod.h"

enum { P_YOUNG, P_POISSON, P_SHEAR = 4 };
enum { SHEAR_BEAM, SHEAR_POINT, SHEAR_EULER };

static rps_status bond_beam_prepare(const rps_bond_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value, young = v[P_YOUNG], nu = v[P_POISSON], length = setup->length;
    rps_rod_section rod;
    if (isnan(young) || isnan(nu)) {
        return rps_fail(err, RPS_BAD_INPUT, "bond law `beam` needs `young` and `poisson` of its material");
    }
    RPS_TRY(rps_rod_section_of(setup, "beam", &rod, err));
    const double kappa = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu), shear_modulus = 0.5 * young / (1.0 + nu);
    const double point = length / (kappa * shear_modulus * rod.area);
    const double euler = length * length * length / (12.0 * young * rod.bending);
    const double shear = v[P_SHEAR] == SHEAR_POINT   ? 1.0 / point
                         : v[P_SHEAR] == SHEAR_EULER ? 1.0 / euler
                                                     : 1.0 / (point + euler);
    const double bend = young * rod.bending / length, twist = shear_modulus * rod.twisting / length;
    const double k[6] = {shear, shear, young * rod.area / length, bend, bend, twist};
    rps_rod_prepare(setup, &rod, k, constant);
    return RPS_OK;
}

const rps_bond_law rps_bond_law_beam = {
    .size = sizeof(rps_bond_law),
    .name = "beam",
    .summary = "an elastic rod: stretch, shear, bending and twist from Young's modulus and Poisson's ratio",
    .citation = "Simo 1985 and Reissner 1981, one element; breaks as in Potyondy & Cundall 2004, Potyondy 2011",
    .parameter = {{"young", "Pa", "E", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_MODULUS},
                  {"poisson", "", "nu", -0.999, 0.5, NAN, NULL, RPS_PARAMETER_OTHER},
                  RPS_ROD_SECTION,
                  {"shear", "", "shear stiffness: of Timoshenko's beam, of a section at one point, or of Euler's beam",
                   0, 2, SHEAR_BEAM, "beam|point|euler", RPS_PARAMETER_OTHER},
                  RPS_ROD_STRENGTH},
    .measure = RPS_BOND_OF_PLACES,
    .memory = RPS_ROD_MEMORY,
    .failure = RPS_ROD_FAILURES,
    .prepare = bond_beam_prepare,
    .evaluate = rps_rod_evaluate,
    .spring = rps_rod_spring,
};
