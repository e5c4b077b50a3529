/* Least distances of an oval from points, edges and triangles; mesh_oval.h has the idea. */
#include "detect/mesh_oval.h"

#include <math.h>

#include "detect/mesh_oval_parts.h"

/* Of the size: a foot that leaves a face by no more is in it, so that edges within a plane do not matter; its distance is
 * wrong by the square. */
static const double FACE_SLACK = 1e-12;

enum { SEMI_AXES_OF_OVAL = 3 }; /* numbers of a superquadric before its exponents */

static bool oval_is_ellipsoid(const rps_shape *shape, const double *parameter) {
    const double *n = parameter + SEMI_AXES_OF_OVAL;
    return shape == &rps_shape_ellipsoid || (shape == &rps_shape_superquadric && n[0] == 2.0 && n[1] == 2.0);
}

const char *rps_mesh_oval_refuses(const rps_shape *shape, const double *parameter) {
    if (shape == &rps_shape_ellipsoid) return NULL;
    if (shape != &rps_shape_superquadric) return "it is neither an ellipsoid nor a superquadric";
    const double *n = parameter + SEMI_AXES_OF_OVAL;
    return n[0] >= 2.0 && n[1] >= 2.0 ? NULL
                                      : "superquadrics touch meshes with exponents from 2 on, not with sharper edges";
}

rps_mesh_oval rps_mesh_oval_of(const rps_shape *shape, const double *parameter, rps_vec3 centre, rps_quat turn) {
    rps_mesh_oval b = {.centre = centre, .turn = turn};
    for (int k = 0; k < 3; k++) b.square[k] = parameter[k] * parameter[k];
    if (!oval_is_ellipsoid(shape, parameter)) b.exponents = parameter + SEMI_AXES_OF_OVAL;
    return b;
}

double rps_mesh_oval_least(const rps_shape *shape, const double *parameter) {
    return oval_is_ellipsoid(shape, parameter) ? rps_shape_ellipsoid.smallest_radius(parameter)
                                               : shape->smallest_radius(parameter);
}

static const double *superquadric_of(const rps_mesh_oval *body) {
    return body->exponents - SEMI_AXES_OF_OVAL;
}

static rps_vec3 from_centre(const rps_mesh_oval *body, rps_vec3 x) {
    return rps_quat_rotate_inverse(body->turn, rps_vec3_sub(x, body->centre));
}

/* The farthest point along the unit vector n, from the centre, in the axes of the oval. */
static rps_vec3 oval_farthest(const rps_mesh_oval *body, rps_vec3 n) {
    return body->exponents == NULL ? rps_ellipsoid_farthest(body->square, n)
                                   : rps_shape_superquadric.support(superquadric_of(body), n);
}

double rps_mesh_oval_support(const rps_mesh_oval *body, rps_vec3 n) {
    const rps_vec3 local = rps_quat_rotate_inverse(body->turn, n);
    return rps_vec3_dot(local, oval_farthest(body, local));
}

rps_vec3 rps_mesh_oval_foot_of(const rps_mesh_oval *body, rps_vec3 n, double overlap) {
    const rps_vec3 low = oval_farthest(body, rps_quat_rotate_inverse(body->turn, rps_vec3_neg(n)));
    return rps_vec3_add_scaled(rps_vec3_add(body->centre, rps_quat_rotate(body->turn, low)), overlap, n);
}

/* --- places on the mesh ---------------------------------------------------------------------------------------------- */

rps_oval_foot rps_mesh_oval_point(const rps_mesh_oval *body, rps_vec3 point) {
    const rps_vec3 x = from_centre(body, point);
    const rps_oval_place at = body->exponents == NULL ? rps_ellipsoid_nearest(body->square, x)
                                                      : rps_superquadric_nearest(superquadric_of(body), x);
    return (rps_oval_foot){.point = point,
                           .normal = rps_quat_rotate(body->turn, rps_vec3_neg(at.out)),
                           .distance = at.distance,
                           .is = RPS_FOOT_CORNER};
}

