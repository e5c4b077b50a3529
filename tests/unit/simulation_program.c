/* A program between the steps of a simulation: its reads, its changes, and refused calls. */
#include "simulation_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reads and changes by the program ----------------------------------------------------------------------------- */

static double probe(rps_simulation *s, const char *name) {
    double value;
    MUST(rps_simulation_probe(s, name, &value, &must));
    return value;
}

static void test_probes(void **state) {
    (void)state;
    rps_simulation *s = create(pouring, NULL);
    double value = 1.0;
    REFUSED(rps_simulation_probe(s, "height", &value, &err), RPS_BAD_INPUT, "has not started");
    assert_true(isnan(value));
    MUST(rps_simulation_step(s, 0, &must));
    assert_true(probe(s, "height") == 0.03);
    REFUSED(rps_simulation_probe(s, "load", &value, &err), RPS_NO_VALUE, "the probe `load` has no value at t = 0 s: ");
    assert_true(isnan(value));
    REFUSED(rps_simulation_probe(s, "hieght", &value, &err), RPS_BAD_INPUT, "did you mean `height`?");
    REFUSED(rps_simulation_probe(s, "", &value, &err), RPS_BAD_INPUT, "no probe");
    const rps_probe_info *info = rps_simulation_probe_info(s, 1);
    assert_string_equal(info->name, "load");
    assert_string_equal(info->unit, "N");
    assert_string_equal(info->quantity, "normal_load");
    assert_true(info->needs_contacts && info->may_lack);
    assert_null(rps_simulation_probe_info(s, 4));
    rps_probe_row row[2];
    size_t count;
    MUST(rps_simulation_probes(s, row, 2, &count, &must));
    assert_int_equal(count, 4);
    assert_true(row[0].value == 0.03 && isnan(row[1].value) && strlen(row[1].undefined) > 0);
    MUST(rps_simulation_probes(s, NULL, 0, &count, &must));
    REFUSED(rps_simulation_probes(s, NULL, 1, &count, &err), RPS_BAD_INPUT, "`rows` is NULL");
    rps_simulation_destroy(s);
    /* read at a step at which no check asks: m g, to what is left of the bounces */
    const double weight = 2000.0 * 4.0 / 3.0 * 3.14159265358979 * 1e-6 * 9.81;
    s = create(resting, NULL);
    MUST(rps_simulation_step(s, 8017, &must));
    assert_true(fabs(probe(s, "load") / weight - 1.0) < 1e-3);
    rps_simulation_destroy(s);
    s = create(HEAD "bodies:\n" GROUND BALL "run: {step: 1e-4 s, until: 1 s}\n", NULL);
    REFUSED(rps_simulation_probe(s, "b", &value, &err), RPS_BAD_INPUT, "no probes at all");
    rps_simulation_destroy(s);
}

