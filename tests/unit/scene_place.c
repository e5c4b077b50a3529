/* Bodies of any shape placed on others: touching positions against closed forms of the geometry, rest positions
 * against those of the law. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/solid.h"
#include "world/world.h"

/* Two bodies, their initial gap, and the scene built from them. */
static rps_world *make(const char *base, const char *body, rps_scene **scene) {
    char text[4096];
    rps_world *world;
    snprintf(text, sizeof text,
             "repose: 1\n"
             "gravity: [0, 0, -10]\n"
             "materials: {oak: {density: 1000}}\n"
             "pairs:\n"
             "  - {between: [oak, oak], normal: {law: hooke, stiffness: 1e5}, damping: none, slide: none, roll: none, "
             "spin: none}\n"
             "bodies:\n"
             "  - {name: base, material: oak, fixed: true, %s}\n"
             "  - {name: body, material: oak, %s}\n"
             "run: {step: 1e-6, until: 1e-5}\n",
             base, body);
    *scene = scene_make(text, &world);
    return world;
}

static void drop(rps_world *world, rps_scene *scene) {
    rps_world_destroy(world);
    rps_scene_free(scene);
}

#define FLOOR "shape: {plane: {normal: [0, 0, 1]}}"

/* On a plane the lowest point touches. An ellipsoid reaches down by sqrt(sum (a_k n_k)^2), n the normal in its axes; a
 * box by the sum of half its edges times |n_k|; a capsule by half its length times |n_z| and its radius. */
static void on_a_plane(void **state) {
    static const struct {
        const char *body;
        double height;
    } cases[] = {
        {"shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.03]}}, place: {touch: base}", 0.03},
        {"shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.03]}}, orientation: {axis: [0, 1, 0], angle: 90 deg}, "
         "place: {touch: base}",
         0.01},
        {"shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.03]}}, orientation: {axis: [0, 1, 0], angle: 30 deg}, "
         "place: {touch: base, gap: 1 mm}",
         0.02745751311064591}, /* sqrt(0.01^2/4 + 0.03^2 3/4) = sqrt(7e-4) and the gap */
        {"shape: {box: {size: [0.02, 0.04, 0.06]}}, orientation: {axis: [0, 1, 0], angle: 45 deg}, "
         "place: {touch: base, at: [1, 2, 7]}",
         0.028284271247461901}, /* (0.01 + 0.03)/sqrt(2) */
        {"shape: {capsule: {radius: 0.01, length: 0.04}}, orientation: {axis: [1, 0, 0], angle: 60 deg}, "
         "place: {touch: base}",
         0.02}, /* 0.01 + 0.02/2 */
        {"pieces: [{shape: {sphere: {radius: 0.01}}, position: [0, 0, -0.02]}, {shape: {sphere: {radius: "
         "0.02}}}], "
         "place: {touch: base}",
         0.03},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rps_scene *scene;
        rps_world *world = make(FLOOR, cases[i].body, &scene);
        const double height = i == 2 ? sqrt(7e-4) + 1e-3 : cases[i].height;
        if (strstr(cases[i].body, "pieces")) { /* the position is that of the centre of mass */
            assert_true(fabs(rps_body_gap(world, 0, 1, 1.0)) <= 1e-15 * height);
            drop(world, scene);
            continue;
        }
        /* a few roundings */
        assert_true(fabs(world->bodies.pose[1].position[2] - height) <= 1e-15 * height);
        if (strstr(cases[i].body, "at:")) {
            assert_true(world->bodies.pose[1].position[0] == 1.0 && world->bodies.pose[1].position[1] == 2.0);
        }
        drop(world, scene);
    }
}

/* Along the line of centres two ellipsoids whose long axes lie in it are apart by both semi-axes; from the side a sphere
 * meets the smaller axis; two boxes by their faces; from a corner a box is half its diagonal away. */
