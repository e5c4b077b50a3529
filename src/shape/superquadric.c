/*
 * A superquadric: ((|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1)^(1/n1) <= 1, from octahedron-like (exponents just above 1)
 * over the ellipsoid (2) to box-like (large).
 *
 * Both steps are norms of two numbers, so the left side G is a norm: convex, in proportion along every ray. G - 1 is the
 * inside/outside function, a pure number. Its Hessian is a sum of two squares, hence so is the shape operator. The
 * support function is the dual norm: the same with exponents n/(n - 1) and the directions times the semi-axes.
 *
 * Where x, y or z is 0 an exponent above 2 makes the surface flat, and one below 2 makes its curvature infinite (the
 * normal is still continuous). Either term of the shape operator is held at 1e6 over the smallest semi-axis there.
 */
#include "shape/parts.h"

#include "base/elementary.h"

enum { SEMI_AXES, EXPONENTS = SEMI_AXES + 3 };
enum { EXPONENT_MAX = 16 };

#define LARGEST_BEND 1e6

typedef struct superquadric {
    double a[3], n1, n2;
} superquadric;

static superquadric superquadric_take(const double *parameter) {
    const double *p = parameter;
    return (superquadric){{p[SEMI_AXES], p[SEMI_AXES + 1], p[SEMI_AXES + 2]}, p[EXPONENTS], p[EXPONENTS + 1]};
}

/* The body whose norm is the support function. */
static superquadric dual(const superquadric *s) {
    return (superquadric){{1.0 / s->a[0], 1.0 / s->a[1], 1.0 / s->a[2]}, s->n1 / (s->n1 - 1.0), s->n2 / (s->n2 - 1.0)};
}

/* x^y for x >= 0 and y >= 0. Whole exponents take squarings. Others are good to 1e-16 of 1, not of the result: the
 * numbers are shares of a norm. */
static double power(double x, double y) {
    const int whole = y < EXPONENT_MAX ? (int)y : -1;
    if ((double)whole != y) return y == 0.5 ? sqrt(x) : x < 1e-300 ? 0.0 : rps_pow_positive(x, y);
    double result = 1.0;
    for (int bits = whole; bits > 0; bits >>= 1, x *= x) result = (bits & 1) != 0 ? result * x : result;
    return result;
}

/* x^(-1/n) for 1 <= x <= 2. */
static double inverse_root(double x, double n) {
    if (n == 2.0) return 1.0 / sqrt(x);
    return n == 4.0 ? 1.0 / sqrt(sqrt(x)) : rps_pow_positive(x, -1.0 / n);
}

/* The norm N = (u^n + v^n)^(1/n) of numbers u, v >= 0, n > 1. */
typedef struct norm2 {
    double length;
    double u, v;   /* u/N and v/N */
    double du, dv; /* slopes of N: (u/N)^(n - 1), (v/N)^(n - 1) */
} norm2;

/* Computed from the ratio r of both: N is the larger times (1 + r^n)^(1/n). At zero the slopes and ratios are those on
 * the diagonal. */
static norm2 norm_of(double u, double v, double n) {
    double large = rps_larger(u, v), ratio = large > 0.0 ? rps_smaller(u, v) / large : 1.0;
    double before = power(ratio, n - 1.0), sum = 1.0 + before * ratio;
    double at_large = inverse_root(sum, n), at_small = ratio * at_large;
    double slope_large = 1.0 / (sum * at_large), slope_small = before * slope_large;
    norm2 out = {large / at_large, at_large, at_small, slope_large, slope_small};
    if (v > u) {
        out.u = at_small;
        out.v = at_large;
        out.du = slope_small;
        out.dv = slope_large;
    }
    return out;
}

/* G and all that its derivatives need at a point. */
typedef struct gauge {
    norm2 ring, whole; /* (x, y) and (ring, z), by the semi-axes */
    double sign[3];
} gauge;

static gauge gauge_at(const superquadric *s, rps_vec3 x) {
    gauge g;
    g.ring = norm_of(fabs(x.x) / s->a[0], fabs(x.y) / s->a[1], s->n2);
    g.whole = norm_of(g.ring.length, fabs(x.z) / s->a[2], s->n1);
    g.sign[0] = copysign(1.0, x.x);
    g.sign[1] = copysign(1.0, x.y);
    g.sign[2] = copysign(1.0, x.z);
    return g;
}

