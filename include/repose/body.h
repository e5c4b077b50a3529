/*
 * Access to the bodies of a world by id: read, set, load, add in bulk, remove. SI units, vectors in world axes.
 *
 * An id that was never assigned, or belongs to a removed body, is RPS_BAD_INPUT, and the sentence says which. A
 * function that fails leaves the world as it was.
 *
 * The energy ledger (rps_ledger in step.h) records the energy that a program adds to or takes from bodies: `external`
 * holds the work of applied loads and the energy of set values, `removed` the energy of removed bodies. Values set
 * before the first step belong to the start.
 */
#ifndef REPOSE_BODY_H
#define REPOSE_BODY_H

#include <repose/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* Whether a body of that id exists now. */
RPS_API bool rps_world_has_body(const rps_world *world, uint64_t id);
/* One more than the largest id ever assigned: ids run from 0, and none is reused. */
RPS_API uint64_t rps_world_id_end(const rps_world *world);
/* m, centre of mass, unwrapped: on periodic axes it includes the periods that the body crossed. */
RPS_API rps_status rps_world_body_position(const rps_world *world, uint64_t id, double position[3], rps_error *err);
/* Unit quaternion w x y z, from the body's axes to the world's. */
RPS_API rps_status rps_world_body_orientation(const rps_world *world, uint64_t id, double orientation[4],
                                              rps_error *err);
/* m/s, of the centre of mass. */
RPS_API rps_status rps_world_body_velocity(const rps_world *world, uint64_t id, double velocity[3], rps_error *err);
/* rad/s, in world axes. */
RPS_API rps_status rps_world_body_angular_velocity(const rps_world *world, uint64_t id, double angular_velocity[3],
                                                   rps_error *err);

/* --- setting ------------------------------------------------------------------------------------------------------- */

/* Set the velocity (m/s) and angular velocity (rad/s) of a free body. RPS_BAD_INPUT for a body with prescribed
 * motion, for a component along a locked axis, and for the rotation of a body that cannot rotate. Contacts keep their
 * memory. */
RPS_API rps_status rps_world_set_velocity(rps_world *world, uint64_t id, const double velocity[3], rps_error *err);
RPS_API rps_status rps_world_set_angular_velocity(rps_world *world, uint64_t id, const double angular_velocity[3],
                                                  rps_error *err);
/* Set the position (m, unwrapped) or orientation (quaternion w x y z of any length but 0) of a body. Its contacts
 * end, and the energy in their springs is removed; contacts at the new place begin in the next step. Once the world
 * has started, a place where a free body would overlap another is refused: the energy of such a contact would have no
 * source. A neighbor feels the load of an ended contact until the next evaluation of loads. A driven body continues
 * from its new place. Planes cannot be rotated, jointed bodies cannot be moved, and fixed or driven bodies cannot be
 * moved along periodic axes. The cost of a call is linear in the number of bodies. */
RPS_API rps_status rps_world_set_position(rps_world *world, uint64_t id, const double position[3], rps_error *err);
RPS_API rps_status rps_world_set_orientation(rps_world *world, uint64_t id, const double orientation[4],
                                             rps_error *err);

/* --- liquid --------------------------------------------------------------------------------------------------------- */

/* m^3, the film on a body: its liquid but for that of its bridges. */
RPS_API rps_status rps_world_liquid(const rps_world *world, uint64_t id, double *film, rps_error *err);
/* Adds liquid (m^3) to the film of a body, or takes some of it (below 0). RPS_BAD_INPUT for more than there is, and for a plane. */
RPS_API rps_status rps_world_add_liquid(rps_world *world, uint64_t id, double volume, rps_error *err);

/* The liquid of the world (m^3): films + in_bridges = added - removed, but for bridges of a fixed volume; and bridges. */
typedef struct rps_liquid_sums {
    double films, in_bridges, added, removed;
    uint64_t bridges, formed,
        ruptured; /* now; so far, those whose bodies were removed or moved by a program included */
} rps_liquid_sums;
RPS_API rps_status rps_world_liquid_sums(const rps_world *world, rps_liquid_sums *out, rps_error *err);

