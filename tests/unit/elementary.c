/* The elementary functions against the long double ones of the C library, whose error (about 2^-11 ulp of a double)
 * does not count here, at random arguments and at those where C fixes the value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/elementary.h"
#include "base/elementary_simd.h"
#include "base/random.h"
#include "base/vec.h"

enum { SAMPLES = 100000 };

static double uniform(uint64_t stream, uint64_t n) {
    return rps_random_uniform(7, RPS_RANDOM_TEST, stream, n);
}

/* Error in units of the last place of the double nearest to the truth. */
static double ulp_error(double got, long double truth) {
    int exponent;
    frexp((double)truth, &exponent);
    if (exponent < -1021) {
        exponent = -1021;
    }
    return (double)(fabsl((long double)got - truth) / ldexpl(1.0L, exponent - 53));
}

typedef double (*function)(double);
typedef long double (*long_function)(long double);

/* The worst error over arguments spread evenly in [low, high], or evenly in their logarithm if `logarithmic`, there
 * with both signs if `both`. */
static double worst(function f, long_function truth, double low, double high, int logarithmic, int both) {
    double most = 0.0;
    for (uint64_t n = 0; n < SAMPLES; n++) {
        double u = uniform(1, n);
        double x = logarithmic ? exp2(log2(low) + u * (log2(high) - log2(low))) : low + u * (high - low);
        if (both && n % 2) {
            x = -x;
        }
        double e = ulp_error(f(x), truth(x));
        most = e > most ? e : most;
    }
    return most;
}

static void check(const char *what, double measured, double allowed) {
    if (!(measured <= allowed)) {
        print_error("%s: worst error %.3f ulp, allowed %.3f\n", what, measured, allowed);
        fail();
    }
    print_message("%-28s %.3f ulp\n", what, measured);
}

static void test_trigonometric(void **state) {
    (void)state;
    check("sin [-1, 1]", worst(rps_sin, sinl, -1, 1, 0, 0), 1);
    check("sin 1e-300 .. 1e15", worst(rps_sin, sinl, 1e-300, 1e15, 1, 1), 1);
    check("sin 1e15 .. 1e308", worst(rps_sin, sinl, 1e15, 1e308, 1, 1), 1);
    check("cos [-10, 10]", worst(rps_cos, cosl, -10, 10, 0, 0), 1);
    check("cos 1e-5 .. 1e308", worst(rps_cos, cosl, 1e-5, 1e308, 1, 1), 1);
    check("tan [-4, 4]", worst(rps_tan, tanl, -4, 4, 0, 0), 1);
    check("tan 1e-300 .. 1e308", worst(rps_tan, tanl, 1e-300, 1e308, 1, 1), 1);
    /* Doubles next to multiples of pi/2, where nearly all digits cancel. The last is the worst double of all: it comes
     * within 2^-61 of a multiple. */
    for (int k = 1; k < 2000; k++) {
        double x = (double)(k * 1.57079632679489661923132169163975144L);
        assert_true(ulp_error(rps_sin(x), sinl(x)) <= 1);
        assert_true(ulp_error(rps_cos(x), cosl(x)) <= 1);
    }
    double hardest = 6381956970095103.0 * 0x1p797;
    assert_true(ulp_error(rps_cos(hardest), cosl(hardest)) <= 1);
    assert_true(fabs(rps_cos(hardest)) < 1e-18);
}

static long double atan2_truth_of_quotient(long double q) {
    return atan2l(q, -1.0L);
}

static double atan2_of_quotient(double q) {
    return rps_atan2(q, -1.0);
}

