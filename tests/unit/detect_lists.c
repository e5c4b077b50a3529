/*
 * Lists over many steps of random motion, compared with all pairs: no pair is missed or listed twice, and histories
 * stay with their pairs. Covers all periodic axes, very unequal sizes, planes, fixed bodies, few bodies, and any
 * order of slots.
 */
#include "detect_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void run(const detect_case *c, int steps, double speed) {
    rps_world *world = detect_world(c);
    detect_memory memory = detect_memory_make(world->bodies.count);
    for (int step = 0; step < steps; step++) {
        rps_error err = {0};
        if (step > 0) detect_move(world, speed, 0.0, (uint64_t)step);
        if (rps_detect_update(world, &err) != RPS_OK) fail_msg("step %d: %s", step, err.text);
        detect_check(world, &memory);
    }
    rps_detect_count counts;
    rps_detect_counts(world, &counts);
    if (world->bodies.count > 1 && steps > 100) { /* the case must try both lists */
        assert_true(counts.candidate_builds > 2);
        assert_true(counts.neighbor_builds > counts.candidate_builds);
        assert_true(counts.neighbor_builds < (uint64_t)steps);
        assert_true(memory.serial > 0);
    }
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void test_free_motion_on_no_to_three_periodic_axes(void **state) {
    (void)state;
    for (int axes = 0; axes < 8; axes++) {
        detect_case c = {.count = 80, .box = {0.5, 0.4, 0.6}, .ratio = 1.5, .radius = 0.025, .threads = 1};
        for (int k = 0; k < 3; k++) c.periodic[k] = axes >> k & 1;
        run(&c, 200, 0.5);
    }
}

/* Bodies that flow together stay together: lists that follow predicted paths last longer than those based on the
 * largest speed, and miss nothing either, even beside fixed bodies. */
static void test_flow(void **state) {
    (void)state;
    rps_detect_count counts[2];
    for (int followed = 0; followed < 2; followed++) {
        detect_case c = {.count = 100,
                         .box = {0.6, 0.6, 0.4},
                         .periodic = {true, true, false},
                         .ratio = 1.5,
                         .radius = 0.02,
                         .planes = 2,
                         .fixed_every = 5,
                         .threads = 1};
        rps_world *world = detect_world(&c);
        detect_memory memory = detect_memory_make(world->bodies.count);
        for (uint64_t step = 0; step < 600; step++) {
            if (step > 0) detect_move(world, 0.01, 0.8, step);
            if (!followed) world->moved.deviation = INFINITY;
            assert_ok(rps_detect_update(world, &error_));
            detect_check(world, &memory);
        }
        rps_detect_counts(world, &counts[followed]);
        assert_true(memory.serial > 20); /* contacts did begin */
        detect_memory_free(&memory);
        rps_world_destroy(world);
    }
    assert_true(counts[1].neighbor_builds < 0.7 * (double)counts[0].neighbor_builds);
}

/* One step of bodies 0 and 1 towards each other; bodies at rest beside them stay. */
static void approach(rps_world *world, double speed) {
    world->moved.speed = speed;
    world->moved.deviation = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const uint64_t id = world->bodies.id[s][0];
        const double v = id == 0 ? speed : id == 1 ? -speed : 0.0;
        world->bodies.motion[s].velocity[0] = v;
        world->bodies.pose[s].position[0] += world->step * v;
        if (rps_detect_predictions(world) == NULL) continue;
        const double stray =
            fabs(v - (double)rps_detect_predictions(world)[s].v[0]) * (double)rps_detect_predictions(world)[s].weight;
        world->moved.deviation = stray > world->moved.deviation ? stray : world->moved.deviation;
    }
    world->steps++;
}

/* The displacement buffer of a body that passes another allows for a collision with it. Two such bodies, too far
 * apart for the candidate list, that come nearer within their buffers by nearly twice their first speed are listed
 * when they touch. */
