/* Packings: as many grains as asked, none overlaps another, a wall or what is held; what cannot be packed is refused. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene/overlap_grid.h"
#include "scene/scene_internal.h"
#include "scene/solid.h"

#define HEAD                                                                                                         \
    "repose: 1\ngravity: none\nmaterials: {a: {density: 1000}}\n"                                                    \
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 1e3}, damping: none, slide: none, roll: none, spin: " \
    "none}]\nrun: {step: 1e-5, until: 1}\n"
#define CELL "region: [[0, 0, 0], [1, 1, 1]]"

/* A scene with one set, `s`; `more`: keys of the scene. */
static rps_scene *packed(const char *more, const char *grain, const char *packing, rps_world **world) {
    char text[2048];
    snprintf(text, sizeof text, HEAD "%sparticles: [{name: s, material: a, %s, generator: {packing: {%s}}}]\n", more,
             grain, packing);
    return scene_make(text, world);
}

static void release(rps_scene *scene, rps_world *world) {
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* The scene itself refuses overlaps above .05; here there are none at all. `edges`: of half of the width, as far as the edges of
 * sharp boxes reach through each other before they touch (detect/pair_core.h, the ends of edges: .02 each). */
static void assert_apart(const rps_world *world, double edges) {
    rps_overlap worst;
    assert_int_equal(rps_near_worst_overlap(world, 1.0, &worst, NULL), RPS_OK);
    assert_false(worst.same_centre);
    assert_true(worst.relative <= edges);
}

static double sum_of_mass(const rps_world *world) {
    double mass = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) mass += world->bodies.mass[s][0];
    return mass;
}

#define ASSERT_MASS(world, each)                                                                          \
    do {                                                                                                  \
        for (size_t one = 0; one < (world)->bodies.count; one++)                                          \
            assert_true(fabs((world)->bodies.mass[one][0] / (each)-1.0) < 1e-12); /* round-off of sums */ \
    } while (0)

/* --- what is asked for --------------------------------------------------------------------------------------------- */

/* The volume is that asked for to within half a particle; the bits depend on the seed alone. */
static void fills_the_fraction(void **state) {
    static const char grain[] = "radius: {uniform: [0.04, 0.07]}", packing[] = CELL ", fraction: 0.6";
    uint64_t hash[3][2];
    (void)state;
    for (int k = 0; k < 3; k++) {
        rps_world *world;
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "periodic: [1, 1, 1]\nparticles: [{name: s, material: a, %s, generator: {packing: {%s}}}]\n",
                 grain, packing);
        char *set = text_replace(text, "until: 1",
                                 k == 0   ? "until: 1, threads: 1"
                                 : k == 1 ? "until: 1, threads: 3"
                                          : "until: 1, seed: 2");
        rps_scene *scene = scene_make(set, &world);
        free(set);
        const double largest = 4.0 / 3.0 * 3.14159265358979 * pow(0.07, 3.0);
        assert_true(fabs(sum_of_mass(world) / 1000.0 - 0.6) <= 0.5 * largest);
        assert_apart(world, 0.0);
        assert_int_equal(rps_world_hash(world, hash[k], NULL), RPS_OK);
        release(scene, world);
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    assert_memory_not_equal(hash[0], hash[2], sizeof hash[0]);
}

static void packs_the_count(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = packed("periodic: [1, 1, 1]\n", "radius: 0.08, count: 250", CELL, &world);
    assert_int_equal(world->bodies.count, 250);
    assert_apart(world, 0.0);
    release(scene, world);
}

/* --- shapes -------------------------------------------------------------------------------------------------------- */

