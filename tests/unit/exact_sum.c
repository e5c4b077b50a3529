/* The exact sum: correct to the last bit, with the same bits for every order and partition of its terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/exact_sum.h"
#include "base/random.h"

__extension__ typedef __float128 quad;

static uint64_t word(uint64_t stream, uint64_t n) {
    uint64_t out[4];
    rps_random_block(11, RPS_RANDOM_TEST, stream, n, out);
    return out[0];
}

/* Any finite double with equal chance of every bit pattern: all exponents, both signs, subnormal numbers too. */
static double any_double(uint64_t stream, uint64_t n) {
    uint64_t bits = word(stream, n);
    if ((bits >> 52 & 0x7ff) == 0x7ff) {
        bits ^= (uint64_t)1 << 60;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double sum_of(const double *x, size_t n) {
    rps_exact_sum s;
    rps_exact_sum_clear(&s);
    for (size_t i = 0; i < n; i++) {
        rps_exact_sum_add(&s, x[i]);
    }
    return rps_exact_sum_value(&s);
}

/* Compares bits, so that signs of zeros count. */
static void same_bits(double got, double expected) {
    assert_memory_equal(&got, &expected, sizeof got);
}

#define CHECK_SUM(expected, ...)                                             \
    do {                                                                     \
        const double terms_[] = {__VA_ARGS__};                               \
        same_bits(sum_of(terms_, sizeof terms_ / sizeof *terms_), expected); \
    } while (0)

static void test_known_sums(void **state) {
    (void)state;
    CHECK_SUM(0.0, 0.0);
    CHECK_SUM(0.0, -0.0);
    CHECK_SUM(0.0, 1.5, -1.5);
    CHECK_SUM(1.0, 1e300, 1.0, -1e300);
    CHECK_SUM(-1e-300, 1e300, -1e-300, 1.0, -1e300, -1.0);
    CHECK_SUM(5e-324, DBL_MAX, 5e-324, -DBL_MAX);
    CHECK_SUM(1e-323, 5e-324, 5e-324);
    CHECK_SUM(DBL_MIN, DBL_MIN - 5e-324, 5e-324);
    CHECK_SUM(-DBL_MIN, 5e-324 - DBL_MIN, -5e-324);
    CHECK_SUM(0.1 + 0.2, 0.1, 0.2); /* one addition rounds once in both */
}

static void test_rounding(void **state) {
    (void)state;
    const double half = DBL_EPSILON / 2, least = 5e-324;
    CHECK_SUM(1.0, 1.0, half);                                 /* a tie goes to the even neighbour */
    CHECK_SUM(1.0 + 2 * DBL_EPSILON, 1.0 + DBL_EPSILON, half); /* here upwards */
    CHECK_SUM(1.0 + DBL_EPSILON, 1.0, half, least);            /* the last bit of all breaks the tie */
    CHECK_SUM(1.0, 1.0, half, -least);
    CHECK_SUM(-1.0 - DBL_EPSILON, -1.0, -half, -least);
    CHECK_SUM(2.0, 2.0 - DBL_EPSILON, half, least); /* rounds up into the next exponent */
    CHECK_SUM(INFINITY, DBL_MAX, DBL_MAX);
    CHECK_SUM(DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX); /* the way may pass the range */
    CHECK_SUM(INFINITY, DBL_MAX, 0x1p970);          /* a tie at the end of the range */
    CHECK_SUM(DBL_MAX, DBL_MAX, 0x1p970, -least);
    CHECK_SUM(-INFINITY, -DBL_MAX, -0x1p970);
}

static void test_special_terms(void **state) {
    (void)state;
    CHECK_SUM(INFINITY, 1.0, INFINITY, -DBL_MAX);
    CHECK_SUM(-INFINITY, -INFINITY, -INFINITY);
    const double both[] = {INFINITY, -INFINITY, 1.0}, nan_first[] = {NAN, INFINITY};
    assert_true(isnan(sum_of(both, 3)));
    assert_true(isnan(sum_of(nan_first, 2)));
    rps_exact_sum a, b;
    rps_exact_sum_clear(&a);
    rps_exact_sum_clear(&b);
    rps_exact_sum_add(&a, INFINITY);
    rps_exact_sum_add(&b, -INFINITY);
    rps_exact_sum_merge(&a, &b);
    assert_true(isnan(rps_exact_sum_value(&a)));
}

/* Two terms: the hardware itself rounds their exact sum. In half of the cases their exponents are close. */
static void test_pairs_against_the_machine(void **state) {
    (void)state;
    for (uint64_t n = 0; n < 200000; n++) {
        double x = any_double(1, n), y = any_double(2, n);
        if (n % 2) {
            int exponent;
            frexp(x, &exponent);
            y = ldexp((double)(int64_t)word(3, n) * 0x1p-63, exponent + (int)(word(4, n) % 120) - 60);
        }
        volatile double expected = x + y;
        if (isfinite(y) && expected != 0) { /* zeros differ in sign at most, which the exact sum forgets on purpose */
            CHECK_SUM(expected, x, y);
        }
    }
}

/* Many terms that 113 bits hold exactly: whole multiples of 2^-60 below 2^30, up to 2^10 of them. */
static void test_many_against_quad(void **state) {
    (void)state;
    static double x[1024];
    for (uint64_t round = 0; round < 200; round++) {
        size_t n = 1 + word(5, round) % 1024;
        quad exact = 0;
        for (size_t i = 0; i < n; i++) {
            int scale = (int)(word(6, round * 1024 + i) % 38);
            x[i] = (double)(int64_t)(word(7, round * 1024 + i) >> 11) * ldexp(1, -60 + scale);
            if (i % 2 == 1) {
                x[i] = -x[i];
            }
            exact += x[i];
        }
        same_bits(sum_of(x, n), (double)exact);
    }
}

/* Terms over the whole range, with both signs: all orders and partitions must give the bits of the first. */
static void test_order_and_partition(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static double x[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        x[i] = any_double(8, i) * 0x1p-12; /* the sum stays within the range */
    }
    rps_exact_sum whole;
    rps_exact_sum_clear(&whole);
    for (size_t i = 0; i < COUNT; i++) {
        rps_exact_sum_add(&whole, x[i]);
    }
    double expected = rps_exact_sum_value(&whole);
    rps_exact_sum_normalize(&whole);
    assert_true(isfinite(expected));
    for (uint64_t round = 0; round < 50; round++) {
        for (size_t i = COUNT - 1; i > 0; i--) {
            size_t j = (size_t)rps_random_index(12, RPS_RANDOM_TEST, round, i, i + 1);
            double t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
        enum { PARTS = 7 };
        rps_exact_sum part[PARTS];
        for (int p = 0; p < PARTS; p++) {
            rps_exact_sum_clear(&part[p]);
        }
        for (size_t i = 0; i < COUNT; i++) {
            rps_exact_sum_add(&part[word(9, round * COUNT + i) % PARTS], x[i]);
        }
        for (int p = 1; p < PARTS; p++) {
            rps_exact_sum_merge(&part[0], &part[p]);
        }
        same_bits(rps_exact_sum_value(&part[0]), expected);
        rps_exact_sum_normalize(&part[0]);
        assert_memory_equal(&part[0], &whole, sizeof whole); /* equal sums have equal bytes */
    }
}

/* Adding many at once is the same sum as adding one by one: for any numbers, for some of similar size (which take the short
 * way), for some that the slices leave a rest of, at the ends of the range, and with infinities and NaN. */
static void test_all_at_once(void **state) {
    (void)state;
    enum { MOST = 200 };
    static const int spread[] = {1, 40, 100, 160, 400}, base[] = {0, 0, -1000, 900, 960};
    for (uint64_t round = 0; round < 6000; round++) {
        double x[MOST];
        const size_t n = (size_t)(word(13, round) % (MOST + 1));
        const uint64_t kind = round % 6;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t at = round * MOST + i;
            if (kind == 5) {
                x[i] = any_double(14, at);
            } else {
                const int exponent = base[round / 6 % 5] + (int)(word(15, at) % (uint64_t)spread[kind]);
                x[i] = ldexp((double)(int64_t)word(16, at) * 0x1p-63, exponent - spread[kind] / 2);
            }
            if (word(17, at) % 11 == 0) x[i] = 0.0;
            if (round % 97 == 0 && word(18, at) % 50 == 0) x[i] = word(19, at) % 2 ? INFINITY : (double)NAN;
        }
        rps_exact_sum all, each;
        rps_exact_sum_clear(&all);
        rps_exact_sum_clear(&each);
        rps_exact_sum_add_all(&all, x, n);
        for (size_t i = 0; i < n; i++) rps_exact_sum_add(&each, x[i]);
        rps_exact_sum_normalize(&all);
        rps_exact_sum_normalize(&each);
        assert_memory_equal(&all, &each, sizeof all);
    }
}

static void test_carries(void **state) {
    (void)state;
    rps_exact_sum s;
    rps_exact_sum_clear(&s);
    for (int k = 0; k < 1 << 20; k++) {
        rps_exact_sum_add(&s, 0.1);
    }
    same_bits(rps_exact_sum_value(&s), 0.1 * 0x1p20);
    for (int k = 0; k < 1 << 20; k++) {
        rps_exact_sum_add(&s, -0.1);
    }
    same_bits(rps_exact_sum_value(&s), 0.0);

    /* As many additions as limbs take before carries are passed on, of the number with the largest digits: its limbs
     * are multiplied instead of added up, but for the last two. */
    const double x = 0x1.fffffffffffffp+10;
    for (int sign = -1; sign <= 1; sign += 2) {
        rps_exact_sum_clear(&s);
        rps_exact_sum_add(&s, sign * x);
        for (int i = 0; i < RPS_EXACT_SUM_LIMBS; i++) {
            s.limb[i] *= RPS_EXACT_SUM_PENDING_MAX - 1;
        }
        s.pending = RPS_EXACT_SUM_PENDING_MAX - 1;
        rps_exact_sum_add(&s, sign * x);
        assert_int_equal(s.pending, 0);
        same_bits(rps_exact_sum_value(&s), sign * x * 0x1p30);
        rps_exact_sum_add(&s, sign * x * 0x1p30);
        same_bits(rps_exact_sum_value(&s), sign * x * 0x1p31);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sums),        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_special_terms),     cmocka_unit_test(test_pairs_against_the_machine),
        cmocka_unit_test(test_many_against_quad), cmocka_unit_test(test_order_and_partition),
        cmocka_unit_test(test_all_at_once),       cmocka_unit_test(test_carries),
    };
    return cmocka_run_group_tests_name("exact_sum", tests, NULL, NULL);
}
