/* A capsule: all within a radius of a segment on the z axis, a cylinder with a half ball on each end. Its inside/outside
 * function is the signed distance. */
#include "shape/parts.h"

enum { RADIUS, LENGTH };

static rps_shape_core core(const double *parameter) {
    return (rps_shape_core){{0.0, 0.0, 0.5 * parameter[LENGTH]}, parameter[RADIUS]};
}

static rps_status check(const double *parameter, rps_error *err) {
    double width = 2.0 * parameter[RADIUS];
    return rps_shape_check_aspect("capsule", (const double[]){width, width, parameter[LENGTH] + width}, err);
}

static rps_shape_mass mass(const double *parameter) {
    rps_shape_core c = core(parameter);
    return rps_core_mass(&c);
}

static double smallest_width(const double *parameter) {
    rps_shape_core c = core(parameter);
    return rps_core_smallest_width(&c);
}

static double bounding_radius(const double *parameter) {
    rps_shape_core c = core(parameter);
    return rps_core_bounding_radius(&c);
}

static rps_shape_bounds bounds(const double *parameter, const rps_mat3 *rotation) {
    rps_shape_core c = core(parameter);
    return rps_core_bounds(&c, rotation);
}

static rps_vec3 support(const double *parameter, rps_vec3 direction) {
    rps_shape_core c = core(parameter);
    return rps_core_support(&c, direction);
}

static double value(const double *parameter, rps_vec3 point) {
    rps_shape_core c = core(parameter);
    return rps_core_value(&c, point);
}

static rps_vec3 gradient(const double *parameter, rps_vec3 point) {
    rps_shape_core c = core(parameter);
    return rps_core_gradient(&c, point);
}

static void shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    rps_shape_core c = core(parameter);
    rps_core_shape_operator(&c, point, u, w, out);
}

static double mean_curvature(const double *parameter, rps_vec3 point) {
    rps_shape_core c = core(parameter);
    return rps_core_mean_curvature(&c, point);
}

static rps_status mesh(const double *parameter, size_t triangles, const rps_allocator *allocator, rps_shape_mesh *out,
                       rps_error *err) {
    rps_shape_core c = core(parameter);
    return rps_core_mesh(&c, triangles, allocator, out, err);
}

const rps_shape rps_shape_capsule = {
    .name = "capsule",
    .summary = "a cylinder along z with a half ball on each end",
    .parameter = {{"radius", "m", "radius of the cylinder and of its ends", 0.0, INFINITY, 1, 0.0, 0},
                  {"length", "m", "length of the straight part", 0.0, INFINITY, 1, 0.0, 0}},
    .mass = mass,
    .check = check,
    .smallest_width = smallest_width,
    .core = core,
    .bounding_radius = bounding_radius,
    .bounds = bounds,
    .support = support,
    .value = value,
    .gradient = gradient,
    .shape_operator = shape_operator,
    .mean_curvature = mean_curvature,
    .mesh = mesh,
};
