/* Surfaces that run in scene files: the key of bodies, drives and stages, and what is refused. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/motion_table.h"
#include "world/surface_velocity.h"
#include "world/world.h"

static const char belt[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {rubber: {density: 1000 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [rubber, rubber], normal: {law: hooke, stiffness: 10 kN/m}, damping: none, slide: {law: tracked, "
    "static: 0.5, kinetic: 0.5, stiffness: 10 kN/m}, roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: belt, shape: {box: {size: [2, 2, 0.1]}}, material: rubber, fixed: true, surface_velocity: [1.5 m/s, 0, "
    "0]}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: rubber, position: [0, 0, 6 cm]}\n"
    "run: {step: 1e-5 s, until: 0.1 s}\n";

static const rps_drive *drive_of(const rps_world *world, uint64_t id) {
    const size_t slot = rps_world_slot(world, id);
    assert_int_equal(world->bodies.kind[slot][0], RPS_BODY_DRIVEN);
    return &world->driven[world->bodies.drive[slot][0]].now;
}

static void test_keys(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene = scene_make(belt, &world);
    assert_true(drive_of(world, 0)->surface_velocity[0] == 1.5 && drive_of(world, 0)->velocity[0] == 0.0);
    assert_true(drive_of(world, 0)->until < drive_of(world, 0)->from && world->surfaces);
    rps_world_destroy(world);
    rps_scene_free(scene);
    char *turns = text_replace(belt, "fixed: true, surface_velocity: [1.5 m/s, 0, 0]",
                               "drive: {amplitude: [1 mm, 0, 0], frequency: 10 Hz, surface_velocity: {about: [1, 2, "
                               "3], axis: [0, 0, -2], rate: 60 rev/min}, until: 2 s}");
    scene = scene_make(turns, &world);
    const rps_drive *drive = drive_of(world, 0);
    assert_true(fabs(drive->surface_turning[2] + 6.283185307179586) < 1e-14 && drive->surface_turning[0] == 0.0);
    assert_true(drive->surface_about[1] == 2.0 && drive->until == 2.0 && drive->amplitude[0] == 1e-3);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(turns);
}

/* A belt by a table stands, starts, and runs backward; in a stage it runs by another part of the same file. The ball slips at first and
 * gets mu g for as long as the belt is faster. */
static void test_table(void **state) {
    (void)state;
    static const char path[] = "/tmp/repose-scene-belt.csv";
    write_file(path, "time [ms],vx [mm/s],rate [rev/min]\n0,0,0\n10,1500,30\n50,1500,30\n");
    char *one = text_replace(belt, "[1.5 m/s, 0, 0]", "{table: {file: /tmp/repose-scene-belt.csv, axis: [0, 0, 2]}}");
    char *text = text_replace(one, "run: {step: 1e-5 s, until: 0.1 s}",
                              "run: {step: 1e-5 s}\n"
                              "stages:\n"
                              "  - {name: first, until: {time: 0.01 s}}\n"
                              "  - {name: then, drives: {belt: {surface_velocity: {about: [0, 1, 0], table: {file: "
                              "/tmp/repose-scene-belt.csv, axis: [0, 0, 1], repeat: true}}}}, until: {time: 0.02 s}}");
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    assert_int_equal(world->motions, 2);
    assert_int_equal(drive_of(world, 0)->surface_motion, 1);
    assert_int_equal(drive_of(world, 0)->motion, 0);
    assert_true(world->driven[0].runs && world->motion_table[1].repeat);
    const rps_surface_rates rates = rps_surface_mean(&world->driven[0], 4e-3, 2e-3);
    assert_true(fabs(rates.velocity.x - 0.45) < 1e-14);
    assert_true(fabs(rates.turning.z - 0.3 * 3.141592653589793) < 1e-14);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
    free(one);
    remove(path);
}

/* A sphere that stands still until a stage lets its surface run has contacts that can follow it. */
static void test_stages(void **state) {
    (void)state;
    char *sphere = text_replace(belt, "shape: {box: {size: [2, 2, 0.1]}}", "shape: {sphere: {radius: 5 cm}}");
    char *still = text_replace(sphere, "fixed: true, surface_velocity: [1.5 m/s, 0, 0]", "fixed: true");
    char *staged = text_replace(still, "run: {step: 1e-5 s, until: 0.1 s}",
                                "run: {step: 1e-5 s}\n"
                                "stages:\n"
                                "  - {name: rest, until: {time: 0.01 s}}\n"
                                "  - {name: runs, drives: {belt: {surface_velocity: [0.5, 0, 0]}}, until: {time: 0.02 "
                                "s}}");
    rps_world *world;
    rps_scene *scene = scene_make(staged, &world);
    assert_true(drive_of(world, 0)->surface_velocity[0] == 0.0);
    assert_true(world->driven[0].runs && rps_world_record_of(world, 0, 1) == RPS_RECORD_FRAME);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(staged);
    free(still);
    free(sphere);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *part;
    } edit[] = {
        {"fixed: true, surface", "surface", "only the surface of a fixed or driven body can run"},
        {"fixed: true, surface", "drive: {surface_velocity: [1, 0, 0]}, surface", "leave one out"},
        {"[1.5 m/s, 0, 0]", "[1.5 m, 0, 0]", "m/s"},
        {"[1.5 m/s, 0, 0]", "{axis: [0, 0, 0], rate: 1 rad/s}", "no length"},
        {"[1.5 m/s, 0, 0]", "{axis: [0, 0, 1]}", "add the one that is missing"},
        {"[1.5 m/s, 0, 0]", "{about: [0, 0, 1]}", "or a `table`"},
        {"[1.5 m/s, 0, 0]", "{table: none.csv}", "none.csv"},
    };
    for (size_t k = 0; k < sizeof edit / sizeof *edit; k++) {
        rps_error err;
        char *text = text_replace(belt, edit[k].find, edit[k].by);
        scene_refused(text, &err);
        if (!strstr(err.text, edit[k].part)) fail_msg("%s", err.text);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys), cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_stages), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
