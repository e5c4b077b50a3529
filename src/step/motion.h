/*
 * Motion of a range of bodies (motion_kernel.c), and what the guards and the lists want to know of all of them.
 */
#ifndef RPS_STEP_MOTION_H
#define RPS_STEP_MOTION_H

#include "step/step_stages.h"

typedef struct rps_extreme_motion {
    double speed2;     /* m^2/s^2, of the fastest point; of a sphere its centre tells */
    double deviation2; /* m^2/s^2, relative to the predicted velocity of the centre, scaled (world.prediction) */
    double rotation2;  /* square of half the angle of a step */
    double smallest;   /* m, half the smallest width of free bodies */
} rps_extreme_motion;

static inline double rps_motion_larger(double most, double x) {
    return most == most && !(x <= most) ? x : most;
}

/* The largest of numbers does not depend on the order in which they are compared; a not-a-number wins, so that it is
 * noticed. */
static inline void rps_motion_notice(rps_extreme_motion *most, double speed2, double deviation2, double rotation2,
                                     double radius) {
    most->speed2 = rps_motion_larger(most->speed2, speed2);
    most->deviation2 = rps_motion_larger(most->deviation2, deviation2);
    most->rotation2 = rps_motion_larger(most->rotation2, rotation2);
    most->smallest = radius < most->smallest ? radius : most->smallest;
}

/* Slots first .. end - 1. Made once per instruction set: both halves, and the second with the first of the next step. kick: s,
 * for which the loads act at first. account: gets what contacts of fixed and driven bodies dissipated (boundary.h). */
typedef void rps_motion_start_fn(rps_world *world, size_t first, size_t end, double time, double kick,
                                 rps_extreme_motion *most, rps_exact_sum account[4]);
rps_motion_start_fn rps_motion_start_range_sse2, rps_motion_start_range_avx2, rps_motion_start_range_avx512;
rps_motion_start_fn rps_motion_kick_drift_range_sse2, rps_motion_kick_drift_range_avx2,
    rps_motion_kick_drift_range_avx512;
typedef void rps_motion_finish_fn(rps_world *world, size_t first, size_t end, double time, bool initial,
                                  rps_exact_sum account[4]);
rps_motion_finish_fn rps_motion_finish_range_sse2, rps_motion_finish_range_avx2, rps_motion_finish_range_avx512;

#endif
