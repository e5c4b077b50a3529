/*
 * Vertices against solids and edges against edges of two cores; the model is told in pair_core.h.
 */
#include "detect/pair_core.h"

/* Of pair_core.h: how far the normal of two edges may leave their cones, and the least angle between edges. */
static const double cone_border = 0.3;
static const double least_sine = 1e-3;
/* Crossings with more overlap than this part of the smallest width are those of the far sides. */
static const double far_side = 0.5;

/* A core with its axes in the world. */
typedef struct posed {
    const rps_shape_core *core;
    rps_mat3 axes; /* columns */
} posed;

/* An edge of a core: from its middle, m, by `half` both ways along `along`. `out` are the normals of its one or two
 * faces; a segment has none. */
typedef struct edge {
    rps_vec3 middle, along;
    double half;
    rps_vec3 out[2];
    int faces;
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

static double width(const rps_shape_core *core) {
    return 2.0 * (smallest_half(core) + core->radius);
}

static double smallest_width(const rps_shape_core *i, const rps_shape_core *j) {
    double a = width(i), b = width(j);
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
static rps_sym3 across(double c, rps_vec3 t) {
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

/* Edges along x first, then along y, along z; of each by the sign bits over the other axes. */
static edge edge_at(const posed *p, unsigned index) {
    const double *half = p->core->half;
    unsigned of_one_axis = 1U << (extents(p->core) - 1);
    unsigned order = index / of_one_axis, bits = index % of_one_axis;
    int k = 0;
    for (unsigned seen = 0;; k++) {
        if (half[k] > 0.0 && seen++ == order) {
            break;
        }
    }
    edge e = {.middle = rps_vec3_zero(), .along = axis(p, k), .half = half[k]};
    for (int a = 0; a < 3; a++) {
        if (a != k && half[a] > 0.0) {
            e.out[e.faces] = bits & 1U ? axis(p, a) : rps_vec3_neg(axis(p, a));
            bits >>= 1;
            e.middle = rps_vec3_add_scaled(e.middle, half[a], e.out[e.faces]);
            e.faces++;
        }
    }
    return e;
}

/* ---- a point and a solid core -------------------------------------------------------------------------------------- */

typedef struct nearest {
    double distance;    /* signed */
    rps_vec3 foot;      /* the nearest point of the core */
    rps_vec3 out;       /* unit, from there to the point */
    int clamped, along; /* axes in which the point is beyond the core; the last axis in which it is not */
} nearest;

/* All in the core's own axes. */
static nearest nearest_of(const rps_shape_core *core, rps_vec3 point) {
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
    /* Inside, or on a core without an inside: out by the nearest face, the first of those that are equally near. */
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
        return across(c, rps_vec3_normalize(rps_vec3_cross(n, axis(p, hit->along))));
    }
    return all_round(c, n);
}

/* The overlap is known; decides and fills in what is left in the case of APART. */
static rps_touch_result judge(double overlap, double reach, double deep, rps_touch *out) {
    out->overlap = overlap;
    return overlap < -reach ? RPS_TOUCH_APART : overlap > deep ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

static rps_touch_result vertex_touch(const posed *i, const posed *j, rps_vec3 d, unsigned vertex, double reach,
                                     rps_touch *out) {
    rps_vec3 v = vertex_at(i, vertex);
    nearest hit = nearest_of(j->core, rps_mat3_transpose_mul_vec(&j->axes, rps_vec3_add(d, v)));
    double ri = i->core->radius, rj = j->core->radius;
    rps_touch_result result =
        judge((ri + rj) - hit.distance, reach, RPS_CORE_DEEP * smallest_width(i->core, j->core), out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    rps_vec3 n = rps_vec3_normalize(rps_mat3_mul_vec(&j->axes, hit.out));
    out->normal = n;
    out->arm_i = rps_vec3_add_scaled(v, -ri, n);
    out->arm_j = rps_vec3_add_scaled(rps_mat3_mul_vec(&j->axes, hit.foot), rj, n);
    out->curve_i = all_round(curvature(i->core), n);
    out->curve_j = curve_of(j, &hit, n);
    return result;
}

static double vertex_gap(const posed *i, const posed *j, rps_vec3 d, unsigned vertex) {
    rps_vec3 point = rps_vec3_add(d, vertex_at(i, vertex));
    nearest hit = nearest_of(j->core, rps_mat3_transpose_mul_vec(&j->axes, point));
    return hit.distance - (i->core->radius + j->core->radius);
}

static void mirror(rps_touch *t) {
    rps_vec3 arm = t->arm_i;
    rps_sym3 curve = t->curve_i;
    t->normal = rps_vec3_neg(t->normal);
    t->arm_i = t->arm_j;
    t->arm_j = arm;
    t->curve_i = t->curve_j;
    t->curve_j = curve;
}

/* ---- two edges ----------------------------------------------------------------------------------------------------- */

static double clamp(double x, double limit) {
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* Distance of the two segments; w: the middle of a less that of b. */
static double segment_distance(const edge *a, const edge *b, rps_vec3 w) {
    rps_vec3 m = rps_vec3_cross(a->along, b->along);
    double m2 = rps_vec3_norm2(m), cosine = rps_vec3_dot(a->along, b->along);
    double t = m2 > 0.0 ? clamp(rps_vec3_dot(rps_vec3_cross(b->along, w), m) / m2, a->half) : 0.0;
    double u = clamp(rps_vec3_dot(b->along, w) + cosine * t, b->half);
    t = clamp(cosine * u - rps_vec3_dot(a->along, w), a->half);
    return rps_vec3_norm(rps_vec3_add_scaled(rps_vec3_add_scaled(w, t, a->along), -u, b->along));
}

/* The least component of the unit vector n along the outward normals of the edge's faces: negative by the sine of the
 * angle by which it leaves the cone between them. A segment's cone is everything. */
static double inside_cone(const edge *e, rps_vec3 n) {
    double least = 1.0;
    for (int k = 0; k < e->faces; k++) {
        double c = rps_vec3_dot(n, e->out[k]);
        least = c < least ? c : least;
    }
    return least;
}

static double least_of(double a, double b) {
    return a < b ? a : b;
}

static rps_touch_result edge_touch(const posed *i, const posed *j, rps_vec3 d, unsigned pair, double reach,
                                   rps_touch *out) {
    edge a = edge_at(i, pair / edges(j->core)), b = edge_at(j, pair % edges(j->core));
    double ri = i->core->radius, rj = j->core->radius, smallest = smallest_width(i->core, j->core);
    rps_vec3 w = rps_vec3_sub(rps_vec3_add(d, a.middle), b.middle);
    rps_vec3 m = rps_vec3_cross(a.along, b.along);
    double m2 = rps_vec3_norm2(m), sine = sqrt(m2);
    double apart = segment_distance(&a, &b, w) - (ri + rj);
    out->overlap = apart > 0.0 ? -apart : 0.0;
    if (sine <= least_sine || apart > reach) {
        return RPS_TOUCH_APART;
    }
    rps_vec3 n = rps_vec3_make(m.x / sine, m.y / sine, m.z / sine);
    /* The sense: out of a box, whose cones are so narrow that only one sense fits; else the one from j to i, because
     * flat cores have no inside that would be entered. */
    double sense = b.faces == 2   ? rps_vec3_dot(n, rps_vec3_add(b.out[0], b.out[1]))
                   : a.faces == 2 ? -rps_vec3_dot(n, rps_vec3_add(a.out[0], a.out[1]))
                                  : rps_vec3_dot(n, w);
    n = sense < 0.0 ? rps_vec3_neg(n) : n;
    double t = rps_vec3_dot(rps_vec3_cross(b.along, w), m) / m2;
    double u = rps_vec3_dot(rps_vec3_cross(a.along, w), m) / m2;
    double g = (ri + rj) - rps_vec3_dot(n, w);
    double shorter = least_of(a.half, b.half), end = least_of(a.half - fabs(t), b.half - fabs(u));
    double cone = least_of(inside_cone(&a, rps_vec3_neg(n)), inside_cone(&b, n));
    double overlap =
        least_of(least_of(g, 2.0 * end - fabs(g)), shorter * least_of(cone_border + cone, sine - least_sine));
    /* Flat cores and segments have no far sides. A normal outside the cones is none at any reach. */
    bool has_far_side = a.faces == 2 || b.faces == 2;
    if (overlap < -reach || cone_border + cone < 0.0 || (has_far_side && g > far_side * smallest)) {
        return RPS_TOUCH_APART;
    }
    out->normal = n;
    out->overlap = overlap;
    /* Where the overlap is less than that of the lines, both points move to their middle alike. */
    double share = 0.5 * (g - overlap);
    out->arm_i = rps_vec3_add_scaled(rps_vec3_add_scaled(a.middle, t, a.along), share - ri, n);
    out->arm_j = rps_vec3_add_scaled(rps_vec3_add_scaled(b.middle, u, b.along), rj - share, n);
    out->curve_i = across(curvature(i->core), rps_vec3_cross(n, a.along));
    out->curve_j = across(curvature(j->core), rps_vec3_cross(n, b.along));
    return overlap > 0.0 && g > RPS_CORE_DEEP * smallest ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

/* ---- all features -------------------------------------------------------------------------------------------------- */

typedef enum kind { VERTEX_OF_I, VERTEX_OF_J, EDGES } kind;

/* Which kind a feature is, and its number within the kind. */
static kind kind_of(const rps_shape_core *i, const rps_shape_core *j, unsigned *feature) {
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

rps_touch_result rps_core_touch(const rps_shape_core *i, rps_quat turn_i, const rps_shape_core *j, rps_quat turn_j,
                                rps_vec3 d, unsigned feature, double reach, rps_touch *out) {
    posed a = pose(i, turn_i), b = pose(j, turn_j);
    switch (kind_of(i, j, &feature)) {
    case VERTEX_OF_I:
        return vertex_touch(&a, &b, d, feature, reach, out);
    case VERTEX_OF_J: {
        rps_touch_result result = vertex_touch(&b, &a, rps_vec3_neg(d), feature, reach, out);
        if (result != RPS_TOUCH_APART) {
            mirror(out);
        }
        return result;
    }
    case EDGES:
    default:
        return edge_touch(&a, &b, d, feature, reach, out);
    }
}

double rps_core_gap(const rps_shape_core *i, rps_quat turn_i, const rps_shape_core *j, rps_quat turn_j, rps_vec3 d,
                    unsigned feature) {
    posed a = pose(i, turn_i), b = pose(j, turn_j);
    switch (kind_of(i, j, &feature)) {
    case VERTEX_OF_I:
        return vertex_gap(&a, &b, d, feature);
    case VERTEX_OF_J:
        return vertex_gap(&b, &a, rps_vec3_neg(d), feature);
    case EDGES:
    default: {
        edge e = edge_at(&a, feature / edges(j)), f = edge_at(&b, feature % edges(j));
        rps_vec3 w = rps_vec3_sub(rps_vec3_add(d, e.middle), f.middle);
        return segment_distance(&e, &f, w) - (i->radius + j->radius);
    }
    }
}

rps_touch_result rps_core_plane_touch(const rps_shape_core *i, rps_quat turn_i, rps_quat turn_plane, rps_vec3 d,
                                      unsigned feature, double reach, rps_touch *out) {
    posed a = pose(i, turn_i);
    rps_vec3 n = rps_vec3_normalize(rps_quat_rotate(turn_plane, rps_vec3_make(0.0, 0.0, 1.0)));
    rps_vec3 v = vertex_at(&a, feature), from_plane = rps_vec3_add(d, v);
    double height = rps_vec3_dot(n, from_plane);
    rps_touch_result result = judge(i->radius - height, reach, RPS_CORE_DEEP * width(i), out);
    if (result == RPS_TOUCH_APART) {
        return result;
    }
    out->normal = n;
    out->arm_i = rps_vec3_add_scaled(v, -i->radius, n);
    out->arm_j = rps_vec3_add_scaled(from_plane, -height, n);
    out->curve_i = all_round(curvature(i), n);
    out->curve_j = (rps_sym3){{0}};
    return result;
}

double rps_core_plane_gap(const rps_shape_core *i, rps_quat turn_i, rps_quat turn_plane, rps_vec3 d, unsigned feature) {
    posed a = pose(i, turn_i);
    rps_vec3 n = rps_vec3_normalize(rps_quat_rotate(turn_plane, rps_vec3_make(0.0, 0.0, 1.0)));
    return rps_vec3_dot(n, rps_vec3_add(d, vertex_at(&a, feature))) - i->radius;
}
