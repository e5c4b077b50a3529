/*
 * Joints of the nonsmooth stepper against closed forms: pendulums, one body out of two, dry friction, motors, redundant and
 * contradicting joints, momentum and energy, the same bits across threads and a saved state.
 *
 * Tolerances: problems are solved to TIGHT, so that what is exact at any step holds to LOOSE; positions and reactions along
 * curved ways are of first order in the step, which is checked by halving it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <repose/joint.h>

#include "worlds.h"

static const double TIGHT = 1e-13, LOOSE = 1e-9, G = 9.8;

static rps_world *world_with(double step, double gravity, int threads) {
    rps_world_options options = options_of(step);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = TIGHT;
    options.nonsmooth.rigid = true;
    options.gravity[2] = -gravity;
    options.threads = threads;
    options.guards.motion = 100.0;
    options.guards.rotation = 3.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    return world_of(&options, &pair);
}

/* A ball of radius 0.1 m with this moment of inertia. */
static uint64_t add_body(rps_world *world, rps_vec3 x, double mass, double inertia) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.radius = 0.1;
    def.mass = mass;
    def.inertia[0] = inertia;
    to_array(def.position, x);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static uint64_t add_box(rps_world *world, rps_vec3 x, const double edge[3], double mass, rps_vec3 v, rps_vec3 w) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.shape = "box";
    memcpy(def.parameter, edge, 3 * sizeof *edge);
    def.mass = mass;
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static rps_joint_def joint_def(rps_joint_kind kind, uint64_t a, uint64_t b, rps_vec3 point, rps_vec3 axis) {
    rps_joint_def def = rps_joint_def_default();
    def.kind = kind;
    def.body[0] = a;
    def.body[1] = b;
    to_array(def.point[0], point);
    to_array(def.axis, axis);
    return def;
}

static size_t join(rps_world *world, const rps_joint_def *def) {
    size_t index = 0;
    MUST(rps_world_add_joint(world, def, &index, ERR));
    return index;
}

static rps_joint_state joint_of(const rps_world *world, size_t index) {
    rps_joint_state state;
    MUST(rps_world_joint(world, index, &state, ERR));
    return state;
}

static rps_solver_report report_of(const rps_world *world) {
    rps_solver_report report;
    rps_world_solver(world, &report);
    return report;
}

static const rps_vec3 O = {0.0, 0.0, 0.0}, X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

/* --- pendulums ------------------------------------------------------------------------------------------------------ */

typedef struct swing {
    double period, force, off, drift, residual;
} swing;

/* A ball that hangs on a hinge, or a ball joint, at the origin, let go at this angle from below: time of a whole swing, load
 * of the joint at the lowest point; and the most by which, on the way, its part along the arm is off m g cos + m v^2/l,
 * the points are apart and the books do not close. */
static swing swing_of(rps_joint_kind kind, double angle, double h) {
    const double length = 1.0, mass = 2.0, inertia = 0.3;
    rps_world *world = world_with(h, G, 1);
    const uint64_t bob = add_body(world, rps_vec3_make(length * sin(angle), 0.0, -length * cos(angle)), mass, inertia);
    const rps_joint_def def = joint_def(kind, bob, RPS_JOINT_WORLD, O, Y);
    const size_t joint = join(world, &def);
    start(world);
    swing s = {0.0, 0.0, 0.0, 0.0, 0.0};
    double last = 1.0, crossed = 0.0;
    for (uint64_t n = 1; s.period == 0.0; n++) {
        advance(world, 1);
        const double x = position_of(world, bob).x, t = rps_world_time(world);
        const rps_joint_state state = joint_of(world, joint);
        const rps_vec3 arm = rps_vec3_normalize(position_of(world, bob)), v = velocity_of(world, bob);
        const double load = mass * (-G * arm.z + rps_vec3_norm2(v) / length);
        const rps_ledger ledger = ledger_of(world);
        s.off = fmax(s.off, fabs(-rps_vec3_dot(as_vec(state.force), arm) - load));
        s.drift = fmax(s.drift, state.error);
        s.residual = fmax(s.residual, fabs(ledger.residual));
        if (x * last < 0.0) {
            const double at = t - h * x / (x - last);
            if (crossed == 0.0) {
                s.force = rps_vec3_norm(as_vec(state.force));
                crossed = at;
            } else {
                s.period = 2.0 * (at - crossed);
            }
        }
        last = x;
    }
    ASSERT_NEAR(position_of(world, bob).y, 0.0, LOOSE);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
    return s;
}

