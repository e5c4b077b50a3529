/*
 * Roll friction by tracking the contact point: the tracked spring over the rolling of both bodies. Fang & Negrut 2020,
 * section 3.2, eqs. 2a-2c.
 *
 * carry: length (default)  s += mean(Wm^-1) dTheta, stiffness eta_r K_E, cap eta_theta mu N/K_E, torque Wm^-1 load;
 *                          Wm = (W_i + W_j)/2, of spheres Wm^-1 = 2 R_eff. Conservative for any shape.
 * carry: angle             Theta += dTheta, K_R = eta_r K_E/kbar^2, cap eta_theta kbar mu N/K_E, as in the paper;
 * K_R and
 *                          the caps can be given directly. Gains 0.5 dK_R Theta^2 when the curvature changes.
 * history: shared          one memory, dTheta = roll_i + roll_j, equal and opposite torques
 * history: per-body        one memory and one mode each; torques do not balance (the paper)
 */
#include "law/friction.h"
#include "law/spring.h"

enum {
    P_ETA = RPS_FRICTION_BASIC,
    P_THRESHOLD,
    P_DAMPER,
    P_DAMPING,
    P_ANGULAR,
    P_ANGLE_STATIC,
    P_ANGLE_KINETIC,
    P_LENGTH
};
enum {
    K,       /* length: eta_r K_E; angle: eta_r K_E, to be times lever^2 */
    K_GIVEN, /* angle: K_R given, else 0 */
    CAP_S,   /* eta_theta mu_s/K_E */
    CAP_K,
    ANGLE_S, /* angle: caps given; CAP_S, CAP_K are 0 then */
    ANGLE_K,
    DAMPER,   /* D_R given, N m s */
    CRITICAL, /* fraction of 2 sqrt(I K_R) */
    UNLIMITED,
    ANGLE,
    PER_BODY,
    THRESHOLD,
    LENGTH /* nonsmooth stepper: the threshold over N, else 0 */
};
enum { S_I, S_J, BOOK_I, BOOK_J };

/* One history. turn_i and turn_j weigh the rolling of the two bodies in it. What is constant where this is inlined, angle
 * too, leaves no trace in the loop. */
static inline __attribute__((always_inline)) void roll_history(const rps_batch *b, const double *constant, int entry,
                                                               int book, int which, double turn_i, double turn_j,
                                                               double *const torque[3], double add, const int angle,
                                                               const int round, const int report) {
    const double k_length = constant[K], k_given = constant[K_GIVEN], cap_s = constant[CAP_S], cap_k = constant[CAP_K];
    const double angle_s = constant[ANGLE_S], angle_k = constant[ANGLE_K], damper_given = constant[DAMPER];
    const double critical = 2.0 * constant[CRITICAL], unlimited = constant[UNLIMITED];
    const double k_length_root = sqrt(k_length);
    const double rate = b->rate;
    RPS_IN(cap_load);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN(lever_path);
    RPS_IN_AS(uu, b->lever[0]);
    RPS_IN_AS(uw, b->lever[1]);
    RPS_IN_AS(ww, b->lever[2]);
    RPS_IN_AS(muu, b->lever_mean[0]);
    RPS_IN_AS(muw, b->lever_mean[1]);
    RPS_IN_AS(mww, b->lever_mean[2]);
    RPS_IN_AS(ix, b->roll_i[0]);
    RPS_IN_AS(iy, b->roll_i[1]);
    RPS_IN_AS(iz, b->roll_i[2]);
    RPS_IN_AS(jx, b->roll_j[0]);
    RPS_IN_AS(jy, b->roll_j[1]);
    RPS_IN_AS(jz, b->roll_j[2]);
    RPS_VECTOR(s, b->memory[entry]);
    RPS_VECTOR(book, b->memory[book]);
    RPS_AS(mode, b->mode[RPS_ROLE_ROLL][which]);
    RPS_VECTOR(t, torque);
    RPS_BOOKS(RPS_ROLE_ROLL);
    RPS_EACH_CONTACT(c) {
        double tx = turn_i * ix[c] + turn_j * jx[c];
        double ty = turn_i * iy[c] + turn_j * jy[c];
        double tz = turn_i * iz[c] + turn_j * jz[c];
        double l = lever_path[c];
        /* length: kbar = tr(Wm)/2 from the inverse */
        double kbar = round ? 1.0 / uu[c] : 0.5 * (uu[c] + ww[c]) / (uu[c] * ww[c] - uw[c] * uw[c]);
        double inertia_sqrt = damper_inertia_sqrt[c], n = cap_load[c];
        double k_angle = k_given + k_length * l * l * (k_given > 0.0 ? 0.0 : 1.0);
        double k = angle ? k_angle : k_length;
        double top_s = angle ? angle_s + cap_s * n / l : cap_s * n;
        double top_k = angle ? angle_k + cap_k * n / l : cap_k * n;
        top_s = angle && !(n > 0.0) ? 0.0 : top_s;
        top_k = angle && !(n > 0.0) ? 0.0 : top_k;
        double d_angle = damper_given + critical * inertia_sqrt * sqrt(k_angle);
        double d_length = (damper_given * kbar + critical * inertia_sqrt * k_length_root) * kbar;
        d_length = damper_given > 0.0 ? d_length : critical * inertia_sqrt * k_length_root * kbar;
        double d = angle ? d_angle : d_length;
        rps_vec3 dx;
        dx.x = angle ? tx : muu[c] * tx + (round ? 0.0 : muw[c] * ty);
        dx.y = angle ? ty : round ? muu[c] * ty : muw[c] * tx + mww[c] * ty;
        dx.z = angle ? tz : muu[c] * tz;
        rps_vec3 x0 = {s_x[c], s_y[c], s_z[c]}, damper0 = {book_x[c], book_y[c], book_z[c]};
        rps_spring s = rps_spring_step(x0, dx, mode[c], damper0, k, k, top_s, top_k, d, rate, unlimited);
        s_x[c] = s.x.x;
        s_y[c] = s.x.y;
        s_z[c] = s.x.z;
        book_x[c] = s.damper.x;
        book_y[c] = s.damper.y;
        book_z[c] = s.damper.z;
        mode[c] = s.mode;
        t_x[c] = angle ? s.load.x : uu[c] * s.load.x + (round ? 0.0 : uw[c] * s.load.y);
        t_y[c] = angle ? s.load.y : round ? uu[c] * s.load.y : uw[c] * s.load.x + ww[c] * s.load.y;
        t_z[c] = angle ? s.load.z : uu[c] * s.load.z;
        /* the first history must not read what another batch left in these lanes */
        dissipated[c] = add > 0.5 ? dissipated[c] + s.dissipated : s.dissipated;
        if (report) {
            const double torque_elastic = angle ? s.elastic : s.elastic * l, other = add > 0.5 ? elastic[c] : 0.0;
            elastic[c] = torque_elastic > other ? torque_elastic : other;
            energy[c] = add > 0.5 ? energy[c] + s.energy : s.energy;
        }
    }
}

