/* Detects instruction sets with the compiler's built-in test, which queries the processor and whether the system
 * saves the registers. */
#include "base/cpu.h"

#include <string.h>

static const char *const names[RPS_ISA_COUNT] = {"sse2", "avx2", "avx512"};

const char *rps_isa_name(rps_isa isa) {
    return (unsigned)isa < RPS_ISA_COUNT ? names[isa] : "unknown";
}

rps_status rps_isa_from_name(const char *name, rps_isa *isa, rps_error *err) {
    for (int k = 0; k < RPS_ISA_COUNT; k++) {
        if (strcmp(name, names[k]) == 0) {
            *isa = (rps_isa)k;
            return RPS_OK;
        }
    }
    return rps_fail(err, RPS_BAD_INPUT, "\"%s\" is no instruction set; choose sse2, avx2 or avx512", name);
}

bool rps_isa_supported(rps_isa isa) {
#if defined(__x86_64__) || defined(__i386__)
    switch (isa) {
    case RPS_ISA_SSE2:
        return __builtin_cpu_supports("sse2");
    case RPS_ISA_AVX2:
        return __builtin_cpu_supports("avx2");
    case RPS_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    default:
        return false;
    }
#else
    return isa == RPS_ISA_SSE2; /* elsewhere the kernels are built once, with the compiler's default set */
#endif
}

rps_isa rps_isa_best(void) {
    rps_isa best = RPS_ISA_SSE2;
    for (int k = 0; k < RPS_ISA_COUNT; k++) {
        if (rps_isa_supported((rps_isa)k)) {
            best = (rps_isa)k;
        }
    }
    return best;
}
