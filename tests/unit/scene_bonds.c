/* Bonds of a scene: pairs and sets within a gap, the step, and errors at their keys. */
#include "scene_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <repose/bond.h>
#include <repose/step.h>

#include "law/rod.h"
#include "scene/scene_internal.h"
#include "world/world.h"

static const char row[] =
    "repose: 1\n"
    "gravity: none\n"
    "periodic: {x: 10 mm, y: 50 mm, z: 50 mm}\n"
    "materials: {grain: {density: 2500 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [grain, grain], normal: {law: hooke, stiffness: 1e4 N/m}, damping: none, slide: none, roll: none, "
    "spin: none}\n"
    "bodies:\n"
    "  - {name: ball, shape: {sphere: {radius: 1 mm}}, material: grain, position: [1 mm, 4 mm, 0]}\n"
    "  - {name: post, shape: {sphere: {radius: 1 mm}}, material: grain, position: [3 mm, 10 mm, 0], fixed: true}\n"
    "particles:\n"
    "  - {name: grains, material: grain, radius: 1 mm, generator: {lattice: {box: [[1 mm, 1 mm, 0], [9 mm, 1 mm, 0]], "
    "spacing: 2 mm}}}\n"
    "bonds:\n"
    "  - {between: [ball, post], young: 1 GPa, poisson: 0.3, radius: 1 mm, damping: 0.2}\n"
    "  - {between: [grains, grains], gap: 1 um,\n     young: 2 GPa, poisson: 0.2, radius_ratio: 0.5, contact: none}\n"
    "  - {between: [ball, grains], gap: 1.1 mm, young: 1 MPa, poisson: 0.3, radius: 1 mm}\n"
    "run: {step: auto, until: 1 ms}\n";

