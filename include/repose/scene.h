/*
 * Loading a scene into a world that the program steps itself.
 *
 *     rps_scene_open          reads and checks the text of a scene
 * rps_simulation_create   builds the world of the scene
 * rps_simulation_step     steps it; insertion, drives, stages, probes, checks and guards work as in rps_run
 * rps_simulation_probe    reads a probe of the scene
 * rps_simulation_world    returns the world, which the program may read and change between steps
 *
 * At each step the state (rps_world_hash), probes and checks are identical to those of rps_run and the command
 * `repose run`, however the program divides the steps into calls. No files are written.
 *
 * Errors are values (status.h); errors in the text of a scene name file, line and column, and show the line with a
 * caret. SI units. Scenes and simulations share no mutable state: several may be used at the same time in several
 * threads, each simulation in one thread at a time. Returned strings live as long as the scene or simulation, unless
 * stated otherwise.
 */
#ifndef REPOSE_SCENE_H
#define REPOSE_SCENE_H

#include <repose/step.h>

RPS_BEGIN_DECLS

/* The version of the library, as results record it; static text. */
RPS_API const char *rps_version(void);

/* --- the scene ---------------------------------------------------------------------------------------------------- */

/* A scene that was read and checked. It is immutable; any number of simulations can be created from it. */
typedef struct rps_scene rps_scene;

typedef struct rps_scene_options {
    uint32_t size;          /* set by rps_scene_options_default */
    const char *path;       /* scene file; NULL: `text` is the scene */
    const char *text;       /* text of the scene, used without a path */
    size_t text_bytes;      /* length of `text` */
    const char *folder;     /* base of relative paths in the scene; NULL: the folder of `path` */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    const char *until; /* end of the run as the scene would write it ("0.5 s"); NULL: as the scene says */
    /* Starts from this checkpoint (of rps_simulation_save or of a run). Scene, variant and settings come from it and
     * must not be given, except `until` (or a `set` of run.until) for a later end. */
    const char *resume;
    /* user-defined laws, which the scene names like built-in ones; NULL: none. They must outlive the simulations */
    const rps_law *const *law;
    size_t laws;
    int threads;             /* of each simulation; 0: as the scene says, else one for each processor; at most 4096 */
    rps_scheduler scheduler; /* runs the tasks of each stage, as many as `threads`; zeros: OpenMP */
    int isa;                 /* -1: the best that the machine supports; 0 sse2, 1 avx2, 2 avx512 */
    const rps_allocator *allocator; /* for scene and simulations; must outlive them; NULL: the default */
    /* Called while a simulation is created, which may take long; returning false ends it with RPS_STOPPED. May be
     * NULL */
    bool (*proceed)(void *context);
    void *proceed_context;
    rps_log_fn log; /* warnings of the scene and the engine; NULL: silent */
    void *log_context;
} rps_scene_options;

RPS_API rps_scene_options rps_scene_options_default(void);
/* The laws of a shared library (law_file.h), as `laws: {file: PATH}` of a scene loads them. The file stays loaded to the end of
 * the process, and `law` points into it. RPS_BAD_INPUT for another file, for laws compiled with other headers, and for those
 * that are not whole. */
RPS_API rps_status rps_law_file_load(const char *path, const rps_law *const **law, size_t *laws, rps_error *err);

/* Reads and checks a scene; the caller closes it. Strings in the options are read during the call only; laws,
 * allocator and callbacks are used as long as scene and simulations live. RPS_BAD_INPUT for an error in the text, a
 * variant or setting that the scene does not have, or a damaged checkpoint; RPS_IO_ERROR for files. */
RPS_API rps_status rps_scene_open(const rps_scene_options *options, rps_scene **scene, rps_error *err);
/* Simulations created from the scene are not affected. NULL is allowed. */
RPS_API void rps_scene_close(rps_scene *scene);
RPS_API const char *rps_scene_title(const rps_scene *scene); /* "" if it has none */
/* All variants of the scene, independent of the one opened. The name is NULL past the end. */
RPS_API size_t rps_scene_variant_count(const rps_scene *scene);
RPS_API const char *rps_scene_variant_name(const rps_scene *scene, size_t index);

