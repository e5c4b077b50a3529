/* Least distances of an ellipsoid from points, edges and triangles; mesh_ellipsoid.h has the idea. */
#include "detect/mesh_ellipsoid.h"

#include <math.h>

enum { STEPS_MOST = 64 };                    /* of Newton's method; ten are many */
static const double ROUNDED = 4.0 * 0x1p-52; /* relative change of the root at which rounding takes over */
/* Of the size: a foot that leaves a face by no more is in it, so that edges within a plane do not matter; its distance is
 * wrong by the square. */
static const double FACE_SLACK = 1e-12;

/* --- ellipse and ellipsoid in their own axes ------------------------------------------------------------------------- */

/* For a point y the nearest point of the surface is a^2 m with m = y/(t + a^2), sum a^2 m^2 = 1, and y is t m farther. Sets m,
 * an outward normal, and returns t. */
static double nearest_root(int axes, const double *square, const double *y, double *m) {
    int least = 0;
    double t = -INFINITY;
    for (int k = 0; k < axes; k++) {
        if (square[k] < square[least]) least = k;
        const double from = sqrt(square[k]) * fabs(y[k]) - square[k]; /* one term alone is 1: left of the root */
        t = from > t ? from : t;
    }
    const double lowest = -square[least];
    /* Near the middle of the body the nearest points are two, across the shortest axis. */
    double others = 0.0;
    for (int k = 0; k < axes; k++) {
        m[k] = square[k] > -lowest ? y[k] / (lowest + square[k]) : 0.0;
        others += square[k] * (m[k] * m[k]);
    }
    if (!(t > lowest) && others < 1.0) {
        m[least] = sqrt((1.0 - others) / square[least]);
        return lowest;
    }
    for (int step = 0; step < STEPS_MOST; step++) {
        double excess = -1.0, slope = 0.0;
        for (int k = 0; k < axes; k++) {
            const double below = t + square[k];
            m[k] = y[k] == 0.0 ? 0.0 : y[k] / below;
            const double term = square[k] * (m[k] * m[k]);
            excess += term;
            slope += y[k] == 0.0 ? 0.0 : term / below;
        }
        const double by = excess / (2.0 * slope);
        if (!(fabs(by) > ROUNDED * (t - lowest))) break;
        t += by;
    }
    return t;
}

/* --- places on the mesh ---------------------------------------------------------------------------------------------- */

static rps_vec3 from_centre(const rps_mesh_ellipsoid *body, rps_vec3 x) {
    return rps_quat_rotate_inverse(body->turn, rps_vec3_sub(x, body->centre));
}

static rps_vec3 times_square(const rps_mesh_ellipsoid *body, rps_vec3 x) {
    return rps_vec3_make(body->square[0] * x.x, body->square[1] * x.y, body->square[2] * x.z);
}

/* The farthest point along the unit vector n, from the centre, in the axes of the ellipsoid. */
static rps_vec3 ellipsoid_farthest(const rps_mesh_ellipsoid *body, rps_vec3 n) {
    const rps_vec3 x = times_square(body, n);
    return rps_vec3_scale(x, 1.0 / sqrt(rps_vec3_dot(n, x)));
}

double rps_mesh_ellipsoid_support(const rps_mesh_ellipsoid *body, rps_vec3 n) {
    const rps_vec3 local = rps_quat_rotate_inverse(body->turn, n);
    return sqrt(rps_vec3_dot(local, times_square(body, local)));
}

rps_vec3 rps_mesh_ellipsoid_foot_of(const rps_mesh_ellipsoid *body, rps_vec3 n, double overlap) {
    const rps_vec3 low = ellipsoid_farthest(body, rps_quat_rotate_inverse(body->turn, rps_vec3_neg(n)));
    return rps_vec3_add_scaled(rps_vec3_add(body->centre, rps_quat_rotate(body->turn, low)), overlap, n);
}

rps_ellipsoid_foot rps_mesh_ellipsoid_point(const rps_mesh_ellipsoid *body, rps_vec3 point) {
    const rps_vec3 x = from_centre(body, point);
    double m[3];
    const double t = nearest_root(3, body->square, (const double[]){x.x, x.y, x.z}, m);
    const rps_vec3 out = rps_vec3_of(m);
    const double size = rps_vec3_norm(out);
    return (rps_ellipsoid_foot){.point = point,
                                .normal = rps_quat_rotate(body->turn, rps_vec3_scale(out, -1.0 / size)),
                                .distance = t * size,
                                .is = RPS_FOOT_CORNER};
}

