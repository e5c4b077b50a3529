/*
 * Tracking in the compact layout: how far the contact point moved on the surfaces of spheres (and of planes that do
 * not turn) since the last evaluation, and how the bodies rolled and spun against each other. Laws see these
 * increments only.
 *
 * The stored state is the normal n, the slide and roll memories as world vectors, and the spin memory as a scalar. The
 * rotation of a body in this step is its Rodrigues vector g = tan(|w| dt/2) w/|w| with k = 2/(1 + g.g), so that
 * R v = v + k (g x v + g x (g x v)). With a = n0 + n1, D = 1 + n0.n1, X = n0 x n1, u_b = g_b.a, v_b = D + g_b.X:
 *
 *   tan(phi_b/2) = u_b/v_b             twist of b's carried frame against the minimal rotation n0 -> n1
 *   psi = phi_i - phi_j                spin
 *   d_b = R_b n0 - n1, e_b             its tangent part with the length of the angle: roll_i = e_i, roll_j = -e_j
 *   p_b                                path on the surface of b: branch length x roll on a sphere, displacement on a plane
 *   memories v <- rotation about n by the twist of the common frame, of v - a (n1.v)/D
 *
 * Each stage is a loop over the batch. The choices of the pair (frame: mid or lower; plane or not; rolling) are
 * constants of small stages, not of the whole. Loops are short, because a processor overlaps chains of dependent
 * operations only as far as it looks ahead. Fang & Negrut 2020, section 2; docs/symbols.md explains the choices.
 */
#include <math.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "base/vec.h"
#include "base/simd.h"
#include "step/batch.h"
#include <repose/law_kernel.h>

#define STAGE static inline __attribute__((always_inline)) void

/* Arrays of rps_lanes.work by content. */
enum {
    TAN_HALF,    /* tan(psi/2) */
    TAN_HALF_OF, /* its magnitude, which the repair checks */
    FRAME_COS,   /* rotation of the paths into the common frame: by psi/4 (mid) or psi (lower) */
    FRAME_SIN,
    ROLL_I, /* three each: roll vectors e_i, e_j */
    ROLL_J = ROLL_I + 3,
    CHORD_I = ROLL_J + 3, /* squared half chord of e_i, e_j */
    CHORD_J
};

/* --- rotations --------------------------------------------------------------------------------------------------------- */

/* Rotation of both bodies against the minimal rotation of the normal. carry_cos, carry_sin: twist of the common
 * frame, not yet normalised. lower: a constant where this is inlined. */
STAGE find_twist(const rps_batch_task *task, rps_lanes *l, const bool lower) {
    RPS_IN_VECTOR(n0, l->normal_old);
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_VECTOR(g_i, l->g_i);
    RPS_IN_VECTOR(g_j, l->g_j);
    RPS_AS(t, l->work[TAN_HALF]);
    RPS_AS(carry_cos, l->carry_cos);
    RPS_AS(carry_sin, l->carry_sin);
    RPS_AS(carry_scale, l->carry_scale);
    RPS_VECTOR(back, l->carry_back);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        double ax = n0_x[c] + n_x[c], ay = n0_y[c] + n_y[c], az = n0_z[c] + n_z[c];
        double d = 1.0 + (n0_x[c] * n_x[c] + n0_y[c] * n_y[c] + n0_z[c] * n_z[c]);
        double xx = n0_y[c] * n_z[c] - n0_z[c] * n_y[c];
        double xy = n0_z[c] * n_x[c] - n0_x[c] * n_z[c];
        double xz = n0_x[c] * n_y[c] - n0_y[c] * n_x[c];
        double u_i = g_i_x[c] * ax + g_i_y[c] * ay + g_i_z[c] * az;
        double u_j = g_j_x[c] * ax + g_j_y[c] * ay + g_j_z[c] * az;
        double v_i = d + (g_i_x[c] * xx + g_i_y[c] * xy + g_i_z[c] * xz);
        double v_j = d + (g_j_x[c] * xx + g_j_y[c] * xy + g_j_z[c] * xz);
        t[c] = (u_i * v_j - u_j * v_i) / (v_i * v_j + u_i * u_j);
        carry_scale[c] = 1.0 / d;
        /* mid: the mean of both twists; lower: the twist of i */
        double q = lower ? v_i * v_i - u_i * u_i : v_i * v_j - u_i * u_j;
        double s = lower ? 2.0 * u_i * v_i : u_i * v_j + u_j * v_i;
        carry_cos[c] = q;
        carry_sin[c] = s;
        back_x[c] = q * ax - s * xx;
        back_y[c] = q * ay - s * xy;
        back_z[c] = q * az - s * xz;
    }
}

