/* Planes of flow and sinks: what they count is what came and went, exactly, at the point of crossing and across a restart. */
#include "simulation_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/body.h>
#include <repose/step.h>

#define GRAINS                                                                                                   \
    "repose: 1\nmaterials: {a: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"                                   \
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 1e3}, damping: {law: ratio, value: 0.3}, slide: " \
    "none, roll: none, spin: none}]\n"

static double read_probe(rps_simulation *s, const char *name) {
    double value;
    MUST(rps_simulation_probe(s, name, &value, &must));
    return value;
}

/* Balls of 1 g, 50 mm apart, pass at 2 m/s: 40 in a second. The window holds the crossings of exactly 10 distances. */
static void balls_in_a_row(void **state) {
    (void)state;
    rps_simulation *s =
        create("repose: 1\ngravity: none\nmaterials: {a: {young: 1 MPa, poisson: 0.3}}\n"
               "pairs: [{between: [a, a], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
               "particles:\n"
               "  - {name: row, material: a, mass: 1 g, radius: 5 mm, velocity: [2, 0, 0],\n"
               "     generator: {lattice: {box: [[-2.49, 0, 0], [-0.04, 0, 0]], spacing: 50 mm}}}\n"
               "  - {name: back, material: a, mass: 3 g, radius: 5 mm, velocity: [-1, 0, 0],\n"
               "     generator: {lattice: {box: [[0.02, 0.1, 0], [0.06, 0.1, 0]], spacing: 40 mm}}}\n"
               "flows:\n"
               "  gate: {point: [0, 0, 0], normal: [3, 0, 0]}\n"
               "  back: {point: [0, 0, 0], normal: [-1, 0, 0]}\n"
               "  hole: {point: [0, 0, 0], normal: [1, 0, 0], within: {sphere: {center: [0, 0.1, 0], radius: 1 cm}}}\n"
               "run: {step: 1e-4, until: 1.2}\n"
               "probes:\n"
               "  mass: {flow: gate, quantity: mass_rate, window: 0.25 s, set: row}\n"
               "  number: {flow: gate, quantity: number_rate, window: 0.25 s, set: row}\n"
               "  all: {flow: gate, quantity: mass}\n"
               "  from: {flow: back, quantity: mass, set: back}\n"
               "  hole: {flow: hole, quantity: number}\n",
               NULL);
    MUST(rps_simulation_step_until(s, 0.0155, &must));
    assert_true(read_probe(s, "all") == 0.0); /* the first is 40 mm away, the first of the others 20 mm */
    MUST(rps_simulation_step_until(s, 0.03, &must));
    assert_true(fabs(read_probe(s, "all") - (0.001 - 0.003)) < 1e-15);
    assert_true(fabs(read_probe(s, "mass") - 0.001 / 0.03) < 1e-12); /* since the start */
    MUST(rps_simulation_step_until(s, 1.0, &must));
    assert_true(fabs(read_probe(s, "mass") - 0.04) < 1e-14);
    assert_true(fabs(read_probe(s, "number") - 40.0) < 1e-11);
    assert_true(fabs(read_probe(s, "from") - 0.006) < 1e-15);
    for (int k = 0; k < 250; k++) { /* the window is as long as ten distances at every step of one */
        assert_true(fabs(read_probe(s, "number") - 40.0) < 1e-11);
        MUST(rps_simulation_step(s, 1, &must));
    }
    assert_true(read_probe(s, "hole") == -2.0); /* the row passes beside it */
    rps_simulation_destroy(s);
}

/* Grains rain through a box without walls; some leave inside of it. Faces of the box are six planes, whose outline is
 * the box, so that inside = coming through + inserted - left at every moment. */
