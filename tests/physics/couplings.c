/*
 * Couplings of two joints against closed forms: gear pairs, trains, a rack, a planetary gear, and what is refused. A coupling adds
 * no energy: its power is that of its two sides, to rounding.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "joined.h"

static const double H = 1e-3;

/* Rounding of angles, over the step, is 1e-13 of the velocities here. */
static rps_world *geared_world(double gravity) {
    rps_world_options options = joint_options(H, gravity, 1);
    options.nonsmooth.tolerance = 10.0 * TIGHT;
    return world_by(&options);
}

static size_t couple(rps_world *world, size_t first, size_t second, double ratio) {
    rps_joint_def def = rps_joint_def_default();
    def.kind = RPS_JOINT_COUPLING;
    def.joint[0] = first;
    def.joint[1] = second;
    def.ratio = ratio;
    return join(world, &def);
}

/* A wheel on an axle in the world. */
static size_t wheel(rps_world *world, rps_vec3 x, double inertia, uint64_t *id) {
    *id = add_body(world, x, 1.0, inertia);
    const rps_joint_def def = joint_def(RPS_JOINT_HINGE, *id, RPS_JOINT_WORLD, x, Y);
    return join(world, &def);
}

/* --- gears ---------------------------------------------------------------------------------------------------------- */

/* A train of wheels, q(k + 1) = ratio q(k), that a torque on the first one drives against friction at the last: as one
 * wheel with the inertia sum I R(k)^2 and the torque T - S R(n), R(k) = ratio^k. Each coupling bears what is behind it. */
