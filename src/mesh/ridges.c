/*
 * Ridges and tips: places of a mesh that bodies with edges and faces may touch beside its triangles.
 *
 * A ridge is a straight line of edges that are convex on a side that is touched, boundaries, or branches. Edges that go on
 * straight are one ridge, however many triangles share it. A tip is a point that is farthest in some direction: the end of
 * ridges that are not one line. Concave and flat edges are neither, so a triangulated plane has none inside its outline.
 */
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

/* Sine of the angle between two edges that go on straight. */
#define STRAIGHT 1e-9
/* Cosine to the nearest edge of the direction in which a tip is farthest. */
#define POINTED 1e-6
/* Planes at a point that count for its shift, and edges at a point that are looked at for a tip. */
enum { PLANES_MOST = 64, EDGES_MOST = 64 };
/* Length of a shift: where planes meet at a sharper angle, they are not moved by the whole length. */
#define SHIFT_MOST 3.0

typedef struct ridge_search {
    rps_mesh *mesh;
    uint8_t *active;           /* by edge */
    uint32_t *first, *edge_at; /* active edges at a point p: edge_at[first[p] .. first[p + 1] - 1] */
    size_t bytes;
} ridge_search;

static rps_vec3 point_of(const rps_mesh *m, uint32_t p) {
    return rps_vec3_of(m->point[p]);
}

/* From one end of an edge to the other, unit. */
static rps_vec3 along_edge(const rps_mesh *m, uint32_t edge, uint32_t from) {
    const uint32_t *end = m->edge[edge];
    const rps_vec3 d = rps_vec3_sub(point_of(m, end[1]), point_of(m, end[0]));
    return rps_vec3_normalize(end[0] == from ? d : rps_vec3_neg(d));
}

static bool is_folded(const rps_mesh *m, uint32_t edge) {
    const uint32_t *t = m->edge_triangle + m->edge_first[edge];
    const rps_vec3 a = rps_vec3_of(m->normal[t[0]]), b = rps_vec3_of(m->normal[t[1]]);
    return rps_vec3_dot(a, b) < 0.0 || rps_vec3_norm(rps_vec3_cross(a, b)) > RPS_MESH_RIDGE;
}

static bool is_active(const rps_mesh *m, uint32_t edge) {
    switch ((rps_mesh_fold)m->fold[edge]) {
    case RPS_FOLD_CONVEX:
        return m->side != RPS_MESH_INNER && is_folded(m, edge);
    case RPS_FOLD_CONCAVE:
        return m->side != RPS_MESH_OUTER && is_folded(m, edge);
    case RPS_FOLD_FLAT:
        return false;
    default:
        return true;
    }
}

/* --- points ---------------------------------------------------------------------------------------------------------- */

/* The active edge that goes on straight beyond the end `p` of `edge`; UINT32_MAX: none. */
static uint32_t next_edge(const ridge_search *s, uint32_t edge, uint32_t p) {
    const rps_vec3 d = along_edge(s->mesh, edge, p);
    for (uint32_t k = s->first[p]; k < s->first[p + 1]; k++) {
        const uint32_t other = s->edge_at[k];
        if (other == edge) continue;
        const rps_vec3 e = along_edge(s->mesh, other, p);
        if (rps_vec3_dot(d, e) < 0.0 && rps_vec3_norm(rps_vec3_cross(d, e)) < STRAIGHT) return other;
    }
    return UINT32_MAX;
}

/* Directions of the edges at a point that are not flat; false: more than EDGES_MOST. */
static bool edges_at(const rps_mesh *m, uint32_t p, rps_vec3 out[EDGES_MOST], int *count) {
    uint32_t seen[EDGES_MOST];
    *count = 0;
    for (uint32_t k = m->point_first[p]; k < m->point_first[p + 1]; k++) {
        const uint32_t t = m->point_triangle[k];
        for (int q = 0; q < 3; q++) {
            const uint32_t e = m->edge_of[t][q];
            if (m->edge[e][0] != p && m->edge[e][1] != p) continue;
            if (m->fold[e] == RPS_FOLD_FLAT) continue;
            bool known = false;
            for (int n = 0; n < *count && !known; n++) known = seen[n] == e;
            if (known) continue;
            if (*count == EDGES_MOST) return false;
            seen[*count] = e;
            out[(*count)++] = along_edge(m, e, p);
        }
    }
    return true;
}