/* Fractions that random packings of these shapes reach without friction with room to spare. */
static void packs_any_shape(void **state) {
    static const char *const shape[][2] = {
        {"shape: {box: {size: [0.2, 0.2, 0.2]}}", "0.45"},
        {"shape: {ellipsoid: {semi_axes: [0.08, 0.1, 0.14]}}", "0.55"},
        {"shape: {cylinder: {radius: 0.08, length: 0.2}}", "0.45"},
        {"shape: {capsule: {radius: 0.07, length: 0.2}}, scale: {uniform: [0.8, 1]}", "0.5"},
        {"pieces: [{shape: {sphere: {radius: 0.08}}}, {shape: {sphere: {radius: 0.08}}, position: [0.1, 0, 0]}]",
         "0.5"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        char packing[128];
        rps_world *world;
        snprintf(packing, sizeof packing, CELL ", fraction: %s", shape[k][1]);
        rps_scene *scene = packed("periodic: [1, 1, 1]\n", shape[k][0], packing, &world);
        assert_apart(world, k == 0 ? 0.04 : 0.0);
        release(scene, world);
    }
}

/* An octahedron with half axes .1, .08 and .12, of .00128 m^3; an L of two bricks, whose parts are groups; a corner whose tip is pushed
 * in. */
static void write_grains(void) {
    write_file("packing_grain.obj", "v 0.1 0 0\nv -0.1 0 0\nv 0 0.08 0\nv 0 -0.08 0\nv 0 0 0.12\nv 0 0 -0.12\n"
                                    "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n");
    static const char brick[] =
        "f %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\n";
    static const int at[24] = {1, 3, 4, 2, 5, 6, 8, 7, 1, 2, 6, 5, 3, 7, 8, 4, 1, 5, 7, 3, 2, 4, 8, 6};
    char text[2048];
    int used = 0;
    for (int b = 0; b < 2; b++) {
        int n[24];
        for (int k = 0; k < 24; k++) n[k] = at[k] + 8 * b;
        used += snprintf(text + used, sizeof text - (size_t)used, "o brick_%d\n", b);
        for (int p = 0; p < 8; p++) {
            const double x = (p % 2) * (b == 0 ? 0.16 : 0.06), y = p / 2 % 2 * 0.06,
                         z = (p / 4) * (b == 0 ? 0.06 : 0.16);
            used += snprintf(text + used, sizeof text - (size_t)used, "v %g %g %g\n", x, y, z);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, brick, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7],
                         n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17], n[18], n[19], n[20], n[21],
                         n[22], n[23]);
    }
    write_file("packing_l.obj", text);
    write_file("packing_dent.obj", "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nv 1 1 1\n"
                                   "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n");
}

static void remove_grains(void) {
    unlink("packing_grain.obj");
    unlink("packing_l.obj");
    unlink("packing_dent.obj");
}

#define OCTAHEDRON "shape: {mesh: {file: packing_grain.obj, unit: m}}"

/* Meshes grow as meshes of many sizes, and are put down in those of the set. None has a point in common with another, by separating
 * axes; edges of meshes pass through each other as those of boxes do. */
static void packs_meshes(void **state) {
    static const double volume = 0.00128;
    uint64_t hash[2][2];
    rps_world *world;
    (void)state;
    write_grains();
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD
                 "periodic: [0.7, 0.7, 0]\nparticles: [{name: s, material: a, %s, scale: {list: [[0.8, 1], [1, 2]]}, "
                 "generator: {packing: {region: [[0, 0, 0], [0.7, 0.7, 0.7]], fraction: 0.4}}}]\n",
                 OCTAHEDRON);
        char *set = text_replace(text, "until: 1", k == 0 ? "until: 1, threads: 1" : "until: 1, threads: 3");
        rps_scene *scene = scene_make(set, &world);
        assert_true(fabs(sum_of_mass(world) / 1000.0 - 0.4 * 0.343) <= 0.5 * volume);
        assert_int_equal(world->meshes, 2);
        assert_apart(world, 0.04);
        for (size_t s = 0; s < world->bodies.count; s++) {
            const double size = cbrt(world->bodies.mass[s][0] / (1000.0 * volume)),
                         z = world->bodies.pose[s].position[2];
            assert_true(fabs(size - 0.8) < 1e-12 || fabs(size - 1.0) < 1e-12);
            assert_true(z > 0.0438 && z < 0.6562);
        }
        assert_int_equal(rps_world_hash(world, hash[k], NULL), RPS_OK);
        release(scene, world);
        free(set);
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    /* bodies of pieces, half as large */
    rps_scene *scene = packed("", "shape: {mesh: {file: packing_l.obj, unit: m, parts: true}}, scale: 0.5",
                              "region: [[0, 0, 0], [0.4, 0.4, 0.4]], fraction: 0.2", &world);
    const double l = (0.16 * 0.06 * 0.06 + 0.1 * 0.06 * 0.06) / 8.0;
    assert_true(fabs(sum_of_mass(world) / 1000.0 - 0.2 * 0.064) <= 0.5 * l);
    ASSERT_MASS(world, 1000.0 * l);
    assert_apart(world, 0.04);
    release(scene, world);
    remove_grains();
}

static void refuses_meshes(void **state) {
    static const char *const refused[][2] = {
        {"shape: {mesh: {file: packing_dent.obj, unit: cm}}, count: 9, generator: {packing: {" CELL "}}",
         "meshes do that are convex"},
        {OCTAHEDRON ", count: 9, generator: {packing: {" CELL ", pressure: 1 Pa}}",
         "does not grow until it bears a pressure"},
    };
    (void)state;
    write_grains();
    for (size_t k = 0; k < 2; k++) {
        rps_error err;
        char text[1024];
        snprintf(text, sizeof text, HEAD "particles: [{name: s, material: a, %s}]\n", refused[k][0]);
        scene_refused(text, &err);
        if (!strstr(err.text, refused[k][1])) fail_msg("%s", err.text);
    }
    remove_grains();
}

