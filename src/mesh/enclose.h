/* Whether a closed mesh encloses a point, and how much of its volume a box does. */
#ifndef RPS_MESH_ENCLOSE_H
#define RPS_MESH_ENCLOSE_H

#include "mesh/mesh.h"

/* True if a ray from the point meets the surface an odd number of times. Points on the surface are on one of its two sides.
 * `mesh` is closed. Takes the time of a search for what lies along the ray. */
bool rps_mesh_encloses(const rps_mesh *mesh, rps_vec3 point);

/* m^3, to round-off: the part of a closed mesh, turned about its origin, in a box along the axes of the world, which may reach to
 * infinity. Takes the time of all triangles. */
double rps_mesh_volume_inside(const rps_mesh *mesh, const rps_mat3 *turn, const double low[3], const double high[3]);

#endif