/* --- the simulation ----------------------------------------------------------------------------------------------- */

/* A world with the stages, insertion, probes and checks of its scene. */
typedef struct rps_simulation rps_simulation;

/* Builds the world of the scene, at step 0 or at the step of the checkpoint; the caller destroys the simulation.
 * RPS_BAD_INPUT for a scene that cannot be built and for a checkpoint that does not match it; RPS_IO_ERROR for
 * particle files. */
RPS_API rps_status rps_simulation_create(const rps_scene *scene, rps_simulation **simulation, rps_error *err);
RPS_API void rps_simulation_destroy(rps_simulation *simulation); /* NULL is allowed */

/* The simulation's world, which the program may read and change between steps: velocities, loads, gravity, drives,
 * added bodies. A change acts from the next step on; before the first call of rps_simulation_step it belongs to the
 * initial state. Only the simulation may step, start, restore or destroy the world: rps_simulation_step fails after
 * the program has stepped it directly. A stage of the scene sets its own drives and gravity when it begins. NULL for
 * NULL. */
RPS_API rps_world *rps_simulation_world(rps_simulation *simulation);

/* The id of a named body of the scene. RPS_BAD_INPUT for an unknown name, or the name of a set. */
RPS_API rps_status rps_simulation_body(const rps_simulation *simulation, const char *name, uint64_t *id,
                                       rps_error *err);

/* Takes `steps` steps, or fewer if the scene ends first: by time (run.until), rest (run.rest), or the end of its last
 * stage. The first call evaluates the initial state, t = 0, before it steps; with 0 steps it does nothing else. The
 * contacts of the last step of each call are kept if a probe needs them, or if rps_world_keep_contacts is on when the
 * call begins. RPS_BAD_INPUT past the end, or after a failure. RPS_GUARD if a guard stops the world: after this or
 * any other failure of a step, the simulation and its checks can be read, but it cannot be stepped. */
RPS_API rps_status rps_simulation_step(rps_simulation *simulation, uint64_t steps, rps_error *err);
/* Steps to the step nearest to `time` (s), or to the scene's end if that comes first. Does nothing if already there.
 * RPS_BAD_INPUT for a time that has passed, or is infinite or NaN. */
RPS_API rps_status rps_simulation_step_until(rps_simulation *simulation, double time, rps_error *err);
/* Steps to the scene's end. */
RPS_API rps_status rps_simulation_finish(rps_simulation *simulation, rps_error *err);

typedef enum rps_run_end {
    RPS_END_UNTIL,   /* the requested time was reached */
    RPS_END_REST,    /* all bodies are at rest (run: rest) */
    RPS_END_STAGES,  /* the last stage ended */
    RPS_END_STOPPED, /* a run: a callback requested it; a simulation: not at its end yet */
    RPS_END_FAILED   /* a guard or another error stopped the run */
} rps_run_end;

typedef struct rps_simulation_state {
    bool started, ended;
    rps_run_end end; /* why it ended; RPS_END_STOPPED before that */
    uint64_t steps;
    uint64_t last_step; /* upper bound: the step of run.until, or the sum of the longest durations of all stages */
    double time, step, until; /* s; until: time of last_step */
    uint64_t bodies;
    size_t contacts;
    bool inserting; /* some set is incomplete */
    size_t stage;   /* index of the present stage; the number of stages after the last one (0 if there are none) */
} rps_simulation_state;
RPS_API rps_status rps_simulation_get_state(const rps_simulation *simulation, rps_simulation_state *state,
                                            rps_error *err);

/* --- probes ------------------------------------------------------------------------------------------------------- */

typedef struct rps_probe_info {
    const char *name, *unit, *quantity;
    bool every_step;     /* some check reads it every step */
    bool needs_contacts; /* computed from the contacts of the last step, which must have been kept */
    bool may_lack;       /* it may have no value */
} rps_probe_info;

