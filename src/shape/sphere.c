/* A ball: |x| <= R. Its inside/outside function is the distance from the surface. */
#include "shape/parts.h"

#include "base/elementary.h"

enum { RADIUS };

static rps_shape_mass sphere_mass(const double *parameter) {
    double r = parameter[RADIUS], gyration2 = 0.4 * (r * r);
    return (rps_shape_mass){4.0 / 3.0 * RPS_PI * ((r * r) * r), {gyration2, gyration2, gyration2}};
}

static double sphere_smallest_width(const double *parameter) {
    return 2.0 * parameter[RADIUS];
}

static rps_shape_core core(const double *parameter) {
    return (rps_shape_core){{0.0, 0.0, 0.0}, parameter[RADIUS]};
}

static double sphere_bounding_radius(const double *parameter) {
    return parameter[RADIUS];
}

static rps_shape_bounds sphere_bounds(const double *parameter, const rps_mat3 *rotation) {
    double r = parameter[RADIUS];
    (void)rotation;
    return (rps_shape_bounds){{-r, -r, -r}, {r, r, r}};
}

static rps_vec3 sphere_support(const double *parameter, rps_vec3 direction) {
    return rps_vec3_scale(rps_vec3_normalize(direction), parameter[RADIUS]);
}

static double sphere_value(const double *parameter, rps_vec3 point) {
    return rps_vec3_norm(point) - parameter[RADIUS];
}

/* At the centre every direction is equivalent. */
static rps_vec3 sphere_gradient(const double *parameter, rps_vec3 point) {
    (void)parameter;
    return rps_vec3_norm2(point) > 0.0 ? rps_vec3_normalize(point) : rps_vec3_make(0.0, 0.0, 1.0);
}

static void sphere_shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    (void)point;
    (void)u;
    (void)w;
    out[0] = 1.0 / parameter[RADIUS];
    out[1] = 0.0;
    out[2] = out[0];
}

static double sphere_mean_curvature(const double *parameter, rps_vec3 point) {
    (void)point;
    return 1.0 / parameter[RADIUS];
}

static rps_status sphere_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                              rps_shape_triangles *out, rps_error *err) {
    rps_shape_core c = core(parameter);
    return rps_core_mesh(&c, triangles, allocator, out, err);
}

const rps_shape rps_shape_sphere = {
    .name = "sphere",
    .summary = "a ball",
    .parameter = {{"radius", "m", "radius of the ball", 0.0, INFINITY, 1, 0.0, 0}},
    .mass = sphere_mass,
    .smallest_width = sphere_smallest_width,
    .core = core,
    .bounding_radius = sphere_bounding_radius,
    .bounds = sphere_bounds,
    .support = sphere_support,
    .value = sphere_value,
    .gradient = sphere_gradient,
    .shape_operator = sphere_shape_operator,
    .mean_curvature = sphere_mean_curvature,
    .mesh = sphere_mesh,
};
