/* The text or bytes of a file of a mesh: STL (binary), OBJ and PLY (binary, little-endian). */
#ifndef RPS_MESH_WRITE_H
#define RPS_MESH_WRITE_H

#include "base/text.h"
#include "mesh/mesh.h"

typedef enum rps_mesh_format {
    RPS_MESH_STL, /* corners in single precision, as the format has it: 7 digits */
    RPS_MESH_OBJ, /* double precision, as text that reads back to the same bits */
    RPS_MESH_PLY  /* double precision */
} rps_mesh_format;

/* By the ending of a name, in any case; false: another one. */
bool rps_mesh_format_of(const char *name, rps_mesh_format *out);

/* Receives the file in parts. */
typedef void rps_mesh_write_fn(void *context, const char *bytes, size_t count);

/* factor: m in the unit of the file. In OBJ and PLY a coordinate times the factor is that of the mesh to the last bit wherever a
 * double exists for which it is. RPS_NO_MEMORY; RPS_UNSUPPORTED for coordinates that single precision cannot hold. */
rps_status rps_mesh_write(const rps_mesh *mesh, rps_mesh_format format, double factor, rps_mesh_write_fn *write,
                          void *context, rps_error *err);

#endif
