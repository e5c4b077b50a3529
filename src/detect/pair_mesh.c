/* A ball and a mesh. */
#include "detect/pair_mesh.h"

#include <math.h>

#include "detect/convex.h"
#include "detect/mesh_smooth.h"
#include "detect/pair_core.h"
#include "mesh/mesh_core.h"

#define PASS 0.9 /* of the radius: a ball that overlaps more may pass the surface in the next step */

const rps_side *rps_mesh_wall(const rps_side *i, const rps_side *j) {
    if ((i->mesh == NULL) == (j->mesh == NULL)) {
        if (i->mesh == NULL || rps_is_polyhedron(i) == rps_is_polyhedron(j)) return NULL;
        return rps_is_polyhedron(i) ? j : i;
    }
    const rps_side *mesh = i->mesh != NULL ? i : j, *other = i->mesh != NULL ? j : i;
    return other->shape->unbounded || rps_shape_is_sheet(other->shape) ? NULL : mesh;
}

bool rps_mesh_has_places(const rps_side *i, const rps_side *j) {
    return j->mesh != NULL && (i->shape->unbounded || rps_mesh_wall(i, j) == j);
}

static rps_vec3 centre_of(const rps_side *mesh, rps_vec3 d) {
    return rps_quat_rotate_inverse(mesh->orientation, d);
}

double rps_mesh_body_width(const rps_side *body) {
    return rps_is_polyhedron(body) ? 2.0 * body->mesh->core->half : body->shape->smallest_width(body->parameter);
}

unsigned rps_mesh_balls(const rps_side *body) {
    if (rps_is_polyhedron(body)) return (unsigned)body->mesh->tips;
    if (body->shape->core == NULL || body->shape == &rps_shape_sphere) return 1;
    const rps_shape_core core = body->shape->core(body->parameter);
    return rps_core_vertices(&core);
}

rps_mesh_ball rps_mesh_ball_of(const rps_side *body, unsigned ball) {
    if (rps_is_polyhedron(body)) {
        const rps_vec3 tip = rps_vec3_of(body->mesh->tip[ball].point);
        return (rps_mesh_ball){.arm = rps_quat_rotate(body->orientation, tip), .inner = body->mesh->core->radius};
    }
    if (rps_mesh_is_smooth(body)) return (rps_mesh_ball){.radius = rps_mesh_oval_least(body->shape, body->parameter)};
    if (body->shape->core == NULL || body->shape == &rps_shape_sphere) {
        return (rps_mesh_ball){.radius = body->parameter[0]};
    }
    const rps_shape_core core = body->shape->core(body->parameter);
    const double inner = rps_core_for_contact(&core).radius - core.radius;
    return (rps_mesh_ball){rps_core_vertex(&core, body->orientation, ball), core.radius, inner > 0.0 ? inner : 0.0};
}

void rps_mesh_touch_put_smooth(const rps_side *i, rps_vec3 d, rps_vec3 normal, double overlap,
                               const rps_mesh_wrench *wrench, rps_touch *out) {
    const rps_vec3 down = rps_quat_rotate_inverse(i->orientation, rps_vec3_neg(normal));
    const rps_vec3 lowest = rps_quat_rotate(i->orientation, i->shape->support(i->parameter, down));
    out->normal = normal;
    out->overlap = overlap;
    out->branch_i = rps_vec3_add_scaled(wrench->arm, -overlap, normal);
    out->branch_j = rps_vec3_add(d, wrench->arm);
    out->curve_i = rps_convex_curve(i, lowest, normal);
    out->curve_j = (rps_sym3){{0.0}};
    out->curvature_sum = wrench->curvature;
}

bool rps_mesh_is_deep(const rps_side *i, const rps_side *j, unsigned ball, double overlap) {
    if (!(overlap > 0.0)) return false;
    if (rps_mesh_is_smooth(i)) {
        return overlap > RPS_CORE_DEEP * i->shape->smallest_width(i->parameter) ||
               overlap > rps_mesh_oval_least(i->shape, i->parameter);
    }
    const rps_mesh_ball at = rps_mesh_ball_of(i, ball);
    if (!(at.inner > 0.0) && j->mesh->side != RPS_MESH_BOTH) return false;
    return overlap > PASS * (at.radius + at.inner);
}

