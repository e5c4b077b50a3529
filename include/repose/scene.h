/*
 * From a scene to a world that the program steps itself.
 */
#ifndef REPOSE_SCENE_H
#define REPOSE_SCENE_H

#include <repose/step.h>

RPS_BEGIN_DECLS

typedef struct rps_scene rps_scene;
typedef struct rps_simulation rps_simulation;

typedef enum rps_run_end {
    RPS_END_UNTIL,   /* the time asked for was reached */
    RPS_END_REST,    /* all bodies are at rest (run: rest) */
    RPS_END_STAGES,  /* the last stage was over */
    RPS_END_STOPPED, /* a callback said so */
    RPS_END_FAILED   /* a guard or another error stopped the run */
} rps_run_end;

/* What one check of a scene said. Text lives during the call. */
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

/* The last value of a probe; NAN where it has none. */
typedef struct rps_probe_row {
    const char *name, *quantity, *unit; /* live during the call */
    double value;                       /* in that unit */
    const char *undefined;              /* why it has no value; "" if it has one */
} rps_probe_row;

RPS_END_DECLS

#endif