static void test_inverse(void **state) {
    (void)state;
    check("atan [-3, 3]", worst(rps_atan, atanl, -3, 3, 0, 0), 1);
    check("atan 1e-300 .. 1e300", worst(rps_atan, atanl, 1e-300, 1e300, 1, 1), 1);
    check("asin [-1, 1]", worst(rps_asin, asinl, -1, 1, 0, 0), 1);
    check("asin 1e-300 .. 1", worst(rps_asin, asinl, 1e-300, 1, 1, 1), 1);
    check("atan2(q, -1)", worst(atan2_of_quotient, atan2_truth_of_quotient, 1e-30, 1e30, 1, 1), 1);
    double most = 0.0;
    for (uint64_t n = 0; n < SAMPLES; n++) {
        /* All quadrants, and sizes from the smallest to the largest doubles. */
        double size = exp2(2080 * uniform(2, n) - 1060);
        double ratio = exp2(60 * uniform(3, n) - 30);
        double x = size * (n & 1 ? -1 : 1), y = size * ratio * (n & 2 ? -1 : 1);
        if (y != 0.0 && isfinite(y) && x != 0.0 && isfinite(x)) {
            most = fmax(most, ulp_error(rps_atan2(y, x), atan2l(y, x)));
        }
    }
    check("atan2 all", most, 1);
    assert_true(ulp_error(rps_atan2(1e-140, 1e160), atan2l(1e-140L, 1e160L)) <= 1);
    assert_true(ulp_error(rps_atan2(1e200, -1e-200), atan2l(1e200L, -1e-200L)) <= 1);
    assert_true(rps_atan2(1e-300, -1e300) == RPS_PI);
    assert_true(rps_asin(1) == RPS_PI / 2 && rps_asin(-1) == -RPS_PI / 2);
}

static void test_exponential(void **state) {
    (void)state;
    check("exp [-1, 1]", worst(rps_exp, expl, -1, 1, 0, 0), 1);
    check("exp [-708, 709.7]", worst(rps_exp, expl, -708, 709.7, 0, 0), 1);
    check("exp subnormal", worst(rps_exp, expl, -745, -708, 0, 0), 1);
    check("exp_bounded", worst(rps_exp_bounded, expl, -RPS_EXP_BOUNDED_MAX, RPS_EXP_BOUNDED_MAX, 0, 0), 2);
    check("exp_bounded [-1, 1]", worst(rps_exp_bounded, expl, -1, 1, 0, 0), 2);
    check("exp 1e-300 .. 1", worst(rps_exp, expl, 1e-300, 1, 1, 1), 1);
    check("log [.5, 2]", worst(rps_log, logl, 0.5, 2, 0, 0), 0.51);
    check("log all", worst(rps_log, logl, 5e-324, 1.7e308, 1, 0), 0.51);
    for (int k = -3; k <= 3; k++) { /* next to 1, where the logarithm vanishes */
        double x = 1 + k * DBL_EPSILON;
        assert_true(ulp_error(rps_log(x), logl(x)) <= 0.51);
    }
    double most = 0.0;
    for (uint64_t n = 0; n < SAMPLES; n++) {
        double x = exp2(200 * uniform(4, n) - 100);
        double y = 10 * uniform(5, n) - 5;
        most = fmax(most, ulp_error(rps_pow(x, y), powl(x, y)));
    }
    check("pow", most, 1);
    most = 0.0;
    for (uint64_t n = 0; n < SAMPLES; n++) {
        double x = 1 + 1e-9 * uniform(4, n);
        double y = 1e11 * uniform(5, n);
        most = fmax(most, ulp_error(rps_pow(x, y), powl(x, y)));
    }
    check("pow near 1, large powers", most, 1);
    most = 0.0;
    for (uint64_t n = 0; n < SAMPLES; n++) {
        double x = exp2(-100 * uniform(4, n));
        double y = 16 * uniform(5, n) - 1;
        if (fabs(y * log(x)) > 699) continue;
        most = fmax(most, ulp_error(rps_pow_positive(x, y), powl(x, y)) / (2 + 3 * fabs(y * log(x))));
    }
    check("pow_positive, in units of its bound", most, 1);
    check("cbrt [-10, 10]", worst(rps_cbrt, cbrtl, -10, 10, 0, 0), 1);
    check("cbrt all", worst(rps_cbrt, cbrtl, 5e-324, 1.7e308, 1, 1), 1);
    check("cbrt_positive", worst(rps_cbrt_positive, cbrtl, DBL_MIN, 1.7e308, 1, 0), 1);
    check("log_positive", worst(rps_log_positive, logl, DBL_MIN, 1.7e308, 1, 0), 2);
    check("log_positive near 1", worst(rps_log_positive, logl, 0.5, 2, 0, 0), 2);
    assert_true(rps_log_positive(1.0) == 0.0);
    for (int k = 0; k <= 1000; k++) {
        assert_true(rps_cbrt_positive((double)k * k * k) == k);
        assert_true(rps_cbrt(-(double)k * k * k) == -k);
    }
}

