/* Text: numbers round-trip in every locale, refusals give the reason, bounds, and suggestions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "locale_common.h"

static void test_format(void **state) {
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {1e300, "1e+300"},
        {-2.5, "-2.5"},
        {0.1 + 0.2, "0.30000000000000004"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {123456789, "123456789"},
        {1.0 / 3, "0.3333333333333333"},
    };
    char out[RPS_DOUBLE_TEXT];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_string_equal(rps_double_format(cases[k].value, out), cases[k].text);
    }
}

static void round_trip(double x) {
    char out[RPS_DOUBLE_TEXT];
    double back = 12345;
    assert_int_equal(rps_parse_double(rps_double_format(x, out), &back, NULL), RPS_OK);
    assert_memory_equal(&back, &x, sizeof x);
}

static void test_round_trip(void **state) {
    (void)state;
    const double edges[] = {0.0, -0.0, 5e-324, -DBL_MIN, DBL_MAX, -DBL_MAX, 1 + DBL_EPSILON, 0x1.fffffffffffffp-1023};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        round_trip(edges[k]);
    }
    for (uint64_t n = 0; n < 20000; n++) {
        uint64_t word[4];
        double x;
        rps_random_block(5, RPS_RANDOM_TEST, 0, n, word);
        memcpy(&x, &word[0], sizeof x);
        if (isfinite(x)) {
            round_trip(x);
        }
    }
}

static void test_parse(void **state) {
    (void)state;
    const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},           {"-0.25", -0.25},     {"+3", 3},
                {"1e3", 1000},      {"1.5E-3", 0.0015},   {".5", 0.5},
                {"5.", 5},          {"1e+2", 100},        {"007", 7},
                {"0e999999999", 0}, {"4.9e-324", 5e-324}, {"1.7976931348623157e308", DBL_MAX}};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        double value = NAN;
        assert_int_equal(rps_parse_double(good[k].text, &value, NULL), RPS_OK);
        assert_true(value == good[k].value);
    }
    const char *bad[] = {"",   " ",   " 1",    "1 ",  "1x",  "0x10", "inf",      "nan",   "1e",     "1e+",    ".",  "-",
                         "e5", "1,5", "1.2.3", "--1", "1_0", "1e5.", "infinity", "1e309", "-1e999", "1e-400", "1d3"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double value = 42;
        rps_error err = {RPS_OK, ""};
        assert_int_equal(rps_parse_double(bad[k], &value, &err), RPS_BAD_INPUT);
        assert_int_equal(err.status, RPS_BAD_INPUT);
        assert_true(value == 42);
        assert_non_null(strstr(err.text, bad[k])); /* the sentence quotes what it refuses */
    }
    double value;
    rps_error err;
    rps_parse_double("1e309", &value, &err);
    assert_non_null(strstr(err.text, "overflow"));
    rps_parse_double("-1e-400", &value, &err);
    assert_non_null(strstr(err.text, "underflow"));
}

/* With a decimal comma around. */
static void test_locale(void **state) {
    (void)state;
    comma_locale_set();
    char out[RPS_DOUBLE_TEXT];
    double value = 0;
    rps_text text;
    rps_error err;
    rps_text_init(&text, NULL, 100);
    rps_status parsed = rps_parse_double("1.5", &value, NULL);
    rps_double_format(2.5, out);
    rps_status added = rps_text_addf(&text, NULL, "%.2f", 3.25);
    rps_fail(&err, RPS_BAD_INPUT, "%.2f", 4.75);
    rps_error_prefix(&err, "%.1f and ", 0.5);
    const bool comma = comma_is_written();
    comma_locale_drop();
    assert_true(comma);
    assert_true(parsed == RPS_OK && value == 1.5);
    assert_string_equal(out, "2.5");
    assert_int_equal(added, RPS_OK);
    assert_string_equal(rps_text_string(&text), "3.25");
    assert_string_equal(err.text, "0.5 and 4.75");
    rps_text_release(&text);
}

static void test_builder(void **state) {
    (void)state;
    rps_text text;
    rps_error err;
    rps_text_init(&text, NULL, 20);
    assert_string_equal(rps_text_string(&text), "");
    assert_int_equal(rps_text_add(&text, "ab", &err), RPS_OK);
    assert_int_equal(rps_text_addf(&text, &err, "-%d-%s", 12, "x"), RPS_OK);
    assert_int_equal(rps_text_add_double(&text, 0.1, &err), RPS_OK);
    assert_int_equal(rps_text_add_bytes(&text, "yz!", 2, &err), RPS_OK);
    assert_string_equal(rps_text_string(&text), "ab-12-x0.1yz");
    assert_int_equal(text.length, 12);
    assert_int_equal(rps_text_add(&text, "12345678", &err), RPS_OK); /* the limit itself is allowed */
    /* Beyond the limit: refused, content kept, and the failure sticks until the text is cleared. */
    assert_int_equal(rps_text_add(&text, "9", &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "20"));
    assert_int_equal(rps_text_add(&text, "", &err), RPS_BAD_INPUT);
    assert_string_equal(rps_text_string(&text), "ab-12-x0.1yz12345678");
    rps_text_clear(&text);
    assert_string_equal(rps_text_string(&text), "");
    assert_int_equal(rps_text_addf(&text, NULL, "%021d", 1), RPS_BAD_INPUT);
    rps_text_release(&text);

    rps_text_init(&text, NULL, SIZE_MAX);
    for (int k = 0; k < 1000; k++) {
        assert_int_equal(rps_text_addf(&text, NULL, "%04d,", k), RPS_OK);
    }
    assert_int_equal(text.length, 5000);
    assert_memory_equal(text.data + 4995, "0999,", 6);
    rps_text_release(&text);
}

