/*
 * Selects the geometry of a pair of pieces: the closed form if there is one, else the general convex pair.
 *
 *                 plane            sphere           capsule, box       cylinder          ellipsoid, superquadric
 *   sphere        core             core             core               sphere_cylinder   convex
 *   capsule, box  core, corners    core             core, features     convex            convex
 *   cylinder      rims             sphere_cylinder  convex             convex            convex
 *   smooth        plane_smooth     convex           convex             convex            convex
 *   sheet         none             sheet            sheet              sheet             sheet
 *   mesh          mesh_places      mesh             mesh, mesh_places  refused           mesh_smooth, refused
 *
 * Two meshes: polyhedra, if both are convex; mesh, mesh_places, if one is; else refused. A convex mesh and a sheet: sheet. For
 * line laws, of cylinders and planes: line.
 *
 * Each is implemented for one order of the two; the other is its mirror image.
 */
#include "detect/touch.h"

#include "detect/pair_convex.h"
#include "detect/pair_core.h"
#include "detect/pair_cylinder_plane.h"
#include "detect/pair_line.h"
#include "detect/pair_mesh.h"
#include "detect/pair_plane_smooth.h"
#include "detect/pair_polyhedra.h"
#include "detect/pair_sheet.h"
#include "detect/pair_sphere_cylinder.h"

typedef enum kind { PLANE, CORE, CYLINDER, SMOOTH, SHEET, MESH, POLYHEDRON } kind;

static kind touch_kind_of(const rps_side *side) {
    if (side->shape == &rps_shape_plane) return PLANE;
    if (side->shape == &rps_shape_mesh) return MESH;
    if (rps_shape_is_sheet(side->shape)) return SHEET;
    if (side->shape->core) return CORE;
    return side->shape == &rps_shape_cylinder ? CYLINDER : SMOOTH;
}

/* Kinds of both in their pair: a convex mesh touches sheets, and meshes that are not convex, with its tips. */
static void kinds_of(const rps_side *i, const rps_side *j, kind *a, kind *b) {
    *a = touch_kind_of(i);
    *b = touch_kind_of(j);
    const bool tips_of_i = rps_is_polyhedron(i), tips_of_j = rps_is_polyhedron(j);
    if (tips_of_i && (*b == SHEET || (*b == MESH && !tips_of_j))) *a = POLYHEDRON;
    if (tips_of_j && (*a == SHEET || (*a == MESH && !tips_of_i))) *b = POLYHEDRON;
}

static bool is_point(const rps_shape_core *core) {
    return !(core->half[0] > 0.0 || core->half[1] > 0.0 || core->half[2] > 0.0);
}

/* Cores for contact with each other: if both have edges, these are rounded. */
static void cores_of(const rps_side *i, const rps_side *j, rps_shape_core *core_i, rps_shape_core *core_j) {
    *core_i = i->shape->core(i->parameter);
    *core_j = j->shape->core(j->parameter);
    if (is_point(core_i) || is_point(core_j)) return;
    *core_i = rps_core_for_contact(core_i);
    *core_j = rps_core_for_contact(core_j);
}

static bool is_sphere(const rps_side *side) {
    return side->shape == &rps_shape_sphere;
}

static bool is_wall(kind k) {
    return k == PLANE || k == SHEET || k == MESH;
}

/* True if the pair is implemented in the reverse order: planes, sheets and meshes come second, cylinders after spheres. */
static bool flipped(const rps_side *i, const rps_side *j) {
    kind a, b;
    kinds_of(i, j, &a, &b);
    return is_wall(a) || (i->shape == &rps_shape_cylinder && is_sphere(j));
}

unsigned rps_touch_features(const rps_side *i, const rps_side *j) {
    kind a, b;
    kinds_of(i, j, &a, &b);
    if (is_wall(a) && is_wall(b)) return 0;
    if (flipped(i, j)) return rps_touch_features(j, i);
    if (b == SHEET) {
        const unsigned features = rps_sheet_features(i, j);
        return features < RPS_SUBKEY_POINTS ? features : RPS_SUBKEY_POINTS; /* more are refused */
    }
    if (b == MESH) return rps_mesh_features(i, j);
    if (a == CORE) {
        rps_shape_core core_i, core_j;
        if (b == PLANE) {
            core_i = i->shape->core(i->parameter);
            return rps_core_vertices(&core_i);
        }
        if (b == CORE) {
            cores_of(i, j, &core_i, &core_j);
            return rps_core_features(&core_i, &core_j);
        }
    }
    return a == CYLINDER && b == PLANE ? RPS_CYLINDER_PLANE_FEATURES : 1;
}

