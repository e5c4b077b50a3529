/*
 * An oval near a triangle mesh: an ellipsoid, or a superquadric with exponents from 2 on.
 *
 * The signed distance of a point from the surface of a convex body, negative inside, is a convex function of the point. So each
 * triangle has one place where it is least, in the face, on an edge or at a corner, and each edge has one, as with the
 * distance from the centre of a ball; the rule of connected pieces (mesh/reach.h) needs nothing else. In a face this
 * place lies at the support point against its normal, so a plane of any triangles gives what the plane gives, as long as
 * the overlap is below the smallest radius of curvature.
 *
 * How each kind finds its nearest points: mesh_ellipsoid.c, mesh_superquadric.c.
 */
#ifndef RPS_DETECT_MESH_OVAL_H
#define RPS_DETECT_MESH_OVAL_H

#include "mesh/mesh.h"
#include "shape/shape.h"

typedef struct rps_mesh_oval {
    rps_vec3 centre;         /* m, in the axes of the mesh */
    rps_quat turn;           /* from the axes of the oval to those of the mesh */
    double square[3];        /* m^2, semi-axes squared */
    const double *exponents; /* n1, n2 of a superquadric, whose semi-axes stand before them; NULL: an ellipsoid */
    double flat;             /* 1/m, smaller curvatures count as this */
} rps_mesh_oval;

/* NULL, or why it is none: the shape is another one, or an exponent is below 2, so that there are edges without rounding. */
const char *rps_mesh_oval_refuses(const rps_shape *shape, const double *parameter);
/* Of such a shape at `centre`. */
rps_mesh_oval rps_mesh_oval_of(const rps_shape *shape, const double *parameter, rps_vec3 centre, rps_quat turn);
/* A lower bound of its radii of curvature, m. */
double rps_mesh_oval_least(const rps_shape *shape, const double *parameter);

/* The place of least distance. */
typedef struct rps_oval_foot {
    rps_vec3 point;  /* m, on the mesh, in its axes */
    rps_vec3 normal; /* unit, from there into the body */
    double distance; /* m, from the surface of the oval; negative inside */
    enum { RPS_FOOT_FACE, RPS_FOOT_EDGE, RPS_FOOT_CORNER } is;
    rps_vec3 along; /* unit, of an edge; else 0 */
} rps_oval_foot;

/* How far the oval reaches from its centre along a unit vector, m. */
double rps_mesh_oval_support(const rps_mesh_oval *body, rps_vec3 n);

/* The point that a plane with the unit normal n has with it at an overlap (m). */
rps_vec3 rps_mesh_oval_foot_of(const rps_mesh_oval *body, rps_vec3 n, double overlap);

/* Of a point; of edge k of a triangle, the same bits from all triangles beside it; of a whole triangle. */
rps_oval_foot rps_mesh_oval_point(const rps_mesh_oval *body, rps_vec3 point);
rps_oval_foot rps_mesh_oval_edge(const rps_mesh_oval *body, const rps_mesh_face *face, int k);
rps_oval_foot rps_mesh_oval_triangle(const rps_mesh_oval *body, const rps_mesh_face *face);
/* The distance from the plane of a triangle, m, which that from the triangle is not below. */
double rps_mesh_oval_height(const rps_mesh_oval *body, const rps_mesh_face *face);

/* The mean curvature H of the oval where it touches a foot, and how it changes as the body moves: by force . x for a motion x
 * of the point at the foot, and by torque . t for a rotation t about it, both 0 where H counts as `flat`. All in the axes of the
 * mesh. */
typedef struct rps_oval_bend {
    double mean;            /* 1/m */
    rps_vec3 force, torque; /* 1/m^2, 1/m */
} rps_oval_bend;
rps_oval_bend rps_mesh_oval_bend(const rps_mesh_oval *body, const rps_oval_foot *foot);
double rps_mesh_oval_mean(const rps_mesh_oval *body, const rps_oval_foot *foot); /* H alone */

#endif