static void test_state(void **state) {
    (void)state;
    rps_simulation *s = create(staged, NULL);
    rps_simulation_state now;
    rps_stage_info stage;
    rps_check_row row;
    MUST(rps_simulation_get_state(s, &now, &must));
    assert_true(!now.started && !now.ended && now.steps == 0 && now.stage == 0 && now.end == RPS_END_STOPPED);
    MUST(rps_simulation_check(s, 1, &row, &must));
    assert_true(!row.judged && !row.passed && isnan(row.measured));
    assert_non_null(strstr(row.note, "not judged: the run is at t = 0 s"));
    while (now.stage == 0) {
        MUST(rps_simulation_step(s, 1, &must));
        MUST(rps_simulation_get_state(s, &now, &must));
    }
    MUST(rps_simulation_stage(s, 0, &stage, &must));
    assert_true(stage.begun && stage.ended && stage.from == 0 && stage.to == now.steps);
    assert_string_equal(stage.name, "fall");
    assert_string_equal(stage.why, "done");
    MUST(rps_simulation_stage(s, 1, &stage, &must));
    assert_true(stage.begun && !stage.ended && stage.from == now.steps && !*stage.why);
    REFUSED(rps_simulation_stage(s, 3, &stage, &err), RPS_BAD_INPUT, "the scene has 3");
    REFUSED(rps_simulation_check(s, 3, &row, &err), RPS_BAD_INPUT, "3 apply");
    MUST(rps_simulation_finish(s, &must));
    MUST(rps_simulation_get_state(s, &now, &must));
    assert_true(now.ended && now.stage == 3 && now.end == RPS_END_STAGES);
    rps_simulation_destroy(s);
    s = create(pouring, NULL);
    rps_insertion_info insertion;
    MUST(rps_simulation_step_until(s, 0.0549, &must));
    MUST(rps_simulation_insertion(s, 0, &insertion, &must));
    assert_string_equal(insertion.set, "rain");
    assert_int_equal(insertion.done, 6); /* at 0, 0.01 ... 0.05 s */
    assert_int_equal(insertion.count, 12);
    MUST(rps_simulation_get_state(s, &now, &must));
    assert_true(now.inserting && now.steps == 549 && now.bodies == 2 + 6 && now.last_step == 2500);
    assert_true(now.step == 1e-4 && now.until == 0.25 && fabs(now.time - 0.0549) < 1e-15);
    REFUSED(rps_simulation_insertion(s, 1, &insertion, &err), RPS_BAD_INPUT, "the scene has 1");
    rps_simulation_destroy(s);
    s = create(rigid, "slow");
    assert_int_equal(rps_simulation_check_count(s), 1);
    assert_int_equal(rps_simulation_stage_count(s), 0);
    rps_simulation_destroy(s);
}

/* Gravity off in free flight: the velocity stays, and with it the height grows by v t. A body of the program's own is there
 * for probes of the whole world, and across a checkpoint. */
static void test_changes(void **state) {
    (void)state;
    static const double none[3] = {0.0, 0.0, 0.0};
    rps_simulation *s = create(pouring, NULL);
    rps_world *world = rps_simulation_world(s);
    MUST(rps_world_set_gravity(world, none, &must));
    MUST(rps_simulation_step(s, 101, &must));
    assert_true(probe(s, "height") == 0.03); /* it flies along x, not a bit in z */
    rps_simulation_destroy(s);

    s = create(pouring, NULL);
    world = rps_simulation_world(s);
    MUST(rps_simulation_step(s, 400, &must));
    rps_body_def def = rps_body_def_default();
    def.shape = "sphere";
    def.radius = 4e-3;
    def.position[0] = 0.02;
    def.position[2] = 0.05;
    uint64_t id;
    MUST(rps_world_add_body(world, &def, &id, &must));
    assert_int_equal(id, 2 + 4); /* the set gave 4 by then, at 0 to 0.03 s; the fifth comes with the next step */
    leftover whole, resumed;
    char saved[RPS_PATH];
    MUST(rps_simulation_step(s, 100, &must));
    MUST(rps_simulation_save(s, path_of("changed.ckpt", saved), &must));
    MUST(rps_simulation_finish(s, &must));
    leave(s, &whole);
    rps_simulation_destroy(s);
    finish_from(saved, &resumed);
    assert_same("a body of the program's own", &whole, &resumed);
    char other[RPS_PATH];
    rps_run_options options = run_options(NULL, NULL, &resumed);
    options.resume = saved;
    options.directory = path_of("changed", other);
    run(&options, &resumed);
    assert_same("a body of the program's own, in a run", &whole, &resumed);
}

static void test_names(void **state) {
    (void)state;
    rps_simulation *s = create(pouring, NULL);
    uint64_t id = 0;
    MUST(rps_simulation_body(s, "ball", &id, &must));
    assert_int_equal(id, 1);
    MUST(rps_simulation_body(s, "ground", &id, &must));
    assert_int_equal(id, 0);
    REFUSED(rps_simulation_body(s, "bal", &id, &err), RPS_BAD_INPUT, "did you mean `ball`?");
    REFUSED(rps_simulation_body(s, "rain", &id, &err), RPS_BAD_INPUT, "that is a set");
    rps_simulation_destroy(s);
}

