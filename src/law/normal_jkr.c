/*
 * JKR: elastic spheres that adhere at short range, within the area of contact (Johnson, Kendall & Roberts 1971):
 *
 *   N = 4 E_eff a^3/(3 R) - sqrt(8 pi W E_eff a^3),   delta = a^2/R - sqrt(2 pi W a/E_eff)
 *
 * with the pull-off force F = 3/2 pi W R. With the scales a_c = (pi W R^2/(8 E_eff))^(1/3) and d_c = 3 a_c^2/R, a = a_c z^2 and
 * delta = d_c D, it is z^4 - 4 z - 3 D = 0. The largest root is explicit, through the resolvent cubic m^3 + 3 D m - 2 = 0, which
 * is written so that nothing cancels.
 *
 * A contact begins when the surfaces touch, where it pulls with 8/9 F at once, and lasts to a gap of d_c, where the bodies
 * part with 5/9 F. The energy stored then is lost: 0.9355 F d_c = 7.0922 (W^5 R^4/E_eff^2)^(1/3).
 * So two bodies stick below the speed at which they have it.
 * Peeling of the area by shear (Savkoor & Briggs 1977) is not modeled.
 */
#include "law/adhesion.h"

enum { PULL_BY_RADIUS = RPS_ADHESION_NEXT, RADIUS_BY_POWER };
enum { LOAD, STORED };

/* z^10/10 - z^7 + 3/2 z^4 at touch, z = 4^(1/3) */
#define ENERGY_AT_TOUCH (-0x1.6dbcb94b7499dp+2)

/* The root z for D = delta/d_c; at D < -1 that of D = -1. */
static inline double jkr_root(double ratio) {
    double inside = 1.0 + ratio * ratio * ratio;
    double u = rps_cbrt_positive(1.0 + sqrt(inside > 0.0 ? inside : 0.0));
    double m = 2.0 / (u * u + ratio + (ratio / u) * (ratio / u));
    double rest = 4.0 * sqrt(2.0 / m) - 2.0 * m;
    return 0.5 * (sqrt(2.0 * m) + sqrt(rest > 0.0 ? rest : 0.0));
}

RPS_KERNEL(normal_jkr) {
    const double modulus = constant[RPS_ADHESION_MODULUS], pull_by_radius = constant[PULL_BY_RADIUS];
    const double radius_by_power = constant[RADIUS_BY_POWER];
    RPS_IN(touch);
    RPS_IN(overlap);
    RPS_IN(overlap_increment);
    RPS_IN(radius_eff);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_LANE(pull);
    RPS_LANE(cap_bonus);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_NORMAL]);
    RPS_AS(load_before, b->memory[LOAD][0]);
    RPS_AS(stored_before, b->memory[STORED][0]);
    RPS_EACH_CONTACT(c) {
        double r = radius_eff[c], on = touch[c] > 0.5 ? 1.0 : 0.0;
        double scale = radius_by_power * rps_cbrt_positive(r * r), most = pull_by_radius * r;
        double reach = 3.0 * scale * scale / r, ratio = overlap[c] / reach;
        ratio = ratio > -1.0 ? ratio : -1.0;
        double z = jkr_root(ratio), z2 = z * z, z3 = z2 * z, z4 = z2 * z2, a = scale * z2;
        double load = on * (most * (z3 - 6.0) * z3 / 9.0);
        double stored = on * (4.0 / 27.0) * most * reach * ((0.1 * z3 - 1.0) * z4 * z3 + (1.5 * z4 - ENERGY_AT_TOUCH));
        /* the tear-off */
        dissipated[c] = (1.0 - on) * (0.5 * load_before[c] * overlap_increment[c] + stored_before[c]);
        load_before[c] = load;
        stored_before[c] = stored;
        contact_radius[c] = on * a;
        elastic_load[c] = load;
        stiffness[c] = on * 2.0 * modulus * a;
        pull[c] = on * most;
        cap_bonus[c] = on * 2.0 * most;
        energy[c] = stored;
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_jkr_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_adhesion_prepare(setup, "jkr", constant, err));
    const double work = constant[RPS_ADHESION_WORK];
    constant[PULL_BY_RADIUS] = 1.5 * RPS_PI * work;
    constant[RADIUS_BY_POWER] = rps_cbrt(RPS_PI * work / (8.0 * constant[RPS_ADHESION_MODULUS]));
    return RPS_OK;
}

static double normal_jkr_reach(const double *constant, double radius_eff) {
    const double scale = constant[RADIUS_BY_POWER] * rps_cbrt(radius_eff * radius_eff);
    return 3.0 * scale * scale / radius_eff;
}

static double normal_jkr_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)smaller_radius;
    return radius_eff > 0.0 ? normal_jkr_reach(constant, radius_eff) : 0.0;
}

/* 2 E_eff a is never below dN/ddelta. */
static rps_law_spring normal_jkr_spring(const double *constant, const rps_law_contact *contact) {
    const double r = contact->radius_eff, ratio = contact->overlap / normal_jkr_reach(constant, r);
    const double z = jkr_root(ratio > -1.0 ? ratio : -1.0);
    const double a = constant[RADIUS_BY_POWER] * rps_cbrt(r * r) * z * z;
    return (rps_law_spring){2.0 * constant[RPS_ADHESION_MODULUS] * a, 0.0};
}

/* Rigid: 2 E_eff a is not the secant of a load that begins below 0. */
static void normal_jkr_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    cone->pull = constant[PULL_BY_RADIUS] * contact->radius_eff;
}

const rps_law rps_law_normal_jkr = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "jkr",
    .summary =
        "Hertz with adhesion inside the area: 4 E_eff a^3/(3 R) - sqrt(8 pi W E_eff a^3), from touch to tear-off",
    .citation = "Johnson, Kendall & Roberts 1971",
    .parameter = {RPS_ADHESION_PARAMETERS},
    .memory = {{"load", "N", "load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK},
               {"stored", "J", "energy stored at the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}},
    .exponent = 1.5,
    .radius_exponent = 0.5,
    .similar = 1,
    .dimension = 3,
    .reads = RPS_ARRAY(touch) | RPS_ARRAY(overlap) | RPS_ARRAY(overlap_increment) | RPS_ARRAY(radius_eff),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(pull) |
              RPS_ARRAY(cap_bonus) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = normal_jkr_prepare,
    .effective = rps_adhesion_effective,
    .range = normal_jkr_range,
    .spring = normal_jkr_spring,
    .cone = normal_jkr_cone_of,
    .nonsmooth = "with `compliance: rigid`, as a pull of F = 3/2 pi W R_eff while the surfaces touch, and friction "
                 "capped by mu (N + F)",
    .kernel = RPS_LAW_KERNELS(normal_jkr),
};
#endif
