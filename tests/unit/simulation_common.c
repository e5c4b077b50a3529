/* Scenes that end by time, by rest and by their last stage, for both steppers, and their final state. */
#include "simulation_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/repose-simulation-XXXXXX";

int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* --- scenes -------------------------------------------------------------------------------------------------------- */

/* Particles come in while others fall; the run ends by time. */
const char pouring[] = HEAD "bodies:\n" GROUND BALL "particles:\n"
                            "  - name: rain\n"
                            "    material: clay\n"
                            "    count: 12\n"
                            "    radius: {uniform: [5 mm, 7 mm]}\n"
                            "    pour: {region: [[-0.03, -0.03, 0.06], [0.03, 0.03, 0.09]], rate: 100 Hz}\n"
                            "run: {step: 1e-4 s, until: 0.25 s}\n"
                            "output: {frames: 0, series: 1e-3 s}\n"
                            "probes:\n"
                            "  height: {body: ball, quantity: position.z}\n"
                            "  load: {contact: [ground, ball], quantity: normal_load}\n"
                            "  lost: {quantity: dissipated}\n"
                            "  energy: {quantity: kinetic_energy, set: rain}\n"
                            "checks:\n"
                            "  - {probe: height, final: true, expect: 0.01, within: 1 mm}\n"
                            "  - {probe: height, min: true, expect: 1, within: 0.1}\n"
                            "  - {probe: load, max: [0, 0.2 s], above: 0.1 N}\n"
                            "  - {probe: lost, mean: [0.05 s, 0.1 s], above: 0 J}\n"
                            "  - {probe: height, crosses: 0.02, above: 0 s}\n";

/* Only rest ends the run. */
const char resting[] = HEAD "bodies:\n" GROUND BALL "run: {step: 1e-4 s, until: 5 s, rest: 1e-6}\n"
                            "output: {frames: 0, series: 0}\n"
                            "probes: {height: {body: ball, quantity: position.z},\n"
                            "         speed: {body: ball, quantity: speed},\n"
                            "         load: {contact: [ground, ball], quantity: normal_load}}\n"
                            "checks: [{probe: speed, final: true, below: 1e-2 m/s}]\n";

/* A driven wall, a servo, and stages that end by a probe, by time and by speed. */
const char staged[] = HEAD
    "bodies:\n" GROUND "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.03]}\n"
    "  - {name: lid, shape: {plane: {normal: [0, 0, -1], point: [0, 0, 0.1]}}, material: clay, fixed: true}\n"
    "run: {step: 1e-4 s}\n"
    "output: {frames: 0, series: 5e-3 s}\n"
    "stages:\n"
    "  - {name: fall, until: {speed: 5 cm/s, after: 0.05 s}, limit: 1 s}\n"
    "  - {name: lower, drives: {lid: {velocity: [0, 0, -0.5]}}, until: {probe: gap, below: 25 mm}, limit: 1 s}\n"
    "  - {name: press, drives: {lid: {force: 0.2 N, stiffness: 1000 N/m}}, gravity: none, until: {time: 0.05 s}}\n"
    "probes:\n"
    "  gap: {quantity: distance, over: [ground, lid]}\n"
    "  load: {body: lid, quantity: servo_load}\n"
    "  stage: {quantity: stage}\n"
    "checks:\n"
    "  - {probe: gap, stage: lower, final: true, below: 25 mm}\n"
    "  - {probe: stage, final: true, expect: 3}\n"
    "  - {probe: load, stage: press, max: true, above: 0 N}\n";

