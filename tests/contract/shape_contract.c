/*
 * The contract of every shape, driven by the table of shapes: a new shape is tested because it is listed.
 *
 * Points of the surface come from the inside/outside function alone (a root along a ray from inside), so that support,
 * bounds, gradient, curvature and mass are each held against it. Sheets have no inside: sheet_contract.c has theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "shape/shape.h"

enum { DRAWN_SETS = 3, POINTS = 200 };

/* Where the numbers of this test come from; `stream` keeps uses apart. */
static double uniform(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(11, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 random_direction(uint64_t stream, uint64_t n) {
    return rps_vec3_normalize(rps_vec3_make(rps_random_normal(11, RPS_RANDOM_TEST, stream, 3 * n),
                                            rps_random_normal(11, RPS_RANDOM_TEST, stream, 3 * n + 1),
                                            rps_random_normal(11, RPS_RANDOM_TEST, stream, 3 * n + 2)));
}

/* Lengths over four decades; a parameter with a narrower range is drawn from that. Sets that make no sense together are
 * drawn again. */
static void draw_parameters(const rps_shape *shape, uint64_t set, double parameter[RPS_SHAPE_PARAMETERS]) {
    for (uint64_t attempt = 0; attempt < 1000; attempt++) {
        uint64_t at = 0;
        for (int k = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++) {
            double low = fmax(shape->parameter[k].low, 1e-3), high = fmin(shape->parameter[k].high, 10.0);
            for (int c = 0; c < shape->parameter[k].components || c == 0; c++, at++) {
                parameter[at] = low * pow(high / low, uniform(1, 1000 * (10 * set + at) + attempt, 0.0, 1.0));
            }
        }
        assert_int_equal(at, rps_shape_numbers(shape));
        if (rps_shape_check(shape, parameter, "drawn", NULL) == RPS_OK) return;
    }
    fail_msg("%s: no parameters that make sense", shape->name);
}

/* Besides drawn ones: long, thin and flat, and exponents from ridges to faces. */
static const struct {
    const char *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
} chosen[] = {
    {"ellipsoid", {0.1, 0.1, 0.1}},
    {"ellipsoid", {0.3, 0.05, 0.03}},
    {"ellipsoid", {0.01, 1.0, 0.2}},
    {"superquadric", {0.1, 0.1, 0.1, 2.0, 2.0}},
    {"superquadric", {0.1, 0.1, 0.1, 1.2, 1.2}},
    {"superquadric", {0.1, 0.1, 0.1, 12.0, 12.0}},
    {"superquadric", {0.3, 0.05, 0.03, 1.5, 6.0}},
    {"superquadric", {0.3, 0.05, 0.03, 3.0, 1.3}},
    {"superquadric", {1.0, 0.01, 0.2, 4.0, 2.0}},
    {"superquadric", {1.0, 0.5, 0.01, 2.0, 12.0}},
    {"cylinder", {0.1, 0.2}},
    {"cylinder", {1.0, 0.02}},
    {"cylinder", {0.1, 20.0}},
    {"disk", {0.1}},
    {"disk", {1.0}},
    {"capsule", {0.1, 0.02}},
    {"capsule", {0.1, 1.8}},
    {"capsule", {0.1, 19.8}},
    {"box", {0.1, 0.1, 0.1, 0.0}},
    {"box", {0.1, 0.1, 0.1, 0.05}},
    {"box", {1.0, 0.1, 0.3, 0.02}},
    {"box", {1.0, 0.01, 0.3, 0.0}},
    {"box", {0.01, 1.0, 0.3, 0.005}},
};

typedef struct case_ {
    const rps_shape *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
    double size;     /* m */
    rps_vec3 extent; /* m, half of it along x, y, z */
    bool sharp;      /* has edges, where the normal jumps */
    uint64_t number;
} case_;

static void run_case(case_ c, void (*test)(const case_ *)) {
    assert_int_equal(rps_shape_check(c.shape, c.parameter, "case", NULL), RPS_OK);
    rps_mat3 still = rps_mat3_identity();
    c.size = c.shape->unbounded ? 1.0 : c.shape->bounding_radius(c.parameter);
    c.extent = c.shape->unbounded ? rps_vec3_make(1.0, 1.0, 1.0) : c.shape->bounds(c.parameter, &still).high;
    c.sharp = strcmp(c.shape->name, "cylinder") == 0 || strcmp(c.shape->name, "disk") == 0 ||
              (c.shape->core && c.shape->core(c.parameter).radius == 0.0);
    test(&c);
}

static void each_case(void (*test)(const case_ *)) {
    assert_true(RPS_SHAPE_COUNT >= 2);
    for (int s = 0; s < RPS_SHAPE_COUNT; s++) {
        case_ c = {.shape = rps_shape_at(s)};
        if (rps_shape_is_sheet(c.shape)) continue;
        if (c.shape->by_world) continue; /* a mesh: tests/unit/mesh_reach.c */
        for (uint64_t set = 0; set < DRAWN_SETS; set++) {
            c.number = 100 * (uint64_t)s + set;
            draw_parameters(c.shape, set, c.parameter);
            run_case(c, test);
        }
        for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++) {
            if (strcmp(chosen[k].shape, c.shape->name) != 0) continue;
            c.number = 100 * (uint64_t)s + DRAWN_SETS + k;
            memcpy(c.parameter, chosen[k].parameter, sizeof c.parameter);
            run_case(c, test);
        }
    }
}

static double value_at(const case_ *c, rps_vec3 x) {
    return c->shape->value(c->parameter, x);
}

/* The root of the function between a point inside and one outside, to the last bit or so. */
static rps_vec3 surface_point(const case_ *c, uint64_t n) {
    rps_vec3 in, out;
    if (c->shape->unbounded) { /* straight across the surface at a random place */
        rps_vec3 at =
            rps_vec3_make(uniform(c->number, 5 * n, -5.0, 5.0), uniform(c->number, 5 * n + 1, -5.0, 5.0), 0.0);
        in = rps_vec3_add(at, rps_vec3_make(0.0, 0.0, -100.0));
        out = rps_vec3_add(at, rps_vec3_make(0.0, 0.0, 90.0));
    } else {
        in = rps_vec3_zero();
        out = rps_vec3_scale(rps_vec3_mul(random_direction(c->number, n), c->extent), 2.0);
    }
    assert_true(value_at(c, in) < 0.0 && value_at(c, out) > 0.0);
    for (int k = 0; k < 70; k++) {
        rps_vec3 mid = rps_vec3_scale(rps_vec3_add(in, out), 0.5);
        if (value_at(c, mid) < 0.0) {
            in = mid;
        } else {
            out = mid;
        }
    }
    return rps_vec3_scale(rps_vec3_add(in, out), 0.5);
}

static rps_vec3 normal_at(const case_ *c, rps_vec3 x) {
    return rps_vec3_normalize(c->shape->gradient(c->parameter, x));
}

static void test_description(void **state) {
    (void)state;
    for (int s = 0; s < RPS_SHAPE_COUNT; s++) {
        const rps_shape *shape = rps_shape_at(s);
        assert_int_equal(rps_shape_find(shape->name), s);
        assert_true(*shape->name && *shape->summary);
        if (shape->by_world) continue;
        const bool sheet = rps_shape_is_sheet(shape);
        assert_true(shape->bounding_radius && shape->bounds && shape->support);
        assert_true((shape->value && shape->gradient && shape->shape_operator && shape->mean_curvature) != sheet);
        assert_true((shape->parts && shape->hollow) == sheet);
        assert_int_equal(shape->mass == NULL, shape->unbounded);
        assert_int_equal(shape->smallest_width == NULL, shape->unbounded);
        assert_int_equal(shape->mesh == NULL, shape->unbounded);
        assert_true(rps_shape_numbers(shape) <= RPS_SHAPE_PARAMETERS);
        for (int k = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++) {
            assert_true(shape->parameter[k].unit && *shape->parameter[k].meaning);
            assert_true(shape->parameter[k].low < shape->parameter[k].high);
        }
    }
    assert_null(rps_shape_at(-1));
    assert_null(rps_shape_at(RPS_SHAPE_COUNT));
    assert_int_equal(rps_shape_find("no such shape"), -1);
    assert_int_equal(rps_shape_find(NULL), -1);
}

/* A rounding of positions, as the function sees it. */
static double tolerance_of_value(const case_ *c, rps_vec3 x) {
    return 1e-14 * c->size * rps_vec3_norm(c->shape->gradient(c->parameter, x));
}

/* The support point lies on the surface and no point of the surface lies farther along. */
static void check_support(const case_ *c) {
    double radius = c->shape->bounding_radius(c->parameter), farthest = 0.0;
    for (uint64_t d = 0; d < 40; d++) {
        rps_vec3 along = rps_vec3_scale(random_direction(c->number + 7, d), uniform(2, d, 0.1, 10.0));
        bool across = c->shape->unbounded && d == 0;
        if (across) along = rps_vec3_make(0.0, 0.0, 3.0); /* the one direction in which a half space ends */
        rps_vec3 at = c->shape->support(c->parameter, along);
        double reach = rps_vec3_dot(at, along), unit = rps_vec3_norm(along) * c->size;
        if (c->shape->unbounded && !across) {
            assert_true(reach == INFINITY);
            continue;
        }
        assert_true(fabs(value_at(c, at)) <= tolerance_of_value(c, at));
        for (uint64_t n = 0; n < POINTS; n++) {
            assert_true(rps_vec3_dot(surface_point(c, n), along) <= reach + 1e-14 * unit);
        }
        rps_vec3 unit_along = rps_vec3_normalize(along);
        if (c->sharp) {
            /* the function is the distance, so the nearest point to at + t d is `at` if d lies within its normal cone */
            double t = 0.1 * c->size;
            assert_true(fabs(value_at(c, rps_vec3_add_scaled(at, t, unit_along)) - t) <= 1e-14 * c->size);
        } else {
            /* and it is not merely large: the surface is perpendicular to the direction there (1e-7: curvature times the
             * root of a rounding) */
            assert_true(rps_vec3_norm(rps_vec3_cross(normal_at(c, at), unit_along)) < 1e-7);
        }
    }
    for (uint64_t n = 0; n < POINTS && !c->shape->unbounded; n++) {
        farthest = fmax(farthest, rps_vec3_norm(surface_point(c, n)));
    }
    assert_true(farthest <= radius * (1.0 + 1e-14));
    /* the sphere is the smallest: from any start, the point farthest along the last one lies farther out */
    for (uint64_t start = 0; start < 20 && !c->shape->unbounded; start++) {
        rps_vec3 x = random_direction(c->number + 23, start);
        for (int k = 0; k < 200; k++) x = c->shape->support(c->parameter, x);
        farthest = fmax(farthest, rps_vec3_norm(x));
    }
    assert_true(c->shape->unbounded || fabs(farthest - radius) <= 1e-6 * radius);
    assert_int_equal(isinf(radius), c->shape->unbounded);
}

/* Bounds are what the support points along the axes of the world say, for any rotation. */
static void check_bounds(const case_ *c) {
    for (uint64_t k = 0; k < 10; k++) {
        rps_quat q = rps_quat_identity();
        if (k > 0) {
            q = rps_quat_normalize(
                (rps_quat){rps_random_normal(5, RPS_RANDOM_TEST, k, 0), rps_random_normal(5, RPS_RANDOM_TEST, k, 1),
                           rps_random_normal(5, RPS_RANDOM_TEST, k, 2), rps_random_normal(5, RPS_RANDOM_TEST, k, 3)});
        }
        if (k == 1) q = (rps_quat){0.0, 1.0, 0.0, 0.0}; /* upside down */
        rps_mat3 rotation = rps_quat_to_mat3(q);
        rps_shape_bounds bounds = c->shape->bounds(c->parameter, &rotation);
        const double low[3] = {bounds.low.x, bounds.low.y, bounds.low.z};
        const double high[3] = {bounds.high.x, bounds.high.y, bounds.high.z};
        for (int axis = 0; axis < 3; axis++) {
            rps_vec3 e = rps_vec3_make(axis == 0, axis == 1, axis == 2);
            for (int side = -1; side <= 1; side += 2) {
                rps_vec3 along = rps_mat3_transpose_mul_vec(&rotation, rps_vec3_scale(e, side));
                double reach = rps_vec3_dot(c->shape->support(c->parameter, along), along);
                double bound = side > 0 ? high[axis] : -low[axis];
                assert_true(reach == bound || fabs(reach - bound) <= 1e-14 * c->size);
            }
        }
    }
}

static double slope_along(const case_ *c, rps_vec3 x, rps_vec3 e) {
    return rps_vec3_dot(c->shape->gradient(c->parameter, x), e);
}

/* The function is negative inside and positive outside, and its gradient is its slope and points outwards. A central
 * difference is the mean of the slope between its ends: it differs from the middle by no more than the slope's second
 * difference, which is h^2 where the surface is smooth and large where curvature jumps or is infinite. */
static void check_gradient(const case_ *c) {
    double h = 1e-5 * c->size, smooth = 0.0;
    rps_vec3 inner = rps_vec3_make(0.0, 0.0, c->shape->unbounded ? -1.0 : 0.0);
    for (uint64_t n = 0; n < POINTS; n++) {
        rps_vec3 x = surface_point(c, n), normal = normal_at(c, x), e = random_direction(c->number + 13, n);
        for (double t = 1e-6; t < 0.5; t *= 10.0) {
            assert_true(value_at(c, rps_vec3_add_scaled(x, t, rps_vec3_sub(inner, x))) < 0.0);
            assert_true(value_at(c, rps_vec3_add_scaled(x, t * c->size, normal)) > 0.0);
        }
        rps_vec3 ahead = rps_vec3_add_scaled(x, h, e), behind = rps_vec3_add_scaled(x, -h, e);
        double slope = slope_along(c, x, e), found = (value_at(c, ahead) - value_at(c, behind)) / (2.0 * h);
        double bend = fabs(slope_along(c, ahead, e) - 2.0 * slope + slope_along(c, behind, e));
        double scale = rps_vec3_norm(c->shape->gradient(c->parameter, x));
        /* the gradient may turn by a right angle at an edge, but not in the bulk of the points */
        smooth += bend < 1e-3 * scale;
        /* the function's roundings, some 1e-16 of the body's size, over 2h */
        if (!(fabs(found - slope) <= bend + 1e-10 * scale)) {
            fail_msg("%s %llu: slope %.12g, by differences %.12g", c->shape->name, (unsigned long long)c->number, slope,
                     found);
        }
    }
    assert_true(smooth > 0.9 * POINTS);
}

/* dn = W dx over the tangent plane; W symmetric and H half its trace, in any frame. Central differences as for the
 * gradient: the second difference of W bounds their error. */
static void check_curvature(const case_ *c) {
    double smooth = 0.0, edges = 0.0;
    for (uint64_t n = 0; n < POINTS; n++) {
        rps_vec3 x = surface_point(c, n), normal = normal_at(c, x);
        rps_vec3 u = rps_vec3_normalize(rps_vec3_reject(random_direction(c->number + 17, n), normal));
        rps_vec3 axis[2] = {u, rps_vec3_cross(normal, u)};
        double found[2][2], given[3], bend[2] = {0.0, 0.0}, turn = 0.0;
        c->shape->shape_operator(c->parameter, x, axis[0], axis[1], given);
        double mean = c->shape->mean_curvature(c->parameter, x), size = 1.0 / c->size;
        assert_true(given[0] >= 0.0 && given[2] >= 0.0 && isfinite(given[0]) && isfinite(given[2]));
        assert_true(fabs(mean - 0.5 * (given[0] + given[2])) <= 1e-13 * (mean + size));
        /* a step over which the normal turns little */
        double h = 1e-5 / fmax(size, 2.0 * mean);
        for (int k = 0; k < 2; k++) {
            rps_vec3 ahead = rps_vec3_add_scaled(x, h, axis[k]), behind = rps_vec3_add_scaled(x, -h, axis[k]);
            rps_vec3 step = rps_vec3_sub(normal_at(c, ahead), normal_at(c, behind));
            double a[3], b[3];
            c->shape->shape_operator(c->parameter, ahead, axis[0], axis[1], a);
            c->shape->shape_operator(c->parameter, behind, axis[0], axis[1], b);
            for (int m = 0; m < 3; m++) bend[k] = fmax(bend[k], fabs(a[m] - 2.0 * given[m] + b[m]));
            for (int m = 0; m < 2; m++) found[m][k] = rps_vec3_dot(axis[m], step) * 0.5 / h;
            turn = fmax(turn, rps_vec3_norm(step));
        }
        if (c->sharp && turn > 0.1) { /* across an edge there is no curvature to compare with */
            edges++;
            continue;
        }
        smooth += fmax(bend[0], bend[1]) < 1e-3 * (mean + size);
        const double expected[2][2] = {{given[0], given[1]}, {given[1], given[2]}};
        /* roundings of the normal over 2h: its own, and that of the position times the curvature */
        double rounding = 1e-15 / h * (1.0 + mean / size);
        for (int m = 0; m < 2; m++) {
            for (int k = 0; k < 2; k++) {
                double allowed = 4.0 * bend[k] + rounding; /* 4: u leaves the tangent plane within the step */
                if (fabs(found[m][k] - expected[m][k]) <= allowed) continue;
                fail_msg("%s %llu: curvature %.12g, by differences %.12g, allowed %g", c->shape->name,
                         (unsigned long long)c->number, expected[m][k], found[m][k], allowed);
            }
        }
    }
    assert_true(smooth > 0.8 * POINTS);
    assert_true(edges < 0.1 * POINTS);
}

static double width_along(const case_ *c, rps_vec3 d) {
    rps_vec3 ahead = c->shape->support(c->parameter, d), behind = c->shape->support(c->parameter, rps_vec3_neg(d));
    return rps_vec3_dot(rps_vec3_sub(ahead, behind), d);
}

/* No direction is narrower, and a search downhill from many directions comes as close as it likes. */
static void check_width(const case_ *c) {
    if (c->shape->unbounded) return;
    double width = c->shape->smallest_width(c->parameter), least = INFINITY;
    rps_vec3 best = rps_vec3_zero();
    for (uint64_t n = 0; n < 1000; n++) {
        /* many across the flat sides */
        rps_vec3 d = random_direction(c->number + 31, n);
        if (n % 2) d = rps_vec3_normalize(rps_vec3_make(d.x / c->extent.x, d.y / c->extent.y, d.z / c->extent.z));
        if (n < 3) d = rps_vec3_make(n == 0, n == 1, n == 2);
        double along = width_along(c, d);
        assert_true(along >= width * (1.0 - 1e-13));
        if (along < least) {
            least = along;
            best = d;
        }
    }
    /* the flatter the shape across an axis, the smaller the angles that matter */
    double radius = 0.3, flat = fmin(fmin(c->extent.x, c->extent.y), c->extent.z);
    rps_vec3 step = rps_vec3_make(flat / c->extent.x, flat / c->extent.y, flat / c->extent.z);
    for (uint64_t n = 0; n < 2000; n++) {
        rps_vec3 d = rps_vec3_normalize(
            rps_vec3_add_scaled(best, radius, rps_vec3_mul(random_direction(c->number + 37, n), step)));
        double along = width_along(c, d);
        radius *= along < least ? 1.1 : 0.99;
        if (along < least) {
            least = along;
            best = d;
        }
    }
    if (!(least >= width * (1.0 - 1e-13) && least <= width * (1.0 + 1e-6))) {
        fail_msg("%s %llu: width %.12g, found %.12g", c->shape->name, (unsigned long long)c->number, width, least);
    }
}

/* A ball lies within a shape if it reaches no farther along any direction; directions near the normal decide. */
static void check_ball(const case_ *c) {
    if (!c->shape->smallest_radius) return;
    const double least = c->shape->smallest_radius(c->parameter);
    for (uint64_t n = 0; n < POINTS; n++) {
        const rps_vec3 x = surface_point(c, n), normal = normal_at(c, x);
        const double radius = c->shape->ball_radius ? c->shape->ball_radius(c->parameter, x) : least;
        assert_true(radius >= least && (least > 0.0 || c->parameter[3] > 2.0 || c->parameter[4] > 2.0 || radius > 0.0));
        for (uint64_t k = 0; k < 40; k++) {
            const double off = pow(10.0, -0.15 * (double)k);
            const rps_vec3 by = random_direction(c->number + 41, 40 * n + k);
            const rps_vec3 m = rps_vec3_normalize(rps_vec3_add_scaled(normal, off, by)), q = rps_vec3_sub(m, normal);
            const double reach = rps_vec3_dot(c->shape->support(c->parameter, m), m);
            /* 1 - m n without rounding */
            assert_true(reach - rps_vec3_dot(x, m) >= 0.5 * radius * rps_vec3_norm2(q) - 1e-13 * c->size);
        }
    }
}

/* Of equal semi-axes and exponents of at most 2 the ball at the diagonal is the one about the center. */
static void test_ball_at_the_diagonal(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double n = 1.1 + 0.3 * k, parameter[RPS_SHAPE_PARAMETERS] = {0.2, 0.2, 0.2, n, n},
                     x = 0.2 * pow(3.0, -1.0 / n);
        const double radius = rps_shape_superquadric.ball_radius(parameter, (rps_vec3){x, -x, x});
        assert_true(fabs(radius - sqrt(3.0) * x) <= 1e-14);
    }
}

