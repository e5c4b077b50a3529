/*
 * Driven bodies commanded between steps, against closed forms: speed, position and load, a loop closed over the load that is
 * read, the work in the ledger, and the bits over threads, a saved state and the same motion given as a drive.
 */
#include "worlds.h"

#include <stdlib.h>
#include <unistd.h>

static const double STIFF = 1e5, RADIUS = 0.1, H = 1e-4;
static const double PLACE = 1e-15; /* roundings of places of .3 m */

static rps_world *planar_world(double step, double damping, int threads) {
    rps_world_options options = options_of(step);
    options.dimension = 2;
    options.depth = 0.5;
    options.threads = threads;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", STIFF, NULL);
    if (damping > 0.0) use(&pair, RPS_ROLE_DAMPING, "ratio", "value", damping, NULL);
    return world_of(&options, &pair);
}

static uint64_t add_plate(rps_world *world, double x, double z, double nx, double nz) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.shape = "plane";
    def.kind = RPS_BODY_DRIVEN;
    def.drive = (rps_drive){.until = -1.0};
    def.position[0] = x;
    def.position[2] = z;
    def.normal[0] = nx;
    def.normal[1] = 0.0;
    def.normal[2] = nz;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static uint64_t add_disk(rps_world *world, double x, double z, double radius, bool stands) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.shape = "disk";
    def.radius = radius;
    def.mass = 2.0;
    def.position[0] = x;
    def.position[2] = z;
    def.locked = stands;
    def.lock_axis[2] = stands ? 1.0 : 0.0;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static void to_speed(rps_world *world, uint64_t id, double vx, double vz) {
    rps_drive_command c = rps_drive_command_default();
    c.velocity[0] = vx;
    c.velocity[2] = vz;
    MUST(rps_world_command_drive(world, id, &c, ERR));
}

static void to_load(rps_world *world, uint64_t id, double load) {
    rps_drive_command c = rps_drive_command_default();
    c.control = RPS_DRIVE_LOAD;
    c.load = load;
    c.stiffness_min = 1e3; /* out of the way */
    c.speed_max = 10.0;
    MUST(rps_world_command_drive(world, id, &c, ERR));
}

static double pushes(rps_world *world, uint64_t id) {
    double force[3], torque[3];
    MUST(rps_world_body_load(world, id, force, torque, ERR));
    return force[2];
}

/* --- speed ---------------------------------------------------------------------------------------------------------- */

static void test_speed(void **state) {
    (void)state;
    rps_world *world = planar_world(H, 0.0, 1);
    const uint64_t plate = add_plate(world, 0.0, 0.3, 0.0, -1.0);
    double x = 0.0, z = 0.3;
    for (int n = 0; n < 500; n++) {
        const double vx = 0.1 * (n % 7), vz = 0.05 * (n % 5 - 2);
        to_speed(world, plate, vx, vz);
        advance(world, 1);
        x += vx * H, z += vz * H;
        ASSERT_NEAR(position_of(world, plate).x, x, n * PLACE);
        ASSERT_NEAR(position_of(world, plate).z, z, n * PLACE);
        ASSERT_NEAR(velocity_of(world, plate).z, vz, 0.0);
    }
    rps_drive_command stop = rps_drive_command_default();
    MUST(rps_world_command_drive(world, plate, &stop, ERR));
    advance(world, 10);
    ASSERT_NEAR(position_of(world, plate).x, x, 500 * PLACE);
    rps_world_destroy(world);
}

/* A controller: v = g (T - F)/(k h) of the load F that is read. On a disk that stands the load is k times the overlap, so that
 * F_n = T (1 - (1 - g)^n); the work of the drive is what the spring holds, F^2/(2 k), exactly by the mean load of a step. */
