#include "detect/pair_sheet.h"

#include <math.h>

#include "detect/convex.h"
#include "detect/pair_core.h"
#include "detect/pair_cylinder_plane.h"
#include "detect/pair_mesh.h"
#include "detect/pair_plane_smooth.h"
#include "mesh/mesh_core.h"

#define RIM 1e-9 /* of the size of the sheet: a foot this near to a rim is on it */
#define PASS 0.9 /* of the radius: a ball that overlaps more may pass the sheet in the next step */

static bool is_ball(const rps_side *i) {
    return i->shape == &rps_shape_sphere;
}

static bool has_corners(const rps_side *i) {
    return i->shape->core || rps_is_polyhedron(i);
}

/* Tips are rounded as the edges beside them are. */
static rps_sym3 corner_curve(const rps_side *i, rps_vec3 n) {
    const rps_shape_core core =
        rps_is_polyhedron(i) ? (rps_shape_core){.radius = i->mesh->core->radius} : i->shape->core(i->parameter);
    return rps_core_ball_curve(&core, n);
}

unsigned rps_sheet_part_features(const rps_side *i) {
    return i->shape == &rps_shape_cylinder ? RPS_CYLINDER_PLANE_FEATURES : rps_mesh_balls(i);
}

unsigned rps_sheet_features(const rps_side *i, const rps_side *sheet) {
    return rps_sheet_part_features(i) * (unsigned)sheet->shape->parts(sheet->parameter);
}

/* --- where the geometry holds ------------------------------------------------------------------------------------ */

static bool is_flat(const rps_shape_foot *foot) {
    return foot->curvature[0] == 0.0 && foot->curvature[1] == 0.0;
}

static bool is_bent_inwards(const rps_shape_foot *foot) {
    return foot->curvature[0] <= 0.0 && foot->curvature[1] <= 0.0;
}

/* Largest radius of curvature of an ellipsoid, m. */
static double flattest(const rps_side *i) {
    const double bound = i->shape->bounding_radius(i->parameter);
    return bound * bound / (0.5 * i->shape->smallest_width(i->parameter));
}

/* Product of that and the larger concave curvature of the sheet. */
static double closeness(const rps_side *i, const rps_shape_foot *foot) {
    const double p = -foot->curvature[0], q = -foot->curvature[1];
    return flattest(i) * (p > q ? p : q);
}

const char *rps_sheet_refuses(const rps_side *i, const rps_side *sheet, rps_vec3 d, double margin) {
    if (is_ball(i)) return NULL;
    const rps_vec3 center = rps_quat_rotate_inverse(sheet->orientation, d);
    const double radius = i->shape->bounding_radius(i->parameter) + margin;
    for (int part = 0; part < sheet->shape->parts(sheet->parameter); part++) {
        const rps_shape_foot foot = sheet->shape->nearest(sheet->parameter, part, center);
        if (foot.distance > radius) continue;
        if (rps_sheet_features(i, sheet) > RPS_SUBKEY_POINTS) return "it has too many corners";
        if (sheet->shape == &rps_shape_torus_wall) return "a bend is hollow on no side all around";
        if (!(foot.inland > 0.0) || foot.open < radius) return "a rim of the wall is near";
        const bool bulges = !is_bent_inwards(&foot), oval = i->shape == &rps_shape_ellipsoid;
        if (bulges && !oval) return "the wall bulges towards it";
        if (bulges && foot.inland < radius) return "a rim of the wall is near"; /* also a closed one */
        if (bulges || is_flat(&foot) || has_corners(i)) continue;
        if (!oval) return "the wall is hollow";
        if (closeness(i, &foot) >= RPS_SHEET_CONFORMAL) return "its flattest side fits into the hollow of the wall";
    }
    return NULL;
}

/* --- one feature ------------------------------------------------------------------------------------------------- */

/* A point of body i as a ball, against one part of the sheet. */
typedef struct ball {
    rps_vec3 arm; /* m, world axes, from the origin of i to its centre */
    double radius;
    rps_shape_foot foot; /* in the axes of the sheet; on the side of the origin of i, distance negative beyond it */
} ball;

static ball ball_at(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature) {
    const unsigned own = rps_sheet_part_features(i);
    const rps_mesh_ball corner = rps_mesh_ball_of(i, feature % own);
    ball b = {.arm = corner.arm, .radius = corner.radius};
    const rps_vec3 center = rps_quat_rotate_inverse(sheet->orientation, d);
    const rps_vec3 point = rps_quat_rotate_inverse(sheet->orientation, rps_vec3_add(d, b.arm));
    b.foot = sheet->shape->nearest(sheet->parameter, (int)(feature / own), point);
    if (is_ball(i) || rps_vec3_dot(b.foot.normal, rps_vec3_sub(center, b.foot.point)) >= 0.0) return b;
    b.foot.distance = -b.foot.distance;
    b.foot.normal = rps_vec3_neg(b.foot.normal);
    for (int k = 0; k < 2; k++) b.foot.curvature[k] = -b.foot.curvature[k];
    return b;
}

