/*
 * The stages of a step, in the order in which penalty.c calls them, and what each writes. All else they read.
 *
 *   forces, begin            velocities, angular momenta; work of forces from outside
 *   fluid, begin             velocities, angular momenta; dissipated energy and work of the fluid
 *   applied loads, begin     velocities, angular momenta, work of the loads
 *   joints, lead             loads of bodies that joints hold, for the first half kick; work and memory of joints
 *   drive, motion_start      first half kick, drift, rotation; drives set their bodies: poses, velocities, normals of
 *                            planes, periods crossed, motion of servos, world.moved
 *   shear advance            cell, work of the images; positions, velocities and predicted paths at its faces
 *   guard, motion            memory of the guards
 *   detect (floor detect)    lists valid for the new positions: lists, contact store, order of slots, ranges of pairs;
 *                            neither fields of bodies nor the state of contacts
 *   evaluate                 contacts, batch by batch: geometry, track, laws, loads: state, loads and results of contacts,
 *                            flags of active entries, lanes of workers
 *   bonds                    their records and loads; velocities and loads of their bodies
 *   sum, motion_finish       every body adds its contacts in key order; second half kick: velocities, loads, dissipated
 *                            energies and work of bodies, accounts of fixed and driven ones
 *   joints, follow           velocities of bodies that joints hold; dissipated energies, work and memory of joints
 *   applied loads, end       velocities, angular momenta, loads set for one step and their work
 *   fluid, end               as at the beginning
 *   forces, end              likewise
 *   guard, contacts          memory of the guards, their domain at the start
 *
 * tests/contract/stage_writes.c has the whole table, also of the nonsmooth stepper, and holds the stages to it.
 */
#ifndef RPS_STEP_STEP_STAGES_H
#define RPS_STEP_STEP_STAGES_H

#include "step/batch.h"
#include "world/world.h"

/* With fewer bodies a stage opens no parallel region, which costs as much as hundreds of bodies. */
enum { RPS_PARALLEL_BODIES = 1000 };

/* Workers for n items of work. */
static inline rps_workers rps_step_workers(const rps_world *world, size_t n) {
    const rps_workers alone = {.count = 1};
    return n < RPS_PARALLEL_BODIES ? alone : rps_world_workers(world);
}

/* First half of the step: velocities to the middle (verlet) or to the end (half-implicit), positions and orientations
 * to the end; sets world.moved. Loads of the last evaluation must be in bodies.load. */
void rps_motion_start(rps_world *world, double time);
/* The first half for one body alone, with the same bits; world.moved stays. */
void rps_motion_try(const rps_world *world, rps_bodies *bodies, double time, size_t slot);
/* Second half: sums loads, completes velocities, and records dissipation and the work of drives. `first`: the loads
 * at the start of a run; nothing moves and no work is recorded. */
void rps_motion_finish(rps_world *world, double time, bool first);

/* Sheared worlds only (lees_edwards.c). After motion, with the number of the new step: moves the images and brings
 * the bodies back into the cell. After the evaluation: records the work of the images; `first`: nothing moved. */
rps_status rps_shear_advance(rps_world *world, rps_error *err);
void rps_shear_account(rps_world *world, bool first);
/* Books the work of drives whose surfaces run (surface_work.c), after an evaluation at the end of dt s; nothing if none runs. */
void rps_surfaces_book(const rps_world *world, rps_drive_state *driven, rps_bodies *bodies, double dt);

/* The second half of a step and the first half of the next, in a world without servos: the same bits, in one pass
 * over the bodies. bodies.load is not updated for free spheres and disks; other bodies get their new loads. */
void rps_motion_kick_drift(rps_world *world, double time);
/* Adds to `moved` how far copies leave their predicted paths, after they have followed their owners. */
void rps_motion_copies(const rps_world *world, rps_motion_maxima *moved);

/* Changes the velocities of a free body by loads (N, N m) that act for the time `kick` (s; external.c). */
void rps_motion_kick_body(rps_bodies *bodies, size_t slot, bool axes_locked, rps_vec3 force, rps_vec3 torque,
                          double kick);

