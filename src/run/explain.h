/* Shared by the files of rps_explain: text for people, piece by piece, written by a function of the caller. */
#ifndef RPS_RUN_EXPLAIN_H
#define RPS_RUN_EXPLAIN_H

#include "run/run_state.h"

typedef struct rps_explain_sink {
    rps_write_fn write;
    void *context;
} rps_explain_sink;

/* A formatted piece of at most 1023 bytes (explain.c). */
void rps_explain_print(rps_explain_sink *to, const char *fmt, ...) RPS_PRINTF(2, 3);

/* A number as people read it, six digits. */
#define NUMBER "%.6g"

/* The accuracy of the step, the depth of overlaps, and what the run will cost (explain_impact.c). */
void rps_explain_impact(rps_explain_sink *to, const rps_run_state *run);

#endif
