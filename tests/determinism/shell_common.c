/* Commands of the system for the tests of this folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "io/file.h"
#include "shell.h"

void shell(const char *format, ...) {
    char command[4 * RPS_PATH];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    if (system(command) != 0) fail_msg("failed: %s", command);
}
