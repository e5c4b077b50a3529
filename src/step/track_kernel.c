/*
 * Tracking: how far the contact point moved on each surface since the last evaluation, how the bodies rolled and spun
 * against each other, in a tangent frame that is carried along with the contact. Here and nowhere else; laws see the
 * increments only.
 *
 * Compact record (spheres; planes that do not turn). World vectors n, S, roll memory and a scalar spin memory are
 * all that is stored. A body's rotation of this step is its Rodrigues vector g = tan(|w| dt/2) w/|w| with k = 2/(1
 * + g.g), so that R v = v + k (g x v + g x (g x v)). With a = n0 + n1, D = 1 + n0.n1, X = n0 x n1, u_b = g_b.a, v_b
 * = D + g_b.X:
 *
 *   tan(phi_b/2) = u_b/v_b             twist of b's carried frame against the minimal rotation n0 -> n1
 *   psi = phi_i - phi_j                spin
 *   d_b = R_b n0 - n1, e_b             its tangent part with the length of the angle: roll_i = e_i, roll_j = -e_j
 *   p_b                                path on the surface of b: arm x roll on a sphere, tangential shift on a plane
 *   memories v <- turn about n by the twist of the common frame, of v - a (n1.v)/D
 *
 * Frame record (anything). Contact points, n and u in the axes of both bodies are stored; tangent vectors are
 * components along u and w = n x u, so that memories need no turning. Fang & Negrut 2020, section 2;
 * docs/symbols.md for what the choices frame, path and history mean.
 */
#include <math.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "base/wide.h"
#include "detect/touch.h"
#include "step/lanes.h"

/* --- compact ------------------------------------------------------------------------------------------------------ */

/* Angles leave the range of the series only in steps that turn a body by more than about 0.1 rad. The lane alone decides,
 * so that neighbours do not show. */
static void repair_spin(const rps_batch_task *task, const double *alive, const double *t, const double *size, int lower,
                        double *psi, double *sine, double *cosine) {
    if (!rps_lane_above(size, RPS_ANGLE_TAN_HALF_MAX, task->padded)) return;
    for (int c = 0; c < task->padded; c++) {
        if (size[c] <= RPS_ANGLE_TAN_HALF_MAX) continue;
        psi[c] = alive[c] > 0.5 ? rps_angle_from_tan_half_full(t[c]) : 0.0;
        if (!lower) rps_sincos_half_atan_full(t[c], &sine[c], &cosine[c]);
    }
}

static void repair_roll(const rps_batch_task *task, const double *h, double *const roll[3]) {
    if (!rps_lane_above(h, RPS_THETA_OVER_SIN_H_MAX, task->padded)) return;
    for (int c = 0; c < task->padded; c++) {
        if (h[c] <= RPS_THETA_OVER_SIN_H_MAX) continue;
        const double ratio = rps_theta_over_sin_full(h[c]) / rps_theta_over_sin(h[c]);
        for (int k = 0; k < 3; k++) roll[k][c] *= ratio;
    }
}

/* Tangent memories that one loop turns at most (turn_together): what turns them is read once for all of them. */
enum { TURN_TOGETHER = 4 };

/* A memory. With f = n1.v/D: the minimal rotation v - a f, turned about n1, is
 * cos v + sin n1 x v - (cos a + sin n1 x a) f; the last bracket is `back`. */
static inline __attribute__((always_inline)) rps_vec3 turn_one(rps_vec3 v, rps_vec3 n, double cosine, double sine,
                                                               double scale, rps_vec3 back) {
    const double f = (n.x * v.x + n.y * v.y + n.z * v.z) * scale;
    return (rps_vec3){(cosine * v.x + sine * (n.y * v.z - n.z * v.y)) - back.x * f,
                      (cosine * v.y + sine * (n.z * v.x - n.x * v.z)) - back.y * f,
                      (cosine * v.z + sine * (n.x * v.y - n.y * v.x)) - back.z * f};
}

