/*
 * Spin friction: the tracked spring over the twist about the normal. Fang & Negrut 2020, section 3.3 and Appendix C.
 *
 * carry: length (default)  q += mean(1/K0, 1/K1) psi, stiffness eta_psi K_E, cap mu N/K_E, torque load/K
 * carry: angle             Psi += psi, K_psi = eta_psi K_E/K^2, cap K mu N/K_E; K_psi and the caps can be given
 * directly
 *
 * K: `curvature: geometry` (default) H_i + H_j, mean curvatures, 1/R on a plane; `hertz` 1/a, a the contact radius,
 * with eta_psi = 1/2 unless given: the saturated torque is mu N a/2; or K given.
 */
#include "law/friction.h"
#include "law/spring.h"

enum {
    P_ETA = RPS_FRICTION_BASIC,
    P_CURVATURE,
    P_K,
    P_DAMPER,
    P_DAMPING,
    P_ANGULAR,
    P_ANGLE_STATIC,
    P_ANGLE_KINETIC,
    P_LENGTH
};
enum { CURVATURE_GEOMETRY, CURVATURE_HERTZ };
enum {
    K,       /* eta_psi K_E */
    K_GIVEN, /* angle: K_psi given, else 0 */
    CAP_S,   /* mu_s/K_E */
    CAP_K,
    ANGLE_S,
    ANGLE_K,
    DAMPER,   /* D_psi given */
    CRITICAL, /* fraction of 2 sqrt(I K_psi) */
    UNLIMITED,
    ANGLE,
    TWIST_RADIUS_GIVEN, /* 1/K given, else 0 */
    HERTZ,
    LENGTH /* nonsmooth stepper: threshold/N, else 0 */
};
enum { Q, TWIST_RADIUS, BOOK_DAMPER };

/* The choices are constants at the inlined call. */
static inline __attribute__((always_inline)) void twist(const rps_batch *b, const double *constant, const int angle,
                                                        const int hertz, const int report) {
    const double k_length = constant[K], k_given = constant[K_GIVEN], cap_s = constant[CAP_S], cap_k = constant[CAP_K];
    const double angle_s = constant[ANGLE_S], angle_k = constant[ANGLE_K], damper_given = constant[DAMPER];
    const double critical = 2.0 * constant[CRITICAL], unlimited = constant[UNLIMITED];
    const double twisting_radius_given = constant[TWIST_RADIUS_GIVEN], rate = b->rate, k_length_root = sqrt(k_length);
    RPS_IN(cap_load);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN(twist_radius);
    RPS_IN(twist_radius_mean);
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
        double twisting_radius = hertz ? contact_radius[c] : twist_radius[c];
        double twisting_radius0 = hertz ? twisting_radius_old[c] : 2.0 * twist_radius_mean[c] - twist_radius[c];
        twisting_radius = twisting_radius_given > 0.0 ? twisting_radius_given : twisting_radius;
        twisting_radius0 = twisting_radius_given > 0.0 ? twisting_radius_given : twisting_radius0;
        twisting_radius0 = new_contact[c] > 0.5 ? twisting_radius : twisting_radius0;
        if (hertz) twisting_radius_old[c] = twisting_radius;
        double inertia_sqrt = damper_inertia_sqrt[c], n = cap_load[c], psi = spin[c];
        double k_angle1 = k_given > 0.0 ? k_given : k_length * twisting_radius * twisting_radius;
        double k_angle0 = k_given > 0.0 ? k_given : k_length * twisting_radius0 * twisting_radius0;
        double k0 = angle ? k_angle0 : k_length;
        double k1 = angle ? k_angle1 : k_length;
        /* an opening Hertz contact has radius 0: its caps are 0, and the division is avoided */
        double curvature = twisting_radius > 0.0 ? 1.0 / twisting_radius : 0.0;
        double top_s = angle ? angle_s + cap_s * n * curvature : cap_s * n;
        double top_k = angle ? angle_k + cap_k * n * curvature : cap_k * n;
        top_s = angle && !(n > 0.0) ? 0.0 : top_s;
        top_k = angle && !(n > 0.0) ? 0.0 : top_k;
        double d_angle = damper_given > 0.0 ? damper_given : critical * inertia_sqrt * sqrt(k_angle1);
        double d_length = critical * inertia_sqrt * k_length_root * curvature;
        d_length = damper_given > 0.0 ? damper_given * curvature * curvature : d_length;
        double d = angle ? d_angle : d_length;
        double increment = angle ? psi : 0.5 * (twisting_radius0 + twisting_radius) * psi;
        rps_spring s =
            rps_spring_step_line(q[c], increment, mode[c], book[c], k0, k1, top_s, top_k, d, rate, unlimited);
        q[c] = s.x.x;
        book[c] = s.damper.x;
        mode[c] = s.mode;
        spin_torque[c] = angle ? s.load.x : s.load.x * twisting_radius;
        dissipated[c] = s.dissipated;
        if (report) {
            elastic[c] = angle ? s.elastic : s.elastic * twisting_radius;
            energy[c] = s.energy;
        }
    }
}

