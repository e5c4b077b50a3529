/*
 * Vertices against solids and edges against edges of two cores; pair_core.h describes the model.
 */
#include "detect/pair_core.h"

#include "detect/core_features.h"

/* A core with its axes in the world. */
typedef struct posed {
    const rps_shape_core *core;
    rps_mat3 axes; /* columns */
} posed;

/* An edge of a core: from its middle (m) by `half` in both directions of `along`. Its radius falls by taper t^2 at t
 * from the middle. */
typedef struct edge {
    rps_vec3 middle, along;
    double half, taper;
} edge;

static posed pose(const rps_shape_core *core, rps_quat turn) {
    return (posed){core, rps_quat_to_mat3(turn)};
}

static rps_vec3 axis(const posed *p, int k) {
    return rps_vec3_make(p->axes.m[0][k], p->axes.m[1][k], p->axes.m[2][k]);
}

/* c (1 - n n) */
static rps_sym3 all_round(double c, rps_vec3 n) {
    return (rps_sym3){{c * (1.0 - n.x * n.x), c * (1.0 - n.y * n.y), c * (1.0 - n.z * n.z), -c * (n.x * n.y),
                       -c * (n.x * n.z), -c * (n.y * n.z)}};
}

/* c t t */
static rps_sym3 pair_core_across(double c, rps_vec3 t) {
    return (rps_sym3){
        {c * (t.x * t.x), c * (t.y * t.y), c * (t.z * t.z), c * (t.x * t.y), c * (t.x * t.z), c * (t.y * t.z)}};
}

/* From the core's origin, world axes. */
static rps_vec3 vertex_at(const posed *p, unsigned vertex) {
    return rps_mat3_mul_vec(&p->axes, rps_core_vertex_in(p->core, vertex));
}

static edge edge_at(const posed *p, unsigned number, double cut) {
    const rps_core_edge e = rps_core_edge_in(p->core, number, cut);
    return (edge){rps_mat3_mul_vec(&p->axes, e.middle), axis(p, e.axis), e.half, e.taper};
}

/* ---- a point and a solid core -------------------------------------------------------------------------------------- */

typedef struct nearest {
    double distance;    /* signed */
    rps_vec3 foot;      /* the nearest point of the core */
    rps_vec3 out;       /* unit, from there to the point */
    int clamped, along; /* axes along which the point is beyond the core; the last axis along which it is not */
} nearest;

/* All in the core's own axes. */
static nearest pair_core_nearest_of(const rps_shape_core *core, rps_vec3 point) {
    double p[3] = {point.x, point.y, point.z}, q[3], n[3] = {0.0, 0.0, 0.0};
    nearest r = {0};
    bool outside = false;
    for (int k = 0; k < 3; k++) {
        double h = core->half[k];
        q[k] = p[k] > h ? h : p[k] < -h ? -h : p[k];
        outside = outside || q[k] != p[k];
        if (q[k] != p[k] || !(h > 0.0)) {
            r.clamped++;
        } else {
            r.along = k;
        }
    }
    rps_vec3 away = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    double distance = rps_vec3_norm(away);
    if (outside && distance > 0.0) {
        r.distance = distance;
        r.foot = rps_vec3_make(q[0], q[1], q[2]);
        r.out = rps_vec3_make(away.x / distance, away.y / distance, away.z / distance);
        return r;
    }
    /* Inside, or on a core without an interior: out by the nearest face, on a tie the first. */
    int face = 0;
    double depth = core->half[0] - fabs(q[0]);
    for (int k = 1; k < 3; k++) {
        double other = core->half[k] - fabs(q[k]);
        if (other < depth) {
            depth = other;
            face = k;
        }
    }
    n[face] = q[face] < 0.0 ? -1.0 : 1.0;
    q[face] = n[face] * core->half[face];
    r.distance = -depth;
    r.foot = rps_vec3_make(q[0], q[1], q[2]);
    r.out = rps_vec3_make(n[0], n[1], n[2]);
    r.clamped = 1;
    return r;
}

/* Shape operator of the core's rounded surface where `hit` lies; n is the normal there, in the world. */
static rps_sym3 curve_of(const posed *p, const nearest *hit, rps_vec3 n) {
    if (hit->clamped == 1) {
        return (rps_sym3){{0}};
    }
    double c = rps_core_bend(p->core);
    if (hit->clamped == 2) {
        return pair_core_across(c, rps_vec3_normalize(rps_vec3_cross(n, axis(p, hit->along))));
    }
    return all_round(c, n);
}

