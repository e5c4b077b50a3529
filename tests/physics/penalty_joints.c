/*
 * Joints in the penalty stepper, each against a closed form: what the nonsmooth stepper finds to first order in the step, velocity
 * Verlet finds to second order. Half the step therefore divides an error by 4; where a result is exact at any step, rounding is the
 * tolerance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "joined.h"

/* Errors over those of half the step. */
static const double SECOND_LOW = 3.7, SECOND_HIGH = 4.3;

static rps_world_options penalty_options(double step, double gravity) {
    rps_world_options options = options_of(step);
    options.gravity[2] = -gravity;
    options.guards.motion = 100.0;
    options.guards.rotation = 3.0;
    return options;
}

/* Contacts are soft enough for any step here, and their bodies seldom meet. */
static rps_world *soft_world(const rps_world_options *options) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1.0, NULL);
    return world_of(options, &pair);
}

static rps_world *penalty_world(double step, double gravity) {
    const rps_world_options options = penalty_options(step, gravity);
    return soft_world(&options);
}

static void run_for(rps_world *world, double time, double step) {
    advance(world, (uint64_t)(time / step + 0.5));
}

/* As add_body, with velocities. */
static uint64_t add_moving(rps_world *world, rps_vec3 x, double mass, double inertia, rps_vec3 v, rps_vec3 w) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.radius = 0.1;
    def.mass = mass;
    def.inertia[0] = inertia;
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* --- a pendulum ----------------------------------------------------------------------------------------------------- */

typedef struct swing {
    double period, force, residual, drift, error;
} swing;

/* K(k) of the complete elliptic integral, by the arithmetic-geometric mean. */
static double elliptic(double k) {
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int n = 0; n < 8; n++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * RPS_PI / a;
}

static const double MASS = 2.0, LENGTH = 1.0, INERTIA = 0.3;

/* A ball on a rod, let go at `angle` from below: the mean of ten periods, the load at the lowest points, and the ledger. */
static swing swing_of(rps_joint_kind kind, double angle, double step) {
    rps_world *world = penalty_world(step, G);
    const uint64_t id = add_body(world, rps_vec3_make(LENGTH * sin(angle), 0.0, -LENGTH * cos(angle)), MASS, INERTIA);
    const rps_joint_def def = joint_def(kind, id, RPS_JOINT_WORLD, O, Y);
    const size_t joint = join(world, &def);
    start(world);
    swing out = {.period = 0.0};
    double last = velocity_of(world, id).x, first = 0.0;
    int crossings = 0;
    rps_vec3 load = O;
    for (uint64_t n = 1; crossings < 21; n++) {
        advance(world, 1);
        const rps_vec3 v = velocity_of(world, id), x = position_of(world, id);
        const rps_joint_state now = joint_of(world, joint);
        /* it turns back: v.x falls through 0 on the right, and rises on the left */
        if (n > 2 && v.x * last <= 0.0) {
            const double time = ((double)n - v.x / (v.x - last)) * step;
            if (crossings == 0) first = time;
            out.period = (time - first) / (0.5 * crossings);
            crossings++;
        }
        last = v.x;
        out.error = fmax(out.error, now.error);
        const double residual = fabs(ledger_of(world).residual);
        out.residual = fmax(out.residual, residual);
        load = as_vec(now.force);
        const double radial = -rps_vec3_dot(load, x) / LENGTH;
        out.force = fmax(out.force, radial);
    }
    out.drift = fabs(ledger_of(world).residual);
    rps_world_destroy(world);
    return out;
}

