/* Tips and ridges of a mesh against a core or a polyhedron, and tips against a plane; pair_mesh.h. */
#include "detect/pair_mesh.h"

#include <math.h>

#include "detect/pair_core.h"
#include "detect/pair_polyhedra.h"
#include "mesh/mesh_core.h"

static const rps_shape_core point = {.half = {0.0, 0.0, 0.0}, .radius = 0.0};

/* Of a body that is none of a polyhedron. */
static rps_shape_core core_of(const rps_side *i) {
    const rps_shape_core core = i->shape->core(i->parameter);
    return rps_core_for_contact(&core);
}

static unsigned edges_of_body(const rps_side *i) {
    if (rps_is_polyhedron(i)) return (unsigned)i->mesh->core->edges;
    const rps_shape_core core = core_of(i);
    return rps_core_edges(&core);
}

static bool is_on_side(const double out[3], const rps_side *mesh, rps_vec3 n) {
    const rps_vec3 side = rps_vec3_of(out);
    return !(rps_vec3_norm2(side) > 0.0) || rps_vec3_dot(rps_quat_rotate(mesh->orientation, side), n) > 0.0;
}

/* From the origin of i to a point of the mesh, in world axes. */
static rps_vec3 from_body(const rps_side *j, rps_vec3 d, const double at[3]) {
    return rps_vec3_sub(rps_quat_rotate(j->orientation, rps_vec3_of(at)), d);
}

/* A ridge and an edge of the body. */
typedef struct ridge_pair {
    const rps_mesh_ridge *ridge;
    unsigned edge;
    rps_core_line line;
} ridge_pair;

static ridge_pair ridge_at(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place) {
    const unsigned number = place - RPS_SUBKEY_PLACES - (unsigned)j->mesh->tips, edges = edges_of_body(i);
    ridge_pair p = {.ridge = &j->mesh->ridge[number / edges], .edge = number % edges};
    for (int k = 0; k < 2; k++) {
        p.line.end[k] = from_body(j, d, p.ridge->end[k]);
        p.line.tip[k] = p.ridge->tip[k];
    }
    return p;
}

static bool is_tip_place(const rps_side *j, unsigned place) {
    return place - RPS_SUBKEY_PLACES < j->mesh->tips;
}

static double half_trace_of(const rps_sym3 *t) {
    return 0.5 * ((t->s[0] + t->s[1]) + t->s[2]);
}

/* A point, m, from the origin of i. */
static rps_touch_result touch_point(const rps_side *i, rps_vec3 at, double cutoff, rps_touch *out) {
    if (rps_is_polyhedron(i)) return rps_polyhedron_point_touch(i, at, cutoff, out);
    const rps_shape_core core = core_of(i);
    const rps_touch_result result =
        rps_core_touch(&core, i->orientation, &point, rps_quat_identity(), rps_vec3_neg(at), 0, cutoff, out);
    if (result == RPS_TOUCH_APART) return result;
    out->branch_j = at;
    out->curve_j = rps_core_ball_curve(&core, out->normal);
    return out->overlap > RPS_CORE_DEEP * i->shape->smallest_width(i->parameter) ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

static rps_touch_result touch_tip(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                  rps_touch *out) {
    const rps_mesh_tip *tip = &j->mesh->tip[place - RPS_SUBKEY_PLACES];
    const rps_touch_result result = touch_point(i, from_body(j, d, tip->point), cutoff, out);
    if (result == RPS_TOUCH_APART) return result;
    if (!is_on_side(tip->out, j, out->normal)) {
        out->overlap = 0.0;
        return RPS_TOUCH_APART;
    }
    out->branch_j = rps_vec3_add(out->branch_j, d);
    out->curvature_sum = half_trace_of(&out->curve_j);
    return result;
}

/* The line counts as rounded as the edge, all round: an edge may lie along it. */
static rps_touch_result touch_line(const rps_side *i, const ridge_pair *p, double cutoff, rps_touch *out) {
    if (rps_is_polyhedron(i)) return rps_polyhedron_line_touch(i, p->edge, &p->line, cutoff, out);
    const rps_shape_core core = core_of(i);
    const rps_touch_result result = rps_core_line_touch(&core, i->orientation, p->edge, &p->line, cutoff, out);
    if (result != RPS_TOUCH_APART) out->curve_j = rps_core_ball_curve(&core, out->normal);
    return result;
}

static rps_touch_result touch_ridge(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                    rps_touch *out) {
    const ridge_pair p = ridge_at(i, j, d, place);
    const rps_touch_result result = touch_line(i, &p, cutoff, out);
    if (result == RPS_TOUCH_APART) return result;
    if (!is_on_side(p.ridge->out, j, out->normal)) {
        out->overlap = 0.0;
        return RPS_TOUCH_APART;
    }
    out->branch_j = rps_vec3_add(out->branch_j, d);
    out->curvature_sum = half_trace_of(&out->curve_i) + half_trace_of(&out->curve_j);
    return result;
}

rps_touch_result rps_mesh_place_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                      rps_touch *out) {
    return is_tip_place(j, place) ? touch_tip(i, j, d, place, cutoff, out) : touch_ridge(i, j, d, place, cutoff, out);
}