/* Grains that are all aligned stay so. */
static void keeps_the_orientation(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene =
        packed("periodic: [1, 1, 1]\n", "shape: {ellipsoid: {semi_axes: [0.08, 0.1, 0.14]}}, orientation: aligned",
               CELL ", fraction: 0.5", &world);
    for (size_t s = 0; s < world->bodies.count; s++) assert_true(world->bodies.orientation[s][0] == 1.0);
    assert_apart(world, 0.0);
    release(scene, world);
}

static void packs_disks(void **state) {
    rps_world *world;
    double area = 0.0;
    (void)state;
    rps_scene *scene = packed("dimension: 2\n", "radius: {uniform: [0.02, 0.03]}",
                              "region: [[0, 0, 0], [1, 0, 1]], fraction: 0.8", &world);
    for (size_t s = 0; s < world->bodies.count; s++) {
        const rps_pose *pose = &world->bodies.pose[s];
        const double r = pose->radius[0];
        area += 3.14159265358979 * r * r;
        for (int k = 0; k < 3; k += 2) assert_true(pose->position[k] >= r && pose->position[k] <= 1.0 - r);
    }
    assert_true(fabs(area - 0.8) <= 0.5 * 3.14159265358979 * 0.03 * 0.03);
    assert_apart(world, 0.0);
    release(scene, world);
}

/* --- walls --------------------------------------------------------------------------------------------------------- */

/* The region's own walls: every ball lies wholly in it. */
static void stays_in_the_region(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = packed("", "radius: 0.07", CELL ", fraction: 0.55", &world);
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position;
        for (int k = 0; k < 3; k++) assert_true(x[k] >= 0.07 && x[k] <= 0.93);
    }
    release(scene, world);
    scene = packed("", "radius: 0.07", "region: {sphere: {center: [1, 2, 3], radius: 0.5}}, fraction: 0.5", &world);
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position;
        assert_true(sqrt(pow(x[0] - 1.0, 2.0) + pow(x[1] - 2.0, 2.0) + pow(x[2] - 3.0, 2.0)) <= 0.43);
    }
    release(scene, world);
    scene = packed("", "radius: 0.07",
                   "region: {cylinder: {from: [0, 0, 0], to: [0.6, 0, 0.8], radius: 0.4}}, fraction: 0.5", &world);
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position, along = 0.6 * x[0] + 0.8 * x[2];
        const double square = (x[0] * x[0] + x[1] * x[1]) + x[2] * x[2] - along * along;
        assert_true(along >= 0.07 && along <= 0.93 && sqrt(square) <= 0.33);
    }
    release(scene, world);
}

/* Bodies of the scene are held where they are, also a mesh and a set before; one that is excluded counts for nothing. */
static void leaves_room_for_what_is_there(void **state) {
    static const char mesh[] = "v 0.3 0.3 0.3\nv 0.7 0.3 0.3\nv 0.3 0.7 0.3\nv 0.3 0.3 0.7\n"
                               "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    static const char bodies[] =
        "bodies:\n  - {name: ball, shape: {sphere: {radius: 0.2}}, material: a, fixed: true, position: [0.8, 0.8, "
        "0.8]}\n"
        "  - {name: core, shape: {mesh: {file: packing_core.obj, unit: m}}, material: a, fixed: true}\n"
        "  - {name: ghost, shape: {sphere: {radius: 0.3}}, material: a, fixed: true, position: [0.5, 0.5, 0]}\n"
        "exclude: [[ghost, s], [ghost, core], [ghost, ball]]\n";
    rps_world *world;
    size_t near = 0;
    (void)state;
    write_file("packing_core.obj", mesh);
    rps_scene *scene = packed(bodies, "radius: 0.05", CELL ", fraction: 0.5", &world);
    unlink("packing_core.obj");
    for (size_t s = 0; s < world->bodies.count; s++) {
        const uint64_t id = world->bodies.id[s][0];
        const double *x = world->bodies.pose[s].position;
        if (id < 3) continue;
        for (uint64_t other = 0; other < 2; other++)
            assert_true(rps_body_gap(world, s, rps_world_slot(world, other), 1.0) >= 0.0);
        near += sqrt(pow(x[0] - 0.5, 2.0) + pow(x[1] - 0.5, 2.0) + pow(x[2], 2.0)) < 0.3;
    }
    assert_true(near > 0);
    release(scene, world);
}

