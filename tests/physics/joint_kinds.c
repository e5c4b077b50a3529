/*
 * Universal, cylindrical, screw and planar joints against closed forms: Hooke's relation of angles, what falls on a screw, a
 * jack, motions along independent coordinates, and what is refused.
 */
#include <math.h>

#include "joined.h"

static const double H = 1e-3, STEEP = 0.5; /* s; rad */

/* Rounding of places and angles over the step is 1e-13 m/s, and up to 1e-11 of what soft springs change in a step: residuals
 * stay above TIGHT. */
static rps_world *rounded_world(double step, double gravity) {
    rps_world_options options = joint_options(step, gravity, 1);
    options.nonsmooth.tolerance = 100.0 * TIGHT;
    return world_by(&options);
}

/* --- universal ------------------------------------------------------------------------------------------------------ */

typedef struct hooke {
    double angle, speed, second; /* most by which they are off, over a turn: rad, rad/s, rad */
    double books;                /* J */
} hooke;

/* Two shafts at the angle STEEP, the first driven, the second braked by friction: tan(out) cos(STEEP) = tan(in). */
static hooke shafts(double h) {
    const double w = 3.0, inertia = 0.2, brake = 0.5;
    const rps_vec3 n = {cos(STEEP), sin(STEEP), 0.0};
    rps_world *world = rounded_world(h, 0.0);
    const uint64_t in = add_body(world, rps_vec3_make(-0.5, 0.0, 0.0), 1.0, inertia);
    const uint64_t out = add_body(world, rps_vec3_scale(n, 0.5), 1.0, inertia);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, in, RPS_JOINT_WORLD, rps_vec3_make(-0.5, 0.0, 0.0), X);
    def.motion = (rps_joint_motion){.turns = true, .speed = w, .until = -1.0};
    join(world, &def);
    def = joint_def(RPS_JOINT_HINGE, out, RPS_JOINT_WORLD, rps_vec3_scale(n, 0.5), n);
    def.friction = brake;
    const size_t bearing = join(world, &def);
    def = joint_def(RPS_JOINT_UNIVERSAL, out, in, O, Y);
    to_array(def.second_axis, Z);
    const size_t cross = join(world, &def);
    start(world);
    assert_int_equal(report_of(world).joint_rows, 6 + 5 + 1 + 4); /* of the motor, hinge, friction, cross */
    hooke most = {0.0, 0.0, 0.0, 0.0};
    for (int k = 1; k <= (int)(2.0 / h); k++) {
        advance(world, 1);
        const double a = w * h * k, s = sin(a), c = cos(a), cb = cos(STEEP), sb = sin(STEEP);
        const rps_joint_state shaft = joint_of(world, bearing), joint = joint_of(world, cross);
        const double turn = atan2(s, c * cb), off = remainder(shaft.position - turn, 2.0 * RPS_PI);
        most.angle = fmax(most.angle, fabs(off));
        if (k > 1) most.speed = fmax(most.speed, fabs(shaft.speed - w * cb / (c * c * cb * cb + s * s)));
        /* the axis of the output leans by asin(sb cos a) against the yoke of the input, at the start by STEEP */
        most.second = fmax(most.second, fabs(joint.coordinate[1] - (asin(sb * c) - STEEP)));
        most.books = fmax(most.books, fabs(ledger_of(world).residual));
    }
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
    return most;
}

static void test_universal(void **state) {
    (void)state;
    const hooke a = shafts(2e-3), b = shafts(1e-3);
    SAY("universal joint: angle off by %.2e and %.2e rad, speed by %.2e and %.2e rad/s, second angle by %.2e and %.2e, "
        "books by %.1e J\n",
        a.angle, b.angle, a.speed, b.speed, a.second, b.second, fmax(a.books, b.books));
    /* a step turns by h w and leaves (h w)^2/2 of it, which the next takes back: of second order in the angle, of first in the
     * speed. The angle of the input's yoke against the output is where the driven input is */
    ASSERT_BELOW(b.angle, 4.5e-6);
    ASSERT_NEAR(a.angle / b.angle, 4.0, 0.1);
    ASSERT_BELOW(b.speed, 4.5e-3);
    ASSERT_NEAR(a.speed / b.speed, 2.0, 0.1);
    ASSERT_BELOW(b.second, LOOSE);
    ASSERT_BELOW(fmax(a.books, b.books), LOOSE);
}

