/*
 * Times the steps of a scene: builds its world, lets it warm up, and takes the wall and the processor time of a number of steps.
 * Prints one line: case bodies contacts steps wall_s cpu_s particle_steps_per_s ns_per_contact bytes_per_body.
 *
 * usage: bench SCENE [variant=NAME] [threads=N] [isa=sse2|avx2|avx512] [warm=STEPS] [steps=STEPS] [PATH=VALUE ...]
 *                    [traffic=1] [save=FILE] [moving=1]
 * where PATH=VALUE overrides a key of the scene, traffic=1 adds a line: what moving the same numbers takes (traffic.h), and
 * save=FILE writes the free bodies at the end as a particle file, in the order in which they were made. Of bodies of several
 * pieces it has the centre of mass and the principal axes; moving=1 adds the velocities of spheres and disks. Particles that are due are poured before the first steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/cpu.h"
#include "scene/scene.h"
#include "world/world_internal.h"
#include "traffic.h"

enum { SETS = 32 };

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A particle file: radii of spheres and disks, with `moving` their velocities, orientations of others. */
static int save(const rps_world *world, const char *path, bool moving) {
    const rps_bodies *bodies = &world->bodies;
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return 1;
    }
    bool begun = false;
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        const bool round = bodies->pieces[s][0] == 0;
        const double *x = bodies->pose[s].position, *radius = bodies->pose[s].radius, *turn = bodies->orientation[s];
        if (!begun) fprintf(file, "x,y,z,%s%s\n", round ? "radius" : "qw,qx,qy,qz", moving ? ",vx,vy,vz,wx,wy,wz" : "");
        begun = true;
        fprintf(file, "%.17g,%.17g,%.17g", x[0], x[1], x[2]);
        for (int k = 0; k < (round ? 1 : 4); k++) fprintf(file, ",%.17g", (round ? radius : turn)[k]);
        for (int k = 0; k < 6 && moving; k++)
            fprintf(file, ",%.17g", k < 3 ? bodies->motion[s].velocity[k] : bodies->motion[s].angular_velocity[k - 3]);
        fprintf(file, "\n");
    }
    if (fclose(file) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

/* Particles of `pour` come at their steps, of which the first makes those due at its end. */
static rps_status pour(rps_scene *scene, rps_world *world, rps_error *err) {
    rps_status status = RPS_OK;
    for (size_t more = 1; status == RPS_OK && rps_scene_pending(scene) && more > 0;) {
        status = rps_world_step(world, 1, err);
        if (status == RPS_OK) status = rps_scene_insert(scene, world, &more, err);
    }
    return status;
}

static int give_up(const rps_error *err) {
    fprintf(stderr, "bench: %s\n", err->text);
    return 1;
}

int main(int argc, char **argv) {
    rps_scene_load_options options = {.isa = -1, .threads = 1};
    const char *set[SETS], *state = NULL;
    uint64_t warm = 100, steps = 400;
    int traffic = 0, moving = 0;
    rps_error err;
    if (argc < 2) {
        fprintf(stderr,
                "usage: bench SCENE [variant=NAME] [threads=N] [isa=NAME] [warm=STEPS] [steps=STEPS] [traffic=1] "
                "[save=FILE] [moving=1] [PATH=VALUE ...]\n");
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
        } else if (value && name == 4 && strncmp(argv[k], "save", name) == 0) {
            state = value + 1;
        } else if (value && name == 7 && strncmp(argv[k], "traffic", name) == 0) {
            traffic = atoi(value + 1);
        } else if (value && name == 6 && strncmp(argv[k], "moving", name) == 0) {
            moving = atoi(value + 1);
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
    if (rps_scene_build(scene, &world, &err) != RPS_OK || pour(scene, world, &err) != RPS_OK ||
        rps_world_step(world, warm, &err) != RPS_OK) {
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
    const int failed = state ? save(world, state, moving != 0) : 0;
    rps_world_destroy(world);
    rps_scene_free(scene);
    return failed;
}
