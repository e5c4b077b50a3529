/*
 * Triangles that cross or overlap others: the tree against itself. Two triangles cross if an edge of one passes through the other,
 * its ends and the rims of the other farther off than the weld length: what only touches, as a plate that stands on another, is no
 * crossing. They overlap if they lie in one plane and no direction in it parts them. Triangles with a common edge are left out.
 */
#include <math.h>

#include "mesh/draft.h"

enum { DEPTH = 128 }; /* of a stack for two descents of at most 31 levels each */

/* Pairs of nodes that may be looked at, beside 100 for each triangle: a second or two. Good triangles take about 40 each, but the
 * boxes of n long slivers beside each other may all overlap. */
#define MOST_PAIR_VISITS ((size_t)1 << 27)

typedef struct corners {
    rps_vec3 at[3], normal;
} corners;

static corners get_corners(const rps_mesh *m, uint32_t triangle) {
    const uint32_t *t = m->triangle[triangle];
    return (corners){{rps_vec3_of(m->point[t[0]]), rps_vec3_of(m->point[t[1]]), rps_vec3_of(m->point[t[2]])},
                     rps_vec3_of(m->normal[triangle])};
}

static int common_points(const uint32_t a[3], const uint32_t b[3]) {
    int count = 0;
    for (int k = 0; k < 3; k++) count += a[k] == b[0] || a[k] == b[1] || a[k] == b[2] ? 1 : 0;
    return count;
}

/* Heights of the corners of b over the plane of a; what the rounding of a plane makes of them counts as nothing. */
typedef enum plane_side { ON_PLANE, ONE_SIDE, BOTH_SIDES } plane_side;

static plane_side plane_sides(const corners *a, const corners *b, double weld, double height[3]) {
    bool above = false, below = false;
    for (int k = 0; k < 3; k++) {
        height[k] = rps_vec3_dot(a->normal, rps_vec3_sub(b->at[k], a->at[0]));
        above = above || height[k] > weld;
        below = below || height[k] < -weld;
    }
    return above && below ? BOTH_SIDES : above || below ? ONE_SIDE : ON_PLANE;
}

/* The point of the plane lies inside the triangle, away from its rim. */
static bool well_inside(const corners *a, rps_vec3 x, double weld) {
    for (int k = 0; k < 3; k++) {
        const rps_vec3 edge = rps_vec3_sub(a->at[(k + 1) % 3], a->at[k]);
        const rps_vec3 inward = rps_vec3_cross(a->normal, edge);
        if (!(rps_vec3_dot(inward, rps_vec3_sub(x, a->at[k])) > weld * rps_vec3_norm(edge))) return false;
    }
    return true;
}

/* An edge of b, whose corners have these heights over a, passes through a. */
static bool passes_through(const corners *a, const corners *b, const double height[3], double weld) {
    for (int k = 0; k < 3; k++) {
        const double from = height[k], to = height[(k + 1) % 3];
        if (!((from > weld && to < -weld) || (from < -weld && to > weld))) continue;
        const rps_vec3 edge = rps_vec3_sub(b->at[(k + 1) % 3], b->at[k]);
        if (well_inside(a, rps_vec3_add_scaled(b->at[k], from / (from - to), edge), weld)) return true;
    }
    return false;
}

/* Along the direction perpendicular to an edge of a, in its plane, the triangles lie apart or touch. */
static bool parted_by_edges(const corners *a, const corners *b, double weld) {
    for (int k = 0; k < 3; k++) {
        const rps_vec3 edge = rps_vec3_sub(a->at[(k + 1) % 3], a->at[k]);
        const rps_vec3 inward = rps_vec3_cross(a->normal, edge);
        double farthest = -INFINITY;
        for (int c = 0; c < 3; c++) {
            farthest = rps_larger(farthest, rps_vec3_dot(inward, rps_vec3_sub(b->at[c], a->at[k])));
        }
        if (farthest <= weld * rps_vec3_norm(edge)) return true;
    }
    return false;
}

typedef struct crossing {
    const rps_draft *d;
    const rps_mesh *mesh;
    size_t visits, most;
} crossing;

static void judge_pair(const crossing *w, uint32_t one, uint32_t two) {
    const rps_mesh *m = w->mesh;
    const double weld = w->d->weld;
    double over_a[3], over_b[3];
    if (common_points(m->triangle[one], m->triangle[two]) >= 2) return;
    const corners a = get_corners(m, one), b = get_corners(m, two);
    const plane_side of_b = plane_sides(&a, &b, weld, over_a);
    if (of_b == ONE_SIDE) return;
    const plane_side of_a = plane_sides(&b, &a, weld, over_b);
    if (of_a == ONE_SIDE) return;
    if (of_a == ON_PLANE && of_b == ON_PLANE) {
        if (parted_by_edges(&a, &b, weld) || parted_by_edges(&b, &a, weld)) return;
        rps_mesh_note(w->d->report, RPS_FOUND_OVERLAPPING, w->d->origin[one], m->point[m->triangle[one][0]]);
    } else if (passes_through(&a, &b, over_a, weld) || passes_through(&b, &a, over_b, weld)) {
        rps_mesh_note(w->d->report, RPS_FOUND_CROSSING, w->d->origin[one], m->point[m->triangle[one][0]]);
    }
}

static bool nodes_meet(const rps_box_node *a, const rps_box_node *b) {
    for (int k = 0; k < 3; k++) {
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    }
    return true;
}

static float cross_width(const rps_box_node *n) {
    return ((n->high[0] - n->low[0]) + (n->high[1] - n->low[1])) + (n->high[2] - n->low[2]);
}

/* All pairs of a leaf below node p with one below node q, which is another part of the tree. */
static bool judge_parts(crossing *w, uint32_t p, uint32_t q) {
    uint32_t waiting[DEPTH][2] = {{p, q}};
    const rps_box_node *node = w->mesh->tree.node;
    for (int n = 1; n > 0;) {
        n--;
        const uint32_t i = waiting[n][0], j = waiting[n][1];
        const rps_box_node *a = &node[i], *b = &node[j];
        if (++w->visits > w->most) return false;
        if (!nodes_meet(a, b)) continue;
        if (a->second == 0 && b->second == 0) {
            judge_pair(w, a->item, b->item);
            continue;
        }
        const bool open_a = b->second == 0 || (a->second != 0 && cross_width(a) >= cross_width(b));
        waiting[n][0] = open_a ? a->second : i;
        waiting[n++][1] = open_a ? j : b->second;
        waiting[n][0] = open_a ? i + 1 : i;
        waiting[n++][1] = open_a ? j : j + 1;
    }
    return true;
}

void rps_draft_cross(const rps_draft *d, const rps_mesh *mesh) {
    const rps_box_tree *tree = &mesh->tree;
    crossing w = {.d = d, .mesh = mesh, .most = MOST_PAIR_VISITS + 100 * mesh->triangles};
    for (uint32_t n = 0; n < 2 * tree->items - 1; n++) {
        const uint32_t second = tree->node[n].second;
        if (second == 0 || judge_parts(&w, n + 1, second)) continue;
        rps_mesh_note(d->report, RPS_FOUND_UNSEARCHED, RPS_NO_TRIANGLE, mesh->point[0]);
        return;
    }
}