/* A cross with springs about both axes: it swings about each with a period of its own; small angles do not mix, to second order. */
static void test_cross(void **state) {
    (void)state;
    const double inertia = 0.2, stiffness[2] = {5.0, 20.0}, start_speed[2] = {1e-4, 2e-4};
    rps_world *world = world_with(H, 0.0, 1);
    rps_body_def ball = rps_body_def_default();
    uint64_t id;
    ball.radius = 0.1;
    ball.mass = 1.0;
    ball.inertia[0] = inertia;
    to_array(ball.angular_velocity, rps_vec3_make(start_speed[1], 0.0, start_speed[0]));
    MUST(rps_world_add_body(world, &ball, &id, ERR));
    rps_joint_def def = joint_def(RPS_JOINT_UNIVERSAL, id, RPS_JOINT_WORLD, O, Z);
    to_array(def.second_axis, X);
    def.stiffness = stiffness[0];
    def.more[0].stiffness = stiffness[1];
    const size_t cross = join(world, &def);
    start(world);
    for (int n = 1; n <= 1000; n++) {
        advance(world, 1);
        const rps_joint_state now = joint_of(world, cross);
        for (int k = 0; k < 2; k++) {
            const double w = sqrt(stiffness[k] / inertia), turn = 2.0 * atan(0.5 * w * H);
            /* as of the oscillator of joint_ends.c */
            ASSERT_NEAR(now.coordinate[k], H * start_speed[k] / sin(turn) * sin(n * turn), 1e-4 * start_speed[k]);
        }
    }
    assert_int_equal(report_of(world).missed, 0);
    ASSERT_NEAR(ledger_of(world).residual, 0.0, 1e-12);
    rps_world_destroy(world);
}

/* --- cylindrical ---------------------------------------------------------------------------------------------------- */

/* A body thrown along a pole and spun about it: friction of each kind brakes its own motion by F/m and T/I until it rests; or
 * stops return each at its own restitution. The pole bears the weight and its moment. */
static void test_cylindrical(void **state) {
    (void)state;
    const double edge[3] = {0.3, 0.3, 0.3}, mass = 2.0, inertia = mass * 0.09 / 6.0, v = 1.0, w = 5.0;
    for (int stops = 0; stops < 2; stops++) {
        rps_world *world = world_with(H, G, 1);
        const uint64_t body = add_box(world, O, edge, mass, rps_vec3_make(v, 0.0, 0.0), rps_vec3_make(w, 0.0, 0.0));
        rps_joint_def def = joint_def(RPS_JOINT_CYLINDRICAL, body, RPS_JOINT_WORLD, rps_vec3_make(0.4, 0.0, 0.0), X);
        if (stops) {
            def.limits[1] = 0.1;
            def.restitution = 0.5;
            def.more[0].limits[1] = 0.3;
            def.more[0].restitution = 0.2;
        } else {
            def.friction = 4.0;
            def.more[0].friction = 0.06;
        }
        const size_t pole = join(world, &def);
        start(world);
        assert_int_equal(report_of(world).joint_rows, 4 + 2);
        for (int n = 1; n <= 600; n++) {
            advance(world, 1);
            const rps_joint_state now = joint_of(world, pole);
            if (!stops) {
                ASSERT_NEAR(now.rate[0], fmax(v - n * H * 4.0 / mass, 0.0), LOOSE);
                ASSERT_NEAR(now.rate[1], fmax(w - n * H * 0.06 / inertia, 0.0), LOOSE);
                if (n == 1) ASSERT_NEAR(now.coordinate[1], H * now.rate[1], LOOSE);
            }
            ASSERT_NEAR(now.force[2], mass * G, 1e-6);
            ASSERT_NEAR(now.torque[1], (now.point[0] - position_of(world, body).x) * mass * G, 1e-6);
            ASSERT_NEAR(now.position, position_of(world, body).x, LOOSE);
        }
        if (stops) {
            ASSERT_NEAR(joint_of(world, pole).rate[0], -0.5 * v, LOOSE);
            ASSERT_NEAR(joint_of(world, pole).rate[1], -0.2 * w, LOOSE);
        }
        assert_int_equal(report_of(world).missed, 0);
        ASSERT_NEAR(ledger_of(world).residual, 0.0, LOOSE);
        rps_world_destroy(world);
    }
}

/* --- screw ---------------------------------------------------------------------------------------------------------- */

/* A nut falls on an upright screw: (m l^2 + I) a = -m g l with the lead l = pitch/(2 pi), as long as friction is below m g l;
 * above, it locks itself. The thread bears the force and the torque -l times it. */
