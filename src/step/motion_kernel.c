/*
 * Integrates a range of bodies: the two halves of a step around the evaluation of contacts.
 *
 * verlet          v += dt/2 a0;  x += dt v;  contacts at the new positions give a1;  v += dt/2 a1
 * half-implicit   v += dt a0;    x += dt v;  contacts give a1 for the next step (the paper's)
 *
 * Spheres and driven bodies rotate by q1 = exp(dt w) q0 through the Rodrigues vector g = tan(|w| dt/2) w/|w|, which
 * contacts read too. Free bodies with pieces integrate the angular momentum: half a kick, the free rigid rotation of
 * free_rotation.c, half a kick; w follows from it. They are collected in groups for motion_pieces_kernel.c.
 * Each body sums the loads of its contacts in the order of their keys, so results depend on neither slots nor threads.
 * During the step the velocity field holds displacement/dt, which tracking on planes needs.
 * If nothing observes the state between two steps, the second half of one and the first half of the next are one pass.
 *
 * Free spheres and disks are processed in blocks: kicks act on whole records, rotations on arrays. Compiled once per
 * instruction set; see batch_kernel.c.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "base/simd.h"
#include "step/load_sum.h"
#include "step/motion.h"
#include <repose/law_kernel.h>

enum { BLOCK = 64, BODIES_AHEAD = 128 };

/* Inverse mass or inertia, broadcast to the elements of the load that it multiplies. */
#define MOBILITY(motion) RPS_MASK_XYZ(RPS_BROADCAST_W(motion))

/* Gravity laid out as a motion record. The angular part is -0, because adding -0 keeps the sign of a zero. */
#define GRAVITY_RECORD(g) \
    { (g)[0], (g)[1], (g)[2], 0.0, -0.0, -0.0, -0.0, -0.0 }

/* True for free spheres and disks without a locked axis. */
static inline bool plain(const rps_motion_task *task, size_t s) {
    return task->bodies->kind[s][0] == RPS_BODY_FREE && task->bodies->piece[s][0] < 0 && !task->axes_locked;
}

/* Number of consecutive plain bodies from slot s on, at most a block. */
static size_t plain_run(const rps_motion_task *task, size_t s, size_t end) {
    const int32_t *kind = task->bodies->kind[s], *piece = task->bodies->piece[s];
    const size_t most = end - s < BLOCK ? end - s : BLOCK;
    int32_t others = task->axes_locked;
    for (size_t k = 0; k < most; k++) {
        others |= (kind[k] ^ RPS_BODY_FREE) | ~piece[k]; /* pieces begin at 0; none: -1 */
    }
    if (others == 0) return most;
    size_t n = 0;
    while (n < most && plain(task, s + n)) n++;
    return n;
}

/* True for free bodies with pieces that may rotate, without a locked axis. */
static inline bool has_free_rotation(const rps_motion_task *task, size_t s) {
    const rps_bodies *bodies = task->bodies;
    return bodies->piece[s][0] >= 0 && bodies->kind[s][0] == RPS_BODY_FREE && !task->axes_locked &&
           bodies->motion[s].inverse_inertia[0] > 0.0;
}

static inline rps_motion_group no_group(void) {
    return (rps_motion_group){.count = 0, .measured = -1};
}

/* The pass for the bodies that are collected. */
static inline void pass_group(const rps_motion_task *task, rps_motion_group *group, rps_motion_group_fn *pass,
                              rps_extreme_motion *most) {
    if (group->count > 0) pass(task, group, most);
    group->count = 0;
}

/* Adds a body to the group, after the pass for those before it if the group is full. */
static inline void add_to_group(const rps_motion_task *task, rps_motion_group *group, size_t s,
                                rps_motion_group_fn *pass, rps_extreme_motion *most) {
    if (group->count == RPS_WIDE || (group->count > 0 && s - group->slot[0] >= RPS_GROUP_SPAN)) {
        pass_group(task, group, pass, most);
    }
    group->slot[group->count++] = s;
}

