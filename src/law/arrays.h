/*
 * The arrays of a batch (batch_arrays.inc) as a table: which role writes which array, and a check that the
 * declarations of a law agree.
 */
#ifndef RPS_LAW_ARRAYS_H
#define RPS_LAW_ARRAYS_H

#include "law/roles.h"

typedef struct rps_array_info {
    const char *name;
    int count;     /* number of consecutive arrays; accounts: 1 per role */
    int writer;    /* role whose laws write it; RPS_ROLE_COUNT: only the engine */
    bool account;  /* one for each role */
    size_t offset; /* in rps_batch, of the first pointer */
} rps_array_info;
extern const rps_array_info rps_array_table[RPS_ARRAY_COUNT];

/* Loads that turn bodies. */
#define RPS_TORQUES (RPS_ARRAY(roll_torque_i) | RPS_ARRAY(roll_torque_j) | RPS_ARRAY(spin_torque))

/* Arrays that laws of a role may write; the engine clears those that a law does not write. */
uint64_t rps_role_outputs(rps_role role);
/* Whether a law has no kernel to call: it reads, writes and stores nothing, like `none`. */
bool rps_law_is_idle(const rps_law *law);

/* The first parameter of a kind; -1: none. */
int rps_law_parameter_of(const rps_law *law, rps_parameter_kind kind);

/* RPS_BAD_INPUT if .reads, .writes, .modes or .memory are impossible for a law of its role. */
rps_status rps_law_check_arrays(const rps_law *law, rps_error *err);

#endif
