/* Pieces of a mesh in reach of a smooth body; mesh_smooth.h has the rule. */
#include "detect/mesh_smooth.h"

#include <math.h>

#include "base/elementary.h"
#include "mesh/piece_nodes.h"

/* Of the size of the body: a foot that joins a nearer one within this is the same point, by rounding. */
static const double SAME_FOOT = 16.0 * 0x1p-52;

bool rps_mesh_is_smooth(const rps_side *body) {
    return rps_mesh_oval_refuses(body->shape, body->parameter) == NULL;
}

rps_mesh_smooth rps_mesh_smooth_of(const rps_side *i, const rps_side *j, rps_vec3 d) {
    const double *axis = i->parameter;
    rps_mesh_smooth b = {.shape = rps_mesh_oval_of(i->shape, axis, rps_quat_rotate_inverse(j->orientation, d),
                                                   rps_quat_mul(rps_quat_conjugate(j->orientation), i->orientation)),
                         .bound = i->shape->bounding_radius(axis),
                         .least = rps_mesh_oval_least(i->shape, axis)};
    b.most = (b.bound * b.bound) / (0.5 * i->shape->smallest_width(axis));
    if (b.shape.exponents != NULL) b.most = b.bound / RPS_CURVATURE_FLOOR; /* it may be flat */
    return b;
}

static double edge_distance(const void *shape, const rps_mesh_face *face, int k, rps_vec3 *at) {
    const rps_mesh_smooth *body = shape;
    const rps_oval_foot foot = rps_mesh_oval_edge(&body->shape, face, k);
    *at = foot.point;
    return foot.distance + body->least;
}

/* All of a triangle is beyond the plane that stands on the line from the centre to its nearest point: how far that is from the
 * body, m. */
static double beyond_point(const rps_mesh_smooth *body, const rps_reached *at) {
    if (!(at->distance > 0.0)) return -INFINITY;
    const rps_vec3 n = rps_vec3_scale(rps_vec3_sub(at->point, body->shape.centre), 1.0 / at->distance);
    return at->distance - rps_mesh_oval_support(&body->shape, n);
}

size_t rps_mesh_smooth_keep(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, rps_reached *found,
                            size_t count, double *gap) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t triangle = found[k].triangle;
        const double height = rps_mesh_oval_height(&body->shape, &mesh->face[triangle]);
        const double beyond = beyond_point(body, &found[k]), bound = height > beyond ? height : beyond;
        if (gap != NULL && bound < *gap) *gap = bound;
        if (!(bound < reach - body->least + SAME_FOOT * body->bound)) continue; /* the bound has been rounded */
        const rps_oval_foot foot = rps_mesh_oval_triangle(&body->shape, &mesh->face[triangle]);
        const double distance = foot.distance + body->least;
        if (distance < reach) found[kept++] = (rps_reached){triangle, distance, foot.point};
    }
    return kept;
}

static rps_mesh_node *smooth_pieces(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach,
                                    const rps_reached *found, size_t count, void *scratch) {
    const rps_mesh_body of = {.centre = body->shape.centre, .edge_distance = edge_distance, .shape = body};
    return rps_mesh_grow_pieces(mesh, &of, reach, found, count, scratch);
}

static rps_oval_foot foot_at(const rps_mesh_smooth *body, const rps_mesh *mesh, const rps_reached *at) {
    return rps_mesh_oval_triangle(&body->shape, &mesh->face[at->triangle]);
}

static bool is_same_foot(const rps_mesh_smooth *body, const rps_mesh_node *node, const rps_reached *at) {
    return node->ends && !(node->joint - at->distance > SAME_FOOT * body->bound);
}

/* --- sums ------------------------------------------------------------------------------------------------------------ */

/* The sums over the feet and joints of a piece, with overlap^p times (R_eff over that of the first foot)^q. */
typedef struct smooth_sum {
    double power, energy;       /* m^p, without and with R_eff */
    double weight;              /* m^(p - 1) */
    rps_vec3 slope, at, moment; /* weighted: directions, points and torques, both from the first foot */
    rps_vec3 force, torque;     /* of changes of H, times R_eff, about the first foot; weighted as the energy */
    int terms;
} smooth_sum;

typedef struct smooth_piece {
    const rps_mesh_smooth *body;
    double exponent, radius_exponent;
    rps_oval_foot first;
    double first_mean; /* 1/m */
} smooth_piece;