rps_oval_foot rps_mesh_oval_edge(const rps_mesh_oval *body, const rps_mesh_face *face, int k) {
    const int next = k < 2 ? k + 1 : 0;
    const bool ordered = face->corner[k] < face->corner[next];
    const rps_vec3 a = rps_vec3_of(face->point[ordered ? k : next]), b = rps_vec3_of(face->point[ordered ? next : k]);
    const rps_vec3 from = from_centre(body, a), along = rps_quat_rotate_inverse(body->turn, rps_vec3_sub(b, a));
    const double length = rps_vec3_norm(along);
    const rps_vec3 e = rps_vec3_scale(along, 1.0 / length);
    double way;
    const rps_oval_place at = body->exponents == NULL
                                  ? rps_ellipsoid_nearest_line(body->square, from, e, &way)
                                  : rps_superquadric_nearest_segment(superquadric_of(body), from, e, length, &way);
    if (!(way > 0.0)) return rps_mesh_oval_point(body, a);
    if (way >= length) return rps_mesh_oval_point(body, b);
    return (rps_oval_foot){.point = rps_vec3_add_scaled(a, way / length, rps_vec3_sub(b, a)),
                           .normal = rps_quat_rotate(body->turn, rps_vec3_neg(at.out)),
                           .distance = at.distance,
                           .is = RPS_FOOT_EDGE,
                           .along = rps_quat_rotate(body->turn, e)};
}

double rps_mesh_oval_height(const rps_mesh_oval *body, const rps_mesh_face *face) {
    const rps_vec3 n = rps_vec3_of(face->normal);
    const rps_vec3 from = rps_vec3_sub(body->centre, rps_vec3_of(face->point[0]));
    return fabs(rps_vec3_dot(n, from)) - rps_mesh_oval_support(body, n);
}

/* True if a point of the plane lies beyond edge k by more than rounding: `slack` (m). */
static bool lies_beyond(const rps_mesh_face *face, int k, rps_vec3 x, double slack) {
    const rps_vec3 a = rps_vec3_of(face->point[k]), b = rps_vec3_of(face->point[k < 2 ? k + 1 : 0]);
    const rps_vec3 inwards = rps_vec3_cross(rps_vec3_of(face->normal), rps_vec3_sub(b, a));
    const double inside = rps_vec3_dot(inwards, rps_vec3_sub(x, a));
    return !(inside > 0.0) && inside * inside > (slack * slack) * rps_vec3_norm2(inwards);
}

rps_oval_foot rps_mesh_oval_triangle(const rps_mesh_oval *body, const rps_mesh_face *face) {
    const rps_vec3 a = rps_vec3_of(face->point[0]);
    rps_vec3 n = rps_vec3_of(face->normal);
    if (rps_vec3_dot(n, rps_vec3_sub(body->centre, a)) < 0.0) n = rps_vec3_neg(n);
    const rps_vec3 low = oval_farthest(body, rps_quat_rotate_inverse(body->turn, rps_vec3_neg(n)));
    const rps_vec3 lowest = rps_vec3_add(body->centre, rps_quat_rotate(body->turn, low));
    const double height = rps_vec3_dot(n, rps_vec3_sub(lowest, a));
    const rps_vec3 foot = rps_vec3_add_scaled(lowest, -height, n);
    rps_oval_foot out = {.point = foot, .normal = n, .distance = height, .is = RPS_FOOT_FACE};
    const double slack = FACE_SLACK * rps_vec3_norm(low);
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        if (!lies_beyond(face, k, foot, slack)) continue;
        const rps_oval_foot one = rps_mesh_oval_edge(body, face, k);
        if (inside || one.distance < out.distance) out = one;
        inside = false;
    }
    return out;
}

/* --- curvature ------------------------------------------------------------------------------------------------------- */

/* The solution of a symmetric or other 2 x 2 system. */
static void solve_two(double a, double b, double c, double d, double x, double y, double out[2]) {
    const double det = a * d - b * c;
    out[0] = (d * x - b * y) / det;
    out[1] = (a * y - c * x) / det;
}

