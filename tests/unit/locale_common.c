/* localedef compiles the test's own definition: a decimal comma, and a point between groups of three digits. It warns
 * of missing categories and uses those of the POSIX locale. */
#include "locale_common.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io_common.h"

static const char definition[] = "comment_char %\n"
                                 "escape_char /\n"
                                 "LC_NUMERIC\n"
                                 "decimal_point \",\"\n"
                                 "thousands_sep \".\"\n"
                                 "grouping 3;3\n"
                                 "END LC_NUMERIC\n";

static char folder[RPS_PATH];

void comma_locale_set(void) {
    char path[RPS_PATH + 16], command[4 * RPS_PATH];
    make_directory(folder);
    snprintf(path, sizeof path, "%s/definition", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(definition, file) >= 0);
    assert_int_equal(fclose(file), 0);
    /* fails by its warnings; whether the locale is there is seen below */
    snprintf(command, sizeof command, "localedef -c -i '%s' '%s/comma' >'%s/log' 2>&1", path, folder, folder);
    (void)!system(command);
    assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    if (!setlocale(LC_ALL, "comma")) fail_msg("localedef made no locale; it said:\n%s", read_text(folder, "log"));
    assert_true(comma_is_written());
}

void comma_locale_drop(void) {
    char command[RPS_PATH + 16];
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

bool comma_is_written(void) {
    char text[16];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") == 0;
}