static void test_pendulum(void **state) {
    (void)state;
    const double moment = MASS * LENGTH * LENGTH + INERTIA, wide = 1.2;
    const double exact = 4.0 * sqrt(moment / (MASS * G * LENGTH)) * elliptic(sin(0.5 * wide));
    const double load = MASS * (G + 2.0 * MASS * G * LENGTH * (1.0 - cos(wide)) / moment * LENGTH);
    for (int k = 0; k < 2; k++) {
        const rps_joint_kind kind = k == 0 ? RPS_JOINT_HINGE : RPS_JOINT_BALL;
        const swing a = swing_of(kind, wide, 4e-3), b = swing_of(kind, wide, 2e-3);
        SAY("%s: period off by %.2e %.2e s of %.6f s; load at the lowest point off by %.2e %.2e N of %.4f N; ledger "
            "off "
            "by up to %.2e %.2e J, at the end %.1e %.1e J; points off by %.1e m\n",
            k ? "ball" : "hinge", a.period - exact, b.period - exact, exact, a.force - load, b.force - load, load,
            a.residual, b.residual, a.drift, b.drift, b.error);
        assert_in_range((a.period - exact) / (b.period - exact) * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
        ASSERT_BELOW(fabs(b.period - exact), 1e-5 * exact); /* (h w)^2/24 = 1.3e-5 at the most */
        ASSERT_BELOW(fabs(b.force - load), 1e-4 * load);
        assert_in_range(a.residual / b.residual * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
        ASSERT_BELOW(b.residual, 1e-4 * MASS * G * LENGTH);
        ASSERT_BELOW(b.error, 1e-12); /* to rounding, at every step */
    }
}

/* --- a double pendulum ---------------------------------------------------------------------------------------------- */

static rps_vec3 double_pendulum(double step, double *residual) {
    static const double edge[3] = {0.1, 0.04, 0.04};
    rps_world *world = penalty_world(step, G);
    const uint64_t a = add_box(world, rps_vec3_make(0.05, 0.0, 0.0), edge, 1.0, O, O);
    const uint64_t b = add_box(world, rps_vec3_make(0.15, 0.0, 0.0), edge, 3.0, O, O);
    const rps_joint_def first = joint_def(RPS_JOINT_HINGE, a, RPS_JOINT_WORLD, O, Y),
                        second = joint_def(RPS_JOINT_HINGE, b, a, rps_vec3_make(0.1, 0.0, 0.0), Y);
    join(world, &first);
    join(world, &second);
    start(world);
    run_for(world, 0.4, step);
    *residual = ledger_of(world).residual;
    const rps_vec3 x = position_of(world, b);
    rps_world_destroy(world);
    return x;
}

static void test_double_pendulum(void **state) {
    (void)state;
    double residual[3];
    const rps_vec3 coarse = double_pendulum(1e-3, &residual[0]), half = double_pendulum(5e-4, &residual[1]),
                   fine = double_pendulum(5e-5, &residual[2]);
    const double a = rps_vec3_norm(rps_vec3_sub(coarse, fine)), b = rps_vec3_norm(rps_vec3_sub(half, fine));
    SAY("double pendulum after .4 s: off by %.2e and %.2e m from the run at a twentieth of the step; ledger %.1e %.1e "
        "J\n",
        a, b, residual[0], residual[1]);
    ASSERT_BELOW(a, 1e-3 * 0.2);
    assert_in_range(a / b * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
    assert_in_range(residual[0] / residual[1] * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
}

/* --- chains --------------------------------------------------------------------------------------------------------- */

typedef struct totals {
    rps_vec3 p, l;
} totals;

static totals totals_of(const rps_world *world, const uint64_t *id, size_t count, double mass) {
    totals t = {O, O};
    for (size_t k = 0; k < count; k++) {
        const rps_vec3 x = position_of(world, id[k]), v = velocity_of(world, id[k]);
        t.p = rps_vec3_add_scaled(t.p, mass, v);
        t.l = rps_vec3_add(t.l, rps_vec3_scale(rps_vec3_cross(x, v), mass));
        t.l = rps_vec3_add(t.l, vec_of(world, "angular_momentum", id[k]));
    }
    return t;
}

/* A free chain of boxes on every kind of joint, with velocities that joints do not allow at first. */
static double chain_residual(double step, bool report) {
    enum { LINKS = 10 };
    const double edge[3] = {0.3, 0.2, 0.1};
    rps_world *world = penalty_world(step, 0.0);
    uint64_t id[LINKS];
    for (uint64_t k = 0; k < LINKS; k++) {
        id[k] = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, random_vec(5, k), random_vec(6, k));
    }
    static const rps_joint_kind kinds[LINKS - 1] = {RPS_JOINT_HINGE,       RPS_JOINT_BALL,  RPS_JOINT_SLIDER,
                                                    RPS_JOINT_DISTANCE,    RPS_JOINT_MOTOR, RPS_JOINT_UNIVERSAL,
                                                    RPS_JOINT_CYLINDRICAL, RPS_JOINT_SCREW, RPS_JOINT_PLANAR};
    for (size_t k = 0; k < LINKS - 1; k++) {
        rps_joint_def def = joint_def(kinds[k], id[k], id[k + 1], rps_vec3_make(0.4 * (double)k + 0.2, 0.03, 0.01),
                                      random_direction(7, k));
        to_array(def.point[1], rps_vec3_make(0.4 * (double)k + 0.35, 0.02, 0.0));
        def.friction = kinds[k] == RPS_JOINT_DISTANCE ? 0.0 : 0.05;
        def.motion.turns = true;
        def.motion.speed = kinds[k] == RPS_JOINT_MOTOR ? 1.0 : 0.0;
        def.pitch = kinds[k] == RPS_JOINT_SCREW ? 0.05 : 0.0;
        if (kinds[k] == RPS_JOINT_UNIVERSAL || kinds[k] == RPS_JOINT_PLANAR) {
            to_array(def.second_axis, rps_vec3_any_across(as_vec(def.axis)));
        }
        join(world, &def);
    }
    start(world);
    const totals before = totals_of(world, id, LINKS, 1.0);
    double error = 0.0;
    advance(world, 1); /* takes out what joints do not allow, as an impact does */
    const double begun = ledger_of(world).residual;
    run_for(world, 1.0, step);
    for (size_t k = 0; k < LINKS - 1; k++) error = fmax(error, joint_of(world, k).error);
    const totals after = totals_of(world, id, LINKS, 1.0);
    const double dp = rps_vec3_norm(rps_vec3_sub(after.p, before.p)),
                 dl = rps_vec3_norm(rps_vec3_sub(after.l, before.l)), residual = ledger_of(world).residual - begun;
    if (report) {
        SAY("a free chain on joints of every kind: momentum off by %.1e kg m/s, angular momentum by %.1e kg m^2/s, "
            "points by "
            "%.1e m, ledger by %.1e J\n",
            dp, dl, error, residual);
    }
    ASSERT_BELOW(dp, 1e-12);
    ASSERT_BELOW(dl, 1e-11);
    ASSERT_BELOW(error, 1e-11);
    rps_world_destroy(world);
    return fabs(residual);
}

static void test_momentum(void **state) {
    (void)state;
    const double a = chain_residual(2e-3, true), b = chain_residual(1e-3, true);
    ASSERT_BELOW(b, 1e-3);
    assert_true(a > 3.0 * b); /* of second order, but for the steps in which friction turns around */
}

/* Chains let go while they lie: of 5 to 200 links, and with masses that alternate between 1 and 1,000 kg. */
static double chain_falls(size_t links, double ratio, double step, double *error) {
    static const double edge[3] = {0.1, 0.04, 0.04};
    rps_world_options options = penalty_options(step, G);
    options.guards.rotation = 30.0;
    rps_world *world = soft_world(&options);
    uint64_t last = RPS_JOINT_WORLD;
    double mass = 0.0;
    for (size_t k = 0; k < links; k++) {
        const double m = k % 2 == 0 ? 1.0 : ratio;
        const uint64_t id = add_box(world, rps_vec3_make(0.1 * ((double)k + 0.5), 0.0, 0.0), edge, m, O, O);
        const rps_joint_def def = joint_def(RPS_JOINT_HINGE, id, last, rps_vec3_make(0.1 * (double)k, 0.0, 0.0), Y);
        join(world, &def);
        last = id;
        mass += m;
    }
    start(world);
    run_for(world, links > 100 ? 0.05 : 0.3, step);
    *error = 0.0;
    for (size_t k = 0; k < links; k++) *error = fmax(*error, joint_of(world, k).error);
    const double residual = fabs(ledger_of(world).residual) / (mass * G * 0.1 * (double)links);
    rps_world_destroy(world);
    return residual;
}

static void test_chains(void **state) {
    (void)state;
    static const struct {
        size_t links;
        double ratio;
    } chain[] = {{5, 1.0}, {20, 1.0}, {200, 1.0}, {20, 1e3}};
    for (size_t n = 0; n < sizeof chain / sizeof *chain; n++) {
        double error[2];
        const double a = chain_falls(chain[n].links, chain[n].ratio, 1e-3, &error[0]),
                     b = chain_falls(chain[n].links, chain[n].ratio, 5e-4, &error[1]);
        SAY("%zu links, ratio %g: ledger off by %.1e %.1e of M g L, points by %.1e m\n", chain[n].links, chain[n].ratio,
            a, b, error[0]);
        ASSERT_BELOW(a, 1e-3);
        assert_true(a > 3.0 * b);
        ASSERT_BELOW(error[0], 1e-10); /* rounding, in loads that differ by the masses */
    }
}

/* --- drives --------------------------------------------------------------------------------------------------------- */

/* A disk on a driven hinge without gravity, x = a (sin(w t + p) - sin p): the torque is the inertia times the mean acceleration of the
 * step; the drive's work is the kinetic energy. */
static void driven(double step, double *torque, double *work) {
    const double inertia = 0.3, amplitude = 0.5, frequency = 1.0, rate = 2.0 * RPS_PI * frequency;
    rps_world *world = penalty_world(step, 0.0);
    const uint64_t id = add_body(world, O, 1.0, inertia);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, id, RPS_JOINT_WORLD, O, Y);
    def.motion = (rps_joint_motion){.turns = true, .amplitude = amplitude, .frequency = frequency, .until = -1.0};
    const size_t joint = join(world, &def);
    start(world);
    *torque = *work = 0.0;
    for (uint64_t n = 1; n <= (uint64_t)(1.3 / step + 0.5); n++) {
        advance(world, 1);
        const double t = (double)n * step, middle = t - 0.5 * step;
        const rps_joint_state now = joint_of(world, joint);
        ASSERT_NEAR(now.position, amplitude * sin(rate * t), 1e-12);
        ASSERT_NEAR(now.speed, amplitude * rate * cos(rate * t), 1e-12 * rate);
        const double exact = -inertia * amplitude * rate * rate * sin(rate * middle);
        if (n > 1) *torque = fmax(*torque, fabs(now.torque[1] - exact)); /* the first sets it in motion */
        const double speed = amplitude * rate * cos(rate * t);
        *work = fmax(*work, fabs(ledger_of(world).drives - 0.5 * inertia * speed * speed));
    }
    ASSERT_NEAR(ledger_of(world).residual, 0.0, 1e-12);
    rps_world_destroy(world);
}

static void test_driven(void **state) {
    (void)state;
    double torque[2], work[2];
    driven(4e-3, &torque[0], &work[0]);
    driven(2e-3, &torque[1], &work[1]);
    SAY("driven hinge: torque off by %.2e %.2e N m of %.3f, work of the drive by %.1e J\n", torque[0], torque[1],
        0.3 * 0.5 * 4.0 * RPS_PI * RPS_PI, work[0]);
    assert_in_range(torque[0] / torque[1] * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
    ASSERT_BELOW(work[0], 1e-12); /* that of the impulses, exactly */
}

static void command(rps_world *world, size_t motor, rps_motor_control control, double value, double load_max) {
    rps_motor_command c = rps_motor_command_default();
    c.control = control;
    c.value = value;
    c.load_max = load_max;
    MUST(rps_world_command_motor(world, motor, &c, ERR));
}

/* A torque, T t/I; a speed with a largest torque, on the way to it and there; a position. */
static void test_commands(void **state) {
    (void)state;
    const double step = 1e-3, inertia = 0.5, torque = 2.0;
    rps_world *world = penalty_world(step, 0.0);
    const uint64_t id = add_body(world, O, 1.0, inertia);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, id, RPS_JOINT_WORLD, O, Y);
    def.motion.turns = true;
    const size_t motor = join(world, &def);
    start(world);
    command(world, motor, RPS_MOTOR_LOAD, torque, INFINITY);
    advance(world, 500);
    rps_joint_state now = joint_of(world, motor);
    ASSERT_NEAR(now.speed, torque / inertia * 0.5, LOOSE);
    ASSERT_NEAR(now.position, 0.5 * torque / inertia * 0.25, LOOSE); /* Verlet is exact */
    ASSERT_NEAR(now.torque[1], torque, LOOSE);
    command(world, motor, RPS_MOTOR_SPEED, 5.0, torque);
    advance(world, 500); /* 2 + 4 t rad/s, so that it takes .75 s */
    now = joint_of(world, motor);
    ASSERT_NEAR(now.speed, 4.0, LOOSE);
    ASSERT_NEAR(now.torque[1], torque, LOOSE);
    advance(world, 500);
    now = joint_of(world, motor);
    ASSERT_NEAR(now.speed, 5.0, LOOSE);
    ASSERT_NEAR(now.torque[1], 0.0, LOOSE);
    const rps_ledger ledger = ledger_of(world);
    ASSERT_NEAR(ledger.drives, 0.5 * inertia * 25.0, LOOSE);
    ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
    command(world, motor, RPS_MOTOR_SPEED, 0.0, INFINITY);
    advance(world, 1);
    ASSERT_NEAR(joint_of(world, motor).speed, 0.0, LOOSE);
    const double from = joint_of(world, motor).position;
    command(world, motor, RPS_MOTOR_POSITION, from + 0.01, INFINITY);
    advance(world, 2);
    ASSERT_NEAR(joint_of(world, motor).position, from + 0.01, LOOSE);
    rps_world_destroy(world);
}

/* --- stops, friction, springs --------------------------------------------------------------------------------------- */

/* A body on a rail meets a stop: it comes back with the restitution, and without it stays there and presses. */
static void test_stops(void **state) {
    (void)state;
    const double step = 1e-3, speed = 2.0, limit = 0.1;
    static const double restitution[] = {0.0, 0.4, 1.0};
    for (int k = 0; k < 3; k++) {
        rps_world *world = penalty_world(step, 0.0);
        const uint64_t id = add_moving(world, O, MASS, 0.1, rps_vec3_make(speed, 0.0, 0.0), O);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, id, RPS_JOINT_WORLD, O, X);
        def.limits[0] = -limit;
        def.limits[1] = limit;
        def.restitution = restitution[k];
        const size_t joint = join(world, &def);
        start(world);
        for (int n = 0; n < 100; n++) {
            advance(world, 1);
            ASSERT_BELOW(joint_of(world, joint).position, limit + 1e-12); /* never beyond */
        }
        ASSERT_NEAR(joint_of(world, joint).speed, -restitution[k] * speed, 1e-12);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(dissipated_of(&ledger), 0.5 * MASS * speed * speed * (1.0 - restitution[k] * restitution[k]),
                    1e-12);
        ASSERT_NEAR(ledger.residual, 0.0, 1e-12);
        rps_world_destroy(world);
    }
    rps_world *world = penalty_world(step, G);
    const uint64_t id = add_body(world, O, MASS, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, id, RPS_JOINT_WORLD, O, Z);
    def.limits[0] = -limit;
    const size_t joint = join(world, &def);
    start(world);
    run_for(world, 0.5, step);
    const rps_joint_state now = joint_of(world, joint);
    ASSERT_NEAR(now.position, -limit, 1e-12);
    ASSERT_NEAR(now.speed, 0.0, 1e-12);
    ASSERT_NEAR(now.force[2], MASS * G, 1e-9);
    const rps_ledger ledger = ledger_of(world);
    /* all that it fell. In the step of an impact the ledger takes the weight's work by the mean of unlike speeds */
    ASSERT_NEAR(dissipated_of(&ledger), MASS * G * limit, 0.5 * MASS * G * step * sqrt(2.0 * G * limit));
    ASSERT_NEAR(ledger.residual, 0.0, 0.5 * MASS * G * step * sqrt(2.0 * G * limit));
    rps_world_destroy(world);
}

/* A flywheel on a hinge with friction T: it stops after I w/T, all of its energy dissipated; under less than T it stays. */
static void test_friction(void **state) {
    (void)state;
    const double step = 1e-3, inertia = 0.5, spin = 3.0, friction = 2.0;
    rps_world *world = penalty_world(step, 0.0);
    const uint64_t id = add_moving(world, O, MASS, inertia, O, rps_vec3_make(0.0, spin, 0.0));
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, id, RPS_JOINT_WORLD, O, Y);
    def.friction = friction;
    const size_t joint = join(world, &def);
    start(world);
    run_for(world, 0.5, step);
    ASSERT_NEAR(joint_of(world, joint).speed, spin - friction / inertia * 0.5, 1e-12);
    run_for(world, 0.5, step);
    rps_joint_state now = joint_of(world, joint);
    ASSERT_NEAR(now.speed, 0.0, 1e-12);
    ASSERT_NEAR(now.position, 0.5 * spin * spin * inertia / friction, 0.5 * friction / inertia * step * step);
    ASSERT_NEAR(now.dissipated, 0.5 * inertia * spin * spin, 1e-12);
    ASSERT_NEAR(ledger_of(world).residual, 0.0, 1e-12);
    const double at = now.position;
    for (int n = 0; n < 1000; n++) {
        MUST(rps_world_apply_load(world, id, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.0, 0.9 * friction, 0.0}, ERR));
        advance(world, 1);
    }
    now = joint_of(world, joint);
    ASSERT_NEAR(now.position, at, 1e-13); /* no creep */
    ASSERT_NEAR(now.torque[1], -0.9 * friction, 1e-9);
    rps_world_destroy(world);
}

