/* The pieces of a mesh near a ball while they are found: the triangles in reach as nodes of a forest (reach.c). */
#ifndef RPS_MESH_PIECE_NODES_H
#define RPS_MESH_PIECE_NODES_H

#include <math.h>

#include "base/elementary.h"
#include "mesh/reach.h"

/* A triangle in reach while pieces grow. */
typedef struct rps_mesh_node {
    uint32_t parent; /* towards the root of its piece, which has the nearest foot */
    bool ends;       /* joined a piece with a nearer foot at `joint` */
    double joint;    /* m, distance */
    rps_vec3 joint_point;
    uint32_t joins[2]; /* nodes at that edge */
    int edge;          /* which one it is of the first of them */
} rps_mesh_node;

/* A body to which distances are measured: its centre, or a convex function of its own. */
typedef struct rps_mesh_body {
    rps_vec3 centre; /* m */
    /* NULL: a ball. The least distance of edge k of a face, m, the same bits from all faces beside it; *at: where. */
    double (*edge_distance)(const void *shape, const rps_mesh_face *face, int k, rps_vec3 *at);
    const void *shape;
} rps_mesh_body;

/* Grows the pieces in `scratch`: nodes, in the order of `found`. Arguments as of rps_mesh_contacts. */
rps_mesh_node *rps_mesh_grow_pieces(const rps_mesh *mesh, const rps_mesh_body *body, double reach,
                                    const rps_reached *found, size_t count, void *scratch);
/* Scales shares that are known up to a factor, and sets their parts. */
void rps_mesh_shares_scale(rps_mesh_share *share, size_t count);
/* x^p for the exponents of common laws without a call, which also gives their exact bits everywhere. */
static inline double rps_mesh_overlap_power(double x, double p) {
    if (p == 2.0) return x * x;
    if (p == 2.5) return x * x * sqrt(x);
    return rps_pow(x, p);
}

#endif
