/* A sphere without thickness, open about +z if wanted. */
#include "shape/sheet.h"

#include "base/elementary.h"

enum { RADIUS, OPENING };

/* Height and radius of the rim, m; false: it is closed. */
static bool rim_of(const double *parameter, rps_profile *rim) {
    double sine, cosine;
    if (!(parameter[OPENING] > 0.0)) return false;
    rps_sincos(parameter[OPENING], &sine, &cosine);
    *rim = (rps_profile){parameter[RADIUS] * sine, parameter[RADIUS] * cosine};
    return true;
}

static rps_status sphere_wall_check(const double *parameter, rps_error *err) {
    if (parameter[OPENING] < RPS_PI) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "the opening of %g rad leaves nothing of the sphere; expected less than pi",
                    parameter[OPENING]);
}

/* From the centre every point is equally far: -z is always there. */
static rps_shape_foot sphere_wall_nearest(const double *parameter, int part, rps_vec3 point) {
    (void)part;
    const double radius = parameter[RADIUS], rho = sqrt(point.x * point.x + point.y * point.y);
    const double r = sqrt(rho * rho + point.z * point.z);
    rps_profile out = r > 0.0 ? (rps_profile){rho / r, point.z / r} : (rps_profile){0.0, -1.0}, rim = {0.0, 0.0};
    rps_profile_foot foot = {.curvature = 1.0 / radius, .inland = INFINITY};
    if (rim_of(parameter, &rim)) {
        /* angle on the sphere beyond the rim, from the sine and cosine of the difference */
        const double s = out.rho * rim.z - out.z * rim.rho, c = out.rho * rim.rho + out.z * rim.z;
        const double beyond = radius * rps_atan2(s / radius, c / radius);
        foot.rim = !(beyond > 0.0);
        foot.inland = foot.rim ? 0.0 : beyond;
        if (foot.rim) out = (rps_profile){rim.rho / radius, rim.z / radius};
    }
    foot.point = (rps_profile){radius * out.rho, radius * out.z};
    foot.normal = out;
    if (foot.rim) return rps_sheet_revolved(point, &foot);
    /* on the sheet the distance is that of the radii, which is exact near the sheet */
    rps_shape_foot f = rps_sheet_revolved(point, &foot);
    const double height = r - radius;
    const bool inside = height < 0.0;
    f.distance = fabs(height);
    const double x = rho > 0.0 ? point.x / rho : 1.0, y = rho > 0.0 ? point.y / rho : 0.0;
    const rps_vec3 e = {out.rho * x, out.rho * y, out.z};
    f.normal = inside ? rps_vec3_neg(e) : e;
    f.curvature[0] = f.curvature[1] = (inside ? -1.0 : 1.0) / radius;
    if (f.open < INFINITY) f.open = rim.z - point.z;
    return f;
}

static void sphere_wall_hollow(const double *parameter, double out[2]) {
    rps_profile rim;
    out[0] = out[1] = 1.0 / parameter[RADIUS];
    if (rim_of(parameter, &rim)) out[0] = 1.0 / rim.rho;
}

static double sphere_wall_bounding_radius(const double *parameter) {
    return parameter[RADIUS];
}

static rps_vec3 sphere_wall_support(const double *parameter, rps_vec3 direction) {
    const rps_vec3 d = rps_shape_unit(direction);
    rps_profile rim;
    if (rim_of(parameter, &rim) && d.z * rim.rho > sqrt(d.x * d.x + d.y * d.y) * rim.z) {
        return rps_sheet_circle(rim.rho, rim.z, direction);
    }
    return rps_vec3_scale(d, parameter[RADIUS]);
}

static rps_shape_bounds sphere_wall_bounds(const double *parameter, const rps_mat3 *rotation) {
    return rps_sheet_bounds(sphere_wall_support, parameter, rotation);
}

static rps_vec3 on_sphere(const double *parameter, int part, double u, double v) {
    (void)part;
    double sine, cosine, s, c;
    rps_sincos(2.0 * RPS_PI * u, &sine, &cosine);
    rps_sincos(parameter[OPENING] + v * (RPS_PI - parameter[OPENING]), &s, &c);
    return rps_vec3_scale(rps_vec3_make(s * cosine, s * sine, c), parameter[RADIUS]);
}

static rps_status sphere_wall_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                   rps_shape_triangles *out, rps_error *err) {
    int cells[2];
    rps_sheet_cells(triangles, 2.0, cells);
    return rps_sheet_mesh(parameter, 1, cells[0], cells[1], on_sphere, allocator, out, err);
}

const rps_shape rps_shape_sphere_wall = {
    .name = "sphere_wall",
    .summary = "a sphere without thickness, touched from inside and outside, which may be open at +z; fixed or driven",
    .parameter = {{"radius", "m", "radius of the wall", 0.0, INFINITY, 1, 0.0, 0},
                  {"opening", "rad", "angle from +z up to which it is open; 90 deg: a bowl; 0: closed", 0.0, RPS_PI, 1,
                   0.0, RPS_SHAPE_MAY_BE_LOW}},
    .mass = rps_sheet_mass,
    .check = sphere_wall_check,
    .smallest_width = rps_sheet_width,
    .bounding_radius = sphere_wall_bounding_radius,
    .bounds = sphere_wall_bounds,
    .support = sphere_wall_support,
    .parts = rps_sheet_one,
    .even = true,
    .nearest = sphere_wall_nearest,
    .hollow = sphere_wall_hollow,
    .mesh = sphere_wall_mesh,
};
