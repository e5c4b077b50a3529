/* Measurements of probes: heaps of known angle, packings of known fraction, sums independent of order, and the
 * overlap of a body placed at rest. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/body.h>

#include "base/elementary.h"
#include "scene/quantity.h"

static rps_absence why; /* there is no angle, at the last measurement */

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Spheres of diameter 0.8 to 1.2 below a cone whose surface falls by `slope`: a lattice of spacing 1, loosened by jitter
 * so that its layers do not show, filled up to where the tops stay below the surface. */
static size_t make_cone(double slope, double height, double cx, double cy, double (**out)[4]) {
    double foot = height / slope;
    int side = (int)foot + 1, layers = (int)height + 1;
    size_t capacity = (size_t)(2 * side + 1) * (size_t)(2 * side + 1) * (size_t)layers, count = 0;
    uint64_t state = 99;
    double(*x)[4] = malloc(capacity * sizeof *x);
    assert_non_null(x);
    for (int i = -side; i <= side; i++) {
        for (int j = -side; j <= side; j++) {
            for (int k = 0; k < layers; k++) {
                double a = i + uniform(&state) - 0.5, b = j + uniform(&state) - 0.5, r = 0.4 + 0.2 * uniform(&state);
                double z = fmax(r, k + uniform(&state)), distance = sqrt(a * a + b * b);
                if (z + r > height - slope * distance) continue;
                x[count][0] = cx + a;
                x[count][1] = cy + b;
                x[count][2] = z;
                x[count++][3] = r;
            }
        }
    }
    *out = x;
    return count;
}

static void cones(void **state) {
    static const double degrees[] = {10, 18, 25, 33};
    const double up[3] = {0, 0, 1};
    (void)state;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        double slope = tan(degrees[i] * RPS_PI / 180), angle, again;
        double(*x)[4];
        size_t n = make_cone(slope, 20.0, 100.0, -50.0, &x);
        assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, false, NULL, &angle, &why, NULL), RPS_OK);
        if (!(fabs(angle * 180 / RPS_PI - degrees[i]) <= 0.5)) {
            fail_msg("%g degrees measured as %g from %zu spheres", degrees[i], angle * 180 / RPS_PI, n);
        }
        /* grains that rolled away do not count, nor does the order of the spheres */
        for (size_t k = 0; k < n / 2; k++) {
            double keep[4];
            memcpy(keep, x[k], sizeof keep);
            memcpy(x[k], x[n - 1 - k], sizeof keep);
            memcpy(x[n - 1 - k], keep, sizeof keep);
        }
        assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, false, NULL, &again, &why, NULL), RPS_OK);
        assert_memory_equal(&angle, &again, sizeof angle);
        free(x);
    }
}

/* The same heap, rotated together with `up`, gives the same angle. */
static void tilted_cone(void **state) {
    const double up[3] = {0, 0, 1}, side[3] = {1, 0, 0};
    double angle, turned;
    double(*x)[4];
    (void)state;
    size_t n = make_cone(tan(22 * RPS_PI / 180), 12.0, 0.0, 0.0, &x);
    assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, false, NULL, &angle, &why, NULL), RPS_OK);
    for (size_t i = 0; i < n; i++) {
        double keep = x[i][0];
        x[i][0] = x[i][2];
        x[i][2] = -keep;
    }
    assert_int_equal(rps_measure_repose((const double(*)[4])x, n, side, false, NULL, &turned, &why, NULL), RPS_OK);
    /* sectors begin elsewhere: half of the tolerance of a cone */
    assert_true(fabs(angle - turned) < 0.25 * RPS_PI / 180);
    free(x);
}

