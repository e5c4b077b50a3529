/* Sources that give a mass or a number by time: what is due enters to within half a particle, and what cannot is said. */
#include "simulation_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/body.h>
#include <repose/step.h>

#include "scene/scene_internal.h"

#define WORLD                                                                                                        \
    "repose: 1\ngravity: none\nmaterials: {a: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"                        \
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 100}, damping: none, slide: none, roll: none, spin: " \
    "none}]\nrun: {step: 1e-4, until: %s}\nparticles:\n  - {name: rain, material: a, %s}\nprobes:\n"                 \
    "  mass: {source: rain, quantity: mass}\n  number: {source: rain, quantity: number}\n"                           \
    "  missing: {source: rain, quantity: number_behind}\n  short: {source: rain, quantity: mass_behind}\n"           \
    "  rate: {source: rain, quantity: mass_rate, window: 20 ms}\n"
#define FAR "region: [[0, 0, 0], [1, 1, 1]]"

static rps_simulation *source(const char *until, const char *how) {
    char text[4096];
    snprintf(text, sizeof text, WORLD, until, how);
    return create(text, NULL);
}

static double probed(rps_simulation *s, const char *name) {
    double value;
    MUST(rps_simulation_probe(s, name, &value, &must));
    return value;
}

/* Row 25 of the statement: .1 kg/s of 2, 3, 4 mm with mass parts .2 .5 .3 for 1 s. */
static void row_25(void **state) {
    static const double due[3] = {1909.9, 1414.7, 358.1};
    double mass = 0.0;
    uint64_t count[3] = {0, 0, 0};
    char text[4096];
    rps_world *world;
    (void)state;
    snprintf(text, sizeof text, WORLD, "1",
             "by: mass, radius: {list: [[1 mm, .2], [1.5 mm, .5], [2 mm, .3]]}, pour: {" FAR ", rate: 0.1 kg/s}");
    rps_scene *scene = scene_make(text, &world);
    rps_insertion *insertion = &scene->insertions.item[0];
    /* half of the largest is .042 g; by class one particle, and what half of one makes in its number */
    for (int step = 0; step <= 1000; step++) {
        const double time = 1e-3 * step;
        while (rps_insertion_due(insertion, 0, insertion->given, time, scene->seed)) {
            const uint64_t k = insertion->done;
            mass += rps_insertion_mass(insertion, k, scene->seed);
            count[rps_sizes_class(&insertion->particle_template.sizes, k)]++;
            rps_insertion_advance(insertion, scene->seed);
        }
        assert_true(fabs(mass - 0.1 * time) <= 0.5 * 2500.0 * 4.0 / 3.0 * 3.14159266 * 8e-9);
    }
    for (int c = 0; c < 3; c++) {
        if (!(fabs((double)count[c] - due[c]) < 1.0)) fail_msg("class %d: %llu", c, (unsigned long long)count[c]);
    }
    assert_int_equal(insertion->count, insertion->done);
    rps_world_destroy(world);
    rps_scene_free(scene);
}

/* Never off by more than half a particle in any step, with a rate that rises and falls, after a restart too. */
static void follows_a_table(void **state) {
    char path[RPS_PATH];
    (void)state;
    const double most = 2500.0 * 4.0 / 3.0 * 3.1415927 * 27e-9; /* of the largest */
    rps_simulation *s = source("0.2", "radius: {uniform: [1 mm, 3 mm]}, pour: {" FAR
                                      ", rate: [[20 ms, 0 kg/s], [0.1, 0.2 kg/s], [0.18, 0 kg/s]], spread: 0.1 m/s}");
    for (int k = 1; k <= 2000; k++) {
        if (k == 1100) {
            MUST(rps_simulation_save(s, path_of("source.checkpoint", path), &must));
            rps_simulation_destroy(s);
            rps_scene *scene;
            MUST(resume(path, NULL, &scene, &must));
            MUST(rps_simulation_create(scene, &s, &must));
            rps_scene_close(scene);
        }
        MUST(rps_simulation_step(s, 1, &must));
        const double t = 1e-4 * (k - 1); /* when the last ones entered */
        const double up = fmin(fmax(t - 0.02, 0.0), 0.08), down = fmin(fmax(t - 0.1, 0.0), 0.08);
        const double due = 0.5 * 2.5 * up * up + down * (0.2 - 0.5 * 2.5 * down);
        assert_true(fabs(probed(s, "mass") - due) <= 0.5 * most * (1.0 + 1e-9));
        assert_true(probed(s, "missing") == 0.0);
    }
    assert_true(fabs(probed(s, "mass") - 0.016) <= 0.5 * most);
    /* the velocities are spread with the deviation, within four deviations of its estimate */
    rps_world *world = rps_simulation_world(s);
    double square = 0.0, v[3];
    const uint64_t ids = rps_world_id_end(world);
    for (uint64_t id = 0; id < ids; id++) {
        MUST(rps_world_body_velocity(world, id, v, &must));
        square += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / (3.0 * (double)ids);
    }
    assert_true(ids > 80 && fabs(square / 0.01 - 1.0) < 4.0 * sqrt(2.0 / (3.0 * (double)ids)));
    rps_simulation_destroy(s);
}

