/*
 * Bodies of a world by their id: read, set, push, add in bulk, remove. SI units, vectors in world axes.
 *
 * An id that was never given, or whose body was removed, is RPS_BAD_INPUT, and the sentence says which. Every function
 * leaves the world as it was where it fails.
 *
 * Energy that a program puts into a body or takes out of it stands in the energy ledger (rps_ledger in step.h): work of
 * applied loads and the energy of what was set as `external`, energy that went with a body as `removed`. Before the
 * first step what is set belongs to the start.
 */
#ifndef REPOSE_BODY_H
#define REPOSE_BODY_H

#include <repose/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* Whether there is a body of that id now. */
RPS_API bool rps_world_has_body(const rps_world *world, uint64_t id);
/* One more than the largest id that was ever given: ids run from 0, and none is given twice. */
RPS_API uint64_t rps_world_id_end(const rps_world *world);
/* m, centre of mass, unwrapped: on periodic axes with the periods that the body crossed. */
RPS_API rps_status rps_world_body_position(const rps_world *world, uint64_t id, double position[3], rps_error *err);
/* Unit quaternion w x y z, from the body's axes to the world's. */
RPS_API rps_status rps_world_body_orientation(const rps_world *world, uint64_t id, double orientation[4],
                                              rps_error *err);
RPS_API rps_status rps_world_body_velocity(const rps_world *world, uint64_t id, double velocity[3], rps_error *err);
/* rad/s */
RPS_API rps_status rps_world_body_angular_velocity(const rps_world *world, uint64_t id, double angular_velocity[3],
                                                   rps_error *err);

/* --- setting ------------------------------------------------------------------------------------------------------- */

/* Velocity (m/s) and angular velocity (rad/s) of a free body; RPS_BAD_INPUT for another, whose motion is prescribed,
 * for a part along a locked axis, and for the turning of a body that cannot turn. Contacts keep their memory. */
RPS_API rps_status rps_world_set_velocity(rps_world *world, uint64_t id, const double velocity[3], rps_error *err);
RPS_API rps_status rps_world_set_angular_velocity(rps_world *world, uint64_t id, const double angular_velocity[3],
                                                  rps_error *err);
/* Puts a body elsewhere (m, unwrapped), or turns it (quaternion w x y z of any length but 0). Its contacts end, with
 * what their springs store; what the body meets at its new place begins in the next step. Once the world has started,
 * a place where a free body would overlap another is refused: the energy of such a contact would have no source. A
 * neighbor feels the load of an ended contact until the next evaluation of loads. A driven body goes on from its new
 * place. A plane does not turn, a body in a joint stays where it is, and a fixed or driven body does not move along
 * periodic axes. Each call looks at all bodies. */
RPS_API rps_status rps_world_set_position(rps_world *world, uint64_t id, const double position[3], rps_error *err);
RPS_API rps_status rps_world_set_orientation(rps_world *world, uint64_t id, const double orientation[4],
                                             rps_error *err);

/* A pointer of the program's own for a body, NULL until it is set. It is no part of the state: neither saved nor restored. */
RPS_API rps_status rps_world_body_user(const rps_world *world, uint64_t id, void **user, rps_error *err);
RPS_API rps_status rps_world_set_user(rps_world *world, uint64_t id, void *user, rps_error *err);

/* --- loads --------------------------------------------------------------------------------------------------------- */

/* Adds a force (N) and a torque (N m, about the centre of mass) to what acts on a free body in the next step alone;
 * either may be NULL. Several calls add up. */
RPS_API rps_status rps_world_apply_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                                        rps_error *err);
/* Adds a force that acts in the next step at a point (m, unwrapped as the body's position). */
RPS_API rps_status rps_world_apply_force_at(rps_world *world, uint64_t id, const double force[3], const double point[3],
                                            rps_error *err);
/* The force and torque that act on a free body in every step until they are set again; NULL: 0. Part of the state, as
 * is a load that waits for its step. */
RPS_API rps_status rps_world_hold_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                                       rps_error *err);

/* --- many bodies --------------------------------------------------------------------------------------------------- */

/* An array with one item per body, `stride` bytes apart; stride 0: close together. data NULL: not given. */
typedef struct rps_array {
    const void *data;
    size_t stride;
} rps_array;

/* Bodies that differ from `def` in what the arrays give. */
typedef struct rps_bodies_def {
    uint32_t size;
    size_t count;
    rps_body_def def;           /* free or fixed; what all bodies have in common */
    rps_array position;         /* double[3], m */
    rps_array orientation;      /* double[4], w x y z */
    rps_array velocity;         /* double[3], m/s */
    rps_array angular_velocity; /* double[3], rad/s */
    rps_array radius;           /* double, m; of spheres and disks */
    rps_array mass;             /* double, kg */
    rps_array material, group;  /* int */
} rps_bodies_def;

RPS_API rps_bodies_def rps_bodies_def_default(void);
/* Adds all of them or, on failure, none; the sentence names the first that is refused by its number in the arrays.
 * Their ids follow each other from *first (may be NULL) on. The arrays are read during the call only. */
RPS_API rps_status rps_world_add_bodies(rps_world *world, const rps_bodies_def *bodies, uint64_t *first,
                                        rps_error *err);
/* Removes bodies with their contacts, all or none; their ids are never given again. RPS_BAD_INPUT for a driven body,
 * one that a drive measures or mirrors, and one in a joint. Views become invalid. A neighbor feels the load of a
 * removed contact until the next evaluation of loads. One call costs about as much as making the lists again, however
 * many bodies it removes. */
RPS_API rps_status rps_world_remove_bodies(rps_world *world, const uint64_t *id, size_t count, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
