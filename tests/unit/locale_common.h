/* A locale with a decimal comma, made by the test, so that none needs to be installed. */
#ifndef TESTS_UNIT_LOCALE_COMMON_H
#define TESTS_UNIT_LOCALE_COMMON_H

#include <stdbool.h>

/* Makes the locale and sets it for the process; fails the test if it cannot. */
void comma_locale_set(void);
/* Back to the C locale, and the files of the other one are removed. */
void comma_locale_drop(void);

/* Does printf write a comma in the calling thread? */
bool comma_is_written(void);

#endif
