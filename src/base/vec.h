/* Small vectors, unit quaternions and 3 x 3 matrices. Every expression has one order of evaluation, and only
 * + - * / sqrt occur, so the bits are the same on every machine. Quaternions turn from the body's frame into the
 * world's: rps_quat_rotate(q, v_body) = v_world; rps_quat_mul(a, b) turns by b first. */
#ifndef RPS_BASE_VEC_H
#define RPS_BASE_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct rps_vec3 {
    double x, y, z;
} rps_vec3;

typedef struct rps_quat {
    double w, x, y, z;
} rps_quat;

/* m[row][column]. */
typedef struct rps_mat3 {
    double m[3][3];
} rps_mat3;

static inline rps_vec3 rps_vec3_make(double x, double y, double z) {
    return (rps_vec3){x, y, z};
}

/* From three numbers in a row, and back. */
static inline rps_vec3 rps_vec3_of(const double *v) {
    return (rps_vec3){v[0], v[1], v[2]};
}
static inline void rps_vec3_put(double *to, rps_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static inline rps_vec3 rps_vec3_zero(void) {
    return (rps_vec3){0.0, 0.0, 0.0};
}

static inline rps_vec3 rps_vec3_add(rps_vec3 a, rps_vec3 b) {
    return (rps_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline rps_vec3 rps_vec3_sub(rps_vec3 a, rps_vec3 b) {
    return (rps_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline rps_vec3 rps_vec3_neg(rps_vec3 a) {
    return (rps_vec3){-a.x, -a.y, -a.z};
}

static inline rps_vec3 rps_vec3_scale(rps_vec3 a, double s) {
    return (rps_vec3){s * a.x, s * a.y, s * a.z};
}

/* a + s b */
static inline rps_vec3 rps_vec3_add_scaled(rps_vec3 a, double s, rps_vec3 b) {
    return (rps_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Component by component. */
static inline rps_vec3 rps_vec3_mul(rps_vec3 a, rps_vec3 b) {
    return (rps_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline double rps_vec3_dot(rps_vec3 a, rps_vec3 b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static inline rps_vec3 rps_vec3_cross(rps_vec3 a, rps_vec3 b) {
    return (rps_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double rps_vec3_norm2(rps_vec3 a) {
    return rps_vec3_dot(a, a);
}

static inline double rps_vec3_norm(rps_vec3 a) {
    return sqrt(rps_vec3_norm2(a));
}

/* a / |a|; the zero vector (and one so short that its square vanishes) stays as it is. */
static inline rps_vec3 rps_vec3_normalize(rps_vec3 a) {
    double length = rps_vec3_norm(a);
    if (!(length > 0.0)) {
        return a;
    }
    return (rps_vec3){a.x / length, a.y / length, a.z / length};
}

static inline bool rps_vec3_is_finite(rps_vec3 a) {
    /* x - x is 0 for finite x only. */
    return a.x - a.x == 0.0 && a.y - a.y == 0.0 && a.z - a.z == 0.0;
}

/* The component of v perpendicular to the unit vector n. */
static inline rps_vec3 rps_vec3_reject(rps_vec3 v, rps_vec3 n) {
    return rps_vec3_add_scaled(v, -rps_vec3_dot(v, n), n);
}

/* A unit vector perpendicular to the unit vector n: n crossed with the axis it leans on least (the first such). */
static inline rps_vec3 rps_vec3_any_across(rps_vec3 n) {
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    rps_vec3 axis = ax <= ay && ax <= az ? rps_vec3_make(1, 0, 0)
                    : ay <= az           ? rps_vec3_make(0, 1, 0)
                                         : rps_vec3_make(0, 0, 1);
    return rps_vec3_normalize(rps_vec3_cross(axis, n));
}

static inline rps_quat rps_quat_identity(void) {
    return (rps_quat){1.0, 0.0, 0.0, 0.0};
}

static inline rps_quat rps_quat_conjugate(rps_quat q) {
    return (rps_quat){q.w, -q.x, -q.y, -q.z};
}

static inline rps_quat rps_quat_mul(rps_quat a, rps_quat b) {
    return (rps_quat){
        ((a.w * b.w - a.x * b.x) - a.y * b.y) - a.z * b.z,
        ((a.w * b.x + a.x * b.w) + a.y * b.z) - a.z * b.y,
        ((a.w * b.y - a.x * b.z) + a.y * b.w) + a.z * b.x,
        ((a.w * b.z + a.x * b.y) - a.y * b.x) + a.z * b.w,
    };
}

/* q / |q|; a zero quaternion becomes the identity. */
static inline rps_quat rps_quat_normalize(rps_quat q) {
    double length = sqrt(((q.w * q.w + q.x * q.x) + q.y * q.y) + q.z * q.z);
    if (!(length > 0.0)) {
        return rps_quat_identity();
    }
    return (rps_quat){q.w / length, q.x / length, q.y / length, q.z / length};
}

/* v turned by the unit quaternion q: v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
static inline rps_vec3 rps_quat_rotate(rps_quat q, rps_vec3 v) {
    rps_vec3 u = {q.x, q.y, q.z};
    rps_vec3 t = rps_vec3_scale(rps_vec3_cross(u, v), 2.0);
    return rps_vec3_add(rps_vec3_add_scaled(v, q.w, t), rps_vec3_cross(u, t));
}

static inline rps_vec3 rps_quat_rotate_inverse(rps_quat q, rps_vec3 v) {
    return rps_quat_rotate(rps_quat_conjugate(q), v);
}

/* The rotation matrix of the unit quaternion q; its columns are the body's axes in the world. */
static inline rps_mat3 rps_quat_to_mat3(rps_quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (rps_mat3){{
        {1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
        {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
        {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)},
    }};
}

/* The rotation whose Rodrigues vector is g = tan(angle/2) axis: (1, g)/sqrt(1 + g.g). */
static inline rps_quat rps_quat_from_rodrigues(rps_vec3 g) {
    double w = 1.0 / sqrt(1.0 + rps_vec3_norm2(g));
    return (rps_quat){w, w * g.x, w * g.y, w * g.z};
}

static inline rps_mat3 rps_mat3_identity(void) {
    return (rps_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline rps_mat3 rps_mat3_diagonal(rps_vec3 d) {
    return (rps_mat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}

static inline rps_vec3 rps_mat3_mul_vec(const rps_mat3 *a, rps_vec3 v) {
    return (rps_vec3){
        (a->m[0][0] * v.x + a->m[0][1] * v.y) + a->m[0][2] * v.z,
        (a->m[1][0] * v.x + a->m[1][1] * v.y) + a->m[1][2] * v.z,
        (a->m[2][0] * v.x + a->m[2][1] * v.y) + a->m[2][2] * v.z,
    };
}

/* transpose(a) v */
static inline rps_vec3 rps_mat3_transpose_mul_vec(const rps_mat3 *a, rps_vec3 v) {
    return (rps_vec3){
        (a->m[0][0] * v.x + a->m[1][0] * v.y) + a->m[2][0] * v.z,
        (a->m[0][1] * v.x + a->m[1][1] * v.y) + a->m[2][1] * v.z,
        (a->m[0][2] * v.x + a->m[1][2] * v.y) + a->m[2][2] * v.z,
    };
}

static inline rps_mat3 rps_mat3_mul(const rps_mat3 *a, const rps_mat3 *b) {
    rps_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = (a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j]) + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

static inline rps_mat3 rps_mat3_transpose(const rps_mat3 *a) {
    rps_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[j][i];
        }
    }
    return c;
}

static inline double rps_mat3_det(const rps_mat3 *a) {
    rps_vec3 r0 = {a->m[0][0], a->m[0][1], a->m[0][2]};
    rps_vec3 r1 = {a->m[1][0], a->m[1][1], a->m[1][2]};
    rps_vec3 r2 = {a->m[2][0], a->m[2][1], a->m[2][2]};
    return rps_vec3_dot(r0, rps_vec3_cross(r1, r2));
}

/* The unit quaternion of a rotation matrix, with w >= 0 where w is not tiny; built on the largest of its four parts. */
static inline rps_quat rps_quat_from_mat3(const rps_mat3 *a) {
    double m00 = a->m[0][0], m11 = a->m[1][1], m22 = a->m[2][2];
    rps_quat q;
    if (m00 + m11 + m22 >= 0.0) {
        q = (rps_quat){1.0 + ((m00 + m11) + m22), a->m[2][1] - a->m[1][2], a->m[0][2] - a->m[2][0],
                       a->m[1][0] - a->m[0][1]};
    } else if (m00 >= m11 && m00 >= m22) {
        q = (rps_quat){a->m[2][1] - a->m[1][2], 1.0 + ((m00 - m11) - m22), a->m[0][1] + a->m[1][0],
                       a->m[0][2] + a->m[2][0]};
    } else if (m11 >= m22) {
        q = (rps_quat){a->m[0][2] - a->m[2][0], a->m[0][1] + a->m[1][0], 1.0 + ((m11 - m22) - m00),
                       a->m[1][2] + a->m[2][1]};
    } else {
        q = (rps_quat){a->m[1][0] - a->m[0][1], a->m[0][2] + a->m[2][0], a->m[1][2] + a->m[2][1],
                       1.0 + ((m22 - m00) - m11)};
    }
    q = rps_quat_normalize(q);
    return q.w < 0.0 ? (rps_quat){-q.w, -q.x, -q.y, -q.z} : q;
}

/* The rotation by `angle` (rad) about the unit vector `axis`, right-handed; in elementary.c. */
rps_quat rps_quat_from_axis_angle(rps_vec3 axis, double angle);

/* The rotation by |v| rad about v. */
rps_quat rps_quat_from_rotation_vector(rps_vec3 v);

#endif
