/* Removes degenerate and duplicate triangles, and sorts the rest by counting: linear in their number. */
#include <math.h>

#include "mesh/draft.h"

/* The lowest corner first; the turn stays. */
static void lowest_first(uint32_t t[3]) {
    while (t[1] < t[0] || t[2] < t[0]) {
        const uint32_t first = t[0];
        t[0] = t[1];
        t[1] = t[2];
        t[2] = first;
    }
}

typedef struct sorted_triangles {
    uint32_t (*triangle)[3];
    uint32_t *origin;
} sorted_triangles;

/* One pass: by corner k, stable. next: scratch, one more than points. */
static void sort_by_corner(sorted_triangles from, sorted_triangles to, size_t count, int k, uint32_t *next,
                           size_t points) {
    memset(next, 0, (points + 1) * sizeof *next);
    for (size_t t = 0; t < count; t++) next[from.triangle[t][k] + 1]++;
    for (size_t p = 0; p < points; p++) next[p + 1] += next[p];
    for (size_t t = 0; t < count; t++) {
        const uint32_t at = next[from.triangle[t][k]]++;
        memcpy(to.triangle[at], from.triangle[t], sizeof to.triangle[at]);
        to.origin[at] = from.origin[t];
    }
}

rps_status rps_draft_sort(rps_draft *d, rps_error *err) {
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    void *triangle, *origin, *next;
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof *d->triangle, &triangle, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->triangles, sizeof *d->origin, &origin, err));
    RPS_TRY(rps_arena_take_items(&d->arena, d->points + 1, sizeof(uint32_t), &next, err));
    const sorted_triangles one = {d->triangle, d->origin}, two = {triangle, origin};
    for (size_t t = 0; t < d->triangles; t++) lowest_first(d->triangle[t]);
    sort_by_corner(one, two, d->triangles, 2, next, d->points);
    sort_by_corner(two, one, d->triangles, 1, next, d->points);
    sort_by_corner(one, two, d->triangles, 0, next, d->points);
    memcpy(d->triangle, triangle, d->triangles * sizeof *d->triangle);
    memcpy(d->origin, origin, d->triangles * sizeof *d->origin);
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}

/* Two corners are one, or a corner is nearer to the opposite edge than the weld length. */
static bool has_area(const rps_draft *d, const uint32_t t[3]) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return false;
    double longest2 = 0.0;
    for (int k = 0; k < 3; k++) {
        const rps_vec3 edge = rps_vec3_sub(rps_draft_point(d, t[(k + 1) % 3]), rps_draft_point(d, t[k]));
        longest2 = rps_larger(longest2, rps_vec3_norm2(edge));
    }
    return rps_vec3_norm2(rps_draft_area2(d, t)) > d->weld * d->weld * longest2;
}

static void drop_flat(rps_draft *d) {
    size_t kept = 0;
    for (size_t t = 0; t < d->triangles; t++) {
        if (!has_area(d, d->triangle[t])) {
            rps_mesh_note(d->report, RPS_FOUND_NO_AREA, d->origin[t], d->point[d->triangle[t][0]]);
            continue;
        }
        memmove(d->triangle[kept], d->triangle[t], sizeof d->triangle[kept]);
        d->origin[kept++] = d->origin[t];
    }
    d->triangles = kept;
}

/* While duplicates are sought, the last corner is the highest, and this bit of the origin says that the last two were
 * exchanged. */
#define EXCHANGED ((uint32_t)1 << 31)

static void exchange_last(uint32_t t[3]) {
    const uint32_t last = t[2];
    t[2] = t[1];
    t[1] = last;
}

/* Of `count` triangles with the same corners one is kept: with the turn that most of them have, else with the rising one. */
static void keep_one(rps_draft *d, size_t first, size_t count, size_t *kept) {
    size_t exchanged = 0, lowest = first;
    for (size_t t = first; t < first + count; t++) {
        exchanged += d->origin[t] & EXCHANGED ? 1 : 0;
        if ((d->origin[t] & ~EXCHANGED) < (d->origin[lowest] & ~EXCHANGED)) lowest = t;
    }
    const rps_finding finding = exchanged == 0 || exchanged == count ? RPS_FOUND_DUPLICATE : RPS_FOUND_OPPOSED;
    for (size_t t = first; t < first + count; t++) {
        if (t == lowest) continue;
        rps_mesh_note(d->report, finding, d->origin[t] & ~EXCHANGED, d->point[d->triangle[t][0]]);
    }
    const uint32_t origin = d->origin[lowest] & ~EXCHANGED;
    memmove(d->triangle[*kept], d->triangle[first], sizeof d->triangle[*kept]);
    if (2 * exchanged > count) exchange_last(d->triangle[*kept]);
    d->origin[(*kept)++] = origin;
}

static rps_status drop_duplicates(rps_draft *d, rps_error *err) {
    for (size_t t = 0; t < d->triangles; t++) {
        lowest_first(d->triangle[t]);
        if (d->triangle[t][1] < d->triangle[t][2]) continue;
        exchange_last(d->triangle[t]);
        d->origin[t] |= EXCHANGED;
    }
    RPS_TRY(rps_draft_sort(d, err));
    size_t kept = 0;
    for (size_t first = 0, end; first < d->triangles; first = end) {
        for (end = first + 1; end < d->triangles; end++) {
            if (!rps_same_bits(d->triangle[end], d->triangle[first], sizeof d->triangle[first])) break;
        }
        keep_one(d, first, end - first, &kept);
    }
    d->triangles = kept;
    return RPS_OK;
}

rps_status rps_draft_clean(rps_draft *d, rps_error *err) {
    drop_flat(d);
    RPS_TRY(drop_duplicates(d, err));
    return rps_draft_sort(d, err);
}

rps_status rps_draft_compact(rps_draft *d, rps_error *err) {
    const rps_arena_mark mark = rps_arena_get_mark(&d->arena);
    void *p;
    RPS_TRY(rps_arena_take_items(&d->arena, d->points, sizeof(uint32_t), &p, err));
    uint32_t *place = p, kept = 0;
    memset(place, 0, d->points * sizeof *place);
    for (size_t t = 0; t < d->triangles; t++) {
        for (int k = 0; k < 3; k++) place[d->triangle[t][k]] = 1;
    }
    for (size_t n = 0; n < d->points; n++) {
        if (place[n] == 0) continue;
        memmove(d->point[kept], d->point[n], sizeof d->point[kept]);
        place[n] = kept++;
    }
    for (size_t t = 0; t < d->triangles; t++) {
        for (int k = 0; k < 3; k++) d->triangle[t][k] = place[d->triangle[t][k]];
    }
    d->points = kept;
    rps_arena_rewind(&d->arena, mark);
    return RPS_OK;
}
