/*
 * A scene: the text that describes a world, how long to run it, what to record and what to check.
 *
 * Loading reads the YAML, applies a variant and --set, and validates it against one schema table (schema.c). Building
 * creates the world. The layer above (run) drives the steps: it calls rps_scene_before_step before every step, and the
 * probes and checks after it.
 */
#ifndef RPS_SCENE_SCENE_H
#define RPS_SCENE_SCENE_H

#include <repose/scene.h>

#include "base/text.h"
#include "io/checkpoint.h"
#include "language/tree.h"
#include "step/step_stages.h"

/* An included file: its path from the folder of the scene, and its text. */
typedef struct rps_scene_included {
    const char *path, *text;
    size_t bytes;
} rps_scene_included;

typedef struct rps_scene_load_options {
    const char *path; /* the file; NULL: `text` is the scene */
    const char *text; /* of text_bytes bytes; `path` is then only a name */
    size_t text_bytes;
    const char *folder;     /* base of relative paths in the scene; NULL: the folder of `path` */
    const char *variant;    /* NULL: none */
    const char *const *set; /* "path=value", in order, after the variant */
    size_t sets;
    const char *until;         /* end of the run, as written in a scene; applied after `set`; NULL: unchanged */
    const rps_law *const *law; /* the program's own laws, available to the scene; must outlive it */
    size_t laws;
    const rps_scene_included *included; /* texts of included files, instead of those on disk; NULL: read them */
    size_t includes;
    const struct rps_scene_kept *kept; /* of a resumed run; NULL: the scene decides */
    int threads;                       /* 0: as the machine has */
    rps_scheduler scheduler;           /* of the tasks of a world; zeros: OpenMP */
    int isa;                           /* -1: best */
    rps_log_fn log;                    /* warnings, each with its place */
    void *log_context;
    bool (*proceed)(void *context); /* polled while the world is built; false: RPS_STOPPED. NULL: not polled */
    void *proceed_context;
    const rps_allocator *allocator; /* for scene and world; NULL: the system's */
    /* For sweeps: these measures replace the checks of the scene. Each is the name of a measure, a probe (final
     * value), a quantity of the world (final value) or a check, or NAME={measure}; none: all of the block. */
    bool sweep;
    const char *const *measure;
    size_t measures;
    const char *const *vary; /* as `set`, after it */
    size_t varies;
} rps_scene_load_options;

/* The writers of a run (writer_list.inc). */
enum {
#define RPS_WRITER(name, share, shown, item, meaning) RPS_WRITER_##name,
#include "language/writer_list.inc"
#undef RPS_WRITER
    RPS_WRITERS
};

/* Values that a resumed run keeps even if its end changes, although a scene may derive them from its end. Times in
 * s. */
typedef struct rps_scene_kept {
    double step;               /* above 0 */
    double every[RPS_WRITERS]; /* of a writer; negative: as the scene says */
} rps_scene_kept;

/* Reads the scene, applies the variant and `set`, and validates it. The error names file, line and column and shows
 * the line with a caret. */
rps_status rps_scene_load(const rps_scene_load_options *options, rps_scene **scene, rps_error *err);
void rps_scene_free(rps_scene *scene);
/* A copy of this scene as it was after loading, to build another world. Both share the text. */
rps_status rps_scene_again(const rps_scene *scene, rps_scene **again, rps_error *err);
/* Sets the checkpoint from which worlds of the scene start; `extended`: to a new end. */
void rps_scene_resumes(rps_scene *scene, rps_checkpoint *from, bool extended);
/* The loaded variant; "" if none. */
const char *rps_scene_variant(const rps_scene *scene);
/* Creates the world: bodies, pairs, step (given or chosen). Call once. The scene keeps what insertion and probes
 * need. */
rps_status rps_scene_build(rps_scene *scene, rps_world **world, rps_error *err);

