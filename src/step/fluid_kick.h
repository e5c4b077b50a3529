/* Buoyancy and drag of the fluid in a step (fluid_kick.c). */
#ifndef RPS_STEP_FLUID_KICK_H
#define RPS_STEP_FLUID_KICK_H

#include "base/exact_sum.h"
#include "world/world.h"

enum { RPS_FLUID_DRAG, RPS_FLUID_FLOW, RPS_FLUID_ACCOUNTS }; /* J: dissipated by drag, work of the flow */

typedef struct rps_fluid_task {
    const rps_world *world;
    rps_bodies *bodies;     /* written */
    rps_exact_sum *account; /* RPS_FLUID_ACCOUNTS, added to; NULL: no energy is recorded */
    double kick;            /* s, how long the fluid acts */
    bool first;             /* drag before buoyancy, else after it */
} rps_fluid_task;

/* On the free bodies of slots begin .. end - 1; and on all. */
void rps_fluid_act(const rps_fluid_task *task, size_t begin, size_t end);
void rps_fluid_all(const rps_fluid_task *task);
/* The task of a step (motion.c): it books into the changes of the world if that keeps a ledger. */
rps_fluid_task rps_motion_fluid(rps_world *world, double kick, bool first);
/* The velocity that a free body has after its first kick, for those who look ahead. */
rps_vec3 rps_fluid_kicked(const rps_world *world, size_t slot, rps_vec3 velocity, double kick);

#endif
