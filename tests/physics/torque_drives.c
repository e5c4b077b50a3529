/*
 * Drives that seek a torque: a bar presses a ball against a wall until its torque is the one wanted, which is the moment of the wall's
 * reaction; the rate has a bound; what the servo does is in the ledger, to the second order of the step; restart and threads do not
 * show.
 */
#include "meshes.h"

#include <unistd.h>

#include "world/world.h"

static const double RADIUS = 0.03, STIFF = 1e5, TORQUE = 2.5;

/* The bar lies along x and turns about z; two balls lie before it and behind it, each at a wall. */
static rps_world *vice(double step, int threads, bool balls) {
    rps_world_options options = options_of(step);
    options.threads = threads;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", STIFF, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e4, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def bar = rps_body_def_default();
    bar.shape = "box";
    bar.kind = RPS_BODY_DRIVEN;
    bar.parameter[0] = 0.5;
    bar.parameter[1] = bar.parameter[2] = 0.04;
    bar.drive = (rps_drive){.kind = RPS_DRIVE_TORQUE, .direction = {0.0, 0.0, 2.0}, .target = TORQUE, .until = -1.0};
    MUST(rps_world_add_body(world, &bar, NULL, ERR));
    for (int k = 0; k < 2 && balls; k++) {
        const double side = k == 0 ? 1.0 : -1.0;
        rps_body_def ball = rps_body_def_default(), wall = ball;
        ball.shape = "sphere";
        ball.radius = RADIUS;
        ball.mass = 0.5;
        ball.position[0] = side * (0.15 + 0.04 * k);
        ball.position[1] = side * (0.02 + RADIUS + 1e-4);
        MUST(rps_world_add_body(world, &ball, NULL, ERR));
        wall.shape = "plane";
        wall.kind = RPS_BODY_FIXED;
        wall.position[1] = side * (0.02 + 2.0 * RADIUS + 2e-4);
        wall.normal[1] = -side;
        wall.normal[2] = 0.0;
        MUST(rps_world_add_body(world, &wall, NULL, ERR));
    }
    start(world);
    return world;
}

static double torque_of(const rps_world *world, uint64_t id, double force[3]) {
    double torque[3];
    MUST(rps_world_body_load(world, id, force, torque, ERR));
    return torque[2];
}

static void test_moment(void **state) {
    (void)state;
    rps_world *world = vice(1e-4, 1, true);
    advance(world, 30000);
    double force[3], moment = 0.0;
    /* round-off: of forces of 10 N at .2 m, and overlaps of 1e-4 m of bodies .2 m away */
    ASSERT_NEAR(torque_of(world, 0, force), -TORQUE, 1e-11 * TORQUE);
    for (uint64_t wall = 2; wall <= 4; wall += 2) {
        const double own = torque_of(world, wall, force);
        const rps_vec3 x = position_of(world, wall);
        moment += own + (x.x * force[1] - x.y * force[0]);
    }
    /* the balls lie still: what the bar does to them, the walls bear */
    ASSERT_NEAR(moment, TORQUE, 1e-9 * TORQUE);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, 1)), 1e-9);
    rps_world_destroy(world);
}

static void test_rate(void **state) {
    (void)state;
    rps_world *world = vice(1e-4, 1, false);
    advance(world, 1000);
    const double *q = field_of(world, "orientation", 0), *w = field_of(world, "angular_velocity", 0);
    ASSERT_NEAR(2.0 * atan2(q[3], q[0]), 1.0 * 1000 * 1e-4, 1e-13); /* rounding of a thousand turns */
    assert_true(w[2] == 1.0);
    rps_drive still = {.until = -1.0};
    MUST(rps_world_set_drive(world, 0, &still, ERR));
    advance(world, 10);
    assert_true(field_of(world, "angular_velocity", 0)[2] == 0.0);
    rps_world_destroy(world);
}

/* J: what the ledger misses while the balls are pressed, without the first touch, where the step is in the dark. */
static double missing(double step) {
    rps_world *world = vice(step, 1, true);
    advance(world, (uint64_t)(0.02 / step + 0.5));
    const double before = ledger_of(world).residual;
    advance(world, (uint64_t)(0.1 / step + 0.5));
    const double after = ledger_of(world).residual;
    rps_world_destroy(world);
    return fabs(after - before);
}

static void test_torque_ledger(void **state) {
    (void)state;
    const double coarse = missing(1e-4), fine = missing(2.5e-5);
    SAY("residual %.2e J, at a quarter of the step %.2e J\n", coarse, fine);
    /* the springs hold some T^2/(k l^2)/2 = 1.4e-3 J */
    ASSERT_BELOW(coarse, 1e-4);
    ASSERT_BELOW(fine, coarse / 4.0);
}

static void test_torque_bits(void **state) {
    (void)state;
    char path[] = "/tmp/repose-torque-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    rps_world *world = vice(1e-4, 1, true), *again = vice(1e-4, 2, true), *threaded = vice(1e-4, 3, true);
    advance(world, 300);
    MUST(rps_world_save(world, path, ERR));
    MUST(rps_world_restore(again, path, ERR));
    advance(world, 400);
    advance(again, 400);
    advance(threaded, 700);
    assert_same_state(again, world);
    assert_same_state(threaded, world);
    remove(path);
    rps_world_destroy(world);
    rps_world_destroy(again);
    rps_world_destroy(threaded);
}

static void test_torque_refusals(void **state) {
    (void)state;
    rps_world *world = vice(1e-4, 1, false);
    rps_drive drive = {.kind = RPS_DRIVE_TORQUE, .direction = {0.0, 0.0, 1.0}, .target = 1.0, .until = -1.0};
    rps_body_def wall = rps_body_def_default();
    rps_error err = {0};
    wall.shape = "plane";
    wall.kind = RPS_BODY_DRIVEN;
    wall.drive = (rps_drive){.until = -1.0};
    wall.position[2] = -1.0;
    uint64_t id;
    MUST(rps_world_add_body(world, &wall, &id, ERR));
    assert_int_equal(rps_world_set_drive(world, id, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "a torque on a plane has no arm"));
    drive.angular_velocity[0] = 1.0;
    assert_int_equal(rps_world_set_drive(world, 0, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "turns it and also seeks a torque"));
    drive.angular_velocity[0] = 0.0;
    drive.direction[2] = 0.0;
    assert_int_equal(rps_world_set_drive(world, 0, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "needs a direction"));
    drive = (rps_drive){.kind = RPS_DRIVE_MIRROR, .direction = {1.0, 0.0, 0.0}, .mirror = 0, .until = -1.0};
    assert_int_equal(rps_world_set_drive(world, id, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "mirrors a body that turns"));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moment), cmocka_unit_test(test_rate),
                                       cmocka_unit_test(test_torque_ledger), cmocka_unit_test(test_torque_bits),
                                       cmocka_unit_test(test_torque_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