/* The plane that a flat part lies in, its z axis to the side of the origin of i. *foot: a point of it, m, in world axes
 * from the origin of the sheet. */
static rps_side plane_of(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature, rps_vec3 *foot) {
    const rps_vec3 center = rps_quat_rotate_inverse(sheet->orientation, d);
    const rps_shape_foot at =
        sheet->shape->nearest(sheet->parameter, (int)(feature / rps_sheet_part_features(i)), center);
    const rps_vec3 n = rps_quat_rotate(sheet->orientation, at.normal), x = rps_vec3_any_across(n);
    const rps_vec3 y = rps_vec3_cross(n, x);
    const rps_mat3 axes = {{{x.x, y.x, n.x}, {x.y, y.y, n.y}, {x.z, y.z, n.z}}};
    *foot = rps_quat_rotate(sheet->orientation, at.point);
    return (rps_side){.shape = &rps_shape_plane, .orientation = rps_quat_from_mat3(&axes)};
}

static double clearance(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature) {
    const rps_vec3 center = rps_quat_rotate_inverse(sheet->orientation, d);
    const int part = (int)(feature / rps_sheet_part_features(i));
    return sheet->shape->nearest(sheet->parameter, part, center).distance - i->shape->bounding_radius(i->parameter);
}

static rps_touch_result touch_flat(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature,
                                   double cutoff, rps_touch *out) {
    rps_vec3 foot;
    const rps_side plane = plane_of(i, sheet, d, feature, &foot);
    const rps_vec3 from = rps_vec3_sub(d, foot);
    const unsigned own = feature % rps_sheet_part_features(i);
    const rps_touch_result result =
        i->shape == &rps_shape_cylinder
            ? rps_cylinder_plane_touch(i->parameter[0], 0.5 * i->parameter[1], i->orientation, plane.orientation, from,
                                       own, cutoff, out)
            : rps_plane_smooth_touch(i, &plane, from, cutoff, out);
    if (result != RPS_TOUCH_APART) out->branch_j = rps_vec3_add(out->branch_j, foot);
    return result;
}

/* --- an ellipsoid at a curved wall -------------------------------------------------------------------------------- */

enum { CURVED_STEPS = 40 };
static const double CURVED_ROUNDED = 4.0 * 0x1p-52; /* of a unit normal */

/* Where an ellipsoid is nearest to a curved wall, or sinks in deepest; in the axes of the sheet. */
typedef struct curved_place {
    rps_vec3 out;        /* unit, outward normal of the body */
    rps_vec3 point;      /* m, of the body, from its centre */
    rps_shape_foot foot; /* of that point; on the side of the centre, distance negative beyond it */
} curved_place;

static void look_at_curved(const rps_side *i, const rps_side *sheet, rps_quat turn, rps_vec3 center, int part,
                           curved_place *at) {
    const rps_vec3 local = i->shape->support(i->parameter, rps_quat_rotate_inverse(turn, at->out));
    at->point = rps_quat_rotate(turn, local);
    const rps_vec3 x = rps_vec3_add(center, at->point);
    at->foot = sheet->shape->nearest(sheet->parameter, part, x);
    if (rps_vec3_dot(at->foot.normal, rps_vec3_sub(center, at->foot.point)) >= 0.0) return;
    at->foot.distance = -at->foot.distance;
    at->foot.normal = rps_vec3_neg(at->foot.normal);
    for (int k = 0; k < 2; k++) at->foot.curvature[k] = -at->foot.curvature[k];
}

/* The curvature of the surface parallel to the wall through the point, in the direction k; positive where it is hollow. */
static double parallel_curvature(const rps_shape_foot *foot, int k) {
    return -foot->curvature[k] / (1.0 + foot->curvature[k] * foot->distance);
}

/* Newton's method for the point whose normal is that of the wall. A step p along the body turns its normal by W p and that of the
 * wall by K p; W - K is positive, as the body is rounder than the wall all over (rps_sheet_refuses). */