static void test_screw(void **state) {
    (void)state;
    const double mass = 2.0, inertia = 0.05, pitch[2] = {0.3, -0.1};
    for (int k = 0; k < 4; k++) {
        const double lead = pitch[k / 2] / (2.0 * RPS_PI), pull = mass * G * lead,
                     friction = k % 2 ? 1.1 * fabs(pull) : 0.05;
        rps_world *world = world_with(H, G, 1);
        const uint64_t nut = add_body(world, O, mass, inertia);
        rps_joint_def def = joint_def(RPS_JOINT_SCREW, nut, RPS_JOINT_WORLD, O, Z);
        def.pitch = pitch[k / 2];
        def.friction = friction;
        const size_t thread = join(world, &def);
        start(world);
        assert_int_equal(report_of(world).joint_rows, 6);
        const double left = k % 2 ? 0.0 : pull > 0.0 ? pull - friction : pull + friction;
        const double a = -left / (mass * lead * lead + inertia);
        for (int n = 1; n <= 500; n++) {
            advance(world, 1);
            const rps_joint_state now = joint_of(world, thread);
            ASSERT_NEAR(now.speed, a * n * H, LOOSE);
            ASSERT_NEAR(now.position, 0.5 * a * H * H * n * (n + 1.0), LOOSE);
            ASSERT_NEAR(now.coordinate[1], lead * now.position, 1e-12); /* held: rounding */
            ASSERT_NEAR(now.force[2], mass * (G + lead * a), 1e-6);
            ASSERT_NEAR(now.torque[2], inertia * a, 1e-6);
        }
        SAY("screw of %g m a turn, friction %.3g N m: %.4g rad/s after 0.5 s\n", pitch[k / 2], friction, a * 0.5);
        /* x + h v takes m g h v/2 too much from the height */
        ASSERT_NEAR(ledger_of(world).residual, 0.5 * H * mass * G * velocity_of(world, nut).z, 1e-8);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* A jack: a motor turns a spindle in its bearing, whose nut slides with a load. Lead times turn is the lift, the power of the
 * motor lifts the load, and the torque is m g l. */
static void test_jack(void **state) {
    (void)state;
    const double mass = 50.0, lead = 0.01 / (2.0 * RPS_PI), w = 10.0;
    rps_world *world = world_with(H, G, 1);
    const uint64_t spindle = add_body(world, O, 1.0, 0.01),
                   nut = add_body(world, rps_vec3_make(0.0, 0.0, 1.0), mass, 1.0);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, spindle, RPS_JOINT_WORLD, O, Z);
    def.motion = (rps_joint_motion){.turns = true, .speed = -w, .until = -1.0};
    const size_t motor = join(world, &def);
    def = joint_def(RPS_JOINT_SLIDER, nut, RPS_JOINT_WORLD, rps_vec3_make(0.0, 0.0, 1.0), Z);
    const size_t guide = join(world, &def);
    def = joint_def(RPS_JOINT_SCREW, nut, spindle, rps_vec3_make(0.0, 0.0, 1.0), Z);
    def.pitch = 0.01;
    const size_t thread = join(world, &def);
    start(world);
    /* both are guided along and about the same axis: two tilts and two ways across are said twice */
    assert_int_equal(report_of(world).redundant_rows, 4);
    advance(world, 2000);
    ASSERT_NEAR(joint_of(world, guide).position, lead * w * 2.0, LOOSE);
    ASSERT_NEAR(joint_of(world, thread).position, w * 2.0, LOOSE);
    ASSERT_NEAR(joint_of(world, motor).torque[2], -mass * G * lead, 1e-6);
    ASSERT_NEAR(joint_of(world, thread).force[2], mass * G, 1e-5); /* LOOSE m/h */
    ASSERT_NEAR(joint_of(world, guide).torque[2], mass * G * lead, 1e-6);
    const rps_ledger ledger = ledger_of(world);
    const double kinetic = ledger.kinetic_translation + ledger.kinetic_rotation;
    ASSERT_NEAR(ledger.drives - dissipated_of(&ledger), kinetic + mass * G * lead * w * (2.0 - 0.5 * H), 1e-6);
    assert_int_equal(report_of(world).missed, 0);
    rps_world_destroy(world);
}

/* --- planar --------------------------------------------------------------------------------------------------------- */

/* A puck on an inclined plane: its way falls with g sin, exactly; across it, and about the normal, it keeps its speed. The
 * plane bears m g cos. Then with springs along each coordinate. */
static void test_planar(void **state) {
    (void)state;
    const double mass = 2.0, inertia = 0.1, slope = 0.4, stiffness[3] = {0.5, 20.0, 45.0}, speed[3] = {3.0, 1.0, 2.0};
    const rps_vec3 n = {sin(slope), 0.0, cos(slope)}, down = {cos(slope), 0.0, -sin(slope)}, side = {0.0, 1.0, 0.0};
    const double moved[3] = {inertia, mass, mass};
    for (int sprung = 0; sprung < 2; sprung++) {
        rps_world *world = rounded_world(H, sprung ? 0.0 : G);
        rps_body_def ball = rps_body_def_default();
        uint64_t puck;
        ball.radius = 0.1;
        ball.mass = mass;
        ball.inertia[0] = inertia;
        to_array(ball.velocity, rps_vec3_add(rps_vec3_scale(down, speed[1]), rps_vec3_scale(side, speed[2])));
        to_array(ball.angular_velocity, rps_vec3_scale(n, speed[0]));
        MUST(rps_world_add_body(world, &ball, &puck, ERR));
        rps_joint_def def = joint_def(RPS_JOINT_PLANAR, puck, RPS_JOINT_WORLD, O, n);
        to_array(def.second_axis, down);
        if (sprung) {
            def.stiffness = stiffness[0];
            def.more[0].stiffness = stiffness[1];
            def.more[1].stiffness = stiffness[2];
        }
        const size_t plane = join(world, &def);
        start(world);
        assert_int_equal(report_of(world).joint_rows, sprung ? 6 : 3);
        for (int k = 1; k <= 1000; k++) {
            advance(world, 1);
            const rps_joint_state now = joint_of(world, plane);
            for (int c = 0; c < 3; c++) {
                const double a = c == 1 ? G * sin(slope) : 0.0, w = sqrt(stiffness[c] / moved[c]);
                const double turn = 2.0 * atan(0.5 * w * H);
                ASSERT_NEAR(now.coordinate[c],
                            sprung ? H * speed[c] / sin(turn) * sin(k * turn)
                                   : speed[c] * k * H + 0.5 * a * H * H * k * (k + 1.0),
                            LOOSE);
            }
            if (!sprung) ASSERT_NEAR(rps_vec3_dot(as_vec(now.force), n), mass * G * cos(slope), 1e-6);
        }
        const double fallen = sprung ? 0.0 : speed[1] * sin(slope) + velocity_of(world, puck).z; /* m/s */
        ASSERT_NEAR(ledger_of(world).residual, 0.5 * H * mass * G * fallen, 1e-8);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* --- refusals ------------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = world_with(H, G, 1);
    const uint64_t body = add_body(world, X, 1.0, 0.1);
    rps_joint_def def = joint_def(RPS_JOINT_UNIVERSAL, body, RPS_JOINT_WORLD, X, Y), bad;
    to_array(def.second_axis, X);
    rps_error err = {0};
#define REFUSED(change, said)                                                            \
    do {                                                                                 \
        bad = def;                                                                       \
        change;                                                                          \
        assert_int_equal(rps_world_add_joint(world, &bad, NULL, &err), RPS_BAD_INPUT);   \
        if (!strstr(err.text, said)) fail_msg("said: %s\nexpected: %s", err.text, said); \
    } while (0)
    REFUSED(bad.second_axis[0] = NAN, "its second axis is (nan");
    REFUSED(bad.second_axis[0] = 0.0, "its second axis has no length");
    REFUSED(bad.second_axis[1] = 1e-3, "must be perpendicular, and the cosine of their angle is 0.001");
    REFUSED(bad.pitch = 1.0, "a pitch is of screw joints");
    REFUSED(bad.more[1].friction = 1.0, "coordinate number 3, and it has 2");
    REFUSED(bad.more[0].friction = -1.0, "the friction of its coordinate number 2 is -1");
    REFUSED(bad.more[0].limits[0] = 0.1, "its limits are 0.1 and inf");
    REFUSED(bad.more[0].stiffness = NAN, "its spring has the stiffness nan");
    REFUSED(bad.motion.speed = 1.0, "only a motor");
    REFUSED(bad.kind = RPS_JOINT_HINGE, "a second axis is of universal and planar joints");
    to_array(def.second_axis, O);
    def.kind = RPS_JOINT_SCREW;
    REFUSED((void)0, "its pitch is 0 m a turn");
    REFUSED(bad.pitch = INFINITY, "its pitch is inf");
    REFUSED((bad.pitch = 1.0, bad.more[0].stiffness = 1.0), "coordinate number 2, and it has 1");
    def.kind = RPS_JOINT_FIXED;
    REFUSED(bad.more[0].limits[1] = 1.0, "coordinate number 2, and it has 0");
    rps_world_destroy(world);
    rps_world_options options = joint_options(H, G, 1);
    options.dimension = 2;
    world = world_by(&options);
    rps_body_def disk = rps_body_def_default();
    uint64_t id = 0;
    disk.shape = "disk";
    disk.radius = 0.1;
    disk.mass = 1.0;
    MUST(rps_world_add_body(world, &disk, &id, ERR));
    def = joint_def(RPS_JOINT_CYLINDRICAL, id, RPS_JOINT_WORLD, O, X);
    REFUSED((void)0, "a joint of space; in a planar world");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_universal), cmocka_unit_test(test_cross), cmocka_unit_test(test_cylindrical),
        cmocka_unit_test(test_screw),     cmocka_unit_test(test_jack),  cmocka_unit_test(test_planar),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
