/*
 * Stages and drives that seek a load, in scenes: ends of stages, checks of a stage, resuming in each stage, and
 * broken scenes.
 */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/run.h>

static const char base[] =
    "repose: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.8]\n"
    "materials:\n"
    "  clay: {density: 1000 kg/m^3}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 1e5 N/m}\n"
    "    damping: {law: ratio, value: 0.7}\n"
    "    slide: {law: tracked, static: 0.3, kinetic: 0.3, stiffness: 5e4 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: bottom, shape: {plane: {normal: [0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: left, shape: {plane: {normal: [1, 0]}}, material: clay, fixed: true}\n"
    "  - {name: right, shape: {plane: {normal: [-1, 0], point: [0.4, 0]}}, material: clay, fixed: true}\n"
    "  - {name: top, shape: {plane: {normal: [0, -1], point: [0, 3]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {disk: {radius: 4 cm}}, material: clay, position: [0.2, 1]}\n"
    "particles:\n"
    "  - name: grains\n"
    "    material: clay\n"
    "    count: 20\n"
    "    radius: {uniform: [35 mm, 45 mm]}\n"
    "    generator: {lattice: {box: [[5 cm, 5 cm], [35 cm, 65 cm]], spacing: 95 mm, jitter: 2 mm}}\n"
    "run: {step: 5e-5 s}\n"
    "output: {frames: 0, series: 10 ms}\n"
    "stages:\n"
    "  - {name: fall, until: {speed: 5 cm/s, after: 0.2 s}, limit: 3 s}\n"
    "  - name: press\n"
    "    gravity: none\n"
    "    place: [top]\n"
    "    drives:\n"
    "      top: {pressure: 500 Pa, over: [left, right], stiffness: 1e4 N/m}\n"
    "      left: {pressure: 500 Pa, over: [bottom, top], stiffness: 1e4 N/m}\n"
    "      right: {mirror: left}\n"
    "    until: {rest: 1e-6, after: 0.1 s}\n"
    "    limit: 5 s\n"
    "  - name: shear\n"
    "    drives: {top: {velocity: [0, -0.1]}}\n"
    "    until: {probe: height, below: 0.3 m}\n"
    "    limit: 4 s\n"
    "  - name: hold\n"
    "    drives: {top: off}\n"
    "    until: {time: 0.1 s}\n"
    "probes:\n"
    "  height: {quantity: distance, over: [bottom, top]}\n"
    "  load: {body: top, quantity: pressure, over: [left, right]}\n"
    "  error: {body: left, quantity: servo_error}\n"
    "  stage: {quantity: stage}\n"
    "checks:\n"
    "  - {probe: height, stage: shear, final: true, above: 0.29999 m, below: 0.3 m}\n"
    "  - {probe: height, stage: shear, rate: [0, 0.05 s], expect: -0.1 m/s, within: 1e-9 m/s}\n"
    "  - {probe: height, stage: hold, rate: [0, 0.1 s], expect: 0 m/s, within: 1e-12 m/s}\n"
    "  - {probe: load, stage: press, final: true, expect: 500 Pa, within: 1 %}\n"
    "  - {probe: error, stage: press, final: true, above: -0.01, below: 0.01}\n"
    "  - {probe: stage, final: true, expect: 4}\n"
    "  - {probe: stage, becomes: 3, above: 0.3 s}\n"
    "  - {probe: stage, stage: shear, always: {above: 2.5, below: 3.5}, after: 0 s}\n";

