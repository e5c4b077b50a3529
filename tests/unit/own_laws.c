/* The program's own law in scenes: rps_run and rps_explain accept it, the schema checks its parameters and units like
 * those of a built-in one, and insertion and resumed runs use it. A scene that names an absent law, and an incomplete
 * descriptor, are refused with a message. */
#include "io_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/law_kernel.h>
#include <repose/run.h>

/* A viscous film: c times the speed of slip. */
RPS_KERNEL(film) {
    const double c = constant[0];
    RPS_IN_AS(dx, b->slip[0]);
    RPS_IN_AS(dy, b->slip[1]);
    RPS_IN_AS(dz, b->slip[2]);
    RPS_AS(fx, b->slide_force[0]);
    RPS_AS(fy, b->slide_force[1]);
    RPS_AS(fz, b->slide_force[2]);
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_SLIDE]);
    const double f = c * b->rate; /* 0 at the start, when there is no step yet */
    RPS_EACH_CONTACT(k) {
        fx[k] = f * dx[k];
        fy[k] = f * dy[k];
        fz[k] = f * dz[k];
        dissipated[k] = f * (dx[k] * dx[k] + dy[k] * dy[k] + dz[k] * dz[k]);
    }
}

static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    constant[0] = setup->value[0];
    return isnan(constant[0]) ? rps_fail(err, RPS_BAD_INPUT, "slide law `film` needs `drag`") : RPS_OK;
}

static const rps_law film_law = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "film",
    .summary = "viscous film",
    .citation = "textbook",
    .parameter = {{"drag", "N s/m", "force over the speed of slip", 0.0, 1e6, NAN, NULL, RPS_PARAMETER_OTHER}},
    .reads = RPS_ARRAY(slip),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(dissipated),
    .prepare = prepare,
    .kernel = RPS_LAW_KERNELS(film),
};

static const char scene[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {ice: {}}\n"
    "pairs:\n"
    "  - between: [ice, ice]\n"
    "    normal: {law: hooke, stiffness: 1e5 N/m}\n"
    "    damping: none\n"
    "    slide: {law: film, drag: 2 N s/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: ice, fixed: true}\n"
    "  - {name: block, shape: {sphere: {radius: 0.1}}, mass: 1, material: ice, locked: true, velocity: [2, 0, 0],\n"
    "     place: {rest on: ground}}\n"
    "run: {step: 1e-4 s, until: 0.5 s}\n"
    "probes: {speed: {body: block, quantity: velocity.x}}\n"
    "checks:\n" /* v e^(-c t / m); forces lag by up to two steps: c dt / m of the value each */
    "  - {probe: speed, final: true, expect: 0.735759, within: 0.05 %}\n";

static const rps_law *const own_laws[] = {&film_law};

static rps_run_options options_of(const char *const *set, size_t sets) {
    rps_run_options options = rps_run_options_default();
    options.text = scene;
    options.text_bytes = strlen(scene);
    options.threads = 1;
    options.set = set;
    options.sets = sets;
    options.law = own_laws;
    options.laws = 1;
    return options;
}

static void test_scene_with_own_law(void **state) {
    (void)state;
    rps_run_options options = options_of(NULL, 0);
    rps_run_summary summary;
    rps_error err;
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.checks, 1);
    assert_int_equal(summary.checks_failed, 0);
    /* another unit of the same dimension and another value: the check must see it */
    const char *const set[] = {"pairs.0.slide.drag=3000 g/s"};
    options = options_of(set, 1);
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.checks_failed, 1);
    assert_true(fabs(summary.ledger.residual) < 1e-3 * summary.ledger.dissipated[RPS_ROLE_SLIDE]);
    assert_true(summary.ledger.dissipated[RPS_ROLE_SLIDE] > 1.0);
}

/* No force; adds up how far bodies roll. */
static double rolled;

RPS_KERNEL(watch) {
    (void)constant;
    for (int k = 0; k < b->count; k++) {
        double roll2 = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double roll = b->roll_i[axis][k] + b->roll_j[axis][k];
            roll2 += roll * roll;
            b->slide_force[axis][k] = 0.0;
        }
        if (b->touch[k] > 0.5) rolled += sqrt(roll2);
        b->dissipated[RPS_ROLE_SLIDE][k] = 0.0;
    }
}

static rps_status prepare_watch(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup;
    (void)constant;
    (void)err;
    return RPS_OK;
}

static const rps_law watch_law = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "watch",
    .summary = "no force, watches rolling",
    .citation = "none",
    .reads = RPS_ARRAY(touch) | RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j),
    .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(dissipated),
    .prepare = prepare_watch,
    .kernel = RPS_LAW_KERNELS(watch),
};

