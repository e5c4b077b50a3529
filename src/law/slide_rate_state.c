/*
 * Friction with a rate and a state (Dieterich 1979; Ruina 1983), in the form that holds at rest too (Rice, Lapusta &
 * Ranjith 2001):
 *
 *   mu = a asinh[ v/(2 v_0) exp((mu_0 + b ln(v_0 theta/D_c))/a) ]
 *   aging: dtheta/dt = 1 - v theta/D_c        slip: dtheta/dt = -(v theta/D_c) ln(v theta/D_c)
 *
 * The contact never sticks: v is the rate of the plastic slip, in series with the spring K. A step, with theta at its old value,
 * solves  |T0 + K ds| - K v dt = mu(v) N.  The left side falls and the right side rises with v, so there is one root, and the
 * step needs no limit beyond that of the spring. Then theta goes on exactly for a constant v.
 */
#include <stdbool.h>

#include "base/elementary.h"
#include "law/rate.h"

enum { P_FRICTION = RPS_RATE_P_OWN, P_DIRECT, P_EVOLUTION, P_DISTANCE, P_SPEED, P_STATE, P_THETA };
enum { FRICTION = RPS_RATE_OWN, DIRECT, EVOLUTION, DISTANCE, SPEED, LOG_SPEED, LOG_RATE, SLIP_FORM, THETA };
enum { M_THETA = RPS_RATE_M_OWN };
static const double THETA_LEAST = 1e-100; /* s; a memory below it would be flushed to 0, which means a new contact */

static double rate_state_exp(double x) {
    return rps_exp_bounded(x > 700.0 ? 700.0 : x < -700.0 ? -700.0 : x);
}

static double rate_state_log(double x) {
    return rps_log_positive(x > 1e300 ? 1e300 : x < 1e-300 ? 1e-300 : x);
}

/* sinh(u) e^-shift and cosh(u) e^-shift */
static double shifted_sinh(double u, double shift, double *cosine) {
    const double up = rate_state_exp(u - shift), down = rate_state_exp(-u - shift);
    *cosine = 0.5 * (up + down);
    return u < 1e-3 ? u * (1.0 + u * u / 6.0) * rate_state_exp(-shift) : 0.5 * (up - down);
}

/* u = mu/a with raw = kdt v + an u and v = sinh(u) e^-shift, and v. Newton from above, where the right side is convex: the start
 * is the smaller of the roots with one of the terms alone, so that it is near. */
static double friction_of(double raw, double kdt, double an, double shift, double *speed) {
    double cosine;
    *speed = 0.0;
    if (!(raw > 0.0 && an > 0.0)) return 0.0;
    double u = raw / an;
    if (kdt > 0.0) {
        const double ratio = rate_state_log(raw / kdt) + shift;
        const double alone =
            ratio > 36.0 ? ratio + 0.69314718055994531 : rate_state_log(1.0 + 2.0 * rate_state_exp(ratio));
        if (alone < u) u = alone;
    }
    for (int n = 0; n < 40; n++) {
        *speed = shifted_sinh(u, shift, &cosine);
        const double change = (raw - kdt * *speed - an * u) / (kdt * cosine + an);
        if (!(fabs(change) > 4e-16 * u)) break;
        u += change;
        if (!(u > 0.0)) u = 0.0;
    }
    return u;
}

/* theta after dt at v. */
static double theta_after(double theta, double v, double dt, double distance, bool slip_form) {
    const double run = v * dt / distance, at = v * theta / distance;
    double next = theta;
    if (slip_form) {
        const double part = run < 1e-5 ? run * (1.0 - 0.5 * run) : 1.0 - rate_state_exp(-run);
        next = at > 1e-300 ? theta * rate_state_exp(-part * rate_state_log(at)) : theta;
    } else if (run < 1e-8) {
        next = theta + dt * (1.0 - at);
    } else {
        next = distance / v + (theta - distance / v) * rate_state_exp(-run);
    }
    return next > THETA_LEAST ? next : THETA_LEAST;
}

