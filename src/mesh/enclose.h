/* Whether a closed mesh encloses a point. */
#ifndef RPS_MESH_ENCLOSE_H
#define RPS_MESH_ENCLOSE_H

#include "mesh/mesh.h"

/* True if a ray from the point meets the surface an odd number of times. Points on the surface are on one of its two sides.
 * `mesh` is closed. Takes the time of a search for what lies along the ray. */
bool rps_mesh_encloses(const rps_mesh *mesh, rps_vec3 point);

#endif
