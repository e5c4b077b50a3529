/*
 * The law that does nothing, for a role that a scene turns off by writing `none`. Its loads stay 0.
 */
#ifndef RPS_LAW_NONE_H
#define RPS_LAW_NONE_H

#include <repose/law.h>

#define RPS_LAW_NONE(symbol, kernel_name, the_role)                                                                    \
    RPS_KERNEL(kernel_name) {                                                                                          \
        (void)b;                                                                                                       \
        (void)constant;                                                                                                \
    }                                                                                                                  \
    RPS_LAW_NONE_DESCRIPTOR(symbol, kernel_name, the_role)

#if RPS_LAW_DESCRIPTOR
#include "base/status.h"
static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup;
    (void)constant;
    (void)err;
    return RPS_OK;
}
#define RPS_LAW_NONE_DESCRIPTOR(symbol, kernel_name, the_role)                                                         \
    const rps_law symbol = {                                                                                           \
        .size = sizeof(rps_law),                                                                                       \
        .role = the_role,                                                                                              \
        .name = "none",                                                                                                \
        .summary = "no load",                                                                                          \
        .citation = "",                                                                                                \
        .prepare = prepare,                                                                                            \
        .kernel = RPS_LAW_KERNELS(kernel_name),                                                                        \
    };
#else
#define RPS_LAW_NONE_DESCRIPTOR(symbol, kernel_name, the_role)
#endif

#endif
