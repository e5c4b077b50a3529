/*
 * Motors commanded between steps, against closed forms: speed, position and load, with and without limits, the work in the
 * ledger, the axis and the turns that a joint tells, and the bits over threads and a saved state.
 */
#include <stdlib.h>
#include <unistd.h>

#include "joined.h"

static const double H = 1e-3, INERTIA = 0.5;

static size_t motor_of(rps_world *world, uint64_t body, uint64_t other, rps_vec3 axis, bool turns) {
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, body, other, O, axis);
    def.motion = (rps_joint_motion){.turns = turns, .until = -1.0};
    return join(world, &def);
}

static void command(rps_world *world, size_t motor, rps_motor_control control, double value, double load_max) {
    rps_motor_command c = rps_motor_command_default();
    c.control = control;
    c.value = value;
    c.load_max = load_max;
    MUST(rps_world_command_motor(world, motor, &c, ERR));
}

/* --- speed ---------------------------------------------------------------------------------------------------------- */

/* From rest by the full torque T: w = n h T/I, then the commanded speed. Friction S of a bearing beside it leaves T - S. */
static void test_speed(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double torque = 1.0, friction = k ? 0.4 : 0.0, speed = 0.3333, rate = (torque - friction) / INERTIA;
        rps_world *world = world_with(H, 0.0, 1);
        const uint64_t body = add_body(world, O, 1.0, INERTIA);
        const size_t motor = motor_of(world, body, RPS_JOINT_WORLD, Y, true);
        rps_joint_def bearing = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, O, Y);
        bearing.friction = friction;
        join(world, &bearing);
        start(world);
        command(world, motor, RPS_MOTOR_SPEED, speed, torque);
        double turned = 0.0, last = 0.0;
        for (int n = 1; n <= 600; n++) {
            advance(world, 1);
            const double w = fmin(n * H * rate, speed);
            turned += H * w;
            ASSERT_NEAR(turning_of(world, body).y, w, LOOSE);
            ASSERT_NEAR(joint_of(world, motor).position, turned, LOOSE);
            ASSERT_NEAR(joint_of(world, motor).torque[1], INERTIA * (w - last) / H + friction, 1e-6); /* LOOSE I/h */
            last = w;
        }
        /* At the bound the work is the torque times the mean speed; in the step that reaches the speed, and after, the
         * torque times the speed. */
        const double whole = floor(speed / (H * rate)), reached = whole * H * rate;
        const double books = torque * H * 0.5 * whole * reached + /* whole steps at the bound */
                             (INERTIA * (speed - reached) / H + friction) * speed * H +
                             friction * speed * H * (600.0 - whole - 1.0);
        const rps_ledger ledger = ledger_of(world);
        ASSERT_NEAR(ledger.drives, books, LOOSE);
        ASSERT_NEAR(ledger.kinetic_rotation, 0.5 * INERTIA * speed * speed, LOOSE);
        ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* A motor whose limit is below the friction of the bearing stands, and tells its limit as its torque. */
static void test_stall(void **state) {
    (void)state;
    rps_world *world = world_with(H, 0.0, 1);
    const uint64_t body = add_body(world, O, 1.0, INERTIA);
    const size_t motor = motor_of(world, body, RPS_JOINT_WORLD, Y, true);
    rps_joint_def bearing = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, O, Y);
    bearing.friction = 1.0;
    join(world, &bearing);
    start(world);
    command(world, motor, RPS_MOTOR_SPEED, 2.0, 0.9);
    advance(world, 200);
    ASSERT_NEAR(turning_of(world, body).y, 0.0, LOOSE);
    ASSERT_NEAR(joint_of(world, motor).torque[1], 0.9, LOOSE);
    ASSERT_NEAR(ledger_of(world).drives, 0.0, LOOSE);
    /* Let go, it has not stored what it missed: the speed is the commanded one after the time I w/(T - S). */
    command(world, motor, RPS_MOTOR_SPEED, 2.0, 3.0);
    advance(world, 500);
    ASSERT_NEAR(turning_of(world, body).y, 2.0, LOOSE);
    rps_world_destroy(world);
}

