/* Contacts can be kept in some steps and not in others while bodies are added in between. */
#include <string.h>

#include "contacts_common.h"

static rps_error err;

static rps_world *make_world(void) {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.gravity[2] = -9.81;
    options.threads = 1;
    return contacts_world(&options, 1e4);
}

/* A row of spheres that touch the floor (by 1e-5 m) and not each other. */
static void add_row(rps_world *world, int row, int count) {
    for (int k = 0; k < count; k++) {
        rps_body_def ball = rps_body_def_default();
        ball.shape = "sphere";
        ball.radius = 0.005;
        ball.position[0] = 0.011 * k;
        ball.position[1] = 0.011 * row;
        ball.position[2] = 0.00499;
        OK(rps_world_add_body(world, &ball, NULL, &err));
    }
}

static size_t contacts(rps_world *world) {
    static rps_contact capacity[4096];
    size_t count;
    OK(rps_world_contacts(world, capacity, 4096, &count, &err));
    for (size_t k = 0; k < count; k++) {
        assert_true(capacity[k].overlap[0] > 0.0);
        assert_true(capacity[k].normal_load[0] > 0.0);
    }
    return count;
}

static void test_kept_now_and_then(void **state) {
    (void)state;
    rps_world *world = make_world();
    size_t spheres = 0;
    for (int row = 0; row < 40; row++) {
        add_row(world, row, 2 * row + 1);
        spheres += (size_t)(2 * row + 1);
        rps_world_keep_contacts(world, row % 3 == 0);
        OK(rps_world_step(world, 1, &err));
        assert_int_equal(rps_world_contact_count(world), spheres);
        if (row % 3 == 0) {
            assert_int_equal(contacts(world), spheres);
        } else {
            size_t count;
            assert_int_equal(rps_world_contacts(world, NULL, 0, &count, &err), RPS_BAD_INPUT);
            assert_non_null(strstr(err.text, "rps_world_keep_contacts"));
        }
    }
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept_now_and_then)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