/* Contacts are kept at the end of every call after one request by the program. */
static void test_contacts(void **state) {
    (void)state;
    char *without = text_replace(resting, ",\n         load: {contact: [ground, ball], quantity: normal_load}", "");
    rps_simulation *s = create(without, NULL);
    rps_world *world = rps_simulation_world(s);
    rps_contact contact;
    size_t count;
    MUST(rps_simulation_step_until(s, 0.4, &must));
    REFUSED(rps_world_contacts(world, &contact, 1, &count, &err), RPS_BAD_INPUT, "contacts were not kept");
    rps_world_keep_contacts(world, true);
    for (int k = 0; k < 3; k++) {
        MUST(rps_simulation_step(s, 7, &must));
        MUST(rps_world_contacts(world, &contact, 1, &count, &must));
    }
    assert_int_equal(count, 1);
    MUST(rps_simulation_finish(s, &must)); /* rest comes before the last step that was asked for */
    MUST(rps_world_contacts(world, &contact, 1, &count, &must));
    rps_simulation_destroy(s);
    free(without);
}

/* --- bad input ----------------------------------------------------------------------------------------------------- */

static void refuse_open(const rps_scene_options *options, rps_status status, const char *part) {
    char other;
    rps_scene *scene = (rps_scene *)&other; /* to see that it is set */
    REFUSED(rps_scene_open(options, &scene, &err), status, part);
    assert_null(scene);
}

static void test_open(void **state) {
    (void)state;
    rps_scene_options options = rps_scene_options_default();
    char *wrong = text_replace(rigid, "static: 0.3", "static: 0.3, kinetik: 1");
    refuse_open(&options, RPS_BAD_INPUT, "a scene needs a path or a text");
    options.size = 0;
    refuse_open(&options, RPS_BAD_INPUT, "rps_scene_options_default");
    options = rps_scene_options_default();
    options.path = "/nowhere/scene.yaml";
    refuse_open(&options, RPS_IO_ERROR, "/nowhere/scene.yaml");
    options.path = NULL;
    options.text = wrong;
    options.text_bytes = strlen(wrong);
    rps_scene *scene;
    rps_error said;
    assert_int_equal(rps_scene_open(&options, &scene, &said), RPS_BAD_INPUT);
    assert_error_at(&said, wrong, "kinetik", "did you mean `kinetic`?");
    free(wrong);
    options.text = rigid;
    options.text_bytes = strlen(rigid);
    options.variant = "slwo";
    refuse_open(&options, RPS_BAD_INPUT, "did you mean `slow`?");
    options.variant = NULL;
    const char *set[] = {"bodies.belt.drive.velocity.0=1 m/s", "run.steps=1"};
    options.set = set;
    options.sets = 2;
    refuse_open(&options, RPS_BAD_INPUT, "steps");
    options.sets = 0;
    options.until = "soon";
    refuse_open(&options, RPS_BAD_INPUT, "soon");
    options.until = NULL;
    options.threads = -1;
    MUST(rps_scene_open(&options, &scene, &must));
    rps_simulation *s;
    REFUSED(rps_simulation_create(scene, &s, &err), RPS_BAD_INPUT, "threads is -1");
    assert_null(s);
    rps_scene_close(scene);
}

