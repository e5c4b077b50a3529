/* Random numbers: the published answers of Philox, independence of streams, and the moments of the distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"

/* Known answers of philox4x64 with 10 rounds, published with Random123 (its file kat_vectors), where the upper half of
 * the key and of the counter fit our use of them. */
static void test_known_answers(void **state) {
    (void)state;
    uint64_t out[4];
    rps_random_block(0, 0, 0, 0, out);
    assert_true(out[0] == 0x16554d9eca36314cu && out[1] == 0xdb20fe9d672d0fdcu);
    assert_true(out[2] == 0xd7e772cee186176bu && out[3] == 0x7e68b68aec7ba23bu);
}

static void test_every_part_of_the_key_counts(void **state) {
    (void)state;
    double base = rps_random_uniform(1, 2, 3, 4);
    assert_true(base == rps_random_uniform(1, 2, 3, 4));
    assert_true(base != rps_random_uniform(2, 2, 3, 4));
    assert_true(base != rps_random_uniform(1, 3, 3, 4));
    assert_true(base != rps_random_uniform(1, 2, 4, 4));
    assert_true(base != rps_random_uniform(1, 2, 3, 5));
    assert_true(base != rps_random_uniform(1, 2, 4, 3));
    assert_true(base != rps_random_uniform(1 + ((uint64_t)1 << 40), 2, 3, 4));
}

/* Bounds of five standard errors of the estimate over N samples: 1 in 2 million, and the seed is fixed. */
enum { N = 200000 };

static void test_uniform_moments(void **state) {
    (void)state;
    double sum = 0, squares = 0, low = 1, high = 0;
    for (uint64_t n = 0; n < N; n++) {
        double u = rps_random_uniform(42, RPS_RANDOM_TEST, n % 100, n / 100);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        low = u < low ? u : low;
        high = u > high ? u : high;
    }
    assert_true(fabs(sum / N - 0.5) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(squares / N - 1.0 / 12) < 5 * sqrt(1.0 / 180 / N));
    assert_true(low < 20.0 / N && high > 1 - 20.0 / N); /* missed with chance exp(-20) */
    assert_true(rps_random_to_unit(UINT64_MAX) < 1 && rps_random_to_unit(0) == 0);
}

static void test_normal_moments(void **state) {
    (void)state;
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (uint64_t n = 0; n < N; n++) {
        double x = rps_random_normal(42, RPS_RANDOM_TEST, n, 0);
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
    }
    /* Variances of x^k for the normal distribution: 1, 2, 15, 96. */
    assert_true(fabs(m1 / N) < 5 * sqrt(1.0 / N));
    assert_true(fabs(m2 / N - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(m3 / N) < 5 * sqrt(15.0 / N));
    assert_true(fabs(m4 / N - 3) < 5 * sqrt(96.0 / N));
}

static void test_index(void **state) {
    (void)state;
    int hits[6] = {0};
    for (uint64_t n = 0; n < 60000; n++) {
        uint64_t k = rps_random_index(3, RPS_RANDOM_TEST, n, 0, 6);
        assert_true(k < 6);
        hits[k]++;
    }
    for (int k = 0; k < 6; k++) {
        assert_true(fabs(hits[k] - 10000.0) < 5 * sqrt(60000.0 / 6 * 5 / 6));
    }
    assert_true(rps_random_index(3, RPS_RANDOM_TEST, 0, 0, 0) == 0);
    assert_true(rps_random_index(3, RPS_RANDOM_TEST, 0, 0, 1) == 0);
    /* The upper half of the product with 2^63 is the word without its lowest bit. */
    uint64_t out[4];
    for (uint64_t n = 0; n < 100; n++) {
        rps_random_block(3, RPS_RANDOM_TEST, n, 1, out);
        assert_true(rps_random_index(3, RPS_RANDOM_TEST, n, 1, (uint64_t)1 << 63) == out[0] >> 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),   cmocka_unit_test(test_every_part_of_the_key_counts),
        cmocka_unit_test(test_uniform_moments), cmocka_unit_test(test_normal_moments),
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
