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
 *
 * Laws of the path (RPS_BOND_OF_PATH) sum increments instead, as Potyondy & Cundall 2004 do: shear of the middle of the
 * bond, bending and twist, in axes P whose third is d/|d|. These turn as little as d needs, and about it by the mean
 * spin of both bodies, as tangent memories of contacts. An increment is measured in the axes midway between those
 * before and after. The loads are conjugate to the increments: force P n, torques a_1 x P n + d x P n/2 + P m and
 * -a_2 x P n + d x P n/2 - P m. All of it is seen from M, so that a rigid motion of both bodies changes nothing.
 */
#ifndef RPS_STEP_BOND_MOTION_H
#define RPS_STEP_BOND_MOTION_H

#include "world/world.h"

typedef struct rps_bond_motion {
    rps_quat axes;      /* of the strains: M, or P */
    rps_vec3 arm[2];    /* m, from the centre of each body to its bond point */
    rps_vec3 between;   /* m, d */
    rps_vec3 local;     /* m, r */
    rps_vec3 half;      /* rad, w */
    double sine, ratio; /* of |w|; |w|/sin|w| */
    double cosine;
    bool of_path;           /* the strains are those of the path */
    rps_bond_strain strain; /* dt is 0 */
} rps_bond_motion;

/* At the present places, where the bond was evaluated. */
void rps_bond_motion_of(const rps_world *world, const rps_bond *bond, rps_bond_motion *out);
/* At places where it was not yet: first takes the path, that of the bond or a copy, there. */
void rps_bond_motion_on(const rps_world *world, const rps_bond *bond, rps_bond_path *path, rps_bond_motion *out);
/* Forces and torques of the loads that a law returned. */
void rps_bond_wrench_of(const rps_world *world, const rps_bond_motion *motion, const rps_bond_loads *loads,
                        rps_bond_wrench *out);

/* Beyond this rotation of one body against the other (rad), two rotation vectors are about equally long. */
#define RPS_BOND_MOST_ROTATION 3.0

#endif