/* The motor's own bound L under its prescribed motion, with friction S: w = n h (L - S)/I up to the speed; what is too weak
 * stands. Way that it missed is not made up for. */
static void test_own_limit(void **state) {
    (void)state;
    const double speed = 0.3333, friction = 0.4;
    for (int k = 0; k < 3; k++) { /* strong; bounded further by a command; weak */
        const double own = k == 2 ? 0.3 : 1.0, torque = k == 1 ? 0.6 : own;
        rps_world *world = world_with(H, 0.0, 1);
        const uint64_t body = add_body(world, O, 1.0, INERTIA);
        rps_joint_def def = joint_def(RPS_JOINT_MOTOR, body, RPS_JOINT_WORLD, O, Y);
        def.motion = (rps_joint_motion){.turns = true, .speed = speed, .until = -1.0};
        def.load_max = own;
        def.friction = friction;
        const size_t motor = join(world, &def);
        start(world);
        if (k == 1) command(world, motor, RPS_MOTOR_SPEED, speed, torque);
        double turned = 0.0, last = 0.0;
        for (int n = 1; n <= 1000; n++) {
            advance(world, 1);
            const double w = fmin(n * H * fmax(torque - friction, 0.0) / INERTIA, speed);
            turned += H * w;
            ASSERT_NEAR(turning_of(world, body).y, w, LOOSE);
            ASSERT_NEAR(joint_of(world, motor).position, turned, LOOSE);
            ASSERT_NEAR(joint_of(world, motor).torque[1], INERTIA * (w - last) / H, 1e-6); /* LOOSE I/h */
            last = w;
        }
        ASSERT_NEAR(last, k == 2 ? 0.0 : speed, LOOSE);
        ASSERT_NEAR(ledger_of(world).residual, 0.0, LOOSE);
        if (k == 2) ASSERT_NEAR(ledger_of(world).drives, 0.0, LOOSE);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
    /* what stalls it is another joint: it gives its bound, also against a command of more */
    rps_world *world = world_with(H, 0.0, 1);
    const uint64_t body = add_body(world, O, 1.0, INERTIA);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, body, RPS_JOINT_WORLD, O, Y);
    def.motion = (rps_joint_motion){.turns = true, .speed = speed, .until = -1.0};
    def.load_max = 0.7;
    const size_t motor = join(world, &def);
    def = joint_def(RPS_JOINT_FIXED, body, RPS_JOINT_WORLD, O, Y);
    join(world, &def);
    start(world);
    for (int k = 0; k < 2; k++) {
        advance(world, 10);
        ASSERT_NEAR(joint_of(world, motor).torque[1], 0.7, LOOSE);
        ASSERT_NEAR(turning_of(world, body).y, 0.0, LOOSE);
        command(world, motor, RPS_MOTOR_SPEED, speed, 5.0);
    }
    rps_motor_command c = rps_motor_command_default();
    rps_error err = {0};
    c.control = RPS_MOTOR_LOAD;
    c.value = -0.8;
    assert_int_equal(rps_world_command_motor(world, motor, &c, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "above the load_max of the motor"));
    c.value = -0.7;
    MUST(rps_world_command_motor(world, motor, &c, ERR));
    rps_world_destroy(world);
}

/* --- position ------------------------------------------------------------------------------------------------------- */

static void test_position(void **state) {
    (void)state;
    rps_world *world = world_with(H, G, 1);
    const uint64_t body = add_body(world, O, 2.0, INERTIA);
    const size_t motor = motor_of(world, body, RPS_JOINT_WORLD, Z, false);
    start(world);
    /* the distance falls by 1 - h/time a step; the motor carries the weight throughout */
    rps_motor_command c = rps_motor_command_default();
    c.control = RPS_MOTOR_POSITION;
    c.value = 0.1;
    c.time = 0.05;
    MUST(rps_world_command_motor(world, motor, &c, ERR));
    for (int n = 1; n <= 100; n++) {
        advance(world, 1);
        ASSERT_NEAR(joint_of(world, motor).position, 0.1 * (1.0 - pow(1.0 - H / c.time, n)), LOOSE);
    }
    /* back at 0.2 m/s at most, then within a step, since `time` is 0 */
    const double from = joint_of(world, motor).position;
    c.value = -0.05;
    c.time = 0.0;
    c.speed_max = 0.2;
    MUST(rps_world_command_motor(world, motor, &c, ERR));
    for (int n = 1; n <= 900; n++) {
        advance(world, 1);
        ASSERT_NEAR(joint_of(world, motor).position, fmax(from - n * H * 0.2, -0.05), LOOSE);
    }
    ASSERT_NEAR(joint_of(world, motor).force[2], 2.0 * G, 1e-6);
    ASSERT_NEAR(ledger_of(world).residual, 0.0,
                2.0 * G * 0.5 * H * 2.0); /* gravity along x + h v: m g h v/2, at 2 m/s */
    assert_true(isnan(joint_of(world, motor).turns));
    rps_world_destroy(world);
}