static curved_place curved_place_of(const rps_side *i, const rps_side *sheet, rps_vec3 d, int part) {
    const rps_vec3 center = rps_quat_rotate_inverse(sheet->orientation, d);
    const rps_quat turn = rps_quat_mul(rps_quat_conjugate(sheet->orientation), i->orientation);
    curved_place at = {.out = rps_vec3_neg(sheet->shape->nearest(sheet->parameter, part, center).normal)};
    look_at_curved(i, sheet, turn, center, part, &at);
    for (int step = 0; step < CURVED_STEPS; step++) {
        const rps_vec3 n = at.out, u = rps_vec3_any_across(n), w = rps_vec3_cross(n, u);
        const rps_vec3 off = rps_vec3_sub(rps_vec3_neg(at.foot.normal), n);
        const double x = rps_vec3_dot(off, u), y = rps_vec3_dot(off, w);
        if (!(fabs(x) + fabs(y) > CURVED_ROUNDED)) break;
        double bend[3];
        i->shape->shape_operator(i->parameter, rps_quat_rotate_inverse(turn, at.point),
                                 rps_quat_rotate_inverse(turn, u), rps_quat_rotate_inverse(turn, w), bend);
        const rps_vec3 s = at.foot.along, t = rps_vec3_cross(at.foot.normal, s);
        const double k = parallel_curvature(&at.foot, 0), q = parallel_curvature(&at.foot, 1);
        const double su = rps_vec3_dot(s, u), sw = rps_vec3_dot(s, w), tu = rps_vec3_dot(t, u), tw = rps_vec3_dot(t, w);
        const double a = bend[0] - k * su * su - q * tu * tu, b = bend[1] - k * su * sw - q * tu * tw;
        const double c = bend[2] - k * sw * sw - q * tw * tw, det = a * c - b * b;
        double p = x, r = y; /* the normal of the wall as that of the body also comes nearer */
        if (a > 0.0 && det > 0.0) {
            const double along = (c * x - b * y) / det, beside = (a * y - b * x) / det;
            p = bend[0] * along + bend[1] * beside;
            r = bend[1] * along + bend[2] * beside;
        }
        const double turned = sqrt(p * p + r * r), most = turned > 0.5 ? 0.5 / turned : 1.0;
        at.out = rps_vec3_normalize(rps_vec3_add_scaled(rps_vec3_add_scaled(n, most * p, u), most * r, w));
        look_at_curved(i, sheet, turn, center, part, &at);
    }
    return at;
}

/* True if it is an ellipsoid at a curved part. */
static bool meets_curved(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature) {
    if (i->shape != &rps_shape_ellipsoid) return false;
    const rps_vec3 center = rps_quat_rotate_inverse(sheet->orientation, d);
    const rps_shape_foot foot = sheet->shape->nearest(sheet->parameter, (int)feature, center);
    return !is_flat(&foot);
}

/* On a rim the ball alone curves the contact: its curvature as a line turns with the normal, which no path on the wall
 * accounts for. */
static rps_sym3 tensor_of(const rps_side *sheet, const rps_shape_foot *foot, rps_vec3 n) {
    const rps_vec3 a = rps_quat_rotate(sheet->orientation, foot->along), b = rps_vec3_cross(n, a);
    const bool rim = !(foot->inland > 0.0);
    const double p = rim ? 0.0 : foot->curvature[0], q = rim ? 0.0 : foot->curvature[1];
    return (rps_sym3){{p * (a.x * a.x) + q * (b.x * b.x), p * (a.y * a.y) + q * (b.y * b.y),
                       p * (a.z * a.z) + q * (b.z * b.z), p * (a.x * a.y) + q * (b.x * b.y),
                       p * (a.x * a.z) + q * (b.x * b.z), p * (a.y * a.z) + q * (b.y * b.z)}};
}

static rps_touch_result touch_curved(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature,
                                     double cutoff, rps_touch *out) {
    const curved_place at = curved_place_of(i, sheet, d, (int)feature);
    out->overlap = -at.foot.distance;
    if (-out->overlap > cutoff) return RPS_TOUCH_APART;
    out->normal = rps_vec3_normalize(rps_quat_rotate(sheet->orientation, at.foot.normal));
    out->branch_i = rps_quat_rotate(sheet->orientation, at.point);
    out->branch_j = rps_quat_rotate(sheet->orientation, at.foot.point);
    out->curve_i = rps_convex_curve(i, out->branch_i, out->normal);
    out->curve_j = tensor_of(sheet, &at.foot, out->normal);
    out->conformity = closeness(i, &at.foot);
    const bool conformal = out->overlap > 0.0 && out->conformity >= RPS_SHEET_CONFORMAL;
    return conformal || out->overlap > RPS_CORE_DEEP * i->shape->smallest_width(i->parameter) ? RPS_TOUCH_DEEP
                                                                                              : RPS_TOUCH_FOUND;
}

