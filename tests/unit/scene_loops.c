/* Loops and default pairs: the state is, bit for bit, that of the scene written out; what cannot be is refused. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/step.h>

#include "base/elementary.h"
#include "world/world.h"

enum { TEXT = 1 << 16, PIECES = 36, MATERIALS = 5 };

static void hash_after(const char *text, uint64_t steps, uint64_t hash[2]) {
    rps_world *world;
    rps_error err;
    rps_scene *scene = scene_make(text, &world);
    if (rps_world_step(world, steps, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(rps_world_hash(world, hash, &err), RPS_OK);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

static void assert_same_state(const char *a, const char *b, uint64_t steps) {
    uint64_t first[2], second[2];
    hash_after(a, steps, first);
    hash_after(b, steps, second);
    assert_memory_equal(first, second, sizeof first);
}

/* --- written out -------------------------------------------------------------------------------------------------- */

/* A drum of boxes that turns, with balls in it. */
#define DRUM_HEAD                                                                                           \
    "repose: 1\ngravity: [0, 0, -9.81]\n"                                                                   \
    "parameters: {R: 10 cm, n: 36, width: = 2 * R * tan(pi / n) + 1 mm}\n"                                  \
    "materials: {a: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"                                         \
    "pairs: [{between: all, normal: hertz, damping: {law: restitution, value: 0.5}, slide: {law: mindlin, " \
    "friction: 0.5}, roll: none, spin: none}]\n"                                                            \
    "run: {step: 1e-5 s, until: 1 s}\n"                                                                     \
    "bodies:\n"                                                                                             \
    "  - name: drum\n    material: a\n    drive: {angular_velocity: [0, 30 rev/min, 0]}\n    pieces:\n"

static const char drum_loop[] =
    DRUM_HEAD "      - for: {i: n}\n"
              "        shape: {box: {size: [= width, 5 cm, 4 mm]}}\n"
              "        position: [= R * sin(2 * pi * i / n), 0, = R * cos(2 * pi * i / n)]\n"
              "        orientation: {axis: [0, 1, 0], angle: = 2 * pi * i / n}\n"
              "  - for: {i: {from: -1, to: 1}}\n"
              "    name: \"ball_{i + 2}\"\n"
              "    material: a\n"
              "    shape: {sphere: {radius: 8 mm}}\n"
              "    position: [= i * 2 cm, 0, = -8 cm + abs(i) * 3 mm]\n";

static void write_drum(char *text) {
    const double R = 10 * 0.01, width = 2 * R * rps_tan(3.14159265358979323846 / 36) + 0.001;
    size_t used = (size_t)snprintf(text, TEXT, "%s", DRUM_HEAD);
    for (int i = 0; i < PIECES; i++) {
        const double angle = 2 * 3.14159265358979323846 * i / 36;
        used += (size_t)snprintf(text + used, TEXT - used,
                                 "      - {shape: {box: {size: [%.17g, 0.05, 0.004]}}, position: [%.17g, 0, %.17g], "
                                 "orientation: {axis: [0, 1, 0], angle: %.17g}}\n",
                                 width, R * rps_sin(angle), R * rps_cos(angle), angle);
    }
    for (int i = -1; i <= 1; i++) {
        used += (size_t)snprintf(text + used, TEXT - used,
                                 "  - {name: ball_%d, material: a, shape: {sphere: {radius: 0.008}}, position: [%.17g, "
                                 "0, %.17g]}\n",
                                 i + 2, i * (2 * 0.01), -8 * 0.01 + abs(i) * (3 * 0.001));
    }
}

static void test_drum_of_pieces(void **state) {
    (void)state;
    char *written = malloc(TEXT);
    assert_non_null(written);
    write_drum(written);
    assert_same_state(drum_loop, written, 300);
    free(written);
}

static const char laws[] =
    "normal: hertz, damping: {law: restitution, value: %s}, slide: {law: mindlin, friction: %s}, "
    "roll: none, spin: none}\n";

