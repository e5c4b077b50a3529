/*
 * The roles of laws as numbers and questions, made from role_list.inc: bits of the mode of a contact, accounts of
 * dissipated energy, stored energies.
 */
#ifndef RPS_LAW_ROLES_H
#define RPS_LAW_ROLES_H

#include <stdbool.h>

#include <repose/law.h>

/* Bits of the mode of a contact: that it exists, then one for each stick/slip state, set if it slips. */
enum {
    RPS_MODE_EXISTS,
#define RPS_ROLE_MODE(symbol, name, meaning) RPS_MODE_##symbol,
#define RPS_ROLE_MODE_J(symbol, name) RPS_MODE_##symbol##_J,
#include <repose/role_list.inc>
    RPS_MODES
};
_Static_assert(RPS_MODES < 32, "the mode of a contact is read as an int");

/* The role and body of a stick/slip state, by the number of its bit; bit 0 has none. */
typedef struct rps_mode_place {
    unsigned char role, body; /* body: 0 i, 1 j */
} rps_mode_place;
static inline rps_mode_place rps_mode_place_of(int bit) {
    static const rps_mode_place place[RPS_MODES] = {
#define RPS_ROLE_MODE(symbol, name, meaning) [RPS_MODE_##symbol] = {RPS_ROLE_##symbol, 0},
#define RPS_ROLE_MODE_J(symbol, name) [RPS_MODE_##symbol##_J] = {RPS_ROLE_##symbol, 1},
#include <repose/role_list.inc>
    };
    return place[bit];
}

/* Accounts of dissipated energy. */
enum {
#define RPS_ROLE_ACCOUNT(symbol, name, energy) RPS_ACCOUNT_##symbol,
#include <repose/role_list.inc>
    RPS_ACCOUNTS
};
/* The role that names an account. */
static inline rps_role rps_account_role(int account) {
    static const unsigned char role[RPS_ACCOUNTS] = {
#define RPS_ROLE_ACCOUNT(symbol, name, energy) [RPS_ACCOUNT_##symbol] = RPS_ROLE_##symbol,
#include <repose/role_list.inc>
    };
    return (rps_role)role[account];
}

/* Stored energies. */
enum {
#define RPS_ROLE_STORES(symbol, name, energy) RPS_STORED_##symbol,
#include <repose/role_list.inc>
    RPS_STORED
};
/* The role that stores it. */
static inline rps_role rps_stored_role(int stored) {
    static const unsigned char role[RPS_STORED] = {
#define RPS_ROLE_STORES(symbol, name, energy) [RPS_STORED_##symbol] = RPS_ROLE_##symbol,
#include <repose/role_list.inc>
    };
    return (rps_role)role[stored];
}

/* Whether a pair may leave the role out; then it has the law `none`, of which nothing tells. */
static inline bool rps_role_is_optional(rps_role role) {
    return role == RPS_ROLE_BRIDGE;
}
/* Whether laws of a role may store energy, and may tell the elastic part of their load. */
bool rps_role_stores(rps_role role);
/* The role under whose name that energy is told. */
rps_role rps_role_stores_as(rps_role role);
bool rps_role_tells_elastic(rps_role role);
/* The account in which the energy that laws of a role dissipate is recorded; -1: they dissipate none. */
int rps_role_account(rps_role role);
/* Whether that account has the name of the role. */
bool rps_role_dissipates(rps_role role);
/* Largest number of stick/slip states of laws of a role: 0, 1 or 2. */
int rps_role_modes(rps_role role);
/* The law `none` of a role; NULL for the normal role, which every pair has. */
const rps_law *rps_role_none(rps_role role);

#endif
