/* Regions, and what probes find in them: mass, number and volume by set, across periodic faces, and what is refused. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/elementary.h"
#include "base/random.h"
#include "scene/region.h"

#define HEAD                                                                                                   \
    "repose: 1\ngravity: none\nmaterials: {a: {density: 2000}}\n"                                              \
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, roll: none, " \
    "spin: none}]\nrun: {step: 1e-5, until: 1}\n"

static double probe_named(rps_scene *scene, rps_world *world, const char *name) {
    rps_error err;
    double value;
    for (size_t i = 0; i < rps_scene_probe_count(scene); i++) {
        if (strcmp(rps_scene_probe(scene, i)->name, name) != 0) continue;
        if (rps_scene_probe_value(scene, world, i, &value, &err) != RPS_OK) fail_msg("%s", err.text);
        return value;
    }
    fail_msg("there is no probe %s", name);
    return NAN;
}

static void regions_done(rps_scene *scene, rps_world *world) {
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* A row of balls of radius 1 at x = 0, 4, 8 ... 36 in two sets, and a fixed body among them. */
static void counts_by_set(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = scene_make(
        HEAD
        "bodies:\n  - {name: wall, shape: {box: {size: [2, 2, 2]}}, material: a, position: [2, 8, 0], fixed: true}\n"
        "particles:\n"
        "  - {name: one, material: a, radius: 1, generator: {lattice: {box: [[0, 0, 0], [16, 0, 0]], spacing: 4}}}\n"
        "  - {name: two, material: a, radius: 1, generator: {lattice: {box: [[20, 0, 0], [36, 0, 0]], spacing: 4}}}\n"
        "  - {name: base, material: a, radius: 1, fixed: true, generator: {lattice: {box: [[0, 4, 0], [4, 4, 0]], "
        "spacing: 4}}}\n"
        "probes:\n"
        "  all: {quantity: number_inside, region: {behind: {point: [0, 100, 0], normal: [0, 1, 0]}}}\n"
        "  half: {quantity: number_inside, region: {behind: {point: [8, 0, 0], normal: [3, 0, 0]}}}\n"
        "  list: {quantity: number_inside, region: [[4, -1, -1], [24, 1, 1]]}\n"
        "  box: {quantity: number_inside, region: {box: [[4, -1, -1], [24, 1, 1]]}}\n"
        "  two: {quantity: number_inside, set: two, region: {box: [[4, -1, -1], [24.5, 1, 1]]}}\n"
        "  base: {quantity: number_inside, set: base, region: {box: [[-1, -9, -1], [99, 9, 1]]}}\n"
        "  ball: {quantity: mass_inside, region: {sphere: {center: [10, 0, 0], radius: 2.5}}}\n"
        "  rod: {quantity: mass_inside, region: {cylinder: {from: [4, -1, -1], to: [24, 1, 1], radius: 1.5}}}\n"
        "  short: {quantity: volume_inside, region: {cylinder: {from: [10, 0, -5], to: [10, 0, 5], radius: 2.1}}}\n",
        &world);
    const double ball = 4.0 / 3.0 * RPS_PI;
    assert_true(probe_named(scene, world, "all") == 10.0);
    assert_true(probe_named(scene, world, "half") == 2.0); /* the plane itself lies before it */
    assert_true(probe_named(scene, world, "list") == 5.0); /* from 4 on, below 24 */
    assert_true(probe_named(scene, world, "box") == 5.0);
    assert_true(probe_named(scene, world, "two") == 2.0);
    assert_true(probe_named(scene, world, "base") == 2.0);
    assert_true(fabs(probe_named(scene, world, "ball") - 2.0 * ball * 2000.0) < 1e-9);
    /* the ends at 4 and 24 lie 1.4 off the axis: their feet on it are within its length */
    assert_true(fabs(probe_named(scene, world, "rod") - 6.0 * ball * 2000.0) < 1e-9);
    assert_true(fabs(probe_named(scene, world, "short") - 2.0 * ball) < 1e-12);
    regions_done(scene, world);
}

