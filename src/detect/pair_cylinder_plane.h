/*
 * A cylinder with sharp rims against a plane: eight features, four on the rim of each end: the deepest point and those
 * 90, 180 and 270 degrees on from it.
 *
 * The points follow the deepest one, not the body, and energy is still exact. At an angle `turn` from the deepest
 * point the height is z - R sin(tilt) cos(turn). With linear springs and all four in contact the energy does not
 * depend on the starting angle (the sum of cos^2 is 2). With any springs and any points in contact its derivative by
 * the starting angle is 0: for the deepest and the highest point each, and the other two cancel. If an end is
 * parallel to the plane, every point is the deepest, and the body's x axis gives the start. A lying cylinder rests on
 * the deepest point of each rim.
 */
#ifndef RPS_DETECT_PAIR_CYLINDER_PLANE_H
#define RPS_DETECT_PAIR_CYLINDER_PLANE_H

#include "detect/touch.h"

/* Features 0 .. 3: the end at +z, 4 .. 7: that at -z. */
enum { RPS_CYLINDER_PLANE_FEATURES = 8 };

/* i: the cylinder about its z axis, of radius R and half length h, m; j: the half space below the plane, whose
 * outward normal is its z axis. d: the origin of i less any point of the plane, from which arm_j starts. As
 * rps_touch_find. DEEP: overlap above a tenth of the smallest width, min(2 R, 2 h). The rim has the curvature of a
 * rounding of 5 % of min(R, h) across, for the laws' sake only, and of the circle along. */
rps_touch_result rps_cylinder_plane_touch(double radius, double half_length, rps_quat rotation_i, rps_quat turn_plane,
                                          rps_vec3 d, unsigned feature, double cutoff, rps_touch *out);
/* The gap itself. */
double rps_cylinder_plane_gap(double radius, double half_length, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                              unsigned feature);

#endif
