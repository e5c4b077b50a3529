#include "detect/pair_plane_smooth.h"

#include "detect/convex.h"

static rps_vec3 lowest(const rps_side *i, rps_vec3 n) {
    rps_vec3 down = rps_quat_rotate_inverse(i->orientation, rps_vec3_neg(n));
    return rps_quat_rotate(i->orientation, i->shape->support(i->parameter, down));
}

static rps_vec3 pair_plane_smooth_normal_of(const rps_side *plane) {
    return rps_quat_rotate(plane->orientation, rps_vec3_make(0.0, 0.0, 1.0));
}

rps_touch_result rps_plane_smooth_touch(const rps_side *i, const rps_side *plane, rps_vec3 d, double cutoff,
                                        rps_touch *out) {
    rps_vec3 n = pair_plane_smooth_normal_of(plane), branch = lowest(i, n), foot = rps_vec3_add(d, branch);
    double gap = rps_vec3_dot(n, foot);
    out->overlap = -gap;
    if (gap > cutoff) return RPS_TOUCH_APART;
    out->normal = n;
    out->branch_i = branch;
    out->branch_j = rps_vec3_add_scaled(foot, -gap, n);
    out->curve_i = rps_convex_curve(i, branch, n);
    out->curve_j = (rps_sym3){{0.0}};
    return -gap > 0.1 * i->shape->smallest_width(i->parameter) ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

double rps_plane_smooth_gap(const rps_side *i, const rps_side *plane, rps_vec3 d) {
    rps_vec3 n = pair_plane_smooth_normal_of(plane);
    return rps_vec3_dot(n, rps_vec3_add(d, lowest(i, n)));
}