/* A user pointer for a body, NULL until it is set. It is not part of the state: neither saved nor restored. */
RPS_API rps_status rps_world_body_user(const rps_world *world, uint64_t id, void **user, rps_error *err);
RPS_API rps_status rps_world_set_user(rps_world *world, uint64_t id, void *user, rps_error *err);

/* Makes bodies free or fixed, all or none: a fixed one is held where it is, a free one starts from rest. Contacts keep
 * their memory; those between two bodies that no force moves end, and begin when one is released. A driven body leaves its drive
 * for good: held it stands, released it flies on with its velocity. The energy that this brings or takes is the ledger's
 * `changed`. RPS_BAD_INPUT for jointed bodies, driven ones that mirror another or whose surface runs, for a plane, wall or
 * mesh that would become free, and for a body without mass. A call costs about as much as a few steps. */
RPS_API rps_status rps_world_set_kind(rps_world *world, const uint64_t *id, size_t count, rps_body_kind kind,
                                      rps_error *err);

/* An array with one item per body, `stride` bytes apart; stride 0: contiguous. data NULL: not given. */
typedef struct rps_array {
    const void *data;
    size_t stride;
} rps_array;

/* --- loads --------------------------------------------------------------------------------------------------------- */

/* Adds a force (N) and a torque (N m, about the centre of mass) to the loads on a free body, for the next step only;
 * either may be NULL. Several calls add up. RPS_BAD_INPUT for a body that is not free, a number that is not finite, and
 * in a planar world one that leads out of the plane; likewise for all below. A lock takes what acts along a locked axis, and
 * any torque on a body that cannot rotate. */
RPS_API rps_status rps_world_apply_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                                        rps_error *err);
/* Adds a force that acts in the next step at a point (m, unwrapped like the body's position). */
RPS_API rps_status rps_world_apply_force_at(rps_world *world, uint64_t id, const double force[3], const double point[3],
                                            rps_error *err);
/* Sets the force and torque that act on a free body in every step until they are set again; NULL: 0. They are part of
 * the state, as are loads applied for the next step. */
RPS_API rps_status rps_world_hold_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                                       rps_error *err);

/* The same for many bodies, all or none: record k of `force` and `torque` (double[3] each; data NULL: none) for body id[k];
 * `id` NULL: the bodies of the first `count` ids. rps_world_apply_loads adds to the loads of the next step;
 * rps_world_hold_loads sets those of every step. The sentence names the first refused body. The arrays are read during the call
 * only. */
RPS_API rps_status rps_world_apply_loads(rps_world *world, const uint64_t *id, size_t count, rps_array force,
                                         rps_array torque, rps_error *err);
RPS_API rps_status rps_world_hold_loads(rps_world *world, const uint64_t *id, size_t count, rps_array force,
                                        rps_array torque, rps_error *err);

/* --- many bodies --------------------------------------------------------------------------------------------------- */

/* Many bodies: `def` holds the common values, and the arrays override them for each body. */
typedef struct rps_bodies_def {
    uint32_t size;
    size_t count;
    rps_body_def def;           /* common values; free or fixed bodies */
    rps_array position;         /* double[3], m */
    rps_array orientation;      /* double[4], w x y z */
    rps_array velocity;         /* double[3], m/s */
    rps_array angular_velocity; /* double[3], rad/s */
    rps_array radius;           /* double, m; spheres and disks only */
    rps_array mass;             /* double, kg */
    rps_array material, group;  /* int */
} rps_bodies_def;

/* No bodies, no arrays, and `def` as of rps_body_def_default. */
RPS_API rps_bodies_def rps_bodies_def_default(void);
/* Adds all bodies or, on failure, none; the sentence names the first refused body by its index in the arrays. Ids are
 * consecutive from *first (may be NULL). The arrays are read during the call only. */
RPS_API rps_status rps_world_add_bodies(rps_world *world, const rps_bodies_def *bodies, uint64_t *first,
                                        rps_error *err);
/* Removes bodies and their contacts, all or none; their ids are never reused. RPS_BAD_INPUT for a driven body, one
 * that a drive measures or mirrors, and one in a joint. Views become invalid. A neighbor feels the load of a removed
 * contact until the next evaluation of loads. A call costs about as much as rebuilding the lists, however many bodies
 * it removes. */
RPS_API rps_status rps_world_remove_bodies(rps_world *world, const uint64_t *id, size_t count, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
