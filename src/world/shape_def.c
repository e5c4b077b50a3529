/* Definitions of bodies by their shape. The order of the parameters is that of the shape's list; a test compares
 * them. */
#include <repose/shape.h>

#include <string.h>

#include "world/world_internal.h"

static rps_body_def with_numbers(const char *shape, const double *number, int count) {
    rps_body_def def = rps_body_def_default();
    def.shape = shape;
    for (int k = 0; k < count; k++) def.parameter[k] = number[k];
    return def;
}

rps_body_def rps_body_sphere(double radius) {
    rps_body_def def = rps_body_def_default();
    def.shape = "sphere";
    def.radius = radius;
    return def;
}

rps_body_def rps_body_disk(double radius) {
    rps_body_def def = rps_body_sphere(radius);
    def.shape = "disk";
    return def;
}

rps_body_def rps_body_plane(double normal_x, double normal_y, double normal_z) {
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_FIXED;
    def.normal[0] = normal_x;
    def.normal[1] = normal_y;
    def.normal[2] = normal_z;
    return def;
}

rps_body_def rps_body_ellipsoid(double a, double b, double c) {
    return with_numbers("ellipsoid", (const double[]){a, b, c}, 3);
}

rps_body_def rps_body_superquadric(double a, double b, double c, double exponent_z, double exponent_xy) {
    return with_numbers("superquadric", (const double[]){a, b, c, exponent_z, exponent_xy}, 5);
}

rps_body_def rps_body_cylinder(double radius, double length) {
    return with_numbers("cylinder", (const double[]){radius, length}, 2);
}

rps_body_def rps_body_capsule(double radius, double length) {
    return with_numbers("capsule", (const double[]){radius, length}, 2);
}

rps_body_def rps_body_box(double x, double y, double z, double rounding) {
    return with_numbers("box", (const double[]){x, y, z, rounding}, 4);
}

static rps_body_def fixed_wall(const char *shape, const double *number, int count) {
    rps_body_def def = with_numbers(shape, number, count);
    def.kind = RPS_BODY_FIXED;
    return def;
}

rps_body_def rps_body_cylinder_wall(double radius, double length, int ends) {
    return fixed_wall("cylinder_wall", (const double[]){radius, length, ends}, 3);
}

rps_body_def rps_body_cone_wall(double radius, double radius_2, double length, int ends) {
    return fixed_wall("cone_wall", (const double[]){radius, radius_2, length, ends}, 4);
}

rps_body_def rps_body_sphere_wall(double radius, double opening) {
    return fixed_wall("sphere_wall", (const double[]){radius, opening}, 2);
}

rps_body_def rps_body_torus_wall(double radius, double tube, double from, double to) {
    return fixed_wall("torus_wall", (const double[]){radius, tube, from, to}, 4);
}

rps_body_def rps_body_disk_wall(double radius, double hole) {
    return fixed_wall("disk_wall", (const double[]){radius, hole}, 2);
}

rps_body_def rps_body_rectangle(double x, double y) {
    return fixed_wall("rectangle", (const double[]){x, y}, 2);
}

rps_body_def rps_body_triangle(const double second[3], const double third[3]) {
    return fixed_wall("triangle", (const double[]){second[0], second[1], second[2], third[0], third[1], third[2]}, 6);
}

rps_piece_def rps_piece_of(rps_body_def body) {
    rps_piece_def piece = rps_piece_def_default();
    piece.shape = body.shape;
    piece.material = body.material;
    memcpy(piece.parameter, body.parameter, sizeof piece.parameter);
    if (!isnan(body.radius)) piece.parameter[0] = body.radius;
    memcpy(piece.position, body.position, sizeof piece.position);
    memcpy(piece.orientation, body.orientation, sizeof piece.orientation);
    return piece;
}
