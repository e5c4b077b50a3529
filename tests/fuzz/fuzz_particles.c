/* Any bytes as a particle file; the first byte says how the scene reads it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_memory.h"
#include "scene/scene.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char path[64];

static void leave(void) {
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    snprintf(path, sizeof path, "/tmp/repose-fuzz-XXXXXX");
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    atexit(leave);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const char *const how[] = {"format: csv", "format: xyz", "format: csv, columns: [x, y, z, '-', mass]",
                                      "format: xyz, columns: [material, x, y, z, radius, vx, wz], scale: 1e-3"};
    static const char *const more[] = {"", "", "    radius: 1 mm\n", ""};
    char text[1024];
    if (size < 1) return 0;
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    fwrite(data + 1, 1, size - 1, file);
    fclose(file);
    const unsigned which = data[0] % 4;
    snprintf(
        text, sizeof text,
        "repose: 1\ngravity: none\nmaterials: {grain: {young: 1e7, poisson: 0.3, density: 2500}, soft: {young: 1e6, "
        "poisson: 0.3}}\npairs:\n"
        "  - {between: [grain, grain], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "  - {between: [grain, soft], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "  - {between: [soft, soft], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "particles:\n  - name: p\n    material: %s\n    file: {path: %s, %s}\n%s"
        "run: {step: 1e-5, until: 1 ms}\n",
        which == 2 ? "soft" : "grain", path, how[which], more[which]);
    fuzz_memory memory = {.most = 64 << 20};
    rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_scene_load_options options = {
        .text = text, .text_bytes = strlen(text), .threads = 1, .isa = 0, .allocator = &allocator};
    rps_scene *scene;
    rps_world *world = NULL;
    rps_error err = {.status = RPS_OK};
    rps_status status = rps_scene_load(&options, &scene, &err);
    if (status != RPS_OK) __builtin_trap();
    status = rps_scene_build(scene, &world, &err);
    if (status == RPS_OK) status = rps_world_step(world, 1, &err);
    rps_world_destroy(world);
    rps_scene_free(scene);
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
    return 0;
}
