/* A sum of doubles without rounding: a fixed-point number over the whole range of doubles, in digits of 32 bits held
 * in 64-bit limbs so that carries wait. Addition is integer addition, so every order and every partition of the terms
 * gives the same bits. Rounding happens once, in rps_exact_sum_value. An addition takes two to three ns. */
#ifndef RPS_BASE_EXACT_SUM_H
#define RPS_BASE_EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The lowest bit of limb 0 is 2^-1074. The largest double reaches into limb 65; the last one takes the carries and the
 * sign: 2^77 additions of the largest double fit. */
enum { RPS_EXACT_SUM_LIMBS = 67 };

/* Additions that a limb takes before carries must be passed on: each adds less than 2^32 in size, and a passed-on limb
 * is below 2^32, so 2^30 stay within 2^63. */
#define RPS_EXACT_SUM_PENDING_MAX ((uint32_t)1 << 30)

typedef struct rps_exact_sum {
    int64_t limb[RPS_EXACT_SUM_LIMBS];
    uint32_t pending; /* additions since carries were last passed on */
    uint32_t special; /* bit 0: +infinity was added, bit 1: -infinity, bit 2: not-a-number */
} rps_exact_sum;

/* Sets the sum to zero. All bytes zero is the same state. */
void rps_exact_sum_clear(rps_exact_sum *sum);

/* Passes carries on; afterwards equal sums have equal bytes (for checkpoints and hashes). */
void rps_exact_sum_normalize(rps_exact_sum *sum);

/* sum += other; other is unchanged. */
void rps_exact_sum_merge(rps_exact_sum *sum, const rps_exact_sum *other);

/* The double nearest to the exact sum (ties to even; infinity beyond the range). An empty sum or one that cancels is
 * +0. Infinities and NaN act as in ordinary addition: NaN if a NaN or both infinities were added. */
double rps_exact_sum_value(const rps_exact_sum *sum);

/* Remembers an infinity or NaN given by its bits. */
void rps_exact_sum_add_special(rps_exact_sum *sum, uint64_t bits);

/* sum += x */
static inline void rps_exact_sum_add(rps_exact_sum *sum, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t exponent = (uint32_t)(bits >> 52) & 0x7ff;
    if (exponent == 0x7ff) {
        rps_exact_sum_add_special(sum, bits);
        return;
    }
    uint32_t normal = exponent != 0;
    uint64_t mantissa = (bits & 0xfffffffffffffu) | ((uint64_t)normal << 52);
    uint32_t place = exponent - normal; /* of the mantissa's lowest bit, counted from 2^-1074 */
    uint32_t i = place >> 5, shift = place & 31;
    uint64_t low = mantissa << shift;
    int64_t d0 = (int64_t)(low & 0xffffffffu);
    int64_t d1 = (int64_t)(low >> 32);
    int64_t d2 = (int64_t)((mantissa >> 32) >> (32 - shift));
    int64_t minus = -(int64_t)(bits >> 63); /* (d ^ minus) - minus is -d if the sign is set */
    sum->limb[i] += (d0 ^ minus) - minus;
    sum->limb[i + 1] += (d1 ^ minus) - minus;
    sum->limb[i + 2] += (d2 ^ minus) - minus;
    if (++sum->pending >= RPS_EXACT_SUM_PENDING_MAX) {
        rps_exact_sum_normalize(sum);
    }
}

/* sum += x[0] + ... + x[n - 1]. The same sum, several times as fast for many numbers of similar size. */
void rps_exact_sum_add_all(rps_exact_sum *sum, const double *x, size_t n);

#endif