/* A bed that fills a container and nowhere sinks to four fifths of its height is measured over all of its surface. */
static void level_bed(void **state) {
    enum { SIDE = 40, LAYERS = 10 };
    static double x[SIDE * SIDE * LAYERS][4];
    const double up[3] = {0, 0, 1};
    const double degrees[] = {0.0, 1.5};
    (void)state;
    for (int d = 0; d < 2; d++) {
        double angle;
        size_t n = 0;
        for (int i = 0; i < SIDE; i++) {
            for (int j = 0; j < SIDE; j++) {
                const double u = i + 0.5 - 0.5 * SIDE, w = j + 0.5 - 0.5 * SIDE;
                for (int k = 0; k < LAYERS; k++, n++) {
                    x[n][0] = u;
                    x[n][1] = w;
                    x[n][2] = k - tan(degrees[d] * RPS_PI / 180) * sqrt(u * u + w * w);
                    x[n][3] = 0.5;
                }
            }
        }
        assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, false, NULL, &angle, &why, NULL), RPS_OK);
        /* a cone without roughness: rings and sectors leave a few hundredths of a degree */
        assert_true(fabs(angle * 180 / RPS_PI - degrees[d]) < 0.1);
    }
}

static void no_heap(void **state) {
    const double up[3] = {0, 0, 1}, one[1][4] = {{0, 0, 0, 1}}, two[2][4] = {{0, 0, 0, 1}, {5, 0, 0, 1}};
    double angle;
    (void)state;
    assert_int_equal(rps_measure_repose(one, 1, up, false, NULL, &angle, &why, NULL), RPS_OK);
    assert_true(isnan(angle));
    assert_int_equal(rps_measure_repose(two, 2, up, false, NULL, &angle, &why, NULL), RPS_OK);
    assert_true(isnan(angle) && why == RPS_HEAP_LOW);
    assert_int_equal(rps_measure_repose(one, 0, up, false, NULL, &angle, &why, NULL), RPS_OK);
    assert_true(isnan(angle) && why == RPS_NO_GRAINS);
}

/* Grains of one diameter in columns of a square, up to a surface of height `top` at the middle that falls by `out` outwards and by
 * `aside` along x; only x above `wall`. */
static double angle_below(double top, double out, double aside, double wall) {
    enum { SIDE = 40, LAYERS = 40 };
    static double x[SIDE * SIDE * LAYERS][4];
    const double up[3] = {0, 0, 1};
    uint64_t state = 7;
    size_t n = 0;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            const double u = i + 0.5 - 0.5 * SIDE, w = j + 0.5 - 0.5 * SIDE, lift = 0.2 * uniform(&state);
            const double surface = top - out * sqrt(u * u + w * w) - aside * u;
            for (int k = 0; u > wall && k < LAYERS && k + 1.0 < surface; k++, n++) {
                const double grain[4] = {u, w, k + 0.5 + (k + 2.0 < surface ? 0.0 : lift), 0.5};
                memcpy(x[n], grain, sizeof grain);
            }
        }
    }
    double angle;
    assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, false, NULL, &angle, &why, NULL), RPS_OK);
    assert_true(isnan(angle) == (why != RPS_PRESENT));
    return angle * 180 / RPS_PI;
}

/* The criteria of a heap: its height, an outward fall, and less slope to one side than outwards. */
static void what_is_no_heap(void **state) {
    (void)state;
    angle_below(1.5, 0.0, 0.0, -99); /* a monolayer */
    assert_int_equal(why, RPS_HEAP_LOW);
    angle_below(3.5, 0.0, 0.0, -99);
    assert_int_equal(why, RPS_HEAP_LOW);
    angle_below(14.0, 0.0, 0.5, -99); /* the bed of a drum, 27 degrees */
    assert_int_equal(why, RPS_HEAP_ONE_SIDED);
    angle_below(14.0, 0.1, 0.3, -99);
    assert_int_equal(why, RPS_HEAP_ONE_SIDED);
    angle_below(6.0, -0.3, 0.0, -99);
    assert_int_equal(why, RPS_HEAP_HOLLOW);
    /* and what is one: level beds, cones, also on a slope less than their own; layers of whole grains are steps of 2
     * to 10 columns, half of one at either end of the 12 columns and more that are fitted */
    assert_true(fabs(angle_below(8.0, 0.0, 0.0, -99)) < 0.5 && why == RPS_PRESENT);
    assert_true(fabs(angle_below(12.0, 0.5, 0.0, -99) - 26.6) < 3.0);
    assert_true(fabs(angle_below(12.0, 0.5, 0.1, -99) - 26.6) < 4.0);
}