/* The overlap is known; sets the result, which needs nothing else if APART. */
static rps_touch_result pair_core_judge(double overlap, double cutoff, double deep, rps_touch *out) {
    out->overlap = overlap;
    return overlap < -cutoff ? RPS_TOUCH_APART : overlap > deep ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

static rps_touch_result vertex_touch(const posed *i, const posed *j, rps_vec3 d, unsigned vertex, double cutoff,
                                     rps_touch *out) {
    rps_vec3 v = vertex_at(i, vertex);
    nearest hit = pair_core_nearest_of(j->core, rps_mat3_transpose_mul_vec(&j->axes, rps_vec3_add(d, v)));
    double ri = i->core->radius, rj = j->core->radius;
    rps_touch_result result =
        pair_core_judge((ri + rj) - hit.distance, cutoff, rps_core_deep(rps_core_smaller_width(i->core, j->core)), out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    rps_vec3 n = rps_vec3_normalize(rps_mat3_mul_vec(&j->axes, hit.out));
    out->normal = n;
    out->branch_i = rps_vec3_add_scaled(v, -ri, n);
    out->branch_j = rps_vec3_add_scaled(rps_mat3_mul_vec(&j->axes, hit.foot), rj, n);
    out->curve_i = all_round(rps_core_bend(i->core), n);
    out->curve_j = curve_of(j, &hit, n);
    return result;
}

static double vertex_gap(const posed *i, const posed *j, rps_vec3 d, unsigned vertex) {
    rps_vec3 point = rps_vec3_add(d, vertex_at(i, vertex));
    nearest hit = pair_core_nearest_of(j->core, rps_mat3_transpose_mul_vec(&j->axes, point));
    return hit.distance - (i->core->radius + j->core->radius);
}

static void mirror(rps_touch *t) {
    rps_vec3 branch = t->branch_i;
    rps_sym3 curve = t->curve_i;
    t->normal = rps_vec3_neg(t->normal);
    t->branch_i = t->branch_j;
    t->branch_j = branch;
    t->curve_i = t->curve_j;
    t->curve_j = curve;
}

/* ---- two edges ----------------------------------------------------------------------------------------------------- */

static double pair_core_clamp(double x, double limit) {
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* Two edges and their contact points: t along a, u along b. */
typedef struct edges_met {
    edge a, b;
    rps_vec3 w; /* the middle of a less that of b */
    double t, u;
    rps_vec3 between; /* from the point of b to that of a */
    double distance;
} edges_met;

/* Minimises |between|^2 / 2 + lambda (taper_a t^2 + taper_b u^2): a convex quadratic over a rectangle. The solution
 * with only t clamped shows which end of u is exceeded, and that with u clamped then shows which end of t. */
static void pair_core_meet(edges_met *x, double lambda) {
    rps_vec3 a = x->a.along, b = x->b.along, m = rps_vec3_cross(a, b);
    double cosine = rps_vec3_dot(a, b), p = -rps_vec3_dot(a, x->w), q = rps_vec3_dot(b, x->w);
    double over_a = 2.0 * lambda * x->a.taper, over_b = 2.0 * lambda * x->b.taper;
    double det = rps_vec3_norm2(m) + ((over_a + over_b) + over_a * over_b);
    double t = det > 0.0 ? (rps_vec3_dot(rps_vec3_cross(b, x->w), m) + over_b * p) / det : 0.0;
    t = pair_core_clamp(t, x->a.half);
    x->u = pair_core_clamp((q + cosine * t) / (1.0 + over_b), x->b.half);
    x->t = pair_core_clamp((p + cosine * x->u) / (1.0 + over_a), x->a.half);
    x->between = rps_vec3_add_scaled(rps_vec3_add_scaled(x->w, x->t, a), -x->u, b);
    x->distance = rps_vec3_norm(x->between);
}

static edges_met edges_of(const posed *i, const posed *j, rps_vec3 d, unsigned pair) {
    double cut = rps_core_cut(i->core, j->core);
    edges_met x = {.a = edge_at(i, pair / rps_core_edges(j->core), cut),
                   .b = edge_at(j, pair % rps_core_edges(j->core), cut)};
    x.w = rps_vec3_sub(rps_vec3_add(d, x.a.middle), x.b.middle);
    return x;
}

/* Distance of the two segments less the radii. */
static double edges_gap(edges_met *x, double radii) {
    pair_core_meet(x, 0.0);
    return x->distance - radii;
}

/* Curvature c around an edge with direction `along`; n may be nearly parallel to it if the end of the edge touches. */
static rps_sym3 around(double c, rps_vec3 n, rps_vec3 along) {
    rps_vec3 t = rps_vec3_cross(n, along);
    double size = rps_vec3_norm(t);
    return pair_core_across(c, size > 1e-3 ? rps_vec3_normalize(t) : rps_vec3_any_across(n));
}

/* Radii are those of the middles of both edges. deep: m. */
static rps_touch_result met_touch(edges_met *x, double radius_i, double radius_j, double deep, double cutoff,
                                  rps_touch *out) {
    const double radii = radius_i + radius_j;
    double gap = edges_gap(x, radii);
    if (gap > cutoff) {
        out->overlap = -gap;
        return RPS_TOUCH_APART;
    }
    /* |between| + taper t^2 + taper u^2 is least where meet() finds it with lambda = |between|; each pass brings lambda
     * nearer by the taper over the radius, 1/100 or less */
    double lambda = radii;
    for (int pass = 0; pass < 12; pass++) {
        pair_core_meet(x, lambda);
        double change = x->distance - lambda;
        lambda = x->distance;
        if (fabs(change) <= 1e-15 * radii) {
            break;
        }
    }
    double ri = radius_i - x->a.taper * (x->t * x->t), rj = radius_j - x->b.taper * (x->u * x->u);
    rps_touch_result result = pair_core_judge((ri + rj) - x->distance, cutoff, deep, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    rps_vec3 n = x->distance > 0.0 ? rps_vec3_normalize(x->between) : rps_vec3_any_across(x->a.along);
    out->normal = n;
    out->branch_i = rps_vec3_add_scaled(rps_vec3_add_scaled(x->a.middle, x->t, x->a.along), -ri, n);
    out->branch_j = rps_vec3_add_scaled(rps_vec3_add_scaled(x->b.middle, x->u, x->b.along), rj, n);
    return result;
}

static rps_touch_result edge_touch(const posed *i, const posed *j, rps_vec3 d, unsigned pair, double cutoff,
                                   rps_touch *out) {
    edges_met x = edges_of(i, j, d, pair);
    const double ri = i->core->radius, rj = j->core->radius;
    const double deep = rps_core_deep_edges(rps_core_smaller_width(i->core, j->core), ri + rj);
    const rps_touch_result result = met_touch(&x, ri, rj, deep, cutoff, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->curve_i = around(rps_core_bend(i->core), out->normal, x.a.along);
    out->curve_j = around(rps_core_bend(j->core), out->normal, x.b.along);
    return result;
}

/* ---- an edge and a line -------------------------------------------------------------------------------------------- */

/* A line as an edge without thickness. */
static edge line_as_edge(const rps_core_line *line, double cut) {
    const rps_vec3 between = rps_vec3_sub(line->end[1], line->end[0]);
    const double length = rps_vec3_norm(between), most = 0.5 * rps_core_cut_most * length,
                 off = cut < most ? cut : most;
    const double from = line->tip[0] ? off : 0.0, to = length - (line->tip[1] ? off : 0.0);
    edge e = {.along = rps_vec3_scale(between, 1.0 / length), .half = 0.5 * (to - from)};
    e.middle = rps_vec3_add_scaled(line->end[0], 0.5 * (from + to), e.along);
    return e;
}

static edges_met edge_and_line(const posed *i, unsigned number, const rps_core_line *line) {
    const double cut = rps_core_cut_at_line(i->core);
    edges_met x = {.a = edge_at(i, number, cut), .b = line_as_edge(line, cut)};
    x.w = rps_vec3_sub(x.a.middle, x.b.middle);
    return x;
}

rps_touch_result rps_core_line_touch(const rps_shape_core *i, rps_quat rotation_i, unsigned number,
                                     const rps_core_line *line, double cutoff, rps_touch *out) {
    const posed a = pose(i, rotation_i);
    edges_met x = edge_and_line(&a, number, line);
    const double deep = rps_core_deep_edges(rps_core_width(i), i->radius);
    const rps_touch_result result = met_touch(&x, i->radius, 0.0, deep, cutoff, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->curve_i = around(rps_core_bend(i), out->normal, x.a.along);
    out->curve_j = (rps_sym3){{0}};
    return result;
}

double rps_core_line_gap(const rps_shape_core *i, rps_quat rotation_i, unsigned number, const rps_core_line *line) {
    const posed a = pose(i, rotation_i);
    edges_met x = edge_and_line(&a, number, line);
    return edges_gap(&x, i->radius);
}

/* ---- edges of polyhedra ---------------------------------------------------------------------------------------------- */

rps_core_rod rps_core_rod_between(rps_vec3 from, rps_vec3 to, double radius, double half_width, double cut) {
    const rps_vec3 between = rps_vec3_sub(to, from);
    const double length = rps_vec3_norm(between), most = 0.5 * rps_core_cut_most * length;
    rps_core_rod rod = {.middle = rps_vec3_scale(rps_vec3_add(from, to), 0.5),
                        .along = rps_vec3_scale(between, 1.0 / length),
                        .half = 0.5 * length - (cut < most ? cut : most),
                        .radius = radius};
    rod.taper = rps_core_taper(half_width, rod.half);
    return rod;
}

static edges_met rods_of(const rps_core_rod *i, const rps_core_rod *j, rps_vec3 d) {
    edges_met x = {.a = {i->middle, i->along, i->half, i->taper}, .b = {j->middle, j->along, j->half, j->taper}};
    x.w = rps_vec3_sub(rps_vec3_add(d, x.a.middle), x.b.middle);
    return x;
}

rps_touch_result rps_core_rods_touch(const rps_core_rod *i, const rps_core_rod *j, rps_vec3 d, double width,
                                     double cutoff, rps_touch *out) {
    edges_met x = rods_of(i, j, d);
    const double deep = rps_core_deep_edges(width, i->radius + j->radius);
    const rps_touch_result result = met_touch(&x, i->radius, j->radius, deep, cutoff, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->curve_i = around(1.0 / i->radius, out->normal, x.a.along);
    out->curve_j = around(1.0 / j->radius, out->normal, x.b.along);
    return result;
}

double rps_core_rods_gap(const rps_core_rod *i, const rps_core_rod *j, rps_vec3 d) {
    edges_met x = rods_of(i, j, d);
    return edges_gap(&x, i->radius + j->radius);
}

static edges_met rod_and_line(const rps_core_rod *i, const rps_core_line *line, double cut) {
    edges_met x = {.a = {i->middle, i->along, i->half, i->taper}, .b = line_as_edge(line, cut)};
    x.w = rps_vec3_sub(x.a.middle, x.b.middle);
    return x;
}

rps_touch_result rps_core_rod_line_touch(const rps_core_rod *i, const rps_core_line *line, double width, double cutoff,
                                         rps_touch *out) {
    edges_met x = rod_and_line(i, line, rps_core_cut_of(i->radius, width));
    const rps_touch_result result = met_touch(&x, i->radius, 0.0, rps_core_deep_edges(width, i->radius), cutoff, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->curve_i = around(1.0 / i->radius, out->normal, x.a.along);
    out->curve_j = (rps_sym3){{0}};
    return result;
}

double rps_core_rod_line_gap(const rps_core_rod *i, const rps_core_line *line, double width) {
    edges_met x = rod_and_line(i, line, rps_core_cut_of(i->radius, width));
    return edges_gap(&x, i->radius);
}

/* ---- all features -------------------------------------------------------------------------------------------------- */

rps_touch_result rps_core_touch(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j,
                                rps_quat rotation_j, rps_vec3 d, unsigned feature, double cutoff, rps_touch *out) {
    posed a = pose(i, rotation_i), b = pose(j, rotation_j);
    switch (rps_core_kind_of(rps_core_vertices(i), rps_core_vertices(j), &feature)) {
    case RPS_CORE_VERTEX_OF_I:
        return vertex_touch(&a, &b, d, feature, cutoff, out);
    case RPS_CORE_VERTEX_OF_J: {
        rps_touch_result result = vertex_touch(&b, &a, rps_vec3_neg(d), feature, cutoff, out);
        if (result != RPS_TOUCH_APART) {
            mirror(out);
        }
        return result;
    }
    case RPS_CORE_EDGES:
    default:
        return edge_touch(&a, &b, d, feature, cutoff, out);
    }
}

double rps_core_gap(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j, rps_quat rotation_j,
                    rps_vec3 d, unsigned feature) {
    posed a = pose(i, rotation_i), b = pose(j, rotation_j);
    switch (rps_core_kind_of(rps_core_vertices(i), rps_core_vertices(j), &feature)) {
    case RPS_CORE_VERTEX_OF_I:
        return vertex_gap(&a, &b, d, feature);
    case RPS_CORE_VERTEX_OF_J:
        return vertex_gap(&b, &a, rps_vec3_neg(d), feature);
    case RPS_CORE_EDGES:
    default: {
        edges_met x = edges_of(&a, &b, d, feature);
        return edges_gap(&x, i->radius + j->radius);
    }
    }
}

/* A lower bound of the distance of core q from a box or segment: the widest gap along the axes of q. between: from the
 * origin of q to the middle of the other, which has `count` half lengths along `axes`. */
static double gap_along_axes(const posed *q, rps_vec3 between, const rps_vec3 *axes, const double *half, int count) {
    double widest = -INFINITY;
    for (int k = 0; k < 3; k++) {
        rps_vec3 along = axis(q, k);
        double gap = fabs(rps_vec3_dot(between, along)) - q->core->half[k];
        for (int l = 0; l < count; l++) {
            gap -= half[l] * fabs(rps_vec3_dot(axes[l], along));
        }
        widest = gap > widest ? gap : widest;
    }
    return widest;
}

static double gap_of_boxes(const posed *p, const posed *q, rps_vec3 d) {
    const rps_vec3 axes[3] = {axis(p, 0), axis(p, 1), axis(p, 2)};
    return gap_along_axes(q, d, axes, p->core->half, 3);
}

bool rps_core_gaps(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j, rps_quat rotation_j,
                   rps_vec3 d, double capacity, double *gaps) {
    posed a = pose(i, rotation_i), b = pose(j, rotation_j);
    const rps_vec3 back = rps_vec3_neg(d);
    const double radii = i->radius + j->radius, cut = rps_core_cut(i, j);
    if (gap_of_boxes(&a, &b, d) - radii >= capacity || gap_of_boxes(&b, &a, back) - radii >= capacity) {
        return false;
    }
    const unsigned vi = rps_core_vertices(i), vj = rps_core_vertices(j);
    if (vi == 1 || vj == 1) {
        gaps[0] = vi == 1 ? vertex_gap(&a, &b, d, 0) : vertex_gap(&b, &a, back, 0);
        return true;
    }
    for (unsigned v = 0; v < vi; v++) {
        *gaps++ = vertex_gap(&a, &b, d, v);
    }
    for (unsigned v = 0; v < vj; v++) {
        *gaps++ = vertex_gap(&b, &a, back, v);
    }
    /* most edges are far from the whole other core */
    const unsigned ei = rps_core_edges(i), ej = rps_core_edges(j);
    edge of_j[12];
    double from_i[12];
    for (unsigned f = 0; f < ej; f++) {
        of_j[f] = edge_at(&b, f, cut);
        from_i[f] = gap_along_axes(&a, rps_vec3_sub(of_j[f].middle, d), &of_j[f].along, &of_j[f].half, 1) - radii;
    }
    for (unsigned e = 0; e < ei; e++) {
        edges_met x = {.a = edge_at(&a, e, cut)};
        const rps_vec3 middle = rps_vec3_add(d, x.a.middle);
        const double from_j = gap_along_axes(&b, middle, &x.a.along, &x.a.half, 1) - radii;
        for (unsigned f = 0; f < ej; f++) {
            double gap = from_j > from_i[f] ? from_j : from_i[f];
            if (gap < capacity) {
                x.b = of_j[f];
                x.w = rps_vec3_sub(middle, x.b.middle);
                gap = edges_gap(&x, radii);
            }
            *gaps++ = gap;
        }
    }
    return true;
}

rps_touch_result rps_core_plane_touch(const rps_shape_core *i, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                                      unsigned feature, double cutoff, rps_touch *out) {
    posed a = pose(i, rotation_i);
    rps_vec3 n = rps_vec3_normalize(rps_quat_rotate(turn_plane, rps_vec3_make(0.0, 0.0, 1.0)));
    rps_vec3 v = vertex_at(&a, feature), from_plane = rps_vec3_add(d, v);
    double height = rps_vec3_dot(n, from_plane);
    rps_touch_result result = pair_core_judge(i->radius - height, cutoff, rps_core_deep(rps_core_width(i)), out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->normal = n;
    out->branch_i = rps_vec3_add_scaled(v, -i->radius, n);
    out->branch_j = rps_vec3_add_scaled(from_plane, -height, n);
    out->curve_i = all_round(rps_core_bend(i), n);
    out->curve_j = (rps_sym3){{0}};
    return result;
}

double rps_core_plane_gap(const rps_shape_core *i, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                          unsigned feature) {
    posed a = pose(i, rotation_i);
    rps_vec3 n = rps_vec3_normalize(rps_quat_rotate(turn_plane, rps_vec3_make(0.0, 0.0, 1.0)));
    return rps_vec3_dot(n, rps_vec3_add(d, vertex_at(&a, feature))) - i->radius;
}

rps_vec3 rps_core_vertex(const rps_shape_core *core, rps_quat rotation, unsigned vertex) {
    const posed p = pose(core, rotation);
    return vertex_at(&p, vertex);
}

rps_sym3 rps_core_ball_curve(const rps_shape_core *core, rps_vec3 n) {
    return all_round(rps_core_bend(core), n);
}
