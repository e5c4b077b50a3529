/* Formatting for the log callback. */
#include "base/log.h"

#include <stdarg.h>

#include "base/c_locale.h"

void rps_log_write(rps_log_fn fn, void *ctx, int level, const char *fmt, ...) {
    if (!fn) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fn(ctx, level, text);
}
