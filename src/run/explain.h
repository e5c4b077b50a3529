/* Shared by the files of rps_explain: readable text, passed piece by piece to a callback. */
#ifndef RPS_RUN_EXPLAIN_H
#define RPS_RUN_EXPLAIN_H

#include "run/run_state.h"

typedef struct rps_explain_sink {
    rps_write_fn write;
    void *context;
} rps_explain_sink;

/* Writes a formatted piece of at most 1023 bytes (explain.c). */
void rps_explain_print(rps_explain_sink *to, const char *fmt, ...) RPS_PRINTF(2, 3);

/* Readable number format, six digits. */
#define NUMBER "%.6g"

/* The accuracy of the step, the depth of overlaps, and the cost of the run (explain_impact.c). */
void rps_explain_impact(rps_explain_sink *to, const rps_run_state *run);

/* Adhesive pairs: pull-off force, reach, the theory that holds, and whether the step resolves the tear-off (explain_adhesion.c). */
void rps_explain_adhesion(rps_explain_sink *to, const rps_run_state *run, const rps_pair_setup *pair);
void rps_explain_bridges(rps_explain_sink *to, const rps_run_state *run, const rps_pair_setup *pair);

/* Surfaces that run, with their velocities at the start (explain_running.c). */
void rps_explain_running(rps_explain_sink *to, const rps_world *world);

/* Tables of motion that drives follow (explain_running.c). */
void rps_explain_motions(rps_explain_sink *to, const rps_world *world);

/* The joints of the scene, and what acts along their coordinates (explain_joints.c). */
void rps_explain_joints(rps_explain_sink *to, const rps_run_state *run);

/* The meshes of the world: what was found in their files, and facets that grains feel (explain_meshes.c). RPS_NO_MEMORY. */
rps_status rps_explain_meshes(rps_explain_sink *to, const rps_run_state *run, rps_error *err);

/* The clumps that are fitted to meshes, with their errors of volume and surface (explain_fits.c). RPS_NO_MEMORY. */
rps_status rps_explain_fits(rps_explain_sink *to, const rps_run_state *run, rps_error *err);

#endif