RPS_KERNEL(spin_tracked) {
    const int angle = constant[ANGLE] > 0.5, hertz = constant[HERTZ] > 0.5;
    if (angle && hertz) {
        twist(b, constant, 1, 1, 1);
    } else if (angle) {
        twist(b, constant, 1, 0, 1);
    } else if (hertz) {
        twist(b, constant, 0, 1, 1);
    } else if (b->skip_diagnostics) {
        twist(b, constant, 0, 0, 0);
    } else {
        twist(b, constant, 0, 0, 1);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status spin_tracked_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    double basic[3];
    const int direct = !isnan(v[P_ANGULAR]) || !isnan(v[P_ANGLE_STATIC]) || !isnan(v[P_ANGLE_KINETIC]);
    RPS_TRY(rps_friction_length(setup, "spin", v[P_LENGTH], v[P_ETA], direct, err));
    if (!isnan(v[P_LENGTH])) {
        for (int k = 0; k < RPS_LAW_CONSTANTS; k++) constant[k] = 0.0;
        constant[LENGTH] = v[P_LENGTH];
        return RPS_OK;
    }
    constant[LENGTH] = 0.0;
    RPS_TRY(rps_friction_basic(setup, "spin", basic, err));
    const int angle = setup->form.carry == RPS_CARRY_ANGLE;
    const int hertz = v[P_CURVATURE] == CURVATURE_HERTZ;
    const int caps_given = !isnan(v[P_ANGLE_STATIC]);
    if ((!isnan(v[P_ANGULAR]) || caps_given || !isnan(v[P_ANGLE_KINETIC])) && !angle) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "spin law `tracked`: angular_stiffness and angle thresholds belong to `carry: angle`; give `eta`, or "
            "set carry: angle");
    }
    if (caps_given != !isnan(v[P_ANGLE_KINETIC])) {
        return rps_fail(err, RPS_BAD_INPUT, "spin law `tracked`: give both angle_static and angle_kinetic, or neither");
    }
    if (v[P_ANGLE_STATIC] < v[P_ANGLE_KINETIC]) {
        return rps_fail(err, RPS_BAD_INPUT, "spin law `tracked`: angle_static (%g) is below angle_kinetic (%g)",
                        v[P_ANGLE_STATIC], v[P_ANGLE_KINETIC]);
    }
    if (hertz && !isnan(v[P_K])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spin law `tracked` is given both `curvature: hertz` and `K`: leave one out");
    }
    double eta = v[P_ETA];
    if (!isnan(eta) && !isnan(v[P_ANGULAR])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "spin law `tracked` is given both `eta` and `angular_stiffness`: leave one out");
    }
    if (isnan(eta) && isnan(v[P_ANGULAR])) {
        if (!hertz) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "spin law `tracked` needs `eta` (with `curvature: hertz` its default is 0.5; with carry: angle "
                "`angular_stiffness` can be given instead)");
        }
        eta = 0.5;
    }
    constant[K] = isnan(eta) ? 0.0 : eta * basic[2];
    constant[K_GIVEN] = isnan(v[P_ANGULAR]) ? 0.0 : v[P_ANGULAR];
    constant[CAP_S] = caps_given ? 0.0 : basic[0] / basic[2];
    constant[CAP_K] = caps_given ? 0.0 : basic[1] / basic[2];
    constant[ANGLE_S] = caps_given ? v[P_ANGLE_STATIC] : 0.0;
    constant[ANGLE_K] = caps_given ? v[P_ANGLE_KINETIC] : 0.0;
    RPS_TRY(rps_friction_damper(v[P_DAMPER], v[P_DAMPING], 1.0, "spin", &constant[DAMPER], &constant[CRITICAL], err));
    constant[UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? RPS_UNLIMITED : 0.0;
    constant[ANGLE] = angle;
    constant[TWIST_RADIUS_GIVEN] = isnan(v[P_K]) ? 0.0 : 1.0 / v[P_K];
    constant[HERTZ] = hertz;
    return RPS_OK;
}