/* A parameter of the scene and its value as text; false past the last. */
bool rps_scene_parameter(const rps_scene *scene, size_t index, const char **name, const char **value);
/* Does the pair of two materials come from an entry with `all`? Then its `between`, as text. */
bool rps_scene_pair_by_default(const rps_scene *scene, const char *a, const char *b, char *out, size_t bytes);
/* The rule by which a parameter of their pair is mixed; NULL: it is not. */
const char *rps_scene_pair_mix(const rps_scene *scene, const char *a, const char *b, rps_role role,
                               const char *parameter);

/* Settings of the run loop. Times in s; 0: never. They become whole numbers of steps once the step is known. */
typedef struct rps_scene_run {
    const char *title, *path;
    const char *source; /* text of the scene as read */
    size_t source_bytes;
    const rps_scene_included *included; /* files */
    size_t includes;
    const char *included_text; /* of all, each below its path; NULL: none */
    size_t included_bytes;
    double until;              /* s */
    double step;               /* s, after build; divides `until` evenly unless the step was kept */
    bool step_chosen;          /* by the program */
    double step_wanted;        /* s, as given, before rounding; 0 if chosen */
    double first_step;         /* s, before the first stage changed it */
    rps_step_clock clock;      /* as the world's; its step is `step` */
    double every[RPS_WRITERS]; /* s of simulated time between outputs, by writer */
    bool writes[RPS_WRITERS];  /* it writes, now or in some stage */
    double checkpoint;  /* s of wall time between checkpoints; 0: at the end only; negative: chosen by their cost */
    const double *dump; /* s, of steps whose contact problems are written */
    size_t dumps;
    bool stage_states;                                 /* the state at the end of each stage is kept */
    uint64_t surface;                                  /* triangles per body, spheres excepted; 0: no surfaces */
    const char *const *fields, *const *contact_fields; /* fields in a frame; none: all */
    size_t field_count, contact_field_count;
    bool no_contacts, single; /* frames without contacts; frames in single precision */
    bool vtkhdf;              /* descriptions of frames as VTKHDF */
    const char *particles;    /* file of the free spheres at the end; NULL: none */
    double
        rest; /* stop when the kinetic energy of every free body is below rest * m g d and no insertion is pending; 0: run to until */
    double accuracy;   /* accuracy of impacts that a chosen step must keep; 0: not required */
    rps_impact impact; /* valid after build: the least accurate impact. step 0: no step was computed for it */
    /* of a step that the program chose, in s; 0: none */
    double stable_step;           /* which stability alone would allow */
    rps_impact stable_impact;     /* with it */
    double relaxed, relaxed_step; /* a lower accuracy, and the step it would allow */
    double softer, softer_step;   /* a lower `damping` of the limiting mode, and the step then stable */
    rps_step_limit limit;         /* valid after build; ids UINT64_MAX: bodies inserted later */
} rps_scene_run;
const rps_scene_run *rps_scene_get_run(const rps_scene *scene);
/* schedule.c: true if this step is the nearest one to some multiple of the interval (s of simulated time, 0: never). */
bool rps_schedule_due(double interval, rps_step_clock clock, uint64_t number);
/* True if this step is the nearest one to the time, s. */
bool rps_schedule_at(double time, rps_step_clock clock, uint64_t number);

/* --- insertion --- */
/* Adds the bodies due at the current time of the world. *added: their number. */
rps_status rps_scene_insert(rps_scene *scene, rps_world *world, size_t *added, rps_error *err);
/* All that comes and goes between two steps: sinks take the bodies in them, then rps_scene_insert. Call before every
 * step, and rps_scene_after_step after it, which counts what crossed planes of flow. */
rps_status rps_scene_before_step(rps_scene *scene, rps_world *world, size_t *added, rps_error *err);
rps_status rps_scene_after_step(rps_scene *scene, const rps_world *world, rps_error *err);
/* Questions to a body after a step: of each flow its side, of each zone whether it lies inside. A body passes where a
 * number changes, or where it lies in a sink (true). Only free bodies are asked. */
