/* Functions of elementary.h for RPS_WIDE numbers at a time: the same operations in the same order, so the same bits. */
#ifndef RPS_BASE_ELEMENTARY_SIMD_H
#define RPS_BASE_ELEMENTARY_SIMD_H

#include "base/simd.h"

typedef unsigned long long rps_bits __attribute__((vector_size(sizeof(rps_simd)), may_alias));

/* rps_tan_over_x_small */
static inline __attribute__((always_inline)) rps_simd rps_tan_over_x_small_simd(rps_simd x2) {
    const rps_simd x4 = x2 * x2;
    const rps_simd a = 1.0 / 3.0 + 2.0 / 15.0 * x2, b = 17.0 / 315.0 + 62.0 / 2835.0 * x2;
    const rps_simd c = 1382.0 / 155925.0 + 21844.0 / 6081075.0 * x2 + 929569.0 / 638512875.0 * x4;
    return 1.0 + x2 * (a + x4 * (b + x4 * c));
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

#endif
