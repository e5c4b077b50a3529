/* Shapes with independently known properties: limits in which one becomes another, closed forms, and refusals. */
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

#define PI 3.14159265358979323846

static rps_vec3 random_vector(uint64_t n) {
    return rps_vec3_make(rps_random_normal(3, RPS_RANDOM_TEST, n, 0), rps_random_normal(3, RPS_RANDOM_TEST, n, 1),
                         rps_random_normal(3, RPS_RANDOM_TEST, n, 2));
}

static void assert_close(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance * fabs(b))) {
        fail_msg("%.17g is not %.17g: relative difference %g", a, b, fabs(a - b) / fabs(b));
    }
}

static void assert_same_vector(rps_vec3 a, rps_vec3 b, double tolerance) {
    assert_true(rps_vec3_norm(rps_vec3_sub(a, b)) <= tolerance);
}

static void assert_same_mass(const rps_shape *a, const double *pa, const rps_shape *b, const double *pb,
                             double tolerance) {
    rps_shape_mass ma = a->mass(pa), mb = b->mass(pb);
    assert_close(ma.volume, mb.volume, tolerance);
    assert_close(ma.inertia_per_mass.x, mb.inertia_per_mass.x, tolerance);
    assert_close(ma.inertia_per_mass.y, mb.inertia_per_mass.y, tolerance);
    assert_close(ma.inertia_per_mass.z, mb.inertia_per_mass.z, tolerance);
}

/* All that two descriptions of one body say; `size` its radius, tolerances in units of it. Points of `a`'s surface must
 * not sit where its curvature jumps. */
static void assert_same_shape(const rps_shape *a, const double *pa, const rps_shape *b, const double *pb,
                              double tolerance) {
    double size = b->bounding_radius(pb);
    assert_same_mass(a, pa, b, pb, tolerance);
    assert_close(a->bounding_radius(pa), size, tolerance);
    assert_close(a->smallest_width(pa), b->smallest_width(pb), tolerance);
    for (uint64_t n = 0; n < 300; n++) {
        rps_vec3 d = random_vector(n), x = a->support(pa, d);
        assert_same_vector(x, b->support(pb, d), tolerance * size);
        rps_vec3 gradient = b->gradient(pb, x), normal = rps_vec3_normalize(gradient);
        assert_true(fabs(b->value(pb, x)) <= tolerance * size * rps_vec3_norm(gradient));
        assert_same_vector(rps_vec3_normalize(a->gradient(pa, x)), normal, tolerance * size / b->smallest_width(pb));
        rps_vec3 u = rps_vec3_any_across(normal), w = rps_vec3_cross(normal, u);
        double found[3], expected[3], mean = b->mean_curvature(pb, x);
        a->shape_operator(pa, x, u, w, found);
        b->shape_operator(pb, x, u, w, expected);
        for (int k = 0; k < 3; k++) assert_true(fabs(found[k] - expected[k]) <= 10.0 * tolerance * mean);
        assert_close(a->mean_curvature(pa, x), mean, 10.0 * tolerance);
        rps_mat3 rotation = rps_quat_to_mat3(rps_quat_from_rotation_vector(d));
        rps_shape_bounds ba = a->bounds(pa, &rotation), bb = b->bounds(pb, &rotation);
        assert_same_vector(ba.low, bb.low, tolerance * size);
        assert_same_vector(ba.high, bb.high, tolerance * size);
    }
}

/* Some ten roundings each. */
static void test_superquadric_2_is_ellipsoid(void **state) {
    (void)state;
    const double quadric[5] = {0.3, 0.07, 0.5, 2.0, 2.0};
    assert_same_shape(&rps_shape_superquadric, quadric, &rps_shape_ellipsoid, quadric, 2e-15);
}

static void test_rounds_are_spheres(void **state) {
    (void)state;
    const double radius = 0.15, axes[3] = {radius, radius, radius};
    const double box[4] = {2.0 * radius, 2.0 * radius, 2.0 * radius, radius}, capsule[2] = {radius, 1e-300};
    assert_same_shape(&rps_shape_ellipsoid, axes, &rps_shape_sphere, &radius, 2e-15);
    assert_same_shape(&rps_shape_box, box, &rps_shape_sphere, &radius, 2e-15);
    assert_same_mass(&rps_shape_capsule, capsule, &rps_shape_sphere, &radius, 1e-15);
}