/* A region may lie across a face, or anywhere outside of the cell: each body counts once. */
static void across_faces(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene =
        scene_make(HEAD "periodic: {x: 12}\n"
                        "bodies:\n  - {name: ball, shape: {sphere: {radius: 1}}, material: a, position: [11.5, 0, 0]}\n"
                        "probes:\n"
                        "  in: {quantity: number_inside, region: [[-1, -1, -1], [1, 1, 1]]}\n"
                        "  far: {quantity: number_inside, region: {sphere: {center: [35, 0, 0], radius: 0.6}}}\n"
                        "  twice: {quantity: number_inside, region: [[-20, -1, -1], [20, 1, 1]]}\n"
                        "  out: {quantity: number_inside, region: [[0, -1, -1], [11, 1, 1]]}\n"
                        "  below: {quantity: number_inside, region: {behind: {point: [0, 0, 1], normal: [0, 0, 1]}}}\n",
                   &world);
    assert_true(probe_named(scene, world, "in") == 1.0);
    assert_true(probe_named(scene, world, "far") == 1.0);
    assert_true(probe_named(scene, world, "twice") == 1.0);
    assert_true(probe_named(scene, world, "out") == 0.0);
    assert_true(probe_named(scene, world, "below") == 1.0);
    regions_done(scene, world);
}

static void in_a_plane(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene =
        scene_make("repose: 1\ndimension: 2\ndepth: 3\ngravity: none\nmaterials: {a: {density: 2000}}\n"
                   "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, roll: "
                   "none, spin: none}]\nrun: {step: 1e-5, until: 1}\n"
                   "bodies:\n  - {name: ball, shape: {disk: {radius: 1}}, material: a, position: [2, 1]}\n"
                   "probes:\n"
                   "  box: {quantity: mass_inside, region: [[1, 0], [3, 2]]}\n"
                   "  round: {quantity: volume_inside, region: {sphere: {center: [3, 1], radius: 1.5}}}\n"
                   "  strip: {quantity: number_inside, region: {cylinder: {from: [0, 0], to: [9, 0], radius: 1.5}}}\n",
                   &world);
    assert_true(fabs(probe_named(scene, world, "box") - RPS_PI * 3.0 * 2000.0) < 1e-9);
    assert_true(fabs(probe_named(scene, world, "round") - RPS_PI * 3.0) < 1e-12);
    assert_true(probe_named(scene, world, "strip") == 1.0);
    regions_done(scene, world);
}

static void refused_with(const char *probe, const char *at, const char *part) {
    char text[2048];
    rps_error err;
    snprintf(text, sizeof text,
             HEAD "periodic: {x: 12}\nbodies:\n  - {name: ball, shape: {sphere: {radius: 1}}, material: a}\n"
                  "probes:\n  p: %s\n",
             probe);
    scene_refused(text, &err);
    assert_error_at(&err, text, at, part);
}

static void bad_regions(void **state) {
    (void)state;
    refused_with("{quantity: mass_inside}", "{quantity: mass_inside}", "needs a `region`");
    refused_with("{quantity: time, region: [[0, 0, 0], [1, 1, 1]]}", "[[0, 0, 0]", "takes no `region`");
    refused_with("{quantity: mass_inside, region: [[0, 0, 2], [1, 1, 1]]}", "[[0, 0, 2]", "lower one (axis z)");
    refused_with("{quantity: mass_inside, region: [[0, 0, 1], [1, 1, 1]]}", "[[0, 0, 1]", "no width along z");
    refused_with("{quantity: mass_inside, region: {sphere: {center: [0, 0, 0], radius: 1}, box: [[0, 0, 0], [1, 1, "
                 "1]]}}",
                 "box: [[", "exactly one");
    refused_with("{quantity: mass_inside, region: {cylinder: {from: [1, 0, 0], to: [1, 0, 0], radius: 1}}}",
                 "{from: [1", "ends where it begins");
    refused_with("{quantity: mass_inside, region: {behind: {point: [1, 0, 0], normal: [0, 0, 0]}}}", "[0, 0, 0]}",
                 "has no direction");
    refused_with("{quantity: mass_inside, region: {behind: {point: [1, 0, 0], normal: [1, 0, 1]}}}", "{point: [1",
                 "across the periodic axis x");
    refused_with("{quantity: mass_inside, region: {sphere: {center: [0, 0, 0], radius: -1 mm}}}", "-1 mm",
                 "must be above 0");
}

