/*
 * A core (a box whose edges may be 0) and all points within a radius of it: spheres, capsules, boxes with rounded
 * edges.
 *
 * With q = |x| - half by components, the part of q above 0 points from the nearest point of the core to x, so that
 * the distance is its length minus the radius. Inside the core the nearest face determines it.
 */
#include "shape/parts.h"

#include "base/elementary.h"

/* Each corner of a core is a contact of its own, with the stiffness of the rounding. Corners closer than this, in
 * radii, would act on the same patch, twice as stiff as the almost equal ball. */
static const double SHORTEST = 0.01;
static const double ROUNDING = 1e-9; /* of the radius; rounding error of differences of given lengths */

double rps_core_half(double half, double radius) {
    return half > ROUNDING * radius ? half : 0.0;
}

rps_status rps_core_check(const char *shape, const rps_shape_core *core, rps_error *err) {
    for (int k = 0; k < 3; k++) {
        const double straight = 2.0 * core->half[k];
        if (!(straight > 0.0) || straight >= SHORTEST * core->radius) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "the straight part of the %s along %c is %g m, less than %g of its radius of %g m: its two ends "
            "would both be contacts where a ball has one; make it at least %g m, or leave it out (a sphere)",
            shape, "xyz"[k], straight, SHORTEST, core -> radius, SHORTEST * core -> radius);
    }
    return RPS_OK;
}

/* Volume and second moments of the parts: the core, a slab on each face, a quarter of a cylinder on each edge, an
 * eighth of a ball on each corner; opposite parts taken together. All terms are positive: nothing cancels. */
rps_shape_mass rps_core_mass(const rps_shape_core *core) {
    const double *h = core->half, r = core->radius;
    double inner = 8.0 * ((h[0] * h[1]) * h[2]), corners = 4.0 / 3.0 * RPS_PI * ((r * r) * r);
    double slab[3], edge[3], square[3]; /* two slabs across axis k, four edges along it; integral of x_k^2 */
    for (int k = 0; k < 3; k++) {
        slab[k] = 8.0 * r * (h[(k + 1) % 3] * h[(k + 2) % 3]);
        edge[k] = 2.0 * RPS_PI * (r * r) * h[k];
    }
    double volume = ((inner + (slab[0] + slab[1] + slab[2])) + (edge[0] + edge[1] + edge[2])) + corners;
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        double h2 = h[k] * h[k], hr = h[k] * r, r2 = r * r;
        square[k] = (inner + slab[p] + slab[q] + edge[k]) * (h2 / 3.0) + slab[k] * (h2 + hr + r2 / 3.0) +
                    (edge[p] + edge[q]) * (h2 + hr * (8.0 / 3.0 / RPS_PI) + 0.25 * r2) +
                    corners * (h2 + 0.75 * hr + 0.2 * r2);
    }
    return (rps_shape_mass){
        volume, {(square[1] + square[2]) / volume, (square[2] + square[0]) / volume, (square[0] + square[1]) / volume}};
}

/* The width along the unit vector d is 2 (sum |d_k| half_k + radius), and sum |d_k| >= 1. */
double rps_core_smallest_width(const rps_shape_core *core) {
    return 2.0 * (rps_smaller(rps_smaller(core->half[0], core->half[1]), core->half[2]) + core->radius);
}

double rps_core_bounding_radius(const rps_shape_core *core) {
    return rps_vec3_norm(rps_vec3_make(core->half[0], core->half[1], core->half[2])) + core->radius;
}

rps_shape_bounds rps_core_bounds(const rps_shape_core *core, const rps_mat3 *rotation) {
    double reach[3];
    for (int k = 0; k < 3; k++) {
        const double *row = rotation->m[k], *h = core->half;
        reach[k] = ((fabs(row[0]) * h[0] + fabs(row[1]) * h[1]) + fabs(row[2]) * h[2]) + core->radius;
    }
    return rps_shape_symmetric_bounds(reach);
}

/* All points of a face or an edge are equally far; the middle keeps the symmetry. */
static double end_along(double half, double d) {
    return d > 0.0 ? half : d < 0.0 ? -half : 0.0;
}

rps_vec3 rps_core_support(const rps_shape_core *core, rps_vec3 direction) {
    rps_vec3 end = {end_along(core->half[0], direction.x), end_along(core->half[1], direction.y),
                    end_along(core->half[2], direction.z)};
    return rps_vec3_add_scaled(end, core->radius, rps_shape_unit(direction));
}

