/*
 * A check as its files see it: check_read.c reads it from the scene, checks.c watches its probe and gives the verdict.
 */
#ifndef RPS_SCENE_CHECK_H
#define RPS_SCENE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scene/quantity.h"

/* How a check reduces its probe; the last is no reduction: a guard must stop the run. */
typedef enum rps_reducer {
    AT,
    FINAL,
    MIN,
    MAX,
    MEAN,
    RMS,
    RATE,
    BECOMES,
    CROSSES,
    ALWAYS,
    NEVER,
    REDUCERS,
    STOPS
} rps_reducer;

/* Its state while it watches. */
typedef struct rps_check_memory {
    int32_t has_last, has_result, seen; /* seen: a value was there, at any time */
    int32_t violated;
    double last_time, last, result, integral, span;
    double when;     /* s, of the result of min and max */
    int32_t absence; /* why the probe had no value when it last had none, or at the time of `at`; rps_absence */
} rps_check_memory;

struct rps_check {
    const rps_node *node;
    const char *name, *variant, *unit, *source;
    size_t probe;
    rps_reducer reduce;
    bool applies, is_time, is_mode;
    bool all_steps;      /* every step matters */
    bool of_measure;     /* need not expect anything */
    int stage;           /* -1: the whole run; else times count from the beginning of this stage */
    bool watched;        /* of this variant, though it may ask for a time after the end: the run may be made longer */
    double from, to;     /* s, window; of AT both are its time */
    double after;        /* s; below 0: from the first step on */
    bool when;           /* of min and max: the time is the result */
    double block;        /* s, of min and max: means over blocks of this length; 0: values */
    double value;        /* of becomes and crosses */
    int direction;       /* 0 any, 1 up, 2 down */
    double above, below; /* bounds of the result, or of always and never; NAN: none */
    double expected, tolerance; /* NAN: no expectation */
    int guard;                  /* of STOPS, which has no probe */
    rps_check_memory memory;
};

#endif
