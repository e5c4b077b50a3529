/*
 * Errors of contact detection and their messages, excluded pairs, and single gaps. A failed allocation anywhere
 * leaves the world readable, and the next call is correct.
 */
#include "detect_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t listed(const rps_world *world) {
    rps_detect_count counts;
    rps_detect_counts(world, &counts);
    return counts.neighbor_count;
}

static void test_gaps(void **state) {
    (void)state;
    detect_case c = {
        .count = 0, .box = {1.0, 1.0, 1.0}, .periodic = {true}, .radius = 0.1, .ratio = 1.0, .planes = 1, .threads = 1};
    rps_world *world = detect_world(&c); /* body 0: the plane z = 0 */
    detect_add_sphere(world, 0, 0.1, 0.125, 0.5, 0.3);
    detect_add_sphere(world, 0, 0.05, 0.875, 0.5, 0.3);
    detect_add_sphere(world, 0, 0.05, 0.125, 0.9, 0.6);
    double last_bits = 1e-15;                                                   /* values of order 1, a few roundings */
    assert_true(fabs(rps_detect_gap(world, 1, 2) - (0.25 - 0.15)) < last_bits); /* through the period */
    assert_true(fabs(rps_detect_gap(world, 1, 3) - (0.5 - 0.15)) < last_bits);
    assert_true(rps_detect_gap(world, 1, 2) == rps_detect_gap(world, 2, 1));
    assert_true(fabs(rps_detect_gap(world, 0, 1) - 0.2) < last_bits);
    assert_true(rps_detect_gap(world, 1, 0) == rps_detect_gap(world, 0, 1));
    assert_true(rps_detect_gap(world, 0, 0) == INFINITY); /* planes never touch each other */
    rps_world_destroy(world);
}

static void test_missing_pair(void **state) {
    (void)state;
    detect_case c = {.count = 0, .box = {1.0, 1.0, 1.0}, .radius = 0.1, .ratio = 1.0, .threads = 1};
    rps_world *world = detect_world(&c);
    int steel = detect_material(world, "steel");
    detect_add_sphere(world, 0, 0.1, 0.0, 0.0, 0.0);
    detect_add_sphere(world, steel, 0.1, 0.5, 0.0, 0.0);
    assert_ok(rps_detect_update(world, &error_)); /* far apart: nothing to say yet */
    assert_true(listed(world) == 0);
    world->bodies.pose[1].position[0] = 0.2005;
    world->moved.speed = 1e6;
    rps_error err = {0};
    assert_true(rps_detect_update(world, &err) == RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "`grain` and `steel`"));
    assert_non_null(strstr(err.text, "body 0 and body 1 come close"));
    detect_pair(world, 0, steel, 0.0);
    assert_ok(rps_detect_update(world, &error_));
    assert_true(listed(world) == 1);
    rps_world_destroy(world);
}

static void test_short_period(void **state) {
    (void)state;
    detect_case c = {.count = 0,
                     .box = {1.0, 0.43, 1.0},
                     .periodic = {true, true},
                     .radius = 0.1,
                     .ratio = 1.0,
                     .threads = 1,
                     .skin = 0.02};
    rps_world *world = detect_world(&c);
    detect_add_sphere(world, 0, 0.1, 0.0, 0.0, 0.0);
    assert_ok(rps_detect_update(world, &error_)); /* one body has no partner */
    detect_add_sphere(world, 0, 0.1, 0.5, 0.0, 0.0);
    rps_error err = {0};
    assert_true(rps_detect_update(world, &err) == RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "period along y is 0.43 m"));
    assert_non_null(strstr(err.text, "at least 0.44 m")); /* 2 (0.1 + 0.1 + 0.02) */
    rps_world_destroy(world);
}

static void test_position_that_is_no_number(void **state) {
    (void)state;
    detect_case c = {.count = 20, .box = {1.0, 1.0, 1.0}, .radius = 0.05, .ratio = 1.0, .threads = 1};
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        rps_world *world = detect_world(&c);
        world->bodies.pose[7].position[k] = world->bodies.pose[11].position[0] = wrong[k];
        rps_error err = {0};
        assert_true(rps_detect_update(world, &err) == RPS_GUARD);
        assert_non_null(strstr(err.text, "body 7 "));
        world->bodies.pose[7].position[k] = world->bodies.pose[11].position[0] = 0.5;
        assert_ok(rps_detect_update(world, &error_));
        /* with a speed that is no number either, both lists are looked at */
        world->bodies.pose[7].position[k] = wrong[k];
        world->moved.speed = NAN;
        assert_true(rps_detect_update(world, &err) == RPS_GUARD);
        /* where only the neighbor list is due */
        world->bodies.pose[7].position[k] = 0.5;
        world->moved.speed = 0.0;
        world->lists_stale = true;
        assert_ok(rps_detect_update(world, &error_));
        world->bodies.pose[7].position[k] = wrong[k];
        world->moved.speed = 0.51 * world->lists->life.neighbor_skin / world->step;
        assert_true(rps_detect_update(world, &err) == RPS_GUARD);
        assert_non_null(strstr(err.text, "body 7 "));
        rps_world_destroy(world);
    }
}