/* Spin angle, the normalised twist, and the rotation of the paths into the common frame: p_i by -psi/4 and p_j by psi/4
 * (mid), or p_j by psi (lower). lower, spins: constants where this is inlined. */
STAGE find_spin(const rps_batch_task *task, rps_lanes *l, const bool lower, const bool spins) {
    RPS_IN_AS(was_contact, l->was_contact);
    RPS_IN_AS(t, l->work[TAN_HALF]);
    RPS_AS(size, l->work[TAN_HALF_OF]);
    RPS_AS(frame_cos, l->work[FRAME_COS]);
    RPS_AS(frame_sin, l->work[FRAME_SIN]);
    RPS_AS(psi, l->spin);
    RPS_AS(carry_cos, l->carry_cos);
    RPS_AS(carry_sin, l->carry_sin);
    RPS_AS(carry_scale, l->carry_scale);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        double inverse = 1.0 / sqrt(carry_cos[c] * carry_cos[c] + carry_sin[c] * carry_sin[c]);
        carry_cos[c] *= inverse;
        carry_sin[c] *= inverse;
        carry_scale[c] *= inverse;
        if (spins) psi[c] = was_contact[c] > 0.5 ? RPS_FLUSH(rps_angle_from_tan_half(t[c])) : 0.0;
        double sine, cosine;
        rps_sincos_half_atan(t[c], &sine, &cosine);
        double tan2 = t[c] * t[c];
        size[c] = fabs(t[c]);
        frame_cos[c] = lower ? (1.0 - tan2) / (1.0 + tan2) : cosine;
        frame_sin[c] = lower ? 2.0 * t[c] / (1.0 + tan2) : sine;
    }
}

/* Angles leave the range of the series only where a body turns by more than about 0.1 rad in a step. Each contact is
 * judged by its own angle, so bits do not depend on its neighbors in the batch. */
static void repair_spin(const rps_batch_task *task, rps_lanes *l, bool lower) {
    const double *t = l->work[TAN_HALF], *size = l->work[TAN_HALF_OF];
    if (!rps_lane_above(size, RPS_ANGLE_TAN_HALF_MAX, task->padded)) return;
    for (int c = 0; c < task->padded; c++) {
        if (size[c] <= RPS_ANGLE_TAN_HALF_MAX) continue;
        l->spin[c] = l->was_contact[c] > 0.5 ? rps_angle_from_tan_half_full(t[c]) : 0.0;
        if (!lower) rps_sincos_half_atan_full(t[c], &l->work[FRAME_SIN][c], &l->work[FRAME_COS][c]);
    }
}

/* Roll vector e_b of one body: d_b = R_b n0 - n1, its tangent part d_b + 2 h n1 with h = |d_b|^2/4, scaled to the
 * length of the angle. */
static void find_roll(const rps_batch_task *task, rps_lanes *l, rps_lane *rodrigues, const double *scale,
                      double *half_chord2, rps_lane *roll) {
    RPS_IN_VECTOR(n0, l->normal_old);
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_VECTOR(g, rodrigues);
    RPS_IN_AS(k, scale);
    RPS_VECTOR(e, roll);
    RPS_AS(h, half_chord2);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        double cx = g_y[c] * n0_z[c] - g_z[c] * n0_y[c];
        double cy = g_z[c] * n0_x[c] - g_x[c] * n0_z[c];
        double cz = g_x[c] * n0_y[c] - g_y[c] * n0_x[c];
        double dx = (n0_x[c] - n_x[c]) + k[c] * (cx + (g_y[c] * cz - g_z[c] * cy));
        double dy = (n0_y[c] - n_y[c]) + k[c] * (cy + (g_z[c] * cx - g_x[c] * cz));
        double dz = (n0_z[c] - n_z[c]) + k[c] * (cz + (g_x[c] * cy - g_y[c] * cx));
        double d2 = dx * dx + dy * dy + dz * dz;
        double length = rps_theta_over_sin(0.25 * d2), along = 0.5 * d2;
        h[c] = 0.25 * d2;
        e_x[c] = length * (dx + along * n_x[c]);
        e_y[c] = length * (dy + along * n_y[c]);
        e_z[c] = length * (dz + along * n_z[c]);
    }
    if (!rps_lane_above(half_chord2, RPS_THETA_OVER_SIN_H_MAX, task->padded)) return;
    for (int c = 0; c < task->padded; c++) {
        if (half_chord2[c] <= RPS_THETA_OVER_SIN_H_MAX) continue;
        const double ratio = rps_theta_over_sin_full(half_chord2[c]) / rps_theta_over_sin(half_chord2[c]);
        for (int m = 0; m < 3; m++) roll[m][c] *= ratio;
    }
}

