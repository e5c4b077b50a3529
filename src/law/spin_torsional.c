/*
 * Spin friction of two elastic bodies that touch over a circle of radius a: a torsional spring, capped at the torque at
 * which the whole circle slips.
 *
 *   cap: lubkin      3 pi/16 mu N a, the pressure of Hertz (Lubkin 1951)
 *        marshall    2/3 mu N a, uniform pressure (Marshall 2009)
 *        paper       1/2 mu N a (Fang & Negrut 2020, Appendix C)
 *   slope: stiffness K_E a^2/2, K_E of the slide law (Marshall with a given K_E)
 *          mindlin   8 G* a a^2/2 = 4 G* a^3, 1/G* = sum of (2 - nu)/G (Marshall over Mindlin's K_E)
 *          exact     16/3 G_12 a^3, 1/G_12 = sum of 1/G: no slip anywhere (Reissner & Sagoci), 2 to 2.7 times stiffer
 *
 * If a grows under a twist, K psi would gain energy. So with carry: length (default) the memory is the integral of r
 * dpsi, r = a or a^1.5, on a spring K/r^2 that is independent of a; with carry: angle it is psi.
 */
#include <math.h>

#include "base/status.h"
#include "law/spring.h"
#include <repose/law_kernel.h>

enum { P_COEFFICIENT, P_CAP, P_SLOPE, P_STIFFNESS, P_DAMPER, P_DAMPING };
enum { CAP_LUBKIN, CAP_MARSHALL, CAP_PAPER };
enum { SLOPE_STIFFNESS, SLOPE_MINDLIN, SLOPE_EXACT };
enum { K, CUBE, CAP, DAMPER, CRITICAL, UNLIMITED, ANGLE, MU, STIFFNESS };
enum { Q, TWIST_RADIUS, BOOK_DAMPER };

RPS_KERNEL(spin_torsional) {
    const double k = constant[K], cube = constant[CUBE], cap = constant[CAP], damper_given = constant[DAMPER];
    const double critical = 2.0 * constant[CRITICAL], unlimited = constant[UNLIMITED], angle = constant[ANGLE];
    const double rate = b->rate;
    RPS_IN(cap_load);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN(contact_radius);
    RPS_IN(spin);
    RPS_IN(new_contact);
    RPS_AS(q, b->memory[Q][0]);
    RPS_AS(twisting_radius_old, b->memory[TWIST_RADIUS][0]);
    RPS_AS(book, b->memory[BOOK_DAMPER][0]);
    RPS_AS(mode, b->mode[RPS_ROLE_SPIN][0]);
    RPS_LANE(spin_torque);
    RPS_BOOKS(RPS_ROLE_SPIN);
    RPS_EACH_CONTACT(c) {
        double a = contact_radius[c], n = cap_load[c];
        double twisting_radius = cube > 0.5 ? a * sqrt(a) : a;
        double twisting_radius0 = new_contact[c] > 0.5 ? twisting_radius : twisting_radius_old[c];
        twisting_radius_old[c] = twisting_radius;
        double per_twisting_radius = twisting_radius > 0.0 ? 1.0 / twisting_radius : 0.0;
        double k0 = angle > 0.5 ? k * twisting_radius0 * twisting_radius0 : k;
        double k1 = angle > 0.5 ? k * twisting_radius * twisting_radius : k;
        /* torque cap mu N a over K, and over the lever */
        double top = cap * n * a / k * per_twisting_radius;
        top = angle > 0.5 ? top * per_twisting_radius : top;
        top = n > 0.0 ? top : 0.0;
        double d_length =
            (damper_given * per_twisting_radius + critical * damper_inertia_sqrt[c] * sqrt(k)) * per_twisting_radius;
        double d_angle = damper_given + critical * damper_inertia_sqrt[c] * sqrt(k) * twisting_radius;
        double d = angle > 0.5 ? d_angle : d_length;
        double increment = angle > 0.5 ? spin[c] : 0.5 * (twisting_radius0 + twisting_radius) * spin[c];
        rps_spring s = rps_spring_step_line(q[c], increment, mode[c], book[c], k0, k1, top, top, d, rate, unlimited);
        q[c] = s.x.x;
        book[c] = s.damper.x;
        mode[c] = s.mode;
        double arm = angle > 0.5 ? 1.0 : twisting_radius;
        spin_torque[c] = s.load.x * arm;
        elastic[c] = s.elastic * arm;
        energy[c] = s.energy;
        dissipated[c] = s.dissipated;
    }
}

#if RPS_LAW_DESCRIPTOR
enum { SLIDE_STATIC = 0, SLIDE_STIFFNESS = 2 };

/* 1/(sum of w_k/G_k), w = 2 - nu or 1; infinite if both bodies are rigid, NAN if the materials do not give it. */
static double shear_modulus(const rps_law_setup *setup, int exact) {
    double compliance = 0.0;
    for (int k = 0; k < 2; k++) {
        if (isinf(setup->young[k])) continue;
        const double shear = setup->young[k] / (2.0 * (1.0 + setup->poisson[k]));
        compliance += (exact ? 1.0 : 2.0 - setup->poisson[k]) / shear;
    }
    return 1.0 / compliance;
}

