/*
 * Quickhull (Barber, Dobkin & Huhdanpaa 1996, ACM Trans. Math. Software 22, 469). Every point outside is kept at a facet that
 * sees it. The farthest point of a facet comes next: the facets that see it are replaced by those that join it to their
 * outline.
 *
 * On which side of a facet a point lies is decided without rounding, for points on a grid: coordinates below 2^38 give
 * determinants below 2^117. So the facets that a point sees are always connected, and their outline is one ring. Points that
 * rise less than the weld length above all facets count as inside: faces of many nearly coplanar points stay whole.
 */
#include "mesh/hull.h"

#include <math.h>

#include "mesh/build_mesh.h"
#include "mesh/reach.h"

__extension__ typedef __int128 hull_wide;

enum { NO_FACET = -1, NO_POINT = -1 };

typedef struct hull_facet {
    hull_wide normal[3]; /* outward, twice the area, in cells of the grid */
    double length;       /* of the normal */
    uint32_t corner[3];
    int32_t across[3]; /* the facet at the edge from corner k to the next */
    int32_t outside;   /* the first of its points */
    int32_t next;      /* of those that are not in use */
    uint32_t seen;     /* the last search that found it visible */
    bool alive;
} hull_facet;

typedef struct hull_ring_edge {
    uint32_t from, to; /* as in the visible facet */
    int32_t beyond;    /* the facet that stays */
} hull_ring_edge;

typedef struct hull_work {
    const rps_allocator *allocator;
    size_t points;
    int64_t (*place)[3]; /* cells of the grid */
    int32_t *next;       /* point: the next one at the same facet */
    int32_t *starts;     /* point of the ring: the new facet whose first corner it is */
    double thin;         /* cells: the weld length */
    hull_facet *facet;
    size_t facets, facet_bytes;
    int32_t unused; /* first facet that can be taken again */
    int32_t *stack; /* facets that may have points outside */
    size_t stacked, stack_bytes;
    int32_t *visible;
    size_t visibles, visible_bytes;
    hull_ring_edge *ring;
    size_t edges, ring_bytes;
    int32_t *fresh; /* the facets of the last point */
    size_t fresh_bytes;
    uint32_t search;
} hull_work;

/* --- sides -------------------------------------------------------------------------------------------------------- */

/* Above 0: the point lies outside of the plane of the facet. Its height times the length of the normal. */
static hull_wide hull_side(const hull_work *w, const hull_facet *f, uint32_t point) {
    const int64_t *a = w->place[f->corner[0]], *p = w->place[point];
    hull_wide sum = 0;
    for (int k = 0; k < 3; k++) sum += f->normal[k] * (p[k] - a[k]);
    return sum;
}

static double hull_height(const hull_work *w, const hull_facet *f, uint32_t point) {
    return (double)hull_side(w, f, point) / f->length;
}

static void hull_plane(const hull_work *w, hull_facet *f) {
    const int64_t *a = w->place[f->corner[0]], *b = w->place[f->corner[1]], *c = w->place[f->corner[2]];
    double length2 = 0.0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        f->normal[k] = (hull_wide)(b[i] - a[i]) * (c[j] - a[j]) - (hull_wide)(b[j] - a[j]) * (c[i] - a[i]);
        length2 += (double)f->normal[k] * (double)f->normal[k];
    }
    f->length = sqrt(length2);
}

/* --- facets ------------------------------------------------------------------------------------------------------- */

static rps_status hull_push(hull_work *w, void **list, size_t *bytes, size_t *count, int32_t item, rps_error *err) {
    RPS_TRY(rps_buffer_reserve(w->allocator, list, bytes, *count * sizeof item, (*count + 1) * sizeof item, err));
    ((int32_t *)*list)[(*count)++] = item;
    return RPS_OK;
}

