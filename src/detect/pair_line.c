/* Contact along a line; pair_line.h describes it. */
#include "detect/pair_line.h"

#include <math.h>

#include "detect/pair_convex.h"

static const double GAUSS = 0.28867513459481287; /* 1/(2 sqrt 3) */
static const double DEEP = 0.5; /* largest overlap over the smaller radius: the laws state their own limits */

static bool is_cylinder(const rps_side *side) {
    return side->shape == &rps_shape_cylinder;
}

static bool pair_line_is_plane(const rps_side *side) {
    return side->shape == &rps_shape_plane;
}

bool rps_line_shapes(const rps_side *i, const rps_side *j) {
    return (is_cylinder(i) && (is_cylinder(j) || pair_line_is_plane(j))) || (pair_line_is_plane(i) && is_cylinder(j));
}

/* The axis of a cylinder, the normal of a plane. */
static rps_vec3 axis_of(const rps_side *side) {
    return rps_quat_rotate(side->orientation, rps_vec3_make(0.0, 0.0, 1.0));
}

double rps_line_lean(const rps_side *i, const rps_side *j) {
    const rps_vec3 a = axis_of(i), b = axis_of(j);
    if (pair_line_is_plane(i) || pair_line_is_plane(j)) return fabs(rps_vec3_dot(a, b));
    return rps_vec3_norm(rps_vec3_cross(a, b));
}

/* c t t */
static rps_sym3 pair_line_across(double c, rps_vec3 t) {
    return (rps_sym3){
        {c * (t.x * t.x), c * (t.y * t.y), c * (t.z * t.z), c * (t.x * t.y), c * (t.x * t.z), c * (t.y * t.z)}};
}

static rps_touch_result pair_line_finish(rps_vec3 axis, double smaller, double cutoff, rps_touch *out) {
    const rps_vec3 t = rps_vec3_normalize(rps_vec3_cross(axis, out->normal));
    out->curve_i = pair_line_across(out->radius_i > 0.0 ? 1.0 / out->radius_i : 0.0, t);
    out->curve_j = pair_line_across(out->radius_j > 0.0 ? 1.0 / out->radius_j : 0.0, t);
    out->curvature_sum =
        0.5 * ((out->radius_i > 0.0 ? 1.0 / out->radius_i : 0.0) + (out->radius_j > 0.0 ? 1.0 / out->radius_j : 0.0));
    if (-out->overlap > cutoff) return RPS_TOUCH_APART;
    return out->overlap > DEEP * smaller ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

static rps_touch_result on_plane(const rps_side *i, const rps_side *plane, rps_vec3 d, double side, double cutoff,
                                 rps_touch *out) {
    const double radius = i->parameter[0], length = i->parameter[1];
    const rps_vec3 axis = axis_of(i), n = rps_vec3_normalize(axis_of(plane));
    const rps_vec3 p = rps_vec3_scale(axis, side * GAUSS * length);
    const double height = rps_vec3_dot(n, rps_vec3_add(d, p));
    out->normal = n;
    out->overlap = radius - height;
    out->branch_i = rps_vec3_add_scaled(p, -radius, n);
    out->branch_j = rps_vec3_add_scaled(rps_vec3_add(d, p), -height, n);
    out->length = 0.5 * length;
    out->radius_i = radius;
    out->radius_j = 0.0;
    return pair_line_finish(axis, radius, cutoff, out);
}

static rps_touch_result two_cylinders(const rps_side *i, const rps_side *j, rps_vec3 d, double side, double cutoff,
                                      rps_touch *out) {
    const double r_i = i->parameter[0], r_j = j->parameter[0];
    const double half_i = 0.5 * i->parameter[1], half_j = 0.5 * j->parameter[1];
    const rps_vec3 a = axis_of(i), other = axis_of(j);
    const rps_vec3 b = rps_vec3_dot(a, other) < 0.0 ? rps_vec3_neg(other) : other;
    const rps_vec3 e = rps_vec3_normalize(rps_vec3_add(a, b));
    /* along the mean axis, from the origin of i */
    const double centre_j = -rps_vec3_dot(d, e);
    const double low = -half_i > centre_j - half_j ? -half_i : centre_j - half_j;
    const double high = half_i < centre_j + half_j ? half_i : centre_j + half_j;
    const double length = high > low ? high - low : 0.0, s = 0.5 * (low + high) + side * GAUSS * length;
    const rps_vec3 p_i = rps_vec3_scale(a, s / rps_vec3_dot(a, e));
    const rps_vec3 q_j = rps_vec3_scale(b, (s - centre_j) / rps_vec3_dot(b, e)); /* from the origin of j */
    const rps_vec3 inactive_begin = rps_vec3_add(d, rps_vec3_sub(p_i, q_j));
    const double distance = rps_vec3_norm(inactive_begin);
    out->normal = distance > 0.0 ? rps_vec3_scale(inactive_begin, 1.0 / distance) : rps_vec3_any_across(e);
    out->overlap = (r_i + r_j) - distance;
    if (!(high > low) && out->overlap > high - low) out->overlap = high - low; /* beside each other, end past end */
    out->branch_i = rps_vec3_add_scaled(p_i, -r_i, out->normal);
    out->branch_j = rps_vec3_add_scaled(q_j, r_j, out->normal);
    out->length = 0.5 * length;
    out->radius_i = r_i;
    out->radius_j = r_j;
    return pair_line_finish(e, r_i < r_j ? r_i : r_j, cutoff, out);
}

rps_touch_result rps_line_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double cutoff,
                                rps_touch *out) {
    const double side = feature ? -1.0 : 1.0;
    if (is_cylinder(i) && is_cylinder(j)) return two_cylinders(i, j, d, side, cutoff, out);
    if (pair_line_is_plane(j)) return on_plane(i, j, d, side, cutoff, out);
    rps_touch t = {0};
    const rps_touch_result result = on_plane(j, i, rps_vec3_neg(d), side, cutoff, &t);
    *out = t;
    out->normal = rps_vec3_neg(t.normal);
    out->branch_i = t.branch_j;
    out->branch_j = t.branch_i;
    out->curve_i = t.curve_j;
    out->curve_j = t.curve_i;
    out->radius_i = t.radius_j;
    out->radius_j = t.radius_i;
    return result;
}

double rps_line_gap(const rps_side *i, const rps_side *j, rps_vec3 d) {
    if (is_cylinder(i) && is_cylinder(j)) return rps_convex_gap(i, j, d);
    const rps_side *cylinder = pair_line_is_plane(j) ? i : j, *plane = pair_line_is_plane(j) ? j : i;
    const rps_vec3 n = rps_vec3_normalize(axis_of(plane)), axis = axis_of(cylinder);
    const double lean = rps_vec3_dot(n, axis), height = rps_vec3_dot(n, pair_line_is_plane(j) ? d : rps_vec3_neg(d));
    const double flat = 1.0 - lean * lean;
    return height - cylinder->parameter[0] * sqrt(flat > 0.0 ? flat : 0.0) - 0.5 * cylinder->parameter[1] * fabs(lean);
}