/* Whether a point is farther than all its neighborhood in some direction, and that direction: the sum of the normals of planes
 * through two edges that have all others below. */
static bool is_farthest(const rps_mesh *m, uint32_t p, rps_vec3 *out) {
    rps_vec3 edge[EDGES_MOST], sum = rps_vec3_zero(), normals = rps_vec3_zero();
    int count;
    *out = rps_vec3_zero();
    if (!edges_at(m, p, edge, &count)) return true;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            const rps_vec3 cross = rps_vec3_cross(edge[i], edge[j]);
            const double size = rps_vec3_norm(cross);
            if (!(size > STRAIGHT)) continue;
            rps_vec3 n = rps_vec3_scale(cross, 1.0 / size);
            double low = 0.0, high = 0.0;
            for (int k = 0; k < count; k++) {
                const double h = k == i || k == j ? 0.0 : rps_vec3_dot(n, edge[k]);
                low = h < low ? h : low;
                high = h > high ? h : high;
            }
            if (low < -STRAIGHT && high > STRAIGHT) continue;
            if (high > -low) n = rps_vec3_neg(n);
            sum = rps_vec3_add(sum, n);
        }
    }
    const double size = rps_vec3_norm(sum);
    if (!(size > 0.0)) return false;
    *out = rps_vec3_scale(sum, 1.0 / size);
    for (int k = 0; k < count; k++) {
        if (!(rps_vec3_dot(*out, edge[k]) < -POINTED)) return false;
    }
    for (uint32_t k = m->point_first[p]; k < m->point_first[p + 1]; k++)
        normals = rps_vec3_add(normals, rps_vec3_of(m->normal[m->point_triangle[k]]));
    const double side = rps_vec3_dot(normals, *out);
    return m->side == RPS_MESH_BOTH || (m->side == RPS_MESH_OUTER ? side > 0.0 : side < 0.0);
}

/* out: as in rps_mesh_tip. */
static bool is_tip(const ridge_search *s, uint32_t p, rps_vec3 *out) {
    const rps_mesh *m = s->mesh;
    const uint32_t first = s->first[p], count = s->first[p + 1] - first;
    *out = rps_vec3_zero();
    if (count < 2) return false;
    bool open = false;
    for (uint32_t k = first; k < s->first[p + 1]; k++) {
        const int fold = m->fold[s->edge_at[k]];
        open = open || fold == RPS_FOLD_BOUNDARY || fold == RPS_FOLD_MANY;
    }
    if (!open) return is_farthest(m, p, out);
    return count != 2 || next_edge(s, s->edge_at[first], p) == UINT32_MAX;
}

/* Solves for the shift m at a point: m . n = 1 for the normals of all planes there; least squares where there are more than
 * three, and the shortest where there are fewer. */