static rps_status hull_take_facet(hull_work *w, uint32_t a, uint32_t b, uint32_t c, int32_t *out, rps_error *err) {
    *out = w->unused;
    if (*out != NO_FACET) {
        w->unused = w->facet[*out].next;
    } else {
        void *list = w->facet;
        const rps_status status = w->facets >= INT32_MAX ? rps_fail(err, RPS_NO_MEMORY, "the hull has too many facets")
                                                         : rps_buffer_reserve(w->allocator, &list, &w->facet_bytes,
                                                                              w->facets * sizeof *w->facet,
                                                                              (w->facets + 1) * sizeof *w->facet, err);
        w->facet = list;
        RPS_TRY(status);
        *out = (int32_t)w->facets++;
    }
    hull_facet *f = &w->facet[*out];
    *f =
        (hull_facet){.corner = {a, b, c}, .across = {NO_FACET, NO_FACET, NO_FACET}, .outside = NO_POINT, .alive = true};
    hull_plane(w, f);
    return RPS_OK;
}

static void hull_drop_facet(hull_work *w, int32_t number) {
    w->facet[number].alive = false;
    w->facet[number].next = w->unused;
    w->unused = number;
}

/* Keeps the point at the facet of the list that it rises highest above; if none sees it, it is inside. */
static void hull_assign(hull_work *w, const int32_t *list, size_t count, uint32_t point) {
    int32_t best = NO_FACET;
    double highest = 0.0;
    for (size_t k = 0; k < count; k++) {
        const hull_facet *f = &w->facet[list[k]];
        if (hull_side(w, f, point) <= 0) continue;
        const double height = hull_height(w, f, point);
        if (best != NO_FACET && height <= highest) continue;
        best = list[k];
        highest = height;
    }
    if (best == NO_FACET) return;
    w->next[point] = w->facet[best].outside;
    w->facet[best].outside = (int32_t)point;
}

static rps_status hull_stack(hull_work *w, int32_t facet, rps_error *err) {
    void *list = w->stack;
    const rps_status status =
        w->facet[facet].outside == NO_POINT ? RPS_OK : hull_push(w, &list, &w->stack_bytes, &w->stacked, facet, err);
    w->stack = list;
    return status;
}

/* --- the first tetrahedron ---------------------------------------------------------------------------------------- */

/* The point farthest from the first one, from the line of two, from the plane of three; its distance in cells. */
static double hull_farthest(const hull_work *w, const uint32_t *corner, int corners, uint32_t *out) {
    double most = -1.0;
    rps_vec3 at[3];
    for (int k = 0; k < corners; k++) {
        const int64_t *p = w->place[corner[k]];
        at[k] = rps_vec3_make((double)p[0], (double)p[1], (double)p[2]);
    }
    const rps_vec3 line = corners > 1 ? rps_vec3_normalize(rps_vec3_sub(at[1], at[0])) : rps_vec3_zero();
    const rps_vec3 normal =
        corners > 2 ? rps_vec3_normalize(rps_vec3_cross(line, rps_vec3_sub(at[2], at[0]))) : rps_vec3_zero();
    for (size_t n = 0; n < w->points; n++) {
        const int64_t *p = w->place[n];
        const rps_vec3 d = rps_vec3_sub(rps_vec3_make((double)p[0], (double)p[1], (double)p[2]), at[0]);
        const double distance = corners == 1   ? rps_vec3_norm(d)
                                : corners == 2 ? rps_vec3_norm(rps_vec3_cross(line, d))
                                               : fabs(rps_vec3_dot(normal, d));
        if (distance <= most) continue;
        most = distance;
        *out = (uint32_t)n;
    }
    return most;
}

static rps_status hull_tetrahedron(hull_work *w, rps_error *err) {
    static const uint8_t side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    uint32_t corner[4] = {0};
    int32_t list[4];
    for (int k = 1; k < 4; k++) {
        if (hull_farthest(w, corner, k, &corner[k]) > 2.0 * w->thin) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "the points lie %s to the weld length: their convex hull has no volume, so that no body has it",
                        k < 3 ? "on one line" : "in one plane");
    }
    hull_facet base = {.corner = {corner[0], corner[1], corner[2]}};
    hull_plane(w, &base);
    if (hull_side(w, &base, corner[3]) > 0) { /* turns all facets outward */
        const uint32_t other = corner[1];
        corner[1] = corner[2];
        corner[2] = other;
    }
    for (int k = 0; k < 4; k++) {
        RPS_TRY(hull_take_facet(w, corner[side[k][0]], corner[side[k][1]], corner[side[k][2]], &list[k], err));
    }
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 3; k++) {
            for (int g = 0; g < 4; g++) {
                for (int m = 0; m < 3; m++) {
                    if (side[f][k] == side[g][(m + 1) % 3] && side[f][(k + 1) % 3] == side[g][m]) {
                        w->facet[list[f]].across[k] = list[g];
                    }
                }
            }
        }
    }
    for (size_t n = 0; n < w->points; n++) {
        if (n != corner[0] && n != corner[1] && n != corner[2] && n != corner[3]) hull_assign(w, list, 4, (uint32_t)n);
    }
    for (int k = 0; k < 4; k++) RPS_TRY(hull_stack(w, list[k], err));
    return RPS_OK;
}

