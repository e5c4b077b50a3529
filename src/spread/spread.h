/*
 * One world on many processes: `repose-mpi run`.
 *
 * Process 0 runs the scene as `repose run` does (src/run). Steps are taken by all processes, each with a share of the world
 * (world/share.h); after a step that is observed the state comes to process 0, with the loads of contacts, for its probes and
 * writers. Before a step at which something comes or changes it comes there too; process 0 takes that step alone and then
 * deals the bodies again. So results, checkpoints and the state hash are those of one process, to the bit.
 *
 * All processes build the scene; process 0 holds the whole world beside its share.
 */
#ifndef RPS_SPREAD_SPREAD_H
#define RPS_SPREAD_SPREAD_H

#include <stdio.h>

#include <repose/run.h>

#include "spread/route.h"

typedef struct rps_spread_options {
    MPI_Comm comm;
    rps_route_kind owners;
    uint64_t deal_every; /* bodies are dealt again after so many steps at most; 0: when they have moved far enough */
    FILE *errors;        /* of this process */
    bool counts;         /* process 0 prints what was exchanged, to the standard error */
} rps_spread_options;

/* Runs a scene, as rps_run does; all processes call it with the same options. Process 0 has the summary, the callbacks and
 * the error; in others `summary` is zeroed, and they fail only together with process 0. Ends all processes, with a sentence
 * on the standard error, if one of them fails where the others cannot know. RPS_UNSUPPORTED, before the first step, names
 * what many processes cannot do. */
rps_status rps_spread_run(const rps_spread_options *spread, const rps_run_options *options, rps_run_summary *summary,
                          rps_error *err);

#endif
