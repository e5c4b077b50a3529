/*
 * Sums of the loads of contacts on bodies, for motion_kernel.c: each body adds its loads in the order of their keys,
 * so that results depend on neither slots nor threads.
 */
#ifndef RPS_STEP_LOAD_SUM_H
#define RPS_STEP_LOAD_SUM_H

#include <string.h>

#include "base/simd.h"
#include "world/bodies.h"
#include "world/contact_store.h"

enum { LINES_AHEAD = 128, LOAD_PARTS = RPS_LOAD_LINES * RPS_PARTS };

/* Sum of load records (segment.h): force and torque, each with a dissipated energy as fourth element, then further
 * dissipated energies. */
typedef struct load_sum {
    rps_simd part[LOAD_PARTS];
} load_sum;

static const _Alignas(64) double no_load[8 * RPS_LOAD_LINES] = {0.0};

/* Keeps the lowest n of eight bytes. */
static inline uint64_t low_bytes(uint64_t bytes, size_t n) {
    static const uint64_t mask[9] = {0,
                                     UINT64_C(0xff),
                                     UINT64_C(0xffff),
                                     UINT64_C(0xffffff),
                                     UINT64_C(0xffffffff),
                                     UINT64_C(0xffffffffff),
                                     UINT64_C(0xffffffffffff),
                                     UINT64_C(0xffffffffffffff),
                                     UINT64_MAX};
    return bytes & mask[n < 8 ? n : 8];
}

/* Adds the active loads first .. end - 1. Number and activity cannot be predicted, so four records are added at a time
 * without branches, inactive ones as zeros. */
static inline __attribute__((always_inline)) void add_row(const rps_load_rows *contacts, size_t first, size_t end,
                                                          load_sum *sum) {
    do {
        const rps_contact_load *line = contacts->load + first;
        uint64_t counts;
        memcpy(&counts, contacts->has_load + first, sizeof counts);
        counts = low_bytes(counts, end - first);
        for (int k = 0; k < 4; k++) {
            const double *from = counts >> 8 * k & 1 ? (const double *)(line + k) : no_load;
            __builtin_prefetch(line + k + LINES_AHEAD, 0, 2);
            for (int p = 0; p < LOAD_PARTS; p++) sum->part[p] += ((const rps_simd *)from)[p];
        }
        first += 4;
    } while (first < end);
}

/* The same through references; the loads may lie anywhere in memory. */
static inline __attribute__((always_inline)) void add_references(const rps_load_rows *contacts, size_t first,
                                                                 size_t end, load_sum *sum) {
    for (size_t r = first; r < end; r += 4) {
        for (size_t k = 0; k < 4; k++) {
            const uint32_t line = contacts->line[r + k < end ? r + k : r];
            const int counts = (r + k < end) & contacts->has_load[line];
            const double *from = counts ? (const double *)&contacts->load[line] : no_load;
            for (int p = 0; p < LOAD_PARTS; p++) sum->part[p] += ((const rps_simd *)from)[p];
        }
    }
}

/* Loads of pairs that did not touch at the last rebuild lie body after body from inactive_begin on. */
static inline size_t apart_begin(const rps_load_rows *contacts, size_t s) {
    return contacts->reference_begin[s] - contacts->row[s][0];
}

/* Bit k is set if body first + k, of at most a block, has such a pair that is active now. Not inlined: its copies
 * would take registers from the sums. */
static __attribute__((noinline)) uint64_t newly_touching(const rps_load_rows *contacts, size_t first, size_t end) {
    const size_t to = apart_begin(contacts, end);
    const uint8_t *has_load = contacts->has_load + contacts->inactive_begin;
    uint64_t bodies = 0, eight;
    for (size_t k = apart_begin(contacts, first), s = first; k < to; k += sizeof eight) {
        memcpy(&eight, has_load + k, sizeof eight);
        for (eight = low_bytes(eight, to - k); eight != 0; eight &= eight - 1) {
            const size_t line = k + (size_t)__builtin_ctzll(eight) / 8;
            while (apart_begin(contacts, s + 1) <= line) s++;
            bodies |= UINT64_C(1) << (s - first);
            __builtin_prefetch(&contacts->line[contacts->reference_begin[s]], 0, 3);
            __builtin_prefetch(&contacts->load[contacts->inactive_begin + line], 0, 3);
        }
    }
    return bodies;
}

/* Sums all loads on a body in the order of their keys; as_j is the part in which the body is j. in_row: no contact
 * has begun since the last rebuild. */
static inline __attribute__((always_inline)) void add_loads(const rps_load_rows *contacts, size_t s, const bool in_row,
                                                            load_sum *sum, load_sum *as_j) {
    for (int p = 0; p < LOAD_PARTS; p++) sum->part[p] = RPS_ALL(0.0);
    if (in_row) {
        add_row(contacts, contacts->row[s][0], contacts->row[s][1], sum);
    } else {
        add_references(contacts, contacts->reference_begin[s], contacts->reference_own[s], sum);
    }
    *as_j = *sum;
    for (int p = 0; p < LOAD_PARTS; p++) sum->part[p] = p < RPS_PARTS ? RPS_MASK_XYZ(sum->part[p]) : RPS_ALL(0.0);
    if (in_row) {
        add_row(contacts, contacts->row[s][1], contacts->row[s + 1][0], sum);
    } else {
        add_references(contacts, contacts->reference_own[s], contacts->reference_begin[s + 1], sum);
    }
}

/* Adds the dissipated energies of the sum, then those of as_j. */
static inline void record_dissipation(rps_bodies *bodies, size_t s, const load_sum *sum, const load_sum *as_j) {
    if (RPS_ACCOUNTS != 4) {
        for (int k = 0; k < RPS_ACCOUNTS; k++) {
            const double *number = (const double *)(k < RPS_LOAD_ACCOUNTS ? sum : as_j);
            bodies->dissipated[s][k] += number[rps_load_account(k % RPS_LOAD_ACCOUNTS)];
        }
        return;
    }
#if defined(__AVX512F__)
    const rps_simd4 accounts = __builtin_shufflevector(sum->part[0], as_j->part[0], 3, 7, 11, 15);
#else
    const rps_simd4 of_sum = __builtin_shufflevector(sum->part[0], sum->part[1], 3, 7, 3, 7),
                    of_j = __builtin_shufflevector(as_j->part[0], as_j->part[1], 3, 7, 3, 7),
                    accounts = __builtin_shufflevector(of_sum, of_j, 0, 1, 4, 5);
#endif
    *(rps_simd4 *)bodies->dissipated[s] += accounts;
}

#endif
