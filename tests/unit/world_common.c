#include "world_common.h"

#include <stdlib.h>

static void *account_alloc(void *ctx, size_t size, size_t align) {
    account *a = ctx;
    if (a->fail_after == 0) return NULL;
    if (a->fail_after > 0) a->fail_after--;
    a->blocks++;
    a->bytes += (long)size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void account_release(void *ctx, void *p, size_t size) {
    account *a = ctx;
    assert_non_null(p);
    a->blocks--;
    a->bytes -= (long)size;
    free(p);
}

rps_allocator counted(account *a) {
    *a = (account){0, 0, -1};
    return (rps_allocator){account_alloc, account_release, a};
}

static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    if (setup->value[0] == 7.0) {
        if (err) {
            err->status = RPS_BAD_INPUT;
            strcpy(err->text, "seven will not do");
        }
        return RPS_BAD_INPUT;
    }
    for (int k = 0; k < 4; k++) constant[k] = setup->value[k];
    for (int k = 0; k < 3; k++) constant[10 + k] = setup->slide_value[k];
    constant[13] = setup->young[0];
    constant[14] = setup->young[1];
    constant[15] = setup->normal_exponent;
    return RPS_OK;
}

static void kernel(const rps_batch *b, const double *constant) {
    (void)b;
    (void)constant;
}

static double probe_range(const double *constant, double smaller_radius, double radius_eff) {
    (void)constant;
    (void)radius_eff;
    return 0.02 * smaller_radius;
}

#define COMMON                                                                                             \
    .size = sizeof(rps_law), .reads = RPS_ARRAY(touch), .summary = "", .citation = "", .prepare = prepare, \
    .kernel = {kernel, kernel, kernel}

const rps_law probe_law[RPS_ROLE_COUNT] = {
    {COMMON, .role = RPS_ROLE_NORMAL, .name = "probe",
     .parameter = {{"stiffness", "N/m", "", 1.0, 10.0, NAN, NULL, RPS_PARAMETER_STIFFNESS}},
     .memory = {{"peak", "m", "", RPS_MEMORY_SCALAR}}, .exponent = 1.5, .begins_apart = 1, .range = probe_range,
     .writes = RPS_ARRAY(elastic_load)},
    {COMMON, .role = RPS_ROLE_DAMPING, .name = "probe"},
    {COMMON, .role = RPS_ROLE_BRIDGE, .name = "probe"},
    {COMMON, .role = RPS_ROLE_SLIDE, .name = "probe",
     .parameter = {{"stiffness", "N/m", "", 0.0, INFINITY, NAN, NULL, RPS_PARAMETER_STIFFNESS},
                   {"static", "", "", 0.0, 2.0, NAN, NULL, RPS_PARAMETER_STATIC},
                   {"kinetic", "", "", 0.0, 2.0, 0.1, NULL, RPS_PARAMETER_KINETIC},
                   {"tension", "", "", 0.0, 0.0, 1.0, "cut|allow", RPS_PARAMETER_OTHER}},
     .memory = {{"slip", "m", "", RPS_MEMORY_TANGENT}, {"damper", "N", "", RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK}},
     .modes = 1, .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(dissipated)},
    {COMMON, .role = RPS_ROLE_ROLL, .name = "probe",
     .parameter = {{"static", "", "", 0.0, 2.0, NAN, NULL, RPS_PARAMETER_STATIC},
                   {"eta", "", "", 0.0, 2.0, 0.5, NULL, RPS_PARAMETER_OTHER}},
     .memory = {{"booked", "N", "", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}, {"roll", "m", "", RPS_MEMORY_TANGENT}},
     .modes = 1, .writes = RPS_ARRAY(dissipated)},
    {COMMON, .role = RPS_ROLE_SPIN, .name = "probe"},
};

static const rps_law none_law[RPS_ROLE_COUNT] = {
    [RPS_ROLE_DAMPING] = {COMMON, .role = RPS_ROLE_DAMPING, .name = "none"},
    [RPS_ROLE_BRIDGE] = {COMMON, .role = RPS_ROLE_BRIDGE, .name = "none"},
    [RPS_ROLE_SLIDE] = {COMMON, .role = RPS_ROLE_SLIDE, .name = "none"},
    [RPS_ROLE_ROLL] = {COMMON, .role = RPS_ROLE_ROLL, .name = "none"},
    [RPS_ROLE_SPIN] = {COMMON, .role = RPS_ROLE_SPIN, .name = "none"},
};

void register_probes(rps_world *world) {
    rps_error err;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        assert_int_equal(rps_world_register_law(world, &probe_law[role], &err), RPS_OK);
        if (role != RPS_ROLE_NORMAL && !rps_world_find_law(world, (rps_role)role, "none")) {
            assert_int_equal(rps_world_register_law(world, &none_law[role], &err), RPS_OK);
        }
    }
}

rps_pair probe_pair(void) {
    rps_pair pair = rps_pair_default();
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (role != RPS_ROLE_BRIDGE) pair.law[role] = &probe_law[role]; /* the pair is dry */
    }
    pair.value[RPS_ROLE_NORMAL][0] = 4.0;
    pair.value[RPS_ROLE_SLIDE][0] = 1e5;
    pair.value[RPS_ROLE_SLIDE][1] = 0.25;
    return pair;
}

rps_world *make_world(const rps_world_options *options) {
    rps_error err;
    rps_world *world;
    assert_int_equal(rps_world_create(options, &world, &err), RPS_OK);
    register_probes(world);
    rps_material material = rps_material_default();
    material.name = "stone";
    material.density = 2000.0;
    material.young = 2e9;
    assert_int_equal(rps_world_add_material(world, &material, NULL, &err), RPS_OK);
    material = rps_material_default();
    material.name = "felt";
    assert_int_equal(rps_world_add_material(world, &material, NULL, &err), RPS_OK);
    rps_pair pair = probe_pair();
    assert_int_equal(rps_world_set_pair(world, 0, 0, &pair, &err), RPS_OK);
    assert_int_equal(rps_world_set_pair(world, 1, 0, &pair, &err), RPS_OK);
    assert_int_equal(rps_world_set_pair(world, 1, 1, &pair, &err), RPS_OK);
    return world;
}

uint64_t add_sphere(rps_world *world, double x, double y, double z, double radius) {
    rps_body_def def = rps_body_def_default();
    rps_error err;
    uint64_t id;
    def.radius = radius;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    if (rps_world_add_body(world, &def, &id, &err) != RPS_OK) fail_msg("%s", err.text);
    return id;
}

void assert_refused(rps_status status, const rps_error *err, ...) {
    va_list words;
    if (status == RPS_OK) fail_msg("this should have been refused");
    assert_int_equal(status, RPS_BAD_INPUT);
    assert_int_equal(err->status, RPS_BAD_INPUT);
    va_start(words, err);
    for (const char *word; (word = va_arg(words, const char *));) {
        if (!strstr(err->text, word)) fail_msg("\"%s\" does not say \"%s\"", err->text, word);
    }
    va_end(words);
}
