/* Tips and edges of two convex meshes; pair_polyhedra.h. */
#include "detect/pair_polyhedra.h"

#include "detect/core_features.h"
#include "detect/pair_core.h"
#include "mesh/mesh_core.h"

static const struct rps_mesh_core *core_in(const rps_side *side) {
    return side->mesh->core;
}

bool rps_polyhedra_pair(const rps_side *i, const rps_side *j) {
    return i->mesh != NULL && j->mesh != NULL && i->mesh->core != NULL && j->mesh->core != NULL;
}

const char *rps_polyhedra_refuse(const rps_side *i, const rps_side *j) {
    const uint64_t tips = i->mesh->tips + j->mesh->tips, edges = (uint64_t)core_in(i)->edges * core_in(j)->edges;
    return tips + edges <= RPS_SUBKEY_PLACES_MOST ? NULL : "together they have too many edges";
}

/* A place: a tip of i, a tip of j (both by `first`), or an edge of i and one of j. */
typedef struct polyhedra_place {
    enum { TIP_OF_I, TIP_OF_J, EDGES } kind;
    size_t first, second;
} polyhedra_place;

static polyhedra_place polyhedra_place_of(const rps_side *i, const rps_side *j, unsigned place) {
    size_t number = place - RPS_SUBKEY_PLACES;
    if (number < i->mesh->tips) return (polyhedra_place){TIP_OF_I, number, 0};
    number -= i->mesh->tips;
    if (number < j->mesh->tips) return (polyhedra_place){TIP_OF_J, number, 0};
    number -= j->mesh->tips;
    const size_t edges = core_in(j)->edges;
    return (polyhedra_place){EDGES, number / edges, number % edges};
}

/* Smallest full width of both, m. */
static double polyhedra_width(const rps_side *i, const rps_side *j) {
    const double a = core_in(i)->half, b = core_in(j)->half;
    return 2.0 * (a < b ? a : b);
}

/* c (1 - n n) */
static rps_sym3 round_curve(double c, rps_vec3 n) {
    return (rps_sym3){{c * (1.0 - n.x * n.x), c * (1.0 - n.y * n.y), c * (1.0 - n.z * n.z), -c * (n.x * n.y),
                       -c * (n.x * n.z), -c * (n.y * n.z)}};
}

/* --- tips ----------------------------------------------------------------------------------------------------------- */

/* A tip of i, m, from its origin in world axes, and its foot on the core of j. */
typedef struct tip_foot {
    rps_vec3 tip;
    rps_core_foot foot;
} tip_foot;

static tip_foot tip_at_core(const rps_side *i, const rps_side *j, rps_vec3 d, size_t tip) {
    tip_foot t = {.tip = rps_quat_rotate(i->orientation, rps_vec3_of(i->mesh->tip[tip].point))};
    t.foot = rps_mesh_core_nearest(core_in(j), rps_quat_rotate_inverse(j->orientation, rps_vec3_add(d, t.tip)));
    return t;
}

static rps_sym3 curve_at(const rps_side *j, const rps_core_foot *foot, rps_vec3 n) {
    const double c = 1.0 / core_in(j)->radius;
    if (foot->on == RPS_FOOT_ON_FACE) return (rps_sym3){{0.0}};
    if (foot->on == RPS_FOOT_ON_CORNER) return round_curve(c, n);
    const rps_vec3 t = rps_vec3_normalize(rps_vec3_cross(n, rps_quat_rotate(j->orientation, foot->along)));
    return (rps_sym3){
        {c * (t.x * t.x), c * (t.y * t.y), c * (t.z * t.z), c * (t.x * t.y), c * (t.x * t.z), c * (t.y * t.z)}};
}

