/*
 * Tracking in the frame layout: bodies of any shape, RPS_WIDE contacts at a time.
 *
 * The contact points, n and u in the axes of both bodies are stored; tangent vectors are components along u and w = n
 * x u, so memories need no rotation. Fang & Negrut 2020, section 2; docs/symbols.md explains the choices frame, path
 * and history. track_compact_kernel.c is the same for spheres, in closed form.
 *
 * No contact depends on the others of its group: a branch is a choice between two values, and an angle out of the range
 * of a series is found for its contact alone. Contacts that neither exist nor existed are computed too, from zeros, and
 * cleared.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include "base/elementary_simd.h"
#include "base/flush.h"
#include "base/vec_simd.h"
#include "step/batch.h"

#define INLINE static inline __attribute__((always_inline))

/* RPS_WIDE elements of an array. */
#define SOME(lane, c) (*(rps_simd *)((lane) + (c)))

INLINE rps_wide3 lanes_at(rps_lane *lane, int c) {
    return rps_wide3_load(lane[0] + c, RPS_BATCH_CAPACITY);
}

INLINE void lanes_put(rps_lane *lane, int c, rps_wide3 v) {
    rps_wide3_store(lane[0] + c, RPS_BATCH_CAPACITY, v);
}

/* Number `lane` of the tracking state, and a vector that begins there. */
INLINE double *track_at(const rps_batch_task *task, int lane, int c) {
    return rps_batch_lane(task, rps_batch_layout(task)->track + lane) + c;
}

INLINE rps_wide3 track_vector(const rps_batch_task *task, int lane, int c) {
    return rps_wide3_load(track_at(task, lane, c), task->state.stride);
}

INLINE void track_store(const rps_batch_task *task, int lane, int c, rps_mask keep, rps_wide3 v) {
    const rps_wide3 clean = {RPS_FLUSH(v.x), RPS_FLUSH(v.y), RPS_FLUSH(v.z)};
    rps_wide3_store(track_at(task, lane, c), task->state.stride, rps_wide3_keep(keep, clean));
}

/* A symmetric tensor, as rps_sym3. */
typedef struct tensor {
    rps_simd s[6];
} tensor;

INLINE tensor tensor_at(rps_lane *lane, int c) {
    tensor t;
    for (int k = 0; k < 6; k++) t.s[k] = SOME(lane[k], c);
    return t;
}

INLINE rps_wide3 tensor_on(const tensor *t, rps_wide3 v) {
    return (rps_wide3){(t->s[0] * v.x + t->s[3] * v.y) + t->s[4] * v.z, (t->s[3] * v.x + t->s[1] * v.y) + t->s[5] * v.z,
                       (t->s[4] * v.x + t->s[5] * v.y) + t->s[2] * v.z};
}

/* The choices of the pair; constants for all contacts. */
typedef struct choices {
    bool lower;    /* frame of body i, else midway */
    bool common;   /* paths are measured where the force acts, else at the surface */
    bool per_body; /* roll from the curvature of each body */
    bool arc;      /* paths are arcs of the osculating circle, else tangential */
    bool rolls;    /* some law reads roll or spin */
    bool runs;     /* surfaces may run */
} choices;

/* Contacts of a group. */
typedef struct contacts {
    rps_mask was, is, general; /* existed, exist; have the shape operators set */
    rps_mask folded;           /* of several feet in the fold of a mesh: their common point is not on the surface */
    bool any_general, any_round;
    rps_wide3 n;
} contacts;

/* One body of each contact. Increments are tangent vectors of the world. */
typedef struct carried {
    rps_wide_turn turn;
    rps_wide3 branch;     /* in the axes of the body */
    rps_wide3 u;          /* the tangent vector that the body carries */
    rps_wide3 path, roll; /* of the contact point; of the normal on the body */
} carried;

/* Minimal rotation of u0 with n0 -> n1 (optimum of the paper's Appendix B in closed form; singular only for n1 =
 * -n0). */
