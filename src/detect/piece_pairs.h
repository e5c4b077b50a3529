/*
 * Finds pieces of two bodies that may be near each other, by the trees of bodies with many pieces (world/collider.c).
 */
#ifndef RPS_DETECT_PIECE_PAIRS_H
#define RPS_DETECT_PIECE_PAIRS_H

#include "world/world.h"

/* Receives one pair of pieces; false ends the search. */
typedef bool (*rps_piece_pair_visit)(void *context, uint32_t piece_i, uint32_t piece_j);

/* Visits once every pair of pieces of two bodies, i with the lower id, that may come within `margin` m of each other
 * in any periodic image that contacts of these bodies can have; also some more with boxes that do. All pairs if
 * neither body has a collider, or if a body spans so many periods that images would cost more. */
void rps_piece_pairs_visit(const rps_world *world, uint32_t i, uint32_t j, double margin, rps_piece_pair_visit visit,
                           void *context);

#endif
