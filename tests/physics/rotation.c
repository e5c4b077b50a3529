/*
 * Free rotation of bodies with three moments of inertia, against what is known in closed form: angular momentum to the
 * bit, energy that swings by the square of the step and never drifts, the period of the flips about the middle axis
 * (Jacobi's elliptic functions), the precession of a symmetric top, attitudes against an integration of their own.
 */
#include "worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "world/world.h"

static const rps_world_options *plain(double step) {
    static rps_world_options options;
    options = options_of(step);
    return &options;
}

/* A box of mass 1 kg in a world of its own, turning at w (body axes) in an odd attitude. */
static rps_world *box_alone(const rps_world_options *options, rps_vec3 size, rps_vec3 w, bool locked) {
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(options, &pair);
    rps_body_def def = rps_body_def_default();
    const rps_quat q = rps_quat_normalize((rps_quat){0.7, -0.3, 0.5, 0.1});
    def.shape = "box";
    to_array(def.parameter, size);
    def.mass = 1.0;
    def.locked = locked;
    def.orientation[0] = q.w;
    def.orientation[1] = q.x;
    def.orientation[2] = q.y;
    def.orientation[3] = q.z;
    to_array(def.velocity, rps_vec3_make(0.01, 0.0, -0.02));
    to_array(def.angular_velocity, rps_quat_rotate(q, w));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    start(world);
    return world;
}

static rps_quat attitude_of(const rps_world *world, uint64_t id) {
    const double *q = field_of(world, "orientation", id);
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* Angle between two attitudes, for small ones. */
static double apart(rps_quat a, rps_quat b) {
    const rps_quat d = rps_quat_mul(a, rps_quat_conjugate(b));
    return 2.0 * rps_vec3_norm(rps_vec3_make(d.x, d.y, d.z));
}

static rps_vec3 momentum_in_body(const rps_world *world) {
    return rps_quat_rotate_inverse(attitude_of(world, 0), vec_of(world, "angular_momentum", 0));
}

/* Ixx of a box is m (y^2 + z^2)/12: about .0208, .0408 and .0558 kg m^2. */
static const rps_vec3 SIZE = {0.65, 0.42, 0.27};
static const rps_vec3 SPIN = {0.6, 3.0, -0.9};

/* --- what stays ----------------------------------------------------------------------------------------------------- */

/* Largest departure of the energy from the first, relative, over some steps. */
static double energy_swing(rps_world *world, double energy, int steps) {
    double most = 0.0;
    for (int k = 0; k < steps; k++) {
        advance(world, 1);
        most = fmax(most, fabs(rps_body_rotation_energy(&world->bodies, 0) / energy - 1.0));
    }
    return most;
}

static void test_momentum_and_energy_over_a_million_steps(void **state) {
    (void)state;
    rps_world *world = box_alone(plain(0.01), SIZE, SPIN, false);
    const double energy = rps_body_rotation_energy(&world->bodies, 0);
    double first[3];
    memcpy(first, field_of(world, "angular_momentum", 0), sizeof first);
    const double early = energy_swing(world, energy, 20000);
    advance(world, 960000);
    const double late = energy_swing(world, energy, 20000);
    SAY("energy swings by %.3g in the first 200 s, by %.3g after 9800 s\n", early, late);
    assert_memory_equal(first, field_of(world, "angular_momentum", 0), sizeof first);
    assert_true(rps_world_steps(world) == 1000000);
    ASSERT_BELOW(early, 1e-3); /* (w dt)^2 = 1e-3 */
    /* the same orbit, seen at other phases; 1e6 steps of round-off of the attitude come to 1e-10 at most */
    ASSERT_NEAR(late / early, 1.0, 1e-3);
    /* the angular velocity that is shown belongs to the momentum */
    const rps_vec3 w = rps_quat_rotate_inverse(attitude_of(world, 0), turning_of(world, 0));
    const double *inertia = field_of(world, "inertia", 0);
    const rps_vec3 m = momentum_in_body(world);
    ASSERT_NEAR(w.x, m.x / inertia[0], 1e-14);
    ASSERT_NEAR(w.y, m.y / inertia[1], 1e-14);
    ASSERT_NEAR(w.z, m.z / inertia[2], 1e-14);
    rps_world_destroy(world);
}

static void test_energy_error_is_of_second_order(void **state) {
    (void)state;
    double swing[3];
    for (int k = 0; k < 3; k++) {
        const double step = 0.02 / (1 << k);
        rps_world *world = box_alone(plain(step), SIZE, SPIN, false);
        swing[k] = energy_swing(world, rps_body_rotation_energy(&world->bodies, 0), 2000 << k);
        rps_world_destroy(world);
    }
    SAY("energy swings by %.4g, %.4g, %.4g at steps 20, 10, 5 ms\n", swing[0], swing[1], swing[2]);
    /* 4, but for terms of fourth order: 1 + (w dt)^2 */
    ASSERT_NEAR(swing[0] / swing[1], 4.0, 0.02);
    ASSERT_NEAR(swing[1] / swing[2], 4.0, 0.005);
}

/* --- the middle axis ------------------------------------------------------------------------------------------------ */

/* Complete elliptic integral of the first kind by the arithmetic-geometric mean. */
static double elliptic_k(double k2) {
    double a = 1.0, b = sqrt(1.0 - k2);
    while (fabs(a - b) > 1e-15 * a) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return RPS_PI / (2.0 * a);
}

/* Period of the free rotation of a body with moments i1 < i2 < i3 in its own axes: w2 = A sn(p t, k), T = 4 K(k)/p. */
static double flip_period(const double inertia[3], rps_vec3 m) {
    double i1 = inertia[0], i2 = inertia[1], i3 = inertia[2];
    const double l2 = rps_vec3_norm2(m), e2 = m.x * m.x / i1 + m.y * m.y / i2 + m.z * m.z / i3;
    if (l2 < e2 * i2) { /* circles about the axis of the smallest moment: the same formulae with 1 and 3 exchanged */
        const double swap = i1;
        i1 = i3;
        i3 = swap;
    }
    const double p2 = (i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3);
    const double k2 = (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1));
    return 4.0 * elliptic_k(k2) / sqrt(p2);
}

