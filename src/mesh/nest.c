/*
 * Which closed shell lies in which. A ray from a point of a shell against the x axis meets another shell an odd number of times if
 * the point is inside. Which triangles it meets is decided edge by edge in the y-z plane, with the ends of an edge in one
 * order, so that two triangles never both miss it or both meet it where they join.
 */
#include <math.h>

#include "mesh/draft.h"

enum { TRIES = 8 };

/* Triangles that all rays together may look at. */
#define MOST_RAY_VISITS ((size_t)1 << 27)

typedef struct nesting {
    const rps_draft *d;
    const rps_shells *shells;
    rps_box_tree tree;
    size_t visits;
    uint32_t self;
    rps_vec3 from;
    bool doubtful;     /* the point is within the weld length of another shell */
    uint8_t *odd;      /* by shell */
    uint32_t *touched; /* shells that the ray met, in any number */
    size_t count;
} nesting;

/* The ray's line passes beside the edge on the side of larger z. */
static bool line_beside(const rps_draft *d, uint32_t a, uint32_t b, rps_vec3 p) {
    const rps_vec3 low = rps_draft_point(d, a < b ? a : b), high = rps_draft_point(d, a < b ? b : a);
    if ((low.y > p.y) == (high.y > p.y)) return false;
    return p.z < low.z + (p.y - low.y) / (high.y - low.y) * (high.z - low.z);
}

/* x where the line meets the plane of the triangle, no farther than its corners reach. */
static double line_meets_at(const rps_draft *d, const uint32_t t[3], rps_vec3 p) {
    const rps_vec3 a = rps_draft_point(d, t[0]), n = rps_draft_area2(d, t);
    double low = a.x, high = a.x;
    for (int k = 1; k < 3; k++) {
        const double x = d->point[t[k]][0];
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    const double x = a.x - (n.y * (p.y - a.y) + n.z * (p.z - a.z)) / n.x;
    return x > low ? (x < high ? x : high) : low; /* `low` also if the triangle is seen edge on */
}

static bool visit_ray(void *context, const rps_box_node *leaf) {
    nesting *w = context;
    const uint32_t *t = w->d->triangle[leaf->item], shell = w->shells->of[leaf->item];
    if (++w->visits > MOST_RAY_VISITS) return false;
    if (shell == w->self || w->shells->kind[shell] != RPS_SHELL_CLOSED) return true;
    bool inside = false;
    for (int k = 0; k < 3; k++) inside ^= line_beside(w->d, t[k], t[(k + 1) % 3], w->from);
    if (!inside) return true;
    const double x = line_meets_at(w->d, t, w->from);
    if (fabs(x - w->from.x) <= w->d->weld) w->doubtful = true;
    if (!(x < w->from.x)) return true;
    if (w->odd[shell] == 0) w->touched[w->count++] = shell;
    w->odd[shell] = w->odd[shell] == 1 ? 2 : 1; /* 2: even, but touched */
    return true;
}

static bool cast_ray(nesting *w, rps_vec3 from, double low) {
    const double half = 0.5 * (from.x - low) + w->d->weld;
    const rps_box_question line = {.kind = RPS_BOX_TURNED,
                                   .center = rps_vec3_make(from.x + w->d->weld - half, from.y, from.z),
                                   .half = {half, 0.0, 0.0},
                                   .turn = rps_mat3_identity()};
    for (; w->count > 0; w->count--) w->odd[w->touched[w->count - 1]] = 0;
    w->from = from;
    w->doubtful = false;
    return rps_box_tree_find(&w->tree, &line, visit_ray, w);
}

/* Finds the shells around shell n, `odd` of them 1: from another point of it if one lies on another shell. */
static bool find_shells_around(nesting *w, uint32_t n, double low) {
    const rps_shells *s = w->shells;
    const uint32_t triangles = s->first[n + 1] - s->first[n];
    w->self = n;
    for (uint32_t k = 0; k < TRIES && k < triangles; k++) {
        const uint32_t t = s->triangle[s->first[n] + (uint32_t)((uint64_t)k * triangles / TRIES % triangles)];
        if (!cast_ray(w, rps_draft_point(w->d, w->d->triangle[t][0]), low)) return false;
        if (!w->doubtful) break;
    }
    return true;
}

/* A shell has as many around it as its parent, and the parent. */
static bool find_parents(nesting *w, rps_shells *s, uint32_t *depth, double low) {
    for (uint32_t n = 0; n < s->count; n++) {
        if (s->kind[n] != RPS_SHELL_CLOSED) continue;
        if (!find_shells_around(w, n, low)) return false;
        for (size_t k = 0; k < w->count; k++) depth[n] += w->odd[w->touched[k]] == 1 ? 1 : 0;
    }
    for (uint32_t n = 0; n < s->count; n++) {
        if (depth[n] == 0) continue;
        if (!find_shells_around(w, n, low)) return false;
        for (size_t k = 0; k < w->count; k++) {
            const uint32_t around = w->touched[k];
            if (w->odd[around] == 1 && depth[around] + 1 == depth[n]) s->parent[n] = around;
        }
    }
    return true;
}

rps_status rps_draft_nest(rps_draft *d, rps_shells *shells, rps_error *err) {
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    nesting w = {.d = d, .shells = shells};
    void *odd, *touched, *depth;
    size_t closed = 0;
    for (size_t n = 0; n < shells->count; n++) closed += shells->kind[n] == RPS_SHELL_CLOSED ? 1 : 0;
    if (closed < 2) return RPS_OK;
    RPS_TRY(rps_arena_take_items(&d->arena, shells->count, sizeof *w.odd, &odd, err));
    RPS_TRY(rps_arena_take_items(&d->arena, shells->count, sizeof *w.touched, &touched, err));
    RPS_TRY(rps_arena_take_items(&d->arena, shells->count, sizeof(uint32_t), &depth, err));
    w.odd = odd;
    w.touched = touched;
    memset(odd, 0, shells->count * sizeof *w.odd);
    memset(depth, 0, shells->count * sizeof(uint32_t));
    RPS_TRY(rps_triangles_tree(d->allocator, d->point, d->triangle, d->triangles, &w.tree, err));
    if (!find_parents(&w, shells, depth, d->point[0][0])) {
        rps_mesh_note(d->report, RPS_FOUND_UNSEARCHED, RPS_NO_TRIANGLE, d->point[0]);
        for (uint32_t n = 0; n < shells->count; n++) shells->parent[n] = n;
    }
    rps_box_tree_release(d->allocator, &w.tree);
    for (uint32_t n = 0; n < shells->count; n++) {
        while (shells->parent[shells->root[n]] != shells->root[n]) shells->root[n] = shells->parent[shells->root[n]];
    }
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}
