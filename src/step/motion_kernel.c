/*
 * Integrates a range of bodies: the two halves of a step around the evaluation of contacts.
 *
 * verlet          v += dt/2 a0;  x += dt v;  contacts at the new positions give a1;  v += dt/2 a1
 * half-implicit   v += dt a0;    x += dt v;  contacts give a1 for the next step (the paper's)
 *
 * Spheres and driven bodies rotate by q1 = exp(dt w) q0 through the Rodrigues vector g = tan(|w| dt/2) w/|w|, which
 * contacts read too. Free bodies with pieces integrate the angular momentum: half a kick, the free rigid rotation of
 * free_rotation.c, half a kick; w follows from it.
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
#include "step/boundary.h"
#include "step/motion.h"
#include <repose/law_kernel.h>

/* A body whose squared half angle is below this does not turn: the square may be subnormal (flush.h). */
#define LEAST_ROTATION2 0x1p-800

enum { BLOCK = 64, BODIES_AHEAD = 128, LINES_AHEAD = 128 };

/* Removes the component of the velocity along a without_locked axis. */
static inline rps_vec3 without_locked(const rps_world *world, size_t s, rps_vec3 v) {
    if (!world->axes_locked) {
        return v;
    }
    const rps_bodies *bodies = &world->bodies;
    rps_vec3 axis = rps_vec3_of(bodies->lock_axis[s]);
    return rps_vec3_norm2(axis) > 0.0 ? rps_vec3_reject(v, axis) : v;
}

/* Returns the square of half the angle. */
static double motion_turn(rps_bodies *bodies, size_t s, double dt) {
    rps_vec3 w = rps_vec3_of(bodies->motion[s].angular_velocity);
    double half = 0.5 * dt;
    double x2 = (half * half) * rps_vec3_norm2(w);
    double f = half * (x2 <= RPS_TAN_OVER_X_X2_MAX ? rps_tan_over_x_small(x2) : rps_tan_over_x_full(x2));
    rps_vec3 g = rps_vec3_scale(w, f);
    rps_vec3_put(bodies->pose[s].rodrigues, g);
    bodies->pose[s].rodrigues_scale[0] = 2.0 / (1.0 + rps_vec3_norm2(g));
    if (!(x2 > LEAST_ROTATION2)) {
        return x2;
    }
    /* (1, g) is the rotation up to a factor, and the product is normalised anyway */
    double *o = bodies->orientation[s];
    rps_quat q = rps_quat_mul((rps_quat){1.0, g.x, g.y, g.z}, (rps_quat){o[0], o[1], o[2], o[3]});
    double scale = 1.0 / sqrt(((q.w * q.w + q.x * q.x) + q.y * q.y) + q.z * q.z);
    o[0] = rps_flush(scale * q.w);
    o[1] = rps_flush(scale * q.x);
    o[2] = rps_flush(scale * q.y);
    o[3] = rps_flush(scale * q.z);
    return x2;
}

/* Wraps the position into [0, L) on periodic axes. The guards stop a body that moves a period in one step. */
static void motion_wrap(const rps_world *world, rps_bodies *bodies, size_t s) {
    for (int k = 0; k < 3; k++) {
        const double period = world->options.period[k];
        double *x = &bodies->pose[s].position[k];
        if (!(period > 0.0)) {
            continue;
        }
        if (*x < 0.0) {
            *x += period;
            bodies->image[s][k] -= 1;
        }
        if (*x >= period) {
            *x -= period;
            bodies->image[s][k] += 1;
        }
    }
}

static void kick_momentum(rps_bodies *bodies, size_t s, double kick, rps_vec3 torque) {
    double *l = bodies->angular_momentum[s];
    rps_vec3_put(l, rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(l), kick, torque)));
}

/* Half kick and free rigid rotation. *speed: by how much the fastest point is faster than the centre (m/s). */
static double start_free_rotation(rps_bodies *bodies, size_t s, double dt, double kick, double *speed) {
    kick_momentum(bodies, s, kick, rps_vec3_of(bodies->load[s].torque));
    *speed = rps_free_rotation_advance(bodies, s, dt) / dt * bodies->pose[s].radius[0];
    rps_body_update_angular_velocity(bodies, s);
    return (0.25 * dt * dt) * rps_vec3_norm2(rps_vec3_of(bodies->motion[s].angular_velocity));
}

/* Rate at which the body leaves its predicted path (m/s), scaled by its displacement buffer. around: by how much its
 * fastest point is faster than the centre (m/s). */
