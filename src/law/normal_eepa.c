/*
 * Edinburgh elasto-plastic adhesion (Morrissey 2013; Thakur et al. 2014), with k_1 = 4/3 E_eff sqrt(R_eff), k_2 = k_1/(1 - lambda):
 *
 *   N = -F_0 + k_1 delta^1.5                   loaded for the first time
 *   N = -F_0 + k_2 (delta^1.5 - d_p^1.5)       un- and reloaded, d_p = lambda^(2/3) delta_m the overlap that stays
 *   N = -F_0 - f (delta/d_f)^chi               where the line above is below, beginning at d_f with the pull f = 3/2 pi W a
 *
 * f is at most k_2 d_p^1.5/2, so that the branch begins before the surfaces part. It belongs to the overlap that was the largest
 * when the contact last yielded. On the branch delta_m shrinks, so that reloading starts from there.
 */
#include "law/hertz.h"
#include "law/plastic.h"

enum { P_PLASTICITY, P_WORK, P_PULL, P_EXPONENT, P_RADIUS, P_CAP, P_MODULUS };
enum {
    MODULUS,
    STIFFENING /* k_2/k_1 */,
    LEFT /* d_p/delta_m */,
    PULL,
    BRANCH /* f = BRANCH sqrt(R_eff d_p) */,
    EXPONENT,
    BONUS
};

enum { VIRGIN = RPS_PLASTIC_STORED + 1 };

/* x^n for 0 <= x <= 1, or above by round-off; 1.5 is the exponent of nearly all */
static inline double eepa_power(double x, double n) {
    return n == 1.5 ? x * sqrt(x) : rps_pow_positive(x > 1e-300 ? x : 1e-300, n);
}

RPS_KERNEL(normal_eepa) {
    const double modulus = constant[MODULUS], stiffening = constant[STIFFENING], left = constant[LEFT];
    const double constant_pull = constant[PULL], branch = constant[BRANCH], exponent = constant[EXPONENT];
    const double bonus = constant[BONUS];
    RPS_PLASTIC_LANES;
    RPS_LANE(pull);
    RPS_LANE(cap_bonus);
    RPS_AS(virgin, b->memory[VIRGIN][0]);
    RPS_EACH_CONTACT(c) {
        double r = radius_eff[c], on = touch[c] > 0.5 ? 1.0 : 0.0, depth = overlap[c] > 0.0 ? on * overlap[c] : 0.0;
        double most = on * largest[c], first = on * virgin[c];
        int yields = depth >= most;
        most = yields ? depth : most;
        first = yields ? depth : first;
        double k = stiffening * (4.0 / 3.0) * modulus * sqrt(r);
        /* the branch, of the plastic overlap d_p = p^2 that `first` left */
        double p = sqrt(left * first), plastic = p * p * p;
        double most_pull = branch * sqrt(r) * p, half = 0.5 * k * plastic;
        most_pull = most_pull < half ? most_pull : half;
        double root = rps_cbrt_positive(k > 0.0 && plastic > 1e-250 ? plastic - most_pull / k : 1.0);
        double begin = root * root; /* d_f */
        double share = plastic > 1e-250 && depth < begin ? depth / begin : 1.0;
        double pulled = most_pull * eepa_power(share, exponent);
        /* the line of the present delta_m: delta^1.5 - d_p^1.5 by t = sqrt(delta) - sqrt(d_p), which does not cancel */
        double s = sqrt(depth);
        p = sqrt(left * most);
        double t = s - p, load = k * t * (3.0 * p * p + t * (3.0 * p + t));
        int adheres = load < -pulled;
        double shrunk = rps_cbrt_positive(adheres ? s * s * s + pulled / k : 1.0);
        shrunk = shrunk < p ? shrunk : p;
        p = adheres ? shrunk : p;
        most = adheres ? p * p / left : most;
        load = adheres ? -pulled : load;
        t = s - p;
        double stored = k * t * t * (3.0 * p * p * p + t * (4.0 * p * p + t * (2.0 * p + 0.4 * t)));
        double attraction = most_pull * eepa_power(first > 0.0 ? most / first : 0.0, exponent);
        attraction = attraction > -load ? attraction : -load;
        largest[c] = most;
        virgin[c] = first;
        contact_radius[c] = sqrt(r * depth);
        stiffness[c] = 2.0 * modulus * contact_radius[c];
        pull[c] = on * (constant_pull + attraction);
        cap_bonus[c] = bonus * pull[c];
        load = on * (load - constant_pull);
        RPS_PLASTIC_BOOK(c, load, stored - constant_pull * depth);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status normal_eepa_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double modulus = rps_hertz_modulus(setup, setup->value[P_MODULUS]), plasticity = setup->value[P_PLASTICITY];
    const double work = setup->value[P_WORK], exponent = setup->value[P_EXPONENT];
    if (!(modulus > 0.0) || isinf(modulus)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "normal law `eepa` needs `young` and `poisson` of both materials, or its own "
                        "`effective_modulus`");
    }
    if (isnan(plasticity)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "normal law `eepa` needs `plasticity`, lambda = 1 - k_1/k_2, between 0 and 1; for contacts that "
            "stay elastic use `hertz`, or `dmt` with adhesion");
    }
    if (work == 0.0 && !isnan(exponent)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "normal law `eepa`: `adhesion_exponent` shapes the branch of adhesion, which contacts without "
                        "`work_of_adhesion` do not have; give that (J/m^2), or leave the exponent out");
    }
    constant[MODULUS] = modulus;
    constant[STIFFENING] = 1.0 / (1.0 - plasticity);
    constant[LEFT] = rps_cbrt(plasticity * plasticity);
    constant[PULL] = setup->value[P_PULL];
    constant[BRANCH] = 1.5 * RPS_PI * work * (setup->value[P_RADIUS] > 0.5 ? 1.0 : sqrt(2.0));
    constant[EXPONENT] = isnan(exponent) ? 1.5 : exponent;
    constant[BONUS] = setup->value[P_CAP];
    return RPS_OK;
}

