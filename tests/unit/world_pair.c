/* Pairs of materials and the entries created from them. */
#include "world_common.h"

#include <math.h>

static rps_world *new_world(void) {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-4;
    return make_world(&options);
}

static void test_refusals(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world();
    rps_pair pair = probe_pair();
    assert_refused(rps_world_set_pair(world, 0, 2, &pair, &err), &err, "material number 2", NULL);
    assert_refused(rps_world_set_pair(world, -1, 0, &pair, &err), &err, "material number -1", NULL);
    pair.size = 0;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "rps_pair_default", NULL);
    pair = probe_pair();
    pair.law[RPS_ROLE_NORMAL] = NULL;
    assert_refused(rps_world_set_pair(world, 1, 0, &pair, &err), &err, "stone, felt", "normal law is expected", NULL);
    pair = probe_pair();
    pair.law[RPS_ROLE_ROLL] = &probe_law[RPS_ROLE_SLIDE];
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "slide law", "roll law", NULL);
    pair = probe_pair();
    rps_law stranger = probe_law[RPS_ROLE_SPIN];
    stranger.name = "stranger";
    pair.law[RPS_ROLE_SPIN] = &stranger;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "stranger", "register", NULL);
    pair = probe_pair();
    pair.value[RPS_ROLE_NORMAL][0] = 11.0;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "normal law \"probe\"", "stiffness is 11 N/m",
                   "from 1 to 10 N/m", NULL);
    pair.value[RPS_ROLE_NORMAL][0] = 7.0; /* only the law knows why not */
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "pair stone, felt: ", "seven", NULL);
    pair = probe_pair();
    pair.value[RPS_ROLE_SLIDE][0] = INFINITY;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "slide", "stiffness", "at least 0 N/m", NULL);
    pair = probe_pair();
    pair.value[RPS_ROLE_SLIDE][3] = 2.0;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "tension", "cut|allow", NULL);
    pair.value[RPS_ROLE_SLIDE][3] = 0.5;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "tension", "cut|allow", NULL);
    pair = probe_pair();
    pair.value[RPS_ROLE_SLIDE][4] = 0.0;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "4 parameters", "number 5", NULL);
    pair = probe_pair();
    pair.law[RPS_ROLE_SPIN] = NULL;
    pair.value[RPS_ROLE_SPIN][0] = 1.0;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "spin", "no law", NULL);
    pair = probe_pair();
    pair.form.history = (rps_form_history)2;
    assert_refused(rps_world_set_pair(world, 0, 1, &pair, &err), &err, "history", NULL);
    /* nothing of this changed the pair that was there, and none was added */
    assert_int_equal(world->pairs, 3);
    assert_true(rps_world_pair_of(world, 0, 1)->effective.value[RPS_ROLE_NORMAL][0] == 4.0);
    rps_world_destroy(world);
}

