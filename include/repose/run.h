/*
 * Running a scene from its file to its results: the commands of `repose` as functions.
 *
 * The library prints nothing; progress, explanations and tables come through callbacks. Strings in the options are
 * read during the call only. Callbacks run in the locale of the program; files and texts of the library always use a
 * decimal point. rps_sweep, rps_audit and rps_plot draw with gnuplot, found through PATH.
 */
#ifndef REPOSE_RUN_H
#define REPOSE_RUN_H

#include <repose/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- run ---------------------------------------------------------------------------------------------------------- */

typedef struct rps_run_progress {
    double time, until; /* s; until is 0 if the scene has no end time */
    uint64_t steps;
    double wall_seconds;     /* since the first step */
    double remaining;        /* s, expected wall time until the end; NAN: unknown */
    double steps_per_second; /* lately */
    uint64_t bodies;
    size_t contacts;
    double residual; /* of the energy ledger, relative to the energy dissipated; NAN without a ledger */
    bool last;       /* the run has ended */
} rps_run_progress;

typedef struct rps_run_options {
    uint32_t size;    /* set by rps_run_options_default */
    const char *path; /* scene file; NULL: `text` is the scene */
    const char *text; /* text of the scene; `path`, if given too, only names it in messages and results */
    size_t text_bytes;
    /* Resumes from this checkpoint, or from the newest one in a directory that matches the results beside it. Scene,
     * variant and set come from the checkpoint and must not be given. Without `directory` the results are continued
     * in place, else copied there first. If results were lost or truncated and no checkpoint matches them, only the
     * latter is possible: the new results hold the remaining part and the part after the checkpoint, and the log says
     * what is missing. The end comes from the checkpoint too, unless `until` (or a `set` of run.until) gives one
     * later than the checkpoint. The run keeps its step and output intervals. If an uninterrupted run to that end has
     * the same step (as with a given step that divides both ends), the results equal its results; otherwise the run
     * ends at the step nearest to `until`, and the log says so. */
    const char *resume;
    /* Begins from the state of another run: its folder (the newest checkpoint), "FOLDER@STAGE" (at the end of that stage),
     * or a checkpoint; not with `resume`. Scene and settings are those of this run. Bodies and sets must be those of
     * the other one; laws, stages, drives of stages, probes and output may differ. Time goes on; after a stage of the same
     * name the next one of this scene follows, else its first. The results begin with the first step from there. */
    const char *from;
    const char *directory;  /* for the results, created if necessary; NULL: no files */
    bool overwrite;         /* replace existing results; false: they are an error */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    /* user-defined laws, which the scene names like built-in ones; NULL: none. Checkpoints do not hold them, so give
     * them again to resume */
    const rps_law *const *law;
    size_t laws;
    const char *until;              /* end of the run as the scene would write it ("0.5 s"); NULL: as the scene says */
    int threads;                    /* 0: one for each processor of the machine; at most 4096 */
    rps_scheduler scheduler;        /* runs the tasks of each stage, as many as `threads`; zeros: OpenMP */
    int isa;                        /* -1: the best that the machine supports; 0 sse2, 1 avx2, 2 avx512 */
    const rps_allocator *allocator; /* for all memory of the run; NULL: the default. It must outlive the call */
    /* Called between steps, at least about twice a second, or after every second step if steps are long. Returning
     * false stops the run. It may wait, which pauses the run: the wall time of the run leaves that out. */
    bool (*proceed)(void *context);
    /* Called while the scene is set up, which may take long: before every body and every few thousand particles. If
     * it returns false, rps_run fails with RPS_STOPPED and leaves no results; another run may use the directory. */
    bool (*proceed_set_up)(void *context);
    /* Called with the world after the start and after every `each_steps` steps; false stops the run. */
    bool (*each)(void *context, const rps_world *world);
    uint64_t each_steps; /* 1 */
    /* Called every `progress_seconds` of wall time and at the end. */
    void (*progress)(void *context, const rps_run_progress *progress);
    double progress_seconds; /* 0.5 */
    /* Called after each frame that the scene's interval asked for is in run.h5, with how many it holds. */
    void (*frame)(void *context, uint64_t frames);
    /* Called after the run for every check that applies, but not after a failed run. In a stopped run, checks are not
     * judged if the rest of the run could change their verdicts. */
    void (*check)(void *context, const rps_check_row *row);
    /* Called after the run for every probe of the scene. */
    void (*probe)(void *context, const rps_probe_row *row);
    void *context;  /* passed to the seven callbacks */
    rps_log_fn log; /* warnings of the scene and the engine; NULL: silent */
    void *log_context;
} rps_run_options;

