/* A ball and a mesh. */
#include "detect/pair_mesh.h"

#include <math.h>

static rps_vec3 centre_of(const rps_side *mesh, rps_vec3 d) {
    return rps_quat_rotate_inverse(mesh->orientation, d);
}

void rps_mesh_touch_put(const rps_side *i, rps_vec3 d, rps_vec3 normal, double overlap, rps_touch *out) {
    const double radius = i->parameter[0];
    out->normal = normal;
    out->overlap = overlap;
    out->branch_i = rps_vec3_scale(normal, -radius);
    out->branch_j = rps_vec3_add_scaled(d, overlap - radius, normal);
    out->curvature_sum = 1.0 / radius; /* facets, edges and points of the mesh count as flat, so that nothing jumps */
    const rps_vec3 n = normal;
    out->curve_i = (rps_sym3){{(1.0 - n.x * n.x) / radius, (1.0 - n.y * n.y) / radius, (1.0 - n.z * n.z) / radius,
                               -n.x * n.y / radius, -n.x * n.z / radius, -n.y * n.z / radius}};
    out->curve_j = (rps_sym3){{0.0}};
}

rps_touch_result rps_mesh_touch(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff, rps_touch *out) {
    const rps_vec3 c = centre_of(j, d);
    rps_reached nearest;
    const double radius = i->parameter[0];
    const bool found = rps_mesh_nearest(j->mesh, c, radius + cutoff, &nearest);
    out->overlap = found ? radius - nearest.distance : -cutoff;
    if (!found) return RPS_TOUCH_APART;
    const rps_vec3 local = nearest.distance > 0.0
                               ? rps_vec3_scale(rps_vec3_sub(c, nearest.point), 1.0 / nearest.distance)
                               : rps_vec3_of(j->mesh->normal[nearest.triangle]);
    rps_mesh_touch_put(i, d, rps_quat_rotate(j->orientation, local), out->overlap, out);
    return RPS_TOUCH_FOUND;
}

double rps_mesh_gap(const rps_side *i, const rps_side *j, rps_vec3 d) {
    rps_reached nearest;
    const double radius = i->shape->bounding_radius(i->parameter);
    (void)rps_mesh_nearest(j->mesh, centre_of(j, d), INFINITY, &nearest);
    return nearest.distance - radius;
}

bool rps_mesh_gap_below(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, double *gap) {
    const double radius = i->shape->bounding_radius(i->parameter);
    rps_reached nearest;
    if (!rps_mesh_nearest(j->mesh, centre_of(j, d), radius + capacity, &nearest)) return false;
    *gap = nearest.distance - radius;
    return true;
}

const char *rps_mesh_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin) {
    double gap;
    if (i->shape == &rps_shape_sphere || !rps_mesh_gap_below(i, j, d, margin, &gap)) return NULL;
    return "only spheres and clumps of spheres touch meshes";
}
