/*
 * Common normals of two cylinders by the places where a guess has its points: side, flat end or rim.
 *
 *   two sides       the normal is across both axes, the points are where the axes come nearest
 *   end and rim     the normal is that of the end
 *   side and rim    the point of the circle nearest to the axis, by Newton's method for its azimuth
 *
 * Each makes d + x_i - x_j lie along n by construction. Nearly parallel places and two rims are left to convex_newton.c.
 */
#include "detect/convex.h"

typedef enum cylinder_place { ON_SIDE, ON_END, ON_RIM, INSIDE } cylinder_place;

/* Sines of angles from which closed forms lose less than two digits; and from which the place of a rim is unique. */
static const double crossing = 1e-2, leaning = 1e-3, off_parallel = 1e-9;

static rps_vec3 turn_column(const rps_convex_body *b, int k) {
    return rps_vec3_make(b->turn.m[0][k], b->turn.m[1][k], b->turn.m[2][k]);
}

static cylinder_place cylinder_place_of(const rps_convex_body *b, rps_vec3 local) {
    const double close = 1.0 - 1e-9, rho2 = local.x * local.x + local.y * local.y;
    const bool around = rho2 >= b->half[0] * b->half[0] * close * close, ends = fabs(local.z) >= b->half[2] * close;
    return around && ends ? ON_RIM : around ? ON_SIDE : ends ? ON_END : INSIDE;
}

static bool two_sides(const rps_convex_pair *p, rps_convex_guess *g) {
    const rps_vec3 a = turn_column(&p->i, 2), b = turn_column(&p->j, 2), m = rps_vec3_cross(a, b);
    const double mm = rps_vec3_norm2(m);
    if (!(mm > crossing * crossing)) return false;
    const double length = sqrt(mm), t = rps_vec3_dot(rps_vec3_cross(b, p->d), m) / mm;
    const double u = rps_vec3_dot(b, rps_vec3_add_scaled(p->d, t, a));
    if (!(fabs(t) <= p->i.half[2] && fabs(u) <= p->j.half[2])) return false;
    const rps_vec3 n = rps_vec3_scale(m, (rps_vec3_dot(m, g->n) < 0.0 ? -1.0 : 1.0) / length);
    *g = (rps_convex_guess){n, rps_vec3_add_scaled(rps_vec3_scale(a, t), -p->i.half[0], n),
                            rps_vec3_add_scaled(rps_vec3_scale(b, u), p->j.half[0], n)};
    return true;
}

/* Bodies a and b in this order, from b to a: `away` leads from the origin of b to that of a. Found: the points, and the normal of
 * b's surface there, outward. */
typedef struct cylinder_pair {
    const rps_convex_body *a, *b;
    rps_vec3 away;
    rps_vec3 at_a, at_b; /* in the axes of the bodies; the guess */
    rps_vec3 x_a, x_b, out;
} cylinder_pair;

/* The rim of a on the end of b. */
static bool rim_on_end(cylinder_pair *c) {
    const double side = c->at_b.z < 0.0 ? -1.0 : 1.0;
    c->out = rps_vec3_scale(turn_column(c->b, 2), side);
    const double along = rps_vec3_dot(c->out, turn_column(c->a, 2));
    if (!(fabs(along) > off_parallel && 1.0 - along * along > leaning * leaning)) return false;
    c->x_a = rps_convex_support(c->a, rps_vec3_neg(c->out));
    const rps_vec3 point = rps_vec3_add(c->away, c->x_a);
    const double height = rps_vec3_dot(point, c->out);
    c->x_b = rps_vec3_add_scaled(point, c->b->half[2] - height, c->out);
    return rps_vec3_norm2(rps_vec3_add_scaled(point, -height, c->out)) <= c->b->half[0] * c->b->half[0];
}