static void test_preparation(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world();
    rps_pair pair = probe_pair();
    pair.law[RPS_ROLE_DAMPING] = NULL;
    pair.law[RPS_ROLE_SPIN] = NULL;
    pair.form = rps_form_paper();
    assert_int_equal(rps_world_set_pair(world, 1, 0, &pair, &err), RPS_OK);
    assert_int_equal(world->pairs, 3); /* replaced */
    const rps_pair_setup *setup = rps_world_pair_of(world, 0, 1);
    assert_ptr_equal(setup, rps_world_pair_of(world, 1, 0));
    assert_ptr_not_equal(setup, rps_world_pair_of(world, 0, 0));
    assert_int_equal(setup->material[0], 0);
    assert_int_equal(setup->material[1], 1);
    assert_string_equal(setup->law[RPS_ROLE_DAMPING]->name, "none");
    assert_string_equal(setup->law[RPS_ROLE_SPIN]->name, "none");
    assert_true(setup->ranged && rps_pair_range(setup, true, 1.0, 0.5) == 0.02);
    assert_int_equal(setup->effective.form.frame, RPS_FRAME_LOWER);
    /* young of both in the order of the indices, whatever the order of the call */
    assert_true(setup->constant[RPS_ROLE_NORMAL][13] == 2e9);
    assert_true(isnan(setup->constant[RPS_ROLE_NORMAL][14]));
    assert_true(setup->constant[RPS_ROLE_SLIDE][15] == 1.5);
    assert_true(setup->constant[RPS_ROLE_SLIDE][2] == 0.1); /* kinetic: the default was filled in before */
    assert_true(isnan(setup->constant[RPS_ROLE_ROLL][0]));  /* static: left out, and the law sees that it was */
    assert_true(setup->constant[RPS_ROLE_ROLL][10] == 0.25);
    assert_true(setup->constant[RPS_ROLE_ROLL][11] == 0.1);
    assert_true(setup->constant[RPS_ROLE_ROLL][12] == 1e5);

    rps_pair_value value[16];
    size_t count = rps_world_pair_values(world, 1, 0, value, 16);
    assert_int_equal(count, 1 + 1 + 4 + 2 + 1);
    assert_int_equal(rps_world_pair_values(world, 1, 0, NULL, 0), count);
    assert_string_equal(value[0].parameter, "stiffness");
    assert_string_equal(value[0].unit, "N/m");
    assert_true(value[0].value == 4.0 && value[0].given);
    assert_string_equal(value[1].law, "none");
    assert_null(value[1].parameter);
    assert_true(value[4].value == 0.1 && !value[4].given);
    assert_int_equal(value[6].role, RPS_ROLE_ROLL);
    assert_true(value[6].value == 0.25 && !value[6].given); /* what roll takes from slide is said */
    assert_int_equal(rps_world_pair_values(world, 0, 7, value, 16), 0);
    rps_world_destroy(world);
}

/* Marks the lanes of a layout; every lane must be used once. */
static void check_layout(const rps_layout *layout, const rps_pair_setup *setup, int tracking, bool ledger, int lanes) {
    int used[64] = {0};
    used[layout->modes]++;
    used[layout->overlap]++;
    for (int k = 0; k < tracking; k++) used[layout->track + k]++;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        bool ended = false;
        for (int k = 0; k < RPS_LAW_MEMORY; k++) {
            const rps_law_memory *memory = &setup->law[role]->memory[k];
            ended = ended || !memory->name;
            bool absent = ended || (!ledger && (memory->kind & RPS_MEMORY_BOOK));
            if (absent) {
                assert_int_equal(layout->memory[role][k], -1);
                continue;
            }
            for (int c = 0; c < (memory->kind & RPS_MEMORY_TANGENT ? 3 : 1); c++) used[layout->memory[role][k] + c]++;
        }
    }
    assert_int_equal(layout->lanes, lanes);
    for (int k = 0; k < 64; k++) assert_int_equal(used[k], k < lanes);
}

static void test_layouts(void **state) {
    (void)state;
    for (int ledger = 0; ledger < 2; ledger++) {
        rps_world_options options = rps_world_options_default();
        options.step = 1e-4;
        options.ledger = ledger;
        rps_world *world = make_world(&options);
        const rps_pair_setup *setup = rps_world_pair_of(world, 0, 1);
        /* modes and overlap, n, and 1 + 3 + 3 lanes of memory; 3 + 1 more for the books */
        int compact = 2 + 3 + 7 + (ledger ? 4 : 0), frame = compact - 3 + RPS_FRAME_LANES;
        check_layout(&setup->layout[RPS_RECORD_COMPACT], setup, 3, ledger, compact);
        check_layout(&setup->layout[RPS_RECORD_FLAT], setup, 3, ledger, compact);
        check_layout(&setup->layout[RPS_RECORD_FRAME], setup, RPS_FRAME_LANES, ledger, frame);
        rps_world_destroy(world);
    }
}

static uint64_t add(rps_world *world, rps_body_def def) {
    rps_error err;
    uint64_t id;
    if (rps_world_add_body(world, &def, &id, &err) != RPS_OK) fail_msg("%s", err.text);
    return id;
}

