/*
 * The contact of two ellipsoids, RPS_WIDE pairs at a time, in the axes of the world.
 *
 * An ellipsoid is the tensor A = R diag(a^2, b^2, c^2) R^T. Its support function is h(n) = sqrt(n A n), its point with the
 * outward normal n is x = A n/h, and the derivative of x across n, the inverse of the shape operator, is M = (A - x x)/h. So
 * the only unknown of a pair is the unit normal n, from j into i: at the common normal
 *     overlap(n) = h_i(n) + h_j(n) - d n,   d = center of i less center of j,
 * is stationary, and Newton's method for n is
 *     (M_i + M_j - overlap) u = -g,   g: the part of A_i n/h_i + A_j n/h_j - d across n.
 * For any n both points lie on their surfaces with n as their normal; g, their distance across n, is what is left to vanish,
 * and -overlap(n) is a lower bound of the gap. With det M = (abc)^2/h^4 the shape operator and its derivative are closed forms.
 *
 * A sphere has equal semi-axes. A plane is A = 0, and its normal is n.
 */
#ifndef RPS_DETECT_ELLIPSOIDS_SIMD_H
#define RPS_DETECT_ELLIPSOIDS_SIMD_H

#include "base/vec_simd.h"

/* Symmetric tensors: xx, yy, zz, xy, xz, yz, as rps_sym3. */
typedef struct rps_wide_sym3 {
    rps_simd s[6];
} rps_wide_sym3;

RPS_WIDE_INLINE rps_wide3 rps_wide_sym3_on(const rps_wide_sym3 *t, rps_wide3 v) {
    return (rps_wide3){(t->s[0] * v.x + t->s[3] * v.y) + t->s[4] * v.z, (t->s[3] * v.x + t->s[1] * v.y) + t->s[5] * v.z,
                       (t->s[4] * v.x + t->s[5] * v.y) + t->s[2] * v.z};
}

typedef struct rps_wide_ellipsoid {
    rps_wide_sym3 a;            /* m^2 */
    rps_simd trace;             /* m^2, of a */
    rps_simd volume;            /* m^3, a b c; 0 of a plane */
    rps_simd shortest, longest; /* m, semi-axes */
} rps_wide_ellipsoid;

RPS_WIDE_INLINE rps_simd rps_wide_smaller(rps_simd a, rps_simd b) {
    return RPS_SELECT(a < b, a, b);
}

/* axis: m, semi-axes; 0 of a plane. */
RPS_WIDE_INLINE rps_wide_ellipsoid rps_wide_ellipsoid_of(rps_wide_turn t, rps_wide3 axis) {
    const rps_wide3 a2 = {axis.x * axis.x, axis.y * axis.y, axis.z * axis.z};
    const rps_wide3 x = rps_wide3_scale(t.x, a2.x), y = rps_wide3_scale(t.y, a2.y), z = rps_wide3_scale(t.z, a2.z);
    return (rps_wide_ellipsoid){
        {{(x.x * t.x.x + y.x * t.y.x) + z.x * t.z.x, (x.y * t.x.y + y.y * t.y.y) + z.y * t.z.y,
          (x.z * t.x.z + y.z * t.y.z) + z.z * t.z.z, (x.x * t.x.y + y.x * t.y.y) + z.x * t.z.y,
          (x.x * t.x.z + y.x * t.y.z) + z.x * t.z.z, (x.y * t.x.z + y.y * t.y.z) + z.y * t.z.z}},
        (a2.x + a2.y) + a2.z,
        (axis.x * axis.y) * axis.z,
        rps_wide_smaller(rps_wide_smaller(axis.x, axis.y), axis.z),
        RPS_SELECT(axis.x > axis.y, RPS_SELECT(axis.x > axis.z, axis.x, axis.z),
                   RPS_SELECT(axis.y > axis.z, axis.y, axis.z))};
}

/* m, the sum of the smallest radii of curvature of both; of a plane no number. */
RPS_WIDE_INLINE rps_simd rps_wide_smallest_radii(const rps_wide_ellipsoid *i, const rps_wide_ellipsoid *j) {
    const rps_simd a = i->shortest * i->shortest, b = j->shortest * j->shortest;
    return (a * j->longest + b * i->longest) / (i->longest * j->longest);
}

/* The support point along n from the center; of a plane 0. */
typedef struct rps_wide_support {
    rps_wide3 x;    /* m */
    rps_simd h;     /* m */
    rps_simd per_h; /* 1/m; 0 of a plane */
} rps_wide_support;

