/*
 * Merges the trees of two files. Maps are merged key by key, lists of the scene are joined, and an item with the name of one that
 * is there, or a pair of the same materials, is merged with it. Any other value is taken as a whole.
 */
#ifndef RPS_LANGUAGE_MERGE_H
#define RPS_LANGUAGE_MERGE_H

#include "language/tree.h"

/* Puts the keys of `over` into the map `base`, both of the scene. RPS_BAD_INPUT, RPS_NO_MEMORY. */
rps_status rps_node_merge(rps_pool *pool, rps_node *base, const rps_node *over, rps_error *err);

#endif