static char folder[] = "/tmp/repose-stages-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* --- broken scenes ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *find, *by, *at, *part;
} broken[] = {
    {"name: fall, ", "", "{until: {speed", "the key `name` is missing"},
    {"name: press", "name: fall", "fall\n    gravity", "the name `fall` is taken"},
    {"until: {speed: 5 cm/s, after: 0.2 s}, limit: 3 s", "gravity: none", "{name: fall",
     "neither the stage nor the run"},
    {"run: {step: 5e-5 s}\n", "run: {step: 5e-5 s, until: 1 s}\n", "0.05 s]", NULL},
    {", limit: 3 s", "", "{name: fall", "neither the stage nor the run says how long"},
    {"{speed: 5 cm/s, after: 0.2 s}", "{speed: 5 cm/s, rest: 0.1}", "5 cm/s", "by one of time, probe, rest and speed"},
    {"{speed: 5 cm/s, after: 0.2 s}", "{after: 0.2 s}", "{after", "takes one of: time, probe, rest, speed"},
    {"{speed: 5 cm/s, after: 0.2 s}", "{speed: 5 cm/s, after: 4 s}", "4 s}", "the limit of 3 s comes before"},
    {"{speed: 5 cm/s, after: 0.2 s}", "{speed: 5 cm/s, below: 2}", "2}", "belong to a `probe`"},
    {"{probe: height, below: 0.3 m}", "{probe: hight, below: 0.3 m}", "hight", "did you mean `height`?"},
    {"{probe: height, below: 0.3 m}", "{probe: height}", "{probe: height}\n", "at which value of the probe"},
    {"{probe: height, below: 0.3 m}", "{probe: height, below: 0.3 s}", "0.3 s", "a length"},
    {"{time: 0.1 s}", "{time: 0.1 s}\n    limit: 1 s", "1 s\nprobes", "needs no limit"},
    {"top: off", "top: of", "of}", "`of`"},
    {"top: off", "tip: off", "tip", "did you mean `top`?"},
    {"top: off", "ball: off", "ball: off", "`ball` is free, so that no stage can drive it"},
    {"place: [top]", "place: [ball]", "ball]", "`ball` is no plane"},
    {"pressure: 500 Pa, over: [left, right]", "pressure: 500 Pa", "{pressure: 500 Pa, st",
     "needs the area on which it acts"},
    {"pressure: 500 Pa, over: [left, right]", "pressure: 500 Pa, over: [left]", "[left]", "a distance has two ends"},
    {"pressure: 500 Pa, over: [left, right]", "pressure: 500 Pa, over: [left, left]", "left]", "from itself is 0"},
    {"pressure: 500 Pa, over: [left, right]", "pressure: 500 Pa, over: [left, ball]", "ball]", "`ball` is no plane"},
    {"pressure: 500 Pa, over: [left, right]", "pressure: 500 Pa, area: 1 m^2", "1 m^2", "give `length`"},
    {"pressure: 500 Pa, over: [left, right]", "force: 2 kN, pressure: 500 Pa, over: [left, right]", "500 Pa",
     "not several"},
    {"pressure: 500 Pa, over: [left, right]", "force: 2 kN, over: [left, right]", "[left, right]", "only a `pressure`"},
    {"pressure: 500 Pa, over: [left, right]", "gain: 0.1", "0.1, st", "belongs to a drive that seeks a load"},
    {"pressure: 500 Pa, over: [left, right]", "force: 2 kN, gain: 2", "2, st", "`gain` must lie from"},
    {"pressure: 500 Pa, over: [left, right]", "force: 2 kN, velocity: [0, 1]", "{force", "leave one of them out"},
    {"pressure: 500 Pa, over: [left, right], stiffness: 1e4 N/m", "torque: 1 N m, speed: 1 m/s", "1 m/s",
     "say `rate: 1 rad/s`"},
    {"pressure: 500 Pa, over: [left, right], stiffness: 1e4 N/m", "torque: 1 N m, stiffness: 1 N/m", "1 N/m",
     "leave out `stiffness`"},
    {"pressure: 500 Pa, over: [left, right]", "force: 2 kN, rate: 1 rad/s", "1 rad/s", "belongs to a torque"},
    {"pressure: 500 Pa, over: [left, right], stiffness: 1e4 N/m", "torque: 1 N m", "{torque",
     "a torque on a plane has no arm"},
    {"pressure: 500 Pa, over: [left, right], stiffness: 1e4 N/m", "torque: 1 N m, direction: [1, 0]", "{torque",
     "in a planar world a torque turns about y"},
    {"{mirror: left}", "{mirror: left, gain: 0.1}", "0.1}", "say `gain` there"},
    {"{mirror: left}", "{mirror: lift}", "lift", "did you mean `left`?"},
    {"{mirror: left}", "{mirror: bottom}", "{mirror", "mirrors a body that is not driven"},
    {"{quantity: distance, over: [bottom, top]}", "{quantity: distance}", "{quantity: distance}", "needs two planes"},
    {"{quantity: distance, over: [bottom, top]}", "{quantity: contacts, over: [bottom, top]}", "[bottom, top]}\n  load",
     "takes no `over`"},
    {"{body: top, quantity: pressure, over: [left, right]}", "{body: ball, quantity: pressure, over: [left, right]}",
     "pressure, over: [left, right]}", "a quantity of planes"},
    {"{body: left, quantity: servo_error}", "{body: ball, quantity: servo_error}", "servo_error", "seeks a load"},
    {"stage: shear, final", "stage: sheer, final", "sheer", "did you mean `shear`?"},
    {"stage: hold, rate: [0, 0.1 s]", "stage: hold, rate: [0, 0.2 s]", "[0, 0.2 s]",
     "after the end of the stage at 0.1 s"},
    {"final: true, expect: 4", "final: true, block: 1 s, expect: 4", "1 s, expect", "`block` belongs to min and max"},
};

