/* The state of a run, shared by the loop, the writers, the summary, explain and verify. */
#ifndef RPS_RUN_RUN_STATE_H
#define RPS_RUN_RUN_STATE_H

#include <repose/run.h>

#include "io/checkpoint.h"
#include "io/folder_lock.h"
#include "io/state.h"
#include "run/writer.h"
#include "scene/resume.h"
#include "shape/shape.h"
#include "step/ledger_terms.h"
#include "world/world.h"

enum { RPS_PAIR_VALUES = RPS_ROLE_COUNT * (RPS_LAW_PARAMETERS + 2) + 16 }; /* space for the values of a pair */

enum { RPS_DOUBTS_MOST = 8, RPS_DOUBT_BYTES = 320 };

typedef struct rps_run_state {
    const rps_run_options *options;
    const rps_allocator *allocator;
    rps_simulation sim;
    rps_scene *scene; /* scene, world and plan belong to the simulation */
    rps_world *world;
    const rps_scene_run *plan;
    int warnings; /* reasons to doubt the result, found at its end */
    char warn[RPS_DOUBTS_MOST][RPS_DOUBT_BYTES];

    /* by writer */
    void *writing[RPS_WRITERS];                             /* its state; NULL: not open */
    bool due[RPS_WRITERS];                                  /* at the next step */
    rps_writer_mark written[RPS_WRITERS], old[RPS_WRITERS]; /* when it was closed; that a checkpoint counts on */
    bool cut[RPS_WRITERS]; /* its last item of a resumed run exists only because the run ended there */

    /* of a resumed run: the checkpoint, its options, and where it begins */
    rps_checkpoint *from;
    rps_run_options own;
    rps_resume resume;
    rps_folder_lock target, source; /* of the results; of the checkpoint, if in another folder */
    uint64_t first_step;
    double checkpoint_next; /* wall time */
    double unobserved;      /* steps allowed in a batch of unobserved steps */

    double started, stepped; /* wall time (s) at the first step; spent on stepping */
    rps_run_progress progress;
    double progress_next, progress_last;
    uint64_t progress_steps;
} rps_run_state;

/* Loads the scene and builds its world; touches no file. Always call rps_run_release. */
rps_status rps_run_begin(rps_run_state *run, const rps_run_options *options, rps_error *err);
/* Does all that the loop does before its first step, except writing. */
rps_status rps_run_rehearse(rps_run_state *run, rps_error *err);
/* The same as rps_run_begin, from scene options; path, text, variant and sets of the run options are not used. */
rps_status rps_run_begin_scene(rps_run_state *run, const rps_run_options *options, const rps_scene_load_options *scene,
                               rps_error *err);
/* rps_run whose unobserved steps are taken by others; NULL: by the run. */
rps_status rps_run_by(const rps_run_options *options, const rps_remote *remote, rps_run_summary *summary,
                      rps_error *err);
/* Steps to the end, watching probes and writing results (of open writers). */
rps_status rps_run_loop(rps_run_state *run, rps_error *err);
void rps_run_release(rps_run_state *run);

/* writers.c, beside what writer.h has. Decides what the step with this number records and fills in the request for
 * it; then writes what is due, or everything. */
void rps_writers_prepare(rps_run_state *run, uint64_t step, rps_step_request *request);
rps_status rps_writers_write(rps_run_state *run, bool final, rps_error *err);
/* Fills run->old from the checkpoint run->from. RPS_BAD_INPUT, with the reason, if the folder holds less than it
 * counts on. */
rps_status rps_old_results_look(rps_run_state *run, rps_error *err);
/* Adds the sections of writers that the counts of a run do not have. */
rps_status rps_marks_save(const rps_run_state *run, const rps_writer_mark *mark, rps_serializer *serializer,
                          rps_error *err);

/* The folders of a run. rps_directory_claim locks an existing folder before anything in it is read, and refuses one
 * with results (unless they may be overwritten or the run continues them). rps_directory_begin creates and locks a
 * new folder, checks again and removes old results. */
