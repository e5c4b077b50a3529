/*
 * Flushes tiny numbers to zero by arithmetic, where state is stored.
 *
 * A packing that comes to rest decays until every velocity and memory is subnormal. x86 can flush such numbers and is
 * then fast; other processors cannot, so that the bits would depend on a mode of the processor. Here instead a number
 * is added and subtracted again. This rounds x to a multiple of 2^-400 (4e-121) as long as |x| is small, and leaves
 * it unchanged from 1e-88 on; in between, x loses at most its last bit. A subnormal x gives +0, as zero does. Two
 * operations, for numbers and vectors alike.
 *
 * The same bits in both modes: call a number clean if it is 0 or at least 2^-400 in size. A step begins with clean
 * loads, orientations and increments, and laws find clean increments and memories. The product of two clean numbers,
 * or of one with a stiffness, a step, a mass or a direction, is not subnormal, nor is the result of cancellation
 * between two such numbers (2^-453 for a sum). So squared lengths used as divisors, thresholds and signs are the same
 * in both modes. Products of more factors may be subnormal or 0, but are added to larger numbers, which absorb them,
 * or are stored and then flushed to zero.
 *   Loads of bodies, orientations, angular momenta: flushed where they are stored. Velocities and positions of spheres add up
 * products of clean loads with masses and steps: they are multiples of some number above 1e-200 and need no flush.
 *   Increments that tracking measures, and memories that it turned: flushed before laws read them. A law writes a memory that
 * is a sum of clean numbers, or a part of it: it cannot become subnormal in one evaluation unless that part is below
 * 1e-180. RPS_MEMORY_BOOK entries are computed from clean increments.
 *   Frames, impulses, drives, joints and the shear of the cell, and the accounts of the nonsmooth stepper: flushed where they
 * are stored. Accounts of the penalty stepper add up products of clean numbers.
 */
#ifndef RPS_BASE_FLUSH_H
#define RPS_BASE_FLUSH_H

#include "base/vec.h"

#define RPS_FLUSH_LEAST 0x1p-400
#define RPS_FLUSH_BIAS 0x1.8p-348

/* For a number or a vector type of the compiler; +0 for -0. */
#define RPS_FLUSH(x) (((x) + RPS_FLUSH_BIAS) - RPS_FLUSH_BIAS)

static inline double rps_flush(double x) {
    return RPS_FLUSH(x);
}

static inline rps_vec3 rps_vec3_flush(rps_vec3 v) {
    return (rps_vec3){RPS_FLUSH(v.x), RPS_FLUSH(v.y), RPS_FLUSH(v.z)};
}

static inline rps_quat rps_quat_flush(rps_quat q) {
    return (rps_quat){RPS_FLUSH(q.w), RPS_FLUSH(q.x), RPS_FLUSH(q.y), RPS_FLUSH(q.z)};
}

#endif