static void test_pendulum(void **state) {
    (void)state;
    const double mass = 2.0, length = 1.0, inertia = 0.3;
    const double moment = mass * length * length + inertia;
    for (int k = 0; k < 2; k++) {
        const rps_joint_kind kind = k == 0 ? RPS_JOINT_HINGE : RPS_JOINT_BALL;
        /* small: 1 + angle^2/16 is all that amplitude adds */
        const double small = 0.05,
                     exact = 2.0 * RPS_PI * sqrt(moment / (mass * G * length)) * (1.0 + small * small / 16.0);
        const swing a = swing_of(kind, small, 2e-3), b = swing_of(kind, small, 1e-3);
        ASSERT_NEAR(a.period, exact, 1e-4 * exact);
        ASSERT_NEAR(b.period, exact, 1e-4 * exact);
        /* m g + m v^2/l at the lowest point, v^2/l from the energy */
        const double wide = 1.2, speed2 = 2.0 * mass * G * length * (1.0 - cos(wide)) / moment;
        const double load = mass * (G + speed2 * length);
        const swing c = swing_of(kind, wide, 2e-3), d = swing_of(kind, wide, 1e-3);
        SAY("%s: period %.6f s (exact %.6f s), load at the lowest point %.5f N (exact %.5f N), on the way off by %.4f "
            "%.4f N, "
            "points off by %.1e %.1e m, ledger %.1e %.1e J\n",
            k ? "ball" : "hinge", b.period, exact, d.force, load, c.off, d.off, c.drift, d.drift, c.residual,
            d.residual);
        ASSERT_NEAR(d.force, load, 1e-3 * load);
        ASSERT_BELOW(c.off, 2e-3 * 3.0 * load);   /* h times the rate of the load, w F */
        ASSERT_NEAR(c.off / d.off, 2.0, 0.2);     /* first order */
        ASSERT_NEAR(c.drift / d.drift, 4.0, 0.4); /* taken back in every step: what one step opens, of second order */
        ASSERT_NEAR(c.residual / d.residual, 2.0, 0.3);
    }
}

/* --- two bodies that are one ---------------------------------------------------------------------------------------- */

static void test_fixed(void **state) {
    (void)state;
    /* two halves of a beam that flies and turns, and the whole beam */
    const double half[3] = {0.5, 0.2, 0.1}, whole[3] = {1.0, 0.2, 0.1};
    const rps_vec3 w = {0.3, 0.5, 4.0}, v = {1.0, -0.5, 2.0};
    double off[2];
    for (int k = 0; k < 2; k++) {
        const double h = k == 0 ? 2e-3 : 1e-3;
        rps_world *world = world_with(h, G, 1);
        const rps_vec3 arm = {0.25, 0.0, 0.0}, spin = rps_vec3_cross(w, arm);
        const uint64_t a = add_box(world, rps_vec3_neg(arm), half, 1.0, rps_vec3_sub(v, spin), w);
        const uint64_t b = add_box(world, arm, half, 1.0, rps_vec3_add(v, spin), w);
        const uint64_t c = add_box(world, rps_vec3_make(0.0, 5.0, 0.0), whole, 2.0, v, w);
        const rps_joint_def def = joint_def(RPS_JOINT_FIXED, a, b, O, O);
        const size_t joint = join(world, &def);
        start(world);
        off[k] = 0.0;
        for (uint64_t n = (uint64_t)(0.5 / h + 0.5); n > 0; n--) {
            advance(world, 1);
            off[k] = fmax(off[k], rps_vec3_norm(rps_vec3_sub(turning_of(world, a), turning_of(world, c))));
        }
        const rps_vec3 middle = rps_vec3_scale(rps_vec3_add(position_of(world, a), position_of(world, b)), 0.5);
        const rps_vec3 other = rps_vec3_sub(position_of(world, c), rps_vec3_make(0.0, 5.0, 0.0));
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(middle, other)), LOOSE); /* the centre knows nothing of the joint */
        ASSERT_BELOW(joint_of(world, joint).error, 20.0 * h * h); /* w^2 arm h^2, and what the turning itself leaves */
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
    SAY("two halves and the whole: angular velocities differ by %.2e and %.2e rad/s with half the step\n", off[0],
        off[1]);
    ASSERT_BELOW(off[1], 0.05);
    ASSERT_ABOVE(off[0] / off[1], 1.6); /* first order at least: what is of second order shows too */
}

