/*
 * Polygons into triangles by cutting ears: corners without another corner in the triangle with their neighbors. Seen along the
 * axis on which the area of the polygon leans most. Only corners that bend inward can lie in an ear, and to cut one changes
 * its neighbors alone, so that n corners, m of them inward, take n m steps, and a convex polygon n.
 */
#include <math.h>

#include "mesh/reader.h"

typedef enum corner_kind { OUTWARD, EAR, INWARD } corner_kind;

typedef struct ring {
    double (*point)[3];
    const uint32_t *corner;
    uint32_t *before, *after; /* neighbors, by place in `corner` */
    uint8_t *kind;            /* corner_kind */
    int x, y;                 /* axes of the view, so that the area is positive */
    size_t corners;
} ring;

size_t rps_polygon_scratch(size_t corners) {
    return corners * (2 * sizeof(uint32_t) + 1);
}

static double side_of(const ring *r, uint32_t a, uint32_t b, uint32_t c) {
    const double *p = r->point[r->corner[a]], *q = r->point[r->corner[b]], *s = r->point[r->corner[c]];
    return (q[r->x] - p[r->x]) * (s[r->y] - p[r->y]) - (q[r->y] - p[r->y]) * (s[r->x] - p[r->x]);
}

/* Chooses the view by the area vector. */
static void choose_view(ring *r) {
    double area[3] = {0.0};
    const double *o = r->point[r->corner[0]];
    for (size_t k = 1; k + 1 < r->corners; k++) {
        const double *p = r->point[r->corner[k]], *q = r->point[r->corner[k + 1]];
        for (int axis = 0; axis < 3; axis++) {
            const int i = (axis + 1) % 3, j = (axis + 2) % 3;
            area[axis] += (p[i] - o[i]) * (q[j] - o[j]) - (p[j] - o[j]) * (q[i] - o[i]);
        }
    }
    int most = 0;
    for (int axis = 1; axis < 3; axis++) most = fabs(area[axis]) > fabs(area[most]) ? axis : most;
    r->x = (most + (area[most] < 0.0 ? 2 : 1)) % 3;
    r->y = (most + (area[most] < 0.0 ? 1 : 2)) % 3;
}

static bool same_place(const ring *r, uint32_t a, uint32_t b) {
    const double *p = r->point[r->corner[a]], *q = r->point[r->corner[b]];
    return r->corner[a] == r->corner[b] || (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]);
}

/* No corner that bends inward lies in the triangle of a corner and its neighbors; copies of the three do not count. */
static bool ear_is_free(const ring *r, uint32_t b) {
    const uint32_t a = r->before[b], c = r->after[b];
    for (uint32_t k = r->after[c]; k != a; k = r->after[k]) {
        if (r->kind[k] != INWARD || same_place(r, k, a) || same_place(r, k, b) || same_place(r, k, c)) continue;
        if (side_of(r, a, b, k) >= 0.0 && side_of(r, b, c, k) >= 0.0 && side_of(r, c, a, k) >= 0.0) return false;
    }
    return true;
}

static bool bends_inward(const ring *r, uint32_t b) {
    return !(side_of(r, r->before[b], b, r->after[b]) >= 0.0);
}

/* Links the corners; neighbors that are one point become one. */
static void link_corners(ring *r, uint32_t *corner, size_t corners) {
    size_t kept = 0;
    for (size_t k = 0; k < corners; k++) {
        if (kept == 0 || corner[k] != corner[kept - 1]) corner[kept++] = corner[k];
    }
    while (kept > 1 && corner[kept - 1] == corner[0]) kept--;
    r->corners = kept;
    for (uint32_t k = 0; k < kept; k++) {
        r->before[k] = (uint32_t)(k > 0 ? k - 1 : kept - 1);
        r->after[k] = k + 1 < kept ? k + 1 : 0;
    }
}

static void judge_corner(ring *r, uint32_t b) {
    r->kind[b] = bends_inward(r, b) ? INWARD : ear_is_free(r, b) ? EAR : OUTWARD;
}

/* The triangle of an ear, without which the rest is a polygon. */
static void cut_ear(ring *r, uint32_t b, uint32_t out[3]) {
    const uint32_t a = r->before[b], c = r->after[b];
    out[0] = r->corner[a];
    out[1] = r->corner[b];
    out[2] = r->corner[c];
    r->after[a] = c;
    r->before[c] = a;
    r->corners--;
    judge_corner(r, a);
    judge_corner(r, c);
}

void rps_polygon_cut(double (*point)[3], uint32_t *corner, size_t corners, void *scratch, uint32_t (*out)[3],
                     size_t *triangles) {
    uint32_t *link = scratch;
    ring r = {.point = point, .corner = corner, .before = link, .after = link + corners};
    r.kind = (uint8_t *)(link + 2 * corners);
    link_corners(&r, corner, corners);
    *triangles = 0;
    if (r.corners < 3) return;
    choose_view(&r);
    for (uint32_t k = 0; k < r.corners; k++) r.kind[k] = bends_inward(&r, k) ? INWARD : OUTWARD;
    for (uint32_t k = 0; k < r.corners; k++) r.kind[k] = r.kind[k] == OUTWARD && ear_is_free(&r, k) ? EAR : r.kind[k];
    size_t vain = 0; /* corners since the last ear */
    uint32_t k = 0;
    for (; r.corners > 3; k = r.after[k]) {
        if (r.kind[k] == EAR) {
            cut_ear(&r, k, out[(*triangles)++]);
            vain = 0;
        } else if (++vain > r.corners) {
            *triangles = 0;
            return;
        }
    }
    const uint32_t rest[3] = {corner[r.before[k]], corner[k], corner[r.after[k]]};
    memcpy(out[(*triangles)++], rest, sizeof rest);
}
