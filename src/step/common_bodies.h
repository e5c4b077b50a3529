/*
 * Motion of the bodies that are integrated apart from the ranges of slots: the common bodies of a share (world/share.h),
 * which all processes move alike, and in a whole world the free ones among them. Their contacts may be spread over all
 * processes, so their loads are exact sums over them.
 */
#ifndef RPS_STEP_COMMON_BODIES_H
#define RPS_STEP_COMMON_BODIES_H

#include "step/motion.h"
#include "world/world.h"

/* The halves of motion, as for single bodies in ranges (motion.h). The second half takes sums over all processes. */
void rps_commons_start(const rps_world *world, const rps_motion_task *task, rps_extreme_motion *most);
void rps_commons_finish(const rps_world *world, const rps_motion_task *task, rps_exact_sum *all);

/* The next slot from `first` on, below `end`, that a range leaves out; `end`: none. */
size_t rps_commons_next(const rps_world *world, size_t first, size_t end);

#endif