/* R_eff^q of a foot over that of the first one. */
static double foot_stiffness(const smooth_piece *p, double mean) {
    return p->radius_exponent == 0.0 ? 1.0 : rps_pow(p->first_mean / mean, p->radius_exponent);
}

static void add_foot(const smooth_piece *p, smooth_sum *sum, double sign, const rps_oval_foot *foot) {
    const double overlap = -foot->distance;
    if (!(overlap > 0.0)) return;
    const rps_oval_bend bend = rps_mesh_oval_bend(&p->body->shape, foot);
    const double stiff = foot_stiffness(p, bend.mean);
    const double power = sign * rps_mesh_overlap_power(overlap, p->exponent), energy = stiff * power;
    const double weight = energy / overlap;
    const rps_vec3 at = rps_vec3_sub(foot->point, p->first.point);
    sum->power += power;
    sum->energy += energy;
    sum->weight += weight;
    sum->slope = rps_vec3_add_scaled(sum->slope, weight, foot->normal);
    sum->at = rps_vec3_add_scaled(sum->at, weight, at);
    sum->moment = rps_vec3_add_scaled(sum->moment, weight, rps_vec3_cross(at, foot->normal));
    const double part = energy / bend.mean;
    sum->force = rps_vec3_add_scaled(sum->force, part, bend.force);
    sum->torque = rps_vec3_add_scaled(sum->torque, part, rps_vec3_add(bend.torque, rps_vec3_cross(at, bend.force)));
    sum->terms++;
}

/* Force and torque act where the load does, at half of the overlap. at: of the point they were summed about, from the point of the
 * contact. */
static void put_bend(rps_mesh_wrench *out, const rps_mesh_contact *contact, rps_vec3 at, double scale, rps_vec3 force,
                     rps_vec3 torque) {
    const rps_vec3 arm = rps_vec3_add_scaled(at, 0.5 * contact->overlap, contact->normal);
    out->force = rps_vec3_scale(force, scale);
    out->torque = rps_vec3_scale(rps_vec3_add(torque, rps_vec3_cross(arm, force)), scale);
}

static void put_one(const smooth_piece *p, uint32_t triangle, rps_mesh_contact *out, rps_mesh_wrench *wrench) {
    const bool bends = p->radius_exponent != 0.0 && p->first.distance < 0.0;
    *out = (rps_mesh_contact){.overlap = -p->first.distance,
                              .gain = 1.0,
                              .normal = p->first.normal,
                              .foot = triangle,
                              .point = p->first.point};
    *wrench = (rps_mesh_wrench){.curvature = bends ? 0.0 : rps_mesh_oval_mean(&p->body->shape, &p->first)};
    if (!bends) return;
    const rps_oval_bend bend = rps_mesh_oval_bend(&p->body->shape, &p->first);
    wrench->curvature = bend.mean;
    put_bend(wrench, out, rps_vec3_zero(), p->radius_exponent / bend.mean, bend.force, bend.torque);
}

/* Of several feet. The load acts along the mean direction; its line goes where no torque is left but that about itself. The point
 * lies on it as if there were one foot. */
static void put_smooth_sum(const smooth_piece *p, const smooth_sum *sum, rps_mesh_contact *out,
                           rps_mesh_wrench *wrench) {
    const double slope = rps_vec3_norm(sum->slope), q = p->radius_exponent;
    out->overlap = p->exponent == 2.0 ? sqrt(sum->power) : rps_pow(sum->power, 1.0 / p->exponent);
    out->gain = slope * out->overlap / sum->energy;
    out->normal = rps_vec3_scale(sum->slope, 1.0 / slope);
    const rps_vec3 middle = rps_vec3_scale(sum->at, 1.0 / sum->weight);
    const rps_vec3 moment = rps_vec3_sub(sum->moment, rps_vec3_cross(middle, sum->slope));
    rps_vec3 at = rps_vec3_add_scaled(middle, 1.0 / slope, rps_vec3_cross(out->normal, moment));
    const rps_vec3 below = rps_vec3_sub(p->body->shape.centre, rps_vec3_add(p->first.point, at));
    const double depth = rps_mesh_oval_support(&p->body->shape, out->normal) - out->overlap;
    at = rps_vec3_add_scaled(at, rps_vec3_dot(below, out->normal) - depth, out->normal);
    out->point = rps_vec3_add(p->first.point, at);
    const double mean = q == 0.0 ? p->first_mean : p->first_mean * rps_pow(sum->power / sum->energy, 1.0 / q);
    *wrench = (rps_mesh_wrench){.curvature = mean, .couple = rps_vec3_dot(moment, out->normal) / slope};
    if (q != 0.0) put_bend(wrench, out, rps_vec3_neg(at), q / sum->energy, sum->force, sum->torque);
}

