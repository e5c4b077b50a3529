/*
 * Roll friction by tracking the contact point: the tracked spring over the rolling of both bodies. Fang & Negrut 2020,
 * section 3.2, eqs. 2a-2c.
 *
 * carry: length (default)  s += mean(Wm^-1) dTheta, stiffness eta_r K_E, cap eta_theta mu N/K_E, torque Wm^-1 load;
 *                          Wm = (W_i + W_j)/2, of spheres Wm^-1 = 2 R_eff. Conservative for any shape.
 * carry: angle             Theta += dTheta, the same spring over the length s = Wm^-1 Theta. Along a principal direction of
 *                          curvature kbar this is the paper's K_R = eta_r K_E/kbar^2 and cap eta_theta kbar mu N/K_E; both
 *                          can be given directly. Gains 0.5 Theta.dK_R Theta when the curvature changes.
 * history: shared          one memory, dTheta = roll_i + roll_j, equal and opposite torques
 * history: per-body        one memory and one mode each; torques do not balance (the paper)
 *
 * The paper takes kbar along the path of the contact point. In a contact at rest the path is rounding noise: K_R
 * would jump with its direction while Theta is loaded, and feed energy to the body. Wm depends only on the point of
 * contact.
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
    K,       /* eta_r K_E; with carry: angle it is multiplied by the square of the rolling radius */
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
    LENGTH /* nonsmooth stepper: threshold/N, else 0 */
};
enum { S_I, S_J, BOOK_I, BOOK_J };

/* One of the memories of a contact and its arrays. */
typedef struct history {
    int memory, damper, mode;      /* entries of the memory and of the damper load; number of the mode */
    double rotation_i, rotation_j; /* share of the rolling of each body */
    double *const *torque;
    int adds; /* its energies are added to those of the history before it */
} history;

/* The first history of a contact adds to 0, not to the values that another batch left in these arrays. */
static inline __attribute__((always_inline)) double added(const int adds, double before, double value) {
    return adds ? before + value : value;
}

static inline __attribute__((always_inline)) double larger(const int adds, double before, double value) {
    const double other = adds ? before : 0.0;
    return value > other ? value : other;
}

/* carry: length. round: both surfaces are spheres or planes, so that Wm^-1 is one number. Arguments that are constant
 * at the inlined call are folded away. */
static inline __attribute__((always_inline)) void roll_length(const rps_batch *b, const double *constant,
                                                              const history *h, const int round, const int report) {
    const double k = constant[K], cap_s = constant[CAP_S], cap_k = constant[CAP_K], damper_given = constant[DAMPER];
    const double critical = 2.0 * constant[CRITICAL], unlimited = constant[UNLIMITED], k_root = sqrt(k);
    const double rotation_i = h->rotation_i, rotation_j = h->rotation_j, rate = b->rate;
    const int adds = h->adds;
    RPS_IN(cap_load);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN_AS(uu, b->rolling_radius[0]);
    RPS_IN_AS(uw, b->rolling_radius[1]);
    RPS_IN_AS(ww, b->rolling_radius[2]);
    RPS_IN_AS(muu, b->rolling_radius_mean[0]);
    RPS_IN_AS(muw, b->rolling_radius_mean[1]);
    RPS_IN_AS(mww, b->rolling_radius_mean[2]);
    RPS_IN_VECTOR(i, b->roll_i);
    RPS_IN_VECTOR(j, b->roll_j);
    RPS_VECTOR(s, b->memory[h->memory]);
    RPS_VECTOR(book, b->memory[h->damper]);
    RPS_AS(mode, b->mode[RPS_ROLE_ROLL][h->mode]);
    RPS_VECTOR(t, h->torque);
    RPS_BOOKS(RPS_ROLE_ROLL);
    RPS_EACH_CONTACT(c) {
        double tx = rotation_i * i_x[c] + rotation_j * j_x[c];
        double ty = rotation_i * i_y[c] + rotation_j * j_y[c];
        double tz = rotation_i * i_z[c] + rotation_j * j_z[c];
        /* tr(Wm)/2 from the inverse */
        double kbar = round ? 1.0 / uu[c] : 0.5 * (uu[c] + ww[c]) / (uu[c] * ww[c] - uw[c] * uw[c]);
        double inertia_sqrt = damper_inertia_sqrt[c], n = cap_load[c];
        double d_given = (damper_given * kbar + critical * inertia_sqrt * k_root) * kbar;
        double d = damper_given > 0.0 ? d_given : critical * inertia_sqrt * k_root * kbar;
        rps_vec3 dx;
        dx.x = muu[c] * tx + (round ? 0.0 : muw[c] * ty);
        dx.y = round ? muu[c] * ty : muw[c] * tx + mww[c] * ty;
        dx.z = muu[c] * tz;
        rps_vec3 x0 = {s_x[c], s_y[c], s_z[c]}, damper0 = {book_x[c], book_y[c], book_z[c]};
        rps_spring r = rps_spring_step(x0, dx, mode[c], damper0, k, k, cap_s * n, cap_k * n, d, rate, unlimited);
        s_x[c] = r.x.x;
        s_y[c] = r.x.y;
        s_z[c] = r.x.z;
        book_x[c] = r.damper.x;
        book_y[c] = r.damper.y;
        book_z[c] = r.damper.z;
        mode[c] = r.mode;
        t_x[c] = uu[c] * r.load.x + (round ? 0.0 : uw[c] * r.load.y);
        t_y[c] = round ? uu[c] * r.load.y : uw[c] * r.load.x + ww[c] * r.load.y;
        t_z[c] = uu[c] * r.load.z;
        double ex = uu[c] * r.x.x + uw[c] * r.x.y, ey = uw[c] * r.x.x + ww[c] * r.x.y, ez = uu[c] * r.x.z;
        double torque = round ? uu[c] * r.elastic : k * sqrt(ex * ex + ey * ey + ez * ez);
        dissipated[c] = added(adds, dissipated[c], r.dissipated);
        if (report) {
            elastic[c] = larger(adds, elastic[c], torque);
            energy[c] = added(adds, energy[c], r.energy);
        }
    }
}