/* A box rounded so far that only one edge direction stays straight; its faces are gone. Sizes that are exact in binary, so
 * that 2 R + L - 2 R is L. */
static void test_round_box_is_capsule(void **state) {
    (void)state;
    const double box[4] = {0.5, 0.5, 2.0, 0.25}, capsule[2] = {0.25, 1.5};
    assert_same_shape(&rps_shape_box, box, &rps_shape_capsule, capsule, 2e-15);
}

static void test_box_closed_form(void **state) {
    (void)state;
    const double box[4] = {0.2, 0.3, 0.7, 0.0};
    rps_shape_mass mass = rps_shape_box.mass(box);
    assert_close(mass.volume, 0.2 * 0.3 * 0.7, 1e-15);
    assert_close(mass.inertia_per_mass.x, (0.09 + 0.49) / 12.0, 1e-15);
    assert_close(mass.inertia_per_mass.y, (0.04 + 0.49) / 12.0, 1e-15);
    assert_close(mass.inertia_per_mass.z, (0.04 + 0.09) / 12.0, 1e-15);
}

/* Cylinder between two half balls: I_z = 2/5 and 1/2 R^2 by mass; I_x with the half balls' centres of mass 3/8 R beyond
 * the ends and 83/320 R^2 about them. */
static void test_capsule_closed_form(void **state) {
    (void)state;
    const double capsule[2] = {0.2, 0.7}, r = 0.2, l = 0.7;
    double ball = 4.0 / 3.0 * PI * r * r * r, rod = PI * r * r * l, all = ball + rod;
    double arm = 0.5 * l + 0.375 * r;
    rps_shape_mass mass = rps_shape_capsule.mass(capsule);
    assert_close(mass.volume, all, 1e-15);
    assert_close(mass.inertia_per_mass.z, (0.4 * ball + 0.5 * rod) * r * r / all, 2e-15);
    double across = rod * (0.25 * r * r + l * l / 12.0) + ball * (83.0 / 320.0 * r * r + arm * arm);
    assert_close(mass.inertia_per_mass.x, across / all, 2e-15);
    assert_close(mass.inertia_per_mass.y, across / all, 2e-15);
}

/* Integral over (0, 1) by the rule of Takahashi and Mori, whose points crowd at the ends, so that roots there do not
 * matter; 1 - t comes exact. Error below 1e-13 at this spacing. */
static double integral(double (*f)(double t, double rest, const double *p), const double *p) {
    double sum = 0.0, h = 1.0 / 64.0;
    for (int k = -260; k <= 260; k++) {
        double u = 0.5 * PI * sinh(k * h), t = 1.0 / (1.0 + exp(-2.0 * u)), rest = 1.0 / (1.0 + exp(2.0 * u));
        sum += f(t, rest, p) * h * PI * cosh(k * h) * t * rest;
    }
    return sum;
}

/* 1 - t^n for rest = 1 - t, without cancellation. */
static double one_less_power(double t, double rest, double n) {
    return -expm1(n * (t < 0.5 ? log(t) : log1p(-rest)));
}

/* t^i (1 - t^n)^(j/n) with p = {n, i, j}. */
static double section(double t, double rest, const double *p) {
    return pow(t, p[1]) * pow(one_less_power(t, rest, p[0]), p[2] / p[0]);
}

/* Area of the slice at z of a rounded box, with p = {half x, half y, half z, radius, power of z}: a rectangle whose
 * corners have the radius left at that height. */
static double slice(double t, double rest, const double *p, double beyond) {
    double across = beyond > 0.0 ? p[3] * sqrt(rest * (1.0 + t)) : p[3], z = beyond > 0.0 ? p[2] + p[3] * t : p[2] * t;
    return (4.0 * p[0] * p[1] + 4.0 * across * (p[0] + p[1]) + PI * across * across) * pow(z, p[4]);
}

