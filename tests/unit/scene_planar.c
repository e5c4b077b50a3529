/* Planar scenes: vectors of two numbers, areas, lattices, files, insertion, and refusals. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/elementary.h"
#include "world/world.h"

static const char base[] = "repose: 1\n"
                           "title: Disks\n"
                           "dimension: 2\n"
                           "depth: 0.5 m\n"
                           "gravity: {magnitude: 9.8 m/s^2, tilt: 5 deg, about: y}\n"
                           "periodic: {x: 4 m}\n"
                           "materials:\n"
                           "  glass: {density: 2500 kg/m^3}\n"
                           "pairs:\n"
                           "  - between: [glass, glass]\n"
                           "    normal: {law: hooke, stiffness: 1e6 N/m}\n"
                           "    damping: none\n"
                           "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e5 N/m}\n"
                           "    roll: {law: constant_torque, coefficient: 0.1}\n"
                           "    spin: none\n"
                           "bodies:\n"
                           "  - name: ground\n"
                           "    shape: {plane: {normal: [0, 2], point: [0, 0.1]}}\n"
                           "    material: glass\n"
                           "    fixed: true\n"
                           "  - name: disk\n"
                           "    shape: {disk: {radius: 0.2 m}}\n"
                           "    material: glass\n"
                           "    place: {rest on: ground, at: [1, 0]}\n"
                           "    velocity: [-0.5, 0, 0.25]\n"
                           "    angular_velocity: 60 rev/min\n"
                           "particles:\n"
                           "  - name: layer\n"
                           "    material: glass\n"
                           "    radius: 0.05 m\n"
                           "    generator: {lattice: {box: [[1, 1], [2, 2]], spacing: 0.2 m, kind: hexagonal}}\n"
                           "run: {step: 1e-5 s, until: 1 ms}\n"
                           "guards: {domain: [[-5, -1], [5, 9]]}\n"
                           "probes:\n"
                           "  packing: {quantity: packing_fraction, box: [[1, 0.2], [1.2, 0.4]]}\n";

static void test_reads(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene = scene_make(base, &world);
    assert_int_equal(world->options.dimension, 2);
    assert_true(world->options.depth == 0.5);
    const rps_bodies *b = &world->bodies;
    assert_true(b->normal[0][2] == 1.0 && b->pose[0].position[2] == 0.1);
    const double mass = 2500.0 * RPS_PI * 0.04 * 0.5, weight = 9.8 * mass * cos(5.0 / 180.0 * RPS_PI);
    assert_true(fabs(b->mass[1][0] - mass) < 1e-14 * mass);
    assert_true(fabs(b->pose[1].position[2] - (0.3 - weight / 1e6)) < 1e-14);
    assert_true(b->pose[1].position[0] == 1.0 && b->pose[1].position[1] == 0.0);
    assert_true(b->motion[1].velocity[0] == -0.5 && b->motion[1].velocity[2] == 0.25);
    assert_true(fabs(b->motion[1].angular_velocity[1] - 2.0 * RPS_PI) < 1e-14);
    assert_true(world->options.guards.low[1] < 0.0 && world->options.guards.high[1] > 0.0);
    /* rows of 6 at a distance of 0.2 sqrt(3)/2: 6 of them within 1 m; every second one shifted */
    assert_int_equal(b->count, 2 + 36);
    double nearest = INFINITY;
    for (size_t i = 2; i < b->count; i++) {
        assert_true(b->pose[i].position[1] == 0.0);
        for (size_t k = 2; k < i; k++) {
            const double x = b->pose[i].position[0] - b->pose[k].position[0];
            const double z = b->pose[i].position[2] - b->pose[k].position[2];
            nearest = fmin(nearest, sqrt(x * x + z * z));
        }
    }
    assert_true(fabs(nearest - 0.2) < 1e-14);
    /* a quarter of the disk of 0.2 m lies beyond x = 1 and beyond its own height; of it what the box leaves */
    double packing;
    rps_error err;
    assert_int_equal(rps_scene_probe_value(scene, world, 0, &packing, &err), RPS_OK);
    assert_true(packing > 0.0 && packing <= 1.0);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Areas: a face through the middle leaves half, one at R/2 the segment of 120 degrees. */