static void core_beyond(const rps_shape_core *core, rps_vec3 point, double q[3]) {
    q[0] = fabs(point.x) - core->half[0];
    q[1] = fabs(point.y) - core->half[1];
    q[2] = fabs(point.z) - core->half[2];
}

double rps_core_value(const rps_shape_core *core, rps_vec3 point) {
    double q[3];
    core_beyond(core, point, q);
    double outside = rps_vec3_norm(rps_vec3_make(rps_larger(q[0], 0.0), rps_larger(q[1], 0.0), rps_larger(q[2], 0.0)));
    return (outside + rps_smaller(rps_larger(rps_larger(q[0], q[1]), q[2]), 0.0)) - core->radius;
}

rps_vec3 rps_core_gradient(const rps_shape_core *core, rps_vec3 point) {
    double q[3], n[3];
    core_beyond(core, point, q);
    for (int k = 0; k < 3; k++) n[k] = rps_larger(q[k], 0.0);
    if (n[0] + n[1] + n[2] == 0.0) n[q[0] >= q[1] && q[0] >= q[2] ? 0 : q[1] >= q[2] ? 1 : 2] = 1.0;
    rps_vec3 out = {copysign(n[0], point.x), copysign(n[1], point.y), copysign(n[2], point.z)};
    return rps_shape_unit(out);
}

/* How many axes are straight at the point: 0 on a corner, 1 (*axis) on an edge, 2 on a face. Where the core has no
 * extent, there is nothing straight. */
static int straight_axes(const rps_shape_core *core, rps_vec3 point, int *axis) {
    double q[3];
    int count = 0;
    core_beyond(core, point, q);
    for (int k = 0; k < 3; k++) {
        if (q[k] > 0.0 || core->half[k] == 0.0) continue;
        count++;
        *axis = k;
    }
    return count;
}

void rps_core_shape_operator(const rps_shape_core *core, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]) {
    int axis = 0, count = straight_axes(core, point, &axis);
    out[0] = out[1] = out[2] = 0.0;
    if (count > 1 || core->radius == 0.0) return;
    double bend = 1.0 / core->radius;
    if (count == 0) {
        out[0] = out[2] = bend;
        return;
    }
    rps_vec3 along = {axis == 0, axis == 1, axis == 2};
    rps_vec3 across = rps_vec3_cross(rps_core_gradient(core, point), along);
    double du = rps_vec3_dot(across, u), dw = rps_vec3_dot(across, w);
    out[0] = bend * (du * du);
    out[1] = bend * (du * dw);
    out[2] = bend * (dw * dw);
}

double rps_core_mean_curvature(const rps_shape_core *core, rps_vec3 point) {
    int axis = 0, count = straight_axes(core, point, &axis);
    if (count > 1 || core->radius == 0.0) return 0.0;
    return (count == 0 ? 1.0 : 0.5) / core->radius;
}

/* Along each axis `bent` cells, one straight cell if the core has extent there, and `bent` cells again. */
typedef struct wrapping {
    const rps_shape_core *core;
    int bent;
} wrapping;

static rps_vec3 on_core(const void *context, const int at[3], const int cells[3]) {
    const wrapping *wrap = context;
    double end[3], direction[3];
    for (int k = 0; k < 3; k++) {
        bool upper = 2 * at[k] > cells[k], middle = 2 * at[k] == cells[k];
        int straight = cells[k] - 2 * wrap->bent;
        end[k] = middle ? 0.0 : upper ? wrap->core->half[k] : -wrap->core->half[k];
        direction[k] = wrap->bent == 0 ? (upper ? 1.0 : -1.0)
                                       : rps_lattice_coordinate(upper ? at[k] - straight : at[k], 2 * wrap->bent);
    }
    rps_vec3 n = rps_vec3_normalize(rps_vec3_make(direction[0], direction[1], direction[2]));
    return rps_vec3_add_scaled(rps_vec3_make(end[0], end[1], end[2]), wrap->core->radius, n);
}

/* A box with sharp edges always has 12 triangles, its exact surface. */
rps_status rps_core_mesh(const rps_shape_core *core, size_t triangles, const rps_allocator *allocator,
                         rps_shape_triangles *out, rps_error *err) {
    wrapping wrap = {core, core->radius > 0.0 ? rps_lattice_cells(triangles) / 2 : 0};
    int cells[3];
    for (int k = 0; k < 3; k++) cells[k] = 2 * wrap.bent + (core->half[k] > 0.0);
    return rps_lattice_mesh(cells, on_core, &wrap, allocator, out, err);
}