size_t rps_scene_watches(const rps_scene *scene);
bool rps_scene_watch_body(const rps_scene *scene, const rps_world *world, size_t slot, double *number);
/* False if rps_scene_after_step must see every step: a flow within an outline needs the positions before it. */
bool rps_scene_can_watch(const rps_scene *scene);
/* True if the next step begins with bodies that a sink takes. */
bool rps_scene_sinks_take(const rps_scene *scene, const rps_world *world);
/* By group: whether one of its bodies comes, goes, is held or released on its own; *groups: how many. */
const bool *rps_scene_unsteady_groups(const rps_scene *scene, size_t *groups);
/* True if the scene removes bodies; if it changes laws, materials or kinds of bodies: the ledger then has such a column. */
bool rps_scene_removes(const rps_scene *scene);
bool rps_scene_changes(const rps_scene *scene);
/* Number of the present stage. */
size_t rps_scene_stage_now(const rps_scene *scene);
/* Gives a world that has not started the materials and pairs of a stage. */
rps_status rps_scene_set_laws(const rps_scene *scene, rps_world *world, size_t stage, rps_error *err);
/* True if it has a fluid at some time. */
bool rps_scene_immersed(const rps_scene *scene);
/* True if the scene has planes of flow, sinks or zones, so that every step must be seen. */
bool rps_scene_has_traffic(const rps_scene *scene);
/* Counts of the scene: of a flow, sink, zone or source, by its name, and the step after which each began. */
size_t rps_scene_counts(const rps_scene *scene);
void rps_scene_count_at(const rps_scene *scene, size_t index, const char **what, const char **name, uint64_t *begun);
size_t rps_scene_sinks(const rps_scene *scene);
/* The name of a sink, and the number and mass (kg) of the bodies that it has taken. */
void rps_scene_sink_at(const rps_scene *scene, size_t index, const char **name, double *number, double *mass);
/* True if bodies are due at this time, s. */
bool rps_scene_insert_due(const rps_scene *scene, double time);
/* True while any insertion is unfinished. */
bool rps_scene_pending(const rps_scene *scene);
/* Insertions. One is behind if grains are missing, or came late by more than a twentieth of the planned duration. The
 * sentence that says so has no comma and no full stop and lives as long as the scene; NULL: not behind. */
size_t rps_scene_insertions(const rps_scene *scene);
void rps_scene_insertion_at(const rps_scene *scene, size_t index, rps_insertion_info *out);
const char *rps_scene_insertion_behind(rps_scene *scene, size_t index);
/* kg, of the particles that it has inserted; NAN: not known. */
double rps_scene_insertion_mass(const rps_scene *scene, size_t index);
/* A class of sizes of a set: radii (m) or scales from, to, the particles inserted so far, and their part of all, of the
 * mass or the number, as asked and as it came. False past the last class. */
typedef struct rps_size_part {
    double from, to, asked, came;
    uint64_t number;
    bool by_mass;
} rps_size_part;
bool rps_scene_insertion_part(const rps_scene *scene, size_t index, size_t part, rps_size_part *out);
/* The body that a set inserts; its size and place are those of none in particular. */
const rps_body_def *rps_scene_insertion_body(const rps_scene *scene, size_t index);
/* The number of bodies after all insertions have finished. */
uint64_t rps_scene_body_total(const rps_scene *scene);

/* --- stages --- */
/* Tells whether the current stage ends at this step, given the values of the probes, and records it. RPS_BAD_INPUT if
 * its limit is reached before its condition is met. */
rps_status rps_scene_stage_over(rps_scene *scene, rps_world *world, const double *value, bool *over, rps_error *err);
/* Begins the next stage; *more is false if there is none. */
rps_status rps_scene_stage_next(rps_scene *scene, rps_world *world, bool *more, rps_error *err);
/* Is the condition of the current stage evaluated at this step number? Can the run end there? */
bool rps_scene_stage_looks(const rps_scene *scene, uint64_t step);
bool rps_scene_stage_may_end_run(const rps_scene *scene, uint64_t step);
size_t rps_scene_stage_count(const rps_scene *scene);
void rps_scene_stage(const rps_scene *scene, size_t index, rps_stage_info *out);
/* The condition of a stage, as the end of a sentence: "2 s have passed". */
void rps_scene_stage_until(const rps_scene *scene, size_t index, char *text, size_t size);
/* One of the changes that a stage makes, as a line of words; stage -1: what happens at times. False past the last. */
bool rps_scene_change_words(const rps_scene *scene, int stage, size_t index, char *text, size_t size);