static void test_loop(void **state) {
    (void)state;
    const double target = 150.0, gain = 0.3;
    rps_world *world = planar_world(H, 0.0, 1);
    add_disk(world, 0.0, 0.0, RADIUS, true);
    const uint64_t plate = add_plate(world, 0.0, RADIUS, 0.0, -1.0);
    MUST(rps_world_start(world, ERR));
    const double rounding = 8.0 * STIFF * RADIUS * 2.3e-16; /* of the height, in the load */
    for (int n = 1; n <= 60; n++) {
        to_speed(world, plate, 0.0, -gain * (target - pushes(world, plate)) / (STIFF * H));
        advance(world, 1);
        ASSERT_NEAR(pushes(world, plate), target * (1.0 - pow(1.0 - gain, n)), 4.0 * rounding);
    }
    const double load = pushes(world, plate), stored = 0.5 * load * load / STIFF;
    const double roundings = 60.0 * rounding * target / STIFF; /* of the load times the way of all steps */
    ASSERT_NEAR(ledger_of(world).drives, stored, roundings);
    ASSERT_BELOW(fabs(ledger_of(world).residual), roundings);
    rps_world_destroy(world);
}

/* --- position ------------------------------------------------------------------------------------------------------- */

static void test_position(void **state) {
    (void)state;
    rps_world *world = planar_world(H, 0.0, 1);
    const uint64_t plate = add_plate(world, 0.1, 0.3, 0.0, -1.0);
    rps_drive_command c = rps_drive_command_default();
    c.control = RPS_DRIVE_POSITION;
    c.position[0] = 0.15;
    c.position[2] = 0.2;
    c.time = 0.01;
    MUST(rps_world_command_drive(world, plate, &c, ERR));
    for (int n = 1; n <= 150; n++) {
        advance(world, 1);
        const double part = fmin(n * H / c.time, 1.0);
        ASSERT_NEAR(position_of(world, plate).x, 0.1 + 0.05 * part, PLACE);
        ASSERT_NEAR(position_of(world, plate).z, 0.3 - 0.1 * part, PLACE);
    }
    assert_true(velocity_of(world, plate).z == 0.0);
    /* within a step, then at .2 m/s at most, turned back on the way */
    c.time = 0.0;
    c.position[0] = 0.1;
    MUST(rps_world_command_drive(world, plate, &c, ERR));
    advance(world, 1);
    ASSERT_NEAR(position_of(world, plate).x, 0.1, PLACE);
    c.speed_max = 0.2;
    c.position[2] = 0.3;
    MUST(rps_world_command_drive(world, plate, &c, ERR));
    advance(world, 100);
    ASSERT_NEAR(position_of(world, plate).z, 0.2 + 0.2 * 100 * H, PLACE);
    c.position[2] = 0.2;
    MUST(rps_world_command_drive(world, plate, &c, ERR));
    advance(world, 60);
    ASSERT_NEAR(position_of(world, plate).z, 0.2 + 0.2 * 40 * H, 2.0 * PLACE);
    advance(world, 60);
    ASSERT_NEAR(position_of(world, plate).z, 0.2, 2.0 * PLACE);
    rps_world_destroy(world);
}

/* --- load ----------------------------------------------------------------------------------------------------------- */

/* The servo's own loop, with its gain of .02, between two loads. */
static void test_load(void **state) {
    (void)state;
    rps_world *world = planar_world(H, 0.0, 1);
    add_disk(world, 0.0, 0.0, RADIUS, true);
    const uint64_t plate = add_plate(world, 0.0, RADIUS * (1.0 - 1e-6), 0.0, -1.0);
    MUST(rps_world_start(world, ERR));
    double load = pushes(world, plate);
    assert_true(load > 0.0);
    for (int k = 0; k < 2; k++) {
        const double target = k ? 30.0 : 150.0, from = load;
        to_load(world, plate, target);
        for (int n = 1; n <= 200; n++) {
            advance(world, 1);
            ASSERT_NEAR(pushes(world, plate), target + (from - target) * pow(0.98, n), 1e-8); /* N, of 200 roundings */
        }
        load = pushes(world, plate);
    }
    to_speed(world, plate, 0.0, 0.0); /* a servo stands where it is */
    advance(world, 50);
    ASSERT_NEAR(pushes(world, plate), load, 1e-8);
    rps_world_destroy(world);
}

/* --- the nonsmooth stepper ------------------------------------------------------------------------------------------ */