static void broken_scenes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        rps_error err;
        if (!broken[i].part) continue;
        char *text = text_replace(base, broken[i].find, broken[i].by);
        scene_refused(text, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_error_at(&err, text, broken[i].at, broken[i].part);
        free(text);
    }
}

/* --- running ------------------------------------------------------------------------------------------------------- */

static rps_run_options options_of(const char *text) {
    rps_run_options options = rps_run_options_default();
    options.text = text;
    options.text_bytes = strlen(text);
    options.threads = 1;
    return options;
}

static void all_pass(void *context, const rps_check_row *row) {
    (void)context;
    if (!row->passed) {
        fail_msg("%s: measured %.12g, expected %.12g within %.3g; %s", row->check, row->measured, row->expected,
                 row->tolerance, row->note ? row->note : "");
    }
}

static char *content(const char *directory, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("there is no file %s", path);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* summary.json up to the part that depends on the machine. */
static char *summary_of(const char *directory) {
    char *text = content(directory, "summary.json"), *machine = strstr(text, "\"machine\"");
    assert_non_null(machine);
    *machine = '\0';
    return text;
}

/* Step at which a stage ended, according to the summary. */
static unsigned long end_of_stage(const char *summary, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"name\": \"%s\"", name);
    const char *at = strstr(summary, key);
    assert_non_null(at);
    at = strstr(at, "\"step\": ");
    assert_non_null(at);
    return strtoul(at + 8, NULL, 10);
}

static bool count_steps(void *context, const rps_world *world) {
    (void)world;
    long *left = context;
    return (*left)-- > 0;
}

