/* A scene that the program steps itself: particles are poured, as the scene says, and then the program lowers a lid until it
 * presses with a given force.
 *
 * The program sees the world every millisecond. It reads a probe by its name, and decides what the lid does next; the scene
 * goes on pouring meanwhile, and its checks judge the result. A probe may have no value, which is a status of its own.
 * Build: cc step_scene.c $(pkg-config --cflags --libs repose)
 * Usage: step_scene [CHECKPOINT], a file from which `repose run --resume` goes on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/scene.h>

static const char text[] =
    "repose: 1\n"
    "title: Grains under a lid\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {glass: {density: 2500}}\n"
    "pairs:\n"
    "  - between: [glass, glass]\n"
    "    normal: {law: hooke, stiffness: 1e4 N/m}\n"
    "    damping: {law: ratio, value: 0.4}\n"
    "    slide: {law: tracked, static: 0.4, kinetic: 0.3, stiffness: 4e3 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: glass, fixed: true}\n"
    "  - {name: lid, shape: {plane: {normal: [0, 0, -1], point: [0, 0, 0.12]}}, material: glass,\n"
    "     drive: {velocity: [0, 0, 0]}}\n"
    "  - {name: west, shape: {plane: {normal: [1, 0, 0], point: [-0.02, 0, 0]}}, material: glass, fixed: true}\n"
    "  - {name: east, shape: {plane: {normal: [-1, 0, 0], point: [0.02, 0, 0]}}, material: glass, fixed: true}\n"
    "  - {name: south, shape: {plane: {normal: [0, 1, 0], point: [0, -0.02, 0]}}, material: glass, fixed: true}\n"
    "  - {name: north, shape: {plane: {normal: [0, -1, 0], point: [0, 0.02, 0]}}, material: glass, fixed: true}\n"
    "  - {name: first, shape: {sphere: {radius: 5 mm}}, material: glass, position: [0, 0, 0.01]}\n"
    "particles:\n"
    "  - name: grains\n"
    "    material: glass\n"
    "    count: 40\n"
    "    radius: {uniform: [4 mm, 5 mm]}\n"
    "    pour: {region: [[-0.02, -0.02, 0.06], [0.02, 0.02, 0.11]], rate: 200 Hz}\n"
    "run: {step: 2e-5 s, until: 1 s}\n"
    "output: {frames: 0, series: 1 ms}\n"
    "probes:\n"
    "  load: {body: lid, quantity: force.z}\n"
    "  gap: {quantity: distance, over: [floor, lid]}\n"
    "  on the floor: {contact: [floor, first], quantity: normal_load}\n"
    "checks:\n"
    "  - {probe: load, final: true, above: 4 N, below: 6 N}\n"
    "  - {probe: gap, min: true, above: 2 cm}\n";

static rps_error error;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), error.text);
    exit(1);
}

static rps_simulation *open_simulation(void) {
    rps_scene_options options = rps_scene_options_default();
    rps_scene *scene;
    rps_simulation *simulation;
    options.text = text;
    options.text_bytes = strlen(text);
    options.threads = 1;
    must(rps_scene_open(&options, &scene, &error));
    must(rps_simulation_create(scene, &simulation, &error));
    rps_scene_close(scene); /* it may make others; this one needs it no more */
    return simulation;
}

static double read_probe(rps_simulation *simulation, const char *name) {
    double value;
    must(rps_simulation_probe(simulation, name, &value, &error));
    return value;
}

/* Lowers the lid as fast as the load lets it. */
static void press(rps_simulation *simulation, uint64_t lid, double target) {
    rps_drive drive = {.kind = RPS_DRIVE_MOTION, .until = -1.0}; /* for ever */
    double lack = 1.0 - read_probe(simulation, "load") / target;
    drive.velocity[2] = lack > 0.05 ? -0.2 * lack : lack < -0.05 ? -0.02 * lack : 0.0;
    must(rps_world_set_drive(rps_simulation_world(simulation), lid, &drive, &error));
}

/* Says what the checks of the scene say; how many do not hold. */
static int judge(rps_simulation *simulation) {
    int failed = 0;
    for (size_t i = 0; i < rps_simulation_check_count(simulation); i++) {
        rps_check_row row;
        must(rps_simulation_check(simulation, i, &row, &error));
        printf("%s: %.4g %s, %s\n", row.check, row.measured, row.unit, row.passed ? "holds" : "does not hold");
        failed += !row.passed;
    }
    return failed;
}

int main(int argc, char **argv) {
    rps_simulation *simulation = open_simulation();
    rps_simulation_state state;
    uint64_t lid;
    double load;
    must(rps_simulation_body(simulation, "lid", &lid, &error));
    must(rps_simulation_step(simulation, 0, &error)); /* the start */
    if (rps_simulation_probe(simulation, "on the floor", &load, &error) == RPS_NO_VALUE) printf("%s\n", error.text);
    do {
        must(rps_simulation_step(simulation, 50, &error));
        must(rps_simulation_get_state(simulation, &state, &error));
        if (!state.inserting && state.time > 0.4 && !state.ended) press(simulation, lid, 5.0);
    } while (!state.ended);
    if (argc > 1) must(rps_simulation_save(simulation, argv[1], &error));
    printf("at %.3g s after %llu steps: %llu bodies, the lid is %.1f mm above the floor\n", state.time,
           (unsigned long long)state.steps, (unsigned long long)state.bodies, 1e3 * read_probe(simulation, "gap"));
    const int failed = judge(simulation);
    rps_simulation_destroy(simulation);
    return failed > 0;
}
