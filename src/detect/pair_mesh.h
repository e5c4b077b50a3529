/*
 * A ball and a mesh: the geometry of pairs. The contacts of a step are found for the whole pair at once
 * (step/mesh_contacts.c); lists and queries ask here. i is the ball, j the mesh, d the origin of i less that of j (m).
 */
#ifndef RPS_DETECT_PAIR_MESH_H
#define RPS_DETECT_PAIR_MESH_H

#include "detect/touch.h"
#include "mesh/reach.h"

/* The nearest point alone. */
rps_touch_result rps_mesh_touch(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff, rps_touch *out);
/* A lower bound of the gap, m: behind a side that is not touched it is less, and other shapes count as the balls around them. */
double rps_mesh_gap(const rps_side *i, const rps_side *j, rps_vec3 d);
/* False if the gap is not below `capacity`, m, else sets it. */
bool rps_mesh_gap_below(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, double *gap);
/* NULL, or why contacts of i with the mesh are not known, where it may come within `margin` m (rps_touch_refuses). */
const char *rps_mesh_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin);
/* Sets the geometry of a contact of the ball: normal and overlap are known, in the axes of the world. */
void rps_mesh_touch_put(const rps_side *i, rps_vec3 d, rps_vec3 normal, double overlap, rps_touch *out);

#endif
