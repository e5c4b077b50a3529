/*
 * Numbers next to nothing become zero by arithmetic, where state is stored.
 *
 * A packing that comes to rest decays until every velocity and memory is subnormal. x86 can flush such numbers and then
 * is fast, others cannot, and so a mode of the processor would show in the bits. Here instead a large enough number is added
 * and subtracted, which rounds x to a multiple of RPS_FLUSH_LEAST as long as |x| is small, and leaves it as it is from
 * 1e-88 on; between, x loses at most its last bit. This is two operations, for numbers and vectors alike, and a subnormal
 * operand gives what zero gives.
 *
 * Why 2^-400: of numbers that are 0 or at least 4e-121 in size, the product of two, and of it with a stiffness, a step or
 * a mass, is far from subnormal, and so is what cancels between two of them (2^-453). Therefore a step that begins with
 * such numbers meets no subnormal result on which anything hangs: not the length of a vector by which it is divided, nor
 * whether a number is 0. A subnormal number that arises all the same, as a product of three, is added to others or stored,
 * and then gives what zero gives. What is stored, and what tracking hands to the laws, goes through here.
 */
#ifndef RPS_BASE_FLUSH_H
#define RPS_BASE_FLUSH_H

#include "base/vec.h"

#define RPS_FLUSH_LEAST 0x1p-400
#define RPS_FLUSH_BIAS 0x1.8p-348

/* Of a number or of a vector type of the compiler; +0 for -0. */
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
