/*
 * Laws in a shared library of their own, which scenes name by `laws: {file: mylaw.so}`. Such a file includes this header
 * alone, states its laws as law.h describes, ends with RPS_LAW_FILE(&first, &second) and is linked with nothing but libm:
 *
 *     cc -std=c17 -O2 -ffp-contract=off -fPIC -shared mylaw.c -o mylaw.so -lm
 *
 * Without -ffp-contract=off some processors would round differently from others.
 */
#ifndef REPOSE_LAW_FILE_H
#define REPOSE_LAW_FILE_H

#include <stdarg.h>
#include <stdio.h>

#include <repose/law_kernel.h>

/* Changes where this header or the meaning of a descriptor does. */
#define RPS_LAW_FILE_FORMAT 1

/* The names of the arrays of a batch in their order, so that a file that was compiled with other headers is told apart. */
#define RPS_BATCH_INPUT(name, unit, meaning) #name " "
#define RPS_BATCH_INPUTS(name, number, unit, meaning) #name "*" #number " "
#define RPS_BATCH_LOAD(name, role, unit, meaning) #name " "
#define RPS_BATCH_LOADS(name, number, role, unit, meaning) #name "*" #number " "
#define RPS_BATCH_ACCOUNT(name, unit, meaning) #name " "
static const char rps_law_file_arrays[] =
#include <repose/batch_arrays.inc>
    ;
#undef RPS_BATCH_INPUT
#undef RPS_BATCH_INPUTS
#undef RPS_BATCH_LOAD
#undef RPS_BATCH_LOADS
#undef RPS_BATCH_ACCOUNT

/* The one symbol that a file of laws exports, `repose_law_file`. */
typedef struct rps_law_file {
    uint32_t format;
    uint32_t size[5];          /* of rps_law, rps_batch, rps_law_setup, rps_law_contact, rps_law_cone */
    const char *arrays;        /* rps_law_file_arrays */
    const rps_law *const *law; /* ends at NULL */
} rps_law_file;

#define RPS_LAW_FILE_SIZES \
    { sizeof(rps_law), sizeof(rps_batch), sizeof(rps_law_setup), sizeof(rps_law_contact), sizeof(rps_law_cone) }

/* Exports the laws at these addresses. rps_fail, the only function of the library that a law calls, comes with it: programs
 * and Python modules that load the file need not export theirs. */
#define RPS_LAW_FILE(...)                                                                                \
    RPS_BEGIN_DECLS                                                                                      \
    __attribute__((weak)) rps_status rps_fail(rps_error *err, rps_status status, const char *fmt, ...) { \
        char text[sizeof err->text];                                                                     \
        va_list args;                                                                                    \
        va_start(args, fmt);                                                                             \
        vsnprintf(text, sizeof text, fmt, args);                                                         \
        va_end(args);                                                                                    \
        for (size_t k = 0; err && k < sizeof text; k++) err->text[k] = text[k];                          \
        if (err) err->status = status;                                                                   \
        return status;                                                                                   \
    }                                                                                                    \
    static const rps_law *const rps_laws_of_this_file[] = {__VA_ARGS__, NULL};                           \
    extern RPS_API const rps_law_file repose_law_file;                                                   \
    const rps_law_file repose_law_file = {RPS_LAW_FILE_FORMAT, RPS_LAW_FILE_SIZES, rps_law_file_arrays,  \
                                          rps_laws_of_this_file};                                        \
    RPS_END_DECLS

#endif