rps_status rps_directory_claim(rps_run_state *run, rps_error *err);
rps_status rps_directory_begin(rps_run_state *run, rps_error *err);

/* run_checkpoint.c */
bool rps_is_checkpoint_file(const char *name); /* or an unfinished one */
bool rps_same_directory(const char *a, const char *b);
/* Opens a checkpoint, or the newest intact one in a directory that fits its results; others are logged and skipped.
 * If none fits, the newest intact one can resume into another folder. Without `results` any intact one is accepted. */
rps_status rps_checkpoint_choose(rps_run_state *run, bool results, rps_error *err);
/* The directory in which a checkpoint lies. */
rps_status rps_checkpoint_folder(const char *checkpoint, char out[RPS_PATH], rps_error *err);
/* For a run with `from`: adopt its options, restore the state after the world is built, and finally take over the
 * result files. */
rps_status rps_checkpoint_adopt(rps_run_state *run, rps_error *err);
rps_status rps_checkpoint_restore(rps_run_state *run, rps_error *err);
rps_status rps_checkpoint_files(rps_run_state *run, rps_error *err);
/* Schedule the first checkpoint; write one and schedule the next. */
/* run_fork.c: the file of the state at the end of a stage; takes over the state of options.from. */
rps_status rps_stage_file(char path[RPS_PATH], const char *directory, const char *stage, rps_error *err);
rps_status rps_fork_begin(rps_run_state *run, rps_error *err);
void rps_checkpoint_begin(rps_run_state *run);
rps_status rps_checkpoint_write(rps_run_state *run, rps_error *err);
/* At the end of a stage, before the next one begins. */
rps_status rps_checkpoint_write_stage(rps_run_state *run, rps_error *err);

/* dump.c: the contact problem of a step, of those that `run.dump` names, and its solution. Before bodies come or go. */
bool rps_dump_due(const rps_run_state *run, uint64_t step);
rps_status rps_dump_write(rps_run_state *run, uint64_t step, rps_error *err);
bool rps_is_dump_file(const char *name); /* or an unfinished one */

/* progress.c */
void rps_progress_begin(rps_run_state *run);
void rps_progress_step(rps_run_state *run, bool last);
bool rps_progress_due(const rps_run_state *run, double now);
/* The residual of the ledger relative to the dissipated energy or, without dissipation, to the energy present. */
double rps_ledger_relative(const rps_ledger *ledger);

/* size_summary.c */
typedef struct rps_size_range {
    uint64_t count;
    double smallest, largest; /* m, radius of the bounding sphere about the centre of mass */
} rps_size_range;

typedef struct rps_size_summary {
    uint64_t kind[3], planes;
    rps_size_range of_shape[RPS_SHAPE_COUNT], several; /* single-piece bodies by shape; others */
    double mass;                                       /* kg, of free bodies */
} rps_size_summary;
void rps_size_summary_make(const rps_world *world, rps_size_summary *sizes_found);

/* warnings.c */
/* Finds reasons to doubt the result: an energy error larger than the dissipation, friction that created energy, most
 * steps unsolved, particles inserted late or not at all. Logs them and keeps them for summary.json. */
void rps_warnings_find(rps_run_state *run, const rps_run_summary *summary);

/* summary.c */
void rps_summary_fill(rps_run_state *run, rps_run_summary *summary);
rps_status rps_summary_write(rps_run_state *run, const rps_run_summary *summary, const char *failure, rps_error *err);
const char *rps_run_end_name(rps_run_end end);

/* The deeds of the scene that have columns in the energy ledger. */
static inline rps_ledger_scene rps_run_ledger_scene(const rps_scene *scene) {
    return (rps_ledger_scene){rps_scene_removes(scene), rps_scene_changes(scene), rps_scene_immersed(scene)};
}

#endif