/* A ball on a plate that goes up faster each step, without gravity and rebound: the ball goes with it, the plate pushes with
 * m a, its drive works m dv v in a step, and half of m dv^2 is lost in the catch. */
static void test_nonsmooth(void **state) {
    (void)state;
    enum { PUSHES = 50 };
    const double mass = 2.0, faster = 0.02, solved = 1e-12; /* of speeds of 1 m/s, with problems solved to 1e-13 */
    rps_world_options options = options_of(H);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = 1e-13;
    options.nonsmooth.rigid = true;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", STIFF, NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.0, NULL);
    rps_world *world = world_of(&options, &pair);
    rps_body_def ball = rps_body_def_default(), plate = rps_body_def_default();
    uint64_t ball_id, plate_id;
    ball.radius = RADIUS;
    ball.mass = mass;
    MUST(rps_world_add_body(world, &ball, &ball_id, ERR));
    plate.shape = "plane";
    plate.kind = RPS_BODY_DRIVEN;
    plate.drive = (rps_drive){.until = -1.0};
    plate.position[2] = -RADIUS;
    MUST(rps_world_add_body(world, &plate, &plate_id, ERR));
    for (int n = 1; n <= PUSHES; n++) {
        to_speed(world, plate_id, 0.0, faster * n);
        advance(world, 1);
        ASSERT_NEAR(velocity_of(world, ball_id).z, faster * n, solved);
        ASSERT_NEAR(pushes(world, plate_id), -mass * faster / H, mass * solved / H);
    }
    const double work = mass * faster * faster * PUSHES * (PUSHES + 1) / 2.0,
                 lost = 0.5 * mass * faster * faster * PUSHES;
    const rps_ledger ledger = ledger_of(world);
    ASSERT_NEAR(ledger.drives, work, PUSHES * mass * solved);
    ASSERT_NEAR(ledger.drives - 0.5 * mass * pow(faster * PUSHES, 2.0), lost, PUSHES * mass * solved);
    ASSERT_BELOW(fabs(ledger.residual), PUSHES * mass * solved);
    to_speed(world, plate_id, 0.0, 0.0); /* the ball flies on */
    advance(world, 10);
    ASSERT_NEAR(velocity_of(world, ball_id).z, faster * PUSHES, solved);
    rps_world_destroy(world);
}

/* --- the same bits -------------------------------------------------------------------------------------------------- */

enum { SIDE = 34, STEPS = 400 };      /* enough bodies for the parallel regions */
static const double SPACING = 0.0206; /* m; the disks overlap */

static rps_world *packing(int threads) {
    rps_world *world = planar_world(2e-5, 0.4, threads);
    add_plate(world, 0.0, 0.0, 0.0, 1.0);
    add_plate(world, 0.0, SIDE * SPACING, 0.0, -1.0);
    add_plate(world, 0.0, 0.0, 1.0, 0.0);
    add_plate(world, SIDE * SPACING, 0.0, -1.0, 0.0);
    for (int k = 0; k < SIDE * SIDE; k++) {
        add_disk(world, SPACING * (k % SIDE + 0.5), SPACING * (k / SIDE + 0.5),
                 uniform(4, (uint64_t)k, 0.0102, 0.01045), false);
    }
    return world;
}

/* Commands each step: a lid that shakes, one side at a load, the other on its way. `as_drives`: the speeds as drives. */
static void go(rps_world *world, uint64_t to, bool as_drives) {
    while (rps_world_steps(world) < to) {
        const uint64_t n = rps_world_steps(world);
        const rps_drive shake = {.velocity = {0.0, 0.0, n % 20 < 10 ? -0.5 : 0.4}, .until = -1.0};
        if (as_drives && n > 0) { /* before the first step a drive is set-up */
            MUST(rps_world_set_drive(world, 1, &shake, ERR));
        } else {
            to_speed(world, 1, 0.0, shake.velocity[2]);
        }
        if (n >= 100) to_load(world, 2, 2000.0 + (double)n);
        rps_drive_command c = rps_drive_command_default();
        c.control = RPS_DRIVE_POSITION;
        c.position[0] = SIDE * SPACING - 0.001;
        c.speed_max = 0.3;
        if (n == 150) MUST(rps_world_command_drive(world, 3, &c, ERR));
        advance(world, 1);
    }
}

