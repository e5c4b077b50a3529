/*
 * Places and curvatures on each kind of oval (mesh_oval.h), in its own axes.
 */
#ifndef RPS_DETECT_MESH_OVAL_PARTS_H
#define RPS_DETECT_MESH_OVAL_PARTS_H

#include "base/vec.h"

/* The place of the surface nearest to a point: its distance (m, negative inside), and its outward unit normal. */
typedef struct rps_oval_place {
    double distance;
    rps_vec3 out;
} rps_oval_place;

/* H, the shape operator and, if asked for, the gradient of H along the surface, in the tangent frame u, w of the outward normal. */
typedef struct rps_oval_curve {
    double mean, uu, uw, ww; /* 1/m */
    double gu, gw;           /* 1/m^2 */
} rps_oval_curve;

/* square: m^2, semi-axes squared. */
rps_oval_place rps_ellipsoid_nearest(const double square[3], rps_vec3 x);
/* The place nearest to the line from + way e, e a unit vector, of all points of the line. */
rps_oval_place rps_ellipsoid_nearest_line(const double square[3], rps_vec3 from, rps_vec3 e, double *way);
rps_vec3 rps_ellipsoid_farthest(const double square[3], rps_vec3 n); /* from the centre, m, along the unit vector n */
rps_oval_curve rps_ellipsoid_curve(const double square[3], rps_vec3 out, rps_vec3 u, rps_vec3 w);

/* parameter: of the shape, with exponents from 2 on. */
rps_oval_place rps_superquadric_nearest(const double *parameter, rps_vec3 x);
/* The place nearest to the segment from + way e with 0 <= way <= length. */
rps_oval_place rps_superquadric_nearest_segment(const double *parameter, rps_vec3 from, rps_vec3 e, double length,
                                                double *way);
rps_oval_curve rps_superquadric_curve(const double *parameter, rps_vec3 out, rps_vec3 u, rps_vec3 w, bool gradient);

#endif
