/* The state of a world as sections of a checkpoint, made from the field tables.
 *
 * Saved are the fields of bodies that are flagged so, contacts that exist with all that they remember, time and
 * accounts; and how the world was set up (materials, laws, drives), which is only compared when the state returns.
 * Lists are rebuilt. */
#ifndef RPS_IO_STATE_H
#define RPS_IO_STATE_H

#include "io/checkpoint.h"
#include "world/world.h"

/* Adds the sections of a world. */
rps_status rps_state_save(const rps_world *world, rps_serializer *serializer, rps_error *err);
/* Gives a world that was set up alike (step, materials, pairs, groups, exclusions, drives) the saved state; bodies that
 * it has are replaced. The hash of the state is then the one that was saved. RPS_BAD_INPUT, with the world untouched,
 * for a set-up or content that does not fit; after any other failure the world can only be destroyed. */
rps_status rps_state_restore(rps_world *world, const rps_checkpoint *checkpoint, rps_error *err);

typedef struct rps_state_info {
    uint64_t steps, bodies, contacts;
    double time, step; /* s */
    uint64_t hash[2];  /* of the state, high word first */
} rps_state_info;
/* The description of the state in a checkpoint, without a world. */
rps_status rps_state_look(const rps_checkpoint *checkpoint, rps_state_info *out, rps_error *err);

#endif
