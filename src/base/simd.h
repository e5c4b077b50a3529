/* SIMD helpers on compiler vector types: they transpose between records (one body, eight doubles) and arrays (one quantity,
 * many bodies), RPS_WIDE bodies or contacts at a time. The types depend on the instruction set, so they must not cross a
 * function boundary; everything here is a macro or is inlined. */
#ifndef RPS_BASE_SIMD_H
#define RPS_BASE_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* In a file that is compiled once per instruction set: name_sse2, name_avx2 or name_avx512. */
#define RPS_ISA_JOIN_(a, b) a##_##b
#define RPS_ISA_JOIN(a, b) RPS_ISA_JOIN_(a, b)
#define RPS_ISA_NAME(name) RPS_ISA_JOIN(name, RPS_ISA)

typedef long long rps_mask4 __attribute__((vector_size(32), may_alias));
typedef double rps_simd4 __attribute__((vector_size(32), may_alias, aligned(8)));
/* Four single-precision numbers, for values that need no more. */
typedef float rps_half4 __attribute__((vector_size(16), may_alias, aligned(4)));

/* Keeps x, y, z and clears the fourth element. */
#define RPS_MASK_XYZ4(x) ((rps_simd4)((rps_mask4)(x) & (rps_mask4){-1, -1, -1, 0}))

/* 4 x 4 transpose: to[m] = {from[0][m], ... from[3][m]}. */
#define RPS_TRANSPOSE4(from, to)                                                           \
    do {                                                                                   \
        const rps_simd4 ab_lo = __builtin_shufflevector((from)[0], (from)[1], 0, 4, 2, 6); \
        const rps_simd4 ab_hi = __builtin_shufflevector((from)[0], (from)[1], 1, 5, 3, 7); \
        const rps_simd4 cd_lo = __builtin_shufflevector((from)[2], (from)[3], 0, 4, 2, 6); \
        const rps_simd4 cd_hi = __builtin_shufflevector((from)[2], (from)[3], 1, 5, 3, 7); \
        (to)[0] = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);                       \
        (to)[1] = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);                       \
        (to)[2] = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);                       \
        (to)[3] = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);                       \
    } while (0)

/* --- vectors as wide as a register ----------------------------------------------------------------------------------- */

/* Compilers scalarise vector types that are wider than a register, so the width follows the instruction set. A record of
 * eight doubles is RPS_PARTS vectors. */
#if defined(__AVX512F__)
enum { RPS_WIDE = 8, RPS_PARTS = 1 };
typedef long long rps_mask __attribute__((vector_size(64), may_alias));
typedef double rps_simd __attribute__((vector_size(64), may_alias, aligned(8)));
#define RPS_ALL(x) ((rps_simd){(x), (x), (x), (x), (x), (x), (x), (x)})
/* In each half of a record: keeps the first three elements and clears the fourth; or broadcasts the fourth. */
#define RPS_MASK_XYZ(x) ((rps_simd)((rps_mask)(x) & (rps_mask){-1, -1, -1, 0, -1, -1, -1, 0}))
#define RPS_BROADCAST_W(x) __builtin_shufflevector((x), (x), 3, 3, 3, 3, 7, 7, 7, 7)
#define RPS_SQRT(x) ((rps_simd)_mm512_sqrt_pd((__m512d)(x)))
#define RPS_STREAM(to, from) _mm512_stream_pd((double *)(to), (__m512d)(from))
/* Transposes RPS_WIDE records into eight arrays; part p of record m is at p * RPS_WIDE + m. It is its own inverse. Three
 * steps exchange blocks of one, two and four elements between rows. */
#define RPS_ONES_(from, to, k)                                                                \
    (to)[k] = __builtin_shufflevector((from)[k], (from)[(k) + 1], 0, 8, 2, 10, 4, 12, 6, 14), \
    (to)[(k) + 1] = __builtin_shufflevector((from)[k], (from)[(k) + 1], 1, 9, 3, 11, 5, 13, 7, 15)
#define RPS_PAIRS_(from, to, k, apart)                                                             \
    (to)[k] = __builtin_shufflevector((from)[k], (from)[(k) + (apart)], 0, 1, 4, 5, 8, 9, 12, 13), \
    (to)[(k) + (apart)] = __builtin_shufflevector((from)[k], (from)[(k) + (apart)], 2, 3, 6, 7, 10, 11, 14, 15)
#define RPS_TRANSPOSE(from, to)     \
    do {                            \
        rps_simd one[8], two[8];    \
        RPS_ONES_(from, one, 0);    \
        RPS_ONES_(from, one, 2);    \
        RPS_ONES_(from, one, 4);    \
        RPS_ONES_(from, one, 6);    \
        RPS_PAIRS_(one, two, 0, 2); \
        RPS_PAIRS_(one, two, 1, 2); \
        RPS_PAIRS_(one, two, 4, 2); \
        RPS_PAIRS_(one, two, 5, 2); \
        RPS_PAIRS_(two, to, 0, 4);  \
        RPS_PAIRS_(two, to, 1, 4);  \
        RPS_PAIRS_(two, to, 2, 4);  \
        RPS_PAIRS_(two, to, 3, 4);  \
    } while (0)