static rps_vec3 gauge_gradient(const superquadric *s, const gauge *g) {
    return rps_vec3_make(g->sign[0] * (g->whole.du * g->ring.du) / s->a[0],
                         g->sign[1] * (g->whole.du * g->ring.dv) / s->a[1], g->sign[2] * g->whole.dv / s->a[2]);
}

static rps_status superquadric_check(const double *parameter, rps_error *err) {
    const double *a = &parameter[SEMI_AXES];
    return rps_shape_check_aspect("superquadric", (const double[]){2.0 * a[0], 2.0 * a[1], 2.0 * a[2]}, err);
}

/* --- mass ------------------------------------------------------------------------------------------------------------ */

/* Gamma function of x in (0, 20], by Stirling's series at x + k >= 16, where the first term left out is 1e-19, and the
 * recurrence back. */
static double gamma_of(double x) {
    double product = 1.0;
    while (x < 16.0) {
        product = product * x;
        x += 1.0;
    }
    double y = 1.0 / x, y2 = y * y;
    double series = 1.0 / 156.0;
    series = -691.0 / 360360.0 + y2 * series;
    series = 1.0 / 1188.0 + y2 * series;
    series = -1.0 / 1680.0 + y2 * series;
    series = 1.0 / 1260.0 + y2 * series;
    series = -1.0 / 360.0 + y2 * series;
    series = 1.0 / 12.0 + y2 * series;
    return sqrt(2.0 * RPS_PI) * rps_pow(x, x - 0.5) * rps_exp(y * series - x) / product;
}

/* Integral of u^(i - 1) v^(j - 1) over u, v >= 0 with u^n + v^n <= 1, after Dirichlet. */
static double quadrant(double i, double j, double n) {
    return gamma_of(i / n) * gamma_of(j / n) / gamma_of((i + j) / n + 1.0) / (n * n);
}

/* In x = a r u, y = b r v, z = c w with r^n1 + w^n1 <= 1 and u^n2 + v^n2 = 1, integrals are products of two quadrants;
 * 2 and 4 undo the radial part of the inner one. */
static rps_shape_mass superquadric_mass(const double *parameter) {
    superquadric s = superquadric_take(parameter);
    double ring = quadrant(1.0, 1.0, s.n2), ring2 = quadrant(3.0, 1.0, s.n2);
    double whole = 2.0 * quadrant(2.0, 1.0, s.n1), across = 4.0 * quadrant(4.0, 1.0, s.n1);
    double along = 2.0 * quadrant(2.0, 3.0, s.n1);
    double round = ring2 / ring * (across / whole);
    double x2 = s.a[0] * s.a[0] * round, y2 = s.a[1] * s.a[1] * round, z2 = s.a[2] * s.a[2] * (along / whole);
    return (rps_shape_mass){8.0 * (ring * whole) * ((s.a[0] * s.a[1]) * s.a[2]), {y2 + z2, z2 + x2, x2 + y2}};
}

/* --- extent ---------------------------------------------------------------------------------------------------------- */

/* The largest value of p u^2 + q v^2 for u^n + v^n = 1: by Hoelder's inequality the norm of (p, q) with exponent
 * n/(n - 2); for n <= 2 at an end. */
static double largest_square(double p, double q, double n) {
    return n <= 2.0 ? rps_larger(p, q) : norm_of(p, q, n / (n - 2.0)).length;
}

static double farthest(const superquadric *s) {
    double ring = largest_square(s->a[0] * s->a[0], s->a[1] * s->a[1], s->n2);
    return sqrt(largest_square(ring, s->a[2] * s->a[2], s->n1));
}

static double superquadric_bounding_radius(const double *parameter) {
    superquadric s = superquadric_take(parameter);
    return farthest(&s);
}

/* The width along a unit vector is twice the dual norm; that is smallest where the dual body reaches farthest. */
static double superquadric_smallest_width(const double *parameter) {
    superquadric s = superquadric_take(parameter), d = dual(&s);
    return 2.0 / farthest(&d);
}