static void test_cantilever(void **state) {
    (void)state;
    /* held at the wall x = 0: force m g, torque m g x about the point; halves held one by the other carry theirs */
    const double edge[3] = {0.4, 0.1, 0.1};
    rps_world *world = world_with(1e-3, G, 1);
    const uint64_t a = add_box(world, rps_vec3_make(0.2, 0.0, 0.0), edge, 3.0, O, O);
    const uint64_t b = add_box(world, rps_vec3_make(0.6, 0.0, 0.0), edge, 3.0, O, O);
    rps_joint_def def = joint_def(RPS_JOINT_FIXED, a, RPS_JOINT_WORLD, O, O);
    const size_t wall = join(world, &def);
    def = joint_def(RPS_JOINT_FIXED, b, a, rps_vec3_make(0.4, 0.0, 0.0), O);
    const size_t middle = join(world, &def);
    start(world);
    advance(world, 100);
    const rps_joint_state at_wall = joint_of(world, wall), between = joint_of(world, middle);
    ASSERT_NEAR(at_wall.force[2], 6.0 * G, LOOSE);
    ASSERT_NEAR(at_wall.torque[1], -6.0 * G * 0.4, LOOSE);
    ASSERT_NEAR(between.force[2], 3.0 * G, LOOSE);
    ASSERT_NEAR(between.torque[1], -3.0 * G * 0.2, LOOSE);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, b)), LOOSE);
    assert_true(isnan(between.position));
    rps_world_destroy(world);
}

/* --- friction ------------------------------------------------------------------------------------------------------- */

/* Acceleration along a slider with this friction, pulled by its weight. */
static double slide_of(double pull, double friction, double *load, rps_ledger *ledger) {
    const double mass = 2.0;
    rps_world *world = world_with(1e-2, pull / mass, 1);
    const uint64_t body = add_body(world, rps_vec3_make(0.3, 0.0, 0.0), mass, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_SLIDER, body, RPS_JOINT_WORLD, O, rps_vec3_scale(Z, -2.0));
    def.friction = friction;
    const size_t joint = join(world, &def);
    start(world);
    advance(world, 100);
    const rps_joint_state state = joint_of(world, joint);
    *load = state.force[2];
    *ledger = ledger_of(world);
    const double v = -velocity_of(world, body).z;
    ASSERT_NEAR(state.speed, v, LOOSE);
    ASSERT_NEAR(state.position, -position_of(world, body).z, LOOSE);
    ASSERT_NEAR(state.torque[1], -0.3 * state.force[2],
                LOOSE); /* friction acts at the point, 0.3 m beside the centre */
    rps_world_destroy(world);
    return v / 1.0;
}

static void test_slider_friction(void **state) {
    (void)state;
    double load;
    rps_ledger ledger;
    ASSERT_NEAR(slide_of(4.9, 5.0, &load, &ledger), 0.0, 1e-12); /* sticks, and bears what pulls */
    ASSERT_NEAR(load, 4.9, LOOSE);
    ASSERT_NEAR(dissipated_of(&ledger), 0.0, 1e-12);
    ASSERT_NEAR(slide_of(7.0, 5.0, &load, &ledger), (7.0 - 5.0) / 2.0, LOOSE);
    ASSERT_NEAR(load, 5.0, LOOSE);
    ASSERT_NEAR(ledger.dissipated[RPS_ROLE_SLIDE], 5.0 * 0.5, LOOSE); /* S a t^2/2 of mean velocities, exactly */
    ASSERT_NEAR(ledger.residual, 0.0, 7.0 * 1e-2 * 0.5 + LOOSE);      /* gravity along x + h v: half of F a h t */
    ASSERT_NEAR(slide_of(7.0, 0.0, &load, &ledger), 3.5, LOOSE);
}

/* What turns in a hinge or a ball joint at its centre comes to rest after I w/S, about any axis. */
static void test_turning_friction(void **state) {
    (void)state;
    const double inertia = 0.2, friction = 0.4, h = 1e-3;
    for (int k = 0; k < 2; k++) {
        rps_world *world = world_with(h, 0.0, 1);
        const rps_vec3 way = rps_vec3_normalize(rps_vec3_make(1.0, 2.0, -2.0));
        rps_body_def body = rps_body_def_default();
        uint64_t id = 0;
        body.radius = 0.1;
        body.mass = 1.0;
        body.inertia[0] = inertia;
        to_array(body.angular_velocity, rps_vec3_scale(way, 3.0));
        MUST(rps_world_add_body(world, &body, &id, ERR));
        rps_joint_def def = joint_def(k == 0 ? RPS_JOINT_HINGE : RPS_JOINT_BALL, RPS_JOINT_WORLD, id, O, way);
        def.friction = friction;
        const size_t joint = join(world, &def);
        start(world);
        advance(world, 1000);
        ASSERT_NEAR(rps_vec3_dot(turning_of(world, id), way), 3.0 - friction / inertia, LOOSE);
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_reject(turning_of(world, id), way)), LOOSE);
        /* the first body is the world, against which it turns the other way: friction turns the world along with it */
        ASSERT_NEAR(rps_vec3_dot(as_vec(joint_of(world, joint).torque), way), friction, LOOSE);
        if (k == 0)
            ASSERT_NEAR(joint_of(world, joint).position, -(3.0 - 1.0) - 0.5 * h * friction / inertia * -1.0, LOOSE);
        advance(world, 600); /* rest at 1.5 s */
        ASSERT_BELOW(rps_vec3_norm(turning_of(world, id)), 1e-12);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(ledger.dissipated[RPS_ROLE_SLIDE], 0.5 * inertia * 9.0, LOOSE);
        ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
        rps_world_destroy(world);
    }
}

