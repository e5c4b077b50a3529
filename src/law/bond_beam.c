/*
 * The elastic beam as a bond: a short rod of circular cross-section between two bodies, as one element of the
 * geometrically exact (Simo-Reissner) beam. Energy with the strains g = (shear, shear, extension) and t = (bending,
 * bending, twist):
 *
 *   U = 1/2 [ks (g0^2 + g1^2) + kn g2^2 + kb (t0^2 + t1^2) + kt t2^2]
 *   kn = E A/L,  kb = E I/L,  kt = G J/L,  A = pi r^2,  I = pi r^4/4,  J = 2 I,  G = E/(2 (1 + nu))
 *   ks = 1/(L/(kappa G A) + L^3/(12 E I))    shear: beam (default)
 *   ks = kappa G A/L                         shear: point
 *   ks = 12 E I/L^3                          shear: euler
 *   kappa = 6 (1 + nu)/(7 + 6 nu)
 *
 * With the shear of the beam, a chain of any number of bonds has the deflections of Timoshenko's beam at its nodes.
 * Dampers act on the rates of the strains: c = 2 z sqrt(m k) with m the effective mass or moment of inertia, or c =
 * beta k. The bond breaks by the stresses of its elastic loads (Potyondy & Cundall 2004, eq. 16-17; moment factor:
 * Potyondy 2011), or by stored energy per area.
 */
#include <math.h>

#include "base/elementary.h"
#include "base/status.h"
#include <repose/bond_law.h>

enum {
    P_YOUNG,
    P_POISSON,
    P_RADIUS,
    P_RADIUS_RATIO,
    P_SHEAR,
    P_DAMPING,
    P_DAMPING_TIME,
    P_TENSILE,
    P_COHESION,
    P_FRICTION,
    P_MOMENT,
    P_FRACTURE
};
enum { SHEAR_BEAM, SHEAR_POINT, SHEAR_EULER };

enum {
    STIFFNESS,  /* of the six strains */
    DAMPER = 6, /* likewise */
    AREA = 12,  /* m^2 */
    BEND,       /* 1/m^3, bending stress over moment, with the moment factor */
    TWIST,      /* likewise */
    TENSILE,    /* Pa */
    COHESION,   /* Pa */
    FRICTION,
    FRACTURE, /* J, stored energy at which it breaks */
    DAMPED,   /* 0 or 1 */
    CONSTANTS
};
_Static_assert((int)CONSTANTS <= (int)RPS_BOND_CONSTANTS, "room for all constants");

enum { LAST_STRAIN, LAST_DAMPING = 6, MEMORY = 12 };

static double or_none(double value) {
    return isnan(value) ? INFINITY : value;
}

static rps_status section_radius(const rps_bond_setup *setup, double *radius, rps_error *err) {
    const double *v = setup->value;
    if (isnan(v[P_RADIUS]) == isnan(v[P_RADIUS_RATIO])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bond law `beam` %s: give `radius`, that of its cross-section, or `radius_ratio`, the same "
                        "over the radius of the smaller body",
                        isnan(v[P_RADIUS]) ? "has no cross-section" : "is given both `radius` and `radius_ratio`");
    }
    *radius = isnan(v[P_RADIUS]) ? v[P_RADIUS_RATIO] * setup->radius : v[P_RADIUS];
    if (*radius > 0.0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "bond law `beam`: neither body has a radius for `radius_ratio` to refer to; give `radius`");
}

static rps_status bond_beam_prepare(const rps_bond_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value, young = v[P_YOUNG], nu = v[P_POISSON], length = setup->length;
    double r = 0.0;
    if (isnan(young) || isnan(nu)) {
        return rps_fail(err, RPS_BAD_INPUT, "bond law `beam` needs `young` and `poisson` of its material");
    }
    RPS_TRY(section_radius(setup, &r, err));
    const double area = RPS_PI * (r * r), second = 0.25 * area * (r * r), shear_modulus = 0.5 * young / (1.0 + nu);
    const double kappa = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu);
    const double point = length / (kappa * shear_modulus * area);
    const double euler = length * length * length / (12.0 * young * second);
    const double shear = v[P_SHEAR] == SHEAR_POINT   ? 1.0 / point
                         : v[P_SHEAR] == SHEAR_EULER ? 1.0 / euler
                                                     : 1.0 / (point + euler);
    const double bend = young * second / length, twist = 2.0 * shear_modulus * second / length;
    const double k[6] = {shear, shear, young * area / length, bend, bend, twist};
    const double z = isnan(v[P_DAMPING]) ? 0.0 : v[P_DAMPING];
    const double beta = isnan(v[P_DAMPING_TIME]) ? 0.0 : v[P_DAMPING_TIME];
    for (int n = 0; n < 6; n++) {
        const double mass = n < 3 ? setup->mass_eff : setup->inertia_eff;
        const double own = mass < INFINITY ? 2.0 * z * sqrt(mass * k[n]) : 0.0;
        constant[STIFFNESS + n] = k[n];
        constant[DAMPER + n] = own + beta * k[n];
    }
    constant[AREA] = area;
    constant[BEND] = v[P_MOMENT] * r / second;
    constant[TWIST] = v[P_MOMENT] * r / (2.0 * second);
    constant[TENSILE] = or_none(v[P_TENSILE]);
    constant[COHESION] = or_none(v[P_COHESION]);
    constant[FRICTION] = isnan(v[P_FRICTION]) ? 0.0 : v[P_FRICTION];
    constant[FRACTURE] = or_none(v[P_FRACTURE]) * area;
    constant[DAMPED] = z > 0.0 || beta > 0.0 ? 1.0 : 0.0;
    return RPS_OK;
}

