/* A cone along z without thickness, which may be cut off: from radius at -length/2 to radius_2 at +length/2. Its ends
 * may be closed by disks. */
#include "shape/sheet.h"

#include "base/elementary.h"

enum { RADIUS, RADIUS_2, LENGTH, ENDS };

static double half_of(const double *parameter) {
    return 0.5 * parameter[LENGTH];
}

static rps_status cone_wall_check(const double *parameter, rps_error *err) {
    const double ends = parameter[ENDS];
    if (ends != 0.0 && ends != 1.0 && ends != 2.0) {
        return rps_fail(err, RPS_BAD_INPUT, "%g ends of the wall are closed; expected 0, 1 or 2", ends);
    }
    if (ends > 1.0 && parameter[RADIUS_2] == 0.0) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "2 ends of the wall are closed, but its radius_2 is 0, so that it has one end; expected 0 or 1");
    }
    const double most = rps_larger(rps_larger(parameter[RADIUS], parameter[RADIUS_2]), parameter[LENGTH]);
    const double least = rps_smaller(parameter[RADIUS], parameter[LENGTH]);
    return rps_shape_check_aspect("wall", (const double[]){most, most, least}, err);
}

static int cone_wall_parts(const double *parameter) {
    return 1 + (int)parameter[ENDS];
}

static rps_shape_foot cone_wall_nearest(const double *parameter, int part, rps_vec3 point) {
    const double h = half_of(parameter);
    rps_shape_foot foot;
    if (part == 0) {
        foot = rps_sheet_segment(point, (rps_profile){parameter[RADIUS], -h}, (rps_profile){parameter[RADIUS_2], h});
        const double low = parameter[ENDS] > 0.0 ? INFINITY : point.z + h;
        const double high = parameter[ENDS] > 1.0 || !(parameter[RADIUS_2] > 0.0) ? INFINITY : h - point.z;
        foot.open = rps_smaller(low, high);
        return foot;
    }
    const double z = part == 1 ? -h : h, radius = parameter[part == 1 ? RADIUS : RADIUS_2];
    foot = rps_sheet_segment(point, (rps_profile){0.0, z}, (rps_profile){radius, z});
    foot.open = INFINITY;
    return foot;
}

/* Concave around the axis, most at the narrow end; the rims are no more curved than their circles. */
static void cone_wall_hollow(const double *parameter, double out[2]) {
    const double narrow = rps_smaller(parameter[RADIUS], parameter[RADIUS_2]);
    out[0] = narrow > 0.0 ? 1.0 / narrow : INFINITY;
    out[1] = 0.0;
}

static double cone_wall_bounding_radius(const double *parameter) {
    const double r = rps_larger(parameter[RADIUS], parameter[RADIUS_2]), h = half_of(parameter);
    return sqrt(r * r + h * h);
}

static rps_vec3 cone_wall_support(const double *parameter, rps_vec3 direction) {
    const double h = half_of(parameter);
    const rps_vec3 low = rps_sheet_circle(parameter[RADIUS], -h, direction);
    const rps_vec3 high = rps_sheet_circle(parameter[RADIUS_2], h, direction);
    return rps_vec3_dot(high, direction) > rps_vec3_dot(low, direction) ? high : low;
}

static rps_shape_bounds cone_wall_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_sheet_bounds(cone_wall_support, parameter, rotation);
}

/* u around the axis, v along the profile of the part. */
static rps_vec3 on_cone(const double *parameter, int part, double u, double v) {
    const double h = half_of(parameter);
    double z = part == 1 ? -h : h, radius = v * parameter[part == 1 ? RADIUS : RADIUS_2], sine, cosine;
    if (part == 0) {
        z = (2.0 * v - 1.0) * h;
        radius = parameter[RADIUS] + v * (parameter[RADIUS_2] - parameter[RADIUS]);
    }
    rps_sincos(2.0 * RPS_PI * u, &sine, &cosine);
    return rps_vec3_make(radius * cosine, radius * sine, z);
}

static rps_status cone_wall_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                 rps_shape_triangles *out, rps_error *err) {
    const int parts = cone_wall_parts(parameter);
    int cells[2];
    rps_sheet_cells(triangles / (size_t)parts, 16.0, cells);
    return rps_sheet_mesh(parameter, parts, cells[0], cells[1], on_cone, allocator, out, err);
}

const rps_shape rps_shape_cone_wall = {
    .name = "cone_wall",
    .summary = "a cone along z without thickness, touched from inside and outside; fixed or driven",
    .parameter = {{"radius", "m", "radius at the end at -z", 0.0, INFINITY, 1, 0.0, 0},
                  {"radius_2", "m", "radius at the end at +z; 0: it ends in a tip", 0.0, INFINITY, 1, 0.0,
                   RPS_SHAPE_MAY_BE_LOW},
                  {"length", "m", "length along the axis", 0.0, INFINITY, 1, 0.0, 0},
                  {"ends", "", "how many ends are closed by disks: 0, 1 (the one at -z) or 2", 0.0, 2.0, 1, 0.0,
                   RPS_SHAPE_MAY_BE_LOW}},
    .mass = rps_sheet_mass,
    .check = cone_wall_check,
    .smallest_width = rps_sheet_width,
    .bounding_radius = cone_wall_bounding_radius,
    .bounds = cone_wall_bounds,
    .support = cone_wall_support,
    .parts = cone_wall_parts,
    .nearest = cone_wall_nearest,
    .hollow = cone_wall_hollow,
    .mesh = cone_wall_mesh,
};
