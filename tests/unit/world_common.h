/* Shared by the tests of the world: a counting allocator that fails on request, tiny laws with predictable numbers,
 * and a world ready for bodies. */
#ifndef TESTS_UNIT_WORLD_COMMON_H
#define TESTS_UNIT_WORLD_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "world/world.h"

typedef struct account {
    long blocks, bytes;
    long fail_after; /* allocations that still succeed; -1: all */
} account;

rps_allocator counted(account *a);

/* "probe" in every role. Normal: stiffness [1, 10] N/m without default, law 0.02 reach, a scalar memory. Slide: static,
 * kinetic, stiffness, a choice "cut|allow" with default 1; a tangent memory and a booked tangent memory. Roll: static and
 * eta (default 0.5); a booked scalar and a tangent memory. Damping and spin: nothing. prepare copies values to constants;
 * roll's constants 10, 11, 12 are slide_value. A normal stiffness of 7 is refused by prepare. */
extern const rps_law probe_law[RPS_ROLE_COUNT];

/* Registers the probes, and the laws "none" where the library has none. */
void register_probes(rps_world *world);

/* A pair with all probes and good values. */
rps_pair probe_pair(void);

/* A world with the probes, material 0 "stone" (2000 kg/m^3), material 1 "felt" (no density), and all their pairs. */
rps_world *make_world(const rps_world_options *options);

/* Adds a free sphere; fails the test if it is refused. */
uint64_t add_sphere(rps_world *world, double x, double y, double z, double radius);

/* Asserts that a call was refused as bad input with a message that contains all of the words (ended by NULL). */
void assert_refused(rps_status status, const rps_error *err, ...);

#endif