/* memory[m]: the lane of the first component of a memory, `stride` before that of the next. many: a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void turn_together(double *const *memory, size_t stride,
                                                                const rps_lanes *l, int count, const int many) {
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_AS(cosine, l->carry_cos);
    RPS_IN_AS(sine, l->carry_sin);
    RPS_IN_AS(scale, l->carry_scale);
    RPS_IN_VECTOR(back, l->carry_back);
#define LANES_OF(v, m)                                      \
    double *const v##_first = memory[(m) < many ? (m) : 0]; \
    RPS_AS(v##_x, v##_first);                               \
    RPS_AS(v##_y, v##_first + stride);                      \
    RPS_AS(v##_z, v##_first + 2 * stride)
    LANES_OF(p, 0);
    LANES_OF(q, 1);
    LANES_OF(r, 2);
    LANES_OF(s, 3);
#undef LANES_OF
/* Lanes are read and written in the loop itself: of what a function does to memory Clang does not see that it is apart. */
#define TURN(v)                                                                                             \
    do {                                                                                                    \
        const rps_vec3 turned =                                                                             \
            turn_one((rps_vec3){v##_x[c], v##_y[c], v##_z[c]}, normal, cosine[c], sine[c], scale[c], away); \
        v##_x[c] = turned.x;                                                                                \
        v##_y[c] = turned.y;                                                                                \
        v##_z[c] = turned.z;                                                                                \
    } while (0)
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        const rps_vec3 normal = {n_x[c], n_y[c], n_z[c]}, away = {back_x[c], back_y[c], back_z[c]};
        TURN(p);
        if (many > 1) TURN(q);
        if (many > 2) TURN(r);
        if (many > 3) TURN(s);
    }
#undef TURN
}

static void turn_memories(const rps_batch_task *task, const rps_lanes *l) {
    const rps_segment *segment = task->segment;
    const rps_layout *layout = &task->pair->layout[segment->record];
    double *memory[RPS_ROLE_COUNT * RPS_LAW_MEMORY];
    int memories = 0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = task->pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            if (layout->memory[role][m] < 0 || !(law->memory[m].kind & RPS_MEMORY_TANGENT)) continue;
            memory[memories++] = segment->state + (size_t)layout->memory[role][m] * segment->capacity + task->place;
        }
    }
    const size_t stride = segment->capacity;
    int m = 0;
    for (; m + TURN_TOGETHER <= memories; m += TURN_TOGETHER) {
        turn_together(memory + m, stride, l, task->padded, TURN_TOGETHER);
    }
    for (; m + 2 <= memories; m += 2) turn_together(memory + m, stride, l, task->padded, 2);
    if (m < memories) turn_together(memory + m, stride, l, task->padded, 1);
}

/* e_b: d_b = R_b n0 - n1, its tangent part d_b + 2 h n1, h = |d_b|^2/4, with the length of the angle. */
static inline __attribute__((always_inline)) void roll_of_body(const rps_batch_task *task, rps_lanes *l,
                                                               rps_lane *g_lanes, const double *scale, double *h_lane,
                                                               double *const roll[3]) {
    const int count = task->padded;
    RPS_IN_VECTOR(n0, l->normal_old);
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_VECTOR(g, g_lanes);
    RPS_IN_AS(k, scale);
    RPS_VECTOR(e, roll);
    RPS_AS(h, h_lane);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
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
}

/* What laws ask for of rolling and spinning: nothing; dTheta; the rolling of each body. */
enum { ROLLS_NOT, ROLLS_TOGETHER, ROLLS_APART };