/* --- increments -------------------------------------------------------------------------------------------------------- */

/* Slip p_i - p_j in the common frame, and with `rolls` the relative roll dTheta in the same loop, which shares most
 * of its input. lower, flat, rolls: constants where this is inlined. */
STAGE find_slip(const rps_batch_task *task, rps_lanes *l, const bool lower, const bool flat, const bool rolls) {
    /* the path is measured where the force acts, or at the surface */
    const double share = task->pair->effective.form.path == RPS_PATH_SURFACE ? 0.0 : 0.5;
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_AS(radius_i, l->radius_i);
    RPS_IN_AS(radius_j, l->radius_j);
    RPS_IN_AS(overlap_mean, l->overlap_mean);
    RPS_IN_AS(was_contact, l->was_contact);
    RPS_IN_VECTOR(shift, l->shift);
    RPS_IN_AS(frame_cos, l->work[FRAME_COS]);
    RPS_IN_AS(frame_sin, l->work[FRAME_SIN]);
    RPS_IN_VECTOR(e_i, &l->work[ROLL_I]);
    RPS_IN_VECTOR(e_j, &l->work[ROLL_J]);
    RPS_VECTOR(slip, l->slip);
    RPS_VECTOR(r_i, l->roll_i);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        double eix = e_i_x[c], eiy = e_i_y[c], eiz = e_i_z[c], ejx = e_j_x[c], ejy = e_j_y[c], ejz = e_j_z[c];
        double half = share * overlap_mean[c];
        double a_i = radius_i[c] - half, a_j = radius_j[c] - half;
        /* p_i and -p_j */
        double pix = a_i * eix, piy = a_i * eiy, piz = a_i * eiz;
        double pjx = a_j * ejx, pjy = a_j * ejy, pjz = a_j * ejz;
        if (flat) { /* a plane has radius 0 and does not roll; its path is the displacement of the other body */
            double dot = n_x[c] * shift_x[c] + n_y[c] * shift_y[c] + n_z[c] * shift_z[c];
            double sx = shift_x[c] - dot * n_x[c], sy = shift_y[c] - dot * n_y[c], sz = shift_z[c] - dot * n_z[c];
            double plane_i = radius_i[c] > 0.0 ? 0.0 : 1.0;
            double plane_j = 1.0 - plane_i;
            pix = plane_i > 0.5 ? -sx : pix;
            piy = plane_i > 0.5 ? -sy : piy;
            piz = plane_i > 0.5 ? -sz : piz;
            pjx = plane_j > 0.5 ? -sx : pjx;
            pjy = plane_j > 0.5 ? -sy : pjy;
            pjz = plane_j > 0.5 ? -sz : pjz;
        }
        double q = frame_cos[c], s = frame_sin[c];
        double ox, oy, oz;
        if (lower) { /* p_i as it is, p_j rotated by psi */
            ox = pix + (q * pjx + s * (n_y[c] * pjz - n_z[c] * pjy));
            oy = piy + (q * pjy + s * (n_z[c] * pjx - n_x[c] * pjz));
            oz = piz + (q * pjz + s * (n_x[c] * pjy - n_y[c] * pjx));
        } else {
            double mx = pix - pjx, my = piy - pjy, mz = piz - pjz;
            ox = q * (pix + pjx) - s * (n_y[c] * mz - n_z[c] * my);
            oy = q * (piy + pjy) - s * (n_z[c] * mx - n_x[c] * mz);
            oz = q * (piz + pjz) - s * (n_x[c] * my - n_y[c] * mx);
        }
        double has_load = was_contact[c];
        slip_x[c] = has_load > 0.5 ? RPS_FLUSH(ox) : 0.0;
        slip_y[c] = has_load > 0.5 ? RPS_FLUSH(oy) : 0.0;
        slip_z[c] = has_load > 0.5 ? RPS_FLUSH(oz) : 0.0;
        if (rolls) {
            double dx = eix - ejx, dy = eiy - ejy, dz = eiz - ejz;
            double mx = lower ? ejx : eix + ejx, my = lower ? ejy : eiy + ejy, mz = lower ? ejz : eiz + ejz;
            double tx = (lower ? eix - q * ejx : q * dx) - s * (n_y[c] * mz - n_z[c] * my);
            double ty = (lower ? eiy - q * ejy : q * dy) - s * (n_z[c] * mx - n_x[c] * mz);
            double tz = (lower ? eiz - q * ejz : q * dz) - s * (n_x[c] * my - n_y[c] * mx);
            r_i_x[c] = has_load > 0.5 ? RPS_FLUSH(tx) : 0.0;
            r_i_y[c] = has_load > 0.5 ? RPS_FLUSH(ty) : 0.0;
            r_i_z[c] = has_load > 0.5 ? RPS_FLUSH(tz) : 0.0;
        }
    }
}