double rps_mesh_place_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place) {
    const bool polyhedron = rps_is_polyhedron(i);
    const rps_shape_core core = polyhedron ? point : core_of(i);
    if (is_tip_place(j, place)) {
        const rps_vec3 at = from_body(j, d, j->mesh->tip[place - RPS_SUBKEY_PLACES].point);
        return polyhedron ? rps_polyhedron_point_gap(i, at)
                          : rps_core_gap(&core, i->orientation, &point, rps_quat_identity(), rps_vec3_neg(at), 0);
    }
    const ridge_pair p = ridge_at(i, j, d, place);
    return polyhedron ? rps_polyhedron_line_gap(i, p.edge, &p.line)
                      : rps_core_line_gap(&core, i->orientation, p.edge, &p.line);
}

/* --- planes ---------------------------------------------------------------------------------------------------------- */

/* From the origin of the mesh, in world axes. */
static rps_vec3 tip_at(const rps_side *mesh, unsigned place) {
    return rps_quat_rotate(mesh->orientation, rps_vec3_of(mesh->mesh->tip[place - RPS_SUBKEY_PLACES].point));
}

static rps_vec3 normal_of_plane(const rps_side *plane) {
    return rps_vec3_normalize(rps_quat_rotate(plane->orientation, rps_vec3_make(0.0, 0.0, 1.0)));
}

rps_touch_result rps_mesh_plane_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                      rps_touch *out) {
    const rps_vec3 n = normal_of_plane(j), tip = tip_at(i, place), from_plane = rps_vec3_add(d, tip);
    const double height = rps_vec3_dot(n, from_plane), half = rps_mesh_half_width(i->parameter);
    out->overlap = -height;
    if (out->overlap < -cutoff) return RPS_TOUCH_APART;
    out->normal = n;
    out->branch_i = tip;
    out->branch_j = rps_vec3_add_scaled(from_plane, -height, n);
    /* rounded as the corners of a box of this width are */
    const rps_shape_core box = {.half = {half, half, half}, .radius = 0.0};
    out->curve_i = rps_core_ball_curve(&box, n);
    out->curve_j = (rps_sym3){{0.0}};
    out->curvature_sum = half_trace_of(&out->curve_i);
    return out->overlap > RPS_CORE_DEEP * 2.0 * half ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

double rps_mesh_plane_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place) {
    return rps_vec3_dot(normal_of_plane(j), rps_vec3_add(d, tip_at(i, place)));
}

typedef struct plane_search {
    const rps_side *plane, *mesh;
    rps_vec3 d; /* from the plane to the mesh */
    double capacity;
    rps_mesh_place_visit visit;
    void *context;
} plane_search;

static bool visit_tip_on_plane(void *context, const rps_box_node *leaf) {
    const plane_search *s = context;
    const unsigned place = RPS_SUBKEY_PLACES + leaf->item;
    if (rps_mesh_plane_gap(s->mesh, s->plane, s->d, place) < s->capacity) s->visit(s->context, place);
    return true;
}

static void visit_places_on_plane(const plane_search *s) {
    const rps_vec3 n = normal_of_plane(s->plane);
    const rps_box_question q = {.kind = RPS_BOX_BELOW,
                                .center = rps_quat_rotate_inverse(s->mesh->orientation, n),
                                .radius = -rps_vec3_dot(n, s->d),
                                .margin = s->capacity};
    (void)rps_box_tree_find(&s->mesh->mesh->tip_tree, &q, visit_tip_on_plane, (void *)(uintptr_t)s);
}

