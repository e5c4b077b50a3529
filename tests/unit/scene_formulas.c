/* Formulas and parameters: values by hand, dimensions, and errors with their place. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "language/program.h"
#include "world/world.h"

/* --- formulas ----------------------------------------------------------------------------------------------------- */

/* Three names: a length, a whole number and a word. */
static rps_status find(void *context, const char *name, bool *found, rps_formula_value *value, rps_error *err) {
    static const char *const names[] = {"R", "n", "w"}, *const texts[] = {"10 cm", "36", "sand"};
    (void)context;
    *found = false;
    for (int k = 0; k < 3; k++) {
        if (strcmp(name, names[k]) != 0) continue;
        *found = true;
        return rps_formula_plain(texts[k], value, err);
    }
    return RPS_OK;
}

static rps_status evaluate(rps_pool *pool, const char *text, const char **result, size_t *at, rps_error *err) {
    const rps_formula_names names = {.find = find};
    rps_formula_value value;
    *result = NULL;
    RPS_TRY(rps_formula_evaluate(pool, text, &names, &value, at, err));
    return rps_formula_text(pool, &value, result, err);
}

static void test_values(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"-2^2", "-4"},
        {"2^3^2", "512"},
        {"2^-1", "0.5"},
        {"7 - 2 - 1", "4"},
        {"8 / 2 / 2", "2"},
        {"- - 3", "3"},
        {"2 * R + 1 mm", "0.201 m"},
        {"R/2", "0.05 m"},
        {"10 m/s * 2 s", "20 m"},
        {"10 m / 2", "5 m"},
        {"4 m/2", "2 m"},
        {"2 m^2", "2 m^2"},
        {"(2 m)^2", "4 m^2"},
        {"1 N m / 2 m", "0.5 N"},
        {"2500 kg/m^3 * (1 m)^3", "2500 kg"},
        {"R / 1 mm", "100"},
        {"sqrt(9.81 m/s^2 * 4 m)", "6.26418390534633 m/s"},
        {"sqrt(4 m) * sqrt(9 m)", "6 m"},
        {"sin(90 deg)", "1"},
        {"sin(pi / 2)", "1"},
        {"cos(0)", "1"},
        {"tan(0 rad)", "0"},
        {"asin(1) / 1 rad", "1.5707963267948966"},
        {"acos(-1) / 1 rad", "3.141592653589793"},
        {"atan(0)", "0 rad"},
        {"atan2(1 m, 1 m)", "0.7853981633974483 rad"},
        {"180 deg", "3.141592653589793 rad"},
        {"60 rev/min * 1 s", "6.283185307179586 rad"},
        {"60 rpm * R / 1 rad", "0.6283185307179586 m/s"},
        {"abs(-2 cm)", "0.02 m"},
        {"min(3, 1, 2)", "1"},
        {"max(1 mm, R)", "0.1 m"},
        {"floor(2.7) + ceil(2.2) + round(2.5)", "8"},
        {"mod(7, 3)", "1"},
        {"mod(-1, n)", "35"},
        {"exp(0) + log(1)", "1"},
        {"5 %", "0.05"},
        {"1e3 N/m", "1000 N/m"},
        {".5 * n", "18"},
        {"2 MPa", "2000000 Pa"},
        {"w", "sand"},
        {"(w)", "sand"},
        {"22.5mm", "0.0225 m"},
        {"1 1/s", NULL}, /* units begin with a word */
    };
    rps_pool pool;
    rps_pool_init(&pool, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *result;
        size_t at = 0;
        rps_error err = {.text = ""};
        const rps_status status = evaluate(&pool, cases[k][0], &result, &at, &err);
        if (!cases[k][1]) {
            assert_int_equal(status, RPS_BAD_INPUT);
        } else if (status != RPS_OK || strcmp(result, cases[k][1]) != 0) {
            fail_msg("%s is %s, not %s; %s", cases[k][0], result ? result : "refused", cases[k][1], err.text);
        }
    }
    rps_pool_release(&pool);
}

