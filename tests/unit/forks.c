/* Runs that begin from the state of another: without a change they are its continuation, with other laws they are what a
 * stage with these laws does, and what does not fit is refused. */
#include "simulation_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char base[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"
    "    damping: {law: ratio, value: 0.5}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 300 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: lid, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0.1, 0, 0.1], fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.03], velocity: [0.1, 0, 0]}\n"
    "particles:\n"
    "  - name: rain\n"
    "    material: clay\n"
    "    count: 12\n"
    "    radius: {uniform: [5 mm, 7 mm]}\n"
    "    pour: {region: [[-0.03, -0.03, 0.06], [0.03, 0.03, 0.09]], rate: 100 Hz}\n"
    "run: {step: 1e-4 s}\n"
    "output: {frames: 0, series: 10 ms}\n"
    "probes: {height: {body: ball, quantity: position.z}}\n"
    "stages:\n"
    "  - {name: fall, until: {time: 0.1 s}}\n"
    "  - {name: lie/b, set: {pairs.0.slide.static: 0.6}, until: {time: 0.1 s}}\n"
    "  - {name: last, until: {time: 0.1 s}}\n";

static void run_of(const char *text, const char *from, const char *name, const char *until, leftover *to) {
    char folder[RPS_PATH], source[RPS_PATH];
    rps_run_options options = run_options(text, NULL, to);
    options.directory = path_of(name, folder);
    options.until = until;
    if (from) options.from = path_of(from, source);
    run(&options, to);
}

static void refused_from(const char *text, const char *from, const char *part) {
    char source[RPS_PATH];
    leftover unused = {.probes = 0};
    rps_run_options options = run_options(text, NULL, &unused);
    options.from = path_of(from, source);
    REFUSED(rps_run(&options, NULL, &err), RPS_BAD_INPUT, part);
}

static char *read_summary(const char *name) {
    char path[RPS_PATH], file[RPS_PATH + 16];
    snprintf(file, sizeof file, "%s/summary.json", path_of(name, path));
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, in) > 0);
    fclose(in);
    return text;
}

static void continues(void **state) {
    leftover whole, fork;
    (void)state;
    run_of(base, NULL, "whole", NULL, &whole);
    run_of(base, "whole@fall", "a", NULL, &fork);
    assert_same("a fork at the end of the first stage", &whole, &fork);
    run_of(base, "whole@lie/b", "b", NULL, &fork);
    assert_same("a fork at the end of the second stage", &whole, &fork);
    run_of(base, NULL, "part", "0.13 s", &fork);
    run_of(base, "part", "c", NULL, &fork);
    assert_same("a fork in the middle of a stage", &whole, &fork);
    char *summary = read_summary("a");
    assert_non_null(strstr(summary, "\"run\": \"whole\""));
    assert_non_null(strstr(summary, "\"stage\": \"fall\""));
    assert_null(strstr(summary, "/tmp/"));
    free(summary);
}

static void other_laws(void **state) {
    leftover stage, fork;
    (void)state;
    char *text = text_replace(base, "set: {pairs.0.slide.static: 0.6}, ", "");
    char *changed = text_replace(text, "static: 0.5, kinetic: 0.4", "static: 0.9, kinetic: 0.8");
    char *set = text_replace(text, "{name: lie/b,",
                             "{name: lie/b, set: {pairs.0.slide.static: 0.9, pairs.0.slide.kinetic: 0.8},");
    run_of(set, NULL, "set", NULL, &stage);
    run_of(text, NULL, "plain", NULL, &fork);
    run_of(changed, "plain@fall", "changed", NULL, &fork);
    assert_same("a fork with other friction, and a stage that sets it", &stage, &fork);
    free(changed);
    /* stages of other names follow one another from now on; one may drive a body that was fixed */
    char *other =
        text_replace(text, "name: fall, until", "name: press, drives: {lid: {velocity: [0, 0, -0.1]}}, until");
    char *probes = text_replace(other, "{height:", "{low: {body: lid, quantity: position.z}, height:");
    run_of(probes, "plain@fall", "pressed", NULL, &fork);
    assert_int_equal(fork.steps, 4000);
    assert_true(fork.value[0] > 0.1 - 0.03 - 1e-12 && fork.value[0] < 0.1 - 0.03 + 1e-12);
    free(probes), free(other), free(set), free(text);
}