/* Arrays of a block: angular velocity, orientation, g with its scale, square of half the rotation angle. */
typedef struct block_lanes {
    _Alignas(64) double w[3][BLOCK], o[4][BLOCK], g[4][BLOCK], rotation2[BLOCK];
} block_lanes;

/* The rotation of a step, as in `turn`. Angles beyond the range of the series are recomputed one by one. */
static inline __attribute__((always_inline)) void turn_lanes(block_lanes *l, int n, double dt) {
    const double half = 0.5 * dt;
    RPS_SIMD
    for (int c = 0; c < n; c++) {
        double x2 = (half * half) * ((l->w[0][c] * l->w[0][c] + l->w[1][c] * l->w[1][c]) + l->w[2][c] * l->w[2][c]);
        l->rotation2[c] = x2;
        l->g[3][c] = half * rps_tan_over_x_small(x2);
    }
    const bool any = rps_lane_above(l->rotation2, RPS_TAN_OVER_X_X2_MAX, n);
    for (int c = 0; c < n && any; c++) {
        if (!(l->rotation2[c] <= RPS_TAN_OVER_X_X2_MAX)) l->g[3][c] = half * rps_tan_over_x_full(l->rotation2[c]);
    }
    RPS_SIMD
    for (int c = 0; c < n; c++) {
        double f = l->g[3][c];
        double x = f * l->w[0][c], y = f * l->w[1][c], z = f * l->w[2][c];
        l->g[0][c] = x;
        l->g[1][c] = y;
        l->g[2][c] = z;
        double g2 = (x * x + y * y) + z * z;
        l->g[3][c] = 2.0 / (1.0 + g2);
        double ow = l->o[0][c], ox = l->o[1][c], oy = l->o[2][c], oz = l->o[3][c];
        double qw = ((ow - x * ox) - y * oy) - z * oz;
        double qx = ((ox + x * ow) + y * oz) - z * oy;
        double qy = ((oy - x * oz) + y * ow) + z * ox;
        double qz = ((oz + x * oy) - y * ox) + z * ow;
        double scale = 1.0 / sqrt(((qw * qw + qx * qx) + qy * qy) + qz * qz);
        double on = l->rotation2[c] > LEAST_ROTATION2 ? 1.0 : 0.0; /* a body that does not rotate keeps its bits */
        l->o[0][c] = on > 0.5 ? RPS_FLUSH(scale * qw) : ow;
        l->o[1][c] = on > 0.5 ? RPS_FLUSH(scale * qx) : ox;
        l->o[2][c] = on > 0.5 ? RPS_FLUSH(scale * qy) : oy;
        l->o[3][c] = on > 0.5 ? RPS_FLUSH(scale * qz) : oz;
    }
}

/* rps_motion_larger for a vector; NaN wins. */
#define LARGER(most, x) RPS_SELECT(((most) == (most)) & ~((x) <= (most)), x, most)

/* Extremes of a block: element-wise maxima, and the bounds of positions and radii. */
typedef struct block_extremes {
    rps_simd speed2, deviation2, rotation2;
    rps_simd4 low, high;
} block_extremes;

/* Wraps the positions of a block if any body has left the periodic cell. */
static void wrap_block(const rps_motion_task *task, size_t s, int n, const block_extremes *e) {
    bool out = false;
    for (int k = 0; k < 3; k++) {
        const double period = task->cell.period[k];
        out = out || (period > 0.0 && (e->low[k] < 0.0 || e->high[k] >= period));
    }
    for (int c = 0; c < n && out && !task->cell.sheared; c++) rps_motion_wrap(task, s + (size_t)c);
}

/* Fields of a block of plain bodies, from its first on. */
typedef struct block_bodies {
    rps_motion *motion;
    rps_pose *pose;
    const rps_load *load;
    double (*orientation)[4], (*dissipated)[RPS_ACCOUNTS];
    const rps_prediction *prediction; /* NULL: all 0 */
    const double *gravity;            /* a record */
    double dt, kick;
} block_bodies;

