/* A run between its file and its results: what the loop, the recorder, the summary, explain and verify share. */
#ifndef RPS_RUN_RUN_STATE_H
#define RPS_RUN_RUN_STATE_H

#include <repose/run.h>

#include "io/checkpoint.h"
#include "io/csv.h"
#include "io/folder_lock.h"
#include "io/journal.h"
#include "io/results.h"
#include "io/state.h"
#include "scene/resume.h"
#include "shape/shape.h"
#include "world/world.h"

enum { RPS_PAIR_VALUES = RPS_ROLE_COUNT * (RPS_LAW_PARAMETERS + 2) + 16 }; /* room for the values of a pair */

/* The results beside a checkpoint that it counts on; fewer if some are missing. */
typedef struct rps_old_results {
    uint64_t frames, rows, bytes; /* of run.h5; of series.csv */
    bool frames_missing, rows_missing;
} rps_old_results;

enum { RPS_DOUBTS_MOST = 8, RPS_DOUBT_BYTES = 320 };

typedef struct rps_run_state {
    const rps_run_options *options;
    const rps_allocator *allocator;
    rps_simulation sim;
    rps_scene *scene; /* this and the next two are the simulation's */
    rps_world *world;
    const rps_scene_run *plan;
    int warnings; /* reasons to doubt the result, found at the end */
    char warn[RPS_DOUBTS_MOST][RPS_DOUBT_BYTES];
    bool frame_due, series_due; /* at the coming step */

    rps_results *results; /* NULL: none wanted */
    rps_csv series;
    double *row; /* of series.csv */
    size_t row_bytes;

    /* of a run that goes on from a checkpoint: the checkpoint, the options that it names, and where it begins */
    rps_checkpoint *from;
    rps_run_options own;
    rps_resume resume;
    rps_folder_lock target, source; /* of the results; of the checkpoint, if it lies elsewhere */
    rps_old_results old;
    bool cut_frame, cut_row; /* the last ones stand where the run ended and a longer one has none */
    uint64_t first_step;
    double checkpoint_next; /* wall time */
    double unobserved;      /* steps that may be taken at once, as long as they last */

    double started, stepped; /* wall time at the first step and spent on stepping */
    rps_run_progress progress;
    double progress_next, progress_last;
    uint64_t progress_steps;
} rps_run_state;

/* Loads the scene and makes its world; no file is touched. rps_run_release in any case. */
rps_status rps_run_begin(rps_run_state *run, const rps_run_options *options, rps_error *err);
/* All that the loop does up to its first step, but for writing. */
rps_status rps_run_rehearse(rps_run_state *run, rps_error *err);
/* The same from options of a scene; of those of the run the path, text, variant and sets are not used. */
rps_status rps_run_begin_scene(rps_run_state *run, const rps_run_options *options, const rps_scene_load_options *scene,
                               rps_error *err);
/* Steps to the end, watching probes and writing results (if run->results or an open series). */
rps_status rps_run_loop(rps_run_state *run, rps_error *err);
void rps_run_release(rps_run_state *run);

/* record.c: series and frames */
rps_status rps_record_begin(rps_run_state *run, rps_error *err);
rps_status rps_record_open(rps_run_state *run, rps_error *err); /* the files */
/* Is anything recorded at the step with this number? */
bool rps_record_due(const rps_run_state *run, uint64_t step);
/* Decides what the step with this number will record, and says what that takes. */
void rps_record_prepare(rps_run_state *run, uint64_t step, rps_step_request *request);
/* Writes what is due, or everything. */
rps_status rps_record_write(rps_run_state *run, bool final, rps_error *err);
rps_status rps_record_close(rps_run_state *run, rps_error *err);

/* The folders of a run. rps_directory_claim locks what is there, before anything in it is read, and refuses a folder with
 * results (unless they may be overwritten, or the run goes on with them). rps_directory_begin makes the folder, locks it,
 * looks again and removes old results. */
rps_status rps_directory_claim(rps_run_state *run, rps_error *err);
rps_status rps_directory_begin(rps_run_state *run, rps_error *err);

/* Goes on with the files of results, cut to run->old; a file of which nothing is left is started again. */
rps_status rps_record_resume(rps_run_state *run, rps_error *err);

/* old_results.c: RPS_BAD_INPUT, with the reason, if less lies beside the checkpoint than it counts on; *old says how much. */
rps_status rps_old_results_look(const rps_checkpoint *c, const rps_allocator *allocator, rps_old_results *old,
                                rps_error *err);

/* checkpoint.c */
bool rps_same_directory(const char *a, const char *b);
/* Opens a checkpoint, or the newest of a directory that is whole and fits the results beside it; others are told and passed
 * over. If none fits, the newest whole one serves to go on in another folder. Without `results`, any whole one will do. */
rps_status rps_checkpoint_choose(rps_run_state *run, bool results, rps_error *err);
/* The directory in which a checkpoint lies. */
rps_status rps_checkpoint_folder(const char *checkpoint, char out[RPS_PATH], rps_error *err);
/* For a run with `from`: takes the options, after building the state, and at last the files of results. */
rps_status rps_checkpoint_adopt(rps_run_state *run, rps_error *err);
rps_status rps_checkpoint_restore(rps_run_state *run, rps_error *err);
rps_status rps_checkpoint_files(rps_run_state *run, rps_error *err);
/* Says when the first checkpoint is due; writes one and says when the next is. */
void rps_checkpoint_begin(rps_run_state *run);
rps_status rps_checkpoint_write(rps_run_state *run, rps_error *err);

/* progress.c */
void rps_progress_begin(rps_run_state *run);
void rps_progress_step(rps_run_state *run, bool last);
/* The residual of the ledger relative to the energy dissipated, or if there is none to the energy that is there. */
double rps_ledger_relative(const rps_ledger *ledger);

/* size_summary.c */
typedef struct rps_size_range {
    uint64_t count;
    double smallest, largest; /* m, radius of the sphere about the centre of mass that holds the body */
} rps_size_range;

typedef struct rps_size_summary {
    uint64_t kind[3], planes;
    rps_size_range of_shape[RPS_SHAPE_COUNT], several; /* bodies of one piece, by shape; of more */
    double mass;                                       /* kg, of free bodies */
} rps_size_summary;
void rps_size_summary_make(const rps_world *world, rps_size_summary *sizes_found);

/* warnings.c */
/* Says why the result may mean nothing: energy off by more than what was dissipated, friction that created energy,
 * most steps unsolved, particles that were not inserted or late. Through the log, and kept for summary.json. */
void rps_warnings_find(rps_run_state *run, const rps_run_summary *summary);

/* summary.c */
void rps_summary_fill(rps_run_state *run, rps_run_summary *summary);
rps_status rps_summary_write(rps_run_state *run, const rps_run_summary *summary, const char *failure, rps_error *err);
const char *rps_run_end_name(rps_run_end end);

#endif
