/* A box, its edges and corners rounded if a radius is given. Its inside/outside function is the signed distance. */
#include "shape/parts.h"

enum { SIZE, ROUNDING = SIZE + 3 };

static rps_shape_core core(const double *parameter) {
    double r = parameter[ROUNDING];
    return (rps_shape_core){{0.5 * parameter[SIZE] - r, 0.5 * parameter[SIZE + 1] - r, 0.5 * parameter[SIZE + 2] - r},
                            r};
}

static rps_status check(const double *parameter, rps_error *err) {
    double smallest = rps_smaller(rps_smaller(parameter[SIZE], parameter[SIZE + 1]), parameter[SIZE + 2]);
    if (!(parameter[ROUNDING] <= 0.5 * smallest)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the rounding of the box is %g m, but its shortest edge is only %g m; expected at most half of "
                        "that edge",
                        parameter[ROUNDING], smallest);
    }
    return rps_shape_check_aspect("box", &parameter[SIZE], err);
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

const rps_shape rps_shape_box = {
    .name = "box",
    .summary = "a box, with sharp or rounded edges",
    .parameter = {{"size", "m", "lengths of the edges along x, y, z", 0.0, INFINITY, .components = 3},
                  {"rounding", "m", "radius of edges and corners, at most half the shortest edge", 0.0, INFINITY,
                   .flags = RPS_SHAPE_MAY_BE_LOW}},
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