static rps_vec3 shift_at(const rps_mesh *m, uint32_t p) {
    uint32_t patch[PLANES_MOST];
    rps_vec3 normal[PLANES_MOST], right = rps_vec3_zero();
    int planes = 0;
    double a[3][3] = {{0.0}};
    for (uint32_t k = m->point_first[p]; k < m->point_first[p + 1] && planes < PLANES_MOST; k++) {
        const uint32_t t = m->point_triangle[k];
        bool known = false;
        for (int n = 0; n < planes && !known; n++) known = patch[n] == m->patch[t];
        if (known) continue;
        patch[planes] = m->patch[t];
        normal[planes++] = rps_vec3_of(m->normal[t]);
    }
    if (planes <= 1) return planes == 1 ? normal[0] : rps_vec3_zero();
    const double cosine = rps_vec3_dot(normal[0], normal[1]);
    if (planes == 2 && cosine > -0.75) {
        return rps_vec3_scale(rps_vec3_add(normal[0], normal[1]), 1.0 / (1.0 + cosine));
    }
    for (int n = 0; n < planes; n++) {
        const double v[3] = {normal[n].x, normal[n].y, normal[n].z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) a[i][j] += v[i] * v[j];
        }
        right = rps_vec3_add(right, normal[n]);
    }
    /* adjugate of the sum with a little of the unit matrix, which leaves directions without a plane alone */
    for (int i = 0; i < 3; i++) a[i][i] += 1e-12 * planes;
    const rps_vec3 x = {a[0][0], a[0][1], a[0][2]}, y = {a[1][0], a[1][1], a[1][2]}, z = {a[2][0], a[2][1], a[2][2]};
    const rps_vec3 yz = rps_vec3_cross(y, z), zx = rps_vec3_cross(z, x), xy = rps_vec3_cross(x, y);
    const double det = rps_vec3_dot(x, yz);
    rps_vec3 out = rps_vec3_zero();
    out = rps_vec3_add_scaled(out, right.x / det, yz);
    out = rps_vec3_add_scaled(out, right.y / det, zx);
    out = rps_vec3_add_scaled(out, right.z / det, xy);
    const double size = rps_vec3_norm(out);
    return size < SHIFT_MOST ? out : size < INFINITY ? rps_vec3_scale(out, SHIFT_MOST / size) : normal[0];
}

/* --- ridges ---------------------------------------------------------------------------------------------------------- */

/* The side on which a ridge is touched: between the normals that both triangles have there. */
static rps_vec3 ridge_side(const rps_mesh *m, uint32_t edge) {
    const int fold = m->fold[edge];
    if (fold != RPS_FOLD_CONVEX && fold != RPS_FOLD_CONCAVE) return rps_vec3_zero();
    const uint32_t *t = m->edge_triangle + m->edge_first[edge];
    const rps_vec3 sum = rps_vec3_add(rps_vec3_of(m->normal[t[0]]), rps_vec3_of(m->normal[t[1]]));
    if (!(rps_vec3_norm(sum) > STRAIGHT)) return rps_vec3_zero();
    return rps_vec3_normalize(fold == RPS_FOLD_CONVEX ? sum : rps_vec3_neg(sum));
}

/* The end of the line from `edge` beyond its end `p`; marks its edges. */
static uint32_t follow_ridge(ridge_search *s, uint32_t edge, uint32_t p) {
    for (;;) {
        const uint32_t next = next_edge(s, edge, p);
        if (next == UINT32_MAX || s->active[next] != 1) return p;
        s->active[next] = 2;
        p = s->mesh->edge[next][0] == p ? s->mesh->edge[next][1] : s->mesh->edge[next][0];
        edge = next;
    }
}

static rps_status box_tree_of(const rps_allocator *allocator, const rps_mesh_tip *tip, const rps_mesh_ridge *ridge,
                              size_t count, rps_box_tree *out, rps_error *err) {
    size_t bytes;
    void *block;
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_size_of_items(count, sizeof(rps_box), &bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, bytes, &block, err));
    rps_box *box = block;
    for (size_t n = 0; n < count; n++) {
        const double *a = tip != NULL ? tip[n].point : ridge[n].end[0], *b = tip != NULL ? a : ridge[n].end[1];
        for (int k = 0; k < 3; k++) {
            box[n].low[k] = a[k] < b[k] ? a[k] : b[k];
            box[n].high[k] = a[k] < b[k] ? b[k] : a[k];
        }
    }
    const rps_status status = rps_box_tree_build(allocator, box, count, out, err);
    rps_memory_release(allocator, block, bytes);
    return status;
}

rps_status rps_ridge_tree(const rps_allocator *allocator, const rps_mesh_ridge *ridge, size_t count, rps_box_tree *out,
                          rps_error *err) {
    return box_tree_of(allocator, NULL, ridge, count, out, err);
}

