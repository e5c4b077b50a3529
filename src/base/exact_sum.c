/* The rare parts of the exact sum: passing carries on, merging, and the one rounding. */
#include "base/exact_sum.h"

#include <math.h>
#include <stdbool.h>

enum { SPECIAL_PLUS = 1, SPECIAL_MINUS = 2, SPECIAL_NAN = 4 };

void rps_exact_sum_clear(rps_exact_sum *sum) {
    memset(sum, 0, sizeof *sum);
}

void rps_exact_sum_add_special(rps_exact_sum *sum, uint64_t bits) {
    if (bits & 0xfffffffffffffu) {
        sum->special |= SPECIAL_NAN;
    } else {
        sum->special |= bits >> 63 ? SPECIAL_MINUS : SPECIAL_PLUS;
    }
}

void rps_exact_sum_normalize(rps_exact_sum *sum) {
    int64_t carry = 0;
    for (int i = 0; i < RPS_EXACT_SUM_LIMBS - 1; i++) {
        int64_t v = sum->limb[i] + carry;
        int64_t digit = (int64_t)((uint64_t)v & 0xffffffffu);
        carry = (v - digit) / 0x100000000; /* exact, and so the floor of v / 2^32 for negative v too */
        sum->limb[i] = digit;
    }
    sum->limb[RPS_EXACT_SUM_LIMBS - 1] += carry;
    sum->pending = 0;
}

void rps_exact_sum_merge(rps_exact_sum *sum, const rps_exact_sum *other) {
    rps_exact_sum passed_on = *other;
    rps_exact_sum_normalize(&passed_on);
    rps_exact_sum_normalize(sum);
    for (int i = 0; i < RPS_EXACT_SUM_LIMBS; i++) {
        sum->limb[i] += passed_on.limb[i];
    }
    sum->special |= passed_on.special;
    rps_exact_sum_normalize(sum);
}

/*
 * Blocks of numbers below 2^e in size are cut into slices: multiples of 2^(e - 46), 2^(e - 93) and 2^(e - 140), each nearest
 * to the rest that the slices before it left (Rump, Ogita & Oishi 2008). A slice is at most 2^46 units, so BLOCK of them
 * add up below 2^53 units: without rounding error, in any order.
 */
enum { BLOCK = 64, LANES = 8, FEW = 4, SLICES = 3, SLICE_BITS = 47, LEAST = -800, MOST = 1000 };

static void add_one_by_one(rps_exact_sum *sum, const double *x, size_t n) {
    for (size_t k = 0; k < n; k++) rps_exact_sum_add(sum, x[k]);
}

/* 1.5 * 2^power, for powers of normal numbers. */
static double one_and_a_half(int power) {
    const uint64_t bits = (uint64_t)(power + 1023) << 52 | UINT64_C(1) << 51;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The least e with x < 2^e, for normal x > 0; below LEAST for smaller ones. */
static int exponent_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1022;
}

/* Copies x into `rest`, padded with zeros to a multiple of LANES; returns the largest size, and whether all are finite. */
static double copy_block(const double *x, size_t n, double rest[BLOCK], bool *finite) {
    double largest[LANES] = {0.0}, unusual[LANES] = {0.0}; /* NaN where a number is NaN or infinite */
    memcpy(rest, x, n * sizeof *x);
    for (size_t k = n; k % LANES != 0; k++) rest[k] = 0.0;
    for (size_t k = 0; k < n; k += LANES) {
        for (int m = 0; m < LANES; m++) {
            const double size = fabs(rest[k + m]);
            largest[m] = size > largest[m] ? size : largest[m];
            unusual[m] += rest[k + m] - rest[k + m];
        }
    }
    double most = 0.0;
    *finite = true;
    for (int m = 0; m < LANES; m++) {
        most = largest[m] > most ? largest[m] : most;
        *finite = *finite && unusual[m] == 0.0;
    }
    return most;
}

/* Subtracts from each number the nearest multiple of the slice's unit, round/1.5/2^52, and adds these multiples to the sum.
 * False if nothing remains. */
static bool add_slice(rps_exact_sum *sum, double round, double rest[BLOCK], size_t n) {
    double total[LANES] = {0.0}, left[LANES] = {0.0};
    for (size_t k = 0; k < n; k += LANES) {
        for (int m = 0; m < LANES; m++) {
            const double part = (rest[k + m] + round) - round;
            rest[k + m] -= part;
            total[m] += part;
            left[m] += fabs(rest[k + m]);
        }
    }
    double whole = 0.0, remains = 0.0;
    for (int m = 0; m < LANES; m++) {
        whole += total[m];
        remains += left[m];
    }
    if (whole != 0.0) rps_exact_sum_add(sum, whole);
    return remains != 0.0;
}

