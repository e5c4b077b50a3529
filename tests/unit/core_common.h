/* Poses of two cores, and helpers for the tests of their contact geometry. */
#ifndef RPS_TESTS_UNIT_CORE_COMMON_H
#define RPS_TESTS_UNIT_CORE_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/pair_core.h"

/* All bodies here have sizes about 1; positions go through two rotations and a sum. */
static const double round_off = 1e-14;

/* Two cores and their poses; the origin of j is at 0. */
typedef struct core_scene {
    rps_shape_core i, j;
    rps_quat qi, qj;
    rps_vec3 d;
} core_scene;

/* The difference in thickness of a core's edge between its middle and its ends (pair_core.h). */
double core_barrel(const rps_shape_core *core);
/* Smallest full width of both. */
double core_width(const core_scene *s);

/* Random numbers between -1 and 1, and quantities made from them from the n-th number on. */
double core_any(uint64_t id, uint64_t n);
rps_vec3 core_any_vec(uint64_t id, uint64_t n);
rps_quat core_any_turn(uint64_t id, uint64_t n);

rps_touch_result core_touch(const core_scene *s, unsigned f, double reach, rps_touch *t);
/* 0 where the feature is apart. */
double core_overlap(const core_scene *s, unsigned f);
double core_largest_overlap(const core_scene *s);
/* Moves i by `shift` and turns it by `turn` about its origin. */
core_scene core_moved(const core_scene *s, rps_vec3 shift, rps_vec3 turn);
/* Force on i and torque about its origin, for linear springs of stiffness 1. */
void core_resultant(const core_scene *s, rps_vec3 *force, rps_vec3 *torque);
/* Properties of every touch: the difference of the points, the unit normal, and curvatures with the normal in their
 * kernel. */
void assert_sound(const rps_touch *t, rps_vec3 d);

#endif
