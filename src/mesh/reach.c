/*
 * The contacts of a ball with a mesh; reach.h has the rule.
 *
 * Pieces are found as Kruskal finds a spanning forest: triangles appear at their distance, edges join their triangles at
 * theirs, and of two pieces that join, the one with the later foot ends. Distances to an edge or a point of the mesh come
 * from one routine with one order of its ends, so all triangles beside it have the same bits, and what they share cancels.
 */
#include "mesh/piece_nodes.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

/* --- nearest points -------------------------------------------------------------------------------------------------- */

/* The point of an edge nearest to c; a has the lower number. Returns the square of its distance. */
static double nearest_between(rps_vec3 a, rps_vec3 b, rps_vec3 c, rps_vec3 *at) {
    const rps_vec3 along = rps_vec3_sub(b, a), to = rps_vec3_sub(c, a);
    const double way = rps_vec3_dot(to, along), length2 = rps_vec3_norm2(along);
    *at = !(way > 0.0) ? a : way >= length2 ? b : rps_vec3_add_scaled(a, way / length2, along);
    return rps_vec3_norm2(rps_vec3_sub(c, *at));
}

/* Edge k of a face, with one order of its ends for all faces beside it. */
static double nearest_of_edge(const rps_mesh_face *face, int k, rps_vec3 c, rps_vec3 *at) {
    const int m = k < 2 ? k + 1 : 0;
    const bool ordered = face->corner[k] < face->corner[m];
    const rps_vec3 one = rps_vec3_of(face->point[k]), two = rps_vec3_of(face->point[m]);
    return nearest_between(ordered ? one : two, ordered ? two : one, c, at);
}

/* Height over the plane of a face, m, on the side of the normal. */
static double height_over_plane(const rps_mesh_face *face, rps_vec3 c) {
    return rps_vec3_dot(rps_vec3_of(face->normal), rps_vec3_sub(c, rps_vec3_of(face->point[0])));
}

/* True if the foot of the perpendicular on the plane lies beyond edge k. */
static bool is_beyond(const rps_mesh_face *face, int k, rps_vec3 n, rps_vec3 c) {
    const rps_vec3 a = rps_vec3_of(face->point[k]), b = rps_vec3_of(face->point[k < 2 ? k + 1 : 0]);
    return !(rps_vec3_dot(rps_vec3_cross(n, rps_vec3_sub(b, a)), rps_vec3_sub(c, a)) > 0.0);
}

/* The foot of the perpendicular on the plane, if it lies inside; else the nearest point is on an edge beyond which it lies. */
static rps_reached nearest_of_triangle(const rps_mesh *mesh, uint32_t triangle, rps_vec3 c) {
    const rps_mesh_face *face = &mesh->face[triangle];
    const rps_vec3 n = rps_vec3_of(face->normal);
    rps_reached out = {triangle, INFINITY, rps_vec3_zero()};
    bool is_above = true;
    for (int k = 0; k < 3; k++) {
        if (!is_beyond(face, k, n, c)) continue;
        is_above = false;
        rps_vec3 at;
        const double distance2 = nearest_of_edge(face, k, c, &at);
        if (!(distance2 < out.distance)) continue;
        out.distance = distance2;
        out.point = at;
    }
    if (is_above) {
        const double height = height_over_plane(face, c);
        return (rps_reached){triangle, fabs(height), rps_vec3_add_scaled(c, -height, n)};
    }
    out.distance = sqrt(out.distance);
    return out;
}

/* --- triangles in reach ---------------------------------------------------------------------------------------------- */

typedef struct reach_search {
    const rps_mesh *mesh;
    rps_vec3 centre;
    double reach;
    rps_reached *out;
    size_t count, capacity;
} reach_search;

static bool is_touchable(const rps_mesh *mesh, uint32_t triangle, rps_vec3 c) {
    if (mesh->side == RPS_MESH_BOTH) return true;
    const double height = height_over_plane(&mesh->face[triangle], c);
    return mesh->side == RPS_MESH_OUTER ? height > 0.0 : height < 0.0;
}

static void look_at_triangle(reach_search *s, uint32_t triangle) {
    if (!is_touchable(s->mesh, triangle, s->centre)) return;
    const rps_reached nearest = nearest_of_triangle(s->mesh, triangle, s->centre);
    if (!(nearest.distance < s->reach)) return;
    if (s->count < s->capacity) s->out[s->count] = nearest;
    s->count++;
}

static void visit_reached(void *context, uint32_t triangle, double *radius) {
    (void)radius;
    look_at_triangle(context, triangle);
}

/* Few, and nearly in order. */
static void sort_reached(rps_reached *reached, size_t count) {
    for (size_t k = 1; k < count; k++) {
        const rps_reached one = reached[k];
        size_t at = k;
        for (; at > 0 && reached[at - 1].triangle > one.triangle; at--) reached[at] = reached[at - 1];
        reached[at] = one;
    }
}

