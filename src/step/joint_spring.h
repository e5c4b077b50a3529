/*
 * Springs along the coordinates of joints: loads and energies. A spring is linear, -stiffness (q - rest), or has a table of
 * loads at positions with lines between them; the first and the last line go on beyond. Its energy is 0 at the rest, or with a
 * table at position 0, and may then be negative.
 */
#ifndef RPS_STEP_JOINT_SPRING_H
#define RPS_STEP_JOINT_SPRING_H

#include "world/joint.h"

/* N or N m: mean of the load over the positions between two (m or rad), so that times their distance it is the work. */
double rps_joint_spring_mean(const rps_joint_ends *ends, double from, double to);
/* N/m or N m/rad: twice the rate at which that mean falls as `to` grows; the stiffness if the spring is linear. */
double rps_joint_spring_stiffness(const rps_joint_ends *ends, double from, double to);
/* J */
double rps_joint_spring_energy(const rps_joint_ends *ends, double position);
/* Whether there is a spring or a damper. */
bool rps_joint_is_sprung(const rps_joint_ends *ends);

#endif