/* A quantity has a value or a reason for its absence, and whether it can lack one is known in advance. */
static void reasons(void **state) {
    static const char head[] =
        "repose: 1\n"
        "gravity: %s\n"
        "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3}}\n"
        "pairs: [{between: [a, a], normal: hertz, damping: none, slide: {law: mindlin, friction: 0.5}, roll: none, "
        "spin: "
        "none}]\n"
        "bodies:\n"
        "  - {name: l, shape: {plane: {normal: [1, 0, 0]}}, material: a, fixed: true, position: [-50, 0, 0]}\n"
        "  - {name: r, shape: {plane: {normal: [-1, 0, 0]}}, material: a, fixed: true, position: [50, 0, 0]}\n"
        "  - {name: f, shape: {plane: {normal: [0, 1, 0]}}, material: a, fixed: true, position: [0, -50, 0]}\n"
        "  - {name: k, shape: {plane: {normal: [0, -1, 0]}}, material: a, fixed: true, position: [0, 50, 0]}\n"
        "  - {name: b, shape: {plane: {normal: [0, 0, 1]}}, material: a, fixed: true, position: [0, 0, -50]}\n"
        "  - {name: t, shape: {plane: {normal: [0, 0, -1]}}, material: a, drive: {force: 0 N}, position: [0, 0, 50]}\n"
        "  - {name: one, shape: {sphere: {radius: 1}}, material: a, position: [0, 0, 5], fixed: %s}\n"
        "  - {name: two, shape: {sphere: {radius: 1}}, material: a, position: [%s, 0, 5], fixed: %s}\n"
        "run: {step: 1e-4, until: 1}\n"
        "probes:\n";
    static const char *const worlds[][3] = {{"[0, 0, -9.81]", "1.99", "false"},
                                            {"[0, 0, -9.81]", "9", "false"},
                                            {"none", "9", "false"},
                                            {"none", "9", "true"}};
    static char text[1 << 16];
    size_t lacking = 0;
    (void)state;
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        size_t used = (size_t)snprintf(text, sizeof text, head, worlds[k][0], worlds[k][2], worlds[k][1], worlds[k][2]);
        for (size_t i = 0; i < rps_quantity_count(); i++) {
            const rps_quantity_info *q = rps_quantity_at(i);
            const char *of = strcmp(q->of, "contact") == 0 ? "contact: [one, two], "
                             : strcmp(q->name, "pressure") == 0 || strncmp(q->name, "servo", 5) == 0 ? "body: t, "
                             : strcmp(q->of, "body") == 0                                            ? "body: one, "
                                                                                                     : "";
            const char *with = strcmp(q->name, "pressure") == 0           ? "over: [l, r, f, k], "
                               : strcmp(q->name, "distance") == 0         ? "over: [l, r], "
                               : strcmp(q->name, "volume") == 0           ? "over: [l, r, f, k, b, t], "
                               : strcmp(q->name, "packing_fraction") == 0 ? "box: [[-9, -9, -9], [9, 9, 9]], "
                               : strstr(q->name, "_inside") || strcmp(q->name, "surface_angle") == 0
                                   ? "region: [[-9, -9, -9], [9, 9, 9]], "
                                   : "";
            if (strcmp(q->of, "joint") == 0) continue; /* always have a value */
            if (strcmp(q->name, "heat") == 0 || strcmp(q->name, "temperature") == 0)
                continue; /* refused here: tests/unit/heat.sh */
            const bool passes = strcmp(q->of, "flow") == 0 || strcmp(q->of, "sink") == 0 ||
                                strcmp(q->of, "source") == 0 || strcmp(q->of, "zone") == 0;
            if (passes) continue;                      /* tests/unit/scene_traffic.c */
            if (strcmp(q->of, "force") == 0) continue; /* there are none here: tests/unit/forces.sh */
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "  q%zu: {%s%squantity: %s}\n", i, of, with, q->name);
            assert_true(used < sizeof text);
        }
        rps_world *world;
        rps_error err;
        rps_scene *scene = scene_make(text, &world);
        rps_world_keep_contacts(world, true);
        assert_int_equal(rps_world_start(world, &err), RPS_OK);
        for (size_t i = 0; i < rps_scene_probe_count(scene); i++) {
            const rps_probe_info *info = rps_scene_probe(scene, i);
            double value;
            assert_true(*rps_scene_probe_absence(scene, i)); /* not read yet */
            if (rps_scene_probe_value(scene, world, i, &value, &err) != RPS_OK)
                fail_msg("%s: %s", info->quantity, err.text);
            const char *reason = rps_scene_probe_absence(scene, i);
            if (isnan(value) != (*reason != 0)) fail_msg("%s is %g: \"%s\"", info->quantity, value, reason);
            if (isnan(value) && !info->may_lack) fail_msg("%s has no value, which nobody expects", info->quantity);
            if (strstr(reason, "formula"))
                fail_msg("%s is %g in world %zu without a reason of its own", info->quantity, value, k);
            assert_null(strpbrk(reason, ",\"\n"));
            lacking += isnan(value);
        }
        rps_world_destroy(world);
        rps_scene_free(scene);
    }
    assert_true(lacking > 100);
}

