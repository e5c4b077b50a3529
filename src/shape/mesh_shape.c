/* A surface of triangles. Its numbers say which of the meshes of a world it is (world/mesh_table.h), and where that one
 * lies, so that lists can be made without its triangles. It has no inside and no mass here: those of a solid are known to the world. */
#include "shape/parts.h"

enum { NUMBER, LOW, HIGH = LOW + 3, RADIUS = HIGH + 3 };

static double mesh_width(const double *parameter) {
    (void)parameter;
    return INFINITY; /* of two bodies in contact the mesh is never the smaller one */
}

double rps_mesh_half_width(const double *parameter) {
    double least = INFINITY;
    for (int k = 0; k < 3; k++) least = rps_smaller(least, 0.5 * (parameter[HIGH + k] - parameter[LOW + k]));
    return least;
}

static double mesh_bounding_radius(const double *parameter) {
    return parameter[RADIUS];
}

static rps_vec3 mesh_support(const double *parameter, rps_vec3 direction) {
    return (rps_vec3){parameter[(direction.x > 0.0 ? HIGH : LOW)], parameter[(direction.y > 0.0 ? HIGH : LOW) + 1],
                      parameter[(direction.z > 0.0 ? HIGH : LOW) + 2]};
}

static rps_shape_bounds mesh_bounds(const double *parameter, const rps_mat3 *rotation) {
    rps_shape_bounds out;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = 0.0;
        for (int m = 0; m < 3; m++) {
            const double a = rotation->m[k][m] * parameter[LOW + m], b = rotation->m[k][m] * parameter[HIGH + m];
            low[k] += rps_smaller(a, b);
            high[k] += rps_larger(a, b);
        }
    }
    out.low = rps_vec3_of(low);
    out.high = rps_vec3_of(high);
    return out;
}

const rps_shape rps_shape_mesh = {
    .name = "mesh",
    .summary = "a surface of triangles: a file of a scene, or arrays of a program; spheres, ellipsoids, superquadrics, "
               "capsules, boxes, convex meshes and clumps of them touch it",
    .by_world = true,
    .parameter = {{"number", "", "number of the mesh in its world", 0.0, 1e9, 1, 0.0, RPS_SHAPE_MAY_BE_LOW},
                  {"low", "m", "lower corner of the box around it", -INFINITY, INFINITY, 3, 0.0, 0},
                  {"high", "m", "upper corner", -INFINITY, INFINITY, 3, 0.0, 0},
                  {"radius", "m", "of the sphere around the origin that contains it", 0.0, INFINITY, 1, 0.0, 0}},
    .smallest_width = mesh_width,
    .bounding_radius = mesh_bounding_radius,
    .bounds = mesh_bounds,
    .support = mesh_support,
};
