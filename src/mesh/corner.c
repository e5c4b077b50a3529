#include "mesh/corner.h"

#include <math.h>
#include <string.h>

/* No shift is longer (ridges.c). */
static const double SHIFT_MOST = 3.0;

/* A contact tells the side where its normal is not along the surface, as it may be at a rim: the least cosine. */
static const double KEEPS_SIDE = 0.1;
/* How far from a rim is close to it, in `inner`. */
static const double RIM_CLOSE = 4.0;
/* How far outside of a triangle still is on it, as a part of its size. */
static const double ON_TRIANGLE = 1e-9;

/* Bytes that are kept for each triangle; at most three points and edges are its own. */
enum {
    BYTES_OF_TRIANGLE = 3 * sizeof(double[3]) + sizeof(double[3]) + sizeof(rps_reached) + sizeof(rps_mesh_near) +
                        sizeof(rps_mesh_face) + 100
};

size_t rps_mesh_moved_scratch(size_t capacity) {
    return (capacity + 1) * BYTES_OF_TRIANGLE + 16 * sizeof(double);
}

static void *take_part(char **at, size_t bytes) {
    void *p = *at;
    *at += (bytes + 7) / 8 * 8;
    return p;
}

/* Puts numbers in order without repetition; few. */
static size_t sort_numbers(uint32_t *x, size_t count) {
    size_t kept = 0;
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t k = gap; k < count; k++) {
            const uint32_t one = x[k];
            size_t at = k;
            for (; at >= gap && x[at - gap] > one; at -= gap) x[at] = x[at - gap];
            x[at] = one;
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (kept == 0 || x[k] != x[kept - 1]) x[kept++] = x[k];
    }
    return kept;
}

static uint32_t place_in(const uint32_t *x, size_t count, uint32_t wanted) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (x[mid] < wanted) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return (uint32_t)low;
}

/* The side of a contact, as the cosine between its normal and that of the triangle there; 0: there is none. */
static double side_of_contact(const rps_mesh *mesh, double inner, const rps_mesh_from *from) {
    rps_reached at;
    if (!(rps_vec3_norm2(from->normal) > 0.0)) return 0.0;
    if (!rps_mesh_nearest(mesh, from->point, RIM_CLOSE * inner, &at)) return 0.0;
    return rps_vec3_dot(rps_vec3_of(mesh->normal[at.triangle]), from->normal);
}

/* Whether the corner counts as on the outer side, by the triangle nearest to it; of a mesh with one touched side, whether that is it. */
static bool is_outside(const rps_mesh *mesh, uint32_t triangle, double inner, const rps_mesh_from *from) {
    if (mesh->side != RPS_MESH_BOTH) return mesh->side == RPS_MESH_OUTER;
    const double kept = side_of_contact(mesh, inner, from);
    if (fabs(kept) > KEEPS_SIDE) return kept > 0.0;
    const rps_vec3 a = rps_vec3_of(mesh->point[mesh->triangle[triangle][0]]);
    return (rps_vec3_dot(rps_vec3_of(mesh->normal[triangle]), rps_vec3_sub(from->body, a)) >= 0.0) != from->astride;
}

/* Where the line from a to b passes through a triangle, as a part of it; INFINITY if it does not. */
static double passes_at(const rps_mesh *mesh, uint32_t triangle, rps_vec3 a, rps_vec3 b) {
    const uint32_t *corner = mesh->triangle[triangle];
    const rps_vec3 p = rps_vec3_of(mesh->point[corner[0]]);
    const rps_vec3 u = rps_vec3_sub(rps_vec3_of(mesh->point[corner[1]]), p);
    const rps_vec3 v = rps_vec3_sub(rps_vec3_of(mesh->point[corner[2]]), p);
    const rps_vec3 along = rps_vec3_sub(b, a), from = rps_vec3_sub(a, p), w = rps_vec3_cross(along, v);
    const double size = rps_vec3_dot(u, w);
    if (!(fabs(size) > 0.0)) return INFINITY;
    const rps_vec3 x = rps_vec3_cross(from, u);
    const double s = rps_vec3_dot(from, w) / size, t = rps_vec3_dot(along, x) / size, at = rps_vec3_dot(v, x) / size;
    const bool inside = s >= -ON_TRIANGLE && t >= -ON_TRIANGLE && s + t <= 1.0 + ON_TRIANGLE;
    return inside && at >= 0.0 && at <= 1.0 ? at : INFINITY;
}