/* Equal as values of C: NaN equals NaN, and zeros count their sign. */
static void same(double got, double expected, int line) {
    int equal = isnan(expected) ? isnan(got) : got == expected && !signbit(got) == !signbit(expected);
    if (!equal) {
        print_error("line %d: %g, expected %g\n", line, got, expected);
        fail();
    }
}
#define SAME(got, expected) same(got, expected, __LINE__)

static void test_special_values(void **state) {
    (void)state;
    const double values[] = {0.0,    -0.0, 1.0,   -1.0,     0.5,       -0.5, 2.0,    -2.0,    3.0,    -3.0,       1e300,
                             -1e300, 1e19, -1e19, INFINITY, -INFINITY, NAN,  5e-324, -5e-324, 0x1p53, 0x1p53 - 1, -3.5};
    const size_t count = sizeof values / sizeof values[0];
    for (size_t i = 0; i < count; i++) {
        double x = values[i];
        for (size_t j = 0; j < count; j++) {
            /* Infinities, zeros, NaN and signs are the same; other values were measured above. */
            double y = values[j], p = pow(x, y), a = atan2(x, y);
            double p_ours = rps_pow(x, y), a_ours = rps_atan2(x, y);
            if (p == 0 || !isfinite(p) || fabs(p) == 1) {
                SAME(p_ours, p);
            } else {
                assert_true(fabs(p_ours - p) <= 2 * DBL_EPSILON * fabs(p));
            }
            if (a == 0 || isnan(a)) {
                SAME(a_ours, a);
            } else {
                assert_true(fabs(a_ours - a) <= DBL_EPSILON * fabs(a) + 5e-324);
                assert_true(!signbit(a_ours) == !signbit(a));
            }
        }
    }
    SAME(rps_sin(-0.0), -0.0);
    SAME(rps_sin(5e-324), 5e-324);
    SAME(rps_sin(INFINITY), NAN);
    SAME(rps_cos(NAN), NAN);
    SAME(rps_cos(-0.0), 1.0);
    SAME(rps_tan(-0.0), -0.0);
    SAME(rps_tan(-INFINITY), NAN);
    SAME(rps_atan(-0.0), -0.0);
    SAME(rps_atan(INFINITY), RPS_PI / 2);
    SAME(rps_atan(NAN), NAN);
    SAME(rps_asin(-0.0), -0.0);
    SAME(rps_asin(1.0000000000000002), NAN);
    SAME(rps_asin(NAN), NAN);
    SAME(rps_exp(INFINITY), INFINITY);
    SAME(rps_exp(-INFINITY), 0.0);
    SAME(rps_exp(710), INFINITY);
    SAME(rps_exp(-746), 0.0);
    SAME(rps_exp(-0.0), 1.0);
    SAME(rps_exp(NAN), NAN);
    SAME(rps_log(0.0), -INFINITY);
    SAME(rps_log(-0.0), -INFINITY);
    SAME(rps_log(-1.0), NAN);
    SAME(rps_log(1.0), 0.0);
    SAME(rps_log(INFINITY), INFINITY);
    SAME(rps_log(NAN), NAN);
    SAME(rps_cbrt(-0.0), -0.0);
    SAME(rps_cbrt(-INFINITY), -INFINITY);
    SAME(rps_cbrt(NAN), NAN);
    SAME(rps_cbrt_positive(0.0), 0.0);
    SAME(rps_angle_from_tan_half_full(INFINITY), RPS_PI);
    SAME(rps_angle_from_tan_half_full(-INFINITY), -RPS_PI);
    double sine, cosine;
    rps_sincos_half_atan_full(-INFINITY, &sine, &cosine);
    assert_true(fabs(sine + sqrt(0.5)) <= DBL_EPSILON && fabs(cosine - sqrt(0.5)) <= DBL_EPSILON);
}

/* The short series must be accurate over their whole range of angles; the full forms must give the same bits there
 * and continue beyond. */