static double deviation_speed(const rps_world *world, size_t s, rps_vec3 v, double around) {
    if (world->prediction == NULL) return rps_vec3_norm(v) + around;
    const float *u = world->prediction[s];
    return (rps_vec3_norm(rps_vec3_sub(v, (rps_vec3){u[0], u[1], u[2]})) + around) * (double)u[3];
}

static void start_free(const rps_world *world, rps_bodies *bodies, size_t s, double dt, double kick,
                       rps_extreme_motion *most) {
    rps_motion *m = &bodies->motion[s];
    const rps_load *load = &bodies->load[s];
    rps_vec3 a = rps_vec3_add_scaled(rps_vec3_of(world->options.gravity), m->inverse_mass[0], rps_vec3_of(load->force));
    rps_vec3 v = rps_vec3_flush(without_locked(world, s, rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick, a)));
    rps_vec3_put(m->velocity, v);
    rps_vec3_put(bodies->pose[s].position,
                 rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(bodies->pose[s].position), dt, v)));
    motion_wrap(world, bodies, s);
    if (bodies->piece[s][0] < 0) {
        rps_vec3_put(m->angular_velocity, rps_vec3_flush(rps_vec3_add_scaled(
                                              rps_vec3_of(m->angular_velocity), kick,
                                              rps_vec3_scale(rps_vec3_of(load->torque), m->inverse_inertia[0]))));
        const double rotation2 = motion_turn(bodies, s, dt), off = deviation_speed(world, s, v, 0.0);
        rps_motion_notice(most, rps_vec3_norm2(v), off * off, rotation2, bodies->pose[s].radius[0]);
        return;
    }
    double rotation2 = 0.0, around = 0.0;
    if (m->inverse_inertia[0] > 0.0) {
        rotation2 = start_free_rotation(bodies, s, dt, kick, &around);
    }
    const double speed = around + rps_vec3_norm(v), off = deviation_speed(world, s, v, around);
    rps_motion_notice(most, speed * speed, off * off, rotation2, rps_body_half_width(world, s));
}

static void start_driven(const rps_world *world, rps_bodies *bodies, size_t s, double time, double dt,
                         rps_extreme_motion *most) {
    const int which = bodies->drive[s][0];
    if (which < 0) {
        return;
    }
    rps_pose_at now, then;
    rps_drive_at(world, which, time, 0.0, &now);
    rps_drive_at(world, which, time + dt, dt, &then);
    const rps_vec3 x1 = then.position, w0 = now.angular_velocity, shift = rps_vec3_sub(x1, now.position);
    rps_vec3 v = rps_vec3_flush(rps_vec3_scale(shift, 1.0 / dt));
    rps_vec3_put(bodies->motion[s].velocity, v);
    rps_vec3_put(bodies->motion[s].angular_velocity, w0);
    double position[3] = {x1.x, x1.y, x1.z};
    for (int k = 0; k < 3; k++) { /* the image follows from the closed form too, so nothing accumulates */
        const double period = world->options.period[k];
        bodies->pose[s].position[k] = position[k];
        if (period > 0.0) {
            double images = 0.0;
            while (position[k] < 0.0) {
                position[k] += period;
                images -= 1.0;
            }
            while (position[k] >= period) {
                position[k] -= period;
                images += 1.0;
            }
            bodies->pose[s].position[k] = position[k];
            bodies->image[s][k] = (int32_t)images;
        }
    }
    double rotation2 = motion_turn(bodies, s, dt);
    if (!(bodies->pose[s].radius[0] > 0.0)) { /* a plane's normal turns with it */
        const double *o = bodies->orientation[s];
        rps_vec3_put(bodies->normal[s],
                     rps_vec3_flush(rps_quat_rotate((rps_quat){o[0], o[1], o[2], o[3]}, (rps_vec3){0.0, 0.0, 1.0})));
    }
    const double around = bodies->piece[s][0] >= 0 ? rps_vec3_norm(w0) * bodies->pose[s].radius[0] : 0.0;
    const double speed = rps_vec3_norm(v) + around, off = deviation_speed(world, s, v, around);
    rps_motion_notice(most, speed * speed, off * off, rotation2, INFINITY);
}

static void start_body(rps_world *world, size_t s, double time, double dt, double kick, rps_extreme_motion *most) {
    rps_bodies *bodies = &world->bodies;
    switch (bodies->kind[s][0]) {
    case RPS_BODY_FREE:
        start_free(world, bodies, s, dt, kick, most);
        break;
    case RPS_BODY_DRIVEN:
        start_driven(world, bodies, s, time, dt, most);
        break;
    default:
        break;
    }
}

