/* Least distances of an ellipsoid from points, edges and triangles; mesh_ellipsoid.h has the idea. */
#include "detect/mesh_ellipsoid.h"

#include <math.h>

enum { STEPS_MOST = 64 };                    /* of Newton's method; ten are many */
static const double ROUNDED = 4.0 * 0x1p-52; /* relative change of the root at which rounding takes over */

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
static rps_vec3 farthest(const rps_mesh_ellipsoid *body, rps_vec3 n) {
    const rps_vec3 x = times_square(body, n);
    return rps_vec3_scale(x, 1.0 / sqrt(rps_vec3_dot(n, x)));
}

rps_ellipsoid_foot rps_mesh_ellipsoid_point(const rps_mesh_ellipsoid *body, rps_vec3 point) {
    const rps_vec3 x = from_centre(body, point);
    double m[3];
    const double t = nearest_root(3, body->square, (const double[]){x.x, x.y, x.z}, m);
    const rps_vec3 out = rps_vec3_of(m);
    const double size = rps_vec3_norm(out);
    return (rps_ellipsoid_foot){point, rps_quat_rotate(body->turn, rps_vec3_scale(out, -1.0 / size)), t * size};
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
    const double way = rps_vec3_dot(e, rps_vec3_sub(farthest(body, n), from));
    if (!(way > 0.0)) return rps_mesh_ellipsoid_point(body, a);
    if (way >= length) return rps_mesh_ellipsoid_point(body, b);
    return (rps_ellipsoid_foot){rps_vec3_add_scaled(a, way / length, rps_vec3_sub(b, a)),
                                rps_quat_rotate(body->turn, rps_vec3_neg(n)), t * size};
}

/* True if a point of the plane lies beyond edge k. */
static bool lies_beyond(const rps_mesh_face *face, int k, rps_vec3 x) {
    const rps_vec3 a = rps_vec3_of(face->point[k]), b = rps_vec3_of(face->point[k < 2 ? k + 1 : 0]);
    const rps_vec3 inwards = rps_vec3_cross(rps_vec3_of(face->normal), rps_vec3_sub(b, a));
    return !(rps_vec3_dot(inwards, rps_vec3_sub(x, a)) > 0.0);
}

rps_ellipsoid_foot rps_mesh_ellipsoid_triangle(const rps_mesh_ellipsoid *body, const rps_mesh_face *face) {
    const rps_vec3 a = rps_vec3_of(face->point[0]);
    rps_vec3 n = rps_vec3_of(face->normal);
    if (rps_vec3_dot(n, rps_vec3_sub(body->centre, a)) < 0.0) n = rps_vec3_neg(n);
    const rps_vec3 low = farthest(body, rps_quat_rotate_inverse(body->turn, rps_vec3_neg(n)));
    const rps_vec3 lowest = rps_vec3_add(body->centre, rps_quat_rotate(body->turn, low));
    const double height = rps_vec3_dot(n, rps_vec3_sub(lowest, a));
    const rps_vec3 foot = rps_vec3_add_scaled(lowest, -height, n);
    rps_ellipsoid_foot out = {foot, n, height};
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        if (!lies_beyond(face, k, foot)) continue;
        const rps_ellipsoid_foot one = rps_mesh_ellipsoid_edge(body, face, k);
        if (inside || one.distance < out.distance) out = one;
        inside = false;
    }
    return out;
}
