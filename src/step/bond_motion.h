/*
 * The geometry of a bond: strains in axes midway between those of both bodies, and the loads on the bodies that are
 * conjugate to them.
 *
 *   A, B: axes of the bond carried by each body;  t = rotation vector of A^T B;  M = A exp(t/2)
 *   d = from the first bond point to the second;  g = M^T d - (0, 0, L)
 *
 * Loads n of g and m of t that derive from an energy U(g, t) give, with r = M^T d, e = r x n, w = t/2 and
 * c = (1 - cos|w|)/|w|^2,
 *
 *   force on the first body M n, and torques a_1 x M n + M (e/2 + h), -a_2 x M n + M (e/2 - h) about the centres,
 *   h = S^-1 (m + c/2 e x w),   S^-1 y = y_par + (|w|/sin|w|) y_perp, parallel and perpendicular to w
 *
 * with a the arms from the centres to the bond points. This is the gradient of U, so that a bond without dampers
 * conserves energy in any motion with |t| < pi; forces and moments of forces cancel in pairs.
 */
#ifndef RPS_STEP_BOND_MOTION_H
#define RPS_STEP_BOND_MOTION_H

#include "world/world.h"

typedef struct rps_bond_motion {
    rps_quat axes;      /* M */
    rps_vec3 arm[2];    /* m, from the centre of each body to its bond point */
    rps_vec3 between;   /* m, d */
    rps_vec3 local;     /* m, r */
    rps_vec3 half;      /* rad, w */
    double sine, ratio; /* of |w|; |w|/sin|w| */
    double cosine;
    rps_bond_strain strain; /* dt is 0 */
} rps_bond_motion;

void rps_bond_motion_of(const rps_world *world, const rps_bond *bond, rps_bond_motion *out);
/* Forces and torques of the loads that a law returned. */
void rps_bond_wrench_of(const rps_world *world, const rps_bond_motion *motion, const rps_bond_loads *loads,
                        rps_bond_wrench *out);

/* Beyond this rotation of one body against the other (rad), two rotation vectors are about equally long. */
#define RPS_BOND_MOST_ROTATION 3.0

#endif
