/* The terms of the energy ledger as a list, made from role_list.inc: for columns, reports and checks. */
#ifndef RPS_STEP_LEDGER_TERMS_H
#define RPS_STEP_LEDGER_TERMS_H

#include <stddef.h>

#include <repose/step.h>

#include "law/roles.h"

/* The runs whose series.csv has a column for a term. */
typedef enum rps_ledger_use {
    RPS_LEDGER_ALL_RUNS,
    RPS_LEDGER_SHEARED_RUNS,
    RPS_LEDGER_BONDED_RUNS,
    RPS_LEDGER_IMMERSED_RUNS, /* whose scene has a fluid */
    RPS_LEDGER_FORCED_RUNS,   /* whose world has forces from outside */
    RPS_LEDGER_MESHED_RUNS,
    RPS_LEDGER_DRAINED_RUNS, /* whose scene removes bodies */
    RPS_LEDGER_CHANGED_RUNS, /* whose scene changes laws, or holds or releases bodies */
    RPS_LEDGER_NO_RUN        /* for programs that bring in energy */
} rps_ledger_use;

typedef struct rps_ledger_term {
    const char *column;  /* of series.csv */
    const char *meaning; /* a noun phrase, as "energy stored by laws of slide" */
    double value;        /* J */
    rps_ledger_use use;
} rps_ledger_term;

enum { RPS_LEDGER_TERMS = 18 + RPS_STORED + RPS_ACCOUNTS };

/* Fills the terms and returns how many there are. Texts are static. */
size_t rps_ledger_terms(const rps_ledger *ledger, rps_ledger_term out[RPS_LEDGER_TERMS]);
/* The deeds of a scene that have columns of their own. */
typedef struct rps_ledger_scene {
    bool removes, changes; /* bodies; laws, materials or kinds of bodies */
    bool immersed;         /* it has a fluid at some time */
} rps_ledger_scene;
/* Those that are columns of series.csv in a run of the world: none without a ledger. */
size_t rps_ledger_columns(const rps_world *world, rps_ledger_scene scene, const rps_ledger *ledger,
                          rps_ledger_term out[RPS_LEDGER_TERMS]);

#endif
