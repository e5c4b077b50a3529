/* Forces from outside in a checkpoint: their work, by name. Their functions are the set-up, which the program gives again. A
 * world without forces has no such section. */
#include <string.h>

#include "io/state_parts.h"

static const char work_name[] = "forces: work";
static const char *const sections[] = {work_name, NULL};

static void describe_forces(const rps_world *world, rps_text *text) {
    for (size_t k = 0; k < world->forces.count; k++) {
        const rps_force_field *field = &world->forces.field[k];
        rps_text_addf(text, NULL, "force %s: group %d%s\n", field->name, field->def.group,
                      field->def.potential ? ", with a potential" : "");
    }
}

static rps_status save_forces(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_forces *forces = &world->forces;
    void *to;
    if (forces->count == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, work_name, RPS_TYPE_uint64, RPS_SUM_WORDS, forces->count, &to, err));
    for (size_t k = 0; k < forces->count; k++) {
        rps_sum_to_words(&forces->field[k].work, (uint64_t *)to + k * RPS_SUM_WORDS);
    }
    return RPS_OK;
}

static rps_status check_forces(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *s;
    if (world->forces.count == 0) return RPS_OK;
    return rps_checkpoint_need(from->c, work_name, RPS_TYPE_uint64, RPS_SUM_WORDS, world->forces.count, &s, err);
}

static rps_status restore_forces(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *s;
    if (world->forces.count == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, work_name, RPS_TYPE_uint64, RPS_SUM_WORDS, world->forces.count, &s, err));
    for (size_t k = 0; k < world->forces.count; k++) {
        rps_sum_from_words(&world->forces.field[k].work, (const uint64_t *)s->data + k * RPS_SUM_WORDS);
    }
    return RPS_OK;
}

const rps_state_part rps_state_forces = {.section = sections,
                                         .describe = describe_forces,
                                         .save = save_forces,
                                         .check = check_forces,
                                         .restore = restore_forces};