/* The inside of a mesh: balls keep clear of the four faces of a corner cut off a cube. */
static void packs_the_inside_of_a_mesh(void **state) {
    static const char mesh[] = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    rps_world *world;
    (void)state;
    write_file("packing_corner.obj", mesh);
    rps_scene *scene =
        packed("", "radius: 0.07",
               "region: {mesh: {file: packing_corner.obj, unit: m, position: [0, 0, 1]}}, fraction: 0.45", &world);
    unlink("packing_corner.obj");
    assert_true(fabs(sum_of_mass(world) / 1000.0 - 0.45 * 8.0 / 6.0) <= 0.5 * 4.0 / 3.0 * 3.1416 * pow(0.07, 3.0));
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position, z = x[2] - 1.0;
        assert_true(x[0] >= 0.07 && x[1] >= 0.07 && z >= 0.07 && (2.0 - x[0] - x[1] - z) / sqrt(3.0) >= 0.07);
    }
    release(scene, world);
}

/* --- pressure ------------------------------------------------------------------------------------------------------ */

/* One ball between six walls: each pushes with pressure times area, so that the overlap is that over the stiffness. */
static void bears_the_pressure(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = packed("", "radius: 0.45, count: 1", CELL ", pressure: 1 Pa", &world);
    const double overlap = 1.0 / 1e3, radius = world->bodies.pose[0].radius[0];
    /* the pressure is met to 1 %, and the branch that it counts with is longer by half of the overlap, .1 % */
    assert_true(fabs(radius - 0.5 - overlap) < 0.011 * overlap);
    release(scene, world);
}

/* Many grains are in equilibrium: the forces on a grain cancel, to a part of those between two. */
static void begins_in_equilibrium(void **state) {
    rps_world *world;
    double most = 0.0;
    (void)state;
    rps_scene *scene = packed("periodic: [1, 1, 1]\n", "radius: {uniform: [0.07, 0.09]}",
                              CELL ", fraction: 0.5, pressure: 1 Pa", &world);
    const uint64_t count = world->bodies.count;
    rps_world_keep_contacts(world, true);
    assert_int_equal(rps_world_start(world, NULL), RPS_OK);
    for (uint64_t id = 0; id < count; id++) {
        double f[3], torque[3];
        assert_int_equal(rps_world_body_load(world, id, f, torque, NULL), RPS_OK);
        most = fmax(most, sqrt((f[0] * f[0] + f[1] * f[1]) + f[2] * f[2]));
    }
    const double between = 1.0 * 0.16 * 0.16; /* N, the pressure on the square of a diameter */
    assert_true(most < 0.02 * between);       /* the wait for rest ends when the pressure changes by .2 % */
    assert_true(rps_world_contact_count(world) > 2 * world->bodies.count); /* 6 a grain, rattlers less */
    release(scene, world);
}

/* --- refused ------------------------------------------------------------------------------------------------------- */

/* `count`: a key of the set, or nothing. Lines are short, so that errors show them whole. */
static void refuse(const char *more, const char *count, const char *packing, const char *at, const char *part) {
    char text[2048];
    rps_error err;
    snprintf(text, sizeof text,
             HEAD "%sparticles:\n- name: s\n  material: a\n  radius: 0.08\n%s  generator:\n    packing: %s\n", more,
             count, packing);
    scene_refused(text, &err);
    assert_error_at(&err, text, at, part);
}

static void refuses_what_cannot_be(void **state) {
    static const char cell[] = "periodic: [1, 1, 1]\n";
    static const char full[] =
        "bodies:\n- {shape: {sphere: {radius: 5}}, material: a, fixed: true, position: [1, 1, 1]}\n";
    (void)state;
    refuse(cell, "", "{" CELL ", fraction: 0.68}", "{" CELL, "the packing jams");
    refuse(cell, "", "{" CELL "}", "{" CELL, "one of the two");
    refuse(cell, "  count: 5\n", "{" CELL ", fraction: 0.3}", "{" CELL, "one of the two");
    refuse(cell, "", "{" CELL ", fraction: 1e-4}", "1e-4", "not even one particle");
    refuse(cell, "", "{region: [[0, 0, 0], [1, 1, 0.5]], fraction: 0.3}", "[[0, 0, 0]", "as long as the period");
    refuse("", "", "{region: [[0, 0, 0], [1, 1, 0.1]], fraction: 0.3}", "[[0, 0, 0]", "a particle needs");
    refuse(cell, "", "{region: {sphere: {center: [0, 0, 0], radius: 1}}, fraction: 0.3}", "{center", "is a box");
    refuse(full, "", "{" CELL ", fraction: 0.3}", "{" CELL, "no free place");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_fraction),
        cmocka_unit_test(packs_the_count),
        cmocka_unit_test(packs_any_shape),
        cmocka_unit_test(packs_meshes),
        cmocka_unit_test(refuses_meshes),
        cmocka_unit_test(keeps_the_orientation),
        cmocka_unit_test(packs_disks),
        cmocka_unit_test(stays_in_the_region),
        cmocka_unit_test(leaves_room_for_what_is_there),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(packs_the_inside_of_a_mesh),
        cmocka_unit_test(bears_the_pressure),
        cmocka_unit_test(begins_in_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
