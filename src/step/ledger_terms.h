/* The terms of the energy ledger as a list, made from role_list.inc: for columns, reports and checks. */
#ifndef RPS_STEP_LEDGER_TERMS_H
#define RPS_STEP_LEDGER_TERMS_H

#include <stddef.h>

#include <repose/step.h>

typedef struct rps_ledger_term {
    const char *column;  /* of series.csv */
    const char *meaning; /* a noun phrase, as "energy stored by laws of slide" */
    double value;        /* J */
} rps_ledger_term;

enum { RPS_LEDGER_TERMS = 11 + 2 * RPS_ROLE_COUNT /* at most */ };

/* Fills the terms in the order of the columns and returns how many there are. Texts are static. */
size_t rps_ledger_terms(const rps_ledger *ledger, rps_ledger_term out[RPS_LEDGER_TERMS]);
/* Likewise the terms that are columns of series.csv: none without a ledger. The last columns exist in some worlds only:
 * the work of the shear in sheared cells, the energies of bonds where there are any. The other terms are for programs
 * that bring in energy or remove bodies, which a run never does. */
size_t rps_ledger_columns(const rps_world *world, const rps_ledger *ledger, rps_ledger_term out[RPS_LEDGER_TERMS]);

#endif
