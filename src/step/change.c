/* Notes the contacts of a world before a change, and gives them back what they remember after it. */
#include "step/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "detect/detect.h"
#include "step/nonsmooth.h"
#include "step/step_stages.h"
#include "world/share.h"

/* J, stored by all contacts. */
static rps_status stored_now(rps_world *world, double *out, rps_error *err) {
    rps_exact_sum energy[RPS_ROLE_COUNT], all;
    rps_exact_sum_clear(&all);
    if (world->options.stepper == RPS_NONSMOOTH) {
        rps_nonsmooth_energy(world, energy);
    } else {
        RPS_TRY(rps_evaluate_energy(world, energy, err));
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) rps_exact_sum_merge(&all, &energy[role]);
    *out = rps_exact_sum_value(&all);
    return RPS_OK;
}

/* --- before ------------------------------------------------------------------------------------------------------- */

static rps_status reserve_change(const rps_world *world, rps_change *change, rps_error *err) {
    size_t bytes;
    void *memory;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const size_t lanes = (size_t)world->pair_setup[segment->pair].layout[segment->record].lanes;
        change->lanes = lanes > change->lanes ? lanes : change->lanes;
    }
    const size_t most = rps_world_contact_count(world);
    RPS_TRY(rps_size_of_items(world->pairs, sizeof *change->pair, &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    change->pair = memory;
    change->pairs = world->pairs;
    memcpy(change->pair, world->pair_setup, bytes);
    RPS_TRY(rps_size_of_items(most, sizeof *change->contact, &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    change->contact = memory;
    change->contacts = most;
    RPS_TRY(rps_size_of_items(most, change->lanes * sizeof *change->state, &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    change->state = memory;
    return RPS_OK;
}

static void note_contacts(const rps_world *world, rps_change *change) {
    size_t at = 0;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
        for (size_t e = 0; e < segment->count; e++) {
            if (!(rps_segment_get(segment, layout->modes, e) > 0.5)) continue;
            rps_segment_get_all(segment, e, layout->lanes, change->state + at * change->lanes);
            change->contact[at++] = (rps_changed_contact){
                .id = {world->bodies.id[segment->slot_i[e]][0], world->bodies.id[segment->slot_j[e]][0]},
                .subkey = rps_segment_subkey(segment, e),
                .pair = segment->pair,
                .record = segment->record};
        }
    }
}

rps_status rps_change_begin(rps_world *world, rps_change *change, rps_error *err) {
    *change = (rps_change){.allocator = world->allocator};
    if (!world->started) return RPS_OK;
    RPS_TRY(rps_share_refuse(world, "a change of laws or of kinds of bodies", err));
    if (world->options.ledger) RPS_TRY(stored_now(world, &change->stored, err));
    RPS_TRY(reserve_change(world, change, err));
    note_contacts(world, change);
    change->acts = true;
    return RPS_OK;
}

void rps_change_release(rps_change *change) {
    rps_memory_release(change->allocator, change->pair, change->pairs * sizeof *change->pair);
    rps_memory_release(change->allocator, change->contact, change->contacts * sizeof *change->contact);
    rps_memory_release(change->allocator, change->state, change->contacts * change->lanes * sizeof *change->state);
    *change = (rps_change){.allocator = NULL};
}

/* --- after -------------------------------------------------------------------------------------------------------- */

/* The entry of a contact in the new lists; false if its bodies cannot touch any more. */
static bool find_entry(const rps_world *world, const rps_changed_contact *contact, size_t *entry) {
    *entry = rps_contacts_find(world, contact->id, contact->subkey);
    if (*entry == SIZE_MAX) return false;
    const rps_segment *segment = rps_entry_segment(&world->contacts, *entry);
    return segment->pair == contact->pair && segment->record == contact->record;
}

static rps_status restore_contacts(rps_world *world, const rps_change *change, rps_error *err) {
    void *memory;
    size_t lanes = 0;
    for (size_t k = 0; k < world->pairs; k++) {
        for (int record = 0; record < RPS_RECORD_COUNT; record++) {
            const size_t own = (size_t)world->pair_setup[k].layout[record].lanes;
            lanes = own > lanes ? own : lanes;
        }
    }
    RPS_TRY(rps_memory_alloc(world->allocator, lanes * sizeof(double) + 1, &memory, err));
    double *state = memory;
    for (size_t k = 0; k < change->contacts; k++) {
        const rps_changed_contact *contact = &change->contact[k];
        const rps_pair_setup *then = &change->pair[contact->pair], *now = &world->pair_setup[contact->pair];
        const size_t slot[2] = {rps_world_slot(world, contact->id[0]), rps_world_slot(world, contact->id[1])};
        size_t entry;
        const bool found = find_entry(world, contact, &entry);
        if (!found || !rps_change_keeps(then, now, RPS_ROLE_BRIDGE)) {
            rps_liquid_leave_contact(world, &world->liquid, then, contact->id, contact->subkey, contact->record,
                                     change->state + k * change->lanes);
        }
        if (!found) continue;
        rps_change_memory(then, now, contact->record, change->state + k * change->lanes, state);
        if (world->options.stepper == RPS_NONSMOOTH) rps_nonsmooth_change(world, then, now, slot, state);
        rps_contacts_restore_entry(&world->contacts, entry, now->layout[contact->record].lanes, state);
    }
    rps_memory_release(world->allocator, memory, lanes * sizeof(double) + 1);
    return RPS_OK;
}

/* Nothing moves in the evaluation, so that what slips stays at its cap and would count as sticking: it goes on to slip. */
static void keep_modes(const rps_world *world, rps_contacts *contacts, const rps_change *change) {
    for (size_t k = 0; k < change->contacts; k++) {
        const rps_changed_contact *contact = &change->contact[k];
        size_t entry;
        if (!find_entry(world, contact, &entry)) continue;
        rps_segment *segment = rps_segment_to_write(contacts, rps_entry_segment(contacts, entry));
        const rps_pair_setup *then = &change->pair[contact->pair], *now = &world->pair_setup[contact->pair];
        const int lane = now->layout[contact->record].modes, old = then->layout[contact->record].modes;
        const int was = (int)change->state[k * change->lanes + (size_t)old] & rps_change_modes(then, now);
        const int modes = (int)rps_segment_get(segment, lane, entry - segment->begin);
        if (modes & 1 << RPS_MODE_EXISTS) rps_segment_set(segment, lane, entry - segment->begin, (double)(modes | was));
    }
}

/* The loads at the present places, for the first half of the next step. The rotation of the last step has been tracked
 * already. */
static rps_status evaluate_here(rps_world *world, const rps_change *change, rps_error *err) {
    rps_bodies_derive(world);
    RPS_TRY(rps_evaluate(world, 0.0, err));
    if (rps_world_is_wet(world)) RPS_TRY(rps_liquid_move(world, &world->liquid, &world->contacts, err));
    rps_shear_account(world, true);
    if (world->bonds.count > 0) RPS_TRY(rps_bonds_evaluate(world, &world->bonds, 0.0, err));
    rps_motion_finish(world, rps_world_time(world), true);
    if (world->bonds.count > 0) rps_bonds_finish(world, &world->bonds, &world->bodies);
    keep_modes(world, &world->contacts, change);
    return RPS_OK;
}

rps_status rps_change_finish(rps_world *world, const rps_change *change, rps_error *err) {
    double stored;
    if (!change->acts) return RPS_OK;
    if (world->lists_release) world->lists_release(world);
    world->lists_release = NULL;
    rps_contacts_release(world, &world->contacts);
    world->lists_stale = true;
    rps_guard_arm(world, &world->guard);
    if (world->options.stepper == RPS_NONSMOOTH) world->speed_bound = world->moved.speed;
    RPS_TRY(rps_detect_update(world, err));
    RPS_TRY(restore_contacts(world, change, err));
    if (world->options.stepper == RPS_PENALTY) RPS_TRY(evaluate_here(world, change, err));
    if (!world->options.ledger) return RPS_OK;
    RPS_TRY(stored_now(world, &stored, err));
    rps_change_add(world, RPS_CHANGE_CHANGED, stored);
    rps_change_add(world, RPS_CHANGE_CHANGED, -change->stored);
    return RPS_OK;
}
