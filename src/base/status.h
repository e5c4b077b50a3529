/* Helpers that create errors; rps_fail is public, because user-defined laws need it too. */
#ifndef RPS_BASE_STATUS_H
#define RPS_BASE_STATUS_H

#include <repose/status.h>

/* Puts context in front of the text of an error: "scene.yaml:12: " ... Does nothing for NULL. Arguments may point into
 * err->text. */
void rps_error_prefix(rps_error *err, const char *fmt, ...) RPS_PRINTF(2, 3);

/* A static analyzer sees one file at a time and would assume that the result of a failure may be a success. */
#ifdef __clang_analyzer__
#define rps_fail(err, status, ...) (rps_fail(err, status, __VA_ARGS__), status)
#endif

/* Leaves the calling function with the status of expr unless it is RPS_OK. */
#define RPS_TRY(expr)                        \
    do {                                     \
        rps_status rps_try_status_ = (expr); \
        if (rps_try_status_ != RPS_OK) {     \
            return rps_try_status_;          \
        }                                    \
    } while (0)

/* Refuses NULL for an argument that a public function needs; for functions with an argument `err`. */
#define RPS_GIVEN(argument)                                                                                         \
    do {                                                                                                            \
        if (!(argument)) return rps_fail(err, RPS_BAD_INPUT, "%s: the argument `%s` is NULL", __func__, #argument); \
    } while (0)

#endif