/* Writes a code point as UTF-8, without asking whether it may be. */
static size_t encode(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t k = n; k-- > 1; c >>= 6) out[k] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf00 >> n) | c);
    return n;
}

static void test_characters(void **state) {
    (void)state;
    for (uint32_t c = 0; c < 0x140000; c++) {
        char bytes[4];
        const size_t n = encode(c, bytes);
        const bool is = c < 0x110000 && !(c >= 0xd800 && c < 0xe000);
        assert_int_equal(rps_character_length(bytes, n), is ? n : 0);
        assert_int_equal(rps_character_length(bytes, n - 1), 0);
    }
    const char *wrong[] = {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
                           "\xff", "\xc3q",    "\xe2\x82q"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(rps_character_length(wrong[k], strlen(wrong[k])), 0);
    }
    const struct {
        const char *text, *plain, *xml;
    } cases[] = {{"a\xc3\xa4z", "a\xc3\xa4z", "a\xc3\xa4z"},
                 {"\xff\xe2\x82", "\\xff\\xe2\\x82", "\\xff\\xe2\\x82"},
                 {"\xe2\x82\xac\xc3", "\xe2\x82\xac\\xc3", "\xe2\x82\xac\\xc3"},
                 {"\\\t\x07\x7f", "\\\t\x07\x7f", "\\\t\\x07\x7f"},
                 {"\xef\xbf\xbd\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbf", "\xef\xbf\xbd\\xef\\xbf\\xbf"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char one[RPS_XML_CHARACTER], plain[128] = "", xml[128] = "";
        for (const char *p = cases[k].text; *p;) strcat(plain, rps_next_character(&p, one));
        for (const char *p = cases[k].text; *p;) strcat(xml, rps_next_xml_character(&p, one));
        assert_string_equal(plain, cases[k].plain);
        assert_string_equal(xml, cases[k].xml);
    }
}

static void *no_memory(void *ctx, size_t size, size_t align) {
    (void)ctx, (void)size, (void)align;
    return NULL;
}

static void never_released(void *ctx, void *p, size_t size) {
    (void)ctx, (void)p, (void)size;
    fail();
}

static void test_builder_without_memory(void **state) {
    (void)state;
    const rps_allocator none = {no_memory, never_released, NULL};
    rps_text text;
    rps_error err;
    rps_text_init(&text, &none, 100);
    assert_int_equal(rps_text_add(&text, "x", &err), RPS_NO_MEMORY);
    assert_int_equal(rps_text_addf(&text, &err, "%d", 1), RPS_NO_MEMORY);
    assert_string_equal(rps_text_string(&text), "");
    rps_text_release(&text);
}

static void test_closest_name(void **state) {
    (void)state;
    const char *const names[] = {"young", "poisson", "density", "friction", "roll",
                                 "spin",  "slide",   "static",  "kinetic"};
    const struct {
        const char *name, *expected;
    } cases[] = {
        {"yuong", "young"},
        {"poison", "poisson"},
        {"Density", "density"},
        {"frcition", "friction"},
        {"rol", "roll"},
        {"spinn", "spin"},
        {"slied", "slide"},
        {"kinetik", "kinetic"},
        {"static", "static"},
        {"restitution", NULL},
        {"", NULL},
        {"xyz", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *got = rps_closest_name(cases[k].name, names, sizeof names / sizeof *names);
        if (cases[k].expected) {
            assert_non_null(got);
            assert_string_equal(got, cases[k].expected);
        } else {
            assert_null(got);
        }
    }
    assert_null(rps_closest_name("x", names, 0));
    char longest[201];
    memset(longest, 'a', 200);
    longest[200] = '\0';
    const char *const one[] = {longest};
    assert_null(rps_closest_name(longest, names, 9));
    assert_null(rps_closest_name("aaa", one, 1));
    longest[64] = '\0'; /* the longest that is compared */
    assert_ptr_equal(rps_closest_name(longest, one, 1), longest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format),       cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_parse),        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_builder),      cmocka_unit_test(test_builder_without_memory),
        cmocka_unit_test(test_closest_name), cmocka_unit_test(test_characters),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
