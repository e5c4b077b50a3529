/* Parts by groups of the file, or by union-find over points; each part is a list of triangles with points of its own. */
#include "mesh/mesh_parts.h"

#include <stdlib.h>
#include <string.h>

/* --- triangles that hang together --------------------------------------------------------------------------------------- */

static uint32_t part_root(uint32_t *parent, uint32_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
}

static void part_join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = part_root(parent, a);
    b = part_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}

typedef struct numbered_point {
    double at[3];
    uint32_t number;
} numbered_point;

static int compare_points(const void *a, const void *b) {
    const numbered_point *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->at[k] != q->at[k]) return p->at[k] < q->at[k] ? -1 : 1;
    }
    return (p->number > q->number) - (p->number < q->number);
}

static bool is_soup(const rps_raw_mesh *raw) {
    if (raw->points != 3 * raw->triangles) return false;
    for (size_t t = 0; t < raw->triangles; t++) {
        for (uint32_t k = 0; k < 3; k++) {
            if (raw->triangle[t][k] != 3 * t + k) return false;
        }
    }
    return true;
}

static rps_status join_equal_points(const rps_allocator *allocator, const rps_raw_mesh *raw, uint32_t *parent,
                                    rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(raw->points, sizeof(numbered_point), &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    numbered_point *point = block;
    for (size_t n = 0; n < raw->points; n++) {
        for (int k = 0; k < 3; k++) point[n].at[k] = raw->point[n][k];
        point[n].number = (uint32_t)n;
    }
    qsort(point, raw->points, sizeof *point, compare_points);
    for (size_t n = 1; n < raw->points; n++) {
        const double *a = point[n - 1].at, *b = point[n].at;
        if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) part_join(parent, point[n - 1].number, point[n].number);
    }
    rps_memory_release(allocator, block, bytes);
    return RPS_OK;
}

/* Numbers the parts; parent[n] of a point: its root. */
static rps_status number_shells(const rps_allocator *allocator, const rps_raw_mesh *raw, uint32_t *parent,
                                uint32_t *part, size_t *parts, rps_error *err) {
    for (size_t n = 0; n < raw->points; n++) parent[n] = (uint32_t)n;
    if (is_soup(raw)) RPS_TRY(join_equal_points(allocator, raw, parent, err));
    for (size_t t = 0; t < raw->triangles; t++) {
        for (int k = 1; k < 3; k++) part_join(parent, raw->triangle[t][0], raw->triangle[t][k]);
    }
    for (size_t t = 0; t < raw->triangles; t++) part[t] = part_root(parent, raw->triangle[t][0]);
    uint32_t *number = parent; /* of the part of a root; no root is asked for again */
    for (size_t n = 0; n < raw->points; n++) number[n] = UINT32_MAX;
    uint32_t count = 0;
    for (size_t t = 0; t < raw->triangles; t++) {
        if (number[part[t]] == UINT32_MAX) number[part[t]] = count++;
        part[t] = number[part[t]];
    }
    *parts = count;
    return RPS_OK;
}

rps_status rps_raw_mesh_parts(const rps_allocator *allocator, const rps_raw_mesh *raw, uint32_t *part, size_t *parts,
                              rps_error *err) {
    const bool ends_empty = raw->groups > 0 && raw->group[raw->groups - 1] == raw->triangles;
    *parts = raw->groups - (ends_empty ? 1 : 0);
    if (*parts >= 2) {
        uint32_t group = 0;
        for (size_t t = 0; t < raw->triangles; t++) {
            while (group + 1 < *parts && raw->group[group + 1] <= t) group++;
            part[t] = group;
        }
    } else {
        size_t bytes;
        void *parent;
        RPS_TRY(rps_size_of_items(raw->points, sizeof(uint32_t), &bytes, err));
        RPS_TRY(rps_memory_alloc(allocator, bytes, &parent, err));
        const rps_status status = number_shells(allocator, raw, parent, part, parts, err);
        rps_memory_release(allocator, parent, bytes);
        RPS_TRY(status);
    }
    if (*parts <= RPS_MESH_PARTS_MOST) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "it has %zu parts, and a body is made of at most %d", *parts,
                    (int)RPS_MESH_PARTS_MOST);
}

/* --- one part ----------------------------------------------------------------------------------------------------------- */

rps_status rps_raw_mesh_part(const rps_allocator *allocator, const rps_raw_mesh *raw, const uint32_t *part,
                             uint32_t which, rps_raw_mesh *out, rps_error *err) {
    size_t triangles = 0, bytes;
    void *block, *number;
    for (size_t t = 0; t < raw->triangles; t++) triangles += part[t] == which;
    *out = (rps_raw_mesh){.triangle_bytes = triangles * sizeof *out->triangle};
    RPS_TRY(rps_memory_alloc(allocator, out->triangle_bytes, &block, err));
    out->triangle = block;
    rps_status status = rps_size_of_items(raw->points, sizeof(uint32_t), &bytes, err);
    if (status == RPS_OK) status = rps_memory_alloc(allocator, bytes, &number, err);
    if (status != RPS_OK) {
        rps_raw_mesh_release(allocator, out);
        return status;
    }
    uint32_t *to = number;
    for (size_t n = 0; n < raw->points; n++) to[n] = UINT32_MAX;
    for (size_t t = 0; t < raw->triangles; t++) {
        if (part[t] != which) continue;
        for (int k = 0; k < 3; k++) {
            const uint32_t n = raw->triangle[t][k];
            if (to[n] == UINT32_MAX) to[n] = (uint32_t)out->points++;
            out->triangle[out->triangles][k] = to[n];
        }
        out->triangles++;
    }
    out->point_bytes = out->points * sizeof *out->point;
    status = rps_memory_alloc(allocator, out->point_bytes, &block, err);
    if (status == RPS_OK) {
        out->point = block;
        for (size_t n = 0; n < raw->points; n++) {
            if (to[n] != UINT32_MAX) memcpy(out->point[to[n]], raw->point[n], sizeof *out->point);
        }
    } else {
        out->point_bytes = 0;
        rps_raw_mesh_release(allocator, out);
    }
    rps_memory_release(allocator, number, bytes);
    return status;
}
