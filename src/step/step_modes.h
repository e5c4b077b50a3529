/*
 * The largest stable step of a body with many springs and dampers.
 *
 * With the masses divided out, the energy of the springs of a contact is sum over its modes of k (b_i.x_i +
 * b_j.x_j)^2/2, with b the direction in which a mode moves a body, divided by the roots of mass and inertia. It is at
 * most a sum of one term per body, k (b_i.x_i)^2 (|b_i|^2 + |b_j|^2)/|b_i|^2. So the stiffness of the whole packing
 * is bounded by one 6 x 6 matrix per body, for translation and rotation. The same holds for dampers, and for bonds.
 * The bound is exact for one contact, for a lattice in which neighbours move against each other, and for disks that
 * all rotate alike.
 *
 * Dashpots take increments as rates, half a step late, so a step dt is stable where the largest eigenvalue of
 * K dt^2 + 2 C dt is at most 4: for one mode dt < (2/w)(sqrt(1 + z^2) - z), z the damping ratio.
 */
#ifndef RPS_STEP_STEP_MODES_H
#define RPS_STEP_STEP_MODES_H

enum { RPS_STEP_COORDINATES = 6 };

typedef struct rps_step_matrix {
    double m[RPS_STEP_COORDINATES][RPS_STEP_COORDINATES];
} rps_step_matrix;

/* Stiffness and damper of a body, over the mass. All 0 at first. */
typedef struct rps_step_modes {
    rps_step_matrix stiffness, damper;
} rps_step_modes;

/* Adds a mode with direction b of this body, squared length other2 of that of the other body, stiffness and damper. */
void rps_step_modes_add(rps_step_modes *modes, const double b[RPS_STEP_COORDINATES], double other2, double stiffness,
                        double damper);
/* The largest stable step (s). INFINITY if it is above `best`, the smallest step of other bodies, which one evaluation
 * decides. Its margin is far above the error of the bisection, so bodies with equal steps are compared in any order. */
double rps_step_modes_limit(const rps_step_modes *modes, double best);

#endif