/* A total, spread over a time or at once; numbers without a count; what the last window gave. */
static void totals(void **state) {
    static const char *const how[] = {
        "radius: 2 mm, pour: {" FAR ", total: 10 g, until: 50 ms}",
        "radius: 2 mm, pour: {" FAR ", total: 10 g, until: 0, tries: 1000}",
        "radius: 2 mm, pour: {" FAR ", total: 10 g, rate: 0.5 kg/s}",
        "radius: 2 mm, pour: {region: {disk: {center: [0, 0, 0], normal: [0, 0, 1], radius: 0.2}}, velocity: [0, 0, "
        "1], "
        "total: 10 g, until: 50 ms}",
        "radius: 2 mm, pour: {region: [[0, 0, 0.5], [1, 1, 0.5]], rate: 600 1/s, from: 10 ms, until: 60 ms}",
    };
    const double one = 2500.0 * 4.0 / 3.0 * 3.14159265358979 * 8e-9;
    (void)state;
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        rps_simulation *s = source("0.1", how[k]);
        MUST(rps_simulation_step_until(s, 0.04, &must));
        if (k != 1 && k != 4) assert_true(fabs(probed(s, "rate") - (k == 2 ? 0.0 : 0.2)) <= one / 0.02);
        if (k == 3) { /* they came at z = 0 and move up */
            double x[3];
            MUST(rps_world_body_position(rps_simulation_world(s), 0, x, &must));
            assert_true(x[2] > 0.03 && x[0] * x[0] + x[1] * x[1] < 0.198 * 0.198);
        }
        MUST(rps_simulation_finish(s, &must));
        const double due = k == 4 ? 30.0 : 0.01 / one;
        assert_true(fabs(probed(s, "number") - due) <= 0.5 + 1e-9);
        rps_simulation_destroy(s);
    }
}

/* Ten grains do not fit: what is missing is told while it is, and the run stops where that is wished. */
static void falls_short(void **state) {
    static const char tight[] = "radius: 2 mm, pour: {region: [[0, 0, 0], [4.1 mm, 4.1 mm, 4.1 mm]], rate: 100 1/s%s}";
    char how[256];
    rps_error err;
    (void)state;
    snprintf(how, sizeof how, tight, "");
    rps_simulation *s = source("0.1", how);
    MUST(rps_simulation_finish(s, &must));
    assert_true(probed(s, "number") == 1.0 && probed(s, "missing") == 9.0);
    assert_true(fabs(probed(s, "short") - 9.0 * 2500.0 * 4.0 / 3.0 * 3.14159265358979 * 8e-9) < 1e-12);
    rps_simulation_destroy(s);
    snprintf(how, sizeof how, tight, ", shortage: 0.2 g");
    s = source("0.1", how);
    if (rps_simulation_finish(s, &err) != RPS_BAD_INPUT ||
        !strstr(err.text, "is behind by 0.000251327 kg at t = 0.035"))
        fail_msg("%s", err.text);
    rps_simulation_destroy(s);
}

/* Grains fall through a column and enter it again: their number stays, and so does their mass to half a particle. */
static const char column_text[] =
    "repose: 1\ngravity: [0, 0, -9.81]\nmaterials: {a: {young: 1 MPa, poisson: 0.3, density: 2500}}\n"
    "pairs: [{between: [a, a], normal: {law: hooke, stiffness: 100}, damping: {law: ratio, value: 0.5}, slide: none, "
    "roll: none, spin: none}]\nrun: {step: 1e-4, until: 0.6, threads: 1}\nparticles:\n"
    "  - {name: fill, material: a, radius: 2 mm, generator: {lattice: {box: [[0, 0, 5 mm], [50 mm, 50 mm, 60 mm]], "
    "spacing: 10 mm}}}\n"
    "  - {name: again, material: a, %s, pour: {region: [[0, 0, 70 mm], [60 mm, 60 mm, 90 mm]], velocity: [0, 0, -0.5], "
    "recycles: out}}\n"
    "sinks: {out: {region: {behind: {point: [0, 0, 0], normal: [0, 0, 1]}}}}\n"
    "probes:\n  all: {quantity: mass_inside, region: {behind: {point: [0, 0, 9], normal: [0, 0, 1]}}}\n"
    "  grains: {quantity: grains}\n  left: {sink: out, quantity: number}\n  waits: {source: again, quantity: "
    "number_behind}\n  given: {source: again, quantity: number}\n";