/* Inverse mass or inertia, broadcast to the elements of the load that it multiplies. */
#define MOBILITY(motion) RPS_MASK_XYZ(RPS_BROADCAST_W(motion))

/* Gravity laid out as a motion record. The angular part is -0, because adding -0 keeps the sign of a zero. */
#define GRAVITY_RECORD(g) \
    { (g)[0], (g)[1], (g)[2], 0.0, -0.0, -0.0, -0.0, -0.0 }

/* True for free spheres and disks without a locked axis. */
static inline bool plain(const rps_world *world, size_t s) {
    return world->bodies.kind[s][0] == RPS_BODY_FREE && world->bodies.piece[s][0] < 0 && !world->axes_locked;
}

/* Number of consecutive plain bodies from slot s on, at most a block. */
static size_t plain_run(const rps_world *world, size_t s, size_t end) {
    const int32_t *kind = world->bodies.kind[s], *piece = world->bodies.piece[s];
    const size_t most = end - s < BLOCK ? end - s : BLOCK;
    int32_t others = world->axes_locked;
    for (size_t k = 0; k < most; k++) {
        others |= (kind[k] ^ RPS_BODY_FREE) | ~piece[k]; /* pieces begin at 0; none: -1 */
    }
    if (others == 0) return most;
    size_t n = 0;
    while (n < most && plain(world, s + n)) n++;
    return n;
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
        double on = l->rotation2[c] > LEAST_ROTATION2 ? 1.0 : 0.0; /* what does not turn keeps its bits */
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
static void wrap_block(const rps_world *world, rps_bodies *bodies, size_t s, int n, const block_extremes *e) {
    bool out = false;
    for (int k = 0; k < 3; k++) {
        const double period = world->options.period[k];
        out = out || (period > 0.0 && (e->low[k] < 0.0 || e->high[k] >= period));
    }
    for (int c = 0; c < n && out; c++) motion_wrap(world, bodies, s + (size_t)c);
}

/* Prefetches the fields of a body further ahead into the second-level cache. */
static inline __attribute__((always_inline)) void prefetch_body(const rps_bodies *bodies, size_t s) {
    s = s + BODIES_AHEAD < bodies->count ? s + BODIES_AHEAD : s;
    __builtin_prefetch(&bodies->motion[s], 0, 2);
    __builtin_prefetch(&bodies->pose[s], 0, 2);
    __builtin_prefetch(bodies->orientation[s], 0, 2);
    __builtin_prefetch(bodies->dissipated[s], 0, 2);
}

/* Fields of a block of plain bodies, from its first on. */
typedef struct block_bodies {
    rps_motion *motion;
    rps_pose *pose;
    const rps_load *load;
    double (*orientation)[4];
    const float (*prediction)[4]; /* NULL: all 0 */
    const double *gravity;        /* a record */
    double dt, kick;
} block_bodies;

/* Kicks and drifts bodies c .. c + n - 1 of a block and gathers their rotation into arrays. n is a constant where this is
 * inlined, so all RPS_WIDE bodies stay in registers. */
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
        const rps_half4 *prediction = (const rps_half4 *)(b->prediction != NULL ? b->prediction[c + k] : rest);
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
static void start_block(rps_world *world, size_t s, int n, const rps_load *load, double dt, double kick,
                        rps_extreme_motion *most) {
    rps_bodies *bodies = &world->bodies;
    const double *g = world->options.gravity, far = INFINITY;
    const double gravity[8] = GRAVITY_RECORD(g);
    const block_bodies b = {.motion = bodies->motion + s,
                            .pose = bodies->pose + s,
                            .load = load,
                            .orientation = bodies->orientation + s,
                            .prediction = world->prediction != NULL ? world->prediction + s : NULL,
                            .gravity = gravity,
                            .dt = dt,
                            .kick = kick};
    block_extremes e = {.low = {far, far, far, far}, .high = {-far, -far, -far, -far}};
    block_lanes l;
    const int padded = (n + 7) / 8 * 8;
    int c = 0;
    for (; c + RPS_WIDE <= n; c += RPS_WIDE) {
        for (int k = 0; k < RPS_WIDE && world->contacts.exceeds_l2; k++) prefetch_body(bodies, s + (size_t)(c + k));
        kick_and_drift(&b, c, RPS_WIDE, &l, &e);
    }
    for (int left = n - c; c < padded; c += RPS_WIDE, left = 0) kick_and_drift(&b, c, left, &l, &e);
    wrap_block(world, bodies, s, n, &e);
    turn_lanes(&l, padded, dt);
    for (c = 0; c + RPS_WIDE <= n; c += RPS_WIDE) store_rotation(&b, c, RPS_WIDE, &l, &e);
    if (c < n) store_rotation(&b, c, n - c, &l, &e);
    for (int k = 0; k < RPS_WIDE; k++) rps_motion_notice(most, e.speed2[k], e.deviation2[k], e.rotation2[k], e.low[3]);
}

void RPS_ISA_NAME(rps_motion_start_range)(rps_world *world, size_t first, size_t end, double time, double kick,
                                          rps_extreme_motion *most, rps_exact_sum account[4]) {
    (void)account;
    const double dt = world->step;
    for (size_t s = first; s < end;) {
        const size_t n = plain_run(world, s, end);
        if (n > 0) {
            start_block(world, s, (int)n, world->bodies.load + s, dt, kick, most);
            s += n;
        } else {
            start_body(world, s++, time, dt, kick, most);
        }
    }
}

static void finish_driven(rps_world *world, size_t s, double time, bool initial, rps_vec3 force, rps_vec3 torque) {
    rps_bodies *bodies = &world->bodies;
    rps_motion *m = &bodies->motion[s];
    rps_load *l = &bodies->load[s];
    if (!initial) { /* work of the drive: mean load over the step times displacement */
        const rps_vec3 v = rps_vec3_of(m->velocity), w = rps_vec3_of(m->angular_velocity);
        const double done = -0.5 * world->step *
                            (rps_vec3_dot(rps_vec3_add(rps_vec3_of(l->force), force), v) +
                             rps_vec3_dot(rps_vec3_add(rps_vec3_of(l->torque), torque), w));
        l->work[0] = rps_flush(l->work[0] + done);
    }
    const int which = bodies->drive[s][0];
    if (which >= 0) {
        rps_pose_at at;
        rps_drive_at(world, which, time, 0.0, &at);
        rps_vec3_put(m->velocity, at.velocity);
        rps_vec3_put(m->angular_velocity, at.angular_velocity);
    }
}

/* The second half kick of a body that is not plain. */
static void finish_free(rps_world *world, size_t s, const rps_load *now) {
    rps_bodies *bodies = &world->bodies;
    rps_motion *m = &bodies->motion[s];
    const double kick = 0.5 * world->step;
    rps_vec3 a = rps_vec3_add_scaled(rps_vec3_of(world->options.gravity), m->inverse_mass[0], rps_vec3_of(now->force));
    rps_vec3_put(m->velocity,
                 rps_vec3_flush(without_locked(world, s, rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick, a))));
    if (bodies->piece[s][0] < 0) {
        rps_vec3_put(m->angular_velocity, rps_vec3_flush(rps_vec3_add_scaled(
                                              rps_vec3_of(m->angular_velocity), kick,
                                              rps_vec3_scale(rps_vec3_of(now->torque), m->inverse_inertia[0]))));
    } else if (m->inverse_inertia[0] > 0.0) {
        kick_momentum(bodies, s, kick, rps_vec3_of(now->torque));
        rps_body_update_angular_velocity(bodies, s);
    }
}