/* --- one point more ----------------------------------------------------------------------------------------------- */

static rps_status hull_see(hull_work *w, int32_t facet, rps_error *err) {
    void *list = w->visible;
    w->facet[facet].seen = w->search;
    const rps_status status = hull_push(w, &list, &w->visible_bytes, &w->visibles, facet, err);
    w->visible = list;
    return status;
}

static rps_status hull_outline(hull_work *w, uint32_t from, uint32_t to, int32_t beyond, rps_error *err) {
    void *list = w->ring;
    const size_t used = w->edges * sizeof *w->ring;
    const rps_status status =
        rps_buffer_reserve(w->allocator, &list, &w->ring_bytes, used, used + sizeof *w->ring, err);
    w->ring = list;
    RPS_TRY(status);
    w->ring[w->edges++] = (hull_ring_edge){from, to, beyond};
    return RPS_OK;
}

/* Fills `visible` with the facets that see the point, from one that does, and `ring` with their outline. */
static rps_status hull_look(hull_work *w, int32_t first, uint32_t point, rps_error *err) {
    w->search++;
    w->visibles = w->edges = 0;
    RPS_TRY(hull_see(w, first, err));
    for (size_t n = 0; n < w->visibles; n++) {
        for (int k = 0; k < 3; k++) {
            const hull_facet *at = &w->facet[w->visible[n]];
            const int32_t beyond = at->across[k];
            if (w->facet[beyond].seen == w->search) continue;
            RPS_TRY(hull_side(w, &w->facet[beyond], point) > 0
                        ? hull_see(w, beyond, err)
                        : hull_outline(w, at->corner[k], at->corner[(k + 1) % 3], beyond, err));
        }
    }
    return RPS_OK;
}

/* Joins the point to the edges of the ring; their facets stand in `fresh`. */
static rps_status hull_join(hull_work *w, uint32_t point, rps_error *err) {
    void *list = w->fresh;
    const rps_status status =
        rps_buffer_reserve(w->allocator, &list, &w->fresh_bytes, 0, w->edges * sizeof *w->fresh, err);
    w->fresh = list;
    RPS_TRY(status);
    for (size_t e = 0; e < w->edges; e++) {
        const hull_ring_edge *edge = &w->ring[e];
        RPS_TRY(hull_take_facet(w, edge->from, edge->to, point, &w->fresh[e], err));
        w->starts[edge->from] = w->fresh[e];
        w->facet[w->fresh[e]].across[0] = edge->beyond;
        hull_facet *beyond = &w->facet[edge->beyond];
        for (int k = 0; k < 3; k++) {
            if (beyond->corner[k] == edge->to && beyond->corner[(k + 1) % 3] == edge->from) {
                beyond->across[k] = w->fresh[e];
            }
        }
    }
    for (size_t e = 0; e < w->edges; e++) {
        const int32_t after = w->starts[w->ring[e].to];
        w->facet[w->fresh[e]].across[1] = after;
        w->facet[after].across[2] = w->fresh[e];
    }
    return RPS_OK;
}

