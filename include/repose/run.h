/*
 * Running a scene from its file to its results: what the command `repose` does, for programs.
 *
 * The library prints nothing; progress, explanations and tables come through callbacks. Strings in the options are
 * read during the call only. Callbacks find the locale of the program; files and texts of the library have a decimal point
 * whatever it is. rps_sweep, rps_audit and rps_plot start gnuplot, as PATH finds it, where they draw.
 */
#ifndef REPOSE_RUN_H
#define REPOSE_RUN_H

#include <repose/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- run ---------------------------------------------------------------------------------------------------------- */

typedef struct rps_run_progress {
    double time, until; /* s; until is 0 if the scene names no end */
    uint64_t steps;
    double wall_seconds;     /* since the first step */
    double remaining;        /* s of wall time expected until the end; NAN if not known */
    double steps_per_second; /* lately */
    uint64_t bodies;
    size_t contacts;
    double residual; /* of the energy ledger, relative to the energy dissipated; NAN without a ledger */
    bool last;       /* the run has ended */
} rps_run_progress;

typedef struct rps_run_options {
    uint32_t size;    /* set by rps_run_options_default */
    const char *path; /* scene file; NULL: `text` is the scene */
    const char *text; /* the scene itself, if there is no path */
    size_t text_bytes;
    /* Goes on from this checkpoint, or from the newest of a directory that fits the results beside it: scene, variant and set
     * come from there and must not be given; without `directory` the results are continued where they are, else copied there
     * first. If results were lost or cut and no checkpoint fits them, only the latter is possible: the new results hold what
     * is left and what follows the checkpoint, and the log says what is missing. The end comes from
     * there too unless `until` (or a `set` of run.until) gives another, later than the checkpoint: the run keeps its step
     * and the intervals of its outputs, and leaves what an undisturbed run to that end leaves if its step is the same,
     * which it is for a given step that goes into both ends a whole number of times. Else it ends at the step nearest to
     * `until`, and the log says so. */
    const char *resume;
    const char *directory;  /* of the results, made if need be; NULL: no files */
    bool overwrite;         /* results that lie there are replaced; false: they are an error */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    const rps_law *const *law; /* of the program's own, which the scene names like a built-in one; NULL: none. No
                                * checkpoint holds them: who resumes gives them again */
    size_t laws;
    const char *until;              /* end of the run as the scene would write it ("0.5 s"); NULL: as the scene says */
    int threads;                    /* 0: as many as the machine has; at most 4096 */
    int isa;                        /* -1: the best that the machine has; 0 sse2, 1 avx2, 2 avx512 */
    const rps_allocator *allocator; /* of all memory of the run; NULL: the system's. It must outlive the call */
    /* Called between steps, about twice a second or more often; where steps are long, after every second one at least.
     * False stops the run. */
    bool (*proceed)(void *context);
    /* The same while the scene is set up, which may take long: called before every body and every few thousand particles.
     * If it returns false, rps_run fails with RPS_STOPPED and leaves no results; another run may use the folder. */
    bool (*proceed_set_up)(void *context);
    /* Called with the world after the start and after every `each_steps` steps; false stops the run. */
    bool (*each)(void *context, const rps_world *world);
    uint64_t each_steps; /* 1 */
    /* Called every `progress_seconds` of wall time and at the end. */
    void (*progress)(void *context, const rps_run_progress *progress);
    double progress_seconds; /* 0.5 */
    /* Called after the run for every check that applies; a run that failed has none. Of a run that was stopped, checks
     * that the rest could change are not judged. */
    void (*check)(void *context, const rps_check_row *row);
    /* Called after the run for every probe of the scene. */
    void (*probe)(void *context, const rps_probe_row *row);
    void *context;  /* handed to the six */
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
    size_t checks_open;           /* of them, not judged: the run was stopped or failed before they could be */
    /* of the impact that errs most of those that the scene lets expect, as `repose explain` says it */
    double impact_steps;      /* steps that it takes; 0: no impact is expected, or its speed is not known */
    double impact_speed;      /* m/s */
    double restitution_error; /* relative, worst over the part of a step in which the contact begins */
    double balance_error;     /* of the energy balance, relative to what the impact dissipates */
    double wall_seconds;      /* of stepping */
    double steps_per_second;
    int threads;
    const char *isa; /* static text */
} rps_run_summary;

