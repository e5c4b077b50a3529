/* Shapes in scene files: errors with their location and remedy; mass, moments of inertia and pose of valid scenes
 * against closed forms. */
#include "scene_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "scene/solid.h"
#include "world/world.h"

static const char base[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials:\n"
    "  oak: {density: 1000 kg/m^3}\n"
    "  ash: {young: 1 MPa, poisson: 0.3}\n"
    "pairs:\n"
    "  - {between: [oak, oak], normal: {law: hooke, stiffness: 1 kN/m}, damping: none, slide: none, roll: none, "
    "spin: none}\n"
    "bodies:\n"
    "  - name: egg\n"
    "    shape: {ellipsoid: {semi_axes: [1 cm, 2 cm, 30 mm]}}\n"
    "    material: oak\n"
    "    orientation: {axis: [0, 1, 0], angle: 30 deg}\n"
    "    inertia: [2e-5, 3e-5, 4e-5]\n"
    "    position: [1, 0, 0]\n"
    "  - name: crate\n"
    "    shape: {box: {size: [10 cm, 20 cm, 30 cm], rounding: 1 cm}}\n"
    "    material: oak\n"
    "    position: [2, 0, 0]\n"
    "  - name: lump\n"
    "    shape: {superquadric: {semi_axes: [1 cm, 2 cm, 3 cm], exponents: [4, 3]}}\n"
    "    material: oak\n"
    "    position: [3, 0, 0]\n"
    "run: {step: 1e-4 s, until: 1e-3 s}\n";

static const struct {
    const char *find, *by; /* an edit of the scene above */
    const char *at;        /* where in the edited text the caret points */
    const char *part;      /* of the message */
} broken[] = {
    {"[1 cm, 2 cm, 30 mm]", "[1 cm, 2 cm]", "[1 cm, 2 cm]}", "has 2 values"},
    {"[1 cm, 2 cm, 30 mm]", "1 cm", "1 cm}", "a list of 3, each a length"},
    {"[1 cm, 2 cm, 30 mm]", "[1 cm, 0, 30 mm]", "0, 30", "`semi_axes` must be above 0, not 0"},
    {"[1 cm, 2 cm, 30 mm]", "[1 cm, -2 cm, 30 mm]", "-2 cm, 30", "`semi_axes` must be above 0, not -2 cm"},
    {"[1 cm, 2 cm, 30 mm]", "[1 cm, 2 kg, 30 mm]", "2 kg, 30", "a length, such as"},
    {"[1 cm, 2 cm, 30 mm]", "[1 cm, .nan, 30 mm]", ".nan", "is no number"},
    {"[1 cm, 2 cm, 30 mm]", "[1 cm, 2 cm, 300 m]", "{semi_axes: [1 cm, 2 cm, 300 m]", "30000 times its shortest"},
    {"{semi_axes: [1 cm, 2 cm, 30 mm]}", "{}", "{}}", "the key `semi_axes` is missing in `bodies[].shape.ellipsoid`"},
    {"{semi_axes: [1 cm, 2 cm, 30 mm]}", "30 mm", "30 mm", "write ellipsoid: {semi_axes: ...}"},
    {"{ellipsoid: {semi_axes", "{ellipsoid: {semi_axis", "semi_axis", "did you mean `semi_axes`?"},
    {"{ellipsoid: {semi_axes: [1 cm, 2 cm, 30 mm]}}", "ellipsoid", "ellipsoid\n", "a shape is a map with its name"},
    {"{ellipsoid", "{elipsoid", "elipsoid", "did you mean `ellipsoid`?"},
    {"30 mm]}}", "30 mm]}, sphere: {radius: 1 cm}}", "sphere: {radius", "takes exactly one of: sphere, plane"},
    {"[10 cm, 20 cm, 30 cm]", "[10 cm, 20 cm, 3 km]", "{size", "times its shortest; expected at most"},
    {"[10 cm, 20 cm, 30 cm]", "[0 cm, 20 cm, 30 cm]", "0 cm, 20 cm, 30 cm], rounding", "lengths of the edges"},
    {"rounding: 1 cm", "rounding: -1 cm", "-1 cm", "`rounding` must be at least 0"},
    {"rounding: 1 cm", "rounding: 6 cm", "{size", "at most half of that edge"},
    {"rounding: 1 cm", "rounding: [1 cm]", "[1 cm]", "a length"},
    {"exponents: [4, 3]", "exponents: [1, 3]", "1, 3]", "`exponents` must be above 1 and at most 16, not 1"},
    {"exponents: [4, 3]", "exponents: [4, 17]", "17]", "above 1 and at most 16"},
    {"exponents: [4, 3]", "exponents: [4 cm, 3]", "4 cm", "a pure number"},
    {"exponents: [4, 3]", "exponents: ", "exponents", "has no value"},
    {"[2e-5, 3e-5, 4e-5]", "[2e-5, 3e-5]", "[2e-5", "has 2 values"},
    {"[2e-5, 3e-5, 4e-5]", "[2e-5, 3e-5, 0]", "0]\n    position", "`inertia` must be above 0"},
    {"[2e-5, 3e-5, 4e-5]", "[2e-5, 3e-5, 6e-5]", "name: egg", "larger than the sum of the other two"},
    {"{axis: [0, 1, 0], angle: 30 deg}", "{axis: [0, 1, 0]}", "{axis", "the key `angle` is missing"},
    {"{axis: [0, 1, 0], angle: 30 deg}", "{axis: [0, 0, 0], angle: 30 deg}", "[0, 0, 0]", "tells no direction"},
    {"{axis: [0, 1, 0], angle: 30 deg}", "{axis: [0, 1, 0], angle: 30 %}", "30 %", "a pure number"},
    {"{axis: [0, 1, 0], angle: 30 deg}", "[{axis: [0, 1, 0], angl: 1}]", "angl", "did you mean `angle`?"},
    {"{axis: [0, 1, 0], angle: 30 deg}", "[1, 0, 0]", "[1, 0, 0]", "has 3 values"},
    {"    shape: {box: {size: [10 cm, 20 cm, 30 cm], rounding: 1 cm}}\n", "", "name: crate",
     "the key `shape` is missing"},
    {"    shape: {box: {size", "    pieces: []\n    shape: {box: {size", "[]", "`pieces` is empty"},
    {"    shape: {box: {size", "    pieces: [{shape: {sphere: {radius: 1 cm}}}]\n    shape: {box: {size", "[{shape",
     "`shape` or `pieces`, not both"},
    {"shape: {box: {size: [10 cm, 20 cm, 30 cm], rounding: 1 cm}}", "pieces: [{shape: {plane: {normal: [0, 0, 1]}}}]",
     "plane", "a plane is a body by itself"},
    {"shape: {box: {size: [10 cm, 20 cm, 30 cm], rounding: 1 cm}}",
     "pieces: [{shape: {sphere: {radius: 1 cm}}, material: aash}]", "aash", "did you mean `ash`?"},
    {"shape: {box: {size: [10 cm, 20 cm, 30 cm], rounding: 1 cm}}", "pieces: [{position: [0, 0, 1]}]", "{position",
     "the key `shape` is missing in `bodies[].pieces[]`"},
    {"    material: oak\n    position: [2", "    material: ash\n    position: [2", "name: crate",
     "has no density; give one of the two"},
};

/* Overlaps at the start by the true geometry, and sets. */
static const char sets[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {oak: {density: 1000 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [oak, oak], normal: {law: hooke, stiffness: 1 kN/m}, damping: none, slide: none, roll: none, "
    "spin: none}\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: oak, fixed: true}\n"
    "  - name: plate\n"
    "    shape: {box: {size: [10 cm, 20 cm, 1 cm]}}\n"
    "    material: oak\n"
    "    position: [0, 0, 6 mm]\n"
    "  - name: egg\n"
    "    shape: {ellipsoid: {semi_axes: [1 cm, 2 cm, 3 cm]}}\n"
    "    material: oak\n"
    "    position: [0, 0, 42 mm]\n"
    "particles:\n"
    "  - name: seeds\n"
    "    material: oak\n"
    "    shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}\n"
    "    scale: {uniform: [0.8, 1.2]}\n"
    "    generator: {lattice: {box: [[1, 0, 0.1], [1.1, 0.1, 0.2]], spacing: 8 mm}}\n"
    "  - name: rods\n"
    "    material: oak\n"
    "    shape: {cylinder: {radius: 1 mm, length: 6 mm}}\n"
    "    count: 300\n"
    "    pour: {region: [[1, 0, 0.25], [1.1, 0.1, 0.5]], until: 1e-3 s}\n"
    "run: {step: 1e-6 s, until: 1e-3 s}\n";

static const struct {
    const char *find, *by, *at, *part;
} broken_sets[] = {
    {"position: [0, 0, 6 mm]", "position: [0, 0, 4 mm]", "name: plate", "overlap by 0.2 of half of the smaller width"},
    {"position: [0, 0, 42 mm]", "position: [0, 0, 40 mm]", "name: egg", "overlap by 0.2 of half of the smaller width"},
    {"position: [0, 0, 42 mm]",
     "position: [0, 0, 42 mm]\n    orientation: {axis: [0, 1, 0], angle: 90 deg}\n"
     "    place: {rest on: ground}",
     "{rest on", "not both"},
    {"position: [0, 0, 42 mm]", "place: {touch: [ground, plate]}", "ground, plate]", "`ground` is no sphere"},
    {"position: [0, 0, 42 mm]", "place: {touch: plate, at: [1, 1, 1]}", "{touch", "passes `plate` without touching"},
    {"position: [0, 0, 42 mm]", "place: {rest on: plate, above: [0, 0, -1]}", "{rest on", "pulls the body off `plate`"},
    {"spacing: 8 mm", "spacing: 4 mm", "name: seeds", "two bodies overlap by"},
    {"scale: {uniform: [0.8, 1.2]}", "radius: 1 mm", "1 mm\n    generator", "`radius` (spheres) or `shape`, not both"},
    {"scale: {uniform: [0.8, 1.2]}", "scale: {uniform: [0.8 mm, 1.2]}", "0.8 mm", "a pure number"},
    {"scale: {uniform: [0.8, 1.2]}", "scale: 0", "0\n    generator", "`scale` must be above 0"},
    {"scale: {uniform: [0.8, 1.2]}", "scale: {list: [[1, 1], [-2, 1]]}", "-2", "a size must be above 0"},
    {"shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}", "pieces: [{shape: {sphere: {radius: 1 mm}}}]", "{uniform",
     "several pieces have one size"},
    {"scale: {uniform: [0.8, 1.2]}", "orientation: randm", "randm", "did you mean `random`?"},
    {"    shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}\n", "", "name: seeds", "missing in this set, or `shape`"},
    {"    shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}\n", "    radius: 1 mm\n", "{uniform",
     "`scale` belongs to `shape`"},
    {"shape: {ellipsoid: {semi_axes: [1 mm, 2 mm, 3 mm]}}", "shape: {plane: {normal: [0, 0, 1]}}",
     "plane: {normal: [0, 0, 1]}}\n    scale", "a plane is a body by itself"},
    {"[1.1, 0.1, 0.5]", "[1.1, 0.1, 0.255]", "[[1, 0, 0.25", "a particle needs 0.00632"},
};

static void broken_shapes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        rps_error err;
        char *text = text_replace(base, broken[i].find, broken[i].by);
        scene_refused(text, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_error_at(&err, text, broken[i].at, broken[i].part);
        free(text);
    }
    for (size_t i = 0; i < sizeof broken_sets / sizeof *broken_sets; i++) {
        rps_error err;
        char *text = text_replace(sets, broken_sets[i].find, broken_sets[i].by);
        scene_refused(text, &err);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_error_at(&err, text, broken_sets[i].at, broken_sets[i].part);
        free(text);
    }
}

/* Relative difference; what a few operations round. */
static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-14 * fabs(expected))) fail_msg("%.17g, expected %.17g", value, expected);
}

