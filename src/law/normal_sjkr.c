/*
 * Simplified JKR of decks written for LIGGGHTS: Hertz less k A, A the area of the overlap and k a cohesion energy density
 * (J/m^3). The area is that of the lens of two spheres,
 *
 *   A = pi/4 (r - R_i - R_j)(r + R_i - R_j)(r - R_i + R_j)(r + R_i + R_j)/(-r^2),  r = R_i + R_j - delta
 *   (wall: pi (2 R delta - delta^2)),
 *
 * or with `area: simple` 4 pi R_eff delta. It does not follow from a theory of adhesion; new work should use `jkr` or `dmt`.
 *
 * Energy of the lens, without cancellation: pi/4 k delta^2 (R_i + R_j - (R_i - R_j)^2/r - delta/3).
 */
#include "law/adhesion.h"

enum { P_DENSITY, P_MODULUS, P_AREA };
enum { DENSITY, MODULUS, SIMPLE };

RPS_KERNEL(normal_sjkr) {
    const double modulus = constant[MODULUS], density = constant[DENSITY], simple = constant[SIMPLE];
    RPS_IN(touch);
    RPS_IN(overlap);
    RPS_IN(radius_eff);
    RPS_IN_AS(radius_i, b->radius[0]);
    RPS_IN_AS(radius_j, b->radius[1]);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_LANE(pull);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 && touch[c] > 0.5 ? overlap[c] : 0.0;
        double a = sqrt(radius_eff[c] * depth), hertz = 4.0 / 3.0 * modulus * a * depth;
        double sum = radius_i[c] + radius_j[c], difference = radius_i[c] - radius_j[c],
               square = difference * difference;
        double distance = sum - depth;
        distance = distance > 0.5 * sum ? distance : 0.5 * sum; /* an overlap beyond it is not for this law */
        double lens = 0.25 * RPS_PI * depth * (2.0 * sum - depth) * (1.0 - square / (distance * distance));
        double lens_work = 0.25 * RPS_PI * depth * depth * (sum - square / distance - depth / 3.0);
        double wall = RPS_PI * depth * (2.0 * sum - depth);
        double wall_work = RPS_PI * depth * depth * (sum - depth / 3.0);
        int flat = !(radius_i[c] > 0.0) | !(radius_j[c] > 0.0);
        double area = flat ? wall : lens, work = flat ? wall_work : lens_work;
        area = simple > 0.5 ? 4.0 * RPS_PI * radius_eff[c] * depth : area;
        work = simple > 0.5 ? 2.0 * RPS_PI * radius_eff[c] * depth * depth : work;
        contact_radius[c] = a;
        elastic_load[c] = hertz - density * area;
        stiffness[c] = 2.0 * modulus * a;
        pull[c] = density * area;
        energy[c] = 0.4 * hertz * depth - density * work;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_sjkr_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_adhesion_modulus(setup, "sjkr", setup->value[P_MODULUS], &constant[MODULUS], err));
    constant[DENSITY] = setup->value[P_DENSITY];
    constant[SIMPLE] = setup->value[P_AREA];
    if (isnan(constant[DENSITY])) {
        return rps_fail(err, RPS_BAD_INPUT, "normal law `sjkr` needs `cohesion_energy_density` (J/m^3)");
    }
    return RPS_OK;
}

static void normal_sjkr_effective(const double *constant, double *value) {
    value[P_MODULUS] = constant[MODULUS];
}

static rps_law_spring normal_sjkr_spring(const double *constant, const rps_law_contact *contact) {
    const double depth = contact->overlap > 0.0 ? contact->overlap : 0.0;
    return (rps_law_spring){2.0 * constant[MODULUS] * sqrt(contact->radius_eff * depth), 0.0};
}

const rps_law rps_law_normal_sjkr = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "sjkr",
    .summary = "Hertz less a cohesion energy density times the area of the overlap, of LIGGGHTS decks",
    .citation = "Kloss et al. 2012",
    .parameter = {{"cohesion_energy_density", "J/m^3", "k", 0.0, 1e15, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"effective_modulus", "Pa", "E_eff; default: from young and poisson of the materials", 1.0, 1e15, NAN,
                   NULL, RPS_PARAMETER_MODULUS},
                  {"area", "", "of the lens of two spheres, or 4 pi R_eff delta", 0.0, 1.0, 0.0, "lens|simple",
                   RPS_PARAMETER_OTHER}},
    .exponent = 1.5,
    .spheres = 1,
    .dimension = 3,
    .reads = RPS_ARRAY(touch) | RPS_ARRAY(overlap) | RPS_ARRAY(radius_eff) | RPS_ARRAY(radius),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(pull) |
              RPS_ARRAY(energy),
    .prepare = normal_sjkr_prepare,
    .effective = normal_sjkr_effective,
    .spring = normal_sjkr_spring,
    .nonsmooth = "its pull grows with the overlap, so it has no fixed pull-off force; take dmt or jkr",
    .kernel = RPS_LAW_KERNELS(normal_sjkr),
};
#endif
