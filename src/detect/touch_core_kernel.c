/*
 * Geometry of features of cores in lanes: the formulas of pair_core.c, which has the model.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include "base/vec_simd.h"
#include "detect/touch_core.h"

#define INLINE static inline __attribute__((always_inline))
#define SOME(lane, c) (*(rps_simd *)((lane) + (c)))

/* Passes until the points on two edges stand still. */
enum { PASSES_MOST = 12 };

INLINE rps_wide3 three(rps_core_lane *lane, int c) {
    return rps_wide3_load(lane[0] + c, RPS_CORE_GROUP);
}

INLINE void put_three(rps_core_lane *lane, int c, rps_wide3 v) {
    rps_wide3_store(lane[0] + c, RPS_CORE_GROUP, v);
}

INLINE rps_wide_turn turn_of(rps_core_body *b, int c) {
    return rps_wide_turn_of(SOME(b->turn[0], c), SOME(b->turn[1], c), SOME(b->turn[2], c), SOME(b->turn[3], c));
}

/* bend (1 - n n) */
INLINE void put_round(rps_core_lane *curve, int c, rps_simd bend, rps_wide3 n) {
    SOME(curve[0], c) = bend * (1.0 - n.x * n.x);
    SOME(curve[1], c) = bend * (1.0 - n.y * n.y);
    SOME(curve[2], c) = bend * (1.0 - n.z * n.z);
    SOME(curve[3], c) = -bend * (n.x * n.y);
    SOME(curve[4], c) = -bend * (n.x * n.z);
    SOME(curve[5], c) = -bend * (n.y * n.z);
}

/* bend t t where the comparison holds, else what is there. */
INLINE void put_across(rps_core_lane *curve, int c, rps_mask where, rps_simd bend, rps_wide3 t) {
    const rps_simd tensor[6] = {bend * (t.x * t.x), bend * (t.y * t.y), bend * (t.z * t.z),
                                bend * (t.x * t.y), bend * (t.x * t.z), bend * (t.y * t.z)};
    for (int k = 0; k < 6; k++) SOME(curve[k], c) = RPS_SELECT(where, tensor[k], SOME(curve[k], c));
}

/* --- a vertex and a solid core --------------------------------------------------------------------------------------- */

/* The place of the solid that is nearest to a point, in its axes. */
typedef struct wide_nearest {
    rps_simd distance;   /* m, signed */
    rps_wide3 foot, out; /* m; unit, from there to the point */
    rps_mask face, edge; /* where it lies; neither: at a corner */
    rps_wide3 along;     /* unit, of the edge, in the world's axes */
} wide_nearest;

INLINE wide_nearest nearest_to(rps_core_body *solid, rps_wide_turn turn, rps_wide3 point, int c) {
    const rps_simd none = RPS_ALL(0.0), one = RPS_ALL(1.0);
    const rps_simd p[3] = {point.x, point.y, point.z};
    const rps_wide3 column[3] = {turn.x, turn.y, turn.z};
    rps_simd q[3], half[3], clamped = none;
    wide_nearest r = {.along = {none, none, none}};
    rps_mask outside = none != none;
    for (int k = 0; k < 3; k++) {
        half[k] = SOME(solid->half[k], c);
        q[k] = RPS_SELECT(p[k] > half[k], half[k], RPS_SELECT(p[k] < -half[k], -half[k], p[k]));
        const rps_mask beyond = q[k] != p[k], held = beyond | ~(half[k] > 0.0);
        outside |= beyond;
        clamped += RPS_KEEP(held, one);
        r.along = rps_wide3_select(held, r.along, column[k]);
    }
    const rps_wide3 away = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const rps_simd distance = RPS_SQRT(rps_wide3_dot(away, away));
    outside &= distance > 0.0;
    /* inside, or on a core without an interior: out by the nearest face, on a tie the first */
    rps_simd depth = half[0] - RPS_MAGNITUDE(q[0]);
    rps_mask by[3] = {none == none, none != none, none != none};
    for (int k = 1; k < 3; k++) {
        const rps_simd other = half[k] - RPS_MAGNITUDE(q[k]);
        const rps_mask less = other < depth;
        depth = RPS_SELECT(less, other, depth);
        for (int a = 0; a < k; a++) by[a] &= ~less;
        by[k] = less;
    }
    rps_simd foot[3], out[3];
    const rps_simd away_of[3] = {away.x, away.y, away.z};
    for (int k = 0; k < 3; k++) {
        const rps_simd side = RPS_SELECT(q[k] < 0.0, -one, one);
        out[k] = RPS_SELECT(outside, away_of[k] / RPS_SELECT(outside, distance, one), RPS_KEEP(by[k], side));
        foot[k] = RPS_SELECT(~outside & by[k], side * half[k], q[k]);
    }
    r.distance = RPS_SELECT(outside, distance, -depth);
    r.foot = (rps_wide3){foot[0], foot[1], foot[2]};
    r.out = (rps_wide3){out[0], out[1], out[2]};
    r.face = ~outside | (clamped == 1.0);
    r.edge = outside & (clamped == 2.0);
    return r;
}

