/* Shared by the tests of meshes: surfaces made by hand, their disorder, and the comparison of meshes bit by bit. */
#ifndef MESH_COMMON_H
#define MESH_COMMON_H

#include "../physics/worlds.h"

#include "mesh/build_mesh.h"

/* The number of the new point or triangle. */
uint32_t mesh_add_point(rps_raw_mesh *raw, double x, double y, double z);
void mesh_add_triangle(rps_raw_mesh *raw, uint32_t a, uint32_t b, uint32_t c);
void mesh_free_raw(rps_raw_mesh *raw);

/* The corner of a unit cube, cut off by a plane through the ends of its edges. */
void mesh_add_tetrahedron(rps_raw_mesh *raw);
/* Its faces are divided into two triangles each; size < 0 turns them inward. */
void mesh_add_cube(rps_raw_mesh *raw, rps_vec3 center, double size);
/* An icosahedron, each triangle divided into four `levels` times, on a sphere. */
void mesh_add_icosphere(rps_raw_mesh *raw, rps_vec3 center, double radius, int levels);
/* A square of `n` times `n` squares, corner to corner 1, its points moved in its plane and out of it at random. */
void mesh_add_sheet(rps_raw_mesh *raw, uint32_t n, double rough, uint64_t stream);
/* A strip of n squares joined to a ring, its end turned by `turns` times 180 degrees. */
void mesh_add_ring(rps_raw_mesh *raw, uint32_t n, int turns);

/* Every triangle with three points of its own, as in a file of STL. */
void mesh_separate(rps_raw_mesh *raw);
/* Other orders of points and triangles, and other first corners. */
void mesh_shuffle(rps_raw_mesh *raw, uint64_t stream);

/* Builds, or ends the test. */
void mesh_make(const rps_raw_mesh *raw, const rps_mesh_options *options, rps_mesh *out, rps_mesh_report *report);
/* Must be refused with a sentence that contains `part`; checks that nothing is left. */
void mesh_refused(const rps_raw_mesh *raw, const rps_mesh_options *options, const char *part);
/* All arrays, the tree and the sums have the same bits. */
void mesh_compare(const rps_mesh *a, const rps_mesh *b);
/* Holds what mesh.h says of every mesh. */
void mesh_check(const rps_mesh *m);

#endif
