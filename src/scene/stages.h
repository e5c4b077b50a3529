/*
 * Stages: the consecutive parts of a run, each with its changes and the condition that ends it.
 */
#ifndef RPS_SCENE_STAGES_H
#define RPS_SCENE_STAGES_H

#include "scene/scene_internal.h"

typedef enum rps_stage_until {
    RPS_STAGE_OPEN,  /* the last stage: to the end of the run */
    RPS_STAGE_TIME,  /* after a time */
    RPS_STAGE_PROBE, /* a probe lies between bounds */
    RPS_STAGE_REST,  /* kinetic energy over elastic energy */
    RPS_STAGE_SPEED  /* of the fastest grain */
} rps_stage_until;

/* Why a stage ended; state. */
typedef enum rps_stage_why { RPS_STAGE_RUNS, RPS_STAGE_DONE, RPS_STAGE_LIMIT, RPS_STAGE_WHYS } rps_stage_why;

typedef struct rps_stage_drive {
    uint64_t id;
    rps_drive drive;
    const rps_node *node;
} rps_stage_drive;

typedef struct rps_stage {
    const char *name;
    const rps_node *node;
    rps_stage_until until;
    double time, limit, after; /* s; limit infinite: none, or that of `time` */
    double value;              /* of rest and speed */
    double above, below;       /* of a probe; NAN: none */
    size_t probe;
    bool passes; /* at the limit: true, the next stage begins; false, the run fails */
    bool has_gravity;
    double gravity[3];
    rps_stage_drive *drive;
    size_t drives;
    uint64_t *place; /* ids of planes */
    size_t places;
    uint64_t end; /* state: step */
    int why;      /* state */
} rps_stage;

#endif