size_t rps_mesh_reach(const rps_mesh *mesh, rps_vec3 centre, double reach, rps_reached *out, size_t capacity) {
    reach_search s = {mesh, centre, reach, out, 0, capacity};
    rps_box_tree_find_near(&mesh->tree, centre, reach, visit_reached, &s);
    if (s.count <= capacity) sort_reached(out, s.count);
    return s.count;
}

/* The part of distances, and of a displacement, that covers the rounding of bounds. */
#define BOUND_SLACK 1e-6

size_t rps_mesh_reach_among(const rps_mesh *mesh, rps_vec3 centre, double reach, const rps_mesh_near *near,
                            size_t count, rps_vec3 moved, rps_reached *out, size_t capacity) {
    reach_search s = {mesh, centre, reach, out, 0, capacity};
    const double by = rps_vec3_norm(moved), below = reach + BOUND_SLACK * by;
    for (size_t k = 0; k < count && (double)near[k].distance - by < below; k++) {
        const float *n = near[k].direction;
        const double towards = ((double)n[0] * moved.x + (double)n[1] * moved.y) + (double)n[2] * moved.z;
        if ((double)near[k].distance + towards < below) look_at_triangle(&s, near[k].triangle);
    }
    if (s.count <= capacity) sort_reached(out, s.count);
    return s.count;
}

typedef struct near_search {
    const rps_mesh *mesh;
    rps_vec3 point;
    double within;
    rps_mesh_near *out;
    size_t count, capacity;
} near_search;

static void visit_near(void *context, uint32_t triangle, double *radius) {
    near_search *s = context;
    const rps_reached nearest = nearest_of_triangle(s->mesh, triangle, s->point);
    const double d = nearest.distance;
    if (!(d < s->within)) return;
    const rps_vec3 n = rps_vec3_scale(rps_vec3_sub(s->point, nearest.point), d > 0.0 ? 1.0 / d : 0.0);
    const rps_mesh_near one = {triangle, (float)(d - BOUND_SLACK * d), {(float)n.x, (float)n.y, (float)n.z}};
    const size_t kept = s->count < s->capacity ? s->count : s->capacity;
    size_t at = kept < s->capacity ? kept : kept - 1; /* of more than fit the farthest leaves */
    if (kept == s->capacity && !(one.distance < s->out[at].distance)) at = s->capacity;
    for (; at > 0 && at < s->capacity && s->out[at - 1].distance > one.distance; at--) s->out[at] = s->out[at - 1];
    if (at < s->capacity) s->out[at] = one;
    s->count++;
    if (s->count > s->capacity) *radius = s->within = (double)s->out[s->capacity - 1].distance;
}

size_t rps_mesh_find_near(const rps_mesh *mesh, rps_vec3 point, double *within, rps_mesh_near *out, size_t capacity) {
    near_search s = {mesh, point, *within, out, 0, capacity};
    rps_box_tree_find_near(&mesh->tree, point, *within, visit_near, &s);
    *within = s.within;
    return s.count;
}

typedef struct nearest_search {
    const rps_mesh *mesh;
    rps_vec3 point;
    rps_reached *best;
    bool found;
} nearest_search;

static void visit_nearest(void *context, uint32_t triangle, double *radius) {
    nearest_search *s = context;
    const rps_reached one = nearest_of_triangle(s->mesh, triangle, s->point);
    const bool tie = s->found && one.distance == *radius && triangle < s->best->triangle;
    if (!(one.distance < *radius || tie)) return;
    *s->best = one;
    *radius = one.distance;
    s->found = true;
}

bool rps_mesh_nearest(const rps_mesh *mesh, rps_vec3 point, double within, rps_reached *out) {
    *out = (rps_reached){.distance = INFINITY};
    nearest_search s = {mesh, point, out, false};
    rps_box_tree_find_near(&mesh->tree, point, within, visit_nearest, &s);
    return s.found;
}

/* --- pieces ---------------------------------------------------------------------------------------------------------- */

/* An edge in reach that joins two triangles. */
typedef struct reach_link {
    double distance; /* m, at which it joins them: not before both are there */
    uint32_t a, b;   /* nodes */
    int edge;        /* of a */
    rps_vec3 point;
} reach_link;

enum { LINKS_PER_TRIANGLE = 3, FEW = 8 };

size_t rps_mesh_contacts_scratch(size_t count) {
    return count * (sizeof(rps_mesh_node) + LINKS_PER_TRIANGLE * sizeof(reach_link));
}

