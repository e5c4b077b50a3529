/* A rectangle across z without thickness. */
#include "shape/sheet.h"

static double limited(double x, double half) {
    return x > half ? half : x < -half ? -half : x;
}

static rps_shape_foot rectangle_nearest(const double *parameter, int part, rps_vec3 point) {
    (void)part;
    const double x = 0.5 * parameter[0], y = 0.5 * parameter[1];
    const rps_vec3 foot = {limited(point.x, x), limited(point.y, y), 0.0};
    const bool rim = fabs(point.x) > x || fabs(point.y) > y;
    const double inland = rim ? 0.0 : rps_smaller(x - fabs(point.x), y - fabs(point.y));
    return rps_sheet_flat(point, foot, rps_vec3_make(0.0, 0.0, 1.0), inland);
}

static double rectangle_bounding_radius(const double *parameter) {
    const double x = 0.5 * parameter[0], y = 0.5 * parameter[1];
    return sqrt(x * x + y * y);
}

static rps_vec3 rectangle_support(const double *parameter, rps_vec3 direction) {
    return rps_vec3_make(copysign(0.5 * parameter[0], direction.x), copysign(0.5 * parameter[1], direction.y), 0.0);
}

static rps_shape_bounds rectangle_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_sheet_bounds(rectangle_support, parameter, rotation);
}

static rps_vec3 on_rectangle(const double *parameter, int part, double u, double v) {
    (void)part;
    return rps_vec3_make((u - 0.5) * parameter[0], (v - 0.5) * parameter[1], 0.0);
}

static rps_status rectangle_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                 rps_shape_triangles *out, rps_error *err) {
    (void)triangles;
    return rps_sheet_mesh(parameter, 1, 1, 1, on_rectangle, allocator, out, err);
}

const rps_shape rps_shape_rectangle = {
    .name = "rectangle",
    .summary = "a rectangle across z without thickness, touched from both sides; fixed or driven",
    .parameter = {{"x", "m", "edge along x", 0.0, INFINITY, 1, 0.0, 0},
                  {"y", "m", "edge along y", 0.0, INFINITY, 1, 0.0, 0}},
    .mass = rps_sheet_mass,
    .smallest_width = rps_sheet_width,
    .bounding_radius = rectangle_bounding_radius,
    .bounds = rectangle_bounds,
    .support = rectangle_support,
    .parts = rps_sheet_one,
    .even = true,
    .nearest = rectangle_nearest,
    .hollow = rps_sheet_convex,
    .mesh = rectangle_mesh,
};