/* Sum of load records: force and torque, each with a dissipated energy as fourth element. */
typedef struct load_sum {
    rps_simd part[RPS_PARTS];
} load_sum;

static const _Alignas(64) double no_load[8] = {0.0};

/* Keeps the lowest n of eight bytes. */
static inline uint64_t low_bytes(uint64_t bytes, size_t n) {
    static const uint64_t mask[9] = {0,
                                     UINT64_C(0xff),
                                     UINT64_C(0xffff),
                                     UINT64_C(0xffffff),
                                     UINT64_C(0xffffffff),
                                     UINT64_C(0xffffffffff),
                                     UINT64_C(0xffffffffffff),
                                     UINT64_C(0xffffffffffffff),
                                     UINT64_MAX};
    return bytes & mask[n < 8 ? n : 8];
}

/* Adds the active loads first .. end - 1. Number and activity cannot be predicted, so four records are added at a time
 * without branches, inactive ones as zeros. */
static inline __attribute__((always_inline)) void add_row(const rps_contacts *contacts, size_t first, size_t end,
                                                          load_sum *sum) {
    do {
        const rps_contact_load *line = contacts->load + first;
        uint64_t counts;
        memcpy(&counts, contacts->has_load + first, sizeof counts);
        counts = low_bytes(counts, end - first);
        for (int k = 0; k < 4; k++) {
            const double *from = counts >> 8 * k & 1 ? (const double *)(line + k) : no_load;
            __builtin_prefetch(line + k + LINES_AHEAD, 0, 2);
            for (int p = 0; p < RPS_PARTS; p++) sum->part[p] += ((const rps_simd *)from)[p];
        }
        first += 4;
    } while (first < end);
}

