/* Any text as a scene: it is refused with a sentence, or it loads, builds and takes a few steps. */
#include <string.h>

#include "fuzz_memory.h"
#include "scene/scene.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static rps_status try_scene(rps_scene *scene, rps_error *err) {
    rps_world *world;
    size_t added;
    RPS_TRY(rps_scene_build(scene, &world, err));
    rps_status status = RPS_OK;
    /* small ones only: the fuzzer should see many scenes, not many steps */
    for (int k = 0; k < 3 && status == RPS_OK && rps_world_body_count(world) < 300; k++) {
        status = rps_scene_insert(scene, world, &added, err);
        if (status == RPS_OK) status = rps_world_step(world, 1, err);
    }
    rps_world_destroy(world);
    return status;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    fuzz_memory memory = {.most = 16 << 20};
    rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_scene_load_options options = {
        .text = (const char *)data, .text_bytes = size, .threads = 1, .isa = 0, .allocator = &allocator};
    rps_scene *scene;
    rps_error err = {.status = RPS_OK};
    rps_status status = rps_scene_load(&options, &scene, &err);
    if (status == RPS_OK) {
        status = try_scene(scene, &err);
        rps_scene_free(scene);
    }
    /* an error is a sentence, and never blames the library */
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
    return 0;
}
