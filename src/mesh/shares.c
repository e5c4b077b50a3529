/* The triangles that carry a contact of a ball; reach.h has the rule. */
#include <string.h>

#include "mesh/piece_nodes.h"

/* True if the triangle is a foot, or ends as one, and its foot is not one with that of another triangle. */
static bool counts_as_foot(const rps_mesh_node *node, const rps_reached *found, size_t k) {
    return !node[k].ends || node[k].joint > found[k].distance;
}

static bool same_point(const rps_reached *a, const rps_reached *b) {
    return a->distance == b->distance && a->point.x == b->point.x && a->point.y == b->point.y &&
           a->point.z == b->point.z;
}

static void add_share(rps_mesh_share *share, double size, rps_vec3 c, rps_vec3 at, double distance) {
    share->size += size;
    share->direction = rps_vec3_add_scaled(share->direction, size / distance, rps_vec3_sub(c, at));
}

/* The foot at node k, whose load is as overlap^(p - 1): in equal parts to the triangles that have it as their nearest point. */
static void share_foot(const rps_reached *found, size_t count, size_t k, rps_vec3 c, double size, rps_mesh_share *out) {
    size_t beside = 0;
    for (size_t m = 0; m < count; m++) beside += same_point(&found[m], &found[k]);
    for (size_t m = 0; m < count; m++) {
        if (same_point(&found[m], &found[k])) {
            add_share(&out[m], size / (double)beside, c, found[k].point, found[k].distance);
        }
    }
}

/* The contact without a sum: where the centre is on the surface, or no foot overlaps. */
static void share_one(const rps_mesh *mesh, const rps_reached *found, size_t count, size_t root, rps_vec3 c,
                      rps_mesh_share *out) {
    if (found[root].distance > 0.0) {
        share_foot(found, count, root, c, 1.0, out);
    } else {
        out[root] = (rps_mesh_share){rps_vec3_of(mesh->normal[found[root].triangle]), 1.0, 1.0};
    }
}

static void share_piece(const rps_mesh_node *node, const rps_reached *found, size_t count, size_t root, rps_vec3 c,
                        double radius, double p, rps_mesh_share *out) {
    for (size_t k = 0; k < count; k++) {
        uint32_t r = (uint32_t)k;
        while (node[r].parent != r) r = node[r].parent;
        const double overlap = radius - found[k].distance;
        if (r != root || !counts_as_foot(node, found, k) || !(overlap > 0.0)) continue;
        share_foot(found, count, k, c, rps_mesh_overlap_power(overlap, p) / overlap, out);
        const double joint = radius - node[k].joint;
        if (!node[k].ends || !(joint > 0.0)) continue;
        for (int m = 0; m < 2; m++) {
            add_share(&out[node[k].joins[m]], -0.5 * rps_mesh_overlap_power(joint, p) / joint, c, node[k].joint_point,
                      node[k].joint);
        }
    }
}

bool rps_mesh_shares(const rps_mesh *mesh, rps_vec3 centre, double radius, double reach, double exponent,
                     const rps_reached *found, size_t count, void *scratch, uint32_t foot, rps_mesh_share *out) {
    size_t root = 0;
    while (root < count && found[root].triangle != foot) root++;
    if (root == count) return false;
    const rps_mesh_body ball = {.centre = centre};
    const rps_mesh_node *node = rps_mesh_grow_pieces(mesh, &ball, reach, found, count, scratch);
    if (node[root].ends) return false;
    memset(out, 0, count * sizeof *out);
    if (!(radius - found[root].distance > 0.0 && found[root].distance > 0.0)) {
        share_one(mesh, found, count, root, centre, out);
    } else {
        share_piece(node, found, count, root, centre, radius, exponent, out);
    }
    rps_mesh_shares_scale(out, count);
    return true;
}

void rps_mesh_shares_scale(rps_mesh_share *out, size_t count) {
    double sizes = 0.0;
    rps_vec3 sum = rps_vec3_zero();
    for (size_t k = 0; k < count; k++) {
        sizes += out[k].size;
        sum = rps_vec3_add(sum, out[k].direction);
    }
    const double slope = rps_vec3_norm(sum);
    for (size_t k = 0; k < count; k++) {
        out[k].part = out[k].size / sizes;
        out[k].size /= slope;
        out[k].direction = rps_vec3_scale(out[k].direction, 1.0 / slope);
    }
}
