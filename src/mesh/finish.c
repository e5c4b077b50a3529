/* The mesh of a finished draft: normals, folds, patches and the tree. */
#include <math.h>

#include "mesh/draft.h"

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static rps_status take(rps_mesh *m, size_t count, size_t size, void **p, rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items(count, size, &bytes, err));
    return rps_memory_alloc(m->allocator, bytes, p, err);
}

/* Copies count items to a block of the mesh. */
static rps_status keep_copy(rps_mesh *m, const void *from, size_t count, size_t size, void **p, rps_error *err) {
    RPS_TRY(take(m, count, size, p, err));
    memcpy(*p, from, count * size);
    return RPS_OK;
}

static rps_status copy_arrays(const rps_draft *d, const rps_draft_edges *e, rps_mesh *m, rps_error *err) {
    const size_t corners = 3 * d->triangles;
    void *p;
    m->points = d->points;
    m->triangles = d->triangles;
    m->edges = e->count;
    RPS_TRY(keep_copy(m, d->point, d->points, sizeof *m->point, &p, err));
    m->point = p;
    RPS_TRY(keep_copy(m, d->triangle, d->triangles, sizeof *m->triangle, &p, err));
    m->triangle = p;
    RPS_TRY(keep_copy(m, e->edge, e->count, sizeof *m->edge, &p, err));
    m->edge = p;
    RPS_TRY(keep_copy(m, e->edge_of, d->triangles, sizeof *m->edge_of, &p, err));
    m->edge_of = p;
    RPS_TRY(keep_copy(m, e->first, e->count + 1, sizeof *m->edge_first, &p, err));
    m->edge_first = p;
    RPS_TRY(keep_copy(m, e->triangle, corners, sizeof *m->edge_triangle, &p, err));
    m->edge_triangle = p;
    RPS_TRY(take(m, d->triangles, sizeof *m->normal, &p, err));
    m->normal = p;
    RPS_TRY(take(m, d->triangles, sizeof *m->face, &p, err));
    m->face = p;
    RPS_TRY(take(m, e->count, sizeof *m->fold, &p, err));
    m->fold = p;
    RPS_TRY(take(m, d->points + 1, sizeof *m->point_first, &p, err));
    m->point_first = p;
    RPS_TRY(take(m, corners, sizeof *m->point_triangle, &p, err));
    m->point_triangle = p;
    RPS_TRY(take(m, d->triangles, sizeof *m->patch, &p, err));
    m->patch = p;
    return RPS_OK;
}

static void find_point_triangles(rps_mesh *m) {
    uint32_t *first = m->point_first;
    memset(first, 0, (m->points + 1) * sizeof *first);
    for (size_t t = 0; t < m->triangles; t++) {
        for (int k = 0; k < 3; k++) first[m->triangle[t][k]]++;
    }
    for (size_t p = 1; p <= m->points; p++) first[p] += first[p - 1];
    /* backwards, so that the triangles of a point rise and `first` ends at their beginnings */
    for (size_t t = m->triangles; t-- > 0;) {
        for (int k = 0; k < 3; k++) m->point_triangle[--first[m->triangle[t][k]]] = (uint32_t)t;
    }
}

/* --- folds -------------------------------------------------------------------------------------------------------- */

/* Scaled to its largest part first, so that no square vanishes. */
static void find_normals(const rps_draft *d, rps_mesh *m) {
    for (size_t t = 0; t < m->triangles; t++) {
        const rps_vec3 area = rps_draft_area2(d, m->triangle[t]);
        const double most = rps_larger(fabs(area.x), rps_larger(fabs(area.y), fabs(area.z)));
        rps_vec3_put(m->normal[t], rps_vec3_normalize(rps_vec3_scale(area, 1.0 / most)));
    }
}

/* The corner of a triangle that is not on its edge. */
static rps_vec3 corner_across(const rps_mesh *m, uint32_t triangle, const uint32_t edge[2]) {
    const uint32_t *t = m->triangle[triangle];
    for (int k = 0; k < 2; k++) {
        if (t[k] != edge[0] && t[k] != edge[1]) return rps_vec3_of(m->point[t[k]]);
    }
    return rps_vec3_of(m->point[t[2]]);
}

/* The triangle runs along the edge from its lower to its higher point. */
static bool runs_up(const rps_mesh *m, uint32_t triangle, const uint32_t edge[2]) {
    const uint32_t *t = m->triangle[triangle];
    for (int k = 0; k < 3; k++) {
        if (t[k] == edge[0]) return t[(k + 1) % 3] == edge[1];
    }
    return false;
}

/* How two triangles meet, by the heights of their corners over the planes of each other. A height that rounding may cause makes
 * no fold: it would, beside a sliver. */
