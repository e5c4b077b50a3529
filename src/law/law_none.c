/*
 * The null law of each role, for a pair that turns the role off by `none`. It reads and writes nothing, so the engine
 * does not call it and clears the loads of its role.
 */
#include "base/status.h"
#include "law/roles.h"

static void none_kernel(const rps_batch *b, const double *constant) {
    (void)b;
    (void)constant;
}

static rps_status none_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
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

const rps_law *rps_role_none(rps_role role) {
    static const rps_law none[RPS_ROLE_COUNT] = {
#define RPS_ROLE(symbol, role_name, law) \
    {.size = sizeof(rps_law),            \
     .role = RPS_ROLE_##symbol,          \
     .name = "none",                     \
     .summary = "no load",               \
     .citation = "",                     \
     .prepare = none_prepare,            \
     .cone = none_cone,                  \
     .kernel = {none_kernel, none_kernel, none_kernel}},
#include <repose/role_list.inc>
    };
    return role == RPS_ROLE_NORMAL ? NULL : &none[role];
}
