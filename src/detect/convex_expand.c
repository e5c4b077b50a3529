/*
 * The maximum of sep(n) by polytopes inside Q (convex.h); this always terminates.
 *
 * While 0 is outside: the point of the simplex nearest to 0, then the support point against it, and so on (Gilbert,
 * Johnson and Keerthi); its distance bounds sep from above, sep of its direction from below. Once 0 is inside: the face
 * nearest to 0 is expanded by the support point across it (expanding polytope); the distance of the nearest face bounds
 * the depth from below everywhere, so what is found is the smallest depth of all directions. Polytopes end exactly. On
 * curved bodies the bounds come together slowly, so Newton's method is tried from the best direction whenever they have
 * come closer by a factor, and its result is accepted when the bounds confirm it.
 */
#include "detect/convex.h"

/* Limits of a closed surface of triangles; twice the largest numbers seen. */
enum { VERTICES = 240, FACES = 2 * VERTICES };

typedef struct vertex {
    rps_vec3 q, x_i, x_j;
} vertex;

static vertex support_vertex(const rps_convex_pair *p, rps_vec3 n) {
    const rps_vec3 x_i = rps_convex_support(&p->i, rps_vec3_neg(n)), x_j = rps_convex_support(&p->j, n);
    return (vertex){.x_i = x_i, .x_j = x_j, .q = rps_convex_between(p, x_i, x_j)};
}

/* Weights of the point of the affine hull of `count` points that is nearest to 0; false unless all are positive. */
static bool affine_nearest(const vertex *const *v, int count, double weight[4], rps_vec3 *nearest) {
    rps_vec3 a = v[0]->q;
    weight[0] = 1.0;
    if (count == 2) {
        rps_vec3 e = rps_vec3_sub(v[1]->q, a);
        double ee = rps_vec3_norm2(e);
        if (!(ee > 0.0)) return false;
        weight[1] = -rps_vec3_dot(a, e) / ee;
        weight[0] = 1.0 - weight[1];
    } else if (count == 3) {
        rps_vec3 e = rps_vec3_sub(v[1]->q, a), f = rps_vec3_sub(v[2]->q, a), m = rps_vec3_cross(e, f);
        double mm = rps_vec3_norm2(m);
        if (!(mm > 1e-28 * rps_vec3_norm2(e) * rps_vec3_norm2(f))) return false;
        weight[1] = rps_vec3_dot(rps_vec3_cross(f, a), m) / mm;
        weight[2] = rps_vec3_dot(rps_vec3_cross(a, e), m) / mm;
        weight[0] = 1.0 - weight[1] - weight[2];
        *nearest = rps_vec3_scale(m, rps_vec3_dot(a, m) / mm);
        return weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0;
    } else if (count == 4) {
        rps_vec3 e = rps_vec3_sub(v[1]->q, a), f = rps_vec3_sub(v[2]->q, a), g = rps_vec3_sub(v[3]->q, a);
        double volume = rps_vec3_dot(e, rps_vec3_cross(f, g));
        if (!(fabs(volume) > 1e-10 * rps_vec3_norm(e) * rps_vec3_norm(f) * rps_vec3_norm(g))) return false;
        weight[1] = -rps_vec3_dot(a, rps_vec3_cross(f, g)) / volume;
        weight[2] = -rps_vec3_dot(a, rps_vec3_cross(g, e)) / volume;
        weight[3] = -rps_vec3_dot(a, rps_vec3_cross(e, f)) / volume;
        weight[0] = 1.0 - weight[1] - weight[2] - weight[3];
    }
    *nearest = rps_vec3_zero();
    for (int k = 0; k < count; k++) {
        if (!(weight[k] > 0.0)) return false;
        *nearest = rps_vec3_add_scaled(*nearest, weight[k], v[k]->q);
    }
    return true;
}