INLINE rps_wide3 transport(rps_wide3 n0, rps_wide3 u0, rps_wide3 n1) {
    const rps_wide3 u = rps_wide3_sub(rps_wide3_reject(u0, n1), rps_wide3_cross(n1, rps_wide3_cross(n0, u0)));
    return rps_wide3_scale(u, 1.0 / (1.0 + rps_wide3_dot(n0, n1)));
}

/* Tangent vector of m - n1 with the length of the angle between them. */
INLINE rps_wide3 roll_vector(rps_wide3 m, rps_wide3 n1, rps_mask was) {
    const rps_wide3 d = rps_wide3_sub(m, n1);
    const rps_simd d2 = RPS_KEEP(was, rps_wide3_dot(d, d));
    return rps_wide3_scale(rps_wide3_add_scaled(d, 0.5 * d2, n1), rps_theta_over_sin_simd(0.25 * d2));
}

/* Half of the arc in radii from which on the contact has jumped to another point of a patch rather than rolled; the
 * displacement is then the same on both bodies. */
static const double JUMP = 0.5;
/* m^2, squared displacement below which it counts as none: its square root would be flushed, its reciprocal may
 * overflow. */
static const double NO_PATH = 0x1p-960;

/* Path of the contact point on one body, from its displacement d in the axes of the world. Its length is the arc on a
 * sphere, the tangential displacement on a plane and in a fold, and on other surfaces either the latter or the arc of the
 * osculating circle. bends: the curvature along the path (1/m) of general surfaces. */
INLINE rps_wide3 path_of(const choices *pair, const contacts *at, rps_wide3 d, rps_simd radius, const tensor *curve,
                         rps_simd *bends) {
    const rps_wide3 t = rps_wide3_reject(d, at->n);
    const rps_simd t2 = rps_wide3_dot(t, t), d2 = rps_wide3_dot(d, d);
    const rps_mask moves = (t2 > NO_PATH) & at->was;
    const rps_simd per2 = 1.0 / RPS_SELECT(moves, t2, RPS_ALL(1.0));
    rps_mask arcs = {0}; /* where the length is that of an arc */
    rps_simd half2 = RPS_ALL(0.0);
    if (at->any_general) {
        *bends = rps_wide3_dot(t, tensor_on(curve, t)) * per2;
        const rps_simd x2 = (0.25 * (*bends * *bends)) * d2;
        if (pair->arc) {
            arcs = at->general & ~(at->folded & ~(*bends > 0.0));
            half2 = RPS_KEEP(arcs & (*bends > 0.0) & (x2 < JUMP * JUMP), x2);
        }
    }
    if (at->any_round) {
        const rps_mask round = ~at->general & (radius > 0.0);
        const rps_simd x2 = d2 / (4.0 * (radius * radius));
        arcs = arcs | round;
        half2 = RPS_SELECT(round, RPS_SELECT(x2 < 1.0, x2, RPS_ALL(1.0)), half2);
    }
    half2 = RPS_KEEP(moves, half2);
    const rps_simd arc = RPS_SQRT(d2 * per2) * rps_asin_over_x_simd(half2);
    return rps_wide3_keep(moves, rps_wide3_scale(t, RPS_SELECT(arcs, arc, RPS_ALL(1.0))));
}