RPS_KERNEL(slide_rate_state) {
    const double a = constant[DIRECT], dt = b->dt;
    RPS_IN(cap_load);
    RPS_IN(contact_radius);
    RPS_IN_VECTOR(slip, b->slip);
    RPS_VECTOR(t, b->memory[RPS_RATE_FORCE]);
    RPS_AS(spring, b->memory[RPS_RATE_SPRING][0]);
    RPS_AS(state, b->memory[M_THETA][0]);
    RPS_AS(mode, b->mode[RPS_ROLE_SLIDE][0]);
    RPS_VECTOR(force, b->slide_force);
    RPS_BOOKS(RPS_ROLE_SLIDE);
    for (int c = 0; c < b->count; c++) { /* the iteration ends at its own time in each */
        const double k0 = spring[c], k1 = rps_rate_stiffness(constant, contact_radius[c]);
        const double load = cap_load[c], theta = state[c] > 0.0 ? state[c] : constant[THETA];
        const double s = k1 < k0 ? k1 / k0 : 1.0;
        const rps_vec3 t0 = {t_x[c], t_y[c], t_z[c]}, ds = {slip_x[c], slip_y[c], slip_z[c]};
        const rps_vec3 trial = {s * t0.x + k1 * ds.x, s * t0.y + k1 * ds.y, s * t0.z + k1 * ds.z};
        const double raw = sqrt(rps_vec3_dot(trial, trial));
        const double strength =
            (constant[FRICTION] + constant[EVOLUTION] * (rate_state_log(theta) + constant[LOG_RATE])) / a;
        double speed;
        const double size = a * load * friction_of(raw, k1 * dt, a * load, strength - constant[LOG_SPEED], &speed);
        const double kept = raw > 0.0 ? (size < raw ? size / raw : 1.0) : 0.0;
        const rps_vec3 t1 = {kept * trial.x, kept * trial.y, kept * trial.z};
        const double square0 = rps_vec3_dot(t0, t0), square1 = rps_vec3_dot(t1, t1);
        const double stored0 = k0 > 0.0 ? 0.5 * square0 / k0 : 0.0, stored1 = k1 > 0.0 ? 0.5 * square1 / k1 : 0.0;
        const double work = 0.5 * (((t0.x + t1.x) * ds.x + (t0.y + t1.y) * ds.y) + (t0.z + t1.z) * ds.z);
        state[c] = load > 0.0 ? theta_after(theta, speed, dt, constant[DISTANCE], constant[SLIP_FORM] > 0.5) : theta;
        t_x[c] = force_x[c] = t1.x;
        t_y[c] = force_y[c] = t1.y;
        t_z[c] = force_z[c] = t1.z;
        spring[c] = k1;
        mode[c] = speed > constant[SPEED] ? 1.0 : 0.0;
        elastic[c] = sqrt(square1);
        energy[c] = stored1;
        dissipated[c] = work - (stored1 - stored0);
    }
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_rate_state_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    static const int needed[] = {P_FRICTION, P_DIRECT, P_EVOLUTION, P_DISTANCE, P_SPEED};
    static const char *const name[] = {"friction", "direct", "evolution", "distance", "speed"};
    const double *v = setup->value;
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        if (!isnan(v[needed[k]])) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `rate_state` has no `%s`: it needs `friction` (mu_0), `direct` (a), `evolution` (b), "
            "`distance` (D_c) and `speed` (v_0)",
            name[k]);
    }
    RPS_TRY(rps_rate_prepare(setup, "rate_state", constant, err));
    constant[FRICTION] = v[P_FRICTION];
    constant[DIRECT] = v[P_DIRECT];
    constant[EVOLUTION] = v[P_EVOLUTION];
    constant[DISTANCE] = v[P_DISTANCE];
    constant[SPEED] = v[P_SPEED];
    constant[LOG_SPEED] = rps_log(2.0 * v[P_SPEED]);
    constant[LOG_RATE] = rps_log(v[P_SPEED] / v[P_DISTANCE]);
    constant[SLIP_FORM] = v[P_STATE];
    constant[THETA] = isnan(v[P_THETA]) ? v[P_DISTANCE] / v[P_SPEED] : v[P_THETA];
    return RPS_OK;
}

static void slide_rate_state_effective(const double *constant, double *value) {
    rps_rate_effective(constant, value);
    value[P_THETA] = constant[THETA];
}

static rps_law_spring slide_rate_state_spring(const double *constant, const rps_law_contact *contact) {
    return (rps_law_spring){rps_rate_stiffness(constant, contact->contact_radius), 0.0};
}

const rps_law rps_law_slide_rate_state = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "rate_state",
    .summary = "a spring and plastic slip with friction of rate and state: it creeps, ages at rest and weakens in slip",
    .citation = "Dieterich 1979; Ruina 1983; Rice, Lapusta & Ranjith 2001",
    .parameter = {RPS_RATE_PARAMETERS,
                  {"friction", "", "mu_0, of steady slip at v_0", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_FRICTION},
                  {"direct", "", "a, of the direct effect", 1e-6, 1.0, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"evolution", "",
                   "b, of the evolution effect: with b above a, steady slip weakens with the rate; measured values are "
                   ".005 to .1",
                   0.0, 0.2, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"distance", "m", "D_c, over which the state evolves", 1e-15, 1e6, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"speed", "m/s", "v_0, the reference", 1e-20, 1e6, NAN, NULL, RPS_PARAMETER_OTHER},
                  {"state", "", "how the state evolves", 0, 1, 0, "aging|slip", RPS_PARAMETER_OTHER},
                  {"theta", "s", "state of a new contact; default: D_c/v_0", 1e-90, 1e90, NAN, NULL,
                   RPS_PARAMETER_OTHER}},
    .memory = {RPS_RATE_MEMORY, {"theta", "s", "state", RPS_MEMORY_SCALAR}},
    .modes = 1,
    .exception = {{"elastic part within its cap",
                   "by the law itself friction rises with the rate of slip without a limit", ""},
                  {"whole load within the static cap", "the law has no static cap: the contact creeps under any force",
                   ""},
                  {"gives back what radial loading stored", "the contact creeps under load", ""},
                  {"keeps its force while the load cycles", "the contact creeps under load", ""},
                  {"turns with its pair", "the load relaxes while the pair turns: the contact creeps", ""}},
    .reads = RPS_ARRAY(cap_load) | RPS_ARRAY(contact_radius) | RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(elastic) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated),
    .prepare = slide_rate_state_prepare,
    .effective = slide_rate_state_effective,
    .spring = slide_rate_state_spring,
    .nonsmooth = "it creeps under any force, and a cone needs a threshold below which nothing slips; take tracked, or "
                 "the penalty stepper",
    .kernel = RPS_LAW_KERNELS(slide_rate_state),
};
#endif
