/* The rim points of a cylinder above a plane; pair_cylinder_plane.h explains their choice. */
#include "detect/pair_cylinder_plane.h"

/* Below this sine of the tilt the points start at a fixed one: the energy changes by at most its square, which is
 * round-off. Above it the deepest direction is known to 1e-8. */
static const double parallel = 1e-8;
static const double sharp = 0.05; /* rounding of the rim over min(R, h), for its curvature */
static const double deep = 0.1;   /* largest overlap over the smallest width */

typedef struct rim_point {
    rps_vec3 normal; /* of the plane */
    rps_vec3 axis;   /* of the cylinder, towards the end of this rim */
    rps_vec3 branch; /* from the cylinder's origin */
    rps_vec3 out;    /* from the axis to the point, unit */
    double height;   /* above the plane */
} rim_point;

static rim_point rim_point_at(double radius, double half_length, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                              unsigned feature) {
    rim_point p;
    p.normal = rps_vec3_normalize(rps_quat_rotate(turn_plane, rps_vec3_make(0.0, 0.0, 1.0)));
    /* In the cylinder's axes, where its own axis is exact. */
    rps_vec3 n = rps_quat_rotate_inverse(rotation_i, p.normal);
    double tilt = sqrt(n.x * n.x + n.y * n.y);
    double ux = 1.0, uy = 0.0;
    if (tilt > parallel) {
        ux = -n.x / tilt;
        uy = -n.y / tilt;
    }
    for (unsigned quarter = feature % 4; quarter > 0; quarter--) {
        double turned = -uy;
        uy = ux;
        ux = turned;
    }
    double side = feature < 4 ? 1.0 : -1.0;
    p.axis = rps_quat_rotate(rotation_i, rps_vec3_make(0.0, 0.0, side));
    p.out = rps_quat_rotate(rotation_i, rps_vec3_make(ux, uy, 0.0));
    p.branch = rps_quat_rotate(rotation_i, rps_vec3_make(radius * ux, radius * uy, side * half_length));
    p.height = rps_vec3_dot(p.normal, rps_vec3_add(d, p.branch));
    return p;
}

static rps_sym3 pair_cylinder_plane_rim_curve(const rim_point *p, double radius, double rounding) {
    /* Along the circle, less the component along the normal. A rim point that faces along the plane does not touch,
     * and any direction is valid. */
    rps_vec3 n = p->normal, t = rps_vec3_reject(rps_vec3_cross(p->axis, p->out), n);
    t = rps_vec3_norm2(t) > 0.01 ? rps_vec3_normalize(t) : rps_vec3_any_across(n);
    rps_vec3 w = rps_vec3_cross(n, t);
    double lean = -rps_vec3_dot(n, p->out), a = 1.0 / rounding, b = (lean > 0.0 ? lean : 0.0) / radius;
    return (rps_sym3){{a * (w.x * w.x) + b * (t.x * t.x), a * (w.y * w.y) + b * (t.y * t.y),
                       a * (w.z * w.z) + b * (t.z * t.z), a * (w.x * w.y) + b * (t.x * t.y),
                       a * (w.x * w.z) + b * (t.x * t.z), a * (w.y * w.z) + b * (t.y * t.z)}};
}

rps_touch_result rps_cylinder_plane_touch(double radius, double half_length, rps_quat rotation_i, rps_quat turn_plane,
                                          rps_vec3 d, unsigned feature, double cutoff, rps_touch *out) {
    rim_point p = rim_point_at(radius, half_length, rotation_i, turn_plane, d, feature);
    double least = radius < half_length ? radius : half_length;
    out->overlap = -p.height;
    if (p.height > cutoff) {
        return RPS_TOUCH_APART;
    }
    out->normal = p.normal;
    out->branch_i = p.branch;
    out->branch_j = rps_vec3_add_scaled(rps_vec3_add(d, p.branch), -p.height, p.normal);
    out->curve_i = pair_cylinder_plane_rim_curve(&p, radius, sharp * least);
    out->curve_j = (rps_sym3){{0}};
    return out->overlap > deep * (2.0 * least) ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

double rps_cylinder_plane_gap(double radius, double half_length, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                              unsigned feature) {
    return rim_point_at(radius, half_length, rotation_i, turn_plane, d, feature).height;
}
