/* A world: its options, materials, groups and laws. No failed allocation leaks memory or leaves an inconsistent
 * state. */
#include "world_common.h"

static rps_world_options good_options(void) {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-4;
    return options;
}

static void test_options(void **state) {
    (void)state;
    rps_error err;
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    assert_refused(rps_world_create(&options, &world, &err), &err, "time step", NULL);
    assert_null(world);

    options = good_options();
    options.size--;
    assert_refused(rps_world_create(&options, &world, &err), &err, "rps_world_options_default", NULL);
    options = good_options();
    options.step = NAN;
    assert_refused(rps_world_create(&options, &world, &err), &err, "time step", NULL);
    options = good_options();
    options.gravity[1] = INFINITY;
    assert_refused(rps_world_create(&options, &world, &err), &err, "gravity", NULL);
    options = good_options();
    options.period[1] = -1.0;
    assert_refused(rps_world_create(&options, &world, &err), &err, "period along y", NULL);
    options = good_options();
    options.neighbor_skin = NAN;
    assert_refused(rps_world_create(&options, &world, &err), &err, "neighbor_skin", NULL);
    options = good_options();
    options.threads = -1;
    assert_refused(rps_world_create(&options, &world, &err), &err, "threads", NULL);
    options = good_options();
    options.isa = RPS_ISA_COUNT;
    assert_refused(rps_world_create(&options, &world, &err), &err, "isa", "sse2", NULL);

    for (int isa = -1; isa < RPS_ISA_COUNT; isa++) {
        options = good_options();
        options.isa = isa;
        rps_status status = rps_world_create(&options, &world, &err);
        if (isa >= 0 && !rps_isa_supported((rps_isa)isa)) {
            assert_int_equal(status, RPS_UNSUPPORTED);
            assert_non_null(strstr(err.text, rps_isa_name(rps_isa_best())));
            continue;
        }
        assert_int_equal(status, RPS_OK);
        assert_int_equal(world->isa, isa < 0 ? (int)rps_isa_best() : isa);
        assert_true(world->threads >= 1);
        assert_true(world->step == 1e-4);
        rps_world_destroy(world);
    }
    rps_world_destroy(NULL);
}

static void test_materials(void **state) {
    (void)state;
    rps_error err;
    rps_world_options options = good_options();
    rps_world *world = make_world(&options);
    char name[] = "glass";
    rps_material material = rps_material_default();
    assert_refused(rps_world_add_material(world, &material, NULL, &err), &err, "name", NULL);
    material.name = name;
    material.poisson = 0.6;
    assert_refused(rps_world_add_material(world, &material, NULL, &err), &err, "glass", "poisson", "0.6", NULL);
    material.poisson = 0.5;
    material.young = 0.0;
    assert_refused(rps_world_add_material(world, &material, NULL, &err), &err, "glass", "young", NULL);
    material.young = -INFINITY;
    assert_refused(rps_world_add_material(world, &material, NULL, &err), &err, "glass", "infinity: rigid", NULL);
    material.young = 7e10;
    material.density = -1.0;
    assert_refused(rps_world_add_material(world, &material, NULL, &err), &err, "glass", "density", NULL);
    material.density = 2500.0;
    int index;
    assert_int_equal(rps_world_add_material(world, &material, &index, &err), RPS_OK);
    assert_int_equal(index, 2);
    name[0] = 'x'; /* the world keeps its own copy */
    assert_string_equal(rps_world_material(world, 2).name, "glass");
    assert_true(rps_world_material(world, 2).young == 7e10);
    assert_int_equal(rps_world_find_material(world, "glass"), 2);
    assert_int_equal(rps_world_find_material(world, "xlass"), -1);
    material.name = "stone";
    assert_refused(rps_world_add_material(world, &material, NULL, &err), &err, "stone", "exists", NULL);
    assert_int_equal(rps_world_material_count(world), 3);
    /* pairs that were set before a material was added are still there, and only those */
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) assert_int_equal(rps_world_has_pair(world, a, b), a < 2 && b < 2);
    }
    assert_false(rps_world_has_pair(world, -1, 0));
    assert_false(rps_world_has_pair(world, 0, 3));
    rps_world_destroy(world);
}

static void test_groups(void **state) {
    (void)state;
    rps_error err;
    rps_world_options options = good_options();
    rps_world *world = make_world(&options);
    int a, b, c, again;
    assert_string_equal(rps_world_group_name(world, 0), "");
    assert_int_equal(rps_world_group(world, "walls", &a, &err), RPS_OK);
    assert_int_equal(rps_world_group(world, "grains", &b, &err), RPS_OK);
    assert_int_equal(rps_world_group(world, "walls", &again, &err), RPS_OK);
    assert_int_equal(a, 1);
    assert_int_equal(b, 2);
    assert_int_equal(again, a);
    assert_refused(rps_world_exclude(world, a, 9, &err), &err, "9", NULL);
    assert_int_equal(rps_world_exclude(world, b, a, &err), RPS_OK);
    assert_int_equal(rps_world_group(world, "late", &c, &err), RPS_OK); /* the table grows with the groups */
    assert_int_equal(rps_world_exclude(world, c, c, &err), RPS_OK);
    assert_null(rps_world_group_name(world, 4));
    const int group[4] = {0, a, b, c};
    for (int k = 0; k < 4; k++) {
        rps_body_def def = rps_body_def_default();
        def.radius = 1.0;
        def.group = group[k];
        assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_OK);
    }
    for (int p = 0; p < 4; p++) {
        for (int q = 0; q < 4; q++) {
            bool expected = (p == 1 && q == 2) || (p == 2 && q == 1) || (p == 3 && q == 3);
            assert_int_equal(rps_world_is_excluded(world, (size_t)p, (size_t)q), expected);
        }
    }
    rps_world_destroy(world);
}