static size_t node_of(const rps_reached *found, size_t count, uint32_t triangle) {
    size_t low = 0;
    for (size_t step = count; step > FEW;) { /* halves: `low` stays at or before its place */
        const size_t half = step / 2;
        if (found[low + half].triangle <= triangle) low += half;
        step -= half;
    }
    for (size_t k = low; k < count && found[k].triangle <= triangle; k++) {
        if (found[k].triangle == triangle) return k;
    }
    return SIZE_MAX;
}

/* Of two feet, which ends when their pieces join: the farther one; of equal ones that of the higher triangle. */
static bool is_nearer(const rps_reached *found, size_t a, size_t b) {
    return found[a].distance < found[b].distance || (found[a].distance == found[b].distance && a < b);
}

static bool is_before(const reach_link *a, const reach_link *b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->a < b->a || (a->a == b->a && a->b < b->b);
}

/* The next triangle at an edge with several that is in reach: a chain through all of them. */
static size_t next_at_edge(const rps_mesh *mesh, uint32_t edge, const rps_reached *found, size_t count, size_t node) {
    for (uint32_t m = mesh->edge_first[edge]; m < mesh->edge_first[edge + 1]; m++) { /* their numbers rise */
        if (mesh->edge_triangle[m] <= found[node].triangle) continue;
        const size_t at = node_of(found, count, mesh->edge_triangle[m]);
        if (at != SIZE_MAX) return at;
    }
    return SIZE_MAX;
}

/* Adds the links of one triangle with those of higher numbers. */
static size_t add_links(const rps_mesh *mesh, const rps_mesh_body *body, double reach, const rps_reached *found,
                        size_t count, size_t node, reach_link *link, size_t links) {
    const uint32_t triangle = found[node].triangle;
    const rps_mesh_face *face = &mesh->face[triangle];
    for (int k = 0; k < 3; k++) {
        const uint32_t across = face->across[k];
        if (across == RPS_NO_TRIANGLE || (across < triangle && across != RPS_TRIANGLES)) continue;
        const size_t own = across == RPS_TRIANGLES ? next_at_edge(mesh, mesh->edge_of[triangle][k], found, count, node)
                                                   : node_of(found, count, across);
        if (own == SIZE_MAX) continue;
        rps_vec3 at;
        double distance = body->edge_distance != NULL ? body->edge_distance(body->shape, face, k, &at)
                                                      : sqrt(nearest_of_edge(face, k, body->centre, &at));
        if (!(distance < reach)) continue;
        /* rounding may put it before a foot beside it */
        if (found[node].distance > distance) distance = found[node].distance;
        if (found[own].distance > distance) distance = found[own].distance;
        link[links++] = (reach_link){distance, (uint32_t)node, (uint32_t)own, k, at};
    }
    return links;
}

static void sort_links(reach_link *link, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t k = gap; k < count; k++) {
            const reach_link one = link[k];
            size_t at = k;
            for (; at >= gap && is_before(&one, &link[at - gap]); at -= gap) link[at] = link[at - gap];
            link[at] = one;
        }
    }
}

static uint32_t piece_of(rps_mesh_node *node, uint32_t n) {
    while (node[n].parent != n) {
        node[n].parent = node[node[n].parent].parent;
        n = node[n].parent;
    }
    return n;
}

static void join_all(rps_mesh_node *node, const rps_reached *found, const reach_link *link, size_t links) {
    for (size_t k = 0; k < links; k++) {
        const uint32_t a = piece_of(node, link[k].a), b = piece_of(node, link[k].b);
        if (a == b) continue;
        const uint32_t stays = is_nearer(found, a, b) ? a : b, leaves = stays == a ? b : a;
        node[leaves].parent = stays;
        node[leaves].ends = true;
        node[leaves].joint = link[k].distance;
        node[leaves].joint_point = link[k].point;
        node[leaves].joins[0] = link[k].a;
        node[leaves].joins[1] = link[k].b;
        node[leaves].edge = link[k].edge;
    }
}

static double overlap_root(double x, double p) {
    return p == 2.0 ? sqrt(x) : rps_pow(x, 1.0 / p);
}

/* The sums over the feet and joints of a piece. */
typedef struct piece_sum {
    double energy;  /* m^p, sum of overlap^p */
    rps_vec3 slope; /* m^(p-1), sum of overlap^(p-1) towards the centre */
    int terms;
} piece_sum;

static void add_overlap(piece_sum *sum, double sign, double overlap, double p, rps_vec3 c, rps_vec3 at,
                        double distance) {
    if (!(overlap > 0.0 && distance > 0.0)) return;
    const double e = rps_mesh_overlap_power(overlap, p);
    sum->energy += sign * e;
    sum->slope = rps_vec3_add_scaled(sum->slope, sign * (e / overlap) / distance, rps_vec3_sub(c, at));
    sum->terms++;
}

