/* Which free bodies are common, in a checkpoint. A world without such bodies has no section of them. */
#include <string.h>

#include "io/state_parts.h"

static const char commons_name[] = "common bodies";
static const char *const sections[] = {commons_name, NULL};

static rps_status save_commons(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_commons *commons = &world->commons;
    void *to;
    if (commons->count == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, commons_name, RPS_TYPE_uint64, 1, commons->count, &to, err));
    memcpy(to, commons->id, commons->count * sizeof *commons->id);
    return RPS_OK;
}

static rps_status check_commons(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *s;
    if (!rps_checkpoint_find(from->c, commons_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, commons_name, RPS_TYPE_uint64, 1, SIZE_MAX, &s, err));
    const uint64_t *id = s->data;
    const int32_t *kind = rps_state_body(from->c, "kind");
    for (size_t k = 0; k < s->count; k++) {
        const size_t row = rps_state_row(from->c, (size_t)from->bodies, id[k]);
        const bool sound = row < from->bodies && kind[row] == RPS_BODY_FREE && (k == 0 || id[k - 1] < id[k]) &&
                           world->options.stepper == RPS_PENALTY;
        if (!sound) return rps_state_contradicts(from->c, "a common body makes no sense", k, err);
    }
    return RPS_OK;
}

/* The bodies were restored without any of them. */
static rps_status restore_commons(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *s = rps_checkpoint_find(from->c, commons_name);
    for (size_t k = 0; s != NULL && k < s->count; k++) {
        world->bodies.common[rps_world_slot(world, ((const uint64_t *)s->data)[k])][0] = 1;
    }
    return rps_commons_list(world, err);
}

const rps_state_part rps_state_commons = {
    .section = sections, .save = save_commons, .check = check_commons, .restore = restore_commons};