/* After the evaluation, in worlds that ask for loads on surfaces (add_surface_loads.c): adds those of this step. RPS_NO_MEMORY. */
rps_status rps_surface_loads_add(const rps_world *world, rps_surface_loads *loads, rps_error *err);

/* Bonds (bonds.c), in worlds that have some. evaluate: after the contacts; RPS_GUARD. kick: before rps_motion_finish,
 * the second half kick and the work of drives. finish: after it, adds the loads to those of bodies and ends the bonds
 * that break. */
rps_status rps_bonds_evaluate(const rps_world *world, rps_bonds *bonds, double dt, rps_error *err);
void rps_bonds_kick(const rps_world *world, rps_bodies *bodies);
void rps_bonds_finish(const rps_world *world, rps_bonds *bonds, rps_bodies *bodies);
/* After the evaluation of contacts, if some begin in place of broken bonds: the energy of their overlaps counts as
 * brought in from outside. */
void rps_bonds_book_contacts(rps_world *world);
/* J, adds the stored energy at the present places and all that bonds dissipated. */
void rps_bonds_energy(const rps_world *world, rps_exact_sum *stored, rps_exact_sum *dissipated);
/* Removes the bonds of bodies with a set mark (by slot); their energy counts as removed. */
void rps_bonds_remove_marked(rps_world *world, const uint8_t *mark);

/* Updates positions and orientations only, with the present velocities; records the fastest motion as
 * rps_motion_start does. */
void rps_motion_drift(rps_world *world, double time);
/* Gives driven bodies the velocities of their drives at a time. */
void rps_motion_drives(const rps_world *world, rps_bodies *bodies, double time);

/* The nonsmooth stepper (nonsmooth.c): the counterparts of the penalty stepper's rps_world_start and step. */
rps_status rps_nonsmooth_start(rps_world *world, rps_error *err);
rps_status rps_nonsmooth_step(rps_world *world, rps_error *err);
/* J, adds what the springs of joints store. */
void rps_joints_energy(const rps_world *world, rps_exact_sum *energy);
/* J, stored by the springs of all contacts and joints. */
void rps_nonsmooth_energy(const rps_world *world, rps_exact_sum energy[RPS_ROLE_COUNT]);

/* Guards (guard.c): before the first step; after motion and before detection; at the end of a step. */
rps_status rps_guard_begin(rps_world *world, rps_error *err);
/* Sets the limits that every step compares with. Part of the start; a world that continues from a saved state needs
 * only this. */
void rps_guard_arm(const rps_world *world, rps_guard_state *guard);
rps_status rps_guard_motion(rps_world *world, rps_error *err);
rps_status rps_guard_contacts(rps_world *world, rps_error *err);
/* The guard `step` where many processes step (share.h): worlds with a share do not have it. At steps that are multiples of
 * RPS_GUARD_LOOK_STEPS the whole world, whose contacts may be old, tells from the deepest overlaps of all processes (m, by
 * pair) whether bodies must be looked at one by one: the largest allowed step over the limit, else 0. Each share then looks
 * at its own, and if one of them is above the limit, the whole world gets its present state and is checked. */
enum { RPS_GUARD_LOOK_STEPS = 20 };
double rps_guard_suspects(const rps_world *world, uint64_t steps, const double *overlap);
bool rps_guard_suspects_own(const rps_world *share, double most);
rps_status rps_guard_stable(const rps_world *world, rps_guard_state *guard, rps_bonds *bonds, rps_error *err);
/* True if a guard will check anything at the end of this step. */
bool rps_guard_looks(const rps_world *world);
/* Sets a default domain for the free bodies: far around these bodies and the box (NULL: none). */
void rps_guard_domain(rps_world *world, const double low[3], const double high[3]);
/* The geometry of surfaces other than spheres in a contact, in m: R_eff as the normal law sees it (0: that of the
 * bodies' spheres), the largest rolling radius, and the twisting radius. */
typedef struct rps_rolling_radii {
    double radius_eff, roll, spin;
} rps_rolling_radii;
/* Masses, radii and lengths of a contact of two bodies as laws see it, at no overlap (stable_step.c). */
void rps_contact_measures(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j,
                          const rps_rolling_radii *rolling_radii, rps_law_contact *contact);