/* Makes the point a corner: the visible facets go, and their points move to the new ones or are inside. */
static rps_status hull_add(hull_work *w, uint32_t point, rps_error *err) {
    RPS_TRY(hull_join(w, point, err));
    for (size_t n = 0; n < w->visibles; n++) {
        for (int32_t p = w->facet[w->visible[n]].outside, next; p != NO_POINT; p = next) {
            next = w->next[p];
            if ((uint32_t)p != point) hull_assign(w, w->fresh, w->edges, (uint32_t)p);
        }
        hull_drop_facet(w, w->visible[n]);
    }
    for (size_t e = 0; e < w->edges; e++) RPS_TRY(hull_stack(w, w->fresh[e], err));
    return RPS_OK;
}

/* The points at this facet rise above it by less than the weld length: those that do above all facets are inside. */
static rps_status hull_clear(hull_work *w, int32_t facet, rps_error *err) {
    int32_t p = w->facet[facet].outside;
    w->facet[facet].outside = NO_POINT;
    for (int32_t next; p != NO_POINT; p = next) {
        next = w->next[p];
        RPS_TRY(hull_look(w, facet, (uint32_t)p, err));
        double most = w->thin;
        int32_t best = NO_FACET;
        for (size_t n = 0; n < w->visibles; n++) {
            const double height = hull_height(w, &w->facet[w->visible[n]], (uint32_t)p);
            if (height <= most) continue;
            most = height;
            best = w->visible[n];
        }
        if (best == NO_FACET) continue;
        w->next[p] = w->facet[best].outside;
        w->facet[best].outside = p;
        RPS_TRY(hull_stack(w, best, err));
    }
    return RPS_OK;
}

static rps_status hull_grow(hull_work *w, rps_error *err) {
    RPS_TRY(hull_tetrahedron(w, err));
    while (w->stacked > 0) {
        const int32_t at = w->stack[--w->stacked];
        if (!w->facet[at].alive) continue;
        int32_t point = NO_POINT;
        double highest = 0.0;
        for (int32_t p = w->facet[at].outside; p != NO_POINT; p = w->next[p]) {
            const double height = hull_height(w, &w->facet[at], (uint32_t)p);
            if (point != NO_POINT && height <= highest) continue;
            point = p;
            highest = height;
        }
        if (point == NO_POINT) continue;
        if (highest <= w->thin) {
            RPS_TRY(hull_clear(w, at, err));
            continue;
        }
        RPS_TRY(hull_look(w, at, (uint32_t)point, err));
        RPS_TRY(hull_add(w, (uint32_t)point, err));
    }
    return RPS_OK;
}

/* --- in and out --------------------------------------------------------------------------------------------------- */

static double hull_greater(double a, double b) {
    return a > b ? a : b;
}

static rps_status hull_begin(hull_work *w, rps_arena *arena, const rps_mesh *mesh, double weld, rps_error *err) {
    void *place, *next, *starts;
    if (mesh->points > INT32_MAX) return rps_fail(err, RPS_BAD_INPUT, "the mesh has too many points for a hull");
    RPS_TRY(rps_arena_take_items(arena, mesh->points, sizeof *w->place, &place, err));
    RPS_TRY(rps_arena_take_items(arena, mesh->points, sizeof *w->next, &next, err));
    RPS_TRY(rps_arena_take_items(arena, mesh->points, sizeof *w->starts, &starts, err));
    w->place = place;
    w->next = next;
    w->starts = starts;
    w->points = mesh->points;
    w->thin = weld * RPS_HULL_GRID;
    double extent = 0.0;
    for (int k = 0; k < 3; k++) extent = hull_greater(extent, mesh->box.high[k] - mesh->box.low[k]);
    for (size_t n = 0; n < mesh->points; n++) {
        for (int k = 0; k < 3; k++) {
            const double part = (mesh->point[n][k] - mesh->box.low[k]) / extent;
            w->place[n][k] = (int64_t)((part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part) * RPS_HULL_GRID + 0.5);
        }
    }
    return RPS_OK;
}

