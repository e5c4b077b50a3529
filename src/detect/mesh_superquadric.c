/*
 * The nearest points of a superquadric with exponents from 2 on; mesh_oval_parts.h.
 *
 * The foot p of a point x is where x - p lies along the outward normal m. Steps along the tangent plane lead there by Newton's
 * method: with t the part of x - p along m and W the shape operator, the squared distance has the slope -(x - p) and the
 * second derivative 1 + t W, which is positive outside and, inside, down to the smallest radius of curvature. A step ends on
 * the surface by the ray through it, and is halved until it gains. W may vanish, where the surface is flat.
 *
 * Along a segment the signed distance is convex, with the slope m . e: its zero is found between brackets.
 */
#include <math.h>

#include "detect/mesh_oval_parts.h"
#include "shape/shape.h"

enum { FOOT_STEPS = 60, HALVINGS = 12, SEGMENT_STEPS = 80 };
static const double ROUNDED_FOOT = 8.0 * 0x1p-52; /* of the lengths that were subtracted */
static const double ROUNDED_SLOPE = 4.0 * 0x1p-52;

static const rps_shape *const shape = &rps_shape_superquadric;

typedef struct foot_search {
    const double *parameter;
    rps_vec3 x;
    /* of the present foot */
    rps_vec3 p, out;
    double along, beside; /* parts of x - p along the normal, and across it */
    rps_vec3 across;      /* the latter */
} foot_search;

/* p on the ray through it. */
static rps_vec3 onto_superquadric(const double *parameter, rps_vec3 p) {
    return rps_vec3_scale(p, 1.0 / (shape->value(parameter, p) + 1.0));
}

static void look_at_foot(foot_search *s, rps_vec3 p) {
    s->p = p;
    s->out = rps_vec3_normalize(shape->gradient(s->parameter, p));
    const rps_vec3 from = rps_vec3_sub(s->x, p);
    s->along = rps_vec3_dot(from, s->out);
    s->across = rps_vec3_add_scaled(from, -s->along, s->out);
    s->beside = rps_vec3_norm(s->across);
}

/* The step of Newton's method; where the second derivative is not positive, one down the slope. */
static rps_vec3 foot_step(const foot_search *s) {
    const rps_vec3 u = rps_vec3_any_across(s->out), w = rps_vec3_cross(s->out, u);
    double bend[3];
    shape->shape_operator(s->parameter, s->p, u, w, bend);
    const double a = 1.0 + s->along * bend[0], b = s->along * bend[1], c = 1.0 + s->along * bend[2];
    const double x = rps_vec3_dot(s->across, u), y = rps_vec3_dot(s->across, w), det = a * c - b * b;
    if (!(a > 0.0 && det > 0.0)) return s->across;
    return rps_vec3_add(rps_vec3_scale(u, (c * x - b * y) / det), rps_vec3_scale(w, (a * y - b * x) / det));
}

/* From the foot in s to that of x. */
static void find_foot(foot_search *s, double size) {
    for (int k = 0; k < FOOT_STEPS; k++) {
        if (!(s->beside > ROUNDED_FOOT * (size + fabs(s->along)))) return;
        rps_vec3 step = foot_step(s);
        const double length = rps_vec3_norm(step), far = s->along * s->along + s->beside * s->beside;
        if (length > 0.5 * size) step = rps_vec3_scale(step, 0.5 * size / length);
        foot_search next = *s;
        bool gains = false;
        for (int half = 0; half < HALVINGS && !gains; half++) {
            look_at_foot(&next, onto_superquadric(s->parameter, rps_vec3_add(s->p, step)));
            /* near the end the distance no longer tells */
            gains = next.beside < 0.5 * s->beside || next.along * next.along + next.beside * next.beside < far;
            step = rps_vec3_scale(step, 0.5);
        }
        if (!gains) return;
        *s = next;
    }
}

/* A first foot: on the ray through x; of the centre, at the end of the shortest semi-axis. */
static foot_search first_foot(const double *parameter, rps_vec3 x) {
    foot_search s = {.parameter = parameter, .x = x};
    rps_vec3 p = x;
    if (!(shape->value(parameter, x) > -1.0)) {
        const double *a = parameter;
        const int k = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
        p = rps_vec3_make(k == 0, k == 1, k == 2);
    }
    look_at_foot(&s, onto_superquadric(parameter, p));
    return s;
}