/* --- distance and motors -------------------------------------------------------------------------------------------- */

static void test_distance(void **state) {
    (void)state;
    /* two balls on a rod turn about their middle: pull m w^2 l/2; the pull is of first order, the momentum exact */
    double off[2];
    for (int k = 0; k < 2; k++) {
        const double h = k == 0 ? 2e-3 : 1e-3, w = 3.0, length = 1.0;
        rps_world *world = world_with(h, 0.0, 1);
        rps_body_def body = rps_body_def_default();
        uint64_t id[2];
        body.radius = 0.1;
        body.mass = 1.5;
        for (int n = 0; n < 2; n++) {
            const double side = n == 0 ? 0.5 : -0.5;
            to_array(body.position, rps_vec3_make(side * length, 0.0, 0.0));
            to_array(body.velocity, rps_vec3_make(0.0, side * length * w, 0.0));
            MUST(rps_world_add_body(world, &body, &id[n], ERR));
        }
        rps_joint_def def = joint_def(RPS_JOINT_DISTANCE, id[0], id[1], rps_vec3_make(0.5, 0.0, 0.0), O);
        to_array(def.point[1], rps_vec3_make(-0.5, 0.0, 0.0));
        const size_t rod = join(world, &def);
        start(world);
        advance(world, (uint64_t)(0.2 / h + 0.5));
        const rps_joint_state s = joint_of(world, rod);
        off[k] = fabs(rps_vec3_norm(as_vec(s.force)) - 1.5 * w * w * 0.5);
        ASSERT_NEAR(s.position, length, 2.0 * w * w * h * h);
        const rps_vec3 x = position_of(world, id[0]), y = position_of(world, id[1]);
        const rps_vec3 l =
            rps_vec3_add(rps_vec3_cross(x, velocity_of(world, id[0])), rps_vec3_cross(y, velocity_of(world, id[1])));
        ASSERT_NEAR(l.z, 2.0 * 0.25 * w, LOOSE);
        rps_world_destroy(world);
    }
    SAY("rod: pull off by %.2e and %.2e N\n", off[0], off[1]);
    ASSERT_BELOW(off[0], 0.05);
    ASSERT_ABOVE(off[0] / off[1], 1.6);
    /* another length is approached at the recovery speed, 0.1 m/s, and then held */
    rps_world *world = world_with(1e-3, 0.0, 1);
    const uint64_t body = add_body(world, X, 1.0, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_DISTANCE, body, RPS_JOINT_WORLD, X, O);
    def.length = 1.2;
    join(world, &def);
    start(world);
    advance(world, 1000);
    ASSERT_NEAR(position_of(world, body).x, 1.1, 1e-6);
    advance(world, 1500);
    ASSERT_NEAR(position_of(world, body).x, 1.2, LOOSE);
    rps_world_destroy(world);
}