/* The facets and their corners, renumbered in the order of the points of the mesh. */
static rps_status hull_write(const hull_work *w, const rps_mesh *mesh, rps_raw_mesh *out, rps_error *err) {
    size_t triangles = 0, points = 0;
    for (size_t n = 0; n < w->points; n++) w->next[n] = NO_POINT;
    for (size_t f = 0; f < w->facets; f++) {
        if (!w->facet[f].alive) continue;
        triangles++;
        for (int k = 0; k < 3; k++) w->next[w->facet[f].corner[k]] = 0;
    }
    for (size_t n = 0; n < w->points; n++) {
        if (w->next[n] != NO_POINT) w->next[n] = (int32_t)points++;
    }
    void *list;
    out->point_bytes = points * sizeof *out->point;
    RPS_TRY(rps_memory_alloc(w->allocator, out->point_bytes, &list, err));
    out->point = list;
    out->triangle_bytes = triangles * sizeof *out->triangle;
    RPS_TRY(rps_memory_alloc(w->allocator, out->triangle_bytes, &list, err));
    out->triangle = list;
    for (size_t n = 0; n < w->points; n++) {
        if (w->next[n] != NO_POINT) memcpy(out->point[out->points++], mesh->point[n], sizeof *out->point);
    }
    for (size_t f = 0; f < w->facets; f++) {
        if (!w->facet[f].alive) continue;
        uint32_t *corner = out->triangle[out->triangles++];
        for (int k = 0; k < 3; k++) corner[k] = (uint32_t)w->next[w->facet[f].corner[k]];
    }
    return RPS_OK;
}

static void hull_end(hull_work *w) {
    const rps_allocator *a = w->allocator;
    rps_memory_release(a, w->facet, w->facet_bytes);
    rps_memory_release(a, w->stack, w->stack_bytes);
    rps_memory_release(a, w->visible, w->visible_bytes);
    rps_memory_release(a, w->ring, w->ring_bytes);
    rps_memory_release(a, w->fresh, w->fresh_bytes);
}

rps_status rps_mesh_hull(const rps_mesh *mesh, double weld, rps_raw_mesh *out, rps_error *err) {
    hull_work w = {.allocator = mesh->allocator, .unused = NO_FACET};
    rps_arena arena;
    *out = (rps_raw_mesh){0};
    rps_arena_init(&arena, mesh->allocator);
    rps_status status = hull_begin(&w, &arena, mesh, weld, err);
    if (status == RPS_OK) status = hull_grow(&w, err);
    if (status == RPS_OK) status = hull_write(&w, mesh, out, err);
    if (status != RPS_OK) rps_raw_mesh_release(mesh->allocator, out);
    hull_end(&w);
    rps_arena_release(&arena);
    return status;
}

/* --- as a body ---------------------------------------------------------------------------------------------------- */

rps_hull_sizes rps_hull_compare(const rps_mesh *surface, const rps_mesh *hull) {
    rps_hull_sizes sizes = {.closed = surface->closed,
                            .volume = surface->volume,
                            .area = surface->area,
                            .hull_volume = hull->volume,
                            .hull_area = hull->area};
    for (size_t n = 0; n < surface->points; n++) {
        rps_reached nearest;
        if (rps_mesh_nearest(hull, rps_vec3_of(surface->point[n]), INFINITY, &nearest)) {
            sizes.depth = hull_greater(sizes.depth, nearest.distance);
        }
    }
    return sizes;
}

static rps_status hull_of_surface(const rps_mesh *surface, double weld, rps_raw_mesh *raw, rps_hull_sizes *sizes,
                                  rps_error *err) {
    rps_mesh hull;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = weld;
    RPS_TRY(rps_mesh_hull(surface, weld, raw, err));
    RPS_TRY(rps_mesh_build(surface->allocator, raw, &options, &hull, &report, err));
    *sizes = rps_hull_compare(surface, &hull);
    rps_mesh_release(&hull);
    return RPS_OK;
}

rps_status rps_raw_mesh_hull(const rps_allocator *allocator, double weld, rps_raw_mesh *raw, rps_hull_sizes *sizes,
                             rps_error *err) {
    rps_mesh surface;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = weld;
    RPS_TRY(rps_mesh_build_auto(allocator, raw, &options, &surface, &report, err));
    rps_raw_mesh_release(allocator, raw);
    const rps_status status = hull_of_surface(&surface, weld, raw, sizes, err);
    if (status != RPS_OK) rps_raw_mesh_release(allocator, raw);
    rps_mesh_release(&surface);
    return status;
}
