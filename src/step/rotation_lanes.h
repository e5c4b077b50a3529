/*
 * Free rigid rotation of RPS_WIDE bodies at a time: the operations of free_rotation.c and rotation.c in the same order,
 * so the same bits.
 *
 * There, a turn about a body axis acts on the two components across it. Here the components are sorted by the moments
 * of inertia of their axes, so that all bodies turn about the same ones. Where the sorted axes are left-handed, the
 * turns change sign. A turn by angle 0 changes nothing, so bodies with equal moments need no branch.
 */
#ifndef RPS_STEP_ROTATION_LANES_H
#define RPS_STEP_ROTATION_LANES_H

#include "base/elementary.h"
#include "base/elementary_simd.h"
#include "base/flush.h"
#include "base/simd.h"

/* rps_free_rotation, with axes as masks: axis k is that of the smallest moment where low[k] holds, and so on. */
typedef struct free_rotation_lanes {
    rps_mask low[3], high[3];
    rps_simd inverse_mid, delta_high, delta_low;
} free_rotation_lanes;

/* Components along the axes of the smallest, the middle and the largest moment. */
typedef struct sorted_lanes {
    rps_simd low, mid, high;
} sorted_lanes;

/* 1/x decreases with x, so the inverse moments are in reverse order; where two are equal, either axis serves. */
static inline __attribute__((always_inline)) free_rotation_lanes free_rotation_of(const rps_simd inertia[3]) {
    const rps_simd a = 1.0 / inertia[0], b = 1.0 / inertia[1], c = 1.0 / inertia[2];
    const rps_mask ab = (rps_mask)(a >= b), ac = (rps_mask)(a >= c), bc = (rps_mask)(b >= c);
    free_rotation_lanes f = {.low = {ab & ac, ~ab & bc, ~ac & ~bc}, .high = {~ab & ~ac, ab & ~bc, ac & bc}};
    const rps_simd largest = RPS_SELECT(f.low[0], a, RPS_SELECT(f.low[1], b, c));
    const rps_simd least = RPS_SELECT(f.high[0], a, RPS_SELECT(f.high[1], b, c));
    f.inverse_mid = RPS_SELECT(f.low[0] | f.high[0], RPS_SELECT(f.low[1] | f.high[1], c, b), a);
    f.delta_high = largest - f.inverse_mid;
    f.delta_low = least - f.inverse_mid;
    return f;
}

static inline __attribute__((always_inline)) sorted_lanes sort_lanes(const free_rotation_lanes *f,
                                                                     const rps_simd v[3]) {
    return (sorted_lanes){
        .low = RPS_SELECT(f->low[0], v[0], RPS_SELECT(f->low[1], v[1], v[2])),
        .mid = RPS_SELECT(f->low[0] | f->high[0], RPS_SELECT(f->low[1] | f->high[1], v[2], v[1]), v[0]),
        .high = RPS_SELECT(f->high[0], v[0], RPS_SELECT(f->high[1], v[1], v[2])),
    };
}

static inline __attribute__((always_inline)) void unsort_lanes(const free_rotation_lanes *f, const sorted_lanes *s,
                                                               rps_simd out[3]) {
    for (int k = 0; k < 3; k++) out[k] = RPS_SELECT(f->low[k], s->low, RPS_SELECT(f->high[k], s->high, s->mid));
}

/* rps_quat_rotate, by w and the vector part u */
static inline __attribute__((always_inline)) void rotate_lanes(rps_simd w, const rps_simd u[3], const rps_simd v[3],
                                                               rps_simd out[3]) {
    rps_simd across[3], t[3], last[3];
    RPS_CROSS(across, u, v);
    for (int k = 0; k < 3; k++) t[k] = 2.0 * across[k];
    RPS_CROSS(last, u, t);
    for (int k = 0; k < 3; k++) out[k] = (v[k] + w * t[k]) + last[k];
}

/* rps_quat_rotate_inverse */
static inline __attribute__((always_inline)) void rotate_lanes_back(const rps_simd q[4], const rps_simd v[3],
                                                                    rps_simd out[3]) {
    const rps_simd u[3] = {-q[1], -q[2], -q[3]};
    rotate_lanes(q[0], u, v, out);
}

static inline __attribute__((always_inline)) rps_simd tan_half_lanes(rps_simd angle) {
    const rps_simd x = 0.5 * angle;
    return x * rps_tan_over_x_simd(x * x);
}

/* State of the rotation of RPS_WIDE bodies, and what follows from a step. */
typedef struct rotation_lanes {
    rps_simd orientation[4], momentum[3], velocity[3]; /* velocity: angular */
    rps_simd rodrigues[4];                             /* g and its scale, as in rps_pose */
    rps_simd swing;                                    /* twice the sine of half the total angle */
} rotation_lanes;

/* The turns about the body's axes that bring its energy from that of a ball to its own: low/2 high low/2. m: L along the body's
 * axes. q is not normalised. */