static double slice_of_core(double t, double rest, const double *p) {
    return slice(t, rest, p, 0.0);
}

static double slice_beyond(double t, double rest, const double *p) {
    return slice(t, rest, p, 1.0);
}

static void test_round_box_mass(void **state) {
    (void)state;
    const double size[3] = {0.2, 0.3, 0.7}, r = 0.07;
    const double box[4] = {size[0], size[1], size[2], r};
    rps_shape_mass mass = rps_shape_box.mass(box);
    double square[3];
    for (int k = 0; k < 3; k++) {
        double p[5] = {0.5 * size[(k + 1) % 3] - r, 0.5 * size[(k + 2) % 3] - r, 0.5 * size[k] - r, r, 0.0};
        double volume = 2.0 * (p[2] * integral(slice_of_core, p) + r * integral(slice_beyond, p));
        assert_close(mass.volume, volume, 1e-13);
        p[4] = 2.0;
        square[k] = 2.0 * (p[2] * integral(slice_of_core, p) + r * integral(slice_beyond, p)) / volume;
    }
    assert_close(mass.inertia_per_mass.x, square[1] + square[2], 1e-13);
    assert_close(mass.inertia_per_mass.y, square[2] + square[0], 1e-13);
    assert_close(mass.inertia_per_mass.z, square[0] + square[1], 1e-13);
}

/* Slices across z are the ring's area scaled by r^2 = (1 - z^n1)^(2/n1), and its second moment by r^4. */
static void test_superquadric_mass(void **state) {
    (void)state;
    static const double exponent[] = {1.0001, 1.2, 1.5, 2.0, 3.7, 8.0, 12.0, 16.0};
    enum { COUNT = sizeof exponent / sizeof *exponent };
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            double n1 = exponent[i], n2 = exponent[j];
            const double quadric[5] = {0.3, 0.2, 0.1, n1, n2};
            double area = integral(section, (const double[]){n2, 0.0, 1.0});
            double area2 = integral(section, (const double[]){n2, 2.0, 1.0});
            double whole = integral(section, (const double[]){n1, 0.0, 2.0});
            double along = integral(section, (const double[]){n1, 2.0, 2.0});
            double across = integral(section, (const double[]){n1, 0.0, 4.0});
            double round = area2 / area * (across / whole), z2 = 0.01 * along / whole;
            rps_shape_mass mass = rps_shape_superquadric.mass(quadric);
            assert_close(mass.volume, 8.0 * area * whole * (0.3 * 0.2 * 0.1), 1e-13);
            assert_close(mass.inertia_per_mass.x, 0.04 * round + z2, 1e-13);
            assert_close(mass.inertia_per_mass.y, 0.09 * round + z2, 1e-13);
            assert_close(mass.inertia_per_mass.z, 0.13 * round, 1e-13);
        }
    }
}

/* Exponents next to 1: the octahedron, V = 4/3 abc, sum of x^2 by mass a^2/10; between its faces 2/|(1/a, 1/b, 1/c)|. */
static void test_superquadric_1_is_octahedron(void **state) {
    (void)state;
    double e = 1e-9;
    const double quadric[5] = {0.3, 0.2, 0.1, 1.0 + e, 1.0 + e};
    rps_shape_mass mass = rps_shape_superquadric.mass(quadric);
    /* the derivatives by the exponents are of order 1 */
    assert_close(mass.volume, 4.0 / 3.0 * 0.3 * 0.2 * 0.1, 10.0 * e);
    assert_close(mass.inertia_per_mass.x, 0.1 * (0.04 + 0.01), 10.0 * e);
    assert_close(mass.inertia_per_mass.y, 0.1 * (0.01 + 0.09), 10.0 * e);
    assert_close(mass.inertia_per_mass.z, 0.1 * (0.09 + 0.04), 10.0 * e);
    assert_close(rps_shape_superquadric.bounding_radius(quadric), 0.3, 1e-15);
    assert_close(rps_shape_superquadric.smallest_width(quadric), 2.0 / sqrt(1.0 / 0.09 + 1.0 / 0.04 + 1.0 / 0.01),
                 10.0 * e);
    /* and even so its support point lies on it */
    for (uint64_t n = 0; n < 300; n++) {
        rps_vec3 x = rps_shape_superquadric.support(quadric, random_vector(n));
        assert_true(fabs(rps_shape_superquadric.value(quadric, x)) <= 1e-14);
    }
}

