/* Tables of motion in CSV files, which drives of bodies, sets and stages name. */
#ifndef RPS_SCENE_MOTION_FILE_H
#define RPS_SCENE_MOTION_FILE_H

#include "scene/scene_internal.h"

/* One `table` of a drive, for its number in the world. */
typedef struct rps_scene_motion {
    const rps_node *node;
    int number;
    struct rps_scene_motion *next;
} rps_scene_motion;

/* Reads all tables into the world, before bodies are built. */
rps_status rps_build_motions(rps_scene *scene, rps_world *world, rps_error *err);
/* The number of the table of a node `table`; 0 if that is NULL. */
int rps_motion_of_node(const rps_scene *scene, const rps_node *node);
/* Warns of tables that the step does not resolve. */
void rps_motions_tell_step(const rps_scene *scene, const rps_world *world);

#endif