/* A wheel with at most T, from rest over the angle D: it speeds up by T/I until it meets the curve of braking by a, and stops there. Its peak
 * w follows from w^2/(2 T/I) + w^2/(2 a) = D. */
static void braking(rps_stepper stepper, double deceleration, double *peak, double *beyond) {
    const double most = 2.0, angle = 3.0;
    rps_world_options options = joint_options(H, 0.0, 1);
    options.stepper = stepper;
    rps_world *world = world_by(&options);
    const uint64_t body = add_body(world, O, 2.0, INERTIA);
    const size_t motor = motor_of(world, body, RPS_JOINT_WORLD, Y, true);
    rps_motor_command c = rps_motor_command_default();
    c.control = RPS_MOTOR_POSITION;
    c.value = angle;
    c.load_max = most;
    c.deceleration = deceleration;
    start(world);
    MUST(rps_world_command_motor(world, motor, &c, ERR));
    *peak = *beyond = 0.0;
    for (int n = 0; n < 4000; n++) {
        const double before = joint_of(world, motor).speed;
        advance(world, 1);
        const rps_joint_state now = joint_of(world, motor);
        *peak = fmax(*peak, now.speed);
        *beyond = fmax(*beyond, now.position - angle);
        const bool brakes = deceleration < INFINITY && now.speed < before && now.position < 0.99 * angle;
        if (brakes && before < *peak - 2.0 * H * most / INERTIA) {
            ASSERT_NEAR(now.torque[1], -INERTIA * deceleration, 1e-6 * most);
        }
    }
    const rps_joint_state now = joint_of(world, motor);
    if (deceleration < INFINITY) ASSERT_NEAR(now.position, angle, 1e-9);
    rps_world_destroy(world);
}

static void test_braking(void **state) {
    (void)state;
    const double gains = 2.0 / INERTIA, a = 0.8 * gains, exact = sqrt(2.0 * 3.0 * gains * a / (gains + a));
    for (int k = 0; k < 2; k++) {
        const rps_stepper stepper = k == 0 ? RPS_NONSMOOTH : RPS_PENALTY;
        double peak, beyond;
        braking(stepper, a, &peak, &beyond);
        SAY("%s: peak %.4f rad/s (exact %.4f), %.1e rad beyond\n", k ? "penalty" : "nonsmooth", peak, exact, beyond);
        ASSERT_NEAR(peak, exact, 2.0 * H * (gains + a)); /* what two steps change */
        ASSERT_BELOW(beyond, 1e-9);
        braking(stepper, INFINITY, &peak, &beyond);
        ASSERT_ABOVE(beyond, 0.1); /* without it the motor begins to brake where it should stand */
    }
}

/* --- load ----------------------------------------------------------------------------------------------------------- */

