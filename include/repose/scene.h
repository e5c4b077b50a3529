/*
 * From a scene to a world that the program steps itself.
 *
 *     rps_scene_open          reads and checks the text of a scene
 *     rps_simulation_create   builds a world from it, with all that the scene says of it
 *     rps_simulation_step     steps: insertion, drives, stages, probes, checks and guards go on as in rps_run
 *     rps_simulation_probe    reads what the scene observes
 *     rps_simulation_world    gives the world, which the program may look at and change between steps
 *
 * A scene that is stepped so has, at each step, the very state (rps_world_hash), probes and checks that rps_run and the
 * command `repose run` have there, however the program divides the steps into calls. No files are written.
 *
 * Errors are values (status.h); those of a scene's text name file, line and column, and show the line with a caret. SI
 * units. Scenes and simulations share nothing that changes: several may be used at the same time in several threads, each
 * simulation in one thread at a time. Texts that a function hands out live as long as the scene or simulation, unless it
 * says otherwise.
 */
#ifndef REPOSE_SCENE_H
#define REPOSE_SCENE_H

#include <repose/step.h>

RPS_BEGIN_DECLS

/* The version of the library, as results record it; static text. */
RPS_API const char *rps_version(void);

/* --- the scene ---------------------------------------------------------------------------------------------------- */

/* A text that was read and checked. It never changes; any number of simulations can be made from it. */
typedef struct rps_scene rps_scene;

typedef struct rps_scene_options {
    uint32_t size;          /* set by rps_scene_options_default */
    const char *path;       /* scene file; NULL: `text` is the scene */
    const char *text;       /* the scene itself, if there is no path */
    size_t text_bytes;      /* length of `text` */
    const char *folder;     /* where relative paths in the scene begin; NULL: the folder of `path` */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    const char *until; /* end of the run as the scene would write it ("0.5 s"); NULL: as the scene says */
    /* Begins at this checkpoint, of rps_simulation_save or of a run: scene, variant and settings come from there and must
     * not be given, but for `until` (or a `set` of run.until), a later end. */
    const char *resume;
    const rps_law *const *law; /* of the program's own, which the scene names like a built-in one; NULL: none. They
                                * outlive the simulations */
    size_t laws;
    int threads; /* of each simulation; 0: as the scene says, else as many as the machine has; at most 4096 */
    int isa;     /* -1: the best that the machine has; 0 sse2, 1 avx2, 2 avx512 */
    const rps_allocator *allocator; /* of scene and simulations, which it outlives; NULL: the system's */
    /* Called while a simulation is created, which may take long; false ends that with RPS_STOPPED. NULL: never */
    bool (*proceed)(void *context);
    void *proceed_context;
    rps_log_fn log; /* warnings of the scene and the engine; NULL: silent */
    void *log_context;
} rps_scene_options;

RPS_API rps_scene_options rps_scene_options_default(void);
/* Reads and checks the text; the caller closes the scene. Texts of the options are read during the call only; laws, allocator and
 * callbacks are used as long as scene and simulations live. RPS_BAD_INPUT for a mistake in the text, a variant or setting that the scene does not
 * have, or a damaged checkpoint; RPS_IO_ERROR for files. */
RPS_API rps_status rps_scene_open(const rps_scene_options *options, rps_scene **scene, rps_error *err);
/* Simulations made from it stay as they are. NULL is fine. */
RPS_API void rps_scene_close(rps_scene *scene);
RPS_API const char *rps_scene_title(const rps_scene *scene); /* "" if it has none */
/* The variants of the text, whichever was opened. The name is NULL past the end. */
RPS_API size_t rps_scene_variant_count(const rps_scene *scene);
RPS_API const char *rps_scene_variant_name(const rps_scene *scene, size_t index);

/* --- the simulation ----------------------------------------------------------------------------------------------- */

/* A world, and what observes it. */
typedef struct rps_simulation rps_simulation;

/* Builds the world of the scene, at step 0 or where its checkpoint was; the caller destroys it. RPS_BAD_INPUT for what the
 * scene asks for and cannot be, and for a checkpoint that does not fit; RPS_IO_ERROR for files of particles. */
RPS_API rps_status rps_simulation_create(const rps_scene *scene, rps_simulation **simulation, rps_error *err);
RPS_API void rps_simulation_destroy(rps_simulation *simulation); /* NULL is fine */

/* The simulation's world, to look at and to change between steps: velocities, loads, gravity, drives, bodies that the
 * program adds. A change acts from the next step on; before the first call of rps_simulation_step it belongs to the
 * initial state. The world is stepped, started, restored and destroyed by the simulation alone: after a step of the
 * program's own rps_simulation_step refuses to go on. A stage of the scene sets its own drives and gravity when it begins.
 * NULL for NULL. */
RPS_API rps_world *rps_simulation_world(rps_simulation *simulation);

/* The id of a body that the scene names. RPS_BAD_INPUT for another name, or that of a set. */
RPS_API rps_status rps_simulation_body(const rps_simulation *simulation, const char *name, uint64_t *id,
                                       rps_error *err);

/* Takes `steps` steps, or fewer if the scene's end comes first: its time (run.until), rest (run.rest), or the end of its
 * last stage. The first call first evaluates the start, t = 0; with 0 steps it does nothing else. The contacts of the last
 * step of each call are kept if a probe needs them, or if rps_world_keep_contacts is on when the call begins.
 * RPS_BAD_INPUT past the end, or after a failure. RPS_GUARD if a guard stops the world: then, and after any other failure
 * of a step, the simulation can be read but not stepped, and its checks can be asked. */
RPS_API rps_status rps_simulation_step(rps_simulation *simulation, uint64_t steps, rps_error *err);
/* Steps to the step nearest to `time` (s), or to the scene's end if that comes first. At that step already, it does
 * nothing. RPS_BAD_INPUT for a time that has passed, or is infinite or NaN. */
