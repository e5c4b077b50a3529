/* Grains on a floor, through the public interface only, for tests that step worlds and count contacts. */
#ifndef TESTS_UNIT_CONTACTS_COMMON_H
#define TESTS_UNIT_CONTACTS_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <repose/step.h>

/* Fails the test with the message of the error; `err` is the caller's. */
#define OK(call)                      \
    do {                              \
        rps_status status_ = (call);  \
        if (status_ != RPS_OK) {      \
            fail_msg("%s", err.text); \
        }                             \
    } while (0)

/* A world of material 0 "grain", 2500 kg/m^3, with contacts that are only linear springs of this stiffness, N/m; body
 * 0 is a floor at z = 0. */
rps_world *contacts_world(const rps_world_options *options, double stiffness);

#endif