/* carry: angle. The spring acts over y = N Theta, N = Wm^-1/l with l = tr(Wm^-1)/2, or 1 where K_R is given; its
 * stiffness is eta_r K_E l^2 and the torque N load. For spheres N is exactly 1, and the formulas equal those of the
 * paper to the bit. A damper that is critical in every direction is sqrt(I K) l dTheta/dt over y. */
static inline __attribute__((always_inline)) void roll_angle(const rps_batch *b, const double *constant,
                                                             const history *h) {
    const int given = constant[K_GIVEN] > 0.0, adds = h->adds;
    const double k_given = constant[K_GIVEN], k_length = constant[K];
    const double cap_s = constant[CAP_S], cap_k = constant[CAP_K];
    const double angle_s = constant[ANGLE_S], angle_k = constant[ANGLE_K], damper_given = constant[DAMPER];
    const double critical = 2.0 * constant[CRITICAL], unlimited = constant[UNLIMITED], rate = b->rate;
    const double rotation_i = h->rotation_i, rotation_j = h->rotation_j;
    RPS_IN(cap_load);
    RPS_IN(damper_inertia_sqrt);
    RPS_IN_AS(uu, b->rolling_radius[0]);
    RPS_IN_AS(uw, b->rolling_radius[1]);
    RPS_IN_AS(ww, b->rolling_radius[2]);
    RPS_IN_VECTOR(i, b->roll_i);
    RPS_IN_VECTOR(j, b->roll_j);
    RPS_VECTOR(theta, b->memory[h->memory]);
    RPS_VECTOR(book, b->memory[h->damper]);
    RPS_AS(mode, b->mode[RPS_ROLE_ROLL][h->mode]);
    RPS_VECTOR(t, h->torque);
    RPS_BOOKS(RPS_ROLE_ROLL);
    RPS_EACH_CONTACT(c) {
        double dx = rotation_i * i_x[c] + rotation_j * j_x[c];
        double dy = rotation_i * i_y[c] + rotation_j * j_y[c];
        double dz = rotation_i * i_z[c] + rotation_j * j_z[c];
        double rx = theta_x[c] + dx, ry = theta_y[c] + dy, rz = theta_z[c] + dz;
        double l = 0.5 * (uu[c] + ww[c]), nu = uu[c] / l, nm = uw[c] / l, nw = ww[c] / l;
        /* the length that belongs to Theta is `rolling_radius` times the angle */
        double yx = nu * rx + nm * ry, yy = nm * rx + nw * ry, yz = nu * rz;
        double angle2 = rx * rx + ry * ry + rz * rz, y2 = yx * yx + yy * yy + yz * yz;
        double ratio = angle2 > 0.0 ? sqrt(y2 / angle2) : 1.0, rolling_radius = ratio * l;
        double n = cap_load[c], k = given ? k_given : k_length * l * l, scale_cap = given ? 1.0 : ratio;
        double top_s = n > 0.0 ? scale_cap * (angle_s + cap_s * n / rolling_radius) : 0.0;
        double top_k = n > 0.0 ? scale_cap * (angle_k + cap_k * n / rolling_radius) : 0.0;
        double a = given ? 1.0 : nu, m = given ? 0.0 : nm, e = given ? 1.0 : nw, det = a * e - m * m;
        rps_vec3 x0 = {a * theta_x[c] + m * theta_y[c], m * theta_x[c] + e * theta_y[c], a * theta_z[c]};
        rps_vec3 step = {a * dx + m * dy, m * dx + e * dy, a * dz};
        double given_rate = damper_given * rate, critical_rate = critical * damper_inertia_sqrt[c] * sqrt(k) * rate;
        rps_vec3 damper = {given_rate * ((e * dx - m * dy) / det) + critical_rate * dx,
                           given_rate * ((a * dy - m * dx) / det) + critical_rate * dy,
                           given_rate * (dz / a) + critical_rate * dz};
        rps_vec3 damper0 = {book_x[c], book_y[c], book_z[c]};
        rps_spring r = rps_spring_step_damped(x0, step, mode[c], damper0, k, k, top_s, top_k, damper, unlimited);
        theta_x[c] = r.kept * rx;
        theta_y[c] = r.kept * ry;
        theta_z[c] = r.kept * rz;
        book_x[c] = r.damper.x;
        book_y[c] = r.damper.y;
        book_z[c] = r.damper.z;
        mode[c] = r.mode;
        t_x[c] = a * r.load.x + m * r.load.y;
        t_y[c] = m * r.load.x + e * r.load.y;
        t_z[c] = a * r.load.z;
        double ex = a * r.x.x + m * r.x.y, ey = m * r.x.x + e * r.x.y, ez = a * r.x.z;
        double e2 = ex * ex + ey * ey + ez * ez, x2 = r.x.x * r.x.x + r.x.y * r.x.y + r.x.z * r.x.z;
        double torque = x2 > 0.0 ? sqrt(e2 / x2) * r.elastic : 0.0;
        dissipated[c] = added(adds, dissipated[c], r.dissipated);
        elastic[c] = larger(adds, elastic[c], torque);
        energy[c] = added(adds, energy[c], r.energy);
    }
}