static void test_train(void **state) {
    (void)state;
    enum { MOST = 5 };
    const double torque = 2.0, friction = 0.1, ratio[3] = {-0.5, 3.0, 1.0};
    for (int c = 0; c < 3; c++) {
        const int count = c == 1 ? 2 : MOST;
        rps_world *world = geared_world(0.0);
        uint64_t id[MOST];
        size_t axle[MOST], mesh[MOST];
        double inertia[MOST], turns[MOST], all = 0.0;
        for (int k = 0; k < count; k++) {
            inertia[k] = 0.1 + 0.07 * k;
            turns[k] = k == 0 ? 1.0 : turns[k - 1] * ratio[c];
            all += inertia[k] * turns[k] * turns[k];
            id[k] = add_body(world, rps_vec3_make(0.3 * k, 0.0, 0.0), 1.0, inertia[k]);
            rps_joint_def def = joint_def(k == 0 ? RPS_JOINT_MOTOR : RPS_JOINT_HINGE, id[k], RPS_JOINT_WORLD,
                                          rps_vec3_make(0.3 * k, 0.0, 0.0), Y);
            def.motion = (rps_joint_motion){.turns = k == 0, .until = -1.0};
            def.friction = k == count - 1 ? friction : 0.0;
            axle[k] = join(world, &def);
            if (k > 0) mesh[k] = couple(world, axle[k], axle[k - 1], ratio[c]);
        }
        rps_motor_command command = rps_motor_command_default();
        command.control = RPS_MOTOR_LOAD;
        command.value = torque;
        MUST(rps_world_command_motor(world, axle[0], &command, ERR));
        start(world);
        const double a = (torque - friction * fabs(turns[count - 1])) / all;
        for (int n = 1; n <= 500; n++) {
            advance(world, 1);
            double load = 0.0;
            for (int k = count - 1; k > 0; k--) {
                const double rubs = k == count - 1 ? copysign(friction, turns[k]) : 0.0;
                load = inertia[k] * turns[k] * a + rubs + (k < count - 1 ? ratio[c] * load : 0.0);
                ASSERT_NEAR(joint_of(world, axle[k]).speed, turns[k] * a * n * H, LOOSE * fabs(turns[k]));
                ASSERT_NEAR(joint_of(world, mesh[k]).torque[1], load, 1e-6);
                ASSERT_NEAR(joint_of(world, mesh[k]).axis[1], 1.0, LOOSE);
                ASSERT_BELOW(joint_of(world, mesh[k]).error, 1e-12 * fabs(turns[k]) * n);
            }
        }
        const rps_ledger ledger = ledger_of(world);
        SAY("train of %d, ratio %g: %.4g rad/s, dissipated by damping %.1e J of %.3g J\n", count, ratio[c], a * 0.5,
            ledger.dissipated[RPS_ROLE_DAMPING], ledger.drives);
        /* the work of the torque, and nothing lost in the gears */
        ASSERT_NEAR(ledger.drives, torque * 0.5 * a * 0.25, 1e-8);
        ASSERT_NEAR(ledger.dissipated[RPS_ROLE_DAMPING], 0.0, 1e-11);
        ASSERT_NEAR(ledger.residual, 0.0, 1e-11);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* Rack and pinion: a weight on the rack turns the pinion, (m r^2 + I) a = m g r. */
static void test_rack(void **state) {
    (void)state;
    const double mass = 3.0, inertia = 0.2, r = 0.25;
    for (int turned = 0; turned < 2; turned++) { /* the rack follows the pinion, or the other way round */
        rps_world *world = geared_world(G);
        uint64_t pinion;
        const size_t axle = wheel(world, O, inertia, &pinion);
        const uint64_t rack = add_body(world, rps_vec3_make(r, 0.0, 0.0), mass, 1.0);
        const rps_joint_def def = joint_def(RPS_JOINT_SLIDER, rack, RPS_JOINT_WORLD, rps_vec3_make(r, 0.0, 0.0), Z);
        const size_t guide = join(world, &def);
        /* about y, z follows -r times the angle */
        const size_t teeth = turned ? couple(world, axle, guide, -1.0 / r) : couple(world, guide, axle, -r);
        start(world);
        const double a = mass * G * r / (mass * r * r + inertia);
        for (int n = 1; n <= 500; n++) {
            advance(world, 1);
            ASSERT_NEAR(joint_of(world, axle).speed, a * n * H, LOOSE);
            ASSERT_NEAR(joint_of(world, guide).position, -0.5 * r * a * H * H * n * (n + 1.0), LOOSE);
            const rps_joint_state now = joint_of(world, teeth);
            if (turned) ASSERT_NEAR(now.torque[1], inertia * a, 1e-6);
            if (!turned) ASSERT_NEAR(now.force[2], inertia * a / r, 1e-6);
        }
        /* x + h v takes m g h v/2 too much from the height */
        ASSERT_NEAR(ledger_of(world).residual, 0.5 * H * mass * G * velocity_of(world, rack).z, 1e-8);
        assert_int_equal(report_of(world).missed, 0);
        rps_world_destroy(world);
    }
}

/* A planetary gear: a sun and a ring on axles in the world, a planet on its carrier, meshed with both in the frame of the carrier.
 * Willis: (w_ring - w_carrier)/(w_sun - w_carrier) = -z_sun/z_ring. The coupling of sun and planet has three bodies, that of ring and
 * planet as well. With the ring held by a motor, a torque on the sun comes out of the carrier (1 + z_ring/z_sun) times. */
static void test_planetary(void **state) {
    (void)state;
    const double sun_teeth = 20.0, planet_teeth = 15.0, ring_teeth = 50.0, inertia = 0.1, torque = 0.7, w = 2.0;
    rps_world *world = geared_world(0.0);
    const rps_vec3 pin = {0.35, 0.0, 0.0};
    const uint64_t carrier = add_body(world, O, 1.0, inertia), planet = add_body(world, pin, 1.0, inertia);
    const uint64_t sun = add_body(world, Z, 1.0, inertia), ring = add_body(world, rps_vec3_neg(Z), 1.0, inertia);
    rps_joint_def def = joint_def(RPS_JOINT_MOTOR, carrier, RPS_JOINT_WORLD, O, Z);
    def.motion = (rps_joint_motion){.turns = true, .speed = w, .until = -1.0};
    const size_t arm = join(world, &def);
    def = joint_def(RPS_JOINT_MOTOR, ring, RPS_JOINT_WORLD, O, Z);
    def.motion = (rps_joint_motion){.turns = true, .until = -1.0};
    const size_t held = join(world, &def);
    /* turns against the carrier; sun and ring turn on it, and it bears them */
    def = joint_def(RPS_JOINT_HINGE, sun, carrier, O, Z);
    const size_t sun_axle = join(world, &def);
    def = joint_def(RPS_JOINT_HINGE, planet, carrier, pin, Z);
    const size_t pinion = join(world, &def);
    couple(world, sun_axle, pinion, -planet_teeth / sun_teeth);
    def = joint_def(RPS_JOINT_HINGE, ring, carrier, O, Z);
    const size_t ring_axle = join(world, &def);
    couple(world, pinion, ring_axle, ring_teeth / planet_teeth);
    def = joint_def(RPS_JOINT_HINGE, sun, RPS_JOINT_WORLD, O, Z);
    def.friction = torque;
    const size_t out = join(world, &def);
    start(world);
    advance(world, 1000);
    const double sun_speed = w * (1.0 + ring_teeth / sun_teeth);
    ASSERT_NEAR(joint_of(world, out).speed, sun_speed, 1e-8);
    ASSERT_NEAR(joint_of(world, out).position, sun_speed, 1e-8);
    ASSERT_NEAR(joint_of(world, pinion).speed, -w * ring_teeth / planet_teeth, 1e-8);
    ASSERT_NEAR(joint_of(world, arm).torque[2], torque * sun_speed / w, 1e-5);
    ASSERT_NEAR(joint_of(world, arm).torque[2] + joint_of(world, held).torque[2], torque, 1e-5); /* of the whole gear */
    rps_world_destroy(world);
}

/* --- momentum, bits, refusals --------------------------------------------------------------------------------------- */

static rps_world *machine(int threads, uint64_t id[5]) {
    rps_world *world = world_with(H, 0.0, threads);
    const double edge[3] = {0.3, 0.2, 0.1};
    size_t joint[4];
    for (uint64_t k = 0; k < 5; k++) {
        id[k] = add_box(world, rps_vec3_make(0.4 * (double)k, 0.0, 0.0), edge, 1.0, random_vec(5, k), random_vec(6, k));
    }
    for (size_t k = 0; k < 4; k++) {
        const rps_joint_def def = joint_def(k % 2 ? RPS_JOINT_SLIDER : RPS_JOINT_HINGE, id[k], id[k + 1],
                                            rps_vec3_make(0.4 * (double)k + 0.2, 0.03, 0.01), random_direction(7, k));
        joint[k] = join(world, &def);
    }
    couple(world, joint[0], joint[1], 3.0);  /* three bodies, an angle and a way */
    couple(world, joint[3], joint[0], 0.05); /* four */
    return world;
}

/* Coupled joints of free bodies keep momentum and angular momentum, and the bits over threads and a saved state. */
static void test_momentum(void **state) {
    (void)state;
    char path[] = "/tmp/repose-couplings-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t id[5], one[2], two[2], again[2];
    rps_world *world = machine(1, id), *other = machine(2, id), *resumed = machine(1, id);
    start(world);
    start(other);
    rps_vec3 p[2], l[2];
    for (int n = 0; n < 2; n++) {
        p[n] = l[n] = O;
        for (int k = 0; k < 5; k++) {
            const rps_vec3 v = velocity_of(world, id[k]);
            p[n] = rps_vec3_add(p[n], v);
            l[n] = rps_vec3_add(l[n], rps_vec3_add(rps_vec3_cross(position_of(world, id[k]), v),
                                                   vec_of(world, "angular_momentum", id[k])));
        }
        if (n == 0) advance(world, 150);
    }
    SAY("momentum off by %.1e, angular momentum by %.1e\n", rps_vec3_norm(rps_vec3_sub(p[1], p[0])),
        rps_vec3_norm(rps_vec3_sub(l[1], l[0])));
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(p[1], p[0])), 1e-12);
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(l[1], l[0])), 1e-11);
    MUST(rps_world_save(world, path, ERR));
    MUST(rps_world_restore(resumed, path, ERR));
    advance(world, 50);
    advance(resumed, 50);
    advance(other, 200);
    MUST(rps_world_hash(world, one, ERR));
    MUST(rps_world_hash(other, two, ERR));
    MUST(rps_world_hash(resumed, again, ERR));
    assert_memory_equal(one, two, sizeof one);
    assert_memory_equal(one, again, sizeof one);
    rps_world_destroy(resumed);
    rps_world_destroy(other);
    rps_world_destroy(world);
    unlink(path);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = geared_world(0.0);
    uint64_t id[2];
    const size_t a = wheel(world, O, 0.1, &id[0]), b = wheel(world, X, 0.1, &id[1]);
    rps_joint_def ball = joint_def(RPS_JOINT_BALL, id[0], id[1], O, O), same;
    const size_t socket = join(world, &ball);
    same = joint_def(RPS_JOINT_SLIDER, RPS_JOINT_WORLD, id[0], O, Y);
    const size_t guide = join(world, &same);
    rps_joint_def def = rps_joint_def_default(), bad;
    def.kind = RPS_JOINT_COUPLING;
    def.joint[0] = a;
    def.joint[1] = b;
    def.ratio = 2.0;
    rps_error err = {0};