static void find_contact(smooth_piece *p, const rps_mesh *mesh, const rps_mesh_node *node, const rps_reached *found,
                         size_t count, size_t root, rps_mesh_contact *out, rps_mesh_wrench *wrench) {
    p->first = foot_at(p->body, mesh, &found[root]);
    put_one(p, found[root].triangle, out, wrench);
    if (!(out->overlap > 0.0)) return;
    p->first_mean = wrench->curvature;
    smooth_sum sum = {0};
    for (size_t k = 0; k < count; k++) {
        uint32_t r = (uint32_t)k;
        while (node[r].parent != r) r = node[r].parent;
        if (r != root || is_same_foot(p->body, &node[k], &found[k])) continue;
        const rps_oval_foot foot = foot_at(p->body, mesh, &found[k]);
        add_foot(p, &sum, 1.0, &foot);
        if (!node[k].ends) continue;
        const rps_mesh_face *face = &mesh->face[found[node[k].joins[0]].triangle];
        const rps_oval_foot joint = rps_mesh_oval_edge(&p->body->shape, face, node[k].edge);
        add_foot(p, &sum, -1.0, &joint);
    }
    if (sum.terms > 1) put_smooth_sum(p, &sum, out, wrench);
}

size_t rps_mesh_smooth_contacts(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, double exponent,
                                double radius_exponent, const rps_reached *found, size_t count, void *scratch,
                                rps_mesh_contact *out, rps_mesh_wrench *wrench, size_t capacity) {
    const rps_mesh_node *node = smooth_pieces(body, mesh, reach, found, count, scratch);
    smooth_piece p = {.body = body, .exponent = exponent, .radius_exponent = radius_exponent};
    size_t contacts = 0;
    for (size_t k = 0; k < count; k++) {
        if (node[k].ends) continue;
        if (contacts < capacity) find_contact(&p, mesh, node, found, count, k, &out[contacts], &wrench[contacts]);
        contacts++;
    }
    return contacts;
}

/* --- shares ---------------------------------------------------------------------------------------------------------- */

/* The load of a foot or joint over that of the contact, up to a common factor. */
static double weight_of(const smooth_piece *p, const rps_oval_foot *foot) {
    const double overlap = -foot->distance;
    if (!(overlap > 0.0)) return 0.0;
    const double mean = rps_mesh_oval_mean(&p->body->shape, foot);
    return foot_stiffness(p, mean) * (rps_mesh_overlap_power(overlap, p->exponent) / overlap);
}

static void add_smooth_share(rps_mesh_share *share, double size, rps_vec3 n) {
    share->size += size;
    share->direction = rps_vec3_add_scaled(share->direction, size, n);
}

/* In equal parts to the triangles that have the foot at k as theirs. */
static void share_smooth_foot(const rps_reached *found, size_t count, size_t k, double size, rps_vec3 n,
                              rps_mesh_share *out) {
    size_t beside = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t m = 0; m < count; m++) {
            const rps_vec3 a = found[m].point, b = found[k].point;
            if (found[m].distance != found[k].distance || a.x != b.x || a.y != b.y || a.z != b.z) continue;
            if (pass == 0) beside++;
            if (pass == 1) add_smooth_share(&out[m], size / (double)beside, n);
        }
    }
}

bool rps_mesh_smooth_shares(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, double exponent,
                            double radius_exponent, const rps_reached *found, size_t count, void *scratch,
                            uint32_t foot, rps_mesh_share *out) {
    size_t root = 0;
    while (root < count && found[root].triangle != foot) root++;
    if (root == count) return false;
    const rps_mesh_node *node = smooth_pieces(body, mesh, reach, found, count, scratch);
    if (node[root].ends) return false;
    smooth_piece p = {.body = body, .exponent = exponent, .radius_exponent = radius_exponent};
    p.first = foot_at(body, mesh, &found[root]);
    p.first_mean = rps_mesh_oval_mean(&body->shape, &p.first);
    for (size_t k = 0; k < count; k++) out[k] = (rps_mesh_share){.size = 0.0};
    if (!(p.first.distance < 0.0)) share_smooth_foot(found, count, root, 1.0, p.first.normal, out);
    for (size_t k = 0; k < count && p.first.distance < 0.0; k++) {
        uint32_t r = (uint32_t)k;
        while (node[r].parent != r) r = node[r].parent;
        if (r != root || is_same_foot(body, &node[k], &found[k])) continue;
        const rps_oval_foot at = foot_at(body, mesh, &found[k]);
        share_smooth_foot(found, count, k, weight_of(&p, &at), at.normal, out);
        if (!node[k].ends) continue;
        const rps_mesh_face *face = &mesh->face[found[node[k].joins[0]].triangle];
        const rps_oval_foot joint = rps_mesh_oval_edge(&body->shape, face, node[k].edge);
        for (int m = 0; m < 2; m++)
            add_smooth_share(&out[node[k].joins[m]], -0.5 * weight_of(&p, &joint), joint.normal);
    }
    rps_mesh_shares_scale(out, count);
    return true;
}

