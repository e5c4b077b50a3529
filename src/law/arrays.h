/*
 * The arrays of a batch (batch_arrays.inc) and the roles (role_list.inc) as tables: which role writes which array,
 * and a check that the declarations of a law agree.
 */
#ifndef RPS_LAW_ARRAYS_H
#define RPS_LAW_ARRAYS_H

#include <stdbool.h>

#include <repose/law.h>

typedef struct rps_array_info {
    const char *name;
    int count;     /* number of consecutive arrays; accounts: 1 per role */
    int writer;    /* role whose laws write it; RPS_ROLE_COUNT: only the engine */
    bool account;  /* one for each role */
    size_t offset; /* in rps_batch, of the first pointer */
} rps_array_info;
extern const rps_array_info rps_array_table[RPS_ARRAY_COUNT];

/* Arrays that laws of a role may write; the engine clears those that a law does not write. */
uint64_t rps_role_outputs(rps_role role);
/* Whether a role has elastic energy and its own dissipation in the ledger. Dissipation of normal laws counts as
 * damping. */
bool rps_role_stores(rps_role role);
bool rps_role_dissipates(rps_role role);
/* Largest number of stick/slip states of laws of a role: 0, 1 or 2. */
int rps_role_modes(rps_role role);

/* Whether a law has no kernel to call: it reads, writes and stores nothing, like `none`. */
bool rps_law_is_idle(const rps_law *law);

/* The first parameter of a kind; -1: none. */
int rps_law_parameter_of(const rps_law *law, rps_parameter_kind kind);

/* RPS_BAD_INPUT if .reads, .writes, .modes or .memory are impossible for a law of its role. */
rps_status rps_law_check_arrays(const rps_law *law, rps_error *err);

#endif
