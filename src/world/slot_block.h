/*
 * Slots of many bodies by their ids, a block at a time. A program names bodies in any order, so their lines are all over
 * memory: those of a block are on their way at the same time.
 */
#ifndef RPS_WORLD_SLOT_BLOCK_H
#define RPS_WORLD_SLOT_BLOCK_H

#include "world/bodies.h"

enum { RPS_SLOTS_AT_ONCE = 32 };

/* Lines that will be needed: `stride` bytes from slot to slot. */
typedef struct rps_slot_lines {
    const char *first; /* NULL: none */
    size_t stride;
} rps_slot_lines;

typedef struct rps_slot_block {
    const rps_bodies *bodies;
    const uint64_t *id; /* NULL: 0, 1, 2 ... */
    size_t count;       /* of ids */
    rps_slot_lines read, written;
    uint32_t slot[RPS_SLOTS_AT_ONCE]; /* of the last block */
} rps_slot_block;

static inline uint64_t rps_block_id(const rps_slot_block *block, size_t k) {
    return block->id ? block->id[k] : k;
}

/* Finds the slots of the ids from number `first` on, up to a whole block or the first id without a body. Returns how many. */
static inline size_t rps_block_find(rps_slot_block *block, size_t first) {
    const rps_bodies *bodies = block->bodies;
    const rps_slot_lines read = block->read, written = block->written;
    const size_t left = block->count - first, most = left < RPS_SLOTS_AT_ONCE ? left : RPS_SLOTS_AT_ONCE;
    uint32_t expected = RPS_NO_SLOT;
    size_t n = 0;
    for (; n < most; n++) {
        const uint64_t id = rps_block_id(block, first + n);
        const uint32_t slot = id < bodies->ids ? bodies->slot_of[id] : RPS_NO_SLOT;
        if (slot == RPS_NO_SLOT) break;
        if (slot != expected) { /* neighbors in memory come by themselves */
            if (read.first) __builtin_prefetch(read.first + slot * read.stride);
            if (written.first) __builtin_prefetch(written.first + slot * written.stride, 1);
        }
        block->slot[n] = slot;
        expected = slot + 1;
    }
    return n;
}

#endif
