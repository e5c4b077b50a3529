/*
 * Plain forces of a program (external.c) on runs of neighboring slots: a force for this step alone, no torque, on a
 * body whose axes are free. Four bodies at a time: their forces are three vectors in memory, one a body in registers.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include "base/flush.h"
#include "base/simd.h"
#include "step/push.h"

/* Of the body at slot s alone. */
static inline __attribute__((always_inline)) void push_body(const rps_push *task, size_t s, const bool first) {
    const rps_motion m = task->motion[s];
    const rps_vec3 force = rps_vec3_of(task->force[s]), before = rps_vec3_of(m.velocity);
    rps_vec3 v = before;
    if (task->kick > 0.0) {
        v = rps_vec3_flush(rps_vec3_add_scaled(before, task->kick * m.inverse_mass[0], force));
        rps_vec3_put(task->motion[s].velocity, v);
    }
    task->work[s][0] += task->half * rps_vec3_dot(force, first ? before : v);
}

/* The same of slots s .. s + 3. */
static inline __attribute__((always_inline)) void push_four(const rps_push *task, size_t s, const bool first) {
    const rps_simd4 *in = (const rps_simd4 *)task->force[s];
    const rps_simd4 a = in[0], b = in[1], c = in[2];
    const rps_simd4 force[4] = {a, __builtin_shufflevector(a, b, 3, 4, 5, -1),
                                __builtin_shufflevector(b, c, 2, 3, 4, -1), __builtin_shufflevector(c, c, 1, 2, 3, -1)};
    rps_simd4 power[4], lane[4];
    for (int k = 0; k < 4; k++) {
        rps_simd4 *motion = (rps_simd4 *)&task->motion[s + (size_t)k];
        const rps_simd4 before = *motion, f = RPS_MASK_XYZ4(force[k]);
        rps_simd4 v = before;
        if (task->kick > 0.0) {
            const rps_simd4 mobility = __builtin_shufflevector(before, before, 3, 3, 3, 3);
            v = RPS_FLUSH(before + (task->kick * mobility) * f);
            *motion = __builtin_shufflevector(v, before, 0, 1, 2, 7);
        }
        power[k] = f * (first ? before : v);
    }
    RPS_TRANSPOSE4(power, lane);
    rps_simd4 *work = (rps_simd4 *)task->work[s];
    *work += task->half * ((lane[0] + lane[1]) + lane[2]);
}

/* first: a constant where this is inlined. */
static inline __attribute__((always_inline)) void push_run(const rps_push *task, size_t begin, size_t end,
                                                           const bool first) {
    size_t s = begin;
    for (; s + 4 <= end; s += 4) push_four(task, s, first);
    for (; s < end; s++) push_body(task, s, first);
}

void RPS_ISA_NAME(rps_push_range)(const rps_push *task, size_t begin, size_t end) {
    if (task->first) {
        push_run(task, begin, end, true);
    } else {
        push_run(task, begin, end, false);
    }
}
