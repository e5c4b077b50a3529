/*
 * Shells: triangles joined over edges that have two. On each the triangles turn alike, as most of its area does; a shell where
 * that is impossible has one side only and stays as it is. Closed shells around nothing else get a positive volume, those inside
 * another (nest.c) are turned with it.
 */
#include "base/exact_sum.h"
#include "mesh/draft.h"

#define NO_SHELL UINT32_MAX

/* The corner of the triangle at which the edge begins. */
static int corner_of_edge(const rps_draft_edges *e, uint32_t triangle, uint32_t edge) {
    const uint32_t *of = e->edge_of[triangle];
    return of[0] == edge ? 0 : of[1] == edge ? 1 : 2;
}

/* Two triangles of an edge turn alike if they run along it in opposite directions. */
static bool turn_alike(const rps_draft *d, const rps_draft_edges *e, uint32_t a, uint32_t b, uint32_t edge) {
    const int i = corner_of_edge(e, a, edge), j = corner_of_edge(e, b, edge);
    return d->triangle[a][i] != d->triangle[b][j];
}

/* The other triangle of an edge that has two, or RPS_NO_TRIANGLE. */
static uint32_t across_edge(const rps_draft_edges *e, uint32_t triangle, uint32_t edge) {
    const uint32_t *two = e->triangle + e->first[edge];
    if (e->first[edge + 1] - e->first[edge] != 2) return RPS_NO_TRIANGLE;
    return two[0] == triangle ? two[1] : two[0];
}

typedef struct turning {
    rps_draft *d;
    const rps_draft_edges *edges;
    rps_shells *shells;
    bool *reversed; /* by triangle: against the first of its shell */
} turning;

/* Visits an edge of a triangle that belongs to shell `number`. */
static void cross_edge(turning *w, uint32_t t, uint32_t edge, uint32_t number, size_t *end) {
    rps_shells *s = w->shells;
    const uint32_t other = across_edge(w->edges, t, edge);
    if (other == RPS_NO_TRIANGLE) {
        if (s->kind[number] == RPS_SHELL_CLOSED) s->kind[number] = RPS_SHELL_OPEN;
        return;
    }
    const bool reversed = w->reversed[t] == turn_alike(w->d, w->edges, t, other, edge);
    if (s->of[other] == NO_SHELL) {
        s->of[other] = number;
        w->reversed[other] = reversed;
        s->triangle[(*end)++] = other;
    } else if (w->reversed[other] != reversed && t < other) {
        s->kind[number] = RPS_SHELL_TWISTED;
        rps_mesh_note(w->d->report, RPS_FOUND_TWISTED, w->d->origin[t], w->d->point[w->edges->edge[edge][0]]);
    }
}

/* Gathers the triangles of each shell, in the order of their lowest. */
static void gather_shells(turning *w) {
    rps_shells *s = w->shells;
    size_t end = 0;
    for (uint32_t seed = 0; seed < w->d->triangles; seed++) {
        if (s->of[seed] != NO_SHELL) continue;
        const uint32_t number = (uint32_t)s->count++;
        size_t next = end;
        s->first[number] = (uint32_t)end;
        s->kind[number] = RPS_SHELL_CLOSED;
        s->of[seed] = number;
        w->reversed[seed] = false;
        s->triangle[end++] = seed;
        for (; next < end; next++) {
            const uint32_t t = s->triangle[next];
            for (int k = 0; k < 3; k++) cross_edge(w, t, w->edges->edge_of[t][k], number, &end);
        }
    }
    s->first[s->count] = (uint32_t)end;
}

static void reverse(uint32_t t[3]) {
    const uint32_t second = t[1];
    t[1] = t[2];
    t[2] = second;
}

/* Reverses the part of a shell that turns against the larger part, by area; equal parts as the first triangle turns. */
static void turn_to_agree(turning *w, uint32_t number) {
    const rps_shells *s = w->shells;
    rps_exact_sum area[2];
    bool any = false;
    memset(area, 0, sizeof area);
    for (uint32_t k = s->first[number]; k < s->first[number + 1]; k++) any = any || w->reversed[s->triangle[k]];
    if (!any || s->kind[number] == RPS_SHELL_TWISTED) return;
    for (uint32_t k = s->first[number]; k < s->first[number + 1]; k++) {
        const uint32_t t = s->triangle[k];
        const double size = rps_vec3_norm(rps_draft_area2(w->d, w->d->triangle[t]));
        rps_exact_sum_add(&area[w->reversed[t]], size);
    }
    const bool wrong = rps_exact_sum_value(&area[1]) <= rps_exact_sum_value(&area[0]);
    for (uint32_t k = s->first[number]; k < s->first[number + 1]; k++) {
        const uint32_t t = s->triangle[k];
        if (w->reversed[t] != wrong) continue;
        rps_mesh_note(w->d->report, RPS_FOUND_TURNED, w->d->origin[t], w->d->point[w->d->triangle[t][0]]);
        reverse(w->d->triangle[t]);
    }
}

