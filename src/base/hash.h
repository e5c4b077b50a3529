/* Streaming XXH3, for fingerprints of a state and checksums of checkpoints; not a cryptographic hash. The same bytes
 * give the same hash however they are split into pieces. A rps_hash lives on the stack (it is aligned to 64 bytes),
 * holds no resources and is used for one width at a time. */
#ifndef RPS_BASE_HASH_H
#define RPS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifndef XXH_STATIC_LINKING_ONLY
#define XXH_STATIC_LINKING_ONLY /* declares the state, so that it needs no allocation */
#endif
#include <xxhash.h>

typedef struct rps_hash {
    XXH3_state_t state;
} rps_hash;

typedef struct rps_hash128_value {
    uint64_t high, low;
} rps_hash128_value;

/* Start, feed any number of times (data may be NULL if bytes is 0), read at any time without changing the state. */
void rps_hash64_begin(rps_hash *hash);
void rps_hash64_add(rps_hash *hash, const void *data, size_t bytes);
uint64_t rps_hash64_value(const rps_hash *hash);

void rps_hash128_begin(rps_hash *hash);
void rps_hash128_add(rps_hash *hash, const void *data, size_t bytes);
rps_hash128_value rps_hash128_result(const rps_hash *hash);

/* In one go. */
uint64_t rps_hash64(const void *data, size_t bytes);
/* Chained hash: `before` is the result for the preceding bytes, 0 for the first. The hash depends on where the bytes
 * are split. */
uint64_t rps_hash64_chain(uint64_t before, const void *data, size_t bytes);

#endif