static void test_pairs_and_gaps(void **state) {
    (void)state;
    rps_world *world;
    rps_error err = {0};
    rps_scene *scene = scene_make(row, &world);
    rps_bond_state bond;
    /* five grains in a ring across the faces of the cell, one grain below the ball, and the pair by name */
    assert_int_equal(rps_world_bond_count(world), 5 + 1 + 1);
    assert_int_equal(rps_world_bond(world, 0, 1, &bond, &err), RPS_OK);
    assert_true(fabs(bond.length - sqrt(4.0 + 36.0) * 1e-3) < 1e-15);
    for (uint64_t k = 0; k < 5; k++) {
        assert_int_equal(rps_world_bond(world, 2 + k, 2 + (k + 1) % 5, &bond, &err), RPS_OK);
        assert_true(fabs(bond.length - 2e-3) < 1e-15);
    }
    assert_int_equal(rps_world_bond(world, 0, 2, &bond, &err), RPS_OK);
    rps_step_limit limit;
    assert_int_equal(rps_world_step_limit(world, &limit, &err), RPS_OK);
    assert_true(limit.bond && world->step < limit.step);
    assert_int_equal(rps_world_step(world, 100, &err), RPS_OK);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Stiffnesses by the modulus and by stress over stretch are the same. */
static void test_parallel(void **state) {
    (void)state;
    static const char *const with[2] = {"law: parallel, young: 1 GPa, stiffness_ratio: 2",
                                        "law: parallel, normal_stiffness: 5e11 Pa/m, shear_stiffness: 2.5e11 Pa/m"};
    rps_error err = {0};
    for (int n = 0; n < 2; n++) {
        rps_world *world;
        rps_bond_state bond;
        char *placed = text_replace(row, "position: [3 mm, 10 mm, 0]", "position: [1 mm, 6 mm, 0]");
        char *text = text_replace(placed, "young: 1 GPa, poisson: 0.3", with[n]);
        rps_scene *scene = scene_make(text, &world);
        assert_int_equal(rps_world_bond(world, 0, 1, &bond, &err), RPS_OK);
        assert_string_equal(bond.law, "parallel");
        const double area = 3.14159265358979 * 1e-6, *constant = world->bonds.bond[0].constant;
        assert_true(fabs(constant[2] / (5e11 * area) - 1.0) < 1e-13); /* 1 GPa over 2 mm */
        assert_true(fabs(constant[0] / (2.5e11 * area) - 1.0) < 1e-13);
        rps_world_destroy(world);
        rps_scene_free(scene);
        free(text);
        free(placed);
    }
}

/* Strengths of a Weibull distribution: mean 5e7 Gamma(1 + 1/8) = 4.708713499e7, coefficient of variation .1483688883. */
static void test_scatter(void **state) {
    (void)state;
    enum { DRAWS = 1000 };
    double sum = 0.0, squares = 0.0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        const double s = 5e7 * rps_bond_strength(7, k, k + 1, 8.0);
        sum += s;
        squares += s * s;
    }
    const double mean = sum / DRAWS, cv = sqrt(squares / DRAWS - mean * mean) / mean;
    print_message("# mean %.6g, cv %.4g\n", mean, cv);
    /* three standard errors of a mean and of a deviation */
    assert_true(fabs(mean / 4.708713499e7 - 1.0) < 3.0 * 0.1483688883 / sqrt(DRAWS));
    assert_true(fabs(cv / 0.1483688883 - 1.0) < 3.0 / sqrt(2.0 * DRAWS));
    assert_true(rps_bond_strength(7, 3, 5, 8.0) == rps_bond_strength(7, 5, 3, 8.0));
    assert_true(rps_bond_strength(8, 3, 5, 8.0) != rps_bond_strength(7, 3, 5, 8.0));

    rps_world *world;
    char *text = text_replace(row, "radius_ratio: 0.5,",
                              "radius_ratio: 0.5, tensile_strength: 1 MPa, cohesion: 3 MPa, "
                              "fracture_energy: 5 J/m^2, weibull: 8,");
    rps_scene *scene = scene_make(text, &world);
    size_t scattered = 0;
    for (size_t k = 0; k < world->bonds.count; k++) {
        const rps_bond *bond = &world->bonds.bond[k];
        const double s = rps_bond_strength(world->options.seed, bond->body[0], bond->body[1], 8.0);
        const double *value = world->bonds.setting[(size_t)bond->record.setting].value;
        if (isnan(value[RPS_ROD_TENSILE])) {
            assert_true(bond->record.strength == 1.0);
            continue;
        }
        scattered++;
        assert_true(bond->record.strength == s);
        assert_true(value[RPS_ROD_TENSILE] == 1e6 && value[RPS_ROD_COHESION] == 3e6 && value[RPS_ROD_FRACTURE] == 5.0);
    }
    assert_int_equal(scattered, 5); /* of one setting */
    assert_int_equal(world->bonds.settings, 3);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

static void test_refusals_stand_at_their_keys(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *at, *part;
    } broken[] = {
        {"between: [ball, post]", "between: [ball, pots]", "pots", "post"},
        {"between: [ball, post]", "between: [ball, ball]", "{between: [ball, ball]", "with itself"},
        {"between: [ball, post], ", "between: [ball, post], gap: 1 mm, ", "1 mm, young", "takes no `gap`"},
        {"gap: 1 um,", "", "{between: [grains, grains]", "need `gap`"},
        {"gap: 1 um", "gap: 1 um, points: [[0, 0, 0], [0, 0, 1]]", "[[0, 0, 0], [0, 0, 1]]", "of two bodies"},
        {"gap: 1.1 mm", "gap: 0 m", "0 m, young", "no two bodies"},
        {"young: 1 GPa", "young: -1 GPa", "-1 GPa", "must be"},
        {"damping: 0.2}", "damping: 0.2, weibull: 8}", "8}", "never break"},
        {"damping: 0.2}", "damping: 0.2,\n     cohesion: 1 MPa, weibull: 0}", "0}", "must lie"},
        {"poisson: 0.2", "poisson: 0.7", "0.7", "must lie"},
        {"radius_ratio: 0.5, ", "", "{between: [grains, grains]", "no cross-section"},
        {"poisson: 0.3, radius: 1 mm, damping: 0.2", "radius: 1 mm", "{between: [ball, post]", "needs `young`"},
        {"young: 1 GPa, poisson: 0.3", "\n     law: parallel, young: 1 GPa, poisson: 0.3", "0.3, radius: 1 mm, damping",
         "`parallel` has no `poisson`"},
        {"young: 1 GPa, poisson: 0.3", "law: parallel,\n     young: 1 GPa", "{between: [ball, post]",
         "no shear stiffness"},
        {"young: 1 GPa, poisson: 0.3", "law: parallel, young: 1 GPa,\n     stiffness_ratio: 2, shear: euler", "euler",
         "`parallel` has no `shear`"},
        {"poisson: 0.3, radius: 1 mm, damping: 0.2", "poisson: 0.3,\n     stiffness_ratio: 2, radius: 1 mm",
         "2, radius", "`beam` has no `stiffness_ratio`"},
        {"young: 1 GPa, poisson: 0.3", "law: rope", "rope", "parallel"},
        {"run: {step: auto", "run: {stepper: nonsmooth, step: 1e-4 s", "- {between: [ball, post]", "nonsmooth"},
        {"z: 50 mm}", "z: 50 mm, shear: {flow: z, gradient: x, rate: 1 1/s}}", "", "sheared"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        rps_error err = {0};
        char *text = text_replace(row, broken[k].find, broken[k].by);
        if (k + 1 == sizeof broken / sizeof *broken) {
            char *free_post = text_replace(text, ", fixed: true", "");
            free(text);
            text = free_post;
        }
        scene_refused(text, &err);
        if (*broken[k].at) {
            assert_error_at(&err, text, broken[k].at, broken[k].part);
        } else if (!strstr(err.text, broken[k].part)) {
            fail_msg("%s", err.text);
        }
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs_and_gaps), cmocka_unit_test(test_parallel),
                                       cmocka_unit_test(test_scatter),
                                       cmocka_unit_test(test_refusals_stand_at_their_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