/* On the axes and in the planes between them, where powers meet zero: finite, the normal along the plane, flat above 2
 * and bent as far as the limit of 1e6 over the smallest semi-axis below. */
static void test_superquadric_in_axes_planes(void **state) {
    (void)state;
    static const double exponent[] = {1.2, 2.0, 2.5, 12.0};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const double quadric[5] = {0.3, 0.2, 0.1, exponent[i], exponent[j]};
            for (int zeros = 1; zeros < 7; zeros++) { /* bits: which of x, y, z are 0 */
                rps_vec3 d = {zeros & 1 ? 0.0 : 1.0, zeros & 2 ? 0.0 : -1.0, zeros & 4 ? 0.0 : 1.0};
                rps_vec3 x = rps_shape_superquadric.support(quadric, d);
                rps_vec3 n = rps_vec3_normalize(rps_shape_superquadric.gradient(quadric, x));
                assert_true(rps_vec3_is_finite(x) && fabs(rps_shape_superquadric.value(quadric, x)) <= 1e-14);
                assert_true(rps_vec3_norm(rps_vec3_cross(n, rps_vec3_normalize(d))) < 1e-13);
                double w[3], least = fmin(exponent[i], exponent[j]), most = fmax(exponent[i], exponent[j]);
                rps_vec3 u = rps_vec3_any_across(n);
                rps_shape_superquadric.shape_operator(quadric, x, u, rps_vec3_cross(n, u), w);
                double mean = rps_shape_superquadric.mean_curvature(quadric, x);
                assert_true(isfinite(w[0]) && isfinite(w[1]) && isfinite(w[2]) && mean >= 0.0);
                assert_true(mean <= 1e6 / 0.1 * (1.0 + 1e-15));
                bool axis = zeros == 3 || zeros == 5 || zeros == 6;
                if (axis && least > 2.0) assert_true(mean < 1e-12);
                if (axis && most < 2.0) assert_true(mean > 0.99 * 1e6 / 0.1);
            }
        }
    }
}