static void test_small_angles(void **state) {
    (void)state;
    double tan_small = 0, tan_full = 0, angle_small = 0, angle_full = 0, ratio_small = 0, ratio_full = 0;
    double sine_small = 0, cosine_small = 0, half_full = 0, asin_small = 0, asin_full = 0;
    for (uint64_t n = 0; n <= SAMPLES; n++) {
        double u = n < SAMPLES ? uniform(6, n) : 1.0; /* the ends belong to the range */

        double x2 = RPS_TAN_OVER_X_X2_MAX * u;
        long double x = sqrtl(x2);
        long double truth = x2 > 0 ? tanl(x) / x : 1;
        tan_small = fmax(tan_small, ulp_error(rps_tan_over_x_small(x2), truth));
        assert_true(rps_tan_over_x_full(x2) == rps_tan_over_x_small(x2));
        x2 = 1.44 * u;
        x = sqrtl(x2);
        tan_full = fmax(tan_full, ulp_error(rps_tan_over_x_full(x2), x2 > 0 ? tanl(x) / x : 1));

        x2 = RPS_ASIN_OVER_X_X2_MAX * u;
        x = sqrtl(x2);
        asin_small = fmax(asin_small, ulp_error(rps_asin_over_x(x2), x2 > 0 ? asinl(x) / x : 1));
        assert_true(rps_asin_over_x_full(x2) == rps_asin_over_x(x2));
        x = sqrtl(0.9 * u);
        asin_full = fmax(asin_full, ulp_error(rps_asin_over_x_full(0.9 * u), u > 0 ? asinl(x) / x : 1));

        double t = RPS_ANGLE_TAN_HALF_MAX * (n & 1 ? -u : u);
        angle_small = fmax(angle_small, ulp_error(rps_angle_from_tan_half(t), 2 * atanl(t)));
        assert_true(rps_angle_from_tan_half_full(t) == rps_angle_from_tan_half(t));
        t = u / (1.000001 - u) * (n & 1 ? -1 : 1);
        angle_full = fmax(angle_full, ulp_error(rps_angle_from_tan_half_full(t), 2 * atanl(t)));

        double sine_half, cosine_half, sine_full, cosine_full;
        t = RPS_ANGLE_TAN_HALF_MAX * (n & 1 ? -u : u);
        rps_sincos_half_atan(t, &sine_half, &cosine_half);
        sine_small = fmax(sine_small, ulp_error(sine_half, sinl(atanl(t) / 2)));
        cosine_small = fmax(cosine_small, ulp_error(cosine_half, cosl(atanl(t) / 2)));
        rps_sincos_half_atan_full(t, &sine_full, &cosine_full);
        assert_true(sine_full == sine_half && cosine_full == cosine_half);
        t = u / (1.000001 - u) * (n & 1 ? -1 : 1);
        rps_sincos_half_atan_full(t, &sine_full, &cosine_full);
        half_full = fmax(half_full, ulp_error(sine_full, sinl(atanl(t) / 2)));
        half_full = fmax(half_full, ulp_error(cosine_full, cosl(atanl(t) / 2)));

        double h = RPS_THETA_OVER_SIN_H_MAX * u;
        long double theta = 2 * asinl(sqrtl(h));
        ratio_small = fmax(ratio_small, ulp_error(rps_theta_over_sin(h), h > 0 ? theta / sinl(theta) : 1));
        assert_true(rps_theta_over_sin_full(h) == rps_theta_over_sin(h));
        h = 0.999 * u;
        theta = 2 * asinl(sqrtl(h));
        long double sine = 2 * sqrtl((long double)h * (1 - (long double)h));
        /* 1 - h is exact in long double; in double its rounding is magnified by h/(1 - h)/2, which belongs to the
         * argument, so it is measured only where that is small. */
        if (h > 0 && h < 0.5) {
            ratio_full = fmax(ratio_full, ulp_error(rps_theta_over_sin_full(h), theta / sine));
        } else if (h > 0) {
            assert_true(fabsl(rps_theta_over_sin_full(h) * sine / theta - 1) < 4 * DBL_EPSILON / (1 - h));
        }
    }
    check("tan_over_x_small", tan_small, 1);
    /* The rounding of sqrt(x2) is magnified by x/(sin x cos x) - 1 = 2.6 at 1.2 rad: up to 2.6 ulp beside the rest. */
    check("tan_over_x_full to 1.2 rad", tan_full, 4.5);
    check("asin_over_x", asin_small, 1);
    /* The rounding of sqrt(x2) is magnified by x/(sqrt(1 - x2) asin x) - 1 = 1.4 at x2 = .9: 1.4 ulp beside the rest. */
    check("asin_over_x_full to x2 = .9", asin_full, 3.5);
    assert_true(rps_asin_over_x_full(1.0) == RPS_PI / 2 && rps_asin_over_x_full(2.0) == RPS_PI / 2);
    assert_true(isnan(rps_asin_over_x_full(NAN)));
    check("angle_from_tan_half", angle_small, 1);
    check("angle_from_tan_half_full", angle_full, 1);
    check("sine of sincos_half_atan", sine_small, 1);
    check("cosine of sincos_half_atan", cosine_small, 1);
    check("sincos_half_atan_full", half_full, 3); /* two roots and two quotients, half an ulp each, and their sum */
    check("theta_over_sin", ratio_small, 1);
    check("theta_over_sin_full", ratio_full, 8);
    assert_true(isfinite(rps_theta_over_sin_full(1.0)) && rps_theta_over_sin_full(1.5) == rps_theta_over_sin_full(1.0));
    assert_true(rps_theta_over_sin_full(1.0) > 1e8);
    assert_true(isnan(rps_theta_over_sin_full(NAN)));
}