/* Roll of each body in the common frame, for one roll memory per body. lower: a constant where this is inlined. */
STAGE find_roll_per_body(const rps_batch_task *task, rps_lanes *l, const bool lower) {
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_AS(was_contact, l->was_contact);
    RPS_IN_AS(frame_cos, l->work[FRAME_COS]);
    RPS_IN_AS(frame_sin, l->work[FRAME_SIN]);
    RPS_IN_VECTOR(e_i, &l->work[ROLL_I]);
    RPS_IN_VECTOR(e_j, &l->work[ROLL_J]);
    RPS_VECTOR(r_i, l->roll_i);
    RPS_VECTOR(r_j, l->roll_j);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        double eix = e_i_x[c], eiy = e_i_y[c], eiz = e_i_z[c], ejx = e_j_x[c], ejy = e_j_y[c], ejz = e_j_z[c];
        double q = frame_cos[c], s = frame_sin[c], has_load = was_contact[c];
        double tx = eix, ty = eiy, tz = eiz;
        if (!lower) {
            tx = q * eix - s * (n_y[c] * eiz - n_z[c] * eiy);
            ty = q * eiy - s * (n_z[c] * eix - n_x[c] * eiz);
            tz = q * eiz - s * (n_x[c] * eiy - n_y[c] * eix);
        }
        r_i_x[c] = has_load > 0.5 ? RPS_FLUSH(tx) : 0.0;
        r_i_y[c] = has_load > 0.5 ? RPS_FLUSH(ty) : 0.0;
        r_i_z[c] = has_load > 0.5 ? RPS_FLUSH(tz) : 0.0;
        tx = q * ejx + s * (n_y[c] * ejz - n_z[c] * ejy);
        ty = q * ejy + s * (n_z[c] * ejx - n_x[c] * ejz);
        tz = q * ejz + s * (n_x[c] * ejy - n_y[c] * ejx);
        r_j_x[c] = has_load > 0.5 ? RPS_FLUSH(-tx) : 0.0;
        r_j_y[c] = has_load > 0.5 ? RPS_FLUSH(-ty) : 0.0;
        r_j_z[c] = has_load > 0.5 ? RPS_FLUSH(-tz) : 0.0;
    }
}

/* --- rotation of the memories ------------------------------------------------------------------------------------------ */

/* One loop rotates at most this many tangent memories, so that the rotation is loaded once for all of them. */
enum { MEMORIES_AT_ONCE = 4 };

/* Rotates a memory v. With f = n1.v/D, the minimal rotation v - a f followed by a rotation about n1 is
 * cos v + sin n1 x v - (cos a + sin n1 x a) f; the last bracket is `back`. */
static inline __attribute__((always_inline)) rps_vec3 rotated_memory(rps_vec3 v, rps_vec3 n, double cosine, double sine,
                                                                     double scale, rps_vec3 back) {
    const double f = (n.x * v.x + n.y * v.y + n.z * v.z) * scale;
    return (rps_vec3){(cosine * v.x + sine * (n.y * v.z - n.z * v.y)) - back.x * f,
                      (cosine * v.y + sine * (n.z * v.x - n.x * v.z)) - back.y * f,
                      (cosine * v.z + sine * (n.x * v.y - n.y * v.x)) - back.z * f};
}

