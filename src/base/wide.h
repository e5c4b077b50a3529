/* Halves of records of eight doubles as numbers of the compiler's, and blocks of four by four turned round: how kernels move
 * between records (one body, eight numbers) and lanes (one number, many bodies). Compilers make of it what the instruction
 * set has; no arithmetic that is not written shows. Not to be handed to functions: that would depend on the instruction
 * set. */
#ifndef RPS_BASE_WIDE_H
#define RPS_BASE_WIDE_H

#include <stdbool.h>

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

/* Whether any of a lane, to a multiple of 8, is above a limit. */
static inline __attribute__((always_inline)) bool rps_lane_above(const double *lane, double limit, int count) {
#if defined(__AVX512F__)
    unsigned above = 0;
    for (int c = 0; c < count; c += 8) {
        above |= _mm512_cmp_pd_mask(_mm512_loadu_pd(lane + c), _mm512_set1_pd(limit), _CMP_GT_OQ);
    }
    return above != 0;
#else
    rps_mask4 above = {0};
    for (int c = 0; c < count; c += 4) above |= *(const rps_wide4 *)(lane + c) > limit;
    return ((above[0] | above[1]) | (above[2] | above[3])) != 0;
#endif
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
