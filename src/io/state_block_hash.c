/* The state hash in a checkpoint, with the hashes of its blocks: a mismatch names the block.
 *
 * Both are those of the lanes that the checkpoint has, so they also hold for a world with other memories. */
#include "io/state_parts.h"

static const char blocks_name[] = "block hashes";
const char rps_state_hash_name[] = "state hash";
static const char *const sections[] = {blocks_name, rps_state_hash_name, NULL};

/* Hashes of all blocks, in memory of *bytes bytes that the caller releases. */
static rps_status block_hashes(const rps_world *world, const rps_lane_map *map, uint64_t (**block)[2], size_t *bytes,
                               rps_error *err) {
    void *memory;
    *block = NULL;
    RPS_TRY(rps_size_of_items(rps_world_hash_blocks(world), sizeof **block, bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, *bytes, &memory, err));
    *block = memory;
    return rps_world_block_hashes(world, map, *block, err);
}

static rps_status save_hash(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    uint64_t(*block)[2], hash[2];
    size_t bytes = 0;
    rps_status status = block_hashes(world, NULL, &block, &bytes, err);
    if (status == RPS_OK) {
        rps_world_hash_of_blocks(world, (const uint64_t(*)[2])block, hash);
        status = rps_serializer_words(serializer, blocks_name, (const uint64_t *)block, bytes / sizeof **block, err);
    }
    if (status == RPS_OK) status = rps_serializer_words(serializer, rps_state_hash_name, hash, 2, err);
    rps_memory_release(world->allocator, block, bytes);
    return status;
}

rps_status rps_state_check_hash(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    uint64_t(*block)[2], saved[2], now[2];
    size_t bytes = 0, first = 0;
    const rps_section *of;
    RPS_TRY(rps_checkpoint_words(c, rps_state_hash_name, saved, 2, err));
    RPS_TRY(rps_checkpoint_need(c, blocks_name, RPS_TYPE_uint64, 1, 2 * rps_world_hash_blocks(world), &of, err));
    rps_status status = block_hashes(world, from->lanes, &block, &bytes, err);
    if (status == RPS_OK) {
        rps_world_hash_of_blocks(world, (const uint64_t(*)[2])block, now);
        const uint64_t *said = of->data;
        while (first < of->count && said[first] == block[first / 2][first % 2]) first++;
        if (first < of->count) {
            status = rps_state_contradicts(c, "a block of its bodies has another hash than it says", first / 2, err);
        } else if (now[0] != saved[0] || now[1] != saved[1]) {
            status = rps_state_contradicts(c, "its state has another hash than it says", 0, err);
        }
    }
    rps_memory_release(world->allocator, block, bytes);
    return status;
}

static rps_status check_hashes(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const size_t blocks = (size_t)((from->ids + RPS_HASH_BLOCK - 1) / RPS_HASH_BLOCK);
    const rps_section *of;
    (void)world;
    RPS_TRY(rps_checkpoint_need(from->c, rps_state_hash_name, RPS_TYPE_uint64, 1, 2, &of, err));
    return rps_checkpoint_need(from->c, blocks_name, RPS_TYPE_uint64, 1, 2 * blocks, &of, err);
}

/* Nothing to restore: rps_state_check_hash compares the world as a whole. */
const rps_state_part rps_state_hash = {.section = sections, .save = save_hash, .check = check_hashes};