RPS_API rps_run_options rps_run_options_default(void);
/* Runs the scene to its end and writes run.h5, run.xdmf, contacts.xdmf, series.csv, checkpoint-STEP.ckpt (the newest two are kept) and
 * summary.json into the directory (and the particle file that the scene may ask for). A run that was stopped or killed and
 * then resumed leaves what an undisturbed one leaves. A stop by a
 * callback is a success (end says so). After a failure the results up to it are closed and readable, and summary.json
 * names the error. Checks that do not hold are counted, not an error. `summary` may be NULL. While the run lasts it holds a
 * lock in its directory; RPS_BAD_INPUT if another run or sweep, of this process or of any other, holds it. */
RPS_API rps_status rps_run(const rps_run_options *options, rps_run_summary *summary, rps_error *err);

/* --- explain ------------------------------------------------------------------------------------------------------ */

/* Receives text in pieces, zero-terminated, lines ending in newline. */
typedef void (*rps_write_fn)(void *context, const char *text);

/* The scene as the program understands it: bodies, materials, effective values of every pair, what is off, the step
 * and what limits it, memory and the number of steps. Of the options, directory and callbacks are not used; `context`
 * is handed to `write`. */
RPS_API rps_status rps_explain(const rps_run_options *options, rps_write_fn write, void *context, rps_error *err);

/* --- verify ------------------------------------------------------------------------------------------------------- */

typedef struct rps_verify_options {
    uint32_t size;           /* set by rps_verify_options_default */
    const char *const *path; /* scenes, or directories searched for *.yaml */
    size_t paths;
    const char *json;          /* file for {"checks": [...]}; NULL: none */
    const rps_law *const *law; /* as in rps_run_options */
    size_t laws;
    int jobs;                       /* scenes at a time, one thread each; 0: as the machine has; at most 4096 */
    int isa;                        /* -1: best */
    const rps_allocator *allocator; /* as in rps_run_options; called from several threads */
    /* in the order of the files, one thread at a time; may be NULL */
    void (*row)(void *context, const rps_check_row *row);
    bool (*proceed)(void *context); /* false stops; called from several threads */
    void *context;
} rps_verify_options;

typedef struct rps_verify_summary {
    size_t scenes, runs, passed, failed; /* runs: scenes x variants; the others count checks */
} rps_verify_summary;

RPS_API rps_verify_options rps_verify_options_default(void);
/* Runs every variant of every scene and compares. A scene that does not load or run counts as a failed check. RPS_OK if
 * all could be tried, whatever the verdicts. `summary` may be NULL. */
RPS_API rps_status rps_verify(const rps_verify_options *options, rps_verify_summary *summary, rps_error *err);

/* --- sweep -------------------------------------------------------------------------------------------------------- */

typedef struct rps_sweep_progress {
    size_t points, points_done;     /* combinations of the varied values */
    size_t runs, failed;            /* done; one for each point, or those of its bisection */
    double wall_seconds, remaining; /* s; remaining NAN if not known */
    bool last;
} rps_sweep_progress;

typedef struct rps_sweep_options {
    uint32_t size;          /* set by rps_sweep_options_default */
    const char *path;       /* scene file */
    const char *directory;  /* of the results, made if need be; NULL: no files */
    bool overwrite;         /* results of a sweep that lie there are replaced; else they are an error */
    bool resume;            /* or gone on with, if they are of this very sweep */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    const char *const *vary; /* "path=from:to:n" or "path=a,b,c"; none: as the scene says */
    size_t varies;
    const char *find;           /* "path=low:high:tolerance", "none"; NULL: as the scene says */
    const char *const *measure; /* names, or "NAME={measure}"; none: all of the scene's block */
    size_t measures;
    const rps_law *const *law; /* as in rps_run_options */
    size_t laws;
    int jobs; /* runs at a time, one thread each; 0: as the machine has; at most 4096 */
    int isa;  /* -1: best */
    /* Lines of the table in its order, the header first; one thread at a time. */
    void (*row)(void *context, const char *line);
    void (*check)(void *context, const rps_check_row *row);              /* over all runs, when they are done */
    void (*progress)(void *context, const rps_sweep_progress *progress); /* one thread at a time */
    double progress_seconds;                                             /* 0.5 */
    bool (*proceed)(void *context); /* false stops; called from several threads between steps, as in rps_run_options */
    void *context;                  /* handed to the four */
    rps_log_fn log;                 /* warnings of the scene; NULL: silent */
    void *log_context;
} rps_sweep_options;

