/* Random numbers without state: Philox4x64-10 of Random123, a function of (seed, purpose, id, n) alone. The n-th
 * number for body id is the same in any order, on any thread, after any restart. Each purpose has its own stream, so
 * that a new use of random numbers never shifts an old one. */
#ifndef RPS_BASE_RANDOM_H
#define RPS_BASE_RANDOM_H

#include <stdint.h>

/* The numbering is part of the meaning of a scene: append, never renumber. */
typedef enum rps_random_purpose {
    RPS_RANDOM_TEST = 0,
    RPS_RANDOM_SIZE = 1,
    RPS_RANDOM_JITTER = 2,
    RPS_RANDOM_POSITION = 3,
    RPS_RANDOM_ORIENTATION = 4,
    RPS_RANDOM_VELOCITY = 5,
    RPS_RANDOM_SPIN = 6,
    RPS_RANDOM_CHOICE = 7,
    RPS_RANDOM_SHUFFLE_SLOTS = 8,
    RPS_RANDOM_SHUFFLE_ORDER = 9,
    RPS_RANDOM_DIRECTION = 10,
    RPS_RANDOM_STRENGTH = 11
} rps_random_purpose;

/* The four words of the block with key (seed, purpose) and counter (id, n, 0, 0). */
void rps_random_block(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n, uint64_t out[4]);

/* 53 bits of a word as a number in [0, 1). */
static inline double rps_random_to_unit(uint64_t word) {
    return (double)(word >> 11) * 0x1p-53;
}

/* Uniform in [0, 1), from the first word of the block. */
double rps_random_uniform(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n);

/* Normal with mean 0 and deviation 1, by Box and Muller from the first two words of the block. */
double rps_random_normal(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n);

/* Uniform among 0 .. count - 1 without bias beyond 2^-64 * count; 0 for count = 0. From the first word. */
uint64_t rps_random_index(uint64_t seed, uint32_t purpose, uint64_t id, uint64_t n, uint64_t count);

#endif
