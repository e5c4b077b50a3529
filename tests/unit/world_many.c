/* Bulk insertion, removal and loads leave the world unchanged when memory runs out. */
#include "world_common.h"

#include <repose/repose.h>

static rps_world *new_world(account *a, rps_stepper stepper) {
    rps_world_options options = rps_world_options_default();
    rps_error err = {0};
    rps_world *world;
    options.step = 1e-5;
    options.threads = 1;
    options.stepper = stepper;
    options.contacts = true;
    options.allocator = counted(a);
    assert_int_equal(rps_world_create(&options, &world, &err), RPS_OK);
    rps_material material = rps_material_default();
    material.name = "stone";
    material.density = 2000.0;
    assert_int_equal(rps_world_add_material(world, &material, NULL, &err), RPS_OK);
    rps_pair pair = rps_pair_default();
    assert_int_equal(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err), RPS_OK);
    assert_int_equal(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e4, &err), RPS_OK);
    assert_int_equal(rps_world_set_pair(world, 0, 0, &pair, &err), RPS_OK);
    return world;
}

static void hash_of(rps_world *world, uint64_t hash[2]) {
    rps_error err = {0};
    assert_int_equal(rps_world_hash(world, hash, &err), RPS_OK);
}

enum { COUNT = 300 };

static rps_bodies_def row_of(double place[COUNT][3], double y, bool boxes) {
    rps_bodies_def def = rps_bodies_def_default();
    for (int n = 0; n < COUNT; n++) {
        place[n][0] = 0.0199 * n;
        place[n][1] = y;
        place[n][2] = 0.0;
    }
    def.count = COUNT;
    def.def = boxes ? rps_body_box(0.02, 0.02, 0.02, 0.0) : rps_body_sphere(0.01);
    def.position.data = place;
    return def;
}

/* Fails at later and later allocations until the call succeeds; no failure changes the hash. */
static void test_bulk(void **state) {
    (void)state;
    for (int boxes = 0; boxes < 2; boxes++) {
        account a = {.fail_after = -1};
        rps_world *world = new_world(&a, RPS_PENALTY);
        static double place[COUNT][3];
        rps_bodies_def def = row_of(place, 0.0, false);
        rps_error err = {0};
        assert_int_equal(rps_world_add_bodies(world, &def, NULL, &err), RPS_OK);
        assert_int_equal(rps_world_step(world, 2, &err), RPS_OK);
        uint64_t before[2], after[2], first = 0;
        hash_of(world, before);
        const double speed = world->moved.speed;
        def = row_of(place, 1.0, boxes);
        def.def.velocity[1] = 7.0;
        int failures = 0;
        for (long k = 0;; k++, failures++) {
            a.fail_after = k;
            const rps_status status = rps_world_add_bodies(world, &def, &first, &err);
            a.fail_after = -1;
            if (status == RPS_OK) break;
            assert_int_equal(status, RPS_NO_MEMORY);
            hash_of(world, after);
            assert_memory_equal(before, after, sizeof before);
            assert_true(world->moved.speed == speed);
        }
        assert_true(failures > 0 && first == COUNT && rps_world_body_count(world) == 2 * COUNT);
        assert_true(world->moved.speed == 7.0);
        double mass[COUNT] = {0.0};
        mass[COUNT - 1] = -1.0; /* refused when all others are in */
        def.def.velocity[1] = 9.0;
        def.mass.data = mass;
        hash_of(world, before);
        assert_int_equal(rps_world_add_bodies(world, &def, NULL, &err), RPS_BAD_INPUT);
        hash_of(world, after);
        assert_memory_equal(before, after, sizeof before);
        assert_true(world->moved.speed == 7.0 && rps_world_body_count(world) == 2 * COUNT);
        assert_int_equal(rps_world_step(world, 2, &err), RPS_OK);
        rps_world_destroy(world);
        assert_true(a.blocks == 0 && a.bytes == 0);
    }
}

static void test_removal_and_loads(void **state) {
    (void)state;
    for (int stepper = 0; stepper < 2; stepper++) {
        account a = {.fail_after = -1};
        rps_world *world = new_world(&a, stepper ? RPS_NONSMOOTH : RPS_PENALTY);
        static double place[COUNT][3];
        rps_bodies_def def = row_of(place, 0.0, false);
        rps_error err = {0};
        assert_int_equal(rps_world_add_bodies(world, &def, NULL, &err), RPS_OK);
        assert_int_equal(rps_world_step(world, 3, &err), RPS_OK);
        const double force[3] = {1, 2, 3};
        const uint64_t gone[3] = {0, 100, 299};
        uint64_t before[2], after[2];
        hash_of(world, before);
        for (int call = 0; call < 3; call++) {
            for (long k = 0;; k++) {
                a.fail_after = k;
                const rps_status status = call == 0   ? rps_world_hold_load(world, 7, force, NULL, &err)
                                          : call == 1 ? rps_world_set_user(world, 7, &a, &err)
                                                      : rps_world_remove_bodies(world, gone, 3, &err);
                a.fail_after = -1;
                if (status == RPS_OK) break;
                assert_int_equal(status, RPS_NO_MEMORY);
                hash_of(world, after);
                assert_memory_equal(before, after, sizeof before);
            }
            hash_of(world, before);
        }
        assert_true(rps_world_body_count(world) == COUNT - 3);
        assert_int_equal(rps_world_step(world, 3, &err), RPS_OK);
        rps_world_destroy(world);
        assert_true(a.blocks == 0 && a.bytes == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_removal_and_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