static void test_motor(void **state) {
    (void)state;
    /* turned as a sin(2 pi f t): torque J times the difference of mean speeds over h; the work is booked */
    const double inertia = 0.5, h = 1e-3, amplitude = 0.4, turn = 2.0 * RPS_PI * 2.0;
    rps_world *world = world_with(h, 0.0, 1);
    const uint64_t body = add_body(world, O, 1.0, inertia);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, body, RPS_JOINT_WORLD, O, Y);
    def.motion = (rps_joint_motion){.turns = true, .amplitude = amplitude, .frequency = 2.0, .until = -1.0};
    const size_t motor = join(world, &def);
    start(world);
    double worst = 0.0, held = 0.0;
    for (uint64_t n = 1; n <= 700; n++) {
        advance(world, 1);
        const double t = rps_world_time(world);
        const double next = amplitude * sin(turn * t), now = amplitude * sin(turn * (t - h));
        const double before = n > 1 ? amplitude * sin(turn * (t - 2.0 * h)) : now;
        const double torque = inertia * (next - 2.0 * now + before) / (h * h);
        worst = fmax(worst, fabs(joint_of(world, motor).torque[1] - torque));
        held = fmax(held, fabs(joint_of(world, motor).position - next));
    }
    const double w = amplitude * turn * cos(turn * 0.7);
    ASSERT_BELOW(worst, 1e-6); /* rounding of angles, over h^2 */
    ASSERT_BELOW(held, 1e-11);
    const rps_ledger ledger = ledger_of(world);
    ASSERT_NEAR(ledger.kinetic_rotation, 0.5 * inertia * w * w,
                0.5 * inertia * amplitude * amplitude * turn * turn * turn * h);
    ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
    ASSERT_NEAR(ledger.drives, ledger.kinetic_rotation + dissipated_of(&ledger), LOOSE);
    rps_world_destroy(world);
    /* whole turns are counted; friction is what a steady motor works against, in whichever joint it is */
    world = world_with(h, G, 1);
    const uint64_t wheel = add_body(world, O, 1.0, inertia);
    def = joint_def(RPS_JOINT_MOTOR, wheel, RPS_JOINT_WORLD, O, Y);
    def.motion = (rps_joint_motion){.turns = true, .speed = 20.0, .until = -1.0};
    const size_t drive = join(world, &def);
    rps_joint_def bearing = joint_def(RPS_JOINT_HINGE, wheel, RPS_JOINT_WORLD, O, Y);
    bearing.friction = 0.7;
    const size_t seal = join(world, &bearing);
    start(world);
    assert_int_equal(report_of(world).redundant_rows, 5);
    advance(world, 2000);
    ASSERT_NEAR(joint_of(world, drive).position, 40.0, LOOSE);
    ASSERT_NEAR(joint_of(world, drive).torque[1], 0.7, 1e-7); /* rounding of 40 rad, over h^2 */
    ASSERT_NEAR(joint_of(world, seal).torque[1], -0.7, LOOSE);
    const rps_ledger books = ledger_of(world);
    ASSERT_NEAR(books.drives, 0.7 * 40.0 + inertia * 20.0 * 20.0, 1e-7);
    ASSERT_NEAR(books.dissipated[RPS_ROLE_SLIDE], 0.7 * (40.0 - 0.5 * h * 20.0), 1e-7);
    ASSERT_NEAR(books.residual, 0.0, 1e-7);
    rps_world_destroy(world);
}

/* --- momentum and energy -------------------------------------------------------------------------------------------- */

typedef struct totals {
    rps_vec3 p, l;
} totals;

static totals totals_of(const rps_world *world, const uint64_t *id, size_t count, double mass) {
    totals t = {O, O};
    for (size_t k = 0; k < count; k++) {
        const rps_vec3 v = velocity_of(world, id[k]), x = position_of(world, id[k]);
        t.p = rps_vec3_add(t.p, rps_vec3_scale(v, mass));
        t.l = rps_vec3_add(
            t.l, rps_vec3_add(rps_vec3_scale(rps_vec3_cross(x, v), mass), vec_of(world, "angular_momentum", id[k])));
    }
    return t;
}

/* Free chains of boxes on every kind of joint: momentum and angular momentum to rounding, whatever the solver leaves. */
static void test_momentum(void **state) {
    (void)state;
    const double edge[3] = {0.3, 0.2, 0.1};
    rps_world_options options = options_of(2e-3);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = 1e-3; /* badly solved, on purpose */
    options.guards.motion = options.guards.rotation = 100.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    rps_world *world = world_of(&options, &pair);
    uint64_t id[6];
    for (uint64_t k = 0; k < 6; k++) {
        id[k] = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, random_vec(5, k), random_vec(6, k));
    }
    static const rps_joint_kind kinds[5] = {RPS_JOINT_HINGE, RPS_JOINT_BALL, RPS_JOINT_SLIDER, RPS_JOINT_DISTANCE,
                                            RPS_JOINT_MOTOR};
    for (size_t k = 0; k < 5; k++) {
        rps_joint_def def = joint_def(kinds[k], id[k], id[k + 1], rps_vec3_make(0.4 * (double)k + 0.2, 0.03, 0.01),
                                      random_direction(7, k));
        to_array(def.point[1], rps_vec3_make(0.4 * (double)k + 0.35, 0.02, 0.0));
        def.friction = kinds[k] == RPS_JOINT_DISTANCE ? 0.0 : 0.05;
        def.motion.turns = true;
        def.motion.speed = kinds[k] == RPS_JOINT_MOTOR ? 1.0 : 0.0;
        join(world, &def);
    }
    start(world);
    const totals before = totals_of(world, id, 6, 1.0);
    double kinetic = 0.0;
    for (int n = 0; n < 500; n++) {
        advance(world, 1);
        const rps_ledger ledger = ledger_of(world);
        kinetic = fmax(kinetic, fabs(ledger.residual));
    }
    const totals after = totals_of(world, id, 6, 1.0);
    const double dp = rps_vec3_norm(rps_vec3_sub(after.p, before.p)),
                 dl = rps_vec3_norm(rps_vec3_sub(after.l, before.l));
    SAY("chain of joints: momentum off by %.1e kg m/s, angular momentum by %.1e kg m^2/s, ledger by %.1e J\n", dp, dl,
        kinetic);
    ASSERT_BELOW(dp, 1e-12);
    /* x + h v with v as it is keeps L but for rounding, since forces of a joint act along one point */
    ASSERT_BELOW(dl, 1e-11);
    ASSERT_BELOW(kinetic,
                 1e-7); /* the splitting of free rotors keeps 1e-7 of their energy, of second order; joints add none */
    rps_world_destroy(world);
}