/* Reduces the simplex to the face that has its point nearest to 0 in its interior. If four points stay, 0 is inside. */
static rps_vec3 convex_expand_reduce(vertex simplex[4], int *count, double weight[4]) {
    int best_mask = 0;
    double best = INFINITY, best_weight[4] = {1.0, 0.0, 0.0, 0.0};
    rps_vec3 best_point = simplex[0].q;
    for (int mask = 1; mask < 1 << *count; mask++) {
        const vertex *part[4];
        double w[4];
        int n = 0;
        rps_vec3 point;
        for (int k = 0; k < *count; k++) {
            if (mask & 1 << k) part[n++] = &simplex[k];
        }
        if (!affine_nearest(part, n, w, &point)) continue;
        double distance2 = n == 4 ? 0.0 : rps_vec3_norm2(point);
        if (distance2 < best) {
            best = distance2;
            best_mask = mask;
            best_point = n == 4 ? rps_vec3_zero() : point;
            for (int k = 0; k < n; k++) best_weight[k] = w[k];
        }
    }
    int n = 0;
    for (int k = 0; k < *count; k++) {
        if (best_mask & 1 << k) simplex[n++] = simplex[k];
    }
    *count = n;
    for (int k = 0; k < n; k++) weight[k] = best_weight[k];
    return best_point;
}

static void mix(const vertex *const *v, const double *weight, int count, rps_convex_guess *out) {
    out->x_i = out->x_j = rps_vec3_zero();
    for (int k = 0; k < count; k++) {
        out->x_i = rps_vec3_add_scaled(out->x_i, weight[k], v[k]->x_i);
        out->x_j = rps_vec3_add_scaled(out->x_j, weight[k], v[k]->x_j);
    }
}

/* Newton's method from `start`; a resulting normal no worse than `lower` becomes the best. *proven: the distance of
 * the points is the separation. */
static bool polish(const rps_convex_pair *p, const rps_convex_guess *start, double *lower, rps_convex_guess *best,
                   bool *proven, int *steps) {
    rps_convex_guess found = *start;
    rps_vec3 a, b;
    if (!rps_convex_newton(p, &found, steps)) return false;
    double sep = rps_convex_separation(p, found.n, &a, &b);
    double between = rps_vec3_dot(found.n, rps_convex_between(p, found.x_i, found.x_j));
    /* The points must be support points, else this is a different critical point. */
    if (!(sep >= *lower - 1e-13 * p->size) || !(fabs(sep - between) <= 1e-12 * p->size)) return false;
    *lower = sep;
    *best = found;
    *proven = sep > 0.0 && rps_vec3_norm(rps_convex_between(p, found.x_i, found.x_j)) - sep <= 1e-12 * p->size;
    return true;
}

typedef struct face {
    int v[3];
    int beside[3]; /* the face across the edge from v[k] to v[k + 1] */
    rps_vec3 m;    /* unit, outward */
    double plane;  /* m, of its plane from 0 along m */
    double away;   /* m, the same; infinite for a removed face, and for one too thin to have a direction */
    bool out;
} face;

/* A closed surface; the indices of removed faces are reused. */
typedef struct polytope {
    int vertices, faces;
    vertex v[VERTICES];
    face f[FACES];
    int edges; /* of the horizon, in order */
    struct {
        int face, edge;
    } horizon[FACES]; /* unseen face, and its edge towards the seen ones */
    int removed, gone[FACES];
} polytope;

/* From the two shorter edges and the corner nearest to 0. The direction of thin faces is accurate only to rounding
 * over their height, but their distance is almost as accurate as that of others. */
