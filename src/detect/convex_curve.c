/* Curvature at a contact point of any shape, with a finite one for sharp edges and corners. */
#include "detect/convex.h"
#include "detect/pair_core.h"

/* a t t + b w w for orthogonal t, w. */
static rps_sym3 tensor(double a, rps_vec3 t, double b, rps_vec3 w) {
    return (rps_sym3){{a * (t.x * t.x) + b * (w.x * w.x), a * (t.y * t.y) + b * (w.y * w.y),
                       a * (t.z * t.z) + b * (w.z * w.z), a * (t.x * t.y) + b * (w.x * w.y),
                       a * (t.x * t.z) + b * (w.x * w.z), a * (t.y * t.z) + b * (w.y * w.z)}};
}

/* The direction normal to n that is closest to `along`. */
static rps_vec3 convex_curve_across(rps_vec3 along, rps_vec3 n) {
    rps_vec3 t = rps_vec3_reject(along, n);
    if (!(rps_vec3_norm2(t) > 1e-16)) return rps_vec3_any_across(n);
    return rps_vec3_normalize(rps_vec3_reject(rps_vec3_normalize(t), n)); /* again: the first result may be short */
}

static bool at_end(double x, double half) {
    return fabs(x) >= half * (1.0 - 1e-9);
}

static rps_sym3 convex_curve_rim_curve(const rps_side *side, rps_vec3 local, rps_vec3 n) {
    double r = side->parameter[0], least = rps_convex_min(r, 0.5 * side->parameter[1]);
    rps_vec3 around = rps_quat_rotate(side->orientation, rps_vec3_make(-local.y, local.x, 0.0));
    rps_vec3 out = rps_quat_rotate(side->orientation, rps_vec3_make(local.x, local.y, 0.0));
    rps_vec3 t = convex_curve_across(around, n);
    double lean = fabs(rps_vec3_dot(out, n)) / r;
    return tensor(lean / r, t, 1.0 / (RPS_CORE_SHARP * least), rps_vec3_cross(n, t));
}

/* Curvature of a core of radius 0; false on a face. */
static bool edge_curve(const rps_side *side, const rps_shape_core *core, rps_vec3 local, rps_vec3 n, rps_sym3 *out) {
    double x[3] = {local.x, local.y, local.z}, least = INFINITY;
    int straight = 0, axis = 0;
    for (int k = 0; k < 3; k++) {
        if (core->half[k] > 0.0) least = rps_convex_min(least, core->half[k]);
        if (!at_end(x[k], core->half[k])) {
            straight++;
            axis = k;
        }
    }
    if (straight > 1) return false;
    double bend = least < INFINITY ? 1.0 / (RPS_CORE_SHARP * least) : 0.0;
    rps_vec3 along = rps_quat_rotate(side->orientation, rps_vec3_make(axis == 0, axis == 1, axis == 2));
    rps_vec3 t = straight == 1 ? convex_curve_across(along, n) : rps_vec3_any_across(n);
    *out = tensor(straight == 1 ? 0.0 : bend, t, bend, rps_vec3_cross(n, t));
    return true;
}

rps_sym3 rps_convex_curve(const rps_side *side, rps_vec3 branch, rps_vec3 n) {
    const rps_shape *shape = side->shape;
    rps_vec3 local = rps_quat_rotate_inverse(side->orientation, branch);
    if (shape == &rps_shape_cylinder) {
        double rho = sqrt(local.x * local.x + local.y * local.y);
        if (at_end(rho, side->parameter[0]) && at_end(local.z, 0.5 * side->parameter[1]))
            return convex_curve_rim_curve(side, local, n);
    } else if (shape->core) {
        rps_shape_core core = shape->core(side->parameter);
        rps_sym3 out;
        if (core.radius == 0.0 && edge_curve(side, &core, local, n, &out)) return out;
    }
    rps_vec3 t = rps_vec3_any_across(n), w = rps_vec3_cross(n, t);
    double bend[3];
    shape->shape_operator(side->parameter, local, rps_quat_rotate_inverse(side->orientation, t),
                          rps_quat_rotate_inverse(side->orientation, w), bend);
    rps_sym3 straight = tensor(bend[0], t, bend[2], w),
             mixed = tensor(0.5 * bend[1], rps_vec3_add(t, w), -0.5 * bend[1], rps_vec3_sub(t, w));
    for (int k = 0; k < 6; k++) straight.s[k] += mixed.s[k];
    return straight;
}
