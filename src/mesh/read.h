/*
 * Raw triangles from the bytes of a file: STL (text and binary), OBJ, PLY (text and binary of both byte orders). Numbers are
 * read in double precision, whatever the locale; normals, colors and the like are skipped; polygons are cut into triangles.
 */
#ifndef RPS_MESH_READ_H
#define RPS_MESH_READ_H

#include "mesh/mesh.h"

/* The format is told by the content, and where that leaves it open by the ending of `name`, which also begins the errors: they
 * say line or byte, what is wrong, and the remedy. Any bytes may be given. RPS_BAD_INPUT, RPS_UNSUPPORTED, RPS_NO_MEMORY; *raw is
 * then empty. Release it with rps_raw_mesh_release. */
rps_status rps_mesh_read(const rps_allocator *allocator, const char *name, const void *bytes, size_t count,
                         rps_raw_mesh *raw, rps_error *err);

#endif