void RPS_ISA_NAME(rps_core_balls)(rps_core_group *g, int n) {
    rps_core_body *ball = &g->body[0], *solid = &g->body[1];
    for (int c = 0; c < n; c += RPS_WIDE) {
        const rps_wide_turn turn = turn_of(solid, c);
        const rps_wide3 v = rps_wide_outward(turn_of(ball, c), three(ball->point, c));
        const wide_nearest hit = nearest_to(solid, turn, rps_wide_inward(turn, rps_wide3_add(three(g->d, c), v)), c);
        const rps_simd r_ball = SOME(ball->radius, c), r_solid = SOME(solid->radius, c), bend = SOME(solid->bend, c);
        const rps_wide3 normal = rps_wide3_normalize(rps_wide_outward(turn, hit.out));
        SOME(g->overlap, c) = (r_ball + r_solid) - hit.distance;
        put_three(g->normal, c, normal);
        put_three(ball->branch, c, rps_wide3_add_scaled(v, -r_ball, normal));
        put_three(solid->branch, c, rps_wide3_add_scaled(rps_wide_outward(turn, hit.foot), r_solid, normal));
        put_round(ball->curve, c, SOME(ball->bend, c), normal);
        put_round(solid->curve, c, RPS_KEEP(~hit.face, bend), normal);
        put_across(solid->curve, c, hit.edge, bend, rps_wide3_normalize(rps_wide3_cross(normal, hit.along)));
    }
}

/* --- two edges ------------------------------------------------------------------------------------------------------- */

typedef struct wide_edge {
    rps_wide3 middle, along;
    rps_simd half, taper;
} wide_edge;

/* Points at t and u from the middles, and the vector from the second to the first. */
typedef struct wide_met {
    rps_simd t, u, distance;
    rps_wide3 between;
} wide_met;

INLINE wide_edge edge_of(rps_core_body *b, int c) {
    const rps_wide_turn turn = turn_of(b, c);
    return (wide_edge){rps_wide_outward(turn, three(b->point, c)), rps_wide_outward(turn, three(b->along, c)),
                       SOME(b->half[0], c), SOME(b->taper, c)};
}

INLINE rps_simd within(rps_simd x, rps_simd limit) {
    return RPS_SELECT(x > limit, limit, RPS_SELECT(x < -limit, -limit, x));
}

/* As pair_core_meet. w: middle of a less that of b. */
INLINE wide_met wide_meet(const wide_edge *a, const wide_edge *b, rps_wide3 w, rps_simd lambda) {
    const rps_simd one = RPS_ALL(1.0);
    const rps_wide3 m = rps_wide3_cross(a->along, b->along);
    const rps_simd cosine = rps_wide3_dot(a->along, b->along), p = -rps_wide3_dot(a->along, w),
                   q = rps_wide3_dot(b->along, w);
    const rps_simd over_a = 2.0 * lambda * a->taper, over_b = 2.0 * lambda * b->taper;
    const rps_simd det = rps_wide3_dot(m, m) + ((over_a + over_b) + over_a * over_b);
    const rps_mask crossed = det > 0.0;
    rps_simd t = (rps_wide3_dot(rps_wide3_cross(b->along, w), m) + over_b * p) / RPS_SELECT(crossed, det, one);
    t = within(RPS_KEEP(crossed, t), a->half);
    wide_met r;
    r.u = within((q + cosine * t) / (1.0 + over_b), b->half);
    r.t = within((p + cosine * r.u) / (1.0 + over_a), a->half);
    r.between = rps_wide3_add_scaled(rps_wide3_add_scaled(w, r.t, a->along), -r.u, b->along);
    r.distance = RPS_SQRT(rps_wide3_dot(r.between, r.between));
    return r;
}

