/* Contacts can be kept in some steps and not in others while bodies come in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <repose/step.h>

static rps_error err;

#define OK(call)                      \
    do {                              \
        rps_status status_ = (call);  \
        if (status_ != RPS_OK) {      \
            fail_msg("%s", err.text); \
        }                             \
    } while (0)

static rps_world *make_world(void) {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.gravity[2] = -9.81;
    options.threads = 1;
    rps_world *world;
    OK(rps_world_create(&options, &world, &err));
    rps_material material = rps_material_default();
    material.name = "grain";
    material.density = 2500.0;
    int index;
    OK(rps_world_add_material(world, &material, &index, &err));
    rps_pair pair = rps_pair_default();
    pair.law[RPS_ROLE_NORMAL] = rps_law_find(RPS_ROLE_NORMAL, "hooke");
    pair.value[RPS_ROLE_NORMAL][0] = 1e4;
    for (int role = RPS_ROLE_DAMPING; role < RPS_ROLE_COUNT; role++) {
        pair.law[role] = rps_law_find((rps_role)role, "none");
    }
    OK(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_body_def plane = rps_body_def_default();
    plane.shape = "plane";
    plane.kind = RPS_BODY_FIXED;
    plane.normal[2] = 1.0;
    OK(rps_world_add_body(world, &plane, NULL, &err));
    return world;
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
    static rps_contact room[4096];
    size_t count;
    OK(rps_world_contacts(world, room, 4096, &count, &err));
    for (size_t k = 0; k < count; k++) {
        assert_true(room[k].overlap[0] > 0.0);
        assert_true(room[k].normal_load[0] > 0.0);
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
