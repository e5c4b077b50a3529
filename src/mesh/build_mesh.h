/*
 * Makes a mesh of raw triangles: welds points, removes what has no area, splits edges at points that lie on them, turns
 * triangles to agree, and finds what the contacts need: edges, folds, patches, a tree, and the volume of a closed one.
 *
 * The result depends on the set of triangles alone: not on their order, the order of points, or which corner comes first.
 * Time and memory are linear in the number of triangles but for the sorting.
 */
#ifndef RPS_MESH_BUILD_MESH_H
#define RPS_MESH_BUILD_MESH_H

#include "mesh/mesh.h"
#include "mesh/report.h"

#define RPS_MESH_WELD 1e-6              /* relative to the size */
#define RPS_MESH_MOST ((size_t)1 << 30) /* triangles, so that corners are counted by 32 bits */

typedef struct rps_mesh_options {
    double factor;  /* m in the unit of the file: 1e-3 for mm */
    rps_quat turn;  /* a point of the mesh is turn(factor x) + shift */
    rps_vec3 shift; /* m */
    double
        weld; /* the weld length in the largest extent of the mesh, 1e-9 to 1e-2: points nearer to each other are one */
    rps_mesh_side side;
    bool flip; /* turns open surfaces the other way; closed ones have their sides from their volume */
} rps_mesh_options;

/* Metres, not moved, RPS_MESH_WELD, outer side, not flipped. */
rps_mesh_options rps_mesh_options_default(void);

/* Makes the mesh; release it with rps_mesh_release. *report is complete also after a failure, up to the failure, and is the
 * only thing that knows triangles by their numbers in the file. raw is not changed. RPS_BAD_INPUT for indices and coordinates
 * that make no sense, for a surface without two sides or with branches unless it is touched from both sides, and if nothing
 * is left; RPS_NO_MEMORY. After a failure *out is empty. */
rps_status rps_mesh_build(const rps_allocator *allocator, const rps_raw_mesh *raw, const rps_mesh_options *options,
                          rps_mesh *out, rps_mesh_report *report, rps_error *err);
/* The same where the user has not chosen a side: a closed surface is touched from outside, any other from both sides. */
rps_status rps_mesh_build_auto(const rps_allocator *allocator, const rps_raw_mesh *raw, const rps_mesh_options *options,
                               rps_mesh *out, rps_mesh_report *report, rps_error *err);

#endif
