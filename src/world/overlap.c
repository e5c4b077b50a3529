/*
 * Integrates the part of a convex piece that others cover, along parallel lines. On a line every convex piece is an
 * interval, and powers of the position are integrated exactly over the union of the intervals. Across the lines,
 * rectangular cells are divided in four where that changes the sum.
 *
 * Every cell uses Lobatto's rule of 4 x 4 points. Its points on the border detect an edge that cuts off only a corner
 * of the cell; a rule with interior points only is cheaper but misses it. A cell that no other piece reaches costs
 * nothing.
 */
#include "world/overlap.h"

#include <string.h>

enum { POINTS = 4, STRIPS = 64 };

static const double PLACE[POINTS] = {-1.0, -0.447213595499957939, 0.447213595499957939, 1.0};
static const double WEIGHT[POINTS] = {1.0 / 6.0, 5.0 / 6.0, 5.0 / 6.0, 1.0 / 6.0};

static const double HALF_WEIGHT[POINTS] = {17.0 / 96.0, 0.766052288151008808, 0.0672810451823245256,
                                           -1.0 / 96.0}; /* of the half towards the first */

typedef struct cell {
    double u, v, half[2];
} cell;

/* --- a line -------------------------------------------------------------------------------------------------------------- */

/* Adds the part of the line through (u, v), with a weight, and returns its length. */
static double add_line(rps_overlap *o, const int32_t *near, size_t count, double u, double v, double weight,
                       rps_moments *sum) {
    rps_interval whole = {-INFINITY, INFINITY};
    size_t hits = 0;
    if (!rps_chord(&o->own, u, v, &whole, &o->work)) return 0.0;
    for (size_t k = 0; k < count; k++) {
        const rps_lined *other = &o->other[near[k]].solid;
        rps_interval t = whole;
        if (!rps_chord(other, u, v, &t, &o->work)) continue;
        size_t at = hits++;
        for (; at > 0 && o->hit[at - 1].low > t.low; at--) o->hit[at] = o->hit[at - 1];
        o->hit[at] = t;
        if (t.low <= whole.low && t.high >= whole.high) break; /* nothing is left for the others */
    }
    double p0 = 0.0, p1 = 0.0, p2 = 0.0, end = -INFINITY;
    for (size_t k = 0; k < hits; k++) {
        const double a = o->hit[k].low > end ? o->hit[k].low : end, b = o->hit[k].high;
        if (!(b > a)) continue;
        const double length = b - a, middle = 0.5 * (a + b);
        p0 += length;
        p1 += length * middle;
        p2 += length * (middle * middle + length * length / 12.0);
        end = b;
    }
    const double all = p0;
    p0 *= weight;
    p1 *= weight;
    p2 *= weight;
    const double add[RPS_MOMENTS] = {p0, u * p0, v * p0, p1, u * u * p0, v * v * p0, p2, u * v * p0, u * p1, v * p1};
    for (int k = 0; k < RPS_MOMENTS; k++) sum->m[k] += add[k];
    return all;
}

/* --- cells ------------------------------------------------------------------------------------------------------------ */

static double along(const double a[2], double u, double v) {
    return a[0] * u + a[1] * v;
}