/* Turns the axes u, w across a line so that those of the shadow lie along them, and sets its squared semi-axes. */
static void shadow_axes(const rps_mesh_ellipsoid *body, rps_vec3 *u, rps_vec3 *w, double square[2]) {
    const rps_vec3 au = times_square(body, *u), aw = times_square(body, *w);
    const double uu = rps_vec3_dot(*u, au), uw = rps_vec3_dot(*u, aw), ww = rps_vec3_dot(*w, aw);
    const double apart = 0.5 * (ww - uu), far = sqrt(apart * apart + uw * uw);
    /* of a Jacobi rotation, the tangent of the smaller angle */
    const double tangent = uw == 0.0 ? 0.0 : uw / (apart + (apart < 0.0 ? -far : far));
    const double c = 1.0 / sqrt(1.0 + tangent * tangent), s = tangent * c;
    const rps_vec3 first = rps_vec3_sub(rps_vec3_scale(*u, c), rps_vec3_scale(*w, s));
    const rps_vec3 second = rps_vec3_add(rps_vec3_scale(*u, s), rps_vec3_scale(*w, c));
    *u = first;
    *w = second;
    square[0] = rps_vec3_dot(first, times_square(body, first));
    square[1] = rps_vec3_dot(second, times_square(body, second));
}

rps_ellipsoid_foot rps_mesh_ellipsoid_edge(const rps_mesh_ellipsoid *body, const rps_mesh_face *face, int k) {
    const int next = k < 2 ? k + 1 : 0;
    const bool ordered = face->corner[k] < face->corner[next];
    const rps_vec3 a = rps_vec3_of(face->point[ordered ? k : next]), b = rps_vec3_of(face->point[ordered ? next : k]);
    const rps_vec3 from = from_centre(body, a), along = rps_quat_rotate_inverse(body->turn, rps_vec3_sub(b, a));
    const double length = rps_vec3_norm(along);
    const rps_vec3 e = rps_vec3_scale(along, 1.0 / length);
    rps_vec3 u = rps_vec3_any_across(e), w = rps_vec3_cross(e, u);
    double square[2], m[2];
    shadow_axes(body, &u, &w, square);
    const double t = nearest_root(2, square, (const double[]){rps_vec3_dot(from, u), rps_vec3_dot(from, w)}, m);
    const rps_vec3 out = rps_vec3_add(rps_vec3_scale(u, m[0]), rps_vec3_scale(w, m[1]));
    const double size = rps_vec3_norm(out);
    const rps_vec3 n = rps_vec3_scale(out, 1.0 / size);
    const double way = rps_vec3_dot(e, rps_vec3_sub(ellipsoid_farthest(body, n), from));
    if (!(way > 0.0)) return rps_mesh_ellipsoid_point(body, a);
    if (way >= length) return rps_mesh_ellipsoid_point(body, b);
    return (rps_ellipsoid_foot){.point = rps_vec3_add_scaled(a, way / length, rps_vec3_sub(b, a)),
                                .normal = rps_quat_rotate(body->turn, rps_vec3_neg(n)),
                                .distance = t * size,
                                .is = RPS_FOOT_EDGE,
                                .along = rps_quat_rotate(body->turn, e)};
}

double rps_mesh_ellipsoid_height(const rps_mesh_ellipsoid *body, const rps_mesh_face *face) {
    const rps_vec3 n = rps_vec3_of(face->normal);
    const rps_vec3 from = rps_vec3_sub(body->centre, rps_vec3_of(face->point[0]));
    return fabs(rps_vec3_dot(n, from)) - rps_mesh_ellipsoid_support(body, n);
}

/* True if a point of the plane lies beyond edge k by more than rounding: `slack` (m). */
static bool lies_beyond(const rps_mesh_face *face, int k, rps_vec3 x, double slack) {
    const rps_vec3 a = rps_vec3_of(face->point[k]), b = rps_vec3_of(face->point[k < 2 ? k + 1 : 0]);
    const rps_vec3 inwards = rps_vec3_cross(rps_vec3_of(face->normal), rps_vec3_sub(b, a));
    const double inside = rps_vec3_dot(inwards, rps_vec3_sub(x, a));
    return !(inside > 0.0) && inside * inside > (slack * slack) * rps_vec3_norm2(inwards);
}