/* The place of an error is marked by ! in the text. */
static void test_errors(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"1 !/ 0", "division by zero"},
        {"R !+ 1", "cannot be added"},
        {"R !- 1 s", "cannot be subtracted"},
        {"!Q + 1", "no parameter"},
        {"!tam(1)", "no function"},
        {"!sin", "parentheses"},
        {"!sin(1 m)", "an angle or a pure number"},
        {"!sin(1, 2)", "takes 1 value"},
        {"!sqrt(-1)", "not a finite number"},
        {"!sqrt(-1 m)", "not a finite number"},
        {"!asin(2)", "not a finite number"},
        {"!log(0)", "not a finite number"},
        {"!exp(1000)", "not a finite number"},
        {"!exp(R)", "divide it by its unit"},
        {"!floor(R)", "pure number"},
        {"!max(R, 1)", "cannot compare"},
        {"!mod(1, 0)", "not a finite number"},
        {"10 !^ 400", "not a finite number"},
        {"(0 - 1) !^ 0.5", "not a finite number"},
        {"R !^ 0.3", "no unit"},
        {"2 !^ R", "pure number"},
        {"1 +!", "a value is missing"},
        {"(1 + 2!", "parenthesis"},
        {"max(R!", "needs quotes"},
        {"1 + !) 2", "a value is missing"},
        {"1 !$ 2", "has no place here"},
        {"1!, 5", "decimal point"},
        {"2 !R", "is not a unit"},
        {"1 !foo", "is not a unit"},
        {"!w + 1", "is a word"},
        {"1 +! w", "is a word"},
        {"2 *! w", "is a word"},
        {"-!w", "is a word"},
        {"abs(!w)", "is a word"},
        {"1e300 !* 1e300", "not a finite number"},
        {"!1e999", "1e999"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((!((((1", "nested"},
        {"----------------------------------------------------------------!--1", "nested"},
    };
    rps_pool pool;
    rps_pool_init(&pool, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *mark = strchr(cases[k][0], '!'), *result;
        char text[128];
        size_t at = 0;
        rps_error err = {.text = ""};
        snprintf(text, sizeof text, "%.*s%s", (int)(mark - cases[k][0]), cases[k][0], mark + 1);
        const rps_status status = evaluate(&pool, text, &result, &at, &err);
        if (status != RPS_BAD_INPUT) fail_msg("%s is accepted as %s", text, result ? result : "?");
        if (!strstr(err.text, cases[k][1])) fail_msg("%s: expected \"%s\" in: %s", text, cases[k][1], err.text);
        if (at != (size_t)(mark - cases[k][0])) fail_msg("%s: points at %zu: %s", text, at, err.text);
    }
    rps_pool_release(&pool);
}

/* A name that is also a unit is refused where both could be meant. */
static rps_status find_day(void *context, const char *name, bool *found, rps_formula_value *value, rps_error *err) {
    (void)context;
    *found = strcmp(name, "d") == 0;
    return *found ? rps_formula_plain("2 cm", value, err) : RPS_OK;
}

static void test_units_and_names(void **state) {
    (void)state;
    const rps_formula_names names = {.find = find_day};
    rps_formula_value value;
    rps_error err;
    size_t at;
    rps_pool pool;
    rps_pool_init(&pool, NULL);
    assert_int_equal(rps_formula_evaluate(&pool, "10 cm / d", &names, &value, &at, &err), RPS_OK);
    assert_true(fabs(value.number - 5.0) < 1e-15); /* two roundings */
    assert_int_equal(rps_formula_evaluate(&pool, "10 cm d^-1", &names, &value, &at, &err), RPS_OK);
    assert_true(value.power[2] == -RPS_FORMULA_PARTS);
    assert_int_equal(rps_formula_evaluate(&pool, "10 cm/d", &names, &value, &at, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "a unit and a name"));
    assert_int_equal(at, 6);
    rps_pool_release(&pool);
}

/* --- in a scene --------------------------------------------------------------------------------------------------- */

static const char ball[] =
    "repose: 1\n"
    "gravity: none\n"
    "parameters:\n"
    "  twice: = 2 * R\n"
    "  R: 10 mm\n"
    "  mat: a\n"
    "materials: {a: {density: = 1 kg / (1 L)}, b: {density: 2 g/L}}\n"
    "bodies:\n"
    "  - {name: ball, material: = mat, shape: {sphere: {radius: = R}}, position: [= twice, 0, 1]}\n"
    "run: {step: 1e-4 s, until: 1 s}\n"
    "variants: {large: {set: {R: = 3 * 1 cm}}, old: {set: {parameters.R: = 1 / 0}}}\n";

static void body_of(const char *variant, const char *const *set, double *radius, double *x, int *material) {
    rps_error err;
    rps_world *world;
    rps_scene *scene = scene_load(ball, variant, set, &err);
    if (!scene || rps_scene_build(scene, &world, &err) != RPS_OK) fail_msg("%s", err.text);
    *radius = world->bodies.pose[0].radius[0];
    *x = world->bodies.pose[0].position[0];
    *material = world->bodies.material[0][0];
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* A setting of a parameter, by its name alone or in full, comes before the formulas; other settings may have formulas. */
static void test_settings_of_parameters(void **state) {
    (void)state;
    double radius, x;
    int material;
    body_of(NULL, NULL, &radius, &x, &material);
    assert_true(radius == 0.01 && x == 0.02 && material == 0);
    body_of("large", NULL, &radius, &x, &material);
    assert_true(radius == 0.03 && x == 0.06);
    body_of("large", (const char *const[]){"R=12cm", "mat=b", NULL}, &radius, &x, &material);
    assert_true(radius == 0.12 && x == 0.24 && material == 1);
    body_of(NULL, (const char *const[]){"parameters.R=1 cm", "bodies.ball.position.0== 3 * R", NULL}, &radius, &x,
            &material);
    assert_true(radius == 0.01 && x == 0.03);
    rps_error err;
    assert_null(scene_load(ball, "old", NULL, &err));
    assert_non_null(strstr(err.text, "division by zero"));
    assert_null(scene_load(ball, NULL, (const char *const[]){"parameters.Q=1 cm", NULL}, &err));
    assert_non_null(strstr(err.text, "there is no `Q` in `parameters`"));
    assert_null(scene_load(ball, NULL, (const char *const[]){"Q=1 cm", NULL}, &err));
    assert_non_null(strstr(err.text, "unknown key `Q`"));
}

static void test_errors_in_a_scene(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *at, *part;
    } cases[] = {
        {"R: 10 mm", "R: = twice", "= 2 * R", "needs its own value"},
        {"R: 10 mm", "R: 10 mmm", "10 mmm", "is not a unit"},
        {"R: 10 mm", "R: [1, 2]", "[1, 2]", "needs one value"},
        {"R: 10 mm", "pi: 3", "pi: 3", "cannot be the name"},
        {"R: 10 mm", "run: 3", "run: 3", "is a key of scenes"},
        {"R: 10 mm", "R: 10 mm\n  a b: 3", "a b: 3", "cannot be the name"},
        {"= R}}", "= 2 * Q}}", "Q}}", "no parameter"},
        {"= R}}", "\"= 2 * Q\"}}", "Q\"}}", "no parameter"},
        {"= R}}", "= R / 1 m}}", "= R / 1 m}}", "pure number"},
        {"= R}}", "= R * R}}", "= R * R}}", "wrong dimension"},
        {"= R}}", "= R / 0 m}}", "/ 0 m}}", "division by zero"},
        {"= R}}", "= mat}}", "= mat}}", "is no number"},
        {"= mat,", "= R,", "= R,", "is no name"},
        {"= twice, 0", "= sqrt(R), 0", "= sqrt(R), 0", "the unit of nothing"},
        {"= twice, 0", "= R * 1 rad, 0", "= R * 1 rad, 0", "wrong dimension"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rps_error err;
        char *text = text_replace(ball, cases[k].find, cases[k].by);
        scene_refused(text, &err);
        assert_error_at(&err, text, cases[k].at, cases[k].part);
        free(text);
    }
}

/* A number without any unit stays what a bare number is: SI. */
static void test_bare_numbers_are_si(void **state) {
    (void)state;
    char *text = text_replace(ball, "R: 10 mm", "R: = 0.1 / 10");
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    assert_true(world->bodies.pose[0].radius[0] == 0.01);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* A chain of parameters is read in any order, up to a depth. */
static void test_long_chains(void **state) {
    (void)state;
    for (int length = 90; length <= 110; length += 20) {
        char chain[8000], *text;
        size_t used = (size_t)snprintf(chain, sizeof chain, "R: = a0 * 1 mm");
        for (int k = 0; k < length; k++) {
            used +=
                (size_t)snprintf(chain + used, sizeof chain - used,
                                 k + 1 < length ? "\n  a%d: = a%d + 1" : "\n  a%d: %d", k, k + 1 < length ? k + 1 : 1);
        }
        text = text_replace(ball, "R: 10 mm", chain);
        rps_error err;
        rps_scene *scene = scene_load(text, NULL, NULL, &err);
        assert_true((scene != NULL) == (length < 100));
        if (!scene) assert_non_null(strstr(err.text, "need each other's value"));
        rps_scene_free(scene);
        free(text);
    }
}

static void add_warning(void *context, int level, const char *text) {
    char *all = context;
    assert_int_equal(level, RPS_LOG_WARNING);
    strncat(all, text, 1023 - strlen(all));
}

/* A parameter counts as used by a formula, a loop, a key, a text, another parameter, a stage or any variant. */
static void test_unused_parameters(void **state) {
    (void)state;
    static const char scene[] = "repose: 1\n"
                                "title: \"Ball of {word}\"\n"
                                "parameters:\n"
                                "  R: = half * 2\n"
                                "  half: 5 mm\n"
                                "  n: 2\n"
                                "  word: clay\n"
                                "  other: 3 mm\n"
                                "  radius: 1 mm\n"
                                "  key: 7\n"
                                "gravity: none\n"
                                "materials: {clay: {}}\n"
                                "pairs: [{between: all, normal: {law: hooke, stiffness: 1}, damping: none, slide: "
                                "none, roll: none, spin: none}]\n"
                                "bodies:\n"
                                "  - {for: {i: n}, name: \"ball_{i}\", material: clay, mass: 1, shape: {sphere: "
                                "{radius: = R}}, position: [= i * "
                                "1 m, 0, 0]}\n"
                                "probes: {\"x_{key}\": {body: ball_0, quantity: position.x}}\n"
                                "run: {step: 1 ms, until: 1 s}\n"
                                "variants:\n"
                                "  small: {set: {bodies.ball_0.shape.sphere.radius: = other}}\n";
    char warned[1024] = "";
    const char *const set[] = {"radius=2mm"};
    rps_error err;
    rps_scene *made;
    const rps_scene_load_options options = {.text = scene,
                                            .text_bytes = strlen(scene),
                                            .set = set,
                                            .sets = 1,
                                            .isa = -1,
                                            .threads = 1,
                                            .log = add_warning,
                                            .log_context = warned};
    if (rps_scene_load(&options, &made, &err) != RPS_OK) fail_msg("%s", err.text);
    rps_scene_free(made);
    assert_string_equal(warned, "--set:1:1: no formula asks for the parameter `radius`, so that its value changes "
                                "nothing; use it (`= radius`), or leave it out");
}

/* A program has the values of the same expression in C. */
static void test_programs(void **state) {
    (void)state;
    static const rps_program_variable variable[] = {{"x", "m"}, {"t", "s"}, {"m", "kg"}, {"id", ""}};
    const double x = 0.37, t = 1.7, m = 2.5, id = 3.0, given[] = {x, t, m, id};
    const struct {
        const char *text, *unit;
        double value;
    } good[] = {
        {"5 N/m * x", "N", 5.0 * x},
        {"5 N / m", "m/s^2", 5.0 / m},
        {"-x^2 * 3 N/m^2", "N", -(x * x) * 3.0},
        {"sin(2 * pi * 50 Hz * t)", "", rps_sin(2.0 * RPS_PI * 50.0 * t)},
        {"max(x, 1 m, 2 * x) * 1 N/m", "N", 1.0},
        {"min(id, 5) - (1 - id)", "", 3.0 - (1.0 - 3.0)},
        {"2^id + id^0.5", "", 8.0 + rps_pow(3.0, 0.5)},
        {"sqrt(x / 1 m) * 1 N", "N", sqrt(x)},
        {"atan2(x, 2 m) * 1 N m/rad", "N m", rps_atan2(x, 2.0)},
        {"mod(id, 2)", "", 1.0},
        {"4", "N", 4.0},
        {"2 * 3 kN", "N", 6000.0},
        {"x", "m", x},
        {"x - x", "m", 0.0},
    };
    rps_pool pool;
    rps_program program;
    size_t at;
    rps_error err;
    rps_pool_init(&pool, NULL);
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        if (rps_program_read(&pool, good[k].text, variable, 4, good[k].unit, &program, &at, &err) != RPS_OK) {
            fail_msg("%s: %s", good[k].text, err.text);
        }
        const double value = rps_program_value(&program, given);
        if (value != good[k].value) fail_msg("%s is %.17g, not %.17g", good[k].text, value, good[k].value);
    }
    assert_int_equal(rps_program_read(&pool, "x * 1 N/m + 0 * id * 1 N", variable, 4, "N", &program, &at, &err),
                     RPS_OK);
    assert_true(rps_program_uses(&program, 0) && rps_program_uses(&program, 3) && !rps_program_uses(&program, 1));
    /* NAN goes through where a comparison would hide it */
    assert_int_equal(rps_program_read(&pool, "max(0, min(1, sqrt(x / 1 m - 1)))", variable, 4, "", &program, &at, &err),
                     RPS_OK);
    assert_true(isnan(rps_program_value(&program, given)));
    const struct {
        const char *text, *says;
        size_t at;
    } bad[] = {{"1 N + q", "unknown variable `q`", 6},
               {"1 N + x", "cannot be added", 4},
               {"x * x", "a value in m^2", 0},
               {"x^id", "exponent of a quantity cannot vary", 1},
               {"exp(x)", "`exp` takes a pure number", 0},
               {"sin(t)", "an angle or a pure number", 0},
               {"x /", "a value is missing", 3},
               {"1 N * id ~ 2", "has no place", 9}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(rps_program_read(&pool, bad[k].text, variable, 4, "N", &program, &at, &err), RPS_BAD_INPUT);
        if (!strstr(err.text, bad[k].says) || at != bad[k].at) fail_msg("%s: at %zu: %s", bad[k].text, at, err.text);
    }
    char chain[2048] = "id";
    for (int k = 0; k < RPS_PROGRAM_STEPS; k++) strcat(chain, " + id");
    assert_int_equal(rps_program_read(&pool, chain, variable, 4, "", &program, &at, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "more than 128 operations"));
    rps_pool_release(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_units_and_names),
        cmocka_unit_test(test_settings_of_parameters),
        cmocka_unit_test(test_errors_in_a_scene),
        cmocka_unit_test(test_bare_numbers_are_si),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_unused_parameters),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
