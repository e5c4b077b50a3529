/*
 * Fraction of a body of any shapes inside an axis-aligned box, from the lengths of many parallel chords.
 *
 * The chords are the same for any box, so boxes side by side add up to the whole body. They stand on a Fibonacci
 * lattice. Chord lengths vanish at the rim of the body, so the lattice integrates a periodic function with a square
 * root at the rim, whose error falls faster than 1/CHORDS.
 */
#include <math.h>

#include "world/chord.h"
#include "world/world_internal.h"

enum {
    CHORDS = 6765,
    STRIDE = 4181,
    PREPARED = 64, /* pieces whose chord data are computed once */
    HITS = 256     /* intervals of a chord at a time */
};

/* All chords have one direction and cross a box about the body, in units of its half extents, so that long and flat
 * bodies are resolved as finely as others. */
typedef struct chords {
    rps_vec3 middle, half;  /* m, of the box about the body, in the body's axes */
    rps_vec3 e[3];          /* orthonormal, in these units; the last one along the chords */
    double low[3], high[3]; /* extent of the body along them */
    rps_mat3 frame;         /* columns in the body's axes: two across the chords, one along them */
    double length;          /* m, of every chord before it is cut */
} chords;

static rps_vec3 part_inside_column(const rps_mat3 *m, int k) {
    return (rps_vec3){m->m[0][k], m->m[1][k], m->m[2][k]};
}

/* The least and the largest value of axis . x over the pieces. */
static void part_inside_extent_along(const rps_world_mesh *meshes, const rps_piece *piece, size_t count, rps_vec3 axis,
                                     double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        const rps_mat3 none = rps_mat3_identity();
        const rps_lined s = rps_lined_of(&piece[k], meshes, rps_vec3_zero(), &none);
        const rps_vec3 d = rps_mat3_transpose_mul_vec(&s.axes, axis);
        const double at = rps_vec3_dot(axis, s.centre);
        const double top = at + rps_lined_reach(&s, d), bottom = at - rps_lined_reach(&s, rps_vec3_neg(d));
        *low = bottom < *low ? bottom : *low;
        *high = top > *high ? top : *high;
    }
}

