/*
 * Where a sharp corner touches a mesh.
 *
 * A corner is a ball of a radius too small to find its way out of the surface once it is in. So the surface is moved back
 * by `inner`, and the ball is made larger by as much: on a plane this changes nothing, as overlap = radius - height. All planes
 * at a point of the mesh move back by the whole length (rps_mesh.shift), so faces stay where they are for the ball, folds
 * have their two contacts, and edges of the mesh are rounded by `inner`. Where triangles are smaller than that, and at points
 * where more than three planes meet, the surface is what the moved points make of it: still a surface, so the rule of
 * pieces (reach.h) gives a potential without jumps.
 */
#ifndef RPS_MESH_CORNER_H
#define RPS_MESH_CORNER_H

#include "mesh/reach.h"

/* A part of a mesh, moved back, and its triangles within reach of a ball; all in the scratch. */
typedef struct rps_mesh_moved {
    rps_mesh mesh;            /* of the triangles and edges alone that rps_mesh_contacts and rps_mesh_feet read */
    const rps_reached *found; /* as rps_mesh_reach gives them; numbers of the part */
    size_t count;
} rps_mesh_moved;

/* Bytes of scratch for `capacity` triangles near a corner, aligned as for double. */
size_t rps_mesh_moved_scratch(size_t capacity);

/* On which side of a mesh a corner is whose both sides are touched; in the axes of the mesh. A corner that touches stays on its side;
 * another one is on the side of its body, or, `astride`, on the other. */
typedef struct rps_mesh_from {
    rps_vec3 body;          /* m, a point inside the body */
    rps_vec3 point, normal; /* m, 1, of a contact of the corner, towards it; normal 0: it touches nothing */
    bool astride;
} rps_mesh_from;

/* The part of a mesh near a corner, moved back by `inner` (m) from the side on which the corner is. centre, reach: of the ball that was
 * made larger. False if more than `capacity` triangles are near. */
bool rps_mesh_move_back(const rps_mesh *mesh, rps_vec3 centre, double reach, double inner, const rps_mesh_from *from,
                        size_t capacity, void *scratch, rps_mesh_moved *out);

/* Whether the body of a corner that is behind a surface, seen from the middle of the body, is astride a rim of it: the line between the
 * two does not pass through the surface, or passes close to a rim. scratch as above. */
bool rps_mesh_is_astride(const rps_mesh *mesh, rps_vec3 centre, double inner, rps_vec3 body, size_t capacity,
                         void *scratch);

#endif
