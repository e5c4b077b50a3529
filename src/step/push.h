/* Plain forces of a program on runs of bodies (push_kernel.c), for external.c. */
#ifndef RPS_STEP_PUSH_H
#define RPS_STEP_PUSH_H

#include "world/bodies.h"

typedef struct rps_push {
    rps_motion *motion;   /* kicked */
    rps_applied *applied; /* cleared by the second push of a step */
    double (*work)[1];    /* J, added to */
    double kick, half;    /* s: how long the force acts; half of the step */
    bool first;           /* of a step: work at the velocities before the kick, else after it */
} rps_push;

/* Slots from `begin` on, up to `end` or to the first that has no plain force, which is returned. Compiled once per
 * instruction set. */
typedef size_t rps_push_fn(const rps_push *task, size_t begin, size_t end);
rps_push_fn rps_push_range_sse2, rps_push_range_avx2, rps_push_range_avx512;

#endif