/* The same through references, whose loads may lie anywhere. */
static inline __attribute__((always_inline)) void add_references(const rps_contacts *contacts, size_t first, size_t end,
                                                                 load_sum *sum) {
    for (size_t r = first; r < end; r += 4) {
        for (size_t k = 0; k < 4; k++) {
            const uint32_t line = contacts->line[r + k < end ? r + k : r];
            const int counts = (r + k < end) & contacts->has_load[line];
            const double *from = counts ? (const double *)&contacts->load[line] : no_load;
            for (int p = 0; p < RPS_PARTS; p++) sum->part[p] += ((const rps_simd *)from)[p];
        }
    }
}

/* Loads of pairs that did not touch at the last rebuild lie body after body from contacts.apart on. */
static inline size_t apart_begin(const rps_contacts *contacts, size_t s) {
    return contacts->reference_begin[s] - contacts->row[s][0];
}

/* Bit k is set if body first + k, of at most a block, has such a pair that is active now. */
static uint64_t newly_touching(const rps_contacts *contacts, size_t first, size_t end) {
    const size_t to = apart_begin(contacts, end);
    const uint8_t *has_load = contacts->has_load + contacts->inactive_begin;
    uint64_t bodies = 0, eight;
    for (size_t k = apart_begin(contacts, first), s = first; k < to; k += sizeof eight) {
        memcpy(&eight, has_load + k, sizeof eight);
        for (eight = low_bytes(eight, to - k); eight != 0; eight &= eight - 1) {
            const size_t line = k + (size_t)__builtin_ctzll(eight) / 8;
            while (apart_begin(contacts, s + 1) <= line) s++;
            bodies |= UINT64_C(1) << (s - first);
            __builtin_prefetch(&contacts->line[contacts->reference_begin[s]], 0, 3);
            __builtin_prefetch(&contacts->load[contacts->inactive_begin + line], 0, 3);
        }
    }
    return bodies;
}

/* Sums all loads on a body in the order of their keys; as_j is the part in which the body is j. in_row: no contact has begun
 * since the last rebuild. */
static inline __attribute__((always_inline)) void add_loads(const rps_contacts *contacts, size_t s, const bool in_row,
                                                            load_sum *sum, load_sum *as_j) {
    for (int p = 0; p < RPS_PARTS; p++) sum->part[p] = RPS_ALL(0.0);
    if (in_row) {
        add_row(contacts, contacts->row[s][0], contacts->row[s][1], sum);
    } else {
        add_references(contacts, contacts->reference_begin[s], contacts->reference_own[s], sum);
    }
    *as_j = *sum;
    for (int p = 0; p < RPS_PARTS; p++) sum->part[p] = RPS_MASK_XYZ(sum->part[p]);
    if (in_row) {
        add_row(contacts, contacts->row[s][1], contacts->row[s + 1][0], sum);
    } else {
        add_references(contacts, contacts->reference_own[s], contacts->reference_begin[s + 1], sum);
    }
}

/* Adds the dissipated energies of the sum, then those of as_j. */
static inline void record_dissipation(rps_bodies *bodies, size_t s, const load_sum *sum, const load_sum *as_j) {
#if defined(__AVX512F__)
    const rps_simd4 accounts = __builtin_shufflevector(sum->part[0], as_j->part[0], 3, 7, 11, 15);
#else
    const rps_simd4 of_sum = __builtin_shufflevector(sum->part[0], sum->part[1], 3, 7, 3, 7),
                    of_j = __builtin_shufflevector(as_j->part[0], as_j->part[1], 3, 7, 3, 7),
                    accounts = __builtin_shufflevector(of_sum, of_j, 0, 1, 4, 5);
#endif
    *(rps_simd4 *)bodies->dissipated[s] += accounts;
}