/* The choices are constants where this is inlined. */
static inline __attribute__((always_inline)) void track_compact(const rps_batch_task *task, rps_lanes *l,
                                                                const int lower, const int surface, const int flat,
                                                                const int rolls) {
    const int count = task->padded;
    RPS_IN_VECTOR(n0, l->normal_old);
    RPS_IN_VECTOR(n, l->normal);
    RPS_IN_VECTOR(g_i, l->g_i);
    RPS_IN_VECTOR(g_j, l->g_j);
    RPS_IN_AS(radius_i, l->radius_i);
    RPS_IN_AS(radius_j, l->radius_j);
    RPS_IN_AS(overlap_mean, l->overlap_mean);
    RPS_IN_AS(alive, l->alive);
    RPS_IN_VECTOR(shift, l->shift);
    RPS_AS(t, l->work[0]);
    RPS_AS(size, l->work[11]);
    RPS_AS(turn_q, l->work[1]);
    RPS_AS(turn_s, l->work[2]);
    double *const roll_of_i[3] = {l->work[3], l->work[4], l->work[5]};
    double *const roll_of_j[3] = {l->work[6], l->work[7], l->work[8]};
    RPS_AS(psi, l->spin);
    RPS_AS(carry_cos, l->carry_cos);
    RPS_AS(carry_sin, l->carry_sin);
    RPS_AS(carry_scale, l->carry_scale);
    RPS_VECTOR(back, l->carry_back);

    /* rotation of both bodies against the minimal rotation of the normal; short loops, since chains of operations that
     * wait for each other overlap only as far as the processor looks ahead */
    RPS_SIMD
    for (int c = 0; c < count; c++) {
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
        /* the frame midway: mean twist; that of i: its own, phi_i */
        double q = lower ? v_i * v_i - u_i * u_i : v_i * v_j - u_i * u_j;
        double s = lower ? 2.0 * u_i * v_i : u_i * v_j + u_j * v_i;
        carry_cos[c] = q;
        carry_sin[c] = s;
        back_x[c] = q * ax - s * xx;
        back_y[c] = q * ay - s * xy;
        back_z[c] = q * az - s * xz;
    }
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double inverse = 1.0 / sqrt(carry_cos[c] * carry_cos[c] + carry_sin[c] * carry_sin[c]);
        carry_cos[c] *= inverse;
        carry_sin[c] *= inverse;
        carry_scale[c] *= inverse;
        if (rolls != ROLLS_NOT) psi[c] = alive[c] > 0.5 ? rps_angle_from_tan_half(t[c]) : 0.0;
        /* the frame of i: p_j counter-turned by psi; midway: p_i by -psi/4, p_j by psi/4 */
        double sine, cosine;
        rps_sincos_half_atan(t[c], &sine, &cosine);
        double tan2 = t[c] * t[c];
        size[c] = fabs(t[c]);
        turn_q[c] = lower ? (1.0 - tan2) / (1.0 + tan2) : cosine;
        turn_s[c] = lower ? 2.0 * t[c] / (1.0 + tan2) : sine;
    }
    repair_spin(task, l->alive, t, size, lower, psi, turn_s, turn_q);
    roll_of_body(task, l, l->g_i, l->k_i, l->work[9], roll_of_i);
    roll_of_body(task, l, l->g_j, l->k_j, l->work[10], roll_of_j);
    repair_roll(task, l->work[9], roll_of_i);
    repair_roll(task, l->work[10], roll_of_j);

    RPS_IN_VECTOR(e_i, roll_of_i);
    RPS_IN_VECTOR(e_j, roll_of_j);
    RPS_VECTOR(slip, l->slip);
    RPS_VECTOR(r_i, l->roll_i);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double eix = e_i_x[c], eiy = e_i_y[c], eiz = e_i_z[c], ejx = e_j_x[c], ejy = e_j_y[c], ejz = e_j_z[c];
        double half = surface ? 0.0 : 0.5 * overlap_mean[c];
        double a_i = radius_i[c] - half, a_j = radius_j[c] - half;
        /* p_i and -p_j */
        double pix = a_i * eix, piy = a_i * eiy, piz = a_i * eiz;
        double pjx = a_j * ejx, pjy = a_j * ejy, pjz = a_j * ejz;
        if (flat) { /* the plane: radius 0, no roll; its path is the tangential shift of the other body against it */
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
        double q = turn_q[c], s = turn_s[c];
        double ox, oy, oz;
        if (lower) {
            /* i as it is, j turned by psi */
            ox = pix + (q * pjx + s * (n_y[c] * pjz - n_z[c] * pjy));
            oy = piy + (q * pjy + s * (n_z[c] * pjx - n_x[c] * pjz));
            oz = piz + (q * pjz + s * (n_x[c] * pjy - n_y[c] * pjx));
        } else {
            double mx = pix - pjx, my = piy - pjy, mz = piz - pjz;
            ox = q * (pix + pjx) - s * (n_y[c] * mz - n_z[c] * my);
            oy = q * (piy + pjy) - s * (n_z[c] * mx - n_x[c] * mz);
            oz = q * (piz + pjz) - s * (n_x[c] * my - n_y[c] * mx);
        }
        double live = alive[c];
        slip_x[c] = live > 0.5 ? ox : 0.0;
        slip_y[c] = live > 0.5 ? oy : 0.0;
        slip_z[c] = live > 0.5 ? oz : 0.0;
        if (rolls == ROLLS_TOGETHER) {
            double dx = eix - ejx, dy = eiy - ejy, dz = eiz - ejz;
            /* lower: i as it is, j turned by psi */
            double mx = lower ? ejx : eix + ejx, my = lower ? ejy : eiy + ejy, mz = lower ? ejz : eiz + ejz;
            double tx = (lower ? eix - q * ejx : q * dx) - s * (n_y[c] * mz - n_z[c] * my);
            double ty = (lower ? eiy - q * ejy : q * dy) - s * (n_z[c] * mx - n_x[c] * mz);
            double tz = (lower ? eiz - q * ejz : q * dz) - s * (n_x[c] * my - n_y[c] * mx);
            r_i_x[c] = live > 0.5 ? tx : 0.0;
            r_i_y[c] = live > 0.5 ? ty : 0.0;
            r_i_z[c] = live > 0.5 ? tz : 0.0;
        }
    }
    if (rolls == ROLLS_APART) {
        RPS_VECTOR(r_j, l->roll_j);
        RPS_SIMD
        for (int c = 0; c < count; c++) {
            double eix = e_i_x[c], eiy = e_i_y[c], eiz = e_i_z[c], ejx = e_j_x[c], ejy = e_j_y[c], ejz = e_j_z[c];
            double q = turn_q[c], s = turn_s[c], live = alive[c];
            double tx = eix, ty = eiy, tz = eiz;
            if (!lower) {
                tx = q * eix - s * (n_y[c] * eiz - n_z[c] * eiy);
                ty = q * eiy - s * (n_z[c] * eix - n_x[c] * eiz);
                tz = q * eiz - s * (n_x[c] * eiy - n_y[c] * eix);
            }
            r_i_x[c] = live > 0.5 ? tx : 0.0;
            r_i_y[c] = live > 0.5 ? ty : 0.0;
            r_i_z[c] = live > 0.5 ? tz : 0.0;
            tx = q * ejx + s * (n_y[c] * ejz - n_z[c] * ejy);
            ty = q * ejy + s * (n_z[c] * ejx - n_x[c] * ejz);
            tz = q * ejz + s * (n_x[c] * ejy - n_y[c] * ejx);
            r_j_x[c] = live > 0.5 ? -tx : 0.0;
            r_j_y[c] = live > 0.5 ? -ty : 0.0;
            r_j_z[c] = live > 0.5 ? -tz : 0.0;
        }
    }
    turn_memories(task, l);
}

