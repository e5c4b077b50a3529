/* Edges of the draft: corners of triangles sorted by the points of the edges that begin there, by counting. */
#include <math.h>

#include "base/exact_sum.h"
#include "mesh/draft.h"

static uint32_t edge_end(const rps_draft *d, uint32_t corner, bool higher) {
    const uint32_t *t = d->triangle[corner / 3];
    const uint32_t a = t[corner % 3], b = t[(corner + 1) % 3];
    return (a < b) == higher ? b : a;
}

/* One pass: corners by an end of their edge, stable. */
static void sort_corners(const rps_draft *d, const uint32_t *from, uint32_t *to, bool higher, uint32_t *next) {
    const size_t corners = 3 * d->triangles;
    memset(next, 0, (d->points + 1) * sizeof *next);
    for (size_t c = 0; c < corners; c++) next[edge_end(d, from[c], higher) + 1]++;
    for (size_t p = 0; p < d->points; p++) next[p + 1] += next[p];
    for (size_t c = 0; c < corners; c++) to[next[edge_end(d, from[c], higher)]++] = from[c];
}

static bool same_edge(const rps_draft *d, uint32_t a, uint32_t b) {
    return edge_end(d, a, false) == edge_end(d, b, false) && edge_end(d, a, true) == edge_end(d, b, true);
}

/* Numbers the edges of sorted corners. */
static void number_edges(const rps_draft *d, const uint32_t *corner, rps_draft_edges *out) {
    const size_t corners = 3 * d->triangles;
    size_t count = 0;
    for (size_t c = 0; c < corners; c++) {
        if (c == 0 || !same_edge(d, corner[c - 1], corner[c])) {
            out->first[count] = (uint32_t)c;
            out->edge[count][0] = edge_end(d, corner[c], false);
            out->edge[count++][1] = edge_end(d, corner[c], true);
        }
        out->triangle[c] = corner[c] / 3;
        out->edge_of[corner[c] / 3][corner[c] % 3] = (uint32_t)count - 1;
    }
    out->first[count] = (uint32_t)corners;
    out->count = count;
}

rps_status rps_draft_find_edges(rps_draft *d, rps_draft_edges *out, rps_error *err) {
    const size_t corners = 3 * d->triangles;
    void *edge, *edge_of, *first, *triangle, *one, *two, *next;
    RPS_TRY(rps_arena_take_items(&d->arena, corners, sizeof *out->edge, &edge, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof *out->edge_of, &edge_of, err));
    RPS_TRY(rps_arena_take_items(&d->arena, corners + 1, sizeof *out->first, &first, err));
    RPS_TRY(rps_arena_take_items(&d->arena, corners, sizeof *out->triangle, &triangle, err));
    *out = (rps_draft_edges){.edge = edge, .edge_of = edge_of, .first = first, .triangle = triangle};
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    RPS_TRY(rps_arena_take_items(&d->arena, corners, sizeof(uint32_t), &one, err));
    RPS_TRY(rps_arena_take_items(&d->arena, corners, sizeof(uint32_t), &two, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->points + 1, sizeof(uint32_t), &next, err));
    uint32_t *corner = one;
    for (size_t c = 0; c < corners; c++) corner[c] = (uint32_t)c;
    sort_corners(d, one, two, true, next);
    sort_corners(d, two, one, false, next);
    number_edges(d, one, out);
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}

/* A sliver is that many times as long as high. */
static const double SLIVER = 1000.0;

static void note_slivers(const rps_draft *d) {
    for (size_t t = 0; t < d->triangles; t++) {
        const uint32_t *corner = d->triangle[t];
        double longest2 = 0.0;
        for (int k = 0; k < 3; k++) {
            const rps_vec3 along = rps_vec3_sub(rps_draft_point(d, corner[(k + 1) % 3]), rps_draft_point(d, corner[k]));
            longest2 = rps_larger(longest2, rps_vec3_norm2(along));
        }
        if (longest2 > SLIVER * rps_vec3_norm(rps_draft_area2(d, corner))) {
            rps_mesh_note(d->report, RPS_FOUND_SLIVER, d->origin[t], d->point[corner[0]]);
        }
    }
}

void rps_draft_note_edges(const rps_draft *d, const rps_draft_edges *edges) {
    note_slivers(d);
    rps_exact_sum length;
    rps_exact_sum_clear(&length);
    double shortest2 = INFINITY;
    for (size_t e = 0; e < edges->count; e++) {
        const double *at = d->point[edges->edge[e][0]];
        const double length2 = rps_vec3_norm2(rps_vec3_sub(rps_vec3_of(d->point[edges->edge[e][1]]), rps_vec3_of(at)));
        const uint32_t first = edges->first[e], count = edges->first[e + 1] - first;
        shortest2 = length2 < shortest2 ? length2 : shortest2;
        if (count == 2) continue;
        const rps_finding finding = count == 1 ? RPS_FOUND_BOUNDARY : RPS_FOUND_BRANCHED;
        rps_mesh_note(d->report, finding, d->origin[edges->triangle[first]], at);
        if (count == 1) rps_exact_sum_add(&length, sqrt(length2));
    }
    d->report->found[RPS_FOUND_BOUNDARY].amount = rps_exact_sum_value(&length);
    d->report->smallest_edge = sqrt(shortest2);
}