static void test_bits(void **state) {
    (void)state;
    char file[] = "/tmp/repose-drive-commands-XXXXXX";
    uint64_t end[2], hash[2];
    close(mkstemp(file));
    rps_world *world = packing(1);
    go(world, STEPS, false);
    MUST(rps_world_hash(world, end, ERR));
    assert_true(rps_world_contact_count(world) > 500);
    rps_world_destroy(world);
    static const uint64_t at[] = {50, 101, 160, 399};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        world = packing(1 + (int)(k % 3));
        go(world, at[k], k == 2);
        MUST(rps_world_save(world, file, ERR));
        rps_world *other = packing(1 + (int)((k + 1) % 3));
        MUST(rps_world_restore(other, file, ERR));
        rps_world_destroy(world);
        go(other, STEPS, k == 1);
        MUST(rps_world_hash(other, hash, ERR));
        if (memcmp(hash, end, sizeof hash) != 0) fail_msg("saved at step %d: another state", (int)at[k]);
        rps_world_destroy(other);
    }
    unlink(file);
}

/* --- what makes no sense -------------------------------------------------------------------------------------------- */

static void refused(rps_world *world, uint64_t id, const rps_drive_command *c, const char *part) {
    rps_error err;
    uint64_t before[2], after[2];
    MUST(rps_world_hash(world, before, ERR));
    assert_int_equal(rps_world_command_drive(world, id, c, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, part)) fail_msg("expected \"%s\" in\n%s", part, err.text);
    MUST(rps_world_hash(world, after, ERR));
    assert_memory_equal(before, after, sizeof after);
}

static void test_refusals(void **state) {
    (void)state;
    rps_world *world = planar_world(H, 0.0, 1);
    const uint64_t disk = add_disk(world, 0.0, 0.0, RADIUS, false), plate = add_plate(world, 0.0, 1.0, 0.0, -1.0);
    const uint64_t image = add_plate(world, 0.0, -1.0, 0.0, 1.0);
    const rps_drive mirror = {.until = -1.0, .kind = RPS_DRIVE_MIRROR, .mirror = plate};
    MUST(rps_world_set_drive(world, image, &mirror, ERR));
    rps_drive_command c = rps_drive_command_default();
    refused(world, disk, &c, "is not driven");
    refused(world, 77, &c, "there is no body 77");
    refused(world, image, &c, "command that");
    c.size = 8;
    refused(world, plate, &c, "rps_drive_command_default");
    c = rps_drive_command_default();
    c.control = RPS_DRIVE_CONTROLS;
    refused(world, plate, &c, "no control number 3");
    c = rps_drive_command_default();
    c.velocity[2] = NAN;
    refused(world, plate, &c, "expected finite numbers");
    c = rps_drive_command_default();
    c.velocity[1] = 1.0;
    refused(world, plate, &c, "planar");
    c = rps_drive_command_default();
    c.angular_velocity[1] = 1.0;
    refused(world, plate, &c, "whether a plane turns");
    c = rps_drive_command_default();
    c.load = 1.0;
    refused(world, plate, &c, "takes no load");
    c = rps_drive_command_default();
    c.time = 1.0;
    refused(world, plate, &c, "takes no time");
    c = rps_drive_command_default();
    c.control = RPS_DRIVE_POSITION;
    c.time = -1.0;
    refused(world, plate, &c, "the time is -1 s");
    c.time = 0.0;
    c.speed_max = INFINITY;
    refused(world, plate, &c, "the largest speed");
    c.speed_max = 0.0;
    c.position[0] = INFINITY;
    refused(world, plate, &c, "commanded position");
    c = rps_drive_command_default();
    c.control = RPS_DRIVE_LOAD;
    c.load = -1.0;
    refused(world, plate, &c, "the target of its drive");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_speed),     cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_position),  cmocka_unit_test(test_load),
                                       cmocka_unit_test(test_nonsmooth), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