/* W^-1 times a vector, with principal curvatures of W that are at least `least`, as in track_frame_kernel.c. */
static void apply_inverse(const rps_oval_curve *at, double least, double x, double y, double out[2]) {
    const double a_over = at->uu - least, d_over = at->ww - least, b = at->uw;
    if (a_over > 0.0 && d_over > 0.0 && a_over * d_over > b * b) {
        solve_two(at->uu, b, b, at->ww, x, y, out);
        return;
    }
    const double mean = 0.5 * (at->uu + at->ww), half = 0.5 * (at->uu - at->ww), radius = sqrt(half * half + b * b);
    const double large = mean + radius, small = mean - radius;
    const double per_large = 1.0 / (large > least ? large : least), per_small = 1.0 / (small > least ? small : least);
    const double centre = 0.5 * (per_large + per_small);
    const double swing = radius > 0.0 ? 0.5 * (per_large - per_small) / radius : 0.0;
    out[0] = (centre + swing * half) * x + swing * b * y;
    out[1] = swing * b * x + (centre - swing * half) * y;
}

static rps_oval_curve oval_curve_of(const rps_mesh_oval *body, rps_vec3 m, rps_vec3 u, rps_vec3 w, bool gradient) {
    return body->exponents == NULL ? rps_ellipsoid_curve(body->square, m, u, w)
                                   : rps_superquadric_curve(superquadric_of(body), m, u, w, gradient);
}

/*
 * H is a function of the outward normal m. Where the body moves by x and turns by t, the point of contact moves on it by p:
 *
 *   face    W p = m x t                              the normal of the face is carried against the body
 *   corner  (1 + distance W) p = -(motion of the body at the foot), its tangential part
 *   edge    along it the first kind, across it the second
 *
 * with the shape operator W, and H changes by grad H . p.
 */
rps_oval_bend rps_mesh_oval_bend(const rps_mesh_oval *body, const rps_oval_foot *foot) {
    const rps_vec3 m = rps_quat_rotate_inverse(body->turn, rps_vec3_neg(foot->normal));
    const rps_vec3 u =
        foot->is == RPS_FOOT_EDGE ? rps_quat_rotate_inverse(body->turn, foot->along) : rps_vec3_any_across(m);
    const rps_vec3 w = rps_vec3_cross(u, m); /* across an edge: the normal times its direction */
    const rps_oval_curve at = oval_curve_of(body, m, u, w, true);
    if (!(at.mean > body->flat)) return (rps_oval_bend){.mean = body->flat};
    const double d = foot->distance, least = 2.0 * body->flat; /* of both bodies the sum counts, and half of it */
    rps_vec3 force = rps_vec3_zero(), torque = rps_vec3_zero();
    double by[2];
    if (foot->is == RPS_FOOT_FACE) {
        apply_inverse(&at, least, at.gu, at.gw, by);
        torque = rps_vec3_cross(rps_vec3_add(rps_vec3_scale(u, by[0]), rps_vec3_scale(w, by[1])), m);
    } else if (foot->is == RPS_FOOT_CORNER) {
        solve_two(1.0 + d * at.uu, d * at.uw, d * at.uw, 1.0 + d * at.ww, at.gu, at.gw, by);
        force = rps_vec3_add(rps_vec3_scale(u, -by[0]), rps_vec3_scale(w, -by[1]));
    } else {
        solve_two(at.uu > least ? at.uu : least, d * at.uw, at.uw, 1.0 + d * at.ww, at.gu, at.gw, by);
        torque = rps_vec3_scale(rps_vec3_cross(u, m), by[0]);
        force = rps_vec3_scale(w, -by[1]);
    }
    return (rps_oval_bend){at.mean, rps_quat_rotate(body->turn, force), rps_quat_rotate(body->turn, torque)};
}

double rps_mesh_oval_mean(const rps_mesh_oval *body, const rps_oval_foot *foot) {
    const rps_vec3 m = rps_quat_rotate_inverse(body->turn, rps_vec3_neg(foot->normal)), u = rps_vec3_any_across(m);
    const double mean = oval_curve_of(body, m, u, rps_vec3_cross(u, m), false).mean;
    return mean > body->flat ? mean : body->flat;
}