RPS_WIDE_INLINE rps_wide_support rps_wide_support_of(const rps_wide_ellipsoid *b, rps_wide3 n) {
    const rps_wide3 y = rps_wide_sym3_on(&b->a, n);
    const rps_simd h = RPS_SQRT(rps_wide3_dot(n, y)), per_h = RPS_KEEP(h > 0.0, 1.0 / h);
    return (rps_wide_support){rps_wide3_scale(y, per_h), h, per_h};
}

/* A pair seen along n. */
typedef struct rps_wide_pair {
    rps_wide3 n, g;
    rps_wide_support i, j;      /* both along n: i's point is at -i.x from its center */
    rps_simd overlap, residual; /* m; |g|, infinite if n or that is none */
} rps_wide_pair;

RPS_WIDE_INLINE rps_wide_pair rps_wide_pair_at(const rps_wide_ellipsoid *i, const rps_wide_ellipsoid *j, rps_wide3 d,
                                               rps_wide3 n) {
    rps_wide_pair p = {.n = n, .i = rps_wide_support_of(i, n), .j = rps_wide_support_of(j, n)};
    p.g = rps_wide3_reject(rps_wide3_sub(rps_wide3_add(p.i.x, p.j.x), d), n);
    p.overlap = (p.i.h + p.j.h) - rps_wide3_dot(d, n);
    const rps_simd miss = (RPS_MAGNITUDE(p.g.x) + RPS_MAGNITUDE(p.g.y)) + RPS_MAGNITUDE(p.g.z);
    p.residual = RPS_SELECT((miss >= 0.0) & (p.i.h + p.j.h > 0.0), miss, RPS_ALL(INFINITY));
    return p;
}

/* n + u for u across n, of length 1 again. */
RPS_WIDE_INLINE rps_wide3 rps_wide_pair_turned(rps_wide3 n, rps_wide3 u) {
    const rps_simd u2 = rps_wide3_dot(u, u), one = RPS_ALL(1.0);
    rps_simd part = one, shrink = one - u2 * (0.5 - 0.375 * u2);
    const rps_mask far = u2 > 1e-6; /* else the series leaves 1e-18 */
    if (rps_any(far)) {
        const rps_simd most = RPS_ALL(0.5); /* half a radian is far enough */
        part = RPS_SELECT(u2 > most * most, most / RPS_SQRT(u2), one);
        shrink = RPS_SELECT(far, one / RPS_SQRT(one + (part * part) * u2), shrink);
    }
    return rps_wide3_scale(rps_wide3_add_scaled(n, part, u), shrink);
}

/* Newton's step: the next n. The tensor has n in its kernel, and across n its inverse is (trace - T)/det. Where the overlap is
 * larger than `radii`, those of rps_wide_smallest_radii, the tensor is positive definite for sure only without it: so every
 * step goes downhill. */
RPS_WIDE_INLINE rps_wide3 rps_wide_pair_step(const rps_wide_pair *p, const rps_wide_ellipsoid *i,
                                             const rps_wide_ellipsoid *j, rps_simd radii) {
    const rps_wide3 a = p->i.x, b = p->j.x, n = p->n;
    const rps_simd ph = p->i.per_h, qh = p->j.per_h, s = RPS_KEEP(p->overlap <= radii, p->overlap);
    const rps_wide_sym3 t = {{((i->a.s[0] - a.x * a.x) * ph + (j->a.s[0] - b.x * b.x) * qh) - s * (1.0 - n.x * n.x),
                              ((i->a.s[1] - a.y * a.y) * ph + (j->a.s[1] - b.y * b.y) * qh) - s * (1.0 - n.y * n.y),
                              ((i->a.s[2] - a.z * a.z) * ph + (j->a.s[2] - b.z * b.z) * qh) - s * (1.0 - n.z * n.z),
                              ((i->a.s[3] - a.x * a.y) * ph + (j->a.s[3] - b.x * b.y) * qh) + s * (n.x * n.y),
                              ((i->a.s[4] - a.x * a.z) * ph + (j->a.s[4] - b.x * b.z) * qh) + s * (n.x * n.z),
                              ((i->a.s[5] - a.y * a.z) * ph + (j->a.s[5] - b.y * b.z) * qh) + s * (n.y * n.z)}};
    const rps_simd trace = (t.s[0] + t.s[1]) + t.s[2];
    const rps_simd squares = ((t.s[0] * t.s[0] + t.s[1] * t.s[1]) + t.s[2] * t.s[2]) +
                             2.0 * ((t.s[3] * t.s[3] + t.s[4] * t.s[4]) + t.s[5] * t.s[5]);
    const rps_wide3 u = rps_wide3_add_scaled(rps_wide_sym3_on(&t, p->g), -trace, p->g);
    return rps_wide_pair_turned(n, rps_wide3_scale(u, 2.0 / (trace * trace - squares)));
}

