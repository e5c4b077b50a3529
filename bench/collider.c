/*
 * Times how lists are made beside bodies of many pieces, in two tables, each line the median of REPEATS by the processor
 * time of one thread:
 *
 *   clumps  CLUMPS bodies of n pieces in a dense cube: us a body and build of all lists, by trees and by going through all
 *           pairs of pieces, which tells from how many pieces on a tree is worth while (RPS_COLLIDER_FROM);
 *   floor   GRAINS spheres on a fixed body of n boxes, of which they meet the same few: us a grain and build of all lists,
 *           us a grain and step, bytes of pieces and tree a piece, and ms to add the body.
 *
 * usage: collider [clumps] [floor]          default: both
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "detect/detect.h"
#include "world/body_shape.h"
#include "world/world.h"

enum { REPEATS = 5, CLUMPS = 125, GRAINS = 400, STEPS = 200, MOST = 400 * 400 };

static rps_error err;

static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "collider: %s\n", err.text);
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value) {
    qsort(value, REPEATS, sizeof *value, compare);
    return value[REPEATS / 2];
}

static double chance(uint64_t id, uint64_t n) {
    return rps_random_uniform(43, RPS_RANDOM_TEST, id, n);
}

static rps_world *empty(void) {
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    options.threads = 1;
    options.step = 1e-6;
    must(rps_world_create(&options, &world, &err));
    rps_material material = rps_material_default();
    material.name = "stone";
    must(rps_world_add_material(world, &material, NULL, &err));
    rps_pair pair = rps_pair_default();
    pair.law[RPS_ROLE_NORMAL] = rps_law_find(RPS_ROLE_NORMAL, "hooke");
    pair.value[RPS_ROLE_NORMAL][0] = 1e4;
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    return world;
}

static rps_piece_def piece[MOST];

/* us a body, to make all lists. */
static double build_time(rps_world *world, bool all_pieces) {
    double time[REPEATS];
    world->all_pieces = all_pieces;
    for (int k = -1; k < REPEATS; k++) {
        world->lists_stale = true;
        const double begin = seconds();
        must(rps_detect_update(world, &err));
        if (k >= 0) time[k] = 1e6 * (seconds() - begin) / (double)world->bodies.count;
    }
    return median(time);
}

/* A clump of radius 1, of spheres or of boxes. */
static void add_clump(rps_world *world, int count, bool boxes, const double x[3]) {
    const double size = 1.2 / cbrt((double)count);
    for (int k = 0; k < count; k++) {
        const uint64_t n = 8 * (uint64_t)k;
        piece[k] = rps_piece_def_default();
        piece[k].shape = boxes ? "box" : "sphere";
        for (int axis = 0; axis < (boxes ? 3 : 1); axis++) piece[k].parameter[axis] = boxes ? size : 0.5 * size;
        for (int axis = 0; axis < 3; axis++) {
            piece[k].position[axis] = (1.0 - 0.5 * size) * (2.0 * chance(1, n + (uint64_t)axis) - 1.0) * 0.6;
        }
    }
    rps_body_def def = rps_body_def_default();
    def.piece = piece;
    def.pieces = count;
    def.mass = def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
    for (int axis = 0; axis < 4; axis++)
        def.orientation[axis] = chance(2, 4 * world->bodies.count + (uint64_t)axis) - 0.5;
    memcpy(def.position, x, sizeof def.position);
    must(rps_world_add_body(world, &def, NULL, &err));
}

static void time_clumps(void) {
    static const int counts[] = {2, 3, 4, 6, 8, 12, 16, 32, 64};
    printf("%-8s %8s %14s %14s\n", "clumps", "pieces", "trees us/body", "loop us/body");
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
        const bool boxes = c >= sizeof counts / sizeof *counts;
        const int count = counts[c % (sizeof counts / sizeof *counts)];
        rps_world *world = empty();
        for (int k = 0; k < CLUMPS; k++) {
            const double x[3] = {1.6 * (k % 5), 1.6 * (k / 5 % 5), 1.6 * (k / 25)};
            add_clump(world, count, boxes, x);
        }
        const double trees = build_time(world, false), loop = build_time(world, true);
        printf("%-8s %8d %14.2f %14.2f\n", boxes ? "boxes" : "spheres", count, trees, loop);
        rps_world_destroy(world);
    }
}

/* A floor of side x side boxes of 2 mm as one body, its middle at the origin. */
static void add_floor(rps_world *world, int side) {
    const double edge = 2e-3;
    for (int k = 0; k < side * side; k++) {
        piece[k] = rps_piece_def_default();
        piece[k].shape = "box";
        for (int axis = 0; axis < 3; axis++) piece[k].parameter[axis] = edge;
        piece[k].position[0] = edge * ((double)(k % side) - 0.5 * side);
        piece[k].position[1] = edge * ((double)(k / side) - 0.5 * side);
        piece[k].position[2] = 0.1 * edge * chance(3, (uint64_t)k);
    }
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_FIXED;
    def.piece = piece;
    def.pieces = side * side;
    def.mass = def.inertia[0] = 1.0;
    must(rps_world_add_body(world, &def, NULL, &err));
}

static void time_floor(void) {
    static const int sides[] = {10, 33, 100, 141, 400};
    printf("%-8s %8s %14s %14s %14s %14s\n", "floor", "pieces", "build us/grain", "step us/grain", "bytes/piece",
           "add ms");
    for (size_t c = 0; c < sizeof sides / sizeof *sides; c++) {
        rps_world *world = empty();
        double begin = seconds(), time[REPEATS];
        add_floor(world, sides[c]);
        const double add = 1e3 * (seconds() - begin);
        const rps_collider *collider = rps_body_collider(world, 0);
        for (int k = 0; k < GRAINS; k++) {
            rps_body_def def = rps_body_def_default();
            def.radius = 4.5e-4;
            def.mass = 1e-6;
            def.position[0] = 1e-3 * (k % 20 - 9.7);
            def.position[1] = 1e-3 * (k / 20 - 9.7);
            def.position[2] = 1.2e-3 + 4.5e-4;
            def.velocity[2] = -0.2;
            must(rps_world_add_body(world, &def, NULL, &err));
        }
        for (int k = -1; k < REPEATS; k++) {
            begin = seconds();
            must(rps_world_step(world, STEPS, &err));
            if (k >= 0) time[k] = 1e6 * (seconds() - begin) / STEPS / GRAINS;
        }
        const double step = median(time), build = build_time(world, false), pieces = (double)collider->count;
        printf("%-8s %8.0f %14.3f %14.4f %14.1f %14.1f\n", "", pieces, build, step,
               (double)(rps_box_tree_bytes(&collider->tree) + world->pieces * sizeof *world->piece) / pieces, add);
        rps_world_destroy(world);
    }
}

int main(int count, char **word) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool clumps = count < 2, on_floor = count < 2;
    for (int k = 1; k < count; k++) {
        clumps = clumps || strcmp(word[k], "clumps") == 0;
        on_floor = on_floor || strcmp(word[k], "floor") == 0;
    }
    if (clumps) time_clumps();
    if (on_floor) time_floor();
    return 0;
}