static const char closed[] = GRAINS
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: a, fixed: true}\n"
    "particles:\n"
    "  - {name: rain, material: a, count: 60, radius: {uniform: [1 mm, 2 mm]}, pour: {region: [[-12 mm, -12 mm, 11 "
    "mm], "
    "[12 mm, 12 mm, 50 mm]], rate: 600 1/s, velocity: [0.3, 0.2, -0.5]}}\n"
    "flows:\n"
    "  w: {point: [-8 mm, 0, 0], normal: [1, 0, 0], within: {box: [[-1, -8 mm, 0], [1, 8 mm, 15 mm]]}}\n"
    "  e: {point: [8 mm, 0, 0], normal: [-1, 0, 0], within: {box: [[-1, -8 mm, 0], [1, 8 mm, 15 mm]]}}\n"
    "  s: {point: [0, -8 mm, 0], normal: [0, 1, 0], within: {box: [[-8 mm, -1, 0], [8 mm, 1, 15 mm]]}}\n"
    "  n: {point: [0, 8 mm, 0], normal: [0, -1, 0], within: {box: [[-8 mm, -1, 0], [8 mm, 1, 15 mm]]}}\n"
    "  t: {point: [0, 0, 15 mm], normal: [0, 0, -1], within: {box: [[-8 mm, -8 mm, -1], [8 mm, 8 mm, 1]]}}\n"
    "sinks:\n  corner: {region: {sphere: {center: [4 mm, 4 mm, 2 mm], radius: 3 mm}}}\n"
    "run: {step: 2e-5, until: 0.2, threads: 1}\noutput: {series: 1 ms, frames: 0}\n"
    "probes:\n"
    "  inside: {quantity: number_inside, region: [[-8 mm, -8 mm, 0], [8 mm, 8 mm, 15 mm]]}\n"
    "  mass: {quantity: mass_inside, region: [[-8 mm, -8 mm, 0], [8 mm, 8 mm, 15 mm]]}\n"
    "  w: {flow: w, quantity: number}\n  e: {flow: e, quantity: number}\n  s: {flow: s, quantity: number}\n"
    "  n: {flow: n, quantity: number}\n  t: {flow: t, quantity: number}\n"
    "  left: {sink: corner, quantity: number}\n  gone: {sink: corner, quantity: mass}\n"
    "  late: {sink: corner, quantity: number_rate, window: 30 ms}\n"
    "  age: {sink: corner, quantity: residence_time}\n  grains: {quantity: grains}\n  lost: {quantity: residual}\n"
    "  dissipated: {quantity: dissipated}\n";

/* Those inserted inside the box never crossed a face. */
static double born_inside(rps_simulation *s, uint64_t *seen) {
    rps_world *world = rps_simulation_world(s);
    double count = 0.0, x[3];
    for (; *seen < rps_world_id_end(world); ++*seen) {
        MUST(rps_world_body_position(world, *seen, x, &must));
        const double half = 8e-3 - 1e-4, top = 15e-3 - 1e-4; /* moved by less in its first step */
        if (fabs(x[0]) < half && fabs(x[1]) < half && x[2] > 0.0 && x[2] < top)
            count++;
        else
            assert_true(fabs(x[0]) > 8e-3 || fabs(x[1]) > 8e-3 || x[2] > 15e-3);
    }
    return count;
}

static void nothing_is_lost(void **state) {
    (void)state;
    rps_simulation *s = create(closed, NULL);
    uint64_t seen = 1; /* after the floor */
    double born = 0.0, most = 0.0;
    for (int k = 0; k < 200; k++) {
        for (int n = 0; n < 50; n++) {
            MUST(rps_simulation_step(s, 1, &must));
            born += born_inside(s, &seen);
        }
        const double through =
            read_probe(s, "w") + read_probe(s, "e") + read_probe(s, "s") + read_probe(s, "n") + read_probe(s, "t");
        assert_true(read_probe(s, "inside") == born + through - read_probe(s, "left"));
        most = fmax(most, read_probe(s, "inside"));
        assert_true(read_probe(s, "grains") + read_probe(s, "left") == (double)(seen - 1));
    }
    assert_true(most > 5.0 && read_probe(s, "left") > 2.0 && born > 1.0); /* all of it happened */
    assert_true(read_probe(s, "age") > 0.0 && read_probe(s, "age") < 0.2);
    /* the ledger closes as without sinks: 1 % of what was dissipated at this step */
    assert_true(fabs(read_probe(s, "lost")) < 0.01 * read_probe(s, "dissipated"));
    rps_simulation_destroy(s);
}

