/*
 * Scenes with fixed and driven bodies across a period boundary: initial overlaps are found in every image, insertion
 * avoids these bodies, and an error about a period that is too short uses the names of the scene.
 */
#include "scene_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/step.h>

#include "world/world.h"

/* A slice of 41 mm with a floor as wide as that and a ball of 4 mm just above it. */
static const char slice[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.8]\n"
    "periodic: {y: 41 mm}\n"
    "materials: {grain: {density: 2500 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [grain, grain], normal: {law: hooke, stiffness: 1e4 N/m}, damping: {law: restitution, value: 0.3}, "
    "slide: "
    "none, roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: floor, shape: {box: {size: [0.5, 0.041, 0.1]}}, material: grain, fixed: true, position: [0, 0, "
    "-0.05]}\n"
    "  - {name: ball, shape: {sphere: {radius: 4 mm}}, material: grain, position: [0, 0.0205, 0.0041]}\n"
    "run: {step: 2e-5 s, until: 0.2 s}\n";

static void accepted(const char *text) {
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    rps_error err;
    if (rps_world_step(world, 1, &err) != RPS_OK) fail_msg("%s", err.text);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* At both ends of the floor, in its middle and on the next image of the block beside it. */
static void test_overlaps_are_seen_in_all_images(void **state) {
    (void)state;
    static const char *const y[] = {"0.0205", "0.0204", "0.0206", "0", "0.04099"};
    static const char block[] =
        "  - {name: block, shape: {box: {size: [0.5, 0.036, 0.1]}}, material: grain, fixed: true, position: [0, 0.002, "
        "0]}\n";
    rps_error err;
    for (size_t k = 0; k < sizeof y / sizeof *y; k++) {
        char place[80];
        snprintf(place, sizeof place, "[0, %s, 0.0041]", y[k]);
        char *above = text_replace(slice, "[0, 0.0205, 0.0041]", place);
        accepted(above);
        snprintf(place, sizeof place, "[0, %s, 0.0035]", y[k]);
        char *inside = text_replace(slice, "[0, 0.0205, 0.0041]", place);
        scene_refused(inside, &err);
        assert_non_null(strstr(err.text, "two bodies overlap by 0.125"));
        assert_non_null(strstr(err.text, "body 0 `floor`"));
        free(above);
        free(inside);
    }
    /* the block ends at y = 0.02, and its next image begins at 0.025: 0.0225 lies between them, too narrow for the ball */
    char *with_block = text_replace(slice, "  - {name: ball", "  - {name: BLOCK}\n  - {name: ball");
    char *text = text_replace(with_block, "  - {name: BLOCK}\n", block);
    for (int k = 0; k < 3; k++) {
        static const char *const position[3] = {"[0, 0.0225, 0.0]", "[0, 0.0205, 0.055]", "[0, 0.0245, 0.053]"};
        char *ball = text_replace(text, "[0, 0.0205, 0.0041]", position[k]);
        if (k == 1) {
            accepted(ball);
        } else {
            scene_refused(ball, &err);
            assert_non_null(strstr(err.text, "body 2 `ball`"));
        }
        free(ball);
    }
    free(text);
    free(with_block);
}

/* Grains that are poured between two walls across the slice come to rest between them. */
static void test_pouring_into_a_slice(void **state) {
    (void)state;
    char *text = text_replace(
        slice, "run:",
        "  - {name: left, shape: {box: {size: [0.1, 0.9, 0.2]}}, material: grain, fixed: true, position: [-0.07, 0.3, "
        "0.1]}\n"
        "  - {name: right, shape: {box: {size: [0.1, 0.9, 0.2]}}, material: grain, fixed: true, position: [0.07, -0.2, "
        "0.1]}\n"
        "particles:\n"
        "  - {name: grains, material: grain, count: 60, radius: 3 mm, pour: {region: [[-0.03, 0, 0.03], [0.03, 0.041, "
        "0.08]], until: 0.1 s, velocity: [0, 0.5, -0.5]}}\n"
        "run:");
    rps_world *world;
    rps_error err;
    rps_scene *scene = scene_make(text, &world);
    for (uint64_t n = 0; n < 10000; n += 100) {
        size_t added;
        if (rps_scene_insert(scene, world, &added, &err) != RPS_OK) fail_msg("%s", err.text);
        if (rps_world_step(world, 100, &err) != RPS_OK) fail_msg("%s", err.text);
    }
    assert_int_equal(world->bodies.count, 64);
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (world->bodies.kind[s][0] != RPS_BODY_FREE) continue;
        const double *x = world->bodies.pose[s].position, *radius = world->bodies.pose[s].radius;
        /* within the walls but for overlaps of a hundredth of the radius */
        assert_true(x[2] > 0.98 * radius[0] && x[0] > -0.02 + 0.98 * radius[0] && x[0] < 0.02 - 0.98 * radius[0]);
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* Before the run, whatever stage it is in. */
static void test_bodies_that_cannot_be_endless_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *part;
    } broken[] = {
        {"fixed: true,", "fixed: true, orientation: {axis: [1, 0, 0], angle: 5 deg},", "its images overlap each other"},
        {"fixed: true,", "drive: {angular_velocity: [1, 0, 0]},", "turns about another axis"},
        {"run:",
         "stages: [{name: a, until: {time: 0.1 s}}, {name: b, drives: {floor: {angular_velocity: [0, 0, 1]}}}]\nrun:",
         "turns about another axis"},
        {"radius: 4 mm", "radius: 10.5 mm", "four times the largest radius of a free body"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        rps_error err;
        char *high = text_replace(slice, "0.0041]", "0.2]");
        char *text = text_replace(high, broken[k].find, broken[k].by);
        scene_refused(text, &err);
        assert_error_at(&err, text, "{y: 41 mm}", broken[k].part);
        assert_non_null(strstr(err.text, "body 0 `floor`"));
        free(text);
        free(high);
    }
    char *text = text_replace(slice, "fixed: true,", "drive: {angular_velocity: [0, 0, 0], velocity: [0, 0.1, 0]},");
    accepted(text);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlaps_are_seen_in_all_images),
        cmocka_unit_test(test_pouring_into_a_slice),
        cmocka_unit_test(test_bodies_that_cannot_be_endless_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
