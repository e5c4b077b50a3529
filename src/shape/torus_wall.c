/*
 * A pipe bend without thickness: part of a torus about z, whose ends are open.
 *
 * The nearest point lies in the half plane through the axis that is nearest to the given point: that of the point
 * itself, or that of an end. In it the sheet is a circle about a point of the ring. Curvatures along both circles are
 * (n . e)/radius, e from the centre of the circle, on the sheet and at its ends alike (Meusnier).
 */
#include "shape/sheet.h"

#include "base/elementary.h"

enum { RADIUS, TUBE, FROM, TO };
#define FULL (2.0 * RPS_PI * (1.0 - 1e-12)) /* an angle that has been rounded is a whole turn */

static bool is_full(const double *parameter) {
    return parameter[TO] - parameter[FROM] >= FULL;
}

static rps_status torus_wall_check(const double *parameter, rps_error *err) {
    const double turn = parameter[TO] - parameter[FROM];
    if (!(parameter[TUBE] < parameter[RADIUS])) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the tube of radius %g m is as wide as the bend of radius %g m; expected a smaller one",
                        parameter[TUBE], parameter[RADIUS]);
    }
    if (!(turn > 0.0 && turn <= 2.0 * RPS_PI * (1.0 + 1e-12))) {
        return rps_fail(err, RPS_BAD_INPUT, "the bend goes from %g to %g rad; expected at most a whole turn, from < to",
                        parameter[FROM], parameter[TO]);
    }
    const double width = 2.0 * (parameter[RADIUS] + parameter[TUBE]);
    return rps_shape_check_aspect("wall", (const double[]){width, width, 2.0 * parameter[TUBE]}, err);
}

/* The direction in x, y of the half plane of the sheet nearest to a direction, and by how much it had to turn, rad; 0
 * within the bend. *inside: angle to the nearer end, rad. */
static rps_vec3 half_plane(const double *parameter, rps_vec3 point, double *off, double *inside) {
    const double rho = sqrt(point.x * point.x + point.y * point.y);
    rps_vec3 e = rho > 0.0 ? rps_vec3_make(point.x / rho, point.y / rho, 0.0) : rps_vec3_make(1.0, 0.0, 0.0);
    *off = 0.0;
    *inside = INFINITY;
    if (is_full(parameter)) return e;
    const double half = 0.5 * (parameter[TO] - parameter[FROM]), middle = parameter[FROM] + half;
    double s, c;
    rps_sincos(middle, &s, &c);
    const double q = rps_atan2(c * e.y - s * e.x, c * e.x + s * e.y); /* from the middle, -pi ... pi */
    *off = fabs(q) - half;
    *inside = -*off;
    if (!(*off > 0.0)) {
        *off = 0.0;
        return e;
    }
    rps_sincos(parameter[q < 0.0 ? FROM : TO], &s, &c);
    *inside = 0.0;
    return rps_vec3_make(c, s, 0.0);
}

static rps_shape_foot torus_wall_nearest(const double *parameter, int part, rps_vec3 point) {
    (void)part;
    const double ring = parameter[RADIUS], tube = parameter[TUBE];
    double off, inside;
    const rps_vec3 e = half_plane(parameter, point, &off, &inside);
    const rps_vec3 round = {-e.y, e.x, 0.0};
    const rps_profile to = {rps_vec3_dot(point, e) - ring, point.z};
    const double across = off > 0.0 ? rps_vec3_dot(point, round) : 0.0, d = sqrt(to.rho * to.rho + to.z * to.z);
    const rps_profile u = d > 0.0 ? (rps_profile){to.rho / d, to.z / d} : (rps_profile){1.0, 0.0};
    const double height = d - tube, distance = sqrt(height * height + across * across);
    const rps_profile at = {ring + tube * u.rho, tube * u.z};
    const rps_vec3 out = {u.rho * e.x, u.rho * e.y, u.z}, tangent = {-u.z * e.x, -u.z * e.y, u.rho};
    rps_shape_foot f = {.point = {at.rho * e.x, at.rho * e.y, at.z}, .distance = distance};
    f.normal = height < 0.0 ? rps_vec3_neg(out) : out;
    if (off > 0.0 && distance > 0.0) {
        f.normal = rps_vec3_scale(rps_vec3_add_scaled(rps_vec3_scale(out, height), across, round), 1.0 / distance);
    }
    f.along = tangent;
    f.curvature[0] = rps_vec3_dot(f.normal, out) / tube;
    f.curvature[1] = rps_vec3_dot(f.normal, e) / at.rho;
    f.inland = inside < INFINITY ? inside * at.rho : INFINITY;
    return f;
}