typedef struct rps_run_summary {
    rps_run_end end;
    uint64_t steps;
    double time, step; /* s */
    uint64_t bodies;
    size_t contacts;
    uint64_t frames;  /* written */
    uint64_t hash[2]; /* of the whole state, high word first */
    bool has_ledger;
    rps_ledger ledger;
    rps_solver_report solver;     /* nonsmooth stepper; else zeros */
    size_t checks, checks_failed; /* those that apply to the variant */
    size_t checks_open;           /* those not judged: the run was stopped or failed before that */
    /* the impact with the largest error among those expected in the scene, as in `repose explain` */
    double impact_steps;      /* its duration in steps; 0: no impact is expected, or its speed is unknown */
    double impact_speed;      /* m/s */
    double restitution_error; /* relative, worst case over the instant within a step at which the contact begins */
    double balance_error;     /* of the energy balance, relative to the energy that the impact dissipates */
    double wall_seconds;      /* of stepping */
    double steps_per_second;
    int threads;
    const char *isa; /* static text */
} rps_run_summary;

RPS_API rps_run_options rps_run_options_default(void);
/* Runs the scene to its end and writes run.h5, run.xdmf, contacts.xdmf, their VTKHDF counterparts, view.py, series.csv, run.xyz if the scene asks for it,
 * checkpoint-STEP.ckpt (the newest two are kept) and summary.json into the directory (and the particle file that the scene may request). A run that
 * was stopped or killed and then resumed leaves the same results as an uninterrupted one. A stop by a callback is a
 * success (`end` tells). After a failure the results up to it are closed and readable, and summary.json names the
 * error. Failed checks are counted; they are not an error. `summary` may be NULL. The run holds a lock in its
 * directory; RPS_BAD_INPUT if another run or sweep, of this or any other process, holds it. */
RPS_API rps_status rps_run(const rps_run_options *options, rps_run_summary *summary, rps_error *err);

/* --- explain ------------------------------------------------------------------------------------------------------ */

/* Receives text in zero-terminated pieces; lines end in a newline. */
typedef void (*rps_write_fn)(void *context, const char *text);

/* Describes the scene as the program understands it: bodies, materials, effective values of every pair, disabled
 * features, the step and its limit, memory and the number of steps. Directory and callbacks of the options are
 * ignored; `context` is passed to `write`. Errors as those of rps_scene_open and rps_simulation_create. */
RPS_API rps_status rps_explain(const rps_run_options *options, rps_write_fn write, void *context, rps_error *err);

/* --- verify ------------------------------------------------------------------------------------------------------- */

typedef struct rps_verify_options {
    uint32_t size;           /* set by rps_verify_options_default */
    const char *const *path; /* scenes, or directories searched for *.yaml except *.part.yaml */
    size_t paths;
    const char *text; /* text of the scene that `path` calls "-"; NULL: that is a file like others */
    size_t text_bytes;
    const char *json;          /* file for {"checks": [...]}; NULL: none */
    const rps_law *const *law; /* as in rps_run_options */
    size_t laws;
    int jobs;                       /* concurrent scenes, one thread each; 0: one for each processor; at most 4096 */
    rps_scheduler scheduler;        /* runs `jobs` tasks, each a part of the scenes; zeros: OpenMP */
    int isa;                        /* -1: best */
    const rps_allocator *allocator; /* as in rps_run_options; called from several threads */
    /* in the order of the files, one thread at a time; may be NULL */
    void (*row)(void *context, const rps_check_row *row);
    bool (*proceed)(void *context); /* returning false stops; called from several threads */
    void *context;
} rps_verify_options;