/* Stiffness and damper of each role at a contact of two bodies, the normal dashpot's with the normal spring; an
 * overlap below least_overlap R_eff counts as that. rolling_radii: NULL for spheres (stable_step.c). */
void rps_contact_springs(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double overlap,
                         double least_overlap, const rps_rolling_radii *rolling_radii,
                         rps_law_spring spring[RPS_ROLE_COUNT]);
/* The stability limit of the bodies, each with all contacts that it has now; one of `below` (s) or more is not sought, and
 * left at `below` (stable_step_body.c). */
void rps_step_limit_of_bodies(const rps_world *world, double below, rps_step_limit *limit);
/* The estimate over pairs of materials (rps_world_step_limit), without bonds. overlap: m, the deepest by pair; NULL: those
 * of the world. */
void rps_step_limit_of_contacts(const rps_world *world, const double *overlap, rps_step_limit *limit);
/* m, by pair. */
void rps_deepest_overlaps(const rps_world *world, double *deepest_of_pair);
/* Lowers the limit to that of the bodies with their bonds alone; rps_bonds_index comes first. */
void rps_step_limit_of_bonds(const rps_world *world, rps_step_limit *limit);
/* One mode of a bond as a spring and damper on one of its bodies: direction over the roots of mass and inertia, squared
 * length of that of the other body (bond_modes.c). */
typedef struct rps_bond_mode {
    double direction[6], other2, stiffness, damper;
    rps_role role; /* of contacts, that is alike: normal for stretch, slide, roll, spin for shear, bending, twist */
} rps_bond_mode;
void rps_bond_modes_of(const rps_world *world, const rps_bond *bond, int side, rps_bond_mode mode[6]);
/* The mode of a limit, as "slide" or "bond shear". Static text. */
const char *rps_step_limit_mode(const rps_step_limit *limit);
/* The stability limit of body s with this many contacts, all with bodies like o and with these springs; step
 * INFINITY: none. */
void rps_step_limit_of_neighbors(const rps_world *world, const rps_pair_setup *pair, size_t s, size_t o,
                                 const rps_law_spring spring[RPS_ROLE_COUNT], int contacts, rps_step_limit *limit);
/* Whether a body can stand on a flat face, and on how many points (stable_step_expected.c). */
bool rps_stands_on_faces(const rps_world *world, size_t slot);
enum { RPS_FLAT_POINTS = 4 };
/* The largest assumed number of contacts of a body in a packing. */
int rps_contacts_around(const rps_world *world);

/* Expected loads of contacts, for choosing a step before any contact exists. */
typedef struct rps_expected {
    double force; /* N, the largest load of one contact: all weight and all loads of drives */
    double
        pressure; /* Pa, in a packing; a contact of spheres carries it times their distance^2; INFINITY: too few bodies */
    double speed;   /* m/s, of impacts */
    double overlap; /* initial overlap over the smaller radius */
} rps_expected;
/* The stability limit of the lightest bodies of all materials, with the likely number of contacts at the expected
 * overlaps (stable_step_expected.c). */
void rps_step_limit_expected(const rps_world *world, const rps_expected *expected, rps_step_limit *limit);

/* The step calls no libm function but sqrt. The result is NaN only if `a` is. */
static inline double rps_larger(double a, double b) {
    return b > a ? b : a;
}
static inline double rps_smaller(double a, double b) {
    return b < a ? b : a;
}

/* A head-on impact of two bodies, stepped as the engine steps it, from which the accuracy of a step follows
 * (impact.c). */
typedef struct rps_impact {
    int material[2]; /* of the pair */
    uint64_t id[2];  /* UINT64_MAX: grains that a scene will insert */
    double speed;    /* m/s, at which they meet; 0: no impact is expected */
    double mass;     /* kg, m_eff per point of contact */
    double radius;   /* m, the smaller */
    double undamped; /* s, about the duration without a dashpot */
    /* as the step goes to 0: */
    double duration;    /* s, of the contact */
    double depth;       /* m, the largest overlap */
    double restitution; /* of the speeds */
    /* the largest load that such a contact is expected to carry: */
    double load, load_depth; /* N, m */
    /* errors of a step, for the worst start of the contact within the step: */
    double step;              /* s, the longest with both errors within the accuracy asked for */
    double restitution_error; /* of the restitution, relative */
    double balance_error;     /* of the energy balance, relative to what the impact dissipates */
} rps_impact;
/* A negligible restitution need not be known to 1 %: errors of a lower restitution are relative to this one, and the
 * balance of an impact that dissipates a smaller part of its energy is relative to its energy. */
