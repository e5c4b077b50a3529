/*
 * Imposed: the normal load is prescribed, and the contact always exists. `load: weight` is the normal part of gravity
 * on the free body, so that the normal acceleration vanishes; a fixed value requires a body whose motion along n is
 * locked. For experiments on friction alone (Fang & Negrut 2020, section 4). The overlap counts as 0: branch vectors
 * have length R, and paths are measured at the surface. The contact radius is that of a Hertz contact under the load,
 * a = (3 N R_eff/(4 E_eff))^(1/3), if a modulus is known.
 */
#include "base/elementary.h"
#include "law/hertz.h"

enum { P_LOAD, P_VALUE, P_MODULUS };
enum { LOAD_WEIGHT, LOAD_VALUE };
enum { WEIGHT, VALUE, RADIUS_FACTOR };

RPS_KERNEL(normal_imposed) {
    const double by_weight = constant[WEIGHT], value = constant[VALUE], factor = constant[RADIUS_FACTOR];
    RPS_IN(touch);
    RPS_IN(weight);
    RPS_IN(radius_eff);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double pressing = weight[c] > 0.0 ? weight[c] : 0.0;
        double load = by_weight > 0.5 ? pressing : value;
        load = touch[c] > 0.5 ? load : 0.0;
        double cube = load * radius_eff[c] * factor;
        double a = rps_cbrt_positive(cube > 1e-200 ? cube : 1.0);
        contact_radius[c] = cube > 1e-200 ? a : 0.0;
        elastic_load[c] = load;
        stiffness[c] = 0.0;
        energy[c] = 0.0;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_imposed_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const int weight = setup->value[P_LOAD] == LOAD_WEIGHT;
    const double value = setup->value[P_VALUE];
    if (weight != isnan(value)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            weight ? "normal law `imposed` is given both `load: weight` and `value`: leave `value` out, or write load: "
                     "value"
                   : "normal law `imposed` with `load: value` needs `value` (N)");
    }
    double modulus = rps_hertz_modulus(setup, setup->value[P_MODULUS]);
    constant[WEIGHT] = weight;
    constant[VALUE] = weight ? 0.0 : value;
    constant[RADIUS_FACTOR] = modulus > 0.0 && !isinf(modulus) ? 0.75 / modulus : 0.0;
    return RPS_OK;
}

static double normal_imposed_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)constant;
    (void)radius_eff;
    return 1e-3 * smaller_radius;
}

static void normal_imposed_effective(const double *constant, double *value) {
    if (constant[RADIUS_FACTOR] > 0.0) value[P_MODULUS] = 0.75 / constant[RADIUS_FACTOR];
}

const rps_law rps_law_normal_imposed = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "imposed",
    .summary = "a prescribed load: the weight of the free body along the normal, or a value",
    .citation = "Fang & Negrut 2020, section 4",
    .parameter = {{"load", "", "weight: the normal part of gravity on the free body; value: as given", 0, 1,
                   LOAD_WEIGHT, "weight|value", RPS_PARAMETER_OTHER},
                  {"value", "N", "the load, with load: value (lock the body along n)", 0.0, 1e300, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"effective_modulus", "Pa",
                   "E_eff for the contact radius; default: from the materials, else no radius", 1e-300, 1e300, NAN,
                   NULL, RPS_PARAMETER_MODULUS}},
    .exponent = 0.0,
    .rigid_geometry = 1,
    .begins_apart = 1,
    .range = normal_imposed_range,
    .reads = RPS_ARRAY(touch) | RPS_ARRAY(weight) | RPS_ARRAY(radius_eff),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy),
    .prepare = normal_imposed_prepare,
    .effective = normal_imposed_effective,
    .nonsmooth = "its load is given and not found from the gap; take hooke or hertz",
    .kernel = RPS_LAW_KERNELS(normal_imposed),
};
#endif