static rps_touch_result touch_tip_of(const rps_side *i, const rps_side *j, rps_vec3 d, size_t tip, double cutoff,
                                     rps_touch *out) {
    const tip_foot t = tip_at_core(i, j, d, tip);
    const double radius = core_in(j)->radius;
    out->overlap = radius - t.foot.distance;
    if (out->overlap < -cutoff) return RPS_TOUCH_APART;
    const rps_vec3 n = rps_vec3_normalize(rps_quat_rotate(j->orientation, t.foot.out));
    out->normal = n;
    out->branch_i = t.tip;
    out->branch_j = rps_vec3_add_scaled(rps_quat_rotate(j->orientation, t.foot.point), radius, n);
    out->curve_i = round_curve(1.0 / core_in(i)->radius, n);
    out->curve_j = curve_at(j, &t.foot, n);
    out->curvature_sum = 1.0 / core_in(i)->radius;
    return out->overlap > rps_core_deep(polyhedra_width(i, j)) ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

static double gap_of_tip(const rps_side *i, const rps_side *j, rps_vec3 d, size_t tip) {
    return tip_at_core(i, j, d, tip).foot.distance - core_in(j)->radius;
}

/* --- edges ---------------------------------------------------------------------------------------------------------- */

static double cut_for(const rps_side *i, const rps_side *j) {
    return rps_core_cut_of(core_in(i)->radius + core_in(j)->radius, polyhedra_width(i, j));
}

static rps_core_rod rod_of(const rps_side *side, size_t edge, double cut) {
    const struct rps_mesh_core *core = core_in(side);
    const rps_mesh_ridge *ridge = &core->edge[edge];
    return rps_core_rod_between(rps_quat_rotate(side->orientation, rps_vec3_of(ridge->end[0])),
                                rps_quat_rotate(side->orientation, rps_vec3_of(ridge->end[1])), core->radius,
                                core->half, cut);
}

static rps_touch_result touch_edges_of(const rps_side *i, const rps_side *j, rps_vec3 d, polyhedra_place at,
                                       double cutoff, rps_touch *out) {
    const double cut = cut_for(i, j);
    const rps_core_rod a = rod_of(i, at.first, cut), b = rod_of(j, at.second, cut);
    const rps_touch_result result = rps_core_rods_touch(&a, &b, d, polyhedra_width(i, j), cutoff, out);
    if (result != RPS_TOUCH_APART) out->curvature_sum = 0.5 / a.radius + 0.5 / b.radius;
    return result;
}

/* --- points and lines of other meshes --------------------------------------------------------------------------------- */

static rps_core_foot foot_of_point(const rps_side *i, rps_vec3 at) {
    return rps_mesh_core_nearest(core_in(i), rps_quat_rotate_inverse(i->orientation, at));
}

rps_touch_result rps_polyhedron_point_touch(const rps_side *i, rps_vec3 at, double cutoff, rps_touch *out) {
    const rps_core_foot foot = foot_of_point(i, at);
    const double radius = core_in(i)->radius;
    out->overlap = radius - foot.distance;
    if (out->overlap < -cutoff) return RPS_TOUCH_APART;
    const rps_vec3 outwards = rps_vec3_normalize(rps_quat_rotate(i->orientation, foot.out));
    out->normal = rps_vec3_neg(outwards);
    out->branch_i = rps_vec3_add_scaled(rps_quat_rotate(i->orientation, foot.point), radius, outwards);
    out->branch_j = at;
    out->curve_i = curve_at(i, &foot, outwards);
    out->curve_j = round_curve(1.0 / radius, outwards);
    return out->overlap > rps_core_deep(2.0 * core_in(i)->half) ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

double rps_polyhedron_point_gap(const rps_side *i, rps_vec3 at) {
    return foot_of_point(i, at).distance - core_in(i)->radius;
}

static rps_core_rod rod_at_line(const rps_side *i, size_t edge) {
    return rod_of(i, edge, rps_core_cut_of(core_in(i)->radius, 2.0 * core_in(i)->half));
}

rps_touch_result rps_polyhedron_line_touch(const rps_side *i, size_t edge, const rps_core_line *line, double cutoff,
                                           rps_touch *out) {
    const rps_core_rod rod = rod_at_line(i, edge);
    const rps_touch_result result = rps_core_rod_line_touch(&rod, line, 2.0 * core_in(i)->half, cutoff, out);
    if (result != RPS_TOUCH_APART) out->curve_j = round_curve(1.0 / rod.radius, out->normal);
    return result;
}

double rps_polyhedron_line_gap(const rps_side *i, size_t edge, const rps_core_line *line) {
    const rps_core_rod rod = rod_at_line(i, edge);
    return rps_core_rod_line_gap(&rod, line, 2.0 * core_in(i)->half);
}

/* --- places --------------------------------------------------------------------------------------------------------- */

rps_touch_result rps_polyhedra_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place, double cutoff,
                                     rps_touch *out) {
    const polyhedra_place at = polyhedra_place_of(i, j, place);
    if (at.kind == TIP_OF_I) return touch_tip_of(i, j, d, at.first, cutoff, out);
    if (at.kind == EDGES) return touch_edges_of(i, j, d, at, cutoff, out);
    rps_touch t = *out;
    const rps_touch_result result = touch_tip_of(j, i, rps_vec3_neg(d), at.first, cutoff, &t);
    *out = result == RPS_TOUCH_APART ? t : rps_touch_mirror(&t);
    return result;
}

double rps_polyhedra_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned place) {
    const polyhedra_place at = polyhedra_place_of(i, j, place);
    if (at.kind == TIP_OF_I) return gap_of_tip(i, j, d, at.first);
    if (at.kind == TIP_OF_J) return gap_of_tip(j, i, rps_vec3_neg(d), at.first);
    const double cut = cut_for(i, j);
    const rps_core_rod a = rod_of(i, at.first, cut), b = rod_of(j, at.second, cut);
    return rps_core_rods_gap(&a, &b, d);
}