rps_ellipsoid_foot rps_mesh_ellipsoid_triangle(const rps_mesh_ellipsoid *body, const rps_mesh_face *face) {
    const rps_vec3 a = rps_vec3_of(face->point[0]);
    rps_vec3 n = rps_vec3_of(face->normal);
    if (rps_vec3_dot(n, rps_vec3_sub(body->centre, a)) < 0.0) n = rps_vec3_neg(n);
    const rps_vec3 low = ellipsoid_farthest(body, rps_quat_rotate_inverse(body->turn, rps_vec3_neg(n)));
    const rps_vec3 lowest = rps_vec3_add(body->centre, rps_quat_rotate(body->turn, low));
    const double height = rps_vec3_dot(n, rps_vec3_sub(lowest, a));
    const rps_vec3 foot = rps_vec3_add_scaled(lowest, -height, n);
    rps_ellipsoid_foot out = {.point = foot, .normal = n, .distance = height, .is = RPS_FOOT_FACE};
    const double slack = FACE_SLACK * rps_vec3_norm(low);
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        if (!lies_beyond(face, k, foot, slack)) continue;
        const rps_ellipsoid_foot one = rps_mesh_ellipsoid_edge(body, face, k);
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

/*
 * H is a function of the outward normal m. Where the body moves by x and turns by t, the point of contact moves on it by p:
 *
 *   face    W p = m x t                              the normal of the face is carried against the body
 *   corner  (1 + distance W) p = -(motion of the body at the foot), its tangential part
 *   edge    along it the first kind, across it the second
 *
 * with the shape operator W, and H changes by grad H . p. The closed forms of W and grad H are those of
 * detect/ellipsoids_simd.h.
 */
rps_ellipsoid_bend rps_mesh_ellipsoid_bend(const rps_mesh_ellipsoid *body, const rps_ellipsoid_foot *foot) {
    const rps_vec3 m = rps_quat_rotate_inverse(body->turn, rps_vec3_neg(foot->normal));
    const double *a2 = body->square;
    const rps_vec3 am = times_square(body, m);
    const double h = sqrt(rps_vec3_dot(m, am));
    const rps_vec3 x = rps_vec3_scale(am, 1.0 / h);
    const double per_det = (h * h) * (h * h) / ((a2[0] * a2[1]) * a2[2]);
    const double trace = (((a2[0] + a2[1]) + a2[2]) - rps_vec3_norm2(x)) / h;
    const double p = per_det / h, q = trace * per_det;
    const rps_vec3 u =
        foot->is == RPS_FOOT_EDGE ? rps_quat_rotate_inverse(body->turn, foot->along) : rps_vec3_any_across(m);
    const rps_vec3 w = rps_vec3_cross(u, m); /* across an edge: the normal times its direction */
    const rps_vec3 au = times_square(body, u), aw = times_square(body, w), ax = times_square(body, x);
    const double xu = rps_vec3_dot(x, u), xw = rps_vec3_dot(x, w), xx = rps_vec3_norm2(x);
    const double uu = q - p * (rps_vec3_dot(u, au) - xu * xu), uw = -p * (rps_vec3_dot(u, aw) - xu * xw),
                 ww = q - p * (rps_vec3_dot(w, aw) - xw * xw);
    /* W x, and from it the gradient */
    const rps_vec3 bent = rps_vec3_sub(rps_vec3_scale(rps_vec3_add_scaled(x, -h, m), q),
                                       rps_vec3_scale(rps_vec3_add_scaled(ax, -xx, x), p));
    const rps_vec3 gradient =
        rps_vec3_scale(rps_vec3_sub(rps_vec3_scale(bent, 1.5 * trace), rps_vec3_add_scaled(x, -h, m)), p);
    const double gu = rps_vec3_dot(gradient, u), gw = rps_vec3_dot(gradient, w), d = foot->distance;
    rps_vec3 force = rps_vec3_zero(), torque = rps_vec3_zero();
    double by[2];
    if (foot->is == RPS_FOOT_FACE) {
        solve_two(uu, uw, uw, ww, gu, gw, by);
        torque = rps_vec3_cross(rps_vec3_add(rps_vec3_scale(u, by[0]), rps_vec3_scale(w, by[1])), m);
    } else if (foot->is == RPS_FOOT_CORNER) {
        solve_two(1.0 + d * uu, d * uw, d * uw, 1.0 + d * ww, gu, gw, by);
        force = rps_vec3_add(rps_vec3_scale(u, -by[0]), rps_vec3_scale(w, -by[1]));
    } else {
        solve_two(uu, d * uw, uw, 1.0 + d * ww, gu, gw, by);
        torque = rps_vec3_scale(rps_vec3_cross(u, m), by[0]);
        force = rps_vec3_scale(w, -by[1]);
    }
    return (rps_ellipsoid_bend){0.5 * q, rps_quat_rotate(body->turn, force), rps_quat_rotate(body->turn, torque)};
}