/* A torque T between two free wheels: I w = T t on each, opposite; the work is their kinetic energy. */
static void test_torque(void **state) {
    (void)state;
    const double torque = 0.2, t = 0.5;
    rps_world *world = world_with(H, 0.0, 1);
    const uint64_t a = add_body(world, O, 1.0, 0.1), b = add_body(world, O, 1.0, 0.4);
    const size_t motor = motor_of(world, a, b, rps_vec3_make(0.0, 0.6, 0.8), true);
    const rps_vec3 axis = {0.0, 0.6, 0.8};
    start(world);
    command(world, motor, RPS_MOTOR_LOAD, torque, INFINITY);
    advance(world, (uint64_t)(t / H + 0.5));
    const rps_joint_state told = joint_of(world, motor);
    ASSERT_NEAR(rps_vec3_dot(turning_of(world, a), axis), torque * t / 0.1, LOOSE);
    ASSERT_NEAR(rps_vec3_dot(turning_of(world, b), axis), -torque * t / 0.4, LOOSE);
    ASSERT_NEAR(told.speed, torque * t * (1.0 / 0.1 + 1.0 / 0.4), LOOSE);
    ASSERT_NEAR(rps_vec3_norm(rps_vec3_sub(as_vec(told.torque), rps_vec3_scale(axis, torque))), 0.0, LOOSE);
    const rps_ledger ledger = ledger_of(world);
    ASSERT_NEAR(ledger.kinetic_rotation, 0.5 * torque * t * torque * t * (1.0 / 0.1 + 1.0 / 0.4), LOOSE);
    ASSERT_NEAR(ledger.drives, ledger.kinetic_rotation, LOOSE); /* the trapezoid is exact */
    ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
    rps_world_destroy(world);
}

/* A beam turned about its end, m l^2/3 of a thin one: the point that is held carries the centripetal force, which the speed
 * of the solver knows only with the torque. A slider that lifts a weight gains (F - m g)/m. */
static void test_arms(void **state) {
    (void)state;
    const double edge[3] = {1.0, 0.1, 0.1}, mass = 3.0, torque = 0.6, t = 0.5;
    const double moment = mass * (1.0 + 0.01) / 12.0 + mass * 0.25;
    rps_world *world = world_with(H, 0.0, 1);
    const uint64_t beam = add_box(world, rps_vec3_make(0.5, 0.0, 0.0), edge, mass, O, O);
    const size_t motor = motor_of(world, beam, RPS_JOINT_WORLD, Z, true);
    start(world);
    command(world, motor, RPS_MOTOR_LOAD, torque, INFINITY);
    advance(world, (uint64_t)(t / H + 0.5));
    const double w = torque * t / moment;
    const rps_joint_state told = joint_of(world, motor);
    /* The beam turns about one principal axis, so that momentum about the pin is kept but for the second order of the drift
     * along tangents, w^2 h^2. */
    ASSERT_NEAR(told.speed, w, w * w * H * H * w * 10.0);
    ASSERT_NEAR(rps_vec3_norm(as_vec(told.force)),
                mass * 0.5 * sqrt(w * w * w * w + torque * torque / (moment * moment)), 1e-2 * mass * 0.5 * w * w);
    ASSERT_NEAR(told.torque[2], torque, LOOSE);
    const rps_ledger ledger = ledger_of(world);
    SAY("beam: %.6f rad/s, exact %.6f; drives off by %.1e J, ledger off by %.1e J\n", told.speed, w,
        ledger.drives - 0.5 * moment * w * w, ledger.residual);
    ASSERT_NEAR(ledger.drives, 0.5 * moment * w * w, 1e-6 * ledger.drives);
    ASSERT_NEAR(ledger.residual, 0.0, LOOSE);
    rps_world_destroy(world);
    world = world_with(H, G, 1);
    const uint64_t load = add_body(world, O, 2.0, INERTIA);
    const size_t lift = motor_of(world, load, RPS_JOINT_WORLD, Z, false);
    start(world);
    command(world, lift, RPS_MOTOR_LOAD, 25.0, INFINITY);
    advance(world, 100);
    ASSERT_NEAR(velocity_of(world, load).z, 0.1 * (25.0 - 2.0 * G) / 2.0, LOOSE);
    ASSERT_NEAR(joint_of(world, lift).force[2], 25.0, LOOSE);
    rps_world_destroy(world);
}

