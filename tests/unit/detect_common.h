/*
 * Shared by the tests of detection: worlds of spheres and planes with laws that do nothing, bodies moved by hand, and
 * the complete check of both lists against all pairs.
 */
#ifndef DETECT_COMMON_H
#define DETECT_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/detect.h"
#include "detect/lists.h"

typedef struct detect_case {
    size_t count;  /* spheres */
    double box[3]; /* m */
    bool periodic[3];
    double ratio;    /* of the largest radius to the smallest */
    double radius;   /* m, the smallest */
    int planes;      /* 0, 1: floor, 2: floor and a driven wall */
    int fixed_every; /* every so many spheres are fixed; 0: none */
    double cutoff;   /* of the normal law, relative to the smaller radius */
    int threads;
    uint64_t shuffle;
    double skin, neighbor_skin;
    bool turning; /* the wall turns */
    rps_allocator allocator;
} detect_case;

/* A world as described with one material "grain" and a pair for it; bodies spread at random. */
rps_world *detect_world(const detect_case *c);
/* Lets a world know the material `name`. */
int detect_material(rps_world *world, const char *name);
/* A normal law of this reach, and laws for the other roles, registered and set for two materials. */
void detect_pair(rps_world *world, int a, int b, double cutoff);
uint64_t detect_add_sphere(rps_world *world, int material, double radius, double x, double y, double z);
/* Moves every body that can move for one step with random velocities of at most `speed`, spheres with `flow` along x beside;
 * driven planes by their drive. Notes speeds as the motion stage does. */
void detect_move(rps_world *world, double speed, double flow, uint64_t step);

/* Histories as the test believes them: for every pair of ids the serial number of its birth, 0: not alive. */
typedef struct detect_memory {
    size_t count;
    uint64_t *born;
    uint64_t serial;
} detect_memory;

detect_memory detect_memory_make(size_t count);
void detect_memory_free(detect_memory *memory);
/* After an update: lists complete, without doubles, references whole and in order, padding harmless, and all histories
 * where they belong; then writes the histories of this step. */
void detect_check(rps_world *world, detect_memory *memory);

#define assert_ok(call)                                    \
    do {                                                   \
        rps_error error_ = {0};                            \
        if ((call) != RPS_OK) fail_msg("%s", error_.text); \
    } while (0)

#endif
