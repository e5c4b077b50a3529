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
    const rps_node *root; /* the tree of the scene from here on; NULL: it sets nothing */
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
    uint64_t end;  /* state: step */
    int why;       /* state */
    uint64_t from; /* state: the step before its first one, the time then, and the length of its steps */
    double from_time, step;
} rps_stage;

/* stage_set.c: does the stage set something that the pattern of a path matches, or below it? "*": any part. */
bool rps_stage_sets(const rps_stage *stage, const char *pattern);
/* stage_world.c: does any stage set anything? Change the step? */
bool rps_stages_set(const rps_scene *scene);
bool rps_stages_change_step(const rps_scene *scene);
/* Tries the laws of all stages in a world of their own, so that faults are found before the run. */
rps_status rps_stages_check_laws(const rps_scene *scene, const rps_world *world, rps_error *err);
/* Changes what the stage sets, without the step; and the step, once all else has changed. */
rps_status rps_stage_change_world(rps_scene *scene, rps_world *world, size_t index, rps_error *err);
rps_status rps_stage_change_step(rps_scene *scene, rps_world *world, size_t index, rps_error *err);
/* stages.c: the number of the stage in a checkpoint. */
rps_status rps_stages_look(const rps_scene *scene, const rps_checkpoint *c, size_t *now, rps_error *err);
/* Sets a new world up as it was in stage `now`, with this step (s), to restore its state. */
rps_status rps_stages_prepare_restore(rps_scene *scene, rps_world *world, size_t now, double step, rps_error *err);

#endif