/* --- all places near a body ------------------------------------------------------------------------------------------ */

typedef struct place_search {
    const rps_side *i, *j;
    rps_vec3 d;
    double capacity;
    unsigned edges; /* of the body */
    rps_mesh_place_visit visit;
    void *context;
} place_search;

static void visit_place_near(const place_search *s, unsigned place) {
    if (rps_mesh_place_gap(s->i, s->j, s->d, place) < s->capacity) s->visit(s->context, place);
}

static bool visit_tip(void *context, const rps_box_node *leaf) {
    visit_place_near(context, RPS_SUBKEY_PLACES + leaf->item);
    return true;
}

static unsigned first_of_ridge(const place_search *s, unsigned ridge) {
    return RPS_SUBKEY_PLACES + (unsigned)s->j->mesh->tips + ridge * s->edges;
}

static bool visit_ridge(void *context, const rps_box_node *leaf) {
    const place_search *s = context;
    for (unsigned e = 0; e < s->edges; e++) visit_place_near(s, first_of_ridge(s, leaf->item) + e);
    return true;
}

static bool visit_ridge_and_edge(void *context, const rps_box_node *ridge, const rps_box_node *e) {
    const place_search *s = context;
    visit_place_near(s, first_of_ridge(s, ridge->item) + e->item);
    return true;
}

/* The box around the body in the axes of the mesh. */
static rps_box_question question_of(const place_search *s) {
    const rps_quat to_mesh = rps_quat_mul(rps_quat_conjugate(s->j->orientation), s->i->orientation);
    rps_vec3 middle = rps_vec3_zero();
    rps_box_question q = {.kind = RPS_BOX_TURNED, .turn = rps_quat_to_mat3(to_mesh), .margin = s->capacity};
    if (rps_is_polyhedron(s->i)) {
        const rps_vec3 low = rps_vec3_of(s->i->mesh->box.low), high = rps_vec3_of(s->i->mesh->box.high);
        middle = rps_quat_rotate(to_mesh, rps_vec3_scale(rps_vec3_add(low, high), 0.5));
        rps_vec3_put(q.half, rps_vec3_scale(rps_vec3_sub(high, low), 0.5));
    } else {
        const rps_shape_core core = core_of(s->i);
        for (int k = 0; k < 3; k++) q.half[k] = core.half[k] + core.radius;
    }
    q.center = rps_vec3_add(rps_quat_rotate_inverse(s->j->orientation, s->d), middle);
    return q;
}

/* Edges of a polyhedron, which may be many, near the ridges. */
static void find_edges_near(place_search *s) {
    const struct rps_mesh_core *core = s->i->mesh->core;
    if (core->edges == 0) return;
    const rps_quat to_mesh = rps_quat_mul(rps_quat_conjugate(s->j->orientation), s->i->orientation);
    const rps_tree_pose pose = {rps_quat_to_mat3(to_mesh), rps_quat_rotate_inverse(s->j->orientation, s->d)};
    (void)rps_box_tree_find_pairs(&s->j->mesh->ridge_tree, &core->edge_tree, &pose, s->capacity + core->radius,
                                  visit_ridge_and_edge, s);
}

void rps_mesh_places(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, rps_mesh_place_visit visit,
                     void *context) {
    if (i->shape == &rps_shape_plane && j->mesh->tips > 0) {
        visit_places_on_plane(&(plane_search){i, j, rps_vec3_neg(d), capacity, visit, context});
        return;
    }
    if (!rps_is_polyhedron(i) && (i->shape->core == NULL || i->shape == &rps_shape_sphere)) return;
    place_search s = {i, j, d, capacity, edges_of_body(i), visit, context};
    const rps_box_question q = question_of(&s);
    if (j->mesh->tips > 0) (void)rps_box_tree_find(&j->mesh->tip_tree, &q, visit_tip, &s);
    if (j->mesh->ridges == 0) return;
    if (rps_is_polyhedron(i)) {
        find_edges_near(&s);
    } else {
        (void)rps_box_tree_find(&j->mesh->ridge_tree, &q, visit_ridge, &s);
    }
}