typedef struct rps_verify_summary {
    size_t scenes, runs, passed, failed; /* runs: scenes x variants; the others count checks */
} rps_verify_summary;

RPS_API rps_verify_options rps_verify_options_default(void);
/* Runs every variant of every scene and judges its checks. A scene that does not load or run counts as a failed
 * check. RPS_OK once every scene was tried, whatever the verdicts. RPS_BAD_INPUT if `path` holds no scene, RPS_IO_ERROR
 * for directories and `json`. A run that `proceed` stops counts as a failed check. `summary` may be NULL. */
RPS_API rps_status rps_verify(const rps_verify_options *options, rps_verify_summary *summary, rps_error *err);

/* --- sweep -------------------------------------------------------------------------------------------------------- */

typedef struct rps_sweep_progress {
    size_t points, points_done;     /* combinations of the varied values */
    size_t runs, failed;            /* finished runs; one for each point, or those of its bisection */
    double wall_seconds, remaining; /* s; remaining NAN if not known */
    bool last;
} rps_sweep_progress;

typedef struct rps_sweep_options {
    uint32_t size;          /* set by rps_sweep_options_default */
    const char *path;       /* scene file */
    const char *directory;  /* for the results, created if necessary; NULL: no files */
    bool overwrite;         /* replace existing results of a sweep; else they are an error */
    bool resume;            /* continue existing results if they belong to the same sweep */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    const char *const *vary; /* "path=from:to:n" or "path=a,b,c"; none: as the scene says */
    size_t varies;
    const char *find;           /* "path=low:high:tolerance", "none"; NULL: as the scene says */
    const char *const *measure; /* names, or "NAME={measure}"; none: all in the scene's block */
    size_t measures;
    /* A part: the points from this to before that, counted from 0 in the order of the table; zeros: all. */
    size_t points_from, points_to;
    bool count;              /* no runs, only summary->points */
    const char *const *join; /* directories of parts, which have each point once; no runs */
    size_t joins;
    const rps_law *const *law; /* as in rps_run_options */
    size_t laws;
    int jobs;                /* concurrent runs, one thread each; 0: one for each processor; at most 4096 */
    rps_scheduler scheduler; /* runs `jobs` tasks, each a part of the runs; zeros: OpenMP */
    int isa;                 /* -1: best */
    /* Lines of the table in its order, the header first, each with its newline; one thread at a time. */
    void (*row)(void *context, const char *line);
    void (*check)(void *context, const rps_check_row *row);              /* over all runs, after the last */
    void (*progress)(void *context, const rps_sweep_progress *progress); /* one thread at a time */
    double progress_seconds;                                             /* 0.5 */
    /* returning false stops; called from several threads between steps, as in rps_run_options */
    bool (*proceed)(void *context);
    void *context;  /* passed to the four callbacks */
    rps_log_fn log; /* warnings of the scene; NULL: silent */
    void *log_context;
} rps_sweep_options;

typedef struct rps_sweep_summary {
    size_t points, runs, failed;  /* failed: points whose run (or bisection) has no result */
    size_t resumed;               /* runs taken from earlier results */
    size_t noted;                 /* runs that succeeded but lack a measure (its probe had no value) or particles */
    size_t checks, checks_failed; /* over all runs */
    size_t checks_stale;          /* those that pass although declared as `known` to fail */
    bool stopped;                 /* by `proceed`; finished runs are written */
    bool picture;                 /* one was drawn */
    double wall_seconds;
} rps_sweep_summary;

RPS_API rps_sweep_options rps_sweep_options_default(void);
/* Runs the scene for every combination of the varied values, or bisects for each, and writes into the directory
 * sweep.csv (a row for each combination), sweep.json, sweep.svg, and for a bisection sweep-runs.csv (a row for each
 * run). The files do not depend on the number of jobs, nor on interruptions after which the sweep was resumed. A
 * failed run has a row that says why. sweep.svg is drawn for one or two parameters; if gnuplot is missing or fails,
 * the log says so and the sweep still succeeds. A part (`points_from`, `points_to`) writes its rows and which points
 * they are, on any machine; `join` reads the directories of parts and writes the files of one sweep, to the byte.
 * RPS_BAD_INPUT for a scene, path, value or measure that is wrong, for a directory with other results, and for parts
 * that are of another sweep or not whole; RPS_IO_ERROR for files. `summary` may be NULL. */
