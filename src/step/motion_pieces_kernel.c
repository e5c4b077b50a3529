/*
 * Motion of free bodies with pieces, RPS_WIDE at a time.
 *
 * Their rotation is the free rotation of a rigid body between two kicks of the angular momentum (free_rotation.c). It
 * costs some hundred operations, the same for every body, so it is done on arrays of bodies (rotation_lanes.h); kicks
 * act on whole records, as in motion_kernel.c. The bodies of a group need not be neighbors in memory: spheres and
 * fixed bodies may lie between them. A group that is not full is filled up with bodies at rest. The results do not
 * depend on the grouping and are those of motion_single.c to the bit.
 */
#include <math.h>

#include "base/flush.h"
#include "base/simd.h"
#include "step/load_sum.h"
#include "step/motion.h"
#include "step/rotation_lanes.h"

_Static_assert(RPS_WIDE <= (int)(sizeof((rps_motion_group *)0)->slot / sizeof(size_t)),
               "a group holds RPS_WIDE bodies");

static const double rest_record[8] = {0.0}, unit_record[4] = {1.0, 1.0, 1.0, 1.0}, no_turn[4] = {1.0, 0.0, 0.0, 0.0};

/* Three numbers as a half record; reads no further. */
static inline __attribute__((always_inline)) rps_simd4 half_of(const double *x) {
    return (rps_simd4){x[0], x[1], x[2], 0.0};
}

static inline __attribute__((always_inline)) void put3(double *to, rps_simd4 x) {
    for (int k = 0; k < 3; k++) to[k] = x[k];
}

/* Writes x, y, z of a half record and keeps its fourth number. */
static inline __attribute__((always_inline)) void put_xyz(void *to, rps_simd4 x) {
    rps_simd4 *at = to;
    *at = RPS_SELECT4(((rps_mask4){-1, -1, -1, 0}), x, *at);
}

/* v and L after `kick` seconds under gravity and a load. */
static inline __attribute__((always_inline)) void kick_body(const rps_motion_task *task, size_t s, double kick,
                                                            const rps_load *load) {
    const double *g = task->gravity, *halves = (const double *)load;
    double *momentum = task->bodies->angular_momentum[s];
    rps_motion *motion = &task->bodies->motion[s];
    const rps_simd4 gravity = {g[0], g[1], g[2], 0.0}, v = *(const rps_simd4 *)motion;
    const rps_simd4 mobility = __builtin_shufflevector(v, v, 3, 3, 3, 3);
    const rps_simd4 a = gravity + mobility * *(const rps_simd4 *)halves;
    put_xyz(motion, RPS_FLUSH(v + kick * a));
    put3(momentum, RPS_FLUSH(half_of(momentum) + kick * *(const rps_simd4 *)(halves + 4)));
}

/* --- first half ------------------------------------------------------------------------------------------------------- */

/* Velocity and radius of RPS_WIDE bodies; velocity off the predicted one, and the weight of that. */
typedef struct drift_lanes {
    rps_simd v[4], off[4];
} drift_lanes;

/* Moves the n bodies of a group. n is a constant where this is inlined. */
static inline __attribute__((always_inline)) void drift_group(const rps_motion_task *task,
                                                              const rps_motion_group *group, const int n,
                                                              drift_lanes *d) {
    static const float rest[4] = {0.0F, 0.0F, 0.0F, 1.0F};
    rps_simd4 v[RPS_WIDE], off[RPS_WIDE];
    const rps_mask4 xyz = {-1, -1, -1, 0};
#pragma GCC unroll 8
    for (int k = 0; k < RPS_WIDE; k++) {
        if (k >= n) {
            v[k] = off[k] = *(const rps_simd4 *)rest_record;
            continue;
        }
        const size_t s = group->slot[k];
        rps_simd4 *pose = (rps_simd4 *)&task->bodies->pose[s];
        const rps_simd4 velocity = *(const rps_simd4 *)&task->bodies->motion[s], x = *pose;
        *pose = RPS_SELECT4(xyz, RPS_FLUSH(x + task->step * velocity), x);
        rps_motion_wrap(task, s);
        const void *at = task->prediction != NULL ? (const void *)&task->prediction[s] : rest;
        const rps_simd4 prediction = __builtin_convertvector(*(const rps_half4 *)at, rps_simd4);
        v[k] = RPS_SELECT4(xyz, velocity, x);
        off[k] = RPS_SELECT4(xyz, velocity - prediction, prediction);
    }
    RPS_TRANSPOSE_HALVES(v, d->v);
    RPS_TRANSPOSE_HALVES(off, d->off);
}

/* Loads the rotation of a group; *f: its moments. */
static inline __attribute__((always_inline)) void load_rotation(const rps_bodies *bodies, const rps_motion_group *group,
                                                                const int n, rotation_lanes *r,
                                                                free_rotation_lanes *f) {
    rps_simd4 o[RPS_WIDE], l[RPS_WIDE], i[RPS_WIDE];
#pragma GCC unroll 8
    for (int k = 0; k < RPS_WIDE; k++) {
        const size_t s = group->slot[k < n ? k : 0];
        o[k] = *(const rps_simd4 *)(k < n ? bodies->orientation[s] : no_turn);
        l[k] = half_of(k < n ? bodies->angular_momentum[s] : rest_record);
        i[k] = half_of(k < n ? bodies->inertia[s] : unit_record);
    }
    rps_simd momentum[4], inertia[4];
    RPS_TRANSPOSE_HALVES(o, r->orientation);
    RPS_TRANSPOSE_HALVES(l, momentum);
    RPS_TRANSPOSE_HALVES(i, inertia);
    for (int k = 0; k < 3; k++) r->momentum[k] = momentum[k];
    *f = free_rotation_of(inertia);
}