/* Facets, edges and points of the mesh count as flat, so that nothing jumps. */
void rps_mesh_touch_put(const rps_side *i, rps_vec3 d, unsigned ball, rps_vec3 normal, double overlap, rps_touch *out) {
    const rps_mesh_ball at = rps_mesh_ball_of(i, ball);
    const rps_vec3 n = normal;
    out->normal = n;
    out->overlap = overlap;
    out->branch_i = rps_vec3_add_scaled(at.arm, -at.radius, n);
    out->branch_j = rps_vec3_add_scaled(rps_vec3_add(d, at.arm), overlap - at.radius, n);
    out->curve_j = (rps_sym3){{0.0}};
    if (i->shape == &rps_shape_sphere || i->shape->core == NULL) {
        /* a tip is rounded as the edges beside it are */
        const double radius = rps_is_polyhedron(i) ? i->mesh->core->radius : at.radius;
        out->curvature_sum = 1.0 / radius;
        out->curve_i = (rps_sym3){{(1.0 - n.x * n.x) / radius, (1.0 - n.y * n.y) / radius, (1.0 - n.z * n.z) / radius,
                                   -n.x * n.y / radius, -n.x * n.z / radius, -n.y * n.z / radius}};
        return;
    }
    const rps_shape_core core = i->shape->core(i->parameter);
    out->curve_i = rps_core_ball_curve(&core, n);
    out->curvature_sum = 0.5 * ((out->curve_i.s[0] + out->curve_i.s[1]) + out->curve_i.s[2]);
}

static rps_touch_result touch_smooth(const rps_side *i, const rps_side *j, rps_vec3 d, double cutoff, rps_touch *out) {
    const rps_mesh_smooth body = rps_mesh_smooth_of(i, j, d);
    rps_oval_foot foot;
    out->overlap = -cutoff;
    if (!rps_mesh_smooth_nearest(&body, j->mesh, cutoff, &foot)) return RPS_TOUCH_APART;
    const rps_mesh_wrench wrench = {.curvature = rps_mesh_oval_mean(&body.shape, &foot),
                                    .arm =
                                        rps_quat_rotate(j->orientation, rps_vec3_sub(foot.point, body.shape.centre))};
    rps_mesh_touch_put_smooth(i, d, rps_quat_rotate(j->orientation, foot.normal), -foot.distance, &wrench, out);
    return -foot.distance > body.least ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

rps_touch_result rps_mesh_touch(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned ball, double cutoff,
                                rps_touch *out) {
    if (rps_mesh_is_smooth(i)) return touch_smooth(i, j, d, cutoff, out);
    const rps_mesh_ball at = rps_mesh_ball_of(i, ball);
    const rps_vec3 c = centre_of(j, rps_vec3_add(d, at.arm));
    rps_reached nearest;
    const bool found = rps_mesh_nearest(j->mesh, c, at.radius + cutoff, &nearest);
    out->overlap = found ? at.radius - nearest.distance : -cutoff;
    if (!found) return RPS_TOUCH_APART;
    const rps_vec3 local = nearest.distance > 0.0
                               ? rps_vec3_scale(rps_vec3_sub(c, nearest.point), 1.0 / nearest.distance)
                               : rps_vec3_of(j->mesh->normal[nearest.triangle]);
    rps_mesh_touch_put(i, d, ball, rps_quat_rotate(j->orientation, local), out->overlap, out);
    return RPS_TOUCH_FOUND;
}

/* A ball that the surface may hold back before it is reached counts as larger by this, m. */
static double gap_from(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned ball, double within) {
    rps_reached nearest;
    if (i->shape->core == NULL && !rps_is_polyhedron(i)) {
        const double radius = i->shape->bounding_radius(i->parameter);
        return rps_mesh_nearest(j->mesh, centre_of(j, d), radius + within, &nearest) ? nearest.distance - radius
                                                                                     : INFINITY;
    }
    const rps_mesh_ball at = rps_mesh_ball_of(i, ball);
    const double size = at.radius + 2.0 * at.inner;
    const rps_vec3 c = centre_of(j, rps_vec3_add(d, at.arm));
    return rps_mesh_nearest(j->mesh, c, size + within, &nearest) ? nearest.distance - size : INFINITY;
}

double rps_mesh_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned ball) {
    return gap_from(i, j, d, ball, INFINITY);
}