static double length_of_two(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1]);
}

/* 0, or the number of the failure, for the elastic loads and the stored energy. */
static int failure_of(const double *constant, const double load[6], double stored) {
    const double across = length_of_two(load), bending = length_of_two(load + 3);
    const double normal = load[2] / constant[AREA];
    const double tension = normal + constant[BEND] * bending;
    const double shear = across / constant[AREA] + constant[TWIST] * fabs(load[5]);
    const double holds = constant[COHESION] + (normal < 0.0 ? constant[FRICTION] * -normal : 0.0);
    if (tension >= constant[TENSILE]) return 1;
    if (shear >= holds) return 2;
    return stored >= constant[FRACTURE] ? 3 : 0;
}

static void bond_beam_evaluate(const double *constant, const rps_bond_strain *strain, double *memory,
                               rps_bond_loads *loads) {
    const double *s = strain->stretch, *t = strain->rotation;
    const double x[6] = {s[0], s[1], s[2], t[0], t[1], t[2]};
    double load[6];
    for (int n = 0; n < 6; n++) load[n] = constant[STIFFNESS + n] * x[n];
    loads->stored = 0.5 * (((load[0] * x[0] + load[1] * x[1]) + load[2] * x[2]) +
                           ((load[3] * x[3] + load[4] * x[4]) + load[5] * x[5]));
    loads->broken = failure_of(constant, load, loads->stored);
    for (int n = 0; n < 6 && constant[DAMPED] > 0.5; n++) {
        if (strain->dt > 0.0) { /* work of the step: mean of the loads at its ends times the increment */
            const double increment = x[n] - memory[LAST_STRAIN + n];
            const double damping = constant[DAMPER + n] * (increment / strain->dt);
            loads->dissipated += 0.5 * (memory[LAST_DAMPING + n] + damping) * increment;
            memory[LAST_STRAIN + n] = x[n];
            memory[LAST_DAMPING + n] = damping;
        }
        load[n] += memory[LAST_DAMPING + n];
    }
    for (int k = 0; k < 3; k++) {
        loads->force[k] = load[k];
        loads->torque[k] = load[3 + k];
    }
}

static rps_bond_spring beam_spring_of(const double *of) {
    return (rps_bond_spring){.stretch = of[2], .shear = of[0], .bend = of[3], .twist = of[5]};
}

static void bond_beam_spring(const double *constant, rps_bond_spring *stiffness, rps_bond_spring *damper) {
    *stiffness = beam_spring_of(constant + STIFFNESS);
    *damper = beam_spring_of(constant + DAMPER);
}

const rps_bond_law rps_bond_law_beam = {
    .size = sizeof(rps_bond_law),
    .name = "beam",
    .summary = "an elastic rod: stretch, shear, bending and twist from Young's modulus and Poisson's ratio",
    .citation = "Simo 1985 and Reissner 1981, one element; breaks as in Potyondy & Cundall 2004, Potyondy 2011",
    .parameter =
        {{"young", "Pa", "E", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_MODULUS},
         {"poisson", "", "nu", -0.999, 0.5, NAN, NULL, RPS_PARAMETER_OTHER},
         {"radius", "m", "r, of the circular cross-section", 1e-100, 1e100, NAN, NULL, RPS_PARAMETER_OTHER},
         {"radius_ratio", "", "r over the radius of the smaller body", 1e-9, 1e9, NAN, NULL, RPS_PARAMETER_OTHER},
         {"shear", "", "shear stiffness: of Timoshenko's beam, of a section at one point, or of Euler's beam", 0, 2,
          SHEAR_BEAM, "beam|point|euler", RPS_PARAMETER_OTHER},
         {"damping", "", "z: the dampers are 2 z sqrt(m k)", 0.0, 100.0, NAN, NULL, RPS_PARAMETER_DAMPING},
         {"damping_time", "s", "beta: dampers beta k, in addition", 0.0, 1e100, NAN, NULL, RPS_PARAMETER_OTHER},
         {"tensile_strength", "Pa", "breaks at this tension; not given: never", 1e-300, 1e300, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"cohesion", "Pa", "breaks at this shear stress; not given: never", 1e-300, 1e300, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"internal_friction", "", "times the compressive stress, adds to the cohesion", 0.0, 1e9, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"moment_factor", "", "part of the moments in the stresses", 0.0, 1.0, 1.0, NULL, RPS_PARAMETER_OTHER},
         {"fracture_energy", "J/m^2", "breaks at this stored energy per area; not given: never", 1e-300, 1e300, NAN,
          NULL, RPS_PARAMETER_OTHER}},
    .memory = MEMORY,
    .failure = {"tension", "shear", "energy"},
    .prepare = bond_beam_prepare,
    .evaluate = bond_beam_evaluate,
    .spring = bond_beam_spring,
};