/* Prefetches RPS_WIDE bodies further ahead, two of which share a line of orientations, into the second-level cache. */
static inline __attribute__((always_inline)) void prefetch_bodies(const block_bodies *b, int c) {
    for (int k = c + BODIES_AHEAD; k < c + BODIES_AHEAD + RPS_WIDE; k++) {
        __builtin_prefetch(&b->motion[k], 0, 2);
        __builtin_prefetch(&b->pose[k], 0, 2);
        if (k % 2 != 0) continue;
        __builtin_prefetch(b->orientation[k], 0, 2);
        __builtin_prefetch(b->dissipated[k], 0, 2);
    }
}

/* Kicks and drifts bodies c .. c + n - 1 of a block and gathers their rotation into arrays. n is a constant where
 * this is inlined, so all RPS_WIDE bodies stay in registers. */
static inline __attribute__((always_inline)) void kick_and_drift(const block_bodies *b, int c, const int n,
                                                                 block_lanes *l, block_extremes *e) {
    static const float rest[4] = {0.0F, 0.0F, 0.0F, 1.0F};
    static const double nothing[8] = {0.0}, still[4] = {1.0, 0.0, 0.0, 0.0};
    const rps_simd *gravity = (const rps_simd *)b->gravity;
    rps_simd moves[8], lane[8]; /* part p of record k at p RPS_WIDE + k */
    rps_simd4 deviation[RPS_WIDE], o[RPS_WIDE];
#pragma GCC unroll 8
    for (int k = 0; k < RPS_WIDE; k++) {
        if (k >= n) {
            for (int p = 0; p < RPS_PARTS; p++) moves[p * RPS_WIDE + k] = ((const rps_simd *)nothing)[p];
            deviation[k] = *(const rps_simd4 *)nothing;
            o[k] = *(const rps_simd4 *)still;
            continue;
        }
        rps_simd *motion = (rps_simd *)&b->motion[c + k];
        const rps_simd *load = (const rps_simd *)&b->load[c + k];
        for (int p = 0; p < RPS_PARTS; p++) {
            moves[p * RPS_WIDE + k] = motion[p] + b->kick * (gravity[p] + MOBILITY(motion[p]) * load[p]);
            motion[p] = moves[p * RPS_WIDE + k];
        }
        rps_simd4 *pose = (rps_simd4 *)&b->pose[c + k];
        const rps_simd4 v = RPS_MASK_XYZ4(RPS_LOW_HALF(moves[k])), x = *pose + b->dt * v; /* the radius stays */
        *pose = x;
        e->low = RPS_SELECT4(x < e->low, x, e->low);
        e->high = RPS_SELECT4(x > e->high, x, e->high);
        const void *at = b->prediction != NULL ? (const void *)&b->prediction[c + k] : rest;
        const rps_half4 *prediction = (const rps_half4 *)at;
        const rps_simd4 off = v - __builtin_convertvector(*prediction, rps_simd4);
        deviation[k] = off * off;
        o[k] = *(const rps_simd4 *)b->orientation[c + k];
    }
    RPS_TRANSPOSE(moves, lane);
    const rps_simd speed2 = (lane[0] * lane[0] + lane[1] * lane[1]) + lane[2] * lane[2];
    e->speed2 = LARGER(e->speed2, speed2);
    /* cppcheck-suppress uninitvar ; written through, not read */
    for (int k = 0; k < 3; k++) *(rps_simd *)(l->w[k] + c) = lane[4 + k];
    RPS_TRANSPOSE_HALVES(deviation, lane);
    const rps_simd deviation2 = ((lane[0] + lane[1]) + lane[2]) * lane[3];
    e->deviation2 = LARGER(e->deviation2, deviation2);
    RPS_TRANSPOSE_HALVES(o, lane);
    for (int k = 0; k < 4; k++) *(rps_simd *)(l->o[k] + c) = lane[k];
}