static rps_touch_result find_against_plane(const rps_side *i, kind kind_i, const rps_side *plane, rps_vec3 d,
                                           unsigned feature, double cutoff, rps_touch *out) {
    if (kind_i == CORE) {
        const rps_shape_core core = i->shape->core(i->parameter);
        return rps_core_plane_touch(&core, i->orientation, plane->orientation, d, feature, cutoff, out);
    }
    if (kind_i == CYLINDER) {
        return rps_cylinder_plane_touch(i->parameter[0], 0.5 * i->parameter[1], i->orientation, plane->orientation, d,
                                        feature, cutoff, out);
    }
    return rps_plane_smooth_touch(i, plane, d, cutoff, out);
}

static double half_trace(const rps_sym3 *t) {
    return 0.5 * ((t->s[0] + t->s[1]) + t->s[2]);
}

/* The mean curvature of one side for a stiffness: the local one if the surface is smooth, else one number for the
 * whole body, so that the energy of a contact does not jump at an edge or a rim. */
static double stiffness_curvature(const rps_side *side, const rps_sym3 *curve) {
    switch (touch_kind_of(side)) {
    case MESH:
        return 0.0;
    case CYLINDER:
        return 0.5 / side->parameter[0];
    case CORE: {
        const rps_shape_core core = side->shape->core(side->parameter);
        const int extents = (core.half[0] > 0.0) + (core.half[1] > 0.0) + (core.half[2] > 0.0);
        return extents == 0 ? 1.0 / core.radius : extents == 1 && core.radius > 0.0 ? 0.5 / core.radius : 0.0;
    }
    default:
        return half_trace(curve);
    }
}

/* The same for two cores: that of a vertex as a ball, or of both edges. */
static double curvature_sum_of_cores(const rps_shape_core *core_i, const rps_shape_core *core_j, unsigned feature,
                                     const rps_touch *t) {
    const double i = half_trace(&t->curve_i), j = half_trace(&t->curve_j);
    const bool point_i = is_point(core_i), point_j = is_point(core_j);
    if (point_i && point_j) return i + j;
    if (point_i || point_j) return point_i ? i : j;
    const unsigned vertices_i = rps_core_vertices(core_i), vertices_j = rps_core_vertices(core_j);
    return feature < vertices_i ? i : feature < vertices_i + vertices_j ? j : i + j;
}

static rps_touch_result find_cores(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double cutoff,
                                   rps_touch *out) {
    rps_shape_core core_i, core_j;
    cores_of(i, j, &core_i, &core_j);
    const rps_touch_result result =
        rps_core_touch(&core_i, i->orientation, &core_j, j->orientation, d, feature, cutoff, out);
    if (result != RPS_TOUCH_APART) out->curvature_sum = curvature_sum_of_cores(&core_i, &core_j, feature, out);
    return result;
}

rps_shape_foot rps_touch_nearest(const rps_side *side, rps_vec3 point) {
    if (side->mesh == NULL) return rps_shape_nearest(side->shape, side->parameter, point);
    rps_reached nearest;
    (void)rps_mesh_nearest(side->mesh, point, INFINITY, &nearest);
    const rps_vec3 from = rps_vec3_sub(point, nearest.point);
    const double d = nearest.distance;
    return (rps_shape_foot){.point = nearest.point,
                            .distance = d,
                            .normal = d > 0.0 ? rps_vec3_scale(from, 1.0 / d)
                                              : rps_vec3_of(side->mesh->normal[nearest.triangle])};
}

rps_touch rps_touch_mirror(const rps_touch *t) {
    rps_touch out = *t;
    out.normal = rps_vec3_neg(t->normal);
    out.branch_i = t->branch_j;
    out.branch_j = t->branch_i;
    out.curve_i = t->curve_j;
    out.curve_j = t->curve_i;
    return out;
}