static void test_excluded_groups_and_fixed_bodies_are_no_candidates(void **state) {
    (void)state;
    detect_case c = {.count = 0, .box = {1.0, 1.0, 1.0}, .radius = 0.1, .ratio = 1.0, .planes = 1, .threads = 1};
    rps_world *world = detect_world(&c);
    int group = 0;
    assert_ok(rps_world_group(world, "ghosts", &group, &error_));
    int glass = detect_material(world, "glass"); /* no pair at all: excluded pairs need none */
    for (int k = 0; k < 4; k++) detect_add_sphere(world, k < 2 ? 0 : glass, 0.1, 0.19 * k, 0.0, 0.09);
    world->bodies.group[3][0] = world->bodies.group[4][0] = group;
    assert_ok(rps_world_exclude(world, group, group, &error_));
    assert_ok(rps_world_exclude(world, group, 0, &error_));
    assert_ok(rps_detect_update(world, &error_));
    assert_true(listed(world) == 3); /* two on the plane, and these two */
    world->bodies.kind[1][0] = world->bodies.kind[2][0] = RPS_BODY_FIXED;
    world->lists_stale = true;
    assert_ok(rps_detect_update(world, &error_));
    assert_true(listed(world) == 0);
    rps_world_destroy(world);
}

/* Exclusion ends a contact even while it exists; any other existing contact that is not found is an error of the
 * library. */
static void test_living_contacts_are_not_lost(void **state) {
    (void)state;
    for (int excluded = 0; excluded < 2; excluded++) {
        detect_case c = {.count = 0, .box = {1.0, 1.0, 1.0}, .radius = 0.1, .ratio = 1.0, .threads = 1};
        rps_world *world = detect_world(&c);
        detect_add_sphere(world, 0, 0.1, 0.0, 0.0, 0.0);
        detect_add_sphere(world, 0, 0.1, 0.19, 0.0, 0.0);
        assert_ok(rps_detect_update(world, &error_));
        const rps_segment *segment = world->contacts.segment;
        segment->state[(size_t)world->pair_setup[segment->pair].layout[segment->record].modes * segment->capacity] =
            1.0;
        rps_error err = {0};
        if (excluded) {
            assert_ok(rps_world_exclude(world, 0, 0, &error_));
            assert_ok(rps_detect_update(world, &error_));
        } else {
            world->bodies.pose[1].position[0] = 0.7;
            world->lists_stale = true;
            assert_true(rps_detect_update(world, &err) == RPS_INTERNAL);
            assert_non_null(strstr(err.text, "body 0 and body 1"));
            world->moved.speed = 0.35 / world->step; /* the two did part in one step: not the library's fault */
            assert_true(rps_detect_update(world, &err) == RPS_GUARD);
        }
        rps_world_destroy(world);
    }
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

typedef struct limited {
    long left; /* allocations that still succeed; negative: no limit */
    long blocks;
} limited;

static void *limited_alloc(void *ctx, size_t size, size_t align) {
    limited *l = ctx;
    if (l->left == 0) return NULL;
    if (l->left > 0) l->left--;
    l->blocks++;
    void *p = NULL;
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

static void limited_release(void *ctx, void *p, size_t size) {
    (void)size;
    ((limited *)ctx)->blocks--;
    free(p);
}

static void test_failed_allocations(void **state) {
    (void)state;
    limited memory_left = {-1, 0};
    detect_case c = {.count = 90,
                     .box = {0.5, 0.5, 0.5},
                     .ratio = 5.0,
                     .radius = 0.02,
                     .planes = 1,
                     .threads = 1,
                     .shuffle = 9,
                     .allocator = {limited_alloc, limited_release, &memory_left}};
    rps_world *world = detect_world(&c);
    detect_memory memory = detect_memory_make(140);
    int failures = 0;
    for (uint64_t step = 0; step < 50; step++) {
        if (step > 0) detect_move(world, 0.5, 0.0, step);
        detect_add_sphere(world, 0, 0.04, 0.1, 0.01 * (double)step, 0.2);
        world->keep_contacts = step > 20;
        for (long n = 0;; n++) {
            memory_left.left = n;
            rps_error err = {0};
            rps_status status = rps_detect_update(world, &err);
            memory_left.left = -1;
            if (status == RPS_OK) break;
            assert_true(status == RPS_NO_MEMORY);
            uint64_t hash[2];
            assert_ok(rps_world_hash(world, hash, &error_)); /* still readable */
            failures++;
        }
        detect_check(world, &memory);
        if (world->keep_contacts) assert_true(world->contacts.result_capacity >= world->contacts.entries);
    }
    assert_true(failures > 50);
    detect_memory_free(&memory);
    rps_world_destroy(world);
    assert_true(memory_left.blocks == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_missing_pair),
        cmocka_unit_test(test_short_period),
        cmocka_unit_test(test_position_that_is_no_number),
        cmocka_unit_test(test_excluded_groups_and_fixed_bodies_are_no_candidates),
        cmocka_unit_test(test_living_contacts_are_not_lost),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
