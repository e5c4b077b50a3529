/* XXH3 through libxxhash. */
#include "base/hash.h"

/* libxxhash refuses NULL even for no bytes. */

void rps_hash64_begin(rps_hash *hash) {
    XXH3_INITSTATE(&hash->state);
    XXH3_64bits_reset(&hash->state);
}

void rps_hash64_add(rps_hash *hash, const void *data, size_t bytes) {
    if (bytes) {
        XXH3_64bits_update(&hash->state, data, bytes);
    }
}

uint64_t rps_hash64_value(const rps_hash *hash) {
    return XXH3_64bits_digest(&hash->state);
}

void rps_hash128_begin(rps_hash *hash) {
    XXH3_INITSTATE(&hash->state);
    XXH3_128bits_reset(&hash->state);
}

void rps_hash128_add(rps_hash *hash, const void *data, size_t bytes) {
    if (bytes) {
        XXH3_128bits_update(&hash->state, data, bytes);
    }
}

rps_hash128_value rps_hash128_result(const rps_hash *hash) {
    XXH128_hash_t h = XXH3_128bits_digest(&hash->state);
    return (rps_hash128_value){h.high64, h.low64};
}

uint64_t rps_hash64(const void *data, size_t bytes) {
    return XXH3_64bits(bytes ? data : "", bytes);
}

uint64_t rps_hash64_chain(uint64_t before, const void *data, size_t bytes) {
    return XXH3_64bits_withSeed(data, bytes, before);
}
