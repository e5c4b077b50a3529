/*
 * The law that does nothing, for a role that a scene turns off by writing `none`. Its loads stay 0.
 */
#ifndef RPS_LAW_NONE_H
#define RPS_LAW_NONE_H

#include <repose/law_kernel.h>

/* Clears what the role would write. */
static inline void rps_law_silence(const rps_batch *b, rps_role role) {
    RPS_AS(dissipated, b->dissipated[role]);
    RPS_AS(energy, b->energy[role]);
    RPS_AS(elastic, b->elastic[role]);
    RPS_AS(mode, b->mode[role][0]);
    RPS_AS(mode_j, b->mode[role][1]);
    RPS_EACH_CONTACT(c) {
        dissipated[c] = energy[c] = elastic[c] = mode[c] = mode_j[c] = 0.0;
    }
    double *const *tangent[2] = {role == RPS_ROLE_SLIDE  ? b->slide_force
                                 : role == RPS_ROLE_ROLL ? b->roll_torque_i
                                                         : NULL,
                                 role == RPS_ROLE_ROLL ? b->roll_torque_j : NULL};
    for (int which = 0; which < 2; which++) {
        for (int k = 0; k < 3 && tangent[which]; k++) {
            RPS_AS(load, tangent[which][k]);
            RPS_EACH_CONTACT(c) {
                load[c] = 0.0;
            }
        }
    }
    if (role == RPS_ROLE_DAMPING || role == RPS_ROLE_SPIN) {
        RPS_AS(load, role == RPS_ROLE_DAMPING ? b->damping_load : b->spin_torque);
        RPS_EACH_CONTACT(c) {
            load[c] = 0.0;
        }
    }
}

#define RPS_LAW_NONE(symbol, kernel_name, the_role) \
    RPS_KERNEL(kernel_name) {                       \
        (void)constant;                             \
        rps_law_silence(b, the_role);               \
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
/* No threshold; of damping nothing is lost in an impact, as the law of no dashpot has it. */
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
