/* Memory: every block of the library goes through one rps_allocator; sizes are computed with overflow checks; arrays
 * grow in 64-byte aligned buffers; scratch of a stage comes from an arena. */
#ifndef RPS_BASE_ARRAY_H
#define RPS_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include <repose/allocator.h>

enum {
    RPS_ALIGNMENT = 64,
    RPS_LARGE = 1 << 22 /* bytes: two huge pages; the default allocator maps blocks of at least this size separately */
};

/* a + b and a * b; false, with *sum or *product undefined, if it does not fit. */
bool rps_size_add(size_t a, size_t b, size_t *sum);
bool rps_size_mul(size_t a, size_t b, size_t *product);

/* True if all bits agree: NaN equals itself, and 0 differs from -0. */
static inline bool rps_same_bits(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes) == 0;
}

/* count * item_size, or RPS_NO_MEMORY. */
rps_status rps_size_of_items(size_t count, size_t item_size, size_t *bytes, rps_error *err);

/* A block of `bytes` aligned to RPS_ALIGNMENT, content undefined (`_zeroed`: all zero); bytes = 0 gives NULL. The
 * caller owns it and releases it with the same size. *p is NULL after a failure. */
rps_status rps_memory_alloc(const rps_allocator *allocator, size_t bytes, void **p, rps_error *err);
rps_status rps_memory_alloc_zeroed(const rps_allocator *allocator, size_t bytes, void **p, rps_error *err);
void rps_memory_release(const rps_allocator *allocator, void *p, size_t bytes);

/* Makes the buffer *p hold at least wanted_bytes, keeping its first used_bytes; *capacity_bytes is its true size (0 and
 * NULL at first). Grows by half at least, so that appending costs a constant. Never shrinks. After a failure buffer,
 * content and capacity are as before. Bytes beyond used_bytes are undefined. */
rps_status rps_buffer_reserve(const rps_allocator *allocator, void **p, size_t *capacity_bytes, size_t used_bytes,
                              size_t wanted_bytes, rps_error *err);

/* Releases the buffer; *p = NULL, *capacity_bytes = 0. Harmless on an empty one. */
void rps_buffer_release(const rps_allocator *allocator, void **p, size_t *capacity_bytes);

/* A stack of scratch memory. Rewinding to a mark frees all blocks taken after it; blocks are not freed individually.
 * Memory is kept for the next use. One thread at a time. */
typedef struct rps_arena_block rps_arena_block;

typedef struct rps_arena {
    const rps_allocator *allocator;
    rps_arena_block *first, *current;
    size_t used;       /* bytes taken, padding included */
    size_t high_water; /* the most that `used` ever was */
} rps_arena;

typedef struct rps_arena_mark {
    rps_arena_block *block;
    size_t block_used, used;
} rps_arena_mark;

/* An empty arena; allocates nothing. The allocator must outlive it. */
void rps_arena_init(rps_arena *arena, const rps_allocator *allocator);

/* Frees all blocks; the arena is empty and usable. */
void rps_arena_release(rps_arena *arena);

/* Reserves memory so that the next `bytes` (each request rounded up to RPS_ALIGNMENT) can be taken without growth. */
rps_status rps_arena_reserve(rps_arena *arena, size_t bytes, rps_error *err);

/* `bytes` aligned to RPS_ALIGNMENT, content undefined, valid until a rewind past it; grows if need be. bytes = 0 gives
 * a valid pointer to nothing. *p is NULL after a failure, and all that was taken before stays valid. */
rps_status rps_arena_take(rps_arena *arena, size_t bytes, void **p, rps_error *err);

/* count items of item_size, size checked for overflow. */
rps_status rps_arena_take_items(rps_arena *arena, size_t count, size_t item_size, void **p, rps_error *err);

rps_arena_mark rps_arena_get_mark(const rps_arena *arena);
void rps_arena_rewind(rps_arena *arena, rps_arena_mark mark);

#endif
