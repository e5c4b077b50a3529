/*
 * An ellipsoid: s(x) = |(x/a, y/b, z/c)| <= 1.
 *
 * Its inside/outside function is s - 1, a pure number: s is convex and homogeneous of degree 1, so that its gradient
 * is bounded and nonzero except at the centre. With D = diag(1/a^2, 1/b^2, 1/c^2) the normal lies along Dx and the
 * shape operator is D/|Dx| in the tangent plane.
 */
#include "shape/parts.h"

#include "base/elementary.h"

enum { SEMI_AXES };

static rps_vec3 semi_axes(const double *parameter) {
    return rps_vec3_make(parameter[SEMI_AXES], parameter[SEMI_AXES + 1], parameter[SEMI_AXES + 2]);
}

static rps_vec3 ellipsoid_divide(rps_vec3 a, rps_vec3 b) {
    return rps_vec3_make(a.x / b.x, a.y / b.y, a.z / b.z);
}

static rps_status ellipsoid_check(const double *parameter, rps_error *err) {
    const double *a = &parameter[SEMI_AXES];
    return rps_shape_check_aspect("ellipsoid", (const double[]){2.0 * a[0], 2.0 * a[1], 2.0 * a[2]}, err);
}

static rps_shape_mass ellipsoid_mass(const double *parameter) {
    rps_vec3 a = semi_axes(parameter), a2 = rps_vec3_mul(a, a);
    return (rps_shape_mass){4.0 / 3.0 * RPS_PI * ((a.x * a.y) * a.z),
                            {0.2 * (a2.y + a2.z), 0.2 * (a2.z + a2.x), 0.2 * (a2.x + a2.y)}};
}

static double ellipsoid_smallest_width(const double *parameter) {
    rps_vec3 a = semi_axes(parameter);
    return 2.0 * rps_smaller(rps_smaller(a.x, a.y), a.z);
}

/* At the end of the longest axis, across the shortest. */
static double ellipsoid_smallest_radius(const double *parameter) {
    double smallest = 0.5 * ellipsoid_smallest_width(parameter);
    rps_vec3 a = semi_axes(parameter);
    return smallest * (smallest / rps_larger(rps_larger(a.x, a.y), a.z));
}

static double ellipsoid_bounding_radius(const double *parameter) {
    rps_vec3 a = semi_axes(parameter);
    return rps_larger(rps_larger(a.x, a.y), a.z);
}

static rps_shape_bounds ellipsoid_bounds(const double *parameter, const rps_mat3 *rotation) {
    double reach[3];
    for (int k = 0; k < 3; k++) {
        const double *row = rotation->m[k];
        reach[k] = rps_vec3_norm(rps_vec3_mul(rps_vec3_make(row[0], row[1], row[2]), semi_axes(parameter)));
    }
    return rps_shape_symmetric_bounds(reach);
}

static rps_vec3 ellipsoid_support(const double *parameter, rps_vec3 direction) {
    rps_vec3 a = semi_axes(parameter);
    return rps_vec3_mul(a, rps_shape_unit(rps_vec3_mul(a, rps_shape_unit(direction))));
}

static double ellipsoid_value(const double *parameter, rps_vec3 point) {
    return rps_vec3_norm(ellipsoid_divide(point, semi_axes(parameter))) - 1.0;
}

/* At the centre every direction is equivalent. */
static rps_vec3 ellipsoid_gradient(const double *parameter, rps_vec3 point) {
    rps_vec3 a = semi_axes(parameter), scaled = ellipsoid_divide(point, a);
    double s = rps_vec3_norm(scaled);
    return s > 0.0 ? rps_vec3_scale(ellipsoid_divide(scaled, a), 1.0 / s) : rps_vec3_make(0.0, 0.0, 1.0 / a.z);
}

static void ellipsoid_shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    rps_vec3 a = semi_axes(parameter), su = ellipsoid_divide(u, a), sw = ellipsoid_divide(w, a);
    double bend = 1.0 / rps_vec3_norm(ellipsoid_divide(ellipsoid_divide(point, a), a));
    out[0] = bend * rps_vec3_norm2(su);
    out[1] = bend * rps_vec3_dot(su, sw);
    out[2] = bend * rps_vec3_norm2(sw);
}

/* Trace of D minus its part along the normal, as a sum of positive terms. */
static double ellipsoid_mean_curvature(const double *parameter, rps_vec3 point) {
    rps_vec3 a = semi_axes(parameter), normal = ellipsoid_divide(ellipsoid_divide(point, a), a);
    double length = rps_vec3_norm(normal);
    rps_vec3 n = rps_vec3_scale(normal, 1.0 / length), n2 = rps_vec3_mul(n, n);
    rps_vec3 d = ellipsoid_divide(rps_vec3_make(n2.y + n2.z, n2.z + n2.x, n2.x + n2.y), rps_vec3_mul(a, a));
    return 0.5 * ((d.x + d.y) + d.z) / length;
}

static rps_vec3 on_ellipsoid(const void *context, const int at[3], const int cells[3]) {
    const double *parameter = context;
    rps_vec3 c = {rps_lattice_coordinate(at[0], cells[0]), rps_lattice_coordinate(at[1], cells[1]),
                  rps_lattice_coordinate(at[2], cells[2])};
    return rps_vec3_mul(semi_axes(parameter), rps_vec3_normalize(c));
}

static rps_status ellipsoid_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                 rps_shape_triangles *out, rps_error *err) {
    int n = rps_lattice_cells(triangles);
    return rps_lattice_mesh((const int[]){n, n, n}, on_ellipsoid, parameter, allocator, out, err);
}

const rps_shape rps_shape_ellipsoid = {
    .name = "ellipsoid",
    .summary = "an ellipsoid with three semi-axes",
    .parameter = {{"semi_axes", "m", "half the diameters along x, y, z", 0.0, INFINITY, .components = 3}},
    .mass = ellipsoid_mass,
    .check = ellipsoid_check,
    .smallest_width = ellipsoid_smallest_width,
    .smallest_radius = ellipsoid_smallest_radius,
    .bounding_radius = ellipsoid_bounding_radius,
    .bounds = ellipsoid_bounds,
    .support = ellipsoid_support,
    .value = ellipsoid_value,
    .gradient = ellipsoid_gradient,
    .shape_operator = ellipsoid_shape_operator,
    .mean_curvature = ellipsoid_mean_curvature,
    .mesh = ellipsoid_mesh,
};
