/*
 * Two convex bodies are apart if and only if an axis parts their shadows: the normal of a face of one, or the cross product of an edge of
 * each (Gottschalk, Lin & Manocha 1996). Most pairs are parted by the normal of a face, so these come first.
 */
#include "detect/separation.h"

#include <math.h>

#include "mesh/enclose.h"

/* Sine of the angle between two edges below which they are parallel, and their cross product tells nothing. */
static const double PARALLEL = 1e-9;

/* A convex body in the axes of the polyhedron: the tips of another one, or one triangle. */
typedef struct other_body {
    const rps_mesh *mesh;
    uint32_t triangle; /* RPS_NO_TRIANGLE: the whole mesh */
    rps_mat3 turn;
    rps_vec3 shift; /* m */
} other_body;

static size_t shadow_points(const other_body *b) {
    return b->triangle == RPS_NO_TRIANGLE ? b->mesh->tips : 3;
}

static rps_vec3 shadow_point(const other_body *b, size_t k) {
    const double *x =
        b->triangle == RPS_NO_TRIANGLE ? b->mesh->tip[k].point : b->mesh->point[b->mesh->triangle[b->triangle][k]];
    return rps_vec3_add(rps_mat3_mul_vec(&b->turn, rps_vec3_of(x)), b->shift);
}

static size_t shadow_edges(const other_body *b) {
    return b->triangle == RPS_NO_TRIANGLE ? b->mesh->ridges : 3;
}

static rps_vec3 shadow_edge(const other_body *b, size_t k) {
    if (b->triangle != RPS_NO_TRIANGLE) return rps_vec3_sub(shadow_point(b, (k + 1) % 3), shadow_point(b, k));
    const rps_mesh_ridge *ridge = &b->mesh->ridge[k];
    return rps_mat3_mul_vec(&b->turn, rps_vec3_sub(rps_vec3_of(ridge->end[1]), rps_vec3_of(ridge->end[0])));
}

/* The gap of both shadows on an axis (unit), m. */
static double shadow_gap(const rps_mesh *own, const other_body *b, rps_vec3 axis) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t k = 0; k < own->tips + shadow_points(b); k++) {
        const int side = k < own->tips ? 0 : 1;
        const rps_vec3 x = side == 0 ? rps_vec3_of(own->tip[k].point) : shadow_point(b, k - own->tips);
        const double h = rps_vec3_dot(axis, x);
        low[side] = h < low[side] ? h : low[side];
        high[side] = h > high[side] ? h : high[side];
    }
    const double above = low[1] - high[0], below = low[0] - high[1];
    return above > below ? above : below;
}

/* Stops at the first axis that parts them. */
static double convex_separation(const rps_mesh *own, const other_body *b) {
    double most = -INFINITY;
    for (size_t t = 0; t < own->triangles && !(most > 0.0); t++) {
        const double gap = shadow_gap(own, b, rps_vec3_of(own->normal[t]));
        most = gap > most ? gap : most;
    }
    const size_t faces = b->triangle == RPS_NO_TRIANGLE ? b->mesh->triangles : 1;
    for (size_t t = 0; t < faces && !(most > 0.0); t++) {
        const size_t number = b->triangle == RPS_NO_TRIANGLE ? t : b->triangle;
        const double gap = shadow_gap(own, b, rps_mat3_mul_vec(&b->turn, rps_vec3_of(b->mesh->normal[number])));
        most = gap > most ? gap : most;
    }
    for (size_t e = 0; e < own->ridges; e++) {
        const rps_mesh_ridge *ridge = &own->ridge[e];
        const rps_vec3 a = rps_vec3_sub(rps_vec3_of(ridge->end[1]), rps_vec3_of(ridge->end[0]));
        for (size_t f = 0; f < shadow_edges(b) && !(most > 0.0); f++) {
            const rps_vec3 c = shadow_edge(b, f), cross = rps_vec3_cross(a, c);
            const double size = rps_vec3_norm(cross);
            if (!(size > PARALLEL * rps_vec3_norm(a) * rps_vec3_norm(c))) continue;
            const double gap = shadow_gap(own, b, rps_vec3_scale(cross, 1.0 / size));
            most = gap > most ? gap : most;
        }
    }
    return most;
}

/* Whether a point (in the axes of the mesh) lies in a solid; then minus its distance from the surface, m. */
static bool lies_inside(const rps_mesh *mesh, rps_vec3 point, double *gap) {
    rps_reached nearest;
    if (!mesh->closed || mesh->side != RPS_MESH_OUTER || !rps_mesh_encloses(mesh, point)) return false;
    (void)rps_mesh_nearest(mesh, point, INFINITY, &nearest);
    *gap = -nearest.distance;
    return true;
}

/* The box around a body, between two corners in its own axes. turn: to these from the axes of the mesh; center: m, the body's
 * origin in those. */
static rps_box_question box_around(rps_vec3 low, rps_vec3 high, rps_quat turn, rps_vec3 center, double reach) {
    const rps_quat back = rps_quat_conjugate(turn);
    rps_box_question q = {.kind = RPS_BOX_TURNED, .turn = rps_quat_to_mat3(back), .margin = reach};
    q.center = rps_vec3_add(center, rps_quat_rotate(back, rps_vec3_scale(rps_vec3_add(low, high), 0.5)));
    rps_vec3_put(q.half, rps_vec3_scale(rps_vec3_sub(high, low), 0.5));
    return q;
}

