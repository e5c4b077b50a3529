/*
 * Separating axes: whether two convex meshes, or a convex body and a surface of triangles, have points in common, and how
 * deep. Contacts do not tell: they see corners and edges that are near, but two bars that cross have none near each other.
 */
#ifndef RPS_DETECT_SEPARATION_H
#define RPS_DETECT_SEPARATION_H

#include "detect/pair_mesh.h"

/* Polyhedron i and the mesh j, a polyhedron or any other surface; d: m, the origin of i less that of j. Below 0: minus the least
 * distance (m) that parts them from each other, of a surface the most over its triangles; above: a lower bound of their gap. Triangles
 * farther than `reach` (m) need not be looked at. */
double rps_polyhedron_separation(const rps_side *i, const rps_side *j, rps_vec3 d, double reach);
/* The same of a convex body with a support point and a surface of triangles: exact for boxes without rounding, for other shapes the
 * body may be said to be deeper than it is, or to touch a corner that it misses. */
double rps_convex_separation(const rps_side *i, const rps_side *j, rps_vec3 d, double reach);

#endif