#define RPS_IMPACT_RESTITUTION 0.05
#define RPS_IMPACT_DISSIPATION 0.01
/* The accuracy of `run: {accuracy}` where the scene says nothing. */
#define RPS_IMPACT_ACCURACY 0.01

/* Computes mass, radius, duration, depth and restitution of an impact of slots i and j at a speed; false if their
 * normal law has no stiffness to stop them, or neither can move. */
bool rps_impact_of(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double speed,
                   rps_impact *impact);
/* The errors that a step makes. */
void rps_impact_errors(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double step,
                       rps_impact *impact);
/* Both errors as words: "its restitution of 0.5 errs by up to 1 %, its energy balance by ...". */
void rps_impact_words(const rps_impact *impact, char *text, size_t bytes);
/* The longest step up to `longest` whose errors are within `accuracy`, into impact->step. */
void rps_impact_step(const rps_world *world, const rps_pair_setup *pair, size_t i, size_t j, double accuracy,
                     double longest, rps_impact *impact);
/* Of the lightest bodies of all pairs of materials that may meet at the speed expected: with `step` 0 the impact that
 * needs the shortest step for the accuracy, else the one with the largest error at this step. speed 0: none
 * (stable_step_expected.c). */
void rps_impact_expected(const rps_world *world, const rps_expected *expected, double accuracy, double longest,
                         double step, rps_impact *impact);

/* The lightest free body of a material, or else any body of it; skips one slot. SIZE_MAX: none (stable_step.c). */
size_t rps_lightest_body(const rps_world *world, int material, size_t skip);

/* Position of a driven body at a time (drive_motion.c). `ahead`: time for which its servo moves on from its present
 * place (s). */
typedef struct rps_pose_at {
    rps_vec3 position, velocity, angular_velocity;
    rps_vec3 turn, turning; /* rad and rad/s, the parts of a table */
} rps_pose_at;
/* The angular velocity with which a body turns in a step as far as its drive: its mean, so that the turn of a table is exact. */
rps_vec3 rps_drive_mean_turning(const rps_pose_at *now, const rps_pose_at *then, double dt);
void rps_drive_at(const rps_drive_state *all, int which, double time, double ahead, rps_pose_at *at);

/* The reading of a servo: target and present load in N (of a pair the mean), and its area in m^2 (0: the target is a
 * force). */
typedef struct rps_servo_state {
    double target, load, area;
} rps_servo_state;
void rps_servo_look(const rps_world *world, int which, rps_servo_state *out);
/* Sets the speeds of all servos for the coming step, and lets them move by it. */
void rps_servos_aim(const rps_world *world, rps_drive_state *driven, double time);
void rps_servos_moved(const rps_world *world, rps_drive_state *driven);

/* Springs of an entry by role, tangents at its present overlap (stable_step.c); false if the bodies do not touch now. */
bool rps_entry_springs(const rps_world *world, const rps_segment *segment, size_t place,
                       rps_law_spring spring[RPS_ROLE_COUNT]);

/* Whether a contact exists, and whether it touches: laws that act across gaps have contacts that do not. */
bool rps_entry_touches(const rps_world *world, const rps_segment *segment, size_t place);
/* Applied loads (external.c). first: adds half of their work at the present velocities, then kicks for the given time
 * (s). Otherwise, at the end of the step: kicks, adds the other half, and drops loads set for one step. */
typedef struct rps_external_task {
    const rps_world *world;
    rps_bodies *bodies;      /* written */
    rps_externals *external; /* written */
    double kick;
    bool first;
} rps_external_task;
/* On slots begin .. end - 1; and, without kicks, on all. */
void rps_external_act(const rps_external_task *task, size_t begin, size_t end);
void rps_external_all(rps_world *world, bool first);
/* After the end of a step, on all: finds which loads go on. */
void rps_external_ended(rps_world *world);
/* N and N m on a body; false if there is none. */
bool rps_external_of(const rps_world *world, size_t slot, rps_vec3 *force, rps_vec3 *torque);
/* J, adds the work of all records. */
void rps_external_work(const rps_world *world, rps_exact_sum *work);