static void scene_of_materials(char *text, bool written) {
    const char head[] = "repose: 1\ngravity: [0, 0, -9.81]\nrun: {step: 1e-5 s, until: 1 s}\nmaterials:\n";
    size_t used = (size_t)snprintf(text, TEXT, "%s", head);
    if (!written) {
        used +=
            (size_t)snprintf(text + used, TEXT - used,
                             "  m_{k}: {for: {k: 5}, young: = (1 + k) * 10 MPa, poisson: 0.3, density: 2500, slide: "
                             "{friction: = 0.1 * (k + 1)}, damping: {value: = 0.5 + k / 10}}\n");
    }
    for (int k = 0; written && k < MATERIALS; k++) {
        used += (size_t)snprintf(text + used, TEXT - used, "  m_%d: {young: %d0 MPa, poisson: 0.3, density: 2500}\n", k,
                                 k + 1);
    }
    used += (size_t)snprintf(text + used, TEXT - used, "pairs:\n");
    if (!written) {
        used += (size_t)snprintf(text + used, TEXT - used, "  - {between: all, ");
        used += (size_t)snprintf(text + used, TEXT - used, laws, "{mix: min}", "{mix: geometric}");
        used += (size_t)snprintf(text + used, TEXT - used, "  - {between: [all, m_3], ");
        used += (size_t)snprintf(text + used, TEXT - used, laws, "{mix: mean}", "{mix: max}");
        used += (size_t)snprintf(text + used, TEXT - used, "  - {between: [m_3, m_4], ");
        used += (size_t)snprintf(text + used, TEXT - used, laws, "0.9", "0.05");
    }
    for (int a = 0; written && a < MATERIALS; a++) {
        for (int b = a; b < MATERIALS; b++) {
            const double e[2] = {0.5 + a / 10.0, 0.5 + b / 10.0}, mu[2] = {0.1 * (a + 1), 0.1 * (b + 1)};
            const bool three = a == 3 || b == 3;
            double restitution = three ? 0.5 * e[0] + 0.5 * e[1] : fmin(e[0], e[1]);
            double friction = three ? fmax(mu[0], mu[1]) : a == b ? mu[0] : sqrt(mu[0]) * sqrt(mu[1]);
            if (a == 3 && b == 4) restitution = 0.9, friction = 0.05;
            char x[2][32];
            snprintf(x[0], sizeof x[0], "%.17g", restitution);
            snprintf(x[1], sizeof x[1], "%.17g", friction);
            used += (size_t)snprintf(text + used, TEXT - used, "  - {between: [m_%d, m_%d], ", a, b);
            used += (size_t)snprintf(text + used, TEXT - used, laws, x[0], x[1]);
        }
    }
    /* a pile in which balls of all materials meet each other */
    used += (size_t)snprintf(text + used, TEXT - used, "bodies:\n");
    if (!written) {
        snprintf(
            text + used, TEXT - used,
            "  - for: {a: 5, b: 5}\n    material: m_{mod(a + b * (a + 1), 5)}\n    shape: {sphere: {radius: 5 mm}}\n"
            "    position: [= a * 9.9 mm, 0, = b * 9.9 mm]\n    velocity: [0, 0, = -b * 1 m/s]\n");
    }
    for (int a = 0; written && a < 5; a++) {
        for (int b = 0; b < 5; b++) {
            used +=
                (size_t)snprintf(text + used, TEXT - used,
                                 "  - {material: m_%d, shape: {sphere: {radius: 0.005}}, position: [%.17g, 0, %.17g], "
                                 "velocity: [0, 0, %d]}\n",
                                 (a + b * (a + 1)) % 5, a * 9.9 * 0.001, b * 9.9 * 0.001, -b);
        }
    }
}

static void test_materials_by_default_pairs(void **state) {
    (void)state;
    char *loop = malloc(TEXT), *written = malloc(TEXT);
    assert_true(loop && written);
    scene_of_materials(loop, false);
    scene_of_materials(written, true);
    assert_same_state(loop, written, 200);
    free(loop);
    free(written);
}

/* --- what loops make ---------------------------------------------------------------------------------------------- */

#define BALLS                                                                                               \
    "repose: 1\ngravity: none\nmaterials: {a: {density: 1000}}\nrun: {step: 1e-4 s, until: 1 s}\n"          \
    "pairs: [{between: all, normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, roll: none, " \
    "spin: none}]\n"