static void does_not_fit(void **state) {
    static const struct {
        const char *find, *by, *part;
    } broken[] = {
        {"shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.03]",
         "shape: {sphere: {radius: 2 cm}}, material: clay, position: [0, 0, 0.03]", "the body `ball` is another one"},
        {"  - {name: lid, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0.1, 0, 0.1], fixed: true}\n", "",
         "has a body `lid` that this scene lacks"},
        {"name: lid", "name: top", "`top` is not in"},
        {"count: 12", "count: 13", "`particles` differs"},
        {"step: 1e-4 s", "step: 1e-4 s, integrator: half-implicit", "`integrator` differs"},
        {"clay: {young", "clay: {density: 1900, young", "density"},
        {"probes:", "dimension: 3\nperiodic: {x: 1 m}\nprobes:", "`periodic` differs"},
    };
    leftover unused;
    (void)state;
    run_of(base, NULL, "source", NULL, &unused);
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        char *text = text_replace(base, broken[k].find, broken[k].by);
        if (strstr(broken[k].by, "1900")) {
            char *once = text_replace(text, ", density: 2000", "");
            free(text);
            text = once;
        }
        refused_from(text, "source@fall", broken[k].part);
        free(text);
    }
    refused_from(base, "source", "has ended in");
    refused_from(base, "source@fell", "no state of the end of a stage `fell`");
    refused_from(base, "sauce", "there is no such file or directory");
}

/* Counts go on: a fork without a change has the results of the run that it left, by every probe. */
static void counts_go_on(void **state) {
    static const char counted[] = "flows:\n  level: {point: [0, 0, 0.04], normal: [0, 0, -1]}\n"
                                  "sinks:\n  side: {region: [[5 mm, -1, 0], [1, 1, 10 mm]], set: rain}\n"
                                  "zones:\n  layer: {region: {behind: {point: [0, 0, 0.02], normal: [0, 0, 1]}}}\n"
                                  "probes:\n"
                                  "  through: {flow: level, quantity: number}\n"
                                  "  rate: {flow: level, quantity: mass_rate, window: 0.15 s}\n"
                                  "  gone: {sink: side, quantity: mass, set: rain}\n"
                                  "  age: {sink: side, quantity: residence_time}\n"
                                  "  stay: {zone: layer, quantity: age}\n"
                                  "  left: {zone: layer, quantity: number}\n"
                                  "  given: {source: rain, quantity: mass}\n";
    leftover whole, fork;
    (void)state;
    char *text = text_replace(base, "probes: {height: {body: ball, quantity: position.z}}\n", counted);
    run_of(text, NULL, "counted", NULL, &whole);
    assert_true(whole.value[0] > 5.0 && whole.value[2] > 0.0 && whole.value[5] > 0.0);
    run_of(text, "counted@fall", "counted-a", NULL, &fork);
    assert_same("a fork that counts", &whole, &fork);
    char *summary = read_summary("counted-a");
    assert_non_null(
        strstr(summary, "\"counts_kept\": [\"flow level\", \"sink side\", \"zone layer\", \"source rain\"]"));
    assert_non_null(strstr(summary, "\"counts_begun\": []"));
    free(summary);
    /* another plane, and a zone of another name, begin with the fork; so does a rate over a longer window */
    char *other = text_replace(text, "0, 0, 0.04]", "0, 0, 0.05]"), *zone = text_replace(other, "  layer: ", "  bed: ");
    char *named = text_replace(zone, "stay: {zone: layer", "stay: {zone: bed");
    char *last = text_replace(named, "left: {zone: layer", "left: {zone: bed");
    run_of(last, "counted@lie/b", "counted-b", "0.2001 s", &fork);
    assert_true(fork.value[0] == 0.0 && fork.value[1] == 0.0 && fork.value[2] > 0.0 && fork.value[5] == 0.0);
    assert_true(fork.value[4] > 0.0 && fork.value[4] < 2e-4);
    summary = read_summary("counted-b");
    assert_non_null(strstr(summary, "\"counts_kept\": [\"sink side\", \"source rain\"]"));
    assert_non_null(strstr(summary, "\"counts_begun\": [\"flow level\", \"zone bed\"]"));
    free(summary), free(last), free(named), free(zone), free(other), free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(continues), cmocka_unit_test(counts_go_on),
                                       cmocka_unit_test(other_laws), cmocka_unit_test(does_not_fit)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
