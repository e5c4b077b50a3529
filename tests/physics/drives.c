/*
 * Drives that seek a load: the load is held, exactly where one disk between two plates knows no other; a pair moves as
 * mirror images to the bit; the pressure is that of the present area; what servos do is in the ledger, to the second order
 * of the step; gravity may change. Threads, a restart and changes of drives do not show. And stresses of bodies.
 */
#include "worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "world/world.h"

static const double STIFF = 1e5, RADIUS = 0.1, MASS = 2.0;

static rps_world *planar(double step, double damping, int threads) {
    rps_world_options options = options_of(step);
    options.dimension = 2;
    options.depth = 0.5;
    options.threads = threads;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", STIFF, NULL);
    if (damping > 0.0) use(&pair, RPS_ROLE_DAMPING, "ratio", "value", damping, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e4, NULL);
    return world_of(&options, &pair);
}

static uint64_t add_disk(rps_world *world, double x, double z, double radius) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.shape = "disk";
    def.radius = radius;
    def.mass = MASS * radius * radius / (RADIUS * RADIUS);
    def.position[0] = x;
    def.position[2] = z;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static uint64_t add_wall(rps_world *world, double x, double z, double nx, double nz, const rps_drive *drive) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.shape = "plane";
    def.kind = drive ? RPS_BODY_DRIVEN : RPS_BODY_FIXED;
    if (drive) def.drive = *drive;
    def.position[0] = x;
    def.position[2] = z;
    def.normal[0] = nx;
    def.normal[1] = 0.0;
    def.normal[2] = nz;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* A servo whose floor of stiffness is out of the way. */
static rps_drive servo(rps_drive_kind kind, double target) {
    return (rps_drive){.until = -1.0, .kind = kind, .target = target, .stiffness_min = 1e3, .speed_max = 0.5};
}

static double pushes(rps_world *world, uint64_t id, int axis) {
    double force[3], torque[3];
    MUST(rps_world_body_load(world, id, force, torque, ERR));
    return fabs(force[axis]);
}

/* Both plates push with the target, both overlaps are N/k; the stress is that of two forces at the arm R - delta/2. */
static void test_one_disk(void **state) {
    (void)state;
    const double target = 150.0;
    rps_world *world = planar(1e-4, 0.5, 1);
    const rps_drive drive = servo(RPS_DRIVE_FORCE, target);
    const uint64_t bottom = add_wall(world, 0.0, 0.0, 0.0, 1.0, NULL);
    const uint64_t top = add_wall(world, 0.0, 2.001 * RADIUS, 0.0, -1.0, &drive);
    const uint64_t disk = add_disk(world, 0.0, RADIUS, RADIUS);
    advance(world, 20000);
    rps_world_keep_contacts(world, true);
    advance(world, 1);
    /* errors shrink by 1 - gain = .98 a step: to round-off, which the load has of a height of .2 m */
    const double round_off = 8.0 * STIFF * 2.0 * RADIUS * 2.3e-16;
    ASSERT_NEAR(pushes(world, top, 2), target, round_off);
    ASSERT_NEAR(pushes(world, bottom, 2), target, round_off);
    const double delta = target / STIFF;
    ASSERT_NEAR(position_of(world, top).z, 2.0 * (RADIUS - delta), 1e-15);
    double stress[6];
    MUST(rps_world_body_stress(world, disk, stress, ERR));
    const double expected = -2.0 * (RADIUS - 0.5 * delta) * target / (RPS_PI * RADIUS * RADIUS * 0.5);
    ASSERT_NEAR(stress[5], expected, 1e-11 * fabs(expected));
    for (int k = 0; k < 5; k++) ASSERT_BELOW(fabs(stress[k]), 1e-11 * fabs(expected));
    MUST(rps_world_body_stress(world, top, stress, ERR));
    assert_true(stress[5] == 0.0);
    rps_world_destroy(world);
}

/* Without contact, or far from its target, a servo is not faster than it may be. */
static void test_speed_limit(void **state) {
    (void)state;
    rps_world *world = planar(1e-4, 0.5, 1);
    rps_drive drive = servo(RPS_DRIVE_FORCE, 1e6);
    drive.speed_max = 0.03;
    const uint64_t top = add_wall(world, 0.0, 0.3, 0.0, -1.0, &drive);
    advance(world, 1000);
    ASSERT_NEAR(position_of(world, top).z, 0.3 - 0.03 * 1000 * 1e-4, 1e-15);
    ASSERT_NEAR(velocity_of(world, top).z, -0.03, 1e-12);
    rps_world_destroy(world);
}

