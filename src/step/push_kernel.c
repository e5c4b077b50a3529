/*
 * Plain forces of a program (external.c) on runs of neighboring slots: a force for this step alone, no torque, on a
 * body whose axes are free. Four bodies at a time. The second push clears the force.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include <string.h>

#include "base/flush.h"
#include "base/simd.h"
#include "step/push.h"

/* Of the body at slot s alone. */
static inline __attribute__((always_inline)) void push_body(const rps_push *task, size_t s, const bool first) {
    const rps_motion m = task->motion[s];
    const rps_vec3 force = rps_vec3_of(task->applied[s].applied_force), before = rps_vec3_of(m.velocity);
    rps_vec3 v = before;
    if (task->kick > 0.0) {
        v = rps_vec3_flush(rps_vec3_add_scaled(before, task->kick * m.inverse_mass[0], force));
        rps_vec3_put(task->motion[s].velocity, v);
    }
    task->work[s][0] += task->half * rps_vec3_dot(force, first ? before : v);
    if (!first) memset(&task->applied[s], 0, sizeof task->applied[s]);
}

/* The same of slots s .. s + 3. */
static inline __attribute__((always_inline)) void push_four(const rps_push *task, size_t s, const bool first) {
    rps_simd4 power[4], lane[4];
    for (int k = 0; k < 4; k++) {
        rps_simd4 *motion = (rps_simd4 *)&task->motion[s + (size_t)k];
        rps_simd4 *applied = (rps_simd4 *)&task->applied[s + (size_t)k];
        const rps_simd4 before = *motion, f = RPS_MASK_XYZ4(*applied);
        rps_simd4 v = before;
        if (task->kick > 0.0) {
            const rps_simd4 mobility = __builtin_shufflevector(before, before, 3, 3, 3, 3);
            v = RPS_FLUSH(before + (task->kick * mobility) * f);
            *motion = __builtin_shufflevector(v, before, 0, 1, 2, 7);
        }
        power[k] = f * (first ? before : v);
        if (!first) *applied = (rps_simd4){0.0};
    }
    RPS_TRANSPOSE4(power, lane);
    rps_simd4 *work = (rps_simd4 *)task->work[s];
    *work += task->half * ((lane[0] + lane[1]) + lane[2]);
}

/* True if slots s .. s + count - 1 have a force for this step alone and nothing else. */
static inline __attribute__((always_inline)) bool are_plain(const rps_push *task, size_t s, const size_t count) {
    int32_t other = 0;
    for (size_t k = 0; k < count; k++) other |= task->applied[s + k].applies[0] ^ RPS_EXTERNAL_FORCE;
    return other == 0;
}

/* first: a constant where this is inlined. */
static inline __attribute__((always_inline)) size_t push_run(const rps_push *task, size_t begin, size_t end,
                                                             const bool first) {
    size_t s = begin;
    for (; s + 4 <= end && are_plain(task, s, 4); s += 4) push_four(task, s, first);
    for (; s < end && are_plain(task, s, 1); s++) push_body(task, s, first);
    return s;
}

size_t RPS_ISA_NAME(rps_push_range)(const rps_push *task, size_t begin, size_t end) {
    return task->first ? push_run(task, begin, end, true) : push_run(task, begin, end, false);
}
