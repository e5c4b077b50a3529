/*
 * T-junctions: where a point lies within an edge of another triangle, the triangle is divided there, so that both sides have the
 * same edges. Such points and edges belong to edges that do not have two triangles; these alone are searched. A pass divides each
 * triangle at one of its edges, at all points of that edge at once; the parts are shorter, so passes end.
 */
#include "mesh/draft.h"

enum { PASSES = 64, GROWTH = 8 };

/* Leaves of the tree that all passes together may look at: some ten seconds, never reached but by long slivers or crossing triangles
 * without number. */
#define MOST_VISITS ((size_t)1 << 25)

/* A point on an edge, at `part` of the way from its lower to its higher end. */
typedef struct edge_point {
    uint32_t edge, point;
    double part;
} edge_point;

typedef struct split_search {
    const rps_draft *d;
    const rps_draft_edges *edges;
    const uint32_t *open; /* numbers of the edges in the tree */
    size_t visits;
    edge_point *found;
    size_t count, bytes;
    uint32_t point; /* that is looked at */
    rps_status status;
    rps_error *err;
} split_search;

static bool edge_point_before(const edge_point *a, const edge_point *b) {
    if (a->edge != b->edge) return a->edge < b->edge;
    return a->part != b->part ? a->part < b->part : a->point < b->point;
}

/* The point lies within the weld length of the edge and between its ends. */
static bool lies_on_edge(const rps_draft *d, const uint32_t edge[2], uint32_t point, double *part) {
    if (point == edge[0] || point == edge[1]) return false;
    const rps_vec3 from = rps_draft_point(d, edge[0]);
    const rps_vec3 along = rps_vec3_sub(rps_draft_point(d, edge[1]), from);
    const rps_vec3 to = rps_vec3_sub(rps_draft_point(d, point), from);
    *part = rps_vec3_dot(to, along) / rps_vec3_norm2(along);
    return *part > 0.0 && *part < 1.0 && rps_vec3_norm2(rps_vec3_add_scaled(to, -*part, along)) <= d->weld * d->weld;
}

static bool note_edge_point(void *context, const rps_box_node *leaf) {
    split_search *s = context;
    double part;
    if (++s->visits > MOST_VISITS) return false;
    const uint32_t edge = s->open[leaf->item];
    if (!lies_on_edge(s->d, s->edges->edge[edge], s->point, &part)) return true;
    void *p = s->found;
    const size_t used = s->count * sizeof *s->found;
    s->status = rps_buffer_reserve(s->d->allocator, &p, &s->bytes, used, used + sizeof *s->found, s->err);
    s->found = p;
    if (s->status != RPS_OK) return false;
    s->found[s->count++] = (edge_point){edge, s->point, part};
    return true;
}

static size_t edge_triangles(const rps_draft_edges *e, size_t edge) {
    return e->first[edge + 1] - e->first[edge];
}

/* The edges that do not have two triangles, and a tree over them. */
static rps_status find_open_edges(rps_draft *d, const rps_draft_edges *e, uint32_t **open, size_t *count,
                                  rps_box_tree *tree, rps_error *err) {
    void *p;
    *count = 0;
    for (size_t k = 0; k < e->count; k++) *count += edge_triangles(e, k) != 2 ? 1 : 0;
    if (*count == 0) return RPS_OK;
    RPS_TRY(rps_arena_take_items(&d->arena, *count, sizeof **open, &p, err));
    *open = p;
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    RPS_TRY(rps_arena_take_items(&d->arena, *count, sizeof(rps_box), &p, err));
    rps_box *box = p;
    size_t n = 0;
    for (size_t k = 0; k < e->count; k++) {
        if (edge_triangles(e, k) == 2) continue;
        const double *a = d->point[e->edge[k][0]], *b = d->point[e->edge[k][1]];
        for (int axis = 0; axis < 3; axis++) {
            box[n].low[axis] = a[axis] < b[axis] ? a[axis] : b[axis];
            box[n].high[axis] = a[axis] > b[axis] ? a[axis] : b[axis];
        }
        (*open)[n++] = (uint32_t)k;
    }
    const rps_status status = rps_box_tree_build(d->allocator, box, *count, tree, err);
    rps_arena_rewind(&d->arena, mark);
    return status;
}

/* Looks for edges at the ends of the open edges, each end once. */
static rps_status find_edge_points(rps_draft *d, const rps_box_tree *tree, size_t open, split_search *s,
                                   rps_error *err) {
    void *p;
    RPS_TRY(rps_arena_take_items(&d->arena, d->points, sizeof(bool), &p, err));
    bool *seen = p;
    memset(seen, 0, d->points * sizeof *seen);
    for (size_t k = 0; k < 2 * open; k++) {
        s->point = s->edges->edge[s->open[k / 2]][k % 2];
        if (seen[s->point]) continue;
        seen[s->point] = true;
        const rps_box_question near = {.kind = RPS_BOX_BALL, .center = rps_draft_point(d, s->point), .radius = d->weld};
        if (!rps_box_tree_find(tree, &near, note_edge_point, s)) break;
    }
    if (s->visits > MOST_VISITS) rps_mesh_note(d->report, RPS_FOUND_UNSEARCHED, RPS_NO_TRIANGLE, d->point[0]);
    return s->status;
}

static void sift_down(edge_point *heap, size_t at, size_t count) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && edge_point_before(&heap[child], &heap[child + 1])) child++;
        if (!edge_point_before(&heap[at], &heap[child])) return;
        const edge_point moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static void sort_edge_points(edge_point *found, size_t count) {
    for (size_t k = count / 2; k-- > 0;) sift_down(found, k, count);
    for (size_t k = count; k-- > 1;) {
        const edge_point last = found[k];
        found[k] = found[0];
        found[0] = last;
        sift_down(found, 0, k);
    }
}

