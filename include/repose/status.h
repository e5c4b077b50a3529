/* Errors are values. Every function that can fail returns an rps_status and takes `rps_error *err`, which may be
 * NULL, as its last argument. On failure *err holds one or more sentences: what failed, where, what was expected,
 * what to do. On success *err is unchanged. */
#ifndef REPOSE_STATUS_H
#define REPOSE_STATUS_H

/* Needed by every public declaration: visibility outside the shared library, which is built with everything else
 * hidden, C linkage for C++, and checked printf formats. */
#if defined(__GNUC__)
#define RPS_API __attribute__((visibility("default")))
#define RPS_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define RPS_API
#define RPS_PRINTF(format_index, first_argument)
#endif

#ifdef __cplusplus
#define RPS_BEGIN_DECLS extern "C" {
#define RPS_END_DECLS }
#else
#define RPS_BEGIN_DECLS
#define RPS_END_DECLS
#endif

RPS_BEGIN_DECLS

/* One line per status: name, meaning. */
#define RPS_STATUS_LIST(X)                                                      \
    X(OK, "success")                                                            \
    X(BAD_INPUT, "an argument, a scene or a file says something impossible")    \
    X(NO_MEMORY, "an allocation failed or a size does not fit into memory")     \
    X(IO_ERROR, "the operating system or a file library refused an operation")  \
    X(GUARD, "a guard stopped the run because its result would be meaningless") \
    X(UNSUPPORTED, "a legal request that this build or machine cannot serve")   \
    X(STOPPED, "the caller asked for the run to stop")                          \
    X(INTERNAL, "the library broke one of its own rules; please report it")     \
    X(NO_VALUE, "what was asked for exists but has no value now")

#define RPS_STATUS_ENTRY(name, meaning) RPS_##name,
typedef enum rps_status { RPS_STATUS_LIST(RPS_STATUS_ENTRY) RPS_STATUS_COUNT } rps_status;
#undef RPS_STATUS_ENTRY

/* The status of the failure and its text (zero-terminated; truncated if it does not fit). */
typedef struct rps_error {
    rps_status status;
    char text[2048];
} rps_error;

/* The name without prefix ("BAD_INPUT") and the meaning, static text; "UNKNOWN" for an invalid status. */
RPS_API const char *rps_status_name(rps_status status);
RPS_API const char *rps_status_meaning(rps_status status);

/* Fills *err (unless NULL) with the status and the formatted sentence, and returns the status. For the prepare
 * function of a user-defined law (law.h). Arguments may point into err->text. */
RPS_API rps_status rps_fail(rps_error *err, rps_status status, const char *fmt, ...) RPS_PRINTF(3, 4);

RPS_END_DECLS

#endif
