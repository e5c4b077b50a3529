/*
 * What every shape must keep, driven by the table of shapes: a new shape is tested because it is listed.
 *
 * Points of the surface come from the inside/outside function alone (a root along a ray from inside), so that support,
 * bounds, gradient, curvature and mass are each held against it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "shape/shape.h"

enum { PARAMETER_SETS = 5, POINTS = 200 };

/* Where the numbers of this test come from; `stream` keeps uses apart. */
static double uniform(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(11, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 random_direction(uint64_t stream, uint64_t n) {
    return rps_vec3_normalize(rps_vec3_make(rps_random_normal(11, RPS_RANDOM_TEST, stream, 3 * n),
                                            rps_random_normal(11, RPS_RANDOM_TEST, stream, 3 * n + 1),
                                            rps_random_normal(11, RPS_RANDOM_TEST, stream, 3 * n + 2)));
}

/* Lengths over four decades; a parameter with a narrower range is drawn from that. */
static void draw_parameters(const rps_shape *shape, uint64_t set, double parameter[RPS_SHAPE_PARAMETERS]) {
    for (uint64_t k = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++) {
        double low = fmax(shape->parameter[k].low, 1e-3), high = fmin(shape->parameter[k].high, 10.0);
        parameter[k] = low * pow(high / low, uniform(1, 10 * set + k, 0.0, 1.0));
    }
}

typedef struct case_ {
    const rps_shape *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
    double size; /* m */
    uint64_t number;
} case_;

static void each_case(void (*test)(const case_ *)) {
    assert_true(RPS_SHAPE_COUNT >= 2);
    for (int s = 0; s < RPS_SHAPE_COUNT; s++) {
        for (uint64_t set = 0; set < PARAMETER_SETS; set++) {
            case_ c = {.shape = rps_shape_at(s), .number = 100 * (uint64_t)s + set};
            draw_parameters(c.shape, set, c.parameter);
            c.size = c.shape->unbounded ? 1.0 : c.shape->bounding_radius(c.parameter);
            test(&c);
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
        out = rps_vec3_scale(random_direction(c->number, n), 2.0 * c->size);
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
        assert_true(shape->bounding_radius && shape->bounds && shape->support && shape->value && shape->gradient &&
                    shape->shape_operator && shape->mean_curvature);
        assert_int_equal(shape->mass == NULL, shape->unbounded);
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
        assert_true(fabs(value_at(c, at)) <= 1e-14 * c->size);
        for (uint64_t n = 0; n < POINTS; n++) {
            assert_true(rps_vec3_dot(surface_point(c, n), along) <= reach + 1e-14 * unit);
        }
        /* and it is not merely large: the surface is perpendicular to the direction there (1e-7: curvature times the root
         * of a rounding) */
        assert_true(rps_vec3_norm(rps_vec3_cross(normal_at(c, at), rps_vec3_normalize(along))) < 1e-7);
    }
    for (uint64_t n = 0; n < POINTS && !c->shape->unbounded; n++) {
        farthest = fmax(farthest, rps_vec3_norm(surface_point(c, n)));
    }
    assert_true(farthest <= radius * (1.0 + 1e-14));
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
                assert_true(reach == bound || fabs(reach - bound) <= 4e-15 * c->size);
            }
        }
    }
}

/* The function is negative inside and positive outside, and its gradient is its slope and points outwards. */
static void check_gradient(const case_ *c) {
    for (uint64_t n = 0; n < POINTS; n++) {
        rps_vec3 x = surface_point(c, n), normal = normal_at(c, x);
        for (double depth = 1e-6; depth < 0.5; depth *= 10.0) {
            assert_true(value_at(c, rps_vec3_add_scaled(x, -depth * c->size, normal)) < 0.0);
            assert_true(value_at(c, rps_vec3_add_scaled(x, depth * c->size, normal)) > 0.0);
        }
        /* central differences over h: h^2 from the series, 1e-16/h from rounding; 1e-5 makes both about 1e-10 */
        rps_vec3 gradient = c->shape->gradient(c->parameter, x), e = random_direction(c->number + 13, n);
        double h = 1e-5 * c->size;
        double slope =
            (value_at(c, rps_vec3_add_scaled(x, h, e)) - value_at(c, rps_vec3_add_scaled(x, -h, e))) / (2.0 * h);
        assert_true(fabs(slope - rps_vec3_dot(gradient, e)) <= 1e-9 * rps_vec3_norm(gradient));
    }
}

