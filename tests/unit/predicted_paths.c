/* Worlds in which everything flows: in every step the number of contacts equals the number of overlapping pairs,
 * although lists omit pairs by predicted paths; and uniform flow causes no list rebuilds. */
#include <math.h>

#include "contacts_common.h"

#include "base/random.h"
#include "detect/detect.h"

enum { SPHERES = 240, STEPS = 1500 };

static rps_error err;

static double chance(uint64_t id, uint64_t n) {
    return 2.0 * rps_random_uniform(5, RPS_RANDOM_TEST, id, n) - 1.0;
}

/* Grains above a floor in a periodic box, all with velocity `flow` along x plus `random`, m/s; with obstacles, some
 * are fixed and one is driven through. */
static rps_world *make_world(double flow, double random, bool obstacles) {
    rps_world_options options = rps_world_options_default();
    options.step = 2e-5;
    options.gravity[2] = -9.81;
    options.threads = 1;
    options.period[0] = options.period[1] = 0.08;
    rps_world *world = contacts_world(&options, 6e4);
    for (uint64_t k = 0; k < SPHERES; k++) {
        const uint64_t layer = k / 64;
        rps_body_def ball = rps_body_def_default();
        ball.shape = "sphere";
        ball.radius = 0.004 + 0.0008 * chance(k, 0);
        ball.position[0] = 0.01 * (double)(k % 8) + 0.005;
        ball.position[1] = 0.01 * (double)(k / 8 % 8) + 0.005;
        ball.position[2] = 0.01 * (double)layer + 0.005;
        if (obstacles && k % 40 == 7) {
            ball.kind = k == 7 ? RPS_BODY_DRIVEN : RPS_BODY_FIXED;
            ball.drive.velocity[0] = -0.5;
            ball.drive.until = -1.0;
        } else {
            for (int a = 0; a < 3; a++) ball.velocity[a] = random * chance(k, 1 + (uint64_t)a);
            ball.velocity[0] += flow;
        }
        OK(rps_world_add_body(world, &ball, NULL, &err));
    }
    return world;
}

/* Pairs with a gap below `gap`. */
static size_t pairs_within(const rps_world *world, double gap) {
    uint32_t(*pair)[2];
    size_t count;
    OK(rps_detect_all_pairs(world, gap, &pair, &count, &err));
    rps_memory_release(world->allocator, pair, count * sizeof *pair);
    return count;
}

/* The number of neighbor lists built. */
static uint64_t run(double flow, double random, bool obstacles) {
    rps_world *world = make_world(flow, random, obstacles);
    size_t most = 0;
    for (int n = 0; n < STEPS; n++) {
        OK(rps_world_step(world, 1, &err));
        const size_t contacts = rps_world_contact_count(world);
        /* two ways to compute a gap round differently, by some 1e-16 of the box */
        assert_in_range(contacts, pairs_within(world, -1e-16), pairs_within(world, 1e-16));
        most = contacts > most ? contacts : most;
    }
    assert_true(most > 5); /* there was something to miss */
    rps_detect_count counts;
    rps_detect_counts(world, &counts);
    rps_world_destroy(world);
    return counts.neighbor_builds;
}

static void test_no_contact_is_missed(void **state) {
    (void)state;
    run(3.0, 0.8, true);
    /* lists that knew no more than the largest speed would last half a skin sqrt(u d), d = 8 mm, u = 60 um a step */
    const double by_speed = STEPS * 2.0 * sqrt(60e-6 / 8e-3);
    const double flowing = (double)run(3.0, 0.1, false);
    assert_true(flowing < 0.5 * by_speed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_contact_is_missed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