/* Contacts of a body (contact_end.c): adds their stored energies, except for contacts with a marked body of lower id
 * (by slot; NULL: none); and ends them, as if their bodies had never met. rps_evaluate_reserve comes first. */
void rps_contacts_energy_of(rps_world *world, size_t slot, const uint8_t *mark, rps_exact_sum *sum);
void rps_contacts_end(rps_world *world, size_t slot);
/* The same sum over the contacts of two bodies, the one of the lower id first. */
void rps_contacts_energy_between(rps_world *world, size_t slot_i, size_t slot_j, rps_exact_sum *sum);

/* Heat of friction and through contacts of the last step (heat_flows.c), after its evaluation, which kept results if heat is conducted.
 * RPS_NO_MEMORY; RPS_GUARD where the step is too long for the conduction. */
rps_status rps_heat_flow(const rps_world *world, rps_world_heat *heat, rps_error *err);
/* Liquid between films and bridges (liquid_moves.c), after an evaluation: those that ruptured, then those that form. RPS_NO_MEMORY. */
rps_status rps_liquid_move(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, rps_error *err);
/* Gives back what the bridge of an entry holds; and those of marked bodies (by slot), whose films go with them. */
void rps_liquid_leave_entry(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, size_t entry);
void rps_liquid_leave(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, const uint8_t *mark);
/* The same for a contact that has no entry any more, with the pair that it had. */
void rps_liquid_leave_contact(const rps_world *world, rps_liquid *liquid, const rps_pair_setup *pair,
                              const uint64_t id[2], rps_subkey subkey, rps_record record, const double *state);

/* All contacts. dt: time since the last evaluation (0 at the first). */
rps_status rps_evaluate(rps_world *world, double dt, rps_error *err);
/* Batch number `batch` at the present positions: nothing moves and nothing is stored; the result is in
 * rps_evaluate_lanes. Returns the number of its entries. rps_evaluate_reserve allocates the lanes. */
rps_status rps_evaluate_reserve(rps_world *world, rps_error *err);
int rps_evaluate_energy_only(rps_world *world, size_t batch);
const rps_lanes *rps_evaluate_lanes(const rps_world *world);
/* Elastic energies of the present state by role, summed exactly. */
rps_status rps_evaluate_energy(rps_world *world, rps_exact_sum energy[RPS_ROLE_COUNT], rps_error *err);

/* Stress of the free bodies of a group (-1: all) over their volume, or of those with their centre in a box over its
 * volume (stress.c); m^3 of a body, 0 of a plane. */
rps_status rps_world_mean_stress(const rps_world *world, int group, const double box[2][3], double stress[6],
                                 rps_error *err);
double rps_body_volume(const rps_world *world, size_t slot);

/* The contacts of rps_world_contacts in portions: fills at most `capacity`, returns how many it filled (fewer only at
 * the end), and continues from there at the next call. A cursor begins as zero. The contacts must have been kept. */
typedef struct rps_contact_cursor {
    uint64_t id;
    size_t own; /* references of this body that are done */
} rps_contact_cursor;
bool rps_contacts_next_key(const rps_world *world, rps_contact_cursor *cursor, rps_contact_key *key);
/* RPS_BAD_INPUT if the last step kept no contacts, or the lists have changed since. */
rps_status rps_contacts_need_kept(const rps_world *world, rps_error *err);
/* Contacts that began and ended since the last call of update. begin allocates the memory and, in a restored world,
 * lists the present contacts (contact_events.c). */
rps_status rps_contact_events_begin(rps_world *world, rps_error *err);
rps_status rps_contact_events_update(rps_world *world, rps_error *err);
size_t rps_contacts_next(const rps_world *world, rps_contact_cursor *cursor, rps_contact *out, size_t capacity);

/* Shapes of bodies with pieces, for general_geometry.c and motion_single.c; the kernels only pass them on. */
typedef struct rps_general_shapes {
    const rps_world *world;
} rps_general_shapes;

#endif