static const char gas[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3}}\n"
    "pairs: [{between: [a, a], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: a, fixed: true}\n"
    "  - {name: one, shape: {sphere: {radius: 1}}, material: a, position: [0, 0, 5], velocity: [1, 2, 3], "
    "angular_velocity: [0, 0, 4]}\n"
    "  - {name: two, shape: {sphere: {radius: 0.5}}, material: a, position: [10, 0, 5], velocity: [-8, -16, -24]}\n"
    "  - {name: still, shape: {sphere: {radius: 2}}, material: a, position: [20, 0, 5], fixed: true}\n"
    "particles:\n"
    "  - {name: held, material: a, fixed: true, radius: 2, generator: {lattice: {box: [[20, 9, 5], [20, 9, 5]], "
    "spacing: 1}}}\n"
    "run: {step: 1e-4, until: 1}\n"
    "probes:\n"
    "  n: {quantity: grains}\n"
    "  kinetic: {quantity: kinetic_energy}\n"
    "  ratio: {quantity: kinetic_ratio_max}\n"
    "  mean: {quantity: kinetic_ratio_mean}\n"
    "  px: {quantity: momentum.x}\n"
    "  lz: {quantity: angular_momentum.z}\n"
    "  height: {quantity: height}\n"
    "  half: {quantity: packing_fraction, set: held, box: [[17, 6, 2], [20, 12, 8]]}\n"
    "  whole: {quantity: packing_fraction, set: held, box: [[17, 6, 2], [23, 12, 8]]}\n"
    "  speed: {body: two, quantity: speed}\n"
    "  spin: {body: one, quantity: spin}\n"
    "  own: {body: one, quantity: kinetic_energy}\n"
    "  gap: {contact: [one, floor], quantity: gap}\n"
    "  touching: {contact: [one, floor], quantity: touching}\n"
    "  load: {contact: [one, floor], quantity: normal_load}\n"
    "  energy: {quantity: gravity_energy}\n";

