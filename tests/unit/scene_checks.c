/* Reducers on artificial series, --set and variants, exports of the schema, and a scene with all kinds of blocks. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene_internal.h"

static const char frame[] =
    "repose: 1\n"
    "gravity: none\n"
    "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3}}\n"
    "pairs:\n"
    "  - {between: [a, a], normal: hertz, damping: none, slide: {law: tracked, static: 0.3, kinetic: 0.2, "
    "stiffness: 1e4}, roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: p, shape: {sphere: {radius: 1}}, material: a}\n"
    "  - {name: q, shape: {sphere: {radius: 1}}, material: a, position: [5, 0, 0]}\n"
    "run: {step: 0.1 s, until: 10 s}\n"
    "output: {series: 0.5 s}\n"
    "probes: {x: {body: p, quantity: position.x}, m: {contact: [p, q], quantity: slide_mode}}\n"
    "checks:\n  - ";

/* Feeds a series to the one check of a scene, a sample every 0.1 s, and returns the verdict. */
static rps_check_result judge(const char *check, double (*x)(double), double until) {
    static char name[256]; /* the result's texts live with the scene */
    char *text = malloc(sizeof frame + strlen(check) + 2);
    rps_world *world;
    rps_check_result result;
    assert_non_null(text);
    sprintf(text, "%s%s\n", frame, check);
    rps_scene *scene = scene_make(text, &world);
    for (uint64_t step = 0; (double)step * 0.1 <= until + 1e-9; step++) {
        double value[2] = {x((double)step * 0.1), x((double)step * 0.1)};
        bool read[2];
        for (size_t i = 0; i < 2; i++) read[i] = rps_scene_probe_due(scene, i, step);
        assert_int_equal(rps_scene_watch(scene, (double)step * 0.1, value, read, NULL), RPS_OK);
        assert_int_equal(rps_scene_watch(scene, (double)step * 0.1, value, read, NULL), RPS_OK);
    }
    assert_int_equal(rps_scene_check_count(scene), 1);
    assert_int_equal(rps_scene_check(scene, 0, &result, NULL), RPS_OK);
    snprintf(name, sizeof name, "%s|%s|%s", result.name, result.unit, result.note);
    result.name = name;
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
    return result;
}

static double ramp(double t) {
    return 2.0 * t;
}
static double wave(double t) {
    return sin(t);
}
static double steps(double t) {
    return t < 0.95 ? 0.0 : t < 2.95 ? 1.0 : t < 4.95 ? 0.0 : t < 5.95 ? 1.0 : 0.0;
}
static double late(double t) {
    return t < 4.95 ? NAN : t;
}
static double never(double t) {
    (void)t;
    return NAN;
}