/* Tangent vector and increments of body i, or j. is_j, pair: constants where this is inlined. */
INLINE carried carry(const rps_batch_task *task, rps_lanes *l, const choices *pair, const contacts *at, int c,
                     const bool is_j) {
    const uint32_t *slot = (is_j ? task->slot_j : task->slot_i) + c;
    rps_simd q[4];
#define ORIENTATION(m) (task->all->bodies.orientation[slot[m]])
    RPS_HALVES_TO_LANES(ORIENTATION, q);
#undef ORIENTATION
    carried b;
    b.turn = rps_wide_turn_of(q[0], q[1], q[2], q[3]);
    b.branch = rps_wide_inward(b.turn, lanes_at(is_j ? l->branch_j : l->branch_i, c));
    const rps_wide3 n0 = rps_wide_outward(b.turn, track_vector(task, is_j ? RPS_FRAME_NJ : RPS_FRAME_NI, c));
    const rps_wide3 u0 = rps_wide_outward(b.turn, track_vector(task, is_j ? RPS_FRAME_UJ : RPS_FRAME_UI, c));
    b.u = transport(n0, u0, at->n);
    b.roll = roll_vector(n0, at->n, at->was);
    if (is_j) b.roll = rps_wide3_neg(b.roll);
    const rps_wide3 point = track_vector(task, is_j ? RPS_FRAME_CJ : RPS_FRAME_CI, c);
    const rps_wide3 d = rps_wide_outward(b.turn, rps_wide3_sub(b.branch, point));
    rps_simd bends = RPS_ALL(0.0);
    const tensor curve = tensor_at(is_j ? l->curve_j : l->curve_i, c);
    b.path = path_of(pair, at, d, SOME(is_j ? l->radius_j : l->radius_i, c), &curve, &bends);
    if (pair->runs) {
        b.path = rps_wide3_sub(b.path, rps_wide3_keep(at->was, lanes_at(is_j ? l->run_j : l->run_i, c)));
        b.roll = rps_wide3_add(b.roll, rps_wide3_keep(at->was, lanes_at(is_j ? l->run_roll_j : l->run_roll_i, c)));
    }
    if (pair->per_body) { /* the paper's dTheta_b = kappa_b p_b */
        b.roll = rps_wide3_select(at->general, rps_wide3_keep(at->was, rps_wide3_scale(b.path, bends)), b.roll);
    }
    if (pair->common) { /* from the surface to where the force acts */
        b.path = rps_wide3_add_scaled(b.path, -0.5 * SOME(l->overlap_mean, c), b.roll);
    }
    return b;
}

/* The rotation between the frames that both bodies carry. */
typedef struct spins {
    rps_simd tangent; /* tan(psi/2) */
    rps_simd c, s;    /* cos(psi/4), sin(psi/4); midway only */
} spins;

INLINE spins spin_of(const contacts *at, const choices *pair, const carried *i, const carried *j) {
    const rps_simd cosine = rps_wide3_dot(j->u, i->u), sine = rps_wide3_dot(rps_wide3_cross(j->u, i->u), at->n);
    spins out = {RPS_KEEP(at->was, sine / (1.0 + cosine)), RPS_ALL(1.0), RPS_ALL(0.0)};
    if (!pair->lower) rps_sincos_half_atan_simd(out.tangent, &out.s, &out.c);
    return out;
}

/* Components in the common frame (u, w) of a vector that body i, or j, carries; midway those of i are rotated by
 * -psi/4, those of j by psi/4. */
INLINE void components_of(const choices *pair, const carried *b, const spins *by, rps_wide3 v, rps_wide3 n, rps_wide3 u,
                          const bool is_j, rps_simd out[2]) {
    const bool own = pair->lower && is_j;
    const rps_wide3 along = own ? b->u : u, across = rps_wide3_cross(n, along);
    const rps_simd p = rps_wide3_dot(v, along), q = rps_wide3_dot(v, across);
    const rps_simd s = is_j ? by->s : -by->s;
    out[0] = p;
    out[1] = q;
    if (pair->lower) return;
    out[0] = by->c * p - s * q;
    out[1] = by->c * q + s * p;
}

INLINE void put_components(rps_lane *lane, int c, rps_mask keep, rps_simd along, rps_simd across) {
    SOME(lane[0], c) = RPS_KEEP(keep, RPS_FLUSH(along));
    SOME(lane[1], c) = RPS_KEEP(keep, RPS_FLUSH(across));
    SOME(lane[2], c) = RPS_ALL(0.0);
}

/* Writes slip, roll and spin as components along u and w. */
INLINE void put_increments(rps_lanes *l, const choices *pair, const contacts *at, const carried *i, const carried *j,
                           const spins *by, rps_wide3 u, int c) {
    rps_simd of_i[2], of_j[2];
    components_of(pair, i, by, i->path, at->n, u, false, of_i);
    components_of(pair, j, by, j->path, at->n, u, true, of_j);
    put_components(l->slip, c, at->was, of_i[0] - of_j[0], of_i[1] - of_j[1]);
    if (!pair->rolls) return;
    components_of(pair, i, by, i->roll, at->n, u, false, of_i);
    components_of(pair, j, by, j->roll, at->n, u, true, of_j);
    put_components(l->roll_i, c, at->was, of_i[0], of_i[1]);
    put_components(l->roll_j, c, at->was, of_j[0], of_j[1]);
    rps_simd psi = rps_angle_from_tan_half_simd(by->tangent);
    if (pair->runs) psi += RPS_KEEP(at->was, SOME(l->run_spin, c));
    SOME(l->spin, c) = RPS_FLUSH(psi);
}

