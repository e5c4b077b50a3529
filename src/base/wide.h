/* Halves of records of eight doubles as numbers of the compiler's, and blocks of four by four turned round: how kernels move
 * between records (one body, eight numbers) and lanes (one number, many bodies). Compilers make of it what the instruction
 * set has; no arithmetic that is not written shows. Not to be handed to functions: that would depend on the instruction
 * set. */
#ifndef RPS_BASE_WIDE_H
#define RPS_BASE_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef long long rps_mask4 __attribute__((vector_size(32), may_alias));
typedef double rps_wide4 __attribute__((vector_size(32), may_alias, aligned(8)));
/* Four numbers that need not be exact, half as long. */
typedef float rps_half4 __attribute__((vector_size(16), may_alias, aligned(4)));

/* Row k of `from` becomes column k: to[m] = {from[0][m], ... from[3][m]}. */
#define RPS_TRANSPOSE4(from, to)                                                           \
    do {                                                                                   \
        const rps_wide4 ab_lo = __builtin_shufflevector((from)[0], (from)[1], 0, 4, 2, 6); \
        const rps_wide4 ab_hi = __builtin_shufflevector((from)[0], (from)[1], 1, 5, 3, 7); \
        const rps_wide4 cd_lo = __builtin_shufflevector((from)[2], (from)[3], 0, 4, 2, 6); \
        const rps_wide4 cd_hi = __builtin_shufflevector((from)[2], (from)[3], 1, 5, 3, 7); \
        (to)[0] = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);                       \
        (to)[1] = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);                       \
        (to)[2] = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);                       \
        (to)[3] = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);                       \
    } while (0)

/* Eight numbers of a lane; as one, where registers are that long: parts that are written one by one cannot be read as one
 * before they have reached the cache. (Longer numbers of the compiler's than the registers are would be taken apart.) */
#if defined(__AVX512F__)
#define RPS_STORE8(to, low, high) \
    _mm512_storeu_pd(to, _mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)(low)), (__m256d)(high), 1))
#else
#define RPS_STORE8(to, low, high) (((rps_wide4 *)(to))[0] = (low), ((rps_wide4 *)(to))[1] = (high))
#endif

/* a where the comparison holds, else b. */
#define RPS_SELECT4(mask, a, b) \
    ((rps_wide4)(((rps_mask4)(mask) & (rps_mask4)(a)) | (~(rps_mask4)(mask) & (rps_mask4)(b))))

/* Roots of four. */
#if defined(__AVX__)
#define RPS_SQRT4(x) ((rps_wide4)_mm256_sqrt_pd((__m256d)(x)))
#else
#define RPS_SQRT4(x) ((rps_wide4){sqrt((x)[0]), sqrt((x)[1]), sqrt((x)[2]), sqrt((x)[3])})
#endif

/* Which of a lane of up to 64, to a multiple of 8, are above a limit: bit by bit. */
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

/* Whether any are. */
static inline __attribute__((always_inline)) bool rps_lane_above(const double *lane, double limit, int count) {
    return rps_lanes_above(lane, limit, count) != 0;
}

/* The lowest n of 64 bits. */
static inline uint64_t rps_low_bits(int n) {
    return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* The first n of up to 64 flags, which are 0 or 1, as bits. Whole eights of them are read. */
static inline uint64_t rps_flag_bits(const uint8_t *flag, int n) {
    uint64_t bits = 0, eight;
    for (int c = 0; c < n; c += 8) {
        memcpy(&eight, flag + c, sizeof eight);
        bits |= eight * UINT64_C(0x0102040810204080) >> 56 << c; /* flag k comes to bit 56 + k */
    }
    return bits & rps_low_bits(n);
}

/* Takes the lowest of some bits away and gives its number; there must be one. */
static inline int rps_next_bit(uint64_t *bits) {
    const int next = __builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return next;
}

/* Half a line of cache, written past the caches: for what is read again only when it would have left them, so that its
 * line need not be fetched before. Other threads may look after RPS_STREAM_END and a barrier. */
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
#define RPS_STREAM4(to, from) (*(rps_wide4 *)(to) = (from))
#define RPS_STREAM_END() ((void)0)
#endif

#endif
