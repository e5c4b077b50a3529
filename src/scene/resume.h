/* A simulation in a checkpoint. */
#ifndef RPS_SCENE_RESUME_H
#define RPS_SCENE_RESUME_H

#include "io/checkpoint.h"
#include "scene/simulation.h"

/* Sections of a checkpoint. */
extern const char rps_run_intervals[], rps_run_counts[];
enum { RPS_RUN_REST, RPS_RUN_END, RPS_RUN_FRAMES, RPS_RUN_ROWS, RPS_RUN_BYTES, RPS_RUN_COUNTS };
extern const char rps_run_no_results[]; /* if no results belong to the checkpoint */

/* Begins the name of the section of a writer whose results `run/counts` does not hold: its three numbers. */
#define RPS_RUN_WRITER "run/writer/"

/* The results that belong to a checkpoint: frames of run.h5, rows and bytes of series.csv. */
typedef struct rps_result_counts {
    uint64_t frames, rows, bytes;
} rps_result_counts;

/* Adds all sections; `results` NULL: none were written. */
rps_status rps_simulation_pack(const rps_simulation *simulation, const rps_result_counts *results,
                               rps_serializer *serializer, rps_error *err);
/* Restores the saved state into a simulation just built from the settings of the checkpoint. `extended`: to a new
 * end. */
rps_status rps_simulation_unpack(rps_simulation *simulation, const rps_checkpoint *checkpoint, bool extended,
                                 rps_error *err);

/* The caller's own settings; with a checkpoint only a new end is allowed. */
typedef struct rps_resume_given {
    bool scene; /* a path or a text */
    const char *variant, *until;
    const char *const *set;
    size_t sets;
    rps_log_fn log;
    void *log_context;
} rps_resume_given;

/* The settings with which the simulation was started. Texts live as long as the checkpoint and the caller's `until`. */
typedef struct rps_resume {
    const rps_allocator *allocator;
    const char *path, *text, *folder, *variant, *until; /* variant, until: NULL if none */
    size_t text_bytes;
    const char **set; /* owned */
    size_t sets;
    rps_scene_included *included; /* owned; not NULL */
    size_t includes;
    rps_scene_kept kept;
    bool extended; /* the caller gave a new end */
} rps_resume;
/* rps_resume_release in any case. */
rps_status rps_resume_read(const rps_checkpoint *checkpoint, const rps_resume_given *given,
                           const rps_allocator *allocator, rps_resume *resume, rps_error *err);
void rps_resume_release(rps_resume *resume);

#endif
