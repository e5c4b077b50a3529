/* Plain forces of a program on runs of bodies (push_kernel.c), for external.c. */
#ifndef RPS_STEP_PUSH_H
#define RPS_STEP_PUSH_H

#include "world/bodies.h"

typedef struct rps_push {
    rps_motion *motion; /* kicked */
    double (*force)[3]; /* N */
    double (*work)[1];  /* J, added to */
    double kick, half;  /* s: how long the force acts; half of the step */
    bool first;         /* work at the velocities before the kick, else after it */
} rps_push;

/* Slots begin .. end - 1. Compiled once per instruction set. */
typedef void rps_push_fn(const rps_push *task, size_t begin, size_t end);
rps_push_fn rps_push_range_sse2, rps_push_range_avx2, rps_push_range_avx512;

#endif