rps_oval_place rps_superquadric_nearest(const double *parameter, rps_vec3 x) {
    foot_search s = first_foot(parameter, x);
    find_foot(&s, shape->bounding_radius(parameter));
    return (rps_oval_place){s.along, s.out};
}

/* Second derivative of the distance along the unit vector e: e . W (1 + t W)^-1 e. */
static double bend_along(const foot_search *s, rps_vec3 e) {
    const rps_vec3 u = rps_vec3_any_across(s->out), w = rps_vec3_cross(s->out, u);
    double bend[3];
    shape->shape_operator(s->parameter, s->p, u, w, bend);
    const double a = 1.0 + s->along * bend[0], b = s->along * bend[1], c = 1.0 + s->along * bend[2];
    const double x = rps_vec3_dot(e, u), y = rps_vec3_dot(e, w), det = a * c - b * b;
    if (!(a > 0.0 && det > 0.0)) return 0.0;
    const double p = (c * x - b * y) / det, q = (a * y - b * x) / det;
    return x * (bend[0] * p + bend[1] * q) + y * (bend[1] * p + bend[2] * q);
}

/* Where the ellipsoid with these semi-axes would be nearest, or so. */
static double first_way(const double *a, rps_vec3 from, rps_vec3 e, double length) {
    const rps_vec3 x = rps_vec3_make(from.x / a[0], from.y / a[1], from.z / a[2]),
                   y = rps_vec3_make(e.x / a[0], e.y / a[1], e.z / a[2]);
    const double way = -rps_vec3_dot(x, y) / rps_vec3_norm2(y);
    return way > 0.0 ? (way < length ? way : length) : 0.0;
}

rps_oval_place rps_superquadric_nearest_segment(const double *parameter, rps_vec3 from, rps_vec3 e, double length,
                                                double *way) {
    const double size = shape->bounding_radius(parameter);
    double low = 0.0, high = length, at = first_way(parameter, from, e, length);
    bool low_seen = false, high_seen = false; /* the slope at that end is known */
    foot_search s = first_foot(parameter, rps_vec3_add_scaled(from, at, e));
    for (int k = 0;; k++) {
        find_foot(&s, size);
        const double slope = rps_vec3_dot(s.out, e);
        if (k == SEGMENT_STEPS || !(fabs(slope) > ROUNDED_SLOPE)) break;
        if (slope > 0.0) {
            high = at;
            high_seen = true;
            if (!(at > 0.0)) break;
        } else {
            low = at;
            low_seen = true;
            if (!(at < length)) break;
        }
        const double bend = bend_along(&s, e), last = at;
        at = bend > 0.0 ? at - slope / bend : slope > 0.0 ? -length : 2.0 * length;
        if (!(at > low) || !(at < high)) {
            /* an end that was not seen may be the place */
            const bool below = !(at > low);
            at = below && !low_seen ? low : !below && !high_seen ? high : 0.5 * (low + high);
        }
        if (at == last || !(high - low > ROUNDED_SLOPE * length)) {
            at = last;
            break;
        }
        s.x = rps_vec3_add_scaled(from, at, e);
        look_at_foot(&s, s.p);
    }
    *way = at;
    return (rps_oval_place){s.along, s.out};
}

/* As rps_touch_curvature_gradient, by central differences. */
static double slope_of_mean(const double *parameter, rps_vec3 x, rps_vec3 way) {
    const double h = 1e-4 * shape->smallest_width(parameter);
    const double ahead = shape->mean_curvature(parameter, rps_vec3_add_scaled(x, h, way));
    const double behind = shape->mean_curvature(parameter, rps_vec3_add_scaled(x, -h, way));
    return (ahead - behind) / (2.0 * h);
}

rps_oval_curve rps_superquadric_curve(const double *parameter, rps_vec3 out, rps_vec3 u, rps_vec3 w, bool gradient) {
    const rps_vec3 x = shape->support(parameter, out);
    double bend[3];
    shape->shape_operator(parameter, x, u, w, bend);
    return (rps_oval_curve){.mean = shape->mean_curvature(parameter, x),
                            .uu = bend[0],
                            .uw = bend[1],
                            .ww = bend[2],
                            .gu = gradient ? slope_of_mean(parameter, x, u) : 0.0,
                            .gw = gradient ? slope_of_mean(parameter, x, w) : 0.0};
}