/* --- across a restart --- */
/* Adds the sections of the scene: its text, the files it read, the progress of insertions, the memory of checks.
 * rps_state_save adds the state of the world. */
rps_status rps_scene_save(const rps_scene *scene, const rps_world *world, rps_serializer *serializer, rps_error *err);
/* Restores the saved state into a scene just built from the saved text, and its world. After a failure both can only
 * be freed. */
rps_status rps_scene_restore(rps_scene *scene, rps_world *world, const rps_checkpoint *checkpoint, rps_error *err);

/* --- probes --- */
size_t rps_scene_probe_count(const rps_scene *scene);
const rps_probe_info *rps_scene_probe(const rps_scene *scene, size_t index);
/* Current value of a probe; NAN if it has none (such as a contact that does not exist now). */
rps_status rps_scene_probe_value(rps_scene *scene, rps_world *world, size_t index, double *value, rps_error *err);
/* Why the last reading had no value, without a comma; "" if it had one. Static text. */
const char *rps_scene_probe_absence(const rps_scene *scene, size_t index);

/* --- checks --- */
/* Updates the checks. Call after the start (step 0), after every step at which some probe is due (all steps if
 * every_step), and once more with all probes read when the run ends for any reason. `value` has one entry per probe;
 * entries with `read[i] == false` are ignored. A second call for the same time does nothing. */
rps_status rps_scene_watch(rps_scene *scene, double time, const double *value, const bool *read, rps_error *err);
/* True if the probe must be read at this step number (series, at:, means, becomes ...). */
bool rps_scene_probe_due(const rps_scene *scene, size_t index, uint64_t step);

/* Reports that a step failed with RPS_GUARD and this message. True if a check of this variant expects a guard to stop
 * the run and a guard of the world did; the checks then judge whether it was the right one. */
bool rps_scene_stopped(rps_scene *scene, const rps_world *world, const char *text);

/* Reports how ("stopped", "failed", "is") and when (s) a run ended early. A check is not judged if the missing part
 * could change its verdict. NULL: the run reached its end. */
void rps_scene_cut(rps_scene *scene, const char *how, double time);

typedef struct rps_check_result {
    const char *name;                     /* "slip_friction at 0.02 s" */
    const char *variant;                  /* "" if none */
    double expected, measured, tolerance; /* absolute; tolerance >= 0; NAN: not applicable */
    const char *unit;
    const char *source;
    const char *note; /* why there is no measurement ("the probe never had a value"), else "" */
    bool applies;     /* false: belongs to another variant */
    bool judged;      /* false: the run ended early with the verdict still open; see `note` */
    bool passed;      /* false unless judged */
} rps_check_result;
size_t rps_scene_check_count(const rps_scene *scene);
bool rps_scene_check_applies(const rps_scene *scene, size_t index);
/* Call after the run; also evaluates the ledger and other built-in checks of the scene. */
rps_status rps_scene_check(rps_scene *scene, size_t index, rps_check_result *out, rps_error *err);
/* Releases the notes of earlier verdicts and the text from rps_scene_insertion_behind. */
void rps_scene_forget_notes(rps_scene *scene);

/* --- sweeps: for scenes loaded with `sweep` --- */
/* The block `sweep`, as text; it lives as long as the scene. */
typedef struct rps_sweep_vary {
    const char *path, *label; /* label NULL: none */
    const char **also;        /* other paths that take the same value */
    size_t alsos;
    const char *from, *to; /* NULL: `value` */
    size_t count;
    const char **value;
} rps_sweep_vary;
typedef struct rps_sweep_curve {
    const char *label;
    const double (*point)[2];
    size_t points;
    bool marks;
} rps_sweep_curve;
typedef enum rps_sweep_picture { RPS_PICTURE_MAP, RPS_PICTURE_CURVES, RPS_PICTURE_CHOSEN } rps_sweep_picture;
typedef struct rps_scene_sweep {
    rps_sweep_vary *vary;
    size_t varies;
    const char *find, *find_label, *low, *high, *within; /* find NULL: none */
    rps_sweep_curve *curve;
    size_t curves;
    rps_sweep_picture picture;
} rps_scene_sweep;
const rps_scene_sweep *rps_scene_get_sweep(const rps_scene *scene);