static void test_packing_is_of_areas(void **state) {
    (void)state;
    const double radius = 0.2, area = RPS_PI * radius * radius;
    static const struct {
        const char *box;
        double size, part;
    } cut[] = {{"[[0.5, 0.05], [1.5, 1]]", 0.95, 1.0}, {"[[1, 0.05], [1.5, 1]]", 0.475, 0.5}};
    for (int k = 0; k < 2; k++) {
        char *text = text_replace(base, "[[1, 0.2], [1.2, 0.4]]", cut[k].box);
        char *alone = text_replace(text, "packing_fraction,", "packing_fraction, set: one,");
        char *one = text_replace(alone, "lattice: {box: [[1, 1], [2, 2]], spacing: 0.2 m, kind: hexagonal}",
                                 "lattice: {box: [[1, 0.75], [1, 0.75]], spacing: 1 m}");
        char *named = text_replace(one, "name: layer", "name: one");
        char *wide = text_replace(named, "radius: 0.05 m", "radius: 0.2 m");
        rps_world *world;
        rps_scene *scene = scene_make(wide, &world);
        double packing;
        rps_error err;
        assert_int_equal(rps_scene_probe_value(scene, world, 0, &packing, &err), RPS_OK);
        assert_true(fabs(packing - cut[k].part * area / cut[k].size) < 1e-14);
        rps_world_destroy(world);
        rps_scene_free(scene);
        free(text);
        free(alone);
        free(one);
        free(named);
        free(wide);
    }
}

