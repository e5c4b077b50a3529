/*
 * Definitions of bodies and pieces by shape: each function returns the default definition (rps_body_def_default) with
 * shape and dimensions filled in, in the axes of the shape. Lengths in m. Dimensions are checked when the body is
 * added.
 *
 *     rps_body_def ball = rps_body_sphere(0.01);
 *     ball.position[2] = 1.0;
 */
#ifndef REPOSE_SHAPE_H
#define REPOSE_SHAPE_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

RPS_API rps_body_def rps_body_sphere(double radius);
/* A fixed half-space below the plane through the body's position; the normal (any length) points to the free side. */
RPS_API rps_body_def rps_body_plane(double normal_x, double normal_y, double normal_z);
/* Semi-axes along x, y, z. */
RPS_API rps_body_def rps_body_ellipsoid(double a, double b, double c);
/* Semi-axes, and the exponents of z against x, y and of x against y; 2 and 2 give the ellipsoid. */
RPS_API rps_body_def rps_body_superquadric(double a, double b, double c, double exponent_z, double exponent_xy);
/* Axis along z; the length of a capsule is that of its straight part. */
RPS_API rps_body_def rps_body_cylinder(double radius, double length);
RPS_API rps_body_def rps_body_capsule(double radius, double length);
/* Edge lengths along x, y, z; `rounding`: radius of edges and corners, 0 for sharp ones. */
RPS_API rps_body_def rps_body_box(double x, double y, double z, double rounding);
/* For a planar world: a cylinder along y, as long as the world is deep. */
RPS_API rps_body_def rps_body_disk(double radius);
/* Walls without thickness, touched from both sides: fixed, or driven if `kind` says so. About z, the middle at the body's
 * position; `ends`: how many ends are closed by disks, 0, 1 (the one at -z) or 2. */
RPS_API rps_body_def rps_body_cylinder_wall(double radius, double length, int ends);
/* From `radius` at -z to `radius_2` at +z; 0: a tip. */
RPS_API rps_body_def rps_body_cone_wall(double radius, double radius_2, double length, int ends);
/* Open about +z up to the angle `opening`, rad; 0: closed. */
RPS_API rps_body_def rps_body_sphere_wall(double radius, double opening);
/* A pipe of radius `tube` bent to `radius` about z, between two angles from x, rad, that differ by at most a turn. */
RPS_API rps_body_def rps_body_torus_wall(double radius, double tube, double from, double to);
/* Across z; `hole`: radius of a hole, 0: none. */
RPS_API rps_body_def rps_body_disk_wall(double radius, double hole);
/* Edge lengths along x, y. */
RPS_API rps_body_def rps_body_rectangle(double x, double y);
/* The first corner is the body's position; the others are given from it. */
RPS_API rps_body_def rps_body_triangle(const double second[3], const double third[3]);
/* A piece of a composite body, with the shape, dimensions, position, orientation and material of a definition:
 * rps_piece_of(rps_body_sphere(0.01)). The rest of the definition is ignored. */
RPS_API rps_piece_def rps_piece_of(rps_body_def body);

#ifdef __cplusplus
}
#endif
#endif
