/*
 * Checks over the runs of a sweep: discs thrown up at four speeds in two variants. Their heights are known, and so
 * are mean, deviation, extremes and paired differences.
 */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/run.h>

static const char scene[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {stuff: {density: 1000}}\n"
    "bodies: [{name: ball, shape: {sphere: {radius: 1}}, material: stuff, velocity: [0, 0, 1]}]\n"
    "pairs: [{between: [stuff, stuff], normal: {law: hooke, stiffness: 1}, damping: none, slide: none, roll: none, "
    "spin: none}]\n"
    "run: {step: 0.01 s, until: 1 s}\n"
    "probes: {z: {body: ball, quantity: position.z}}\n"
    "variants: {earth: {}, moon: {set: {gravity: [0, 0, -2]}}}\n"
    "sweep:\n"
    "  vary:\n"
    "    - {path: variant, values: [earth, moon]}\n"
    "  measures: {z: {probe: z, final: true}, top: {probe: z, max: true, when: true}, high: {probe: z, max: true}}\n"
    "  checks:\n"
    "%s\n";

typedef struct verdicts {
    size_t count, passed;
    double measured[16];
    char note[16][80], known[16][80];
} verdicts;

static void note_check(void *context, const rps_check_row *row) {
    verdicts *v = context;
    v->measured[v->count] = row->measured;
    snprintf(v->note[v->count], sizeof v->note[0], "%s", row->note);
    snprintf(v->known[v->count], sizeof v->known[0], "%s", row->known ? row->known : "");
    v->passed += row->passed;
    v->count++;
}

static rps_status sweep_with(const char *checks, verdicts *v, rps_sweep_summary *summary, rps_error *err) {
    char text[4096], path[] = "/tmp/repose-sweep-XXXXXX";
    snprintf(text, sizeof text, scene, checks);
    static const char *const vary[] = {"run.until=0.5,1.0,1.5,2.0", "variant=earth,moon"};
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_file(path, text);
    rps_sweep_options options = rps_sweep_options_default();
    options.path = path;
    options.vary = vary;
    options.varies = 2;
    options.jobs = 1;
    options.check = note_check;
    options.context = v;
    memset(v, 0, sizeof *v);
    const rps_status status = rps_sweep(&options, summary, err);
    unlink(path);
    return status;
}

/* z = t - g t^2/2 at t = .5, 1, 1.5, 2 s: exact with verlet. */
static void numbers(void **state) {
    static const char checks[] =
        "    - {measure: z, where: {variant: moon}, expect: -0.625 m, within: 1e-12 m}\n"
        "    - {measure: z, where: {variant: moon}, take: max, expect: 0.25 m, within: 1e-12 m}\n"
        "    - {measure: z, where: {variant: moon}, take: min, below: -1.99 m}\n"
        "    - {measure: z, where: {variant: moon}, take: sd, expect: 1.0103629710 m, within: 1e-9 m}\n"
        "    - {measure: z, where: {variant: moon}, minus: {variant: earth}, expect: 7.5 m, within: 1e-12 m}\n"
        "    - {measure: z, where: {variant: moon}, minus: {variant: earth}, take: min, above: 0.99 m, below: 1.01 m}\n"
        "    - {measure: z, where: {run.until: 1.0}, take: sd, expect: 2.8284271247 m, within: 1e-9 m}\n"
        "    - {measure: z, take: max, above: 1 m}\n"
        "    - {measure: top, where: {variant: moon, run.until: 2}, expect: 0.5 s, within: 1e-12 s}\n"
        "    - {measure: z, over: high, where: {variant: moon}, expect: -2.5, within: 1e-10}\n"
        "    - {measure: z, above: 9 m, known: nothing flies that high}\n"
        "    - {measure: z, above: -99 m, known: it was lower once}";
    verdicts v;
    rps_error err;
    rps_sweep_summary summary;
    (void)state;
    if (sweep_with(checks, &v, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.runs, 8);
    assert_int_equal(v.count, 12);
    assert_string_equal(v.known[10], "nothing flies that high");
    assert_string_equal(v.known[7], "");
    for (size_t k = 0; k < v.count; k++) {
        if (k != 7) continue;
        if (v.measured[k] > 1.0) fail_msg("the check that must fail measured %g", v.measured[k]);
    }
    if (v.passed != 10) {
        for (size_t k = 0; k < v.count; k++) printf("# check %zu: %.12g %s\n", k, v.measured[k], v.note[k]);
        fail_msg("%zu checks passed, expected all but two", v.passed);
    }
    assert_true(summary.checks == 12 && summary.checks_failed == 1);
    assert_int_equal(summary.checks_stale, 1); /* the last: declared to fail, and passes */
}

static void refusals(void **state) {
    static const struct {
        const char *check, *part;
    } cases[] = {
        {"    - {measure: z, where: {run.seed: 1}, above: 0 m}", "`run.seed` does not vary"},
        {"    - {measure: z, where: {variant: mars}, above: 0 m}", "does not take the value `mars`"},
        {"    - {measure: zz, above: 0 m}", "`zz` is no measure"},
        {"    - {measure: z, minus: {variant: earth}, above: 0 m}", "`where` must say of what"},
        {"    - {measure: z, where: {variant: moon}}", "`expect` (with `within`), or `above`"},
        {"    - {measure: z, above: 0 s}", "a length"},
        {"    - {measure: z, over: top, above: 0}", "a measure of the same unit: `z` is in m, `top` in s"},
        {"    - {measure: z, over: tops, above: 0}", "`tops` is no measure"},
    };
    verdicts v;
    rps_error err;
    rps_sweep_summary summary;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(sweep_with(cases[k].check, &v, &summary, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, cases[k].part)) fail_msg("expected \"%s\" in\n%s", cases[k].part, err.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