RPS_API rps_status rps_simulation_step_until(rps_simulation *simulation, double time, rps_error *err);
/* Steps to the scene's end. */
RPS_API rps_status rps_simulation_finish(rps_simulation *simulation, rps_error *err);

typedef enum rps_run_end {
    RPS_END_UNTIL,   /* the time asked for was reached */
    RPS_END_REST,    /* all bodies are at rest (run: rest) */
    RPS_END_STAGES,  /* the last stage was over */
    RPS_END_STOPPED, /* of a run: a callback said so; of a simulation: it may go on */
    RPS_END_FAILED   /* a guard or another error stopped the run */
} rps_run_end;

typedef struct rps_simulation_state {
    bool started, ended;
    rps_run_end end; /* why it ended; RPS_END_STOPPED while it may go on */
    uint64_t steps;
    uint64_t last_step;       /* at the latest: at which run.until falls, or the longest that all stages may last */
    double time, step, until; /* s; until: of the last step, at the latest */
    uint64_t bodies;
    size_t contacts;
    bool inserting; /* some set is not complete */
    size_t stage;   /* index of the present one; the number of stages after the last one, and where there are none */
} rps_simulation_state;
RPS_API rps_status rps_simulation_get_state(const rps_simulation *simulation, rps_simulation_state *state,
                                            rps_error *err);

/* --- probes ------------------------------------------------------------------------------------------------------- */

typedef struct rps_probe_info {
    const char *name, *unit, *quantity;
    bool every_step;     /* some check watches it every step */
    bool needs_contacts; /* it is read from the contacts of the last step, which must have been kept */
    bool may_lack;       /* it can be that it has no value */
} rps_probe_info;

/* The last value of a probe. */
typedef struct rps_probe_row {
    const char *name, *quantity, *unit; /* live during the call of a run; as long as a simulation */
    double value;                       /* in that unit; NAN where it has none, and then */
    const char *undefined;              /* why; "" if it has one */
} rps_probe_row;

RPS_API size_t rps_simulation_probe_count(const rps_simulation *simulation);
/* NULL past the end. */
RPS_API const rps_probe_info *rps_simulation_probe_info(const rps_simulation *simulation, size_t index);
/* The present value of a probe, in its unit (rps_simulation_probe_info). Any probe can be read after any call of
 * rps_simulation_step; what checks watch does not depend on it. RPS_NO_VALUE, with *value NAN and a sentence that says
 * why, where the probe has none now. RPS_BAD_INPUT for a name that the scene does not have, before the first step call, and
 * for a probe that needs contacts after a checkpoint until the next step. */
RPS_API rps_status rps_simulation_probe(rps_simulation *simulation, const char *name, double *value, rps_error *err);
/* All probes at once, in the order of the scene, which reads the energy ledger once for all of them. Fills at most
 * `capacity` rows (`rows` may be NULL if that is 0). *count: how many there are. */
RPS_API rps_status rps_simulation_probes(rps_simulation *simulation, rps_probe_row *rows, size_t capacity,
                                         size_t *count, rps_error *err);

/* --- checks, stages, insertion ------------------------------------------------------------------------------------ */

/* The result of one check of a scene. */
typedef struct rps_check_row {
    const char *scene, *variant, *check, *unit, *source; /* variant "": the scene as it stands */
    double expected, measured, tolerance;                /* NAN where that makes no sense */
    bool judged;       /* false: the run ended before its time, and the rest of it could change the verdict */
    bool passed;       /* false unless judged */
    const char *error; /* why the scene could not be run; NULL otherwise */
    const char *note;  /* why nothing was measured, "" or NULL otherwise */
    const char *known; /* why the scene expects this check to fail, NULL otherwise; such a failure is not counted.
                        * If the check passes all the same, the declaration is out of date */
} rps_check_row;

/* Checks that apply to the variant. */
RPS_API size_t rps_simulation_check_count(const rps_simulation *simulation);
/* The verdict. Before the end, a check whose verdict the rest of the run could change is not judged. The texts of the row
 * live until the next call with this simulation. RPS_BAD_INPUT past the end of the checks. */
RPS_API rps_status rps_simulation_check(rps_simulation *simulation, size_t index, rps_check_row *row, rps_error *err);

typedef struct rps_stage_info {
    const char *name, *why; /* why it ended: "done", "limit"; "" if it has not */
    bool begun, ended;
    uint64_t from, to; /* steps */
} rps_stage_info;
RPS_API size_t rps_simulation_stage_count(const rps_simulation *simulation);
/* RPS_BAD_INPUT past the end. */
RPS_API rps_status rps_simulation_stage(const rps_simulation *simulation, size_t index, rps_stage_info *stage,
                                        rps_error *err);

/* A set of particles that comes during the run. */
typedef struct rps_insertion_info {
    const char *set;
    uint64_t done, count;
    double late; /* s, the most that a particle came after its time */
} rps_insertion_info;
RPS_API size_t rps_simulation_insertion_count(const rps_simulation *simulation);
/* RPS_BAD_INPUT past the end. */
RPS_API rps_status rps_simulation_insertion(const rps_simulation *simulation, size_t index,
                                            rps_insertion_info *insertion, rps_error *err);

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

/* Writes the world and all that observes it to a file, which replaces one of that name when it is complete: what
 * rps_scene_open resumes, and rps_run and `repose run --resume` too, there into a folder of its own since no results lie
 * beside it. RPS_BAD_INPUT before the start and after a failure. */
RPS_API rps_status rps_simulation_save(const rps_simulation *simulation, const char *path, rps_error *err);

RPS_END_DECLS

#endif