/* The program's own law gets every lane, even if no roll or spin law requires it: a ball slides without friction and
 * rotates at 10 rad/s for .1 s. */
static void test_own_law_sees_rolling(void **state) {
    (void)state;
    static const char *const set[] = {"pairs.0.slide={law: watch}", "bodies.1.locked=false",
                                      "bodies.1.angular_velocity=[0, 10, 0]", "run.until=0.1 s"};
    static const rps_law *const laws[] = {&watch_law};
    rps_run_options options = options_of(set, sizeof set / sizeof *set);
    options.law = laws;
    rps_run_summary summary;
    rps_error err;
    rolled = 0.0;
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(fabs(rolled - 1.0) < 1e-12); /* 1000 sums to 1, an ulp or two each: 4e-13 */
}

static void hear(void *context, const char *text) {
    strncat(context, text, 8191 - strlen(context));
}

static void test_explain(void **state) {
    (void)state;
    char said[8192] = "";
    rps_run_options options = options_of(NULL, 0);
    rps_error err;
    if (rps_explain(&options, hear, said, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_non_null(strstr(said, "film"));
    assert_non_null(strstr(said, "drag"));
}

static bool stop_soon(void *context) {
    int *left = context;
    return (*left)-- > 0;
}

/* Grains of the law's material are poured (their part of the stability limit is found in a world of its own), the run
 * stops and goes on; without the law it does not. */
static void test_pouring_and_resume(void **state) {
    (void)state;
    static const char *const set[] = {"particles=[{name: rain, material: ice, count: 3, radius: 1 cm, mass: 4 g, "
                                      "pour: {region: [[1, 0, 0.5], [1.2, 0.2, 0.7]], until: 0.01 s}}]"};
    char directory[RPS_PATH];
    rps_run_summary summary;
    rps_error err;
    int left = 100;
    make_directory(directory);
    rps_run_options options = options_of(set, 1);
    options.directory = directory;
    options.proceed = stop_soon;
    options.context = &left;
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.end, RPS_END_STOPPED);
    rps_run_options again = rps_run_options_default();
    again.resume = directory;
    again.threads = 1;
    assert_int_equal(rps_run(&again, &summary, &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "there is no slide law `film`"));
    again.law = own_laws;
    again.laws = 1;
    if (rps_run(&again, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.bodies, 5);
    assert_int_equal(summary.checks_failed, 0);
    remove_directory(directory);
}

static void refused(const rps_run_options *options, const char *word) {
    rps_error err;
    if (rps_run(options, NULL, &err) != RPS_BAD_INPUT) fail_msg("ran, though: %s", word);
    if (!strstr(err.text, word)) fail_msg("expected \"%s\" in: %s", word, err.text);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *set, *word;
    } wrong[] = {
        {"pairs.0.slide.drag=2 N/m", "wrong dimension"},
        {"pairs.0.slide.drag=-1", "`drag` must lie from 0"},
        {"pairs.0.slide={law: film}", "slide law `film` needs `drag`"},
        {"pairs.0.slide={law: film, drug: 2}", "takes no `drug`"},
        {"pairs.0.slide={law: flim, drag: 2}", "did you mean `film`?"},
        {"pairs.0.roll={law: film, drag: 2}", "there is no roll law `film`"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rps_run_options options = options_of(&wrong[i].set, 1);
        refused(&options, wrong[i].word);
    }
    rps_run_options options = options_of(NULL, 0);
    options.laws = 0;
    refused(&options, "there is no slide law `film`");

    rps_law law = film_law;
    const rps_law *const own[] = {&law}, *const none[] = {NULL}, *const twice[] = {&film_law, &film_law};
    options.law = own;
    options.laws = 1;
    law.size = 8;
    refused(&options, "size is 8");
    law = film_law;
    law.parameter[0].unit = "N furlong";
    refused(&options, "\"N furlong\" is no unit");
    law.parameter[0].unit = NULL;
    refused(&options, "parameter \"drag\": unit");
    law = film_law;
    law.name = "tracked";
    refused(&options, "slide law \"tracked\" exists already"); /* before the scene is read */
    options = options_of(NULL, 0);
    options.law = none;
    refused(&options, "is NULL");
    options.law = twice;
    options.laws = 2;
    refused(&options, "\"film\" exists already");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scene_with_own_law),
                                       cmocka_unit_test(test_own_law_sees_rolling), cmocka_unit_test(test_explain),
                                       cmocka_unit_test(test_pouring_and_resume), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