static void test_file_and_pour(void **state) {
    (void)state;
    char path[] = "/tmp/repose-planar-XXXXXX", by[400];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, "x,z,radius,vx,wy\n1,1,0.05,0.5,2\n1.5,1,0.07,0,0\n");
    static const char lattice[] =
        "    radius: 0.05 m\n"
        "    generator: {lattice: {box: [[1, 1], [2, 2]], spacing: 0.2 m, kind: hexagonal}}\n";
    snprintf(by, sizeof by, "    file: {path: %s, format: csv}\n", path);
    char *text = text_replace(base, lattice, by);
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    assert_int_equal(world->bodies.count, 4);
    assert_true(world->bodies.motion[2].angular_velocity[1] == 2.0 && world->bodies.pose[3].radius[0] == 0.07);
    rps_world_destroy(world);
    rps_scene_free(scene);
    rps_error err;
    write_file(path, "x,y,z,radius\n1,0.1,1,0.05\n");
    scene_refused(text, &err);
    assert_non_null(strstr(err.text, "planar"));
    assert_non_null(strstr(err.text, ":2:"));
    free(text);
    unlink(path);
    text = text_replace(base, lattice,
                        "    radius: {uniform: [0.04, 0.06]}\n    count: 20\n"
                        "    pour: {region: [[1, 1], [2, 2]], until: 0 s, velocity: [0, -1]}\n");
    scene = scene_make(text, &world);
    size_t added;
    assert_int_equal(rps_scene_insert(scene, world, &added, &err), RPS_OK);
    assert_int_equal(added, 20);
    for (size_t s = 2; s < 22; s++) {
        const rps_pose *pose = &world->bodies.pose[s];
        assert_true(pose->position[1] == 0.0 && world->bodies.motion[s].velocity[2] == -1.0);
        assert_true(pose->position[2] >= 1.0 + pose->radius[0] && pose->position[2] <= 2.0 - pose->radius[0]);
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* Disks said as a shape with sizes by `scale`; and one that rests on two. */
static void test_shapes_and_stack(void **state) {
    (void)state;
    char *sized = text_replace(base, "    radius: 0.05 m\n",
                               "    shape: {disk: {radius: 0.04 m}}\n    scale: {uniform: [1, 1.5]}\n");
    char *text = text_replace(sized, "particles:\n",
                              "  - {name: b, shape: {disk: {radius: 0.2 m}}, material: glass, place: {rest on: ground, "
                              "at: [1.5, 0]}}\n"
                              "  - {name: top, shape: {disk: {radius: 0.2 m}}, material: glass, place: "
                              "{touch: [disk, b]}}\nparticles:\n");
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    const rps_bodies *b = &world->bodies;
    assert_int_equal(b->count, 4 + 36);
    const double x = b->pose[3].position[0] - b->pose[1].position[0];
    const double z = b->pose[3].position[2] - b->pose[1].position[2];
    assert_true(fabs(sqrt(x * x + z * z) - 0.4) < 1e-14 && z > 0.3 && b->pose[3].position[1] == 0.0);
    double smallest = INFINITY, largest = 0.0;
    for (size_t s = 4; s < b->count; s++) {
        const double radius = b->pose[s].radius[0], mass = 2500.0 * RPS_PI * radius * radius * 0.5;
        smallest = fmin(smallest, radius);
        largest = fmax(largest, radius);
        assert_true(fabs(b->mass[s][0] - mass) < 1e-14 * mass);
    }
    assert_true(smallest >= 0.04 && smallest < 0.045 && largest <= 0.06 && largest > 0.055);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(sized);
    free(text);
}

static const struct {
    const char *find, *by; /* an edit of the scene above */
    const char *at;        /* where in the edited text the caret points */
    const char *part;      /* of the message */
} broken[] = {
    {"dimension: 2", "dimension: 1", "1\ndepth", "`dimension` must lie from 2 to 3"},
    {"depth: 0.5 m", "depth: 0 m", "0 m\n", "`depth` must be above 0"},
    {"depth: 0.5 m", "depth: 3 kg", "3 kg\n", "a length"},
    {"about: y", "about: x", "x}", "tilted about y"},
    {"{magnitude: 9.8 m/s^2, tilt: 5 deg, about: y}", "[0, -1, -9.8]", "-1, -9.8", "part along y"},
    {"{x: 4 m}", "{y: 4 m}", "4 m}", "no period along y"},
    {"{x: 4 m}", "[4, 4, 0]", "4, 0]", "part along y"},
    {"normal: [0, 2]", "normal: [0, 0.1, 2]", "0.1, 2]", "part along y"},
    {"normal: [0, 2]", "normal: [2]", "[2]", "has 1 values"},
    {"{disk: {radius: 0.2 m}}", "{sphere: {radius: 0.2 m}}", "name: disk", "three dimensions"},
    {"{disk: {radius: 0.2 m}}\n", "{disk: {radius: 0 m}}\n", "0 m}}", "above 0"},
    {"velocity: [-0.5, 0, 0.25]", "velocity: [-0.5, 1e-9, 0.25]", "1e-9", "part along y"},
    {"60 rev/min", "[1, 2, 0]", "1, 2, 0]", "part along x"},
    {"60 rev/min", "[0, 2, 1]", "1]\nparticles", "part along z"},
    {"60 rev/min", "[1, 2]", "[1, 2]", "has 2 values"},
    {"60 rev/min", "1 m/s", "1 m/s", "angular velocity"},
    {"at: [1, 0]", "at: [1, 1, 0]", "1, 0]}\n    vel", "part along y"},
    {"    place: {rest on: ground, at: [1, 0]}", "    position: [1, 0.5, 1]", "0.5, 1]", "part along y"},
    {"    place: {rest on: ground, at: [1, 0]}", "    position: [1, 1]\n    orientation: [1, 0.2, 0, 0]", "name: disk",
     "another axis than y"},
    {"    place: {rest on: ground, at: [1, 0]}",
     "    position: [1, 1]\n    orientation: {axis: [0, 1, 1], angle: 9 deg}", "1], angle", "part along z"},
    {"shape: {disk: {radius: 0.2 m}}\n    material: glass\n    place: {rest on: ground, at: [1, 0]}",
     "pieces: [{shape: {sphere: {radius: 0.2 m}}}]\n    material: glass", "name: disk", "planar"},
    {"    fixed: true", "    drive: {velocity: [0, 1, 0]}", "1, 0]}\n  - name: disk", "part along y"},
    {"    fixed: true", "    drive: {angular_velocity: [1, 0, 0]}", "1, 0, 0]}\n  - name: disk", "part along x"},
    {"    fixed: true", "    drive: {amplitude: [0, 1, 0], frequency: 1 Hz}", "1, 0], freq", "part along y"},
    {"box: [[1, 1], [2, 2]]", "box: [[1, 0, 1], [2, 1, 2]]", "1, 2]], spac", "part along y"},
    {"[[-5, -1], [5, 9]]", "[[-5, -1], [-6, 9]]", "[[-5", "ends before it begins along x"},
    {"dimension: 2\n", "", "[0, 2]", "has 2 values"},
};

static void test_broken(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        char *text = text_replace(base, broken[k].find, broken[k].by);
        rps_error err;
        scene_refused(text, &err);
        assert_error_at(&err, text, broken[k].at, broken[k].part);
        free(text);
    }
}

/* Keys of planar scenes only. */
static void test_not_in_space(void **state) {
    (void)state;
    static const char text[] =
        "repose: 1\ngravity: none\nmaterials: {a: {density: 1}}\n"
        "bodies:\n  - {name: d, shape: {disk: {radius: 1}}, material: a}\nrun: {step: 1, until: 1}\n";
    rps_error err;
    scene_refused(text, &err);
    assert_error_at(&err, text, "{name: d", "use a cylinder");
    char *beyond_guard = text_replace(text, "gravity", "depth: 2 m\ngravity");
    scene_refused(beyond_guard, &err);
    assert_error_at(&err, beyond_guard, "2 m", "only a planar scene has a depth");
    free(beyond_guard);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),         cmocka_unit_test(test_packing_is_of_areas),
        cmocka_unit_test(test_file_and_pour), cmocka_unit_test(test_shapes_and_stack),
        cmocka_unit_test(test_broken),        cmocka_unit_test(test_not_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