/* Three disks in a row that lies out of the middle: the pair moves symmetrically all the same and holds the mean, the
 * pressure on the height between the other two walls, one of which goes down meanwhile. */
static void test_mirror_and_pressure(void **state) {
    (void)state;
    rps_world *world = planar(1e-4, 0.5, 1);
    const double length = 6.0 * RADIUS, p = 400.0;
    const rps_drive down = {.velocity = {0.0, 0.0, -0.01}, .until = 1.0};
    const uint64_t bottom = add_wall(world, 0.0, -0.5, 0.0, 1.0, NULL);
    const uint64_t top = add_wall(world, 0.0, 0.5, 0.0, -1.0, &down);
    rps_drive drive = servo(RPS_DRIVE_PRESSURE, p);
    drive.spans = 1;
    drive.span[0][0] = bottom;
    drive.span[0][1] = top;
    const uint64_t left = add_wall(world, 0.0, 0.0, 1.0, 0.0, &drive);
    const rps_drive image = {.until = -1.0, .kind = RPS_DRIVE_MIRROR, .mirror = left};
    const uint64_t right = add_wall(world, length + 0.01, 0.0, -1.0, 0.0, &image);
    for (int k = 0; k < 3; k++) add_disk(world, RADIUS * (2.0 * k + 1.0) + 0.002, 0.0, RADIUS);
    for (int n = 0; n < 200; n++) {
        advance(world, 100);
        const double a = position_of(world, left).x, b = length + 0.01 - position_of(world, right).x;
        ASSERT_NEAR(a, b, 2.3e-16 * length); /* one rounding of each */
    }
    /* a load that goes down at a steady rate is followed with a lag of one step of it over the gain, 0.02 */
    const double height = 1.0 - 0.01, expected = p * height * 0.5;
    ASSERT_NEAR(position_of(world, top).z, 0.5 - 0.01, 1e-15);
    ASSERT_NEAR(0.5 * (pushes(world, left, 0) + pushes(world, right, 0)), expected, 1e-9 * expected);
    rps_world_destroy(world);
}

/* The residual of the ledger after a quarter of the period of two disks between a wall and a servo, without damping; the
 * gain goes with the step, so that the motion stays the same. */
static double residual_with_servo(double step, double *work) {
    rps_world *world = planar(step, 0.0, 1);
    rps_drive drive = servo(RPS_DRIVE_FORCE, 120.0);
    drive.gain = 200.0 * step;
    drive.speed_max = 10.0;
    add_wall(world, 0.0, 0.0, 1.0, 0.0, NULL);
    add_wall(world, 4.0 * RADIUS - 2e-4, 0.0, -1.0, 0.0, &drive);
    add_disk(world, RADIUS - 5e-5, 0.0, RADIUS);
    add_disk(world, 3.0 * RADIUS - 1.5e-4, 0.0, RADIUS);
    advance(world, (uint64_t)(0.02 / step + 0.5));
    const rps_ledger ledger = ledger_of(world);
    *work = ledger.drives;
    rps_world_destroy(world);
    return ledger.residual;
}

static void test_ledger(void **state) {
    (void)state;
    double work[3], residual[3];
    for (int k = 0; k < 3; k++) residual[k] = residual_with_servo(4e-5 / (1 << k), &work[k]);
    SAY("work %g J, residuals %g, %g, %g J\n", work[2], residual[0], residual[1], residual[2]);
    assert_true(fabs(work[2]) > 1e-3); /* there is something to book */
    for (int k = 0; k < 2; k++) {
        ASSERT_NEAR(residual[k] / residual[k + 1], 4.0, 0.4); /* the next order adds a part of the step, under 5 % */
    }
}

/* With a short step the load is that of the dashpot of the step before, and the servo must not swing. */
static void test_strong_dashpot(void **state) {
    (void)state;
    rps_world *world = planar(1e-6, 5.0, 1); /* gain C/(K dt) = 0.02 x 2 x 5 sqrt(m/K)/dt = 890 */
    const rps_drive drive = servo(RPS_DRIVE_FORCE, 150.0);
    add_wall(world, 0.0, 0.0, 0.0, 1.0, NULL);
    const uint64_t top = add_wall(world, 0.0, 2.0 * RADIUS, 0.0, -1.0, &drive);
    add_disk(world, 0.0, RADIUS, RADIUS);
    advance(world, 400);
    double last = position_of(world, top).z;
    for (int n = 0; n < 1000; n++) {
        advance(world, 1);
        const double z = position_of(world, top).z;
        assert_true(z < last);
        last = z;
    }
    ASSERT_BELOW(pushes(world, top, 2), 150.0);
    rps_world_destroy(world);
}

