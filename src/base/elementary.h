/* Elementary functions with the same bits on every machine: only + - * / sqrt and bit operations, compiled without
 * contraction to fused operations. Angles in rad.
 *
 * The functions of elementary.c are good to 2 ulp over the whole range of doubles and treat infinities, NaN and
 * signed zeros as C's do. They serve set-up, motion and scalar code. The inline ones are free of branches and may
 * stand in `#pragma omp simd` loops; each says its range, outside of which its `_full` form must replace it lane by
 * lane. Inside the range the full form gives the same bits as the inline one, so a lane may always call it. */
#ifndef RPS_BASE_ELEMENTARY_H
#define RPS_BASE_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

#define RPS_PI 0x1.921fb54442d18p+1

/* Makes the largest relative error of the start of rps_cbrt_positive, taken in x y^3, as small as it can be: .102. */
#define RPS_CBRT_START 1430186361.0

double rps_sin(double x);
double rps_cos(double x);
void rps_sincos(double x, double *sine, double *cosine);
double rps_tan(double x);
double rps_asin(double x);
double rps_atan(double x);
double rps_atan2(double y, double x);
double rps_exp(double x);
double rps_log(double x);
double rps_pow(double x, double y);
double rps_cbrt(double x);

/* tan(x)/x from x2 = x^2, error below 2 ulp for x2 <= RPS_TAN_OVER_X_X2_MAX (|x| <= .1; first left-out term 4e-17). */
#define RPS_TAN_OVER_X_X2_MAX 0.01
static inline double rps_tan_over_x_small(double x2) {
    double x4 = x2 * x2; /* pairs of terms: fewer operations wait for each other */
    double a = 1.0 / 3.0 + 2.0 / 15.0 * x2, b = 17.0 / 315.0 + 62.0 / 2835.0 * x2;
    double c = 1382.0 / 155925.0 + 21844.0 / 6081075.0 * x2 + 929569.0 / 638512875.0 * x4;
    return 1.0 + x2 * (a + x4 * (b + x4 * c));
}

/* The same for 0 <= x2 < (pi/2)^2. */
double rps_tan_over_x_full(double x2);

/* theta/sin(theta) from h = sin^2(theta/2), for h <= RPS_THETA_OVER_SIN_H_MAX (theta <= .089 rad; the first left-out
 * term is .34 h^6 = 2.2e-17). Each coefficient is the one before times 2k/(2k + 1). */
#define RPS_THETA_OVER_SIN_H_MAX 0.002
static inline double rps_theta_over_sin(double h) {
    double h2 = h * h; /* pairs of terms: fewer operations wait for each other */
    double low = 2.0 / 3.0 + 8.0 / 15.0 * h, high = 16.0 / 35.0 + 128.0 / 315.0 * h;
    return 1.0 + h * (low + h2 * (high + h2 * (256.0 / 693.0)));
}

/* The same for 0 <= h <= 1; h is held at 1 - 2^-53, so that the value at theta = pi stays finite (3e8). */
double rps_theta_over_sin_full(double h);

/* asin(x)/x from x2 = x^2, for x2 <= RPS_ASIN_OVER_X_X2_MAX (|x| <= .05; the first left-out term is 231/13312 x^12 =
 * 4.2e-18). */
#define RPS_ASIN_OVER_X_X2_MAX 0.0025
static inline double rps_asin_over_x(double x2) {
    double x4 = x2 * x2; /* pairs of terms: fewer operations wait for each other */
    double low = 1.0 / 6.0 + 3.0 / 40.0 * x2, high = 5.0 / 112.0 + 35.0 / 1152.0 * x2;
    return 1.0 + x2 * (low + x4 * (high + x4 * (63.0 / 2816.0)));
}

/* The same for x2 >= 0, which is held at 1. */
double rps_asin_over_x_full(double x2);

/* 2 atan(t) for |t| <= RPS_ANGLE_TAN_HALF_MAX (angles to .1 rad; the first left-out term is t^12/13 = 1.9e-17). */
#define RPS_ANGLE_TAN_HALF_MAX 0.05
static inline double rps_angle_from_tan_half(double t) {
    double z = t * t, z2 = z * z;
    double low = -1.0 / 3.0 + 1.0 / 5.0 * z, middle = -1.0 / 7.0 + 1.0 / 9.0 * z;
    double twice = 2.0 * t;
    return twice + twice * (z * (low + z2 * (middle + z2 * (-1.0 / 11.0))));
}

/* The same for all t; +-infinity gives +-pi. */
double rps_angle_from_tan_half_full(double t);

/* Cosine and sine of half the angle whose tangent is t, for |t| <= RPS_ANGLE_TAN_HALF_MAX; the first left-out terms are
 * 1.1e-17 and, relative, 2.7e-17. */
static inline __attribute__((always_inline)) void rps_sincos_half_atan(double t, double *sine, double *cosine) {
    double z = t * t, z2 = z * z;
    double low = -3.0 / 16.0 + 31.0 / 256.0 * z, middle = -187.0 / 2048.0 + 4859.0 / 65536.0 * z;
    *sine = 0.5 * t + t * (z * (low + z2 * (middle + z2 * (-32965.0 / 524288.0))));
    low = -1.0 / 8.0 + 11.0 / 128.0 * z;
    middle = -69.0 / 1024.0 + 1843.0 / 32768.0 * z;
    *cosine = 1.0 + z * (low + z2 * (middle + z2 * (-12767.0 / 262144.0)));
}

