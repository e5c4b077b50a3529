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
/* A piece of a composite body, with the shape, dimensions, position, orientation and material of a definition:
 * rps_piece_of(rps_body_sphere(0.01)). The rest of the definition is ignored. */
RPS_API rps_piece_def rps_piece_of(rps_body_def body);

#ifdef __cplusplus
}
#endif
#endif
