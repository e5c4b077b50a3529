/*
 * Bond laws of a rod with a circular cross-section of radius r: one stiffness for each of the six strains, a damper
 * beside each, and a strength.
 *
 *   A = pi r^2,  I = pi r^4/4,  J = 2 I
 *   U = 1/2 sum k x^2;  dampers c = 2 z sqrt(m k) with m the effective mass or moment of inertia, and beta k
 *
 * It breaks by the stresses of its elastic loads (Potyondy & Cundall 2004, eq. 16-17; moment factor: Potyondy 2011), or
 * by stored energy per area.
 */
#ifndef RPS_LAW_ROD_H
#define RPS_LAW_ROD_H

#include <repose/bond_law.h>

/* Places of the parameters that the laws share; the others are a law's own. */
enum {
    RPS_ROD_RADIUS = 2,
    RPS_ROD_RADIUS_RATIO,
    RPS_ROD_DAMPING = 5,
    RPS_ROD_DAMPING_TIME,
    RPS_ROD_TENSILE,
    RPS_ROD_COHESION,
    RPS_ROD_FRICTION,
    RPS_ROD_MOMENT,
    RPS_ROD_FRACTURE,
    RPS_ROD_OWN
};
/* clang-format off */
#define RPS_ROD_SECTION                                                                                                \
    {"radius", "m", "r, of the circular cross-section", 1e-100, 1e100, NAN, NULL, RPS_PARAMETER_OTHER},                \
    {"radius_ratio", "", "r over the radius of the smaller body", 1e-9, 1e9, NAN, NULL, RPS_PARAMETER_OTHER}
#define RPS_ROD_STRENGTH                                                                                               \
    {"damping", "", "z: the dampers are 2 z sqrt(m k)", 0.0, 100.0, NAN, NULL, RPS_PARAMETER_DAMPING},                 \
    {"damping_time", "s", "beta: dampers beta k, in addition", 0.0, 1e100, NAN, NULL, RPS_PARAMETER_OTHER},            \
    {"tensile_strength", "Pa", "breaks at this tension; not given: never", 1e-300, 1e300, NAN, NULL,                   \
     RPS_PARAMETER_OTHER},                                                                                             \
    {"cohesion", "Pa", "breaks at this shear stress; not given: never", 1e-300, 1e300, NAN, NULL,                      \
     RPS_PARAMETER_OTHER},                                                                                             \
    {"internal_friction", "", "times the compressive stress, adds to the cohesion", 0.0, 1e9, NAN, NULL,               \
     RPS_PARAMETER_OTHER},                                                                                             \
    {"moment_factor", "", "part of the moments in the stresses", 0.0, 1.0, 1.0, NULL, RPS_PARAMETER_OTHER},            \
    {"fracture_energy", "J/m^2", "breaks at this stored energy per area; not given: never", 1e-300, 1e300, NAN, NULL,  \
     RPS_PARAMETER_OTHER}
/* clang-format on */

typedef struct rps_rod_section {
    double radius;   /* m */
    double area;     /* m^2, A */
    double bending;  /* m^4, I */
    double twisting; /* m^4, J */
} rps_rod_section;

/* RPS_BAD_INPUT unless exactly one of both radii is given; name: of the law. */
rps_status rps_rod_section_of(const rps_bond_setup *setup, const char *name, rps_rod_section *section, rps_error *err);
/* Fills the constants of a law whose `memory` is RPS_ROD_MEMORY, and whose functions are those below. */
void rps_rod_prepare(const rps_bond_setup *setup, const rps_rod_section *section, const double stiffness[6],
                     double *constant);
void rps_rod_evaluate(const double *constant, const rps_bond_strain *strain, double *memory, rps_bond_loads *loads);
void rps_rod_spring(const double *constant, rps_bond_spring *stiffness, rps_bond_spring *damper);

enum { RPS_ROD_MEMORY = 12 };
#define RPS_ROD_FAILURES \
    { "tension", "shear", "energy" }

#endif