static void set_plane(polytope *t, face *f, rps_vec3 default_value, double size) {
    int apex = 0, near = 0;
    double longest = -1.0;
    for (int k = 0; k < 3; k++) {
        double length = rps_vec3_norm2(rps_vec3_sub(t->v[f->v[(k + 2) % 3]].q, t->v[f->v[(k + 1) % 3]].q));
        if (length > longest) {
            longest = length;
            apex = k;
        }
        if (rps_vec3_norm2(t->v[f->v[k]].q) < rps_vec3_norm2(t->v[f->v[near]].q)) near = k;
    }
    rps_vec3 a = t->v[f->v[apex]].q;
    rps_vec3 m =
        rps_vec3_cross(rps_vec3_sub(t->v[f->v[(apex + 1) % 3]].q, a), rps_vec3_sub(t->v[f->v[(apex + 2) % 3]].q, a));
    double area = rps_vec3_norm(m);
    bool thin = !(area > 1e-13 * size * sqrt(longest));
    f->m = thin ? default_value : rps_vec3_scale(m, 1.0 / area);
    f->plane = rps_vec3_dot(f->m, t->v[f->v[near]].q);
    f->away = thin ? INFINITY : f->plane;
    f->out = false;
}

/* Removes the faces visible from q, starting with this one, and records their boundary edges in order around q. */
static void take_out(polytope *t, int index, int from_edge, rps_vec3 q, double thick) {
    face *f = &t->f[index];
    if (f->out) return;
    if (from_edge >= 0 && rps_vec3_dot(f->m, q) - f->plane <= thick) {
        t->horizon[t->edges].face = index;
        t->horizon[t->edges++].edge = from_edge;
        return;
    }
    f->out = true;
    f->away = INFINITY;
    t->gone[t->removed++] = index;
    for (int k = from_edge < 0 ? 0 : 1; k < 3; k++) {
        int edge = from_edge < 0 ? k : (from_edge + k) % 3, next = f->beside[edge], back = 0;
        while (back < 2 && t->f[next].beside[back] != index) back++;
        take_out(t, next, back, q, thick);
    }
}

/* Replaces the faces visible from the new vertex, including `first`, by faces to it. False if the polytope is full or
 * rounding has broken the surface. */
static bool add_vertex(polytope *t, const vertex *added, int first, double size) {
    int slot[FACES];
    if (t->vertices == VERTICES) return false;
    t->edges = t->removed = 0;
    take_out(t, first, -1, added->q, 1e-15 * size);
    if (t->edges < 3) return false;
    for (int k = 0; k < t->edges; k++) {
        if (k < t->removed) {
            slot[k] = t->gone[k];
        } else if (t->faces < FACES) {
            slot[k] = t->faces++;
        } else {
            return false;
        }
    }
    t->v[t->vertices] = *added;
    for (int k = 0; k < t->edges; k++) {
        face *f = &t->f[slot[k]], *outside = &t->f[t->horizon[k].face];
        int edge = t->horizon[k].edge, next = (k + 1) % t->edges;
        *f = (face){.v = {outside->v[(edge + 1) % 3], outside->v[edge], t->vertices}};
        if (outside->v[edge] != t->f[t->horizon[next].face].v[(t->horizon[next].edge + 1) % 3]) return false;
        f->beside[0] = t->horizon[k].face;
        f->beside[1] = slot[next];
        f->beside[2] = slot[(k + t->edges - 1) % t->edges];
        outside->beside[edge] = slot[k];
        set_plane(t, f, outside->m, size);
    }
    t->vertices++;
    return true;
}

