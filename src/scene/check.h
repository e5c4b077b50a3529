/*
 * A check, as its own files see it: check_read.c reads it from the scene, checks.c watches its probe and judges it.
 */
#ifndef RPS_SCENE_CHECK_H
#define RPS_SCENE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scene/quantity.h"

/* How a check reduces the values of its probe. STOPS reduces nothing: it expects a guard to stop the run. */
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
    int32_t has_last, has_result, seen; /* seen: the probe has had a value */
    int32_t violated;
    double last_time, last, result, integral, span;
    double when;     /* s, time of the result of min and max */
    int32_t absence; /* rps_absence: why the probe last had no value, or had none at the time of `at` */
} rps_check_memory;

struct rps_check {
    const rps_node *node;
    const char *name, *variant, *unit, *source;
    size_t probe;
    rps_reducer reduce;
    bool applies, is_time, is_mode;
    bool all_steps;             /* every step matters */
    bool of_measure;            /* of a measure: an expectation is optional */
    int stage;                  /* -1: the whole run; else times count from the start of this stage */
    bool watched;               /* of this variant; may ask for a time after the end, since the run can be extended */
    double from, to;            /* s, window; both equal the time of AT */
    double after;               /* s; negative: from the first step on */
    bool when;                  /* the result of min and max is their time */
    double block;               /* s, min and max of means over blocks of this length; 0: of values */
    double value;               /* of becomes and crosses */
    int direction;              /* 0 any, 1 up, 2 down */
    double above, below;        /* bounds of the result, or those of always and never; NAN: none */
    double expected, tolerance; /* NAN: no expectation */
    int guard;                  /* of STOPS, which has no probe */
    rps_check_memory memory;
};

#endif