typedef struct polyhedra_search {
    const rps_side *i, *j;
    rps_vec3 d;
    double capacity;
    rps_mesh_place_visit visit;
    void *context;
    unsigned first; /* place of the first tip of this kind */
} polyhedra_search;

static void visit_place(const polyhedra_search *s, unsigned place) {
    if (rps_polyhedra_gap(s->i, s->j, s->d, place) < s->capacity) s->visit(s->context, place);
}

static bool visit_tip_near(void *context, const rps_box_node *leaf) {
    const polyhedra_search *s = context;
    visit_place(s, s->first + leaf->item);
    return true;
}

static bool visit_edges_near(void *context, const rps_box_node *a, const rps_box_node *b) {
    const polyhedra_search *s = context;
    visit_place(s, s->first + a->item * (unsigned)core_in(s->j)->edges + b->item);
    return true;
}

/* Tips of `of` near the box around the other; d: origin of `of` less that of the other. */
static void visit_tips_of(polyhedra_search *s, const rps_side *of, const rps_side *other, rps_vec3 d) {
    const rps_box *box = &other->mesh->box;
    const rps_quat turn = rps_quat_mul(rps_quat_conjugate(of->orientation), other->orientation);
    const rps_vec3 low = rps_vec3_of(box->low), high = rps_vec3_of(box->high);
    const rps_vec3 middle = rps_quat_rotate(other->orientation, rps_vec3_scale(rps_vec3_add(low, high), 0.5));
    rps_box_question q = {.kind = RPS_BOX_TURNED,
                          .center = rps_quat_rotate_inverse(of->orientation, rps_vec3_sub(middle, d)),
                          .turn = rps_quat_to_mat3(turn),
                          .margin = s->capacity};
    rps_vec3_put(q.half, rps_vec3_scale(rps_vec3_sub(high, low), 0.5));
    (void)rps_box_tree_find(&of->mesh->tip_tree, &q, visit_tip_near, s);
}

void rps_polyhedra_places(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, rps_mesh_place_visit visit,
                          void *context) {
    polyhedra_search s = {i, j, d, capacity, visit, context, RPS_SUBKEY_PLACES};
    visit_tips_of(&s, i, j, d);
    s.first += (unsigned)i->mesh->tips;
    visit_tips_of(&s, j, i, rps_vec3_neg(d));
    s.first += (unsigned)j->mesh->tips;
    if (core_in(i)->edges == 0 || core_in(j)->edges == 0) return;
    const rps_mat3 turn_i = rps_quat_to_mat3(i->orientation), turn_j = rps_quat_to_mat3(j->orientation);
    const rps_mat3 back = rps_mat3_transpose(&turn_i);
    const rps_tree_pose pose = {rps_mat3_mul(&back, &turn_j), rps_vec3_neg(rps_mat3_mul_vec(&back, d))};
    const double margin = capacity + (core_in(i)->radius + core_in(j)->radius);
    (void)rps_box_tree_find_pairs(&core_in(i)->edge_tree, &core_in(j)->edge_tree, &pose, margin, visit_edges_near, &s);
}
