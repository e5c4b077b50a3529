/* The state of a world as sections of a checkpoint, generated from the field tables.
 *
 * The state holds the body fields flagged for it, the existing contacts with their memory, time and energy accounts.
 * It also describes the set-up of the world (materials, laws, drives), which is only compared on restore. Lists are
 * rebuilt. */
#ifndef RPS_IO_STATE_H
#define RPS_IO_STATE_H

#include "io/checkpoint.h"
#include "world/world.h"

/* Adds the sections of a world. */
rps_status rps_state_save(const rps_world *world, rps_serializer *serializer, rps_error *err);
/* Restores the saved state into a world with the same set-up (step, materials, pairs, groups, exclusions, drives) and
 * replaces its bodies. The hash of the state then equals the saved one. RPS_BAD_INPUT, with the world unchanged, if
 * the set-up or content does not match; after any other failure the world can only be destroyed. */
rps_status rps_state_restore(rps_world *world, const rps_checkpoint *checkpoint, rps_error *err);

typedef struct rps_state_info {
    uint64_t steps, bodies, contacts;
    double time, step; /* s */
    uint64_t hash[2];  /* of the state, high word first */
} rps_state_info;
/* Reads the description of the state in a checkpoint; needs no world. */
rps_status rps_state_look(const rps_checkpoint *checkpoint, rps_state_info *out, rps_error *err);

#endif
