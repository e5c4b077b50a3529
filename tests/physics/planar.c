/*
 * A planar world: disks and lines through the engine of three dimensions. Mass and inertia are those of cylinders of the
 * world's depth; rolling on an incline follows the closed forms with I = m R^2/2; nothing ever leaves the plane, to the
 * bit, in both kinds of contact record; threads and a restart do not show.
 */
#include "worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"
#include "world/world.h"

static rps_world_options planar_options(double step, double depth) {
    rps_world_options options = options_of(step);
    options.dimension = 2;
    options.depth = depth;
    return options;
}

static rps_body_def disk_at(double x, double z, double radius, double mass) {
    rps_body_def def = rps_body_def_default();
    def.shape = "disk";
    def.radius = radius;
    def.mass = mass;
    def.position[0] = x;
    def.position[2] = z;
    return def;
}

static uint64_t add_line(rps_world *world, double x, double z, double nx, double nz) {
    rps_body_def def = rps_body_def_default();
    uint64_t id;
    def.shape = "plane";
    def.kind = RPS_BODY_FIXED;
    def.position[0] = x;
    def.position[2] = z;
    def.normal[0] = nx;
    def.normal[1] = 0.0;
    def.normal[2] = nz;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* --- mass and inertia --------------------------------------------------------------------------------------------- */

static void test_mass(void **state) {
    (void)state;
    rps_world_options options = planar_options(1e-4, 0.25);
    rps_world *world;
    MUST(rps_world_create(&options, &world, ERR));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    glass.density = 2500.0;
    MUST(rps_world_add_material(world, &glass, NULL, ERR));
    rps_body_def def = disk_at(0.0, 0.0, 0.1, NAN);
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    def.mass = 3.0; /* not what the density says */
    assert_int_equal(rps_world_add_body(world, &def, NULL, NULL), RPS_BAD_INPUT);
    const double mass = 2500.0 * (RPS_PI * 0.1 * 0.1) * 0.25, inertia = 0.5 * mass * 0.1 * 0.1;
    ASSERT_NEAR(world->bodies.mass[0][0], mass, 1e-15 * mass);
    for (int k = 0; k < 3; k++) ASSERT_NEAR(world->bodies.inertia[0][k], inertia, 1e-15 * inertia);
    ASSERT_NEAR(world->bodies.motion[0].inverse_inertia[0], 1.0 / inertia, 1e-15 / inertia);
    rps_world_destroy(world);
}

/* --- an incline --------------------------------------------------------------------------------------------------- */

/* A disk let go on an incline of slope `tilt` for half a second, gravity tilted about y. */
static void incline(double tilt, double mu, bool frames, double *v, double *w) {
    rps_world_options options = planar_options(1e-5, 1.0);
    const double mass = 2.0, radius = 0.1, g = 9.8;
    options.gravity[0] = g * sin(tilt);
    options.gravity[2] = -g * cos(tilt);
    options.frames = frames;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "imposed", "load", 0.0, NULL);
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", mu, "kinetic", mu, "stiffness", 1e6, NULL);
    rps_world *world = world_of(&options, &pair);
    add_line(world, 0.0, 0.0, 0.0, 1.0);
    rps_body_def def = disk_at(0.0, radius, radius, mass);
    uint64_t id;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    advance(world, 50000);
    *v = velocity_of(world, id).x;
    *w = turning_of(world, id).y;
    rps_world_destroy(world);
}

/* Rolls without slip with 2/3 g sin a while tan a < 3 mu; above, slides with g (sin a - mu cos a) and turns with
 * mu m g cos a R/I = 2 mu g cos a/R. 1e-3: the spring loads within the first 0.3 ms of the half second. */
static void test_incline(void **state) {
    (void)state;
    const double g = 9.8, time = 0.5, radius = 0.1, mu = 0.2, limit = atan(3.0 * mu);
    for (int frames = 0; frames < 2; frames++) {
        const double tilt[] = {0.2, limit - 0.02, limit + 0.02, 0.9};
        for (int k = 0; k < 4; k++) {
            double v, w;
            incline(tilt[k], mu, frames, &v, &w);
            const double slip = v - radius * w;
            if (k < 2) {
                ASSERT_NEAR(v, 2.0 / 3.0 * g * sin(tilt[k]) * time, 1e-3 * v);
                ASSERT_NEAR(slip, 0.0, 1e-3 * v);
            } else {
                ASSERT_NEAR(v, g * (sin(tilt[k]) - mu * cos(tilt[k])) * time, 1e-3 * v);
                ASSERT_NEAR(w, 2.0 * mu * g * cos(tilt[k]) / radius * time, 1e-3 * w);
                assert_true(slip > 1e-3 * v);
            }
        }
    }
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* Density 1000, depth 0.5 m: the floor carries the weight of half a metre, in N. */
static void test_loads_are_newtons(void **state) {
    (void)state;
    rps_world_options options = planar_options(1e-4, 0.5);
    options.gravity[2] = -10.0;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.5, NULL);
    rps_world *world = world_of(&options, &pair);
    uint64_t line = add_line(world, 0.0, 0.0, 0.0, 1.0), id;
    const double mass = 1000.0 * RPS_PI * 0.1 * 0.1 * 0.5;
    rps_body_def def = disk_at(0.0, 0.1, 0.1, mass);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    advance(world, 40000);
    double force[3], torque[3];
    MUST(rps_world_body_load(world, line, force, torque, ERR));
    /* 1e-6: what is left of the bounce after 4 s */
    ASSERT_NEAR(force[2], -10.0 * mass, 1e-6 * 10.0 * mass);
    rps_world_destroy(world);
}

