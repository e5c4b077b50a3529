/* Names that laws have in other programs: each leads to laws that exist, and a program that writes one is told, whatever the
 * capitals and the signs between words. (Scenes: scene_errors.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <repose/repose.h>

#include "law/elsewhere.h"

static bool is_law(const char *name, size_t length) {
    for (size_t k = 0; rps_law_at(k); k++) {
        if (strlen(rps_law_at(k)->name) == length && strncmp(rps_law_at(k)->name, name, length) == 0) return true;
    }
    return false;
}

/* The first name between grave accents is a law. */
static void test_table(void **state) {
    (void)state;
    size_t count = 0;
    for (const rps_law_elsewhere *e; (e = rps_law_elsewhere_at(count)) != NULL; count++) {
        const char *from = strchr(e->here, '`');
        assert_non_null(from);
        const size_t length = strcspn(++from, "`");
        if (!is_law(from, length)) fail_msg("%s of %s: there is no law %.*s", e->name, e->program, (int)length, from);
        assert_null(rps_law_find(e->role, e->name));                   /* a law that is here needs no translation */
        assert_ptr_equal(rps_law_elsewhere_find(e->role, e->name), e); /* no earlier line hides it */
    }
    assert_true(count > 30);
}

static void test_spelling(void **state) {
    (void)state;
    const char *const same[] = {"mindlin/force", "Mindlin_Force", "mindlin force", "MINDLIN-FORCE"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        const rps_law_elsewhere *e = rps_law_elsewhere_find(RPS_ROLE_SLIDE, same[k]);
        assert_non_null(e);
        assert_string_equal(e->here, "is `mindlin`");
    }
    const char *const others[] = {"", "/", "mindlin/forc", "mindlin/forces", "\xc3\xa9psd", "film"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_null(rps_law_elsewhere_find(RPS_ROLE_SLIDE, others[k]));
    assert_null(rps_law_elsewhere_find(RPS_ROLE_ROLL, "mindlin/force"));
}

static void test_refusals(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    rps_error err;
    assert_int_equal(rps_pair_law(&pair, RPS_ROLE_ROLL, "cdt", &err), RPS_BAD_INPUT);
    assert_string_equal(err.text, "there is no roll law \"cdt\": `cdt` of LIGGGHTS is `constant_torque` here");
    assert_int_equal(rps_pair_law(&pair, RPS_ROLE_ROLL, "hertz", &err), RPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "expected one of"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_spelling),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