/* The number of points on the edge, of sorted ones, and the first of them. */
static size_t points_on_edge(const split_search *s, uint32_t edge, size_t *first) {
    size_t low = 0, high = s->count, count = 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->found[middle].edge < edge)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < s->count && s->found[low + count].edge == edge) count++;
    *first = low;
    return count;
}

/* The corner at which the edge to divide begins, that of the lowest number with points on it; -1: none has. */
static int edge_to_divide(const split_search *s, size_t triangle, size_t *first, size_t *count) {
    int chosen = -1;
    for (int k = 0; k < 3; k++) {
        const uint32_t *of = s->edges->edge_of[triangle];
        if (chosen >= 0 && of[k] > of[chosen]) continue;
        size_t begin, n = points_on_edge(s, of[k], &begin);
        if (n == 0) continue;
        chosen = k;
        *first = begin;
        *count = n;
    }
    return chosen;
}

/* Appends the parts of a triangle, a fan from the corner across the divided edge; the first part takes its place. */
static void divide(rps_draft *d, const split_search *s, size_t triangle, int corner, size_t first, size_t count) {
    const uint32_t *t = d->triangle[triangle];
    const uint32_t from = t[corner], to = t[(corner + 1) % 3], across = t[(corner + 2) % 3];
    uint32_t begin = from;
    for (size_t k = 0; k <= count; k++) {
        const size_t on = first + (from < to ? k : count - 1 - k);
        const uint32_t end = k < count ? s->found[on].point : to;
        const size_t place = k == 0 ? triangle : d->triangles++;
        const uint32_t part[3] = {begin, end, across};
        memcpy(d->triangle[place], part, sizeof part);
        d->origin[place] = d->origin[triangle];
        begin = end;
    }
}

/* Makes the arrays hold `most` triangles; the old ones stay in the arena until the end. */
static rps_status widen(rps_draft *d, size_t most, size_t *capacity, rps_error *err) {
    void *triangle, *origin;
    if (most <= *capacity) return RPS_OK;
    most += most / 2; /* so that few passes make new ones */
    RPS_TRY(rps_arena_take_items(&d->arena, most, sizeof *d->triangle, &triangle, err));
    RPS_TRY(rps_arena_take_items(&d->arena, most, sizeof *d->origin, &origin, err));
    memcpy(triangle, d->triangle, d->triangles * sizeof *d->triangle);
    memcpy(origin, d->origin, d->triangles * sizeof *d->origin);
    d->triangle = triangle;
    d->origin = origin;
    *capacity = most;
    return RPS_OK;
}

/* Divides all triangles at edges with points on them; false in *again if that would make more than `most` triangles. */
static rps_status divide_all(rps_draft *d, split_search *s, size_t most, size_t *capacity, bool *again,
                             rps_error *err) {
    size_t more = 0, first, count;
    sort_edge_points(s->found, s->count);
    for (size_t t = 0; t < d->triangles; t++) {
        if (edge_to_divide(s, t, &first, &count) >= 0) more += count;
    }
    *again = more <= most - d->triangles;
    if (!*again) {
        rps_mesh_note(d->report, RPS_FOUND_UNSEARCHED, RPS_NO_TRIANGLE, d->point[s->found[0].point]);
        return RPS_OK;
    }
    for (size_t k = 0; k < s->count; k++) {
        const uint32_t triangle = s->edges->triangle[s->edges->first[s->found[k].edge]];
        rps_mesh_note(d->report, RPS_FOUND_SPLIT, d->origin[triangle], d->point[s->found[k].point]);
    }
    RPS_TRY(widen(d, d->triangles + more, capacity, err));
    for (size_t t = 0, before = d->triangles; t < before; t++) {
        const int corner = edge_to_divide(s, t, &first, &count);
        if (corner >= 0) divide(d, s, t, corner, first, count);
    }
    return rps_draft_clean(d, err);
}

/* One pass; *again: it divided something, and what is new is not yet looked at. */
static rps_status split_pass(rps_draft *d, size_t most, size_t *capacity, size_t *visits, bool *again, rps_error *err) {
    rps_draft_edges edges;
    rps_box_tree tree = {0};
    uint32_t *open = NULL;
    size_t count;
    *again = false;
    RPS_TRY(rps_draft_find_edges(d, &edges, err));
    rps_status status = find_open_edges(d, &edges, &open, &count, &tree, err);
    split_search s = {.d = d, .edges = &edges, .open = open, .visits = *visits, .err = err};
    if (status == RPS_OK && count > 0) status = find_edge_points(d, &tree, count, &s, err);
    if (status == RPS_OK && s.count > 0) status = divide_all(d, &s, most, capacity, again, err);
    rps_box_tree_release(d->allocator, &tree);
    void *found = s.found;
    rps_buffer_release(d->allocator, &found, &s.bytes);
    *visits = s.visits;
    if (*visits > MOST_VISITS) *again = false; /* as is noted */
    return status;
}

rps_status rps_draft_split(rps_draft *d, rps_error *err) {
    size_t capacity = d->triangles, visits = 0;
    const size_t most =
        GROWTH * (d->triangles + d->points) < RPS_MESH_MOST ? GROWTH * (d->triangles + d->points) : RPS_MESH_MOST;
    bool again = true;
    for (int pass = 0; again && pass < PASSES; pass++) RPS_TRY(split_pass(d, most, &capacity, &visits, &again, err));
    if (again) rps_mesh_note(d->report, RPS_FOUND_UNSEARCHED, RPS_NO_TRIANGLE, d->point[0]);
    return RPS_OK;
}
