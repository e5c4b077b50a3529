/*
 * The bodies on the sides of a joint in a nonsmooth step: velocities of its rows, and its loads on them. A coupling has the sides
 * of its two joints, 0 and 1, 2 and 3.
 */
#ifndef RPS_STEP_JOINT_SIDES_H
#define RPS_STEP_JOINT_SIDES_H

#include "step/nonsmooth.h"

/* Of a body by slot, 0 of the world (UINT32_MAX); and of all sides of a joint. */
rps_twist rps_joint_twist_of(const rps_twist *twist, uint32_t slot);
void rps_joint_twists_of(const rps_twist *twist, const rps_step_joint *step, rps_twist out[4]);
/* m/s, of a point at `branch` (m) from the centre. */
rps_vec3 rps_joint_speed_at(const rps_twist *twist, rps_vec3 branch);

/* m/s or rad/s, of a row: its part by the sides 0 and 1, and all. */
double rps_joint_pair_velocity(const rps_step_joint_row *row, const rps_step_joint *step, const rps_twist twist[4]);
double rps_joint_row_velocity(const rps_step_joint_row *row, const rps_step_joint *step, const rps_twist twist[4]);

/* Adds a force and a couple to two bodies; `from`: those of side 0, or of a coupling's second joint, 2. */
void rps_joint_push(const rps_step_joint *step, int from, rps_vec3 force, rps_vec3 couple, rps_twist *load);

#endif