RPS_API rps_status rps_sweep(const rps_sweep_options *options, rps_sweep_summary *summary, rps_error *err);

/* --- audit -------------------------------------------------------------------------------------------------------- */

/* The result of one experiment with one law. Strings are valid during the call. */
typedef struct rps_audit_row {
    const char *role, *law, *variant; /* variant: parameters other than the defaults, "" for none */
    const char *experiment, *unit;
    double measured; /* three digits are meaningful; round-off is 0 */
    /* "conserves", "loses", "creates", "creeps", "drifts", "holds", "follows", "stays behind", "lets go", "holds on", "returns",
     * "keeps", "ratchets", "bounded", or "-" for a number alone */
    const char *verdict;
    bool declared; /* the law's descriptor declares this result */
} rps_audit_row;

/* A defect that a law declares or the audit explains, and the workaround. */
typedef struct rps_audit_note {
    const char *role, *law, *text, *citation; /* citation "" if there is none */
} rps_audit_note;

typedef struct rps_audit_options {
    uint32_t size;          /* set by rps_audit_options_default */
    const char *const *law; /* "walton", or "slide.tracked" where several roles have the name; none: all */
    size_t laws;
    const rps_law *const *own; /* audits these laws, and no others; NULL: the laws of the library */
    size_t owns;
    /* parameters of `own`, "viscosity=0.1 Pa s", for every law that has one of that name; others have their defaults */
    const char *const *set;
    size_t sets;
    const char *json; /* file for {"audit": [...]}; NULL: none */
    /* figure (as in rps_plot_options) of oblique impacts: psi2 over psi1 for the Mindlin laws and the exact contact;
     * NULL: none */
    const char *picture;
    void (*row)(void *context, const rps_audit_row *row);    /* law by law; may be NULL */
    void (*note)(void *context, const rps_audit_note *note); /* after all rows; may be NULL */
    void *context;
} rps_audit_options;

typedef struct rps_audit_summary {
    size_t laws, rows;
    size_t undeclared; /* rows with undeclared creation of energy or violation of momentum conservation */
} rps_audit_summary;

RPS_API rps_audit_options rps_audit_options_default(void);
/* Tests the laws of the library, or those of the caller: closed cycles, the cycle of Elata & Berryman, radial unloading, cycles of the load,
 * impacts, a hold under a vibrating load, momentum; of bonds a closed loop and rigid rotation. RPS_BAD_INPUT for an unknown law or parameter, and for a law of the
 * caller that refuses its parameters or breaks its descriptor. RPS_OK whatever the verdicts.
 * `summary` may be NULL. */
RPS_API rps_status rps_audit(const rps_audit_options *options, rps_audit_summary *summary, rps_error *err);

/* --- plot --------------------------------------------------------------------------------------------------------- */

typedef struct rps_plot_options {
    uint32_t size; /* set by rps_plot_options_default */
    /* runs: directories with a series.csv, or such tables; NAME=PATH sets the name in the legend */
    const char *const *series;
    size_t count;
    const char *x;        /* a column, "a/b", "strain(length)" (1 - length/first) or "log10(a)"; NULL: time */
    const char *const *y; /* one panel each; "a+b" draws both into one panel and requires equal units */
    size_t panels;
    double from, until;  /* s; NAN: from the first row, to the last */
    int mean;            /* number of rows averaged into one point; 1 */
    const char *title;   /* NULL: none */
    const char *picture; /* file of the figure, replaced atomically: .svg, .png or .pdf; SVG without an ending */
} rps_plot_options;

RPS_API rps_plot_options rps_plot_options_default(void);
/* Draws series of several runs for comparison. RPS_BAD_INPUT for a missing column, a file that is not a table,
 * nothing to draw, or another ending; RPS_IO_ERROR for files; RPS_UNSUPPORTED if gnuplot is missing or fails. */
RPS_API rps_status rps_plot(const rps_plot_options *options, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
