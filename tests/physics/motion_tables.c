/*
 * Motion by a table: a sine to the order of the interpolation, integrals and repetitions in closed form, turning as a constant
 * drive turns, the ledger to the second order of the step, and the same bits after a restart.
 */
#include "worlds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world/world.h"

#define ROWS 801
static const double AMPLITUDE = 1e-3, TURN = 62.83185307179586, SPAN = 0.1; /* m, rad/s (10 Hz), s: one period */

static double time_of_rows[ROWS], place_of_rows[ROWS][3], speed_of_rows[ROWS][3];

static rps_motion_def sine_rows(int intervals) {
    rps_motion_def def = rps_motion_def_default();
    for (int k = 0; k <= intervals; k++) {
        const double t = SPAN * k / intervals;
        time_of_rows[k] = t;
        memset(place_of_rows[k], 0, sizeof place_of_rows[k]);
        memset(speed_of_rows[k], 0, sizeof speed_of_rows[k]);
        place_of_rows[k][2] = AMPLITUDE * sin(TURN * t);
        speed_of_rows[k][2] = AMPLITUDE * TURN * cos(TURN * t);
    }
    def.time = time_of_rows;
    def.rows = (size_t)intervals + 1;
    return def;
}

static void table_at(const rps_world *world, double time, double value[6], double slope[6]) {
    rps_motion_table_at(&world->motion_table[world->motions - 1], time, value, slope);
}

/* Largest error of the displacement over the period, of place and its derivative. */
static void errors_of(rps_world *world, const rps_motion_def *def, double *place, double *speed) {
    MUST(rps_world_add_motion(world, def, NULL, ERR));
    *place = *speed = 0.0;
    for (int k = 0; k < 5000; k++) {
        const double t = SPAN * k / 5000.0;
        double value[6], slope[6];
        table_at(world, t, value, slope);
        *place = fmax(*place, fabs(value[2] - AMPLITUDE * sin(TURN * t)));
        *speed = fmax(*speed, fabs(slope[2] - AMPLITUDE * TURN * cos(TURN * t)));
    }
}

static rps_world *empty_world(double step) {
    rps_world_options options = options_of(step);
    options.gravity[2] = -9.81;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e4, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.4, "kinetic", 0.3, "stiffness", 1e4, NULL);
    return world_of(&options, &pair);
}

/* With h the interval and w the angular frequency: both columns A (w h)^4/384; velocities alone, the trapezoidal rule,
 * A (w h)^2/12 of the displacement (twice its error at half a period) and more between rows; places alone, A (w h)^2/8 linear,
 * and order 3 with parabolas. */
static void test_sine(void **state) {
    (void)state;
    rps_world *world = empty_world(1e-4);
    for (int n = 20; n <= 80; n *= 2) {
        const double h = TURN * SPAN / n;
        double both[2], place[2], half[2], speed[2], linear[2];
        rps_motion_def def = sine_rows(n);
        def.position = (const double(*)[3])place_of_rows;
        def.repeat = 1;
        errors_of(world, &def, &place[0], &place[1]);
        def.linear = 1;
        errors_of(world, &def, &linear[0], &linear[1]);
        def.linear = 0;
        def.velocity = (const double(*)[3])speed_of_rows;
        errors_of(world, &def, &both[0], &both[1]);
        def.position = NULL;
        errors_of(world, &def, &speed[0], &speed[1]);
        def = sine_rows(2 * n);
        def.position = (const double(*)[3])place_of_rows;
        def.repeat = 1;
        errors_of(world, &def, &half[0], &half[1]);
        SAY("%d rows: both %.3e, places %.3e (half: a factor of %.1f), velocities %.3e, linear %.3e m\n", n, both[0],
            place[0], place[0] / half[0], speed[0], linear[0]);
        /* leading terms: 1 % and, of the velocity, 5 % above them */
        ASSERT_NEAR(both[0], AMPLITUDE * h * h * h * h / 384.0, 0.05 * both[0]);
        ASSERT_NEAR(linear[0], AMPLITUDE * h * h / 8.0, 0.05 * linear[0]);
        ASSERT_BELOW(speed[0], AMPLITUDE * h * h / 6.0);
        ASSERT_NEAR(place[0] / half[0], 8.0, 0.8);
        ASSERT_BELOW(both[1], AMPLITUDE * TURN * h * h * h / 100.0);
    }
    rps_world_destroy(world);
}

