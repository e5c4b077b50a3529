/* A half space: the solid is z <= 0, the outward normal is the shape's +z, and bodies live on its positive side. */
#include "shape/shape.h"

static double plane_bounding_radius(const double *parameter) {
    (void)parameter;
    return INFINITY;
}

/* Bounded on one side, and only if the normal lies along an axis of the world. */
static rps_shape_bounds plane_bounds(const double *parameter, const rps_mat3 *rotation) {
    (void)parameter;
    double low[3] = {-INFINITY, -INFINITY, -INFINITY}, high[3] = {INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < 3; k++) {
        double along = rotation->m[k][2];
        if (rotation->m[(k + 1) % 3][2] == 0.0 && rotation->m[(k + 2) % 3][2] == 0.0) {
            *(along > 0.0 ? &high[k] : &low[k]) = 0.0;
        }
    }
    return (rps_shape_bounds){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/* 0 times infinity is no number, so components across the direction stay 0. */
static double far_along(double d) {
    return d > 0.0 ? INFINITY : d < 0.0 ? -INFINITY : 0.0;
}

static rps_vec3 plane_support(const double *parameter, rps_vec3 direction) {
    (void)parameter;
    return (rps_vec3){far_along(direction.x), far_along(direction.y), direction.z < 0.0 ? -INFINITY : 0.0};
}

static double plane_value(const double *parameter, rps_vec3 point) {
    (void)parameter;
    return point.z;
}

static rps_vec3 plane_gradient(const double *parameter, rps_vec3 point) {
    (void)parameter;
    (void)point;
    return (rps_vec3){0.0, 0.0, 1.0};
}

static void plane_shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    (void)parameter;
    (void)point;
    (void)u;
    (void)w;
    out[0] = out[1] = out[2] = 0.0;
}

static double plane_mean_curvature(const double *parameter, rps_vec3 point) {
    (void)parameter;
    (void)point;
    return 0.0;
}

const rps_shape rps_shape_plane = {
    .name = "plane",
    .summary = "a half space below a plane; fixed or driven",
    .unbounded = true,
    .bounding_radius = plane_bounding_radius,
    .bounds = plane_bounds,
    .support = plane_support,
    .value = plane_value,
    .gradient = plane_gradient,
    .shape_operator = plane_shape_operator,
    .mean_curvature = plane_mean_curvature,
};