static int spin_tracked_keeps(const double *constant, int entry) {
    return entry != TWIST_RADIUS || constant[HERTZ] > 0.5;
}

static rps_law_spring spin_tracked_spring(const double *constant, const rps_law_contact *contact) {
    double twisting_radius = constant[HERTZ] > 0.5 ? contact->contact_radius : contact->twist_radius;
    twisting_radius = constant[TWIST_RADIUS_GIVEN] > 0.0 ? constant[TWIST_RADIUS_GIVEN] : twisting_radius;
    double stiffness = constant[K_GIVEN] > 0.0 ? constant[K_GIVEN] : constant[K] * twisting_radius * twisting_radius;
    double damper = constant[DAMPER] + 2.0 * constant[CRITICAL] * sqrt(contact->damper_inertia * stiffness);
    return (rps_law_spring){stiffness, damper};
}

static void spin_tracked_effective(const double *constant, double *value) {
    if (isnan(value[P_ETA]) && constant[K] > 0.0) value[P_ETA] = 0.5;
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[CRITICAL];
}

static void spin_tracked_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    double twisting_radius = constant[HERTZ] > 0.5 ? contact->contact_radius : contact->twist_radius;
    twisting_radius = constant[TWIST_RADIUS_GIVEN] > 0.0 ? constant[TWIST_RADIUS_GIVEN] : twisting_radius;
    cone->threshold[0] = constant[LENGTH] > 0.0 ? constant[LENGTH] : twisting_radius * constant[K] * constant[CAP_S];
    cone->threshold[1] = constant[LENGTH] > 0.0 ? constant[LENGTH] : twisting_radius * constant[K] * constant[CAP_K];
    if (constant[K] > 0.0) cone->stiffness = constant[K] * twisting_radius * twisting_radius;
}

const rps_law rps_law_spin_tracked = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SPIN,
    .name = "tracked",
    .summary = "spring over the tracked twist, capped at mu N/K_E over a length 1/K, with a damper in stick",
    .citation = "Fang & Negrut 2020, section 3.3 and Appendix C",
    .parameter =
        {{"static", "", "static coefficient mu_s; default: the slide law's", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
         {"kinetic", "", "kinetic coefficient mu_k; default: the slide law's", 0.0, 1e6, NAN, NULL,
          RPS_PARAMETER_KINETIC},
         {"stiffness", "N/m", "K_E; default: the slide law's", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS},
         {"eta", "", "eta_psi: K_psi = eta_psi K_E/K^2; with curvature hertz default 0.5", 0.0, 1e6, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"curvature", "", "K from the mean curvatures of the surfaces, or 1/a of the contact radius", 0, 1,
          CURVATURE_GEOMETRY, "geometry|hertz", RPS_PARAMETER_OTHER},
         {"K", "1/m", "K given directly", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
         {"damper", "N m s/rad", "D_psi; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
         {"damping", "", "D_psi as a fraction of critical, 2 sqrt(I K_psi); default 1", 0.0, 100.0, NAN, NULL,
          RPS_PARAMETER_DAMPING},
         {"angular_stiffness", "N m/rad", "K_psi given directly (carry: angle)", 1e-300, 1e300, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"angle_static", "rad", "static cap of Psi given directly (carry: angle)", 0.0, 10.0, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"angle_kinetic", "rad", "kinetic cap of Psi given directly (carry: angle)", 0.0, 10.0, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"length", "m", "sigma, torque at the threshold over the normal load, given directly (nonsmooth stepper)", 0.0,
          1e6, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = {{"q", "m or rad", "spin memory", RPS_MEMORY_SCALAR | RPS_MEMORY_LINEAR},
               {"spin_lever", "m", "1/K of the last evaluation, where it varies", RPS_MEMORY_SCALAR},
               {"spin_damper", "N or N m", "damper load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}},
    .modes = 1,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_inertia_sqrt) | RPS_ARRAY(twist_radius) |
             RPS_ARRAY(twist_radius_mean) | RPS_ARRAY(contact_radius) | RPS_ARRAY(spin) | RPS_ARRAY(new_contact),
    .writes = RPS_ARRAY(spin_torque) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = spin_tracked_prepare,
    .effective = spin_tracked_effective,
    .keeps = spin_tracked_keeps,
    .spring = spin_tracked_spring,
    .cone = spin_tracked_cone_of,
    .kernel = RPS_LAW_KERNELS(spin_tracked),
};
#endif