/* From zeros of m2, where sn is straight to third order. */
static double measured_period(rps_world *world, int periods) {
    double before = momentum_in_body(world).y, first = NAN;
    for (int crossings = 0;;) {
        advance(world, 1);
        const double now = momentum_in_body(world).y;
        if (before < 0.0 && now >= 0.0) {
            const double at = rps_world_time(world) - world->step * now / (now - before);
            if (crossings == periods) return (at - first) / periods;
            if (crossings++ == 0) first = at;
        }
        before = now;
    }
}

static void test_flips_about_the_middle_axis(void **state) {
    (void)state;
    static const rps_vec3 spin[] = {{0.05, 5.0, 0.02}, {0.02, 5.0, 0.1}}; /* on either side of the separatrix */
    for (int n = 0; n < 2; n++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            rps_world *world = box_alone(plain(k ? 1e-3 : 2e-3), SIZE, spin[n], false);
            const double expected = flip_period(field_of(world, "inertia", 0), momentum_in_body(world));
            const double period = measured_period(world, 10);
            error[k] = period / expected - 1.0;
            SAY("flips with period %.9g s, closed form %.9g s, step %g s\n", period, expected, world->step);
            rps_world_destroy(world);
        }
        /* (w dt)^2 = 2.5e-5, and what it shifts the energy counts by the distance to the separatrix */
        ASSERT_BELOW(fabs(error[1]), 2.5e-5);
        ASSERT_NEAR(error[0] / error[1], 4.0, 0.1);
        ASSERT_BELOW(fabs(error[1] + (error[1] - error[0]) / 3.0), 1e-8); /* what is left is of fourth order */
    }
}

/* --- attitude ------------------------------------------------------------------------------------------------------- */

/* The rate of the attitude, dq/dt = (0, w) q/2 with w = R I^-1 R^T L. */
static rps_quat rate(rps_quat q, rps_vec3 l, const double inertia[3]) {
    const rps_vec3 m = rps_quat_rotate_inverse(rps_quat_normalize(q), l);
    const rps_quat w = {0.0, 0.5 * m.x / inertia[0], 0.5 * m.y / inertia[1], 0.5 * m.z / inertia[2]};
    return rps_quat_mul(q, w);
}