/* The last value of a probe. */
typedef struct rps_probe_row {
    const char *name, *quantity, *unit; /* valid during the callback of a run, or as long as the simulation */
    double value;                       /* in that unit; NAN: no value */
    const char *undefined;              /* reason why the value is missing; "" if it is not */
} rps_probe_row;

RPS_API size_t rps_simulation_probe_count(const rps_simulation *simulation);
/* NULL past the end. */
RPS_API const rps_probe_info *rps_simulation_probe_info(const rps_simulation *simulation, size_t index);
/* The present value of a probe, in its unit (rps_simulation_probe_info). Any probe can be read after any call of
 * rps_simulation_step; reading does not affect checks. RPS_NO_VALUE, with *value NAN and a sentence that says why, if
 * the probe has no value now. RPS_BAD_INPUT for an unknown name, before the first step call, and, until the step
 * after a checkpoint, for a probe that needs contacts. */
RPS_API rps_status rps_simulation_probe(rps_simulation *simulation, const char *name, double *value, rps_error *err);
/* All probes at once, in the order of the scene; the energy ledger is computed once for all of them. Fills at most
 * `capacity` rows (`rows` may be NULL if that is 0). *count: the number of probes. */
RPS_API rps_status rps_simulation_probes(rps_simulation *simulation, rps_probe_row *rows, size_t capacity,
                                         size_t *count, rps_error *err);

/* --- checks, stages, insertion ------------------------------------------------------------------------------------ */

/* The result of one check of a scene. */
typedef struct rps_check_row {
    const char *scene, *variant, *check, *unit, *source; /* variant "": the scene without a variant */
    double expected, measured, tolerance;                /* NAN where not applicable */
    bool judged;       /* false: the run ended early, and the rest of it could change the verdict */
    bool passed;       /* false unless judged */
    const char *error; /* why the scene could not be run; NULL otherwise */
    const char *note;  /* why nothing was measured, "" or NULL otherwise */
    /* why the scene expects this check to fail, else NULL; such a failure is not counted. If the check passes, the
     * declaration is out of date */
    const char *known;
} rps_check_row;

/* Checks that apply to the variant. */
RPS_API size_t rps_simulation_check_count(const rps_simulation *simulation);
/* The verdict of a check. Before the end of the run, a check is not judged if the rest of the run could change its
 * verdict. The strings of the row live until the next call with this simulation. RPS_BAD_INPUT past the end. */
RPS_API rps_status rps_simulation_check(rps_simulation *simulation, size_t index, rps_check_row *row, rps_error *err);

typedef struct rps_stage_info {
    const char *name, *why; /* why it ended: "done", "limit"; "" before that */
    bool begun, ended;
    uint64_t from, to;         /* steps */
    double from_time, to_time; /* s, of these */
} rps_stage_info;
RPS_API size_t rps_simulation_stage_count(const rps_simulation *simulation);
/* RPS_BAD_INPUT past the end. */
RPS_API rps_status rps_simulation_stage(const rps_simulation *simulation, size_t index, rps_stage_info *stage,
                                        rps_error *err);

/* A set of particles that is inserted during the run. */
typedef struct rps_insertion_info {
    const char *set;
    uint64_t done, count;
    double late; /* s, largest delay of a particle */
} rps_insertion_info;
RPS_API size_t rps_simulation_insertion_count(const rps_simulation *simulation);
/* RPS_BAD_INPUT past the end. */
RPS_API rps_status rps_simulation_insertion(const rps_simulation *simulation, size_t index,
                                            rps_insertion_info *insertion, rps_error *err);

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

/* Writes the world and the state of its probes, checks and stages to a checkpoint; an existing file of that name is
 * replaced only when the new one is complete. rps_scene_open resumes from it, and so do rps_run and `repose run
 * --resume`, into a separate folder because no results lie beside it. RPS_BAD_INPUT before the start and after a
 * failure. */
RPS_API rps_status rps_simulation_save(const rps_simulation *simulation, const char *path, rps_error *err);

RPS_END_DECLS

#endif