/* A wall that is dragged sideways while it presses: the friction of a box of disks cannot exceed mu times the load. */
static void test_sideways(void **state) {
    (void)state;
    rps_world *world = planar(1e-4, 0.7, 1);
    rps_drive drive = servo(RPS_DRIVE_FORCE, 100.0);
    drive.velocity[0] = 0.05;
    add_wall(world, 0.0, 0.0, 0.0, 1.0, NULL);
    const uint64_t top = add_wall(world, 0.0, 2.0 * RADIUS, 0.0, -1.0, &drive);
    rps_body_def def = rps_body_def_default();
    def.shape = "disk";
    def.radius = RADIUS;
    def.mass = MASS;
    def.locked = true; /* it can only slide */
    def.position[2] = RADIUS;
    def.lock_axis[0] = 1.0;
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    advance(world, 20000);
    ASSERT_NEAR(pushes(world, top, 2), 100.0, 1e-6);
    ASSERT_NEAR(pushes(world, top, 0), 40.0, 1e-6); /* mu_k N */
    ASSERT_NEAR(position_of(world, top).x, 0.05 * 2.0, 1e-12);
    drive.velocity[2] = 0.1; /* along the direction of the servo */
    assert_int_equal(rps_world_set_drive(world, top, &drive, NULL), RPS_BAD_INPUT);
    rps_world_destroy(world);
}

/* A ball in flight: the change of gravity is booked, and the ledger closes to round-off (verlet is exact here). */
static void test_gravity(void **state) {
    (void)state;
    rps_world *world = planar(1e-3, 0.0, 1);
    const uint64_t disk = add_disk(world, 1.0, 5.0, RADIUS);
    const double side[3] = {3.0, 0.0, -1.0}, out[3] = {0.0, 1.0, 0.0};
    advance(world, 100);
    MUST(rps_world_set_gravity(world, side, ERR));
    advance(world, 100);
    ASSERT_NEAR(velocity_of(world, disk).x, 0.3, 1e-14);
    ASSERT_BELOW(fabs(ledger_of(world).residual), 1e-13);
    assert_int_equal(rps_world_set_gravity(world, out, NULL), RPS_BAD_INPUT);
    rps_world_destroy(world);
}

/* --- the same bits ------------------------------------------------------------------------------------------------ */

enum { SIDE = 34, STEPS = 900 }; /* enough bodies for the parallel regions */

static rps_world *packing(int threads) {
    rps_world *world = planar(2e-5, 0.4, threads);
    const rps_drive still = {.until = -1.0};
    add_wall(world, 0.0, 0.0, 0.0, 1.0, NULL);
    add_wall(world, 0.0, SIDE * 0.021, 0.0, -1.0, &still);
    add_wall(world, 0.0, 0.0, 1.0, 0.0, &still);
    add_wall(world, SIDE * 0.021, 0.0, -1.0, 0.0, &still);
    for (int k = 0; k < SIDE * SIDE; k++) {
        add_disk(world, 0.021 * (k % SIDE + 0.5), 0.021 * (k / SIDE + 0.5), uniform(4, (uint64_t)k, 0.0102, 0.01045));
    }
    return world;
}

/* Drives change on the way, as in stages. */
static void go(rps_world *world, uint64_t to) {
    rps_drive press = servo(RPS_DRIVE_PRESSURE, 2e5), side = press;
    press.spans = side.spans = 1;
    press.span[0][0] = 2, press.span[0][1] = 3;
    side.span[0][0] = 0, side.span[0][1] = 1;
    const rps_drive image = {.until = -1.0, .kind = RPS_DRIVE_MIRROR, .mirror = 2};
    const rps_drive down = {.velocity = {0.0, 0.0, -1.0}, .until = -1.0};
    const double gravity[3] = {0.0, 0.0, -9.81};
    while (rps_world_steps(world) < to) {
        const uint64_t n = rps_world_steps(world);
        if (n == 100) {
            MUST(rps_world_set_drive(world, 1, &press, ERR));
            MUST(rps_world_set_drive(world, 2, &side, ERR));
            MUST(rps_world_set_drive(world, 3, &image, ERR));
        }
        if (n == 500) MUST(rps_world_set_drive(world, 1, &down, ERR));
        if (n == 700) MUST(rps_world_set_gravity(world, gravity, ERR));
        advance(world, 1);
    }
}