/* A spring with and without a damper on a rail: q = a exp(-d t/2m) cos(w t + ..), within h^2. */
static double oscillates(double step, double damping, double *residual) {
    const double stiffness = 200.0, amplitude = 0.1, rate = damping / (2.0 * MASS);
    const double w = sqrt(stiffness / MASS - rate * rate);
    rps_world *world = penalty_world(step, 0.0);
    const uint64_t id = add_body(world, O, MASS, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, id, RPS_JOINT_WORLD, O, X);
    def.stiffness = stiffness;
    def.damping = damping;
    def.rest = -amplitude;
    const size_t joint = join(world, &def);
    start(world);
    double off = 0.0;
    *residual = 0.0;
    for (uint64_t n = 1; n <= (uint64_t)(2.0 / step + 0.5); n++) {
        advance(world, 1);
        const double t = (double)n * step;
        const double exact = amplitude * (exp(-rate * t) * (cos(w * t) + rate / w * sin(w * t)) - 1.0);
        off = fmax(off, fabs(joint_of(world, joint).position - exact));
        *residual = fmax(*residual, fabs(ledger_of(world).residual));
    }
    rps_world_destroy(world);
    return off;
}

static void test_springs(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double residual[2];
        const double damping = k == 0 ? 0.0 : 6.0, a = oscillates(4e-3, damping, &residual[0]),
                     b = oscillates(2e-3, damping, &residual[1]);
        SAY("spring with damping %g N s/m: off by %.2e %.2e m, ledger %.1e %.1e J of 1 J\n", damping, a, b, residual[0],
            residual[1]);
        assert_in_range(a / b * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
        assert_in_range(residual[0] / residual[1] * 100.0, SECOND_LOW * 100.0, SECOND_HIGH * 100.0);
        ASSERT_BELOW(residual[1], 1e-3);
    }
}

