/*
 * Hertz contact of parallel cylinders (plane strain; Lai, Chen & Huang 2021, eqs. 4 and 22). Per metre of depth x
 * = N/(pi E_eff), a = 2 sqrt(x R_eff) and delta = x (log(4 S/x) - 1), where delta is the total approach of the
 * centres. With L = delta/x the relation reads L - log L = log(4 S/delta) - 1, so that L = -W_-1(-e delta/(4 S)):
 *
 *   N = k delta/L, dN/ddelta = k/(L - 1), energy k delta^2/(2 L) (1 - 1/(2 L)), k = pi E_eff depth
 *
 * S = R_1^(2 theta_1) R_2^(2 theta_2)/R_eff, theta_k the share of material k in the compliance. This is R_1 + R_2 for
 * equal materials or equal radii, (R_1 + R_2) (R_1/R_2)^(theta_1 - theta_2) in general. The simplification R_1 + R_2
 * of eq. 23 is 2 to 4 % too soft for radii 3:4 with moduli 10 and 70 GPa. A plane mirrors the disk: S = R_eff = R,
 * with the E_eff of the disk alone, because an elastic half-plane has no reference for displacements.
 *
 * In a planar world depth is that of the world; in three dimensions it is the length of the strip along which two
 * cylinders, or a cylinder and a plane, touch (pair_line.h).
 *
 * The tangent stiffness is infinite at L = 1 (a/R = 1.47), far beyond a/R = .25, the limit of the theory. Below L =
 * LEAST (a/R = 1.15 for equal disks) the load continues along its tangent: finite, smooth, with its exact energy.
 */
#include "law/hertz2d.h"

enum { P_MODULUS };
enum { PAIR, FIRST, SECOND, SHARE, MODULUS }; /* k of two disks; of the disk of the first, second material on a plane */

#define LEAST 1.5
#define LEAST_U 0x1.833704d019ed0p-4 /* LEAST - log(LEAST) - 1 */

/* log(4 S'/depth) - 2, S' with the share of the materials; depths below 1e-100 S count as that. */
static inline __attribute__((always_inline)) double above_branch(double r0, double r1, double depth, double share) {
    double sum = r0 + r1, least = 1e-100 * sum;
    double d = depth > least ? depth : least;
    double ratio = r1 > 0.0 ? r0 / r1 : 1.0;
    ratio = r0 > 0.0 ? ratio : 1.0;
    return rps_log_positive(4.0 * sum / d) - 2.0 + share * rps_log_positive(ratio);
}

/* L > 1 with L - log L = 1 + u: an initial value within 6 % for all u, then two Halley steps; relative error about
 * 1e-16, larger only near the branch point, where it is the relative error of u. */
static inline __attribute__((always_inline)) double lambert(double u) {
    double l = 1.0 + sqrt(2.0 * u) + u * (2.0 + u / (u + 8.0)) / 3.0;
    for (int k = 0; k < 2; k++) {
        double g = (l - 1.0 - u) - rps_log_positive(l), slope = 1.0 - 1.0 / l;
        l -= 2.0 * g * slope / (2.0 * slope * slope - g / (l * l));
    }
    return l;
}

static inline double reduced_radius(double r0, double r1) {
    double sum = r0 + r1, product = r0 * r1;
    return product > 0.0 ? product / sum : sum;
}