static void sums(void **state) {
    const double m = 1000 * 4.0 / 3.0 * RPS_PI, inertia = 0.4 * m;
    const struct {
        const char *name;
        double value;
    } expected[] = {
        {"n", 2},
        {"kinetic", 0.5 * m * 14 + 0.5 * inertia * 16 + 0.5 * m / 8 * 14 * 64},
        {"ratio", 14 * 64 / 2.0 / (10 * 1)},
        {"mean", 0.5 * ((0.5 * 14 + 0.5 * 0.4 * 16) / 20 + 44.8)},
        {"px", 0},
        {"lz", m / 8 * 10 * -16 + inertia * 4},
        {"height", 6},
        /* half of a sphere of radius 2; the whole */
        {"half", 0.5 * 4.0 / 3.0 * RPS_PI * 8 / 108},
        {"whole", 4.0 / 3.0 * RPS_PI * 8 / 216},
        {"speed", 8 * sqrt(14)},
        {"spin", 4},
        {"own", 0.5 * m * 14 + 0.5 * inertia * 16},
        {"gap", 4},
        {"touching", 0},
        {"load", NAN},
        {"energy", m * 10 * 5 + m / 8 * 10 * 5},
    };
    rps_world *world;
    rps_error err;
    (void)state;
    rps_scene *scene = scene_make(gas, &world);
    rps_world_keep_contacts(world, true);
    assert_int_equal(rps_world_start(world, &err), RPS_OK);
    assert_int_equal(rps_scene_probe_count(scene), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double value, e = expected[i].value;
        assert_string_equal(rps_scene_probe(scene, i)->name, expected[i].name);
        if (rps_scene_probe_value(scene, world, i, &value, &err) != RPS_OK) fail_msg("%s", err.text);
        /* a few roundings of terms of up to 1e6 */
        bool same = isnan(e) ? isnan(value) : fabs(value - e) <= 1e-14 * fabs(e) + 1e-9 * (e == 0.0);
        if (!same) fail_msg("%s is %.17g, expected %.17g", expected[i].name, value, e);
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Fixed and driven bodies are walls, not grains: they change no quantity of grains, except for a set given by name.
 * The box of the probes contains a fixed box, a fixed cylinder and a driven sphere. */
static const char walled[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3}}\n"
    "pairs: [{between: [a, a], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: a, fixed: true, position: [0, 0, -3]}\n"
    "#wall  - {name: w, shape: {box: {size: [2, 2, 2]}}, material: a, position: [-3, 0, 0], fixed: true}\n"
    "#wall  - {name: c, shape: {cylinder: {radius: 1, length: 2}}, material: a, position: [3, 0, 0], fixed: true}\n"
    "#wall  - {name: d, shape: {sphere: {radius: 1}}, material: a, position: [0, 3, 0], drive: {velocity: [0, 0, 9]}}\n"
    "particles:\n"
    "  - {name: heap, material: a, radius: 0.5, velocity: [1, 0, 0], generator: {lattice: {box: [[0, 0, 0], [1.2, 0, "
    "0]], spacing: 1.2}}}\n"
    "  - {name: base, material: a, radius: 0.5, fixed: true, generator: {lattice: {box: [[0, 0, -2], [1.2, 0, -2]], "
    "spacing: 1.2}}}\n"
    "run: {step: 1e-4, until: 1}\n"
    "probes:\n";

static void walls_do_not_count(void **state) {
    static const char box[] = ", box: [[-5, -5, -5], [5, 5, 5]]";
    const double sphere = RPS_PI / 6.0;
    const struct {
        const char *quantity;
        double of_all, of_base; /* NAN: none */
    } expected[] = {{"packing_fraction", 2 * sphere / 1000, 2 * sphere / 1000},
                    {"grains", 2, 2},
                    {"height", 0.5, -1.5},
                    {"coordination", 0, 0},
                    {"kinetic_energy", 1000 * sphere, 0},
                    {"momentum.x", 2000 * sphere, 0},
                    {"momentum.z", 0, 0},
                    {"speed_max", 1, 0},
                    {"kinetic_ratio_mean", 0.05, NAN},
                    {"stress.zz", 0, 0}};
    enum { COUNT = sizeof expected / sizeof *expected };
    (void)state;
    for (int with = 0; with < 2; with++) {
        char text[1 << 14];
        size_t used = (size_t)snprintf(text, sizeof text, "%s", walled);
        for (char *at; (at = strstr(text, "#wall"));) memcpy(at, with ? "     " : "#____", 5);
        for (char *at; with && (at = strstr(text, "       - "));) memmove(at, at + 5, strlen(at + 5) + 1);
        used = strlen(text);
        for (int k = 0; k < 2 * COUNT; k++) {
            const char *q = expected[k % COUNT].quantity;
            used += (size_t)snprintf(text + used, sizeof text - used, "  p%d: {quantity: %s%s%s}\n", k, q,
                                     strcmp(q, "packing_fraction") == 0 ? box : "", k >= COUNT ? ", set: base" : "");
        }
        rps_world *world;
        rps_error err;
        rps_scene *scene = scene_make(text, &world);
        rps_world_keep_contacts(world, true);
        assert_int_equal(rps_world_start(world, &err), RPS_OK);
        for (int k = 0; k < 2 * COUNT; k++) {
            const double e = k < COUNT ? expected[k].of_all : expected[k - COUNT].of_base;
            double value;
            assert_int_equal(rps_scene_probe_value(scene, world, (size_t)k, &value, &err), RPS_OK);
            if (isnan(e) ? !isnan(value) : !(fabs(value - e) <= 1e-13 * fabs(e))) { /* a few roundings */
                fail_msg("%s, %s walls, %s: %.17g, expected %.17g", expected[k % COUNT].quantity,
                         with ? "with" : "without", k < COUNT ? "all" : "set base", value, e);
            }
        }
        rps_world_destroy(world);
        rps_scene_free(scene);
    }
}

/* In a periodic cell a box counts images: where it lies is all the same if it is a whole period long, two boxes of half a period
 * make one, and one of three periods holds the same fraction; the sphere at the corner of the cell lies in eight parts. */
static void images_count(void **state) {
    static const char scene_text[] =
        "repose: 1\n"
        "gravity: none\n"
        "periodic: {x: 4, y: 4, z: 4}\n"
        "materials: {a: {density: 1000, young: 1 MPa, poisson: 0.3}}\n"
        "pairs: [{between: [a, a], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
        "bodies:\n"
        "  - {name: one, shape: {sphere: {radius: 0.8}}, material: a, position: [0, 0, 0]}\n"
        "  - {name: two, shape: {sphere: {radius: 0.8}}, material: a, position: [1.58, 0, 0]}\n"
        "run: {step: 1e-4, until: 1}\n"
        "probes:\n";
    static const char *const box[] = {"[[0, 0, 0], [4, 4, 4]]",       "[[-2, -2, -2], [2, 2, 2]]",
                                      "[[-7.3, 1, 3], [-3.3, 5, 7]]", "[[-4, -4, -4], [8, 8, 8]]",
                                      "[[0, 0, 0], [4, 4, 2]]",       "[[0, 0, -2], [4, 4, 0]]",
                                      "[[-1, -1, -1], [3, 3, 7]]"};
    enum { COUNT = sizeof box / sizeof *box };
    char text[1 << 13];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", scene_text);
    (void)state;
    for (int k = 0; k < COUNT; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  f%d: {quantity: packing_fraction, box: %s}\n"
                                 "  s%d: {quantity: stress.xx, box: %s}\n",
                                 k, box[k], k, box[k]);
    }
    rps_world *world;
    rps_error err;
    rps_scene *scene = scene_make(text, &world);
    rps_world_keep_contacts(world, true);
    assert_int_equal(rps_world_start(world, &err), RPS_OK);
    double stress[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        double fraction;
        assert_int_equal(rps_scene_probe_value(scene, world, 2 * k, &fraction, &err), RPS_OK);
        assert_int_equal(rps_scene_probe_value(scene, world, 2 * k + 1, &stress[k], &err), RPS_OK);
        const double expected = 2 * 4.0 / 3.0 * RPS_PI * 0.512 / 64;
        if (!(fabs(fraction - expected) <= 1e-14)) fail_msg("%s: %.17g, expected %.17g", box[k], fraction, expected);
    }
    assert_true(stress[0] < 0.0);
    assert_true(stress[1] == stress[0] && stress[2] == stress[0] && stress[3] == stress[0] && stress[6] == stress[0]);
    assert_true(stress[4] == 2.0 * stress[0] && stress[5] == 0.0); /* centers at z = 0 belong to the box above it */
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* --- places -------------------------------------------------------------------------------------------------------- */

static const char rest[] =
    "repose: 1\n"
    "gravity: {magnitude: 9.81, tilt: 20 deg}\n"
    "materials: {a: {young: 5 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs: [{between: [a, a], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1], point: [0, 0, 0.5]}}, material: a, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, material: a, place: {rest on: ground, at: [1, 2, 77]}}\n"
    "  - {name: base, shape: {sphere: {radius: 0.2}}, material: a, position: [5, 5, 5], fixed: true}\n"
    "  - {name: top, shape: {sphere: {radius: 0.1}}, material: a, place: {rest on: base, above: [0, 0, 1], load: 100 "
    "N}}\n"
    "  - {name: left, shape: {sphere: {radius: 0.1}}, material: a, position: [-0.12, 0, 9], fixed: true}\n"
    "  - {name: right, shape: {sphere: {radius: 0.15}}, material: a, position: [0.16, 0, 9], fixed: true}\n"
    "  - {name: third, shape: {sphere: {radius: 0.12}}, material: a, place: {rest on: [left, right], above: [0, 0, "
    "1]}}\n"
    "  - {name: kiss, shape: {sphere: {radius: 0.1}}, material: a, place: {touch: base, above: [1, 0, 0], gap: 1 mm}}\n"
    "run: {step: 1e-6, until: 1}\n"
    "probes:\n"
    "  ball: {contact: [ball, ground], quantity: normal_load}\n"
    "  top: {contact: [top, base], quantity: normal_load}\n"
    "  x: {body: third, quantity: force.x}\n"
    "  z: {body: third, quantity: force.z}\n"
    "  kiss: {contact: [kiss, base], quantity: gap}\n"
    "  at: {body: ball, quantity: position.x}\n";

static void places(void **state) {
    const double c = cos(20 * RPS_PI / 180), s = sin(20 * RPS_PI / 180), g = 9.81;
    const double ball = 2000 * 4.0 / 3.0 * RPS_PI * 1e-3, third = 2000 * 4.0 / 3.0 * RPS_PI * 1.728e-3;
    /* the round-off of a position of 1 to 10 m against overlaps of 1e-4 m leaves 1e-11 of a load */
    const double expected[] = {ball * g * c, 100 * c, -third * g * s, third * g * c, 1e-3, 1.0}, tolerance = 1e-9;
    rps_world *world;
    rps_error err;
    (void)state;
    rps_scene *scene = scene_make(rest, &world);
    rps_world_keep_contacts(world, true);
    assert_int_equal(rps_world_start(world, &err), RPS_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double value;
        assert_int_equal(rps_scene_probe_value(scene, world, i, &value, &err), RPS_OK);
        if (!(fabs(value - expected[i]) <= tolerance * fabs(expected[i]))) {
            fail_msg("%s is %.15g, expected %.15g", rps_scene_probe(scene, i)->name, value, expected[i]);
        }
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* A planar heap: rows of touching disks, each 2/0.4 diameters shorter than the one below: both flanks slope by 0.4. Its
 * two flanks are enough; seen as a heap in space, they are not. */
static void planar_heap(void **state) {
    (void)state;
    enum { ROWS = 40, ROOM = 20000 };
    static double x[ROOM][4];
    const double radius = 0.5, up[3] = {0.0, 0.0, 1.0};
    size_t n = 0;
    for (int row = 0; row < ROWS; row++) {
        const double half = 2.5 * (ROWS - row);
        for (double at = -half; at <= half; at += 1.0) {
            const double disk[4] = {at, 0.0, row + 0.5, radius};
            assert_true(n < ROOM);
            memcpy(x[n++], disk, sizeof disk);
        }
    }
    double angle;
    assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, true, NULL, &angle, &why, NULL), RPS_OK);
    /* steps of 2.5 columns: a line through the flank feels half a step at either end, 2.5 of 60 columns */
    assert_true(fabs(angle - atan(0.4)) < 0.02);
    assert_int_equal(rps_measure_repose((const double(*)[4])x, n, up, false, NULL, &angle, &why, NULL), RPS_OK);
    assert_true(isnan(angle));
}

/* If a program removes the body of a probe, the probe reports it. */
static void removed_body(void **state) {
    (void)state;
    static const char text[] =
        "repose: 1\n"
        "gravity: none\n"
        "materials: {m: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"
        "pairs:\n"
        "  - {between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "bodies:\n"
        "  - {name: a, shape: {sphere: {radius: 1 mm}}, material: m}\n"
        "  - {name: b, shape: {sphere: {radius: 1 mm}}, material: m, position: [0.01, 0, 0]}\n"
        "run: {step: 1e-5, until: 1e-4}\n"
        "probes: {height: {body: b, quantity: position.z}, gap: {contact: [a, b], quantity: gap}}\n";
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    rps_error err = {0};
    double value;
    const uint64_t b = 1;
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(rps_scene_probe_value(scene, world, k, &value, &err), RPS_OK);
    }
    assert_int_equal(rps_world_remove_bodies(world, &b, 1, &err), RPS_OK);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(rps_scene_probe_value(scene, world, k, &value, &err), RPS_BAD_INPUT);
        assert_non_null(strstr(err.text, k == 0 ? "probe `height`: body 1 was removed" : "probe `gap`: body 1 was"));
    }
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* A layer of balls on a floor, with gravity tilted by 20 degrees: the surface is a plane, and a ball in the air above it counts
 * for the centre of mass alone. */
