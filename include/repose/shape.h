/*
 * Bodies and pieces by their shape: each function returns the default definition (rps_body_def_default) with shape and
 * measures filled in, in the axes of the shape. Lengths in m. Measures are checked when the body is added.
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
/* A fixed half space below the plane through the body's position; the normal, of any length, points to its free side. */
RPS_API rps_body_def rps_body_plane(double normal_x, double normal_y, double normal_z);
/* Half the diameters along x, y, z. */
RPS_API rps_body_def rps_body_ellipsoid(double a, double b, double c);
/* The same, with the exponents of z against x, y and of x against y; 2 and 2 is the ellipsoid. */
RPS_API rps_body_def rps_body_superquadric(double a, double b, double c, double exponent_z, double exponent_xy);
/* Along z; the length of a capsule is that of its straight part. */
RPS_API rps_body_def rps_body_cylinder(double radius, double length);
RPS_API rps_body_def rps_body_capsule(double radius, double length);
/* Lengths of the edges along x, y, z; radius of edges and corners, 0 for sharp ones. */
RPS_API rps_body_def rps_body_box(double x, double y, double z, double rounding);
/* In a planar world: a cylinder along y, as long as the world is deep. */
RPS_API rps_body_def rps_body_disk(double radius);
/* A piece of a body of several shapes, with the shape, measures, position, orientation and material of a definition:
 * rps_piece_of(rps_body_sphere(0.01)). The rest of the definition is not read. */
RPS_API rps_piece_def rps_piece_of(rps_body_def body);

#ifdef __cplusplus
}
#endif
#endif