/* memory[m]: first state number of a memory. many: a constant where this is inlined. */
STAGE rotate_some(const rps_batch_task *task, const int *memory, const rps_lanes *l, const int many) {
    const int count = task->padded;
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_AS(cosine, l->carry_cos);
    RPS_IN_AS(sine, l->carry_sin);
    RPS_IN_AS(scale, l->carry_scale);
    RPS_IN_VECTOR(back, l->carry_back);
#define COMPONENTS_OF(v, m)                             \
    const int v##_first = memory[(m) < many ? (m) : 0]; \
    RPS_AS(v##_x, rps_batch_lane(task, v##_first));     \
    RPS_AS(v##_y, rps_batch_lane(task, v##_first + 1)); \
    RPS_AS(v##_z, rps_batch_lane(task, v##_first + 2))
    COMPONENTS_OF(p, 0);
    COMPONENTS_OF(q, 1);
    COMPONENTS_OF(r, 2);
    COMPONENTS_OF(s, 3);
#undef COMPONENTS_OF
/* A macro, since Clang does not see through a function that its loads and stores do not alias. */
#define ROTATE(v)                                                                                                 \
    do {                                                                                                          \
        const rps_vec3 rotated =                                                                                  \
            rotated_memory((rps_vec3){v##_x[c], v##_y[c], v##_z[c]}, normal, cosine[c], sine[c], scale[c], away); \
        v##_x[c] = RPS_FLUSH(rotated.x);                                                                          \
        v##_y[c] = RPS_FLUSH(rotated.y);                                                                          \
        v##_z[c] = RPS_FLUSH(rotated.z);                                                                          \
    } while (0)
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        const rps_vec3 normal = {n_x[c], n_y[c], n_z[c]}, away = {back_x[c], back_y[c], back_z[c]};
        ROTATE(p);
        if (many > 1) ROTATE(q);
        if (many > 2) ROTATE(r);
        if (many > 3) ROTATE(s);
    }
#undef ROTATE
}

static void rotate_memories(const rps_batch_task *task, const rps_lanes *l) {
    const rps_layout *layout = rps_batch_layout(task);
    int memory[RPS_ROLE_COUNT * RPS_LAW_MEMORY];
    int memories = 0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = task->pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            if (layout->memory[role][m] < 0 || !(law->memory[m].kind & RPS_MEMORY_TANGENT)) continue;
            memory[memories++] = layout->memory[role][m];
        }
    }
    int m = 0;
    for (; m + MEMORIES_AT_ONCE <= memories; m += MEMORIES_AT_ONCE) {
        rotate_some(task, memory + m, l, MEMORIES_AT_ONCE);
    }
    for (; m + 2 <= memories; m += 2) rotate_some(task, memory + m, l, 2);
    if (m < memories) rotate_some(task, memory + m, l, 1);
}

/* --- all stages -------------------------------------------------------------------------------------------------------- */

static void find_rotations(const rps_batch_task *task, rps_lanes *l, bool lower, bool spins) {
    if (lower) {
        find_twist(task, l, true);
        find_spin(task, l, true, true);
    } else {
        find_twist(task, l, false);
        if (spins) {
            find_spin(task, l, false, true);
        } else {
            find_spin(task, l, false, false);
        }
    }
    repair_spin(task, l, lower);
    find_roll(task, l, l->g_i, l->k_i, l->work[CHORD_I], &l->work[ROLL_I]);
    find_roll(task, l, l->g_j, l->k_j, l->work[CHORD_J], &l->work[ROLL_J]);
}

STAGE find_slip_in_frame(const rps_batch_task *task, rps_lanes *l, const bool lower, bool rolls) {
    const bool flat = rps_record_is_flat(task->record);
    if (rolls && flat) {
        find_slip(task, l, lower, true, true);
    } else if (rolls) {
        find_slip(task, l, lower, false, true);
    } else if (flat) {
        find_slip(task, l, lower, true, false);
    } else {
        find_slip(task, l, lower, false, false);
    }
}

void RPS_ISA_NAME(rps_track_compact)(const rps_batch_task *task, rps_lanes *l) {
    const bool lower = task->pair->effective.form.frame == RPS_FRAME_LOWER;
    const bool rolls = (task->pair->reads & (RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j) | RPS_ARRAY(spin))) != 0;
    const bool per_body = task->pair->per_body_history;
    find_rotations(task, l, lower, rolls);
    if (lower) {
        find_slip_in_frame(task, l, true, rolls && !per_body);
    } else {
        find_slip_in_frame(task, l, false, rolls && !per_body);
    }
    if (rolls && per_body) {
        if (lower) {
            find_roll_per_body(task, l, true);
        } else {
            find_roll_per_body(task, l, false);
        }
    }
    rotate_memories(task, l);
}
