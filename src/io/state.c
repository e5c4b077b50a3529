/* Saves a world as sections and restores it, part by part (state_part_list.inc). Bodies are stored by id and contacts
 * by key, so the result does not depend on slots or lists. */
#include "io/state_parts.h"

#include <string.h>

#include "detect/detect.h"
#include "step/step_stages.h"
#include "world/share.h"

static const rps_state_part *const part[] = {
#define RPS_STATE_PART(name) &rps_state_##name,
#include "io/state_part_list.inc"
#undef RPS_STATE_PART
};

enum { PARTS = sizeof part / sizeof *part };

void rps_state_describe_parts(const rps_world *world, rps_text *text) {
    for (int k = 0; k < PARTS; k++) {
        if (part[k]->describe) part[k]->describe(world, text);
    }
}

rps_status rps_state_save(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "saving the state", err));
    RPS_TRY(rps_state_save_setup(world, serializer, err));
    for (int k = 0; k < PARTS; k++) RPS_TRY(part[k]->save(world, serializer, err));
    return RPS_OK;
}

/* --- restoring ---------------------------------------------------------------------------------------------------- */

static bool name_begins_with(const char *name, const char *front) {
    return strncmp(name, front, strlen(front)) == 0;
}

/* Sections of runs and scenes are not the world's: scene/resume.c checks them. */
static bool world_section_is_known(const rps_world *world, const char *name) {
    if (name_begins_with(name, "run/") || name_begins_with(name, "scene/") || strcmp(name, rps_state_setup_name) == 0)
        return true;
    for (int k = 0; k < PARTS; k++) {
        for (const char *const *s = part[k]->section; *s; s++) {
            if (strcmp(name, *s) == 0) return true;
        }
        if (part[k]->knows && part[k]->knows(world, name)) return true;
    }
    return false;
}

static rps_status check_section_names(const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const rps_section *s;
    for (size_t k = 0; (s = rps_checkpoint_at(c, k)) != NULL; k++) {
        if (!world_section_is_known(world, s->name)) return rps_checkpoint_unknown(c, s->name, err);
    }
    return RPS_OK;
}

static rps_status check_all(const rps_world *world, rps_state_source *from, rps_error *err) {
    RPS_TRY(rps_state_counts(from, NULL, err));
    RPS_TRY(rps_state_ids(from->c, from->bodies, &from->ids, err));
    RPS_TRY(rps_state_lanes_find(world, from, err));
    for (int k = 0; k < PARTS; k++) RPS_TRY(part[k]->check(world, from, err));
    return RPS_OK;
}

static rps_status restore_all(rps_world *world, const rps_state_source *from, rps_error *err) {
    if (world->contact_log_release) world->contact_log_release(world);
    if (world->lists_release) world->lists_release(world);
    world->lists_release = NULL;
    rps_contacts_release(world, &world->contacts);
    for (int k = 0; k < PARTS; k++) {
        if (part[k]->restore) RPS_TRY(part[k]->restore(world, from, err));
    }
    world->contacts_kept = world->loads_known = false;
    world->lists_stale = true;
    if (!world->started) return rps_state_check_hash(world, from, err);
    rps_guard_arm(world, &world->guard);
    /* nonsmooth contacts carried a load in the last step; their bodies may have separated since */
    if (world->options.stepper == RPS_NONSMOOTH) world->speed_bound = world->moved.speed;
    RPS_TRY(rps_detect_update(world, err));
    for (int k = 0; k < PARTS; k++) {
        if (part[k]->restore_listed) RPS_TRY(part[k]->restore_listed(world, from, err));
    }
    return rps_state_check_hash(world, from, err);
}

rps_status rps_state_restore(rps_world *world, const rps_checkpoint *c, rps_error *err) {
    rps_state_source from = {.c = c};
    RPS_TRY(rps_share_refuse(world, "restoring a state", err));
    RPS_TRY(rps_state_compare_setup(world, c, err));
    RPS_TRY(check_section_names(world, c, err));
    rps_status status = check_all(world, &from, err);
    if (status == RPS_OK) status = restore_all(world, &from, err);
    rps_state_lanes_release(world, &from);
    return status;
}

rps_status rps_state_look(const rps_checkpoint *c, rps_state_info *out, rps_error *err) {
    rps_state_source from = {.c = c};
    double step;
    RPS_TRY(rps_state_counts(&from, &step, err));
    *out = (rps_state_info){.steps = from.steps, .bodies = from.bodies, .contacts = from.contacts};
    out->step = step;
    rps_step_clock clock;
    RPS_TRY(rps_state_clock(c, &clock, err));
    out->time = rps_step_time(clock, out->steps);
    return rps_checkpoint_words(c, rps_state_hash_name, out->hash, 2, err);
}

/* --- for programs ------------------------------------------------------------------------------------------------- */

rps_status rps_world_save(const rps_world *world, const char *path, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(path);
    rps_serializer serializer;
    rps_serializer_init(&serializer, world->allocator);
    rps_status status = rps_state_save(world, &serializer, err);
    if (status == RPS_OK) status = rps_serializer_write(&serializer, path, err);
    rps_serializer_release(&serializer);
    return status;
}

rps_status rps_world_restore(rps_world *world, const char *path, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(path);
    rps_checkpoint *checkpoint;
    RPS_TRY(rps_checkpoint_open(path, world->allocator, &checkpoint, err));
    rps_status status = rps_state_restore(world, checkpoint, err);
    rps_checkpoint_close(checkpoint);
    return status;
}
