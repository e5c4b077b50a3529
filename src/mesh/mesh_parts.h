/* The parts of a surface that is given as several bodies in one file. */
#ifndef RPS_MESH_MESH_PARTS_H
#define RPS_MESH_MESH_PARTS_H

#include "mesh/mesh.h"

enum { RPS_MESH_PARTS_MOST = 10000 };

/* part[k]: the number of the part of triangle k, from 0 in the order of the file; *parts: how many there are. They are the groups
 * that the file names, if it names two or more; else the triangles that hang together by their points. Where each triangle has points
 * of its own, as in STL files, points with equal coordinates are one. RPS_BAD_INPUT: more than RPS_MESH_PARTS_MOST; RPS_NO_MEMORY. */
rps_status rps_raw_mesh_parts(const rps_allocator *allocator, const rps_raw_mesh *raw, uint32_t *part, size_t *parts,
                              rps_error *err);

/* The triangles of one of them, and the points that they have. RPS_NO_MEMORY, *out is then empty. Release it with
 * rps_raw_mesh_release. */
rps_status rps_raw_mesh_part(const rps_allocator *allocator, const rps_raw_mesh *raw, const uint32_t *part,
                             uint32_t which, rps_raw_mesh *out, rps_error *err);

#endif
