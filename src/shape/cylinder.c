/* A cylinder along z. Its inside/outside function is the signed distance: in the half plane of distance from the axis
 * and height it is that of a rectangle. The rim has no curvature; contacts on it use that of the other body. */
#include "shape/parts.h"

#include "base/elementary.h"

enum { RADIUS, LENGTH };

static rps_status cylinder_check(const double *parameter, rps_error *err) {
    double width = 2.0 * parameter[RADIUS];
    return rps_shape_check_aspect("cylinder", (const double[]){width, width, parameter[LENGTH]}, err);
}

static rps_shape_mass cylinder_mass(const double *parameter) {
    double r2 = parameter[RADIUS] * parameter[RADIUS], l = parameter[LENGTH];
    double across = 0.25 * r2 + l * l / 12.0;
    return (rps_shape_mass){RPS_PI * r2 * l, {across, across, 0.5 * r2}};
}

/* The width along a direction at angle t from the axis, 2 R sin t + L cos t, is concave: smallest at an end. */
static double cylinder_smallest_width(const double *parameter) {
    return rps_smaller(2.0 * parameter[RADIUS], parameter[LENGTH]);
}

static double cylinder_bounding_radius(const double *parameter) {
    double r = parameter[RADIUS], h = 0.5 * parameter[LENGTH];
    return sqrt(r * r + h * h);
}

static rps_shape_bounds cylinder_bounds(const double *parameter, const rps_mat3 *rotation) {
    double reach[3];
    for (int k = 0; k < 3; k++) {
        const double *row = rotation->m[k];
        reach[k] = parameter[RADIUS] * sqrt(row[0] * row[0] + row[1] * row[1]) + 0.5 * parameter[LENGTH] * fabs(row[2]);
    }
    return rps_shape_symmetric_bounds(reach);
}

/* The middle of an end, or of the side, if all its points are equally far. */
static rps_vec3 cylinder_support(const double *parameter, rps_vec3 direction) {
    double across = rps_larger(fabs(direction.x), fabs(direction.y)), h = 0.5 * parameter[LENGTH];
    rps_vec3 out = rps_vec3_zero();
    if (across > 0.0) {
        out = rps_vec3_scale(rps_shape_unit(rps_vec3_make(direction.x, direction.y, 0.0)), parameter[RADIUS]);
    }
    out.z = direction.z > 0.0 ? h : direction.z < 0.0 ? -h : 0.0;
    return out;
}

/* How far the point lies beyond the side (*side) and beyond the ends. */
static double cylinder_beyond(const double *parameter, rps_vec3 point, double *side) {
    *side = sqrt(point.x * point.x + point.y * point.y) - parameter[RADIUS];
    return fabs(point.z) - 0.5 * parameter[LENGTH];
}

static double cylinder_value(const double *parameter, rps_vec3 point) {
    double side, end = cylinder_beyond(parameter, point, &side);
    double out = rps_larger(side, 0.0), up = rps_larger(end, 0.0);
    return sqrt(out * out + up * up) + rps_smaller(rps_larger(side, end), 0.0);
}

/* On the axis every direction across it is equivalent. */
static rps_vec3 cylinder_gradient(const double *parameter, rps_vec3 point) {
    double side, end = cylinder_beyond(parameter, point, &side);
    double out = rps_larger(side, 0.0), up = rps_larger(end, 0.0);
    if (out + up == 0.0) *(side >= end ? &out : &up) = 1.0;
    rps_vec3 radial = {point.x, point.y, 0.0};
    radial = rps_larger(fabs(point.x), fabs(point.y)) > 0.0 ? rps_shape_unit(radial) : rps_vec3_make(1.0, 0.0, 0.0);
    return rps_shape_unit(rps_vec3_make(out * radial.x, out * radial.y, copysign(up, point.z)));
}

static bool on_side(const double *parameter, rps_vec3 point) {
    double side, end = cylinder_beyond(parameter, point, &side);
    return side >= end;
}

static void cylinder_shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    if (!on_side(parameter, point)) return;
    double bend = 1.0 / parameter[RADIUS];
    rps_vec3 round = rps_vec3_normalize(rps_vec3_make(-point.y, point.x, 0.0));
    double du = rps_vec3_dot(round, u), dw = rps_vec3_dot(round, w);
    out[0] = bend * (du * du);
    out[1] = bend * (du * dw);
    out[2] = bend * (dw * dw);
}

static double cylinder_mean_curvature(const double *parameter, rps_vec3 point) {
    return on_side(parameter, point) ? 0.5 / parameter[RADIUS] : 0.0;
}

/* Squares of the cross-section become circles. */
static rps_vec3 on_cylinder(const void *context, const int at[3], const int cells[3]) {
    const double *parameter = context;
    double x = rps_lattice_coordinate(at[0], cells[0]), y = rps_lattice_coordinate(at[1], cells[1]);
    double round = sqrt(x * x + y * y);
    double scale = round > 0.0 ? parameter[RADIUS] * rps_larger(fabs(x), fabs(y)) / round : 0.0;
    return rps_vec3_make(scale * x, scale * y, parameter[LENGTH] * ((double)at[2] / cells[2] - 0.5));
}

/* The side is straight along z: one cell. 4 n^2 triangles on the ends and 8 n on the side. */
static rps_status cylinder_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                rps_shape_triangles *out, rps_error *err) {
    int round = rps_lattice_cells(triangles < SIZE_MAX / 3 ? 3 * triangles : triangles);
    return rps_lattice_mesh((const int[]){round, round, 1}, on_cylinder, parameter, allocator, out, err);
}

const rps_shape rps_shape_cylinder = {
    .name = "cylinder",
    .summary = "a cylinder along z",
    .parameter = {{"radius", "m", "radius of the cylinder", 0.0, INFINITY, 1, 0.0, 0},
                  {"length", "m", "length along the axis", 0.0, INFINITY, 1, 0.0, 0}},
    .mass = cylinder_mass,
    .check = cylinder_check,
    .smallest_width = cylinder_smallest_width,
    .bounding_radius = cylinder_bounding_radius,
    .bounds = cylinder_bounds,
    .support = cylinder_support,
    .value = cylinder_value,
    .gradient = cylinder_gradient,
    .shape_operator = cylinder_shape_operator,
    .mean_curvature = cylinder_mean_curvature,
    .mesh = cylinder_mesh,
};
