/* A cylinder along z without thickness: a cone wall with equal radii. Its ends may be closed by disks. */
#include "shape/sheet.h"

enum { RADIUS, LENGTH, ENDS };

typedef struct cone {
    double parameter[4];
} cone;

static cone cone_of(const double *parameter) {
    return (cone){{parameter[RADIUS], parameter[RADIUS], parameter[LENGTH], parameter[ENDS]}};
}

static rps_status cylinder_wall_check(const double *parameter, rps_error *err) {
    return rps_shape_cone_wall.check(cone_of(parameter).parameter, err);
}

static int cylinder_wall_parts(const double *parameter) {
    return 1 + (int)parameter[ENDS];
}

static rps_shape_foot cylinder_wall_nearest(const double *parameter, int part, rps_vec3 point) {
    return rps_shape_cone_wall.nearest(cone_of(parameter).parameter, part, point);
}

static void cylinder_wall_hollow(const double *parameter, double out[2]) {
    rps_shape_cone_wall.hollow(cone_of(parameter).parameter, out);
}

static double cylinder_wall_bounding_radius(const double *parameter) {
    return rps_shape_cone_wall.bounding_radius(cone_of(parameter).parameter);
}

static rps_vec3 cylinder_wall_support(const double *parameter, rps_vec3 direction) {
    return rps_shape_cone_wall.support(cone_of(parameter).parameter, direction);
}

static rps_shape_bounds cylinder_wall_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_shape_cone_wall.bounds(cone_of(parameter).parameter, rotation);
}

static rps_status cylinder_wall_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                     rps_shape_triangles *out, rps_error *err) {
    return rps_shape_cone_wall.mesh(cone_of(parameter).parameter, triangles, allocator, out, err);
}

const rps_shape rps_shape_cylinder_wall = {
    .name = "cylinder_wall",
    .summary = "a cylinder along z without thickness, touched from inside and outside; fixed or driven",
    .parameter = {{"radius", "m", "radius of the wall", 0.0, INFINITY, 1, 0.0, 0},
                  {"length", "m", "length along the axis", 0.0, INFINITY, 1, 0.0, 0},
                  {"ends", "", "how many ends are closed by disks: 0, 1 (the one at -z) or 2", 0.0, 2.0, 1, 0.0,
                   RPS_SHAPE_MAY_BE_LOW}},
    .mass = rps_sheet_mass,
    .check = cylinder_wall_check,
    .smallest_width = rps_sheet_width,
    .bounding_radius = cylinder_wall_bounding_radius,
    .bounds = cylinder_wall_bounds,
    .support = cylinder_wall_support,
    .parts = cylinder_wall_parts,
    .even = true,
    .nearest = cylinder_wall_nearest,
    .hollow = cylinder_wall_hollow,
    .mesh = cylinder_wall_mesh,
};
