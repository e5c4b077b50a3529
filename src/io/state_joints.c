/* Joints in a checkpoint: their definition is part of the set-up, their memory is state. */
#include <string.h>

#include "io/state_parts.h"

static const char joints_name[] = "joints", redundant_name[] = "joints: redundant rows";
static const char *const sections[] = {redundant_name, joints_name, NULL};

static void describe_joints(const rps_world *world, rps_text *text) {
    for (size_t k = 0; k < world->joints; k++) {
        const rps_joint *joint = &world->joint[k];
        double made[RPS_JOINT_DEFINITION_NUMBERS];
        rps_joint_pack_definition(joint, made);
        rps_text_addf(text, NULL, "joint %zu %s: %llu %llu", k, joint->name ? joint->name : "",
                      (unsigned long long)joint->body[0], (unsigned long long)joint->body[1]);
        rps_state_add_numbers(text, made, RPS_JOINT_DEFINITION_NUMBERS);
        for (int c = 0; c < RPS_JOINT_COORDINATES; c++) {
            const rps_joint_ends *ends = &joint->ends[c];
            for (size_t row = 0; row < ends->table_rows; row++) rps_state_add_numbers(text, ends->table[row], 2);
        }
        rps_text_add(text, "\n", NULL);
    }
}

static rps_status save_joints(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    if (world->joints == 0) return RPS_OK;
    RPS_TRY(rps_serializer_words(serializer, redundant_name, &world->solver.redundant_rows, 1, err));
    RPS_TRY(rps_serializer_add(serializer, joints_name, RPS_TYPE_double, RPS_JOINT_NUMBERS, world->joints, &to, err));
    for (size_t k = 0; k < world->joints; k++) {
        memcpy((double *)to + k * (size_t)RPS_JOINT_NUMBERS, &world->joint[k].memory, sizeof world->joint[k].memory);
    }
    return RPS_OK;
}

static rps_status check_joints(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    const size_t bodies = (size_t)from->bodies;
    const rps_section *s;
    uint64_t redundant;
    if (world->joints == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(c, redundant_name, &redundant, 1, err));
    RPS_TRY(rps_checkpoint_need(c, joints_name, RPS_TYPE_double, RPS_JOINT_NUMBERS, world->joints, &s, err));
    if (!rps_all_finite(s->data, world->joints * (size_t)RPS_JOINT_NUMBERS)) {
        return rps_state_contradicts(c, "a joint has a value that is no finite number", 0, err);
    }
    const int32_t *kind = rps_state_body(c, "kind");
    for (size_t k = 0; k < world->joints; k++) {
        rps_joint_memory memory;
        memcpy(&memory, (const double *)s->data + k * (size_t)RPS_JOINT_NUMBERS, sizeof memory);
        if (!rps_joint_command_sound(&world->joint[k], &memory)) {
            return rps_state_contradicts(c, "a motor has a command that makes no sense", k, err);
        }
        bool sound = true, moves = false;
        for (int side = 0; side < 2; side++) {
            const uint64_t id = world->joint[k].body[side];
            if (world->joint[k].kind == RPS_JOINT_COUPLING) moves = true; /* its joints are looked at themselves */
            if (id == RPS_JOINT_WORLD) continue;
            const size_t row = rps_state_row(c, bodies, id);
            sound = sound && row < bodies;
            moves = moves || (row < bodies && kind[row] == RPS_BODY_FREE);
        }
        if (!sound || !moves) return rps_state_contradicts(c, "a joint is of bodies that make no sense", k, err);
    }
    return RPS_OK;
}

static rps_status restore_joints(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    world->solver.redundant_rows = 0;
    if (world->joints == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(c, redundant_name, &world->solver.redundant_rows, 1, err));
    const double *number = rps_checkpoint_find(c, joints_name)->data;
    for (size_t k = 0; k < world->joints; k++, number += RPS_JOINT_NUMBERS) {
        memcpy(&world->joint[k].memory, number, sizeof world->joint[k].memory);
    }
    return RPS_OK;
}

const rps_state_part rps_state_joints = {.section = sections,
                                         .describe = describe_joints,
                                         .save = save_joints,
                                         .check = check_joints,
                                         .restore = restore_joints};