/* Inverse of Wm = (W_i + W_j)/2 in the tangent frame (uu, uw, ww), m; principal curvatures are at least `least`. */
INLINE void inverse_of_mean(const tensor *sum, rps_wide3 u, rps_wide3 w, rps_simd least, rps_mask matter,
                            rps_simd out[3]) {
    const rps_wide3 on_u = tensor_on(sum, u);
    const rps_simd a = 0.5 * rps_wide3_dot(u, on_u), b = 0.5 * rps_wide3_dot(w, on_u);
    const rps_simd d = 0.5 * rps_wide3_dot(w, tensor_on(sum, w));
    const rps_simd a_over = a - least, d_over = d - least;
    const rps_mask curved = (a_over > 0.0) & (d_over > 0.0) & (a_over * d_over > b * b); /* both are above `least` */
    const rps_simd per = 1.0 / RPS_SELECT(curved, a * d - b * b, RPS_ALL(1.0));
    out[0] = d * per;
    out[1] = -b * per;
    out[2] = a * per;
    if (!rps_any(matter & ~curved)) return;
    const rps_simd mean = 0.5 * (a + d), half = 0.5 * (a - d), radius = RPS_SQRT(half * half + b * b);
    const rps_simd large = mean + radius, small = mean - radius;
    /* inverse = (1/large) P + (1/small) (1 - P), where P = (1 + [half, b]/radius)/2 projects on the direction of
     * `large` */
    const rps_simd per_large = 1.0 / RPS_SELECT(large > least, large, least);
    const rps_simd per_small = 1.0 / RPS_SELECT(small > least, small, least);
    const rps_mask differ = radius > 0.0;
    const rps_simd centre = 0.5 * (per_large + per_small);
    const rps_simd swing = RPS_KEEP(differ, 0.5 * (per_large - per_small) / RPS_SELECT(differ, radius, RPS_ALL(1.0)));
    out[0] = RPS_SELECT(curved, out[0], centre + swing * half);
    out[1] = RPS_SELECT(curved, out[1], swing * b);
    out[2] = RPS_SELECT(curved, out[2], centre - swing * half);
}

/* Mean of a radius over the step, and its value for the next. */
INLINE void put_mean(double *mean, double *state, rps_simd now, const contacts *at) {
    const rps_simd old = *(const rps_simd *)state;
    *(rps_simd *)mean = RPS_SELECT(at->was, 0.5 * (old + now), now);
    *(rps_simd *)state = RPS_KEEP(at->is, RPS_FLUSH(now));
}

/* Effective rolling and twisting radii: now, and their means over the step. */
INLINE void put_radii(const rps_batch_task *task, rps_lanes *l, const contacts *at, rps_wide3 u, rps_wide3 w, int c) {
    if (at->any_general) {
        tensor sum = tensor_at(l->curve_i, c);
        const tensor more = tensor_at(l->curve_j, c);
        for (int k = 0; k < 6; k++) sum.s[k] += more.s[k];
        rps_simd inverse[3];
        const rps_mask matter = at->general & (at->was | at->is);
        inverse_of_mean(&sum, u, w, SOME(l->curve_floor, c), matter, inverse);
        for (int k = 0; k < 3; k++) {
            SOME(l->rolling_radius[k], c) = RPS_SELECT(matter, RPS_FLUSH(inverse[k]), SOME(l->rolling_radius[k], c));
        }
    }
    for (int k = 0; k < 3; k++) {
        put_mean(l->rolling_radius_mean[k] + c, track_at(task, RPS_FRAME_ROLLING_RADIUS + k, c),
                 SOME(l->rolling_radius[k], c), at);
    }
    put_mean(l->twist_radius_mean + c, track_at(task, RPS_FRAME_TWIST_RADIUS, c), SOME(l->twist_radius, c), at);
}