static void surface(void **state) {
    (void)state;
    static const char text[] =
        "repose: 1\n"
        "gravity: {magnitude: 9.81 m/s^2, tilt: 20 deg, about: y}\n"
        "materials: {m: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"
        "pairs:\n"
        "  - {between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "bodies:\n"
        "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}\n"
        "  - {name: flying, shape: {sphere: {radius: 1 mm}}, material: m, position: [5.25 mm, 5.25 mm, 36.99 mm]}\n"
        "particles:\n"
        "  - {name: bed, material: m, count: 36, radius: 1 mm, generator: {lattice: {box: [[0, 0, 0.99 mm], [11 mm, 11 "
        "mm, 1 mm]],"
        " spacing: 2.1 mm}}}\n"
        "run: {step: 1e-6, until: 1e-6}\n"
        "probes:\n"
        "  all: {quantity: surface_angle, region: {behind: {point: [0, 0, 1 m], normal: [0, 0, 1]}}}\n"
        "  few: {quantity: surface_angle, region: {behind: {point: [3 mm, 0, 0], normal: [1, 0, 0]}}}\n"
        "  row: {quantity: surface_angle, region: {behind: {point: [1 mm, 0, 0], normal: [1, 0, 0]}}}\n"
        "  x: {quantity: center.x}\n"
        "  z: {quantity: center.z}\n";
    static const double expected[] = {20.0 * RPS_PI / 180.0, 20.0 * RPS_PI / 180.0, NAN, 5.25e-3,
                                      (36 * 0.99e-3 + 36.99e-3) / 37};
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    rps_error err = {0};
    assert_int_equal(rps_world_start(world, &err), RPS_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double value;
        assert_int_equal(rps_scene_probe_value(scene, world, i, &value, &err), RPS_OK);
        /* rounding of a dozen operations */
        if (isnan(expected[i]) ? !isnan(value) : !(fabs(value - expected[i]) <= 1e-12 * expected[i])) {
            fail_msg("%s is %.15g, expected %.15g", rps_scene_probe(scene, i)->name, value, expected[i]);
        }
    }
    assert_string_equal(rps_scene_probe_absence(scene, 2),
                        "no surface: fewer than 12 columns of resting grains or all in a row");
    rps_world_destroy(world);
    rps_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(surface),
                                       cmocka_unit_test(removed_body),
                                       cmocka_unit_test(cones),
                                       cmocka_unit_test(tilted_cone),
                                       cmocka_unit_test(level_bed),
                                       cmocka_unit_test(no_heap),
                                       cmocka_unit_test(what_is_no_heap),
                                       cmocka_unit_test(reasons),
                                       cmocka_unit_test(sums),
                                       cmocka_unit_test(walls_do_not_count),
                                       cmocka_unit_test(images_count),
                                       cmocka_unit_test(places),
                                       cmocka_unit_test(planar_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