bool rps_mesh_gaps(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, double *gap) {
    const unsigned balls = rps_mesh_balls(i), each = RPS_SUBKEY_POINTS / balls;
    const unsigned slots = j->slots < each ? j->slots : each;
    bool any = false;
    for (unsigned f = 0; f < rps_mesh_features(i, j); f++) gap[f] = INFINITY;
    for (unsigned b = 0; b < balls; b++) {
        const double least = gap_from(i, j, d, b, capacity);
        for (unsigned s = 0; s < slots; s++) gap[b * each + s] = least;
        any = any || least < capacity;
    }
    return any;
}

unsigned rps_mesh_features(const rps_side *i, const rps_side *j) {
    const unsigned balls = rps_mesh_balls(i), each = RPS_SUBKEY_POINTS / balls;
    return (balls - 1) * each + (j->slots < each ? j->slots : each);
}

const char *rps_mesh_refuses_surface(const rps_side *i, const rps_side *j, rps_vec3 d, double margin) {
    if (j->shape->unbounded) return i->mesh->tips <= RPS_SUBKEY_PLACES_MOST ? NULL : "it has too many tips";
    const double reach = i->shape->bounding_radius(i->parameter) + margin;
    rps_reached nearest;
    if (j->mesh == NULL) {
        const rps_shape_foot foot = rps_shape_nearest(j->shape, j->parameter, centre_of(j, d));
        if (foot.distance > reach) return NULL;
    } else {
        const double other = j->shape->bounding_radius(j->parameter) + margin;
        if (!rps_mesh_nearest(j->mesh, centre_of(j, d), reach, &nearest)) return NULL;
        if (!rps_mesh_nearest(i->mesh, centre_of(i, rps_vec3_neg(d)), other, &nearest)) return NULL;
    }
    return "a free body with the surface of a mesh touches planes, spheres, ellipsoids, superquadrics, capsules, "
           "boxes and clumps of them, and other meshes and walls if it is convex and closed";
}

/* A polyhedron. */
static const char *refuses_tips(const rps_side *i, const rps_side *j) {
    if (i->mesh->tips > RPS_MESH_TIPS_MOST) return "it has more than 80 corners";
    const uint64_t places = j->mesh->tips + (uint64_t)i->mesh->core->edges * j->mesh->ridges;
    return places <= RPS_SUBKEY_PLACES_MOST ? NULL : "it has too many edges";
}

const char *rps_mesh_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin) {
    if (rps_is_polyhedron(i)) return refuses_tips(i, j);
    if (i->shape->core != NULL) {
        const rps_shape_core core = i->shape->core(i->parameter);
        const uint64_t places = j->mesh->tips + (uint64_t)rps_core_edges(&core) * j->mesh->ridges;
        return places <= RPS_SUBKEY_PLACES_MOST ? NULL : "it has too many edges";
    }
    if (rps_mesh_is_smooth(i)) return NULL;
    const double radius = i->shape->bounding_radius(i->parameter);
    rps_reached nearest;
    if (!rps_mesh_nearest(j->mesh, centre_of(j, d), radius + margin, &nearest)) return NULL;
    return i->shape == &rps_shape_superquadric
               ? rps_mesh_oval_refuses(i->shape, i->parameter)
               : "only spheres, ellipsoids, superquadrics, capsules, boxes, convex meshes and clumps of them touch "
                 "meshes: for a cylinder take a capsule, or a prism of up to 40 sides as a mesh";
}
