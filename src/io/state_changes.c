/* Changes that a program made to bodies, in a checkpoint: ids of removed bodies, energy added and removed, applied
 * loads. */
#include <string.h>

#include "io/state_parts.h"
#include "world/world.h"

enum { LOAD = 13 };
static const char ids_name[] = "ids given", sums_name[] = "energies changed by the program";
static const char loads_name[] = "applied loads: ids", load_name[] = "applied loads: held, once, work";
static const char *const sections[] = {ids_name, sums_name, loads_name, load_name, NULL};

/* Without changes there are no sections. */
typedef struct changes {
    const uint64_t *sum;   /* exact sums; NULL: all 0 */
    int sums;              /* RPS_CHANGES; of old checkpoints fewer */
    const uint64_t *loads; /* ids of bodies with load records, ascending */
    const double *load;    /* loads that are held, loads for one step; work */
    size_t load_count;
} changes;

/* --- saving --------------------------------------------------------------------------------------------------------- */

static rps_status save_sums(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_add(serializer, sums_name, RPS_TYPE_uint64, RPS_SUM_WORDS, RPS_CHANGES, &to, err));
    uint64_t *word = to;
    for (int k = 0; k < RPS_CHANGES; k++) rps_sum_to_words(&world->change[k], word + k * RPS_SUM_WORDS);
    return RPS_OK;
}

static rps_status save_loads(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const uint64_t all = world->bodies.ids;
    size_t count = 0;
    void *ids, *numbers;
    for (uint64_t id = 0; id < all; id++) count += rps_external_used(world, id);
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, loads_name, RPS_TYPE_uint64, 1, count, &ids, err));
    uint64_t *to_id = ids;
    for (uint64_t id = 0; id < all; id++) {
        if (rps_external_used(world, id)) *to_id++ = id;
    }
    RPS_TRY(rps_serializer_add(serializer, load_name, RPS_TYPE_double, LOAD, count, &numbers, err));
    double *to = numbers;
    for (uint64_t id = 0; id < all; id++) {
        if (!rps_external_used(world, id)) continue;
        const rps_external_record one = rps_external_get(world, id);
        memcpy(to, one.held, sizeof one.held);
        memcpy(to + 6, one.once, sizeof one.once);
        to[12] = one.work;
        to += LOAD;
    }
    return RPS_OK;
}

static rps_status save_changes(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const uint64_t ids = world->bodies.ids;
    if (ids != world->bodies.count) RPS_TRY(rps_serializer_words(serializer, ids_name, &ids, 1, err));
    if (world->changed) RPS_TRY(save_sums(world, serializer, err));
    return save_loads(world, serializer, err);
}

/* --- restoring ------------------------------------------------------------------------------------------------------ */

rps_status rps_state_ids(const rps_checkpoint *c, uint64_t bodies, uint64_t *ids, rps_error *err) {
    *ids = bodies;
    if (!rps_checkpoint_find(c, ids_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(c, ids_name, ids, 1, err));
    return *ids >= bodies && *ids <= RPS_NO_SLOT * UINT64_C(64)
               ? RPS_OK
               : rps_state_contradicts(c, "the number of ids makes no sense", *ids, err);
}

static rps_status find_changes(const rps_checkpoint *c, changes *out, rps_error *err) {
    const rps_section *s;
    *out = (changes){0};
    if (rps_checkpoint_find(c, sums_name)) {
        RPS_TRY(rps_checkpoint_need(c, sums_name, RPS_TYPE_uint64, RPS_SUM_WORDS, SIZE_MAX, &s, err));
        if (s->count < RPS_CHANGE_HANDOVER || s->count > RPS_CHANGES) {
            return rps_state_contradicts(c, "its energies are of another number", s->count, err);
        }
        out->sum = s->data;
        out->sums = (int)s->count;
    }
    if (!rps_checkpoint_find(c, loads_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, loads_name, RPS_TYPE_uint64, 1, SIZE_MAX, &s, err));
    out->loads = s->data;
    out->load_count = s->count;
    RPS_TRY(rps_checkpoint_need(c, load_name, RPS_TYPE_double, LOAD, s->count, &s, err));
    out->load = s->data;
    return RPS_OK;
}

static rps_status check_changes(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    const size_t bodies = (size_t)from->bodies;
    changes found;
    (void)world;
    RPS_TRY(find_changes(c, &found, err));
    const int32_t *kind = rps_state_body(c, "kind");
    if (!rps_all_finite(found.load, found.load_count * LOAD)) {
        return rps_state_contradicts(c, "an applied load is no finite number", 0, err);
    }
    for (size_t k = 0; k < found.load_count; k++) {
        const size_t row = rps_state_row(c, bodies, found.loads[k]);
        const bool rises = k == 0 || found.loads[k - 1] < found.loads[k];
        if (!rises || row == bodies || kind[row] != RPS_BODY_FREE) {
            return rps_state_contradicts(c, "a load is applied to a body that makes no sense", k, err);
        }
    }
    return RPS_OK;
}

static rps_status restore_changes(rps_world *world, const rps_state_source *from, rps_error *err) {
    changes found;
    RPS_TRY(find_changes(from->c, &found, err));
    for (int k = 0; k < RPS_CHANGES; k++) {
        rps_exact_sum_clear(&world->change[k]);
        if (k < found.sums) rps_sum_from_words(&world->change[k], found.sum + k * RPS_SUM_WORDS);
    }
    world->changed = found.sum != NULL;
    rps_external_release(world);
    if (found.load_count == 0) return RPS_OK;
    RPS_TRY(rps_external_reserve(world, (size_t)from->ids, err));
    for (size_t k = 0; k < found.load_count; k++) {
        const double *load = found.load + k * LOAD;
        rps_external_record one = {.work = load[12]};
        memcpy(one.held, load, sizeof one.held);
        memcpy(one.once, load + 6, sizeof one.once);
        rps_external_put(world, found.loads[k], &one);
    }
    rps_external_find_active(world);
    return RPS_OK;
}

const rps_state_part rps_state_changes = {
    .section = sections, .save = save_changes, .check = check_changes, .restore = restore_changes};