static double distance_of_edge(const rps_mesh *mesh, uint32_t edge, rps_vec3 point) {
    const rps_vec3 a = rps_vec3_of(mesh->point[mesh->edge[edge][0]]), b = rps_vec3_of(mesh->point[mesh->edge[edge][1]]);
    const rps_vec3 along = rps_vec3_sub(b, a), to = rps_vec3_sub(point, a);
    const double part = rps_vec3_dot(to, along) / rps_vec3_norm2(along);
    return rps_vec3_norm(rps_vec3_add_scaled(to, part < 0.0 ? 0.0 : part > 1.0 ? -1.0 : -part, along));
}

static bool is_close_to_rim(const rps_mesh *mesh, const rps_mesh_near *near, size_t count, rps_vec3 point,
                            double distance) {
    for (size_t k = 0; k < 3 * count; k++) {
        const uint32_t e = mesh->edge_of[near[k / 3].triangle][k % 3];
        if (mesh->edge_first[e + 1] - mesh->edge_first[e] == 1 && distance_of_edge(mesh, e, point) < distance)
            return true;
    }
    return false;
}

bool rps_mesh_is_astride(const rps_mesh *mesh, rps_vec3 centre, double inner, rps_vec3 body, size_t capacity,
                         void *scratch) {
    rps_mesh_near *near = scratch;
    double within = 2.0 * RIM_CLOSE * inner;
    const size_t found = rps_mesh_find_near(mesh, centre, &within, near, capacity);
    const size_t count = found < capacity ? found : capacity;
    for (size_t k = 0; k < count; k++) {
        const double at = passes_at(mesh, near[k].triangle, centre, body);
        if (!(at <= 1.0)) continue;
        const rps_vec3 through = rps_vec3_add_scaled(centre, at, rps_vec3_sub(body, centre));
        return is_close_to_rim(mesh, near, count, through, RIM_CLOSE * inner);
    }
    return is_close_to_rim(mesh, near, count, centre, INFINITY);
}

/* The normal of a moved triangle: its own, unless its plane was bent. */
static rps_vec3 moved_normal(const rps_mesh *from, const rps_mesh *part, uint32_t triangle, uint32_t own) {
    const rps_vec3 n = rps_vec3_of(from->normal[triangle]);
    const uint32_t *corner = from->triangle[triangle], *moved = part->triangle[own];
    bool stays = true;
    for (int k = 0; k < 3; k++)
        stays = stays && fabs(rps_vec3_dot(n, rps_vec3_of(from->shift[corner[k]])) - 1.0) < 1e-9;
    if (stays) return n;
    const rps_vec3 a = rps_vec3_of(part->point[moved[0]]), b = rps_vec3_of(part->point[moved[1]]);
    const rps_vec3 cross = rps_vec3_cross(rps_vec3_sub(b, a), rps_vec3_sub(rps_vec3_of(part->point[moved[2]]), a));
    const double size = rps_vec3_norm(cross);
    return size > 0.0 && rps_vec3_dot(cross, n) > 0.0 ? rps_vec3_scale(cross, 1.0 / size) : n;
}

/* The edges of the part and the triangles beside each. */
static void link_edges(rps_mesh *part, const rps_mesh *from, const uint32_t *near, uint32_t *edge_number,
                       const uint32_t *point_number) {
    const size_t count = part->triangles;
    for (size_t k = 0; k < 3 * count; k++) edge_number[k] = from->edge_of[near[k / 3]][k % 3];
    part->edges = sort_numbers(edge_number, 3 * count);
    memset(part->edge_first, 0, (part->edges + 1) * sizeof *part->edge_first);
    for (size_t k = 0; k < 3 * count; k++) {
        const uint32_t e = place_in(edge_number, part->edges, from->edge_of[near[k / 3]][k % 3]);
        part->edge_of[k / 3][k % 3] = e;
        part->edge_first[e + 1]++;
    }
    for (size_t e = 0; e < part->edges; e++) {
        part->edge_first[e + 1] += part->edge_first[e];
        for (int k = 0; k < 2; k++)
            part->edge[e][k] = place_in(point_number, part->points, from->edge[edge_number[e]][k]);
    }
    for (uint32_t k = 0; k < 3 * count; k++)
        part->edge_triangle[part->edge_first[part->edge_of[k / 3][k % 3]]++] = k / 3;
    for (size_t e = part->edges; e > 0; e--) part->edge_first[e] = part->edge_first[e - 1];
    part->edge_first[0] = 0;
}

