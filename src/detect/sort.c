/*
 * Stable radix sort of (key, slot), lowest digit first; insertion sort for short arrays. Each chunk counts its digits, and
 * prefix sums over (digit, chunk) give its places, so the result does not depend on the number of chunks.
 */
#include <string.h>

#include "detect/lists.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SHORT = 48 };

rps_status rps_scratch_fit(const rps_world *world, rps_scratch *capacity, size_t count, size_t item, rps_error *err) {
    return rps_scratch_grow(world, capacity, 0, count, item, err);
}

rps_status rps_scratch_grow(const rps_world *world, rps_scratch *capacity, size_t used, size_t count, size_t item,
                            rps_error *err) {
    size_t bytes;
    RPS_TRY(rps_size_of_items(count, item, &bytes, err));
    return rps_buffer_reserve(world->allocator, &capacity->p, &capacity->bytes, used * item, bytes, err);
}

void rps_scratch_shrink(const rps_world *world, rps_scratch *capacity) {
    const bool always = world->options.shuffle != 0; /* so that tests of small worlds see it */
    if (always || capacity->bytes >= RPS_LARGE) rps_buffer_release(world->allocator, &capacity->p, &capacity->bytes);
}

static void sort_short(rps_keyed *keyed, size_t count) {
    for (size_t a = 1; a < count; a++) {
        rps_keyed moved = keyed[a];
        size_t b = a;
        for (; b > 0 && keyed[b - 1].key > moved.key; b--) keyed[b] = keyed[b - 1];
        keyed[b] = moved;
    }
}

rps_status rps_sort_keyed(const rps_world *world, rps_scratch *keyed, rps_scratch *other, rps_scratch *histogram,
                          size_t count, int bits, int chunks, rps_error *err) {
    if (count <= SHORT) {
        sort_short(keyed->p, count);
        return RPS_OK;
    }
    RPS_TRY(rps_scratch_fit(world, other, count, sizeof(rps_keyed), err));
    RPS_TRY(rps_scratch_fit(world, histogram, (size_t)chunks * DIGITS, sizeof(size_t), err));
    size_t *tally = histogram->p;
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        const rps_keyed *from = keyed->p;
        rps_keyed *to = other->p;
        RPS_EACH_CHUNK(c, chunks) {
            size_t *mine = tally + (size_t)c * DIGITS;
            memset(mine, 0, DIGITS * sizeof *mine);
            size_t end = rps_chunk_begin(count, c + 1, chunks);
            for (size_t k = rps_chunk_begin(count, c, chunks); k < end; k++) {
                mine[from[k].key >> shift & (DIGITS - 1)]++;
            }
        }
        size_t place = 0;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            for (int c = 0; c < chunks; c++) {
                size_t here = tally[(size_t)c * DIGITS + digit];
                tally[(size_t)c * DIGITS + digit] = place;
                place += here;
            }
        }
        RPS_EACH_CHUNK(c, chunks) {
            size_t *mine = tally + (size_t)c * DIGITS;
            size_t end = rps_chunk_begin(count, c + 1, chunks);
            for (size_t k = rps_chunk_begin(count, c, chunks); k < end; k++) {
                to[mine[from[k].key >> shift & (DIGITS - 1)]++] = from[k];
            }
        }
        rps_scratch swap = *keyed;
        *keyed = *other;
        *other = swap;
    }
    return RPS_OK;
}