/* The forms in lanes have the bits of the others, inside of the range of a series and beside such a lane. */
static void test_lanes(void **state) {
    (void)state;
    for (uint64_t n = 0; n < SAMPLES / 100; n++) {
        double t[RPS_WIDE], square[RPS_WIDE];
        for (int m = 0; m < RPS_WIDE; m++) {
            const double size = pow(10.0, -6.0 * uniform(8, RPS_WIDE * n + (uint64_t)m));
            t[m] = 3.0 * (m & 1 ? -size : size);
            square[m] = size * size;
        }
        rps_simd sine, cosine;
        const rps_simd tangent = *(const rps_simd *)t, x2 = *(const rps_simd *)square;
        const rps_simd angle = rps_angle_from_tan_half_simd(tangent), ratio = rps_theta_over_sin_simd(x2);
        const rps_simd arc = rps_asin_over_x_simd(x2);
        rps_sincos_half_atan_simd(tangent, &sine, &cosine);
        for (int m = 0; m < RPS_WIDE; m++) {
            double s, c;
            rps_sincos_half_atan_full(t[m], &s, &c);
            assert_true(sine[m] == s && cosine[m] == c);
            assert_true(angle[m] == rps_angle_from_tan_half_full(t[m]));
            assert_true(ratio[m] == rps_theta_over_sin_full(square[m]) && arc[m] == rps_asin_over_x_full(square[m]));
        }
    }
}

static void test_rotations_from_angles(void **state) {
    (void)state;
    rps_quat quarter = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), RPS_PI / 2);
    rps_vec3 turned = rps_quat_rotate(quarter, rps_vec3_make(1, 0, 0));
    assert_true(fabs(turned.x) < 1e-15 && fabs(turned.y - 1) < 1e-15 && turned.z == 0); /* by the right hand */
    rps_quat q = rps_quat_from_rotation_vector(rps_vec3_make(0.3, -0.4, 1.2));
    rps_quat p = rps_quat_from_axis_angle(rps_vec3_make(0.3 / 1.3, -0.4 / 1.3, 1.2 / 1.3), 1.3);
    assert_true(fabs(q.w - p.w) < 1e-15 && fabs(q.x - p.x) < 1e-15 && fabs(q.y - p.y) < 1e-15 &&
                fabs(q.z - p.z) < 1e-15);
    rps_quat none = rps_quat_from_rotation_vector(rps_vec3_zero());
    assert_true(none.w == 1 && none.x == 0 && none.y == 0 && none.z == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trigonometric),         cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_exponential),           cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_small_angles),          cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_rotations_from_angles),
    };
    return cmocka_run_group_tests_name("elementary", tests, NULL, NULL);
}