/* --- contacts ------------------------------------------------------------------------------------------------------- */

/* A cart on two axles of two balls each rolls down a slope: a = g sin(s) M/(M + 4 I/r^2), M with the wheels. Its wheels stick by
 * tracked friction. A motor in place of the axles drives it with 4 T/r less what turns the wheels. */
static double cart_runs(double slope, double torque, double *residual) {
    const double step = 2e-5, radius = 0.1, wheel = 0.5, body = 4.0, inertia = 0.4 * wheel * radius * radius;
    static const double edge[3] = {0.6, 0.2, 0.1};
    rps_world_options options = penalty_options(step, 0.0);
    options.gravity[0] = G * sin(slope);
    options.gravity[2] = -G * cos(slope);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 2e5, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "stiffness", 1e5, "static", 0.8, "kinetic", 0.8, "damping", 0.3, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, Z);
    const double sinks = (body + 4.0 * wheel) * G * cos(slope) / 4.0 / 2e5;
    const uint64_t chassis = add_box(world, rps_vec3_make(0.0, 0.0, radius - sinks + 0.1), edge, body, O, O);
    size_t motor[4];
    for (int k = 0; k < 4; k++) {
        const rps_vec3 at = {k < 2 ? -0.25 : 0.25, k % 2 == 0 ? -0.25 : 0.25, radius - sinks};
        const uint64_t id = add_ball(world, at, radius, wheel, O, O);
        rps_joint_def def = joint_def(torque != 0.0 ? RPS_JOINT_MOTOR : RPS_JOINT_HINGE, id, chassis, at, Y);
        if (torque != 0.0) def.motion.turns = true;
        motor[k] = join(world, &def);
    }
    start(world);
    for (int k = 0; k < 4 && torque != 0.0; k++) command(world, motor[k], RPS_MOTOR_LOAD, torque, INFINITY);
    run_for(world, 0.2, step);
    const double then = velocity_of(world, chassis).x;
    run_for(world, 0.4, step);
    const double a = (velocity_of(world, chassis).x - then) / 0.4;
    ASSERT_NEAR(turning_of(world, chassis).y, 0.0, 1e-2);
    *residual = ledger_of(world).residual;
    const double total = body + 4.0 * wheel, resists = total + 4.0 * inertia / (radius * radius);
    const double exact = (total * G * sin(slope) + 4.0 * torque / radius) / resists;
    SAY("cart on a slope of %g rad with %g N m a wheel: %.6f m/s^2, exactly %.6f; ledger off by %.1e J\n", slope,
        torque, a, exact, *residual);
    rps_world_destroy(world);
    return a / exact;
}

