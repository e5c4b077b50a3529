/*
 * The common normal of two smooth bodies by Newton's method, RPS_WIDE pairs at a time, in the axes of body j.
 *
 * A body is F(x) = ((|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1) - 1 = 0; both exponents are at least 2, so that F and its
 * first two derivatives are finite. Unknowns are the surface points x_i and x_j; n is the normal at x_j. With W the shape
 * operators and e, s the tangential and normal parts of q = d + x_i - x_j, tangential steps u solve
 *     u_i = u_j + s W_j u_j - e                  q along n again
 *     (W_i + W_j + s W_i W_j) u_j = W_i e - c    the normal at x_i, off by c, along -n again
 * and normal steps return both points to their surfaces.
 *
 * The residual is the proof: a point of a convex surface with outward normal m is the support point of m, and a normal
 * that is off by c changes the support function by less than 2 c times the size.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include "base/elementary_simd.h"
#include "detect/ellipsoids_simd.h"
#include "detect/touch_smooth.h"

#define INLINE static inline __attribute__((always_inline))

enum { STEPS_MOST = 12 };
/* Residuals, in units of the size or of 1. Rounding leaves a few 1e-16; one that came from below `close_by` in one
 * step is at rounding, because the steps square it. */
static const double perfect = 2e-15, good = 3e-14, close_by = 1e-9, straight = 4e-13;

typedef struct wide3 {
    rps_simd x, y, z;
} wide3;

