/* Sources on faces: particles lie before the face, are spread evenly over it, and leave it along its normal. */
#include "simulation_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/body.h>
#include <repose/step.h>

#include "world/world.h"

#define WORLD                                                                                                          \
    "repose: 1\ngravity: none\nmaterials: {a: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"                          \
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 100}, damping: none, slide: none, roll: none, spin: "   \
    "none}]\nrun: {step: 1e-7, until: 4e-6}\nguards: {step: off}\n"                                                    \
    "particles:\n  - {name: rain, material: a, count: 400, radius: {list: [[1 mm, 1], [2 mm, 1]]}, pour: {until: 3e-6" \
    ", tries: 2000, "

/* Places, velocities and radii of all that came after the bodies of the scene. */
static size_t came(rps_simulation *s, size_t bodies, double x[][3], double v[][3], double radius[], size_t most) {
    rps_world *world = rps_simulation_world(s);
    const uint64_t ids = rps_world_id_end(world);
    size_t count = 0;
    for (uint64_t id = bodies; id < ids && count < most; id++, count++) {
        MUST(rps_world_body_position(world, id, x[count], &must));
        MUST(rps_world_body_velocity(world, id, v[count], &must));
        radius[count] = world->bodies.pose[rps_world_slot(world, id)].radius[0];
    }
    return count;
}

enum { GRAINS = 400 };
static double at[GRAINS][3], velocity[GRAINS][3], radius_of[GRAINS];

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* Both in a tilted plane; the way since the birth is below 1e-5 m. */
static void leaves_a_plane(void **state) {
    static const char *const region[] = {
        "rectangle: {corner: [1, 2, 3], sides: [[0.4, 0, -0.3], [0, 0.8, 0]]}",
        "disk: {center: [1.2, 2.4, 2.85], normal: [0.3, 0, 0.4], radius: 0.4}",
    };
    static const double normal[3] = {0.6, 0.0, 0.8}, center[3] = {1.2, 2.4, 2.85}, along[3] = {0.8, 0.0, -0.6};
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        char text[2048];
        snprintf(text, sizeof text, WORLD "region: {%s}, velocity: [1, 0, 0], speed: 2 m/s}}\n", region[kind]);
        rps_simulation *s = create(text, NULL);
        MUST(rps_simulation_finish(s, &must));
        assert_int_equal(came(s, 0, at, velocity, radius_of, GRAINS), GRAINS);
        int right = 0;
        for (int k = 0; k < GRAINS; k++) {
            double off[3];
            for (int m = 0; m < 3; m++) {
                assert_true(fabs(velocity[k][m] - 2.0 * normal[m] - (m == 0)) < 1e-14);
                off[m] = at[k][m] - center[m];
            }
            assert_true(fabs(dot(off, normal)) < 2e-5);
            if (kind == 0) {
                assert_true(fabs(dot(off, along)) < 0.25 - radius_of[k] + 2e-5);
                assert_true(fabs(off[1]) < 0.4 - radius_of[k] + 2e-5);
            }
            right += off[1] > 0.0;
        }
        assert_true(abs(right - GRAINS / 2) < 40); /* four deviations of 400 draws */
        rps_simulation_destroy(s);
    }
}

/* A square of two triangles in z = 0, and a third of twice their area upright; all is also a wall. */
static const char surface[] = "v 0 0 0\nv 100 0 0\nv 100 100 0\nv 0 100 0\nv 300 0 0\nv 300 100 0\nv 300 0 200\n"
                              "f 1 2 3\nf 1 3 4\nf 5 6 7\n";

static void leaves_a_surface(void **state) {
    char text[2048];
    (void)state;
    write_file("source_faces.obj", surface);
    for (int inner = 0; inner < 2; inner++) {
        snprintf(text, sizeof text,
                 WORLD
                 "region: {surface: {file: source_faces.obj, unit: mm, side: %s}}, speed: 2 m/s}}\n"
                 "bodies:\n  - {name: wall, material: a, fixed: true, shape: {mesh: {file: source_faces.obj, unit: "
                 "mm}}}\n"
                 "probes: {overlap: {quantity: overlap_max}, n: {quantity: contacts}}\n",
                 inner ? "inner" : "outer");
        rps_simulation *s = create(text, NULL);
        MUST(rps_simulation_finish(s, &must));
        assert_int_equal(came(s, 1, at, velocity, radius_of, GRAINS), GRAINS);
        int upright = 0, half = 0, far = 0;
        for (int k = 0; k < GRAINS; k++) {
            const bool up = at[k][0] > 0.2;
            const double out = inner ? -1.0 : 1.0, *v = velocity[k];
            const double way = 2.0 * 4e-6, off = up ? at[k][0] - 0.3 : at[k][2];
            assert_true(up ? v[0] == out * 2.0 && v[2] == 0.0 : v[2] == out * 2.0 && v[0] == 0.0);
            assert_true(out * off >= radius_of[k] && out * off < radius_of[k] * (1.0 + 1e-6) + way);
            upright += up;
            far += up && at[k][1] + 0.5 * at[k][2] > 0.05; /* three quarters of the third */
            half += !up && at[k][0] > at[k][1];            /* of the first triangle */
        }
        /* halves and quarters of the area, within four deviations of 400 draws */
        assert_true(abs(upright - GRAINS / 2) < 40 && abs(half - GRAINS / 4) < 35);
        assert_true(fabs(far - 0.75 * upright) < 25.0); /* of the upright ones */
        double contacts;
        MUST(rps_simulation_probe(s, "n", &contacts, &must));
        assert_true(contacts == 0.0); /* nothing overlaps the wall or another */
        rps_simulation_destroy(s);
    }
    unlink("source_faces.obj");
}

static void face_refused(const char *how, const char *part) {
    char text[2048];
    rps_error err;
    snprintf(text, sizeof text, WORLD "%s}}\n", how);
    scene_refused(text, &err);
    if (!strstr(err.text, part)) fail_msg("%s: %s", how, err.text);
}

static void bad_faces(void **state) {
    (void)state;
    face_refused("region: [[0, 0, 0], [1, 1, 1]], speed: 1", "give a `velocity`");
    face_refused("region: {rectangle: {corner: [0, 0, 0], sides: [[1, 0, 0], [0.1, 1, 0]]}}", "at right angles");
    face_refused("region: {rectangle: {corner: [0, 0, 0], sides: [[1, 0, 0], [0, 0, 0]]}}", "no length");
    face_refused("region: {rectangle: {corner: [0, 0, 0], sides: [[1, 0, 0], [0, 1 mm, 0]]}}",
                 "0.001 m long; a particle needs 0.004 m");
    face_refused("region: {surface: {file: nowhere.stl, unit: mm}}", "nowhere.stl");
    face_refused("region: {surface: {unit: mm}}", "`file` is missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_a_plane), cmocka_unit_test(leaves_a_surface),
                                       cmocka_unit_test(bad_faces)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
