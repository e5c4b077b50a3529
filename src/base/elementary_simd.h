/* Functions of elementary.h for RPS_WIDE numbers at a time: the same operations in the same order, so the same bits. */
#ifndef RPS_BASE_ELEMENTARY_SIMD_H
#define RPS_BASE_ELEMENTARY_SIMD_H

#include "base/elementary.h"
#include "base/simd.h"

typedef unsigned long long rps_bits __attribute__((vector_size(sizeof(rps_simd)), may_alias));

/* The functions of small angles take any argument that their full forms take: elements out of the range of the series get the value of
 * the full form. */
#define RPS_REPAIR_BEYOND(out, x, size, most, full)              \
    do {                                                         \
        if (rps_any((size) > (most))) {                          \
            for (int m = 0; m < RPS_WIDE; m++) {                 \
                if ((size)[m] > (most)) (out)[m] = full((x)[m]); \
            }                                                    \
        }                                                        \
    } while (0)

/* rps_tan_over_x_small */
static inline __attribute__((always_inline)) rps_simd rps_tan_over_x_simd(rps_simd x2) {
    const rps_simd x4 = x2 * x2;
    const rps_simd a = 1.0 / 3.0 + 2.0 / 15.0 * x2, b = 17.0 / 315.0 + 62.0 / 2835.0 * x2;
    const rps_simd c = 1382.0 / 155925.0 + 21844.0 / 6081075.0 * x2 + 929569.0 / 638512875.0 * x4;
    rps_simd out = 1.0 + x2 * (a + x4 * (b + x4 * c));
    RPS_REPAIR_BEYOND(out, x2, x2, RPS_TAN_OVER_X_X2_MAX, rps_tan_over_x_full);
    return out;
}

/* rps_log_positive */
static inline __attribute__((always_inline)) rps_simd rps_log_positive_simd(rps_simd x) {
    const unsigned long long one = 0x3ff0000000000000u, half_root = 0x3fe6a09e667f3bcdu, magic = 0x4330000000000000u;
    const rps_bits bits = (rps_bits)x + (one - half_root);
    const rps_simd m = (rps_simd)((bits & 0xfffffffffffffu) + half_root);
    const rps_simd k = ((rps_simd)((bits >> 52) | magic) - 0x1p52) - 1023.0;
    const rps_simd s = (m - 1.0) / (m + 1.0), z = s * s;
    rps_simd p = RPS_ALL(1.0 / 21.0);
    p = 1.0 / 19.0 + z * p;
    p = 1.0 / 17.0 + z * p;
    p = 1.0 / 15.0 + z * p;
    p = 1.0 / 13.0 + z * p;
    p = 1.0 / 11.0 + z * p;
    p = 1.0 / 9.0 + z * p;
    p = 1.0 / 7.0 + z * p;
    p = 1.0 / 5.0 + z * p;
    p = 1.0 / 3.0 + z * p;
    const rps_simd twice = 2.0 * s;
    return k * 0x1.62e42fee00000p-1 + (twice + (twice * (z * p) + k * 0x1.a39ef35793c76p-33));
}

/* rps_exp_bounded */
static inline __attribute__((always_inline)) rps_simd rps_exp_bounded_simd(rps_simd x) {
    const double shift = 0x1.8p52;
    const rps_simd rounded = x * 0x1.71547652b82fep+0 + shift, k = rounded - shift;
    const rps_simd scale = (rps_simd)(((rps_bits)rounded + 1023u) << 52);
    const rps_simd r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33, r2 = r * r, r4 = r2 * r2;
    const rps_simd a = 1.0 / 6.0 + 1.0 / 24.0 * r, b = 1.0 / 120.0 + 1.0 / 720.0 * r;
    const rps_simd c = 1.0 / 5040.0 + 1.0 / 40320.0 * r, d = 1.0 / 362880.0 + 1.0 / 3628800.0 * r;
    const rps_simd e = 1.0 / 39916800.0 + 1.0 / 479001600.0 * r + 1.0 / 6227020800.0 * r2;
    const rps_simd high = (a + r2 * b) + r4 * ((c + r2 * d) + r4 * e);
    return scale + scale * (r + r2 * (0.5 + r * high));
}

