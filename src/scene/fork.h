/* A fork: a simulation that begins from the state of another, with laws, stages and drives of its own. */
#ifndef RPS_SCENE_FORK_H
#define RPS_SCENE_FORK_H

#include "scene/simulation.h"

/* The state from which a run began, for its summary and its checkpoints. */
enum { RPS_ORIGIN_TEXT = 256 };
typedef struct rps_origin {
    char run[RPS_ORIGIN_TEXT];   /* the folder or checkpoint, without the path of the machine */
    char stage[RPS_ORIGIN_TEXT]; /* at whose end or in which it was; "" without stages */
    bool ended;                  /* at its end */
    double time;                 /* s */
    uint64_t step, hash[2];      /* of the state, high word first */
} rps_origin;

/* Takes over the world of `source`, a simulation with the state from which to begin, into one that was just built; the source
 * is of no use afterwards but to be released. Bodies and sets are matched by name; contacts keep their memories where the laws
 * stay. RPS_BAD_INPUT if the two scenes differ in what a fork cannot change, with the first difference. `run` names
 * the source. */
rps_status rps_simulation_fork(rps_simulation *simulation, rps_simulation *source, const char *run, rps_error *err);

/* The origin of a scene that was forked, or resumed from a checkpoint of such a run; NULL: none. */
const rps_origin *rps_scene_origin(const rps_scene *scene);
extern const char rps_scene_origin_name[], rps_scene_origin_time_name[], rps_scene_origin_words_name[];
rps_status rps_origin_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err);
rps_status rps_origin_restore(rps_scene *scene, const rps_checkpoint *c, rps_error *err);

#endif