/* --- redundant and contradicting ------------------------------------------------------------------------------------ */

static void test_door(void **state) {
    (void)state;
    /* a door on two hinges one above the other: they share its weight, and hold its tilt m g b/2 by forces +-m g b/(2 H) and
     * by torques; of least norm in the rows' own metric, so that both hinges bear the same weight and torque */
    const double edge[3] = {1.0, 0.05, 2.0};
    rps_world *world = world_with(1e-3, G, 1);
    const uint64_t door = add_box(world, rps_vec3_make(0.5, 0.0, 1.0), edge, 20.0, O, O);
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, door, RPS_JOINT_WORLD, rps_vec3_make(0.0, 0.0, 1.5), Z);
    const size_t upper = join(world, &def);
    to_array(def.point[0], rps_vec3_make(0.0, 0.0, 0.5));
    const size_t lower = join(world, &def);
    start(world);
    assert_int_equal(report_of(world).joint_rows, 10);
    assert_int_equal(report_of(world).redundant_rows, 5);
    advance(world, 200);
    const rps_joint_state a = joint_of(world, upper), b = joint_of(world, lower);
    SAY("door: upper hinge (%.3f, %.3f, %.3f) N, torque about y %.3f N m; lower (%.3f, %.3f, %.3f) N, %.3f N m\n",
        a.force[0], a.force[1], a.force[2], a.torque[1], b.force[0], b.force[1], b.force[2], b.torque[1]);
    ASSERT_NEAR(a.force[2], 20.0 * G / 2.0, 1e-7);
    ASSERT_NEAR(b.force[2], 20.0 * G / 2.0, 1e-7);
    ASSERT_NEAR(a.force[0], -b.force[0], 1e-7);
    ASSERT_NEAR(a.torque[1], b.torque[1], 1e-7);
    /* moments about the axis at the middle */
    ASSERT_NEAR((a.force[0] - b.force[0]) * 0.5 + a.torque[1] + b.torque[1] + 20.0 * G * 0.5, 0.0, 1e-7);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, door)), LOOSE);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
    /* pushed, it turns: two hinges leave what one leaves */
    world = world_with(1e-3, G, 1);
    const uint64_t swung = add_box(world, rps_vec3_make(0.5, 0.0, 1.0), edge, 20.0, rps_vec3_make(0.0, 0.5, 0.0),
                                   rps_vec3_make(0.0, 0.0, 1.0));
    def = joint_def(RPS_JOINT_HINGE, swung, RPS_JOINT_WORLD, rps_vec3_make(0.0, 0.0, 1.5), Z);
    join(world, &def);
    to_array(def.point[0], rps_vec3_make(0.0, 0.0, 0.5));
    const size_t hinge = join(world, &def);
    start(world);
    advance(world, 1000);
    ASSERT_NEAR(joint_of(world, hinge).position, 1.0, 1e-3);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
}

