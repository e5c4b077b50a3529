/* Contacts as a view and as events: what a program reads without asking for it before the step. */
#include "worlds.h"

static rps_world *make(rps_stepper stepper) {
    rps_world_options options = options_of(5e-5);
    options.stepper = stepper;
    options.contacts = true;
    options.gravity[2] = -10.0;
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    return world;
}

static rps_contact_events events_of(const rps_world *world) {
    rps_contact_events events;
    MUST(rps_world_contact_events(world, &events, ERR));
    return events;
}

/* A ball bounces: each time it begins and ends once, and between events the view holds what they say. */
static void test_bounces(void **state) {
    (void)state;
    rps_world *world = make(RPS_PENALTY);
    const uint64_t ball = add_ball(world, rps_vec3_make(0, 0, 0.02), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
    size_t begins = 0, ends = 0;
    for (int n = 0; n < 10000; n++) {
        advance(world, 1);
        const rps_contact_events events = events_of(world);
        const rps_contact *contact;
        size_t count;
        MUST(rps_world_contact_view(world, &contact, &count, ERR));
        begins += events.begins;
        ends += events.ends;
        assert_int_equal(begins - ends, count);
        if (events.begins > 0) {
            assert_true(events.began[0].id_i == 0 && events.began[0].id_j == ball);
            assert_true(contact[0].id_i == 0 && contact[0].id_j == ball && contact[0].overlap[0] > 0.0);
        }
    }
    /* it falls 1 cm in 45 ms and comes back to that height for want of damping: every 90 ms in 0.5 s */
    assert_int_equal(begins, 5);
    rps_world_destroy(world);
}

static void test_events_of_a_call(void **state) {
    (void)state;
    for (int stepper = 0; stepper < 2; stepper++) {
        rps_world *world = make(stepper ? RPS_NONSMOOTH : RPS_PENALTY);
        uint64_t id[3];
        for (int n = 0; n < 3; n++) {
            id[n] =
                add_ball(world, rps_vec3_make(0.1 * n, 0, 0.01 - 1e-5), 0.01, 0.1, rps_vec3_zero(), rps_vec3_zero());
        }
        advance(world, 20);
        rps_contact_events events = events_of(world);
        assert_int_equal(events.begins, 3); /* those at the start too */
        for (int n = 0; n < 3; n++) assert_true(events.began[n].id_j == id[n]);
        advance(world, 20);
        events = events_of(world);
        assert_true(events.begins == 0 && events.ends == 0);
        const double away[3] = {0, 0, 1};
        MUST(rps_world_set_position(world, id[1], away, ERR));
        MUST(rps_world_remove_bodies(world, &id[2], 1, ERR));
        advance(world, 1);
        events = events_of(world);
        assert_true(events.begins == 0 && events.ends == 2);
        assert_true(events.ended[0].id_j == id[1] && events.ended[1].id_j == id[2]);
        rps_world_destroy(world);
    }
}

/* The view is what rps_world_contacts copies; keeping in the last step alone leaves the bits. */
static void test_view_and_bits(void **state) {
    (void)state;
    uint64_t hash[2][2];
    for (int n = 0; n < 2; n++) {
        rps_world *world = make(RPS_PENALTY);
        for (int b = 0; b < 30; b++) {
            add_ball(world, rps_vec3_make(0.0199 * (b % 6), 0.0199 * (b / 6), 0.0099), 0.01, 0.1, rps_vec3_zero(),
                     rps_vec3_zero());
        }
        for (int k = 0; k < (n ? 100 : 1); k++) advance(world, n ? 1 : 100);
        const rps_contact *view;
        rps_contact copy[256];
        size_t count[2];
        MUST(rps_world_contact_view(world, &view, &count[0], ERR));
        MUST(rps_world_contacts(world, copy, 256, &count[1], ERR));
        assert_true(count[0] == count[1] && count[0] > 0 && count[0] <= 256);
        assert_memory_equal(view, copy, count[0] * sizeof *copy);
        MUST(rps_world_hash(world, hash[n], ERR));
        rps_world_destroy(world);
    }
    assert_memory_equal(hash[0], hash[1], sizeof *hash);
}

static void test_refusal(void **state) {
    (void)state;
    rps_world_options options = options_of(1e-5);
    const rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    rps_contact_events events;
    const rps_contact *contact;
    size_t count;
    rps_error err;
    advance(world, 1);
    assert_int_equal(rps_world_contact_events(world, &events, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "`contacts`"));
    assert_int_equal(rps_world_contact_view(world, &contact, &count, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "`contacts`"));
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_events_of_a_call),
        cmocka_unit_test(test_view_and_bits),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
