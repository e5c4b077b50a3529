/* Shared by the tests of results: a directory of their own, and whole files as text. */
#ifndef TESTS_UNIT_IO_COMMON_H
#define TESTS_UNIT_IO_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"

/* A fresh directory below TMPDIR, and its removal with all files in it. */
void make_directory(char path[RPS_PATH]);
void remove_directory(const char *path);

/* Content with a zero behind it, from malloc. Fails the test if there is no such file. */
char *read_text(const char *directory, const char *name);

#endif
