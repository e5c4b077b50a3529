/*
 * Changes of a world between two steps after which its contacts go on under other laws, or between other kinds of bodies.
 *
 * rps_change_begin notes the contacts that exist, with their memories and the energy that they store. The caller then
 * changes pairs, materials or kinds of bodies, and rps_change_finish rebuilds the lists, gives the contacts back
 * what they remember, evaluates the loads at the same places, and books the energy that the change brought.
 */
#ifndef RPS_STEP_CHANGE_H
#define RPS_STEP_CHANGE_H

#include "world/world.h"

/* A contact under the old laws; its state numbers stand in `state`. */
typedef struct rps_changed_contact {
    uint64_t id[2];
    rps_subkey subkey;
    int pair;
    rps_record record;
} rps_changed_contact;

typedef struct rps_change {
    const rps_allocator *allocator;
    rps_pair_setup *pair; /* as they were */
    size_t pairs;
    rps_changed_contact *contact;
    double *state; /* `lanes` numbers of each */
    size_t contacts, lanes;
    double stored; /* J */
    bool acts;     /* the world has started, so that something is noted */
} rps_change;

/* Nothing has changed after a failure; rps_change_release in any case. RPS_UNSUPPORTED in a share of a world. */
rps_status rps_change_begin(rps_world *world, rps_change *change, rps_error *err);
/* After a failure the world can only be destroyed. */
rps_status rps_change_finish(rps_world *world, const rps_change *change, rps_error *err);
void rps_change_release(rps_change *change);

/* change_memory.c: the state of a contact under the laws of `now` from that under those of `then`, both with the layout
 * of a class of record. A memory goes on if its law has the same name and the form of the pair is the same; any other
 * begins at 0. */
void rps_change_memory(const rps_pair_setup *then, const rps_pair_setup *now, rps_record record, const double *from,
                       double *to);
/* Whether the law of a role goes on with its memory. */
bool rps_change_keeps(const rps_pair_setup *then, const rps_pair_setup *now, rps_role role);
/* Bits of the modes that go on likewise. */
int rps_change_modes(const rps_pair_setup *then, const rps_pair_setup *now);

#endif
