/*
 * Proofs that a common normal of two convex bodies is the one of the largest sep (pair_convex.c).
 *
 * Overlapping bodies with flat or sharp places. phi(m) = h(m) - m.x tells how much farther a body reaches along a unit
 * vector m than its point x. For a body with outward normal n at x this is at least 1/2 m.M m, M a tensor across n:
 *
 *   box           2 (half_k - |x_k|) e_k e_k, sum over its axes: |m_k| >= m_k^2
 *   cylinder      2 (R - rho) across its axis, rho t t along the circle through x, 2 (half - |z|) along its axis; for a
 *                 circle |p| - p.u >= (m.t)^2 / 2, p the part of m in its plane, u the direction of x, t across u
 *   smooth body   in both directions the radius of a ball that fits inside at x: its smallest radius of curvature, or more
 *
 * With x_i, x_j at a depth delta, l the smallest eigenvalue of M_i + M_j across n and c = m.n,
 *
 *   sep(m) <= -delta c - l/2 (1 - c^2), which is at most -delta for c >= 0 if l >= 2 delta.
 *
 * For c < 0 let s^2 = 1 - c^2. sep is concave and of degree 1, so sep(m) <= |c| delta - s l/2 by adding |c| n to m; and
 * sep(m) <= -|c| (W - delta) + s E by adding -m's part across n, W the width of both bodies along n, E the sum of their
 * sizes and their distance. The second is at most -delta for s up to s1 = (W - 2 delta)/(E + W - delta), the first beyond
 * if l s1 >= 4 delta. That is the condition.
 */
#include "detect/convex.h"

/* m -> 1/2 m.M m is used across n; what M has along n, a rounding error, costs |M n|^2 / l of sep. */
static const double ROUNDED = 1e-13;

static void add_square(rps_sym3 *t, double factor, rps_vec3 v) {
    const double part[6] = {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
    for (int k = 0; k < 6; k++) t->s[k] += factor * part[k];
}

static rps_vec3 axis_of_body(const rps_convex_body *b, int k) {
    return rps_vec3_make(b->turn.m[0][k], b->turn.m[1][k], b->turn.m[2][k]);
}

static void add_cylinder(rps_sym3 *sum, const rps_convex_body *b, rps_vec3 x) {
    const rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, x), axis = axis_of_body(b, 2);
    const double rho = sqrt(local.x * local.x + local.y * local.y);
    const double inside = rps_convex_max(b->half[0] - rho, 0.0),
                 below = rps_convex_max(b->half[2] - fabs(local.z), 0.0);
    for (int k = 0; k < 2; k++) add_square(sum, 2.0 * inside, axis_of_body(b, k));
    add_square(sum, 2.0 * below, axis);
    if (!(rho > 0.0)) return;
    const rps_vec3 around = rps_vec3_make(-local.y / rho, local.x / rho, 0.0);
    add_square(sum, rho, rps_mat3_mul_vec(&b->turn, around));
}

static void add_core(rps_sym3 *sum, const rps_convex_body *b, rps_vec3 x) {
    const rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, x);
    const double at[3] = {local.x, local.y, local.z};
    for (int k = 0; k < 3; k++) {
        add_square(sum, 2.0 * rps_convex_max(b->half[k] - fabs(at[k]), 0.0), axis_of_body(b, k));
    }
}

/* Radius of a ball that fits into the body at its surface point x (m). */
static double rolling_radius(const rps_convex_body *b, rps_vec3 x) {
    const rps_shape *shape = b->side->shape;
    const double *parameter = b->side->parameter;
    if (b->kind != RPS_CONVEX_SMOOTH) return 0.0;
    if (shape->ball_radius) return shape->ball_radius(parameter, rps_mat3_transpose_mul_vec(&b->turn, x));
    return shape->smallest_radius ? shape->smallest_radius(parameter) : 0.0;
}

static void add_reach(rps_sym3 *sum, const rps_convex_body *b, rps_vec3 x, rps_vec3 t1, rps_vec3 t2) {
    if (b->kind == RPS_CONVEX_CYLINDER) {
        add_cylinder(sum, b, x);
    } else if (b->kind == RPS_CONVEX_CORE) {
        add_core(sum, b, x);
    } else {
        const double radius = rolling_radius(b, x);
        add_square(sum, radius, t1);
        add_square(sum, radius, t2);
    }
}

static bool is_deepest(const rps_convex_pair *p, const rps_convex_guess *g, double depth) {
    rps_sym3 sum = {{0.0}};
    const rps_vec3 t1 = rps_vec3_any_across(g->n), t2 = rps_vec3_cross(g->n, t1);
    add_reach(&sum, &p->i, g->x_i, t1, t2);
    add_reach(&sum, &p->j, g->x_j, t1, t2);
    const double a = rps_sym3_between(&sum, t1, t1), b = rps_sym3_between(&sum, t1, t2);
    const double c = rps_sym3_between(&sum, t2, t2), half = 0.5 * (a - c);
    const double least = 0.5 * (a + c) - sqrt(half * half + b * b);
    const double n1 = rps_sym3_between(&sum, g->n, t1), n2 = rps_sym3_between(&sum, g->n, t2);
    if (!(n1 * n1 + n2 * n2 <= ROUNDED * p->size * least)) return false;
    rps_vec3 x_i, x_j;
    const double width = depth - rps_convex_separation(p, rps_vec3_neg(g->n), &x_i, &x_j);
    const double sizes = rps_vec3_norm(p->d) + (p->i.size + p->j.size);
    return least * (width - 2.0 * depth) >= 4.0 * depth * (sizes + width - depth);
}

bool rps_convex_proven(const rps_convex_pair *p, const rps_convex_guess *g, double *sep) {
    rps_vec3 a, b, r = rps_convex_between(p, g->x_i, g->x_j);
    *sep = rps_convex_separation(p, g->n, &a, &b);
    if (!(fabs(rps_vec3_dot(r, g->n) - *sep) <= 2e-13 * p->size)) return false;
    if (*sep > 0.0) return true;
    return -*sep <= rolling_radius(&p->i, g->x_i) + rolling_radius(&p->j, g->x_j) || is_deepest(p, g, -*sep);
}