RPS_KERNEL(normal_hertz2d) {
    const double pair = constant[PAIR], first = constant[FIRST], second = constant[SECOND], share = constant[SHARE];
    _Alignas(64) double u[RPS_BATCH];
    RPS_IN(overlap);
    RPS_IN_AS(radius0, b->radius[0]);
    RPS_IN_AS(radius1, b->radius[1]);
    RPS_IN(length);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double r0 = radius0[c], r1 = radius1[c], depth = overlap[c] > 0.0 ? overlap[c] : 0.0;
        double both = r0 * r1, sum = r0 + r1;
        double k = length[c] * rps_hertz2d_choice(r0, r1, pair, first, second);
        double reduced = both > 0.0 ? both / sum : sum;
        u[c] = above_branch(r0, r1, depth, share);
        double l = lambert(u[c] > LEAST_U ? u[c] : LEAST_U);
        double x = depth / l;
        contact_radius[c] = 2.0 * sqrt(x * reduced);
        elastic_load[c] = k * x;
        stiffness[c] = k / (l - 1.0);
        energy[c] = k * (0.5 * x * (depth - 0.5 * x));
    }
    for (int c = 0; c < b->count; c++) { /* deeper than the law's range: along the tangent; decided lane by lane */
        if (u[c] < LEAST_U) {
            double reach = overlap[c] * rps_exp(u[c] - LEAST_U), more = overlap[c] - reach, x = reach / LEAST;
            double k = length[c] * rps_hertz2d_choice(radius0[c], radius1[c], pair, first, second),
                   slope = 1.0 / (LEAST - 1.0);
            contact_radius[c] = 2.0 * sqrt((x + slope * more) * reduced_radius(radius0[c], radius1[c]));
            elastic_load[c] = k * (x + slope * more);
            stiffness[c] = k * slope;
            energy[c] = k * (0.5 * x * (reach - 0.5 * x) + x * more + 0.5 * slope * more * more);
        }
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_hertz2d_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const rps_hertz2d_moduli moduli = rps_hertz2d_moduli_of(setup, setup->value[P_MODULUS]);
    if (!rps_hertz2d_known(moduli.pair)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `hertz2d` needs `young` and `poisson` of both materials, or its own `effective_modulus`");
    }
    const double scale = RPS_PI * setup->length;
    constant[PAIR] = scale * moduli.pair;
    constant[FIRST] = scale * moduli.first;
    constant[SECOND] = scale * moduli.second;
    constant[SHARE] = moduli.share;
    constant[MODULUS] = moduli.pair;
    return RPS_OK;
}

static rps_law_spring normal_hertz2d_spring(const double *constant, const rps_law_contact *contact) {
    const double r0 = contact->radius[0], r1 = contact->radius[1];
    const double u = above_branch(r0, r1, contact->overlap, constant[SHARE]);
    const double length = contact->length > 0.0 ? contact->length : 1.0;
    const double k = length * rps_hertz2d_choice(r0, r1, constant[PAIR], constant[FIRST], constant[SECOND]);
    return (rps_law_spring){k / (lambert(u > LEAST_U ? u : LEAST_U) - 1.0), 0.0};
}

static void normal_hertz2d_effective(const double *constant, double *value) {
    value[P_MODULUS] = constant[MODULUS];
}

const rps_law rps_law_normal_hertz2d = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "hertz2d",
    .summary = "parallel cylinders, disks of a planar scene or cylinders that lie along each other or on a plane: "
               "delta = x (log(4 S/x) - 1), x = N/(pi E_eff depth), S = R_1 + R_2 for like materials",
    .citation = "Johnson 1985, section 5.6; Lai, Chen & Huang 2021, eq. 22",
    .parameter = {{"effective_modulus", "Pa",
                   "E_eff of two disks, twice that on a plane; default: from young and poisson of the materials",
                   1e-300, 1e300, NAN, NULL, RPS_PARAMETER_MODULUS}},
    .exponent = 1.1,
    .dimension = 2,
    .lines = 1,
    .reads = RPS_ARRAY(overlap) | RPS_ARRAY(radius) | RPS_ARRAY(length),
    .writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy),
    .prepare = normal_hertz2d_prepare,
    .effective = normal_hertz2d_effective,
    .spring = normal_hertz2d_spring,
    .nonsmooth = "its stiffness depends on the length and the radii of lines of contact, which that stepper does not "
                 "tell laws; take hooke",
    .kernel = RPS_LAW_KERNELS(normal_hertz2d),
};
#endif
