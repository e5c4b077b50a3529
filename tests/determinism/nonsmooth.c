/*
 * The nonsmooth stepper gives the same bits for any number of threads, with any scheduler, with slots and lists shuffled, and across a saved
 * state, of spheres, ellipsoids and boxes between planes, one of them driven.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../physics/worlds.h"
#include "../unit/schedulers.h"

enum { SIDE = 11, STEPS = 24, HALF = STEPS / 2 };

static const double H = 2e-3;
static const rps_scheduler openmp;

static rps_world *empty(int threads, rps_scheduler scheduler, uint64_t shuffle, bool rigid) {
    rps_world_options options = options_of(H);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.rigid = rigid;
    options.nonsmooth.tolerance = 1e-4;
    options.nonsmooth.max_iterations = 60;
    options.gravity[2] = -9.81;
    options.period[0] = options.period[1] = 1.14;
    options.threads = threads;
    options.scheduler = scheduler;
    options.shuffle = shuffle;
    options.guards.motion = 2.0;
    options.guards.rotation = 1.0;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.01, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 1e5, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.1, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "curvature", 1.0, NULL);
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 1e9;
    material.poisson = 0.3;
    return world_of_material(&options, &pair, material);
}

static void add_shape(rps_world *world, uint64_t n, rps_vec3 x) {
    rps_body_def def = rps_body_def_default();
    def.shape = n % 2 ? "ellipsoid" : "box";
    for (int k = 0; k < 3; k++) def.parameter[k] = (n % 2 ? 0.03 : 0.05) + 0.006 * k;
    def.mass = 1.0;
    to_array(def.position, x);
    to_array(def.velocity, rps_vec3_make(0.0, 0.0, -1.0));
    to_array(def.angular_velocity, rps_vec3_scale(random_vec(9, n), 3.0));
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

/* Driven floor and grains on a disturbed lattice that fall onto each other, ids in no order of space. */
static rps_world *heap(int threads, rps_scheduler scheduler, uint64_t shuffle, bool rigid) {
    rps_world *world = empty(threads, scheduler, shuffle, rigid);
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_DRIVEN;
    def.drive.amplitude[0] = 0.01;
    def.drive.frequency = 8.0;
    def.drive.until = -1.0;
    def.normal[2] = 1.0;
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    for (uint64_t n = 0; n < SIDE * SIDE * SIDE; n++) {
        const uint64_t k = n * 400 % (SIDE * SIDE * SIDE); /* 400 and 1331 have no common factor */
        const double side = 1.14 / SIDE;
        rps_vec3 x = rps_vec3_make(side * (double)(k % SIDE), side * (double)(k / SIDE % SIDE),
                                   0.054 + side * (double)(k / SIDE / SIDE));
        x = rps_vec3_add_scaled(x, 1e-3, random_vec(8, n));
        if (n % 37 == 5) {
            add_shape(world, n / 37, x);
        } else {
            add_ball(world, x, 0.048 + 0.003 * uniform(11, n, 0.0, 1.0), 1.0, rps_vec3_make(0.0, 0.0, -3.0 * x.z),
                     rps_vec3_scale(random_vec(10, n), 2.0));
        }
    }
    return world;
}

static void hash_of(const rps_world *world, uint64_t hash[2]) {
    MUST(rps_world_hash(world, hash, ERR));
}

static void run(int threads, int kind, uint64_t shuffle, bool rigid, uint64_t hash[2]) {
    host h;
    rps_world *world = heap(threads, host_scheduler(&h, kind), shuffle, rigid);
    advance(world, STEPS);
    hash_of(world, hash);
    rps_solver_report report;
    rps_world_solver(world, &report);
    if (threads == 1 && shuffle == 0) {
        SAY("%d rows, %d contacts, %d iterations\n", (int)report.rows, (int)rps_world_contact_count(world),
            (int)report.iterations);
        assert_true(report.rows > 1000);                   /* enough for parallel loops */
        assert_true(rps_world_contact_count(world) > 100); /* and loads to keep */
    }
    rps_world_destroy(world);
    if (kind != HOST_OPENMP && threads > 1) assert_true(h.calls > STEPS);
}

static void test_threads_and_order(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        uint64_t one[2], other[2];
        run(1, HOST_OPENMP, 0, rigid, one);
        static const struct {
            int threads, host;
            uint64_t shuffle;
        } way[] = {{2, HOST_OPENMP, 0}, {3, HOST_OPENMP, 0},   {1, HOST_OPENMP, 7}, {2, HOST_OPENMP, 12345},
                   {4, HOST_SERIAL, 0}, {2, HOST_REVERSED, 0}, {4, HOST_RANDOM, 3}, {4, HOST_THREADS, 0}};
        for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
            run(way[k].threads, way[k].host, way[k].shuffle, rigid, other);
            if (one[0] != other[0] || one[1] != other[1]) {
                fail_msg("other bits with %d threads by %s, shuffle %d", way[k].threads, host_name[way[k].host],
                         (int)way[k].shuffle);
            }
        }
    }
}

static void test_saved_state(void **state) {
    (void)state;
    char path[] = "/tmp/repose-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t whole[2], halves[2];
    rps_world *world = heap(2, openmp, 0, false);
    advance(world, HALF);
    MUST(rps_world_save(world, path, ERR));
    advance(world, STEPS - HALF);
    hash_of(world, whole);
    rps_solver_report report, second;
    rps_world_solver(world, &report);
    rps_world_destroy(world);
    world = heap(1, openmp, 3, false);
    MUST(rps_world_restore(world, path, ERR));
    advance(world, STEPS - HALF);
    hash_of(world, halves);
    rps_world_solver(world, &second);
    rps_world_destroy(world);
    remove(path);
    assert_int_equal(whole[0], halves[0]);
    assert_int_equal(whole[1], halves[1]);
    assert_int_equal(report.iterations, second.iterations);
    assert_int_equal(report.steps, second.steps);
    assert_int_equal(report.missed, second.missed);
    /* a world with other settings is another one */
    rps_error err = {0};
    world = heap(1, openmp, 0, true);
    assert_int_not_equal(rps_world_restore(world, path, &err), RPS_OK);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_and_order), cmocka_unit_test(test_saved_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