/* round: both surfaces are spheres or planes, so that the lever is one number. */
static inline __attribute__((always_inline)) void roll(const rps_batch *b, const double *constant, const int angle,
                                                       const int round, const int report) {
    if (constant[PER_BODY] > 0.5) {
        roll_history(b, constant, S_I, BOOK_I, 0, 1.0, 0.0, b->roll_torque_i, 0.0, angle, round, report);
        roll_history(b, constant, S_J, BOOK_J, 1, 0.0, 1.0, b->roll_torque_j, 1.0, angle, round, report);
        return;
    }
    roll_history(b, constant, S_I, BOOK_I, 0, 1.0, 1.0, b->roll_torque_i, 0.0, angle, round, report);
    for (int k = 0; k < 3 && report; k++) {
        RPS_IN_AS(from, b->roll_torque_i[k]);
        RPS_AS(to, b->roll_torque_j[k]);
        RPS_EACH_CONTACT(c) {
            to[c] = from[c];
        }
    }
}

RPS_KERNEL(roll_tracked) {
    const int round = b->lever[0] == b->lever[2];
    if (constant[ANGLE] > 0.5) {
        roll(b, constant, 1, 0, 1);
    } else if (round && b->brief) {
        roll(b, constant, 0, 1, 0);
    } else if (round) {
        roll(b, constant, 0, 1, 1);
    } else {
        roll(b, constant, 0, 0, 1);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    const double *v = setup->value;
    double basic[3];
    const int angle = setup->form.carry == RPS_CARRY_ANGLE;
    const int direct = !isnan(v[P_ANGULAR]) || !isnan(v[P_ANGLE_STATIC]) || !isnan(v[P_ANGLE_KINETIC]);
    RPS_TRY(rps_friction_length(setup, "roll", v[P_LENGTH], v[P_ETA], direct, err));
    if (!isnan(v[P_LENGTH])) {
        for (int k = 0; k < RPS_LAW_CONSTANTS; k++) constant[k] = 0.0;
        constant[LENGTH] = v[P_LENGTH];
        constant[THRESHOLD] = NAN;
        return RPS_OK;
    }
    constant[LENGTH] = 0.0;
    RPS_TRY(rps_friction_basic(setup, "roll", basic, err));
    if (direct && !angle) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "roll law `tracked`: angular_stiffness and angle thresholds belong to `carry: angle`; give `eta` and "
            "`threshold`, or set carry: angle");
    }
    if (isnan(v[P_ANGULAR]) == isnan(v[P_ETA])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        isnan(v[P_ETA])
                            ? "roll law `tracked` needs `eta` (or, with carry: angle, `angular_stiffness`)"
                            : "roll law `tracked` is given both `eta` and `angular_stiffness`: leave one out");
    }
    if (isnan(v[P_ANGLE_STATIC]) != isnan(v[P_ANGLE_KINETIC])) {
        return rps_fail(err, RPS_BAD_INPUT, "roll law `tracked`: give both angle_static and angle_kinetic, or neither");
    }
    if (v[P_ANGLE_STATIC] < v[P_ANGLE_KINETIC]) {
        return rps_fail(err, RPS_BAD_INPUT, "roll law `tracked`: angle_static (%g) is below angle_kinetic (%g)",
                        v[P_ANGLE_STATIC], v[P_ANGLE_KINETIC]);
    }
    const double threshold = isnan(v[P_THRESHOLD]) ? 1.0 : v[P_THRESHOLD];
    constant[THRESHOLD] = threshold;
    constant[K] = isnan(v[P_ETA]) ? 0.0 : v[P_ETA] * basic[2];
    constant[K_GIVEN] = isnan(v[P_ANGULAR]) ? 0.0 : v[P_ANGULAR];
    const int caps_given = !isnan(v[P_ANGLE_STATIC]);
    constant[CAP_S] = caps_given ? 0.0 : threshold * basic[0] / basic[2];
    constant[CAP_K] = caps_given ? 0.0 : threshold * basic[1] / basic[2];
    constant[ANGLE_S] = caps_given ? v[P_ANGLE_STATIC] : 0.0;
    constant[ANGLE_K] = caps_given ? v[P_ANGLE_KINETIC] : 0.0;
    RPS_TRY(rps_friction_damper(v[P_DAMPER], v[P_DAMPING], 1.0, "roll", &constant[DAMPER], &constant[CRITICAL], err));
    constant[UNLIMITED] = setup->form.damper == RPS_DAMPER_FREE ? RPS_UNLIMITED : 0.0;
    constant[ANGLE] = angle;
    constant[PER_BODY] = setup->form.history == RPS_HISTORY_PER_BODY;
    return RPS_OK;
}