/* True if the outline of a piece's box overlaps the cell: no normal of a side of either one separates them. */
static bool meets(const rps_lined *s, const cell *c) {
    const double u = c->u - s->centre.x, v = c->v - s->centre.y;
    double across[5][2] = {{1.0, 0.0}, {0.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        across[2 + k][0] = -s->side[k][1];
        across[2 + k][1] = s->side[k][0];
    }
    for (int k = 0; k < 5; k++) {
        const double *a = across[k];
        double reach = fabs(a[0]) * c->half[0] + fabs(a[1]) * c->half[1];
        for (int n = 0; n < 3; n++) reach += fabs(along(a, s->side[n][0], s->side[n][1]));
        if (fabs(along(a, u, v)) > reach) return false;
    }
    return true;
}

/* Finds the other pieces that may cover part of the cell. *coarse: the points of its rule could miss one of them. */
static size_t find_near(const rps_overlap *o, const cell *c, const int32_t *from, size_t count, int32_t *near,
                        bool *coarse) {
    size_t found = 0;
    *coarse = false;
    if (!meets(&o->own, c)) return 0;
    for (size_t k = 0; k < count; k++) {
        const rps_overlapped *other = &o->other[from[k]];
        if (c->u + c->half[0] < other->low[0] || c->u - c->half[0] > other->high[0] ||
            c->v + c->half[1] < other->low[1] || c->v - c->half[1] > other->high[1] || !meets(&other->solid, c))
            continue;
        near[found++] = from[k];
        *coarse = *coarse || c->half[0] > other->cell || c->half[1] > other->cell;
    }
    return found;
}

/* The integral over a cell, and the volumes in its quarters as the polynomial through the points of the rule has
 * them. */
typedef struct cell_sum {
    rps_moments whole;
    double quarter[4];
} cell_sum;

static cell_sum sum_cell(rps_overlap *o, const cell *c, const int32_t *near, size_t count) {
    cell_sum sum = {{{0.0}}, {0.0}};
    for (int i = 0; i < POINTS; i++) {
        for (int j = 0; j < POINTS; j++) {
            const double area = c->half[0] * c->half[1];
            const double length = add_line(o, near, count, c->u + c->half[0] * PLACE[i], c->v + c->half[1] * PLACE[j],
                                           area * WEIGHT[i] * WEIGHT[j], &sum.whole);
            for (int k = 0; k < 4; k++) {
                sum.quarter[k] +=
                    area * length * HALF_WEIGHT[k % 2 ? POINTS - 1 - i : i] * HALF_WEIGHT[k / 2 ? POINTS - 1 - j : j];
            }
        }
    }
    return sum;
}

/* The largest change of a moment, as a volume. */
static double change_of(const rps_overlap *o, const rps_moments *a, const rps_moments *b) {
    double most = 0.0;
    for (int n = 0; n < RPS_MOMENTS; n++) {
        const double unit = n == 0 ? 1.0 : n < 4 ? o->length : o->length * o->length;
        const double d = fabs(a->m[n] - b->m[n]) / unit;
        most = d > most ? d : most;
    }
    return most;
}

static void overlap_add(rps_moments *sum, const rps_moments *m) {
    for (int n = 0; n < RPS_MOMENTS; n++) sum->m[n] += m->m[n];
}

static rps_moments overlap_divide(rps_overlap *o, const cell *c, const cell_sum *whole, const int32_t *near,
                                  size_t count, bool coarse, int depth) {
    cell part[4];
    cell_sum of[4];
    rps_moments sum = {{0.0}};
    double change = 0.0;
    for (int k = 0; k < 4; k++) {
        const double *half = c->half;
        part[k] = (cell){c->u + (k % 2 ? 0.5 : -0.5) * half[0],
                         c->v + (k / 2 ? 0.5 : -0.5) * half[1],
                         {0.5 * half[0], 0.5 * half[1]}};
        of[k] = sum_cell(o, &part[k], near, count);
        overlap_add(&sum, &of[k].whole);
        change += 0.25 * fabs(of[k].whole.m[0] - whole->quarter[k]);
    }
    const double all = change_of(o, &sum, &whole->whole);
    change = all > change ? all : change;
    if (depth == RPS_OVERLAP_DEPTH || (change <= o->limit && !coarse) || o->work >= o->most_work) {
        o->change += change;
        o->change2 += change * change;
        return sum;
    }
    o->divided++;
    o->forced += change <= o->limit;
    memset(&sum, 0, sizeof sum);
    for (int k = 0; k < 4; k++) {
        bool still;
        int32_t *rest = o->near + (size_t)(depth + 1) * o->others;
        const size_t left = find_near(o, &part[k], near, count, rest, &still);
        if (left == 0) continue;
        const rps_moments m = overlap_divide(o, &part[k], &of[k], rest, left, still, depth + 1);
        overlap_add(&sum, &m);
    }
    return sum;
}

/* A rectangle that contains all overlaps, enlarged by odd fractions, so that symmetry of the body does not correlate
 * the errors of cells. */
static void find_domain(rps_overlap *o, double low[2], double high[2]) {
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (size_t k = 0; k < o->others; k++) {
        o->near[k] = (int32_t)k;
        for (int i = 0; i < 2; i++) {
            low[i] = o->other[k].low[i] < low[i] ? o->other[k].low[i] : low[i];
            high[i] = o->other[k].high[i] > high[i] ? o->other[k].high[i] : high[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        const double width = high[i] - low[i];
        low[i] -= (i == 0 ? 0.0171 : 0.0243) * width;
        high[i] += (i == 0 ? 0.0317 : 0.0129) * width;
    }
}

rps_moments rps_overlap_moments(rps_overlap *o) {
    double low[2], high[2];
    rps_moments sum = {{0.0}};
    o->change = o->change2 = 0.0;
    find_domain(o, low, high);
    const double width[2] = {high[0] - low[0], high[1] - low[1]};
    const int wide = width[1] > width[0];
    const double ratio = width[wide] / width[1 - wide];
    const int cells = !(ratio > 1.5) || o->work >= o->most_work ? 1 : ratio < STRIPS ? (int)(ratio + 0.5) : STRIPS;
    for (int n = 0; n < cells; n++) {
        cell c = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), {0.5 * width[0], 0.5 * width[1]}};
        c.half[wide] /= cells;
        (wide ? &c.v : &c.u)[0] = low[wide] + (2 * n + 1) * c.half[wide];
        bool coarse;
        int32_t *near = o->near + o->others;
        const size_t count = find_near(o, &c, o->near, o->others, near, &coarse);
        if (count == 0) continue;
        const cell_sum whole = sum_cell(o, &c, near, count);
        const rps_moments m = overlap_divide(o, &c, &whole, near, count, coarse, 1);
        overlap_add(&sum, &m);
    }
    return sum;
}
