/* The library never prints; messages other than errors go to a callback of the caller. */
#ifndef REPOSE_LOG_H
#define REPOSE_LOG_H

#include <repose/status.h>

RPS_BEGIN_DECLS

enum { RPS_LOG_WARNING, RPS_LOG_INFO, RPS_LOG_DETAIL };

/* `text` is one message without a trailing newline; it is valid only during the call. */
typedef void (*rps_log_fn)(void *ctx, int level, const char *text);

RPS_END_DECLS

#endif