/* rps_pow_positive */
static inline __attribute__((always_inline)) rps_simd rps_pow_positive_simd(rps_simd x, rps_simd y) {
    const rps_simd t = y * rps_log_positive_simd(x), high = RPS_ALL(700.0), low = RPS_ALL(-700.0);
    const rps_simd below = RPS_SELECT(t < high, t, high);
    return rps_exp_bounded_simd(RPS_SELECT(below > low, below, low));
}

/* rps_theta_over_sin */
static inline __attribute__((always_inline)) rps_simd rps_theta_over_sin_simd(rps_simd h) {
    const rps_simd h2 = h * h;
    const rps_simd low = 2.0 / 3.0 + 8.0 / 15.0 * h, high = 16.0 / 35.0 + 128.0 / 315.0 * h;
    rps_simd out = 1.0 + h * (low + h2 * (high + h2 * (256.0 / 693.0)));
    RPS_REPAIR_BEYOND(out, h, h, RPS_THETA_OVER_SIN_H_MAX, rps_theta_over_sin_full);
    return out;
}

/* rps_asin_over_x */
static inline __attribute__((always_inline)) rps_simd rps_asin_over_x_simd(rps_simd x2) {
    const rps_simd x4 = x2 * x2;
    const rps_simd low = 1.0 / 6.0 + 3.0 / 40.0 * x2, high = 5.0 / 112.0 + 35.0 / 1152.0 * x2;
    rps_simd out = 1.0 + x2 * (low + x4 * (high + x4 * (63.0 / 2816.0)));
    RPS_REPAIR_BEYOND(out, x2, x2, RPS_ASIN_OVER_X_X2_MAX, rps_asin_over_x_full);
    return out;
}

/* rps_angle_from_tan_half */
static inline __attribute__((always_inline)) rps_simd rps_angle_from_tan_half_simd(rps_simd t) {
    const rps_simd z = t * t, z2 = z * z, twice = 2.0 * t, size = RPS_MAGNITUDE(t);
    const rps_simd low = -1.0 / 3.0 + 1.0 / 5.0 * z, middle = -1.0 / 7.0 + 1.0 / 9.0 * z;
    rps_simd out = twice + twice * (z * (low + z2 * (middle + z2 * (-1.0 / 11.0))));
    RPS_REPAIR_BEYOND(out, t, size, RPS_ANGLE_TAN_HALF_MAX, rps_angle_from_tan_half_full);
    return out;
}

/* rps_sincos_half_atan */
static inline __attribute__((always_inline)) void rps_sincos_half_atan_simd(rps_simd t, rps_simd *sine,
                                                                            rps_simd *cosine) {
    const rps_simd z = t * t, z2 = z * z, size = RPS_MAGNITUDE(t);
    rps_simd low = -3.0 / 16.0 + 31.0 / 256.0 * z, middle = -187.0 / 2048.0 + 4859.0 / 65536.0 * z;
    *sine = 0.5 * t + t * (z * (low + z2 * (middle + z2 * (-32965.0 / 524288.0))));
    low = -1.0 / 8.0 + 11.0 / 128.0 * z;
    middle = -69.0 / 1024.0 + 1843.0 / 32768.0 * z;
    *cosine = 1.0 + z * (low + z2 * (middle + z2 * (-12767.0 / 262144.0)));
    if (!rps_any(size > RPS_ANGLE_TAN_HALF_MAX)) return;
    for (int m = 0; m < RPS_WIDE; m++) {
        double s, c;
        rps_sincos_half_atan_full(t[m], &s, &c);
        (*sine)[m] = s;
        (*cosine)[m] = c;
    }
}

#endif