/* Extends `simplex` to a tetrahedron of nonzero volume; false if Q is flat, with its normal in *flat. */
static bool fill_out(const rps_convex_pair *p, vertex simplex[4], int count, rps_vec3 *flat) {
    double thin = 1e-10 * p->size;
    if (count == 1) {
        for (int k = 0; k < 6 && count == 1; k++) {
            double s = k & 1 ? -1.0 : 1.0;
            simplex[1] = support_vertex(p, k < 2   ? rps_vec3_make(s, 0, 0)
                                           : k < 4 ? rps_vec3_make(0, s, 0)
                                                   : rps_vec3_make(0, 0, s));
            if (rps_vec3_norm(rps_vec3_sub(simplex[1].q, simplex[0].q)) > thin) count = 2;
        }
        *flat = rps_vec3_make(0, 0, 1);
        if (count == 1) return false;
    }
    if (count == 2) {
        rps_vec3 along = rps_vec3_normalize(rps_vec3_sub(simplex[1].q, simplex[0].q));
        rps_vec3 t1 = rps_vec3_any_across(along), t2 = rps_vec3_cross(along, t1);
        for (int k = 0; k < 4 && count == 2; k++) {
            rps_vec3 t = k < 2 ? t1 : t2;
            simplex[2] = support_vertex(p, k & 1 ? rps_vec3_neg(t) : t);
            if (rps_vec3_norm(rps_vec3_reject(rps_vec3_sub(simplex[2].q, simplex[0].q), along)) > thin) count = 3;
        }
        *flat = t1;
        if (count == 2) return false;
    }
    if (count == 3) {
        rps_vec3 m = rps_vec3_normalize(
            rps_vec3_cross(rps_vec3_sub(simplex[1].q, simplex[0].q), rps_vec3_sub(simplex[2].q, simplex[0].q)));
        for (int k = 0; k < 2 && count == 3; k++) {
            simplex[3] = support_vertex(p, k ? rps_vec3_neg(m) : m);
            if (fabs(rps_vec3_dot(rps_vec3_sub(simplex[3].q, simplex[0].q), m)) > thin) count = 4;
        }
        *flat = m;
        if (count == 3) return false;
    }
    return true;
}

static const face *nearest_face(const polytope *t) {
    const face *nearest = NULL;
    for (int k = 0; k < t->faces; k++) {
        const face *f = &t->f[k];
        if (!f->out && f->away < INFINITY && (!nearest || f->away < nearest->away)) nearest = f;
    }
    return nearest;
}

/* 0 is inside Q or, to rounding, on its surface: finds the nearest face. */
static bool expand_inside(const rps_convex_pair *p, vertex simplex[4], int count, double enough, rps_convex_guess *best,
                          double lower, int *steps) {
    polytope t;
    rps_vec3 flat;
    bool polished = false, proven = false;
    double tried = INFINITY;
    if (!fill_out(p, simplex, count, &flat)) { /* coplanar cores: 0 is in their plane */
        for (int k = 0; k < 2; k++) {
            rps_convex_guess g = {.n = k ? rps_vec3_neg(flat) : flat};
            double sep = rps_convex_separation(p, g.n, &g.x_i, &g.x_j);
            if (sep > lower) {
                lower = sep;
                *best = g;
            }
        }
        return true;
    }
    t.vertices = 4;
    for (int k = 0; k < 4; k++) t.v[k] = simplex[k];
    rps_vec3 e = rps_vec3_sub(t.v[1].q, t.v[0].q), f = rps_vec3_sub(t.v[2].q, t.v[0].q);
    bool right = rps_vec3_dot(rps_vec3_cross(e, f), rps_vec3_sub(t.v[3].q, t.v[0].q)) < 0.0;
    int b = right ? 1 : 2, c = right ? 2 : 1;
    const int corner_of[4][3] = {{0, b, c}, {0, 3, b}, {b, 3, c}, {c, 3, 0}};
    const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    t.faces = 4;
    for (int k = 0; k < 4; k++) {
        for (int s = 0; s < 3; s++) {
            t.f[k].v[s] = corner_of[k][s];
            t.f[k].beside[s] = beside[k][s];
        }
        set_plane(&t, &t.f[k], rps_vec3_make(0, 0, 1), p->size);
    }
    for (;;) {
        const face *nearest = nearest_face(&t);
        if (!nearest) return false;
        double upper = -nearest->away; /* of sep */
        rps_vec3 n = rps_vec3_neg(nearest->m);
        vertex v = support_vertex(p, n);
        double sep = rps_vec3_dot(n, v.q);
        (*steps)++;
        if (sep > enough) {
            best->n = n;
            return true;
        }
        rps_convex_guess g = {.n = n};
        const vertex *corner[3] = {&t.v[nearest->v[0]], &t.v[nearest->v[1]], &t.v[nearest->v[2]]};
        rps_vec3 foot = rps_vec3_scale(nearest->m, nearest->away), m = nearest->m;
        double w[3], sum = 0.0;
        for (int k = 0; k < 3; k++) {
            rps_vec3 from = rps_vec3_sub(corner[(k + 1) % 3]->q, foot), to = rps_vec3_sub(corner[(k + 2) % 3]->q, foot);
            w[k] = rps_convex_max(rps_vec3_dot(rps_vec3_cross(from, to), m), 0.0);
            sum += w[k];
        }
        for (int k = 0; k < 3; k++) w[k] = sum > 0.0 ? w[k] / sum : 1.0 / 3.0;
        mix(corner, w, 3, &g);
        bool exact = upper - sep <= 1e-14 * p->size;
        if (sep > lower || (exact && !polished)) {
            lower = rps_convex_max(sep, lower);
            *best = g;
            polished = false;
        }
        double open = upper - lower;
        if (exact || (!polished && open < 0.2 * tried && open <= 0.2 * fabs(lower) + 1e-3 * p->size)) {
            tried = open;
            polished = polish(p, &g, &lower, best, &proven, steps) || polished;
            if (polished) {
                v = support_vertex(p, best->n);
                sep = rps_vec3_dot(n, v.q);
            }
        }
        double missing = upper - lower; /* upper bound of how much less deep another direction can be */
        if (exact || proven || (polished && missing <= 1e-9 * fabs(lower) + 1e-12 * p->size)) return true;
        if (!(upper - sep > 1e-15 * p->size)) v = support_vertex(p, n);
        if (!add_vertex(&t, &v, (int)(nearest - t.f), p->size)) return polished || missing <= 1e-6 * p->size;
    }
}

