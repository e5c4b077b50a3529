/* Errors, and the small services around them: instruction sets, hashes, clock, log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/status.h"

static void test_names(void **state) {
    (void)state;
    assert_int_equal(RPS_OK, 0);
    assert_string_equal(rps_status_name(RPS_OK), "OK");
    assert_string_equal(rps_status_name(RPS_BAD_INPUT), "BAD_INPUT");
    assert_string_equal(rps_status_name(RPS_INTERNAL), "INTERNAL");
    assert_string_equal(rps_status_name((rps_status)99), "UNKNOWN");
    for (int s = 0; s < RPS_STATUS_COUNT; s++) {
        assert_true(strlen(rps_status_meaning((rps_status)s)) > 5);
    }
}

static void test_fail(void **state) {
    (void)state;
    rps_error err;
    assert_int_equal(rps_fail(&err, RPS_GUARD, "overlap %.1f of %s", 0.5, "ball"), RPS_GUARD);
    assert_int_equal(err.status, RPS_GUARD);
    assert_string_equal(err.text, "overlap 0.5 of ball");
    rps_error_prefix(&err, "step %d: ", 7);
    assert_string_equal(err.text, "step 7: overlap 0.5 of ball");
    rps_fail(&err, RPS_IO_ERROR, "cannot write (%s)", err.text); /* its own text as argument */
    assert_string_equal(err.text, "cannot write (step 7: overlap 0.5 of ball)");
    rps_error_prefix(&err, "[%s] ", err.text);
    assert_non_null(strstr(err.text, "ball)] cannot write"));
    assert_int_equal(rps_fail(NULL, RPS_STOPPED, "nobody listens"), RPS_STOPPED);
    rps_error_prefix(NULL, "nobody");
    /* Too long a text is cut and stays terminated. */
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    rps_fail(&err, RPS_INTERNAL, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    rps_error_prefix(&err, "front ");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "front xxx", 9);
    rps_error_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static rps_status twice(int fails, int *reached, rps_error *err) {
    RPS_TRY(fails ? rps_fail(err, RPS_UNSUPPORTED, "no") : RPS_OK);
    *reached = 1;
    return RPS_OK;
}

static void test_try(void **state) {
    (void)state;
    int reached = 0;
    assert_int_equal(twice(1, &reached, NULL), RPS_UNSUPPORTED);
    assert_int_equal(reached, 0);
    assert_int_equal(twice(0, &reached, NULL), RPS_OK);
    assert_int_equal(reached, 1);
}

static void test_instruction_sets(void **state) {
    (void)state;
    for (int k = 0; k < RPS_ISA_COUNT; k++) {
        rps_isa isa = RPS_ISA_COUNT;
        assert_int_equal(rps_isa_from_name(rps_isa_name((rps_isa)k), &isa, NULL), RPS_OK);
        assert_int_equal(isa, k);
    }
    rps_isa isa = RPS_ISA_AVX2;
    rps_error err;
    assert_int_equal(rps_isa_from_name("mmx", &isa, &err), RPS_BAD_INPUT);
    assert_int_equal(isa, RPS_ISA_AVX2);
    assert_non_null(strstr(err.text, "mmx"));
    assert_non_null(strstr(err.text, "avx512"));
    assert_true(rps_isa_supported(RPS_ISA_SSE2));
    assert_true(rps_isa_supported(rps_isa_best()));
    assert_false(rps_isa_supported(RPS_ISA_COUNT));
    for (int k = rps_isa_best() + 1; k < RPS_ISA_COUNT; k++) {
        assert_false(rps_isa_supported((rps_isa)k));
    }
    assert_string_equal(rps_isa_name(RPS_ISA_COUNT), "unknown");
}

static void test_hashes(void **state) {
    (void)state;
    /* XXH3 of nothing, from its specification. */
    assert_true(rps_hash64(NULL, 0) == 0x2d06800538d394c2u);
    rps_hash h;
    rps_hash128_begin(&h);
    rps_hash128_add(&h, NULL, 0);
    rps_hash128_value nothing = rps_hash128_result(&h);
    assert_true(nothing.high == 0x99aa06d3014798d8u && nothing.low == 0x6001c324468d497fu);
    /* Cut anywhere: the same; one bit changed anywhere: another. */
    static unsigned char data[3000];
    for (size_t k = 0; k < sizeof data; k++) {
        data[k] = (unsigned char)(k * 7 + k / 256);
    }
    rps_hash64_begin(&h);
    rps_hash64_add(&h, data, sizeof data);
    uint64_t whole = rps_hash64_value(&h);
    assert_true(whole == rps_hash64_value(&h) && whole == rps_hash64(data, sizeof data));
    rps_hash128_begin(&h);
    rps_hash128_add(&h, data, sizeof data);
    rps_hash128_value whole128 = rps_hash128_result(&h);
    for (size_t cut = 0; cut <= sizeof data; cut += 97) {
        rps_hash64_begin(&h);
        rps_hash64_add(&h, data, cut);
        rps_hash64_add(&h, data + cut, sizeof data - cut);
        assert_true(rps_hash64_value(&h) == whole);
        rps_hash128_begin(&h);
        rps_hash128_add(&h, data, cut);
        rps_hash128_add(&h, data + cut, sizeof data - cut);
        rps_hash128_value cut128 = rps_hash128_result(&h);
        assert_true(cut128.high == whole128.high && cut128.low == whole128.low);
    }
    for (size_t k = 0; k < sizeof data; k += 101) {
        data[k] ^= 16;
        assert_true(rps_hash64(data, sizeof data) != whole);
        data[k] ^= 16;
    }
}

static void test_clock(void **state) {
    (void)state;
    double last = rps_clock_seconds(), first = last;
    for (long k = 0; k < 1000; k++) {
        double t = rps_clock_seconds();
        assert_true(t >= last);
        last = t;
    }
    assert_true(last > first); /* a thousand calls take longer than a tick of a nanosecond */
}

typedef struct heard {
    int level, calls;
    size_t length;
    char start[64];
} heard;

static void listen(void *ctx, int level, const char *text) {
    heard *h = ctx;
    h->level = level;
    h->calls++;
    h->length = strlen(text);
    memcpy(h->start, text, h->length < 63 ? h->length + 1 : 63);
}

static void test_log(void **state) {
    (void)state;
    heard h = {0};
    rps_log_write(listen, &h, RPS_LOG_INFO, "%d bodies", 12);
    assert_true(h.calls == 1 && h.level == RPS_LOG_INFO);
    assert_string_equal(h.start, "12 bodies");
    static char text[3000];
    memset(text, 'y', sizeof text - 1);
    rps_log_write(listen, &h, RPS_LOG_WARNING, "%s", text);
    assert_int_equal(h.length, 1023);
    rps_log_write(NULL, &h, RPS_LOG_WARNING, "nobody listens");
    assert_int_equal(h.calls, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_fail),
        cmocka_unit_test(test_try),    cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_hashes), cmocka_unit_test(test_clock),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
