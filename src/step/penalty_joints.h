/*
 * Joints in a step of the penalty stepper (penalty_joints.c has the method). Nothing is done in a world without joints.
 */
#ifndef RPS_STEP_PENALTY_JOINTS_H
#define RPS_STEP_PENALTY_JOINTS_H

#include "step/nonsmooth.h"

/* Before the first step: results at the start; RPS_BAD_INPUT for joints that contradict each other. */
rps_status rps_penalty_joints_start(const rps_world *world, rps_nonsmooth *ns, rps_joint *joint,
                                    uint64_t *redundant_rows, rps_error *err);

/* Before motion: adds the loads of joints to those of their free bodies, so that the bodies arrive at places that joints allow;
 * books their work, that of drives in `work`. RPS_GUARD if there are none, as in a step that is too long. `unload` takes the loads back after motion. */
rps_status rps_penalty_joints_lead(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                                   rps_exact_sum *work, rps_error *err);
void rps_penalty_joints_unload(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies);

/* After motion and before the second half kick: keeps the velocities of the motion. */
void rps_penalty_joints_keep(const rps_world *world, rps_nonsmooth *ns);
/* At the end of the step: takes from the velocities what joints do not allow; then their results. */
rps_status rps_penalty_joints_follow(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                                     rps_exact_sum *work, rps_error *err);

#endif
