/* Bodies of convex pieces from files: parts of one file by its groups or by what hangs together, pieces from files of their own, sets of
 * particles, and what is refused with its place and remedy. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/run.h>

#include "world/body_shape.h"
#include "world/world.h"

#define ASSERT_NEAR(measured, expected, tolerance)                                                          \
    do {                                                                                                    \
        const double is = (measured), should = (expected);                                                  \
        if (!(fabs(is - should) <= (tolerance))) fail_msg("%s is %.17g, not %.17g", #measured, is, should); \
    } while (0)

static char folder[] = "/tmp/repose-pieces-XXXXXX";

static void folder_path(const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", folder, name);
}

/* Three blocks along x, in mm: 20 and 20 wide at -20 and 20, and a bar from -15 to 15 that reaches into both. Their union has 18e-6
 * m^3. */
static const double block[3][2][3] = {
    {{-30, -10, -10}, {-10, 10, 10}}, {{10, -10, -10}, {30, 10, 10}}, {{-15, -5, -5}, {15, 5, 5}}};
static const int quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static double corner(int b, int p, int k) {
    return block[b][p >> k & 1][k];
}

static void put_obj(const char *name, const char *group, bool all_points_first) {
    char path[128];
    folder_path(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < 3; b++) {
            const bool points = all_points_first ? pass == 0 : pass == 1, faces = pass == 1;
            if (faces && group[0] != 0) fprintf(file, "%s block_%d\n", group, b);
            for (int p = 0; points && p < 8; p++)
                fprintf(file, "v %g %g %g\n", corner(b, p, 0), corner(b, p, 1), corner(b, p, 2));
            for (int f = 0; faces && f < 6; f++) {
                const int first = 8 * b + 1;
                fprintf(file, "f %d %d %d %d\n", quad[f][0] + first, quad[f][1] + first, quad[f][2] + first,
                        quad[f][3] + first);
            }
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void put_stl(const char *name, bool several) {
    char path[128];
    folder_path(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int b = 0; b < 3; b++) {
        if (several || b == 0) fprintf(file, "solid block%d\n", b);
        for (int f = 0; f < 12; f++) {
            const int *q = quad[f / 2], at[3] = {q[0], q[f % 2 + 1], q[f % 2 + 2]};
            fputs("facet normal 0 0 0\nouter loop\n", file);
            for (int k = 0; k < 3; k++)
                fprintf(file, "vertex %g %g %g\n", corner(b, at[k], 0), corner(b, at[k], 1), corner(b, at[k], 2));
            fputs("endloop\nendfacet\n", file);
        }
        if (several || b == 2) fputs("endsolid\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static const char *const names[] = {"objects.obj", "groups.obj", "plain.obj", "solids.stl",
                                    "one.stl",     "open.obj",   "dent.obj",  "bar.obj"};

static int make_files(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    put_obj(names[0], "o", false);
    put_obj(names[1], "g", true);
    put_obj(names[2], "", true);
    put_stl(names[3], true);
    put_stl(names[4], false);
    char path[128];
    folder_path(names[5], path);
    write_file(path, "o whole\nv 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
                     "o open\nv 20 0 0\nv 29 0 0\nv 20 9 0\nv 20 0 9\nf 5 7 6\nf 5 6 8\nf 5 8 7\n");
    /* the tip of a corner pushed into it */
    folder_path(names[6], path);
    write_file(path,
               "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nv 1 1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n");
    folder_path(names[7], path);
    write_file(path, "v -15 -5 -5\nv 15 -5 -5\nv -15 5 -5\nv 15 5 -5\nv -15 -5 5\nv 15 -5 5\nv -15 5 5\nv 15 5 5\n"
                     "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    return 0;
}

static int remove_files(void **state) {
    char path[128];
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        folder_path(names[k], path);
        unlink(path);
    }
    return rmdir(folder);
}

static const char base[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {steel: {density: 1000 kg/m^3}, lead: {density: 2000 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: all, normal: {law: hooke, stiffness: 10 kN/m}, damping: {law: restitution, value: 0.3}, slide: "
    "none, roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}\n"
    "  - {name: bell, BODY, material: steel, position: [1 cm, 0, 10.5 mm]}\n"
    "run: {step: 1e-5 s, until: 0.3 s}\n";

/* The base with BODY replaced, and FOLDER in it by the folder of the files; the caller frees it. */
static char *with_body(const char *body) {
    char *one = text_replace(base, "BODY", body);
    while (strstr(one, "FOLDER")) {
        char *next = text_replace(one, "FOLDER", folder);
        free(one);
        one = next;
    }
    return one;
}

static void is_dumbbell(const char *body, size_t slot_of, double middle) {
    char *text = with_body(body);
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    const size_t slot = rps_world_slot(world, slot_of);
    assert_int_equal(rps_body_piece_count(&world->bodies, slot), 3);
    /* round-off of sums of a few terms; second moments of two cubes of 2 cm at 2 cm, and of the 2 cm of the bar between them */
    ASSERT_NEAR(world->bodies.mass[slot][0] / 0.018, 1.0, 1e-13);
    const double long_axis = 0.008 * 2 * 4e-4 / 6 + 0.002 * 1e-4 / 6;
    const double across = 2 * (0.008 * 4e-4 / 6 + 0.008 * 4e-4) + 0.002 * (4e-4 + 1e-4) / 12;
    const double *i = world->bodies.inertia[slot];
    double least = fmin(i[0], fmin(i[1], i[2])), most = fmax(i[0], fmax(i[1], i[2]));
    ASSERT_NEAR(least / long_axis, 1.0, 1e-12);
    ASSERT_NEAR(most / across, 1.0, 1e-12);
    ASSERT_NEAR(world->bodies.pose[slot].position[0], 0.01 + middle, 1e-16);
    rps_error err;
    assert_int_equal(rps_world_step(world, 30000, &err), RPS_OK);
    /* 0.18 N on eight corners: it lies on the blocks */
    ASSERT_NEAR(world->bodies.pose[slot].position[2], 0.01 - 0.18 / 8 / 1e4, 1e-10);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

static void test_parts(void **state) {
    (void)state;
    char body[200];
    for (int k = 0; k < 5; k++) {
        snprintf(body, sizeof body, "shape: {mesh: {file: FOLDER/%s, unit: mm, parts: true%s}}", names[k],
                 k == 1 ? ", hull: true" : "");
        /* of an STL file without several solids the blocks hang together by equal corners alone, of which they have none */
        is_dumbbell(body, 1, 0.0);
    }
    is_dumbbell(
        "pieces: [{shape: {box: {size: [2 cm, 2 cm, 2 cm]}}, position: [-2 cm, 0, 0]}, {shape: {box: {size: [2 cm, 2 "
        "cm, 2 cm]}}, position: [2 cm, 0, 0]}, {shape: {mesh: {file: FOLDER/bar.obj, unit: mm}}}]",
        1, 0.0);
    is_dumbbell("pieces: [{shape: {mesh: {file: FOLDER/objects.obj, unit: mm, parts: true}}, position: [3 mm, 0, 0], "
                "orientation: {axis: [0, 0, 1], angle: 180 deg}}]",
                1, 0.003);
}

/* A piece of another material, and bodies that share their meshes. */
static void test_materials(void **state) {
    (void)state;
    char *text =
        with_body("pieces: [{shape: {mesh: {file: FOLDER/bar.obj, unit: mm}}, position: [-2 cm, 0, 0]}, {shape: {mesh: "
                  "{file: FOLDER/bar.obj, unit: mm}}, position: [2 cm, 0, 0], material: lead}]");
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    const size_t slot = rps_world_slot(world, 1);
    assert_int_equal(world->meshes, 1);
    ASSERT_NEAR(world->bodies.mass[slot][0] / 0.009, 1.0, 1e-13);
    ASSERT_NEAR(world->bodies.pose[slot].position[0], 0.01 + 0.02 / 3.0, 1e-15);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* Sets: one scale for all, also of what is poured. */
static void test_particles(void **state) {
    (void)state;
    char *text = with_body("shape: {sphere: {radius: 5 mm}}, fixed: true, material: steel, position: [1, 1, 1]}\n"
                           "particles:\n"
                           "  - {name: placed, material: steel, shape: {mesh: {file: FOLDER/objects.obj, unit: mm, "
                           "parts: true}}, scale: 0.5, "
                           "generator: {lattice: {box: [[0, 0, 2 cm], [8 cm, 8 cm, 2 cm]], spacing: 4 cm}}}\n"
                           "  - {name: poured, material: steel, shape: {mesh: {file: FOLDER/objects.obj, unit: mm, "
                           "parts: true}}, count: 5, pour: "
                           "{region: [[0, 0, 10 cm], [16 cm, 16 cm, 20 cm]], until: 0.05 s}}\n"
                           "probes:\n"
                           "  placed: {set: placed, quantity: mass_inside, region: {box: [[-9, -9, -9], [9, 9, 9]]}}\n"
                           "  poured: {set: poured, quantity: mass_inside, region: {box: [[-9, -9, -9], [9, 9, 9]]}}\n"
                           "  came: {source: poured, quantity: number}\n"
                           "checks: [{probe: came, final: true, expect: 5}, {probe: placed, final: true, expect: "
                           "0.02025 kg, within: 1e-12 kg}, {probe: "
                           "poured, final: true, expect: 0.09 kg, within: 1e-12 kg}]\n"
                           "#");
    rps_error err = {0};
    char *trimmed = text_replace(text, ", material: steel, position: [1 cm, 0, 10.5 mm]}", "");
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    options.until = "0.1 s";
    options.text = trimmed;
    options.text_bytes = strlen(trimmed);
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(summary.checks == 3 && summary.checks_failed == 0);
    free(trimmed);
    free(text);
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *body, *part;
    } broken[] = {
        {"shape: {mesh: {file: FOLDER/open.obj, unit: mm, parts: true}}", "open.obj, part 1"},
        {"shape: {mesh: {file: FOLDER/dent.obj, unit: mm, parts: true}}", "is not convex"},
        {"pieces: [{shape: {sphere: {radius: 1 mm}}}, {shape: {mesh: {file: FOLDER/dent.obj, unit: mm}}}]", "piece 1"},
        {"shape: {mesh: {file: FOLDER/bar.obj, unit: mm, parts: true, side: outer}}",
         "leave out `side`, or leave out `parts`"},
        {"shape: {mesh: {file: FOLDER/bar.obj, unit: mm, parts: true, spheres: 5}}", "leave out `spheres`"},
        {"shape: {mesh: {file: FOLDER/bar.obj, unit: mm, parts: 3}}", "`parts` must be one of false|true"},
        {"shape: {mesh: {file: FOLDER/none.obj, unit: mm, parts: true}}", "none.obj"},
        {"pieces: [{shape: {plane: {normal: [0, 0, 1]}}}]", "a plane is a body by itself"},
    };
    rps_error err;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        char *text = with_body(broken[k].body);
        scene_refused(text, &err);
        if (!strstr(err.text, broken[k].part)) fail_msg("expected \"%s\", got: %s", broken[k].part, err.text);
        free(text);
    }
    char *text = with_body("shape: {mesh: {file: FOLDER/objects.obj, unit: mm, parts: true}}");
    char *placed = text_replace(text, "position: [1 cm, 0, 10.5 mm]", "place: {rest on: floor}");
    scene_refused(placed, &err);
    if (!strstr(err.text, "a mesh cannot be placed on others")) fail_msg("%s", err.text);
    free(placed);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_materials),
                                       cmocka_unit_test(test_particles), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