/* First half of the first part of a record. */
#define RPS_LOW_HALF(x) __builtin_shufflevector((x), (x), 0, 1, 2, 3)
#define RPS_JOIN_HALVES(low, high) __builtin_shufflevector((low), (high), 0, 1, 2, 3, 4, 5, 6, 7)
/* Transposes RPS_WIDE half records into four arrays, and back. */
#define RPS_TRANSPOSE_HALVES(from, to)                                                             \
    do {                                                                                           \
        rps_simd both[4], one[4];                                                                  \
        for (int k = 0; k < 4; k++) both[k] = RPS_JOIN_HALVES((from)[k], (from)[k + 4]);           \
        RPS_ONES_(both, one, 0);                                                                   \
        RPS_ONES_(both, one, 2);                                                                   \
        for (int k = 0; k < 2; k++) {                                                              \
            (to)[k] = __builtin_shufflevector(one[k], one[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);       \
            (to)[k + 2] = __builtin_shufflevector(one[k], one[k + 2], 2, 3, 10, 11, 6, 7, 14, 15); \
        }                                                                                          \
    } while (0)
#define RPS_TRANSPOSE_BACK(from, to)                                                 \
    do {                                                                             \
        rps_simd one[4];                                                             \
        RPS_ONES_(from, one, 0);                                                     \
        RPS_ONES_(from, one, 2);                                                     \
        for (int k = 0; k < 2; k++) {                                                \
            (to)[k] = __builtin_shufflevector(one[k], one[k + 2], 0, 1, 8, 9);       \
            (to)[k + 2] = __builtin_shufflevector(one[k], one[k + 2], 2, 3, 10, 11); \
            (to)[k + 4] = __builtin_shufflevector(one[k], one[k + 2], 4, 5, 12, 13); \
            (to)[k + 6] = __builtin_shufflevector(one[k], one[k + 2], 6, 7, 14, 15); \
        }                                                                            \
    } while (0)
#else
enum { RPS_WIDE = 4, RPS_PARTS = 2 };
typedef rps_mask4 rps_mask;
typedef rps_simd4 rps_simd;
#define RPS_ALL(x) ((rps_simd){(x), (x), (x), (x)})
#define RPS_MASK_XYZ(x) RPS_MASK_XYZ4(x)
#define RPS_BROADCAST_W(x) __builtin_shufflevector((x), (x), 3, 3, 3, 3)
#define RPS_SQRT(x) RPS_SQRT4(x)
#define RPS_STREAM(to, from) RPS_STREAM4(to, from)
#define RPS_TRANSPOSE(from, to)               \
    do {                                      \
        RPS_TRANSPOSE4(from, to);             \
        RPS_TRANSPOSE4((from) + 4, (to) + 4); \
    } while (0)
#define RPS_LOW_HALF(x) (x)
#define RPS_TRANSPOSE_HALVES(from, to) RPS_TRANSPOSE4(from, to)
#define RPS_TRANSPOSE_BACK(from, to) RPS_TRANSPOSE4(from, to)
#endif

/* Loads the records at from(0) ... from(RPS_WIDE - 1) and transposes them: lane[k] holds element k of each. */
#define RPS_RECORDS_TO_LANES(from, lane)                                          \
    do {                                                                          \
        rps_simd record[8];                                                       \
        for (int m = 0; m < RPS_WIDE; m++) {                                      \
            const rps_simd *at = (const rps_simd *)(from(m));                     \
            for (int p = 0; p < RPS_PARTS; p++) record[p * RPS_WIDE + m] = at[p]; \
        }                                                                         \
        RPS_TRANSPOSE(record, lane);                                              \
    } while (0)

/* The same for half records: four arrays. */
#define RPS_HALVES_TO_LANES(from, lane)                                             \
    do {                                                                            \
        rps_simd4 half[RPS_WIDE];                                                   \
        for (int m = 0; m < RPS_WIDE; m++) half[m] = *(const rps_simd4 *)(from(m)); \
        RPS_TRANSPOSE_HALVES(half, lane);                                           \
    } while (0)

/* Transposes arrays into records and stores them. streams: with stores that bypass the caches. */
#define RPS_LANES_TO_RECORDS(lane, to, streams)                        \
    do {                                                               \
        rps_simd record[8];                                            \
        RPS_TRANSPOSE(lane, record);                                   \
        for (int m = 0; m < RPS_WIDE; m++) {                           \
            /* cppcheck-suppress uninitvar ; written to, never read */ \
            rps_simd *at = (rps_simd *)(to(m));                        \
            for (int p = 0; p < RPS_PARTS; p++) {                      \
                if (streams) {                                         \
                    RPS_STREAM(at + p, record[p * RPS_WIDE + m]);      \
                } else {                                               \
                    at[p] = record[p * RPS_WIDE + m];                  \
                }                                                      \
            }                                                          \
        }                                                              \
    } while (0)

/* Stores eight elements given as two halves. Where registers are that wide it is one store: a wide load after two narrow
 * stores would wait until both have reached the cache. */
#if defined(__AVX512F__)
#define RPS_STORE8(to, low, high) (*(rps_simd *)(to) = RPS_JOIN_HALVES(low, high))
#else
#define RPS_STORE8(to, low, high) (((rps_simd4 *)(to))[0] = (low), ((rps_simd4 *)(to))[1] = (high))
#endif

/* out = a x b for RPS_WIDE vectors. */
#define RPS_CROSS(out, a, b)                          \
    do {                                              \
        (out)[0] = (a)[1] * (b)[2] - (a)[2] * (b)[1]; \
        (out)[1] = (a)[2] * (b)[0] - (a)[0] * (b)[2]; \
        (out)[2] = (a)[0] * (b)[1] - (a)[1] * (b)[0]; \
    } while (0)

/* a where the comparison holds, else b. */
#define RPS_SELECT(mask, a, b) ((rps_simd)(((rps_mask)(mask) & (rps_mask)(a)) | (~(rps_mask)(mask) & (rps_mask)(b))))
/* x where the comparison holds, else 0. */
#define RPS_KEEP(mask, x) ((rps_simd)((rps_mask)(mask) & (rps_mask)(x)))
/* |x| */
#define RPS_MAGNITUDE(x) ((rps_simd)((rps_mask)(x) & ~(rps_mask)RPS_ALL(-0.0)))

/* True if a comparison holds in any element. */
static inline __attribute__((always_inline)) bool rps_any(rps_mask mask) {
#if defined(__AVX512F__)
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(__AVX__)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    const rps_mask one = mask; /* elements are 0 or -1 */
    return (one[0] | one[1] | one[2] | one[3]) != 0;
#endif
}

/* --- four doubles, masks, non-temporal stores ------------------------------------------------------------------------- */

/* a where the comparison holds, else b. */
#define RPS_SELECT4(mask, a, b) \
    ((rps_simd4)(((rps_mask4)(mask) & (rps_mask4)(a)) | (~(rps_mask4)(mask) & (rps_mask4)(b))))

/* Four square roots. */
#if defined(__AVX__)
#define RPS_SQRT4(x) ((rps_simd4)_mm256_sqrt_pd((__m256d)(x)))
#else
#define RPS_SQRT4(x) ((rps_simd4){sqrt((x)[0]), sqrt((x)[1]), sqrt((x)[2]), sqrt((x)[3])})
#endif

/* Bit c is set if lane[c] > limit; count is at most 64 and a multiple of 8. */
static inline __attribute__((always_inline)) uint64_t rps_lanes_above(const double *lane, double limit, int count) {
    uint64_t above = 0;
#if defined(__AVX512F__)
    for (int c = 0; c < count; c += 8) {
        above |= (uint64_t)_mm512_cmp_pd_mask(_mm512_loadu_pd(lane + c), _mm512_set1_pd(limit), _CMP_GT_OQ) << c;
    }
#elif defined(__AVX__)
    for (int c = 0; c < count; c += 4) {
        const __m256d x = _mm256_cmp_pd(_mm256_loadu_pd(lane + c), _mm256_set1_pd(limit), _CMP_GT_OQ);
        above |= (uint64_t)_mm256_movemask_pd(x) << c;
    }
#else
    for (int c = 0; c < count; c++) above |= (uint64_t)(lane[c] > limit) << c;
#endif
    return above;
}

/* True if any element is above the limit. */
static inline __attribute__((always_inline)) bool rps_lane_above(const double *lane, double limit, int count) {
    return rps_lanes_above(lane, limit, count) != 0;
}

/* The lowest n of 64 bits. */
static inline uint64_t rps_low_bits(int n) {
    return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Packs the first n of up to 64 flags (bytes 0 or 1) into bits. Reads a multiple of eight flags. */
static inline uint64_t rps_flag_bits(const uint8_t *flag, int n) {
    uint64_t bits = 0, eight;
    for (int c = 0; c < n; c += 8) {
        memcpy(&eight, flag + c, sizeof eight);
        bits |= eight * UINT64_C(0x0102040810204080) >> 56 << c; /* the product moves flag k to bit 56 + k */
    }
    return bits & rps_low_bits(n);
}

/* Clears the lowest set bit and returns its index; at least one must be set. */
static inline int rps_next_bit(uint64_t *bits) {
    const int next = __builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return next;
}

/* Non-temporal store of half a cache line, for data that would leave the caches before it is read again. Other threads may
 * read it after RPS_STREAM_END and a barrier. */
#if defined(__AVX__)
#define RPS_STREAM4(to, from) _mm256_stream_pd((double *)(to), (__m256d)(from))
#define RPS_STREAM_END() _mm_sfence()
#elif defined(__SSE2__)
#define RPS_STREAM4(to, from)                                               \
    do {                                                                    \
        _mm_stream_pd((double *)(to), (__m128d){(from)[0], (from)[1]});     \
        _mm_stream_pd((double *)(to) + 2, (__m128d){(from)[2], (from)[3]}); \
    } while (0)
#define RPS_STREAM_END() _mm_sfence()
#else
#define RPS_STREAM4(to, from) (*(rps_simd4 *)(to) = (from))
#define RPS_STREAM_END() ((void)0)
#endif

#endif