rps_touch_result rps_touch_find(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double cutoff,
                                const rps_touch_start *warm, rps_touch *out) {
    kind a, b;
    kinds_of(i, j, &a, &b);
    out->conformity = 0.0;
    out->on_rim = false;
    if (feature >= RPS_LINE_FEATURE && feature < RPS_SUBKEY_PLACES) {
        return rps_line_touch(i, j, d, feature - RPS_LINE_FEATURE, cutoff, out);
    }
    if (a == MESH && b == MESH) return rps_polyhedra_touch(i, j, d, feature, cutoff, out);
    if (a == MESH && b == PLANE) return rps_mesh_plane_touch(i, j, d, feature, cutoff, out);
    if (flipped(i, j)) {
        rps_touch_start turned;
        if (warm) turned = (rps_touch_start){rps_vec3_neg(warm->normal), warm->branch_j, warm->branch_i, warm->points};
        rps_touch t;
        const rps_touch_result result =
            rps_touch_find(j, i, rps_vec3_neg(d), feature, cutoff, warm ? &turned : NULL, &t);
        out->overlap = t.overlap;
        if (result == RPS_TOUCH_APART) return result;
        *out = rps_touch_mirror(&t);
        return result;
    }
    if (b == MESH && feature >= RPS_SUBKEY_PLACES) return rps_mesh_place_touch(i, j, d, feature, cutoff, out);
    if (b == MESH) return rps_mesh_touch(i, j, d, rps_mesh_feature_at(feature, rps_mesh_balls(i)).ball, cutoff, out);
    if (a == CORE && b == CORE) return find_cores(i, j, d, feature, cutoff, out);
    if (b == SHEET) {
        const rps_touch_result result = rps_sheet_touch(i, j, d, feature, cutoff, out);
        if (result == RPS_TOUCH_APART) return result;
        /* a vertex of a core is a ball */
        out->curvature_sum =
            (a == CORE || a == POLYHEDRON ? half_trace(&out->curve_i) : stiffness_curvature(i, &out->curve_i)) +
            half_trace(&out->curve_j);
        return result;
    }
    const rps_touch_result result = b == PLANE ? find_against_plane(i, a, j, d, feature, cutoff, out)
                                    : is_sphere(i) && b == CYLINDER ? rps_sphere_cylinder_touch(i, j, d, cutoff, out)
                                                                    : rps_convex_touch(i, j, d, cutoff, warm, out);
    if (result == RPS_TOUCH_APART) return result;
    /* a vertex of a core on a plane is a ball */
    out->curvature_sum = a == CORE && b == PLANE ? half_trace(&out->curve_i)
                                                 : stiffness_curvature(i, &out->curve_i) +
                                                       (b == PLANE ? 0.0 : stiffness_curvature(j, &out->curve_j));
    return result;
}

const char *rps_touch_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin) {
    kind a, b;
    kinds_of(i, j, &a, &b);
    if (rps_polyhedra_pair(i, j)) return rps_polyhedra_refuse(i, j);
    if (a == MESH && !is_wall(b)) return rps_mesh_refuses(j, i, rps_vec3_neg(d), margin);
    if (b == MESH && !is_wall(a)) return rps_mesh_refuses(i, j, d, margin);
    if (a == MESH) return rps_mesh_refuses_surface(i, j, d, margin);
    if (b == MESH) return rps_mesh_refuses_surface(j, i, rps_vec3_neg(d), margin);
    if (a == PLANE || b == PLANE) return NULL;
    if ((a == SHEET) == (b == SHEET)) return NULL;
    return a == SHEET ? rps_sheet_refuses(j, i, rps_vec3_neg(d), margin) : rps_sheet_refuses(i, j, d, margin);
}