static const char triangle[] = BALLS "title: \"n is {n}, {{n}}\"\nparameters: {n: 4}\n"
                                     "bodies:\n"
                                     "  - {for: {i: n, j: {from: i + 1, to: n - 1}}, name: \"b{i}{j}\",\n"
                                     "     material: a, shape: {sphere: {radius: 1 mm}},\n"
                                     "     position: [= i * 1 cm, = j * 1 cm, 0]}\n"
                                     "exclude:\n"
                                     "  - {for: {k: [b01, b02]}, each: [[\"{k}\", b03], [\"{k}\", b23]]}\n"
                                     "probes:\n"
                                     "  x_{i}: {for: {i: {from: 1, to: 3}}, body: \"b0{i}\", quantity: position.y}\n"
                                     "checks:\n"
                                     "  - {for: {i: {from: 1, to: 3}}, probe: \"x_{i}\", final: true,\n"
                                     "     expect: = i * 1 cm}\n";

/* Six bodies with j above i, four exclusions, three probes and checks. */
static void test_loops_in_all_lists(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene = scene_make(triangle, &world);
    assert_int_equal(rps_world_body_count(world), 6);
    assert_int_equal(rps_scene_probe_count(scene), 3);
    assert_string_equal(rps_scene_probe(scene, 2)->name, "x_3");
    assert_string_equal(rps_scene_get_run(scene)->title, "n is 4, {n}");
    const double last[3] = {2 * 0.01, 3 * 0.01, 0.0};
    assert_memory_equal(world->bodies.pose[5].position, last, sizeof last);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

static size_t bodies_of(const char *loop, double *last) {
    char *text = text_replace(triangle, "i: n, j: {from: i + 1, to: n - 1}", loop);
    char *cut = strstr(text, "exclude:");
    *cut = 0;
    char *named = text_replace(text, "b{i}{j}", "b{i}");
    char *placed = text_replace(named, "= j * 1 cm", "0");
    rps_world *world;
    rps_scene *scene = scene_make(placed, &world);
    const size_t count = rps_world_body_count(world);
    *last = world->bodies.pose[count - 1].position[0];
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(placed);
    free(named);
    free(text);
    return count;
}

static void test_values_of_a_variable(void **state) {
    (void)state;
    double last;
    assert_int_equal(bodies_of("i: 7", &last), 7);
    assert_true(last == 6 * 0.01);
    assert_int_equal(bodies_of("i: = 2 * n", &last), 8);
    assert_int_equal(bodies_of("i: {from: 3, to: n + 1}", &last), 3);
    assert_true(last == 5 * 0.01);
    assert_int_equal(bodies_of("i: {from: 0.5, to: 1, count: 3}", &last), 3);
    assert_true(last == 1 * 0.01);
    assert_int_equal(bodies_of("i: [5, = n + 5, 2]", &last), 3);
    assert_true(last == 2 * 0.01);
}

/* A setting of a parameter changes how often a loop runs; other settings see what loops made. */
static void test_settings_and_loops(void **state) {
    (void)state;
    rps_error err;
    rps_world *world;
    char *text =
        text_replace(triangle, "  - {for: {k: [b01, b02]}, each: [[\"{k}\", b03], [\"{k}\", b23]]}\n", "  []\n");
    const char *const set[] = {"n=7", "bodies.b46.position.2=5 cm", NULL};
    rps_scene *scene = scene_load(text, NULL, set, &err);
    if (!scene || rps_scene_build(scene, &world, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(rps_world_body_count(world), 21);
    assert_true(world->bodies.pose[19].position[2] == 0.05);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* --- refused ------------------------------------------------------------------------------------------------------ */

static void test_loops_refused(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *at, *part;
    } cases[] = {
        {"i: n, j: {from: i + 1, to: n - 1}", "i: 1e12", "{i: 1e12}", "more than 500000 values"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: 1000, j: 1000", "{i: 1000, j: 1000}", "more than 500000 values"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: {from: 0, to: 1, count: 1e9}", "{i: {from: 0", "more than 500000"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: -1", "-1", "at least 0"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: 2.5", "2.5", "not a whole number"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: 2 m", "2 m", "not a whole number"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: n / 0", "/ 0", "division by zero"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: {from: 5, to: 1}", "1}}, name", "before it begins"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: {from: 5}", "{from: 5}", "takes `from` and `to`"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: {from: 1 m, to: 2 s, count: 3}", "2 s", "different dimensions"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: {from: 1 m, to: 2 m}", "1 m", "not a whole number"},
        {"i: n, j: {from: i + 1, to: n - 1}", "n: 3", "n: 3}, name", "is a parameter"},
        {"i: n, j: {from: i + 1, to: n - 1}", "sin: 3", "sin: 3", "cannot be a variable"},
        {"i: n, j: {from: i + 1, to: n - 1}", "i: [[1]]", "[1]]", "a value of a loop"},
        {"{i: n, j: {from: i + 1, to: n - 1}}", "36", "for: 36", "a map of variables"},
        {"b{i}{j}", "b{i", "b{i", "has no other"},
        {"b{i}{j}", "b}{j}", "b}{j}", "has no other"},
        {"b{i}{j}", "b{k}", "b{k}", "no parameter"},
        {"x_{i}:", "x:", "x: {for", "a second time"},
        {"probes:\n", "probes:\n  for: {i: 3}\n", "probes:", "cannot be repeated"},
        {"\"b0{i}\"", "b0{i}", "{i}, quantity", "needs quotes inside"},
        {", each:", ", name: x, each:", "each:", "stands alone"},
        {"[[\"{k}\", b03], [\"{k}\", b23]]", "b03", "each: b03", "stands alone"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rps_error err;
        char *text = text_replace(triangle, cases[k].find, cases[k].by);
        scene_refused(text, &err);
        assert_error_at(&err, text, cases[k].at, cases[k].part);
        free(text);
    }
}

/* A small text that would become a large one. */
static void test_text_of_loops_is_limited(void **state) {
    (void)state;
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG + 1000);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, BALLS "notes: none\nbodies:\n  - {for: {i: 100}, name: \"{i}");
    memset(text + used, 'x', LONG);
    used += LONG;
    sprintf(text + used, "\", material: a, shape: {sphere: {radius: 1 mm}}}\n");
    rps_error err;
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "bytes of text"));
    free(text);
}

