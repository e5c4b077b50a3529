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
        {"time [s]\n0\n1\n", "no column but `time`"},
        {"time [s],x [m]\n0,0\n1,1\n", "gives an `axis`, but there is no column `angle`"},
        {"time [s],x [m],vy [m/s],angle [deg]\n0,0,0,0\n1,1,1,1\n", "along different axes"},
        {"time [s],wx [rad/s],angle [deg]\n0,0,0\n1,1,1\n", "not by both"},
        {"time [s],qw,qx,qy\n0,1,0,0\n1,1,0,0\n", "four columns, qw, qx, qy, qz"},
        {"time [s],qw,qx,qy,qz,wx [rad/s]\n0,1,0,0,0,0\n1,1,0,0,0,0\n", "not by both"},
        {"time [s],qw,qx,qy,qz\n0,1,0,0,0\n1,1,0,0,0\n", "write `interpolation: linear`"},
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

/* Rows of a gyration, whose axis itself turns: the quaternion of a turn about z after a tilt about x after a turn about z. */
static rps_quat gyration(double time) {
    const rps_quat about = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 20.0 * time);
    const rps_quat tilt = rps_quat_from_axis_angle(rps_vec3_make(1, 0, 0), 0.4 + 2.0 * time);
    return rps_quat_mul(about, rps_quat_mul(tilt, rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), -35.0 * time)));
}

/* The body stands at each row as the table says, from its own orientation, whichever of the two signs a row has. */
static void test_quaternions(void **state) {
    (void)state;
    enum { ROWS = 41, STEPS = 50 }; /* a row each 0.5 ms */
    char *text = malloc(ROWS * 200),
         *linear = text_replace(plate, "axis: [0, 0, 2], repeat: true", "interpolation: linear");
    assert_non_null(text);
    char *at = text + sprintf(text, "time [ms],qw,qx,qy,qz\n");
    for (int row = 0; row < ROWS; row++) {
        const rps_quat q = gyration(5e-4 * row);
        const double sign = row % 3 == 1 ? -1.0 : 1.0;
        at += sprintf(at, "%g,%.17g,%.17g,%.17g,%.17g\n", 0.5 * row, sign * q.w, sign * q.x, sign * q.y, sign * q.z);
    }
    write_motion(text);
    free(text);
    char *one = text_replace(linear, "0.1]}}, material: steel, drive",
                             "0.1]}}, orientation: {axis: [1, 2, 3], angle: 1}, material: steel, drive");
    memcpy(strstr(one, "[0, 0, 6 cm]"), "[9, 0, 9 m ]", 12); /* out of the way */
    char *staged = strstr(one, "stages:");
    *staged = '\0';
    rps_world *world;
    rps_scene *scene = scene_make(one, &world);
    const rps_quat start = rps_quat_from_axis_angle(rps_vec3_normalize(rps_vec3_make(1, 2, 3)), 1.0);
    double worst = 0.0, turned = 0.0;
    for (int row = 1; row < ROWS; row++) {
        rps_error err;
        assert_int_equal(rps_world_step(world, STEPS, &err), RPS_OK);
        const double *now = world->bodies.orientation[rps_world_slot(world, 0)];
        const rps_quat by = rps_quat_mul(gyration(5e-4 * row), rps_quat_conjugate(gyration(0.0)));
        const rps_quat q = rps_quat_mul(by, start);
        const double same = q.w * now[0] + q.x * now[1] + q.y * now[2] + q.z * now[3];
        worst = fmax(worst, 1.0 - fabs(same));
        turned = fmax(turned, 1.0 - fabs(by.w));
    }
    assert_true(turned > 0.01);
    if (!(worst < 1e-13)) fail_msg("%g", worst); /* round-off of 2,000 steps; half the square of an angle */
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(one);
    write_motion("time [s],qw,qx,qy,qz\n0,1,0,0,0\n1,0.9,0,0,0\n");
    rps_error err;
    scene_refused(linear, &err);
    assert_non_null(strstr(err.text, "motion.csv:3: the quaternion qw, qx, qy, qz has the length 0.9"));
    write_motion("time [s],qw,qx,qy,qz\n0,1,0,0,0\n1,0,1,0,0\n");
    scene_refused(linear, &err);
    assert_non_null(strstr(err.text, "motion.csv:3: the body turns by 180 degrees from the row before"));
    remove(path);
    free(linear);
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
                                       cmocka_unit_test(test_bad_scenes), cmocka_unit_test(test_quaternions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