/* Of the Hessian of the norm, either term of squares_at is at most n - 1 over the square of the smallest semi-axis, and
 * its gradient is at least 1 over the largest |x|: for exponents from 2 on. */
static double superquadric_smallest_radius(const double *parameter) {
    superquadric s = superquadric_take(parameter);
    double smallest = rps_smaller(rps_smaller(s.a[0], s.a[1]), s.a[2]),
           largest = rps_vec3_norm(rps_vec3_make(s.a[0], s.a[1], s.a[2]));
    return s.n1 < 2.0 || s.n2 < 2.0 ? 0.0 : smallest * (smallest / largest) / ((s.n1 - 1.0) + (s.n2 - 1.0));
}

static rps_shape_bounds superquadric_bounds(const double *parameter, const rps_mat3 *rotation) {
    superquadric s = superquadric_take(parameter), d = dual(&s);
    double reach[3];
    for (int k = 0; k < 3; k++) {
        const double *row = rotation->m[k];
        reach[k] = gauge_at(&d, rps_vec3_make(row[0], row[1], row[2])).whole.length;
    }
    return rps_shape_symmetric_bounds(reach);
}

/* --- surface --------------------------------------------------------------------------------------------------------- */

/* The gradient of the support function. */
static rps_vec3 superquadric_support(const double *parameter, rps_vec3 direction) {
    superquadric s = superquadric_take(parameter), d = dual(&s);
    gauge g = gauge_at(&d, rps_shape_unit(direction));
    return gauge_gradient(&d, &g);
}

static double superquadric_value(const double *parameter, rps_vec3 point) {
    superquadric s = superquadric_take(parameter);
    return gauge_at(&s, point).whole.length - 1.0;
}

/* At the centre every direction is equivalent. */
static rps_vec3 superquadric_gradient(const double *parameter, rps_vec3 point) {
    superquadric s = superquadric_take(parameter);
    gauge g = gauge_at(&s, point);
    return gauge_gradient(&s, &g);
}

/* A square bend d d^T of the shape operator: the unit tangent d, and bend in 1/m. */
typedef struct square {
    rps_vec3 direction;
    double bend;
} square;

/* x^y for small or vanishing x without infinities. */
static double bounded_power(double x, double y) {
    return power(y < 0.0 ? rps_larger(x, 1e-100) : x, y);
}

/* The Hessian of a norm N of (u, v) is (n - 1)/N (uv/N^2)^(n - 2) e e^T with e = (v, -u)/N; of the ring within the
 * whole times the slope of the whole. Their part in the tangent plane is their square over |grad G|. */
static void squares_at(const double *parameter, rps_vec3 point, square out[2]) {
    superquadric s = superquadric_take(parameter);
    gauge g = gauge_at(&s, point);
    rps_vec3 slope = gauge_gradient(&s, &g), n = rps_shape_unit(slope);
    double scale = rps_vec3_norm(slope) * g.whole.length;
    double largest = LARGEST_BEND / rps_smaller(rps_smaller(s.a[0], s.a[1]), s.a[2]);
    rps_vec3 e[2];
    double size[2];
    e[0] = rps_vec3_make(g.whole.v * g.ring.du * g.sign[0] / s.a[0], g.whole.v * g.ring.dv * g.sign[1] / s.a[1],
                         -g.whole.u * g.sign[2] / s.a[2]);
    size[0] = (s.n1 - 1.0) * (bounded_power(g.whole.u, s.n1 - 2.0) * bounded_power(g.whole.v, s.n1 - 2.0));
    e[1] = rps_vec3_make(g.ring.v * g.sign[0] / s.a[0], -g.ring.u * g.sign[1] / s.a[1], 0.0);
    size[1] = (s.n2 - 1.0) * (bounded_power(g.ring.u, s.n2 - 2.0) * bounded_power(g.ring.v, s.n2 - 2.0)) *
              bounded_power(g.whole.u, s.n1 - 2.0);
    for (int k = 0; k < 2; k++) {
        rps_vec3 tangent = rps_vec3_cross(rps_vec3_cross(n, e[k]), n);
        double length2 = rps_vec3_norm2(tangent);
        out[k].direction = rps_vec3_normalize(tangent);
        out[k].bend = rps_smaller(size[k] * length2 / scale, largest);
    }
}

