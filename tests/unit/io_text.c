/* The small files of a run: series are read back bit for bit, JSON is valid, files are replaced atomically, and
 * errors name path, cause and remedy. */
#include "io_common.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/csv.h"
#include "io/json.h"

static char directory[RPS_PATH];

static int set_up(void **state) {
    (void)state;
    make_directory(directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_directory(directory);
    return 0;
}

static void test_csv(void **state) {
    (void)state;
    const char *name[] = {"time", "slip", "mode"}, *unit[] = {"s", "m", "1"};
    const double row[][3] = {{0.0, 1.0 / 3, 0.0}, {0.1 + 0.2, -1e-300, 1.0}, {5e-324, NAN, INFINITY}};
    char path[RPS_PATH];
    rps_path_join(path, directory, "series.csv", NULL);
    rps_csv csv;
    rps_error err;
    rps_csv_init(&csv, NULL);
    assert_int_equal(rps_csv_open(&csv, path, name, unit, 3, &err), RPS_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(rps_csv_row(&csv, row[k], "", &err), RPS_OK);
        /* Every row is with the system at once: a reader sees k + 1 rows and the header, each ended. */
        char *text = read_text(directory, "series.csv");
        int lines = 0;
        for (char *c = text; *c; c++) {
            lines += *c == '\n';
        }
        assert_int_equal(lines, k + 2);
        assert_int_equal(text[strlen(text) - 1], '\n');
        free(text);
    }
    assert_int_equal(rps_csv_close(&csv, &err), RPS_OK);

    char *text = read_text(directory, "series.csv"), *at = text;
    assert_memory_equal(at, "time [s],slip [m],mode\n", 23);
    at += 23;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            char *end = at;
            double value = *at == ',' || *at == '\n' ? NAN : strtod(at, &end);
            if (isnan(row[k][i])) {
                assert_true(isnan(value)); /* an empty field */
            } else {
                assert_memory_equal(&value, &row[k][i], sizeof value);
            }
            assert_int_equal(*end, i < 2 ? ',' : '\n');
            at = end + 1;
        }
    }
    assert_int_equal(*at, '\0');
    free(text);
}

/* A strict JSON validator for one value; returns the text after it, NULL if it is invalid. */
static const char *after_blanks(const char *c) {
    return c + strspn(c, " \n");
}

static const char *json_value(const char *c);

static const char *json_text(const char *c) {
    if (*c++ != '"') return NULL;
    for (; *c != '"'; c++) {
        if ((unsigned char)*c < 0x20) return NULL;
        if (*c == '\\') {
            c++;
            if (*c == 'u') {
                if (strspn(c + 1, "0123456789abcdefABCDEF") < 4) return NULL;
                c += 4;
            } else if (!strchr("\"\\/bfnrt", *c) || !*c) {
                return NULL;
            }
        }
    }
    return c + 1;
}

static const char *json_list(const char *c, char end) {
    c = after_blanks(c + 1);
    if (*c == end) return c + 1;
    for (;; c++) {
        c = after_blanks(c);
        if (end == '}') {
            c = json_text(c);
            if (!c || *after_blanks(c) != ':') return NULL;
            c = after_blanks(c) + 1;
        }
        c = json_value(after_blanks(c));
        if (!c) return NULL;
        c = after_blanks(c);
        if (*c == end) return c + 1;
        if (*c != ',') return NULL;
    }
}

static const char *json_value(const char *c) {
    const char *const word[] = {"true", "false", "null"};
    for (int k = 0; k < 3; k++) {
        if (strncmp(c, word[k], strlen(word[k])) == 0) return c + strlen(word[k]);
    }
    if (*c == '{') return json_list(c, '}');
    if (*c == '[') return json_list(c, ']');
    if (*c == '"') return json_text(c);
    char *end;
    if (!strchr("-0123456789", *c) || !*c) return NULL;
    strtod(c, &end);
    return end;
}

