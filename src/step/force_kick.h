/* Forces from outside in a step (force_kick.c). */
#ifndef RPS_STEP_FORCE_KICK_H
#define RPS_STEP_FORCE_KICK_H

#include "world/world.h"

/* Forces act for the time `kick` (s) on all free bodies, with the places of now. first: in their order, else in the
 * reverse one. RPS_GUARD if a force is no number: the sentence says whose, where and when, and no velocity of that body
 * has changed. */
rps_status rps_forces_act(const rps_world *world, rps_forces *forces, rps_bodies *bodies, double kick, bool first,
                          rps_error *err);

#endif
