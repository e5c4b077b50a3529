/* Shared by several shapes: the limit of their aspect ratio, rounded cores, meshes. */
#ifndef RPS_SHAPE_PARTS_H
#define RPS_SHAPE_PARTS_H

#include "shape/shape.h"

/* Longest over shortest extent. Beyond it curvatures of one body lie a factor of more than 1e9 apart (longest over
 * shortest, cubed), and contact points are no longer known to a useful number of digits. */
#define RPS_SHAPE_MAX_ASPECT 1000.0

/* Refuses extents (m, positive; of the shape along its axes) that are too unequal. RPS_BAD_INPUT. */
rps_status rps_shape_check_aspect(const char *shape, const double extent[3], rps_error *err);

/* Independent of the machine's libm. Not for NAN. */
static inline double rps_larger(double a, double b) {
    return a > b ? a : b;
}

static inline double rps_smaller(double a, double b) {
    return a < b ? a : b;
}

/* The direction at length 1, whatever its length was; squares neither vanish nor overflow. Not for zero. */
static inline rps_vec3 rps_shape_unit(rps_vec3 d) {
    double largest = rps_larger(rps_larger(fabs(d.x), fabs(d.y)), fabs(d.z));
    return rps_vec3_normalize(rps_vec3_make(d.x / largest, d.y / largest, d.z / largest));
}

/* Bounds of a shape that reaches as far along d as along -d; reach[k] along axis k of the world, m. */
static inline rps_shape_bounds rps_shape_symmetric_bounds(const double reach[3]) {
    return (rps_shape_bounds){{-reach[0], -reach[1], -reach[2]}, {reach[0], reach[1], reach[2]}};
}

/* --- a core and all within a radius around it (core.c); arguments and results as in the descriptor ------------------- */

/* Half an extent of the core, m: 0 if only rounding error is left. */
double rps_core_half(double half, double radius);
/* Refuses straight parts that are too short for separate contacts. RPS_BAD_INPUT. */
rps_status rps_core_check(const char *shape, const rps_shape_core *core, rps_error *err);
rps_shape_mass rps_core_mass(const rps_shape_core *core);
double rps_core_smallest_width(const rps_shape_core *core);
double rps_core_bounding_radius(const rps_shape_core *core);
rps_shape_bounds rps_core_bounds(const rps_shape_core *core, const rps_mat3 *rotation);
rps_vec3 rps_core_support(const rps_shape_core *core, rps_vec3 direction);
/* Exact signed distance, m. */
double rps_core_value(const rps_shape_core *core, rps_vec3 point);
/* A unit vector. */
rps_vec3 rps_core_gradient(const rps_shape_core *core, rps_vec3 point);
void rps_core_shape_operator(const rps_shape_core *core, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]);
double rps_core_mean_curvature(const rps_shape_core *core, rps_vec3 point);
rps_status rps_core_mesh(const rps_shape_core *core, size_t triangles, const rps_allocator *allocator,
                         rps_shape_triangles *out, rps_error *err);

/* --- meshes (lattice.c) ---------------------------------------------------------------------------------------------- */

/* The point of the shape's surface, m, for a point of the surface of a lattice: at[k] from 0 to cells[k]. */
typedef rps_vec3 (*rps_lattice_map)(const void *context, const int at[3], const int cells[3]);

/* Cells along each edge of a cube whose surface has about that many triangles; even, at least 2. */
int rps_lattice_cells(size_t triangles);

/* at/cells of one axis on -1 ... 1, spread so that the directions to the points of a cube's face are even. */
double rps_lattice_coordinate(int at, int cells);

/* The surface of a box of cells[0] x cells[1] x cells[2] cubes, two triangles a square, each of its points moved by
 * `map`, which must keep inside and outside. Closed: neighbours share their points. RPS_NO_MEMORY. */
rps_status rps_lattice_mesh(const int cells[3], rps_lattice_map map, const void *context,
                            const rps_allocator *allocator, rps_shape_triangles *out, rps_error *err);

#endif