static void mass_and_inertia(void **state) {
    rps_world *world;
    (void)state;
    char *own = text_replace(base, "    inertia: [2e-5, 3e-5, 4e-5]\n", ""),
         *sharp = text_replace(own, ", rounding: 1 cm", "");
    rps_scene *scene = scene_make(sharp, &world);
    const rps_bodies *b = &world->bodies;
    const double pi = RPS_PI, egg = 1000.0 * 4.0 / 3.0 * pi * 0.01 * 0.02 * 0.03, crate = 1000.0 * 0.1 * 0.2 * 0.3;
    assert_near(b->mass[0][0], egg);
    assert_near(b->inertia[0][0], egg / 5.0 * (0.02 * 0.02 + 0.03 * 0.03));
    assert_near(b->inertia[0][1], egg / 5.0 * (0.01 * 0.01 + 0.03 * 0.03));
    assert_near(b->inertia[0][2], egg / 5.0 * (0.01 * 0.01 + 0.02 * 0.02));
    assert_near(b->mass[1][0], crate);
    assert_near(b->inertia[1][0], crate / 12.0 * (0.2 * 0.2 + 0.3 * 0.3));
    assert_near(b->inertia[1][1], crate / 12.0 * (0.1 * 0.1 + 0.3 * 0.3));
    assert_near(b->inertia[1][2], crate / 12.0 * (0.1 * 0.1 + 0.2 * 0.2));
    rps_world_destroy(world);
    rps_scene_free(scene);
    scene = scene_make(base, &world);
    for (int k = 0; k < 3; k++)
        assert_true(world->bodies.inertia[0][k] > 0.0 && fabs(world->bodies.inertia[0][k] - 1e-5 * (2 + k)) < 1e-20);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(own);
    free(sharp);
}