/* The same for all t. */
void rps_sincos_half_atan_full(double t, double *sine, double *cosine);

/* Cube root of 0 or a positive normal finite number, error below 1 ulp; no division, no branch, no integer
 * multiplication. The start for y = x^(-1/3) is linear in the upper half of the bits of x, which is nearly
 * linear in log x; that half is turned into a double and back by adding 2^52. Two steps of fourth order bring y to
 * rounding, then x y^2 is corrected once. */
static inline double rps_cbrt_positive(double x) {
    const uint64_t magic = 0x4330000000000000u; /* the bits of 2^52 */
    uint64_t bits, start;
    double upper, guess, y;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits >> 32) | magic;
    memcpy(&upper, &bits, sizeof upper);
    upper = upper - 0x1p52;
    guess = (RPS_CBRT_START - upper * (1.0 / 3.0)) + 0x1p52; /* rounds to a whole number */
    memcpy(&start, &guess, sizeof start);
    start = start << 32;
    memcpy(&y, &start, sizeof y);
    for (int k = 0; k < 2; k++) {
        double r = 1.0 - ((x * y) * y) * y;
        y = y + y * (r * (1.0 / 3.0 + r * (2.0 / 9.0 + r * (14.0 / 81.0))));
    }
    double y2 = y * y;
    double c = x * y2;
    return c + (x - c * c * c) * (y2 * (1.0 / 3.0));
}

/* Natural logarithm of a positive normal finite number, error below 2 ulp; no branch. x = 2^k m with m in [sqrt(1/2),
 * sqrt 2) by adding to the bits; then log m = 2 artanh s, s = (m - 1)/(m + 1), |s| < .172. The first left-out term is
 * s^22/23 = 7e-19. k becomes a double as in rps_cbrt_positive; log 2 is taken in two parts, the first with 32 bits. */
static inline __attribute__((always_inline)) double rps_log_positive(double x) {
    const uint64_t one = 0x3ff0000000000000u, half_root = 0x3fe6a09e667f3bcdu, magic = 0x4330000000000000u;
    uint64_t bits, power;
    double m, k;
    memcpy(&bits, &x, sizeof bits);
    bits = bits + (one - half_root);
    power = (bits >> 52) | magic;
    bits = (bits & 0xfffffffffffffu) + half_root;
    memcpy(&m, &bits, sizeof m);
    memcpy(&k, &power, sizeof k);
    k = (k - 0x1p52) - 1023.0;
    double s = (m - 1.0) / (m + 1.0), z = s * s, p = 1.0 / 21.0;
    p = 1.0 / 19.0 + z * p;
    p = 1.0 / 17.0 + z * p;
    p = 1.0 / 15.0 + z * p;
    p = 1.0 / 13.0 + z * p;
    p = 1.0 / 11.0 + z * p;
    p = 1.0 / 9.0 + z * p;
    p = 1.0 / 7.0 + z * p;
    p = 1.0 / 5.0 + z * p;
    p = 1.0 / 3.0 + z * p;
    double twice = 2.0 * s;
    return k * 0x1.62e42fee00000p-1 + (twice + (twice * (z * p) + k * 0x1.a39ef35793c76p-33));
}

/* e^x for |x| <= RPS_EXP_BOUNDED_MAX, error below 2 ulp; no branch. x = k log 2 + r with |r| <= .347; the first left-out
 * term of the series is r^14/14! = 4e-18. The sum with 1.5 2^52 rounds to a whole number and holds k in its low bits. */
#define RPS_EXP_BOUNDED_MAX 708.0
static inline __attribute__((always_inline)) double rps_exp_bounded(double x) {
    const double shift = 0x1.8p52;
    double rounded = x * 0x1.71547652b82fep+0 + shift, k = rounded - shift, scale;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 1023u) << 52;
    memcpy(&scale, &bits, sizeof scale);
    double r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33, r2 = r * r, r4 = r2 * r2;
    double a = 1.0 / 6.0 + 1.0 / 24.0 * r, b = 1.0 / 120.0 + 1.0 / 720.0 * r; /* pairs of terms, as above */
    double c = 1.0 / 5040.0 + 1.0 / 40320.0 * r, d = 1.0 / 362880.0 + 1.0 / 3628800.0 * r;
    double e = 1.0 / 39916800.0 + 1.0 / 479001600.0 * r + 1.0 / 6227020800.0 * r2;
    double high = (a + r2 * b) + r4 * ((c + r2 * d) + r4 * e);
    return scale + scale * (r + r2 * (0.5 + r * high));
}

/* x^y for positive normal finite x, relative error below 2 + 3 |y log x| ulp, so below 2 ulp of 1 where the result is
 * below 1; no branch. Results outside of e^-700 .. e^700 become these bounds. */
static inline __attribute__((always_inline)) double rps_pow_positive(double x, double y) {
    double t = y * rps_log_positive(x);
    t = t < 700.0 ? t : 700.0;
    return rps_exp_bounded(t > -700.0 ? t : -700.0);
}

#endif
