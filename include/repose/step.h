/*
 * Advancing a world in time, and measuring it between steps. SI units; vectors in world axes. For errors and
 * ownership see world.h.
 */
#ifndef REPOSE_STEP_H
#define REPOSE_STEP_H

#include <repose/contact.h>
#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Advances by `steps` time steps. RPS_GUARD if a guard of the world stops it. The first call evaluates the loads at t
 * = 0 before it steps (all existing contacts begin then). On failure the world stays readable at the last complete
 * step; the forces on bodies may be those of an earlier step. */
RPS_API rps_status rps_world_step(rps_world *world, uint64_t steps, rps_error *err);
/* Builds lists and evaluates loads at t = 0 without advancing; needed before reading contacts at t = 0. Does nothing in
 * a world that has started. RPS_GUARD as rps_world_step. */
RPS_API rps_status rps_world_start(rps_world *world, rps_error *err);
RPS_API uint64_t rps_world_steps(const rps_world *world); /* since the world was created */
RPS_API double rps_world_time(const rps_world *world);    /* s, steps x dt; the sum of all if dt has changed */

/* Energies in J, from the state or from the accounts of the laws. residual = kinetic + gravity + elastic + dissipated
 * + handover + bonds + removed - drives - shear - external - changed - start, where `start` is the initial energy of
 * the bodies. */
typedef struct rps_ledger {
    double kinetic_translation, kinetic_rotation, gravity;
    double elastic[RPS_ROLE_COUNT];        /* by role; damping unused; springs of joints count as normal */
    double dissipated[RPS_ROLE_COUNT];     /* by role; normal unused */
    double handover;                       /* lost where contacts with a mesh join or part; of friction at least 0 */
    double bonds_stored, bonds_dissipated; /* the latter by their dampers, and by bonds that broke */
    double drives;
    double shear;      /* work of the moving images of a sheared world */
    double external;   /* work of applied loads, and energy of values set by the program (body.h) */
    double removed;    /* kinetic, potential and elastic energy of removed bodies */
    double changed;    /* energy brought by other laws, coefficients, materials and kinds of bodies */
    double buoyancy;   /* potential energy of buoyancy */
    double drag, flow; /* dissipated by the drag of the fluid (fluid.h); work of a fluid that flows */
    double forces;     /* work of forces from outside that have no potential (force.h) */
    double potential;  /* potential energy of those that have one */
    double start;
    double residual;
} rps_ledger;

/* RPS_UNSUPPORTED if the world keeps no ledger (rps_world_options.ledger); RPS_GUARD if a term is infinite or NaN. */
RPS_API rps_status rps_world_ledger(rps_world *world, rps_ledger *ledger, rps_error *err);

/* Statistics of the solver of the nonsmooth stepper; all 0 with the penalty stepper. */
typedef struct rps_solver_report {
    uint64_t steps;        /* solved and used since the world was created; parts of refined ones count each */
    uint64_t missed;       /* those of them with a residual above the tolerance */
    uint64_t iterations;   /* of all solutions */
    double worst_residual; /* of the steps that were used */
    uint64_t refined;      /* steps, and parts of them, that were repeated in halves (rps_on_missed) */
    uint64_t gaining;      /* missed steps in which contacts and joints together created energy; only with a ledger */
    double gained;         /* J, in those */
    /* contacts with a load, summed over steps: those of which springs and dashpot were followed, those whose spring was taken
     * implicitly or that are rigid, and impacts that rebounded by the coefficient of restitution; and how often an impact got less
     * than that, since impacts together would have created energy */
    uint64_t followed, implicit, rebounds, restrained;
    /* of the last step */
    uint64_t last_iterations;
    uint64_t rows;             /* contacts and near gaps in the problem */
    uint64_t joint_rows;       /* rows of joints */
    uint64_t redundant_rows;   /* of these at the start, linearly dependent rows: the loads are those of least norm */
    double residual;           /* in the group metric, which is independent of units */
    double residual_euclidean; /* in SI units, for comparison with other programs */
    double slip_change;        /* m/s, of the outer fixed point of the true law */
    double approach;           /* m/s, remaining approach velocity of contacts that should not close */
    double momentum; /* |v of the solver - (v_free + M^-1 impulses)| over the largest change of velocity by impulses */
} rps_solver_report;
/* The statistics until now; `report` belongs to the caller. */
RPS_API void rps_world_solver(const rps_world *world, rps_solver_report *report);

