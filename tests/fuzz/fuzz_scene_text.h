/* A scene of a fuzzing program: it is loaded, built and stepped once with little memory, or refused with a sentence. */
#ifndef RPS_TESTS_FUZZ_FUZZ_SCENE_TEXT_H
#define RPS_TESTS_FUZZ_FUZZ_SCENE_TEXT_H

#include <string.h>

#include "fuzz_memory.h"
#include "scene/scene.h"

/* Traps on a refusal without a reason, on one that blames the library, and on memory that is left. */
static inline void fuzz_run_scene(const char *text) {
    fuzz_memory memory = {.most = 64 << 20};
    rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_scene_load_options options = {
        .text = text, .text_bytes = strlen(text), .threads = 1, .isa = 0, .allocator = &allocator};
    rps_scene *scene;
    rps_world *world = NULL;
    rps_error err = {.status = RPS_OK};
    rps_status status = rps_scene_load(&options, &scene, &err);
    if (status != RPS_OK) __builtin_trap(); /* the text is that of the program */
    status = rps_scene_build(scene, &world, &err);
    if (status == RPS_OK) status = rps_world_step(world, 1, &err);
    rps_world_destroy(world);
    rps_scene_free(scene);
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
}

/* Laws of one material, `grain`. */
#define FUZZ_LAWS                                                                               \
    "repose: 1\ngravity: none\nmaterials: {grain: {young: 1e7, poisson: 0.3, density: 2500}}\n" \
    "pairs: [{between: all, normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"

#endif