rps_vec3 rps_touch_curvature_gradient(const rps_side *side, rps_vec3 branch, rps_vec3 n) {
    if (touch_kind_of(side) == SHEET) return rps_sheet_curvature_gradient(side, branch, n);
    if (touch_kind_of(side) != SMOOTH) return rps_vec3_zero();
    /* central differences: the deviation of the surface from the tangent is equal on both sides and cancels; 1e-4
     * leaves 1e-8 of the next derivative and 1e-12 of rounding */
    const double h = 1e-4 * side->shape->smallest_width(side->parameter);
    const rps_vec3 point = rps_quat_rotate_inverse(side->orientation, branch);
    const rps_vec3 normal = rps_quat_rotate_inverse(side->orientation, n);
    const rps_vec3 u = rps_vec3_any_across(normal), w = rps_vec3_cross(normal, u);
    double along[2];
    for (int k = 0; k < 2; k++) {
        const rps_vec3 way = k == 0 ? u : w;
        const double ahead = side->shape->mean_curvature(side->parameter, rps_vec3_add_scaled(point, h, way));
        const double behind = side->shape->mean_curvature(side->parameter, rps_vec3_add_scaled(point, -h, way));
        along[k] = (ahead - behind) / (2.0 * h);
    }
    const rps_vec3 local = rps_vec3_add(rps_vec3_scale(u, along[0]), rps_vec3_scale(w, along[1]));
    return rps_quat_rotate(side->orientation, local);
}

double rps_touch_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature) {
    kind a, b;
    kinds_of(i, j, &a, &b);
    if (feature >= RPS_LINE_FEATURE && feature < RPS_SUBKEY_PLACES) return rps_line_gap(i, j, d);
    if (a == MESH && b == MESH) return rps_polyhedra_gap(i, j, d, feature);
    if (a == MESH && b == PLANE) return rps_mesh_plane_gap(i, j, d, feature);
    if (flipped(i, j)) return rps_touch_gap(j, i, rps_vec3_neg(d), feature);
    if (b == SHEET) return rps_sheet_gap(i, j, d, feature);
    rps_shape_core core_i, core_j;
    if (b == MESH && feature >= RPS_SUBKEY_PLACES) return rps_mesh_place_gap(i, j, d, feature);
    if (b == MESH) return rps_mesh_gap(i, j, d, rps_mesh_feature_at(feature, rps_mesh_balls(i)).ball);
    if (b == PLANE && a == CORE) {
        core_i = i->shape->core(i->parameter);
        return rps_core_plane_gap(&core_i, i->orientation, j->orientation, d, feature);
    }
    if (b == PLANE && a == CYLINDER) {
        return rps_cylinder_plane_gap(i->parameter[0], 0.5 * i->parameter[1], i->orientation, j->orientation, d,
                                      feature);
    }
    if (b == PLANE) return rps_plane_smooth_gap(i, j, d);
    if (is_sphere(i) && b == CYLINDER) return rps_sphere_cylinder_gap(i, j, d);
    if (a == CORE && b == CORE) {
        cores_of(i, j, &core_i, &core_j);
        return rps_core_gap(&core_i, i->orientation, &core_j, j->orientation, d, feature);
    }
    return rps_convex_gap(i, j, d);
}

bool rps_touch_gaps(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, double *gap) {
    if (touch_kind_of(i) == CORE && touch_kind_of(j) == CORE) {
        rps_shape_core core_i, core_j;
        cores_of(i, j, &core_i, &core_j);
        return rps_core_gaps(&core_i, i->orientation, &core_j, j->orientation, d, capacity, gap);
    }
    kind a, b;
    kinds_of(i, j, &a, &b);
    if (is_wall(a) && is_wall(b)) return true; /* no feature: places alone, or refused */
    if (a == MESH) return rps_mesh_gaps(j, i, rps_vec3_neg(d), capacity, gap);
    if (b == MESH) return rps_mesh_gaps(i, j, d, capacity, gap);
    const unsigned features = rps_touch_features(i, j);
    const bool crowded =
        (a == SHEET && rps_sheet_features(j, i) > features) || (b == SHEET && rps_sheet_features(i, j) > features);
    bool any = crowded && rps_touch_refuses(i, j, d, capacity) != NULL;
    for (unsigned f = 0; f < features; f++) {
        gap[f] = rps_touch_gap(i, j, d, f);
        any = any || gap[f] < capacity;
    }
    return any;
}
