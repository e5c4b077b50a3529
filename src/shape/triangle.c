/* A triangle without thickness. Its first corner is the origin of the shape, so that the body's position is that corner;
 * the others are given from it. */
#include "shape/sheet.h"

typedef struct corners {
    rps_vec3 at[3], normal; /* m; a unit vector */
} corners;

static corners triangle_corners(const double *parameter) {
    corners c = {{{0.0, 0.0, 0.0}, rps_vec3_of(parameter), rps_vec3_of(parameter + 3)}, {0.0, 0.0, 0.0}};
    c.normal = rps_shape_unit(rps_vec3_cross(c.at[1], c.at[2]));
    return c;
}

static rps_status triangle_check(const double *parameter, rps_error *err) {
    const rps_vec3 b = rps_vec3_of(parameter), c = rps_vec3_of(parameter + 3), a = rps_vec3_sub(c, b);
    const double longest2 = rps_larger(rps_larger(rps_vec3_norm2(a), rps_vec3_norm2(b)), rps_vec3_norm2(c));
    const double height = rps_vec3_norm(rps_vec3_cross(b, c)) / sqrt(longest2), longest = sqrt(longest2);
    if (height * RPS_SHAPE_MAX_ASPECT >= longest) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "the corners of the triangle lie nearly on a line: its longest edge is %g m, the height on it %g m; "
        "expected at least a thousandth of it",
        longest, longest2 > 0.0 ? height : 0.0);
}

/* The nearest point of the edge from a to b. */
static rps_vec3 on_edge(rps_vec3 a, rps_vec3 b, rps_vec3 point) {
    const rps_vec3 way = rps_vec3_sub(b, a);
    const double t = rps_vec3_dot(rps_vec3_sub(point, a), way) / rps_vec3_norm2(way);
    return t <= 0.0 ? a : t >= 1.0 ? b : rps_vec3_add_scaled(a, t, way);
}

static rps_shape_foot triangle_nearest(const double *parameter, int part, rps_vec3 point) {
    (void)part;
    const corners c = triangle_corners(parameter);
    double inland = INFINITY;
    for (int k = 0; k < 3; k++) { /* how far inside the line of each edge */
        const rps_vec3 a = c.at[k], way = rps_vec3_normalize(rps_vec3_sub(c.at[(k + 1) % 3], a));
        const double in = rps_vec3_dot(rps_vec3_cross(c.normal, way), rps_vec3_sub(point, a));
        inland = in < inland ? in : inland;
    }
    if (inland > 0.0) {
        const double height = rps_vec3_dot(c.normal, point);
        return rps_sheet_flat(point, rps_vec3_add_scaled(point, -height, c.normal), c.normal, inland);
    }
    rps_vec3 best = c.at[0];
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const rps_vec3 foot = on_edge(c.at[k], c.at[(k + 1) % 3], point);
        const double distance2 = rps_vec3_norm2(rps_vec3_sub(point, foot));
        if (distance2 < least) {
            least = distance2;
            best = foot;
        }
    }
    return rps_sheet_flat(point, best, c.normal, 0.0);
}

static double triangle_bounding_radius(const double *parameter) {
    return rps_larger(rps_vec3_norm(rps_vec3_of(parameter)), rps_vec3_norm(rps_vec3_of(parameter + 3)));
}

static rps_vec3 triangle_support(const double *parameter, rps_vec3 direction) {
    const rps_vec3 b = rps_vec3_of(parameter), c = rps_vec3_of(parameter + 3);
    const double to_b = rps_vec3_dot(b, direction), to_c = rps_vec3_dot(c, direction);
    if (to_b <= 0.0 && to_c <= 0.0) return rps_vec3_zero();
    return to_b >= to_c ? b : c;
}

static rps_shape_bounds triangle_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_sheet_bounds(triangle_support, parameter, rotation);
}

/* Two triangles: both halves of this one. */
static rps_vec3 on_triangle(const double *parameter, int part, double u, double v) {
    (void)part;
    const rps_vec3 b = rps_vec3_of(parameter), c = rps_vec3_of(parameter + 3);
    if (u > 0.5) return v > 0.5 ? rps_vec3_scale(rps_vec3_add(b, c), 0.5) : b;
    return v > 0.5 ? c : rps_vec3_zero();
}

static rps_status triangle_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                rps_shape_triangles *out, rps_error *err) {
    (void)triangles;
    return rps_sheet_mesh(parameter, 1, 1, 1, on_triangle, allocator, out, err);
}

const rps_shape rps_shape_triangle = {
    .name = "triangle",
    .summary = "a triangle without thickness, touched from both sides; its position is its first corner; fixed or "
               "driven",
    .parameter = {{"second", "m", "second corner, from the first", -INFINITY, INFINITY, 3, 0.0, 0},
                  {"third", "m", "third corner, from the first", -INFINITY, INFINITY, 3, 0.0, 0}},
    .mass = rps_sheet_mass,
    .check = triangle_check,
    .smallest_width = rps_sheet_width,
    .bounding_radius = triangle_bounding_radius,
    .bounds = triangle_bounds,
    .support = triangle_support,
    .parts = rps_sheet_one,
    .even = true,
    .nearest = triangle_nearest,
    .hollow = rps_sheet_convex,
    .mesh = triangle_mesh,
};
