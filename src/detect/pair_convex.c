/*
 * The general convex pair. A direction that proves separation ends the call. Else closed forms of two cylinders
 * (convex_cylinders.c) or Newton's method start from the last points, the last normal or a cheap guess, and a proof
 * shows that the result is the maximum of sep over all directions. Only if the proof fails do polytopes search the
 * maximum (convex_expand.c).
 *
 * Proofs. Separated: the points are in the bodies, so their distance bounds the maximum from above; it equals sep(n).
 * Overlapping: where every radius of curvature of both surfaces is at least rho_i, rho_j, a ball of radius
 * rho_i + rho_j rolls freely inside Q (Blaschke), so a critical point less deep than that is the least deep of all. It
 * is enough that balls of these radii fit into the bodies at the two points, as they do off the ridges of superquadrics.
 * For flat and sharp bodies convex_proof.c looks at the places where they touch.
 * Cores (boxes, segments, points with a radius around them) are separated up to an overlap of their radii.
 */
#include "detect/pair_convex.h"

#include "detect/convex.h"

static rps_convex_body make_body(const rps_side *side) {
    const rps_shape *shape = side->shape;
    rps_convex_body b = {.side = side, .turn = rps_quat_to_mat3(side->orientation)};
    b.size = shape->bounding_radius(side->parameter);
    if (shape->core) {
        rps_shape_core core = shape->core(side->parameter);
        b.kind = RPS_CONVEX_CORE;
        for (int k = 0; k < 3; k++) b.half[k] = core.half[k];
        b.radius = core.radius;
    } else if (shape == &rps_shape_cylinder) {
        double r = side->parameter[0], half = 0.5 * side->parameter[1];
        b.kind = RPS_CONVEX_CYLINDER;
        b.half[0] = b.half[1] = r;
        b.half[2] = half;
    }
    return b;
}

/* A point of the core close to `to` (m, from its origin): where Newton's method starts on flat and sharp bodies. */
static rps_vec3 core_near(const rps_convex_body *b, rps_vec3 to) {
    rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, to);
    if (b->kind == RPS_CONVEX_CYLINDER) {
        double rho = sqrt(local.x * local.x + local.y * local.y);
        if (rho > b->half[0]) {
            local.x *= b->half[0] / rho;
            local.y *= b->half[0] / rho;
        }
    } else {
        local.x = rps_convex_max(rps_convex_min(local.x, b->half[0]), -b->half[0]);
        local.y = rps_convex_max(rps_convex_min(local.y, b->half[1]), -b->half[1]);
    }
    local.z = rps_convex_max(rps_convex_min(local.z, b->half[2]), -b->half[2]);
    return rps_mat3_mul_vec(&b->turn, local);
}

/* Outward normal of the body's surface near the point where the ray from its origin along v leaves it. */
static rps_vec3 facing(const rps_convex_body *b, rps_vec3 v) {
    rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, v);
    rps_vec3 slope = b->side->shape->gradient(b->side->parameter, local);
    return rps_mat3_mul_vec(&b->turn, rps_vec3_normalize(slope));
}

/* sep(n); becomes the guess if it is the best so far. */
static void consider(const rps_convex_pair *p, rps_vec3 n, rps_convex_guess *best, double *sep) {
    rps_vec3 x_i, x_j;
    if (!(rps_vec3_norm2(n) > 0.0) || !rps_vec3_is_finite(n)) return;
    n = rps_vec3_normalize(n);
    double s = rps_convex_separation(p, n, &x_i, &x_j);
    if (s > *sep) {
        *sep = s;
        *best = (rps_convex_guess){n, x_i, x_j};
    }
}

/* Tries cheap directions: the line of centres, and the normals where it leaves the bodies. */
static void consider_cheap(const rps_convex_pair *p, double enough, rps_convex_guess *best, double *sep) {
    consider(p, p->d, best, sep);
    if (*sep > enough || !(rps_vec3_norm2(p->d) > 0.0)) return;
    rps_vec3 n_i = facing(&p->i, rps_vec3_neg(p->d)), n_j = facing(&p->j, p->d);
    consider(p, rps_vec3_neg(n_i), best, sep);
    if (*sep > enough) return;
    consider(p, n_j, best, sep);
    if (*sep > enough) return;
    consider(p, rps_vec3_sub(n_j, n_i), best, sep);
}

/* The guess with points of flat and sharp bodies that are closer to each other than corners are. Overlapping bodies are moved apart
 * along the normal until they touch; else the points would meet inside both. Of two flat and sharp bodies the one begins
 * whose support point is closer to the other body: that of a face may lie far from the contact. */