static inline __attribute__((always_inline)) void turn_about_axes(const free_rotation_lanes *f, double dt,
                                                                  const rps_simd m[3], rps_simd q[4]) {
    const rps_mask odd = (f->low[0] & f->high[1]) | (f->low[1] & f->high[2]) | (f->low[2] & f->high[0]);
    const rps_simd hand = RPS_SELECT(odd, RPS_ALL(-1.0), RPS_ALL(1.0));
    sorted_lanes l = sort_lanes(f, m), u = sort_lanes(f, q + 1);
    rps_simd w = q[0];
    const rps_simd low_rate = (0.5 * dt) * f->delta_high, high_rate = dt * f->delta_low;
    for (int turn = 0; turn < 3; turn++) {
        const rps_simd t = tan_half_lanes(turn == 1 ? high_rate * l.high : low_rate * l.low), by = hand * t;
        const rps_simd scale = 1.0 / (1.0 + t * t);
        const rps_simd cosine = (1.0 - t * t) * scale, sine = hand * (2.0 * t * scale);
        const rps_simd scalar = w;
        if (turn == 1) {
            w = scalar - u.high * t;
            u = (sorted_lanes){.low = u.low + u.mid * by, .mid = u.mid - u.low * by, .high = u.high + scalar * t};
            l = (sorted_lanes){.low = cosine * l.low + sine * l.mid, .mid = cosine * l.mid - sine * l.low, l.high};
        } else {
            w = scalar - u.low * t;
            u = (sorted_lanes){.low = u.low + scalar * t, .mid = u.mid + u.high * by, .high = u.high - u.mid * by};
            l = (sorted_lanes){l.low, .mid = cosine * l.mid + sine * l.high, .high = cosine * l.high - sine * l.mid};
        }
    }
    q[0] = w;
    unsort_lanes(f, &u, q + 1);
}

/* out = the rotation (1, g) after q, normalised and flushed. */
static inline __attribute__((always_inline)) void turn_and_normalize(const rps_simd g[3], const rps_simd q[4],
                                                                     rps_simd out[4]) {
    static const double unit[4] = {1.0, 0.0, 0.0, 0.0};
    out[0] = ((q[0] - g[0] * q[1]) - g[1] * q[2]) - g[2] * q[3];
    out[1] = ((q[1] + g[0] * q[0]) + g[1] * q[3]) - g[2] * q[2];
    out[2] = ((q[2] - g[0] * q[3]) + g[1] * q[0]) + g[2] * q[1];
    out[3] = ((q[3] + g[0] * q[2]) - g[1] * q[1]) + g[2] * q[0];
    const rps_simd length = RPS_SQRT(((out[0] * out[0] + out[1] * out[1]) + out[2] * out[2]) + out[3] * out[3]);
    for (int k = 0; k < 4; k++) {
        const rps_simd normal = RPS_SELECT(length > 0.0, out[k] / length, RPS_ALL(unit[k]));
        out[k] = RPS_FLUSH(normal);
    }
}

/* rodrigues and swing from the orientations before and after. */
static inline __attribute__((always_inline)) void measure_turn(const rps_simd before[4], rotation_lanes *r) {
    const rps_simd *q = r->orientation, bx = -before[1], by = -before[2], bz = -before[3];
    const rps_simd w = ((q[0] * before[0] - q[1] * bx) - q[2] * by) - q[3] * bz;
    const rps_simd turned[3] = {((q[0] * bx + q[1] * before[0]) + q[2] * bz) - q[3] * by,
                                ((q[0] * by - q[1] * bz) + q[2] * before[0]) + q[3] * bx,
                                ((q[0] * bz + q[1] * by) - q[2] * bx) + q[3] * before[0]};
    const rps_simd inverse = 1.0 / w;
    rps_simd *g = r->rodrigues;
    for (int k = 0; k < 3; k++) g[k] = inverse * turned[k];
    g[3] = 2.0 / (1.0 + ((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]));
    r->swing = 2.0 * RPS_SQRT((turned[0] * turned[0] + turned[1] * turned[1]) + turned[2] * turned[2]);
}

/* rps_body_update_angular_velocity */
static inline __attribute__((always_inline)) void update_velocity_lanes(const free_rotation_lanes *f,
                                                                        rotation_lanes *r) {
    const rps_simd zero = RPS_ALL(0.0), *l = r->momentum;
    rps_simd m[3], rest[3], w[3];
    rotate_lanes_back(r->orientation, l, m);
    for (int k = 0; k < 3; k++) {
        rest[k] = RPS_SELECT(f->low[k], f->delta_high * m[k], RPS_SELECT(f->high[k], f->delta_low * m[k], zero));
    }
    rotate_lanes(r->orientation[0], r->orientation + 1, rest, w);
    for (int k = 0; k < 3; k++) r->velocity[k] = RPS_FLUSH(w[k] + f->inverse_mid * l[k]);
}

/* rps_free_rotation_advance. A body without angular momentum keeps its orientation. */
static inline __attribute__((always_inline)) void advance_rotation(const free_rotation_lanes *f, double dt,
                                                                   rotation_lanes *r) {
    const rps_simd *l = r->momentum;
    const rps_simd size = RPS_SQRT((l[0] * l[0] + l[1] * l[1]) + l[2] * l[2]);
    const rps_mask still = (rps_mask)(size == 0.0);
    rps_simd before[4], q[4], m[3], g[3];
    for (int k = 0; k < 4; k++) before[k] = q[k] = r->orientation[k];
    rotate_lanes_back(before, l, m);
    turn_about_axes(f, dt, m, q);
    const rps_simd ratio = tan_half_lanes(dt * f->inverse_mid * size) / size;
    for (int k = 0; k < 3; k++) g[k] = ratio * l[k];
    turn_and_normalize(g, q, r->orientation);
    measure_turn(before, r);
    const rps_simd zero = RPS_ALL(0.0);
    for (int k = 0; k < 4; k++) {
        r->orientation[k] = RPS_SELECT(still, before[k], r->orientation[k]);
        r->rodrigues[k] = RPS_SELECT(still, k < 3 ? zero : RPS_ALL(2.0), r->rodrigues[k]);
    }
    r->swing = RPS_SELECT(still, zero, r->swing);
}

#endif
