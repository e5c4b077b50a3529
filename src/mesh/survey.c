/* Parts of a mesh by union and find: over all edges, over boundary edges, and over shallow folds. */
#include "mesh/survey.h"

#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"

static double survey_larger(double a, double b) {
    return a > b ? a : b;
}

static uint32_t survey_root(uint32_t *parent, uint32_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* The lower one stays the root. */
static void survey_join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = survey_root(parent, a);
    b = survey_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}

/* Scratch: parents of points or triangles, and the part of each root. */
typedef struct survey_work {
    const rps_mesh *mesh;
    rps_mesh_survey *out;
    uint32_t *parent, *part;
    size_t parts;
} survey_work;

static void survey_begin(survey_work *w, size_t count) {
    w->parts = 0;
    for (size_t k = 0; k < count; k++) {
        w->parent[k] = (uint32_t)k;
        w->part[k] = UINT32_MAX;
    }
}

/* The number of the part that item k belongs to; parts are numbered as they are first asked for. */
static uint32_t part_of(survey_work *w, uint32_t k) {
    const uint32_t root = survey_root(w->parent, k);
    if (w->part[root] == UINT32_MAX) w->part[root] = (uint32_t)w->parts++;
    return w->part[root];
}

/* Zeroed memory for all parts. */
static rps_status take_parts(const survey_work *w, size_t size, void **list, size_t *bytes, rps_error *err) {
    RPS_TRY(rps_size_of_items(w->parts, size, bytes, err));
    return rps_memory_alloc_zeroed(w->out->allocator, *bytes, list, err);
}

static rps_vec3 survey_corner(const rps_mesh *m, size_t triangle, int k) {
    return rps_vec3_of(m->point[m->triangle[triangle][k]]);
}

static rps_vec3 area_vector(const rps_mesh *m, size_t triangle) {
    const rps_vec3 a = survey_corner(m, triangle, 0);
    return rps_vec3_scale(
        rps_vec3_cross(rps_vec3_sub(survey_corner(m, triangle, 1), a), rps_vec3_sub(survey_corner(m, triangle, 2), a)),
        0.5);
}

static uint32_t triangles_at(const rps_mesh *m, size_t edge) {
    return m->edge_first[edge + 1] - m->edge_first[edge];
}

static double length_of_edge(const rps_mesh *m, size_t edge) {
    return rps_vec3_norm(
        rps_vec3_sub(rps_vec3_of(m->point[m->edge[edge][1]]), rps_vec3_of(m->point[m->edge[edge][0]])));
}

/* --- shells ------------------------------------------------------------------------------------------------------- */

static void add_to_shell(const rps_mesh *m, size_t t, rps_mesh_shell *shell) {
    if (shell->triangles++ == 0) {
        shell->first = (uint32_t)t;
        shell->closed = true;
        memcpy(shell->at, m->point[m->triangle[t][0]], sizeof shell->at);
    }
    const rps_vec3 area = area_vector(m, t), from = rps_vec3_of(shell->at);
    shell->area += rps_vec3_norm(area);
    shell->volume += rps_vec3_dot(rps_vec3_sub(survey_corner(m, t, 0), from), area) / 3.0;
    for (int k = 0; k < 3; k++) shell->closed = shell->closed && triangles_at(m, m->edge_of[t][k]) > 1;
}

static rps_status find_shells(survey_work *w, rps_error *err) {
    const rps_mesh *m = w->mesh;
    rps_mesh_survey *out = w->out;
    void *list;
    survey_begin(w, m->triangles);
    for (size_t e = 0; e < m->edges; e++) {
        const uint32_t *t = m->edge_triangle + m->edge_first[e];
        for (uint32_t k = 1; k < triangles_at(m, e); k++) survey_join(w->parent, t[0], t[k]);
    }
    for (size_t t = 0; t < m->triangles; t++) (void)part_of(w, (uint32_t)t);
    RPS_TRY(take_parts(w, sizeof *out->shell, &list, &out->shell_bytes, err));
    out->shell = list;
    out->shells = w->parts;
    for (size_t t = 0; t < m->triangles; t++) add_to_shell(m, t, &out->shell[part_of(w, (uint32_t)t)]);
    for (size_t k = 0; k < out->shells; k++) {
        if (!out->shell[k].closed) out->shell[k].volume = 0.0;
    }
    return RPS_OK;
}

