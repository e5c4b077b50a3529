/*
 * Where an ellipsoid touches the triangles of a mesh.
 *
 * The distance of a point from the surface of a convex body, negative inside, is a convex function of the point. So each
 * triangle has one place where it is least, in the face, on an edge or at a corner, and each edge has one, as with the
 * distance from the centre of a ball; the rule of connected pieces (mesh/reach.h) needs nothing else. In a face this
 * place lies at the support point against its normal, so a plane of any triangles gives what the plane gives, as long as
 * the overlap is below the smallest radius of curvature.
 *
 * Beside a line the body counts as its shadow along the line, an ellipse. Nearest points of ellipse and ellipsoid are roots
 * of a convex, falling function of one number (D. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a
 * Hyperellipsoid, 2013), which Newton's method from the left approaches without overshoot.
 */
#ifndef RPS_DETECT_MESH_ELLIPSOID_H
#define RPS_DETECT_MESH_ELLIPSOID_H

#include "mesh/mesh.h"

typedef struct rps_mesh_ellipsoid {
    rps_vec3 centre;  /* m, in the axes of the mesh */
    rps_quat turn;    /* from the axes of the ellipsoid to those of the mesh */
    double square[3]; /* m^2, semi-axes squared */
} rps_mesh_ellipsoid;

/* The place of least distance. */
typedef struct rps_ellipsoid_foot {
    rps_vec3 point;  /* m, on the mesh, in its axes */
    rps_vec3 normal; /* unit, from there into the body */
    double distance; /* m, from the surface of the ellipsoid; negative inside */
    enum { RPS_FOOT_FACE, RPS_FOOT_EDGE, RPS_FOOT_CORNER } is;
    rps_vec3 along; /* unit, of an edge; else 0 */
} rps_ellipsoid_foot;

/* How far the ellipsoid reaches from its centre along a unit vector, m. */
double rps_mesh_ellipsoid_support(const rps_mesh_ellipsoid *body, rps_vec3 n);

/* The point that a plane with the unit normal n has with it at an overlap (m). */
rps_vec3 rps_mesh_ellipsoid_foot_of(const rps_mesh_ellipsoid *body, rps_vec3 n, double overlap);

/* Of a point; of edge k of a triangle, the same bits from all triangles beside it; of a whole triangle. */
rps_ellipsoid_foot rps_mesh_ellipsoid_point(const rps_mesh_ellipsoid *body, rps_vec3 point);
rps_ellipsoid_foot rps_mesh_ellipsoid_edge(const rps_mesh_ellipsoid *body, const rps_mesh_face *face, int k);
rps_ellipsoid_foot rps_mesh_ellipsoid_triangle(const rps_mesh_ellipsoid *body, const rps_mesh_face *face);
/* The distance from the plane of a triangle, m, which that from the triangle is not below. */
double rps_mesh_ellipsoid_height(const rps_mesh_ellipsoid *body, const rps_mesh_face *face);

/* The mean curvature H of the ellipsoid where it touches a foot, and how it changes as the body moves: by force . x for a motion x
 * of the point at the foot, and by torque . t for a rotation t about it. All in the axes of the mesh. */
typedef struct rps_ellipsoid_bend {
    double mean;            /* 1/m */
    rps_vec3 force, torque; /* 1/m^2, 1/m */
} rps_ellipsoid_bend;
rps_ellipsoid_bend rps_mesh_ellipsoid_bend(const rps_mesh_ellipsoid *body, const rps_ellipsoid_foot *foot);

#endif
