/*
 * Shared by the tests of contact detection: worlds of spheres and planes with laws without effect, bodies moved by
 * the test, and a complete check of both lists against all pairs.
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

/* A world as described, with one material "grain" and a pair for it, and bodies at random positions. */
rps_world *detect_world(const detect_case *c);
/* Adds the material `name` to a world. */
int detect_material(rps_world *world, const char *name);
/* Registers a normal law of this range and laws for the other roles, and sets them for two materials. */
void detect_pair(rps_world *world, int a, int b, double cutoff);
uint64_t detect_add_sphere(rps_world *world, int material, double radius, double x, double y, double z);
/* Moves all movable bodies for one step: at random velocities of at most `speed`, spheres also with `flow` along x,
 * driven planes by their drive. Records speeds as the motion stage does. */
void detect_move(rps_world *world, double speed, double flow, uint64_t step);

/* Contact histories expected by the test: for every pair of ids the serial number of its first contact; 0: no
 * contact. */
typedef struct detect_memory {
    size_t count;
    uint64_t *born;
    uint64_t serial;
} detect_memory;

detect_memory detect_memory_make(size_t count);
void detect_memory_free(detect_memory *memory);
/* Checks after an update that lists are complete and without duplicates, references complete and in order, padding
 * harmless, and histories with their pairs; then writes the histories of this step. */
void detect_check(rps_world *world, detect_memory *memory);

#define assert_ok(call)                                    \
    do {                                                   \
        rps_error error_ = {0};                            \
        if ((call) != RPS_OK) fail_msg("%s", error_.text); \
    } while (0)

#endif