static rps_convex_guess approached(const rps_convex_pair *p, double sep, const rps_convex_guess *from) {
    rps_convex_guess at = *from, *g = &at;
    const rps_vec3 d = sep < 0.0 ? rps_vec3_add_scaled(p->d, -sep, g->n) : p->d;
    bool flat_i = p->i.kind != RPS_CONVEX_SMOOTH, flat_j = p->j.kind != RPS_CONVEX_SMOOTH;
    if (flat_i && flat_j) {
        const rps_vec3 by_i = core_near(&p->j, rps_vec3_add(g->x_i, d)),
                       by_j = core_near(&p->i, rps_vec3_sub(g->x_j, d));
        const rps_vec3 from_i = rps_vec3_sub(rps_vec3_add(d, g->x_i), by_i);
        const rps_vec3 from_j = rps_vec3_sub(rps_vec3_add(d, by_j), g->x_j);
        if (rps_vec3_norm2(from_i) < rps_vec3_norm2(from_j)) g->x_j = by_i;
    }
    for (int k = 0; k < (flat_i && flat_j ? 4 : 1); k++) {
        if (flat_i) g->x_i = core_near(&p->i, rps_vec3_sub(g->x_j, d));
        if (flat_j) g->x_j = core_near(&p->j, rps_vec3_add(g->x_i, d));
    }
    return at;
}

/* A closed form or Newton's method from a guess; a proven result replaces *best and *sep. */
static bool find_from(const rps_convex_pair *p, rps_convex_guess guess, rps_convex_guess *best, double *sep,
                      int *steps) {
    double found;
    rps_convex_guess closed = guess;
    if (rps_convex_cylinders(p, &closed) && rps_convex_proven(p, &closed, &found)) {
        guess = closed;
    } else if (!rps_convex_newton(p, &guess, steps) || !rps_convex_proven(p, &guess, &found)) {
        return false;
    }
    *best = guess;
    *sep = found;
    return true;
}

/* The points of the last contact, on the cores. */
static rps_convex_guess points_of(const rps_convex_pair *p, const rps_touch_start *from) {
    return (rps_convex_guess){from->normal, rps_vec3_add_scaled(from->branch_i, p->i.radius, from->normal),
                              rps_vec3_add_scaled(from->branch_j, -p->j.radius, from->normal)};
}

rps_touch_result rps_convex_touch_steps(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff,
                                        const rps_touch_start *warm, rps_touch *out, int *steps) {
    rps_convex_pair p = {.i = make_body(i), .j = make_body(j), .d = d};
    int unused = 0, *count = steps ? steps : &unused;
    *count = 0;
    p.size = rps_convex_max(p.i.size, p.j.size);
    double radii = p.i.radius + p.j.radius, enough = cutoff + radii, sep = -INFINITY;
    rps_convex_guess g = {.n = rps_vec3_make(0.0, 0.0, 1.0)};
    bool found = warm && warm->points && find_from(&p, points_of(&p, warm), &g, &sep, count);
    if (!found && warm) {
        consider(&p, warm->normal, &g, &sep);
        if (!(sep > enough) && sep > -INFINITY) found = find_from(&p, approached(&p, sep, &g), &g, &sep, count);
    }
    if (!found && !(sep > enough)) {
        consider_cheap(&p, enough, &g, &sep);
        if (!(sep > enough)) found = find_from(&p, approached(&p, sep, &g), &g, &sep, count);
    }
    if (!found && !(sep > enough)) {
        rps_vec3 a, b;
        found = rps_convex_expand(&p, enough, &g, count);
        sep = rps_convex_separation(&p, g.n, &a, &b);
    }
    if (sep > enough) {
        out->overlap = radii - sep;
        return RPS_TOUCH_APART;
    }
    out->normal = g.n;
    out->branch_i = rps_vec3_add_scaled(g.x_i, -p.i.radius, g.n);
    out->branch_j = rps_vec3_add_scaled(g.x_j, p.j.radius, g.n);
    out->overlap = radii - rps_vec3_dot(g.n, rps_convex_between(&p, g.x_i, g.x_j));
    out->curve_i = rps_convex_curve(i, out->branch_i, g.n);
    out->curve_j = rps_convex_curve(j, out->branch_j, g.n);
    double width = rps_convex_min(i->shape->smallest_width(i->parameter), j->shape->smallest_width(j->parameter));
    return found && out->overlap <= 0.1 * width ? RPS_TOUCH_FOUND : RPS_TOUCH_DEEP;
}

rps_touch_result rps_convex_touch(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff,
                                  const rps_touch_start *warm, rps_touch *out) {
    return rps_convex_touch_steps(i, j, d, cutoff, warm, out, NULL);
}

double rps_convex_gap(const rps_side *i, const rps_side *j, rps_vec3 d) {
    double size = rps_convex_min(i->shape->bounding_radius(i->parameter), j->shape->bounding_radius(j->parameter));
    rps_touch touch;
    rps_convex_touch(i, j, d, 0.01 * size, NULL, &touch);
    return -touch.overlap;
}