void RPS_ISA_NAME(rps_track_compact)(const rps_batch_task *task, rps_lanes *l) {
    const rps_form *form = &task->pair->effective.form;
    const int lower = form->frame == RPS_FRAME_LOWER;
    const int surface = form->path == RPS_PATH_SURFACE;
    const int flat = task->segment->record == RPS_RECORD_FLAT;
    int rolls = task->pair->apart ? ROLLS_APART : ROLLS_TOGETHER;
    if (!task->pair->rolls && task->result == NULL) rolls = ROLLS_NOT;
    switch (rolls * 8 + lower * 4 + surface * 2 + flat) {
#define WITH(rolls, lower, surface, flat)                    \
    case (rolls)*8 + (lower)*4 + (surface)*2 + (flat):       \
        track_compact(task, l, lower, surface, flat, rolls); \
        break;
#define WITH_EACH(rolls) \
    WITH(rolls, 0, 0, 0) \
    WITH(rolls, 0, 0, 1) \
    WITH(rolls, 0, 1, 0) \
    WITH(rolls, 0, 1, 1) \
    WITH(rolls, 1, 0, 0) \
    WITH(rolls, 1, 0, 1) \
    WITH(rolls, 1, 1, 0) \
    WITH(rolls, 1, 1, 1)
        WITH_EACH(ROLLS_NOT)
        WITH_EACH(ROLLS_TOGETHER)
        WITH_EACH(ROLLS_APART)
    default:
        break;
#undef WITH_EACH
#undef WITH
    }
}

