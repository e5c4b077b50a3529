/* Philox4x64-10 through Random123, and the few distributions that the engine needs. */
#include "base/random.h"

#include <math.h>

#include <Random123/philox.h>

#include "base/elementary.h"

void rps_random_block(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n, uint64_t out[4]) {
    philox4x64_key_t key = {{seed, purpose}};
    philox4x64_ctr_t counter = {{id, n, 0, 0}};
    philox4x64_ctr_t block = philox4x64(counter, key);
    for (int k = 0; k < 4; k++) {
        out[k] = block.v[k];
    }
}

double rps_random_uniform(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n) {
    uint64_t word[4];
    rps_random_block(seed, purpose, id, n, word);
    return rps_random_to_unit(word[0]);
}

double rps_random_normal(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n) {
    uint64_t word[4];
    rps_random_block(seed, purpose, id, n, word);
    double u = 1.0 - rps_random_to_unit(word[0]); /* in (0, 1]: its logarithm is finite */
    double angle = 2.0 * RPS_PI * rps_random_to_unit(word[1]);
    return sqrt(-2.0 * rps_log(u)) * rps_cos(angle);
}

/* The upper half of the 128-bit product, from 32-bit halves. */
static uint64_t mul_high(uint64_t a, uint64_t b) {
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
    uint64_t carry = (a0 * b1 + (middle & 0xffffffffu)) >> 32;
    return a1 * b1 + (middle >> 32) + carry;
}

uint64_t rps_random_index(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n, uint64_t count) {
    uint64_t word[4];
    rps_random_block(seed, purpose, id, n, word);
    return mul_high(word[0], count);
}
