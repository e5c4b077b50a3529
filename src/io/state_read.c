/* Help for the files that check and restore the parts of a state. */
#include <stdio.h>
#include <string.h>

#include "io/state_parts.h"

rps_status rps_state_contradicts(const rps_checkpoint *c, const char *what, uint64_t number, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: %s (number %llu); take another one",
                    rps_checkpoint_path(c), what, (unsigned long long)number);
}

bool rps_all_finite(const double *value, size_t count) {
    bool good = true;
    for (size_t k = 0; k < count; k++) good = good && value[k] - value[k] == 0.0;
    return good;
}

const void *rps_state_body(const rps_checkpoint *c, const char *name) {
    char section[80];
    snprintf(section, sizeof section, "body/%s", name);
    return rps_checkpoint_find(c, section)->data;
}

size_t rps_state_row(const rps_checkpoint *c, size_t bodies, uint64_t id) {
    const uint64_t *of = rps_state_body(c, "id");
    size_t low = 0, high = bodies;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (of[mid] < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < bodies && of[low] == id ? low : bodies;
}

void rps_sum_to_words(const rps_exact_sum *sum, uint64_t word[RPS_SUM_WORDS]) {
    rps_exact_sum one = *sum;
    rps_exact_sum_normalize(&one);
    memcpy(word, one.limb, sizeof one.limb);
    word[RPS_SUM_WORDS - 1] = one.special;
}

void rps_sum_from_words(rps_exact_sum *sum, const uint64_t word[RPS_SUM_WORDS]) {
    rps_exact_sum_clear(sum);
    memcpy(sum->limb, word, sizeof sum->limb);
    sum->special = (uint32_t)word[RPS_SUM_WORDS - 1];
}