static void goes_round(void **state) {
    char text[4096], path[RPS_PATH];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const double one = 2500.0 * 4.0 / 3.0 * 3.14159265358979 * 8e-9, start = 216.0 * one;
        uint64_t hash[2][2];
        snprintf(text, sizeof text, column_text,
                 kind == 0 ? "radius: 2 mm" : "by: mass, radius: {uniform: [1 mm, 3 mm]}");
        rps_simulation *s = create(text, NULL);
        for (int k = 0; k < 60; k++) {
            MUST(rps_simulation_step(s, 100, &must));
            if (kind == 0) assert_true(probed(s, "grains") + probed(s, "waits") == 216.0);
            if (kind == 0) assert_true(probed(s, "left") == probed(s, "given") + probed(s, "waits"));
            /* half of the largest particle, and all that wait */
            const double waits = (0.5 + probed(s, "waits")) * one * (kind == 0 ? 1.0 : 27.0 / 8.0);
            assert_true(fabs(probed(s, "all") - start) <= waits * (1.0 + 1e-9));
        }
        assert_true(probed(s, "left") > 300.0); /* each has gone round more than once */
        rps_world_hash(rps_simulation_world(s), hash[0], NULL);
        rps_simulation_destroy(s);
        s = create(text, NULL);
        MUST(rps_simulation_step(s, 3333, &must));
        MUST(rps_simulation_save(s, path_of("round.checkpoint", path), &must));
        rps_simulation_destroy(s);
        rps_scene *scene;
        MUST(resume(path, NULL, &scene, &must));
        MUST(rps_simulation_create(scene, &s, &must));
        rps_scene_close(scene);
        MUST(rps_simulation_finish(s, &must));
        rps_world_hash(rps_simulation_world(s), hash[1], NULL);
        rps_simulation_destroy(s);
        assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    }
}

static void source_refused(const char *how, const char *part) {
    char text[4096];
    rps_error err;
    snprintf(text, sizeof text, WORLD, "0.1", how);
    scene_refused(text, &err);
    if (!strstr(err.text, part)) fail_msg("%s: %s", how, err.text);
}

static void bad_sources(void **state) {
    (void)state;
    source_refused("radius: 1 mm, pour: {" FAR "}", "`count` is missing");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: 1 m}", "rate");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: -1 kg/s}", "must not be negative");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: 1e-9 kg/s}", "less than half a particle");
    source_refused("radius: 1 mm, pour: {" FAR ", total: 1 kg, rate: 10 1/s}", "`total` is a mass");
    source_refused("radius: 1 mm, pour: {" FAR ", total: 1 kg}", "`total` with `until`");
    source_refused("radius: 1 mm, pour: {" FAR ", total: 1 kg, rate: 1 kg/s}", "only 0.1 kg are due");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: [[0, 1 kg/s]]}", "at least two times");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: [[0, 1 kg/s], [1, 1]]}", "in one unit");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: [[1, 1], [0.5, 1]]}", "rise, but 0.5 s follows 1 s");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: 1 kg/s, until: 1, from: 2}", "ends before it begins");
    source_refused("radius: 1 mm, pour: {" FAR ", rate: 1e9 kg/s}", "more than 100000000 particles");
    source_refused("radius: 1 mm, pour: {region: {behind: {point: [0, 0, 0], normal: [0, 0, 1]}}, rate: 1 kg/s}",
                   "behind");
    source_refused(
        "radius: 3 mm, pour: {region: {disk: {center: [0, 0, 0], normal: [0, 0, 1], radius: 2 mm}}, rate: 100}",
        "has a radius of 0.002 m; a particle needs 0.003 m");
    source_refused(
        "radius: 3 mm, pour: {region: {cylinder: {from: [0, 0, 0], to: [0, 0, 5 mm], radius: 5 mm}}, rate: 100}",
        "0.005 m long; a particle needs 0.006 m");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(row_25),     cmocka_unit_test(follows_a_table),
                                       cmocka_unit_test(totals),     cmocka_unit_test(falls_short),
                                       cmocka_unit_test(goes_round), cmocka_unit_test(bad_sources)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