/* The largest stable step, and the contact, bond or body that limits it. */
typedef struct rps_step_limit {
    double step;                    /* s, the largest stable step */
    bool bond;                      /* a bond limits the step, not a contact */
    int material[2];                /* of the limiting contact, or of the bodies of the bond */
    rps_role role;                  /* the limiting mode; of a bond normal is stretch, slide shear, roll bending */
    bool damping;                   /* the limit comes from the damper, not the spring */
    uint64_t id[2];                 /* the bodies; UINT64_MAX: particles that a scene will insert */
    double stiffness, damper, mass; /* of that mode */
    int contacts;                   /* of the limiting body, counted together; 0: an estimate from one contact */
    int neighbours;                 /* those of them with movable bodies */
    uint64_t body;                  /* that body */
    /* for an estimate of future contacts, else 0: */
    double overlap;        /* m, expected overlap: the largest of 1 % of R_eff, the overlap at the start, */
    double load;           /* N, the overlap under this load (0: none), and */
    double speed;          /* m/s, the overlap in an impact at this speed (0: none) */
    double rolling_radius; /* m, of roll and spin between faces: bounded by the lower limit of the curvatures; else 0 */
} rps_step_limit;

/* The limit over the present pairs of materials, with the lightest bodies and the deepest contact; a packing counts
 * with its full coordination number. INFINITY with the nonsmooth stepper, which has no limit. */
RPS_API rps_status rps_world_step_limit(rps_world *world, rps_step_limit *limit, rps_error *err);
/* Sets dt (s, finite, > 0) from now on; the time goes on from where it is. */
RPS_API rps_status rps_world_set_step(rps_world *world, double step, rps_error *err);

/* 128-bit hash, high word first, of the whole state (fields flagged SAVED, contact records, time), independent of
 * slots and of the number of threads. It combines the hashes of blocks of 4096 ids, which checkpoints store too:
 * `repose info A B` shows in which blocks two states differ. RPS_NO_MEMORY. */
RPS_API rps_status rps_world_hash(const rps_world *world, uint64_t hash[2], rps_error *err);

/* Writes the whole state to a file (a checkpoint); an existing file of that name is replaced only when the new one is
 * complete. RPS_IO_ERROR if it cannot be written. */
RPS_API rps_status rps_world_save(const rps_world *world, const char *path, rps_error *err);
/* Restores a saved state, from which the world continues bit for bit. The world must have the same set-up as the
 * saved one: step, gravity, periods, materials, pairs, groups, exclusions, joints and driven bodies; threads and
 * instruction set may differ. The saved bodies replace those of the world. RPS_BAD_INPUT, with the world unchanged,
 * for a file that is damaged or has another set-up; after any other failure the world can only be destroyed. Contacts
 * can be read again after the next step. */
RPS_API rps_status rps_world_restore(rps_world *world, const char *path, rps_error *err);

/* Extreme values over the world, and the bodies that have them. */
typedef struct rps_extremes {
    double overlap; /* relative to the smaller radius */
    uint64_t overlap_id[2];
    double speed; /* m/s, of the fastest body */
    uint64_t speed_id;
    double kinetic;     /* J, of free bodies */
    double kinetic_max; /* J, of the fastest free body */
    size_t free_bodies;
} rps_extremes;
/* The extremes at the end of the last step; 0 without contacts or without moving bodies. */
RPS_API rps_status rps_world_extremes(const rps_world *world, rps_extremes *out, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
