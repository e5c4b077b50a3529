/* The chord that a piece cuts from a line along z. */
#ifndef RPS_WORLD_CHORD_H
#define RPS_WORLD_CHORD_H

#include <stdint.h>

#include "shape/shape.h"
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
    RPS_CHORD_POWER, /* a superquadric, by iteration */
    RPS_CHORD_ANY    /* by iteration */
} rps_chord_kind;

/* A piece in the frame of the lines. */
typedef struct rps_lined {
    const rps_shape *shape;
    const rps_piece *piece;
    rps_chord_kind kind;
    rps_shape_core core;
    rps_mat3 axes;     /* columns: axes of the shape, in the frame of the lines */
    rps_vec3 centre;   /* m, in that frame */
    rps_vec3 along;    /* of the lines, in the axes of the shape */
    rps_vec3 half;     /* m, half sides of the box about the shape along its axes */
    double side[3][2]; /* m, the same box in the frame of the lines */
} rps_lined;

/* Columns of `frame`: its axes x, y, z. The piece must outlive the result. */
rps_lined rps_lined_of(const rps_piece *piece, rps_vec3 origin, const rps_mat3 *frame);

/* Clips *t to the part of the line through (u, v) that lies in the piece; false, with *t undefined, if there is none.
 * Adds the cost to *work: 1, or more if the ends are found by iteration. */
bool rps_chord(const rps_lined *s, double u, double v, rps_interval *t, uint64_t *work);

#endif
