/*
 * Stable radix sort of (key, slot), lowest digit first; insertion sort for short arrays. Each worker counts the digits of its
 * part, and prefix sums over (digit, worker) give its places, so the result does not depend on the number of workers.
 */
#include <string.h>

#include "detect/lists.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SHORT = 48 };

static void sort_short(rps_keyed *keyed, size_t count) {
    for (size_t a = 1; a < count; a++) {
        rps_keyed moved = keyed[a];
        size_t b = a;
        for (; b > 0 && keyed[b - 1].key > moved.key; b--) keyed[b] = keyed[b - 1];
        keyed[b] = moved;
    }
}

typedef struct radix_pass {
    const rps_keyed *from;
    rps_keyed *to;
    size_t *tally; /* by worker and digit: number of items, then place of the next one */
    int shift;
} radix_pass;

static void count_digits(void *context, rps_part part) {
    const radix_pass *pass = context;
    size_t *mine = pass->tally + (size_t)part.worker * DIGITS;
    memset(mine, 0, DIGITS * sizeof *mine);
    for (size_t k = part.begin; k < part.end; k++) mine[pass->from[k].key >> pass->shift & (DIGITS - 1)]++;
}

static void place_by_digit(void *context, rps_part part) {
    const radix_pass *pass = context;
    size_t *mine = pass->tally + (size_t)part.worker * DIGITS;
    for (size_t k = part.begin; k < part.end; k++) {
        pass->to[mine[pass->from[k].key >> pass->shift & (DIGITS - 1)]++] = pass->from[k];
    }
}

rps_status rps_sort_keyed(const rps_world *world, rps_scratch *keyed, rps_scratch *other, rps_scratch *histogram,
                          size_t count, int bits, rps_workers workers, rps_error *err) {
    if (count <= SHORT) {
        sort_short(keyed->p, count);
        return RPS_OK;
    }
    RPS_TRY(rps_scratch_fit(world, other, count, sizeof(rps_keyed), err));
    RPS_TRY(rps_scratch_fit(world, histogram, (size_t)workers.count * DIGITS, sizeof(size_t), err));
    size_t *tally = histogram->p;
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        radix_pass pass = {keyed->p, other->p, tally, shift};
        rps_parallel_for(workers, count, count_digits, &pass);
        size_t place = 0;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            for (int c = 0; c < workers.count; c++) {
                size_t here = tally[(size_t)c * DIGITS + digit];
                tally[(size_t)c * DIGITS + digit] = place;
                place += here;
            }
        }
        rps_parallel_for(workers, count, place_by_digit, &pass);
        rps_scratch swap = *keyed;
        *keyed = *other;
        *other = swap;
    }
    return RPS_OK;
}