static void reducers(void **state) {
    static const struct {
        const char *check;
        double (*x)(double);
        double measured;
        bool passed;
    } cases[] = {
        {"{probe: x, at: 0.25 s, expect: 0.5, within: 1e-12}", ramp, 0.5, true},
        {"{probe: x, at: 0, expect: 0, within: 1e-12}", ramp, 0, true},
        {"{probe: x, at: 3 s, expect: 6.1, within: 1 %}", ramp, 6, false},
        {"{probe: x, at: 3 s, expect: 6.1, within: 2 %}", ramp, 6, true},
        {"{probe: x, at: 3 s, expect: 6.1, within: [1 %, 10 cm]}", ramp, 6, true},
        {"{probe: x, at: 10 s, expect: 20, within: 1e-9}", ramp, 20, true},
        {"{probe: x, final: true, above: 19, below: 21}", ramp, 20, true},
        {"{probe: x, final: true, above: 20.5}", ramp, 20, false},
        {"{probe: x, max: true, below: 0.99}", wave, 0.99957, false},
        {"{probe: x, max: true, expect: 1, within: 1e-3}", wave, 0.99957, true},
        {"{probe: x, min: [0, 3 s], above: -1e-9}", wave, 0, true},
        {"{probe: x, min: true, expect: -1, within: 1e-3}", wave, -0.99992, true},
        {"{probe: x, max: [4 s, 6 s], expect: -0.279, within: 1e-3}", wave, -0.27942, true},
        /* the trapezoid of a line is exact, also for ends between steps */
        {"{probe: x, mean: [1.03 s, 2.27 s], expect: 3.3, within: 1e-9}", ramp, 3.3, true},
        {"{probe: x, rate: [1.03 s, 2.27 s], expect: 2 m/s, within: 1e-9}", ramp, 2.0, true},
        {"{probe: x, rate: [0 s, 10 s], expect: 1.9 m/s, within: 0.01}", ramp, 2.0, false},
        {"{probe: x, crosses: 1.1, expect: 0.55 s, within: 1e-9}", ramp, 0.55, true},
        {"{probe: x, crosses: {value: 0, direction: down}, expect: 3.1416 s, within: 1e-3}", wave, 3.1416, true},
        {"{probe: x, crosses: {value: 0, direction: up}, expect: 6.2832 s, within: 1e-3}", wave, 6.2832, true},
        {"{probe: x, crosses: 0, after: 4 s, expect: 6.2832 s, within: 1e-3}", wave, 6.2832, true},
        {"{probe: x, crosses: 50, expect: 1 s}", ramp, NAN, false},
        {"{probe: m, becomes: slip, expect: 1 s, within: 1e-9}", steps, 1, true},
        {"{probe: m, becomes: stick, expect: 3 s, within: 1e-9}", steps, 3, true},
        {"{probe: m, becomes: slip, after: 2 s, expect: 5 s, within: 1e-9}", steps, 5, true},
        {"{probe: m, becomes: slip, after: 6 s, expect: 5 s, within: 1e-9}", steps, NAN, false},
        {"{probe: m, at: 2.98 s, expect: slip}", steps, 1, true}, /* a mode is not interpolated */
        {"{probe: m, always: stick, after: 6 s}", steps, 0, true},
        {"{probe: m, always: stick}", steps, 1, false},
        {"{probe: m, never: slip, after: 6 s}", steps, 0, true},
        {"{probe: m, never: slip, after: 4 s}", steps, 1, false},
        {"{probe: x, always: {below: 21}}", ramp, 20, true},
        {"{probe: x, always: {above: 1}}", ramp, 0, false},
        {"{probe: x, always: {above: 1}, after: 0.55 s}", ramp, 1.2, true},
        {"{probe: x, always: {above: -1.1, below: 1.1}}", wave, -0.99992, true},
        {"{probe: x, never: {above: 0.5, below: 0.6}}", wave, 0.5646, false},
        {"{probe: x, never: {above: 1.5}}", wave, 0.99957, true},
        {"{probe: x, at: 3 s, expect: 1}", late, NAN, false},
        {"{probe: x, final: true, expect: 10, within: 1e-9}", late, 10, true},
        {"{probe: x, max: true, below: 11}", late, 10, true},
        {"{probe: x, final: true, expect: 10}", never, NAN, false},
        {"{probe: x, always: {below: 3}}", never, NAN, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rps_check_result r = judge(cases[i].check, cases[i].x, 10.0);
        /* 6e-5: digits given above; where more matters the check's own tolerance is narrow */
        bool same = isnan(cases[i].measured) ? isnan(r.measured) : fabs(r.measured - cases[i].measured) <= 6e-5;
        if (!same || r.passed != cases[i].passed) {
            fail_msg("%s: measured %.12g, expected %g; %s, expected %s", cases[i].check, r.measured, cases[i].measured,
                     r.passed ? "pass" : "fail", cases[i].passed ? "pass" : "fail");
        }
        assert_true(r.applies);
    }
}

static void names_and_notes(void **state) {
    (void)state;
    assert_string_equal(judge("{probe: x, at: 0.25 s, expect: 0.5 m}", ramp, 10).name, "x at 0.25 s|m|");
    assert_string_equal(judge("{probe: m, becomes: stick, after: 1 s, expect: 3 s}", steps, 10).name,
                        "m becomes stick after 1 s|s|");
    assert_string_equal(judge("{probe: x, always: {below: 3 cm}}", never, 10).name,
                        "x always below 3 cm|m|the probe never had a value");
    assert_string_equal(judge("{name: halfway, probe: x, crosses: 50, expect: 1 s}", ramp, 10).name,
                        "halfway|s|it never crossed this value");
    assert_string_equal(judge("{probe: x, at: 9 s, expect: 1}", ramp, 5).name,
                        "x at 9 s|m|the probe had no value then");
    assert_string_equal(judge("{probe: m, becomes: slip, after: 8 s, expect: 1}", steps, 10).name,
                        "m becomes slip after 8 s|s|it never changed into this value");
}

/* Probes are due exactly at the steps where the series and the checks need them. */
static void due_steps(void **state) {
    char text[2048];
    rps_world *world;
    (void)state;
    snprintf(text, sizeof text, "%s{probe: x, at: 2.22 s, expect: 1}\n", frame);
    rps_scene *scene = scene_make(text, &world);
    assert_false(rps_scene_probe(scene, 0)->every_step);
    for (uint64_t step = 0; step <= 100; step++) {
        bool expected = step % 5 == 0 || step == 22 || step == 23;
        assert_true(rps_scene_probe_due(scene, 0, step) == expected);
    }
    assert_true(rps_scene_probe(scene, 1)->needs_contacts && !rps_scene_probe(scene, 0)->needs_contacts);
    rps_world_destroy(world);
    rps_scene_free(scene);
    snprintf(text, sizeof text, "%s{probe: x, crosses: 1, expect: 1}\n", frame);
    scene = scene_make(text, &world);
    assert_true(rps_scene_probe(scene, 0)->every_step && !rps_scene_probe(scene, 1)->every_step);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* --- sets and variants --------------------------------------------------------------------------------------------- */

static void sets_and_variants(void **state) {
    static const char more[] =
        "{probe: x, final: true, expect: 1, variant: slow}\n"
        "variants:\n"
        "  fast: {set: {run.step: 0.2 s, bodies.q.position: [7, 0, 0], pairs.a/a.slide.static: 0.4}}\n"
        "  slow: {}\n";
    char text[4096];
    rps_error err;
    (void)state;
    snprintf(text, sizeof text, "%s%s", frame, more);
    const char *set[] = {"run.until=4 s",
                         "bodies.0.name=first",
                         "title=Set by hand",
                         "periodic={y: 30 m}",
                         "probes.x.body=first",
                         "probes.m.contact.0=first",
                         NULL};
    rps_scene *scene = scene_load(text, "fast", set, &err);
    if (!scene) fail_msg("%s", err.text);
    rps_world *world;
    if (rps_scene_build(scene, &world, &err) != RPS_OK) fail_msg("%s", err.text);
    const rps_scene_run *run = rps_scene_get_run(scene);
    assert_int_equal(rps_scene_variant_count(scene), 2);
    assert_string_equal(rps_scene_variant_name(scene, 1), "slow");
    assert_string_equal(run->title, "Set by hand");
    assert_true(run->until == 4.0 && fabs(run->step - 0.2) < 1e-15 && !run->step_chosen);
    rps_view view;
    assert_int_equal(rps_world_view(world, "position", &view, NULL), RPS_OK);
    assert_true(((const double *)((const char *)view.data + rps_world_slot(world, 1) * view.stride))[0] == 7.0);
    rps_check_result result;
    assert_int_equal(rps_scene_check(scene, 0, &result, NULL), RPS_OK);
    assert_false(result.applies);
    assert_string_equal(result.variant, "slow");
    rps_world_destroy(world);
    rps_scene_free(scene);

    static const struct {
        const char *set, *part;
    } bad[] = {
        {"run.step", "the form path=value"},
        {"run.stp=1", "did you mean `step`?"},
        {"bodies.7.mass=1", "asks for item 7 of a list that has 2"},
        {"bodies.r.mass=1", "has no item called `r`"},
        {"run.step=abc", "--set:1:10: `step` cannot be `abc`"},
        {"run.step.size=1", "has no keys"},
        {"run..step=1", "is no path"},
        {"=1", "is no path"},
        {"run.step=[1", "--set:1:"},
        {"pairs.a/b.slide=none", "no item called `a/b`"},
        {"pairs.0.slide.static=0.1", "static"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *one[] = {bad[i].set, NULL};
        scene = scene_load(text, NULL, one, &err);
        if (scene) {
            assert_int_equal(rps_scene_build(scene, &world, &err), RPS_BAD_INPUT);
            rps_scene_free(scene);
        }
        if (!strstr(err.text, bad[i].part)) fail_msg("%s: expected \"%s\" in\n%s", bad[i].set, bad[i].part, err.text);
    }
    assert_null(scene_load(text, "fats", NULL, &err));
    assert_non_null(strstr(err.text, "did you mean `fast`?"));
}

/* Every path of a scene with all kinds of blocks, one of its parts mistyped: a setting, a parameter that varies and a
 * variant with such a path must be refused. Nothing else in the scene is changed by it. */
static const char rich[] =
    "repose: 1\n"
    "title: all blocks\n"
    "gravity: {magnitude: 9.81, tilt: 0.1}\n"
    "materials: {steel: {young: 1 GPa, poisson: 0.3, density: 7800}, glass: {young: 1 GPa, poisson: 0.2, density: "
    "2500}}\n"
    "pairs:\n"
    "  - {between: [steel, glass], normal: {law: hooke, stiffness: 1e5}, damping: {law: ratio, value: 0.1},\n"
    "     slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e4}, roll: {law: tracked, eta: 0.1}, spin: "
    "none}\n"
    "  - {between: [glass, glass], normal: {law: hooke, stiffness: 1e5}, damping: none, slide: none, roll: none, spin: "
    "none}\n"
    "bodies:\n"
    "  - {name: plate, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}\n"
    "  - {name: top, shape: {plane: {normal: [0, 0, -1]}}, material: steel, drive: {velocity: [0, 0, 0]}, position: "
    "[0, 0, 1]}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: glass, position: [0.5, 0, 0.5]}\n"
    "particles:\n"
    "  - {name: grains, material: glass, count: 2, radius: {uniform: [1 mm, 2 mm]}, pour: {region: [[0, 0, 0.1], [0.1, "
    "0.1, 0.2]], rate: 10}}\n"
    "run: {step: 1e-4, until: 1}\n"
    "stages:\n"
    "  - {name: one, drives: {top: {velocity: [0, 0, -0.1]}}, until: {probe: high, above: 0.3}, limit: 0.5}\n"
    "  - {name: two, until: {time: 0.2}}\n"
    "guards: {overlap: 0.2}\n"
    "output: {frames: 0.1}\n"
    "probes: {high: {body: ball, quantity: position.z}, push: {contact: [ball, plate], quantity: normal_load}}\n"
    "checks: [{probe: high, always: {above: 0}, stage: one}]\n"
    "sweep: {vary: [{path: run.seed, values: [1, 2]}], measures: {h: {probe: high, final: true}}}\n";

static bool accepted(const char *variants, const char *setting, rps_error *err) {
    static char text[8192];
    snprintf(text, sizeof text, "%s%s", rich, variants);
    rps_scene_load_options options = {
        .text = text, .text_bytes = strlen(text), .set = &setting, .sets = setting != NULL, .isa = -1, .threads = 1};
    if (*variants) options.variant = "v";
    rps_scene *scene;
    rps_world *world = NULL;
    bool good = rps_scene_load(&options, &scene, err) == RPS_OK && rps_scene_build(scene, &world, err) == RPS_OK;
    rps_world_destroy(world);
    rps_scene_free(scene);
    if (!setting) return good;
    options.vary = options.set; /* the same as what varies in a sweep */
    options.varies = options.sets;
    options.sets = 0;
    options.sweep = true;
    const bool varied = rps_scene_load(&options, &scene, NULL) == RPS_OK;
    rps_scene_free(scene);
    return good && varied;
}

static size_t tried;

static void mistype(const rps_node *node, char *path) {
    const size_t length = strlen(path);
    for (size_t i = 0; i < node->count; i++) {
        const rps_node *value = node->entry[i].value;
        char part[64];
        snprintf(part, sizeof part, node->kind == RPS_NODE_MAP ? "%.60s" : "%s%zu",
                 node->kind == RPS_NODE_MAP ? node->entry[i].key : "", i);
        snprintf(path + length, 256 - length, length ? ".%s" : "%s", part);
        mistype(value, path);
        if (!value->given || value->kind != RPS_NODE_SCALAR) continue;
        for (size_t at = 0, next; path[at]; at = next + (path[next] == '.')) {
            char wrong[320], set[400], variant[400];
            rps_error err;
            next = at + strcspn(path + at, ".");
            snprintf(wrong, sizeof wrong, "%.*sq%s", (int)next, path, path + next);
            snprintf(set, sizeof set, "%s=%s", wrong, value->text);
            snprintf(variant, sizeof variant, "variants: {v: {set: {%s: %s}}}\n", wrong, value->text);
            if (accepted("", set, &err)) fail_msg("--set %s is accepted", set);
            if (accepted(variant, NULL, &err)) fail_msg("%s is accepted", variant);
            if (!*err.text) fail_msg("%s: no message", set);
            tried++;
        }
    }
    path[length] = 0;
}

static void settings_that_name_nothing(void **state) {
    rps_error err;
    char path[256] = "";
    (void)state;
    rps_scene *scene = scene_load(rich, NULL, NULL, &err);
    if (!scene) fail_msg("%s", err.text);
    assert_true(accepted("", "run.seed=2", &err));
    tried = 0;
    mistype(scene->text->root, path);
    assert_true(tried > 150);
    rps_scene_free(scene);
    static const struct {
        const char *set, *part;
    } bad[] = {
        {"materials.stel.young=1e6", "there is no `stel` in `materials`"},
        {"joints.pin.axis=[0, 0, 1]", "there is no `joints` in this scene"},
        {"exclude.0.1=ball", "there is no `exclude` in this scene"},
        {"materials.stel.young=1e6", "did you mean `steel`?"},
        {"materials.sand={young: 1e6, poisson: 0.3}", "known: steel, glass"},
        {"probes.hihg.body=ball", "did you mean `high`?"},
        {"probes.v={body: ball, quantity: velocity.z}", "there is no `v` in `probes`"},
        {"stages.one.drives.tpo.velocity=[0, 0, 1]", "tpo"},
        {"pairs.steel/glas.slide.static=0.3", "did you mean `steel/glass`?"},
        {"sweep.measures.g={probe: high, final: true}", "there is no `g` in `sweep.measures`"},
        {"variants.v.set=1", "would change nothing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (accepted("", bad[i].set, &err)) fail_msg("--set %s is accepted", bad[i].set);
        if (!strstr(err.text, bad[i].part)) fail_msg("%s: expected \"%s\" in\n%s", bad[i].set, bad[i].part, err.text);
    }
    /* a drive of a stage may be new: its name is that of a body */
    assert_true(accepted("", "stages.two.drives.top.velocity=[0, 0, 0]", &err));
    assert_true(accepted("", "materials.steel.poisson=0.25", &err));
}

/* The step divides `until` evenly and is never increased. */
static void whole_steps(void **state) {
    static const double step[] = {1e-4, 0.3, 0.1, 7e-3, 1.0 / 3.0};
    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        char set[64], text[4096];
        const char *sets[] = {set, "checks=[]", NULL};
        rps_error err;
        rps_world *world;
        snprintf(set, sizeof set, "run.step=%.17g", step[i]);
        snprintf(text, sizeof text, "%s{probe: x, final: true, expect: 1}\n", frame);
        rps_scene *scene = scene_load(text, NULL, sets, &err);
        assert_non_null(scene);
        assert_int_equal(rps_scene_build(scene, &world, &err), RPS_OK);
        double dt = rps_scene_get_run(scene)->step, n = 10.0 / dt;
        assert_true(dt <= step[i] * (1 + 1e-12) && dt > step[i] * (10.0 / (10.0 + step[i])) * (1 - 1e-12));
        assert_true(fabs(n - floor(n + 0.5)) < 1e-9 * n);
        rps_world_destroy(world);
        rps_scene_free(scene);
    }
}

/* Anchors and merge keys, and the same scene as JSON. */
static void yaml_and_json(void **state) {
    static const char json[] =
        "{\"repose\": 1, \"gravity\": [0, 0, \"-9.81 m/s^2\"], \"materials\": {\"a\": {\"density\": 1000}},\n"
        "\"particles\": [], \"bodies\": [{\"shape\": {\"sphere\": {\"radius\": \"1 m\"}}, \"material\": \"a\"}],\n"
        "\"run\": {\"step\": \"1 ms\", \"until\": 1}}";
    static const char merged[] =
        "repose: 1\n"
        "gravity: none\n"
        "materials: {a: &soft {young: 1 MPa, poisson: 0.3, density: 1000}, b: {<<: *soft, density: 2000}}\n"
        "bodies:\n"
        "  - &ball {shape: {sphere: {radius: 1}}, material: a}\n"
        "  - {<<: *ball, material: b, position: [5, 0, 0]}\n"
        "exclude: []\n"
        "pairs: [{between: [a, b], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
        "run: {step: 1 ms, until: 1}\n";
    rps_world *world;
    (void)state;
    rps_scene *scene = scene_make(json, &world);
    assert_int_equal(rps_world_body_count(world), 1);
    rps_world_destroy(world);
    rps_scene_free(scene);
    scene = scene_make(merged, &world);
    assert_int_equal(rps_world_body_count(world), 2);
    assert_true(rps_world_material(world, 1).density == 2000 && rps_world_material(world, 1).young == 1e6);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* --- exports ------------------------------------------------------------------------------------------------------- */

static void exports(void **state) {
    rps_scene_key key;
    rps_text schema;
    size_t laws = 0;
    (void)state;
    for (size_t i = 0; i < rps_scene_key_count(); i++) {
        assert_true(rps_scene_key_at(i, &key));
        assert_true(*key.path && *key.type && *key.meaning);
        laws += *key.law != 0;
        if (strcmp(key.path, "pairs[].slide.stiffness") == 0) assert_string_equal(key.unit, "N/m");
    }
    assert_true(laws > 10);
    assert_false(rps_scene_key_at(rps_scene_key_count(), &key));
    rps_text_init(&schema, NULL, (size_t)8 << 20);
    assert_int_equal(rps_scene_json_schema(&schema, NULL), RPS_OK);
    assert_non_null(strstr(rps_text_string(&schema), "\"run\""));
    rps_text_release(&schema);
    for (size_t i = 0; i < rps_quantity_count(); i++) {
        for (size_t k = 0; k < i; k++) {
            bool same = strcmp(rps_quantity_at(i)->name, rps_quantity_at(k)->name) == 0 &&
                        strcmp(rps_quantity_at(i)->of, rps_quantity_at(k)->of) == 0;
            assert_false(same);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reducers),
        cmocka_unit_test(names_and_notes),
        cmocka_unit_test(due_steps),
        cmocka_unit_test(sets_and_variants),
        cmocka_unit_test(settings_that_name_nothing),
        cmocka_unit_test(whole_steps),
        cmocka_unit_test(yaml_and_json),
        cmocka_unit_test(exports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