static rps_status spin_torsional_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    static const double saturated[] = {
        [CAP_LUBKIN] = 0.58904862254808623221, /* 3 pi/16 */
        [CAP_MARSHALL] = 2.0 / 3.0,
        [CAP_PAPER] = 0.5,
    };
    const double *v = setup->value;
    const double mu = isnan(v[P_COEFFICIENT]) ? setup->slide_value[SLIDE_STATIC] : v[P_COEFFICIENT];
    if (isnan(mu)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spin law `torsional` has no `coefficient`: give mu of the cap, or a slide law with `static`, "
                        "from which it is taken");
    }
    const int elastic = v[P_SLOPE] != SLOPE_STIFFNESS, exact = v[P_SLOPE] == SLOPE_EXACT;
    double k = isnan(v[P_STIFFNESS]) ? setup->slide_value[SLIDE_STIFFNESS] : v[P_STIFFNESS];
    if (!elastic && isnan(k)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spin law `torsional` has no `stiffness`: give K_E or a slide law that has it, or `slope: "
                        "mindlin` or `exact` and the moduli of the materials");
    }
    if (elastic && !isnan(v[P_STIFFNESS])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spin law `torsional`: `stiffness` belongs to `slope: stiffness`; with `mindlin` and `exact` "
                        "the slope follows from the moduli of the materials");
    }
    const double shear = shear_modulus(setup, exact);
    if (elastic && (!(shear > 0.0) || isinf(shear))) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spin law `torsional` with `slope: %s` needs `young` and `poisson` of both materials",
                        exact ? "exact" : "mindlin");
    }
    if (!isnan(v[P_DAMPER]) && !isnan(v[P_DAMPING])) {
        return rps_fail(err, RPS_BAD_INPUT, "spin law `torsional` is given both `damper` and `damping`: leave one out");
    }
    constant[K] = !elastic ? 0.5 * k : exact ? 16.0 / 3.0 * shear : 4.0 * shear;
    constant[CUBE] = elastic;
    constant[CAP] = mu * saturated[(int)v[P_CAP]];
    constant[DAMPER] = isnan(v[P_DAMPER]) ? 0.0 : v[P_DAMPER];
    constant[CRITICAL] = isnan(v[P_DAMPER]) ? (isnan(v[P_DAMPING]) ? 1.0 : v[P_DAMPING]) : 0.0;
    constant[UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? RPS_UNLIMITED : 0.0;
    constant[ANGLE] = setup->form.carry == RPS_CARRY_ANGLE;
    constant[MU] = mu;
    constant[STIFFNESS] = elastic ? NAN : k;
    return RPS_OK;
}

static rps_law_spring spin_torsional_spring(const double *constant, const rps_law_contact *contact) {
    const double a = contact->contact_radius;
    const double stiffness = constant[K] * a * a * (constant[CUBE] > 0.5 ? a : 1.0);
    const double damper = constant[DAMPER] + 2.0 * constant[CRITICAL] * sqrt(contact->damper_inertia * stiffness);
    return (rps_law_spring){stiffness, damper};
}

static void spin_torsional_effective(const double *constant, double *value) {
    value[P_COEFFICIENT] = constant[MU];
    value[P_STIFFNESS] = constant[STIFFNESS];
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[CRITICAL];
}

static void spin_torsional_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    cone->threshold[0] = cone->threshold[1] = constant[CAP] * contact->contact_radius;
    cone->stiffness = spin_torsional_spring(constant, contact).stiffness;
    cone->falls = cone->rises = constant[ANGLE] > 0.5 ? 1.0 : 0.5;
}

const rps_law rps_law_spin_torsional = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SPIN,
    .name = "torsional",
    .summary = "torsional spring over the contact circle, capped where the whole circle slips",
    .citation = "Lubkin 1951, J. Appl. Mech. 18; Reissner & Sagoci 1944; Marshall 2009, J. Comput. Phys. 228",
    .parameter = {{"coefficient", "", "mu of the cap; default: static of the slide law", 0.0, 1e6, NAN, NULL,
                   RPS_PARAMETER_FRICTION},
                  {"cap", "", "torque at full slip: 3 pi/16, 2/3 or 1/2 mu N a", 0, 2, CAP_LUBKIN,
                   "lubkin|marshall|paper", RPS_PARAMETER_OTHER},
                  {"slope", "", "K_E a^2/2, 4 G* a^3, or that without slip, 16/3 G_12 a^3", 0, 2, SLOPE_STIFFNESS,
                   "stiffness|mindlin|exact", RPS_PARAMETER_OTHER},
                  {"stiffness", "N/m", "K_E; default: the slide law's", 1e-300, 1e300, NAN, NULL,
                   RPS_PARAMETER_STIFFNESS},
                  {"damper", "N m s/rad", "D; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"damping", "", "D as a fraction of critical, 2 sqrt(I K); default 1", 0.0, 100.0, NAN, NULL,
                   RPS_PARAMETER_DAMPING}},
    .memory = {{"q", "m, m^(3/2) rad or rad", "spin memory, lever times angle", RPS_MEMORY_SCALAR | RPS_MEMORY_LINEAR},
               {"spin_lever", "m or m^(3/2)", "lever of the last evaluation", RPS_MEMORY_SCALAR},
               {"spin_damper", "load", "damper load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}},
    .modes = 1,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_inertia_sqrt) | RPS_ARRAY(contact_radius) | RPS_ARRAY(spin) |
             RPS_ARRAY(new_contact),
    .writes = RPS_ARRAY(spin_torque) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = spin_torsional_prepare,
    .effective = spin_torsional_effective,
    .spring = spin_torsional_spring,
    .cone = spin_torsional_cone_of,
    .kernel = RPS_LAW_KERNELS(spin_torsional),
};
#endif