/* Residuals over the size. Rounding leaves a few 1e-16; one that came from below RPS_PAIR_CLOSE in one step is at rounding,
 * because steps square it. */
enum { RPS_PAIR_STEPS_MOST = 12 };
#define RPS_PAIR_PERFECT 2e-15
#define RPS_PAIR_GOOD 3e-14
#define RPS_PAIR_CLOSE 1e-9

/* The aim of a search, and its outcome. */
typedef struct rps_wide_search {
    rps_mask mine;   /* which elements */
    rps_mask given;  /* the start is the answer: the normal of a plane */
    rps_simd cutoff; /* m; a pair with a larger gap is apart, which ends its search */
    /* a common normal, and the one of the smallest overlap (pair_convex.c: that is at most the smallest radii); a proof that
     * there is none that matters */
    rps_mask found, apart;
} rps_wide_search;

/* From the unit normal n on. size: m, the scale of residuals. */
RPS_WIDE_INLINE rps_wide_pair rps_wide_pair_find(const rps_wide_ellipsoid *i, const rps_wide_ellipsoid *j, rps_wide3 d,
                                                 rps_wide3 n, rps_simd size, rps_wide_search *s) {
    rps_wide_pair p = rps_wide_pair_at(i, j, d, n);
    const rps_simd radii = rps_wide_smallest_radii(i, j);
    rps_simd last = size;
    for (int k = 0;; k++) {
        s->apart = -p.overlap > s->cutoff;
        s->found = s->given |
                   ((p.overlap <= radii) & ((p.residual <= RPS_PAIR_PERFECT * size) |
                                            ((p.residual <= RPS_PAIR_GOOD * size) & (last <= RPS_PAIR_CLOSE * size))));
        const rps_mask open = s->mine & ~(s->apart | s->found);
        if (k == RPS_PAIR_STEPS_MOST || !rps_any(open)) return p;
        last = RPS_SELECT(open, p.residual, last);
        p = rps_wide_pair_at(i, j, d, rps_wide3_select(open, rps_wide_pair_step(&p, i, j, radii), p.n));
    }
}

/* Shape operator of a body at its support point; and that of the mean curvature along the surface. */
typedef struct rps_wide_curve {
    rps_wide_sym3 w; /* 1/m; has n in its kernel */
    rps_simd mean;   /* 1/m */
    rps_wide3
        gradient; /* 1/m^2, of the mean curvature along the surface, at x with the outward normal n; at -x it is the opposite */
} rps_wide_curve;

RPS_WIDE_INLINE rps_wide_curve rps_wide_curve_of(const rps_wide_ellipsoid *b, const rps_wide_support *at, rps_wide3 n) {
    const rps_wide3 x = at->x;
    const rps_simd h2 = at->h * at->h, ratio = h2 / RPS_SELECT(b->volume > 0.0, b->volume, RPS_ALL(1.0));
    const rps_simd per_det = ratio * ratio; /* 1/det M, 1/m^2 */
    const rps_simd trace = (b->trace - rps_wide3_dot(x, x)) * at->per_h;
    const rps_simd p = at->per_h * per_det, q = trace * per_det;
    rps_wide_curve c = {
        {{q * (1.0 - n.x * n.x) - p * (b->a.s[0] - x.x * x.x), q * (1.0 - n.y * n.y) - p * (b->a.s[1] - x.y * x.y),
          q * (1.0 - n.z * n.z) - p * (b->a.s[2] - x.z * x.z), -q * (n.x * n.y) - p * (b->a.s[3] - x.x * x.y),
          -q * (n.x * n.z) - p * (b->a.s[4] - x.x * x.z), -q * (n.y * n.z) - p * (b->a.s[5] - x.y * x.z)}},
        0.5 * q,
        {q, q, q}};
    const rps_wide3 bent = rps_wide_sym3_on(&c.w, x), across = rps_wide3_add_scaled(x, -at->h, n);
    c.gradient = rps_wide3_scale(rps_wide3_sub(rps_wide3_scale(bent, 1.5 * trace), across), p);
    return c;
}

#endif
