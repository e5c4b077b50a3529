/* Concentric spheres and disks: their contact has no direction. Both steppers stop with this message before a
 * position becomes NaN, for any setting of the guards, and do not blame the step. An exclusion, or any distance, lets
 * the run continue. */
#include "contacts_common.h"

#include <string.h>

/* Adds a ball at (0.25 + distance, 0, 0.5) m; what is not in contact stays there, for nothing pulls. */
static void add_ball(rps_world *world, int dimension, double radius, double distance, rps_body_kind kind, int group) {
    rps_error err;
    rps_body_def ball = rps_body_def_default();
    ball.shape = dimension == 2 ? "disk" : "sphere";
    ball.radius = radius;
    ball.kind = kind;
    ball.position[0] = 0.25 + distance;
    ball.position[2] = 0.5;
    ball.group = group;
    OK(rps_world_add_body(world, &ball, NULL, &err));
}

static rps_world *make_world(rps_stepper stepper, int dimension) {
    rps_world_options options = rps_world_options_default();
    options.stepper = stepper;
    options.dimension = dimension;
    options.threads = 1;
    options.step = 1e-6;
    memset(options.gravity, 0, sizeof options.gravity);
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    return contacts_world(&options, 100.0);
}

static void assert_stops(rps_world *world, uint64_t step) {
    static const char *const part[] = {"guard `not-a-number`", "body 1 and body 2 have the same centre",
                                       "(0.25, 0, 0.5) m", "move them apart"};
    rps_error err;
    assert_int_equal(rps_world_step(world, 5, &err), RPS_GUARD);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        if (!strstr(err.text, part[k])) fail_msg("expected \"%s\" in\n%s", part[k], err.text);
    }
    assert_null(strstr(err.text, "smaller"));
    assert_int_equal(rps_world_steps(world), step);
}

/* Each stepper in space and in the plane. */
static void each(void (*test)(rps_stepper stepper, int dimension)) {
    for (int dimension = 2; dimension <= 3; dimension++) {
        test(RPS_PENALTY, dimension);
        test(RPS_NONSMOOTH, dimension);
    }
}

static void at_the_start(rps_stepper stepper, int dimension) {
    for (int fixed = 0; fixed < 2; fixed++) {
        rps_world *world = make_world(stepper, dimension);
        add_ball(world, dimension, 0.01, 0.0, RPS_BODY_FREE, 0);
        add_ball(world, dimension, 0.02, 0.0, fixed ? RPS_BODY_FIXED : RPS_BODY_FREE, 0);
        assert_stops(world, 0);
        rps_world_destroy(world);
    }
}

static void later(rps_stepper stepper, int dimension) {
    rps_error err;
    rps_world *world = make_world(stepper, dimension);
    add_ball(world, dimension, 0.01, 0.0, RPS_BODY_FREE, 0);
    OK(rps_world_step(world, 3, &err));
    add_ball(world, dimension, 0.02, 0.0, RPS_BODY_FREE, 0);
    assert_stops(world, 4);
    rps_world_destroy(world);
}

static void goes_on(rps_stepper stepper, int dimension) {
    rps_error err;
    rps_world *world = make_world(stepper, dimension);
    add_ball(world, dimension, 0.01, 0.0, RPS_BODY_FREE, 0);
    add_ball(world, dimension, 0.02, 1e-12, RPS_BODY_FREE, 0);
    OK(rps_world_step(world, 5, &err));
    rps_world_destroy(world);
    world = make_world(stepper, dimension);
    int second;
    OK(rps_world_group(world, "second", &second, &err));
    OK(rps_world_exclude(world, 0, second, &err));
    add_ball(world, dimension, 0.01, 0.0, RPS_BODY_FREE, 0);
    add_ball(world, dimension, 0.02, 0.0, RPS_BODY_FREE, second);
    OK(rps_world_step(world, 5, &err));
    rps_world_destroy(world);
}

static void test_at_the_start(void **state) {
    (void)state;
    each(at_the_start);
}

static void test_later(void **state) {
    (void)state;
    each(later);
}

static void test_goes_on(void **state) {
    (void)state;
    each(goes_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_the_start), cmocka_unit_test(test_later),
                                       cmocka_unit_test(test_goes_on)};
    return cmocka_run_group_tests_name("same centre", tests, NULL, NULL);
}