/* The same orientation in four notations; the last axis is not a unit vector. */
static void orientations(void **state) {
    static const char *const ways[] = {
        "{axis: [0, 1, 0], angle: 30 deg}",
        "[{axis: [0, 1, 0], angle: 10 deg}, {axis: [0, 1, 0], angle: 20 deg}]",
        "[0.9659258262890683, 0, 0.25881904510252074, 0]",
        "{axis: [0, -7, 0], angle: -30 deg}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        rps_world *world;
        char *text = text_replace(base, ways[0], ways[i]);
        rps_scene *scene = scene_make(text, &world);
        const double *q = world->bodies.orientation[0];
        const double expected[4] = {cos(RPS_PI / 12.0), 0.0, sin(RPS_PI / 12.0), 0.0};
        for (int k = 0; k < 4; k++) assert_true(fabs(q[k] - expected[k]) <= 4e-16); /* of a few roundings of 1 */
        rps_world_destroy(world);
        rps_scene_free(scene);
        free(text);
    }
}

/* A quarter turn about x and then one about z, both in world axes, bring z to -y and then to x. */
static void turns_in_order(void **state) {
    rps_world *world;
    (void)state;
    char *text = text_replace(base, "{axis: [0, 1, 0], angle: 30 deg}",
                              "[{axis: [1, 0, 0], angle: 90 deg}, {axis: [0, 0, 1], angle: 90 deg}]");
    rps_scene *scene = scene_make(text, &world);
    const double *q = world->bodies.orientation[0];
    rps_vec3 z = rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, rps_vec3_make(0.0, 0.0, 1.0));
    assert_true(fabs(z.x - 1.0) < 1e-15 && fabs(z.y) < 1e-15 && fabs(z.z) < 1e-15);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* Parameters are in the order of the shape's descriptor, and defaults are filled in. */
