/*
 * Which contacts of a ball with a mesh continue which contacts of the last evaluation; which joined, and which parted.
 *
 * A piece of the surface continues a contact if it can be the same: its point of contact has moved no farther than the ball,
 * twice, and the radii of both contacts. Two pieces that are apart are farther from each other. The nearest pairs come first.
 * A contact that nothing continues has joined the nearest piece that it could be, if its point is still in reach; else it has
 * ended. A piece that continues none is a part of the nearest contact that it could be, if it was in reach already; else it
 * begins.
 */
#ifndef RPS_STEP_MESH_MATCH_H
#define RPS_STEP_MESH_MATCH_H

#include <stdbool.h>

#include "base/vec.h"
#include "mesh/reach.h"

#define RPS_MESH_NO_PIECE SIZE_MAX

/* A contact of the last evaluation. */
typedef struct rps_mesh_old {
    size_t slot;
    rps_vec3 point, normal; /* m, 1, in the axes of the mesh; towards the ball */
    double overlap;
    rps_vec3 moved, turned; /* m, rad, of the body at the centre of the ball since then; turned: 0 of balls */
    double deeper;          /* m, how much farther the body reaches against the normal, as it has turned; 0 of balls */
    bool in_reach;          /* the point is in reach of the body now */
    /* set by rps_mesh_match */
    size_t piece;   /* that it continues as, or has joined; RPS_MESH_NO_PIECE: it has ended */
    bool continues; /* its slot is that of the piece */
} rps_mesh_old;

/* A contact of now. */
typedef struct rps_mesh_new {
    size_t slot;   /* that of the contact which it continues, SIZE_MAX: none */
    size_t family; /* the piece that continues the contact of which this one is a part: itself, if it is none */
    bool hands;    /* the first of a family in which contacts joined or parted */
    double before; /* m, its overlap at the last evaluation by the motion since then */
} rps_mesh_new;

/* The body now. */
typedef struct rps_mesh_matched {
    rps_vec3 centre; /* m, of the ball in the axes of the mesh */
    double size;     /* m, largest radius of curvature; a corner counts as larger (detect/pair_mesh.h) */
    double range;    /* m, beyond which no law reaches */
} rps_mesh_matched;

/* now: with their points; out: with `before` set. */
void rps_mesh_match(const rps_mesh_matched *body, rps_mesh_old *old, size_t olds, const rps_mesh_contact *now,
                    size_t pieces, rps_mesh_new *out);

#endif
