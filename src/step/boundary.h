/*
 * Loads and accounts of fixed and driven bodies. Their contacts may be spread over all workers, so they are summed
 * exactly (base/exact_sum.h): the result depends neither on the order nor on the partition of the contacts.
 */
#ifndef RPS_STEP_BOUNDARY_H
#define RPS_STEP_BOUNDARY_H

#include "world/world.h"

/* N and N m about its centre: the sums over all contacts of the body in a slot, each component rounded once. */
void rps_boundary_load(const rps_load_rows *contacts, size_t slot, rps_vec3 *force, rps_vec3 *torque);
/* The same without rounding: adds force and torque to six sums. */
void rps_boundary_add(const rps_load_rows *contacts, size_t slot, rps_exact_sum sum[6]);
/* Adds the part of the energy that its contacts dissipated in the last evaluation that this body records
 * (segment.h). */
void rps_boundary_account(const rps_load_rows *contacts, size_t slot, rps_exact_sum account[RPS_ACCOUNTS]);

/* Accounts of one worker: sets them to zero, and adds them to those of all. */
void rps_accounts_clear(rps_exact_sum account[RPS_ACCOUNTS]);
void rps_accounts_merge(rps_exact_sum to[RPS_ACCOUNTS], const rps_exact_sum account[RPS_ACCOUNTS]);

#endif
