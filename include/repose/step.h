/*
 * Advancing a world, and what can be measured on it between steps. SI units; vectors in world axes. For errors and
 * ownership see world.h.
 */
#ifndef REPOSE_STEP_H
#define REPOSE_STEP_H

#include <repose/contact.h>
#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Advances by `steps` time steps. RPS_GUARD if a guard of the world stops it. The first call first evaluates the
 * loads at t = 0 (all contacts begin then). On failure the world stays readable at the last complete step; the forces
 * on bodies may be those of an earlier one. */
RPS_API rps_status rps_world_step(rps_world *world, uint64_t steps, rps_error *err);
/* Builds lists and evaluates loads at the present time without advancing; needed before reading contacts at t = 0. */
RPS_API rps_status rps_world_start(rps_world *world, rps_error *err);
RPS_API uint64_t rps_world_steps(const rps_world *world); /* done since the world was made */
RPS_API double rps_world_time(const rps_world *world);    /* s, steps x dt */

/* Energies in J, from the state or the laws' own accounts; the residual closes the balance: residual = kinetic +
 * gravity + elastic + dissipated + removed - drives - shear - external - start, `start` being what bodies brought with them. */
typedef struct rps_ledger {
    double kinetic_translation, kinetic_rotation, gravity;
    double elastic[RPS_ROLE_COUNT];    /* by role; damping unused */
    double dissipated[RPS_ROLE_COUNT]; /* by role; normal unused */
    double drives;
    double shear;    /* work of the moving images of a sheared world */
    double external; /* work of applied loads, and energy of what the program set (body.h) */
    double removed;  /* kinetic, potential and elastic energy that went with removed bodies */
    double start;
    double residual;
} rps_ledger;

/* RPS_UNSUPPORTED if the world keeps no ledger (rps_world_options); RPS_GUARD if a term is infinite or NaN. */
RPS_API rps_status rps_world_ledger(rps_world *world, rps_ledger *ledger, rps_error *err);

/* How the problems of the nonsmooth stepper were solved; all 0 of the penalty stepper. */
typedef struct rps_solver_report {
    uint64_t steps;        /* since the world was made */
    uint64_t missed;       /* of these, steps whose residual stayed above the tolerance */
    uint64_t iterations;   /* of all steps */
    double worst_residual; /* of all steps */
    /* of the last step */
    uint64_t last_iterations;
    uint64_t rows;             /* contacts and near gaps that had a place in the problem */
    uint64_t joint_rows;       /* rows of joints */
    uint64_t redundant_rows;   /* of these at the start, rows that others imply: their loads are those of least norm */
    double residual;           /* in the group metric, which does not depend on units */
    double residual_euclidean; /* in SI units, as other programs print it */
    double slip_change;        /* m/s, of the outer fixed point of the true law */
    double approach;           /* m/s, by which contacts still close that should not */
    double momentum; /* |v of the solver - (v_free + M^-1 impulses)| over the largest change of velocity by impulses */
} rps_solver_report;
RPS_API void rps_world_solver(const rps_world *world, rps_solver_report *report);

/* Largest stable step, and what limits it. */
typedef struct rps_step_limit {
    double step;                    /* s, the largest that is stable */
    int material[2];                /* of the limiting contact */
    rps_role role;                  /* the mode that limits */
    bool damping;                   /* the damper, not the spring, limits */
    uint64_t id[2];                 /* the bodies; UINT64_MAX: particles that a scene will insert */
    double stiffness, damper, mass; /* of that mode */
    int contacts;                   /* of the body that limits with all of them; 0: an estimate from one contact */
    int neighbours;                 /* those of them with bodies that move */
    uint64_t body;                  /* that body */
    /* of an estimate for contacts that are yet to come, else 0: */
    double overlap; /* m, that they are expected to have: the largest of 1 % of R_eff, that at the start, */
    double load;    /* N, that of this load, if it is not 0, and */
    double speed;   /* m/s, that of an impact with this speed, if it is not 0 */
    double
        rolling_radius; /* m, of roll and spin between faces: as long as the floor of the curvatures lets it be; else 0 */
} rps_step_limit;

/* Over the pairs of materials that are there, with the lightest bodies and the deepest contact; a packing counts with
 * its full coordination number. INFINITY with the nonsmooth stepper, which has no limit. */
RPS_API rps_status rps_world_step_limit(rps_world *world, rps_step_limit *limit, rps_error *err);
/* Sets dt (s); before the first step only, since time is the number of steps times it. */
RPS_API rps_status rps_world_set_step(rps_world *world, double step, rps_error *err);

/* 128-bit hash, high word first, of the whole state (fields flagged SAVED, contact records, time), independent of slots and
 * of the number of threads, which share the work. It is made from the hashes of blocks of 4096 ids, which a checkpoint
 * holds too: `repose info A B` says in which blocks two states differ. RPS_NO_MEMORY. */
RPS_API rps_status rps_world_hash(const rps_world *world, uint64_t hash[2], rps_error *err);

/* Writes the whole state to a file (a checkpoint), which replaces one of that name when it is complete. */
RPS_API rps_status rps_world_save(const rps_world *world, const char *path, rps_error *err);
/* Gives the world a saved state, from which it goes on bit for bit. The world must have been set up as the saved one
 * was: step, gravity, periods, materials, pairs, groups, exclusions, joints, and its driven bodies; threads and
 * instruction set may be others. Bodies are replaced by the saved ones. RPS_BAD_INPUT, with the world untouched, for a
 * file that is damaged or of another set-up; after any other failure the world can only be destroyed. Contacts can be
 * read again after the next step. */
RPS_API rps_status rps_world_restore(rps_world *world, const char *path, rps_error *err);

/* Largest overlap over smaller radius, largest rotation and displacement per step relative to size, and where. */
typedef struct rps_extremes {
    double overlap; /* relative to the smaller radius */
    uint64_t overlap_id[2];
    double speed; /* m/s, of the fastest body */
    uint64_t speed_id;
    double kinetic;     /* J, of free bodies */
    double kinetic_max; /* J, of the fastest free body */
    size_t free_bodies;
} rps_extremes;
RPS_API rps_status rps_world_extremes(const rps_world *world, rps_extremes *out, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
