/* The C library has the C locale built in: newlocale does not allocate for it. */
#include "base/c_locale.h"

#include <stdio.h>
#include <string.h>

rps_c_locale rps_c_locale_enter(void) {
    rps_c_locale inside = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (inside.own) {
        inside.before = uselocale(inside.own);
    }
    return inside;
}

void rps_c_locale_leave(rps_c_locale inside) {
    if (inside.own) {
        uselocale(inside.before);
        freelocale(inside.own);
    }
}

int rps_vsnprintf(char *out, size_t capacity, const char *fmt, va_list args) {
    const rps_c_locale inside = rps_c_locale_enter();
    const int length = vsnprintf(out, capacity, fmt, args);
    rps_c_locale_leave(inside);
    return length;
}

int rps_snprintf(char *out, size_t capacity, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const int length = rps_vsnprintf(out, capacity, fmt, args);
    va_end(args);
    return length;
}

const char *rps_system_error(int number, char out[RPS_SYSTEM_ERROR]) {
    const rps_c_locale inside = rps_c_locale_enter();
    if (strerror_r(number, out, RPS_SYSTEM_ERROR) != 0) {
        snprintf(out, RPS_SYSTEM_ERROR, "error %d", number);
    }
    rps_c_locale_leave(inside);
    return out;
}