/* --- frame -------------------------------------------------------------------------------------------------------- */

static inline rps_vec3 lane_vec(rps_lane *lane, int c) {
    return (rps_vec3){lane[0][c], lane[1][c], lane[2][c]};
}

static inline void lane_set(rps_lane *lane, int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

static inline rps_vec3 state_vec(const rps_batch_task *task, int lane, int c) {
    const double *p = task->segment->state + (size_t)lane * task->segment->capacity + task->place + c;
    return (rps_vec3){p[0], p[task->segment->capacity], p[2 * task->segment->capacity]};
}

static inline void state_set(const rps_batch_task *task, int lane, int c, rps_vec3 v) {
    double *p = task->segment->state + (size_t)lane * task->segment->capacity + task->place + c;
    p[0] = v.x;
    p[task->segment->capacity] = v.y;
    p[2 * task->segment->capacity] = v.z;
}

static rps_quat orientation_of(const rps_world *world, uint32_t slot) {
    const double *q = world->bodies.orientation[slot];
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* Minimal rotation of u0 with n0 -> n1 (optimum of the paper's Appendix B in closed form; singular only for n1 = -n0). */
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

/* Chord of an arc above which, in radii, the contact is taken to have jumped (another point of a patch) and not to have
 * rolled; the way is the same on both bodies then. */
static const double JUMP = 0.5;

/* Path of the contact point on one body, m: the difference is taken in body axes. Its length is that of the arc on a
 * sphere (radius > 0) and of the chord on a plane; on other surfaces the chord, or the arc of the circle of the curvature
 * (1/m) along the path. */
static rps_vec3 path(rps_quat q, rps_vec3 arm, rps_vec3 c, rps_vec3 n1, double radius, const rps_sym3 *curve) {
    rps_vec3 d = rps_quat_rotate(q, rps_vec3_sub(rps_quat_rotate_inverse(q, arm), c));
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

static rps_vec3 turned(rps_vec3 v, rps_vec3 n, double cosine, double sine) {
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

/* Inverse of Wm = (W_i + W_j)/2 in the tangent frame (uu, uw, ww), m; principal curvatures below `least` count as that. */
static void inverse_of_mean(const rps_sym3 *curve_i, const rps_sym3 *curve_j, rps_vec3 u, rps_vec3 w, double least,
                            double out[3]) {
    double a = 0.5 * (rps_sym3_between(curve_i, u, u) + rps_sym3_between(curve_j, u, u));
    double b = 0.5 * (rps_sym3_between(curve_i, u, w) + rps_sym3_between(curve_j, u, w));
    double d = 0.5 * (rps_sym3_between(curve_i, w, w) + rps_sym3_between(curve_j, w, w));
    double mean = 0.5 * (a + d), half = 0.5 * (a - d), radius = sqrt(half * half + b * b);
    double large = mean + radius, small = mean - radius;
    /* inverse = (1/large) P + (1/small) (1 - P), P = (1 + [half, b]/radius)/2 the projection on the direction of `large` */
    double inverse_large = 1.0 / (large > least ? large : least), inverse_small = 1.0 / (small > least ? small : least);
    double centre = 0.5 * (inverse_large + inverse_small);
    double swing = radius > 0.0 ? 0.5 * (inverse_large - inverse_small) / radius : 0.0;
    out[0] = centre + swing * half;
    out[1] = swing * b;
    out[2] = centre - swing * half;
}

/* Curvature of one body along a direction, 1/m; 0 if there is none. */
static double curvature_along(const rps_sym3 *curve, rps_vec3 t) {
    double length2 = rps_vec3_norm2(t);
    return length2 > 0.0 ? rps_sym3_between(curve, t, t) / length2 : 0.0;
}

void RPS_ISA_NAME(rps_track_frame)(const rps_batch_task *task, rps_lanes *l) {
    const rps_segment *segment = task->segment;
    const rps_form *form = &task->pair->effective.form;
    const int first = task->pair->layout[segment->record].track;
    double *const old_lever = segment->state + (size_t)(first + RPS_FRAME_LEVER) * segment->capacity + task->place;
    double *const old_twist = old_lever + (size_t)(RPS_FRAME_TWIST_LEVER - RPS_FRAME_LEVER) * segment->capacity;
    for (int c = 0; c < task->padded; c++) {
        for (int k = 0; k < 3; k++) {
            l->slip[k][c] = l->roll_i[k][c] = l->roll_j[k][c] = l->u[k][c] = l->w[k][c] = 0.0;
        }
        l->spin[c] = 0.0;
        for (int k = 0; k < 3; k++) {
            l->lever_mean[k][c] = l->lever[k][c];
        }
        l->twist_lever_mean[c] = l->twist_lever[c];
        if (c >= task->n || !(l->alive[c] > 0.5 || l->touch[c] > 0.5)) {
            continue;
        }
        const rps_quat q_i = orientation_of(task->world, segment->slot_i[task->place + c]);
        const rps_quat q_j = orientation_of(task->world, segment->slot_j[task->place + c]);
        const rps_vec3 n1 = lane_vec(l->normal, c);
        /* the geometry's arms end at the surface points C_i and C_j here; the force acts midway */
        const rps_vec3 arm_i = lane_vec(l->arm_i, c), arm_j = lane_vec(l->arm_j, c);
        const int general = l->general[c] > 0.5;
        rps_sym3 curve_i = {{0.0}}, curve_j = {{0.0}};
        if (general) {
            curve_i = lane_sym3(l->curve_i, c);
            curve_j = lane_sym3(l->curve_j, c);
        }
        rps_vec3 u;
        if (l->alive[c] > 0.5) {
            rps_vec3 m_i = rps_quat_rotate(q_i, state_vec(task, first + RPS_FRAME_NI, c));
            rps_vec3 m_j = rps_quat_rotate(q_j, state_vec(task, first + RPS_FRAME_NJ, c));
            rps_vec3 u_i = transport(m_i, rps_quat_rotate(q_i, state_vec(task, first + RPS_FRAME_UI, c)), n1);
            rps_vec3 u_j = transport(m_j, rps_quat_rotate(q_j, state_vec(task, first + RPS_FRAME_UJ, c)), n1);
            double cosine = rps_vec3_dot(u_j, u_i), sine = rps_vec3_dot(rps_vec3_cross(u_j, u_i), n1);
            double t = sine / (1.0 + cosine);
            l->spin[c] =
                fabs(t) <= RPS_ANGLE_TAN_HALF_MAX ? rps_angle_from_tan_half(t) : rps_angle_from_tan_half_full(t);
            rps_vec3 roll_i = roll_vector(m_i, n1);
            rps_vec3 roll_j = rps_vec3_neg(roll_vector(m_j, n1));
            const rps_sym3 *arc_i = general && form->arc == RPS_ARC_EXACT ? &curve_i : NULL;
            const rps_sym3 *arc_j = general && form->arc == RPS_ARC_EXACT ? &curve_j : NULL;
            rps_vec3 p_i =
                path(q_i, arm_i, state_vec(task, first + RPS_FRAME_CI, c), n1, general ? 0.0 : l->radius_i[c], arc_i);
            rps_vec3 p_j =
                path(q_j, arm_j, state_vec(task, first + RPS_FRAME_CJ, c), n1, general ? 0.0 : l->radius_j[c], arc_j);
            if (general && form->history == RPS_HISTORY_PER_BODY) { /* the paper's dTheta_b = kappa_b p_b */
                roll_i = rps_vec3_scale(p_i, curvature_along(&curve_i, p_i));
                roll_j = rps_vec3_scale(p_j, curvature_along(&curve_j, p_j));
            }
            if (form->path == RPS_PATH_COMMON) {
                p_i = rps_vec3_add_scaled(p_i, -0.5 * l->overlap_mean[c], roll_i);
                p_j = rps_vec3_add_scaled(p_j, -0.5 * l->overlap_mean[c], roll_j);
            }
            if (form->frame == RPS_FRAME_LOWER) {
                u = u_i;
                rps_vec3 w = rps_vec3_cross(n1, u), w_j = rps_vec3_cross(n1, u_j);
                p_i = components(p_i, u, w);
                roll_i = components(roll_i, u, w);
                p_j = components(p_j, u_j, w_j);
                roll_j = components(roll_j, u_j, w_j);
            } else {
                u = rps_vec3_normalize(rps_vec3_add(u_i, u_j));
                rps_vec3 w = rps_vec3_cross(n1, u);
                double half = sqrt(0.5 * (1.0 + cosine)); /* cos(psi/2) */
                double q = sqrt(0.5 * (1.0 + half));      /* cos(psi/4) */
                double s = sine * (0.5 / half) * (0.5 / q);
                p_i = components(turned(p_i, n1, q, -s), u, w);
                roll_i = components(turned(roll_i, n1, q, -s), u, w);
                p_j = components(turned(p_j, n1, q, s), u, w);
                roll_j = components(turned(roll_j, n1, q, s), u, w);
            }
            lane_set(l->slip, c, rps_vec3_sub(p_i, p_j));
            lane_set(l->roll_i, c, roll_i);
            lane_set(l->roll_j, c, roll_j);
        } else {
            u = rps_vec3_any_across(n1);
        }
        u = rps_vec3_normalize(rps_vec3_reject(u, n1));
        const rps_vec3 w = rps_vec3_cross(n1, u);
        lane_set(l->u, c, u);
        lane_set(l->w, c, w);
        if (general) {
            double inverse[3];
            inverse_of_mean(&curve_i, &curve_j, u, w, l->curve_floor[c], inverse);
            for (int k = 0; k < 3; k++) {
                l->lever[k][c] = inverse[k];
            }
        }
        const int lived = l->alive[c] > 0.5;
        for (int k = 0; k < 3; k++) {
            const double old = old_lever[(size_t)k * segment->capacity + (size_t)c];
            l->lever_mean[k][c] = lived ? 0.5 * (old + l->lever[k][c]) : l->lever[k][c];
        }
        l->twist_lever_mean[c] = lived ? 0.5 * (old_twist[c] + l->twist_lever[c]) : l->twist_lever[c];
        if (task->peek) {
            continue;
        }
        const double keep = l->touch[c]; /* 0 clears the record of a contact that is lost */
        state_set(task, first + RPS_FRAME_CI, c, rps_vec3_scale(rps_quat_rotate_inverse(q_i, arm_i), keep));
        state_set(task, first + RPS_FRAME_CJ, c, rps_vec3_scale(rps_quat_rotate_inverse(q_j, arm_j), keep));
        state_set(task, first + RPS_FRAME_NI, c, rps_vec3_scale(rps_quat_rotate_inverse(q_i, n1), keep));
        state_set(task, first + RPS_FRAME_UI, c, rps_vec3_scale(rps_quat_rotate_inverse(q_i, u), keep));
        state_set(task, first + RPS_FRAME_NJ, c, rps_vec3_scale(rps_quat_rotate_inverse(q_j, n1), keep));
        state_set(task, first + RPS_FRAME_UJ, c, rps_vec3_scale(rps_quat_rotate_inverse(q_j, u), keep));
        for (int k = 0; k < 3; k++) {
            old_lever[(size_t)k * segment->capacity + (size_t)c] = keep * l->lever[k][c];
        }
        old_twist[c] = keep * l->twist_lever[c];
    }
}
