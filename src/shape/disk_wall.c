/* A flat disk across z without thickness, with a round hole if wanted. */
#include "shape/sheet.h"

#include "base/elementary.h"

enum { RADIUS, HOLE };

static rps_status disk_wall_check(const double *parameter, rps_error *err) {
    if (parameter[HOLE] < parameter[RADIUS]) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "the hole of %g m is as wide as the disk of %g m; expected a smaller one",
                    parameter[HOLE], parameter[RADIUS]);
}

static rps_shape_foot disk_wall_nearest(const double *parameter, int part, rps_vec3 point) {
    (void)part;
    return rps_sheet_segment(point, (rps_profile){parameter[HOLE], 0.0}, (rps_profile){parameter[RADIUS], 0.0});
}

static void disk_wall_hollow(const double *parameter, double out[2]) {
    out[0] = parameter[HOLE] > 0.0 ? 1.0 / parameter[HOLE] : 0.0;
    out[1] = 0.0;
}

static double disk_wall_bounding_radius(const double *parameter) {
    return parameter[RADIUS];
}

static rps_vec3 disk_wall_support(const double *parameter, rps_vec3 direction) {
    return rps_sheet_circle(parameter[RADIUS], 0.0, direction);
}

static rps_shape_bounds disk_wall_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_sheet_bounds(disk_wall_support, parameter, rotation);
}

static rps_vec3 on_disk(const double *parameter, int part, double u, double v) {
    (void)part;
    double sine, cosine;
    const double radius = parameter[HOLE] + v * (parameter[RADIUS] - parameter[HOLE]);
    rps_sincos(2.0 * RPS_PI * u, &sine, &cosine);
    return rps_vec3_make(radius * cosine, radius * sine, 0.0);
}

static rps_status disk_wall_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                 rps_shape_triangles *out, rps_error *err) {
    int cells[2];
    rps_sheet_cells(triangles, 16.0, cells);
    return rps_sheet_mesh(parameter, 1, cells[0], cells[1], on_disk, allocator, out, err);
}

const rps_shape rps_shape_disk_wall = {
    .name = "disk_wall",
    .summary =
        "a flat disk across z without thickness, touched from both sides, which may have a hole; fixed or driven",
    .parameter = {{"radius", "m", "radius of the disk", 0.0, INFINITY, 1, 0.0, 0},
                  {"hole", "m", "radius of a round hole in the middle; 0: none", 0.0, INFINITY, 1, 0.0,
                   RPS_SHAPE_MAY_BE_LOW}},
    .mass = rps_sheet_mass,
    .check = disk_wall_check,
    .smallest_width = rps_sheet_width,
    .bounding_radius = disk_wall_bounding_radius,
    .bounds = disk_wall_bounds,
    .support = disk_wall_support,
    .parts = rps_sheet_one,
    .even = true,
    .nearest = disk_wall_nearest,
    .hollow = disk_wall_hollow,
    .mesh = disk_wall_mesh,
};