static void add_slices(rps_exact_sum *sum, const double *x, size_t n) {
    double rest[BLOCK];
    bool finite;
    const double largest = copy_block(x, n, rest, &finite);
    if (largest == 0.0 && finite) return;
    const int exponent = exponent_of(largest);
    if (!finite || exponent < LEAST || exponent > MOST) {
        add_one_by_one(sum, x, n);
        return;
    }
    for (int slice = 1; slice <= SLICES; slice++) {
        if (!add_slice(sum, one_and_a_half(exponent - (SLICE_BITS * slice - 1) + 52), rest, n)) return;
    }
    add_one_by_one(sum, rest, n);
}

void rps_exact_sum_add_all(rps_exact_sum *sum, const double *x, size_t n) {
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t some = n - begin < BLOCK ? n - begin : BLOCK;
        if (some <= FEW) {
            add_one_by_one(sum, x + begin, some);
        } else {
            add_slices(sum, x + begin, some);
        }
    }
}

/* The functions below read a normalized sum that is not negative; its bits are counted from 2^-1074. */

static uint64_t digit(const rps_exact_sum *s, int i) {
    return i < RPS_EXACT_SUM_LIMBS ? (uint64_t)s->limb[i] & 0xffffffffu : 0;
}

/* Bits first .. first + 52. */
static uint64_t bits_from(const rps_exact_sum *s, int first) {
    int i = first >> 5, shift = first & 31;
    uint64_t low = digit(s, i) | (digit(s, i + 1) << 32);
    uint64_t high = digit(s, i + 2);
    uint64_t v = low >> shift;
    if (shift) {
        v |= high << (64 - shift);
    }
    return v & 0x1fffffffffffffu;
}

static int any_bit_below(const rps_exact_sum *s, int k) {
    for (int i = 0; i < k >> 5; i++) {
        if (s->limb[i]) {
            return 1;
        }
    }
    return (digit(s, k >> 5) & (((uint64_t)1 << (k & 31)) - 1)) != 0;
}

double rps_exact_sum_value(const rps_exact_sum *sum) {
    if (sum->special) {
        int both = (sum->special & SPECIAL_PLUS) && (sum->special & SPECIAL_MINUS);
        if ((sum->special & SPECIAL_NAN) || both) {
            return NAN;
        }
        return sum->special & SPECIAL_PLUS ? INFINITY : -INFINITY;
    }
    rps_exact_sum s = *sum;
    rps_exact_sum_normalize(&s);
    int negative = s.limb[RPS_EXACT_SUM_LIMBS - 1] < 0;
    if (negative) {
        for (int i = 0; i < RPS_EXACT_SUM_LIMBS; i++) {
            s.limb[i] = -s.limb[i];
        }
        rps_exact_sum_normalize(&s);
    }
    int top = RPS_EXACT_SUM_LIMBS - 1;
    while (top >= 0 && s.limb[top] == 0) {
        top--;
    }
    if (top < 0) {
        return 0.0;
    }
    if (top == RPS_EXACT_SUM_LIMBS - 1) {
        return negative ? -INFINITY : INFINITY; /* at least 2^(66*32 - 1074) */
    }
    int highest = 32 * top;
    for (uint64_t d = digit(&s, top) >> 1; d; d >>= 1) {
        highest++;
    }

    /* The double with lowest bit `first`: exponent field first + 1, or a subnormal read in the same way. */
    int first = highest >= 52 ? highest - 52 : 0;
    uint64_t mantissa = bits_from(&s, first);
    if (first > 0) {
        int half = (int)(digit(&s, (first - 1) >> 5) >> ((first - 1) & 31)) & 1;
        if (half && ((mantissa & 1) || any_bit_below(&s, first - 1))) {
            mantissa++;
        }
    }
    if (first > 2045) {
        return negative ? -INFINITY : INFINITY;
    }
    /* Adding instead of joining lets a mantissa rounded up to 2^53 carry into the exponent, to infinity if need be. */
    uint64_t bits = ((uint64_t)first << 52) + mantissa;
    bits |= (uint64_t)negative << 63;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