/* A restart goes on with the same counts, ages and windows, while bodies leave before and after it. */
static void goes_on(void **state) {
    static const char *const name[] = {"late", "age", "left", "t", "gone"};
    double whole[5];
    char path[RPS_PATH];
    uint64_t hash[2][2];
    (void)state;
    rps_simulation *s = create(closed, NULL);
    MUST(rps_simulation_step_until(s, 0.1, &must));
    MUST(rps_simulation_save(s, path_of("traffic.checkpoint", path), &must));
    const double before = read_probe(s, "left");
    assert_true(read_probe(s, "late") > 0.0);
    MUST(rps_simulation_step_until(s, 0.115, &must));
    assert_true(read_probe(s, "left") > before && before > 0.0);
    assert_true(read_probe(s, "late") > (read_probe(s, "left") - before) / 0.03); /* some of before the restart */
    for (int k = 0; k < 5; k++) whole[k] = read_probe(s, name[k]);
    rps_world_hash(rps_simulation_world(s), hash[0], NULL);
    rps_simulation_destroy(s);
    rps_scene *scene;
    MUST(resume(path, NULL, &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    rps_scene_close(scene);
    MUST(rps_simulation_step_until(s, 0.115, &must));
    for (int k = 0; k < 5; k++) assert_true(read_probe(s, name[k]) == whole[k]);
    rps_world_hash(rps_simulation_world(s), hash[1], NULL);
    rps_simulation_destroy(s);
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
}

/* The point at which a body crosses counts, not those at which it is before and after the step. */
static void crosses_at_a_point(void **state) {
    (void)state;
    rps_simulation *s = create(
        GRAINS
        "gravity: none\n"
        "bodies:\n"
        "  - {name: out, shape: {sphere: {radius: 0.2}}, material: a, position: [-0.02, -0.04, 0], velocity: [40, 40, "
        "0]}\n"
        "  - {name: in, shape: {sphere: {radius: 0.2}}, material: a, position: [-0.02, -0.01, 5], velocity: [40, 40, "
        "0]}\n"
        "flows: {f: {point: [0, 0, 0], normal: [1, 0, 0], within: [[-1, 0, -9], [1, 9, 9]]}}\n"
        "run: {step: 1e-3, until: 2e-3}\n"
        "probes: {f: {flow: f, quantity: number}}\n",
        NULL);
    MUST(rps_simulation_finish(s, &must));
    assert_true(read_probe(s, "f") == 1.0);
    rps_simulation_destroy(s);
}

/* Across a periodic axis every passage counts, with the outline in any image. */
static void around_a_period(void **state) {
    (void)state;
    rps_simulation *s = create(
        GRAINS
        "gravity: none\nperiodic: {x: 0.1}\n"
        "bodies:\n"
        "  - {name: ball, shape: {sphere: {radius: 5 mm}}, material: a, position: [0.05, 0, 0], velocity: [1, 0, 0]}\n"
        "flows:\n"
        "  seam: {point: [0.1, 0, 0], normal: [1, 0, 0]}\n"
        "  ring: {point: [0.72, 0, 0], normal: [-1, 0, 0], within: {sphere: {center: [0.02, 0, 0], radius: 1 mm}}}\n"
        "run: {step: 1e-4, until: 1}\n"
        "probes: {seam: {flow: seam, quantity: number}, ring: {flow: ring, quantity: number}}\n",
        NULL);
    MUST(rps_simulation_finish(s, &must));
    assert_true(read_probe(s, "seam") == 10.0); /* at 0.05 s, 0.15 s ... 0.95 s */
    assert_true(read_probe(s, "ring") == -10.0);
    rps_simulation_destroy(s);
}

/* A sink takes a named body: its probes have no value then, and say why. Others stay, of whatever set. */
static void takes_a_body(void **state) {
    (void)state;
    rps_simulation *s = create(
        GRAINS
        "gravity: none\n"
        "bodies:\n"
        "  - {name: ball, shape: {sphere: {radius: 5 mm}}, material: a, velocity: [1, 0, 0]}\n"
        "  - {name: wall, shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, material: a, position: [0.2, 0.1, 0], fixed: "
        "true}\n"
        "particles: [{name: one, material: a, radius: 5 mm, velocity: [1, 0, 0], generator: {lattice: {box: [[0, "
        "0.05, 0], [0, 0.05, 0]], spacing: 1 cm}}},\n"
        "  {name: two, material: a, radius: 5 mm, velocity: [1, 0, 0], generator: {lattice: {box: [[0, -0.05, 0], "
        "[0, -0.05, 0]], spacing: 1 cm}}}]\n"
        "sinks:\n  far: {region: {behind: {point: [0.1, 0, 0], normal: [-1, 0, 0]}}}\n"
        "  near: {region: {behind: {point: [0.05, 0, 0], normal: [-1, 0, 0]}}, set: two}\n"
        "run: {step: 1e-4, until: 0.2}\n"
        "probes: {x: {body: ball, quantity: position.x}, near: {sink: near, quantity: number}, age: {sink: near, "
        "quantity: residence_time}, far: {sink: far, quantity: number}, none: {sink: far, quantity: number, set: "
        "two}}\n",
        NULL);
    rps_probe_row row[5];
    size_t count;
    MUST(rps_simulation_step_until(s, 0.08, &must));
    assert_true(read_probe(s, "near") == 1.0 && read_probe(s, "far") == 0.0);
    assert_true(fabs(read_probe(s, "age") - 0.05) < 2.1e-4); /* it leaves in the step after */
    assert_true(read_probe(s, "x") > 0.079);
    MUST(rps_simulation_finish(s, &must));
    assert_true(read_probe(s, "far") == 2.0 && read_probe(s, "none") == 0.0);
    double x;
    REFUSED(rps_simulation_probe(s, "x", &x, &err), RPS_NO_VALUE, "no value at t = 0.2 s: a sink took the body");
    MUST(rps_simulation_probes(s, row, 5, &count, &must));
    assert_string_equal(row[0].undefined, "a sink took the body");
    assert_int_equal(rps_world_body_count(rps_simulation_world(s)), 1);
    rps_simulation_destroy(s);
}

/* Plug flow: what moves at a speed v stays for L/v in a zone of length L. Steps of a row are a whole part of its length, so
 * that this holds exactly. The slow row loses its bodies in the middle to a sink, and the third begins inside. */
static const char plug[] =
    "repose: 1\ngravity: none\nmaterials: {a: {young: 1 MPa, poisson: 0.3}}\n"
    "pairs: [{between: [a, a], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
    "particles:\n"
    "  - {name: fast, material: a, mass: 1 g, radius: 5 mm, velocity: [2, 0, 0],\n"
    "     generator: {lattice: {box: [[-0.46007, 0, 0], [-0.01, 0, 0]], spacing: 50 mm}}}\n"
    "  - {name: slow, material: a, mass: 2 g, radius: 5 mm, velocity: [1, 0, 0],\n"
    "     generator: {lattice: {box: [[-0.16007, 0.1, 0], [-0.01, 0.1, 0]], spacing: 50 mm}}}\n"
    "  - {name: within, material: a, mass: 3 g, radius: 5 mm, velocity: [1, 0, 0],\n"
    "     generator: {lattice: {box: [[0.04003, 0.2, 0], [0.04003, 0.2, 0]], spacing: 50 mm}}}\n"
    "zones:\n"
    "  pipe: {region: [[0, -1, -1], [0.1, 1, 1]]}\n"
    "sinks:\n"
    "  middle: {set: slow, region: {behind: {point: [0.05, 0, 0], normal: [-1, 0, 0]}}}\n"
    "run: {step: 1e-4, until: 0.4, threads: 1}\n"
    "probes:\n"
    "  all: {zone: pipe, quantity: residence_time}\n"
    "  fast: {zone: pipe, quantity: residence_time, set: fast}\n"
    "  slow: {zone: pipe, quantity: residence_time, set: slow}\n"
    "  within: {zone: pipe, quantity: residence_time, set: within}\n"
    "  late: {zone: pipe, quantity: residence_time, window: 60 ms}\n"
    "  number: {zone: pipe, quantity: number}\n"
    "  mass: {zone: pipe, quantity: mass}\n"
    "  rate: {zone: pipe, quantity: mass_rate, window: 0.1 s, set: fast}\n"
    "  age: {zone: pipe, quantity: age, set: slow}\n"
    "  inside: {quantity: number_inside, region: [[0, -1, -1], [0.1, 1, 1]]}\n";

static void stays_in_plug_flow(void **state) {
    const double rounding = 1e-12; /* a time is a whole number of steps, counted exactly */
    double value;
    (void)state;
    rps_simulation *s = create(plug, NULL);
    MUST(rps_simulation_step(s, 0, &must));
    REFUSED(rps_simulation_probe(s, "all", &value, &err), RPS_NO_VALUE, "nothing has passed");
    REFUSED(rps_simulation_probe(s, "age", &value, &err), RPS_NO_VALUE, "nothing is in the zone");
    MUST(rps_simulation_step_until(s, 0.055, &must));
    assert_true(read_probe(s, "number") == 0.0 && read_probe(s, "inside") == 4.0);
    MUST(rps_simulation_step_until(s, 0.0552, &must));
    assert_true(fabs(read_probe(s, "fast") - 0.05) < rounding && read_probe(s, "number") == 1.0);
    MUST(rps_simulation_step_until(s, 0.06, &must));
    assert_true(fabs(read_probe(s, "within") - 0.06) < rounding); /* begun inside with 59.97 mm to go */
    assert_true(fabs(read_probe(s, "age") - 0.0499) < rounding);  /* inside since 10.1 ms */
    MUST(rps_simulation_step_until(s, 0.0602, &must));
    assert_true(fabs(read_probe(s, "age") - 1e-4) < rounding); /* the next one, and the sink took the first */
    MUST(rps_simulation_finish(s, &must));
    assert_true(fabs(read_probe(s, "fast") - 0.05) < rounding);
    assert_true(fabs(read_probe(s, "slow") - 0.05) < rounding); /* half the length at half the speed */
    assert_true(read_probe(s, "number") == 10.0 + 4.0 + 1.0 && read_probe(s, "inside") == 0.0);
    assert_true(fabs(read_probe(s, "mass") - (10e-3 + 8e-3 + 3e-3)) < rounding);
    assert_true(fabs(read_probe(s, "all") - (14 * 0.05 + 0.06) / 15) < rounding);
    rps_simulation_destroy(s);
}

/* A restart while bodies are inside changes nothing, in the results or in the bits. */
static void stays_across_a_restart(void **state) {
    static const char *const name[] = {"all", "late", "number", "mass", "rate", "age"};
    double whole[6];
    char path[RPS_PATH];
    rps_scene *scene;
    (void)state;
    rps_simulation *s = create(plug, NULL);
    MUST(rps_simulation_step_until(s, 0.12, &must));
    assert_true(read_probe(s, "inside") > 2.0);
    MUST(rps_simulation_save(s, path_of("zones.checkpoint", path), &must));
    MUST(rps_simulation_step_until(s, 0.162, &must));
    for (int k = 0; k < 6; k++) whole[k] = read_probe(s, name[k]);
    rps_simulation_destroy(s);
    MUST(resume(path, NULL, &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    rps_scene_close(scene);
    MUST(rps_simulation_step_until(s, 0.162, &must));
    for (int k = 0; k < 6; k++) assert_true(read_probe(s, name[k]) == whole[k]);
    rps_simulation_destroy(s);
}

static void traffic_refused(const char *more, const char *at, const char *part) {
    char text[2048];
    rps_error err;
    snprintf(text, sizeof text,
             GRAINS "gravity: none\nperiodic: {x: 0.1}\nrun: {step: 1e-4, until: 1}\n"
                    "bodies:\n  - {name: ball, shape: {sphere: {radius: 5 mm}}, material: a}\n%s",
             more);
    scene_refused(text, &err);
    assert_error_at(&err, text, at, part);
}

static void bad_traffic(void **state) {
    (void)state;
    traffic_refused("flows: {f: {point: [0, 0, 0], normal: [0, 0, 0]}}\n", "[0, 0, 0]}", "no direction");
    traffic_refused("flows: {f: {point: [0, 0, 0], normal: [1, 0, 1]}}\n", "{point", "tilted against the periodic");
    traffic_refused("flows: {f: {point: [0, 0, 0], normal: [0, 0, 1]}}\nprobes: {p: {flow: g, quantity: mass}}\n",
                    "g, q", "no flow `g`");
    traffic_refused("probes: {p: {sink: g, quantity: mass}}\n", "g, q", "the scene has none");
    traffic_refused("sinks: {g: {region: [[0, 0, 0], [1, 1, 1]]}}\nprobes: {p: {sink: g, quantity: mass_rate}}\n",
                    "{sink: g", "needs a `window`");
    traffic_refused("sinks: {g: {region: [[0, 0, 0], [1, 1, 1]]}}\nprobes: {p: {sink: g, quantity: mass, window: 1}}\n",
                    "1}}", "takes no `window`");
    traffic_refused("sinks: {g: {set: ball, region: [[0, 0, 0], [1, 1, 1]]}}\n", "ball, region", "no set `ball`");
    traffic_refused("sinks: {g: {region: {cylinder: {from: [0, 0, 0], to: [1, 0, 0]}}}}\n", "{from",
                    "`radius` is missing");
    traffic_refused("zones: {g: {}}\n", "{}", "`region` is missing");
    traffic_refused("zones: {g: {region: [[0, 0, 0], [1, 1, 1]]}}\nprobes: {p: {zone: h, quantity: age}}\n", "h, q",
                    "no zone `h`");
    traffic_refused("zones: {g: {region: [[0, 0, 0], [1, 1, 1]]}}\nprobes: {p: {zone: g, quantity: age, window: 1}}\n",
                    "1}}", "takes no `window`");
    traffic_refused("sinks: {g: {}}\n", "{}", "`region` is missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_in_a_row),     cmocka_unit_test(nothing_is_lost),        cmocka_unit_test(goes_on),
        cmocka_unit_test(crosses_at_a_point), cmocka_unit_test(around_a_period),        cmocka_unit_test(takes_a_body),
        cmocka_unit_test(stays_in_plug_flow), cmocka_unit_test(stays_across_a_restart), cmocka_unit_test(bad_traffic),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