/* Four bars in a plane, on four hinges: a loop, of which three rows are implied. */
static void test_loop(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    const double upright[3] = {0.05, 0.05, 1.0}, across[3] = {1.0, 0.05, 0.05};
    const uint64_t left = add_box(world, rps_vec3_make(0.0, 0.0, -0.5), upright, 1.0, O, O);
    const uint64_t right = add_box(world, rps_vec3_make(1.0, 0.0, -0.5), upright, 1.0, O, O);
    const uint64_t low = add_box(world, rps_vec3_make(0.5, 0.0, -1.0), across, 1.0, O, O);
    const struct {
        uint64_t a, b;
        rps_vec3 at;
    } pin[4] = {{left, RPS_JOINT_WORLD, O},
                {right, RPS_JOINT_WORLD, X},
                {low, left, {0.0, 0.0, -1.0}},
                {low, right, {1.0, 0.0, -1.0}}};
    for (int k = 0; k < 4; k++) {
        const rps_joint_def def = joint_def(RPS_JOINT_HINGE, pin[k].a, pin[k].b, pin[k].at, Y);
        join(world, &def);
    }
    start(world);
    assert_int_equal(report_of(world).redundant_rows, 3);
    advance(world, 300);
    const rps_joint_state a = joint_of(world, 0), b = joint_of(world, 1);
    ASSERT_NEAR(a.force[2] + b.force[2], 3.0 * G, 1e-6);
    ASSERT_NEAR(a.force[2], b.force[2], 1e-6);
    SAY("loop of four bars: missed %llu of %llu steps, residual %.1e\n", (unsigned long long)report_of(world).missed,
        (unsigned long long)report_of(world).steps, report_of(world).worst_residual);
    rps_world_destroy(world);
}

static void expect_failure(rps_status status, rps_status expected, const rps_error *err, const char *said) {
    if (!strstr(err->text, said)) print_message("said: %s\nexpected: %s\n", err->text, said);
    assert_int_equal(status, expected);
    assert_non_null(strstr(err->text, said));
}

static void test_contradiction(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    rps_error err = {0};
    const uint64_t body = add_body(world, X, 1.0, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_FIXED, body, RPS_JOINT_WORLD, X, O);
    def.name = "clamp";
    join(world, &def);
    def = joint_def(RPS_JOINT_DISTANCE, body, RPS_JOINT_WORLD, X, O);
    def.name = "rod";
    def.length = 1.2;
    join(world, &def);
    expect_failure(rps_world_start(world, &err), RPS_BAD_INPUT, &err, "contradicts");
    assert_non_null(strstr(err.text, "`rod`"));
    assert_non_null(strstr(err.text, "`clamp`"));
    rps_world_destroy(world);
    /* the same rod with the length that it has is redundant, no more */
    world = world_with(1e-3, G, 1);
    const uint64_t other = add_body(world, X, 1.0, 0.1);
    def = joint_def(RPS_JOINT_FIXED, other, RPS_JOINT_WORLD, X, O);
    join(world, &def);
    def = joint_def(RPS_JOINT_DISTANCE, other, RPS_JOINT_WORLD, X, O);
    join(world, &def);
    start(world);
    assert_int_equal(report_of(world).redundant_rows, 1);
    advance(world, 100);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = world_with(1e-3, G, 1);
    const uint64_t body = add_body(world, X, 1.0, 0.1), ground = add_ground(world, Z);
    rps_error err = {0};
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, X, Y), bad;
#define REFUSED(change, said)                                                                    \
    do {                                                                                         \
        bad = def;                                                                               \
        change;                                                                                  \
        expect_failure(rps_world_add_joint(world, &bad, NULL, &err), RPS_BAD_INPUT, &err, said); \
    } while (0)
    REFUSED(bad.size = 1, "rps_joint_def_default");
    REFUSED(bad.body[0] = 77, "there is no body 77");
    REFUSED(bad.body[1] = body, "with itself");
    REFUSED(bad.body[0] = ground, "neither of what it joins can be moved");
    REFUSED(bad.axis[1] = 0.0, "its axis has no length");
    REFUSED(bad.axis[1] = NAN, "finite");
    REFUSED(bad.point[0][2] = INFINITY, "its point");
    REFUSED(bad.friction = -1.0, "its friction");
    REFUSED(bad.length = 1.0, "a length is of");
    REFUSED(bad.motion.speed = 1.0, "only a motor");
    REFUSED((bad.kind = RPS_JOINT_FIXED, bad.friction = 1.0), "friction is along");
    REFUSED((bad.kind = RPS_JOINT_DISTANCE, to_array(bad.point[1], X)), "two points are one");
    REFUSED((bad.kind = RPS_JOINT_DISTANCE, bad.length = -1.0), "its length");
    REFUSED(bad.kind = RPS_JOINT_KINDS, "no kind");
    def.name = "pin";
    join(world, &def);
    REFUSED(bad.name = "pin", "of that name");
    def.name = NULL;
    start(world);
    REFUSED((void)0, "before the first step");
    rps_world_destroy(world);
    rps_world_options options = options_of(1e-4);
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    world = world_of(&options, &pair);
    add_body(world, X, 1.0, 0.1);
    expect_failure(rps_world_add_joint(world, &def, NULL, &err), RPS_UNSUPPORTED, &err, "stepper: nonsmooth");
    rps_world_destroy(world);
}

