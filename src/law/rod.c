/* Rods as bonds (rod.h). */
#include "law/rod.h"

#include <math.h>

#include "base/elementary.h"
#include "base/status.h"

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

enum { LAST_STRAIN, LAST_DAMPING = 6 };

static double or_none(double value) {
    return isnan(value) ? INFINITY : value;
}

rps_status rps_rod_section_of(const rps_bond_setup *setup, const char *name, rps_rod_section *section, rps_error *err) {
    const double radius = setup->value[RPS_ROD_RADIUS], ratio = setup->value[RPS_ROD_RADIUS_RATIO];
    if (isnan(radius) == isnan(ratio)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bond law `%s` %s: give `radius`, that of its cross-section, or `radius_ratio`, the same over "
                        "the radius of the smaller body",
                        name, isnan(radius) ? "has no cross-section" : "is given both `radius` and `radius_ratio`");
    }
    const double r = isnan(radius) ? ratio * setup->radius : radius;
    const double area = RPS_PI * (r * r), second = 0.25 * area * (r * r);
    *section = (rps_rod_section){r, area, second, 2.0 * second};
    if (r > 0.0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "bond law `%s`: neither body has a radius for `radius_ratio` to refer to; give `radius`", name);
}

void rps_rod_prepare(const rps_bond_setup *setup, const rps_rod_section *section, const double stiffness[6],
                     double *constant) {
    const double *v = setup->value;
    const double z = isnan(v[RPS_ROD_DAMPING]) ? 0.0 : v[RPS_ROD_DAMPING];
    const double beta = isnan(v[RPS_ROD_DAMPING_TIME]) ? 0.0 : v[RPS_ROD_DAMPING_TIME];
    for (int n = 0; n < 6; n++) {
        const double mass = n < 3 ? setup->mass_eff : setup->inertia_eff;
        const double own = mass < INFINITY ? 2.0 * z * sqrt(mass * stiffness[n]) : 0.0;
        constant[STIFFNESS + n] = stiffness[n];
        constant[DAMPER + n] = own + beta * stiffness[n];
    }
    constant[AREA] = section->area;
    constant[BEND] = v[RPS_ROD_MOMENT] * section->radius / section->bending;
    constant[TWIST] = v[RPS_ROD_MOMENT] * section->radius / section->twisting;
    constant[TENSILE] = setup->strength * or_none(v[RPS_ROD_TENSILE]);
    constant[COHESION] = setup->strength * or_none(v[RPS_ROD_COHESION]);
    constant[FRICTION] = isnan(v[RPS_ROD_FRICTION]) ? 0.0 : v[RPS_ROD_FRICTION];
    constant[FRACTURE] = setup->strength * setup->strength * or_none(v[RPS_ROD_FRACTURE]) * section->area;
    constant[DAMPED] = z > 0.0 || beta > 0.0 ? 1.0 : 0.0;
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

void rps_rod_evaluate(const double *constant, const rps_bond_strain *strain, double *memory, rps_bond_loads *loads) {
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

static rps_bond_spring rod_spring_of(const double *of) {
    return (rps_bond_spring){.stretch = of[2], .shear = of[0], .bend = of[3], .twist = of[5]};
}

void rps_rod_spring(const double *constant, rps_bond_spring *stiffness, rps_bond_spring *damper) {
    *stiffness = rod_spring_of(constant + STIFFNESS);
    *damper = rod_spring_of(constant + DAMPER);
}