static void count_active(ridge_search *s) {
    const rps_mesh *m = s->mesh;
    for (uint32_t e = 0; e < m->edges; e++) {
        s->active[e] = is_active(m, e);
        for (int k = 0; k < 2 && s->active[e]; k++) s->first[m->edge[e][k] + 1]++;
    }
    for (size_t p = 0; p < m->points; p++) s->first[p + 1] += s->first[p];
    for (uint32_t e = 0; e < m->edges; e++) {
        for (int k = 0; k < 2 && s->active[e]; k++) s->edge_at[s->first[m->edge[e][k]]++] = e;
    }
    for (size_t p = m->points; p > 0; p--) s->first[p] = s->first[p - 1];
    s->first[0] = 0;
}

static rps_status fill_tips(ridge_search *s, uint8_t *tip, rps_error *err) {
    rps_mesh *m = s->mesh;
    rps_vec3 out;
    void *block;
    size_t count = 0, bytes;
    for (uint32_t p = 0; p < m->points; p++) {
        tip[p] = is_tip(s, p, &out);
        count += tip[p];
    }
    RPS_TRY(rps_size_of_items(count, sizeof *m->tip, &bytes, err));
    RPS_TRY(rps_memory_alloc(m->allocator, bytes, &block, err));
    m->tip = block;
    for (uint32_t p = 0; p < m->points; p++) {
        if (!tip[p]) continue;
        (void)is_tip(s, p, &out);
        memcpy(m->tip[m->tips].point, m->point[p], sizeof *m->point);
        rps_vec3_put(m->tip[m->tips++].out, out);
    }
    return box_tree_of(m->allocator, m->tip, NULL, m->tips, &m->tip_tree, err);
}

/* The ridges in the order of their lowest edges; counts only if there is no memory for them yet. */
static size_t go_along(ridge_search *s, const uint8_t *tip) {
    rps_mesh *m = s->mesh;
    size_t count = 0;
    for (uint32_t e = 0; e < m->edges; e++) {
        if (s->active[e] != 1) continue;
        s->active[e] = 2;
        const uint32_t end[2] = {follow_ridge(s, e, m->edge[e][0]), follow_ridge(s, e, m->edge[e][1])};
        if (m->ridge != NULL) {
            rps_mesh_ridge *ridge = &m->ridge[count];
            for (int k = 0; k < 2; k++) {
                memcpy(ridge->end[k], m->point[end[k]], sizeof ridge->end[k]);
                ridge->tip[k] = tip[end[k]];
            }
            rps_vec3_put(ridge->out, ridge_side(m, e));
        }
        count++;
    }
    for (uint32_t e = 0; e < m->edges; e++) s->active[e] = s->active[e] != 0;
    return count;
}

static rps_status fill_places(ridge_search *s, uint8_t *tip, rps_error *err) {
    rps_mesh *m = s->mesh;
    void *block;
    size_t bytes;
    count_active(s);
    RPS_TRY(fill_tips(s, tip, err));
    const size_t count = go_along(s, tip);
    RPS_TRY(rps_size_of_items(count, sizeof *m->ridge, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(m->allocator, bytes, &block, err));
    m->ridge = block;
    m->ridges = count;
    (void)go_along(s, tip);
    RPS_TRY(rps_ridge_tree(m->allocator, m->ridge, m->ridges, &m->ridge_tree, err));
    RPS_TRY(rps_size_of_items(m->points, sizeof *m->shift, &bytes, err));
    RPS_TRY(rps_memory_alloc(m->allocator, bytes, &block, err));
    m->shift = block;
    for (uint32_t p = 0; p < m->points; p++) rps_vec3_put(m->shift[p], shift_at(m, p));
    return RPS_OK;
}

rps_status rps_mesh_find_ridges(rps_mesh *mesh, rps_error *err) {
    ridge_search s = {.mesh = mesh};
    const size_t bytes = (mesh->points + 1 + 2 * mesh->edges) * sizeof(uint32_t) + mesh->edges + mesh->points;
    void *block;
    RPS_TRY(rps_memory_alloc_zeroed(mesh->allocator, bytes, &block, err));
    s.first = block;
    s.edge_at = s.first + mesh->points + 1;
    s.active = (uint8_t *)(s.edge_at + 2 * mesh->edges);
    const rps_status status = fill_places(&s, s.active + mesh->edges, err);
    rps_memory_release(mesh->allocator, block, bytes);
    return status;
}