static void test_buffer_ends_with_the_candidate_list(void **state) {
    (void)state;
    detect_case c = {.count = 0, .ratio = 1.0, .radius = 0.05, .skin = 0.05, .neighbor_skin = 0.002, .threads = 1};
    rps_world *world = detect_world(&c);
    const double first = 0.0024 / world->step, gap = 0.0505, r = 0.05, beside = 2.0 * r + 0.0005;
    detect_add_sphere(world, 0, r, 0.0, 0.0, 0.0);
    detect_add_sphere(world, 0, r, 2.0 * r + gap, 0.0, 0.0);
    detect_add_sphere(world, 0, r, 0.01, beside, 0.0); /* passed by the one and by the other */
    detect_add_sphere(world, 0, r, 2.0 * r + gap - 0.01, -beside, 0.0);
    detect_memory memory = detect_memory_make(world->bodies.count);
    for (int step = 0; step < 40 && !(rps_detect_gap(world, 0, 1) < -0.01); step++) {
        if (step > 0) approach(world, step == 1 ? first : 1.9 * first);
        assert_ok(rps_detect_update(world, &error_));
        detect_check(world, &memory);
        if (step != 1) continue;
        const rps_prediction *prediction = rps_detect_predictions(world);
        assert_non_null(prediction);
        for (int k = 0; k < 3; k++)
            assert_true(prediction != NULL && prediction[k].weight < 0.1F); /* what is passed may be hit */
    }
    assert_true(memory.born[0 * 4 + 1] != 0);
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void test_size_ratio_of_hundred(void **state) {
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        detect_case c = {.count = 150,
                         .box = {3.0, 2.5, 2.5},
                         .periodic = {periodic, 0, periodic},
                         .ratio = 100.0,
                         .radius = 0.005,
                         .threads = 1};
        run(&c, 150, 4.0);
    }
}

static void test_planes_and_fixed_bodies(void **state) {
    (void)state;
    for (int turning = 0; turning < 2; turning++) {
        detect_case c = {.count = 60,
                         .box = {0.6, 0.6, 0.2},
                         .periodic = {!turning, true, false},
                         .ratio = 2.0,
                         .radius = 0.02,
                         .planes = 2,
                         .fixed_every = 3,
                         .threads = 1,
                         .turning = turning};
        run(&c, 300, 0.3);
    }
}