typedef struct surface_search {
    const rps_mesh *own;
    other_body other;
    double least;
} surface_search;

static bool judge_triangle(void *context, const rps_box_node *leaf) {
    surface_search *s = context;
    s->other.triangle = leaf->item;
    const double gap = convex_separation(s->own, &s->other);
    s->least = gap < s->least ? gap : s->least;
    return true;
}

double rps_polyhedron_separation(const rps_side *i, const rps_side *j, rps_vec3 d, double reach) {
    const rps_quat turn = rps_quat_mul(rps_quat_conjugate(i->orientation), j->orientation);
    surface_search s = {.own = i->mesh, .least = INFINITY};
    s.other = (other_body){j->mesh, RPS_NO_TRIANGLE, rps_quat_to_mat3(turn),
                           rps_vec3_neg(rps_quat_rotate_inverse(i->orientation, d))};
    if (rps_is_polyhedron(j)) return convex_separation(s.own, &s.other);
    const rps_vec3 center = rps_quat_rotate_inverse(j->orientation, d);
    double inside;
    if (lies_inside(j->mesh, center, &inside)) return inside;
    const rps_vec3 low = rps_vec3_of(i->mesh->box.low), high = rps_vec3_of(i->mesh->box.high);
    const rps_box_question q = box_around(low, high, turn, center, reach);
    (void)rps_box_tree_find(&j->mesh->tree, &q, judge_triangle, &s);
    return s.least;
}

/* --- convex shapes ------------------------------------------------------------------------------------------------------ */

typedef struct shape_search {
    const rps_side *body;
    rps_vec3 corner[3]; /* of a triangle, in the axes of the body */
    const rps_mesh *mesh;
    rps_mat3 turn; /* from the axes of the mesh */
    rps_vec3 shift;
    double least;
} shape_search;

static double extent_along(const rps_side *body, rps_vec3 axis) {
    return rps_vec3_dot(body->shape->support(body->parameter, axis), axis);
}

static inline double separation_most(double a, double b) {
    return a > b ? a : b;
}

/* The gap of the shadows of body and triangle on an axis; of any length, and 0 tells nothing. */
static double shape_gap(const shape_search *s, rps_vec3 axis) {
    const double size = rps_vec3_norm(axis);
    if (!(size > 0.0)) return -INFINITY;
    const rps_vec3 n = rps_vec3_scale(axis, 1.0 / size);
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double h = rps_vec3_dot(n, s->corner[k]);
        low = h < low ? h : low;
        high = h > high ? h : high;
    }
    const double above = low - extent_along(s->body, n), below = -high - extent_along(s->body, rps_vec3_neg(n));
    return above > below ? above : below;
}

/* Axes of a box, the normal of the triangle, and the products of edges; and towards the middle of the triangle, for round bodies. */
static double triangle_gap(const shape_search *s) {
    const rps_vec3 own[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const rps_vec3 *x = s->corner;
    const rps_vec3 edge[3] = {rps_vec3_sub(x[1], x[0]), rps_vec3_sub(x[2], x[1]), rps_vec3_sub(x[0], x[2])};
    double most = separation_most(shape_gap(s, rps_vec3_cross(edge[0], edge[1])),
                                  shape_gap(s, rps_vec3_add(rps_vec3_add(x[0], x[1]), x[2])));
    for (int k = 0; k < 3 && !(most > 0.0); k++) {
        most = separation_most(most, separation_most(shape_gap(s, own[k]), shape_gap(s, x[k])));
        for (int e = 0; e < 3; e++) {
            const rps_vec3 cross = rps_vec3_cross(own[k], edge[e]);
            if (rps_vec3_norm(cross) > PARALLEL * rps_vec3_norm(edge[e]))
                most = separation_most(most, shape_gap(s, cross));
        }
    }
    return most;
}

static bool judge_triangle_of_shape(void *context, const rps_box_node *leaf) {
    shape_search *s = context;
    for (int k = 0; k < 3; k++) {
        const double *x = s->mesh->point[s->mesh->triangle[leaf->item][k]];
        s->corner[k] = rps_vec3_add(rps_mat3_mul_vec(&s->turn, rps_vec3_of(x)), s->shift);
    }
    const double gap = triangle_gap(s);
    s->least = gap < s->least ? gap : s->least;
    return true;
}

double rps_convex_separation(const rps_side *i, const rps_side *j, rps_vec3 d, double reach) {
    const rps_vec3 center = rps_quat_rotate_inverse(j->orientation, d);
    double inside;
    if (lies_inside(j->mesh, center, &inside)) return inside;
    const rps_quat turn = rps_quat_mul(rps_quat_conjugate(i->orientation), j->orientation);
    shape_search s = {.body = i,
                      .mesh = j->mesh,
                      .turn = rps_quat_to_mat3(turn),
                      .shift = rps_vec3_neg(rps_quat_rotate_inverse(i->orientation, d)),
                      .least = INFINITY};
    const rps_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const rps_vec3 high = {extent_along(i, x), extent_along(i, y), extent_along(i, z)};
    const rps_vec3 low = {-extent_along(i, rps_vec3_neg(x)), -extent_along(i, rps_vec3_neg(y)),
                          -extent_along(i, rps_vec3_neg(z))};
    const rps_box_question q = box_around(low, high, turn, center, reach);
    (void)rps_box_tree_find(&j->mesh->tree, &q, judge_triangle_of_shape, &s);
    return s.least;
}