/* --- feet ------------------------------------------------------------------------------------------------------------ */

static bool smooth_is_nearer(const rps_reached *found, size_t a, size_t b) {
    return found[a].distance < found[b].distance || (found[a].distance == found[b].distance && a < b);
}

/* The nearest foot that is not before `after`; count: none. */
static size_t smooth_next_foot(const rps_mesh_smooth *body, const rps_mesh_node *node, const rps_reached *found,
                               size_t count, size_t after) {
    size_t next = count;
    for (size_t k = 0; k < count; k++) {
        if (is_same_foot(body, &node[k], &found[k])) continue;
        if (after < count && (k == after || smooth_is_nearer(found, k, after))) continue;
        if (next == count || smooth_is_nearer(found, k, next)) next = k;
    }
    return next;
}

static uint32_t smooth_root_of(const rps_mesh_node *node, size_t k) {
    uint32_t r = (uint32_t)k;
    while (node[r].parent != r) r = node[r].parent;
    return r;
}

static size_t smooth_number_of(const rps_reached *found, uint32_t triangle) {
    size_t k = 0;
    while (found[k].triangle != triangle) k++;
    return k;
}

size_t rps_mesh_smooth_feet(const rps_mesh_smooth *body, const rps_mesh *mesh, double reach, const rps_reached *found,
                            size_t count, void *scratch, rps_mesh_contact *out, rps_mesh_wrench *wrench,
                            size_t capacity) {
    const rps_mesh_node *node = smooth_pieces(body, mesh, reach, found, count, scratch);
    smooth_piece p = {.body = body, .exponent = 2.0};
    size_t feet = 0;
    for (size_t k = smooth_next_foot(body, node, found, count, count); k < count;
         k = smooth_next_foot(body, node, found, count, k)) {
        p.first = foot_at(body, mesh, &found[k]);
        bool same = false;
        for (size_t m = 0; m < feet && m < capacity && !same; m++) {
            same = rps_vec3_dot(p.first.normal, out[m].normal) > RPS_MESH_SAME_FOOT &&
                   smooth_root_of(node, smooth_number_of(found, out[m].foot)) == smooth_root_of(node, k);
        }
        if (same) continue;
        if (feet < capacity) put_one(&p, found[k].triangle, &out[feet], &wrench[feet]);
        feet++;
    }
    return feet;
}

/* --- the nearest foot ------------------------------------------------------------------------------------------------ */

typedef struct smooth_search {
    const rps_mesh_smooth *body;
    const rps_mesh *mesh;
    rps_oval_foot *best;
    uint32_t triangle;
    bool found;
} smooth_search;

static void visit_smooth(void *context, uint32_t triangle, double *radius) {
    smooth_search *s = context;
    const rps_oval_foot foot = rps_mesh_oval_triangle(&s->body->shape, &s->mesh->face[triangle]);
    const bool tie = s->found && foot.distance == s->best->distance && triangle < s->triangle;
    if (!(foot.distance < s->best->distance || tie)) return;
    *s->best = foot;
    s->triangle = triangle;
    s->found = true;
    const double within = foot.distance + s->body->bound;
    if (within < *radius) *radius = within;
}

bool rps_mesh_smooth_nearest(const rps_mesh_smooth *body, const rps_mesh *mesh, double within, rps_oval_foot *foot) {
    *foot = (rps_oval_foot){.distance = within};
    smooth_search s = {body, mesh, foot, 0, false};
    rps_box_tree_find_near(&mesh->tree, body->shape.centre, body->bound + within, visit_smooth, &s);
    return s.found;
}