/* The contact of the piece whose nearest foot is `first`. */
static rps_mesh_contact contact_of(const rps_mesh *mesh, const rps_mesh_node *node, const rps_reached *found,
                                   size_t count, size_t first, rps_vec3 c, double radius, double p) {
    const rps_reached *foot = &found[first];
    const double deepest = radius - foot->distance;
    rps_mesh_contact out = {.overlap = deepest, .gain = 1.0, .foot = foot->triangle};
    out.normal = foot->distance > 0.0 ? rps_vec3_scale(rps_vec3_sub(c, foot->point), 1.0 / foot->distance)
                                      : rps_vec3_of(mesh->normal[foot->triangle]); /* the centre is on the surface */
    if (!(deepest > 0.0 && foot->distance > 0.0)) return out;
    piece_sum sum = {0};
    for (size_t k = 0; k < count; k++) {
        uint32_t r = (uint32_t)k;
        while (node[r].parent != r) r = node[r].parent;
        if (r != first) continue;
        if (node[k].ends && !(node[k].joint > found[k].distance)) continue; /* one and the same point */
        add_overlap(&sum, 1.0, radius - found[k].distance, p, c, found[k].point, found[k].distance);
        if (node[k].ends) add_overlap(&sum, -1.0, radius - node[k].joint, p, c, node[k].joint_point, node[k].joint);
    }
    if (sum.terms == 1) return out;
    out.overlap = overlap_root(sum.energy, p);
    const double slope = rps_vec3_norm(sum.slope);
    out.gain = slope * out.overlap / sum.energy;
    out.normal = rps_vec3_scale(sum.slope, 1.0 / slope);
    return out;
}

rps_mesh_node *rps_mesh_grow_pieces(const rps_mesh *mesh, const rps_mesh_body *body, double reach,
                                    const rps_reached *found, size_t count, void *scratch) {
    rps_mesh_node *node = scratch;
    reach_link *link = (reach_link *)(void *)(node + count);
    size_t links = 0;
    for (size_t k = 0; k < count; k++) node[k] = (rps_mesh_node){.parent = (uint32_t)k};
    for (size_t k = 0; k < count && count > 1; k++) links = add_links(mesh, body, reach, found, count, k, link, links);
    sort_links(link, links);
    join_all(node, found, link, links);
    return node;
}

size_t rps_mesh_contacts(const rps_mesh *mesh, rps_vec3 centre, double radius, double reach, double exponent,
                         const rps_reached *found, size_t count, void *scratch, rps_mesh_contact *out,
                         size_t capacity) {
    const rps_mesh_body ball = {.centre = centre};
    const rps_mesh_node *node = rps_mesh_grow_pieces(mesh, &ball, reach, found, count, scratch);
    size_t contacts = 0;
    for (size_t k = 0; k < count; k++) {
        if (node[k].ends) continue;
        if (contacts < capacity) out[contacts] = contact_of(mesh, node, found, count, k, centre, radius, exponent);
        contacts++;
    }
    return contacts;
}

/* --- feet ------------------------------------------------------------------------------------------------------------ */

/* The nearest foot that is not before `after`; count: none. */
static size_t next_foot(const rps_mesh_node *node, const rps_reached *found, size_t count, size_t after) {
    size_t next = count;
    for (size_t k = 0; k < count; k++) {
        if (node[k].ends && !(node[k].joint > found[k].distance)) continue; /* one and the same point */
        if (after < count && (k == after || is_nearer(found, k, after))) continue;
        if (next == count || is_nearer(found, k, next)) next = k;
    }
    return next;
}

size_t rps_mesh_feet(const rps_mesh *mesh, rps_vec3 centre, double radius, double reach, const rps_reached *found,
                     size_t count, void *scratch, rps_mesh_contact *out, size_t capacity) {
    const rps_mesh_body ball = {.centre = centre};
    rps_mesh_node *node = rps_mesh_grow_pieces(mesh, &ball, reach, found, count, scratch);
    size_t feet = 0;
    for (size_t k = next_foot(node, found, count, count); k < count; k = next_foot(node, found, count, k)) {
        const double d = found[k].distance;
        const rps_vec3 n = d > 0.0 ? rps_vec3_scale(rps_vec3_sub(centre, found[k].point), 1.0 / d)
                                   : rps_vec3_of(mesh->normal[found[k].triangle]);
        bool same = false;
        for (size_t m = 0; m < feet && m < capacity && !same; m++) {
            const size_t other = node_of(found, count, out[m].foot);
            same = rps_vec3_dot(n, out[m].normal) > RPS_MESH_SAME_FOOT &&
                   piece_of(node, (uint32_t)other) == piece_of(node, (uint32_t)k);
        }
        if (same) continue;
        if (feet < capacity) {
            out[feet] = (rps_mesh_contact){.overlap = radius - d, .gain = 1.0, .normal = n, .foot = found[k].triangle};
        }
        feet++;
    }
    return feet;
}