rps_touch_result rps_sheet_touch(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature, double cutoff,
                                 rps_touch *out) {
    const double gap =
        is_ball(i) ? -INFINITY : clearance(i, sheet, d, feature); /* that of a ball follows from its foot */
    if (gap > cutoff) {
        out->overlap = -gap;
        return RPS_TOUCH_APART;
    }
    if (!has_corners(i)) {
        return meets_curved(i, sheet, d, feature) ? touch_curved(i, sheet, d, feature, cutoff, out)
                                                  : touch_flat(i, sheet, d, feature, cutoff, out);
    }
    const ball b = ball_at(i, sheet, d, feature);
    out->overlap = b.radius - b.foot.distance;
    if (-out->overlap > cutoff) return RPS_TOUCH_APART;
    out->normal = rps_vec3_normalize(rps_quat_rotate(sheet->orientation, b.foot.normal));
    out->branch_i = rps_vec3_add_scaled(b.arm, -b.radius, out->normal);
    out->branch_j = rps_quat_rotate(sheet->orientation, b.foot.point);
    out->curve_i = corner_curve(i, out->normal);
    out->curve_j = tensor_of(sheet, &b.foot, out->normal);
    const double p = -b.radius * b.foot.curvature[0], q = -b.radius * b.foot.curvature[1];
    out->conformity = p > q ? p : q;
    const bool conformal = out->overlap > 0.0 && out->conformity >= RPS_SHEET_CONFORMAL;
    out->on_rim = b.foot.inland <= RIM * sheet->shape->bounding_radius(sheet->parameter);
    const double most = is_ball(i) ? PASS * b.radius : RPS_CORE_DEEP * rps_mesh_body_width(i);
    return conformal || out->overlap > most ? RPS_TOUCH_DEEP : RPS_TOUCH_FOUND;
}

double rps_sheet_gap(const rps_side *i, const rps_side *sheet, rps_vec3 d, unsigned feature) {
    const double gap = clearance(i, sheet, d, feature);
    if (is_ball(i) || gap > 0.0) return gap;
    if (has_corners(i)) {
        const ball b = ball_at(i, sheet, d, feature);
        return b.foot.distance - b.radius;
    }
    if (meets_curved(i, sheet, d, feature)) return curved_place_of(i, sheet, d, (int)feature).foot.distance;
    rps_vec3 foot;
    const rps_side plane = plane_of(i, sheet, d, feature, &foot);
    const rps_vec3 from = rps_vec3_sub(d, foot);
    if (i->shape != &rps_shape_cylinder) return rps_plane_smooth_gap(i, &plane, from);
    return rps_cylinder_plane_gap(i->parameter[0], 0.5 * i->parameter[1], i->orientation, plane.orientation, from,
                                  feature % rps_sheet_part_features(i));
}

/* --- curvature --------------------------------------------------------------------------------------------------- */

rps_vec3 rps_sheet_curvature_gradient(const rps_side *sheet, rps_vec3 branch, rps_vec3 n) {
    if (sheet->shape->even) return rps_vec3_zero();
    /* central differences: 1e-4 of the radius of curvature leaves 1e-8 of the next derivative and 1e-12 of rounding */
    const rps_vec3 point = rps_quat_rotate_inverse(sheet->orientation, branch);
    const rps_vec3 normal = rps_quat_rotate_inverse(sheet->orientation, n);
    const rps_shape_foot at = rps_shape_nearest(sheet->shape, sheet->parameter,
                                                rps_vec3_add_scaled(point, 1e-6 * rps_vec3_norm(point), normal));
    const double p = fabs(at.curvature[0]), q = fabs(at.curvature[1]), h = 1e-4 / (p > q ? p : q);
    if (!(p > 0.0 || q > 0.0) || !(at.inland > 2.0 * h)) return rps_vec3_zero();
    const rps_vec3 u = at.along, w = rps_vec3_cross(at.normal, u);
    double along[2];
    for (int k = 0; k < 2; k++) {
        const rps_vec3 from = rps_vec3_add_scaled(at.point, h, at.normal), way = k == 0 ? u : w;
        double mean[2];
        for (int side = 0; side < 2; side++) {
            const rps_vec3 x = rps_vec3_add_scaled(from, side == 0 ? h : -h, way);
            const rps_shape_foot foot = rps_shape_nearest(sheet->shape, sheet->parameter, x);
            mean[side] = 0.5 * (foot.curvature[0] + foot.curvature[1]);
        }
        along[k] = (mean[0] - mean[1]) / (2.0 * h);
    }
    const rps_vec3 local = rps_vec3_add(rps_vec3_scale(u, along[0]), rps_vec3_scale(w, along[1]));
    return rps_quat_rotate(sheet->orientation, local);
}