/* Stores point, normal and tangent vector in the axes of a body; zeros for a contact that has ended. */
INLINE void put_frame(const rps_batch_task *task, const contacts *at, const carried *b, rps_wide3 u, int c,
                      const bool is_j) {
    track_store(task, is_j ? RPS_FRAME_CJ : RPS_FRAME_CI, c, at->is, b->branch);
    track_store(task, is_j ? RPS_FRAME_NJ : RPS_FRAME_NI, c, at->is, rps_wide_inward(b->turn, at->n));
    track_store(task, is_j ? RPS_FRAME_UJ : RPS_FRAME_UI, c, at->is, rps_wide_inward(b->turn, u));
}

/* Contacts that neither exist nor existed. */
static void clear_some(const choices *pair, rps_lanes *l, int c) {
    const rps_simd none = RPS_ALL(0.0);
    for (int k = 0; k < 3; k++) {
        SOME(l->slip[k], c) = SOME(l->u[k], c) = SOME(l->w[k], c) = none;
        if (pair->rolls) SOME(l->roll_i[k], c) = SOME(l->roll_j[k], c) = none;
        SOME(l->rolling_radius_mean[k], c) = SOME(l->rolling_radius[k], c);
    }
    SOME(l->spin, c) = none;
    SOME(l->twist_radius_mean, c) = SOME(l->twist_radius, c);
}

INLINE void track_some(const rps_batch_task *task, rps_lanes *l, const choices *pair, int c) {
    contacts at = {.was = SOME(l->was_contact, c) > 0.5,
                   .is = SOME(l->touch, c) > 0.5,
                   .general = SOME(l->general, c) > 0.5,
                   .n = lanes_at(l->normal, c)};
    const rps_mask matter = at.was | at.is;
    if (!rps_any(matter)) {
        clear_some(pair, l, c);
        return;
    }
    if (task->mesh != NULL) at.folded = SOME(l->gain, c) != 1.0;
    at.any_general = rps_any(matter & at.general);
    at.any_round = rps_any(matter & ~at.general);
    const carried i = carry(task, l, pair, &at, c, false), j = carry(task, l, pair, &at, c, true);
    const spins by = spin_of(&at, pair, &i, &j);
    rps_wide3 u = pair->lower ? i.u : rps_wide3_add(i.u, j.u);
    if (rps_any(at.is & ~at.was)) u = rps_wide3_select(at.was, u, rps_wide3_any_across(at.n));
    u = rps_wide3_keep(matter, rps_wide3_normalize(rps_wide3_reject(u, at.n)));
    if (pair->runs) { /* memories turn with the material */
        u = rps_wide3_add_scaled(u, RPS_KEEP(at.was, SOME(l->run_turn, c)), rps_wide3_cross(at.n, u));
        u = rps_wide3_keep(matter, rps_wide3_normalize(u));
    }
    const rps_wide3 w = rps_wide3_cross(at.n, u);
    lanes_put(l->u, c, u);
    lanes_put(l->w, c, w);
    put_increments(l, pair, &at, &i, &j, &by, u, c);
    put_radii(task, l, &at, u, w, c);
    put_frame(task, &at, &i, u, c, false);
    put_frame(task, &at, &j, u, c, true);
}

void RPS_ISA_NAME(rps_track_frame)(const rps_batch_task *task, rps_lanes *l) {
    const rps_form *form = &task->pair->effective.form;
    const uint64_t roll_arrays = RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j) | RPS_ARRAY(spin);
    const choices pair = {.lower = form->frame == RPS_FRAME_LOWER,
                          .common = form->path == RPS_PATH_COMMON,
                          .per_body = form->history == RPS_HISTORY_PER_BODY,
                          .arc = form->arc == RPS_ARC_EXACT,
                          .rolls = (task->pair->reads & roll_arrays) != 0,
                          .runs = task->all->surfaces != NULL};
    for (int c = 0; c < task->padded; c += RPS_WIDE) track_some(task, l, &pair, c);
}