/* A shape with a core is that core and all within its radius. */
static void check_core(const case_ *c) {
    if (!c->shape->core) return;
    rps_shape_core core = c->shape->core(c->parameter);
    for (uint64_t n = 0; n < POINTS; n++) {
        rps_vec3 x = rps_vec3_scale(rps_vec3_mul(random_direction(c->number + 41, n), c->extent), 1.5);
        rps_vec3 near = {fmin(fmax(x.x, -core.half[0]), core.half[0]), fmin(fmax(x.y, -core.half[1]), core.half[1]),
                         fmin(fmax(x.z, -core.half[2]), core.half[2])};
        double gap = rps_vec3_norm(rps_vec3_sub(x, near)) - core.radius;
        if (gap > -core.radius) assert_true(fabs(value_at(c, x) - gap) <= 1e-14 * c->size);
    }
}

static int compare_edges(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Every edge is run through once each way, by two triangles; one piece without holes. Returns the volume inside. */
static double volume_of_mesh(const case_ *c, const rps_shape_triangles *mesh) {
    uint64_t *edge = malloc(6 * mesh->triangles * sizeof *edge), *back = edge + 3 * mesh->triangles;
    size_t edges = 0;
    double volume = 0.0;
    assert_non_null(edge);
    for (size_t t = 0; t < mesh->triangles; t++) {
        const uint32_t *corner = mesh->triangle[t];
        rps_vec3 x[3];
        for (int k = 0; k < 3; k++) {
            assert_true(corner[k] < mesh->points);
            x[k] = rps_vec3_make(mesh->point[corner[k]][0], mesh->point[corner[k]][1], mesh->point[corner[k]][2]);
            edge[edges] = (uint64_t)corner[k] << 32 | corner[(k + 1) % 3];
            back[edges++] = (uint64_t)corner[(k + 1) % 3] << 32 | corner[k];
        }
        /* outward winding, for a convex shape around its origin: the origin is below every triangle */
        double six = rps_vec3_dot(x[0], rps_vec3_cross(x[1], x[2]));
        assert_true(six > 0.0);
        volume += six / 6.0;
    }
    qsort(edge, edges, sizeof *edge, compare_edges);
    qsort(back, edges, sizeof *back, compare_edges);
    assert_memory_equal(edge, back, edges * sizeof *edge);
    for (size_t e = 1; e < edges; e++) assert_true(edge[e] > edge[e - 1]);
    assert_int_equal(mesh->points + mesh->triangles, edges / 2 + 2);
    free(edge);
    for (size_t n = 0; n < mesh->points; n++) {
        rps_vec3 x = rps_vec3_make(mesh->point[n][0], mesh->point[n][1], mesh->point[n][2]);
        assert_true(fabs(value_at(c, x)) <= tolerance_of_value(c, x));
    }
    return volume;
}

/* Corners on the surface of a convex shape: the mesh lies within, and what is missing falls as the square of the length
 * of edges, by 4 from one mesh to the next; half of that is asked for, since the ridges of small exponents fill slower. */
static void check_mesh(const case_ *c) {
    if (c->shape->unbounded) return;
    bool exact = c->shape->core && c->sharp;
    double missing = INFINITY, volume = c->shape->mass(c->parameter).volume;
    for (size_t triangles = 400; triangles < 30000; triangles *= 4) {
        rps_shape_triangles mesh;
        assert_int_equal(c->shape->mesh(c->parameter, triangles, NULL, &mesh, NULL), RPS_OK);
        if (!exact) assert_in_range(mesh.triangles, triangles * 6 / 10, triangles * 16 / 10);
        double now = 1.0 - volume_of_mesh(c, &mesh) / volume;
        assert_true(now >= -1e-12 && (exact ? now < 1e-12 : now <= 0.5 * missing));
        missing = now;
        rps_memory_release(NULL, mesh.point, mesh.points * sizeof *mesh.point);
        rps_memory_release(NULL, mesh.triangle, mesh.triangles * sizeof *mesh.triangle);
    }
    assert_true(missing < 0.01);
}

/* Volume and second moments, in the box around the shape, by one random point in each cell of a grid, repeated: the scatter of the repetitions tells the
 * error of their mean, about 7e-4 of a ball's volume; six of these errors are allowed. */
static void check_mass(const case_ *c) {
    enum { CELLS = 24, REPEATS = 12, QUANTITIES = 10 };
    if (c->shape->unbounded) return;
    double sum[QUANTITIES] = {0}, square[QUANTITIES] = {0}, side = 2.0 / CELLS;
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        double part[QUANTITIES] = {0};
        for (uint64_t cell = 0; cell < CELLS * CELLS * CELLS; cell++) {
            uint64_t word[4];
            rps_random_block(c->number, RPS_RANDOM_TEST, repeat, cell, word);
            double x = -1.0 + side * ((double)(cell % CELLS) + rps_random_to_unit(word[0]));
            double y = -1.0 + side * ((double)(cell / CELLS % CELLS) + rps_random_to_unit(word[1]));
            double z = -1.0 + side * ((double)(cell / CELLS / CELLS) + rps_random_to_unit(word[2]));
            if (value_at(c, rps_vec3_mul(rps_vec3_make(x, y, z), c->extent)) > 0.0) continue;
            const double term[QUANTITIES] = {1.0, x * x, y * y, z * z, x, y, z, x * y, y * z, z * x};
            for (int k = 0; k < QUANTITIES; k++) part[k] += term[k] * side * side * side;
        }
        for (int k = 0; k < QUANTITIES; k++) {
            sum[k] += part[k];
            square[k] += part[k] * part[k];
        }
    }
    rps_shape_mass mass = c->shape->mass(c->parameter);
    rps_vec3 e = c->extent, inertia = mass.inertia_per_mass;
    double volume = mass.volume / (e.x * e.y * e.z), half = 0.5 * (inertia.x + inertia.y + inertia.z);
    /* centre of mass at the origin, principal axes along x, y, z */
    const double expected[QUANTITIES] = {volume, volume * (half - inertia.x) / (e.x * e.x),
                                         volume * (half - inertia.y) / (e.y * e.y),
                                         volume * (half - inertia.z) / (e.z * e.z)};
    for (int k = 0; k < QUANTITIES; k++) {
        double mean = sum[k] / REPEATS;
        double error = sqrt((square[k] / REPEATS - mean * mean) / (REPEATS - 1));
        assert_true(error < 8e-3); /* of a box of volume 8; a test that knows nothing would pass */
        if (!(fabs(mean - expected[k]) <= 6.0 * error)) {
            fail_msg("%s: moment %d is %g, by quadrature %g +- %g", c->shape->name, k, expected[k], mean, error);
        }
    }
}

static void test_support(void **state) {
    (void)state;
    each_case(check_support);
}

static void test_bounds(void **state) {
    (void)state;
    each_case(check_bounds);
}

static void test_gradient(void **state) {
    (void)state;
    each_case(check_gradient);
}

static void test_curvature(void **state) {
    (void)state;
    each_case(check_curvature);
}

static void test_width(void **state) {
    (void)state;
    each_case(check_width);
}

static void test_ball(void **state) {
    (void)state;
    each_case(check_ball);
}

static void test_core(void **state) {
    (void)state;
    each_case(check_core);
}

static void test_mesh(void **state) {
    (void)state;
    each_case(check_mesh);
}

static void test_mass(void **state) {
    (void)state;
    each_case(check_mass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description), cmocka_unit_test(test_support),
        cmocka_unit_test(test_bounds),      cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_curvature),   cmocka_unit_test(test_width),
        cmocka_unit_test(test_ball),        cmocka_unit_test(test_ball_at_the_diagonal),
        cmocka_unit_test(test_core),        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
