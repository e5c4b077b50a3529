#include "world/contact_store.h"

#include <string.h>

#include "base/status.h"
#include "world/world.h"

const rps_segment *rps_entry_segment(const rps_contacts *contacts, size_t entry) {
    size_t low = 0, high = contacts->segments;
    while (high - low > 1) {
        const size_t mid = low + (high - low) / 2;
        if (contacts->segment[mid].begin <= entry) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return &contacts->segment[low];
}

size_t rps_contacts_find(const rps_world *world, const uint64_t id[2], rps_subkey subkey) {
    const rps_contacts *contacts = &world->contacts;
    const size_t slot = world->bodies.slot_of[id[0]];
    for (size_t r = contacts->reference_own[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t entry = rps_reference_entry(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t place = entry - segment->begin;
        if (world->bodies.id[segment->slot_j[place]][0] == id[1] &&
            rps_subkey_compare(rps_segment_subkey(segment, place), subkey) == 0) {
            return entry;
        }
    }
    return SIZE_MAX;
}

bool rps_contacts_entry_lives(const rps_world *world, size_t entry) {
    const rps_segment *segment = rps_entry_segment(&world->contacts, entry);
    const int modes = world->pair_setup[segment->pair].layout[segment->record].modes;
    return rps_segment_get(segment, modes, entry - segment->begin) != 0.0;
}

void rps_segment_get_all(const rps_segment *segment, size_t place, int lanes, double *state) {
    for (int lane = 0; lane < lanes; lane++) state[lane] = rps_segment_get(segment, lane, place);
}

void rps_contacts_restore_entry(rps_contacts *contacts, size_t entry, int lanes, const double *state) {
    rps_segment *segment = rps_segment_to_write(contacts, rps_entry_segment(contacts, entry));
    for (int lane = 0; lane < lanes; lane++) rps_segment_set(segment, lane, entry - segment->begin, state[lane]);
    const uint32_t *line = contacts->place[entry];
    contacts->was_active[entry] = 1;
    contacts->has_load[line[0]] = contacts->has_load[line[1]] = 1;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

rps_status rps_contacts_borrow(rps_world *world, size_t bytes, void **scratch, rps_error *err) {
    rps_contacts *contacts = &world->contacts;
    *scratch = NULL;
    if (contacts->memory.lent) return rps_fail(err, RPS_INTERNAL, "the memory of the contact loads is lent already");
    RPS_TRY(rps_scratch_fit(world, &contacts->memory.load, bytes, 1, err));
    contacts->load = contacts->memory.load.p;
    contacts->memory.lent = true;
    *scratch = contacts->memory.load.p;
    return RPS_OK;
}

void rps_contacts_give_back(rps_world *world) {
    world->contacts.memory.lent = false;
}

void rps_contacts_drop_loads(rps_world *world) {
    rps_scratch_shrink(world, &world->contacts.memory.load);
    world->contacts.load = world->contacts.memory.load.p;
}

rps_status rps_contacts_extend(rps_world *world, rps_error *err) {
    rps_contacts *contacts = &world->contacts;
    rps_contact_memory *memory = &contacts->memory;
    const size_t count = world->bodies.count, known = contacts->bodies;
    if (contacts->reference_begin != NULL && known == count) return RPS_OK;
    RPS_TRY(rps_scratch_grow(world, &memory->reference_begin, contacts->reference_begin ? known + 1 : 0, count + 1,
                             sizeof(uint32_t), err));
    uint32_t *begin = memory->reference_begin.p;
    if (contacts->reference_begin == NULL) begin[0] = 0;
    contacts->reference_begin = begin;
    RPS_TRY(rps_scratch_grow(world, &memory->reference_own, known, count, sizeof(uint32_t), err));
    uint32_t *own = contacts->reference_own = memory->reference_own.p;
    for (size_t s = known; s < count; s++) begin[s + 1] = own[s] = begin[s];
    contacts->bodies = count;
    return RPS_OK;
}

rps_status rps_contacts_reserve_results(rps_world *world, rps_error *err) {
    rps_contacts *contacts = &world->contacts;
    rps_scratch *result = &contacts->memory.result;
    if (!world->keep_contacts || (contacts->result != NULL && contacts->result_capacity >= contacts->entries)) {
        return RPS_OK;
    }
    RPS_TRY(rps_scratch_fit(world, result, contacts->entries, sizeof(rps_entry_result), err));
    contacts->result = result->p;
    contacts->result_capacity = result->bytes / sizeof(rps_entry_result);
    return RPS_OK;
}

void rps_contacts_release(rps_world *world) {
    rps_contact_memory *m = &world->contacts.memory;
    rps_scratch *const buffer[] = {
        &m->segment[0],      &m->segment[1], &m->store[0], &m->store[1], &m->slot[0], &m->slot[1],
        &m->piece,           &m->same[0],    &m->same[1],  &m->mixed,    &m->line,    &m->row,
        &m->reference_begin, &m->reference,  &m->load,     &m->has_load, &m->place,   &m->result,
        &m->reference_own,   &m->was_active, &m->kind,     &m->tally,    &m->degree,  &m->shuffled};
    for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) rps_scratch_release(world, buffer[k]);
    memset(&world->contacts, 0, sizeof world->contacts);
}
