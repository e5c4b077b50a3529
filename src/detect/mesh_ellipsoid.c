/*
 * The nearest points of an ellipsoid; mesh_oval_parts.h.
 *
 * Beside a line the body counts as its shadow along the line, an ellipse. Nearest points of ellipse and ellipsoid are roots
 * of a convex, falling function of one number (D. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a
 * Hyperellipsoid, 2013), which Newton's method from the left approaches without overshoot.
 */
#include "detect/mesh_oval_parts.h"

#include <math.h>

enum { STEPS_MOST = 64 };                    /* of Newton's method; ten are many */
static const double ROUNDED = 4.0 * 0x1p-52; /* relative change of the root at which rounding takes over */

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

static rps_vec3 times_square(const double square[3], rps_vec3 x) {
    return rps_vec3_make(square[0] * x.x, square[1] * x.y, square[2] * x.z);
}

rps_vec3 rps_ellipsoid_farthest(const double square[3], rps_vec3 n) {
    const rps_vec3 x = times_square(square, n);
    return rps_vec3_scale(x, 1.0 / sqrt(rps_vec3_dot(n, x)));
}

rps_oval_place rps_ellipsoid_nearest(const double square[3], rps_vec3 x) {
    double m[3];
    const double t = nearest_root(3, square, (const double[]){x.x, x.y, x.z}, m);
    const rps_vec3 out = rps_vec3_of(m);
    const double size = rps_vec3_norm(out);
    return (rps_oval_place){t * size, rps_vec3_scale(out, 1.0 / size)};
}

/* Turns the axes u, w across a line so that those of the shadow lie along them, and sets its squared semi-axes. */
static void shadow_axes(const double all[3], rps_vec3 *u, rps_vec3 *w, double square[2]) {
    const rps_vec3 au = times_square(all, *u), aw = times_square(all, *w);
    const double uu = rps_vec3_dot(*u, au), uw = rps_vec3_dot(*u, aw), ww = rps_vec3_dot(*w, aw);
    const double apart = 0.5 * (ww - uu), far = sqrt(apart * apart + uw * uw);
    /* of a Jacobi rotation, the tangent of the smaller angle */
    const double tangent = uw == 0.0 ? 0.0 : uw / (apart + (apart < 0.0 ? -far : far));
    const double c = 1.0 / sqrt(1.0 + tangent * tangent), s = tangent * c;
    const rps_vec3 first = rps_vec3_sub(rps_vec3_scale(*u, c), rps_vec3_scale(*w, s));
    const rps_vec3 second = rps_vec3_add(rps_vec3_scale(*u, s), rps_vec3_scale(*w, c));
    *u = first;
    *w = second;
    square[0] = rps_vec3_dot(first, times_square(all, first));
    square[1] = rps_vec3_dot(second, times_square(all, second));
}

rps_oval_place rps_ellipsoid_nearest_line(const double square[3], rps_vec3 from, rps_vec3 e, double *way) {
    rps_vec3 u = rps_vec3_any_across(e), w = rps_vec3_cross(e, u);
    double shadow[2], m[2];
    shadow_axes(square, &u, &w, shadow);
    const double t = nearest_root(2, shadow, (const double[]){rps_vec3_dot(from, u), rps_vec3_dot(from, w)}, m);
    const rps_vec3 out = rps_vec3_add(rps_vec3_scale(u, m[0]), rps_vec3_scale(w, m[1]));
    const double size = rps_vec3_norm(out);
    const rps_vec3 n = rps_vec3_scale(out, 1.0 / size);
    *way = rps_vec3_dot(e, rps_vec3_sub(rps_ellipsoid_farthest(square, n), from));
    return (rps_oval_place){t * size, n};
}

/* The closed forms of W and grad H are those of detect/ellipsoids_simd.h. */
rps_oval_curve rps_ellipsoid_curve(const double square[3], rps_vec3 m, rps_vec3 u, rps_vec3 w) {
    const double *a2 = square;
    const rps_vec3 am = times_square(square, m);
    const double h = sqrt(rps_vec3_dot(m, am));
    const rps_vec3 x = rps_vec3_scale(am, 1.0 / h);
    const double per_det = (h * h) * (h * h) / ((a2[0] * a2[1]) * a2[2]);
    const double trace = (((a2[0] + a2[1]) + a2[2]) - rps_vec3_norm2(x)) / h;
    const double p = per_det / h, q = trace * per_det;
    const rps_vec3 au = times_square(square, u), aw = times_square(square, w), ax = times_square(square, x);
    const double xu = rps_vec3_dot(x, u), xw = rps_vec3_dot(x, w), xx = rps_vec3_norm2(x);
    /* W x, and from it the gradient */
    const rps_vec3 bent = rps_vec3_sub(rps_vec3_scale(rps_vec3_add_scaled(x, -h, m), q),
                                       rps_vec3_scale(rps_vec3_add_scaled(ax, -xx, x), p));
    const rps_vec3 gradient =
        rps_vec3_scale(rps_vec3_sub(rps_vec3_scale(bent, 1.5 * trace), rps_vec3_add_scaled(x, -h, m)), p);
    return (rps_oval_curve){.mean = 0.5 * q,
                            .uu = q - p * (rps_vec3_dot(u, au) - xu * xu),
                            .uw = -p * (rps_vec3_dot(u, aw) - xu * xw),
                            .ww = q - p * (rps_vec3_dot(w, aw) - xw * xw),
                            .gu = rps_vec3_dot(gradient, u),
                            .gw = rps_vec3_dot(gradient, w)};
}
