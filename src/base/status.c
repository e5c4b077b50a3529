/* Names of statuses, and formatting of errors. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"

#undef rps_fail

#define NAME_ENTRY(name, meaning) #name,
#define MEANING_ENTRY(name, meaning) meaning,
static const char *const names[] = {RPS_STATUS_LIST(NAME_ENTRY)};
static const char *const meanings[] = {RPS_STATUS_LIST(MEANING_ENTRY)};

const char *rps_status_name(rps_status status) {
    return (unsigned)status < RPS_STATUS_COUNT ? names[status] : "UNKNOWN";
}

const char *rps_status_meaning(rps_status status) {
    return (unsigned)status < RPS_STATUS_COUNT ? meanings[status] : "no status of this library";
}

rps_status rps_fail(rps_error *err, rps_status status, const char *fmt, ...) {
    if (err) {
        /* Formatted separately, because arguments may point into err->text. */
        char text[sizeof err->text];
        va_list args;
        va_start(args, fmt);
        rps_vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        err->status = status;
        memcpy(err->text, text, sizeof text);
    }
    return status;
}

void rps_error_prefix(rps_error *err, const char *fmt, ...) {
    if (!err) {
        return;
    }
    char text[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    int length = rps_vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (length < 0) {
        return;
    }
    if ((size_t)length < sizeof text) {
        snprintf(text + length, sizeof text - (size_t)length, "%s", err->text);
    }
    memcpy(err->text, text, sizeof text);
}
