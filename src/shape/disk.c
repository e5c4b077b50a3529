/* A disk of a planar scene: a cylinder along y, so that the plane of motion is x-z. Here it is 1 m long; a world
 * takes the mass times its depth. It is the cylinder along z with permuted axes: the cylinder's z is y here, its x is
 * z, its y is x. */
#include "shape/parts.h"

static rps_vec3 to_cylinder(rps_vec3 p) {
    return (rps_vec3){p.z, p.x, p.y};
}

static rps_vec3 from_cylinder(rps_vec3 q) {
    return (rps_vec3){q.y, q.z, q.x};
}

typedef struct cylinder {
    double parameter[2];
} cylinder;

static cylinder of(const double *parameter) {
    return (cylinder){{parameter[0], 1.0}};
}

static rps_shape_mass disk_mass(const double *parameter) {
    rps_shape_mass m = rps_shape_cylinder.mass(of(parameter).parameter);
    m.inertia_per_mass = from_cylinder(m.inertia_per_mass);
    return m;
}

static double disk_smallest_width(const double *parameter) {
    return rps_shape_cylinder.smallest_width(of(parameter).parameter);
}

static double disk_bounding_radius(const double *parameter) {
    return rps_shape_cylinder.bounding_radius(of(parameter).parameter);
}

static rps_shape_bounds disk_bounds(const double *parameter, const rps_mat3 *rotation) {
    rps_mat3 of_cylinder;
    for (int k = 0; k < 3; k++) {
        const double *row = rotation->m[k];
        of_cylinder.m[k][0] = row[2];
        of_cylinder.m[k][1] = row[0];
        of_cylinder.m[k][2] = row[1];
    }
    return rps_shape_cylinder.bounds(of(parameter).parameter, &of_cylinder);
}

static rps_vec3 disk_support(const double *parameter, rps_vec3 direction) {
    return from_cylinder(rps_shape_cylinder.support(of(parameter).parameter, to_cylinder(direction)));
}

static double disk_value(const double *parameter, rps_vec3 point) {
    return rps_shape_cylinder.value(of(parameter).parameter, to_cylinder(point));
}

static rps_vec3 disk_gradient(const double *parameter, rps_vec3 point) {
    return from_cylinder(rps_shape_cylinder.gradient(of(parameter).parameter, to_cylinder(point)));
}

static void disk_shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    rps_shape_cylinder.shape_operator(of(parameter).parameter, to_cylinder(point), to_cylinder(u), to_cylinder(w), out);
}

static double disk_mean_curvature(const double *parameter, rps_vec3 point) {
    return rps_shape_cylinder.mean_curvature(of(parameter).parameter, to_cylinder(point));
}

static rps_status disk_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                            rps_shape_triangles *out, rps_error *err) {
    RPS_TRY(rps_shape_cylinder.mesh(of(parameter).parameter, triangles, allocator, out, err));
    for (size_t k = 0; k < out->points; k++) {
        double *p = out->point[k];
        rps_vec3 q = from_cylinder((rps_vec3){p[0], p[1], p[2]});
        p[0] = q.x;
        p[1] = q.y;
        p[2] = q.z;
    }
    return RPS_OK;
}

const rps_shape rps_shape_disk = {
    .name = "disk",
    .summary = "a disk of a planar scene (`dimension: 2`): a cylinder along y, as long as the scene is deep",
    .parameter = {{"radius", "m", "radius of the disk", 0.0, INFINITY, 1, 0.0, 0}},
    .mass = disk_mass,
    .smallest_width = disk_smallest_width,
    .bounding_radius = disk_bounding_radius,
    .bounds = disk_bounds,
    .support = disk_support,
    .value = disk_value,
    .gradient = disk_gradient,
    .shape_operator = disk_shape_operator,
    .mean_curvature = disk_mean_curvature,
    .mesh = disk_mesh,
};
