/*
 * Macros for the file that defines a law. Neither repose.h nor world.h includes it, so that the macros do not pollute
 * programs that only use laws.
 *
 * The author writes one contact in scalar form inside RPS_EACH_CONTACT; the macro supplies the loop, and the
 * library's build compiles the file once per instruction set. Only + - * /, sqrt and comparisons are allowed inside,
 * because the functions of the mathematical library round differently from machine to machine. The macros that name
 * an array read the batch from the kernel's parameter `b`.
 */
#ifndef REPOSE_LAW_KERNEL_H
#define REPOSE_LAW_KERNEL_H

#include <repose/law.h>

#define RPS_LAW_JOIN_(a, b) rps_kernel_##a##_##b
#define RPS_LAW_JOIN(a, b) RPS_LAW_JOIN_(a, b)

#ifdef RPS_ISA /* the library's own laws: compiled once per instruction set */
#define RPS_KERNEL(name)                                                         \
    void RPS_LAW_JOIN(name, sse2)(const rps_batch *b, const double *constant);   \
    void RPS_LAW_JOIN(name, avx2)(const rps_batch *b, const double *constant);   \
    void RPS_LAW_JOIN(name, avx512)(const rps_batch *b, const double *constant); \
    void RPS_LAW_JOIN(name, RPS_ISA)(const rps_batch *b, const double *constant)
#ifdef RPS_ONE_ISA
#define RPS_LAW_KERNELS(name) \
    { RPS_LAW_JOIN(name, sse2), RPS_LAW_JOIN(name, sse2), RPS_LAW_JOIN(name, sse2) }
#else
#define RPS_LAW_KERNELS(name) \
    { RPS_LAW_JOIN(name, sse2), RPS_LAW_JOIN(name, avx2), RPS_LAW_JOIN(name, avx512) }
#endif
#if defined(RPS_ISA_sse2)
#define RPS_LAW_DESCRIPTOR 1 /* only one of the compilations emits the descriptor */
#else
#define RPS_LAW_DESCRIPTOR 0
#endif
#else
#define RPS_KERNEL(name) static void name(const rps_batch *b, const double *constant)
#define RPS_LAW_KERNELS(name) \
    { name, name, name }
#define RPS_LAW_DESCRIPTOR 1
#endif

/* C++ has no restrict, but its compilers support __restrict. */
#ifdef __cplusplus
#define RPS_RESTRICT __restrict
#else
#define RPS_RESTRICT restrict
#endif

/* Declare a pointer to an array of the batch, under its own name or a local one, for writing or reading (RPS_IN). */
#define RPS_LANE(name) double *RPS_RESTRICT name = (double *)__builtin_assume_aligned(b->name, 64)
#define RPS_IN(name) const double *RPS_RESTRICT name = (const double *)__builtin_assume_aligned(b->name, 64)
#define RPS_AS(local, lane) double *RPS_RESTRICT local = (double *)__builtin_assume_aligned(lane, 64)
#define RPS_IN_AS(local, lane) const double *RPS_RESTRICT local = (const double *)__builtin_assume_aligned(lane, 64)

/* Declare the three components of a tangent vector as name_x, name_y, name_z, and the accounts of a role: elastic,
 * energy, dissipated. */
#define RPS_IN_VECTOR(name, lanes)   \
    RPS_IN_AS(name##_x, (lanes)[0]); \
    RPS_IN_AS(name##_y, (lanes)[1]); \
    RPS_IN_AS(name##_z, (lanes)[2])
#define RPS_VECTOR(name, lanes)   \
    RPS_AS(name##_x, (lanes)[0]); \
    RPS_AS(name##_y, (lanes)[1]); \
    RPS_AS(name##_z, (lanes)[2])
#define RPS_BOOKS(role)                \
    RPS_AS(elastic, b->elastic[role]); \
    RPS_AS(energy, b->energy[role]);   \
    RPS_AS(dissipated, b->dissipated[role])

/* GCC keeps structures in an `omp simd` body in memory and then cannot vectorise it; ivdep asserts the same
 * independence and lets GCC scalarise them. */
#if defined(__clang__)
#define RPS_SIMD _Pragma("omp simd")
#else
#define RPS_SIMD _Pragma("GCC ivdep")
#endif
#define RPS_EACH_CONTACT(c) RPS_SIMD for (int c = 0; c < b->count; c++)

#endif
