/*
 * Vertices against solids and edges against edges of two cores; pair_core.h describes the model.
 */
#include "detect/pair_core.h"

/* Parameters of pair_core.h: how much thinner an edge is at its ends, over the core's smallest half width; the
 * overlap, over the smallest width of both, up to which edges that meet at their ends are left out; and the largest
 * fraction of its half length that an edge loses for that. */
static const double barrel = 5e-4;
static const double left_out = 2e-3, cut_at_most = 0.25;
/* Two edges are deep at this fraction of the sum of their radii; at the full sum they pass through each other. */
static const double deep_of_radii = 0.75;

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

static int extents(const rps_shape_core *core) {
    return (core->half[0] > 0.0) + (core->half[1] > 0.0) + (core->half[2] > 0.0);
}

static double smallest_half(const rps_shape_core *core) {
    double a = core->half[0] < core->half[1] ? core->half[0] : core->half[1];
    return a < core->half[2] ? a : core->half[2];
}

static double pair_core_width(const rps_shape_core *core) {
    return 2.0 * (smallest_half(core) + core->radius);
}

static double pair_core_smallest_width(const rps_shape_core *i, const rps_shape_core *j) {
    double a = pair_core_width(i), b = pair_core_width(j);
    return a < b ? a : b;
}

/* 1/m, of edges and corners. */
static double curvature(const rps_shape_core *core) {
    if (core->radius > 0.0) {
        return 1.0 / core->radius;
    }
    double least = 0.0;
    for (int k = 0; k < 3; k++) {
        if (core->half[k] > 0.0 && (!(least > 0.0) || core->half[k] < least)) {
            least = core->half[k];
        }
    }
    return least > 0.0 ? 1.0 / (RPS_CORE_SHARP * least) : 0.0;
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

rps_shape_core rps_core_for_contact(const rps_shape_core *core) {
    double least = RPS_CORE_SHARP * (smallest_half(core) + core->radius);
    rps_shape_core out = *core;
    if (least > core->radius) {
        for (int k = 0; k < 3; k++) {
            out.half[k] = (core->half[k] + core->radius) - least;
        }
        out.radius = least;
    }
    return out;
}

unsigned rps_core_vertices(const rps_shape_core *core) {
    return 1U << extents(core);
}

static unsigned edges(const rps_shape_core *core) {
    static const unsigned count[4] = {0, 1, 4, 12};
    return count[extents(core)];
}

unsigned rps_core_edges(const rps_shape_core *core) {
    return edges(core);
}

unsigned rps_core_features(const rps_shape_core *i, const rps_shape_core *j) {
    unsigned vi = rps_core_vertices(i), vj = rps_core_vertices(j);
    return vi == 1 || vj == 1 ? 1 : vi + vj + edges(i) * edges(j);
}

/* From the core's origin, world axes. */
static rps_vec3 vertex_at(const posed *p, unsigned bits) {
    double local[3];
    for (int k = 0; k < 3; k++) {
        local[k] = 0.0;
        if (p->core->half[k] > 0.0) {
            local[k] = bits & 1U ? p->core->half[k] : -p->core->half[k];
            bits >>= 1;
        }
    }
    return rps_mat3_mul_vec(&p->axes, rps_vec3_make(local[0], local[1], local[2]));
}

/* Edges along x first, then y, then z; each group by the sign bits over the other axes. cut: distance of its ends
 * from its vertices. */
static edge edge_at(const posed *p, unsigned index, double cut) {
    const double *half = p->core->half;
    unsigned of_one_axis = 1U << (extents(p->core) - 1);
    unsigned order = index / of_one_axis, bits = index % of_one_axis;
    int k = 0;
    for (unsigned seen = 0;; k++) {
        if (half[k] > 0.0 && seen++ == order) {
            break;
        }
    }
    edge e = {.middle = rps_vec3_zero(), .along = axis(p, k)};
    for (int a = 0; a < 3; a++) {
        if (a != k && half[a] > 0.0) {
            e.middle = rps_vec3_add_scaled(e.middle, bits & 1U ? half[a] : -half[a], axis(p, a));
            bits >>= 1;
        }
    }
    e.half = half[k] - (cut < cut_at_most * half[k] ? cut : cut_at_most * half[k]);
    e.taper = barrel * (smallest_half(p->core) + p->core->radius) / (e.half * e.half);
    return e;
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
    double c = curvature(p->core);
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
    rps_touch_result result = pair_core_judge((ri + rj) - hit.distance, cutoff,
                                              RPS_CORE_DEEP * pair_core_smallest_width(i->core, j->core), out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    rps_vec3 n = rps_vec3_normalize(rps_mat3_mul_vec(&j->axes, hit.out));
    out->normal = n;
    out->branch_i = rps_vec3_add_scaled(v, -ri, n);
    out->branch_j = rps_vec3_add_scaled(rps_mat3_mul_vec(&j->axes, hit.foot), rj, n);
    out->curve_i = all_round(curvature(i->core), n);
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

static double cut_of(const rps_shape_core *i, const rps_shape_core *j) {
    return sqrt(left_out * pair_core_smallest_width(i, j) * (i->radius + j->radius));
}

static edges_met edges_of(const posed *i, const posed *j, rps_vec3 d, unsigned pair) {
    double cut = cut_of(i->core, j->core);
    edges_met x = {.a = edge_at(i, pair / edges(j->core), cut), .b = edge_at(j, pair % edges(j->core), cut)};
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
    const double smallest = RPS_CORE_DEEP * pair_core_smallest_width(i->core, j->core);
    const double least = deep_of_radii * (i->core->radius + j->core->radius);
    const rps_touch_result result =
        met_touch(&x, i->core->radius, j->core->radius, smallest < least ? smallest : least, cutoff, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->curve_i = around(curvature(i->core), out->normal, x.a.along);
    out->curve_j = around(curvature(j->core), out->normal, x.b.along);
    return result;
}

/* ---- an edge and a line -------------------------------------------------------------------------------------------- */

static edges_met edge_and_line(const posed *i, unsigned number, const rps_core_line *line) {
    const double cut = sqrt(left_out * pair_core_width(i->core) * i->core->radius);
    const rps_vec3 between = rps_vec3_sub(line->end[1], line->end[0]);
    const double length = rps_vec3_norm(between), most = 0.5 * cut_at_most * length, off = cut < most ? cut : most;
    edges_met x = {.a = edge_at(i, number, cut)};
    x.b.along = rps_vec3_scale(between, 1.0 / length);
    const double from = line->tip[0] ? off : 0.0, to = length - (line->tip[1] ? off : 0.0);
    x.b.half = 0.5 * (to - from);
    x.b.middle = rps_vec3_add_scaled(line->end[0], 0.5 * (from + to), x.b.along);
    x.w = rps_vec3_sub(x.a.middle, x.b.middle);
    return x;
}

rps_touch_result rps_core_line_touch(const rps_shape_core *i, rps_quat rotation_i, unsigned number,
                                     const rps_core_line *line, double cutoff, rps_touch *out) {
    const posed a = pose(i, rotation_i);
    edges_met x = edge_and_line(&a, number, line);
    const double smallest = RPS_CORE_DEEP * pair_core_width(i), least = deep_of_radii * i->radius;
    const rps_touch_result result = met_touch(&x, i->radius, 0.0, smallest < least ? smallest : least, cutoff, out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->curve_i = around(curvature(i), out->normal, x.a.along);
    out->curve_j = (rps_sym3){{0}};
    return result;
}

double rps_core_line_gap(const rps_shape_core *i, rps_quat rotation_i, unsigned number, const rps_core_line *line) {
    const posed a = pose(i, rotation_i);
    edges_met x = edge_and_line(&a, number, line);
    return edges_gap(&x, i->radius);
}

/* ---- all features -------------------------------------------------------------------------------------------------- */

typedef enum kind { VERTEX_OF_I, VERTEX_OF_J, EDGES } kind;

/* The kind of a feature, and its number within the kind. */
static kind pair_core_kind_of(const rps_shape_core *i, const rps_shape_core *j, unsigned *feature) {
    unsigned vi = rps_core_vertices(i), vj = rps_core_vertices(j);
    if (vi == 1) {
        return VERTEX_OF_I;
    }
    if (vj == 1) {
        return VERTEX_OF_J;
    }
    if (*feature < vi) {
        return VERTEX_OF_I;
    }
    *feature -= vi;
    if (*feature < vj) {
        return VERTEX_OF_J;
    }
    *feature -= vj;
    return EDGES;
}

rps_touch_result rps_core_touch(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j,
                                rps_quat rotation_j, rps_vec3 d, unsigned feature, double cutoff, rps_touch *out) {
    posed a = pose(i, rotation_i), b = pose(j, rotation_j);
    switch (pair_core_kind_of(i, j, &feature)) {
    case VERTEX_OF_I:
        return vertex_touch(&a, &b, d, feature, cutoff, out);
    case VERTEX_OF_J: {
        rps_touch_result result = vertex_touch(&b, &a, rps_vec3_neg(d), feature, cutoff, out);
        if (result != RPS_TOUCH_APART) {
            mirror(out);
        }
        return result;
    }
    case EDGES:
    default:
        return edge_touch(&a, &b, d, feature, cutoff, out);
    }
}

double rps_core_gap(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j, rps_quat rotation_j,
                    rps_vec3 d, unsigned feature) {
    posed a = pose(i, rotation_i), b = pose(j, rotation_j);
    switch (pair_core_kind_of(i, j, &feature)) {
    case VERTEX_OF_I:
        return vertex_gap(&a, &b, d, feature);
    case VERTEX_OF_J:
        return vertex_gap(&b, &a, rps_vec3_neg(d), feature);
    case EDGES:
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
    const double radii = i->radius + j->radius, cut = cut_of(i, j);
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
    const unsigned ei = edges(i), ej = edges(j);
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
    rps_touch_result result = pair_core_judge(i->radius - height, cutoff, RPS_CORE_DEEP * pair_core_width(i), out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->normal = n;
    out->branch_i = rps_vec3_add_scaled(v, -i->radius, n);
    out->branch_j = rps_vec3_add_scaled(from_plane, -height, n);
    out->curve_i = all_round(curvature(i), n);
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
    return all_round(curvature(core), n);
}
