/*
 * Times the steps of a scene: builds its world, lets it warm up, and takes the wall and the processor time of a number of steps.
 * Prints one line: case bodies contacts steps wall_s cpu_s particle_steps_per_s ns_per_contact bytes_per_body.
 *
 * usage: bench SCENE [variant=NAME] [threads=N] [isa=sse2|avx2|avx512] [warm=STEPS] [steps=STEPS] [PATH=VALUE ...]
 *                    [traffic=1]
 * where PATH=VALUE overrides a key of the scene, and traffic=1 adds a line: what moving the same numbers takes (traffic.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/cpu.h"
#include "scene/scene.h"
#include "traffic.h"

enum { SETS = 32 };

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int give_up(const rps_error *err) {
    fprintf(stderr, "bench: %s\n", err->text);
    return 1;
}

int main(int argc, char **argv) {
    rps_scene_load_options options = {.isa = -1, .threads = 1};
    const char *set[SETS];
    uint64_t warm = 100, steps = 400;
    int traffic = 0;
    rps_error err;
    if (argc < 2) {
        fprintf(stderr,
                "usage: bench SCENE [variant=NAME] [threads=N] [isa=NAME] [warm=STEPS] [steps=STEPS] [traffic=1] "
                "[PATH=VALUE ...]\n");
        return 2;
    }
    options.path = argv[1];
    options.set = set;
    for (int k = 2; k < argc; k++) {
        const char *value = strchr(argv[k], '=');
        const size_t name = value ? (size_t)(value - argv[k]) : 0;
        if (value && name == 7 && strncmp(argv[k], "variant", name) == 0) {
            options.variant = value + 1;
        } else if (value && name == 7 && strncmp(argv[k], "threads", name) == 0) {
            options.threads = atoi(value + 1);
        } else if (value && name == 3 && strncmp(argv[k], "isa", name) == 0) {
            rps_isa isa;
            if (rps_isa_from_name(value + 1, &isa, &err) != RPS_OK) {
                return give_up(&err);
            }
            options.isa = (int)isa;
        } else if (value && name == 4 && strncmp(argv[k], "warm", name) == 0) {
            warm = strtoull(value + 1, NULL, 10);
        } else if (value && name == 5 && strncmp(argv[k], "steps", name) == 0) {
            steps = strtoull(value + 1, NULL, 10);
        } else if (value && name == 7 && strncmp(argv[k], "traffic", name) == 0) {
            traffic = atoi(value + 1);
        } else if (value && options.sets < SETS) {
            set[options.sets++] = argv[k];
        } else {
            fprintf(stderr, "bench: cannot read `%s`: write PATH=VALUE\n", argv[k]);
            return 2;
        }
    }
    rps_scene *scene;
    rps_world *world;
    if (rps_scene_load(&options, &scene, &err) != RPS_OK) {
        return give_up(&err);
    }
    if (rps_scene_build(scene, &world, &err) != RPS_OK || rps_world_step(world, warm, &err) != RPS_OK) {
        return give_up(&err);
    }
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (rps_world_step(world, steps, &err) != RPS_OK) {
        return give_up(&err);
    }
    const double wall_s = seconds(CLOCK_MONOTONIC) - wall, cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double bodies = (double)rps_world_body_count(world), contacts = (double)rps_world_contact_count(world);
    printf("%s%s%s %.0f %.0f %llu %.4f %.4f %.4g %.1f %.0f\n", argv[1], options.variant ? ":" : "",
           options.variant ? options.variant : "", bodies, contacts, (unsigned long long)steps, wall_s, cpu_s,
           bodies * (double)steps / wall_s, wall_s / (double)steps / contacts * 1e9,
           (double)usage.ru_maxrss * 1024.0 / bodies);
    if (traffic) traffic_print(world, contacts);
    rps_world_destroy(world);
    rps_scene_free(scene);
    return 0;
}