/* dn = W dx over the tangent plane; W symmetric and H half its trace, in any frame. */
static void check_curvature(const case_ *c) {
    for (uint64_t n = 0; n < POINTS; n++) {
        rps_vec3 x = surface_point(c, n), normal = normal_at(c, x);
        rps_vec3 u = rps_vec3_normalize(rps_vec3_reject(random_direction(c->number + 17, n), normal));
        rps_vec3 axis[2] = {u, rps_vec3_cross(normal, u)};
        double found[2][2], given[3], h = 1e-5 * c->size;
        for (int k = 0; k < 2; k++) {
            rps_vec3 dn = rps_vec3_scale(rps_vec3_sub(normal_at(c, rps_vec3_add_scaled(x, h, axis[k])),
                                                      normal_at(c, rps_vec3_add_scaled(x, -h, axis[k]))),
                                         0.5 / h);
            for (int m = 0; m < 2; m++) found[m][k] = rps_vec3_dot(axis[m], dn);
        }
        c->shape->shape_operator(c->parameter, x, axis[0], axis[1], given);
        /* as for the gradient, with curvatures of 1/size */
        double tolerance = 1e-8 / c->size;
        assert_true(fabs(found[0][0] - given[0]) <= tolerance);
        assert_true(fabs(found[0][1] - given[1]) <= tolerance);
        assert_true(fabs(found[1][0] - given[1]) <= tolerance);
        assert_true(fabs(found[1][1] - given[2]) <= tolerance);
        double mean = c->shape->mean_curvature(c->parameter, x);
        assert_true(fabs(mean - 0.5 * (given[0] + given[2])) <= 1e-14 / c->size);
    }
}

/* Volume and second moments by one random point in each cell of a grid, repeated: the scatter of the repetitions tells the
 * error of their mean, about 4e-4 of a ball's volume; six of these errors are allowed. */
static void check_mass(const case_ *c) {
    enum { CELLS = 32, REPEATS = 16, QUANTITIES = 10 };
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
            if (value_at(c, rps_vec3_scale(rps_vec3_make(x, y, z), c->size)) > 0.0) continue;
            const double term[QUANTITIES] = {1.0, y * y + z * z, z * z + x * x, x * x + y * y, x, y,
                                             z,   x * y,         y * z,         z * x};
            for (int k = 0; k < QUANTITIES; k++) part[k] += term[k] * side * side * side;
        }
        for (int k = 0; k < QUANTITIES; k++) {
            sum[k] += part[k];
            square[k] += part[k] * part[k];
        }
    }
    rps_shape_mass mass = c->shape->mass(c->parameter);
    double r = c->size, volume = mass.volume / (r * r * r);
    /* centre of mass at the origin, principal axes along x, y, z */
    const double expected[QUANTITIES] = {volume,
                                         volume * mass.inertia_per_mass.x / (r * r),
                                         volume * mass.inertia_per_mass.y / (r * r),
                                         volume * mass.inertia_per_mass.z / (r * r),
                                         0.0,
                                         0.0,
                                         0.0,
                                         0.0,
                                         0.0,
                                         0.0};
    for (int k = 0; k < QUANTITIES; k++) {
        double mean = sum[k] / REPEATS;
        double error = sqrt((square[k] / REPEATS - mean * mean) / (REPEATS - 1));
        assert_true(error < 3e-3); /* a test that knows nothing would pass */
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

static void test_mass(void **state) {
    (void)state;
    each_case(check_mass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description), cmocka_unit_test(test_support),   cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_gradient),    cmocka_unit_test(test_curvature), cmocka_unit_test(test_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