static void test_pairs_refused(void **state) {
    (void)state;
    static const char pairs[] = "repose: 1\ngravity: none\nrun: {step: 1e-4 s, until: 1 s}\n"
                                "materials: {a: {density: 1000, slide: {friction: 0.5}}, b: {density: 1000}}\n"
                                "bodies: [{material: a, shape: {sphere: {radius: 1 mm}}}]\n"
                                "pairs:\n"
                                "  - {between: [all, all], normal: {law: hooke, stiffness: 1e3}, damping: none,\n"
                                "     slide: none, roll: none, spin: none}\n"
                                "  - {between: [b, all], normal: {law: hooke, stiffness: 1e3}, damping: none,\n"
                                "     slide: none, roll: none, spin: none}\n";
    static const struct {
        const char *find, *by, *at, *part;
    } cases[] = {
        {"[b, all]", "all", "all, normal", "a second time"},
        {"[b, all]", "[c, all]", "c, all]", "no material"},
        {"[b, all]", "both", "both", "`between` cannot be `both`"},
        {"b: {density", "all: {density", "all: {density", "another name"},
        {"stiffness: 1e3}, damping: none", "stiffness: {mix: mean}}, damping: none", "{mix: mean}", "a has none"},
        {"stiffness: 1e3}, damping: none", "stiffness: {mix: median}}, damping: none", "median", "expected one of"},
        {"stiffness: 1e3}, damping: none", "stiffness: {min: a}}, damping: none", "{min: a}", "takes a value, or"},
        {"slide: {friction", "slide: {fraction", "fraction", "no slide law has"},
        {"slide: {friction: 0.5", "normal: {stiffness: 1 m", "1 m", "wrong dimension"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rps_error err;
        char *text = text_replace(pairs, cases[k].find, cases[k].by);
        if (strstr(cases[k].find, "slide: {friction: 0.5")) {
            char *mixed = text_replace(text, "stiffness: 1e3", "stiffness: {mix: mean}");
            free(text);
            text = mixed;
        }
        scene_refused(text, &err);
        assert_error_at(&err, text, cases[k].at, cases[k].part);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drum_of_pieces),           cmocka_unit_test(test_materials_by_default_pairs),
        cmocka_unit_test(test_loops_in_all_lists),       cmocka_unit_test(test_values_of_a_variable),
        cmocka_unit_test(test_settings_and_loops),       cmocka_unit_test(test_loops_refused),
        cmocka_unit_test(test_text_of_loops_is_limited), cmocka_unit_test(test_pairs_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