/* Points of a source are spread evenly: the part of them in half of the region is that of its volume, within four
 * deviations of 20,000 draws, and all spheres lie inside. */
static void draws_are_even(void **state) {
    enum { DRAWS = 20000 };
    static const double period[3] = {0.0, 0.0, 0.0};
    const rps_cell cell = rps_cell_make(period);
    const rps_vec3 axis = rps_vec3_normalize(rps_vec3_make(1.0, 2.0, -2.0)), point = rps_vec3_make(1.0, 2.0, 3.0);
    (void)state;
    for (int kind = 1; kind <= 3; kind++) { /* cylinder, disk, sphere */
        const double length = kind == 1 ? 5.0 : 0.0, margin = 0.25, most = 2.0 - margin;
        const rps_region r = {.kind = kind, .point = point, .axis = axis, .radius = 2.0, .length = length};
        const double part = kind == 3 ? 0.125 : 0.25; /* of the ball or disk of half the radius */
        int inner = 0, upper = 0;
        for (uint64_t n = 0; n < DRAWS; n++) {
            double x[3];
            rps_region_draw(&r, &cell, margin, 7, 3, n, x, NULL);
            const rps_vec3 d = rps_vec3_sub(rps_vec3_of(x), point);
            const double along = rps_vec3_dot(d, axis);
            const double way = kind == 3 ? rps_vec3_norm(d) : rps_vec3_norm(rps_vec3_reject(d, axis));
            assert_true(way <= most * (1.0 + 1e-12));
            if (kind == 1) assert_true(along >= margin - 1e-12 && along <= length - margin + 1e-12);
            if (kind == 2) assert_true(fabs(along) < 1e-12);
            inner += way < 0.5 * most;
            upper += kind == 1 ? along > 0.5 * length : kind == 3 ? along > 0.0 : d.x > 0.0;
        }
        assert_true(fabs((double)inner / DRAWS - part) < 4.0 * sqrt(part * (1.0 - part) / DRAWS));
        assert_true(fabs((double)upper / DRAWS - 0.5) < 4.0 * 0.5 / sqrt(DRAWS));
    }
}

/* The inside of a mesh, moved: and a surface that has none. */
static void knows_the_inside_of_a_mesh(void **state) {
    static const char cube[] = "v 0 0 0\nv 20 0 0\nv 20 20 0\nv 0 20 0\nv 0 0 20\nv 20 0 20\nv 20 20 20\nv 0 20 20\n"
                               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    static const char scene_text[] =
        HEAD "particles:\n"
             "  - {name: s, material: a, radius: 1, generator: {lattice: {box: [[0, 0, 0], [36, 0, 0]], spacing: 4}}}\n"
             "probes:\n"
             "  in: {quantity: number_inside, region: {mesh: {file: region_cube.obj, unit: m, position: [9, -10, "
             "-10]}}}\n";
    rps_world *world;
    rps_error err;
    (void)state;
    write_file("region_cube.obj", cube);
    rps_scene *scene = scene_make(scene_text, &world);
    assert_true(probe_named(scene, world, "in") == 5.0); /* 12 to 28 */
    regions_done(scene, world);
    write_file("region_cube.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    scene_refused(scene_text, &err);
    assert_non_null(strstr(err.text, "is not closed"));
    unlink("region_cube.obj");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_inside_of_a_mesh),
        cmocka_unit_test(counts_by_set),
        cmocka_unit_test(across_faces),
        cmocka_unit_test(in_a_plane),
        cmocka_unit_test(bad_regions),
        cmocka_unit_test(draws_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