static void on_bodies(void **state) {
    static const struct {
        const char *base, *body;
        double position[3];
    } cases[] = {
        {"shape: {ellipsoid: {semi_axes: [0.02, 0.02, 0.03]}}",
         "shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.04]}}, place: {touch: base}",
         {0.0, 0.0, 0.07}},
        {"shape: {ellipsoid: {semi_axes: [0.02, 0.025, 0.03]}}",
         "shape: {sphere: {radius: 0.01}}, place: {touch: base, above: [-2, 0, 0], gap: 1 mm}",
         {-0.031, 0.0, 0.0}},
        {"shape: {sphere: {radius: 0.05}}",
         "shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.04]}}, place: {touch: base, at: [0, 1, 0]}",
         {0.0, 0.07, 0.0}},
        {"shape: {box: {size: [0.1, 0.1, 0.02]}}",
         "shape: {box: {size: [0.02, 0.02, 0.04]}}, place: {touch: base, at: [0.03, 0.01, 9]}",
         {0.03, 0.01, 0.03}},
        {"shape: {box: {size: [0.1, 0.1, 0.02]}}, position: [1, 1, 1]",
         "shape: {capsule: {radius: 0.01, length: 0.04}}, place: {touch: base, above: [1, 0, 0]}",
         {1.06, 1.0, 1.0}},
        /* beside the axis of a ball: (r1 + r2)^2 = 0.04^2 + height^2 */
        {"shape: {ellipsoid: {semi_axes: [0.03, 0.03, 0.03]}}",
         "shape: {ellipsoid: {semi_axes: [0.02, 0.02, 0.02]}}, place: {touch: base, at: [0.04, 0, 0]}",
         {0.04, 0.0, 0.03}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rps_scene *scene;
        rps_world *world = make(cases[i].base, cases[i].body, &scene);
        const double *x = world->bodies.pose[1].position;
        for (int k = 0; k < 3; k++) {
            /* gap and normal of the general pair hold to 1e-12 of the sizes, 0.1 m here */
            if (!(fabs(x[k] - cases[i].position[k]) <= 1e-13)) {
                fail_msg("case %zu: (%.17g, %.17g, %.17g)", i, x[0], x[1], x[2]);
            }
        }
        drop(world, scene);
    }
}

/* The gap equals the required one in any pose. */
static void turned(void **state) {
    static const char *const shape[] = {"ellipsoid: {semi_axes: [0.01, 0.02, 0.05]}",
                                        "box: {size: [0.02, 0.03, 0.05]}",
                                        "box: {size: [0.02, 0.03, 0.05], rounding: 4 mm}",
                                        "cylinder: {radius: 0.01, length: 0.06}",
                                        "superquadric: {semi_axes: [0.01, 0.02, 0.03], exponents: [4, 3]}",
                                        "capsule: {radius: 0.01, length: 0.05}"};
    enum { SHAPES = sizeof shape / sizeof *shape };
    (void)state;
    for (int a = 0; a < SHAPES; a++) {
        for (int b = 0; b < SHAPES; b++) {
            char base[256], body[256];
            rps_scene *scene;
            snprintf(base, sizeof base, "shape: {%s}, orientation: {axis: [1, 2, 3], angle: %d deg}", shape[a], 17 * b);
            snprintf(body, sizeof body,
                     "shape: {%s}, orientation: {axis: [-3, 1, 2], angle: %d deg}, "
                     "place: {touch: base, above: [0.3, -0.2, 1], gap: 0.5 mm}",
                     shape[b], 31 * a + 5);
            rps_world *world = make(base, body, &scene);
            const double gap = rps_body_gap(world, 0, 1, 1.0);
            if (!(fabs(gap - 5e-4) <= 1e-13)) fail_msg("%s on %s: gap %.17g", shape[b], shape[a], gap);
            drop(world, scene);
        }
    }
}

/* At rest the contacts carry the weight: one of an ellipsoid, four of a box that lies flat, as the law says; and of any
 * pose on any base what they push is the weight. */
static void rests(void **state) {
    static const struct {
        const char *base, *body;
        int springs; /* that share the weight, 0: any number */
    } cases[] = {
        {FLOOR, "shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.03]}}", 1},
        {FLOOR, "shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.03]}}, orientation: {axis: [1, 2, 3], angle: 40 deg}",
         1},
        {FLOOR, "shape: {superquadric: {semi_axes: [0.01, 0.02, 0.03], exponents: [3, 4]}}, orientation: [1, 2, 3, 4]",
         1},
        {FLOOR, "shape: {box: {size: [0.02, 0.04, 0.06]}}", 4},
        {FLOOR,
         "pieces: [{shape: {sphere: {radius: 0.01}}, position: [-0.02, 0, 0]}, {shape: {sphere: {radius: 0.01}}, "
         "position: [0.02, 0, 0]}]",
         2},
        {"shape: {ellipsoid: {semi_axes: [0.03, 0.03, 0.02]}}", "shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.03]}}",
         1},
        {"shape: {sphere: {radius: 0.03}}", "shape: {cylinder: {radius: 0.01, length: 0.02}}", 1},
        {"shape: {box: {size: [0.2, 0.2, 0.02]}}", "shape: {box: {size: [0.02, 0.04, 0.06]}}", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[512];
        rps_scene *scene;
        double force[3], torque[3];
        snprintf(body, sizeof body, "%s, place: {rest on: base}", cases[i].body);
        rps_world *world = make(cases[i].base, body, &scene);
        const double weight = 10.0 * world->bodies.mass[1][0], stiffness = 1e5;
        rps_error err;
        if (rps_world_start(world, &err) != RPS_OK) fail_msg("%s: %s", body, err.text);
        assert_int_equal(rps_world_body_load(world, 1, force, torque, NULL), RPS_OK);
        /* 1e-12 of the load, and what heights of up to 0.1 m are rounded to (1.4e-17 m) at each of at most 16 springs */
        if (!(fabs(force[2] - weight) <= 1e-12 * weight + 16.0 * 4.0 * stiffness * 1.4e-17)) {
            fail_msg("%s on %s: pushed by %.17g N, weighs %.17g N", body, cases[i].base, force[2], weight);
        }
        if (cases[i].springs) {
            const double depth = -rps_body_gap(world, 0, 1, 1.0), expected = weight / (stiffness * cases[i].springs);
            /* 1e-12 of the size for the gap of the general pair */
            if (!(fabs(depth - expected) <= 1e-13)) fail_msg("%s: %.17g m deep, not %.17g", body, depth, expected);
        }
        drop(world, scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rests), cmocka_unit_test(on_a_plane),
                                       cmocka_unit_test(on_bodies), cmocka_unit_test(turned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
