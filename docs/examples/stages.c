/* A scene with stages that the program follows: disks are poured into a box, pressed, and let go.
 *
 * The program lists what the scene has (variants, probes, stages, sets that are inserted), steps to given times and reads all
 * probes there, and then goes to the end. A second simulation of the same scene goes to the end in one call; both must
 * have the same state, because the way in which a program divides the steps changes nothing.
 * Build: cc stages.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/scene.h>

static const char text[] =
    "repose: 1\n"
    "title: Disks under a plate\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {clay: {density: 1000 kg/m^3}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 2e6 N/m}\n"
    "    damping: {law: ratio, value: 0.7}\n"
    "    slide: {law: tracked, static: 0.3, kinetic: 0.3, stiffness: 1e6 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: left, shape: {plane: {normal: [1, 0]}}, material: clay, fixed: true}\n"
    "  - {name: right, shape: {plane: {normal: [-1, 0], point: [0.4, 0]}}, material: clay, fixed: true}\n"
    "  - {name: plate, shape: {plane: {normal: [0, -1], point: [0, 1]}}, material: clay, fixed: true}\n"
    "particles:\n"
    "  - name: grains\n"
    "    material: clay\n"
    "    count: 20\n"
    "    radius: {uniform: [35 mm, 45 mm]}\n"
    "    pour: {region: [[0, 0.6], [0.4, 0.9]], rate: 40 Hz}\n"
    "run: {step: 2e-5 s}\n"
    "stages:\n"
    "  - {name: fill, until: {speed: 5 cm/s, after: 0.7 s}, limit: 3 s}\n"
    "  - name: press\n"
    "    place: [plate]\n"
    "    drives: {plate: {pressure: 5 kPa, over: [left, right], stiffness: 1e6 N/m}}\n"
    "    until: {time: 0.5 s}\n"
    "  - name: lift\n"
    "    drives: {plate: {velocity: [0, 0.5]}}\n"
    "    until: {time: 0.2 s}\n"
    "probes:\n"
    "  height: {quantity: distance, over: [floor, plate]}\n"
    "  pressure: {body: plate, quantity: pressure, over: [left, right]}\n"
    "  stage: {quantity: stage}\n"
    "checks:\n"
    "  - {probe: pressure, stage: press, final: true, expect: 5 kPa, within: 1 %, source: held by the servo}\n"
    "  - {probe: height, stage: lift, rate: [0, 0.2 s], expect: 0.5 m/s, within: 1e-9 m/s, source: prescribed}\n"
    "variants:\n"
    "  smooth: {set: {pairs.clay/clay.slide: none}}\n"
    "  rough: {set: {pairs.clay/clay.slide.static: 0.6}}\n";

static rps_error error;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), error.text);
    exit(1);
}

static rps_scene *open_scene(void) {
    rps_scene_options options = rps_scene_options_default();
    rps_scene *scene;
    options.text = text;
    options.text_bytes = strlen(text);
    options.threads = 1;
    must(rps_scene_open(&options, &scene, &error));
    printf("%s, variants:", rps_scene_title(scene));
    for (size_t n = 0; n < rps_scene_variant_count(scene); n++) printf(" %s", rps_scene_variant_name(scene, n));
    printf("\n");
    return scene;
}

static void list_probes(const rps_simulation *simulation) {
    for (size_t n = 0; n < rps_simulation_probe_count(simulation); n++) {
        const rps_probe_info *probe = rps_simulation_probe_info(simulation, n);
        printf("probe %s: %s in %s%s\n", probe->name, probe->quantity, probe->unit,
               probe->may_lack ? ", may have no value" : "");
    }
}

/* The values of all probes in one line, and how much of each set is in. */
static void read_all(rps_simulation *simulation) {
    enum { MOST = 8 };
    rps_probe_row row[MOST];
    size_t count;
    must(rps_simulation_probes(simulation, row, MOST, &count, &error));
    printf("%.3g s:", rps_world_time(rps_simulation_world(simulation)));
    for (size_t n = 0; n < count && n < MOST; n++) {
        if (isnan(row[n].value)) {
            printf(" %s: %s;", row[n].name, row[n].undefined);
        } else {
            printf(" %s %.4g %s;", row[n].name, row[n].value, row[n].unit);
        }
    }
    for (size_t n = 0; n < rps_simulation_insertion_count(simulation); n++) {
        rps_insertion_info set;
        must(rps_simulation_insertion(simulation, n, &set, &error));
        printf(" %llu of %llu %s", (unsigned long long)set.done, (unsigned long long)set.count, set.set);
    }
    printf("\n");
}

/* The stages and the verdicts of the checks; returns how many are wrong. */
static int judge(rps_simulation *simulation) {
    int wrong = 0;
    for (size_t n = 0; n < rps_simulation_stage_count(simulation); n++) {
        rps_stage_info stage;
        must(rps_simulation_stage(simulation, n, &stage, &error));
        printf("stage %s: steps %llu to %llu, %s\n", stage.name, (unsigned long long)stage.from,
               (unsigned long long)stage.to, stage.why);
        wrong += !stage.ended || strcmp(stage.why, "done") != 0;
    }
    for (size_t n = 0; n < rps_simulation_check_count(simulation); n++) {
        rps_check_row row;
        must(rps_simulation_check(simulation, n, &row, &error));
        printf("%s: %.6g %s, %s\n", row.check, row.measured, row.unit, row.passed ? "holds" : "does not hold");
        wrong += !row.passed;
    }
    return wrong;
}

int main(void) {
    rps_scene *scene = open_scene();
    rps_simulation *watched, *other;
    uint64_t hash[2][2];
    must(rps_simulation_create(scene, &watched, &error));
    must(rps_simulation_create(scene, &other, &error));
    rps_scene_close(scene);
    list_probes(watched);
    for (int n = 0; n <= 4; n++) {
        must(rps_simulation_step_until(watched, 0.2 * n, &error));
        read_all(watched);
    }
    must(rps_simulation_finish(watched, &error));
    must(rps_simulation_finish(other, &error));
    read_all(watched);
    int wrong = judge(watched);
    must(rps_world_hash(rps_simulation_world(watched), hash[0], &error));
    must(rps_world_hash(rps_simulation_world(other), hash[1], &error));
    wrong += memcmp(hash[0], hash[1], sizeof hash[0]) != 0;
    printf("state %016llx%016llx, in one call %016llx%016llx\n", (unsigned long long)hash[0][0],
           (unsigned long long)hash[0][1], (unsigned long long)hash[1][0], (unsigned long long)hash[1][1]);
    rps_simulation_destroy(other);
    rps_simulation_destroy(watched);
    return wrong > 0;
}
