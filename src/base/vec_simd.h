/* Vectors of three components and rotations, RPS_WIDE of them at a time (simd.h). One order of evaluation, as in vec.h. */
#ifndef RPS_BASE_VEC_SIMD_H
#define RPS_BASE_VEC_SIMD_H

#include <stddef.h>

#include "base/simd.h"

#define RPS_WIDE_INLINE static inline __attribute__((always_inline))

typedef struct rps_wide3 {
    rps_simd x, y, z;
} rps_wide3;

/* Three arrays that lie `stride` numbers apart: loads from them, and stores to them. */
RPS_WIDE_INLINE rps_wide3 rps_wide3_load(const double *from, size_t stride) {
    return (rps_wide3){*(const rps_simd *)from, *(const rps_simd *)(from + stride),
                       *(const rps_simd *)(from + 2 * stride)};
}
RPS_WIDE_INLINE void rps_wide3_store(double *to, size_t stride, rps_wide3 v) {
    *(rps_simd *)to = v.x;
    *(rps_simd *)(to + stride) = v.y;
    *(rps_simd *)(to + 2 * stride) = v.z;
}

RPS_WIDE_INLINE rps_wide3 rps_wide3_add(rps_wide3 a, rps_wide3 b) {
    return (rps_wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}
RPS_WIDE_INLINE rps_wide3 rps_wide3_sub(rps_wide3 a, rps_wide3 b) {
    return (rps_wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}
RPS_WIDE_INLINE rps_wide3 rps_wide3_neg(rps_wide3 a) {
    return (rps_wide3){-a.x, -a.y, -a.z};
}
RPS_WIDE_INLINE rps_wide3 rps_wide3_scale(rps_wide3 a, rps_simd s) {
    return (rps_wide3){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
RPS_WIDE_INLINE rps_wide3 rps_wide3_add_scaled(rps_wide3 a, rps_simd s, rps_wide3 b) {
    return (rps_wide3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
RPS_WIDE_INLINE rps_simd rps_wide3_dot(rps_wide3 a, rps_wide3 b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
RPS_WIDE_INLINE rps_wide3 rps_wide3_cross(rps_wide3 a, rps_wide3 b) {
    return (rps_wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* The component of v perpendicular to the unit vector n. */
RPS_WIDE_INLINE rps_wide3 rps_wide3_reject(rps_wide3 v, rps_wide3 n) {
    return rps_wide3_add_scaled(v, -rps_wide3_dot(v, n), n);
}
/* a where the comparison holds, else b. */
RPS_WIDE_INLINE rps_wide3 rps_wide3_select(rps_mask mask, rps_wide3 a, rps_wide3 b) {
    return (rps_wide3){RPS_SELECT(mask, a.x, b.x), RPS_SELECT(mask, a.y, b.y), RPS_SELECT(mask, a.z, b.z)};
}
/* v where the comparison holds, else 0. */
RPS_WIDE_INLINE rps_wide3 rps_wide3_keep(rps_mask mask, rps_wide3 v) {
    return (rps_wide3){RPS_KEEP(mask, v.x), RPS_KEEP(mask, v.y), RPS_KEEP(mask, v.z)};
}
/* a / |a|, as rps_vec3_normalize. */
RPS_WIDE_INLINE rps_wide3 rps_wide3_normalize(rps_wide3 a) {
    const rps_simd size = RPS_SQRT(rps_wide3_dot(a, a)), length = RPS_SELECT(size > 0.0, size, RPS_ALL(1.0));
    return (rps_wide3){a.x / length, a.y / length, a.z / length};
}
/* A unit vector perpendicular to the unit vector n, as rps_vec3_any_across. */
RPS_WIDE_INLINE rps_wide3 rps_wide3_any_across(rps_wide3 n) {
    const rps_simd one = RPS_ALL(1.0);
    const rps_simd ax = RPS_MAGNITUDE(n.x), ay = RPS_MAGNITUDE(n.y), az = RPS_MAGNITUDE(n.z);
    const rps_mask along_x = (ax <= ay) & (ax <= az), along_y = ~along_x & (ay <= az), along_z = ~(along_x | along_y);
    const rps_wide3 axis = {RPS_KEEP(along_x, one), RPS_KEEP(along_y, one), RPS_KEEP(along_z, one)};
    return rps_wide3_normalize(rps_wide3_cross(axis, n));
}

/* The rotation matrix of a unit quaternion. Columns: the axes of the body in those of the world. */
typedef struct rps_wide_turn {
    rps_wide3 x, y, z;
} rps_wide_turn;

RPS_WIDE_INLINE rps_wide_turn rps_wide_turn_of(rps_simd w, rps_simd x, rps_simd y, rps_simd z) {
    return (rps_wide_turn){{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
                           {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)},
                           {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)}};
}
/* From the axes of the body to those of the world, and back. */
RPS_WIDE_INLINE rps_wide3 rps_wide_outward(rps_wide_turn t, rps_wide3 v) {
    return rps_wide3_add(rps_wide3_add(rps_wide3_scale(t.x, v.x), rps_wide3_scale(t.y, v.y)),
                         rps_wide3_scale(t.z, v.z));
}
RPS_WIDE_INLINE rps_wide3 rps_wide_inward(rps_wide_turn t, rps_wide3 v) {
    return (rps_wide3){rps_wide3_dot(t.x, v), rps_wide3_dot(t.y, v), rps_wide3_dot(t.z, v)};
}

#endif