/* The other stepper: a brick on a conveyor, and a hinge. */
const char rigid[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {steel: {young: 1 GPa, poisson: 0.3, density: 7800}}\n"
    "pairs:\n"
    "  - {between: [steel, steel], normal: hertz, damping: none,\n"
    "     slide: {law: tracked, static: 0.3, kinetic: 0.3, stiffness: 1e5 N/m}, roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: belt, shape: {plane: {normal: [0, 0, 1]}}, material: steel, drive: {velocity: [0.2, 0, 0]}}\n"
    "  - {name: brick, shape: {box: {size: [4 cm, 2 cm, 1 cm]}}, material: steel, position: [0, 0, 0.006]}\n"
    "run: {stepper: nonsmooth, compliance: rigid, step: 1 ms, until: 0.15 s}\n"
    "output: {frames: 0, series: 0}\n"
    "probes: {speed: {body: brick, quantity: velocity.x}, touches: {contact: [belt, brick], quantity: touching}}\n"
    "checks: [{probe: speed, final: true, expect: 0.2 m/s, within: 1 %}]\n"
    "variants: {slow: {set: {bodies.belt.drive.velocity.0: 0.1 m/s, checks.0.expect: 0.1 m/s}}}\n";

const struct scene_of_test scenes[SCENES] = {{"pouring", pouring, NULL},
                                             {"resting", resting, NULL},
                                             {"staged", staged, NULL},
                                             {"rigid", rigid, NULL},
                                             {"rigid, slow", rigid, "slow"}};

/* --- what a run leaves --------------------------------------------------------------------------------------------- */

static void take_probe(void *context, const rps_probe_row *row) {
    leftover *to = context;
    assert_true(to->probes < MOST);
    to->value[to->probes] = row->value;
    snprintf(to->unit[to->probes], sizeof *to->unit, "%s", row->unit);
    snprintf(to->undefined[to->probes++], sizeof *to->undefined, "%s", row->undefined);
}

static void take_check(void *context, const rps_check_row *row) {
    leftover *to = context;
    assert_true(to->checks < MOST);
    to->measured[to->checks] = row->measured;
    to->verdict[to->checks] = row->judged ? 1 + row->passed : 0;
    snprintf(to->note[to->checks], sizeof *to->note, "%s", row->note ? row->note : "");
    snprintf(to->check[to->checks++], sizeof *to->check, "%s, %s", row->variant, row->check);
}

rps_run_options run_options(const char *text, const char *variant, leftover *to) {
    rps_run_options options = rps_run_options_default();
    options.text = text;
    options.text_bytes = text ? strlen(text) : 0;
    options.variant = variant;
    options.threads = 1;
    options.probe = take_probe;
    options.check = take_check;
    options.context = to;
    return options;
}

void run(const rps_run_options *options, leftover *to) {
    rps_run_summary summary;
    *to = (leftover){.probes = 0};
    MUST(rps_run(options, &summary, &must));
    to->end = summary.end;
    to->steps = summary.steps;
    memcpy(to->hash, summary.hash, sizeof to->hash);
}

void leave(rps_simulation *s, leftover *to) {
    rps_simulation_state state;
    rps_probe_row probe[MOST];
    size_t count;
    *to = (leftover){.probes = 0};
    MUST(rps_simulation_get_state(s, &state, &must));
    to->end = state.end;
    to->steps = state.steps;
    MUST(rps_world_hash(rps_simulation_world(s), to->hash, &must));
    MUST(rps_simulation_probes(s, probe, MOST, &count, &must));
    assert_int_equal(count, rps_simulation_probe_count(s));
    for (size_t i = 0; i < count; i++) take_probe(to, &probe[i]);
    for (size_t i = 0; i < rps_simulation_check_count(s); i++) {
        rps_check_row row;
        MUST(rps_simulation_check(s, i, &row, &must));
        take_check(to, &row);
    }
}

static bool same_bits(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

void assert_same(const char *what, const leftover *a, const leftover *b) {
    if (a->end != b->end || a->steps != b->steps || memcmp(a->hash, b->hash, sizeof a->hash) != 0) {
        fail_msg("%s: end %d, step %llu, state %016llx; expected %d, %llu, %016llx", what, (int)b->end,
                 (unsigned long long)b->steps, (unsigned long long)b->hash[0], (int)a->end,
                 (unsigned long long)a->steps, (unsigned long long)a->hash[0]);
    }
    assert_int_equal(a->probes, b->probes);
    assert_int_equal(a->checks, b->checks);
    for (size_t i = 0; i < a->probes; i++) {
        if (!same_bits(a->value[i], b->value[i]))
            fail_msg("%s: probe %zu: %.17g, %.17g", what, i, a->value[i], b->value[i]);
        assert_string_equal(a->unit[i], b->unit[i]);
        assert_string_equal(a->undefined[i], b->undefined[i]);
    }
    for (size_t i = 0; i < a->checks; i++) {
        if (!same_bits(a->measured[i], b->measured[i]) || a->verdict[i] != b->verdict[i] ||
            strcmp(a->note[i], b->note[i]) != 0 || strcmp(a->check[i], b->check[i]) != 0) {
            fail_msg("%s: %s: %.17g, verdict %d, \"%s\"; expected %.17g, %d, \"%s\"", what, b->check[i], b->measured[i],
                     b->verdict[i], b->note[i], a->measured[i], a->verdict[i], a->note[i]);
        }
    }
}

rps_scene *open_text(const char *text, const char *variant) {
    rps_scene_options options = rps_scene_options_default();
    rps_scene *scene;
    options.text = text;
    options.text_bytes = strlen(text);
    options.variant = variant;
    options.threads = 1;
    MUST(rps_scene_open(&options, &scene, &must));
    return scene;
}

rps_simulation *create(const char *text, const char *variant) {
    rps_scene *scene = open_text(text, variant);
    rps_simulation *s;
    MUST(rps_simulation_create(scene, &s, &must));
    rps_scene_close(scene); /* the simulation needs it no more */
    return s;
}

bool has_ended(const rps_simulation *s) {
    rps_simulation_state state;
    MUST(rps_simulation_get_state(s, &state, &must));
    return state.ended;
}

const char *path_of(const char *name, char out[RPS_PATH]) {
    MUST(rps_path_join(out, folder, name, &must));
    return out;
}

rps_status resume(const char *checkpoint, const char *until, rps_scene **scene, rps_error *err) {
    rps_scene_options options = rps_scene_options_default();
    options.resume = checkpoint;
    options.until = until;
    options.threads = 1;
    return rps_scene_open(&options, scene, err);
}

void finish_from(const char *checkpoint, leftover *to) {
    rps_scene *scene;
    rps_simulation *s;
    MUST(resume(checkpoint, NULL, &scene, &must));
    MUST(rps_simulation_create(scene, &s, &must));
    MUST(rps_simulation_finish(s, &must));
    leave(s, to);
    rps_simulation_destroy(s);
    rps_scene_close(scene);
}
