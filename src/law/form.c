/* Names of the roles, and the two predefined forms of a pair (symmetric, paper). */
#include <repose/law.h>

const char *rps_role_name(rps_role role) {
    static const char *const name_of[RPS_ROLE_COUNT] = {
#define RPS_ROLE(symbol, name, law) #name,
#include <repose/role_list.inc>
    };
    return (unsigned)role < RPS_ROLE_COUNT ? name_of[role] : "unknown";
}

rps_form rps_form_symmetric(void) {
    return (rps_form){
        .frame = RPS_FRAME_MID,
        .path = RPS_PATH_COMMON,
        .history = RPS_HISTORY_SHARED,
        .carry = RPS_CARRY_LENGTH,
        .damper = RPS_DAMPER_LIMITED,
        .damper_mass = RPS_DAMPER_MASS_EFFECTIVE,
        .cap_load = RPS_CAP_TOTAL,
        .arc = RPS_ARC_EXACT,
    };
}

rps_form rps_form_paper(void) {
    return (rps_form){
        .frame = RPS_FRAME_LOWER,
        .path = RPS_PATH_SURFACE,
        .history = RPS_HISTORY_PER_BODY,
        .carry = RPS_CARRY_ANGLE,
        .damper = RPS_DAMPER_FREE,
        .damper_mass = RPS_DAMPER_MASS_AVERAGE,
        .cap_load = RPS_CAP_TOTAL,
        .arc = RPS_ARC_CHORD,
    };
}
