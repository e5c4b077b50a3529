/* Saves which free bodies are common, and restores it. A world without such bodies has no section of them. */
#include "io/state_parts.h"

#include <string.h>

static const char commons_name[] = "common bodies";

rps_status rps_state_save_commons(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_commons *commons = &world->commons;
    void *to;
    if (commons->count == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, commons_name, RPS_TYPE_uint64, 1, commons->count, &to, err));
    memcpy(to, commons->id, commons->count * sizeof *commons->id);
    return RPS_OK;
}

rps_status rps_state_restore_commons(rps_world *world, const rps_checkpoint *c, rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    if (rps_checkpoint_find(c, commons_name)) {
        const rps_section *ids;
        RPS_TRY(rps_checkpoint_need(c, commons_name, RPS_TYPE_uint64, 1, SIZE_MAX, &ids, err));
        for (size_t k = 0; k < ids->count; k++) {
            const uint64_t id = ((const uint64_t *)ids->data)[k];
            const size_t s = rps_world_slot(world, id);
            if (s == SIZE_MAX || bodies->kind[s][0] != RPS_BODY_FREE || world->options.stepper != RPS_PENALTY) {
                return rps_state_contradicts(c, "a common body makes no sense", k, err);
            }
            bodies->common[s][0] = 1;
        }
    }
    return rps_commons_list(world, err);
}
