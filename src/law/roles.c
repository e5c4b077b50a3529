/* Tables of the roles of laws, made from role_list.inc. */
#include "law/roles.h"

bool rps_role_stores(rps_role role) {
    static const bool stores[RPS_ROLE_COUNT] = {
#define RPS_ROLE_STORES(symbol, name, energy) [RPS_ROLE_##symbol] = true,
#define RPS_ROLE_STORES_AS(symbol, name, other) [RPS_ROLE_##symbol] = true,
#include <repose/role_list.inc>
    };
    return stores[role];
}

rps_role rps_role_stores_as(rps_role role) {
    static const signed char as[RPS_ROLE_COUNT] = {
#define RPS_ROLE_STORES_AS(symbol, name, other) [RPS_ROLE_##symbol] = RPS_ROLE_##other + 1,
#include <repose/role_list.inc>
    };
    return as[role] > 0 ? (rps_role)(as[role] - 1) : role;
}

bool rps_role_tells_elastic(rps_role role) {
    static const bool tells[RPS_ROLE_COUNT] = {
#define RPS_ROLE_ELASTIC(symbol, name, load, unit, meaning) [RPS_ROLE_##symbol] = true,
#include <repose/role_list.inc>
    };
    return tells[role];
}

int rps_role_account(rps_role role) {
    static const signed char one_more[RPS_ROLE_COUNT] = {
#define RPS_ROLE_ACCOUNT(symbol, name, energy) [RPS_ROLE_##symbol] = RPS_ACCOUNT_##symbol + 1,
#define RPS_ROLE_COUNTS_AS(symbol, name, other) [RPS_ROLE_##symbol] = RPS_ACCOUNT_##other + 1,
#include <repose/role_list.inc>
    };
    return one_more[role] - 1;
}

bool rps_role_dissipates(rps_role role) {
    const int account = rps_role_account(role);
    return account >= 0 && rps_account_role(account) == role;
}

int rps_role_modes(rps_role role) {
    int modes = 0;
    for (int bit = RPS_MODE_EXISTS + 1; bit < RPS_MODES; bit++) modes += rps_mode_place_of(bit).role == (int)role;
    return modes;
}
