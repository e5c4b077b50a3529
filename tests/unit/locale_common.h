/* A locale with a decimal comma, created by the test, so that none needs to be installed. */
#ifndef TESTS_UNIT_LOCALE_COMMON_H
#define TESTS_UNIT_LOCALE_COMMON_H

#include <stdbool.h>

/* Creates the locale and sets it for the process; fails the test if it cannot. */
void comma_locale_set(void);
/* Restores the C locale and removes the files of the other one. */
void comma_locale_drop(void);

/* True if printf writes a decimal comma in the calling thread. */
bool comma_is_written(void);

#endif