static void numbers(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = scene_make(base, &world);
    const rps_piece *lump = &world->piece[world->bodies.piece[2][0]], *crate = &world->piece[world->bodies.piece[1][0]];
    const double of_lump[] = {0.01, 0.02, 0.03, 4.0, 3.0}, of_crate[] = {0.1, 0.2, 0.3, 0.01};
    for (int k = 0; k < 5; k++) assert_near(lump->parameter[k], of_lump[k]);
    for (int k = 0; k < 4; k++) assert_near(crate->parameter[k], of_crate[k]);
    rps_world_destroy(world);
    rps_scene_free(scene);
    char *text = text_replace(base, ", exponents: [4, 3]", "");
    scene = scene_make(text, &world);
    lump = &world->piece[world->bodies.piece[2][0]];
    assert_true(lump->parameter[3] == 2.0 && lump->parameter[4] == 2.0);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* --- sets ---------------------------------------------------------------------------------------------------------- */

/* Turns that are uniform among all rotations have a mean turned vector of 0 and a mean of its squares of 1/3. */
static void assert_random_turns(const rps_world *world, size_t from, size_t to) {
    double mean[3] = {0}, square[3] = {0}, n = (double)(to - from);
    for (size_t s = from; s < to; s++) {
        const double *q = world->bodies.orientation[s];
        rps_vec3 x = rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, rps_vec3_make(0.0, 0.0, 1.0));
        const double v[3] = {x.x, x.y, x.z};
        for (int k = 0; k < 3; k++) mean[k] += v[k] / n, square[k] += v[k] * v[k] / n;
    }
    for (int k = 0; k < 3; k++) { /* four standard errors: variances 1/3 and 4/45 */
        assert_true(fabs(mean[k]) < 4.0 * sqrt(1.0 / 3.0 / n));
        assert_true(fabs(square[k] - 1.0 / 3.0) < 4.0 * sqrt(4.0 / 45.0 / n));
    }
}

