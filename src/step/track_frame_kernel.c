/*
 * Tracking in the frame layout: bodies of any shape.
 *
 * The contact points, n and u in the axes of both bodies are stored; tangent vectors are components along u and w = n
 * x u, so memories need no rotation. Fang & Negrut 2020, section 2; docs/symbols.md explains the choices frame, path
 * and history. track_compact_kernel.c is the same for spheres, in closed form and vectorised.
 */
#include <math.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "base/vec.h"
#include "detect/touch.h"
#include "base/simd.h"
#include "step/batch.h"

static inline rps_vec3 lane_vec(rps_lane *lane, int c) {
    return (rps_vec3){lane[0][c], lane[1][c], lane[2][c]};
}

static inline void lane_set(rps_lane *lane, int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

static inline rps_vec3 state_vec(const rps_batch_task *task, int lane, int c) {
    return rps_slice_vector(task->state, lane, (size_t)c);
}

static inline void state_set(const rps_batch_task *task, int lane, int c, rps_vec3 v) {
    rps_slice_set_vector(task->state, lane, (size_t)c, rps_vec3_flush(v));
}

static rps_quat track_frame_orientation_of(const rps_batch_task *task, uint32_t slot) {
    const double *q = task->all->bodies.orientation[slot];
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* Minimal rotation of u0 with n0 -> n1 (optimum of the paper's Appendix B in closed form; singular only for n1 =
 * -n0). */
static rps_vec3 transport(rps_vec3 n0, rps_vec3 u0, rps_vec3 n1) {
    rps_vec3 w0 = rps_vec3_cross(n0, u0);
    rps_vec3 u = rps_vec3_sub(rps_vec3_reject(u0, n1), rps_vec3_cross(n1, w0));
    return rps_vec3_normalize(rps_vec3_scale(u, 1.0 / (1.0 + rps_vec3_dot(n0, n1))));
}

/* Tangent vector of m - n1 with the length of the angle between them. */
static rps_vec3 roll_vector(rps_vec3 m, rps_vec3 n1) {
    rps_vec3 d = rps_vec3_sub(m, n1);
    double h = 0.25 * rps_vec3_norm2(d);
    double l = h <= RPS_THETA_OVER_SIN_H_MAX ? rps_theta_over_sin(h) : rps_theta_over_sin_full(h);
    return rps_vec3_scale(rps_vec3_add_scaled(d, 2.0 * h, n1), l);
}

/* Chord in radii above which the contact has jumped to another point of a patch rather than rolled; the displacement
 * is then the same on both bodies. */
static const double JUMP = 0.5;

/* Path of the contact point on one body (m), from the difference in body axes. Its length is the arc on a sphere
 * (radius > 0), the chord on a plane, and on other surfaces the chord or, with `curve`, the arc of the osculating
 * circle. */
static rps_vec3 path(rps_quat q, rps_vec3 branch, rps_vec3 c, rps_vec3 n1, double radius, const rps_sym3 *curve) {
    rps_vec3 d = rps_quat_rotate(q, rps_vec3_sub(rps_quat_rotate_inverse(q, branch), c));
    rps_vec3 t = rps_vec3_reject(d, n1);
    double tangential = rps_vec3_norm(t);
    if (!(tangential > 0.0)) {
        return rps_vec3_zero();
    }
    double chord = rps_vec3_norm(d), length = tangential;
    if (radius > 0.0) {
        length = 2.0 * radius * rps_asin(chord / (2.0 * radius) < 1.0 ? chord / (2.0 * radius) : 1.0);
    } else if (curve) {
        double curvature = rps_sym3_between(curve, t, t) / (tangential * tangential);
        double x = 0.5 * curvature * chord;
        length = x > 0.0 && x < JUMP ? 2.0 / curvature * rps_asin(x) : chord;
    }
    return rps_vec3_scale(t, length / tangential);
}

static rps_vec3 rotated(rps_vec3 v, rps_vec3 n, double cosine, double sine) {
    return rps_vec3_add_scaled(rps_vec3_scale(v, cosine), sine, rps_vec3_cross(n, v));
}

/* Components along u and w = n x u; the third is 0. */
static rps_vec3 components(rps_vec3 v, rps_vec3 u, rps_vec3 w) {
    return (rps_vec3){rps_vec3_dot(v, u), rps_vec3_dot(v, w), 0.0};
}

static rps_sym3 lane_sym3(rps_lane *lane, int c) {
    rps_sym3 t;
    for (int k = 0; k < 6; k++) t.s[k] = lane[k][c];
    return t;
}

/* Inverse of Wm = (W_i + W_j)/2 in the tangent frame (uu, uw, ww), m; principal curvatures are at least `least`. */
static void inverse_of_mean(const rps_sym3 *curve_i, const rps_sym3 *curve_j, rps_vec3 u, rps_vec3 w, double least,
                            double out[3]) {
    double a = 0.5 * (rps_sym3_between(curve_i, u, u) + rps_sym3_between(curve_j, u, u));
    double b = 0.5 * (rps_sym3_between(curve_i, u, w) + rps_sym3_between(curve_j, u, w));
    double d = 0.5 * (rps_sym3_between(curve_i, w, w) + rps_sym3_between(curve_j, w, w));
    double mean = 0.5 * (a + d), half = 0.5 * (a - d), radius = sqrt(half * half + b * b);
    double large = mean + radius, small = mean - radius;
    /* inverse = (1/large) P + (1/small) (1 - P), where P = (1 + [half, b]/radius)/2 projects on the direction of
     * `large` */
    double inverse_large = 1.0 / (large > least ? large : least), inverse_small = 1.0 / (small > least ? small : least);
    double centre = 0.5 * (inverse_large + inverse_small);
    double swing = radius > 0.0 ? 0.5 * (inverse_large - inverse_small) / radius : 0.0;
    out[0] = centre + swing * half;
    out[1] = swing * b;
    out[2] = centre - swing * half;
}

/* Curvature of one body along a direction (1/m); 0 if the direction is zero. */
static double curvature_along(const rps_sym3 *curve, rps_vec3 t) {
    double length2 = rps_vec3_norm2(t);
    return length2 > 0.0 ? rps_sym3_between(curve, t, t) / length2 : 0.0;
}

/* One contact as tracking sees it. */
typedef struct contact {
    rps_quat q_i, q_j;
    rps_vec3 n, branch_i, branch_j; /* normal now; from the centres to the surface points C_i and C_j */
    bool general;                   /* neither spheres nor planes: the shape operators below are set */
    rps_sym3 curve_i, curve_j;
} contact;

static contact contact_of(const rps_batch_task *task, rps_lanes *l, int c) {
    contact at = {.q_i = track_frame_orientation_of(task, task->slot_i[c]),
                  .q_j = track_frame_orientation_of(task, task->slot_j[c]),
                  .n = lane_vec(l->normal, c),
                  .branch_i = lane_vec(l->branch_i, c),
                  .branch_j = lane_vec(l->branch_j, c),
                  .general = l->general[c] > 0.5};
    if (at.general) {
        at.curve_i = lane_sym3(l->curve_i, c);
        at.curve_j = lane_sym3(l->curve_j, c);
    }
    return at;
}

/* Increments of one step before they are written as components in the common frame. */
typedef struct increments {
    rps_vec3 path_i, path_j, roll_i, roll_j;
    rps_vec3 u_i, u_j;   /* tangent vectors carried by i and by j */
    double cosine, sine; /* of the spin angle psi between them */
} increments;

static increments find_increments(const rps_batch_task *task, rps_lanes *l, const contact *at, int c) {
    const rps_form *form = &task->pair->effective.form;
    const int first = rps_batch_layout(task)->track;
    const rps_vec3 n_i = rps_quat_rotate(at->q_i, state_vec(task, first + RPS_FRAME_NI, c));
    const rps_vec3 n_j = rps_quat_rotate(at->q_j, state_vec(task, first + RPS_FRAME_NJ, c));
    increments d;
    d.u_i = transport(n_i, rps_quat_rotate(at->q_i, state_vec(task, first + RPS_FRAME_UI, c)), at->n);
    d.u_j = transport(n_j, rps_quat_rotate(at->q_j, state_vec(task, first + RPS_FRAME_UJ, c)), at->n);
    d.cosine = rps_vec3_dot(d.u_j, d.u_i);
    d.sine = rps_vec3_dot(rps_vec3_cross(d.u_j, d.u_i), at->n);
    d.roll_i = roll_vector(n_i, at->n);
    d.roll_j = rps_vec3_neg(roll_vector(n_j, at->n));
    const bool arc = at->general && form->arc == RPS_ARC_EXACT;
    d.path_i = path(at->q_i, at->branch_i, state_vec(task, first + RPS_FRAME_CI, c), at->n,
                    at->general ? 0.0 : l->radius_i[c], arc ? &at->curve_i : NULL);
    d.path_j = path(at->q_j, at->branch_j, state_vec(task, first + RPS_FRAME_CJ, c), at->n,
                    at->general ? 0.0 : l->radius_j[c], arc ? &at->curve_j : NULL);
    if (at->general && form->history == RPS_HISTORY_PER_BODY) { /* the paper's dTheta_b = kappa_b p_b */
        d.roll_i = rps_vec3_scale(d.path_i, curvature_along(&at->curve_i, d.path_i));
        d.roll_j = rps_vec3_scale(d.path_j, curvature_along(&at->curve_j, d.path_j));
    }
    if (form->path == RPS_PATH_COMMON) { /* from the surface to where the force acts */
        d.path_i = rps_vec3_add_scaled(d.path_i, -0.5 * l->overlap_mean[c], d.roll_i);
        d.path_j = rps_vec3_add_scaled(d.path_j, -0.5 * l->overlap_mean[c], d.roll_j);
    }
    return d;
}

/* Writes slip, roll and spin as components in the common frame; returns its u. */
static rps_vec3 store_increments(const rps_batch_task *task, rps_lanes *l, const contact *at, const increments *d,
                                 int c) {
    rps_vec3 u, p_i, p_j, roll_i, roll_j;
    if (task->pair->effective.form.frame == RPS_FRAME_LOWER) {
        u = d->u_i;
        const rps_vec3 w = rps_vec3_cross(at->n, u), w_j = rps_vec3_cross(at->n, d->u_j);
        p_i = components(d->path_i, u, w);
        roll_i = components(d->roll_i, u, w);
        p_j = components(d->path_j, d->u_j, w_j);
        roll_j = components(d->roll_j, d->u_j, w_j);
    } else { /* midway: vectors of i are rotated by -psi/4, those of j by psi/4 */
        u = rps_vec3_normalize(rps_vec3_add(d->u_i, d->u_j));
        const rps_vec3 w = rps_vec3_cross(at->n, u);
        const double half = sqrt(0.5 * (1.0 + d->cosine)); /* cos(psi/2) */
        const double q = sqrt(0.5 * (1.0 + half));         /* cos(psi/4) */
        const double s = d->sine * (0.5 / half) * (0.5 / q);
        p_i = components(rotated(d->path_i, at->n, q, -s), u, w);
        roll_i = components(rotated(d->roll_i, at->n, q, -s), u, w);
        p_j = components(rotated(d->path_j, at->n, q, s), u, w);
        roll_j = components(rotated(d->roll_j, at->n, q, s), u, w);
    }
    const double t = d->sine / (1.0 + d->cosine); /* tan(psi/2) */
    const double psi = fabs(t) <= RPS_ANGLE_TAN_HALF_MAX ? rps_angle_from_tan_half(t) : rps_angle_from_tan_half_full(t);
    l->spin[c] = rps_flush(psi);
    lane_set(l->slip, c, rps_vec3_flush(rps_vec3_sub(p_i, p_j)));
    lane_set(l->roll_i, c, rps_vec3_flush(roll_i));
    lane_set(l->roll_j, c, rps_vec3_flush(roll_j));
    return u;
}

static void clear_increments(rps_lanes *l, int c) {
    for (int k = 0; k < 3; k++) {
        l->slip[k][c] = l->roll_i[k][c] = l->roll_j[k][c] = l->u[k][c] = l->w[k][c] = 0.0;
        l->rolling_radius_mean[k][c] = l->rolling_radius[k][c];
    }
    l->spin[c] = 0.0;
    l->twist_radius_mean[c] = l->twist_radius[c];
}

/* Effective rolling and twisting radii: now, and their means over the step. */
static void find_radii(const rps_batch_task *task, rps_lanes *l, const contact *at, rps_vec3 u, rps_vec3 w, int c) {
    const int first = rps_batch_layout(task)->track + RPS_FRAME_ROLLING_RADIUS;
    const double old_twist = rps_batch_lane(task, first + RPS_FRAME_TWIST_RADIUS - RPS_FRAME_ROLLING_RADIUS)[c];
    if (at->general) {
        double inverse[3];
        inverse_of_mean(&at->curve_i, &at->curve_j, u, w, l->curve_floor[c], inverse);
        for (int k = 0; k < 3; k++) l->rolling_radius[k][c] = rps_flush(inverse[k]);
    }
    const bool existed = l->was_contact[c] > 0.5;
    for (int k = 0; k < 3; k++) {
        const double mean = 0.5 * (rps_batch_lane(task, first + k)[c] + l->rolling_radius[k][c]);
        l->rolling_radius_mean[k][c] = existed ? mean : l->rolling_radius[k][c];
    }
    l->twist_radius_mean[c] = existed ? 0.5 * (old_twist + l->twist_radius[c]) : l->twist_radius[c];
}

/* Stores points, normals and tangent vectors in body axes, and the radii; zeros for a contact that has ended. */
static void store_frame(const rps_batch_task *task, rps_lanes *l, const contact *at, rps_vec3 u, int c) {
    const int first = rps_batch_layout(task)->track;
    const double keep = l->touch[c];
    state_set(task, first + RPS_FRAME_CI, c, rps_vec3_scale(rps_quat_rotate_inverse(at->q_i, at->branch_i), keep));
    state_set(task, first + RPS_FRAME_CJ, c, rps_vec3_scale(rps_quat_rotate_inverse(at->q_j, at->branch_j), keep));
    state_set(task, first + RPS_FRAME_NI, c, rps_vec3_scale(rps_quat_rotate_inverse(at->q_i, at->n), keep));
    state_set(task, first + RPS_FRAME_UI, c, rps_vec3_scale(rps_quat_rotate_inverse(at->q_i, u), keep));
    state_set(task, first + RPS_FRAME_NJ, c, rps_vec3_scale(rps_quat_rotate_inverse(at->q_j, at->n), keep));
    state_set(task, first + RPS_FRAME_UJ, c, rps_vec3_scale(rps_quat_rotate_inverse(at->q_j, u), keep));
    state_set(task, first + RPS_FRAME_ROLLING_RADIUS, c, rps_vec3_scale(lane_vec(l->rolling_radius, c), keep));
    rps_batch_lane(task, first + RPS_FRAME_TWIST_RADIUS)[c] = keep * l->twist_radius[c];
}

void RPS_ISA_NAME(rps_track_frame)(const rps_batch_task *task, rps_lanes *l) {
    for (int c = 0; c < task->padded; c++) {
        clear_increments(l, c);
        if (c >= task->n || !(l->was_contact[c] > 0.5 || l->touch[c] > 0.5)) continue;
        const contact at = contact_of(task, l, c);
        rps_vec3 u;
        if (l->was_contact[c] > 0.5) {
            const increments d = find_increments(task, l, &at, c);
            u = store_increments(task, l, &at, &d, c);
        } else {
            u = rps_vec3_any_across(at.n);
        }
        u = rps_vec3_normalize(rps_vec3_reject(u, at.n));
        const rps_vec3 w = rps_vec3_cross(at.n, u);
        lane_set(l->u, c, u);
        lane_set(l->w, c, w);
        find_radii(task, l, &at, u, w, c);
        if (!task->all->energy_only) store_frame(task, l, &at, u, c);
    }
}
