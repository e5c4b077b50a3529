/*
 * The core of a convex mesh: the mesh with its planes moved inwards by a radius, and all within that radius of it. Bodies with
 * edges touch a mesh so, as they touch a box with its edges rounded (detect/pair_core.h): its faces do not move, and its edges and
 * corners have a curvature.
 */
#ifndef RPS_MESH_MESH_CORE_H
#define RPS_MESH_MESH_CORE_H

#include "mesh/mesh.h"

/* Planes of a mesh that has a core; finding it takes the time of their number squared. */
enum { RPS_MESH_CORE_PLANES = 2000 };

struct rps_mesh_core {
    double radius; /* m, of the rounding */
    double
        half; /* m, from the center of mass to the nearest plane of the mesh: no plane is nearer to any point inside than
                      this everywhere */
    rps_mesh mesh; /* moved inwards */
    size_t edges;  /* ridges of it that are ridges of the mesh too: where more than three planes meet, others arise */
    rps_mesh_ridge *edge;
    rps_box_tree edge_tree;
};

/* Finds the core of a closed convex mesh that is touched from outside and has at most RPS_MESH_CORE_PLANES planes; leaves
 * mesh->core NULL for any other. radius: as a fraction of `half`. RPS_NO_MEMORY. */
rps_status rps_mesh_find_core(rps_mesh *mesh, double fraction, rps_error *err);

void rps_mesh_core_release(const rps_allocator *allocator, struct rps_mesh_core *core);
size_t rps_mesh_core_bytes(const struct rps_mesh_core *core);

/* The nearest point of the core to a point, both in the axes of the mesh. */
typedef struct rps_core_foot {
    double distance; /* m, signed: negative inside */
    rps_vec3 point;  /* m */
    rps_vec3 out;    /* unit, from there to the point, outwards */
    enum { RPS_FOOT_ON_FACE, RPS_FOOT_ON_EDGE, RPS_FOOT_ON_CORNER } on;
    rps_vec3 along; /* unit, along the edge */
} rps_core_foot;
rps_core_foot rps_mesh_core_nearest(const struct rps_mesh_core *core, rps_vec3 point);

#endif