static void torus_wall_hollow(const double *parameter, double out[2]) {
    out[0] = 1.0 / parameter[TUBE];
    out[1] = 1.0 / (parameter[RADIUS] + parameter[TUBE]);
    /* from outside, at the inner side of the bend */
    const double saddle = 1.0 / (parameter[RADIUS] - parameter[TUBE]);
    if (saddle > out[1]) out[1] = saddle;
}

static double torus_wall_bounding_radius(const double *parameter) {
    return parameter[RADIUS] + parameter[TUBE];
}

/* Along the half plane that is nearest to the direction, since the extent grows with the part along it. */
static rps_vec3 torus_wall_support(const double *parameter, rps_vec3 direction) {
    double off, inside;
    const rps_vec3 d = rps_shape_unit(direction), e = half_plane(parameter, d, &off, &inside);
    const double p = rps_vec3_dot(d, e), s = sqrt(p * p + d.z * d.z);
    const double rho = parameter[RADIUS] + (s > 0.0 ? parameter[TUBE] * p / s : parameter[TUBE]);
    return rps_vec3_make(rho * e.x, rho * e.y, s > 0.0 ? parameter[TUBE] * d.z / s : 0.0);
}

static rps_shape_bounds torus_wall_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_sheet_bounds(torus_wall_support, parameter, rotation);
}

static rps_vec3 on_torus(const double *parameter, int part, double u, double v) {
    (void)part;
    double sine, cosine, s, c;
    rps_sincos(parameter[FROM] + u * (parameter[TO] - parameter[FROM]), &sine, &cosine);
    rps_sincos(2.0 * RPS_PI * v, &s, &c);
    const double rho = parameter[RADIUS] + parameter[TUBE] * c;
    return rps_vec3_make(rho * cosine, rho * sine, parameter[TUBE] * s);
}

static rps_status torus_wall_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                  rps_shape_triangles *out, rps_error *err) {
    int cells[2];
    rps_sheet_cells(triangles, 2.0, cells);
    return rps_sheet_mesh(parameter, 1, cells[0], cells[1], on_torus, allocator, out, err);
}

const rps_shape rps_shape_torus_wall = {
    .name = "torus_wall",
    .summary = "a pipe bend about z without thickness, touched from inside and outside; fixed or driven",
    .parameter = {{"radius", "m", "radius of the bend, of the middle of the pipe", 0.0, INFINITY, 1, 0.0, 0},
                  {"tube", "m", "radius of the pipe", 0.0, INFINITY, 1, 0.0, 0},
                  {"from", "rad", "angle about z at which it begins, from x", 0.0, 2.0 * RPS_PI, 1, 0.0,
                   RPS_SHAPE_MAY_BE_LOW},
                  {"to", "rad", "angle at which it ends, at most a whole turn later", 0.0, 4.0 * RPS_PI, 1,
                   2.0 * RPS_PI, 0}},
    .mass = rps_sheet_mass,
    .check = torus_wall_check,
    .smallest_width = rps_sheet_width,
    .bounding_radius = torus_wall_bounding_radius,
    .bounds = torus_wall_bounds,
    .support = torus_wall_support,
    .parts = rps_sheet_one,
    .nearest = torus_wall_nearest,
    .hollow = torus_wall_hollow,
    .mesh = torus_wall_mesh,
};