/* Curvature around an edge; n may be nearly parallel to it if the end of the edge touches. */
INLINE void put_around(rps_core_lane *curve, int c, rps_simd bend, rps_wide3 n, rps_wide3 along) {
    const rps_wide3 t = rps_wide3_cross(n, along);
    const rps_mask across = RPS_SQRT(rps_wide3_dot(t, t)) > 1e-3;
    rps_wide3 direction = rps_wide3_normalize(t);
    if (rps_any(~across)) direction = rps_wide3_select(across, direction, rps_wide3_any_across(n));
    put_across(curve, c, across | ~across, bend, direction);
}

INLINE void touch_edges(rps_core_group *g, int c) {
    rps_core_body *first = &g->body[0], *second = &g->body[1];
    const wide_edge a = edge_of(first, c), b = edge_of(second, c);
    const rps_wide3 w = rps_wide3_sub(rps_wide3_add(three(g->d, c), a.middle), b.middle);
    const rps_simd r_a = SOME(first->radius, c), r_b = SOME(second->radius, c), radii = r_a + r_b;
    wide_met x = wide_meet(&a, &b, w, RPS_ALL(0.0));
    const rps_simd gap = x.distance - radii;
    const rps_mask apart = gap > SOME(g->cutoff, c);
    rps_mask moving = ~apart;
    rps_simd lambda = radii;
    for (int pass = 0; pass < PASSES_MOST && rps_any(moving); pass++) {
        const wide_met next = wide_meet(&a, &b, w, lambda);
        x.t = RPS_SELECT(moving, next.t, x.t);
        x.u = RPS_SELECT(moving, next.u, x.u);
        x.distance = RPS_SELECT(moving, next.distance, x.distance);
        x.between = rps_wide3_select(moving, next.between, x.between);
        const rps_simd change = next.distance - lambda;
        lambda = RPS_SELECT(moving, next.distance, lambda);
        moving &= ~(RPS_MAGNITUDE(change) <= 1e-15 * radii);
    }
    const rps_simd thin_a = r_a - a.taper * (x.t * x.t), thin_b = r_b - b.taper * (x.u * x.u);
    SOME(g->overlap, c) = RPS_SELECT(apart, -gap, (thin_a + thin_b) - x.distance);
    rps_wide3 n = rps_wide3_normalize(x.between);
    const rps_mask met = ~(x.distance > 0.0);
    if (rps_any(met)) n = rps_wide3_select(met, rps_wide3_any_across(a.along), n);
    put_three(g->normal, c, n);
    put_three(first->branch, c, rps_wide3_add_scaled(rps_wide3_add_scaled(a.middle, x.t, a.along), -thin_a, n));
    put_three(second->branch, c, rps_wide3_add_scaled(rps_wide3_add_scaled(b.middle, x.u, b.along), thin_b, n));
    put_around(first->curve, c, SOME(first->bend, c), n, a.along);
    put_around(second->curve, c, SOME(second->bend, c), n, b.along);
}

void RPS_ISA_NAME(rps_core_edges)(rps_core_group *g, int n) {
    for (int c = 0; c < n; c += RPS_WIDE) touch_edges(g, c);
}

/* --- a vertex and a plane -------------------------------------------------------------------------------------------- */

void RPS_ISA_NAME(rps_core_corners)(rps_core_group *g, int n) {
    rps_core_body *ball = &g->body[0], *plane = &g->body[1];
    for (int c = 0; c < n; c += RPS_WIDE) {
        const rps_wide3 normal = three(plane->along, c), v = rps_wide_outward(turn_of(ball, c), three(ball->point, c));
        const rps_wide3 from_plane = rps_wide3_add(three(g->d, c), v);
        const rps_simd height = rps_wide3_dot(normal, from_plane), radius = SOME(ball->radius, c);
        SOME(g->overlap, c) = radius - height;
        put_three(g->normal, c, normal);
        put_three(ball->branch, c, rps_wide3_add_scaled(v, -radius, normal));
        put_three(plane->branch, c, rps_wide3_add_scaled(from_plane, -height, normal));
        put_round(ball->curve, c, SOME(ball->bend, c), normal);
        put_round(plane->curve, c, RPS_ALL(0.0), normal);
    }
}