/* Velocities integrate exactly, repetitions go on from where the body is, what stays in two rows stays, and the velocity is the
 * derivative of the place. */
static void test_forms(void **state) {
    (void)state;
    static const double time[4] = {1.0, 2.0, 4.0, 5.0};
    static const double v[4][3] = {{0, 0, 0}, {2, 0, 0}, {2, 0, 0}, {0, 0, 0}};
    static const double x[4][3] = {{1, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}};
    double value[6], slope[6], after[6], other[6];
    rps_world *world = empty_world(1e-4);
    rps_motion_def def = rps_motion_def_default();
    def.time = time;
    def.rows = 4;
    def.velocity = v;
    MUST(rps_world_add_motion(world, &def, NULL, ERR));
    table_at(world, 0.5, value, slope);
    assert_true(value[0] == 0.0 && slope[0] == 0.0);
    table_at(world, 1.5, value, slope); /* half of a ramp to 2 m/s */
    ASSERT_NEAR(value[0], 0.25, 1e-15);
    ASSERT_NEAR(slope[0], 1.0, 1e-15);
    table_at(world, 9.0, value, slope); /* 1 + 4 + 1 m, and then it holds */
    assert_true(value[0] == 6.0 && slope[0] == 0.0);
    def.repeat = 1;
    MUST(rps_world_add_motion(world, &def, NULL, ERR));
    table_at(world, 9.5, value, slope); /* two periods of 4 s, and half a ramp */
    ASSERT_NEAR(value[0], 12.25, 1e-14);
    def.velocity = NULL;
    def.repeat = 0;
    def.position = x;
    MUST(rps_world_add_motion(world, &def, NULL, ERR));
    for (double t = 1.0; t < 2.0; t += 0.01) {
        table_at(world, t, value, slope);
        assert_true(value[0] == 0.0 && slope[0] == 0.0);
    }
    for (double t = 2.01; t < 3.9; t += 0.01) { /* 1e-5: a cubic over 2 s and differences over 1e-6 s */
        table_at(world, t - 5e-7, value, slope);
        table_at(world, t + 5e-7, after, other);
        table_at(world, t, value, slope);
        assert_true(value[0] >= 0.0 && value[0] <= 1.0);
        table_at(world, t - 5e-7, value, other);
        ASSERT_NEAR((after[0] - value[0]) / 1e-6, slope[0], 1e-5);
    }
    rps_world_destroy(world);
}

/* A plate that a table moves up and down and turns, under a ball; `turns`: by a drive. */
static rps_world *shaken(double step, bool linear, bool turns_by_drive) {
    static const double angle_time[2] = {0.0, 0.4};
    static const double rate[2][3] = {{0.0, 0.0, 3.0}, {0.0, 0.0, 3.0}};
    rps_world *world = empty_world(step);
    rps_motion_def def = sine_rows(40);
    int number;
    def.position = (const double(*)[3])place_of_rows;
    def.repeat = 1;
    def.linear = linear;
    rps_body_def plate = rps_body_def_default();
    plate.shape = "box";
    plate.parameter[0] = plate.parameter[1] = 1.0;
    plate.parameter[2] = 0.1;
    plate.position[2] = -0.05;
    plate.kind = RPS_BODY_DRIVEN;
    plate.drive.until = -1.0;
    if (turns_by_drive) {
        plate.drive.angular_velocity[2] = 3.0;
    } else if (!linear) {
        def = rps_motion_def_default();
        def.time = angle_time;
        def.rows = 2;
        def.angular_velocity = rate;
    }
    if (!turns_by_drive) {
        MUST(rps_world_add_motion(world, &def, &number, ERR));
        plate.drive.motion = number;
    }
    MUST(rps_world_add_body(world, &plate, NULL, ERR));
    add_ball(world, (rps_vec3){0.05, 0.01, 0.0101}, 0.01, 0.01, rps_vec3_zero(), rps_vec3_zero());
    start(world);
    return world;
}