static rps_quat plus(rps_quat a, double s, rps_quat b) {
    return (rps_quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Runge and Kutta's of fourth order, in steps so small that round-off leads. */
static rps_quat integrated(rps_quat q, rps_vec3 l, const double inertia[3], double time, int steps) {
    const double h = time / steps;
    for (int k = 0; k < steps; k++) {
        const rps_quat a = rate(q, l, inertia), b = rate(plus(q, 0.5 * h, a), l, inertia);
        const rps_quat c = rate(plus(q, 0.5 * h, b), l, inertia), d = rate(plus(q, h, c), l, inertia);
        q = rps_quat_normalize(plus(plus(plus(plus(q, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d));
    }
    return q;
}

static void test_attitude_error_is_of_second_order(void **state) {
    (void)state;
    const double time = 8.0;
    double error[3];
    for (int k = 0; k < 3; k++) {
        rps_world *world = box_alone(plain(0.01 / (1 << k)), SIZE, SPIN, false);
        const rps_quat q = attitude_of(world, 0);
        advance(world, 800u << k);
        error[k] = apart(attitude_of(world, 0), integrated(q, vec_of(world, "angular_momentum", 0),
                                                           field_of(world, "inertia", 0), time, 80000));
        rps_world_destroy(world);
    }
    SAY("attitude after 8 s off by %.4g, %.4g, %.4g rad at steps 10, 5, 2.5 ms\n", error[0], error[1], error[2]);
    ASSERT_BELOW(error[0], 0.025); /* (w dt)^2 for each of 25 rad */
    ASSERT_NEAR(error[0] / error[1], 4.0, 0.05);
    ASSERT_NEAR(error[1] / error[2], 4.0, 0.02);
}

/* Two equal moments: a turn about L at |L|/I and one about the body's axis, exactly. */
static void test_a_symmetric_top_precesses_exactly(void **state) {
    (void)state;
    enum { STEPS = 10000 };
    static const rps_vec3 size[] = {{0.3, 0.3, 0.7}, {0.5, 0.5, 0.1}, {0.2, 0.9, 0.9}, {0.4, 0.1, 0.4}};
    for (int n = 0; n < 4; n++) {
        const double step = 0.01;
        rps_world *world = box_alone(plain(step), size[n], rps_vec3_make(2.0, 3.0, -2.5), false);
        const double *inertia = field_of(world, "inertia", 0);
        const int axis = inertia[0] == inertia[1] ? 2 : inertia[0] == inertia[2] ? 1 : 0;
        const double across = inertia[(axis + 1) % 3], along = inertia[axis];
        const rps_vec3 l = vec_of(world, "angular_momentum", 0), body = momentum_in_body(world);
        const double m[3] = {body.x, body.y, body.z};
        const rps_vec3 e = rps_vec3_make(axis == 0, axis == 1, axis == 2);
        const rps_quat q = attitude_of(world, 0);
        advance(world, STEPS);
        const double time = STEPS * step, spin = m[axis] * (1.0 / along - 1.0 / across) * time;
        const double precession = rps_vec3_norm(l) / across * time;
        const rps_quat expected =
            rps_quat_mul(rps_quat_mul(rps_quat_from_axis_angle(rps_vec3_normalize(l), precession), q),
                         rps_quat_from_axis_angle(e, spin));
        const double error = apart(attitude_of(world, 0), expected);
        SAY("top after %.4g rad of precession and %.4g rad of spin off by %.3g rad\n", precession, spin, error);
        ASSERT_BELOW(error, STEPS * 1e-15); /* ten roundings a step */
        rps_world_destroy(world);
    }
    rps_world *world = box_alone(plain(0.01), rps_vec3_make(0.3, 0.3, 0.3), rps_vec3_make(2.0, 3.0, -2.5), false);
    const rps_vec3 w = turning_of(world, 0);
    advance(world, 1);
    const rps_vec3 once = turning_of(world, 0);
    ASSERT_NEAR(rps_vec3_norm(rps_vec3_sub(w, once)), 0.0, 4e-15);
    advance(world, STEPS);
    const rps_vec3 now = turning_of(world, 0);
    assert_memory_equal(&once, &now, sizeof now); /* L/I */
    rps_world_destroy(world);
}

/* --- torque, drives, locks ------------------------------------------------------------------------------------------- */

static void test_a_torque_kicks_the_momentum(void **state) {
    (void)state;
    for (int half_implicit = 0; half_implicit < 2; half_implicit++) {
        rps_world_options options = options_of(0.01);
        options.integrator = half_implicit ? RPS_HALF_IMPLICIT : RPS_VERLET;
        rps_world *world = box_alone(&options, SIZE, SPIN, false);
        const rps_vec3 before = vec_of(world, "angular_momentum", 0), torque = {0.5, -0.25, 1.0};
        to_array(world->bodies.load[0].torque, torque); /* as an evaluation at the start of the step would leave it */
        advance(world, 1);                              /* which ends without one */
        const rps_vec3 after = vec_of(world, "angular_momentum", 0);
        const rps_vec3 expected = rps_vec3_add_scaled(before, half_implicit ? 0.01 : 0.005, torque);
        assert_memory_equal(&after, &expected, sizeof after);
        rps_world_destroy(world);
    }
}

static void test_locked_and_driven_boxes(void **state) {
    (void)state;
    rps_world *world = box_alone(plain(0.01), SIZE, rps_vec3_zero(), true);
    const rps_quat q = attitude_of(world, 0);
    to_array(world->bodies.load[0].torque, rps_vec3_make(1.0, 2.0, 3.0));
    advance(world, 10);
    const rps_quat now = attitude_of(world, 0);
    assert_memory_equal(&q, &now, sizeof now);
    assert_true(rps_vec3_norm2(turning_of(world, 0)) == 0.0);
    rps_world_destroy(world);

    const rps_pair pair = tracked_pair();
    world = world_of(plain(0.01), &pair);
    rps_body_def def = rps_body_def_default();
    const rps_vec3 w = {1.0, -2.0, 2.0};
    def.shape = "box";
    to_array(def.parameter, SIZE);
    def.mass = 1.0;
    def.kind = RPS_BODY_DRIVEN;
    def.drive = (rps_drive){.until = -1.0};
    to_array(def.drive.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    start(world);
    advance(world, 100);
    const rps_vec3 turning = turning_of(world, 0);
    assert_memory_equal(&turning, &w, sizeof w);
    ASSERT_BELOW(apart(attitude_of(world, 0), rps_quat_from_axis_angle(rps_vec3_normalize(w), 3.0)), 1e-13);
    /* moments about the axes as they are now */
    const rps_vec3 b = rps_quat_rotate_inverse(attitude_of(world, 0), w);
    const double *i = field_of(world, "inertia", 0);
    ASSERT_NEAR(rps_body_rotation_energy(&world->bodies, 0),
                0.5 * (i[0] * b.x * b.x + i[1] * b.y * b.y + i[2] * b.z * b.z), 1e-14);
    rps_world_destroy(world);
}

/* --- the same bits --------------------------------------------------------------------------------------------------- */

enum { MANY = 2048 };

/* Boxes, ellipsoids and pairs of balls, so far apart that they never meet. */
static rps_world *many(int threads, int isa, uint64_t shuffle) {
    rps_world_options options = options_of(0.002);
    options.threads = threads;
    options.isa = isa;
    options.shuffle = shuffle;
    options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF; /* nothing touches */
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    for (uint64_t k = 0; k < MANY; k++) {
        rps_body_def def = rps_body_def_default();
        def.shape = k % 2 ? "box" : "ellipsoid";
        rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
        if (k % 3 == 0) { /* two balls that touch */
            def.piece = piece;
            def.pieces = 2;
            piece[0].parameter[0] = piece[0].position[0] = 0.2;
            piece[1].parameter[0] = uniform(21, 3 * k, 0.1, 0.2);
            piece[1].position[0] = -piece[1].parameter[0];
        }
        for (int c = 0; c < 3 && k % 3 > 0; c++) def.parameter[c] = uniform(21, 3 * k + (uint64_t)c, 0.1, 0.4);
        def.mass = 1.0;
        to_array(def.position, rps_vec3_make((double)(k % 16), (double)(k / 16 % 16), (double)(k / 256)));
        to_array(def.angular_velocity, rps_vec3_scale(random_vec(22, k), 5.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

static void test_threads_and_restart(void **state) {
    (void)state;
    static char file[] = "/tmp/repose-rotation-XXXXXX";
    const int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    uint64_t end[2], hash[2];
    rps_world *world = many(1, -1, 0);
    advance(world, 120);
    MUST(rps_world_save(world, file, ERR));
    advance(world, 180);
    MUST(rps_world_hash(world, end, ERR));
    ASSERT_BELOW(fabs(ledger_of(world).residual), 1e-3 * ledger_of(world).kinetic_rotation);
    rps_world_destroy(world);
    for (int k = 0; k < 3; k++) {
        world = many(k + 1, k == 1 ? 0 : -1, k == 2 ? 5 : 0);
        if (k < 2) MUST(rps_world_restore(world, file, ERR));
        advance(world, 300 - rps_world_steps(world));
        MUST(rps_world_hash(world, hash, ERR));
        assert_memory_equal(hash, end, sizeof hash);
        rps_world_destroy(world);
    }
    unlink(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum_and_energy_over_a_million_steps),
        cmocka_unit_test(test_energy_error_is_of_second_order),
        cmocka_unit_test(test_flips_about_the_middle_axis),
        cmocka_unit_test(test_attitude_error_is_of_second_order),
        cmocka_unit_test(test_a_symmetric_top_precesses_exactly),
        cmocka_unit_test(test_a_torque_kicks_the_momentum),
        cmocka_unit_test(test_locked_and_driven_boxes),
        cmocka_unit_test(test_threads_and_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
