/* The C locale for the calling thread alone. The host program may have set a locale with a decimal comma, which
 * affects printf, strtod and the parsers of other libraries. setlocale would change it for all threads. */
#ifndef RPS_BASE_C_LOCALE_H
#define RPS_BASE_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

#include <repose/status.h>

typedef struct rps_c_locale {
    locale_t own, before; /* own is 0 if the system has no memory for it; the locale then stays as it is */
} rps_c_locale;

/* Between the two the thread is in the C locale. They nest; no function of the program may be called in between. */
rps_c_locale rps_c_locale_enter(void);
void rps_c_locale_leave(rps_c_locale inside);

/* snprintf and vsnprintf in the C locale. All numbers with a point are formatted by these two, by rps_text_addf or by
 * rps_double_format (text.h); tests/unit/locale.sh holds the sources to it. */
int rps_snprintf(char *out, size_t capacity, const char *fmt, ...) RPS_PRINTF(3, 4);
int rps_vsnprintf(char *out, size_t capacity, const char *fmt, va_list args) RPS_PRINTF(3, 0);

enum { RPS_SYSTEM_ERROR = 128 };

/* The system's words for an errno, in English and safe for threads; returns `out`. */
const char *rps_system_error(int number, char out[RPS_SYSTEM_ERROR]);

#endif
