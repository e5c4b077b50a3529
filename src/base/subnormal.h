/*
 * Subnormal numbers count as zero inside a step. A packing that comes to rest decays exponentially until every velocity
 * and memory is subnormal, and arithmetic on those is ten times slower. The mode belongs to a thread: each worker
 * saves it, sets it and puts it back, so that the host program sees nothing of it. It is the same for every instruction
 * set, so that the bits are too.
 */
#ifndef RPS_BASE_SUBNORMAL_H
#define RPS_BASE_SUBNORMAL_H

#if defined(__SSE2__)
#include <xmmintrin.h>

static inline unsigned rps_subnormal_off(void) {
    unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u); /* flush results to zero, read operands as zero */
    return mode;
}

static inline void rps_subnormal_restore(unsigned mode) {
    _mm_setcsr(mode);
}
#else
static inline unsigned rps_subnormal_off(void) {
    return 0;
}

static inline void rps_subnormal_restore(unsigned mode) {
    (void)mode;
}
#endif

#endif
