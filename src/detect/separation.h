/*
 * Separating axes of convex meshes: whether two polyhedra, or a polyhedron and a surface of triangles, have points in common, and how
 * deep. Contacts do not tell: they see corners and edges that are near, but two bars that cross have none near each other.
 */
#ifndef RPS_DETECT_SEPARATION_H
#define RPS_DETECT_SEPARATION_H

#include "detect/pair_mesh.h"

/* Polyhedron i and the mesh j, a polyhedron or any other surface; d: m, the origin of i less that of j. Below 0: minus the least
 * distance (m) that parts them from each other, of a surface the most over its triangles; above: a lower bound of their gap. Triangles
 * farther than `reach` (m) need not be looked at. */
double rps_polyhedron_separation(const rps_side *i, const rps_side *j, rps_vec3 d, double reach);

#endif
