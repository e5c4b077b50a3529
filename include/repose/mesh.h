/*
 * Surfaces of triangles: hoppers, drums, blades, as CAD programs give them.
 *
 * A mesh belongs to a world, and any number of fixed or driven bodies may have it as their shape; free ones too if it is the
 * surface of a solid. Its points and triangles
 * are copied, checked and repaired: points that coincide are welded, triangles without area or given twice are left out,
 * edges are split at points that lie on them, and triangles that turn otherwise than their neighbors are turned. Warnings go
 * to the log of the world. The result does not depend on the order of points and triangles.
 *
 * The surface counts as a set of points: how it is cut into triangles does not show in contacts.
 */
#ifndef REPOSE_MESH_H
#define REPOSE_MESH_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The side of the triangles that bodies touch: the outer one is that from which the corners run counterclockwise; of a
 * closed surface, whichever way they run, the one away from its volume. */
typedef enum rps_mesh_sides {
    RPS_SIDE_AUTO, /* outer if the surface is closed, else both */
    RPS_SIDE_OUTER,
    RPS_SIDE_INNER,
    RPS_SIDE_BOTH /* a sheet without thickness: bodies touch it on the side where their centres are */
} rps_mesh_sides;

typedef struct rps_mesh_def {
    uint32_t size;
    const char *name;         /* in sentences; NULL: none */
    const double (*point)[3]; /* m, in the axes of the body; its position is their origin */
    size_t points;
    const uint32_t (*triangle)[3]; /* points, from 0 */
    size_t triangles;
    rps_mesh_sides side; /* (auto) */
    double weld;         /* points nearer than this part of the largest extent are one (1e-6) */
    int flip;            /* 1: turns open surfaces the other way (0) */
    /* 1: the surface of a solid, whose bodies have mass properties and may be free (0). It is closed, and touched from its
     * outer side. Such a body is defined in the axes of the points; its position and orientation are then those of its center
     * of mass and its principal axes. */
    int solid;
} rps_mesh_def;

RPS_API rps_mesh_def rps_mesh_def_default(void);
/* Adds a mesh; *number (may be NULL) counts the meshes of the world from 0. RPS_BAD_INPUT for triangles that refer to no
 * point, a solid that is not closed, numbers that are not finite, a surface without two sides that is not touched from both, and if nothing is left;
 * the sentence gives triangles and places. */
RPS_API rps_status rps_world_add_mesh(rps_world *world, const rps_mesh_def *def, int *number, rps_error *err);
/* A fixed body with the shape of a mesh of the world. Its kind may be changed: to free only if the mesh is solid. */
RPS_API rps_body_def rps_body_mesh(int number);

#ifdef __cplusplus
}
#endif
#endif