static void test_records(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        rps_world_options options = rps_world_options_default();
        options.step = 1e-4;
        options.frames = frames;
        rps_world *world = make_world(&options);
        rps_body_def sphere = rps_body_def_default(), plane = sphere;
        sphere.radius = 0.5;
        plane.shape = "plane";
        plane.kind = RPS_BODY_FIXED;
        size_t ball = add(world, sphere), ball_2 = add(world, sphere), ground = add(world, plane);
        plane.kind = RPS_BODY_DRIVEN;
        plane.drive.velocity[0] = 1.0;
        size_t belt = add(world, plane);
        plane.drive.angular_velocity[2] = 1.0;
        size_t table = add(world, plane);
        sphere.kind = RPS_BODY_DRIVEN;
        sphere.drive.angular_velocity[2] = 1.0;
        size_t top = add(world, sphere);
        rps_record general = RPS_RECORD_FRAME;
        assert_int_equal(rps_world_record_of(world, ball, ball_2), frames ? general : RPS_RECORD_COMPACT);
        assert_int_equal(rps_world_record_of(world, ball, top), frames ? general : RPS_RECORD_COMPACT);
        assert_int_equal(rps_world_record_of(world, ball, ground), frames ? general : RPS_RECORD_FLAT);
        assert_int_equal(rps_world_record_of(world, belt, ball), frames ? general : RPS_RECORD_FLAT);
        assert_int_equal(rps_world_record_of(world, ball, table), general);
        rps_world_destroy(world);
    }
}

static void assert_close(double value, double expected) {
    /* a handful of roundings */
    if (!(fabs(value - expected) <= 1e-15 * fabs(expected))) fail_msg("%.17g is not %.17g", value, expected);
}

static void test_constants(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world();
    rps_body_def def = rps_body_def_default();
    def.material = 1;
    def.radius = 0.2;
    def.mass = 5.0;
    def.inertia[0] = 0.08;
    size_t a = add(world, def);
    def.radius = 0.1;
    def.mass = 3.0;
    def.inertia[0] = 0.02;
    size_t b = add(world, def);
    def.locked = true;
    size_t locked = add(world, def);
    def.locked = false;
    def.kind = RPS_BODY_FIXED;
    size_t fixed = add(world, def);
    def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_FIXED;
    size_t plane = add(world, def);
    for (int average = 0; average < 2; average++) {
        rps_pair given = probe_pair();
        given.form.damper_mass = average ? RPS_DAMPER_MASS_AVERAGE : RPS_DAMPER_MASS_EFFECTIVE;
        assert_int_equal(rps_world_set_pair(world, 1, 1, &given, &err), RPS_OK);
        const rps_pair_setup *pair = rps_world_pair_of(world, 1, 1);
        const double both_m = average ? 4.0 : 15.0 / 8.0, both_i = average ? 0.05 : 0.0016 / 0.1;
        const struct {
            size_t i, j;
            double radius, mass, damper_mass, damper_inertia;
        } want[] = {{a, b, 0.02 / 0.3, 15.0 / 8.0, both_m, both_i},
                    {b, a, 0.02 / 0.3, 15.0 / 8.0, both_m, both_i},
                    {a, locked, 0.02 / 0.3, 15.0 / 8.0, both_m, 0.08},
                    {a, fixed, 0.02 / 0.3, 5.0, 5.0, 0.08},
                    {fixed, b, 0.05, 3.0, 3.0, 0.02},
                    {a, plane, 0.2, 5.0, 5.0, 0.08},
                    {plane, b, 0.1, 3.0, 3.0, 0.02},
                    {locked, plane, 0.1, 3.0, 3.0, 0.0},
                    {fixed, plane, 0.1, 1.0, 0.0, 0.0}};
        for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
            double constant[RPS_CONSTANT_LANES];
            const size_t slot[2] = {want[k].i, want[k].j};
            const double radius[2] = {world->bodies.pose[slot[0]].radius[0], world->bodies.pose[slot[1]].radius[0]};
            rps_contact_constants(world, pair, slot, radius, constant);
            assert_close(constant[RPS_CONSTANT_RADIUS_EFF], want[k].radius);
            assert_close(constant[RPS_CONSTANT_MASS_EFF], want[k].mass);
            assert_close(constant[RPS_CONSTANT_DAMPER_MASS_SQRT], sqrt(want[k].damper_mass));
            assert_close(constant[RPS_CONSTANT_DAMPER_INERTIA_SQRT], sqrt(want[k].damper_inertia));
        }
    }
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_preparation), cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_records),  cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
