/*
 * The triangles near each ball that is near a mesh, kept while the ball moves little relative to the mesh.
 *
 * A search notes where the ball was in the axes of the mesh, and a bound of the distance of each triangle from there. Few of
 * them can be within reach after a small motion, and the same few while the ball rests on the mesh, whether this moves or not. A new search
 * is due where the ball may reach triangles that the last one did not list. Notes decide no bit: the triangles in reach are the
 * same however they are found. So they are not part of the state. They outlive the lists, by the ids of both bodies.
 */
#ifndef RPS_STEP_MESH_NEAR_H
#define RPS_STEP_MESH_NEAR_H

#include "mesh/reach.h"
#include "world/world.h"

/* Gives a note to each pair of contacts->mesh: that of the last listing, or an empty one. RPS_NO_MEMORY. */
rps_status rps_mesh_near_match(const rps_world *world, rps_contacts *contacts, rps_error *err);

/* rps_mesh_reach by the note of a pair, which is renewed where need be. margin: m, how far the ball should move until the
 * next search. *clear: m, no triangle is nearer than this. */
size_t rps_mesh_near_reach(const rps_mesh *mesh, rps_vec3 centre, double reach, double margin, rps_near_note *note,
                           rps_reached *out, size_t capacity, double *clear);

#endif
