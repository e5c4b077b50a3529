/* Meshes: the surface of a lattice of cubes, wrapped around the shape. One pattern serves all shapes. It is closed
 * because neighbouring squares share one numbering of corners. */
#include "shape/parts.h"

#include "base/elementary.h"

/* 12 cells^2 triangles; the upper bound keeps the numbers of points within 32 bits. */
int rps_lattice_cells(size_t triangles) {
    double half = 0.5 * sqrt((double)triangles / 12.0) + 0.5;
    return half < 1.0 ? 2 : half > 5000.0 ? 10000 : 2 * (int)half;
}

double rps_lattice_coordinate(int at, int cells) {
    return at == 0 ? -1.0 : at == cells ? 1.0 : rps_tan((2.0 * at / cells - 1.0) * (0.25 * RPS_PI));
}

/* Layer by layer: the lowest and the highest are full, those in between are rings numbered counterclockwise. */
static uint32_t lattice_number_of(const int at[3], const int cells[3]) {
    int nx = cells[0], ny = cells[1], nz = cells[2], i = at[0], j = at[1], k = at[2];
    uint32_t layer = (uint32_t)(nx + 1) * (uint32_t)(ny + 1), ring = 2u * (uint32_t)(nx + ny);
    uint32_t in_layer = (uint32_t)j * (uint32_t)(nx + 1) + (uint32_t)i;
    if (k == 0) return in_layer;
    if (k == nz) return layer + (uint32_t)(nz - 1) * ring + in_layer;
    int along = j == 0 ? i : i == nx ? nx + j : j == ny ? nx + ny + (nx - i) : 2 * nx + ny + (ny - j);
    return layer + (uint32_t)(k - 1) * ring + (uint32_t)along;
}

static void put_point(const int at[3], const int cells[3], rps_lattice_map map, const void *context,
                      rps_shape_triangles *out) {
    rps_vec3 x = map(context, at, cells);
    double *to = out->point[lattice_number_of(at, cells)];
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
}

/* The two sides across `axis`; (axis, p, q) turn by the right hand, so p to q is counterclockwise seen from +axis.
 * Points on edges are put twice, the same each time. */
static void put_sides(int axis, const int cells[3], rps_lattice_map map, const void *context, size_t *count,
                      rps_shape_triangles *out) {
    int p = (axis + 1) % 3, q = (axis + 2) % 3;
    for (int side = 0; side < 2; side++) {
        int at[3];
        at[axis] = side ? cells[axis] : 0;
        for (at[p] = 0; at[p] <= cells[p]; at[p]++) {
            for (at[q] = 0; at[q] <= cells[q]; at[q]++) {
                put_point(at, cells, map, context, out);
                if (at[p] == cells[p] || at[q] == cells[q]) continue;
                int b[3] = {at[0], at[1], at[2]}, c[3] = {at[0], at[1], at[2]}, d[3] = {at[0], at[1], at[2]};
                b[side ? p : q]++;
                c[p]++;
                c[q]++;
                d[side ? q : p]++;
                uint32_t corner[4] = {lattice_number_of(at, cells), lattice_number_of(b, cells),
                                      lattice_number_of(c, cells), lattice_number_of(d, cells)};
                for (int half = 0; half < 2; half++) {
                    uint32_t *t = out->triangle[(*count)++];
                    t[0] = corner[0];
                    t[1] = corner[1 + half];
                    t[2] = corner[2 + half];
                }
            }
        }
    }
}

rps_status rps_lattice_mesh(const int cells[3], rps_lattice_map map, const void *context,
                            const rps_allocator *allocator, rps_shape_triangles *out, rps_error *err) {
    size_t nx = (size_t)cells[0], ny = (size_t)cells[1], nz = (size_t)cells[2], bytes, count = 0;
    void *block;
    *out = (rps_shape_triangles){.points = 2 * (nx + 1) * (ny + 1) + (nz - 1) * 2 * (nx + ny),
                                 .triangles = 4 * (nx * ny + ny * nz + nz * nx)};
    RPS_TRY(rps_size_of_items(out->points, sizeof *out->point, &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    out->point = block;
    rps_status status = rps_size_of_items(out->triangles, sizeof *out->triangle, &bytes, err);
    if (status == RPS_OK) status = rps_memory_alloc(allocator, bytes, &block, err);
    if (status != RPS_OK) {
        rps_memory_release(allocator, out->point, out->points * sizeof *out->point);
        *out = (rps_shape_triangles){0};
        return status;
    }
    out->triangle = block;
    for (int axis = 0; axis < 3; axis++) put_sides(axis, cells, map, context, &count, out);
    return RPS_OK;
}