static void test_json(void **state) {
    (void)state;
    assert_null(json_value("{\"a\" 1}")); /* the reader of this test does find faults */
    assert_null(json_value("[1, 2,]"));
    assert_null(json_value("\"a\nb\""));
    rps_json json;
    rps_json_init(&json, NULL);
    rps_json_open(&json, NULL, '{', false);
    rps_json_string(&json, "te\"xt", "a\\b\"c\nd\te\x01");
    rps_json_open(&json, "empty", '[', false);
    rps_json_close(&json, ']');
    rps_json_open(&json, "line", '[', true);
    rps_json_number(&json, NULL, 0.1 + 0.2);
    rps_json_number(&json, NULL, NAN);
    rps_json_number(&json, NULL, -INFINITY);
    rps_json_integer(&json, NULL, UINT64_MAX);
    rps_json_open(&json, NULL, '{', false);
    rps_json_boolean(&json, "yes", true);
    rps_json_string(&json, "none", NULL);
    rps_json_close(&json, '}');
    rps_json_close(&json, ']');
    rps_json_close(&json, '}');
    char path[RPS_PATH];
    rps_error err;
    rps_path_join(path, directory, "a.json", NULL);
    assert_int_equal(rps_json_save(&json, path, &err), RPS_OK);
    rps_json_release(&json);
    char *text = read_text(directory, "a.json");
    const char *end = json_value(text);
    assert_non_null(end);
    assert_string_equal(after_blanks(end), "");
    assert_string_equal(text, "{\n  \"te\\\"xt\": \"a\\\\b\\\"c\\nd\\u0009e\\u0001\",\n  \"empty\": [],\n"
                              "  \"line\": [0.30000000000000004, null, null, 18446744073709551615, "
                              "{\"yes\": true, \"none\": null}]\n}\n");
    free(text);
}

static void test_errors_name_path_cause_and_remedy(void **state) {
    (void)state;
    rps_error err;
    assert_int_equal(rps_file_replace("/proc/none/at/all.json", "x", 1, &err), RPS_IO_ERROR);
    assert_non_null(strstr(err.text, "/proc/none/at/all.json"));
    assert_non_null(strstr(err.text, "No such file or directory"));
    assert_non_null(strstr(err.text, "check the spelling"));

    rps_csv csv;
    const char *name[] = {"time"}, *unit[] = {"s"};
    rps_csv_init(&csv, NULL);
    assert_int_equal(rps_csv_open(&csv, "/dev/full", name, unit, 1, &err), RPS_IO_ERROR);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_non_null(strstr(err.text, "No space left"));
    assert_non_null(strstr(err.text, "free some space"));
    rps_csv_close(&csv, NULL);

    char file[RPS_PATH], below[RPS_PATH];
    rps_path_join(file, directory, "file", NULL);
    assert_int_equal(rps_file_replace(file, "x", 1, &err), RPS_OK);
    rps_path_join(below, file, "directory", NULL);
    assert_int_equal(rps_directory_make(below, &err), RPS_IO_ERROR);
    assert_non_null(strstr(err.text, file));
}

static void test_directory(void **state) {
    (void)state;
    char beyond_guard[RPS_PATH], middle[RPS_PATH];
    rps_error err;
    rps_path_join(middle, directory, "a", NULL);
    rps_path_join(beyond_guard, middle, "b/", NULL);
    assert_int_equal(rps_directory_make(beyond_guard, &err), RPS_OK);
    assert_true(rps_is_directory(beyond_guard));
    assert_int_equal(rps_directory_make(beyond_guard, &err), RPS_OK); /* again is fine */
    rmdir(beyond_guard);
    rmdir(middle);
}

/* An incomplete write leaves the old file and no part of a new one. */
static void test_replace_is_whole(void **state) {
    (void)state;
    char path[RPS_PATH], big[8192];
    rps_error err;
    memset(big, 'x', sizeof big);
    rps_path_join(path, directory, "whole.txt", NULL);
    assert_int_equal(rps_file_replace(path, "old", 3, &err), RPS_OK);
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    rps_status status = rps_file_replace(path, big, sizeof big, &err);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(status, RPS_IO_ERROR);
    assert_non_null(strstr(err.text, "File too large"));
    char *text = read_text(directory, "whole.txt");
    assert_string_equal(text, "old");
    free(text);
    char part[RPS_PATH];
    rps_path_join(part, directory, "whole.txt.part", NULL);
    assert_false(rps_file_exists(part));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_errors_name_path_cause_and_remedy),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_replace_is_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
