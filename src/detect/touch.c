/*
 * Which geometry a pair of pieces has: the closed form where there is one, else the general convex pair.
 *
 *                 plane            sphere           capsule, box       cylinder          ellipsoid, superquadric
 *   sphere        core             core             core               convex            convex
 *   capsule, box  core, corners    core             core, features     convex            convex
 *   cylinder      rims             convex           convex             convex            convex
 *   smooth        plane_smooth     convex           convex             convex            convex
 *
 * Each is written for one order of the two; the other is its mirror image.
 */
#include "detect/touch.h"

#include "detect/pair_convex.h"
#include "detect/pair_core.h"
#include "detect/pair_cylinder_plane.h"
#include "detect/pair_plane_smooth.h"

typedef enum kind { PLANE, CORE, CYLINDER, SMOOTH } kind;

static kind kind_of(const rps_side *side) {
    if (side->shape == &rps_shape_plane) return PLANE;
    if (side->shape->core) return CORE;
    return side->shape == &rps_shape_cylinder ? CYLINDER : SMOOTH;
}

static bool is_point(const rps_shape_core *core) {
    return !(core->half[0] > 0.0 || core->half[1] > 0.0 || core->half[2] > 0.0);
}

/* Cores as they meet each other: two that have edges meet with rounded ones. */
static void cores_of(const rps_side *i, const rps_side *j, rps_shape_core *core_i, rps_shape_core *core_j) {
    *core_i = i->shape->core(i->parameter);
    *core_j = j->shape->core(j->parameter);
    if (is_point(core_i) || is_point(core_j)) return;
    *core_i = rps_core_for_contact(core_i);
    *core_j = rps_core_for_contact(core_j);
}

/* Whether the pair is written the other way round: planes come second. */
static bool flipped(kind i) {
    return i == PLANE;
}

unsigned rps_touch_features(const rps_side *i, const rps_side *j) {
    const kind a = kind_of(i), b = kind_of(j);
    if (a == PLANE && b == PLANE) return 0;
    if (flipped(a)) return rps_touch_features(j, i);
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
                                           unsigned feature, double reach, rps_touch *out) {
    if (kind_i == CORE) {
        const rps_shape_core core = i->shape->core(i->parameter);
        return rps_core_plane_touch(&core, i->orientation, plane->orientation, d, feature, reach, out);
    }
    if (kind_i == CYLINDER) {
        return rps_cylinder_plane_touch(i->parameter[0], 0.5 * i->parameter[1], i->orientation, plane->orientation, d,
                                        feature, reach, out);
    }
    return rps_plane_smooth_touch(i, plane, d, reach, out);
}

rps_touch_result rps_touch_find(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double reach,
                                const rps_vec3 *warm, rps_touch *out) {
    const kind a = kind_of(i), b = kind_of(j);
    if (flipped(a)) {
        rps_vec3 turned = warm ? rps_vec3_neg(*warm) : rps_vec3_zero();
        rps_touch t;
        const rps_touch_result result =
            rps_touch_find(j, i, rps_vec3_neg(d), feature, reach, warm ? &turned : NULL, &t);
        out->overlap = t.overlap;
        if (result == RPS_TOUCH_APART) return result;
        *out = (rps_touch){.normal = rps_vec3_neg(t.normal),
                           .overlap = t.overlap,
                           .arm_i = t.arm_j,
                           .arm_j = t.arm_i,
                           .curve_i = t.curve_j,
                           .curve_j = t.curve_i};
        return result;
    }
    if (b == PLANE) return find_against_plane(i, a, j, d, feature, reach, out);
    if (a == CORE && b == CORE) {
        rps_shape_core core_i, core_j;
        cores_of(i, j, &core_i, &core_j);
        return rps_core_touch(&core_i, i->orientation, &core_j, j->orientation, d, feature, reach, out);
    }
    return rps_convex_touch(i, j, d, reach, warm, out);
}

double rps_touch_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature) {
    const kind a = kind_of(i), b = kind_of(j);
    if (flipped(a)) return rps_touch_gap(j, i, rps_vec3_neg(d), feature);
    rps_shape_core core_i, core_j;
    if (b == PLANE && a == CORE) {
        core_i = i->shape->core(i->parameter);
        return rps_core_plane_gap(&core_i, i->orientation, j->orientation, d, feature);
    }
    if (b == PLANE && a == CYLINDER) {
        return rps_cylinder_plane_gap(i->parameter[0], 0.5 * i->parameter[1], i->orientation, j->orientation, d,
                                      feature);
    }
    if (b == PLANE) {
        rps_touch t;
        rps_touch_find(i, j, d, feature, INFINITY, NULL, &t);
        return -t.overlap;
    }
    if (a == CORE && b == CORE) {
        cores_of(i, j, &core_i, &core_j);
        return rps_core_gap(&core_i, i->orientation, &core_j, j->orientation, d, feature);
    }
    return rps_convex_gap(i, j, d);
}
