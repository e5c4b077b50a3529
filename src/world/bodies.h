/*
 * Memory layout of bodies: records that the contact loop and the integrator read as a whole, and arrays for
 * everything else.
 */
#ifndef RPS_WORLD_BODIES_H
#define RPS_WORLD_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <repose/world.h>

#include "base/vec.h"
#include "law/roles.h"

typedef double rps_ctype_double;
typedef int32_t rps_ctype_int32;
typedef uint64_t rps_ctype_uint64;

#define RPS_IN_pose_pose(x) x
#define RPS_IN_pose_motion(x)
#define RPS_IN_pose_load(x)
#define RPS_IN_pose_applied(x)
#define RPS_IN_pose_own(x)
#define RPS_IN_motion_pose(x)
#define RPS_IN_motion_motion(x) x
#define RPS_IN_motion_load(x)
#define RPS_IN_motion_applied(x)
#define RPS_IN_motion_own(x)
#define RPS_IN_load_pose(x)
#define RPS_IN_load_motion(x)
#define RPS_IN_load_load(x) x
#define RPS_IN_load_applied(x)
#define RPS_IN_load_own(x)
#define RPS_IN_applied_pose(x)
#define RPS_IN_applied_motion(x)
#define RPS_IN_applied_load(x)
#define RPS_IN_applied_applied(x) x
#define RPS_IN_applied_own(x)
#define RPS_IN_own_pose(x)
#define RPS_IN_own_motion(x)
#define RPS_IN_own_load(x)
#define RPS_IN_own_applied(x)
#define RPS_IN_own_own(x) x

/* The contact loop reads one pose per body and contact: exactly one cache line. A scalar field is an array of length
 * one. */
typedef struct rps_pose {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_pose_##record(rps_ctype_##type name[n];)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
} __attribute__((aligned(64))) rps_pose;

typedef struct rps_motion {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_motion_##record(rps_ctype_##type name[n];)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
} __attribute__((aligned(64))) rps_motion;

typedef struct rps_load {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_load_##record(rps_ctype_##type name[n];)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
} __attribute__((aligned(64))) rps_load;

/* Loads of a program: half a cache line, because programs name bodies in any order. */
typedef struct rps_applied {
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_applied_##record(rps_ctype_##type name[n];)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
} __attribute__((aligned(32))) rps_applied;

/* Bits of `applies`: which loads of a body may not be 0. */
enum { RPS_EXTERNAL_FORCE = 1, RPS_EXTERNAL_TORQUE = 2, RPS_EXTERNAL_HELD = 4 };

typedef struct rps_bodies {
    size_t count, capacity;
    rps_pose *pose;
    rps_motion *motion;
    rps_load *load;
    rps_applied *applied;
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_own_##record(rps_ctype_##type(*name)[n];)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
    uint64_t ids;      /* given so far; the next id */
    uint32_t *slot_of; /* by id; RPS_NO_SLOT: the body was removed */
    size_t id_capacity;
    uint64_t layout; /* increases when bodies change their slots or arrays move (rps_world_layout) */
} rps_bodies;

#define RPS_NO_SLOT UINT32_MAX

/* Finds the first body with an id of at least *id; false if there is none. */
static inline bool rps_bodies_next(const rps_bodies *bodies, uint64_t *id, uint64_t *slot) {
    while (*id < bodies->ids && bodies->slot_of[*id] == RPS_NO_SLOT) ++*id;
    if (*id >= bodies->ids) return false;
    *slot = bodies->slot_of[*id];
    return true;
}

/* The bodies for a stage that only reads them: the same arrays, const. */
typedef struct rps_bodies_view {
    size_t count;
    const rps_pose *pose;
    const rps_motion *motion;
    const rps_load *load;
    const rps_applied *applied;
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_own_##record(const rps_ctype_##type(*name)[n];)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
} rps_bodies_view;

static inline rps_bodies_view rps_bodies_read(const rps_bodies *bodies) {
    rps_bodies_view view = {.count = bodies->count,
                            .pose = bodies->pose,
                            .motion = bodies->motion,
                            .load = bodies->load,
                            .applied = bodies->applied};
#define RPS_BODY_FIELD(record, name, type, n, unit, writer, flags, meaning) \
    RPS_IN_own_##record(view.name = (const rps_ctype_##type(*)[n])bodies->name;)
#include "world/body_fields.inc"
#undef RPS_BODY_FIELD
    return view;
}

/* A field of all bodies to write, by its number in rps_body_field; the next body follows after `stride` bytes. */
void *rps_bodies_field(rps_bodies *bodies, size_t index, size_t *stride);

/* --- pieces ------------------------------------------------------------------------------------------------------- */

/* A shape placed on a body, with its material. Bodies that are a single sphere, disk or plane have no piece; all
 * others have one or more, contiguous in world.piece. Pieces never change, so bodies may share them. */
typedef struct rps_piece {
    double parameter[RPS_SHAPE_NUMBERS_MOST]; /* as the shape lists them */
    /* kernels read both as one vector: */
    double offset[3];       /* m, origin of the shape from the centre of mass, in the body's axes */
    double radius;          /* m, of the smallest sphere about the shape's origin that contains it */
    double orientation[4];  /* w x y z, from the shape's axes to the body's */
    double half_width;      /* m, half the smallest width */
    double equal_radius;    /* m, of the sphere with the volume of the whole body */
    double shape, material; /* indices (whole numbers) */
} rps_piece;

/* --- rotation ----------------------------------------------------------------------------------------------------- */

/* One moment of inertia to represent all three: their geometric mean, exactly the first if all are equal. */
double rps_mean_inertia(const double inertia[3]);
/* Kinetic energy of rotation (J), and angular momentum about the body's own centre (kg m^2/s, world axes), of any
 * body. */
double rps_body_rotation_energy(const rps_bodies *bodies, size_t slot);
rps_vec3 rps_body_spin_momentum(const rps_bodies *bodies, size_t slot);
/* Angular velocity of a free body with pieces from its angular momentum and attitude. */
void rps_body_update_angular_velocity(rps_bodies *bodies, size_t slot);
/* Splits the kinetic energy of rotation into that of a ball with the middle moment of inertia, L^2 ball/2, and two
 * more terms: more m^2/2 about the body axis `low` and less m^2/2 about `high`, with m the component of L along that
 * axis. */
typedef struct rps_free_rotation {
    int low, high;                             /* axes of the smallest and the largest moment */
    double inverse_mid, delta_high, delta_low; /* 1/(kg m^2); more >= 0 >= less, exactly 0 if two moments are equal */
} rps_free_rotation;
rps_free_rotation rps_body_free_rotation(const double inertia[3]);
/* Angular momentum of a body with pieces from its angular velocity; nothing for others. */
void rps_body_start_rotation(rps_bodies *bodies, size_t slot);

#endif