/* A commanded force presses a ball on the ground: the contact carries it and the weight within the same step. */
static void test_press(void **state) {
    (void)state;
    rps_world *world = world_with(H, G, 1);
    const uint64_t ground = add_ground(world, Z);
    const uint64_t ball = add_body(world, rps_vec3_make(0.0, 0.0, 0.1), 2.0, INERTIA);
    const size_t press = motor_of(world, ball, RPS_JOINT_WORLD, Z, false);
    start(world);
    command(world, press, RPS_MOTOR_LOAD, -30.0, INFINITY);
    advance(world, 1);
    rps_vec3 load = vec_of(world, "force", ground);
    ASSERT_NEAR(load.z, -(30.0 + 2.0 * G), 1e-6);
    ASSERT_NEAR(velocity_of(world, ball).z, 0.0, LOOSE);
    rps_world_destroy(world);
}

/* --- told ----------------------------------------------------------------------------------------------------------- */

/* The axis is fixed in the second body and turns with it; turns are whole ones too. */
static void test_axis(void **state) {
    (void)state;
    rps_world *world = world_with(H, 0.0, 1);
    rps_body_def body = rps_body_def_default();
    uint64_t arm = 0;
    body.radius = 0.1;
    body.mass = 1.0;
    body.inertia[0] = 5.0;
    body.angular_velocity[2] = 2.0;
    MUST(rps_world_add_body(world, &body, &arm, ERR));
    const uint64_t wheel = add_body(world, O, 1.0, INERTIA);
    rps_joint_def pin = joint_def(RPS_JOINT_HINGE, arm, RPS_JOINT_WORLD, O, Z);
    const size_t turntable = join(world, &pin), motor = motor_of(world, wheel, arm, X, true);
    pin.kind = RPS_JOINT_BALL;
    pin.collide = true;
    pin.body[0] = wheel;
    const size_t ball = join(world, &pin);
    start(world);
    assert_true(joint_of(world, motor).axis[0] == 1.0);
    advance(world, 500);
    const double angle = joint_of(world, turntable).position;
    ASSERT_ABOVE(angle, 0.5);
    const rps_vec3 axis = as_vec(joint_of(world, motor).axis);
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(axis, rps_vec3_make(cos(angle), sin(angle), 0.0))), LOOSE);
    ASSERT_NEAR(joint_of(world, turntable).axis[2], 1.0, 1e-15);
    assert_true(isnan(joint_of(world, ball).axis[0]) && isnan(joint_of(world, ball).turns));
    rps_world_destroy(world);
    world = world_with(H, 0.0, 1);
    const size_t axle = motor_of(world, add_body(world, O, 1.0, INERTIA), RPS_JOINT_WORLD, Y, true);
    start(world);
    command(world, axle, RPS_MOTOR_SPEED, -20.0, INFINITY);
    advance(world, 1000);
    ASSERT_NEAR(joint_of(world, axle).turns, -20.0 / (2.0 * RPS_PI), LOOSE);
    rps_world_destroy(world);
}

/* --- bits and refusals ---------------------------------------------------------------------------------------------- */

static rps_world *robot(int threads, size_t motor[3]) {
    rps_world *world = world_with(H, G, threads);
    const double edge[3] = {0.3, 0.2, 0.1};
    uint64_t last = RPS_JOINT_WORLD;
    for (size_t k = 0; k < 3; k++) {
        const uint64_t id = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, O, O);
        rps_joint_def def =
            joint_def(RPS_JOINT_MOTOR, id, last, rps_vec3_make(0.4 * (double)k - 0.2, 0.01, 0.0), k == 1 ? Y : Z);
        def.motion = (rps_joint_motion){.turns = true, .speed = 0.5, .until = -1.0};
        motor[k] = join(world, &def);
        last = id;
    }
    return world;
}

static void command_robot(rps_world *world, const size_t motor[3]) {
    rps_motor_command c = rps_motor_command_default();
    command(world, motor[0], RPS_MOTOR_SPEED, -1.0, 5.0);
    command(world, motor[1], RPS_MOTOR_LOAD, 0.7, INFINITY);
    c.control = RPS_MOTOR_POSITION;
    c.value = 1.0;
    c.load_max = 4.0;
    c.speed_max = 2.0;
    c.time = 0.1;
    MUST(rps_world_command_motor(world, motor[2], &c, ERR));
}