static int keeps(const double *constant, int entry) {
    return constant[PER_BODY] > 0.5 || entry == S_I || entry == BOOK_I;
}

static rps_law_spring spring(const double *constant, const rps_law_contact *contact) {
    double lever = contact->lever;
    double stiffness = constant[K_GIVEN] > 0.0 ? constant[K_GIVEN] : constant[K] * lever * lever;
    double damper = constant[DAMPER] + 2.0 * constant[CRITICAL] * sqrt(contact->damper_inertia * stiffness);
    return (rps_law_spring){stiffness, damper};
}

static void effective(const double *constant, double *value) {
    value[P_THRESHOLD] = constant[THRESHOLD];
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[CRITICAL];
}

/* Saturated it is eta_r K_E times the cap of the memory, over the lever; a length has no spring. */
static void cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    const double k = constant[K], lever = contact->lever;
    cone->threshold[0] = constant[LENGTH] > 0.0 ? constant[LENGTH] : lever * k * constant[CAP_S];
    cone->threshold[1] = constant[LENGTH] > 0.0 ? constant[LENGTH] : lever * k * constant[CAP_K];
    if (k > 0.0) cone->stiffness = k * lever * lever;
}

const rps_law rps_law_roll_tracked = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "tracked",
    .summary = "spring over the tracked rolling of both bodies, capped at eta_theta mu N/K_E, with a damper in stick",
    .citation = "Fang & Negrut 2020, eqs. 2a-2c",
    .parameter = {{"static", "", "static coefficient mu_s; default: the slide law's", 0.0, 1e6, NAN, NULL},
                  {"kinetic", "", "kinetic coefficient mu_k; default: the slide law's", 0.0, 1e6, NAN, NULL},
                  {"stiffness", "N/m", "K_E; default: the slide law's", 1e-300, 1e300, NAN, NULL},
                  {"eta", "", "eta_r: K_R = eta_r K_E (2 R_eff)^2 for spheres", 0.0, 1e6, NAN, NULL},
                  {"threshold", "", "eta_theta: cap of the memory relative to mu N/K_E; default 1", 0.0, 1e6, NAN,
                   NULL},
                  {"damper", "N m s/rad", "D_R; default: from damping", 0.0, 1e300, NAN, NULL},
                  {"damping", "", "D_R as a fraction of critical, 2 sqrt(I K_R); default 1", 0.0, 100.0, NAN, NULL},
                  {"angular_stiffness", "N m/rad", "K_R given directly (carry: angle)", 1e-300, 1e300, NAN, NULL},
                  {"angle_static", "rad", "static cap of Theta given directly (carry: angle)", 0.0, 10.0, NAN, NULL},
                  {"angle_kinetic", "rad", "kinetic cap of Theta given directly (carry: angle)", 0.0, 10.0, NAN, NULL},
                  {"length", "m",
                   "rho, torque at the threshold over the normal load, given directly (nonsmooth stepper)", 0.0, 1e6,
                   NAN, NULL}},
    .memory = {{"s_roll", "m or rad", "roll memory, shared or of body i", RPS_MEMORY_TANGENT},
               {"s_roll_j", "m or rad", "roll memory of body j", RPS_MEMORY_TANGENT},
               {"roll_damper", "N or N m", "damper load of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK},
               {"roll_damper_j", "N or N m", "the same of body j", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 2,
    .prepare = prepare,
    .effective = effective,
    .keeps = keeps,
    .spring = spring,
    .cone = cone_of,
    .kernel = RPS_LAW_KERNELS(roll_tracked),
};
#endif
