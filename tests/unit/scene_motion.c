/* Tables of motion in scenes: the file and its units, stages, and what is refused. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

static const char path[] = "/tmp/repose-scene-motion.csv";
static const char plate[] =
    "repose: 1\n"
    "gravity: none\n"
    "materials: {steel: {density: 1000 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [steel, steel], normal: {law: hooke, stiffness: 10 kN/m}, damping: none, slide: none, roll: none, "
    "spin: none}\n"
    "bodies:\n"
    "  - {name: plate, shape: {box: {size: [2, 2, 0.1]}}, material: steel, drive: {table: {file: "
    "/tmp/repose-scene-motion.csv, axis: [0, 0, 2], repeat: true}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 6 cm]}\n"
    "run: {step: 1e-5 s, until: 0.1 s}\n"
    "stages:\n"
    "  - {name: first, until: {time: 0.01 s}}\n"
    "  - {name: then, drives: {plate: {table: {file: /tmp/repose-scene-motion.csv, axis: [0, 0, -1], interpolation: "
    "linear}}}, until: {time: 0.02 s}}\n";

static void write_motion(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_units(void **state) {
    (void)state;
    rps_world *world;
    double value[6], slope[6];
    write_motion("\357\273\277# from a camera\r\ntime [ms];x [mm];angle (deg)\r\n0;5;0\r\n\r\n10;7;90\r\n");
    char *staged = text_replace(plate, "run: {step: 1e-5 s, until: 0.1 s}", "run: {step: 1e-5 s}");
    rps_scene *scene = scene_make(staged, &world);
    assert_int_equal(world->motions, 2);
    assert_int_equal(world->driven[0].now.motion, 1);
    rps_motion_table_at(&world->motion_table[0], 0.015, value, slope);
    /* linear between two rows, and repeated: 3 mm and 135 deg */
    assert_true(fabs(value[0] - 3e-3) < 1e-15 && fabs(value[5] - 2.356194490192345) < 1e-14 && value[1] == 0.0);
    assert_true(fabs(slope[0] - 0.2) < 1e-14 && world->motion_table[0].repeat && !world->motion_table[1].repeat);
    rps_motion_table_at(&world->motion_table[1], 0.02, value, slope);
    assert_true(fabs(value[5] + 1.5707963267948966) < 1e-14 && slope[5] == 0.0);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(staged);
}

static void test_bad_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } file[] = {
        {"", "is empty"},
        {"0,1\n1,2\n", "motion.csv:1: `0` is a number"},
        {"time [s],angle [deg]\n0,1\n", "motion.csv:1: 1 rows follow"},
        {"time [s],angle [deg]\n0,1\n0,2\n", "motion.csv:3: the time 0 s does not come after 0 s"},
        {"time [s],angle [deg]\n0,1\n1,nan\n", "motion.csv:3: `nan` of column `angle` is not a finite number"},
        {"time [s],angle [deg]\n0,1\n1,\n", "motion.csv:3: `` of column `angle` is empty"},
        {"time [s],angle [deg]\n0,1\n1,2,3\n", "motion.csv:3: the line has 3 fields"},
        {"time [s],angel [deg]\n0,1\n1,2\n", "no column `angel`; known are time x y z vx"},
        {"time [s],angle [deg],angle [deg]\n0,1,1\n1,2,2\n", "`angle` stands twice"},
        {"time [s],angle\n0,1\n1,2\n", "`angle` has no unit"},
        {"time [s],angle [mm]\n0,1\n1,2\n", "column `angle`: "},
        {"angle [deg]\n0\n1\n", "no column `time`"},
        {"time [s]\n0\n1\n", "no column but the time"},
        {"time [s],x [m]\n0,0\n1,1\n", "gives an `axis`, but there is no column `angle`"},
        {"time [s],x [m],vy [m/s],angle [deg]\n0,0,0,0\n1,1,1,1\n", "along different axes"},
        {"time [s],wx [rad/s],angle [deg]\n0,0,0\n1,1,1\n", "not by both"},
    };
    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        rps_error err;
        write_motion(file[k].text);
        scene_refused(plate, &err);
        if (!strstr(err.text, file[k].part)) fail_msg("%s", err.text);
    }
    remove(path);
    rps_error err;
    scene_refused(plate, &err);
    assert_non_null(strstr(err.text, "repose-scene-motion.csv"));
}

static void test_bad_scenes(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *part;
    } edit[] = {
        {", axis: [0, 0, 2]", "", "need the axis of the turn"},
        {"axis: [0, 0, 2]", "axis: [0, 0, 0]", "no length"},
        {", repeat: true}}", ", repeat: true}, force: 1 N, direction: [1, 0, 0]}", "prescribes a motion along"},
        {"repeat: true", "interpolation: spline", "cubic"},
    };
    write_motion("time [s],x [m],angle [deg]\n0,0,0\n1,1,90\n");
    for (size_t k = 0; k < sizeof edit / sizeof *edit; k++) {
        rps_error err;
        char *text = text_replace(plate, edit[k].find, edit[k].by);
        scene_refused(text, &err);
        if (!strstr(err.text, edit[k].part)) fail_msg("%s", err.text);
        free(text);
    }
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_bad_files),
                                       cmocka_unit_test(test_bad_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