static void fill_face(rps_mesh *part, uint32_t triangle) {
    rps_mesh_face *face = &part->face[triangle];
    *face = (rps_mesh_face){.spare = {0}};
    memcpy(face->normal, part->normal[triangle], sizeof face->normal);
    for (int k = 0; k < 3; k++) {
        const uint32_t edge = part->edge_of[triangle][k], first = part->edge_first[edge];
        const uint32_t beside = part->edge_first[edge + 1] - first, *t = part->edge_triangle + first;
        face->corner[k] = part->triangle[triangle][k];
        memcpy(face->point[k], part->point[face->corner[k]], sizeof face->point[k]);
        face->across[k] = beside < 2 ? RPS_NO_TRIANGLE : beside > 2 ? RPS_TRIANGLES : t[0] == triangle ? t[1] : t[0];
    }
}

/* Points, triangles and normals of the part. outside: the side that it moves back from. */
static void move_points(rps_mesh *part, const rps_mesh *from, const uint32_t *near, double inner, bool outside,
                        uint32_t *number) {
    const size_t corners = 3 * part->triangles;
    for (size_t k = 0; k < corners; k++) number[k] = from->triangle[near[k / 3]][k % 3];
    part->points = sort_numbers(number, corners);
    for (size_t p = 0; p < part->points; p++) {
        const rps_vec3 x = rps_vec3_of(from->point[number[p]]), shift = rps_vec3_of(from->shift[number[p]]);
        rps_vec3_put(part->point[p], rps_vec3_add_scaled(x, outside ? -inner : inner, shift));
    }
    for (size_t k = 0; k < corners; k++)
        part->triangle[k / 3][k % 3] = place_in(number, part->points, from->triangle[near[k / 3]][k % 3]);
    for (uint32_t k = 0; k < part->triangles; k++) rps_vec3_put(part->normal[k], moved_normal(from, part, near[k], k));
}

bool rps_mesh_move_back(const rps_mesh *mesh, rps_vec3 centre, double reach, double inner, const rps_mesh_from *from,
                        size_t capacity, void *scratch, rps_mesh_moved *out) {
    char *at = scratch;
    *out = (rps_mesh_moved){.count = 0};
    rps_mesh *part = &out->mesh;
    part->point = take_part(&at, 3 * capacity * sizeof *part->point);
    part->normal = take_part(&at, capacity * sizeof *part->normal);
    rps_reached *found = take_part(&at, capacity * sizeof *found);
    rps_mesh_near *all = take_part(&at, capacity * sizeof *all);
    uint32_t *near = take_part(&at, capacity * sizeof *near);
    part->face = take_part(&at, capacity * sizeof *part->face);
    part->triangle = take_part(&at, capacity * sizeof *part->triangle);
    part->edge_of = take_part(&at, capacity * sizeof *part->edge_of);
    part->edge = take_part(&at, 3 * capacity * sizeof *part->edge);
    part->edge_first = take_part(&at, (3 * capacity + 1) * sizeof *part->edge_first);
    part->edge_triangle = take_part(&at, 3 * capacity * sizeof *part->edge_triangle);
    uint32_t *point_number = take_part(&at, 3 * capacity * sizeof *point_number);
    uint32_t *edge_number = take_part(&at, 3 * capacity * sizeof *edge_number);
    double within = reach + SHIFT_MOST * inner;
    part->triangles = rps_mesh_find_near(mesh, centre, &within, all, capacity);
    out->found = found;
    if (part->triangles > capacity) return false;
    if (part->triangles == 0) return true;
    const bool outside = is_outside(mesh, all[0].triangle, inner, from);
    part->side = outside ? RPS_MESH_OUTER : RPS_MESH_INNER;
    for (size_t k = 0; k < part->triangles; k++) near[k] = all[k].triangle;
    (void)sort_numbers(near, part->triangles);
    for (uint32_t k = 0; k < part->triangles; k++) all[k] = (rps_mesh_near){.triangle = k};
    move_points(part, mesh, near, inner, outside, point_number);
    link_edges(part, mesh, near, edge_number, point_number);
    for (uint32_t k = 0; k < part->triangles; k++) fill_face(part, k);
    out->count =
        rps_mesh_reach_among(part, centre, reach, all, part->triangles, rps_vec3_zero(), found, part->triangles);
    return true;
}