/* By the divergence theorem, from a point of the shell, so that it does not matter where it lies. */
static double shell_volume(const rps_draft *d, const rps_shells *s, size_t number) {
    const rps_vec3 from = rps_draft_point(d, d->triangle[s->triangle[s->first[number]]][0]);
    rps_exact_sum sum;
    rps_exact_sum_clear(&sum);
    for (uint32_t k = s->first[number]; k < s->first[number + 1]; k++) {
        const uint32_t *t = d->triangle[s->triangle[k]];
        const rps_vec3 a = rps_vec3_sub(rps_draft_point(d, t[0]), from);
        const rps_vec3 b = rps_vec3_sub(rps_draft_point(d, t[1]), from);
        const rps_vec3 c = rps_vec3_sub(rps_draft_point(d, t[2]), from);
        rps_exact_sum_add(&sum, rps_vec3_dot(a, rps_vec3_cross(b, c)) / 6.0);
    }
    return rps_exact_sum_value(&sum);
}

static void reverse_shell(rps_draft *d, const rps_shells *s, size_t number) {
    for (uint32_t k = s->first[number]; k < s->first[number + 1]; k++) reverse(d->triangle[s->triangle[k]]);
}

/* Turns each nest of closed shells so that the volume of its outermost is positive, and judges those inside. */
static void judge_closed(rps_draft *d, const rps_shells *s) {
    for (size_t n = 0; n < s->count; n++) {
        if (s->kind[n] != RPS_SHELL_CLOSED) continue;
        const uint32_t first = s->triangle[s->first[n]], outer = s->parent[n];
        const double *at = d->point[d->triangle[first][0]];
        if (s->volume[s->root[n]] < 0.0) {
            rps_mesh_note(d->report, RPS_FOUND_INSIDE_OUT, d->origin[first], at);
            reverse_shell(d, s, n);
        }
        if (outer == n) continue;
        const bool alike = (s->volume[n] < 0.0) == (s->volume[outer] < 0.0);
        rps_mesh_note(d->report, alike ? RPS_FOUND_DOUBLE_WALL : RPS_FOUND_CAVITY, d->origin[first], at);
    }
}

static rps_status flip_open(rps_draft *d, const rps_shells *s, rps_error *err) {
    size_t flipped = 0;
    for (size_t n = 0; n < s->count; n++) {
        if (s->kind[n] == RPS_SHELL_CLOSED) continue;
        flipped++;
        reverse_shell(d, s, n);
    }
    if (flipped > 0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "`flip` turns open surfaces, and this one is closed, so that its outer side is known; give `side: "
                    "inner` if bodies are inside");
}

static rps_status take_shells(rps_draft *d, rps_shells *s, bool **reversed, rps_error *err) {
    void *first, *triangle, *of, *kind, *flags;
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles + 1, sizeof *s->first, &first, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof *s->triangle, &triangle, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof *s->of, &of, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof *s->kind, &kind, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof **reversed, &flags, err));
    *s = (rps_shells){.first = first, .triangle = triangle, .of = of, .kind = kind};
    *reversed = flags;
    memset(of, 0xff, d->triangles * sizeof *s->of);
    return RPS_OK;
}

static rps_status take_volumes(rps_draft *d, rps_shells *s, rps_error *err) {
    void *volume, *parent, *root;
    RPS_TRY(rps_arena_take_items(&d->arena, s->count, sizeof *s->volume, &volume, err));
    RPS_TRY(rps_arena_take_items(&d->arena, s->count, sizeof *s->parent, &parent, err));
    RPS_TRY(rps_arena_take_items(&d->arena, s->count, sizeof *s->root, &root, err));
    s->volume = volume;
    s->parent = parent;
    s->root = root;
    for (size_t n = 0; n < s->count; n++) {
        s->volume[n] = s->kind[n] == RPS_SHELL_CLOSED ? shell_volume(d, s, n) : 0.0;
        s->parent[n] = s->root[n] = (uint32_t)n;
    }
    return RPS_OK;
}

rps_status rps_draft_turn(rps_draft *d, const rps_draft_edges *edges, bool *changed, rps_error *err) {
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    rps_shells shells;
    bool *reversed;
    RPS_TRY(take_shells(d, &shells, &reversed, err));
    turning w = {d, edges, &shells, reversed};
    gather_shells(&w);
    for (size_t n = 0; n < shells.count; n++) turn_to_agree(&w, (uint32_t)n);
    RPS_TRY(take_volumes(d, &shells, err));
    RPS_TRY(rps_draft_nest(d, &shells, err));
    judge_closed(d, &shells);
    d->report->shells = shells.count;
    for (size_t n = 0; n < shells.count; n++) d->report->closed_shells += shells.kind[n] == RPS_SHELL_CLOSED ? 1 : 0;
    if (d->options->flip) RPS_TRY(flip_open(d, &shells, err));
    const rps_mesh_found *found = d->report->found;
    *changed = d->options->flip || found[RPS_FOUND_TURNED].count + found[RPS_FOUND_INSIDE_OUT].count > 0;
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}