/* --- exactly in the plane ------------------------------------------------------------------------------------------ */

enum { DISKS = 60, STEPS = 12000 };

/* A box with a turning wall, disks at random with spin. */
static rps_world *heap(bool frames, int threads, int isa, uint64_t shuffle) {
    rps_world_options options = planar_options(2e-5, 0.02);
    options.isa = isa;
    options.gravity[0] = 1.0;
    options.gravity[2] = -9.8;
    options.frames = frames;
    options.threads = threads;
    options.shuffle = shuffle;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.4, NULL);
    rps_world *world = world_of(&options, &pair);
    add_line(world, 0.0, 0.0, 0.0, 1.0);
    add_line(world, 0.0, 0.0, 0.6, 0.8);
    rps_body_def wall = rps_body_def_default();
    wall.shape = "plane";
    wall.kind = RPS_BODY_DRIVEN;
    wall.position[0] = 0.3;
    wall.normal[0] = -1.0;
    wall.normal[2] = 0.1;
    wall.drive.angular_velocity[1] = 0.5;
    wall.drive.velocity[0] = -0.05;
    MUST(rps_world_add_body(world, &wall, NULL, ERR));
    for (uint64_t k = 0; k < DISKS; k++) {
        const double jitter = 1e-3 * rps_random_uniform(3, RPS_RANDOM_TEST, 1, k);
        rps_body_def def =
            disk_at(0.1 + 0.025 * (double)(k % 6) + jitter, 0.03 + 0.025 * (double)(k / 6), 0.01 + jitter, 0.02);
        def.velocity[0] = uniform(2, k, -0.5, 0.5);
        def.velocity[2] = uniform(3, k, -1.0, 0.0);
        def.angular_velocity[1] = uniform(4, k, -20.0, 20.0);
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

static void test_stays_in_the_plane(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        rps_world *world = heap(frames, 1, -1, 0);
        advance(world, STEPS);
        assert_true(rps_world_contact_count(world) > DISKS / 2); /* there was something that could have */
        const rps_bodies *b = &world->bodies;
        for (size_t s = 0; s < b->count; s++) {
            const double out[] = {b->pose[s].position[1],
                                  b->motion[s].velocity[1],
                                  b->motion[s].angular_velocity[0],
                                  b->motion[s].angular_velocity[2],
                                  b->orientation[s][1],
                                  b->orientation[s][3],
                                  b->normal[s][1],
                                  b->load[s].force[1],
                                  b->load[s].torque[0],
                                  b->load[s].torque[2]};
            for (size_t k = 0; k < sizeof out / sizeof *out; k++) assert_true(out[k] == 0.0);
        }
        rps_world_destroy(world);
    }
}

/* --- same bits ----------------------------------------------------------------------------------------------------- */

static char file[] = "/tmp/repose-planar-XXXXXX";

static void test_same_bits(void **state) {
    (void)state;
    uint64_t end[2], hash[2];
    rps_world *world = heap(false, 1, -1, 0);
    advance(world, STEPS);
    MUST(rps_world_hash(world, end, ERR));
    rps_world_destroy(world);
    for (int k = 0; k < 2; k++) { /* other threads, shuffled slots, the plainest instructions; saved half way or not */
        world = heap(false, 2 + k, k ? (int)RPS_ISA_SSE2 : -1, 7);
        advance(world, k ? STEPS / 2 : STEPS);
        if (k) {
            MUST(rps_world_save(world, file, ERR));
            rps_world_destroy(world);
            world = heap(false, 1, -1, 0);
            MUST(rps_world_restore(world, file, ERR));
            advance(world, STEPS - STEPS / 2);
        }
        MUST(rps_world_hash(world, hash, ERR));
        assert_memory_equal(hash, end, sizeof end);
        rps_world_destroy(world);
    }
}