#define REFUSED(change, said)                                                            \
    do {                                                                                 \
        bad = def;                                                                       \
        change;                                                                          \
        assert_int_equal(rps_world_add_joint(world, &bad, NULL, &err), RPS_BAD_INPUT);   \
        if (!strstr(err.text, said)) fail_msg("said: %s\nexpected: %s", err.text, said); \
    } while (0)
    REFUSED(bad.body[0] = id[0], "takes no bodies");
    REFUSED(bad.joint[1] = 4, "there is no joint number 4");
    REFUSED(bad.joint[1] = socket, "has no angle and no displacement");
    REFUSED(bad.joint[1] = a, "of the same two bodies");
    REFUSED(bad.joint[1] = guide, "of the same two bodies");
    REFUSED(bad.ratio = 0.0, "its ratio is 0");
    REFUSED(bad.ratio = NAN, "its ratio is nan");
    REFUSED(bad.friction = 1.0, "nothing that can rub");
    REFUSED(bad.limits[1] = 1.0, "limits and springs act along coordinates");
    rps_world_destroy(world);
    /* two motors that do not fit their gear */
    world = geared_world(0.0);
    for (int k = 0; k < 2; k++) {
        id[k] = add_body(world, rps_vec3_make(k, 0.0, 0.0), 1.0, 0.1);
        rps_joint_def motor = joint_def(RPS_JOINT_MOTOR, id[k], RPS_JOINT_WORLD, rps_vec3_make(k, 0.0, 0.0), Y);
        motor.motion = (rps_joint_motion){.turns = true, .speed = 1.0 + k, .until = -1.0};
        join(world, &motor);
    }
    def.joint[0] = 0;
    def.joint[1] = 1;
    join(world, &def);
    assert_int_equal(rps_world_start(world, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "contradicts"));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_train),    cmocka_unit_test(test_rack),     cmocka_unit_test(test_planetary),
        cmocka_unit_test(test_momentum), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