/* Of a fixed body only its account is asked for, so that the ledger is complete. */
static void finish_boundary(rps_world *world, size_t s, double time, bool initial, rps_exact_sum account[4]) {
    if (!initial) rps_boundary_account(&world->contacts, s, account);
    if (world->bodies.kind[s][0] == RPS_BODY_FIXED) return;
    rps_vec3 force, torque;
    rps_boundary_load(&world->contacts, s, &force, &torque);
    finish_driven(world, s, time, initial, force, torque);
    rps_vec3_put(world->bodies.load[s].force, force);
    rps_vec3_put(world->bodies.load[s].torque, torque);
}

static void finish_body(rps_world *world, size_t s, double time, bool initial, rps_exact_sum account[4]) {
    rps_bodies *bodies = &world->bodies;
    if (bodies->kind[s][0] != RPS_BODY_FREE) {
        finish_boundary(world, s, time, initial, account);
        return;
    }
    load_sum sum, as_j;
    if (newly_touching(&world->contacts, s, s + 1)) {
        add_loads(&world->contacts, s, false, &sum, &as_j);
    } else {
        add_loads(&world->contacts, s, true, &sum, &as_j);
    }
    if (!initial) record_dissipation(bodies, s, &sum, &as_j);
    rps_load now;
    for (int p = 0; p < RPS_PARTS; p++) ((rps_simd *)&now)[p] = RPS_FLUSH(sum.part[p]);
    if (!initial && world->options.integrator == RPS_VERLET) finish_free(world, s, &now);
    rps_vec3_put(bodies->load[s].force, rps_vec3_of(now.force));
    rps_vec3_put(bodies->load[s].torque, rps_vec3_of(now.torque));
}

/* Sums loads of plain bodies into `loads` and applies the second kick. in_row, kicks, streams: constants where inlined. */
static inline __attribute__((always_inline)) void finish_plain(rps_world *world, size_t first, size_t end,
                                                               rps_load *loads, const bool in_row, const bool kicks,
                                                               const bool streams) {
    rps_bodies *bodies = &world->bodies;
    const double *g = world->options.gravity, kick = 0.5 * world->step;
    const double record[8] = GRAVITY_RECORD(g);
    const rps_simd *gravity = (const rps_simd *)record;
    for (size_t s = first; s < end; s++) {
        load_sum sum, as_j;
        add_loads(&world->contacts, s, in_row, &sum, &as_j);
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
static inline __attribute__((always_inline)) void finish_rows(rps_world *world, size_t first, size_t end,
                                                              rps_load *loads, const bool kicks, const bool streams) {
    uint64_t scattered = newly_touching(&world->contacts, first, end);
    for (size_t s = first; s < end;) {
        const size_t next = scattered != 0 ? first + (size_t)__builtin_ctzll(scattered) : end;
        finish_plain(world, s, next, loads + (s - first), true, kicks, streams);
        if (next < end) finish_plain(world, next, next + 1, loads + (next - first), false, kicks, false);
        s = next + 1;
        scattered &= scattered - 1;
    }
}

static void finish_block(rps_world *world, size_t first, size_t end, rps_load *loads, bool streams) {
    if (world->options.integrator != RPS_VERLET) {
        finish_rows(world, first, end, loads, false, false);
    } else if (streams) {
        finish_rows(world, first, end, loads, true, true);
    } else {
        finish_rows(world, first, end, loads, true, false);
    }
}

void RPS_ISA_NAME(rps_motion_finish_range)(rps_world *world, size_t first, size_t end, double time, bool initial,
                                           rps_exact_sum account[4]) {
    for (size_t s = first; s < end;) {
        const size_t n = initial ? 0 : plain_run(world, s, end);
        if (n > 0) {
            finish_block(world, s, s + n, world->bodies.load + s, world->contacts.streams);
            s += n;
        } else {
            finish_body(world, s++, time, initial, account);
        }
    }
    RPS_STREAM_END();
}

/* Fused second half and next first half. Loads of plain bodies stay in the first-level cache: nothing reads them before the
 * next evaluation. */
void RPS_ISA_NAME(rps_motion_kick_drift_range)(rps_world *world, size_t first, size_t end, double time, double kick,
                                               rps_extreme_motion *most, rps_exact_sum account[4]) {
    const double dt = world->step;
    rps_load load[BLOCK];
    for (size_t s = first; s < end;) {
        const size_t n = plain_run(world, s, end);
        if (n > 0) {
            finish_block(world, s, s + n, load, false);
            start_block(world, s, (int)n, load, dt, kick, most);
            s += n;
        } else {
            finish_body(world, s, time, false, account);
            start_body(world, s++, time, dt, kick, most);
        }
    }
}
