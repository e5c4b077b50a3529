/* The chord that a piece cuts from a line along z. */
#ifndef RPS_WORLD_CHORD_H
#define RPS_WORLD_CHORD_H

#include <stdint.h>

#include "mesh/mesh.h"
#include "shape/shape.h"
#include "world/mesh_table.h"
#include "world/world.h"

typedef struct rps_interval {
    double low, high; /* m, along z */
} rps_interval;

typedef enum rps_chord_kind {
    RPS_CHORD_BALL,
    RPS_CHORD_ELLIPSOID,
    RPS_CHORD_CYLINDER,
    RPS_CHORD_CAPSULE,
    RPS_CHORD_BOX,
    RPS_CHORD_POWER,  /* a superquadric, by iteration */
    RPS_CHORD_PLANES, /* a convex mesh */
    RPS_CHORD_ANY     /* by iteration */
} rps_chord_kind;

/* A piece in the frame of the lines. */
typedef struct rps_lined {
    const rps_shape *shape;
    const rps_piece *piece;
    const rps_mesh *mesh; /* NULL: no mesh */
    rps_chord_kind kind;
    rps_shape_core core;
    rps_mat3 axes;     /* columns: axes of the shape, in the frame of the lines */
    rps_vec3 centre;   /* m, in that frame */
    rps_vec3 along;    /* of the lines, in the axes of the shape */
    rps_vec3 half;     /* m, half sides of a box about the shape, centred at its origin, along its axes */
    double side[3][2]; /* m, the same box in the frame of the lines */
} rps_lined;

/* Columns of `frame`: its axes x, y, z. The piece and the meshes of its world must outlive the result. */
rps_lined rps_lined_of(const rps_piece *piece, const rps_world_mesh *meshes, rps_vec3 origin, const rps_mat3 *frame);

/* m, how far it reaches from its centre along a direction of its own axes, times the length of the direction. */
double rps_lined_reach(const rps_lined *s, rps_vec3 direction);
/* Whether a point, in its own axes, lies in it. */
bool rps_lined_holds(const rps_lined *s, rps_vec3 point);

/* Clips *t to the part of the line through (u, v) that lies in the piece; false, with *t undefined, if there is none.
 * Adds the cost to *work: 1, or more if the ends are found by iteration. */
bool rps_chord(const rps_lined *s, double u, double v, rps_interval *t, uint64_t *work);

#endif