static void test_bits(void **state) {
    (void)state;
    char path[] = "/tmp/repose-motors-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    size_t motor[3];
    uint64_t one[2], two[2], again[2], free[2];
    rps_world *world = robot(1, motor), *other = robot(2, motor), *resumed = robot(1, motor), *left = robot(1, motor);
    start(world);
    start(other);
    start(left);
    advance(world, 50);
    advance(other, 50);
    command_robot(world, motor);
    command_robot(other, motor);
    advance(world, 50);
    MUST(rps_world_save(world, path, ERR));
    advance(world, 50);
    advance(other, 100);
    advance(left, 150);
    MUST(rps_world_restore(resumed, path, ERR)); /* the commands too */
    advance(resumed, 50);
    MUST(rps_world_hash(world, one, ERR));
    MUST(rps_world_hash(other, two, ERR));
    MUST(rps_world_hash(resumed, again, ERR));
    MUST(rps_world_hash(left, free, ERR));
    assert_memory_equal(one, two, sizeof one);
    assert_memory_equal(one, again, sizeof one);
    assert_true(one[0] != free[0]);
    for (size_t k = 0; k < 3; k++) {
        const rps_joint_state a = joint_of(world, motor[k]), b = joint_of(resumed, motor[k]);
        assert_memory_equal(a.axis, b.axis, sizeof a.axis);
        assert_true(a.turns == b.turns && a.speed == b.speed);
        assert_memory_equal(a.torque, b.torque, sizeof a.torque);
    }
    rps_world_destroy(left);
    rps_world_destroy(resumed);
    rps_world_destroy(other);
    rps_world_destroy(world);
    unlink(path);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = world_with(H, G, 1);
    const uint64_t body = add_body(world, X, 1.0, 0.1);
    rps_joint_def pin = joint_def(RPS_JOINT_HINGE, body, RPS_JOINT_WORLD, X, Y);
    pin.name = "pin";
    join(world, &pin);
    const size_t motor = motor_of(world, body, RPS_JOINT_WORLD, Y, true);
    rps_motor_command c, good = rps_motor_command_default();
    rps_error err = {0};
#define REFUSED(joint, change, said)                                                      \
    do {                                                                                  \
        c = good;                                                                         \
        change;                                                                           \
        assert_int_equal(rps_world_command_motor(world, joint, &c, &err), RPS_BAD_INPUT); \
        if (!strstr(err.text, said)) fail_msg("said: %s\nexpected: %s", err.text, said);  \
    } while (0)
    REFUSED(7, (void)0, "there is no joint number 7; the world has 2");
    REFUSED(0, (void)0, "joint `pin`: only a motor");
    REFUSED(motor, c.size = 4, "joint 1: size is 4");
    REFUSED(motor, c.control = RPS_MOTOR_MOTION, "control number 0");
    REFUSED(motor, c.control = RPS_MOTOR_CONTROLS, "control number 4");
    REFUSED(motor, c.value = NAN, "the commanded value is nan");
    REFUSED(motor, c.load_max = 0.0, "load_max is 0");
    REFUSED(motor, c.load_max = NAN, "load_max is nan");
    REFUSED(motor, c.speed_max = 1.0, "takes no speed_max");
    REFUSED(motor, c.time = 1.0, "only a position");
    REFUSED(motor, c.time = -1.0, "the time is -1 s");
    REFUSED(motor, (c.control = RPS_MOTOR_LOAD, c.load_max = 1.0), "takes no load_max");
    REFUSED(motor, (c.control = RPS_MOTOR_POSITION, c.time = INFINITY), "the time is inf s");
    REFUSED(motor, (c.control = RPS_MOTOR_POSITION, c.speed_max = -1.0), "speed_max is -1");
    start(world);
    advance(world, 10);
    ASSERT_NEAR(joint_of(world, motor).speed, 0.0, LOOSE); /* none of them took effect */
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speed),    cmocka_unit_test(test_stall),     cmocka_unit_test(test_position),
        cmocka_unit_test(test_braking),  cmocka_unit_test(test_torque),    cmocka_unit_test(test_arms),
        cmocka_unit_test(test_press),    cmocka_unit_test(test_axis),      cmocka_unit_test(test_bits),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_own_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
