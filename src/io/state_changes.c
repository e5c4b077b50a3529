/* Changes that a program made to bodies, in a checkpoint: ids of removed bodies, energy added and removed, applied
 * loads. */
#include <string.h>

#include "io/state_parts.h"
#include "world/world.h"

enum { SUM_WORDS = RPS_EXACT_SUM_LIMBS + 1, LOAD = 13 };
static const char ids_name[] = "ids given", sums_name[] = "energies changed by the program";
static const char loads_name[] = "applied loads: ids", load_name[] = "applied loads: held, once, work";

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

/* --- saving --------------------------------------------------------------------------------------------------------- */

static rps_status save_sums(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_add(serializer, sums_name, RPS_TYPE_uint64, SUM_WORDS, RPS_CHANGES, &to, err));
    uint64_t *word = to;
    for (int k = 0; k < RPS_CHANGES; k++, word += SUM_WORDS) {
        rps_exact_sum sum = world->change[k];
        rps_exact_sum_normalize(&sum);
        memcpy(word, sum.limb, sizeof sum.limb);
        word[SUM_WORDS - 1] = sum.special;
    }
    return RPS_OK;
}

static rps_status save_loads(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    size_t count = 0;
    void *ids, *numbers;
    for (size_t id = 0; id < world->externals; id++) count += rps_external_used(&world->external[id]);
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, loads_name, RPS_TYPE_uint64, 1, count, &ids, err));
    uint64_t *to_id = ids;
    for (size_t id = 0; id < world->externals; id++) {
        if (rps_external_used(&world->external[id])) *to_id++ = id;
    }
    RPS_TRY(rps_serializer_add(serializer, load_name, RPS_TYPE_double, LOAD, count, &numbers, err));
    double *to = numbers;
    for (size_t id = 0; id < world->externals; id++) {
        const rps_external *one = &world->external[id];
        if (!rps_external_used(one)) continue;
        memcpy(to, one->held, sizeof one->held);
        memcpy(to + 6, one->once, sizeof one->once);
        to[12] = one->work;
        to += LOAD;
    }
    return RPS_OK;
}

rps_status rps_state_save_changes(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const uint64_t ids = world->bodies.ids;
    if (ids != world->bodies.count) RPS_TRY(rps_serializer_words(serializer, ids_name, &ids, 1, err));
    if (world->changed) RPS_TRY(save_sums(world, serializer, err));
    return save_loads(world, serializer, err);
}

/* --- restoring ------------------------------------------------------------------------------------------------------ */

rps_status rps_state_find_changes(const rps_checkpoint *c, uint64_t bodies, rps_state_changes *out, rps_error *err) {
    const rps_section *s;
    *out = (rps_state_changes){.ids = bodies};
    if (rps_checkpoint_find(c, ids_name)) {
        RPS_TRY(rps_checkpoint_words(c, ids_name, &out->ids, 1, err));
        if (out->ids < bodies || out->ids > RPS_NO_SLOT * UINT64_C(64)) {
            return rps_state_contradicts(c, "the number of ids makes no sense", out->ids, err);
        }
    }
    if (rps_checkpoint_find(c, sums_name)) {
        RPS_TRY(rps_checkpoint_need(c, sums_name, RPS_TYPE_uint64, SUM_WORDS, RPS_CHANGES, &s, err));
        out->sum = s->data;
    }
    if (!rps_checkpoint_find(c, loads_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, loads_name, RPS_TYPE_uint64, 1, SIZE_MAX, &s, err));
    out->loads = s->data;
    out->load_count = s->count;
    RPS_TRY(rps_checkpoint_need(c, load_name, RPS_TYPE_double, LOAD, s->count, &s, err));
    out->load = s->data;
    return RPS_OK;
}

rps_status rps_state_check_changes(const rps_checkpoint *c, const rps_state_changes *changes, uint64_t bodies,
                                   rps_error *err) {
    const int32_t *kind = rps_state_body(c, "kind");
    if (!rps_all_finite(changes->load, changes->load_count * LOAD)) {
        return rps_state_contradicts(c, "an applied load is no finite number", 0, err);
    }
    for (size_t k = 0; k < changes->load_count; k++) {
        const size_t row = rps_state_row(c, (size_t)bodies, changes->loads[k]);
        const bool rises = k == 0 || changes->loads[k - 1] < changes->loads[k];
        if (!rises || row == bodies || kind[row] != RPS_BODY_FREE) {
            return rps_state_contradicts(c, "a load is applied to a body that makes no sense", k, err);
        }
    }
    return RPS_OK;
}

rps_status rps_state_restore_changes(rps_world *world, const rps_state_changes *changes, rps_error *err) {
    for (int k = 0; k < RPS_CHANGES; k++) {
        rps_exact_sum *sum = &world->change[k];
        rps_exact_sum_clear(sum);
        if (!changes->sum) continue;
        const uint64_t *word = changes->sum + (size_t)k * SUM_WORDS;
        memcpy(sum->limb, word, sizeof sum->limb);
        sum->special = (uint32_t)word[SUM_WORDS - 1];
    }
    world->changed = changes->sum != NULL;
    rps_memory_release(world->allocator, world->external, world->externals * sizeof *world->external);
    world->external = NULL;
    world->externals = 0;
    world->external_acts = false;
    if (changes->load_count == 0) return RPS_OK;
    void *p;
    size_t bytes;
    RPS_TRY(rps_size_of_items((size_t)changes->ids, sizeof *world->external, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, bytes, &p, err));
    world->external = p;
    world->externals = (size_t)changes->ids;
    for (size_t k = 0; k < changes->load_count; k++) {
        rps_external *one = &world->external[changes->loads[k]];
        const double *from = changes->load + k * LOAD;
        memcpy(one->held, from, sizeof one->held);
        memcpy(one->once, from + 6, sizeof one->once);
        one->work = from[12];
    }
    rps_external_find_active(world);
    return RPS_OK;
}