typedef struct rps_sweep_summary {
    size_t points, runs, failed; /* failed: points whose run (or bisection) has no result */
    size_t resumed;              /* runs that were there already */
    size_t noted; /* runs that went through but lack a measure, for want of a value of its probe, or grains */
    size_t checks, checks_failed; /* over all runs */
    size_t checks_stale;          /* of them, declared as `known` to fail although they pass */
    bool stopped;                 /* by `proceed`; what is done is written */
    bool picture;                 /* one was drawn */
    double wall_seconds;
} rps_sweep_summary;

RPS_API rps_sweep_options rps_sweep_options_default(void);
/* Runs the scene for every combination of the varied values, or bisects for each, and writes into the directory
 * sweep.csv (a row for each combination), sweep.json, sweep.svg, and for a bisection sweep-runs.csv (a row for each run).
 * The files do not depend on the number of jobs, nor on stops and kills between which the sweep was resumed. A run that
 * fails is a row that says why. sweep.svg is drawn for one or two parameters; where gnuplot is missing or fails, the log says
 * so and the sweep is a success. `summary` may be NULL. */
RPS_API rps_status rps_sweep(const rps_sweep_options *options, rps_sweep_summary *summary, rps_error *err);

/* --- audit -------------------------------------------------------------------------------------------------------- */

/* The result of one experiment with one law. Text lives during the call. */
typedef struct rps_audit_row {
    const char *role, *law, *variant; /* variant: parameters other than the defaults, "" for none */
    const char *experiment, *unit;
    double measured;     /* three digits are meaningful; round-off is 0 */
    const char *verdict; /* "conserves", "loses", "creates", "creeps", "drifts", "holds", or "-" for a number alone */
    bool declared;       /* the law's descriptor declares that it is so */
} rps_audit_row;

/* A defect that a law declares or the audit explains, and the way round it. */
typedef struct rps_audit_note {
    const char *role, *law, *text, *citation; /* citation "" if there is none */
} rps_audit_note;

typedef struct rps_audit_options {
    uint32_t size;          /* set by rps_audit_options_default */
    const char *const *law; /* "walton", or "slide.tracked" where several roles have the name; none: all */
    size_t laws;
    const char *json; /* file for {"audit": [...]}; NULL: none */
    /* figure, as in rps_plot_options, of oblique impacts: psi2 over psi1 of the Mindlin laws and the exact contact; NULL: none */
    const char *picture;
    void (*row)(void *context, const rps_audit_row *row);    /* law by law; may be NULL */
    void (*note)(void *context, const rps_audit_note *note); /* after all rows; may be NULL */
    void *context;
} rps_audit_options;

typedef struct rps_audit_summary {
    size_t laws, rows;
    size_t undeclared; /* rows that create energy or break momentum without the law declaring it */
} rps_audit_summary;

RPS_API rps_audit_options rps_audit_options_default(void);
/* Tries the laws of the library: closed cycles, the cycle of Elata & Berryman, radial unloading, cycles of the load,
 * impacts, a hold under a vibrating load, momentum. RPS_BAD_INPUT for a name that no law has. RPS_OK whatever the
 * verdicts. `summary` may be NULL. */
RPS_API rps_status rps_audit(const rps_audit_options *options, rps_audit_summary *summary, rps_error *err);

/* --- plot --------------------------------------------------------------------------------------------------------- */

typedef struct rps_plot_options {
    uint32_t size; /* set by rps_plot_options_default */
    /* runs: directories with a series.csv, or such tables; NAME=PATH names it in the legend */
    const char *const *series;
    size_t count;
    const char *x;        /* a column, "a/b", "strain(length)" (1 - length/first) or "log10(a)"; NULL: time */
    const char *const *y; /* one panel each; "a+b" draws both into one, which must then have one unit */
    size_t panels;
    double from, until;  /* s; NAN: from the first row, to the last */
    int mean;            /* so many rows make one point, their mean; 1 */
    const char *title;   /* NULL: none */
    const char *picture; /* file of the figure, replaced as a whole: PNG or PDF if its name ends so, else SVG */
} rps_plot_options;

RPS_API rps_plot_options rps_plot_options_default(void);
/* Draws series of runs against each other. RPS_BAD_INPUT for a missing column, a file that is not a table, or nothing
 * to draw; RPS_IO_ERROR for files; RPS_UNSUPPORTED if gnuplot is missing or fails. */
RPS_API rps_status rps_plot(const rps_plot_options *options, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
