/*
 * Scenes with a sheared cell: the key and its errors, velocities relative to the mean flow, insertion after the
 * images have moved, and measures in boxes across its faces.
 */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/step.h>

#include "detect/detect.h"
#include "scene/quantity.h"
#include "step/step_stages.h"
#include "world/world.h"

static const char cell[] =
    "repose: 1\n"
    "gravity: none\n"
    "periodic: {x: 0.1 m, y: 0.12 m, z: 0.14 m, shear: {flow: z, gradient: x, rate: 30 1/s}}\n"
    "materials: {grain: {density: 2500 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [grain, grain], normal: {law: hooke, stiffness: 1e4 N/m}, damping: {law: restitution, value: 0.3}, "
    "slide: none, roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: ball, shape: {sphere: {radius: 4 mm}}, material: grain, position: [0.09, 0.02, 0.03], velocity: [1, 2, "
    "3]}\n"
    "run: {step: 2e-5 s, until: 0.2 s}\n";

static void test_velocities_are_relative_to_the_mean_flow(void **state) {
    (void)state;
    static const char more[] = "particles:\n"
                               "  - {name: lattice, material: grain, radius: 1 mm, generator: {lattice: {box: [[0.01, "
                               "0.06, 0.1], [0.03, 0.06, 0.1]], "
                               "spacing: 5 mm}}, velocity: [0, 0, -2]}\n"
                               "run:";
    char *text = text_replace(cell, "run:", more);
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    assert_int_equal(world->bodies.count, 6);
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position, *v = world->bodies.motion[s].velocity;
        const bool ball = world->bodies.id[s][0] == 0;
        const double flow = 30.0 * (x[0] - 0.05);
        assert_true(fabs(v[2] - flow - (ball ? 3.0 : -2.0)) < 1e-14);
        assert_true(v[0] == (ball ? 1.0 : 0.0) && v[1] == (ball ? 2.0 : 0.0));
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

static void test_refusals_stand_at_their_keys(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *at, *part;
    } broken[] = {
        {"gradient: x", "gradient: z", "z, rate", "one axis"},
        {"y: 0.12 m, z: 0.14 m,", "y: 0.12 m,", "{flow", "not periodic along z"},
        {"rate: 30 1/s", "rate: 30 m", "30 m", "1/s"},
        {", gradient: x", "", "{flow", "gradient"},
        {"gravity: none", "gravity: [0, 0, -9.8]", "{flow", "flow axis"},
        {"run: {", "run: {stepper: nonsmooth, ", "{flow", "nonsmooth"},
        {"position: [0.09", "fixed: true, position: [0.09", "{name: ball", "free bodies only"},
        {"run: {", "probes: {p: {quantity: packing_fraction, box: [[0, 0, 0], [200, 0.1, 0.1]]}}\nrun: {",
         "[[0, 0, 0], [200", "1000 periods"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        rps_error err;
        char *text = text_replace(cell, broken[k].find, broken[k].by);
        if (strstr(text, "fixed: true")) {
            char *still = text_replace(text, ", velocity: [1, 2, 3]", "");
            free(text);
            text = still;
        }
        scene_refused(text, &err);
        assert_error_at(&err, text, broken[k].at, broken[k].part);
        free(text);
    }
}

/* Grains are inserted across the faces of a cell during shear: none overlaps another one in any image. */
static void test_pouring_sees_moved_images(void **state) {
    (void)state;
    static const char pour[] = "particles:\n"
                               "  - {name: grains, material: grain, count: 400, radius: 5 mm, pour: {region: [[-0.04, "
                               "0, -0.02], [0.05, 0.12, 0.03]], "
                               "until: 0.1 s, tries: 1000}}\n"
                               "run:";
    char *text = text_replace(cell, "run:", pour);
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    rps_error err;
    size_t came = 0;
    double most = 0.0;
    for (uint64_t n = 0; n < 5000; n += 50) {
        size_t added, count;
        uint32_t(*pairs)[2];
        const size_t before = world->bodies.count;
        if (rps_scene_insert(scene, world, &added, &err) != RPS_OK) fail_msg("%s", err.text);
        came += added;
        if (rps_detect_all_pairs(world, 0.0, &pairs, &count, &err) != RPS_OK) fail_msg("%s", err.text);
        for (size_t p = 0; p < count; p++) { /* pairs that overlap are of bodies that were there before */
            const uint64_t i = world->bodies.id[pairs[p][0]][0], j = world->bodies.id[pairs[p][1]][0];
            assert_true(i < before && j < before);
        }
        rps_memory_release(world->allocator, pairs, count * sizeof *pairs);
        if (rps_world_step(world, 50, &err) != RPS_OK) fail_msg("%s", err.text);
        most = fmax(most, fabs(world->cell.offset));
    }
    assert_true(came > 150 && most > 0.06);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* Spheres in a cell whose images are off, the grains of which lie in boxes of one cell, two cells across a face, and a part:
 * a cell's worth holds the volume of all spheres wherever it begins; the part is held against points, 4e5 of which know it to
 * 1e-3 (three deviations). */
static void test_boxes_over_the_faces(void **state) {
    (void)state;
    static const char lattice[] = "particles:\n"
                                  "  - {name: grains, material: grain, radius: 8 mm, generator: {lattice: {box: "
                                  "[[0.01, 0.01, 0.01], [0.09, 0.1, 0.12]], "
                                  "spacing: 18 mm}}}\n"
                                  "run:";
    char *apart = text_replace(cell, "[0.09, 0.02, 0.03]", "[0.073, 0.019, 0.019]");
    char *text = text_replace(apart, "run:", lattice);
    free(apart);
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    rps_error err;
    if (rps_world_step(world, 1234, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(fabs(world->cell.offset) > 0.01);
    double volume = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double r = world->bodies.pose[s].radius[0];
        volume += 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
    }
    const double whole = 0.1 * 0.12 * 0.14;
    static const double begin[3][3] = {{0.0, 0.0, 0.0}, {-0.03, 0.05, 0.02}, {0.17, -0.3, 0.09}};
    for (int k = 0; k < 3; k++) {
        for (int cells = 1; cells < 3; cells++) {
            const double high[3] = {begin[k][0] + cells * 0.1, begin[k][1] + 0.12, begin[k][2] + 0.14};
            const double phi = rps_measure_packing(world, -1, begin[k], high);
            assert_true(fabs(phi * whole / volume - 1.0) < 1e-12);
        }
    }
    const double low[3] = {-0.06, 0.01, -0.03}, high[3] = {0.02, 0.07, 0.05};
    enum { POINTS = 400000 };
    int inside = 0;
    for (int p = 0; p < POINTS; p++) {
        /* a rank-1 lattice of points */
        const double at[3] = {fmod(p * 0.8191725134, 1.0), fmod(p * 0.6710436067, 1.0), fmod(p * 0.5497004779, 1.0)};
        bool in = false;
        for (size_t s = 0; s < world->bodies.count && !in; s++) {
            double d[3], home[3], v[3] = {0.0, 0.0, 0.0};
            int32_t image[3] = {0, 0, 0};
            for (int k = 0; k < 3; k++) home[k] = low[k] + at[k] * (high[k] - low[k]);
            assert_true(rps_cell_wrap(&world->cell, home, v, image));
            for (int k = 0; k < 3; k++) d[k] = home[k] - world->bodies.pose[s].position[k];
            rps_cell_nearest(&world->cell, d);
            const double r = world->bodies.pose[s].radius[0];
            in = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < r * r;
        }
        inside += in;
    }
    const double phi = rps_measure_packing(world, -1, low, high);
    assert_true(fabs(phi - inside / (double)POINTS) < 3e-3);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities_are_relative_to_the_mean_flow),
        cmocka_unit_test(test_refusals_stand_at_their_keys),
        cmocka_unit_test(test_pouring_sees_moved_images),
        cmocka_unit_test(test_boxes_over_the_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
