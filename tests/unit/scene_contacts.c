/*
 * Contacts between fixed and driven bodies exist only for bodies that seek a load in some stage and for those listed
 * in `contacts`. Listed ones keep their load when a drive is held. Tested in both steppers.
 */
#include "scene_common.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/step.h>

#include "detect/detect.h"
#include "world/world.h"

static const char base[] =
    "repose: 1\n"
    "gravity: none\n"
    "materials:\n"
    "  steel: {density: 1000 kg/m^3}\n"
    "  grain: {density: 1000 kg/m^3}\n"
    "pairs:\n"
    "  - {between: [steel, grain], normal: {law: hooke, stiffness: 1e5 N/m}, damping: none, slide: none, roll: none, "
    "spin: "
    "none}\n"
    "  - {between: [steel, steel], normal: {law: hooke, stiffness: 1e5 N/m}, damping: none, slide: none, roll: none, "
    "spin: "
    "none}\n"
    "bodies:\n"
    "  - {name: stop, shape: {box: {size: [1, 1, 0.1]}}, material: steel, fixed: true, position: [0, 0, 0]}\n"
    "  - {name: platen, shape: {box: {size: [0.5, 0.5, 0.1]}}, material: steel, fixed: true, position: [0, 0, 0.101]}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: grain, position: [0.4, 0.4, 0.06], lock_axis: [0, 0, "
    "1]}\n"
    "stages:\n"
    "  - {name: press, drives: {platen: {velocity: [0, 0, -0.1]}}, until: {time: 0.05 s}}\n"
    "  - {name: hold, drives: {platen: off}, until: {time: 0.02 s}}\n"
    "run: {step: 1e-4 s}\n";

static const char *const stepper[2] = {"stepper: penalty", "stepper: nonsmooth"};

/* The base scene for a stepper, with up to two replacements, of which NULL ends the list. */
static char *scene_text(int nonsmooth, const char *const change[][2]) {
    char run[80];
    snprintf(run, sizeof run, "run: {step: 1e-4 s, %s}", stepper[nonsmooth]);
    char *text = text_replace(base, "run: {step: 1e-4 s}", run);
    for (; change && (*change)[0]; change++) {
        char *next = text_replace(text, (*change)[0], (*change)[1]);
        free(text);
        text = next;
    }
    return text;
}

/* --- runs ----------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    size_t most_contacts; /* of all steps */
    double held[3];       /* N, on the platen at the beginning of `hold` */
    bool constant;        /* it is the same to the bit at every step of `hold` */
} outcome;