static inline __attribute__((always_inline)) void store_turn(const rps_bodies *bodies, const rps_motion_group *group,
                                                             const int n, const rotation_lanes *r) {
    rps_simd4 o[RPS_WIDE], g[RPS_WIDE];
    RPS_TRANSPOSE_BACK(r->orientation, o);
    RPS_TRANSPOSE_BACK(r->rodrigues, g);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        const size_t s = group->slot[k];
        *(rps_simd4 *)bodies->orientation[s] = o[k];
        *(rps_simd4 *)bodies->pose[s].rodrigues = g[k];
    }
}

static inline __attribute__((always_inline)) void store_velocity(const rps_bodies *bodies,
                                                                 const rps_motion_group *group, const int n,
                                                                 const rotation_lanes *r) {
    const rps_simd lane[4] = {r->velocity[0], r->velocity[1], r->velocity[2], RPS_ALL(0.0)};
    rps_simd4 w[RPS_WIDE];
    RPS_TRANSPOSE_BACK(lane, w);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) put_xyz(bodies->motion[group->slot[k]].angular_velocity, w[k]);
}

static inline __attribute__((always_inline)) rps_simd length_of(const rps_simd v[3]) {
    return RPS_SQRT((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

/* Bodies that share their pieces have the same width. */
static inline void notice_widths(const rps_motion_task *task, rps_motion_group *group, rps_extreme_motion *most) {
    for (int k = 0; k < group->count; k++) {
        const size_t s = group->slot[k];
        const int32_t piece = task->bodies->piece[s][0];
        if (piece == group->measured) continue;
        group->measured = piece;
        const double half_width = rps_motion_half_width(task, s);
        most->smallest = half_width < most->smallest ? half_width : most->smallest;
    }
}

/* Drift and free rotation of a group that was kicked. The fastest point moves by at most the turn times the radius. */
static inline __attribute__((always_inline)) void move_group(const rps_motion_task *task, rps_motion_group *group,
                                                             const int n, rps_extreme_motion *most) {
    const double dt = task->step;
    drift_lanes d;
    rotation_lanes r;
    free_rotation_lanes f;
    drift_group(task, group, n, &d);
    load_rotation(task->bodies, group, n, &r, &f);
    advance_rotation(&f, dt, &r);
    store_turn(task->bodies, group, n, &r);
    update_velocity_lanes(&f, &r);
    store_velocity(task->bodies, group, n, &r);
    const rps_simd *w = r.velocity, around = r.swing / dt * d.v[3], speed = around + length_of(d.v);
    const rps_simd off = (length_of(d.off) + around) * d.off[3];
    const rps_simd speed2 = speed * speed, off2 = off * off;
    const rps_simd rotation2 = (0.25 * dt * dt) * ((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]);
    for (int k = 0; k < n; k++) rps_motion_notice(most, speed2[k], off2[k], rotation2[k], INFINITY);
    notice_widths(task, group, most);
}

static void move(const rps_motion_task *task, rps_motion_group *group, rps_extreme_motion *most) {
    if (group->count == RPS_WIDE) {
        move_group(task, group, RPS_WIDE, most);
    } else {
        move_group(task, group, group->count, most);
    }
}

void RPS_ISA_NAME(rps_motion_start_group)(const rps_motion_task *task, rps_motion_group *group,
                                          rps_extreme_motion *most) {
    for (int k = 0; k < group->count; k++) {
        kick_body(task, group->slot[k], task->kick, &task->bodies->load[group->slot[k]]);
    }
    move(task, group, most);
}

/* --- second half ------------------------------------------------------------------------------------------------------ */

/* Sums the loads of a group and applies the second kick. */
static inline void finish_loads(const rps_motion_task *task, const rps_motion_group *group) {
    rps_bodies *bodies = task->bodies;
    const size_t first = group->slot[0];
    const uint64_t scattered = newly_touching(&task->loads, first, group->slot[group->count - 1] + 1);
    for (int k = 0; k < group->count; k++) {
        const size_t s = group->slot[k];
        load_sum sum, as_j;
        if (scattered >> (s - first) & 1) {
            add_loads(&task->loads, s, false, &sum, &as_j);
        } else {
            add_loads(&task->loads, s, true, &sum, &as_j);
        }
        if (!task->initial) record_dissipation(bodies, s, &sum, &as_j);
        rps_load now;
        for (int p = 0; p < RPS_PARTS; p++) ((rps_simd *)&now)[p] = RPS_FLUSH(sum.part[p]);
        if (!task->initial && task->verlet) kick_body(task, s, 0.5 * task->step, &now);
        put_xyz(bodies->load[s].force, *(const rps_simd4 *)now.force);
        put_xyz(bodies->load[s].torque, *(const rps_simd4 *)now.torque);
    }
}

void RPS_ISA_NAME(rps_motion_finish_group)(const rps_motion_task *task, rps_motion_group *group,
                                           rps_extreme_motion *most) {
    (void)most;
    finish_loads(task, group);
    if (task->initial || !task->verlet) return;
    rotation_lanes r;
    free_rotation_lanes f;
    load_rotation(task->bodies, group, group->count, &r, &f);
    update_velocity_lanes(&f, &r);
    store_velocity(task->bodies, group, group->count, &r);
}

/* The angular velocity is set once, at the end. */
void RPS_ISA_NAME(rps_motion_kick_drift_group)(const rps_motion_task *task, rps_motion_group *group,
                                               rps_extreme_motion *most) {
    finish_loads(task, group);
    RPS_ISA_NAME(rps_motion_start_group)(task, group, most);
}
