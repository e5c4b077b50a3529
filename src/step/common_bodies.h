/*
 * Motion of the common bodies of a share (world/share.h). All processes move them alike. The contacts of a driven one
 * are spread over all processes, so its load is an exact sum over them.
 */
#ifndef RPS_STEP_COMMON_BODIES_H
#define RPS_STEP_COMMON_BODIES_H

#include "step/motion.h"
#include "world/world.h"

/* The halves of motion, as for single bodies in ranges (motion.h); nothing in a whole world. The second half takes
 * sums over all processes. */
void rps_commons_start(const rps_world *world, const rps_motion_task *task, rps_extreme_motion *most);
void rps_commons_finish(rps_world *world, const rps_motion_task *task);

#endif