static void sets_of_shapes(void **state) {
    rps_world *world;
    (void)state;
    rps_scene *scene = scene_make(sets, &world);
    const size_t seeds = 13 * 13 * 13;
    size_t added;
    double low = INFINITY, high = 0.0;
    assert_int_equal(rps_world_body_count(world), 3 + seeds);
    for (size_t s = 3; s < 3 + seeds; s++) {
        const double *p = world->piece[world->bodies.piece[s][0]].parameter;
        assert_near(p[1], 2.0 * p[0]);
        assert_near(p[2], 3.0 * p[0]);
        assert_near(world->bodies.mass[s][0], 1000.0 * 4.0 / 3.0 * RPS_PI * 6.0 * p[0] * p[0] * p[0]);
        low = fmin(low, p[0]);
        high = fmax(high, p[0]);
    }
    assert_true(low >= 0.8e-3 && high <= 1.2e-3 && low < 0.801e-3 && high > 1.199e-3);
    assert_random_turns(world, 3, 3 + seeds);
    /* one rod is due; then, as if it were late, all of them */
    assert_int_equal(rps_scene_insert(scene, world, &added, NULL), RPS_OK);
    assert_int_equal(added, 1);
    world->steps = 1000;
    assert_int_equal(rps_scene_insert(scene, world, &added, NULL), RPS_OK);
    assert_int_equal(added, 299);
    assert_random_turns(world, 3 + seeds, 3 + seeds + 300);
    for (size_t s = 3 + seeds; s < 3 + seeds + 300; s++) {
        const double *x = world->bodies.pose[s].position, r = sqrt(1e-6 + 9e-6) * (1.0 - 1e-12);
        assert_true(x[0] >= 1.0 + r && x[0] <= 1.1 - r && x[2] >= 0.25 + r && x[2] <= 0.5 - r);
        for (size_t t = 3 + seeds; t < s; t++) assert_true(rps_body_gap(world, s, t, 0.0) > 0.0);
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
    char *text = text_replace(sets, "scale: {uniform: [0.8, 1.2]}", "orientation: aligned");
    scene = scene_make(text, &world);
    for (size_t s = 3; s < 3 + seeds; s++) assert_true(world->bodies.orientation[s][0] == 1.0);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* A particle depends only on seed, set and number: a longer list starts with the shorter one. */
static void sets_repeat(void **state) {
    rps_world *world[2];
    (void)state;
    char *text = text_replace(sets, "    generator", "    count: 100\n    generator");
    rps_scene *all = scene_make(sets, &world[0]), *few = scene_make(text, &world[1]);
    for (size_t s = 3; s < 103; s++) {
        assert_memory_equal(world[0]->bodies.orientation[s], world[1]->bodies.orientation[s], 4 * sizeof(double));
        assert_true(world[0]->bodies.mass[s][0] == world[1]->bodies.mass[s][0]);
    }
    for (int k = 0; k < 2; k++) rps_world_destroy(world[k]);
    rps_scene_free(all);
    rps_scene_free(few);
    free(text);
}

/* A long wall leaves space beside it, although its bounding sphere contains the whole region. */
static void pour_beside_a_wall(void **state) {
    rps_world *world;
    size_t added;
    (void)state;
    char *text = text_replace(sets, "    position: [0, 0, 6 mm]\n",
                              "    position: [0, 0, 6 mm]\n"
                              "  - {name: wall, shape: {box: {size: [2 cm, 2 m, 2 m]}}, material: oak, fixed: true, "
                              "position: [0.999, 0, 1.1]}\n"),
         *few = text_replace(text, "count: 300", "count: 50"),
         *apart = text_replace(few, "[[1, 0, 0.1], [1.1", "[[1.02, 0, 0.1], [1.1");
    rps_scene *scene = scene_make(apart, &world);
    const size_t first = rps_world_body_count(world);
    world->steps = 1000;
    assert_int_equal(rps_scene_insert(scene, world, &added, NULL), RPS_OK);
    assert_int_equal(added, 50);
    /* the wall reaches 9 mm into the region */
    for (size_t s = first; s < first + 50; s++) assert_true(rps_body_gap(world, 2, s, 0.0) > 0.0);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
    free(few);
    free(apart);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_of_shapes),     cmocka_unit_test(sets_repeat),
                                       cmocka_unit_test(pour_beside_a_wall), cmocka_unit_test(broken_shapes),
                                       cmocka_unit_test(mass_and_inertia),   cmocka_unit_test(orientations),
                                       cmocka_unit_test(turns_in_order),     cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
