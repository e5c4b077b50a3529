/*
 * Two convex meshes: polyhedra that touch as cores do (pair_core.h). Places of the pair, in this order:
 *   every tip of i against the body j;
 *   every tip of j against the body i;
 *   every edge of i against every edge of j.
 * The body that a tip touches, and both edges, are rounded: they are those of the core (mesh/mesh_core.h). The tips are sharp, so that
 * they meet a face where they meet a plane. All overlaps are distances, so the sum of the energies is a potential with a continuous
 * gradient.
 */
#ifndef RPS_DETECT_PAIR_POLYHEDRA_H
#define RPS_DETECT_PAIR_POLYHEDRA_H

#include "detect/pair_core.h"
#include "detect/pair_mesh.h"

/* Whether both are meshes with a core. */
bool rps_polyhedra_pair(const rps_side *i, const rps_side *j);
/* NULL, or why their contacts are not known. */
const char *rps_polyhedra_refuse(const rps_side *i, const rps_side *j);
/* As rps_mesh_place_touch, rps_mesh_place_gap and rps_mesh_places. */
rps_touch_result rps_polyhedra_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                     rps_touch *out);
double rps_polyhedra_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place);
void rps_polyhedra_places(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, rps_mesh_place_visit visit,
                          void *context);

/* The rounded body of polyhedron i against a point `at` (m, from its origin, world axes), and one of its edges against a line of
 * another mesh; as j, with branch_j from the origin of i. The other counts as rounded as i is. Gaps as of tips and edges. */
rps_touch_result rps_polyhedron_point_touch(const rps_side *i, rps_vec3 at, double cutoff, rps_touch *out);
rps_touch_result rps_polyhedron_line_touch(const rps_side *i, size_t edge, const rps_core_line *line, double cutoff,
                                           rps_touch *out);
double rps_polyhedron_point_gap(const rps_side *i, rps_vec3 at);
double rps_polyhedron_line_gap(const rps_side *i, size_t edge, const rps_core_line *line);

#endif
