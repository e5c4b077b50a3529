/*
 * The convex hull of a mesh: a closed body around a surface that may be open, branched, or crossed by itself.
 */
#ifndef RPS_MESH_HULL_H
#define RPS_MESH_HULL_H

#include "mesh/mesh.h"

/* Triangles around all points of the mesh, counterclockwise seen from outside; corners are points of the mesh. No point lies
 * farther outside of the plane of any triangle than `weld` times the largest extent, with the rounding of RPS_HULL_GRID. `weld`:
 * 1e-9 to 1e-2, as of the options of the mesh. RPS_BAD_INPUT if the points lie in one plane to the weld length;
 * RPS_NO_MEMORY. Release it with rps_raw_mesh_release, with the allocator of the mesh. After a failure *out is empty. */
rps_status rps_mesh_hull(const rps_mesh *mesh, double weld, rps_raw_mesh *out, rps_error *err);

/* A surface and its hull. */
typedef struct rps_hull_sizes {
    bool closed;         /* the surface, whose volume is 0 otherwise */
    double volume, area; /* m^3, m^2, of the surface */
    double hull_volume, hull_area;
    double depth; /* m, of the point of the surface that lies farthest inside the hull */
} rps_hull_sizes;
rps_hull_sizes rps_hull_compare(const rps_mesh *surface, const rps_mesh *hull);

/* Replaces raw triangles, in m, by those of their hull. Errors as above, and those of rps_mesh_build. After a failure raw is as
 * before or empty. */
rps_status rps_raw_mesh_hull(const rps_allocator *allocator, double weld, rps_raw_mesh *raw, rps_hull_sizes *sizes,
                             rps_error *err);

/* Sides are decided for points on a grid with this many cells along the largest extent: 4e-12 of it. */
#define RPS_HULL_GRID 0x1p38

#endif
