#include "detect/pair_sphere_cylinder.h"

#include "detect/convex.h"

/* In the cylinder's axes: the point of its surface nearest to c, the normal there, and the distance of c (negative
 * inside). */
typedef struct nearest_point {
    rps_vec3 x, normal;
    double distance;
} nearest_point;

static nearest_point nearest_to(rps_vec3 c, double radius, double half) {
    nearest_point p;
    double rho = sqrt(c.x * c.x + c.y * c.y), side = rho - radius, end = fabs(c.z) - half;
    rps_vec3 radial = rho > 0.0 ? rps_vec3_make(c.x / rho, c.y / rho, 0.0) : rps_vec3_make(1.0, 0.0, 0.0);
    double top = c.z < 0.0 ? -half : half, up = c.z < 0.0 ? -1.0 : 1.0;
    p.x = rps_vec3_make(side > 0.0 ? radius * radial.x : c.x, side > 0.0 ? radius * radial.y : c.y,
                        end > 0.0 ? top : c.z);
    if (side > 0.0 && end > 0.0) {
        p.distance = sqrt(side * side + end * end);
        p.normal = rps_vec3_make(side / p.distance * radial.x, side / p.distance * radial.y, end / p.distance * up);
    } else if (side > end) {
        p.distance = side;
        p.normal = radial;
        p.x = rps_vec3_make(radius * radial.x, radius * radial.y, c.z);
    } else {
        p.distance = end;
        p.normal = rps_vec3_make(0.0, 0.0, up);
        p.x = rps_vec3_make(c.x, c.y, top);
    }
    return p;
}

static nearest_point pair_sphere_cylinder_nearest_of(const rps_side *j, rps_vec3 d) {
    return nearest_to(rps_quat_rotate_inverse(j->orientation, d), j->parameter[0], 0.5 * j->parameter[1]);
}

rps_touch_result rps_sphere_cylinder_touch(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff,
                                           rps_touch *out) {
    double radius = i->parameter[0];
    nearest_point p = pair_sphere_cylinder_nearest_of(j, d);
    out->overlap = radius - p.distance;
    if (-out->overlap > cutoff) return RPS_TOUCH_APART;
    out->normal = rps_quat_rotate(j->orientation, p.normal);
    out->branch_i = rps_vec3_scale(out->normal, -radius);
    out->branch_j = rps_quat_rotate(j->orientation, p.x);
    out->curve_i = rps_convex_curve(i, out->branch_i, out->normal);
    out->curve_j = rps_convex_curve(j, out->branch_j, out->normal);
    double width = rps_convex_min(2.0 * radius, j->shape->smallest_width(j->parameter));
    return out->overlap > 0.1 * width ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

double rps_sphere_cylinder_gap(const rps_side *i, const rps_side *j, rps_vec3 d) {
    return pair_sphere_cylinder_nearest_of(j, d).distance - i->parameter[0];
}
