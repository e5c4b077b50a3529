/*
 * The arrays of a batch (batch_arrays.inc) and the roles (role_list.inc) as tables: which role writes which array, and
 * whether the declarations of a law agree with that.
 */
#ifndef RPS_LAW_ARRAYS_H
#define RPS_LAW_ARRAYS_H

#include <stdbool.h>

#include <repose/law.h>

typedef struct rps_array_info {
    const char *name;
    int count;     /* of arrays in a row; accounts: 1 for each role */
    int writer;    /* role whose laws write it; RPS_ROLE_COUNT: the engine alone */
    bool account;  /* one for each role */
    size_t offset; /* in rps_batch, of the first pointer */
} rps_array_info;
extern const rps_array_info rps_array_table[RPS_ARRAY_COUNT];

/* Arrays that laws of a role may write, and that are cleared where they do not. */
uint64_t rps_role_outputs(rps_role role);
/* Does a role have an elastic energy in the ledger, and dissipation of its own? That of normal laws is booked with damping. */
bool rps_role_stores(rps_role role);
bool rps_role_dissipates(rps_role role);
/* Most of stick and slip that laws of a role may have: 0, 1 or 2. */
int rps_role_modes(rps_role role);

/* A law that has no kernel to call: it reads, writes and remembers nothing. `none` is such a law. */
bool rps_law_is_idle(const rps_law *law);

/* The first parameter of a kind; -1: none. */
int rps_law_parameter_of(const rps_law *law, rps_parameter_kind kind);

/* RPS_BAD_INPUT where .reads, .writes, .modes and .memory cannot be true of a law of its role. */
rps_status rps_law_check_arrays(const rps_law *law, rps_error *err);

#endif