/* A plane that only rotates moves its surface towards bodies at rest: its rotation counts as displacement. */
static void test_turning_plane_reaches_resting_bodies(void **state) {
    (void)state;
    detect_case c = {.count = 0, .box = {2.0, 1.0, 1.0}, .ratio = 1.0, .radius = 0.05, .planes = 0, .threads = 1};
    rps_world *world = detect_world(&c);
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_DRIVEN;
    def.normal[2] = 1.0;
    def.drive.angular_velocity[1] = -0.5;
    def.drive.until = -1.0;
    assert_ok(rps_world_add_body(world, &def, NULL, &error_));
    for (int k = 0; k < 20; k++) detect_add_sphere(world, 0, 0.05, 0.1 + 0.1 * k, 0.0, 0.055 + 0.013 * k);
    detect_memory memory = detect_memory_make(world->bodies.count);
    for (uint64_t step = 0; step < 400; step++) {
        if (step > 0) detect_move(world, 0.0, 0.0, step);
        assert_ok(rps_detect_update(world, &error_));
        detect_check(world, &memory);
    }
    for (int k = 1; k <= 20; k++) assert_true(memory.born[k] != 0); /* 0.2 rad: each is touched in the end */
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void test_reach_beyond_the_surface(void **state) {
    (void)state;
    detect_case c = {.count = 80,
                     .box = {0.5, 0.4, 0.6},
                     .periodic = {true},
                     .ratio = 3.0,
                     .radius = 0.015,
                     .planes = 1,
                     .cutoff = 0.3,
                     .threads = 1};
    run(&c, 200, 0.4);
}

static void test_given_skins(void **state) {
    (void)state;
    detect_case c = {.count = 80,
                     .box = {0.5, 0.4, 0.6},
                     .ratio = 1.5,
                     .radius = 0.02,
                     .threads = 1,
                     .skin = 0.02,
                     .neighbor_skin = 0.004};
    run(&c, 300, 0.3);
}

/* The smallest periods: twice the widest pair with the usual skin, 0.1 of a diameter. */
static void test_shortest_periods(void **state) {
    (void)state;
    double least = 2.0 * (0.05 + 0.05 + 0.01) * (1.0 + 1e-12);
    detect_case c = {.count = 6,
                     .box = {least, least, least},
                     .periodic = {true, true, true},
                     .ratio = 1.0,
                     .radius = 0.05,
                     .threads = 1};
    run(&c, 300, 0.3);
}

/* Small spheres touch, so that all pairs have the same constants; then two large ones meet, and lanes are needed for them. */
static void test_constants_cease_to_be_the_same(void **state) {
    (void)state;
    detect_case c = {.count = 0, .box = {2.0, 1.0, 1.0}, .ratio = 1.0, .radius = 0.01, .threads = 1};
    rps_world *world = detect_world(&c);
    for (int k = 0; k < 100; k++) detect_add_sphere(world, 0, 0.01, 0.0199 * k, 0.0, 0.0);
    const uint64_t large = detect_add_sphere(world, 0, 0.05, 0.0, 0.5, 0.0);
    detect_add_sphere(world, 0, 0.05, 0.3, 0.5, 0.0);
    detect_memory memory = detect_memory_make(world->bodies.count);
    const rps_contacts *contacts = &world->contacts;
    for (int step = 0; step < 210; step++) {
        world->bodies.pose[world->bodies.slot_of[large]].position[0] = 1e-3 * step;
        world->moved.speed = step > 0 ? 1.0 : 0.0;
        world->moved.deviation = INFINITY;
        assert_ok(rps_detect_update(world, &error_));
        detect_check(world, &memory);
        if (step == 0) assert_true(contacts->segments == 1 && contacts->segment[0].same != NULL);
    }
    assert_true(contacts->segments == 1 && contacts->segment[0].same == NULL);
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void test_few_bodies(void **state) {
    (void)state;
    for (size_t count = 0; count <= 3; count++) {
        for (int planes = 0; planes <= 2; planes++) {
            detect_case c = {
                .count = count, .box = {0.1, 0.1, 0.06}, .ratio = 1.2, .radius = 0.03, .planes = planes, .threads = 1};
            run(&c, 60, 0.5);
        }
    }
}

static void test_stray_bodies_cost_nothing(void **state) {
    (void)state;
    detect_case c = {.count = 60, .box = {0.4, 0.4, 0.4}, .ratio = 1.5, .radius = 0.03, .threads = 1};
    rps_world *world = detect_world(&c);
    /* two neighbours in each of two far places, the second beyond all cell numbers */
    for (int k = 0; k < 4; k++) {
        double *x = world->bodies.pose[10 * k].position;
        x[0] = k < 2 ? -1e7 : 1e12;
        x[1] = 0.05 * (k % 2);
        x[2] = k < 2 ? 1e5 : -1e13;
    }
    detect_memory memory = detect_memory_make(world->bodies.count);
    rps_error err = {0};
    if (rps_detect_update(world, &err) != RPS_OK) fail_msg("%s", err.text);
    detect_check(world, &memory);
    assert_true(memory.born[0 * 60 + 10] != 0 && memory.born[20 * 60 + 30] != 0);
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void test_shuffled_slots_and_orders(void **state) {
    (void)state;
    for (uint64_t shuffle = 1; shuffle <= 3; shuffle++) {
        detect_case c = {.count = 80,
                         .box = {0.5, 0.4, 0.6},
                         .periodic = {true, true, false},
                         .ratio = 3.0,
                         .radius = 0.02,
                         .planes = 2,
                         .fixed_every = 5,
                         .threads = 1,
                         .shuffle = shuffle};
        run(&c, 200, 0.3);
    }
}

/* Enough bodies that slots are sorted spatially. */
static void test_ordered_slots(void **state) {
    (void)state;
    detect_case c = {.count = 600,
                     .box = {0.8, 0.8, 0.8},
                     .periodic = {true, true, false},
                     .ratio = 2.0,
                     .radius = 0.03,
                     .planes = 1,
                     .threads = 1};
    rps_world *world = detect_world(&c);
    detect_memory memory = detect_memory_make(world->bodies.count);
    bool moved = false;
    for (uint64_t step = 0; step < 40; step++) {
        rps_error err = {0};
        if (step > 0) detect_move(world, 10.0, 0.0, step);
        if (rps_detect_update(world, &err) != RPS_OK) fail_msg("%s", err.text);
        detect_check(world, &memory);
        for (size_t s = 0; s < world->bodies.count; s++) moved = moved || world->bodies.id[s][0] != s;
    }
    assert_true(moved);
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void test_bodies_added_between_steps(void **state) {
    (void)state;
    detect_case c = {.count = 30, .box = {0.3, 0.3, 0.3}, .ratio = 1.5, .radius = 0.025, .threads = 1, .shuffle = 5};
    rps_world *world = detect_world(&c);
    detect_memory memory = detect_memory_make(120);
    memory.count = 120;
    for (uint64_t step = 0; step < 60; step++) {
        rps_error err = {0};
        if (step > 0) detect_move(world, 0.3, 0.0, step);
        if (step % 3 == 1) detect_add_sphere(world, 0, 0.03, 0.01 * (double)(step % 30), 0.1, 0.2);
        if (rps_detect_update(world, &err) != RPS_OK) fail_msg("%s", err.text);
        detect_check(world, &memory);
    }
    detect_memory_free(&memory);
    rps_world_destroy(world);
}

static void assert_same_lists(const rps_world *a, const rps_world *b) {
    const rps_contacts *x = &a->contacts, *y = &b->contacts;
    size_t count = a->bodies.count;
    assert_true(x->segments == y->segments && x->entries == y->entries);
    for (size_t k = 0; k < x->segments; k++) {
        const rps_segment *s = &x->segment[k], *t = &y->segment[k];
        assert_true(s->pair == t->pair && s->record == t->record && s->begin == t->begin && s->count == t->count);
        assert_true(s->capacity == t->capacity);
        assert_memory_equal(s->slot_i, t->slot_i, s->capacity * sizeof *s->slot_i);
        assert_memory_equal(s->slot_j, t->slot_j, s->capacity * sizeof *s->slot_j);
    }
    assert_memory_equal(x->reference_begin, y->reference_begin, (count + 1) * sizeof *x->reference_begin);
    assert_memory_equal(x->reference_own, y->reference_own, count * sizeof *x->reference_own);
    assert_memory_equal(x->reference, y->reference, x->reference_begin[count] * sizeof *x->reference);
    for (size_t s = 0; s < count; s++) assert_true(a->bodies.id[s][0] == b->bodies.id[s][0]);
}

static void test_same_lists_for_any_number_of_threads(void **state) {
    (void)state;
    detect_case c = {.count = 3000,
                     .box = {1.0, 1.0, 1.0},
                     .periodic = {true, false, false},
                     .ratio = 8.0,
                     .radius = 0.015,
                     .planes = 1,
                     .fixed_every = 7};
    rps_world *world[3];
    detect_memory memory[3];
    for (int k = 0; k < 3; k++) {
        c.threads = k + 1;
        world[k] = detect_world(&c);
        memory[k] = detect_memory_make(world[k]->bodies.count);
    }
    for (uint64_t step = 0; step < 6; step++) {
        for (int k = 0; k < 3; k++) {
            rps_error err = {0};
            if (step > 0) detect_move(world[k], 1.0, 0.0, step);
            if (rps_detect_update(world[k], &err) != RPS_OK) fail_msg("%s", err.text);
            if (k > 0) assert_same_lists(world[0], world[k]);
        }
        if (step % 5 == 0) {
            for (int k = 0; k < 3; k++) detect_check(world[k], &memory[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        detect_memory_free(&memory[k]);
        rps_world_destroy(world[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_motion_on_no_to_three_periodic_axes),
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_buffer_ends_with_the_candidate_list),
        cmocka_unit_test(test_size_ratio_of_hundred),
        cmocka_unit_test(test_planes_and_fixed_bodies),
        cmocka_unit_test(test_turning_plane_reaches_resting_bodies),
        cmocka_unit_test(test_reach_beyond_the_surface),
        cmocka_unit_test(test_given_skins),
        cmocka_unit_test(test_shortest_periods),
        cmocka_unit_test(test_constants_cease_to_be_the_same),
        cmocka_unit_test(test_few_bodies),
        cmocka_unit_test(test_stray_bodies_cost_nothing),
        cmocka_unit_test(test_shuffled_slots_and_orders),
        cmocka_unit_test(test_ordered_slots),
        cmocka_unit_test(test_bodies_added_between_steps),
        cmocka_unit_test(test_same_lists_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