static inline __attribute__((always_inline)) void roll_history(const rps_batch *b, const double *constant,
                                                               const history *h, const int angle, const int round,
                                                               const int report) {
    if (angle) {
        roll_angle(b, constant, h);
    } else {
        roll_length(b, constant, h, round, report);
    }
}

static inline __attribute__((always_inline)) void roll(const rps_batch *b, const double *constant, const int angle,
                                                       const int round, const int report) {
    if (constant[PER_BODY] > 0.5) {
        roll_history(b, constant, &(history){S_I, BOOK_I, 0, 1.0, 0.0, b->roll_torque_i, 0}, angle, round, report);
        roll_history(b, constant, &(history){S_J, BOOK_J, 1, 0.0, 1.0, b->roll_torque_j, 1}, angle, round, report);
        return;
    }
    roll_history(b, constant, &(history){S_I, BOOK_I, 0, 1.0, 1.0, b->roll_torque_i, 0}, angle, round, report);
    for (int k = 0; k < 3 && report; k++) {
        RPS_IN_AS(from, b->roll_torque_i[k]);
        RPS_AS(to, b->roll_torque_j[k]);
        RPS_EACH_CONTACT(c) {
            to[c] = from[c];
        }
    }
}

RPS_KERNEL(roll_tracked) {
    const int round = b->round;
    if (constant[ANGLE] > 0.5) {
        roll(b, constant, 1, 0, 1);
    } else if (round && b->skip_diagnostics) {
        roll(b, constant, 0, 1, 0);
    } else if (round) {
        roll(b, constant, 0, 1, 1);
    } else {
        roll(b, constant, 0, 0, 1);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status roll_tracked_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
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

static int roll_tracked_keeps(const double *constant, int entry) {
    return constant[PER_BODY] > 0.5 || entry == S_I || entry == BOOK_I;
}

static rps_law_spring roll_tracked_spring(const double *constant, const rps_law_contact *contact) {
    double rolling_radius = contact->rolling_radius;
    double stiffness = constant[K_GIVEN] > 0.0 ? constant[K_GIVEN] : constant[K] * rolling_radius * rolling_radius;
    double damper = constant[DAMPER] + 2.0 * constant[CRITICAL] * sqrt(contact->damper_inertia * stiffness);
    return (rps_law_spring){stiffness, damper};
}

static void roll_tracked_effective(const double *constant, double *value) {
    value[P_THRESHOLD] = constant[THRESHOLD];
    if (isnan(value[P_DAMPER])) value[P_DAMPING] = constant[CRITICAL];
}

/* The saturated value is eta_r K_E times the cap of the memory, over the rolling radius; a length has no spring. */
static void roll_tracked_cone_of(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    const double k = constant[K], rolling_radius = contact->rolling_radius;
    cone->threshold[0] = constant[LENGTH] > 0.0 ? constant[LENGTH] : rolling_radius * k * constant[CAP_S];
    cone->threshold[1] = constant[LENGTH] > 0.0 ? constant[LENGTH] : rolling_radius * k * constant[CAP_K];
    if (k > 0.0) cone->stiffness = k * rolling_radius * rolling_radius;
}

const rps_law rps_law_roll_tracked = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_ROLL,
    .name = "tracked",
    .summary = "spring over the tracked rolling of both bodies, capped at eta_theta mu N/K_E, with a damper in stick",
    .citation = "Fang & Negrut 2020, eqs. 2a-2c",
    .parameter =
        {{"static", "", "static coefficient mu_s; default: the slide law's", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_STATIC},
         {"kinetic", "", "kinetic coefficient mu_k; default: the slide law's", 0.0, 1e6, NAN, NULL,
          RPS_PARAMETER_KINETIC},
         {"stiffness", "N/m", "K_E; default: the slide law's", 1e-300, 1e300, NAN, NULL, RPS_PARAMETER_STIFFNESS},
         {"eta", "", "eta_r: K_R = eta_r K_E (2 R_eff)^2 for spheres", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_OTHER},
         {"threshold", "", "eta_theta: cap of the memory relative to mu N/K_E; default 1", 0.0, 1e6, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"damper", "N m s/rad", "D_R; default: from damping", 0.0, 1e300, NAN, NULL, RPS_PARAMETER_OTHER},
         {"damping", "", "D_R as a fraction of critical, 2 sqrt(I K_R); default 1", 0.0, 100.0, NAN, NULL,
          RPS_PARAMETER_DAMPING},
         {"angular_stiffness", "N m/rad", "K_R given directly (carry: angle)", 1e-300, 1e300, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"angle_static", "rad", "static cap of Theta given directly (carry: angle)", 0.0, 10.0, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"angle_kinetic", "rad", "kinetic cap of Theta given directly (carry: angle)", 0.0, 10.0, NAN, NULL,
          RPS_PARAMETER_OTHER},
         {"length", "m", "rho, torque at the threshold over the normal load, given directly (nonsmooth stepper)", 0.0,
          1e6, NAN, NULL, RPS_PARAMETER_OTHER}},
    .memory = {{"s_roll", "m or rad", "roll memory, shared or of body i", RPS_MEMORY_TANGENT},
               {"s_roll_j", "m or rad", "roll memory of body j", RPS_MEMORY_TANGENT},
               {"roll_damper", "N or N m", "damper load of the last evaluation", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK},
               {"roll_damper_j", "N or N m", "the same of body j", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
    .modes = 2,
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(damper_inertia_sqrt) | RPS_ARRAY(rolling_radius) |
             RPS_ARRAY(rolling_radius_mean) | RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j),
    .writes = RPS_ARRAY(roll_torque_i) | RPS_ARRAY(roll_torque_j) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) |
              RPS_ARRAY(dissipated),
    .prepare = roll_tracked_prepare,
    .effective = roll_tracked_effective,
    .keeps = roll_tracked_keeps,
    .spring = roll_tracked_spring,
    .cone = roll_tracked_cone_of,
    .kernel = RPS_LAW_KERNELS(roll_tracked),
};
#endif