/* A turn at a constant rate is that of the drive, to rounding over 4000 steps of a chaotic contact. */
static void test_turns(void **state) {
    (void)state;
    rps_world *table = shaken(5e-5, false, false), *drive = shaken(5e-5, false, true);
    advance(table, 4000);
    advance(drive, 4000);
    const double path = rps_vec3_norm(rps_vec3_sub(position_of(table, 1), position_of(drive, 1)));
    const rps_ledger a = ledger_of(table), b = ledger_of(drive);
    SAY("turning: paths within %.1e m, work %.6e and %.6e J\n", path, a.drives, b.drives);
    ASSERT_BELOW(path, 1e-10);
    ASSERT_ABOVE(fabs(b.drives), 1e-6);
    ASSERT_NEAR(a.drives, b.drives, 1e-9 * fabs(b.drives));
    const double *p = field_of(table, "orientation", 0), *q = field_of(drive, "orientation", 0);
    for (int k = 0; k < 4; k++) ASSERT_NEAR(p[k], q[k], 1e-12);
    rps_world_destroy(table);
    rps_world_destroy(drive);
}

/* Even with velocities that jump at rows, what the drive does is in the ledger: the residual falls with the square of the step,
 * of which the ball's impacts leave a factor of 3 at least. */
static void test_ledger(void **state) {
    (void)state;
    double residual[2];
    for (int k = 0; k < 2; k++) {
        rps_world *world = shaken(k == 0 ? 4e-5 : 1e-5, true, false);
        advance(world, k == 0 ? 7500 : 30000);
        const rps_ledger ledger = ledger_of(world);
        residual[k] = fabs(ledger.residual);
        SAY("ledger: drives %.4e J, dissipated %.4e J, residual %.2e J\n", ledger.drives, dissipated_of(&ledger),
            ledger.residual);
        ASSERT_ABOVE(fabs(ledger.drives), 1e-6);
        ASSERT_BELOW(residual[k], (k == 0 ? 1e-2 : 1e-3) * fabs(ledger.drives));
        rps_world_destroy(world);
    }
    ASSERT_BELOW(residual[1], residual[0] / 3.0);
}

static void test_restart(void **state) {
    (void)state;
    rps_world *world = shaken(5e-5, true, false);
    uint64_t hash[2][2];
    char path[] = "/tmp/repose-motion-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    advance(world, 777);
    MUST(rps_world_save(world, path, ERR));
    rps_world *again = shaken(5e-5, true, false), *other = shaken(5e-5, false, false);
    MUST(rps_world_restore(again, path, ERR));
    rps_error err;
    assert_int_not_equal(rps_world_restore(other, path, &err), RPS_OK); /* another table is another world */
    remove(path);
    advance(world, 3000);
    advance(again, 3000);
    MUST(rps_world_hash(world, hash[0], ERR));
    MUST(rps_world_hash(again, hash[1], ERR));
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    /* a table that is not there */
    rps_drive drive = {.until = -1.0, .motion = 2};
    assert_int_equal(rps_world_set_drive(world, 0, &drive, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "table of motion 2, which does not exist"));
    rps_world_destroy(world);
    rps_world_destroy(again);
    rps_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sine), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_turns), cmocka_unit_test(test_ledger),
                                       cmocka_unit_test(test_restart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