static void test_cart(void **state) {
    (void)state;
    double residual;
    /* what is left of the oscillation on the springs */
    ASSERT_NEAR(cart_runs(0.1, 0.0, &residual), 1.0, 2e-3);
    ASSERT_BELOW(fabs(residual), 1e-4);
    ASSERT_NEAR(cart_runs(0.0, 0.5, &residual), 1.0, 2e-3);
    ASSERT_BELOW(fabs(residual), 1e-4);
}

/* --- couplings ------------------------------------------------------------------------------------------------------ */

/* Two wheels on the world, geared by q0 = r q1, with a torque on the second: its acceleration is T/(I1 + r^2 I0). */
static void test_coupling(void **state) {
    (void)state;
    const double step = 1e-3, ratio = -2.0, inertia[2] = {0.3, 0.5}, torque = 1.5;
    rps_world *world = penalty_world(step, G);
    size_t hinge[2];
    for (int k = 0; k < 2; k++) {
        const rps_vec3 at = {k, 0.0, 0.0};
        const uint64_t id = add_body(world, at, 1.0, inertia[k]);
        rps_joint_def def = joint_def(k == 0 ? RPS_JOINT_HINGE : RPS_JOINT_MOTOR, id, RPS_JOINT_WORLD, at, Y);
        def.motion.turns = k == 1;
        hinge[k] = join(world, &def);
    }
    rps_joint_def gear = rps_joint_def_default();
    gear.kind = RPS_JOINT_COUPLING;
    gear.joint[0] = hinge[0];
    gear.joint[1] = hinge[1];
    gear.ratio = ratio;
    const size_t coupling = join(world, &gear);
    start(world);
    command(world, hinge[1], RPS_MOTOR_LOAD, torque, INFINITY);
    run_for(world, 1.0, step);
    const double a = torque / (inertia[1] + ratio * ratio * inertia[0]);
    const rps_joint_state first = joint_of(world, hinge[0]), second = joint_of(world, hinge[1]),
                          teeth = joint_of(world, coupling);
    ASSERT_NEAR(second.speed, a, LOOSE);
    ASSERT_NEAR(second.position, 0.5 * a, LOOSE);
    ASSERT_NEAR(first.position, ratio * second.position, 1e-12);
    ASSERT_NEAR(teeth.torque[1], inertia[0] * ratio * a, LOOSE);
    ASSERT_NEAR(ledger_of(world).residual, 0.0, LOOSE);
    rps_world_destroy(world);
}

