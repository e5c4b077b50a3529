/* Checkpoints: raw bytes as a file, or (first byte odd) a good one whose content was edited before its checksum was made, so
 * that the fuzzer gets past it. The file is refused with a sentence, or the world that was restored takes two steps. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_memory.h"
#include "io/state.h"
#include "scene/scene.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char text[] =
    "repose: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {grain: {young: 10 MPa, poisson: 0.3, density: 2500}}\n"
    "pairs:\n"
    "  - between: [grain, grain]\n"
    "    normal: hertz\n"
    "    damping: {law: restitution, value: 0.5}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e4 N/m}\n"
    "    roll: {law: tracked, eta: 0.2}\n"
    "    spin: {law: tracked, curvature: hertz}\n"
    "bodies:\n"
    "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: grain, drive: {velocity: [0.1, 0, 0]}}\n"
    "  - {shape: {sphere: {radius: 1 mm}}, material: grain, position: [0, 0, 0.99 mm]}\n"
    "  - {shape: {sphere: {radius: 1 mm}}, material: grain, position: [1.98 mm, 0, 0.99 mm], velocity: [-0.1, 0.1, "
    "0]}\n"
    "  - {shape: {sphere: {radius: 1 mm}}, material: grain, position: [0, 0.1 mm, 2.97 mm], velocity: [0, 0, -0.1]}\n"
    "  - {shape: {ellipsoid: {semi_axes: [1 mm, 1.2 mm, 1.5 mm]}}, material: grain, position: [5 mm, 0, 1.49 mm]}\n"
    "  - {shape: {box: {size: [2 mm, 2 mm, 2 mm], rounding: 0.2 mm}}, material: grain, position: [9 mm, 0, 0.999 mm]}\n"
    "  - pieces:\n"
    "      - {shape: {sphere: {radius: 1 mm}}}\n"
    "      - {shape: {capsule: {radius: 0.5 mm, length: 2 mm}}, position: [2.6 mm, 0, 0], orientation: [0.7, 0, 0.7, "
    "0]}\n"
    "    material: grain\n"
    "    position: [14 mm, 0, 0.999 mm]\n"
    "run: {step: 1e-6, until: 1 ms}\n";

static char path[64];
static fuzz_memory memory = {.most = 64 << 20};
static rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
static rps_serializer serializer; /* the good state */
static char *good;

static void leave(void) {
    unlink(path);
}

static rps_world *make(void) {
    rps_scene_load_options options = {
        .text = text, .text_bytes = sizeof text - 1, .threads = 1, .isa = 0, .allocator = &allocator};
    rps_scene *scene;
    rps_world *world;
    if (rps_scene_load(&options, &scene, NULL) != RPS_OK || rps_scene_build(scene, &world, NULL) != RPS_OK) {
        __builtin_trap();
    }
    rps_scene_free(scene);
    return world;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    /* in memory where there is such a folder: every input is a file that must reach its disk */
    snprintf(path, sizeof path, "%s/repose-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    atexit(leave);
    rps_world *world = make();
    rps_serializer_init(&serializer, NULL);
    if (rps_world_step(world, 20, NULL) != RPS_OK || rps_state_save(world, &serializer, NULL) != RPS_OK) return 1;
    rps_world_destroy(world);
    good = malloc(serializer.used);
    if (!good) return 1;
    memcpy(good, serializer.data, serializer.used);
    return 0;
}

/* Edits of four bytes each: place (two), how, value. */
static rps_status write_edited(const unsigned char *data, size_t size, rps_error *err) {
    memcpy(serializer.data, good, serializer.used);
    for (size_t k = 0; k + 4 <= size; k += 4) {
        size_t at = ((size_t)data[k] << 8 | data[k + 1]) % serializer.used;
        unsigned char *byte = (unsigned char *)serializer.data + at;
        *byte = data[k + 2] % 2 ? data[k + 3] : *byte ^ data[k + 3];
    }
    return rps_serializer_write(&serializer, path, err);
}

static rps_status write_raw(const unsigned char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) return RPS_IO_ERROR;
    fwrite(data, 1, size, file);
    return fclose(file) == 0 ? RPS_OK : RPS_IO_ERROR;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    rps_error err = {.status = RPS_OK};
    rps_checkpoint *checkpoint;
    rps_state_info info;
    if (size < 1) return 0;
    rps_status status = data[0] % 2 ? write_edited(data + 1, size - 1, &err) : write_raw(data + 1, size - 1);
    if (status != RPS_OK) return 0;
    status = rps_checkpoint_open(path, &allocator, &checkpoint, &err);
    if (status == RPS_OK) {
        rps_world *world = make();
        status = rps_state_look(checkpoint, &info, &err);
        if (status == RPS_OK) status = rps_state_restore(world, checkpoint, &err);
        if (status == RPS_OK) status = rps_world_step(world, 2, &err);
        rps_world_destroy(world);
        rps_checkpoint_close(checkpoint);
    }
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
    return 0;
}
