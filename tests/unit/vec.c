/* Vectors, quaternions and matrices: the algebra, with its signs, on which all higher layers rely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "base/vec.h"

/* The longest chains are two rotations of vectors up to 1.73 long: each about ten roundings of 1.1e-16 of that length,
 * which is 3.8e-15 if all were to add up. */
static const double few_ulp = 4e-15;

static double symmetric(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(1, RPS_RANDOM_TEST, id, n) - 1;
}

static rps_vec3 any_vec(uint64_t id) {
    return rps_vec3_make(symmetric(id, 0), symmetric(id, 1), symmetric(id, 2));
}

static rps_quat any_turn(uint64_t id) {
    return rps_quat_normalize((rps_quat){symmetric(id, 3), symmetric(id, 4), symmetric(id, 5), symmetric(id, 6)});
}

static void close_to(rps_vec3 a, rps_vec3 b) {
    assert_true(rps_vec3_norm(rps_vec3_sub(a, b)) <= few_ulp);
}

static void test_vectors(void **state) {
    (void)state;
    rps_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    close_to(rps_vec3_cross(x, y), z);
    close_to(rps_vec3_cross(y, z), x);
    close_to(rps_vec3_cross(z, x), y);
    assert_true(rps_vec3_norm(rps_vec3_make(2, 3, 6)) == 7);
    close_to(rps_vec3_normalize(rps_vec3_zero()), rps_vec3_zero());
    assert_true(rps_vec3_is_finite(x));
    assert_false(rps_vec3_is_finite(rps_vec3_make(0, INFINITY, 0)));
    assert_false(rps_vec3_is_finite(rps_vec3_make(0, 0, NAN)));
    for (uint64_t k = 0; k < 1000; k++) {
        rps_vec3 a = any_vec(2 * k), b = any_vec(2 * k + 1);
        rps_vec3 c = rps_vec3_cross(a, b), n = rps_vec3_normalize(b);
        assert_true(fabs(rps_vec3_dot(a, c)) < few_ulp && fabs(rps_vec3_dot(b, c)) < few_ulp);
        assert_true(fabs(rps_vec3_norm(n) - 1) < few_ulp);
        rps_vec3 across = rps_vec3_reject(a, n);
        assert_true(fabs(rps_vec3_dot(across, n)) < few_ulp);
        close_to(rps_vec3_add_scaled(across, rps_vec3_dot(a, n), n), a);
        rps_vec3 t = rps_vec3_any_across(n);
        assert_true(fabs(rps_vec3_dot(t, n)) < few_ulp && fabs(rps_vec3_norm(t) - 1) < few_ulp);
    }
    rps_vec3 axes[] = {x, y, z, rps_vec3_neg(x), rps_vec3_neg(y), rps_vec3_neg(z)};
    for (int k = 0; k < 6; k++) {
        assert_true(rps_vec3_norm(rps_vec3_any_across(axes[k])) == 1);
    }
}

static void test_rotations(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 1000; k++) {
        rps_quat p = any_turn(2 * k), q = any_turn(2 * k + 1);
        rps_vec3 v = any_vec(k);
        /* One turn after the other is their product; the inverse undoes; lengths and handedness stay. */
        close_to(rps_quat_rotate(rps_quat_mul(p, q), v), rps_quat_rotate(p, rps_quat_rotate(q, v)));
        close_to(rps_quat_rotate_inverse(q, rps_quat_rotate(q, v)), v);
        rps_vec3 u = any_vec(k + 5000);
        close_to(rps_quat_rotate(q, rps_vec3_cross(u, v)),
                 rps_vec3_cross(rps_quat_rotate(q, u), rps_quat_rotate(q, v)));
        /* The matrix says the same, its transpose the inverse, and it leads back to the quaternion but for its sign. */
        rps_mat3 m = rps_quat_to_mat3(q);
        close_to(rps_mat3_mul_vec(&m, v), rps_quat_rotate(q, v));
        close_to(rps_mat3_transpose_mul_vec(&m, v), rps_quat_rotate_inverse(q, v));
        assert_true(fabs(rps_mat3_det(&m) - 1) < few_ulp);
        rps_quat back = rps_quat_from_mat3(&m);
        double s = q.w < 0 ? -1 : 1;
        assert_true(fabs(s * back.w - q.w) < few_ulp && fabs(s * back.x - q.x) < few_ulp);
        assert_true(fabs(s * back.y - q.y) < few_ulp && fabs(s * back.z - q.z) < few_ulp);
        /* Rotations by pi, where w vanishes, go through the other branches. */
        rps_quat half = rps_quat_normalize((rps_quat){0, q.x, q.y, q.z});
        m = rps_quat_to_mat3(half);
        back = rps_quat_from_mat3(&m);
        close_to(rps_quat_rotate(back, v), rps_quat_rotate(half, v));
    }
    /* Rodrigues: tan(pi/8) about z turns x by pi/4 towards y. */
    rps_quat q = rps_quat_from_rodrigues(rps_vec3_make(0, 0, sqrt(2) - 1));
    close_to(rps_quat_rotate(q, rps_vec3_make(1, 0, 0)), rps_vec3_make(sqrt(0.5), sqrt(0.5), 0));
    q = rps_quat_normalize((rps_quat){0, 0, 0, 0});
    assert_true(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
}

static void test_matrices(void **state) {
    (void)state;
    rps_mat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
    rps_mat3 i = rps_mat3_identity(), d = rps_mat3_diagonal(rps_vec3_make(2, 3, 4));
    rps_mat3 ai = rps_mat3_mul(&a, &i), ad = rps_mat3_mul(&a, &d), t = rps_mat3_transpose(&a);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            assert_true(ai.m[r][c] == a.m[r][c]);
            assert_true(ad.m[r][c] == a.m[r][c] * (c + 2));
            assert_true(t.m[r][c] == a.m[c][r]);
        }
    }
    assert_true(rps_mat3_det(&a) == -3);
    close_to(rps_mat3_mul_vec(&a, rps_vec3_make(1, -1, 2)), rps_vec3_make(5, 11, 19));
    close_to(rps_mat3_transpose_mul_vec(&a, rps_vec3_make(1, -1, 2)), rps_mat3_mul_vec(&t, rps_vec3_make(1, -1, 2)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_matrices),
    };
    return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