/* The rim of a on the side of b: least distance of the circle center + r (cos u + sin v) from the axis of b. */
static bool rim_on_side(cylinder_pair *c) {
    const double r = c->a->half[0], z = c->at_a.z < 0.0 ? -c->a->half[2] : c->a->half[2];
    const rps_vec3 axis = turn_column(c->b, 2), u = turn_column(c->a, 0), v = turn_column(c->a, 1);
    const rps_vec3 up = rps_vec3_scale(turn_column(c->a, 2), z), center = rps_vec3_add(c->away, up);
    const rps_vec3 across = rps_vec3_reject(center, axis), u_across = rps_vec3_reject(u, axis),
                   v_across = rps_vec3_reject(v, axis);
    const double rho = sqrt(c->at_a.x * c->at_a.x + c->at_a.y * c->at_a.y);
    double cosine = c->at_a.x / rho, sine = c->at_a.y / rho, step = 1.0;
    rps_vec3 spoke = rps_vec3_zero();
    for (int pass = 0;; pass++) {
        spoke = rps_vec3_add(rps_vec3_scale(u_across, r * cosine), rps_vec3_scale(v_across, r * sine));
        if (fabs(step) <= 1e-8) break; /* steps square the error */
        if (pass == 6) return false;
        const rps_vec3 from = rps_vec3_add(across, spoke);
        const rps_vec3 slope = rps_vec3_sub(rps_vec3_scale(v_across, r * cosine), rps_vec3_scale(u_across, r * sine));
        const double bend = rps_vec3_norm2(slope) - rps_vec3_dot(from, spoke);
        if (!(bend > leaning * r * r)) return false;
        step = -rps_vec3_dot(from, slope) / bend;
        if (!(fabs(step) < 0.3)) return false;
        const double next = cosine - sine * step, other = sine + cosine * step,
                     length = sqrt(next * next + other * other);
        cosine = next / length;
        sine = other / length;
    }
    const rps_vec3 from = rps_vec3_add(across, spoke);
    const double distance = rps_vec3_norm(from);
    if (!(distance > 0.5 * c->b->half[0])) return false;
    c->x_a = rps_vec3_add(up, rps_vec3_add(rps_vec3_scale(u, r * cosine), rps_vec3_scale(v, r * sine)));
    c->out = rps_vec3_scale(from, 1.0 / distance);
    const double along = rps_vec3_dot(axis, rps_vec3_add(c->away, c->x_a));
    c->x_b = rps_vec3_add_scaled(rps_vec3_scale(axis, along), c->b->half[0], c->out);
    return fabs(along) <= c->b->half[2];
}

bool rps_convex_cylinders(const rps_convex_pair *p, rps_convex_guess *guess) {
    if (p->i.kind != RPS_CONVEX_CYLINDER || p->j.kind != RPS_CONVEX_CYLINDER) return false;
    const rps_vec3 at_i = rps_mat3_transpose_mul_vec(&p->i.turn, guess->x_i),
                   at_j = rps_mat3_transpose_mul_vec(&p->j.turn, guess->x_j);
    const cylinder_place of_i = cylinder_place_of(&p->i, at_i), of_j = cylinder_place_of(&p->j, at_j);
    if (of_i == ON_SIDE && of_j == ON_SIDE) return two_sides(p, guess);
    const bool rim_is_i = of_i == ON_RIM;
    const cylinder_place other = rim_is_i ? of_j : of_i;
    if (!(rim_is_i || of_j == ON_RIM) || !(other == ON_END || other == ON_SIDE)) return false;
    cylinder_pair c = {.a = &p->i, .b = &p->j, .away = p->d, .at_a = at_i, .at_b = at_j};
    if (!rim_is_i) c = (cylinder_pair){.a = &p->j, .b = &p->i, .away = rps_vec3_neg(p->d), .at_a = at_j, .at_b = at_i};
    if (!(other == ON_END ? rim_on_end(&c) : rim_on_side(&c))) return false;
    *guess = rim_is_i ? (rps_convex_guess){c.out, c.x_a, c.x_b} : (rps_convex_guess){rps_vec3_neg(c.out), c.x_b, c.x_a};
    return true;
}