/* A state belongs to a world of its dimension and depth. */
static void test_restore_refuses(void **state) {
    (void)state;
    rps_world *world = heap(false, 1, -1, 0), *other;
    rps_error err = {0};
    MUST(rps_world_save(world, file, ERR));
    rps_world_options options = world->options;
    rps_world_destroy(world);
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.4, NULL);
    for (int k = 0; k < 2; k++) {
        options.dimension = 2 + k;
        options.depth = 1.0;
        other = world_of(&options, &pair);
        assert_int_equal(rps_world_restore(other, file, &err), RPS_BAD_INPUT);
        assert_non_null(strstr(err.text, k ? "dimension: 2" : "depth"));
        rps_world_destroy(other);
    }
}

/* --- refusals of the world ---------------------------------------------------------------------------------------- */

typedef enum wrong {
    W_SPHERE,
    W_BOX,
    W_POSITION,
    W_VELOCITY,
    W_TURNING_X,
    W_TURNING_Z,
    W_ORIENTATION,
    W_LOCK,
    W_NORMAL,
    W_DRIVE,
    W_DRIVE_TURNING,
    W_DRIVE_AMPLITUDE,
    WRONGS
} wrong;

static void test_bodies_refused(void **state) {
    (void)state;
    rps_world_options options = planar_options(1e-4, 1.0);
    rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    static const char *const part[WRONGS] = {"three dimensions",
                                             "three dimensions",
                                             "position",
                                             "velocity",
                                             "angular velocity",
                                             "angular velocity",
                                             "orientation",
                                             "lock_axis",
                                             "normal",
                                             "velocity of its drive",
                                             "angular velocity of its drive",
                                             "amplitude"};
    for (int k = 0; k < WRONGS; k++) {
        rps_body_def def = disk_at(0.0, 0.0, 0.1, 1.0);
        if (k == W_SPHERE) def.shape = "sphere";
        if (k == W_BOX) def.shape = "box";
        if (k == W_POSITION) def.position[1] = 1e-300;
        if (k == W_VELOCITY) def.velocity[1] = 0.1;
        if (k == W_TURNING_X) def.angular_velocity[0] = 0.1;
        if (k == W_TURNING_Z) def.angular_velocity[2] = -0.1;
        if (k == W_ORIENTATION) def.orientation[3] = 0.1;
        if (k == W_LOCK) def.lock_axis[1] = 1.0;
        if (k == W_NORMAL) {
            def.shape = "plane";
            def.radius = def.mass = NAN;
            def.normal[1] = 0.01;
        }
        if (k == W_NORMAL || k >= W_DRIVE) def.kind = k == W_NORMAL ? RPS_BODY_FIXED : RPS_BODY_DRIVEN;
        if (k == W_DRIVE) def.drive.velocity[1] = 1.0;
        if (k == W_DRIVE_TURNING) def.drive.angular_velocity[0] = 1.0;
        if (k == W_DRIVE_AMPLITUDE) def.drive.amplitude[1] = 1.0;
        rps_error err = {0};
        assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, part[k]) || !strstr(err.text, "planar")) fail_msg("%s", err.text);
    }
    assert_int_equal(rps_world_body_count(world), 0);
    rps_world_destroy(world);
    options = options_of(1e-4);
    world = world_of(&options, &pair);
    rps_body_def def = disk_at(0.0, 0.0, 0.1, 1.0);
    rps_error err = {0};
    assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "use a cylinder"));
    rps_piece_def piece = rps_piece_def_default();
    piece.shape = "disk";
    piece.parameter[0] = 0.1;
    def.piece = &piece;
    def.pieces = 1;
    def.radius = NAN;
    assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "as a cylinder"));
    rps_world_destroy(world);
}

static void test_options_refused(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        rps_world_options options = planar_options(1e-4, 1.0);
        rps_world *world;
        rps_error err = {0};
        if (k == 0) options.dimension = 1;
        if (k == 1) options.depth = 0.0;
        if (k == 2) options.depth = INFINITY;
        if (k == 3) options.gravity[1] = -9.8;
        if (k == 4) options.period[1] = 1.0;
        if (k == 5) options.dimension = 4;
        assert_int_equal(rps_world_create(&options, &world, &err), RPS_BAD_INPUT);
        assert_true(strlen(err.text) > 30);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_loads_are_newtons),
        cmocka_unit_test(test_stays_in_the_plane),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restore_refuses),
        cmocka_unit_test(test_bodies_refused),
        cmocka_unit_test(test_options_refused),
    };
    int fd = mkstemp(file);
    if (fd < 0) return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