/* --- the first-order integrator, bits, refusals --------------------------------------------------------------------- */

static void test_half_implicit(void **state) {
    (void)state;
    double off[2];
    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? 2e-3 : 1e-3, angle = 1.2;
        rps_world_options options = penalty_options(step, G);
        options.integrator = RPS_HALF_IMPLICIT;
        rps_world *world = soft_world(&options);
        const uint64_t id = add_body(world, rps_vec3_make(sin(angle), 0.0, -cos(angle)), MASS, INERTIA);
        const rps_joint_def def = joint_def(RPS_JOINT_HINGE, id, RPS_JOINT_WORLD, O, Y);
        const size_t joint = join(world, &def);
        start(world);
        run_for(world, 0.5, step);
        off[k] = fabs(ledger_of(world).residual);
        ASSERT_BELOW(joint_of(world, joint).error, 1e-12);
        rps_world_destroy(world);
    }
    SAY("half-implicit: ledger off by %.1e %.1e J\n", off[0], off[1]);
    assert_in_range(off[0] / off[1] * 100.0, 170.0, 230.0); /* first order */
}

/* A cart, a geared wheel, stops, springs and friction above a bed of balls that they push around. */
static rps_world *machine(int threads, uint64_t shuffle) {
    static const double edge[3] = {0.4, 0.2, 0.1};
    rps_world_options options = penalty_options(1e-4, G);
    options.threads = threads;
    options.shuffle = shuffle;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e4, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.3, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "stiffness", 5e3, "static", 0.6, "kinetic", 0.5, "damping", 0.3, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, Z);
    const uint64_t chassis = add_box(world, rps_vec3_make(0.0, 0.0, 0.45), edge, 2.0, O, O);
    uint64_t wheel = 0;
    for (int k = 0; k < 4; k++) {
        const rps_vec3 at = {k < 2 ? -0.15 : 0.15, k % 2 == 0 ? -0.2 : 0.2, 0.35};
        wheel = add_ball(world, at, 0.08, 0.3, O, O);
        rps_joint_def def = joint_def(k < 2 ? RPS_JOINT_MOTOR : RPS_JOINT_HINGE, wheel, chassis, at, Y);
        if (k < 2) {
            def.motion = (rps_joint_motion){.turns = true, .speed = 4.0, .until = -1.0};
            def.load_max = 0.4;
        }
        def.friction = 0.01;
        join(world, &def);
    }
    const uint64_t mast = add_box(world, rps_vec3_make(0.0, 0.0, 0.6), edge, 0.5, O, O);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, mast, chassis, O, Z);
    def.limits[0] = -0.01;
    def.restitution = 0.5;
    def.stiffness = 100.0;
    def.damping = 1.0;
    join(world, &def);
    for (int k = 0; k < 100; k++) {
        add_ball(world, rps_vec3_make(-0.35 + 0.078 * (k % 10), -0.35 + 0.078 * (double)(k / 10), 0.04), 0.04, 0.1, O,
                 O);
    }
    return world;
}

