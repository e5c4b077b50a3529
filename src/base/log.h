/* Formats a message for the caller's log callback. */
#ifndef RPS_BASE_LOG_H
#define RPS_BASE_LOG_H

#include <repose/log.h>

/* Formats and calls fn(ctx, level, text); does nothing if fn is NULL. Text beyond 1023 bytes is cut. */
void rps_log_write(rps_log_fn fn, void *ctx, int level, const char *fmt, ...) RPS_PRINTF(4, 5);

#endif
