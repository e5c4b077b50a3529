/*
 * From two bodies that the cells found near each other to candidate pairs: one for every feature of their pieces, in
 * every periodic image, that is within reach and skin.
 */
#ifndef RPS_DETECT_CANDIDATE_PAIRS_H
#define RPS_DETECT_CANDIDATE_PAIRS_H

#include "detect/lists.h"
#include "world/body_shape.h"

/* One worker of the search. */
typedef struct rps_pair_collector {
    const rps_world *world;
    rps_found *found;
    double skin, cutoff; /* m; the largest of all pairs of materials, relative to the smaller radius */
    bool periodic;       /* some axis is */
    bool general;        /* some body has pieces: pairs have subkeys */
    rps_slot_range block;
} rps_pair_collector;

/* Keeps a pair if it may touch and is within its own reach. Errors are left in `found`. */
void rps_candidate_pairs_add(rps_pair_collector *s, uint32_t a, uint32_t b, rps_body_shape shape_a,
                             rps_body_shape shape_b);

#endif