/* Directions of any length have the same support point. */
static void test_length_of_direction(void **state) {
    (void)state;
    static const struct {
        const rps_shape *shape;
        double parameter[RPS_SHAPE_PARAMETERS];
    } body[] = {{&rps_shape_ellipsoid, {0.3, 0.2, 0.1}},
                {&rps_shape_superquadric, {0.3, 0.2, 0.1, 1.5, 6.0}},
                {&rps_shape_cylinder, {0.3, 0.2}},
                {&rps_shape_capsule, {0.3, 0.2}},
                {&rps_shape_box, {0.3, 0.2, 0.1, 0.01}}};
    for (size_t k = 0; k < sizeof body / sizeof *body; k++) {
        rps_vec3 d = rps_vec3_make(0.3, -0.8, 0.4), x = body[k].shape->support(body[k].parameter, d);
        for (double length = 1e-300; length < 1e301; length *= 1e100) {
            assert_same_vector(body[k].shape->support(body[k].parameter, rps_vec3_scale(d, length)), x, 1e-15);
        }
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const rps_shape *shape;
        double parameter[RPS_SHAPE_PARAMETERS];
        const char *says; /* NULL: accepted */
    } input[] = {
        {&rps_shape_ellipsoid, {1.0, 0.001, 0.5}, NULL},
        {&rps_shape_ellipsoid, {1.001, 0.001, 0.5}, "expected at most 1000"},
        {&rps_shape_ellipsoid, {1.0, -0.1, 0.5}, "semi_axes of an ellipsoid is -0.1 m; expected a number above 0"},
        {&rps_shape_superquadric, {1.0, 1.0, 0.0009, 2.0, 2.0}, "expected at most 1000"},
        {&rps_shape_superquadric,
         {1.0, 1.0, 1.0, 1.0, 2.0},
         "exponents of a superquadric is 1; expected a number above 1"},
        {&rps_shape_superquadric, {1.0, 1.0, 1.0, 2.0, 16.1}, "at most 16"},
        {&rps_shape_superquadric, {1.0, 1.0, 1.0, NAN, NAN}, NULL},
        {&rps_shape_cylinder, {1.0, 0.0019}, "expected at most 1000"},
        {&rps_shape_cylinder, {1.0, 0.002}, NULL},
        {&rps_shape_capsule, {0.001, 2.0}, "expected at most 1000"},
        {&rps_shape_capsule, {0.001, 0.0}, "length of a capsule is 0 m"},
        {&rps_shape_capsule,
         {0.01, 1e-9},
         "less than 0.01 of its radius of 0.01 m: its two ends would both be contacts"},
        {&rps_shape_capsule, {0.01, 0.9e-4}, "make it at least 0.0001 m"},
        {&rps_shape_capsule, {0.01, 1e-4}, NULL},
        {&rps_shape_capsule, {0.01, 1e-300}, NULL}, /* a sphere, but for rounding: one contact */
        {&rps_shape_box, {2.0, 1.0, 1.001, 0.5}, "the straight part of the box along z is 0.001 m"},
        {&rps_shape_box, {2.0, 1.0, 1.0, 0.5}, NULL},
        {&rps_shape_box, {1.0, 0.1, 0.5, NAN}, NULL},
        {&rps_shape_box, {1.0, 0.1, 0.5, 0.051}, "its shortest edge is only 0.1 m; expected at most half"},
        {&rps_shape_box, {1.0, 0.1, 0.5, -0.01}, "rounding of a box is -0.01 m; expected a number of at least 0"},
        {&rps_shape_box, {1.0, 0.1, 200.0, 0.0}, "1 m by 0.1 m by 200 m, its longest extent 2000 times its shortest"},
    };
    for (size_t k = 0; k < sizeof input / sizeof *input; k++) {
        double parameter[RPS_SHAPE_PARAMETERS];
        rps_error err = {0};
        memcpy(parameter, input[k].parameter, sizeof parameter);
        rps_status status = rps_shape_check(input[k].shape, parameter, "body \"b\"", &err);
        assert_int_equal(status, input[k].says ? RPS_BAD_INPUT : RPS_OK);
        if (!input[k].says) continue;
        if (!strstr(err.text, input[k].says)) fail_msg("\"%s\" does not say \"%s\"", err.text, input[k].says);
        assert_ptr_equal(strstr(err.text, "body \"b\": "), err.text);
    }
}

static void *refuse(void *ctx, size_t bytes, size_t alignment) {
    int *left = ctx;
    (void)alignment;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void give_back(void *ctx, void *p, size_t bytes) {
    (void)ctx;
    (void)bytes;
    free(p);
}

static void test_mesh_without_memory(void **state) {
    (void)state;
    const double axes[3] = {0.3, 0.2, 0.1};
    for (int blocks = 0; blocks < 2; blocks++) {
        int left = blocks;
        rps_allocator allocator = {.alloc = refuse, .release = give_back, .ctx = &left};
        rps_shape_triangles mesh;
        rps_error err = {0};
        assert_int_equal(rps_shape_ellipsoid.mesh(axes, 100, &allocator, &mesh, &err), RPS_NO_MEMORY);
        assert_null(mesh.point);
        assert_null(mesh.triangle);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_superquadric_2_is_ellipsoid),
        cmocka_unit_test(test_rounds_are_spheres),
        cmocka_unit_test(test_round_box_is_capsule),
        cmocka_unit_test(test_box_closed_form),
        cmocka_unit_test(test_capsule_closed_form),
        cmocka_unit_test(test_superquadric_mass),
        cmocka_unit_test(test_round_box_mass),
        cmocka_unit_test(test_superquadric_1_is_octahedron),
        cmocka_unit_test(test_superquadric_in_axes_planes),
        cmocka_unit_test(test_length_of_direction),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_mesh_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