/* --- contacts, planar worlds, bits ---------------------------------------------------------------------------------- */

/* Joined bodies that overlap do not push each other apart unless asked to. */
static void test_collide(void **state) {
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        rps_world *world = world_with(1e-3, 0.0, 1);
        const uint64_t a = add_body(world, O, 1.0, 0.1), b = add_body(world, rps_vec3_make(0.19, 0.0, 0.0), 1.0, 0.1);
        rps_joint_def def = joint_def(RPS_JOINT_SLIDER, b, a, O, X);
        def.collide = collide == 1;
        join(world, &def);
        start(world);
        advance(world, 500);
        const double apart = rps_vec3_norm(rps_vec3_sub(position_of(world, b), position_of(world, a)));
        if (collide) ASSERT_ABOVE(apart, 0.2);
        if (!collide) ASSERT_NEAR(apart, 0.19, 1e-12);
        rps_world_destroy(world);
    }
}

static void test_planar(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-3);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = TIGHT;
    options.dimension = 2;
    options.gravity[2] = -G;
    options.guards.motion = options.guards.rotation = 100.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def body = rps_body_def_default();
    uint64_t id = 0;
    body.shape = "disk";
    body.radius = 0.1;
    body.mass = 2.0;
    body.position[0] = 1.0;
    MUST(rps_world_add_body(world, &body, &id, ERR));
    rps_joint_def def = joint_def(RPS_JOINT_HINGE, id, RPS_JOINT_WORLD, O, O);
    const size_t pin = join(world, &def);
    start(world);
    assert_int_equal(report_of(world).joint_rows, 2);
    advance(world, 500);
    assert_true(position_of(world, id).y == 0.0 && turning_of(world, id).x == 0.0 && turning_of(world, id).z == 0.0);
    ASSERT_NEAR(rps_vec3_norm(position_of(world, id)), 1.0, 1e-4);
    ASSERT_ABOVE(joint_of(world, pin).position, 0.5);
    rps_world_destroy(world);
}

static rps_world *machine(int threads) {
    rps_world *world = world_with(1e-3, G, threads);
    const double edge[3] = {0.3, 0.2, 0.1};
    uint64_t last = RPS_JOINT_WORLD;
    for (size_t k = 0; k < 8; k++) {
        const uint64_t id = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, O, O);
        rps_joint_def def = joint_def(k % 3 == 0   ? RPS_JOINT_HINGE
                                      : k % 3 == 1 ? RPS_JOINT_BALL
                                                   : RPS_JOINT_SLIDER,
                                      id, last, rps_vec3_make(0.4 * (double)k - 0.2, 0.01, 0.0), Y);
        def.friction = 0.02;
        join(world, &def);
        last = id;
    }
    return world;
}

static void hash_of(const rps_world *world, uint64_t hash[2]) {
    MUST(rps_world_hash(world, hash, ERR));
}

static void test_bits(void **state) {
    (void)state;
    char path[] = "/tmp/repose-joints-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t one[2], two[2], again[2];
    rps_world *world = machine(1), *other = machine(2);
    start(world);
    start(other);
    advance(world, 100);
    advance(other, 100);
    MUST(rps_world_save(world, path, ERR));
    advance(world, 100);
    advance(other, 100);
    hash_of(world, one);
    hash_of(other, two);
    assert_memory_equal(one, two, sizeof one);
    rps_world *resumed = machine(1);
    MUST(rps_world_restore(resumed, path, ERR));
    assert_int_equal(report_of(resumed).redundant_rows, report_of(world).redundant_rows);
    advance(resumed, 100);
    hash_of(resumed, again);
    assert_memory_equal(one, again, sizeof one);
    for (size_t k = 0; k < 8; k++) {
        const rps_joint_state a = joint_of(world, k), b = joint_of(resumed, k);
        assert_memory_equal(a.force, b.force, sizeof a.force);
        assert_memory_equal(a.torque, b.torque, sizeof a.torque);
    }
    /* another set-up is refused */
    rps_world *wrong = world_with(1e-3, G, 1);
    rps_error err = {0};
    add_body(wrong, X, 1.0, 0.1);
    expect_failure(rps_world_restore(wrong, path, &err), RPS_BAD_INPUT, &err, "set-up");
    rps_world_destroy(wrong);
    rps_world_destroy(resumed);
    rps_world_destroy(other);
    rps_world_destroy(world);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_slider_friction),
        cmocka_unit_test(test_turning_friction),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_door),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_collide),
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
