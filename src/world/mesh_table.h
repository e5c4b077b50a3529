/* The meshes of a world. Bodies whose shape is a mesh name one by its number; several may share it. */
#ifndef RPS_WORLD_MESH_TABLE_H
#define RPS_WORLD_MESH_TABLE_H

#include <repose/world.h>

#include "mesh/mesh.h"
#include "mesh/report.h"

struct rps_piece;

typedef struct rps_world_mesh {
    rps_mesh mesh;          /* never changes */
    rps_mesh_report report; /* what was found when it was built */
    char *name;
    bool lent;       /* by another world, which keeps it (rps_world_lend_meshes) */
    bool solid;      /* the mesh lies about its center of mass, along its principal axes */
    rps_vec3 center; /* m, of a solid: its center of mass in the axes of the points that were given */
    rps_quat axes;   /* its principal axes in these */
} rps_world_mesh;

/* Entries that are listed at first for a body near a mesh. */
enum { RPS_MESH_SLOTS = 2 };

/* Gives a world without meshes those of another one, with their numbers. They stay those of `from`, which must live longer. as_surfaces:
 * none is a solid there, so that the axes of a body are those of its mesh. RPS_NO_MEMORY. */
rps_status rps_world_lend_meshes(const rps_world *from, rps_world *to, bool as_surfaces, rps_error *err);
/* kg, of a solid mesh of that density; NAN: it is none, or there is no such mesh. */
double rps_world_mesh_mass(const rps_world *world, double number, double density);

/* Gives a mesh to the world, which releases it, also after a failure; *number: its number. RPS_NO_MEMORY. */
rps_status rps_world_take_mesh(rps_world *world, rps_mesh *mesh, const rps_mesh_report *report, const char *name,
                               int *number, rps_error *err);

/* m, from the origin to the farthest point. */
double rps_mesh_farthest(const rps_mesh *mesh);

struct rps_piece;
/* The mesh of a piece by the table of its world; NULL: it has another shape. */
const rps_mesh *rps_mesh_of_piece(const rps_world_mesh *table, const struct rps_piece *piece);
/* m^3, of a piece; 0 of a surface. */
double rps_piece_volume(const rps_world *world, const struct rps_piece *piece);
/* The entry of a piece that has the shape of a solid mesh; NULL: it has another shape. */
const rps_world_mesh *rps_piece_solid(const rps_world *world, const struct rps_piece *piece);
/* The mesh of a piece; NULL: it has another shape. */
const rps_mesh *rps_piece_mesh(const rps_world *world, const struct rps_piece *piece);
/* The same for a piece of a body; NULL also for a sphere or a plane. */
const rps_mesh *rps_body_piece_mesh(const rps_world *world, size_t slot, uint32_t piece);

#endif