static void test_laws(void **state) {
    (void)state;
    rps_error err;
    rps_world_options options = good_options();
    rps_world *world = make_world(&options);
    assert_ptr_equal(rps_world_find_law(world, RPS_ROLE_SLIDE, "probe"), &probe_law[RPS_ROLE_SLIDE]);
    assert_null(rps_world_find_law(world, RPS_ROLE_SLIDE, "prob"));
    assert_refused(rps_world_register_law(world, &probe_law[RPS_ROLE_SLIDE], &err), &err, "slide", "probe", "exists",
                   NULL);
    rps_law law = probe_law[RPS_ROLE_SLIDE];
    law.name = "other";
    law.size = 8;
    assert_refused(rps_world_register_law(world, &law, &err), &err, "size", NULL);
    law.size = sizeof law;
    law.kernel[2] = NULL;
    assert_refused(rps_world_register_law(world, &law, &err), &err, "other", "kernel", NULL);
    law.kernel[2] = law.kernel[0];
    law.begins_apart = 1;
    assert_refused(rps_world_register_law(world, &law, &err), &err, "begins_apart", NULL);
    law.begins_apart = 0;
    assert_int_equal(rps_world_register_law(world, &law, &err), RPS_OK);
    assert_ptr_equal(rps_world_find_law(world, RPS_ROLE_SLIDE, "other"), &law);
    rps_world_destroy(world);
}

/* Every law of the library can be found by its own role and name: no two share both. */
static void test_law_table(void **state) {
    (void)state;
    size_t count = 0;
    for (const rps_law *law; (law = rps_law_at(count)); count++) {
        assert_int_equal(law->size, sizeof *law);
        assert_ptr_equal(rps_law_find(law->role, law->name), law);
    }
    assert_null(rps_law_at(count + 1));
    assert_null(rps_law_at(SIZE_MAX));
    assert_null(rps_law_find(RPS_ROLE_SLIDE, NULL));
    assert_null(rps_law_find(RPS_ROLE_SLIDE, "no law bears this name"));
    assert_string_equal(rps_role_name(RPS_ROLE_NORMAL), "normal");
    assert_string_equal(rps_role_name(RPS_ROLE_SPIN), "spin");
}

/* Calls every function that allocates, once. Stops at the first failure and returns it. */
static rps_status build(const rps_world_options *options, rps_world **world, rps_error *err) {
    *world = NULL;
    rps_status status = rps_world_create(options, world, err);
    for (int k = 0; k < RPS_ROLE_COUNT && status == RPS_OK; k++) {
        status = rps_world_register_law(*world, &probe_law[k], err);
    }
    for (int k = 0; k < 3 && status == RPS_OK; k++) {
        const char *const name[3] = {"a", "b", "c"};
        rps_material material = rps_material_default();
        material.name = name[k];
        material.density = 1000.0;
        status = rps_world_add_material(*world, &material, NULL, err);
        rps_pair pair = probe_pair();
        if (status == RPS_OK) status = rps_world_set_pair(*world, k, 0, &pair, err);
        int group;
        if (status == RPS_OK) status = rps_world_group(*world, name[k], &group, err);
        if (status == RPS_OK) status = rps_world_exclude(*world, group, group, err);
    }
    for (int k = 0; k < 20 && status == RPS_OK; k++) {
        rps_body_def def = rps_body_def_default();
        def.radius = 0.1;
        def.position[0] = k;
        def.kind = k % 3 ? RPS_BODY_DRIVEN : RPS_BODY_FREE;
        status = rps_world_add_body(*world, &def, NULL, err);
    }
    uint32_t from[20];
    for (uint32_t k = 0; k < 20; k++) from[k] = 19 - k;
    if (status == RPS_OK) status = rps_bodies_permute(*world, &(*world)->bodies, &(*world)->contacts, from, err);
    uint64_t hash[2];
    if (status == RPS_OK) status = rps_world_hash(*world, hash, err);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    account a;
    rps_error err;
    rps_world_options options = good_options();
    options.allocator = counted(&a);
    long allowed = 0;
    for (;; allowed++) {
        assert_true(allowed < 1000);
        rps_world *world;
        a.fail_after = allowed;
        rps_status status = build(&options, &world, &err);
        a.fail_after = -1;
        if (world) {
            /* readable, and as good as before: what failed can be done again */
            for (uint64_t id = 0; id < rps_world_body_count(world); id++) {
                assert_int_equal(world->bodies.id[rps_world_slot(world, id)][0], id);
            }
            rps_body_def def = rps_body_def_default();
            def.radius = 0.1;
            def.kind = RPS_BODY_DRIVEN;
            if (rps_world_material_count(world) > 0) {
                assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_OK);
                rps_material material = rps_material_default();
                material.name = "late";
                assert_int_equal(rps_world_add_material(world, &material, NULL, &err), RPS_OK);
            }
        }
        rps_world_destroy(world);
        assert_int_equal(a.blocks, 0);
        assert_int_equal(a.bytes, 0);
        if (status == RPS_OK) break;
        assert_int_equal(status, RPS_NO_MEMORY);
    }
    assert_true(allowed > 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options), cmocka_unit_test(test_materials), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_laws),    cmocka_unit_test(test_law_table), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
