/* Shared by the sheets (shape.h): surfaces without thickness. */
#ifndef RPS_SHAPE_SHEET_H
#define RPS_SHAPE_SHEET_H

#include "shape/parts.h"

/* A direction or point of the half plane through the axis z: distance from the axis and height, m. */
typedef struct rps_profile {
    double rho, z;
} rps_profile;

/* The foot on a surface of revolution about z, from the nearest point of its profile. */
typedef struct rps_profile_foot {
    rps_profile point;  /* m */
    rps_profile normal; /* of the profile there, a unit vector to either side */
    double curvature;   /* 1/m, of the profile, positive where it is convex seen from the side of the normal */
    double inland;      /* m, see rps_shape_foot; 0 on a rim */
    bool rim;           /* the nearest point is an end of the profile */
} rps_profile_foot;

rps_shape_foot rps_sheet_revolved(rps_vec3 point, const rps_profile_foot *foot);
/* A straight profile from a to b. An end on the axis is no rim. */
rps_shape_foot rps_sheet_segment(rps_vec3 point, rps_profile a, rps_profile b);
/* A flat sheet with the foot given; `normal` is its unit normal to either side. */
rps_shape_foot rps_sheet_flat(rps_vec3 point, rps_vec3 foot, rps_vec3 normal, double inland);

/* Of every sheet: nothing. */
rps_shape_mass rps_sheet_mass(const double *parameter);
double rps_sheet_width(const double *parameter);
/* Of a sheet of one part; of one that is concave nowhere. */
int rps_sheet_one(const double *parameter);
void rps_sheet_convex(const double *parameter, double out[2]);

/* The box about a shape from its support points. */
rps_shape_bounds rps_sheet_bounds(rps_vec3 (*support)(const double *parameter, rps_vec3 direction),
                                  const double *parameter, const rps_mat3 *rotation);
/* The support point of a circle about z at height z. */
rps_vec3 rps_sheet_circle(double radius, double z, rps_vec3 direction);

/* A point of one part of a sheet for both coordinates in 0 ... 1. */
typedef rps_vec3 (*rps_sheet_map)(const double *parameter, int part, double u, double v);
/* `parts` grids of u_cells x v_cells squares, two triangles each, not joined at their seams. RPS_NO_MEMORY. */
rps_status rps_sheet_mesh(const double *parameter, int parts, int u_cells, int v_cells, rps_sheet_map map,
                          const rps_allocator *allocator, rps_shape_triangles *out, rps_error *err);
/* Cells along each of two directions for about that many triangles, with `ratio` times as many along the first. */
void rps_sheet_cells(size_t triangles, double ratio, int cells[2]);

#endif
