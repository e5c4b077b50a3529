/* Rigid materials: moduli of pairs, the motion beside a very stiff one, a state that is saved, and two that are rigid. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/body.h>

#include "world/world.h"

static const char text[] =
    "repose: 1\n"
    "gravity: [0, 0, -10 m/s^2]\n"
    "materials: {glass: {young: 70 MPa, poisson: 0.2, density: 2500 kg/m^3}, wall: {young: rigid}}\n"
    "pairs:\n"
    "  - between: all\n"
    "    normal: hertz\n"
    "    damping: {law: restitution, value: 0.5}\n"
    "    slide: {law: mindlin, friction: 0.4}\n"
    "    roll: none\n"
    "    spin: {law: torsional, slope: exact}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, material: wall, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: side, fixed: true, material: wall, shape: {plane: {normal: [-1, 0, 0]}}, position: [12 mm, 0, 0]}\n"
    "  - {name: ball, material: glass, shape: {sphere: {radius: 5 mm}}, position: [0, 0, 5.1 mm], velocity: [1 m/s, .2 "
    "m/s, 0], "
    "angular_velocity: [0, 0, 10 rad/s]}\n"
    "run: {step: 2 us, until: 0.02 s}\n";

static double value_of(const rps_world *world, int a, int b, const char *parameter) {
    rps_pair_value value[64];
    const size_t count = rps_world_pair_values(world, a, b, value, 64);
    for (size_t k = 0; k < count && k < 64; k++) {
        if (value[k].parameter && strcmp(value[k].parameter, parameter) == 0) return value[k].value;
    }
    fail_msg("the pair has no %s", parameter);
    return NAN;
}

static void assert_close(double value, double expected) { /* roundings of four operations */
    if (!(fabs(value - expected) <= 1e-15 * expected)) fail_msg("%.17g, expected %.17g", value, expected);
}

/* 1/E_eff = (1 - nu^2)/E and 1/G_eff = 2 (2 - nu) (1 + nu)/E of the other material alone. */
static void test_moduli(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = scene_make(text, &world);
    const double young = 70e6, nu = 0.2;
    assert_close(value_of(world, 0, 1, "effective_modulus"), young / (1.0 - nu * nu));
    assert_close(value_of(world, 0, 1, "effective_shear"), young / (2.0 * (2.0 - nu) * (1.0 + nu)));
    assert_close(value_of(world, 0, 0, "effective_modulus"), 0.5 * young / (1.0 - nu * nu));
    assert_false(rps_world_has_pair(world, 1, 1)); /* no law of `all` has a stiffness there */
    rps_scene_free(scene);
    rps_world_destroy(world);
}

/* Positions and velocities of all bodies after a number of steps; saves and restores halfway where a path is given. */
static void run(const char *scene_text, const char *path, double out[3][9]) {
    rps_world *world;
    rps_error err;
    rps_scene *scene = scene_make(scene_text, &world);
    assert_int_equal(rps_world_step(world, 3000, &err), RPS_OK);
    if (path) {
        rps_world *again;
        assert_int_equal(rps_world_save(world, path, &err), RPS_OK);
        rps_scene *same = scene_make(scene_text, &again);
        if (rps_world_restore(again, path, &err) != RPS_OK) fail_msg("%s", err.text);
        rps_world_destroy(world);
        rps_scene_free(scene);
        world = again;
        scene = same;
    }
    assert_int_equal(rps_world_step(world, 3000, &err), RPS_OK);
    for (uint64_t id = 0; id < 3; id++) {
        rps_world_body_position(world, id, out[id], &err);
        rps_world_body_velocity(world, id, out[id] + 3, &err);
        rps_world_body_angular_velocity(world, id, out[id] + 6, &err);
    }
    rps_scene_free(scene);
    rps_world_destroy(world);
}

/* A modulus of 1e200 Pa adds less to a compliance than its last digit, so the bits are those of the rigid wall. */
static void test_bits(void **state) {
    double rigid[3][9] = {{0}}, stiff[3][9] = {{0}}, saved[3][9] = {{0}};
    (void)state;
    char path[] = "/tmp/repose-rigid-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    char *other = text_replace(text, "young: rigid", "young: 1e200 Pa, poisson: 0.3");
    run(text, NULL, rigid);
    run(other, NULL, stiff);
    run(text, path, saved);
    assert_memory_equal(rigid, stiff, sizeof rigid);
    assert_memory_equal(rigid, saved, sizeof rigid);
    assert_true(rigid[2][3] < 0.0); /* it has come back from the wall */
    unlink(path);
    free(other);
}

static void test_two_rigid(void **state) {
    rps_error err;
    rps_world *world;
    (void)state;
    char *meet = text_replace(text, "{name: ball, material: glass,", "{name: ball, mass: 1 g, material: wall,");
    scene_refused(meet, &err);
    assert_error_at(&err, meet, "- between", "wall, wall are rigid, and bodies of them can meet");
    char *named = text_replace(meet, "between: all", "between: [wall, wall]");
    scene_refused(named, &err);
    assert_error_at(&err, named, "between",
                    "both materials are rigid, so that their contact has no stiffness of its own: normal law");
    /* a law with a stiffness of its own needs no modulus */
    char *hooke = text_replace(named, "normal: hertz", "normal: {law: hooke, stiffness: 1e5 N/m}");
    char *free_of_moduli = text_replace(hooke, "{law: mindlin, friction: 0.4}", "none");
    char *spinless = text_replace(free_of_moduli, "{law: torsional, slope: exact}", "none");
    rps_scene *scene = scene_make(spinless, &world);
    rps_scene_free(scene);
    rps_world_destroy(world);
    char *word = text_replace(text, "young: rigid", "young: stiff");
    scene_refused(word, &err);
    assert_error_at(&err, word, "stiff", "or the word rigid");
    free(meet), free(named), free(hooke), free(free_of_moduli), free(spinless), free(word);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moduli), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_two_rigid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