/* Of the line of unloading, or of the branch: f <= k_2 d_f^1.5, so its slope is at most chi k_2 sqrt(d_f). */
static rps_law_spring normal_eepa_spring(const double *constant, const rps_law_contact *contact) {
    const double depth = contact->overlap > 0.0 ? contact->overlap : 0.0;
    const double power = constant[EXPONENT] > 1.5 ? constant[EXPONENT] : 1.5;
    const double k = constant[STIFFENING] * (4.0 / 3.0) * constant[MODULUS] * sqrt(contact->radius_eff);
    return (rps_law_spring){power * k * sqrt(depth), 0.0};
}

static void normal_eepa_effective(const double *constant, double *value) {
    value[P_MODULUS] = constant[MODULUS];
}

const rps_law rps_law_normal_eepa = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "eepa",
    .summary = "elastoplastic and adhesive with powers of the overlap: k_1 delta^1.5 loaded first, k_2 (delta^1.5 - "
               "d_p^1.5) un- and reloaded, a pull of f (delta/d_f)^chi at most",
    .citation = "Morrissey 2013; Thakur et al. 2014",
    .parameter = {{"plasticity", "", "lambda = 1 - k_1/k_2, plasticity ratio", 1e-6, 0.999999, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"work_of_adhesion", "J/m^2", "W, of the interface: f = 3/2 pi W a, 2 gamma of equal surfaces", 0.0,
                   1e6, 0.0, NULL, RPS_PARAMETER_OTHER},
                  {"constant_pull", "N", "F_0, at any overlap; minus f_0 of the sources", 0.0, 1e300, 0.0, NULL,
                   RPS_PARAMETER_OTHER},
                  {"adhesion_exponent", "", "chi, of the branch of adhesion; default: 1.5", 1.0, 20.0, NAN, NULL,
                   RPS_PARAMETER_OTHER},
                  {"contact_radius", "", "a in f: sqrt(2 R_eff d_p), or sqrt(R_eff d_p)", 0.0, 1.0, 0.0, "2Rd|Rd",
                   RPS_PARAMETER_OTHER},
                  {"cap", "", "load of friction caps: N, or N and the largest pull", 0.0, 1.0, 0.0,
                   "compression|with_pulloff", RPS_PARAMETER_OTHER},
                  {"effective_modulus", "Pa", "E_eff; default: from young and poisson of the materials", 1e-300, 1e300,
                   NAN, NULL, RPS_PARAMETER_MODULUS}},
    .memory = {RPS_PLASTIC_ENTRIES,
               {"virgin", "m", "largest overlap when the contact last yielded",
                RPS_MEMORY_SCALAR | RPS_MEMORY_FROM_ZERO}},
    .exponent = 1.5,
    .dimension = 3,
    .spheres = 1,
    .reads = RPS_PLASTIC_READS,
    .writes = RPS_PLASTIC_WRITES | RPS_ARRAY(pull) | RPS_ARRAY(cap_bonus),
    .prepare = normal_eepa_prepare,
    .effective = normal_eepa_effective,
    .spring = normal_eepa_spring,
    .nonsmooth = "its load depends on the largest overlap so far, of which that stepper keeps no memory; take hooke or "
                 "hertz with damping `restitution`",
    .kernel = RPS_LAW_KERNELS(normal_eepa),
};
#endif