static void test_bits(void **state) {
    (void)state;
    char path[] = "/tmp/repose-joints-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t one[2], two[2], again[2];
    rps_world *world = machine(1, 0), *other = machine(3, 7);
    start(world);
    start(other);
    advance(world, 2000); /* at once */
    for (int n = 0; n < 200; n++) advance(other, 10);
    MUST(rps_world_save(world, path, ERR));
    advance(world, 1000);
    advance(other, 1000);
    MUST(rps_world_hash(world, one, ERR));
    MUST(rps_world_hash(other, two, ERR));
    assert_memory_equal(one, two, sizeof one);
    rps_world *resumed = machine(1, 0);
    MUST(rps_world_restore(resumed, path, ERR));
    advance(resumed, 1000);
    MUST(rps_world_hash(resumed, again, ERR));
    assert_memory_equal(one, again, sizeof one);
    const rps_joint_state a = joint_of(world, 0), b = joint_of(resumed, 0);
    assert_memory_equal(a.force, b.force, sizeof a.force);
    assert_true(fabs(a.position) > 0.1); /* it drives */
    rps_world_destroy(resumed);
    rps_world_destroy(other);
    rps_world_destroy(world);
    unlink(path);
}

static void expect_failure(rps_status status, rps_status expected, const rps_error *err, const char *said) {
    assert_int_equal(status, expected);
    if (!strstr(err->text, said)) fail_msg("\"%s\" does not say \"%s\"", err->text, said);
}