bool rps_convex_expand(const rps_convex_pair *p, double enough, rps_convex_guess *guess, int *steps) {
    vertex simplex[4];
    int count = 1;
    double weight[4] = {1.0, 0.0, 0.0, 0.0}, lower = -INFINITY, upper = INFINITY, tried = INFINITY;
    bool proven = false;
    rps_convex_guess best = *guess;
    simplex[0] = support_vertex(p, guess->n);
    rps_vec3 near = simplex[0].q;
    for (;;) {
        double distance = rps_vec3_norm(near);
        (*steps)++;
        if (count == 4 || distance <= 1e-10 * p->size) {
            bool met = expand_inside(p, simplex, count, enough, &best, lower, steps);
            *guess = best;
            return met;
        }
        bool closer = distance < upper;
        upper = rps_convex_min(upper, distance);
        rps_convex_guess g = {.n = rps_vec3_scale(near, 1.0 / distance)};
        const vertex *corner[4] = {&simplex[0], &simplex[1], &simplex[2], &simplex[3]};
        mix(corner, weight, count, &g);
        vertex v = support_vertex(p, g.n);
        double sep = rps_vec3_dot(g.n, v.q);
        bool met = upper - sep <= 1e-14 * p->size;
        if (sep > lower) {
            lower = sep;
            best = g;
        }
        if (sep > enough) {
            *guess = best;
            return true;
        }
        bool again = false; /* a corner that exists already: the simplex is the nearest part of a polytope */
        for (int k = 0; k < count; k++) {
            again = again || rps_vec3_norm2(rps_vec3_sub(v.q, simplex[k].q)) <= 1e-30 * p->size * p->size;
        }
        bool ended = met || again || !closer;
        double open = upper - lower;
        if (ended || (open < 0.2 * tried && open <= 0.5 * upper)) {
            tried = open;
            polish(p, &g, &lower, &best, &proven, steps);
        }
        if (proven || (ended && lower > 1e-12 * p->size)) {
            *guess = best;
            return proven || upper - lower <= 1e-12 * p->size;
        }
        if (ended) { /* touching to rounding: the direction to the nearest point is lost */
            bool sound = expand_inside(p, simplex, count, enough, &best, lower, steps);
            *guess = best;
            return sound;
        }
        simplex[count++] = v;
        near = convex_expand_reduce(simplex, &count, weight);
    }
}