static void superquadric_shape_operator(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w,
                                        double out[3]) {
    square part[2];
    squares_at(parameter, point, part);
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 2; k++) {
        double du = rps_vec3_dot(part[k].direction, u), dw = rps_vec3_dot(part[k].direction, w);
        out[0] += part[k].bend * (du * du);
        out[1] += part[k].bend * (du * dw);
        out[2] += part[k].bend * (dw * dw);
    }
}

static double superquadric_mean_curvature(const double *parameter, rps_vec3 point) {
    square part[2];
    squares_at(parameter, point, part);
    return 0.5 * (part[0].bend + part[1].bend);
}

/* --- mesh ------------------------------------------------------------------------------------------------------------ */

/* Along the rays to the points of a cube. The number of cells is even, so that the planes x, y, z = 0, where small
 * exponents have their ridges, hold edges. */
static rps_vec3 on_superquadric(const void *context, const int at[3], const int cells[3]) {
    superquadric s = superquadric_take(context);
    rps_vec3 x = {s.a[0] * rps_lattice_coordinate(at[0], cells[0]), s.a[1] * rps_lattice_coordinate(at[1], cells[1]),
                  s.a[2] * rps_lattice_coordinate(at[2], cells[2])};
    return rps_vec3_scale(x, 1.0 / gauge_at(&s, x).whole.length);
}

/* With exponents of at most 2, G to the power n1 is a concave function of the squares of x, y and z. So the plane that touches it at the
 * squares of a point is an ellipsoid that lies in the body and touches it there: its semi-axes are sqrt(x_k (g x)/g_k), g the
 * gradient. A ball of its smallest radius of curvature, the square of its shortest semi-axis over its longest, fits into it at
 * every point. */
static double superquadric_ball_radius(const double *parameter, rps_vec3 point) {
    const double least = superquadric_smallest_radius(parameter), *n = &parameter[EXPONENTS];
    if (n[0] > 2.0 || n[1] > 2.0) return least;
    const rps_vec3 g = superquadric_gradient(parameter, point);
    const double along = rps_vec3_dot(g, point), x[3] = {point.x, point.y, point.z}, slope[3] = {g.x, g.y, g.z};
    double shortest2 = INFINITY, longest2 = 0.0;
    for (int k = 0; k < 3; k++) {
        const double axis2 = fabs(slope[k]) > 1e-100 ? along * (x[k] / slope[k]) : 0.0;
        shortest2 = rps_smaller(axis2, shortest2);
        longest2 = rps_larger(axis2, longest2);
    }
    return longest2 > 0.0 ? rps_larger(shortest2 / sqrt(longest2), least) : least;
}

static rps_status superquadric_mesh(const double *parameter, size_t triangles, const rps_allocator *allocator,
                                    rps_shape_triangles *out, rps_error *err) {
    int n = rps_lattice_cells(triangles);
    return rps_lattice_mesh((const int[]){n, n, n}, on_superquadric, parameter, allocator, out, err);
}

const rps_shape rps_shape_superquadric = {
    .name = "superquadric",
    .summary = "between octahedron, ellipsoid and box by two exponents",
    .parameter = {{"semi_axes", "m", "half the diameters along x, y, z", 0.0, INFINITY, .components = 3},
                  {"exponents", "", "of z against x, y (n1) and of x against y (n2); 2 is the ellipsoid", 1.0,
                   EXPONENT_MAX, .components = 2, .default_value = 2.0}},
    .mass = superquadric_mass,
    .check = superquadric_check,
    .smallest_width = superquadric_smallest_width,
    .smallest_radius = superquadric_smallest_radius,
    .ball_radius = superquadric_ball_radius,
    .bounding_radius = superquadric_bounding_radius,
    .bounds = superquadric_bounds,
    .support = superquadric_support,
    .value = superquadric_value,
    .gradient = superquadric_gradient,
    .shape_operator = superquadric_shape_operator,
    .mean_curvature = superquadric_mean_curvature,
    .mesh = superquadric_mesh,
};