static chords place_chords(const rps_world_mesh *meshes, const rps_piece *piece, size_t count) {
    const rps_mat3 oblique = rps_quat_to_mat3(rps_quat_normalize((rps_quat){0.83, 0.31, -0.27, 0.38}));
    const rps_mat3 own = rps_mat3_identity();
    chords c;
    double middle[3], half[3];
    for (int k = 0; k < 3; k++) {
        double low, high;
        part_inside_extent_along(meshes, piece, count, part_inside_column(&own, k), &low, &high);
        middle[k] = 0.5 * (low + high);
        half[k] = 0.5 * (high - low);
    }
    c.middle = rps_vec3_of(middle);
    c.half = rps_vec3_of(half);
    for (int k = 0; k < 3; k++) {
        c.e[k] = part_inside_column(&oblique, k);
        const rps_vec3 axis = {c.e[k].x / half[0], c.e[k].y / half[1], c.e[k].z / half[2]};
        const double at = rps_vec3_dot(axis, c.middle);
        part_inside_extent_along(meshes, piece, count, axis, &c.low[k], &c.high[k]);
        c.low[k] -= at;
        c.high[k] -= at;
    }
    const rps_vec3 along = rps_vec3_mul(c.half, c.e[2]), z = rps_vec3_normalize(along), x = rps_vec3_any_across(z);
    const rps_vec3 y = rps_vec3_cross(z, x);
    c.frame = (rps_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    c.length = (c.high[2] - c.low[2]) * rps_vec3_norm(along);
    return c;
}

/* Inserts an interval into a list sorted by start; of two with the same start the longer one stays. If there are too
 * many, the last ones are dropped and *rest is the start of the first of them. */
static size_t insert_interval(rps_interval hit[HITS], size_t hits, rps_interval t, double *rest) {
    size_t at = hits;
    while (at > 0 && hit[at - 1].low > t.low) at--;
    if (at > 0 && hit[at - 1].low == t.low) {
        if (t.high > hit[at - 1].high) hit[at - 1].high = t.high;
        return hits;
    }
    if (hits == HITS) {
        const double first = at < HITS ? hit[--hits].low : t.low;
        *rest = first < *rest ? first : *rest;
        if (at == HITS) return hits;
    }
    for (size_t k = hits; k > at; k--) hit[k] = hit[k - 1];
    hit[at] = t;
    return hits + 1;
}

/* Intervals of the line through `from` (in the frame of the chords) in the pieces that start at *rest or later,
 * sorted by start; at most the first HITS. *rest becomes the start of the first of the others; infinite: none. */
static size_t cut_pieces(const chords *c, const rps_world_mesh *meshes, const rps_piece *piece, size_t count,
                         const rps_lined *prepared, rps_vec3 from, rps_interval hit[HITS], double *rest) {
    const double first = *rest;
    *rest = INFINITY;
    size_t hits = 0;
    uint64_t work = 0;
    for (size_t k = 0; k < count; k++) {
        rps_interval t = {from.z, from.z + c->length};
        if (rps_shape_is_sheet(rps_shape_at((int)piece[k].shape))) continue; /* no volume */
        rps_lined own;
        const rps_lined *lined = &prepared[k < PREPARED ? k : 0];
        if (k >= PREPARED) {
            own = rps_lined_of(&piece[k], meshes, rps_vec3_zero(), &c->frame);
            lined = &own;
        }
        const double dx = from.x - lined->centre.x, dy = from.y - lined->centre.y;
        const double radius = piece[k].radius * (1.0 + 1e-9); /* covers rounding */
        if (dx * dx + dy * dy > radius * radius || !rps_chord(lined, from.x, from.y, &t, &work)) continue;
        if (t.low >= first) hits = insert_interval(hit, hits, t, rest);
    }
    return hits;
}

/* Length of the union of the intervals within a range (m), beyond range->low, up to which earlier intervals of the
 * line are counted; advances range->low. */
static double length_within(const rps_interval *hit, size_t hits, rps_interval *range) {
    double sum = 0.0;
    for (size_t k = 0; k < hits; k++) {
        const double a = hit[k].low > range->low ? hit[k].low : range->low;
        const double b = hit[k].high < range->high ? hit[k].high : range->high;
        if (!(b > a)) continue;
        sum += b - a;
        range->low = b;
    }
    return sum;
}

static double part_inside_larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Clips *t to low <= o + (z - z0) d <= high; false if nothing is left. */
static bool cut_slab(rps_interval *t, double z0, double o, double d, double low, double high) {
    if (d == 0.0) return o >= low && o <= high;
    const double a = z0 + (low - o) / d, b = z0 + (high - o) / d;
    t->low = part_inside_larger(t->low, a < b ? a : b);
    t->high = smaller(t->high, a < b ? b : a);
    return t->high > t->low;
}

double rps_union_part_inside(const rps_world_mesh *meshes, const rps_piece *piece, size_t count, const rps_mat3 *axes,
                             const double low[3], const double high[3]) {
    rps_interval hit[HITS];
    rps_lined prepared[PREPARED];
    const chords c = place_chords(meshes, piece, count);
    for (size_t k = 0; k < count && k < PREPARED; k++) {
        prepared[k] = rps_lined_of(&piece[k], meshes, rps_vec3_zero(), &c.frame);
    }
    const rps_vec3 d = rps_mat3_mul_vec(axes, part_inside_column(&c.frame, 2));
    double whole = 0.0, part = 0.0;
    for (int n = 0; n < CHORDS; n++) {
        const double u = c.low[0] + (c.high[0] - c.low[0]) * ((n + 0.5) / CHORDS);
        const double w = c.low[1] + (c.high[1] - c.low[1]) * ((n * STRIDE % CHORDS + 0.5) / CHORDS);
        rps_vec3 x = rps_vec3_scale(c.e[2], c.low[2]);
        x = rps_vec3_add_scaled(rps_vec3_add_scaled(x, u, c.e[0]), w, c.e[1]);
        const rps_vec3 start = rps_vec3_add(c.middle, rps_vec3_mul(c.half, x)), o = rps_mat3_mul_vec(axes, start);
        const rps_vec3 from = rps_mat3_transpose_mul_vec(&c.frame, start);
        rps_interval line = {from.z, from.z + c.length}, inside = line;
        const bool cuts = cut_slab(&inside, from.z, o.x, d.x, low[0], high[0]) &&
                          cut_slab(&inside, from.z, o.y, d.y, low[1], high[1]) &&
                          cut_slab(&inside, from.z, o.z, d.z, low[2], high[2]);
        for (double rest = -INFINITY; rest < INFINITY;) {
            const size_t hits = cut_pieces(&c, meshes, piece, count, prepared, from, hit, &rest);
            whole += length_within(hit, hits, &line);
            if (cuts) part += length_within(hit, hits, &inside);
        }
    }
    return whole > 0.0 ? part / whole : 0.0;
}
