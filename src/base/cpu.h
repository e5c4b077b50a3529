/* Which vector instruction sets this machine can run. The bits of a run do not depend on the choice, only its speed. */
#ifndef RPS_BASE_CPU_H
#define RPS_BASE_CPU_H

#include <stdbool.h>

#include "base/status.h"

/* In rising order of width. AVX512 means F, DQ and VL together. */
typedef enum rps_isa { RPS_ISA_SSE2, RPS_ISA_AVX2, RPS_ISA_AVX512, RPS_ISA_COUNT } rps_isa;

/* The compilations of a kernel, indexed by rps_isa. */
#ifdef RPS_ONE_ISA
#define RPS_ISA_TABLE(name) \
    { name##_sse2, name##_sse2, name##_sse2 }
#else
#define RPS_ISA_TABLE(name) \
    { name##_sse2, name##_avx2, name##_avx512 }
#endif

/* "sse2", "avx2", "avx512"; "unknown" for an invalid number. */
const char *rps_isa_name(rps_isa isa);

/* RPS_BAD_INPUT, naming the choices, if the name is none of them. */
rps_status rps_isa_from_name(const char *name, rps_isa *isa, rps_error *err);

/* Both the processor and the operating system serve it. */
bool rps_isa_supported(rps_isa isa);

/* The widest that is supported. */
rps_isa rps_isa_best(void);

#endif