/* A scene file, and what it lists. */
static void test_file(void **state) {
    (void)state;
    char path[RPS_PATH];
    write_file(path_of("rigid.yaml", path), rigid);
    rps_scene_options options = rps_scene_options_default();
    rps_scene *scene;
    options.path = path;
    options.variant = "slow";
    MUST(rps_scene_open(&options, &scene, &must));
    assert_int_equal(rps_scene_variant_count(scene), 1);
    assert_string_equal(rps_scene_variant_name(scene, 0), "slow");
    assert_null(rps_scene_variant_name(scene, 1));
    assert_string_equal(rps_scene_title(scene), "");
    rps_scene_close(scene);
    scene = open_text(pouring, NULL);
    assert_string_equal(rps_scene_title(scene), "Stepped by a program");
    rps_scene_close(scene);
}

static void test_resume_refusals(void **state) {
    (void)state;
    char saved[RPS_PATH], other[RPS_PATH];
    rps_simulation *s = create(pouring, NULL);
    REFUSED(rps_simulation_save(s, path_of("early.ckpt", saved), &err), RPS_BAD_INPUT, "saved after its start");
    MUST(rps_simulation_step(s, 10, &must));
    REFUSED(rps_simulation_save(s, "/nowhere/x.ckpt", &err), RPS_IO_ERROR, "/nowhere");
    MUST(rps_simulation_save(s, path_of("good.ckpt", saved), &must));
    rps_simulation_destroy(s);
    rps_scene_options options = rps_scene_options_default();
    options.resume = saved;
    options.text = pouring;
    options.text_bytes = strlen(pouring);
    refuse_open(&options, RPS_BAD_INPUT, "takes its scene from the checkpoint");
    options.text = NULL;
    const char *set[] = {"run.step=1e-5"};
    options.set = set;
    options.sets = 1;
    refuse_open(&options, RPS_BAD_INPUT, "only its end");
    options.sets = 0;
    options.resume = path_of("rigid.yaml", other);
    refuse_open(&options, RPS_BAD_INPUT, "checkpoint");
    /* contacts come back with the next step */
    rps_scene *scene;
    double value;
    MUST(resume(saved, NULL, &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    assert_true(probe(s, "height") < 0.03);
    REFUSED(rps_simulation_probe(s, "load", &value, &err), RPS_BAD_INPUT, "step");
    MUST(rps_simulation_step(s, 1, &must));
    REFUSED(rps_simulation_probe(s, "load", &value, &err), RPS_NO_VALUE, "no value");
    rps_simulation_destroy(s);
    rps_scene_close(scene);
    /* no results belong to it: a run does not go on where it lies */
    leftover unused;
    rps_run_options run_on = run_options(NULL, NULL, &unused);
    run_on.resume = saved;
    REFUSED(rps_run(&run_on, NULL, &err), RPS_BAD_INPUT, "saved by a program");
}

static void test_steps(void **state) {
    (void)state;
    static const double times[] = {NAN, INFINITY, -INFINITY, 1e300};
    rps_simulation *s = create(pouring, NULL);
    for (int k = 0; k < 4; k++) {
        REFUSED(rps_simulation_step_until(s, times[k], &err), RPS_BAD_INPUT, "cannot step until");
    }
    MUST(rps_simulation_step_until(s, 0.01, &must));
    MUST(rps_simulation_step_until(s, 0.01, &must)); /* there already */
    REFUSED(rps_simulation_step_until(s, 0.005, &err), RPS_BAD_INPUT, "at t = 0.01 s already");
    REFUSED(rps_simulation_step_until(s, -1.0, &err), RPS_BAD_INPUT, "already");
    rps_simulation_state now;
    MUST(rps_simulation_get_state(s, &now, &must));
    assert_int_equal(now.steps, 100);
    MUST(rps_simulation_step(s, UINT64_MAX, &must)); /* to the end, no further */
    MUST(rps_simulation_get_state(s, &now, &must));
    assert_true(now.steps == 2500 && now.ended && now.end == RPS_END_UNTIL);
    REFUSED(rps_simulation_step(s, 1, &err), RPS_BAD_INPUT, "come to its end at t = 0.25 s (run.until)");
    REFUSED(rps_simulation_step_until(s, 1.0, &err), RPS_BAD_INPUT, "come to its end");
    REFUSED(rps_simulation_finish(s, &err), RPS_BAD_INPUT, "come to its end");
    rps_simulation_destroy(s);
    /* a world that the program stepped */
    s = create(pouring, NULL);
    MUST(rps_simulation_step(s, 3, &must));
    MUST(rps_world_step(rps_simulation_world(s), 2, &must));
    REFUSED(rps_simulation_step(s, 1, &err), RPS_BAD_INPUT, "stepped by the program, at step 5 instead of 3");
    rps_simulation_destroy(s);
    s = create(pouring, NULL);
    MUST(rps_world_start(rps_simulation_world(s), &must));
    REFUSED(rps_simulation_step(s, 1, &err), RPS_BAD_INPUT, "started by the program");
    rps_simulation_destroy(s);
}

/* A guard that a check expects, and one that none does. */
static void test_guards(void **state) {
    (void)state;
    static const char fast[] = HEAD "bodies:\n" GROUND BALL "guards: {domain: [[-1, -1, -1], [0.015, 1, 1]]}\n"
                                    "run: {step: 1e-4 s, until: 1 s}\n"
                                    "probes: {x: {body: ball, quantity: position.x}}\n"
                                    "checks:\n"
                                    "  - {probe: x, final: true, above: 0.5 m}\n"
                                    "  - {stops: lost, bodies: [ball], above: 0.1 s, below: 0.3 s}\n";
    rps_check_row row;
    double value;
    rps_simulation *s = create(fast, NULL);
    REFUSED(rps_simulation_finish(s, &err), RPS_GUARD, "ball");
    rps_simulation_state now;
    MUST(rps_simulation_get_state(s, &now, &must));
    assert_true(now.ended && now.end == RPS_END_FAILED);
    MUST(rps_simulation_check(s, 1, &row, &must));
    assert_true(row.judged && row.passed);
    MUST(rps_simulation_probe(s, "x", &value, &must));
    assert_true(value > 0.01);
    REFUSED(rps_simulation_step(s, 1, &err), RPS_BAD_INPUT, "failed at t = ");
    REFUSED(rps_simulation_save(s, "/nowhere/x", &err), RPS_BAD_INPUT, "failed");
    rps_simulation_destroy(s);
    char *unexpected = text_replace(fast, "  - {stops: lost, bodies: [ball], above: 0.1 s, below: 0.3 s}\n", "");
    s = create(unexpected, NULL);
    REFUSED(rps_simulation_finish(s, &err), RPS_GUARD, "ball");
    MUST(rps_simulation_check(s, 0, &row, &must));
    assert_false(row.judged || row.passed);
    assert_non_null(strstr(row.note, "not judged: the run failed at t"));
    rps_simulation_destroy(s);
    free(unexpected);
}

static bool never(void *context) {
    ++*(int *)context;
    return false;
}

static void test_stop(void **state) {
    (void)state;
    int asked = 0;
    rps_scene_options options = rps_scene_options_default();
    options.text = pouring;
    options.text_bytes = strlen(pouring);
    options.proceed = never;
    options.proceed_context = &asked;
    rps_scene *scene;
    rps_simulation *s;
    MUST(rps_scene_open(&options, &scene, &must));
    REFUSED(rps_simulation_create(scene, &s, &err), RPS_STOPPED, "stopped");
    assert_true(asked == 1);
    assert_null(s);
    rps_scene_close(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probes),   cmocka_unit_test(test_state),
                                       cmocka_unit_test(test_changes),  cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_contacts), cmocka_unit_test(test_open),
                                       cmocka_unit_test(test_file),     cmocka_unit_test(test_resume_refusals),
                                       cmocka_unit_test(test_steps),    cmocka_unit_test(test_guards),
                                       cmocka_unit_test(test_stop)};
    return cmocka_run_group_tests_name("simulation_program", tests, make_folder, remove_folder);
}
