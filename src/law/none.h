/*
 * The null law, for a role that a scene turns off by `none`. It reads and writes nothing, so the engine does not call
 * it and clears the loads of its role.
 */
#ifndef RPS_LAW_NONE_H
#define RPS_LAW_NONE_H

#include <repose/law_kernel.h>

#define RPS_LAW_NONE(symbol, kernel_name, the_role) \
    RPS_KERNEL(kernel_name) {                       \
        (void)b;                                    \
        (void)constant;                             \
    }                                               \
    RPS_LAW_NONE_DESCRIPTOR(symbol, kernel_name, the_role)

#if RPS_LAW_DESCRIPTOR
#include "base/status.h"
static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup;
    (void)constant;
    (void)err;
    return RPS_OK;
}
/* Threshold 0; without damping the restitution is 1. */
static void none_cone(const double *constant, const rps_law_contact *contact, rps_law_cone *cone) {
    (void)constant;
    (void)contact;
    (void)cone;
}
#define RPS_LAW_NONE_DESCRIPTOR(symbol, kernel_name, the_role) \
    const rps_law symbol = {                                   \
        .size = sizeof(rps_law),                               \
        .role = the_role,                                      \
        .name = "none",                                        \
        .summary = "no load",                                  \
        .citation = "",                                        \
        .prepare = prepare,                                    \
        .cone = none_cone,                                     \
        .kernel = RPS_LAW_KERNELS(kernel_name),                \
    };
#else
#define RPS_LAW_NONE_DESCRIPTOR(symbol, kernel_name, the_role)
#endif

#endif