/* Stores orientation and rotation of bodies c .. c + n - 1 in their records. */
static inline __attribute__((always_inline)) void store_rotation(const block_bodies *b, int c, const int n,
                                                                 const block_lanes *l, block_extremes *e) {
    rps_simd lane[4];
    rps_simd4 o[RPS_WIDE], g[RPS_WIDE];
    for (int k = 0; k < 4; k++) lane[k] = *(const rps_simd *)(l->o[k] + c);
    RPS_TRANSPOSE_BACK(lane, o);
    for (int k = 0; k < 4; k++) lane[k] = *(const rps_simd *)(l->g[k] + c);
    RPS_TRANSPOSE_BACK(lane, g);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        *(rps_simd4 *)b->orientation[c + k] = o[k];
        *(rps_simd4 *)b->pose[c + k].rodrigues = g[k];
    }
    const rps_simd rotation2 = *(const rps_simd *)(l->rotation2 + c);
    e->rotation2 = LARGER(e->rotation2, rotation2);
}

/* First half of a step for n plain bodies from slot s on. */
static void start_block(const rps_motion_task *task, size_t s, int n, const rps_load *load, rps_extreme_motion *most) {
    rps_bodies *bodies = task->bodies;
    const double *g = task->gravity, far = INFINITY;
    const double gravity[8] = GRAVITY_RECORD(g);
    const block_bodies b = {.motion = bodies->motion + s,
                            .pose = bodies->pose + s,
                            .load = load,
                            .orientation = bodies->orientation + s,
                            .dissipated = bodies->dissipated + s,
                            .prediction = task->prediction != NULL ? task->prediction + s : NULL,
                            .gravity = gravity,
                            .dt = task->step,
                            .kick = task->kick};
    block_extremes e = {.low = {far, far, far, far}, .high = {-far, -far, -far, -far}};
    block_lanes l;
    const int padded = (n + 7) / 8 * 8;
    const bool prefetches = task->loads.exceeds_l2 && s + (size_t)n + BODIES_AHEAD <= bodies->count;
    int c = 0;
    for (; c + RPS_WIDE <= n; c += RPS_WIDE) {
        if (prefetches) prefetch_bodies(&b, c);
        kick_and_drift(&b, c, RPS_WIDE, &l, &e);
    }
    for (int left = n - c; c < padded; c += RPS_WIDE, left = 0) kick_and_drift(&b, c, left, &l, &e);
    wrap_block(task, s, n, &e);
    turn_lanes(&l, padded, task->step);
    for (c = 0; c + RPS_WIDE <= n; c += RPS_WIDE) store_rotation(&b, c, RPS_WIDE, &l, &e);
    if (c < n) store_rotation(&b, c, n - c, &l, &e);
    for (int k = 0; k < RPS_WIDE; k++) rps_motion_notice(most, e.speed2[k], e.deviation2[k], e.rotation2[k], e.low[3]);
}

void RPS_ISA_NAME(rps_motion_start_range)(const rps_motion_task *task, size_t first, size_t end,
                                          rps_extreme_motion *most) {
    rps_motion_group_fn *const pass = RPS_ISA_NAME(rps_motion_start_group);
    rps_motion_group group = no_group();
    for (size_t s = first; s < end;) {
        const bool joins = has_free_rotation(task, s);
        const size_t n = joins ? 0 : plain_run(task, s, end);
        if (joins) {
            add_to_group(task, &group, s++, pass, most);
        } else if (n > 0) {
            start_block(task, s, (int)n, task->bodies->load + s, most);
            s += n;
        } else {
            rps_motion_start_single(task, s++, most);
        }
    }
    pass_group(task, &group, pass, most);
}

static void finish_single(const rps_motion_task *task, size_t s) {
    if (task->bodies->kind[s][0] != RPS_BODY_FREE) {
        rps_motion_finish_boundary(task, s);
        return;
    }
    load_sum sum, as_j;
    if (newly_touching(&task->loads, s, s + 1)) {
        add_loads(&task->loads, s, false, &sum, &as_j);
    } else {
        add_loads(&task->loads, s, true, &sum, &as_j);
    }
    if (!task->initial) record_dissipation(task->bodies, s, &sum, &as_j);
    rps_load now;
    for (int p = 0; p < RPS_PARTS; p++) ((rps_simd *)&now)[p] = RPS_FLUSH(sum.part[p]);
    rps_motion_finish_free(task, s, &now);
}

/* Sums loads of plain bodies into `loads` and applies the second kick. in_row, kicks, streams: constants where
 * inlined. */