static int larger_shell(const void *a, const void *b) {
    const rps_mesh_shell *x = a, *y = b;
    if (x->area != y->area) return x->area > y->area ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

/* --- rims --------------------------------------------------------------------------------------------------------- */

static rps_status find_rims(survey_work *w, rps_error *err) {
    const rps_mesh *m = w->mesh;
    rps_mesh_survey *out = w->out;
    void *list;
    survey_begin(w, m->points);
    for (size_t e = 0; e < m->edges; e++) {
        if (triangles_at(m, e) == 1) survey_join(w->parent, m->edge[e][0], m->edge[e][1]);
    }
    for (size_t e = 0; e < m->edges; e++) {
        if (triangles_at(m, e) == 1) (void)part_of(w, m->edge[e][0]);
    }
    RPS_TRY(take_parts(w, sizeof *out->rim, &list, &out->rim_bytes, err));
    out->rim = list;
    out->rims = w->parts;
    for (size_t e = 0; e < m->edges; e++) {
        if (triangles_at(m, e) != 1) continue;
        rps_mesh_rim *rim = &out->rim[part_of(w, m->edge[e][0])];
        if (rim->edges++ == 0) memcpy(rim->at, m->point[m->edge[e][0]], sizeof rim->at);
        rim->length += length_of_edge(m, e);
    }
    return RPS_OK;
}

static int longer_rim(const void *a, const void *b) {
    const rps_mesh_rim *x = a, *y = b;
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    return memcmp(x->at, y->at, sizeof x->at);
}

/* --- curved parts --------------------------------------------------------------------------------------------------- */

/* Distance of the farthest corner of a triangle from the line of its edge. */
static double width_at(const rps_mesh *m, uint32_t triangle, size_t edge) {
    return 2.0 * rps_vec3_norm(area_vector(m, triangle)) / length_of_edge(m, edge);
}

/* The angle between the normals at an edge of two triangles that is a fold of a curved part; else 0. */
static double curved_angle(const rps_mesh *m, size_t edge) {
    if (m->fold[edge] != RPS_FOLD_CONVEX && m->fold[edge] != RPS_FOLD_CONCAVE) return 0.0;
    const uint32_t *t = m->edge_triangle + m->edge_first[edge];
    const rps_vec3 n = rps_vec3_of(m->normal[t[0]]), n2 = rps_vec3_of(m->normal[t[1]]);
    const double angle = rps_atan2(rps_vec3_norm(rps_vec3_cross(n, n2)), rps_vec3_dot(n, n2));
    return angle < RPS_MESH_CREASE ? angle : 0.0;
}

static void add_fold(const rps_mesh *m, size_t edge, double angle, rps_mesh_curved *part) {
    const uint32_t *t = m->edge_triangle + m->edge_first[edge];
    const double width = 0.5 * (width_at(m, t[0], edge) + width_at(m, t[1], edge));
    part->folds++;
    part->concave += m->fold[edge] == RPS_FOLD_CONCAVE;
    part->sagitta = survey_larger(part->sagitta, width * angle / 8.0);
    if (!(angle > part->angle)) return;
    part->angle = angle;
    part->width = width;
    part->radius = width / angle;
    memcpy(part->at, m->point[m->edge[edge][0]], sizeof part->at);
}

/* m, by how much the format STL rounds the coordinates of a mesh, which are of single precision. */
static double rounding_of_stl(const rps_mesh *m) {
    double largest = 0.0;
    for (size_t p = 0; p < m->points; p++) {
        for (int k = 0; k < 3; k++) {
            const double x = m->point[p][k];
            largest = survey_larger(largest, x < 0.0 ? -x : x);
        }
    }
    return largest * 0x1p-24;
}

/* Parts without enough folds are left out, and so are flat ones whose corners are rounded. */
static void keep_curved(const rps_mesh *m, rps_mesh_survey *out) {
    const double flat = rounding_of_stl(m);
    size_t kept = 0;
    for (size_t k = 0; k < out->curves; k++) {
        const rps_mesh_curved *part = &out->curved[k];
        if (part->folds >= RPS_MESH_CURVED_FOLDS && part->sagitta > flat) out->curved[kept++] = *part;
    }
    out->curves = kept;
}

static void fill_curved(survey_work *w) {
    const rps_mesh *m = w->mesh;
    rps_mesh_curved *curved = w->out->curved;
    for (size_t e = 0; e < m->edges; e++) {
        const double angle = curved_angle(m, e);
        if (angle > 0.0) add_fold(m, e, angle, &curved[part_of(w, m->edge_triangle[m->edge_first[e]])]);
    }
    uint32_t next = 0; /* numbers of patches rise with their first triangles */
    for (size_t t = 0; t < m->triangles; t++) {
        const uint32_t part = w->part[survey_root(w->parent, (uint32_t)t)];
        const bool begins = m->patch[t] == next;
        next += begins;
        if (part == UINT32_MAX) continue;
        curved[part].facets += begins;
        curved[part].area += rps_vec3_norm(area_vector(m, t));
    }
}

static rps_status find_curved(survey_work *w, rps_error *err) {
    const rps_mesh *m = w->mesh;
    rps_mesh_survey *out = w->out;
    void *list;
    survey_begin(w, m->triangles);
    for (size_t e = 0; e < m->edges; e++) {
        if (m->fold[e] != RPS_FOLD_FLAT && !(curved_angle(m, e) > 0.0)) continue;
        survey_join(w->parent, m->edge_triangle[m->edge_first[e]], m->edge_triangle[m->edge_first[e] + 1]);
    }
    for (size_t e = 0; e < m->edges; e++) {
        if (curved_angle(m, e) > 0.0) (void)part_of(w, m->edge_triangle[m->edge_first[e]]);
    }
    RPS_TRY(take_parts(w, sizeof *out->curved, &list, &out->curved_bytes, err));
    out->curved = list;
    out->curves = w->parts;
    fill_curved(w);
    keep_curved(m, out);
    return RPS_OK;
}

static int larger_curved(const void *a, const void *b) {
    const rps_mesh_curved *x = a, *y = b;
    if (x->area != y->area) return x->area > y->area ? -1 : 1;
    return memcmp(x->at, y->at, sizeof x->at);
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

static void survey_sizes(const rps_mesh *m, rps_mesh_survey *out) {
    out->least_height = INFINITY;
    for (size_t e = 0; e < m->edges; e++) out->longest_edge = survey_larger(out->longest_edge, length_of_edge(m, e));
    for (size_t t = 0; t < m->triangles; t++) {
        double longest = 0.0;
        for (int k = 0; k < 3; k++) longest = survey_larger(longest, length_of_edge(m, m->edge_of[t][k]));
        const double height = 2.0 * rps_vec3_norm(area_vector(m, t)) / longest;
        if (height < out->least_height) out->least_height = height;
    }
}

static rps_status survey_all(survey_work *w, rps_error *err) {
    rps_mesh_survey *out = w->out;
    RPS_TRY(find_shells(w, err));
    RPS_TRY(find_rims(w, err));
    RPS_TRY(find_curved(w, err));
    survey_sizes(w->mesh, out);
    if (out->shells > 1) qsort(out->shell, out->shells, sizeof *out->shell, larger_shell);
    if (out->rims > 1) qsort(out->rim, out->rims, sizeof *out->rim, longer_rim);
    if (out->curves > 1) qsort(out->curved, out->curves, sizeof *out->curved, larger_curved);
    return RPS_OK;
}

rps_status rps_mesh_survey_make(const rps_mesh *mesh, rps_mesh_survey *out, rps_error *err) {
    *out = (rps_mesh_survey){.allocator = mesh->allocator};
    rps_arena arena;
    void *parent, *part = NULL;
    const size_t most = mesh->triangles > mesh->points ? mesh->triangles : mesh->points;
    rps_arena_init(&arena, mesh->allocator);
    rps_status status = rps_arena_take_items(&arena, most, sizeof(uint32_t), &parent, err);
    if (status == RPS_OK) status = rps_arena_take_items(&arena, most, sizeof(uint32_t), &part, err);
    if (status == RPS_OK) status = survey_all(&(survey_work){mesh, out, parent, part, 0}, err);
    rps_arena_release(&arena);
    if (status != RPS_OK) rps_mesh_survey_release(out);
    return status;
}

void rps_mesh_survey_release(rps_mesh_survey *survey) {
    rps_memory_release(survey->allocator, survey->shell, survey->shell_bytes);
    rps_memory_release(survey->allocator, survey->rim, survey->rim_bytes);
    rps_memory_release(survey->allocator, survey->curved, survey->curved_bytes);
    *survey = (rps_mesh_survey){0};
}