/* Stops the run after this many steps, resumes it with another number of threads, and compares all results. */
static void resumed_is_same(const char *scene, const char *whole, unsigned long steps, unsigned long all, int threads) {
    char part[128];
    rps_error err;
    snprintf(part, sizeof part, "%s-at-%lu", whole, steps);
    rps_run_options options = options_of(scene);
    long left = (long)steps;
    options.directory = part;
    options.each = count_steps;
    options.context = &left;
    if (rps_run(&options, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
    options = rps_run_options_default();
    options.resume = part;
    options.threads = threads;
    if (rps_run(&options, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
    char *a = summary_of(whole), *b = summary_of(part), *x = content(whole, "series.csv"),
         *y = content(part, "series.csv");
    if (strcmp(a, b) != 0 || strcmp(x, y) != 0) {
        fail_msg("stopped after %lu of %lu steps and resumed:\n%s\n%s", steps, all, a, b);
    }
    free(a), free(b), free(x), free(y);
}

static void run_and_resume(void **state) {
    static const char *const name[] = {"fall", "press", "shear", "hold"};
    char whole[128];
    rps_error err;
    rps_run_summary summary;
    (void)state;
    snprintf(whole, sizeof whole, "%s/whole", folder);
    rps_run_options options = options_of(base);
    options.directory = whole;
    options.check = all_pass;
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.end, RPS_END_STAGES);
    assert_int_equal(summary.checks, 8);
    char *text = summary_of(whole);
    assert_non_null(strstr(text, "\"end\": \"stages\""));
    unsigned long before = 0;
    for (int k = 0; k < 4; k++) {
        const unsigned long end = end_of_stage(text, name[k]);
        assert_true(end > before);
        resumed_is_same(base, whole, before + (end - before) / 2, summary.steps, 1 + k % 3);
        if (k < 3) resumed_is_same(base, whole, end, summary.steps, 1); /* just begun */
        if (k == 3) assert_int_equal(end - before, 2000);
        before = end;
    }
    assert_int_equal(before, summary.steps);
    free(text);
}

/* A condition not met within its limit is an error, or the next stage begins and the summary says why. */
static void missed(void **state) {
    char part[128];
    rps_error err;
    (void)state;
    char *text = text_replace(base, "after: 0.2 s}, limit: 3 s", "after: 0.01 s}, limit: 0.02 s");
    rps_run_options options = options_of(text);
    assert_int_equal(rps_run(&options, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "the stage `fall` has lasted for its limit of 0.02 s"));
    assert_non_null(strstr(err.text, "`missed: next`"));
    free(text);
    text = text_replace(base, "after: 0.2 s}, limit: 3 s", "after: 0.01 s}, limit: 0.02 s, missed: next");
    snprintf(part, sizeof part, "%s/missed", folder);
    options = options_of(text);
    options.directory = part;
    options.until = "0.03 s";
    if (rps_run(&options, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
    char *summary = summary_of(part);
    assert_non_null(strstr(summary, "\"end\": \"limit\""));
    assert_int_equal(end_of_stage(summary, "fall"), 400);
    free(summary);
    free(text);
}

/* A ball slides at 1 m/s, 10 mm a step, without friction. The stage `b` begins when it has passed 105 mm, at 110 mm, with
 * an overlap of weight over stiffness. Its checks see that instant, though nothing else reads their probes there. */
static const char slides[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {clay: {}}\n"
    "pairs:\n"
    "  - {between: [clay, clay], normal: {law: hooke, stiffness: 1e4 N/m}, damping: none, slide: none, roll: none, "
    "spin: none}\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 5 cm}}, mass: 1 kg, material: clay, place: {rest on: floor}, "
    "velocity: [1, 0, 0]}\n"
    "run: {step: 10 ms}\n"
    "guards: {step: off}\n"
    "output: {frames: 0, series: 1 s}\n"
    "probes:\n"
    "  way: {body: ball, quantity: position.x}\n"
    "  same_way: {body: ball, quantity: position.x}\n"
    "  overlap: {contact: [ball, floor], quantity: overlap}\n"
    "stages:\n"
    "  - {name: a, until: {probe: way, above: 105 mm}, limit: 1 s}\n"
    "  - {name: b, until: {time: 0.1 s}}\n"
    "checks:\n";

static void seen_from_its_first_instant(void **state) {
    static const char *const check[] = {
        "{probe: same_way, stage: b, at: 0, expect: 110 mm, within: 1e-9 m}",
        "{probe: same_way, stage: b, mean: [0, 20 ms], expect: 120 mm, within: 1e-9 m}",
        "{probe: same_way, stage: b, min: [0, 20 ms], expect: 110 mm, within: 1e-9 m}",
        "{probe: same_way, stage: b, min: true, expect: 110 mm, within: 1e-9 m}",
        "{probe: same_way, stage: b, rate: [0, 10 ms], expect: 1 m/s, within: 1e-9 m/s}",
        "{probe: overlap, stage: b, at: 0, expect: 1 mm, within: 1e-9 m}",
    };
    (void)state;
    for (size_t k = 0; k < sizeof check / sizeof *check; k++) { /* alone: no check reads for another */
        char text[2048], part[128];
        rps_error err;
        rps_run_summary summary;
        snprintf(text, sizeof text, "%s  - %s\n", slides, check[k]);
        rps_run_options options = options_of(text);
        options.check = all_pass;
        snprintf(part, sizeof part, "%s/instant%zu", folder, k);
        options.directory = part;
        if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s: %s", check[k], err.text);
        assert_int_equal(summary.checks, 1);
        assert_int_equal(summary.steps, 21);
        resumed_is_same(text, part, 11, summary.steps, 1);
    }
}

/* A plane cannot be placed if a body already extends behind it. */
static void placed_too_low(void **state) {
    rps_error err;
    (void)state;
    char *low = text_replace(base, "point: [0, 3]", "point: [0, 1.06]");
    char *text =
        text_replace(low, "position: [0.2, 1]", "position: [0.2, 1], velocity: [0, 1]"); /* it hits the plane */
    char *quick = text_replace(text, "until: {speed: 5 cm/s, after: 0.2 s}, limit: 3 s", "until: {time: 30 ms}");
    free(low);
    rps_run_options options = options_of(quick);
    assert_int_equal(rps_run(&options, NULL, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "a body reaches behind it already"));
    free(quick);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(broken_scenes), cmocka_unit_test(run_and_resume),
                                       cmocka_unit_test(missed), cmocka_unit_test(seen_from_its_first_instant),
                                       cmocka_unit_test(placed_too_low)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