INLINE wide3 add(wide3 a, wide3 b) {
    return (wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}
INLINE wide3 sub(wide3 a, wide3 b) {
    return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}
INLINE wide3 scale(wide3 a, rps_simd s) {
    return (wide3){a.x * s, a.y * s, a.z * s};
}
INLINE rps_simd dot(wide3 a, wide3 b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
INLINE rps_simd magnitude(rps_simd x) {
    return RPS_SELECT(x < 0.0, -x, x);
}
INLINE rps_simd larger(rps_simd a, rps_simd b) {
    return RPS_SELECT(a > b, a, b);
}
INLINE wide3 take(rps_smooth_lane *lane, int c) {
    return (wide3){*(rps_simd *)(lane[0] + c), *(rps_simd *)(lane[1] + c), *(rps_simd *)(lane[2] + c)};
}
INLINE void put(rps_smooth_lane *lane, int c, wide3 v) {
    *(rps_simd *)(lane[0] + c) = v.x;
    *(rps_simd *)(lane[1] + c) = v.y;
    *(rps_simd *)(lane[2] + c) = v.z;
}
INLINE bool any(const rps_mask *mask) {
    long long bits = 0;
    for (int m = 0; m < RPS_WIDE; m++) bits |= (*mask)[m];
    return bits != 0;
}

/* Columns: the axes of the body in other axes. */
typedef struct turn {
    wide3 x, y, z;
} turn;

INLINE turn turn_of(rps_smooth_lane *q, int c) {
    const rps_simd w = *(rps_simd *)(q[0] + c), x = *(rps_simd *)(q[1] + c), y = *(rps_simd *)(q[2] + c),
                   z = *(rps_simd *)(q[3] + c);
    return (turn){{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
                  {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)},
                  {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)}};
}
INLINE wide3 outward(turn t, wide3 v) {
    return add(add(scale(t.x, v.x), scale(t.y, v.y)), scale(t.z, v.z));
}
INLINE wide3 inward(turn t, wide3 v) {
    return (wide3){dot(t.x, v), dot(t.y, v), dot(t.z, v)};
}

/* --- one body ------------------------------------------------------------------------------------------------------ */

typedef struct body {
    wide3 per_axis; /* 1/m, reciprocal semi-axes */
    rps_simd n1, n2;
    bool even; /* all exponents are even whole numbers */
    bool one;  /* n1 = n2 in all lanes */
} body;

INLINE body body_of(rps_smooth_body *b, int c) {
    const wide3 axis = take(b->axis, c);
    body out = {{1.0 / axis.x, 1.0 / axis.y, 1.0 / axis.z},
                *(rps_simd *)(b->exponent[0] + c),
                *(rps_simd *)(b->exponent[1] + c),
                true,
                true};
    for (int m = 0; m < RPS_WIDE; m++) {
        const double n1 = b->exponent[0][c + m], n2 = b->exponent[1][c + m];
        out.even = out.even && 0.5 * n1 == (double)(int)(0.5 * n1) && 0.5 * n2 == (double)(int)(0.5 * n2);
        out.one = out.one && n1 == n2;
    }
    return out;
}

/* x^(n - 2) for x >= 0, by squarings where n is an even number up to 16. */
INLINE rps_simd power_less_2(const body *b, rps_simd x, rps_simd n) {
    const rps_simd one = RPS_ALL(1.0);
    const rps_simd x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    rps_simd rest = n - 2.0, result = one;
    rps_mask bit = rest >= 8.0;
    result = RPS_SELECT(bit, x8, one);
    rest = RPS_SELECT(bit, rest - 8.0, rest);
    bit = rest >= 4.0;
    result *= RPS_SELECT(bit, x4, one);
    rest = RPS_SELECT(bit, rest - 4.0, rest);
    bit = rest >= 2.0;
    result *= RPS_SELECT(bit, x2, one);
    rest = RPS_SELECT(bit, rest - 2.0, rest);
    if (b->even) return result;
    const rps_simd any_power = rps_pow_positive_simd(larger(x, RPS_ALL(1e-300)), n - 2.0);
    return RPS_SELECT(rest == 0.0, result, any_power);
}

/* F and its derivatives at x, both without the common factor n1: the Hessian is diag(h) + k ring ring^T. */
typedef struct local {
    wide3 slope, h, ring;
    rps_simd k, value;   /* value: F itself */
    rps_simd per_length; /* m, 1/|slope| */
    wide3 normal;
} local;

INLINE local look(const body *b, wide3 x) {
    local at;
    const wide3 per2 = {b->per_axis.x * b->per_axis.x, b->per_axis.y * b->per_axis.y, b->per_axis.z * b->per_axis.z};
    const rps_simd none = RPS_ALL(0.0);
    at.ring = (wide3){none, none, none};
    at.k = none;
    const rps_simd u = magnitude(x.x * b->per_axis.x), v = magnitude(x.y * b->per_axis.y),
                   w = magnitude(x.z * b->per_axis.z);
    const rps_simd p = power_less_2(b, u, b->n2), q = power_less_2(b, v, b->n2), r = power_less_2(b, w, b->n1);
    const rps_simd sum = p * (u * u) + q * (v * v);
    rps_simd t = RPS_ALL(1.0);
    if (!b->one) {
        const rps_simd safe = larger(sum, RPS_ALL(1e-300));
        t = RPS_SELECT(b->n1 == b->n2, t, rps_pow_positive_simd(safe, b->n1 / b->n2 - 1.0));
        at.k = (b->n1 - b->n2) * (t / safe);
        at.ring = (wide3){p * per2.x * x.x, q * per2.y * x.y, none};
    }
    at.h = (wide3){t * p * per2.x, t * q * per2.y, r * per2.z};
    at.slope = (wide3){at.h.x * x.x, at.h.y * x.y, at.h.z * x.z};
    at.value = (t * sum + r * (w * w)) - 1.0;
    at.h.x *= b->n2 - 1.0;
    at.h.y *= b->n2 - 1.0;
    at.h.z *= b->n1 - 1.0;
    at.per_length = 1.0 / RPS_SQRT(dot(at.slope, at.slope));
    at.normal = scale(at.slope, at.per_length);
    return at;
}

INLINE rps_simd hessian(const local *at, wide3 u, wide3 w) {
    return ((at->h.x * u.x) * w.x + (at->h.y * u.y) * w.y + (at->h.z * u.z) * w.z) +
           at->k * (dot(at->ring, u) * dot(at->ring, w));
}

/* Shape operator in the tangent frame: uu, uw, ww. */
typedef struct bend {
    rps_simd uu, uw, ww;
} bend;

INLINE bend bend_of(const local *at, wide3 u, wide3 w) {
    return (bend){hessian(at, u, u) * at->per_length, hessian(at, u, w) * at->per_length,
                  hessian(at, w, w) * at->per_length};
}

INLINE rps_simd bend_size(const bend *w) {
    return magnitude(w->uu) + 2.0 * magnitude(w->uw) + magnitude(w->ww);
}

/* Distance of x from the surface to first order, m. */
INLINE rps_simd off(const body *b, const local *at) {
    return at->value / b->n1 * at->per_length;
}

/* x on the ray through it, on the surface: F + 1 is a power of the norm whose unit ball the body is. */
INLINE wide3 onto_surface(const body *b, wide3 x) {
    const rps_simd norm = larger(look(b, x).value + 1.0, RPS_ALL(1e-300));
    return scale(x, rps_pow_positive_simd(norm, -1.0 / b->n1));
}

/* Two unit vectors across n, as good as n (Duff et al. 2017, Building an orthonormal basis, revisited). */
INLINE void across(wide3 n, wide3 *u, wide3 *w) {
    const rps_simd one = RPS_ALL(1.0), sign = RPS_SELECT(n.z < 0.0, -one, one);
    const rps_simd a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    *u = (wide3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *w = (wide3){b, sign + n.y * n.y * a, -n.y};
}

/* Gradient of the mean curvature along the surface where the body is a sum of equal powers: the Hessian is diagonal, and so are the
 * third derivatives t. With G the length of the slope, A the sum of h and b that of h m^2, twice the mean curvature is (A - b)/G, and
 *     d/dx_k (A - b)/G = t_k (1 - m_k^2)/G - h_k m_k (A + 2 h_k - 3 b)/G^2. */
INLINE wide3 gradient_of_sum(const body *b, wide3 x, const local *at) {
    const wide3 m = at->normal, h = at->h, scaled = {x.x * b->per_axis.x, x.y * b->per_axis.y, x.z * b->per_axis.z};
    const rps_simd none = RPS_ALL(0.0), more = b->n1 - 2.0, small = RPS_ALL(1e-100), per = at->per_length;
    /* on the planes of symmetry t is zero, or jumps between two signs */
    const wide3 t = {RPS_SELECT(magnitude(scaled.x) < small, none, more * (h.x / x.x)),
                     RPS_SELECT(magnitude(scaled.y) < small, none, more * (h.y / x.y)),
                     RPS_SELECT(magnitude(scaled.z) < small, none, more * (h.z / x.z))};
    const rps_simd rest = ((h.x + h.y) + h.z) - 3.0 * ((h.x * m.x) * m.x + (h.y * m.y) * m.y + (h.z * m.z) * m.z);
    const wide3 g = {per * (t.x * (1.0 - m.x * m.x) - per * ((h.x * m.x) * (rest + 2.0 * h.x))),
                     per * (t.y * (1.0 - m.y * m.y) - per * ((h.y * m.y) * (rest + 2.0 * h.y))),
                     per * (t.z * (1.0 - m.z * m.z) - per * ((h.z * m.z) * (rest + 2.0 * h.z)))};
    const rps_simd along = dot(g, m);
    return scale(sub(g, scale(m, along)), RPS_ALL(0.5));
}

/* The same by central differences, as in rps_touch_curvature_gradient. */
INLINE wide3 gradient_by_differences(const body *b, wide3 x, wide3 u, wide3 w) {
    const wide3 way[2] = {u, w};
    const rps_simd h = 2e-4 / larger(larger(b->per_axis.x, b->per_axis.y), b->per_axis.z);
    rps_simd along[2];
    for (int k = 0; k < 2; k++) {
        rps_simd mean[2];
        for (int end = 0; end < 2; end++) {
            const local at = look(b, add(x, scale(way[k], end == 0 ? h : -h)));
            wide3 s, t;
            across(at.normal, &s, &t);
            mean[end] = 0.5 * (hessian(&at, s, s) + hessian(&at, t, t)) * at.per_length;
        }
        along[k] = (mean[0] - mean[1]) / (2.0 * h);
    }
    return add(scale(u, along[0]), scale(w, along[1]));
}

/* Below an exponent of 3 the third derivatives have no bound. */
INLINE wide3 gradient_of(const body *b, wide3 x, const local *at, wide3 u, wide3 w) {
    const rps_mask smooth = (b->n1 == b->n2) & ((b->n1 == 2.0) | (b->n1 >= 3.0)), other = ~smooth;
    const wide3 sum = gradient_of_sum(b, x, at);
    if (!any(&other)) return sum;
    const wide3 by = gradient_by_differences(b, x, u, w);
    return (wide3){RPS_SELECT(smooth, sum.x, by.x), RPS_SELECT(smooth, sum.y, by.y), RPS_SELECT(smooth, sum.z, by.z)};
}

/* --- a pair -------------------------------------------------------------------------------------------------------- */

/* Where Newton's method is. Body j's axes, but for the points and normals of i. */
typedef struct state {
    local i, j;
    wide3 u, w, u_i, w_i; /* tangent frame of n = j.normal; the same in the axes of i */
    bend bend_i, bend_j;
    rps_simd e[2], s; /* q along u, w and n */
    rps_simd c[2];    /* normal at x_i along u, w */
    rps_simd off_i, off_j;
    rps_simd residual;
} state;

INLINE state state_at(const body *i, const body *j, wide3 x_i, wide3 x_j, wide3 d, turn r, rps_simd per_size) {
    state a;
    a.i = look(i, x_i);
    a.j = look(j, x_j);
    across(a.j.normal, &a.u, &a.w);
    a.u_i = inward(r, a.u);
    a.w_i = inward(r, a.w);
    a.bend_i = bend_of(&a.i, a.u_i, a.w_i);
    a.bend_j = bend_of(&a.j, a.u, a.w);
    const wide3 q = add(d, sub(outward(r, x_i), x_j));
    a.e[0] = dot(q, a.u);
    a.e[1] = dot(q, a.w);
    a.s = dot(q, a.j.normal);
    a.c[0] = dot(a.i.normal, a.u_i);
    a.c[1] = dot(a.i.normal, a.w_i);
    a.off_i = off(i, &a.i);
    a.off_j = off(j, &a.j);
    /* at a high curvature the error of a normal counts as that of its point */
    const rps_simd soft = 1.0 / (1.0 + (bend_size(&a.bend_i) + bend_size(&a.bend_j)) / per_size);
    const rps_simd turned = magnitude(a.c[0]) + magnitude(a.c[1]);
    const rps_simd apart = (magnitude(a.e[0]) + magnitude(a.e[1])) * per_size;
    const rps_simd away = (magnitude(a.off_i) + magnitude(a.off_j)) * per_size;
    const rps_simd worst = larger(larger(turned * soft, apart), away), failed = RPS_ALL(1.0);
    const rps_simd against = dot(outward(r, a.i.normal), a.j.normal);
    a.residual = RPS_SELECT((turned > straight) & (worst < 2.0 * good), RPS_ALL(2.0 * good), worst);
    a.residual = RPS_SELECT(against < 0.0, a.residual, failed);
    a.residual = RPS_SELECT((turned + apart) + (away + soft) < 1e9, a.residual, failed); /* else not a number */
    return a;
}

/* The next points. Far steps are shortened and end on the surfaces. */
INLINE void step(const state *a, const body *i, const body *j, const rps_simd *size, wide3 *x_i, wide3 *x_j) {
    const bend *v = &a->bend_i, *w = &a->bend_j;
    const rps_simd j1 = 1.0 + a->s * w->uu, j2 = a->s * w->uw, j3 = 1.0 + a->s * w->ww;
    /* W_i (1 + s W_j) + W_j */
    const rps_simd m11 = (v->uu * j1 + v->uw * j2) + w->uu, m12 = (v->uu * j2 + v->uw * j3) + w->uw;
    const rps_simd m21 = (v->uw * j1 + v->ww * j2) + w->uw, m22 = (v->uw * j2 + v->ww * j3) + w->ww;
    const rps_simd b1 = (v->uu * a->e[0] + v->uw * a->e[1]) - a->c[0];
    const rps_simd b2 = (v->uw * a->e[0] + v->ww * a->e[1]) - a->c[1];
    const rps_simd per = 1.0 / (m11 * m22 - m12 * m21);
    rps_simd p = (m22 * b1 - m12 * b2) * per, q = (m11 * b2 - m21 * b1) * per;
    rps_simd f = (j1 * p + j2 * q) - a->e[0], g = (j2 * p + j3 * q) - a->e[1];
    const rps_simd far = larger(magnitude(p) + magnitude(q), magnitude(f) + magnitude(g));
    const rps_simd most = 0.5 * *size, part = RPS_SELECT(far > most, most / far, RPS_ALL(1.0));
    p *= part;
    q *= part;
    f *= part;
    g *= part;
    const wide3 y_i = sub(add(*x_i, add(scale(a->u_i, f), scale(a->w_i, g))), scale(a->i.normal, a->off_i));
    const wide3 y_j = sub(add(*x_j, add(scale(a->u, p), scale(a->w, q))), scale(a->j.normal, a->off_j));
    *x_i = y_i;
    *x_j = y_j;
    const rps_mask long_way = far > 1e-3 * *size;
    if (!any(&long_way)) return;
    const wide3 z_i = onto_surface(i, y_i), z_j = onto_surface(j, y_j);
    *x_i = (wide3){RPS_SELECT(long_way, z_i.x, y_i.x), RPS_SELECT(long_way, z_i.y, y_i.y),
                   RPS_SELECT(long_way, z_i.z, y_i.z)};
    *x_j = (wide3){RPS_SELECT(long_way, z_j.x, y_j.x), RPS_SELECT(long_way, z_j.y, y_j.y),
                   RPS_SELECT(long_way, z_j.z, y_j.z)};
}

INLINE wide3 choose(rps_mask mask, wide3 a, wide3 b) {
    return (wide3){RPS_SELECT(mask, a.x, b.x), RPS_SELECT(mask, a.y, b.y), RPS_SELECT(mask, a.z, b.z)};
}

/* The shape operator as a tensor; u, w: the tangent frame in world axes. */
INLINE void put_curve(rps_smooth_lane *curve, int c, const bend *b, wide3 u, wide3 w) {
    const wide3 s = add(scale(u, b->uu), scale(w, b->uw)), t = add(scale(u, b->uw), scale(w, b->ww));
    *(rps_simd *)(curve[0] + c) = u.x * s.x + w.x * t.x;
    *(rps_simd *)(curve[1] + c) = u.y * s.y + w.y * t.y;
    *(rps_simd *)(curve[2] + c) = u.z * s.z + w.z * t.z;
    *(rps_simd *)(curve[3] + c) = u.x * s.y + w.x * t.y;
    *(rps_simd *)(curve[4] + c) = u.x * s.z + w.x * t.z;
    *(rps_simd *)(curve[5] + c) = u.y * s.z + w.y * t.z;
}

INLINE void touch_superquadrics(rps_smooth_group *g, int c) {
    rps_smooth_body *at_i = &g->body[0], *at_j = &g->body[1];
    const turn turn_i = turn_of(at_i->turn, c), turn_j = turn_of(at_j->turn, c);
    const turn r = {inward(turn_j, turn_i.x), inward(turn_j, turn_i.y), inward(turn_j, turn_i.z)};
    const body i = body_of(at_i, c), j = body_of(at_j, c);
    const wide3 d = inward(turn_j, take(g->d, c));
    const rps_simd size = *(rps_simd *)(g->size + c), per_size = 1.0 / size;
    wide3 x_i = take(at_i->point, c), x_j = take(at_j->point, c);
    rps_simd last = RPS_ALL(1.0);
    state a = state_at(&i, &j, x_i, x_j, d, r, per_size);
    for (int k = 0; k < STEPS_MOST; k++) {
        const rps_mask open = (a.residual > good) | ((a.residual > perfect) & (last > close_by));
        last = a.residual;
        if (!any(&open)) break;
        wide3 y_i = x_i, y_j = x_j;
        step(&a, &i, &j, &size, &y_i, &y_j);
        x_i = choose(open, y_i, x_i);
        x_j = choose(open, y_j, x_j);
        a = state_at(&i, &j, x_i, x_j, d, r, per_size);
    }
    const wide3 n = outward(turn_j, a.j.normal), u = outward(turn_j, a.u), w = outward(turn_j, a.w);
    put(g->normal, c, n);
    *(rps_simd *)(g->overlap + c) = -a.s;
    *(rps_simd *)(g->found + c) = RPS_SELECT(a.residual <= good, RPS_ALL(1.0), RPS_ALL(0.0));
    put(at_i->branch, c, outward(turn_i, x_i));
    put(at_j->branch, c, outward(turn_j, x_j));
    put_curve(at_i->curve, c, &a.bend_i, u, w);
    put_curve(at_j->curve, c, &a.bend_j, u, w);
    *(rps_simd *)(at_i->mean + c) = 0.5 * (a.bend_i.uu + a.bend_i.ww);
    *(rps_simd *)(at_j->mean + c) = 0.5 * (a.bend_j.uu + a.bend_j.ww);
    if (!g->gradients) return;
    const wide3 none = {RPS_ALL(0.0), RPS_ALL(0.0), RPS_ALL(0.0)};
    const rps_mask overlaps = a.s < 0.0;
    put(at_i->gradient, c, none);
    put(at_j->gradient, c, none);
    if (!any(&overlaps)) return;
    const wide3 of_i = gradient_of(&i, x_i, &a.i, a.u_i, a.w_i), of_j = gradient_of(&j, x_j, &a.j, a.u, a.w);
    put(at_i->gradient, c, choose(overlaps, outward(turn_i, of_i), none));
    put(at_j->gradient, c, choose(overlaps, outward(turn_j, of_j), none));
}

INLINE rps_wide_ellipsoid ellipsoid_of(rps_smooth_body *b, int c, rps_wide_turn *to) {
    const rps_wide3 axis = rps_wide3_load(b->axis[0] + c, RPS_SMOOTH_GROUP);
    *to = rps_wide_turn_of(*(rps_simd *)(b->turn[0] + c), *(rps_simd *)(b->turn[1] + c), *(rps_simd *)(b->turn[2] + c),
                           *(rps_simd *)(b->turn[3] + c));
    return rps_wide_ellipsoid_of(*to, axis);
}

INLINE void put_ellipsoid(rps_smooth_body *b, int c, const rps_wide_ellipsoid *e, const rps_wide_support *at,
                          rps_wide3 n, const double sign) {
    const rps_wide_curve curve = rps_wide_curve_of(e, at, n);
    rps_wide3_store(b->branch[0] + c, RPS_SMOOTH_GROUP, rps_wide3_scale(at->x, RPS_ALL(sign)));
    for (int k = 0; k < 6; k++) *(rps_simd *)(b->curve[k] + c) = curve.w.s[k];
    *(rps_simd *)(b->mean + c) = curve.mean;
    rps_wide3_store(b->gradient[0] + c, RPS_SMOOTH_GROUP, rps_wide3_scale(curve.gradient, RPS_ALL(sign)));
}

/* Ellipsoids have a method of their own; the start is the normal at j's point. */
INLINE void touch_ellipsoids(rps_smooth_group *g, int c) {
    rps_wide_turn turn_i, turn_j;
    const rps_wide_ellipsoid i = ellipsoid_of(&g->body[0], c, &turn_i), j = ellipsoid_of(&g->body[1], c, &turn_j);
    const rps_wide3 axis = rps_wide3_load(g->body[1].axis[0] + c, RPS_SMOOTH_GROUP),
                    x = rps_wide3_load(g->body[1].point[0] + c, RPS_SMOOTH_GROUP);
    const rps_wide3 slope = {x.x / (axis.x * axis.x), x.y / (axis.y * axis.y), x.z / (axis.z * axis.z)};
    rps_wide_search s = {~(rps_mask){0}, {0}, RPS_ALL(INFINITY), {0}, {0}};
    const rps_wide_pair p =
        rps_wide_pair_find(&i, &j, rps_wide3_load(g->d[0] + c, RPS_SMOOTH_GROUP),
                           rps_wide3_normalize(rps_wide_outward(turn_j, slope)), *(rps_simd *)(g->size + c), &s);
    rps_wide3_store(g->normal[0] + c, RPS_SMOOTH_GROUP, p.n);
    *(rps_simd *)(g->overlap + c) = p.overlap;
    *(rps_simd *)(g->found + c) = RPS_KEEP(s.found, RPS_ALL(1.0));
    put_ellipsoid(&g->body[0], c, &i, &p.i, p.n, -1.0);
    put_ellipsoid(&g->body[1], c, &j, &p.j, p.n, 1.0);
}

void RPS_ISA_NAME(rps_smooth_touch)(rps_smooth_group *group) {
    for (int c = 0; c < RPS_SMOOTH_GROUP; c += RPS_WIDE) {
        if (group->ellipsoids) {
            touch_ellipsoids(group, c);
        } else {
            touch_superquadrics(group, c);
        }
    }
}

/* --- the start ----------------------------------------------------------------------------------------------------- */

/* The support point along n, in the body's axes; the support function is the dual norm of the direction times the
 * semi-axes. */
INLINE wide3 support(rps_smooth_body *b, int c, wide3 n, const bool ellipsoid) {
    const wide3 axis = take(b->axis, c), p = {axis.x * n.x, axis.y * n.y, axis.z * n.z};
    if (ellipsoid) {
        const rps_simd per = 1.0 / RPS_SQRT(dot(p, p));
        return (wide3){axis.x * (p.x * per), axis.y * (p.y * per), axis.z * (p.z * per)};
    }
    const rps_simd least = RPS_ALL(1e-300), n1 = *(rps_simd *)(b->exponent[0] + c),
                   n2 = *(rps_simd *)(b->exponent[1] + c);
    const rps_simd power1 = 1.0 / (n1 - 1.0), power2 = 1.0 / (n2 - 1.0);
    const rps_simd u = magnitude(p.x) + least, v = magnitude(p.y) + least, w = magnitude(p.z) + least;
    const rps_simd u1 = rps_pow_positive_simd(u, power2), v1 = rps_pow_positive_simd(v, power2);
    const rps_simd w1 = rps_pow_positive_simd(w, power1), sum = u1 * u + v1 * v;
    const rps_simd ring = rps_pow_positive_simd(sum, (n2 - 1.0) / n2), ring1 = rps_pow_positive_simd(ring, power1);
    const rps_simd total = ring1 * ring + w1 * w, length = rps_pow_positive_simd(total, (n1 - 1.0) / n1);
    const rps_simd part = length / total, both = part * ring1 * (ring / sum);
    const rps_simd x = axis.x * (both * u1), y = axis.y * (both * v1), z = axis.z * (part * w1);
    return (wide3){RPS_SELECT(p.x < 0.0, -x, x), RPS_SELECT(p.y < 0.0, -y, y), RPS_SELECT(p.z < 0.0, -z, z)};
}

INLINE void start_some(rps_smooth_group *g, int c, const bool ellipsoids) {
    const turn turn_i = turn_of(g->body[0].turn, c), turn_j = turn_of(g->body[1].turn, c);
    const wide3 d = take(g->d, c);
    const rps_simd distance = RPS_SQRT(dot(d, d));
    const wide3 n = scale(d, 1.0 / distance), n_i = inward(turn_i, (wide3){-n.x, -n.y, -n.z}), n_j = inward(turn_j, n);
    const wide3 x_i = support(&g->body[0], c, n_i, ellipsoids), x_j = support(&g->body[1], c, n_j, ellipsoids);
    put(g->body[0].point, c, x_i);
    put(g->body[1].point, c, x_j);
    *(rps_simd *)(g->overlap + c) = (dot(x_i, n_i) + dot(x_j, n_j)) - distance;
}

void RPS_ISA_NAME(rps_smooth_start)(rps_smooth_group *group) {
    for (int c = 0; c < RPS_SMOOTH_GROUP; c += RPS_WIDE) {
        if (group->ellipsoids) {
            start_some(group, c, true);
        } else {
            start_some(group, c, false);
        }
    }
}