/* Runs a scene with two stages, the second of which holds. */
static outcome run_scene(const char *text) {
    rps_world *world;
    rps_error err;
    rps_scene *scene = scene_make(text, &world);
    outcome out = {.constant = true};
    bool more = true;
    for (uint64_t held = 0; more;) {
        if (rps_world_step(world, 1, &err) != RPS_OK) fail_msg("%s", err.text);
        const size_t contacts = rps_world_contact_count(world);
        out.most_contacts = contacts > out.most_contacts ? contacts : out.most_contacts;
        if (world->steps > 500) { /* after the first step of `hold`, whose dashpots still end */
            const double *force = world->bodies.load[rps_world_slot(world, 1)].force;
            if (held++ == 0) memcpy(out.held, force, sizeof out.held);
            out.constant = out.constant && memcmp(out.held, force, sizeof out.held) == 0;
        }
        bool over;
        if (rps_scene_stage_over(scene, world, NULL, &over, &err) != RPS_OK) fail_msg("%s", err.text);
        if (over && rps_scene_stage_next(scene, world, &more, &err) != RPS_OK) fail_msg("%s", err.text);
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
    return out;
}

/* Two bodies that no force moves do not touch: the platen goes 4 mm into the stop, is held there, and goes on; no pair is needed. */
static void test_no_contact_of_what_no_force_moves(void **state) {
    (void)state;
    for (int nonsmooth = 0; nonsmooth < 2; nonsmooth++) {
        static const char *const change[][2] = {
            {"between: [steel, steel]", "between: [grain, grain]"},
            {"fixed: true, position: [0, 0, 0.101]", "drive: {velocity: [0, 0, 0.1]}, position: [0, 0, 0.101]"},
            {NULL, NULL}};
        for (int driven = 0; driven < 2; driven++) {
            char *text = scene_text(nonsmooth, driven ? change : NULL);
            const outcome out = run_scene(text);
            assert_int_equal(out.most_contacts, 1); /* the ball on the stop */
            assert_true(out.held[2] == 0.0 && out.constant);
            free(text);
        }
    }
}

/* Two held bodies half a millimetre apart are near enough for rows of the nonsmooth stepper. */
static void test_bodies_at_rest_beside_each_other(void **state) {
    (void)state;
    for (int nonsmooth = 0; nonsmooth < 2; nonsmooth++) {
        static const char *const change[][2] = {
            {"velocity: [0, 0, -0.1]", "velocity: [0, 0, 0]"}, {"[0, 0, 0.101]", "[0, 0, 0.1005]"}, {NULL, NULL}};
        char *text = scene_text(nonsmooth, change);
        assert_int_equal(run_scene(text).most_contacts, 1);
        free(text);
    }
}

/* Asked for, the four corners of the platen push with 4 k delta, k = 1e5 N/m and delta = 4 mm, and go on to do so to the bit
 * when it is held. 1e-6: the solver's tolerance. */
static void test_included_contact_holds_its_load(void **state) {
    (void)state;
    for (int nonsmooth = 0; nonsmooth < 2; nonsmooth++) {
        static const char *const change[][2] = {{"bodies:\n", "contacts: [[platen, stop]]\nbodies:\n"}, {NULL, NULL}};
        char *text = scene_text(nonsmooth, change);
        const outcome out = run_scene(text);
        assert_int_equal(out.most_contacts, 5);
        assert_true(out.constant);
        assert_true(fabs(out.held[2] - 1600.0) < (nonsmooth ? 1e-5 : 1e-9) * 1600.0);
        free(text);
    }
}

/* A platen that seeks 100 N finds them at a fixed stop, without being asked, and keeps them when it is held. */
static void test_servo_finds_its_load_at_a_fixed_body(void **state) {
    (void)state;
    for (int nonsmooth = 0; nonsmooth < 2; nonsmooth++) {
        static const char *const change[][2] = {
            {"velocity: [0, 0, -0.1]", "force: 100 N, direction: [0, 0, -1], stiffness: 1e5 N/m, gain: 0.2"},
            {NULL, NULL}};
        char *text = scene_text(nonsmooth, change);
        const outcome out = run_scene(text);
        assert_int_equal(out.most_contacts, 5);
        assert_true(out.constant);
        assert_true(fabs(out.held[2] - 100.0) < 1e-4 * 100.0); /* the servo ends within 0.8^n of it */
        free(text);
    }
}

/* A body that seeks a load in a later stage counts as moved by forces from the start, so no deep overlap appears
 * suddenly. */
static void test_a_later_servo_counts_from_the_start(void **state) {
    (void)state;
    rps_world *world;
    static const char *const change[][2] = {
        {"{platen: off}", "{platen: {force: 100 N, direction: [0, 0, -1], stiffness: 1e5 N/m}}"}, {NULL, NULL}};
    char *text = scene_text(0, change);
    rps_scene *scene = scene_make(text, &world);
    assert_true(rps_world_may_touch(world, rps_world_slot(world, 0), rps_world_slot(world, 1)));
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* --- what is refused before the run ------------------------------------------------------------------------------------ */

static void test_pairs_of_all_stages_are_asked_for(void **state) {
    (void)state;
    static const char *const no_pair[2] = {"between: [steel, steel]", "between: [grain, grain]"};
    static const struct {
        const char *find, *by;
    } ask[] = {{"{platen: off}", "{platen: {force: 100 N, direction: [0, 0, -1]}}"},
               {"bodies:\n", "contacts: [[stop, platen]]\nbodies:\n"}};
    for (size_t k = 0; k < sizeof ask / sizeof *ask; k++) {
        rps_error err;
        const char *const change[][2] = {{no_pair[0], no_pair[1]}, {ask[k].find, ask[k].by}, {NULL, NULL}};
        char *text = scene_text(0, change);
        scene_refused(text, &err);
        assert_non_null(strstr(err.text, "the pair of materials steel, steel is not given"));
        free(text);
    }
}

static void test_includes_that_change_nothing_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *at, *part;
    } broken[] = {
        {"bodies:\n", "contacts: [[ball, stop]]\nbodies:\n", "ball, stop", "`ball` has no fixed or driven body"},
        {"bodies:\n", "contacts: [[stop, stop]]\nbodies:\n", "stop, stop", "`stop` has no second fixed or driven body"},
        {"bodies:\n", "contacts: [[stop, plate]]\nbodies:\n", "plate]", "did you mean `platen`?"},
        {"bodies:\n", "exclude: [[stop, platen]]\ncontacts: [[platen, stop]]\nbodies:\n", "[platen, stop]",
         "these two are in `exclude` too"},
        {"bodies:\n",
         "contacts: [[a, b]]\nbodies:\n"
         "  - {name: a, shape: {plane: {normal: [0, 0, 1], point: [0, 0, -1]}}, material: steel, fixed: true}\n"
         "  - {name: b, shape: {plane: {normal: [0, 0, -1], point: [0, 0, 1]}}, material: steel, fixed: true}\n",
         "[a, b]", "two planes never touch"},
        {"run: {step: 1e-4 s}\n",
         "contacts: [[stop, platen]]\nrun: {step: 1e-4 s, stepper: nonsmooth, compliance: rigid}\n", "[stop, platen]",
         "no force moves these two"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        rps_error err;
        char *text = text_replace(base, broken[k].find, broken[k].by);
        scene_refused(text, &err);
        assert_error_at(&err, text, broken[k].at, broken[k].part);
        free(text);
    }
}

/* --- worlds ----------------------------------------------------------------------------------------------------------- */

/* A body with a servo still counts as one after the end of its drive, and in a checkpoint. */
static void test_seeking_is_remembered(void **state) {
    (void)state;
    rps_world *world;
    rps_error err;
    double number[RPS_DRIVEN_NUMBERS];
    rps_scene *scene = scene_make(base, &world);
    const size_t stop = rps_world_slot(world, 0), platen = rps_world_slot(world, 1);
    rps_drive servo = {.kind = RPS_DRIVE_FORCE, .direction = {0.0, 0.0, -1.0}, .target = 100.0, .until = -1.0};
    const rps_drive held = {.until = -1.0};
    assert_false(rps_world_may_touch(world, stop, platen));
    if (rps_world_set_drive(world, 1, &servo, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(rps_world_may_touch(world, stop, platen));
    if (rps_world_set_drive(world, 1, &held, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(rps_world_may_touch(world, stop, platen));
    rps_drive_state_pack(&world->driven[0], number);
    rps_drive_state restored = world->driven[0];
    restored.is_servo = false;
    assert_true(rps_drive_state_unpack(&restored, number));
    assert_true(restored.is_servo && restored.now.kind == RPS_DRIVE_MOTION);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Of exclude and include the last call counts, and an exclusion also parts what seeks a load. */
static void test_the_last_rule_counts(void **state) {
    (void)state;
    rps_world *world;
    rps_error err;
    rps_scene *scene = scene_make(base, &world);
    const size_t stop = rps_world_slot(world, 0), platen = rps_world_slot(world, 1), ball = rps_world_slot(world, 2);
    const int a = world->bodies.group[stop][0], b = world->bodies.group[platen][0];
    assert_false(rps_world_may_touch(world, stop, platen));
    assert_int_equal(rps_world_include(world, a, b, &err), RPS_OK);
    assert_true(rps_world_may_touch(world, platen, stop));
    assert_int_equal(rps_world_exclude(world, b, a, &err), RPS_OK);
    assert_false(rps_world_may_touch(world, stop, platen));
    rps_drive_state_will_servo(world, 1);
    assert_false(rps_world_may_touch(world, stop, platen));
    assert_int_equal(rps_world_include(world, a, b, &err), RPS_OK);
    assert_true(rps_world_may_touch(world, stop, platen) && rps_world_may_touch(world, ball, stop));
    assert_int_equal(rps_world_include(world, a, 99, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "include: there is no group number 99"));
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* The material of each piece counts: that of the second one has no pair with the stop. The pieces of one body do not meet
 * each other, so a pair of their materials is not asked for. */
static void test_materials_of_pieces_have_pairs(void **state) {
    (void)state;
    rps_world *world;
    rps_error err;
#define TIN \
    { "  grain: {density: 1000 kg/m^3}\n", "  grain: {density: 1000 kg/m^3}\n  tin: {density: 1000 kg/m^3}\n" }
#define TWO_PIECES                                                                                                    \
    {                                                                                                                 \
        "shape: {sphere: {radius: 1 cm}}, material: grain, position: [0.4, 0.4, 0.06]",                               \
            "pieces: [{shape: {sphere: {radius: 1 cm}}}, {shape: {sphere: {radius: 5 mm}}, position: [0, 0, -8 mm], " \
            "material: tin}], material: grain, position: [0.4, 0.4, 0.063]"                                           \
    }
    static const char *const without[][2] = {TIN, TWO_PIECES, {NULL, NULL}};
    static const char *const with[][2] = {
        TIN,
        TWO_PIECES,
        {"pairs:\n",
         "pairs:\n  - {between: [steel, tin], normal: {law: hooke, stiffness: 1e5 N/m}, damping: none, slide: none, "
         "roll: none, spin: none}\n"},
        {NULL, NULL}};
    char *text = scene_text(0, without);
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "steel, tin is not given"));
    free(text);
    text = scene_text(0, with);
    rps_scene *scene = scene_make(text, &world);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_contact_of_what_no_force_moves),
        cmocka_unit_test(test_bodies_at_rest_beside_each_other),
        cmocka_unit_test(test_included_contact_holds_its_load),
        cmocka_unit_test(test_servo_finds_its_load_at_a_fixed_body),
        cmocka_unit_test(test_a_later_servo_counts_from_the_start),
        cmocka_unit_test(test_pairs_of_all_stages_are_asked_for),
        cmocka_unit_test(test_includes_that_change_nothing_are_refused),
        cmocka_unit_test(test_seeking_is_remembered),
        cmocka_unit_test(test_the_last_rule_counts),
        cmocka_unit_test(test_materials_of_pieces_have_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
