/* The experiments of the audit on bonds: two bodies are put where the motion takes them, and the bond follows. */
#ifndef RPS_RUN_AUDIT_BONDS_H
#define RPS_RUN_AUDIT_BONDS_H

#include <repose/bond.h>

#include "run/audit_trials.h"

/* Runs all of them. */
rps_status rps_audit_try_bond(const rps_bond_law *law, const audit_report *report, rps_error *err);

#endif