/* A check over the runs of a sweep. */
typedef enum rps_sweep_take { RPS_SWEEP_MEAN, RPS_SWEEP_SD, RPS_SWEEP_MIN, RPS_SWEEP_MAX } rps_sweep_take;
enum { RPS_SWEEP_WHERE = 4 };
typedef struct rps_sweep_setting {
    const char *path, *value;
} rps_sweep_setting;
typedef struct rps_sweep_check {
    const char *name, *source, *known; /* known NULL: not declared */
    rps_sweep_take take;
    rps_sweep_setting where[RPS_SWEEP_WHERE], minus; /* minus.path NULL: none */
    size_t wheres;
    double expected, tolerance, above, below; /* NAN: not given */
    rps_place place;
} rps_sweep_check;
size_t rps_scene_sweep_checks(const rps_scene *scene);
const char *rps_scene_sweep_measure(const rps_scene *scene, size_t index); /* the measure that it judges */
const char *rps_scene_sweep_over(const rps_scene *scene, size_t index);    /* divisor of the measure; NULL: none */
rps_place rps_scene_sweep_place(const rps_scene *scene, size_t index);
/* Reads one check; its measure has that unit. */
rps_status rps_scene_sweep_check(const rps_scene *scene, size_t index, const char *unit, rps_sweep_check *out,
                                 rps_error *err);

/* The columns that a run records; valid after build. */
typedef enum rps_measure_kind { RPS_MEASURE_NUMBER, RPS_MEASURE_VERDICT, RPS_MEASURE_CLASS } rps_measure_kind;
typedef struct rps_measure_info {
    const char *name, *unit; /* unit "" for verdicts and classes */
    rps_measure_kind kind;
} rps_measure_info;
size_t rps_scene_measure_count(const rps_scene *scene);
const rps_measure_info *rps_scene_measure(const rps_scene *scene, size_t index);
/* After the run: the number in its unit, 0 or 1 for a verdict, the index of a class; NAN if there is none. *decided:
 * no later step can change it, so that it can also be read before the end. */
double rps_scene_measure_value(rps_scene *scene, size_t index, bool *decided);
/* Why a measure lacks a value that it should have; NULL if it has one, or is the time of an event that never
 * happens. */
const char *rps_scene_measure_absence(rps_scene *scene, size_t index);
/* The words for verdicts and classes, static text; NULL past the end and for numbers. */
const char *rps_measure_word(rps_measure_kind kind, int value);

/* --- tables, for list and docs --- */
/* One key of a scene file. In a path "[]" stands for list items and "*" for user-chosen names; the parameters of a
 * law follow its role: "pairs[].slide.static" with law "tracked". */
typedef struct rps_scene_key {
    char path[96];
    char type[160];         /* "quantity", "list of 3 quantities, or one of: none" ... */
    const char *unit;       /* SI unit; "1" for a pure number; "" if not applicable */
    char default_value[64]; /* default, "required", or "" */
    const char *meaning;
    const char *law; /* the law that has this parameter; "" for other keys */
} rps_scene_key;
size_t rps_scene_key_count(void);
/* Fills *out; false past the end. */
bool rps_scene_key_at(size_t index, rps_scene_key *out);
typedef struct rps_quantity_info {
    const char *name, *of, *unit,
        *meaning; /* of: "contact", "body", "joint", "flow", "sink", "zone", "source", "force", "world" */
} rps_quantity_info;
size_t rps_quantity_count(void);
const rps_quantity_info *rps_quantity_at(size_t index);
/* Appends the JSON Schema of scene files, generated from the schema table. */
rps_status rps_scene_json_schema(rps_text *out, rps_error *err);

#endif