static void test_refusals(void **state) {
    (void)state;
    rps_error err = {0};
    /* a spring whose period is too short for the step */
    rps_world *world = penalty_world(1e-2, 0.0);
    uint64_t id = add_body(world, O, 1.0, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, id, RPS_JOINT_WORLD, O, X);
    def.name = "shock";
    def.stiffness = 2e4;
    join(world, &def);
    expect_failure(rps_world_start(world, &err), RPS_GUARD, &err, "the spring of joint `shock` is too stiff");
    rps_world_destroy(world);
    /* joints that contradict each other */
    world = penalty_world(1e-3, 0.0);
    id = add_body(world, O, 1.0, 0.1);
    const rps_joint_def hinge = joint_def(RPS_JOINT_HINGE, id, RPS_JOINT_WORLD, O, Y);
    rps_joint_def motor = joint_def(RPS_JOINT_MOTOR, id, RPS_JOINT_WORLD, O, Y);
    motor.motion = (rps_joint_motion){.turns = true, .speed = 1.0, .until = -1.0};
    rps_joint_def other = motor;
    other.motion.speed = 2.0;
    join(world, &hinge);
    join(world, &motor);
    join(world, &other);
    expect_failure(rps_world_start(world, &err), RPS_BAD_INPUT, &err, "contradicts");
    rps_world_destroy(world);
    /* a step in which a joint cannot be closed */
    world = penalty_world(1.0, 0.0);
    id = add_moving(world, X, 1.0, 0.1, rps_vec3_make(0.0, 0.0, -2.5), rps_vec3_make(0.0, 2.5, 0.0));
    def = joint_def(RPS_JOINT_HINGE, id, RPS_JOINT_WORLD, O, Y);
    join(world, &def);
    MUST(rps_world_start(world, ERR));
    expect_failure(rps_world_step(world, 1, &err), RPS_GUARD, &err, "take a smaller step");
    rps_world_destroy(world);
    /* a sheared cell */
    rps_world_options options = penalty_options(1e-4, 0.0);
    options.period[0] = options.period[1] = options.period[2] = 2.0;
    options.shear.rate = 1.0;
    options.shear.flow = 0;
    options.shear.gradient = 2;
    world = world_by(&options);
    id = add_body(world, X, 1.0, 0.1);
    def = joint_def(RPS_JOINT_BALL, id, RPS_JOINT_WORLD, O, Y);
    expect_failure(rps_world_add_joint(world, &def, NULL, &err), RPS_UNSUPPORTED, &err, "sheared cell");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum), cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_chains),   cmocka_unit_test(test_driven),          cmocka_unit_test(test_commands),
        cmocka_unit_test(test_stops),    cmocka_unit_test(test_friction),        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_cart),     cmocka_unit_test(test_coupling),        cmocka_unit_test(test_half_implicit),
        cmocka_unit_test(test_bits),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