static rps_mesh_fold fold_of_two(const rps_mesh *m, uint32_t one, uint32_t two, const uint32_t edge[2],
                                 double rounding) {
    const rps_vec3 n1 = rps_vec3_of(m->normal[one]), n2 = rps_vec3_of(m->normal[two]);
    const rps_vec3 end = rps_vec3_of(m->point[edge[0]]);
    const rps_vec3 across1 = rps_vec3_sub(corner_across(m, one, edge), end);
    const rps_vec3 across2 = rps_vec3_sub(corner_across(m, two, edge), end);
    const rps_vec3 along = rps_vec3_normalize(rps_vec3_sub(rps_vec3_of(m->point[edge[1]]), end));
    const double height1 = rps_vec3_dot(across1, n2), height2 = rps_vec3_dot(across2, n1);
    const double sine = rps_vec3_norm(rps_vec3_cross(n1, n2));
    const bool flat = sine < RPS_MESH_FLAT || (fabs(height1) < rounding && fabs(height2) < rounding);
    const bool apart = rps_vec3_dot(rps_vec3_reject(across1, along), rps_vec3_reject(across2, along)) < 0.0;
    if (flat) return apart ? RPS_FOLD_FLAT : RPS_FOLD_MANY;
    if (runs_up(m, one, edge) == runs_up(m, two, edge)) return RPS_FOLD_MANY;
    return height1 + height2 < 0.0 ? RPS_FOLD_CONVEX : RPS_FOLD_CONCAVE;
}

static void find_folds(rps_mesh *m) {
    double farthest = 0.0;
    for (int k = 0; k < 3; k++) farthest = rps_larger(farthest, rps_larger(fabs(m->box.low[k]), fabs(m->box.high[k])));
    const double rounding = 4.0 * 0x1p-52 * farthest;
    for (size_t e = 0; e < m->edges; e++) {
        const uint32_t *triangle = m->edge_triangle + m->edge_first[e];
        const uint32_t count = m->edge_first[e + 1] - m->edge_first[e];
        m->fold[e] = (uint8_t)(count == 1   ? RPS_FOLD_BOUNDARY
                               : count == 2 ? fold_of_two(m, triangle[0], triangle[1], m->edge[e], rounding)
                                            : RPS_FOLD_MANY);
    }
}

/* --- patches ------------------------------------------------------------------------------------------------------ */

static uint32_t root_of(uint32_t *parent, uint32_t t) {
    while (parent[t] != t) t = parent[t] = parent[parent[t]];
    return t;
}

/* Roots are the lowest of their patch, so that numbers rise with the first triangles. */
static void find_patches(rps_mesh *m) {
    uint32_t *patch = m->patch;
    for (size_t t = 0; t < m->triangles; t++) patch[t] = (uint32_t)t;
    for (size_t e = 0; e < m->edges; e++) {
        if (m->fold[e] != RPS_FOLD_FLAT) continue;
        const uint32_t *triangle = m->edge_triangle + m->edge_first[e];
        const uint32_t a = root_of(patch, triangle[0]), b = root_of(patch, triangle[1]);
        patch[a < b ? b : a] = a < b ? a : b;
    }
    for (size_t t = 0; t < m->triangles; t++) patch[t] = root_of(patch, (uint32_t)t);
    m->patches = 0;
    for (size_t t = 0; t < m->triangles; t++) { /* a root comes before the others of its patch */
        patch[t] = patch[t] == t ? (uint32_t)m->patches++ : patch[patch[t]];
    }
}

/* --- faces -------------------------------------------------------------------------------------------------------- */

static uint32_t face_across(const rps_mesh *m, uint32_t triangle, uint32_t edge) {
    const uint32_t count = m->edge_first[edge + 1] - m->edge_first[edge];
    const uint32_t *at = m->edge_triangle + m->edge_first[edge];
    return count == 1 ? RPS_NO_TRIANGLE : count > 2 ? RPS_TRIANGLES : at[0] == triangle ? at[1] : at[0];
}

static void fill_faces(rps_mesh *m) {
    for (size_t t = 0; t < m->triangles; t++) {
        rps_mesh_face *face = &m->face[t];
        *face = (rps_mesh_face){.spare = {0}};
        memcpy(face->normal, m->normal[t], sizeof face->normal);
        for (int k = 0; k < 3; k++) {
            face->corner[k] = m->triangle[t][k];
            memcpy(face->point[k], m->point[face->corner[k]], sizeof face->point[k]);
            face->across[k] = face_across(m, (uint32_t)t, m->edge_of[t][k]);
        }
    }
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

rps_box rps_no_box(void) {
    return (rps_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void rps_box_add(rps_box *box, const double at[3]) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = at[k] < box->low[k] ? at[k] : box->low[k];
        box->high[k] = at[k] > box->high[k] ? at[k] : box->high[k];
    }
}

rps_status rps_triangles_tree(const rps_allocator *allocator, double (*point)[3], uint32_t (*triangle)[3], size_t count,
                              rps_box_tree *out, rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, sizeof(rps_box), &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    rps_box *box = block;
    for (size_t t = 0; t < count; t++) {
        box[t] = rps_no_box();
        for (int k = 0; k < 3; k++) rps_box_add(&box[t], point[triangle[t][k]]);
    }
    const rps_status status = rps_box_tree_build(allocator, box, count, out, err);
    rps_memory_release(allocator, block, bytes);
    return status;
}

rps_status rps_draft_finish(const rps_draft *d, const rps_draft_edges *edges, rps_mesh *out, rps_error *err) {
    out->allocator = d->allocator;
    out->side = d->options->side;
    RPS_TRY(copy_arrays(d, edges, out, err));
    out->box = rps_no_box();
    for (size_t p = 0; p < out->points; p++) rps_box_add(&out->box, out->point[p]);
    find_point_triangles(out);
    find_normals(d, out);
    find_folds(out);
    find_patches(out);
    fill_faces(out);
    return rps_triangles_tree(out->allocator, out->point, out->triangle, out->triangles, &out->tree, err);
}