static void test_bits(void **state) {
    (void)state;
    static const uint64_t at[] = {50, 100, 500, 777};
    char file[] = "/tmp/repose-drives-XXXXXX";
    uint64_t end[2], hash[2];
    close(mkstemp(file));
    rps_world *world = packing(1);
    go(world, STEPS);
    MUST(rps_world_hash(world, end, ERR));
    const rps_ledger ledger = ledger_of(world);
    SAY("%d contacts, work of the drives %g J\n", (int)rps_world_contact_count(world), ledger.drives);
    assert_true(rps_world_contact_count(world) > 500 && ledger.drives > 0.0);
    rps_world_destroy(world);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        world = packing(1 + (int)(k % 3));
        go(world, at[k]);
        MUST(rps_world_save(world, file, ERR));
        rps_world *other = packing(1 + (int)((k + 1) % 3));
        MUST(rps_world_restore(other, file, ERR));
        go(other, STEPS);
        MUST(rps_world_hash(other, hash, ERR));
        if (memcmp(hash, end, sizeof hash) != 0) fail_msg("saved at step %d: another state", (int)at[k]);
        rps_world_destroy(other);
        go(world, STEPS);
        MUST(rps_world_hash(world, hash, ERR));
        if (memcmp(hash, end, sizeof hash) != 0) fail_msg("%d threads: another state", 1 + (int)(k % 3));
        rps_world_destroy(world);
    }
    unlink(file);
}

/* --- what makes no sense ------------------------------------------------------------------------------------------ */

static void refused(rps_world *world, uint64_t id, const rps_drive *drive, const char *part) {
    rps_error err;
    uint64_t before[2], after[2];
    MUST(rps_world_hash(world, before, ERR));
    assert_int_equal(rps_world_set_drive(world, id, drive, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, part)) fail_msg("expected \"%s\" in\n%s", part, err.text);
    MUST(rps_world_hash(world, after, ERR));
    assert_memory_equal(before, after, sizeof after);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = planar(1e-4, 0.0, 1);
    const rps_drive still = {.until = -1.0};
    const uint64_t disk = add_disk(world, 0.0, 0.0, RADIUS), fixed = add_wall(world, 0.0, -1.0, 0.0, 1.0, NULL);
    const uint64_t a = add_wall(world, 0.0, 1.0, 0.0, -1.0, &still), b = add_wall(world, 1.0, 0.0, -1.0, 0.0, &still);
    const uint64_t c = add_wall(world, -1.0, 0.0, 1.0, 0.0, &still);
    rps_drive drive = servo(RPS_DRIVE_FORCE, 1.0);
    refused(world, disk, &drive, "is not driven");
    refused(world, fixed, &drive, "is not driven");
    drive.gain = 1.5;
    refused(world, a, &drive, "goes beyond the load");
    drive = servo(RPS_DRIVE_FORCE, -1.0);
    refused(world, a, &drive, "the target of its drive");
    drive = servo(RPS_DRIVE_PRESSURE, 1.0);
    refused(world, a, &drive, "needs the area");
    drive.spans = 1;
    drive.span[0][0] = b, drive.span[0][1] = disk;
    refused(world, a, &drive, "only the distance of two different planes");
    drive = (rps_drive){.until = -1.0, .kind = RPS_DRIVE_MIRROR, .mirror = fixed};
    refused(world, a, &drive, "mirrors a body that is not driven");
    drive.mirror = a;
    refused(world, a, &drive, "mirrors a body");
    drive.mirror = b;
    MUST(rps_world_set_drive(world, c, &drive, ERR));
    refused(world, a, &drive, "has one already");
    drive = (rps_drive){.angular_velocity = {0.0, 1.0, 0.0}, .until = -1.0};
    refused(world, a, &drive, "whether a plane turns cannot change");
    drive = (rps_drive){.velocity = {0.0, 1.0, 0.0}, .until = -1.0};
    refused(world, a, &drive, "planar");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_disk),
                                       cmocka_unit_test(test_speed_limit),
                                       cmocka_unit_test(test_mirror_and_pressure),
                                       cmocka_unit_test(test_ledger),
                                       cmocka_unit_test(test_strong_dashpot),
                                       cmocka_unit_test(test_sideways),
                                       cmocka_unit_test(test_gravity),
                                       cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