static inline __attribute__((always_inline)) void finish_plain(const rps_motion_task *task, size_t first, size_t end,
                                                               rps_load *loads, const bool in_row, const bool kicks,
                                                               const bool streams) {
    rps_bodies *bodies = task->bodies;
    const double *g = task->gravity, kick = 0.5 * task->step;
    const double record[8] = GRAVITY_RECORD(g);
    const rps_simd *gravity = (const rps_simd *)record;
    for (size_t s = first; s < end; s++) {
        load_sum sum, as_j;
        add_loads(&task->loads, s, in_row, &sum, &as_j);
        record_dissipation(bodies, s, &sum, &as_j);
        rps_simd *load = (rps_simd *)&loads[s - first], *motion = (rps_simd *)&bodies->motion[s];
        for (int p = 0; p < RPS_PARTS; p++) {
            const rps_simd total = RPS_FLUSH(RPS_MASK_XYZ(sum.part[p]));
            if (streams) {
                RPS_STREAM(load + p, total);
            } else {
                load[p] = total;
            }
            if (kicks) motion[p] = motion[p] + kick * (gravity[p] + MOBILITY(motion[p]) * total);
        }
    }
}

/* Alternates between runs of bodies whose loads are contiguous and single bodies whose loads are not. */
static inline __attribute__((always_inline)) void finish_rows(const rps_motion_task *task, size_t first, size_t end,
                                                              rps_load *loads, const bool kicks, const bool streams) {
    uint64_t scattered = newly_touching(&task->loads, first, end);
    for (size_t s = first; s < end;) {
        const size_t next = scattered != 0 ? first + (size_t)__builtin_ctzll(scattered) : end;
        finish_plain(task, s, next, loads + (s - first), true, kicks, streams);
        if (next < end) finish_plain(task, next, next + 1, loads + (next - first), false, kicks, false);
        s = next + 1;
        scattered &= scattered - 1;
    }
}

static void finish_block(const rps_motion_task *task, size_t first, size_t end, rps_load *loads, bool streams) {
    if (!task->verlet) {
        finish_rows(task, first, end, loads, false, false);
    } else if (streams) {
        finish_rows(task, first, end, loads, true, true);
    } else {
        finish_rows(task, first, end, loads, true, false);
    }
}

void RPS_ISA_NAME(rps_motion_finish_range)(const rps_motion_task *task, size_t first, size_t end) {
    rps_motion_group_fn *const pass = RPS_ISA_NAME(rps_motion_finish_group);
    rps_motion_group group = no_group();
    for (size_t s = first; s < end;) {
        const bool joins = has_free_rotation(task, s);
        const size_t n = joins || task->initial ? 0 : plain_run(task, s, end);
        if (joins) {
            add_to_group(task, &group, s++, pass, NULL);
        } else if (n > 0) {
            finish_block(task, s, s + n, task->bodies->load + s, task->loads.streams);
            s += n;
        } else {
            finish_single(task, s++);
        }
    }
    pass_group(task, &group, pass, NULL);
    RPS_STREAM_END();
}

/* Fused second half and next first half. Loads of plain bodies stay in the first-level cache: nothing reads them
 * before the next evaluation. */
void RPS_ISA_NAME(rps_motion_kick_drift_range)(const rps_motion_task *task, size_t first, size_t end,
                                               rps_extreme_motion *most) {
    rps_load load[BLOCK];
    rps_motion_group_fn *const pass = RPS_ISA_NAME(rps_motion_kick_drift_group);
    rps_motion_group group = no_group();
    for (size_t s = first; s < end;) {
        const bool joins = has_free_rotation(task, s);
        const size_t n = joins ? 0 : plain_run(task, s, end);
        if (joins) {
            add_to_group(task, &group, s++, pass, most);
        } else if (n > 0) {
            finish_block(task, s, s + n, load, false);
            start_block(task, s, (int)n, load, most);
            s += n;
        } else {
            finish_single(task, s);
            rps_motion_start_single(task, s++, most);
        }
    }
    pass_group(task, &group, pass, most);
}
