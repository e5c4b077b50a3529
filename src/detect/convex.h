/*
 * Parts of the general convex pair (pair_convex.c), in one frame: the world's axes, origin at the origin of body j.
 *
 * With x_i, x_j points of the two bodies, q = d + x_i - x_j covers a convex set Q, with farthest extent sep(n) = min
 * n.q against n. Its maximum over the unit vectors n is the distance of Q from 0 if 0 lies outside, and minus the
 * depth of 0 below the surface of Q if it lies inside. Bodies that are a core and a radius around it enter as the
 * core; the radii only shift sep.
 */
#ifndef RPS_DETECT_CONVEX_H
#define RPS_DETECT_CONVEX_H

#include "detect/touch.h"

typedef enum rps_convex_kind { RPS_CONVEX_SMOOTH, RPS_CONVEX_CORE, RPS_CONVEX_CYLINDER } rps_convex_kind;

typedef struct rps_convex_body {
    const rps_side *side;
    rps_convex_kind kind;
    rps_mat3 turn;  /* from the shape's axes to the world's */
    double half[3]; /* m, of the core; of a cylinder {radius, radius, half length} */
    double radius;  /* m, around the core */
    double size;    /* m, bounding radius */
} rps_convex_body;

typedef struct rps_convex_pair {
    rps_convex_body i, j;
    rps_vec3 d;  /* m, origin of i less origin of j */
    double size; /* m, the larger of both */
} rps_convex_pair;

/* A normal and the corresponding points of the cores (m, from the origins of their bodies). */
typedef struct rps_convex_guess {
    rps_vec3 n, x_i, x_j;
} rps_convex_guess;

static inline double rps_convex_min(double a, double b) {
    return a < b ? a : b;
}

static inline double rps_convex_max(double a, double b) {
    return a > b ? a : b;
}

/* The support point; the middle of an edge or a face of equally far points. */
static inline double rps_convex_end(double half, double along) {
    return along > 0.0 ? half : along < 0.0 ? -half : 0.0;
}

static inline rps_vec3 rps_convex_support(const rps_convex_body *b, rps_vec3 direction) {
    rps_vec3 local = rps_mat3_transpose_mul_vec(&b->turn, direction), x;
    if (b->kind == RPS_CONVEX_CORE) {
        x = rps_vec3_make(rps_convex_end(b->half[0], local.x), rps_convex_end(b->half[1], local.y),
                          rps_convex_end(b->half[2], local.z));
    } else {
        x = b->side->shape->support(b->side->parameter, local);
    }
    return rps_mat3_mul_vec(&b->turn, x);
}

/* d + x_i - x_j */
static inline rps_vec3 rps_convex_between(const rps_convex_pair *p, rps_vec3 x_i, rps_vec3 x_j) {
    return rps_vec3_add(p->d, rps_vec3_sub(x_i, x_j));
}

/* sep(n) of the cores, m, and where it is taken. */
static inline double rps_convex_separation(const rps_convex_pair *p, rps_vec3 n, rps_vec3 *x_i, rps_vec3 *x_j) {
    *x_i = rps_convex_support(&p->i, rps_vec3_neg(n));
    *x_j = rps_convex_support(&p->j, n);
    return rps_vec3_dot(n, rps_convex_between(p, *x_i, *x_j));
}

/* Newton's method on the conditions of a common normal, from a close guess, which stays unchanged if the method
 * fails. `steps` counts iterations. The result is a critical point of sep, not always its maximum. */
bool rps_convex_newton(const rps_convex_pair *p, rps_convex_guess *guess, int *steps);

/* The same for two cylinders, in closed form or nearly, where the guess has its points on places that allow it and stay so. The
 * guess must be proven; it stays unchanged if this fails. */
bool rps_convex_cylinders(const rps_convex_pair *p, rps_convex_guess *guess);

/* True if the cheap proofs of pair_convex.c show that the common normal is the maximum of sep. Sets *sep of the cores, m. */
bool rps_convex_proven(const rps_convex_pair *p, const rps_convex_guess *guess, double *sep);

/* The maximum of sep by polytopes inside Q, which bound it from above while the directions tried bound it from below,
 * with Newton's method at the end. Stops as soon as sep is known to exceed `enough`. The guess becomes the best
 * direction found. False if memory ran out before the bounds met and the guess is neither a common normal to rounding
 * nor within 1e-6 of the size of the maximum. */
bool rps_convex_expand(const rps_convex_pair *p, double enough, rps_convex_guess *guess, int *steps);

/* The shape operator, 1/m, at a surface point (arm from the origin of the shape, m) across n, which is the normal
 * there or its opposite. For the laws, edges and corners have the curvature of a rounding of RPS_CORE_SHARP of the
 * smallest half extent. */
rps_sym3 rps_convex_curve(const rps_side *side, rps_vec3 branch, rps_vec3 n);

#endif
