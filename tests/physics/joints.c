/*
 * Joints of the nonsmooth stepper against closed forms: pendulums, one body out of two, dry friction, rods, motors, momentum
 * and energy. Positions and reactions along curved ways are of first order in the step, which is checked by halving it.
 */
#include "joined.h"

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

/* A body turning in a hinge or a ball joint at its centre comes to rest after I w/S, about any axis. */
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
        ASSERT_NEAR(joint_of(world, joint).dissipated, 0.5 * inertia * 9.0, LOOSE);
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
    enum { LINKS = 10 };
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
    double kinetic = 0.0;
    for (int n = 0; n < 500; n++) {
        advance(world, 1);
        const rps_ledger ledger = ledger_of(world);
        kinetic = fmax(kinetic, fabs(ledger.residual));
    }
    const totals after = totals_of(world, id, LINKS, 1.0);
    const double dp = rps_vec3_norm(rps_vec3_sub(after.p, before.p)),
                 dl = rps_vec3_norm(rps_vec3_sub(after.l, before.l));
    SAY("chain of joints: momentum off by %.1e kg m/s, angular momentum by %.1e kg m^2/s, ledger by %.1e J\n", dp, dl,
        kinetic);
    ASSERT_BELOW(dp, 1e-12);
    /* x + h v with v as it is keeps L but for rounding, since forces of a joint act along one point */
    ASSERT_BELOW(dl, 1e-11);
    ASSERT_BELOW(
        kinetic,
        1e-7); /* the splitting of free rotation keeps 1e-7 of their energy, of second order; joints add none */
    rps_world_destroy(world);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
