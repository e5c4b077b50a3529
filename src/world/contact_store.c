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
    /* by bisection: a wall may have very many */
    for (size_t low = contacts->reference_own[slot], high = contacts->reference_begin[slot + 1]; low < high;) {
        const size_t mid = low + (high - low) / 2, entry = rps_reference_entry(contacts->reference[mid]);
        const rps_segment *segment = rps_entry_segment(contacts, entry);
        const size_t place = entry - segment->begin;
        const uint64_t id_j = world->bodies.id[segment->slot_j[place]][0];
        const int order =
            id_j != id[1] ? (id_j < id[1] ? -1 : 1) : rps_subkey_compare(rps_segment_subkey(segment, place), subkey);
        if (order == 0) return entry;
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
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

void rps_contacts_end_entry(const rps_world *world, rps_contacts *contacts, size_t entry) {
    rps_segment *segment = rps_segment_to_write(contacts, rps_entry_segment(contacts, entry));
    const int lanes = world->pair_setup[segment->pair].layout[segment->record].lanes;
    for (int lane = 0; lane < lanes; lane++) rps_segment_set(segment, lane, entry - segment->begin, 0.0);
    contacts->was_active[entry] = 0;
}

/* --- removal ------------------------------------------------------------------------------------------------------ */

/* New numbers of contact slots and bodies; RPS_NO_ENTRY, RPS_NO_SLOT: gone. */
typedef struct renumbering {
    uint32_t *entry; /* by old number */
    uint32_t *slot;  /* by old slot */
} renumbering;

static void renumber(const rps_contacts *contacts, size_t bodies, const uint8_t *mark, renumbering *new_of) {
    new_of->slot = contacts->memory.renumbering.p;
    new_of->entry = new_of->slot + bodies;
    uint32_t next = 0;
    for (size_t s = 0; s < bodies; s++) new_of->slot[s] = mark[s] ? RPS_NO_SLOT : next++;
    for (size_t k = 0; k < contacts->segments; k++) {
        const rps_segment *segment = &contacts->segment[k];
        size_t to = segment->begin;
        for (size_t e = 0; e < segment->count; e++) {
            const bool gone = mark[segment->slot_i[e]] || mark[segment->slot_j[e]];
            new_of->entry[segment->begin + e] = gone ? RPS_NO_ENTRY : (uint32_t)to++;
        }
    }
}

/* Compacts a lane and pads the rest of its last batches. */
static void compact_lane(double *lane, const uint32_t *entry, size_t begin, size_t count, size_t left, double padding) {
    for (size_t e = 0; e < count; e++) {
        if (entry[e] != RPS_NO_ENTRY) lane[entry[e] - begin] = lane[e];
    }
    for (size_t e = left; e < count; e++) lane[e] = padding;
}

static void compact_segment(rps_contacts *contacts, rps_segment *segment, size_t lanes, const renumbering *new_of) {
    const uint32_t *entry = new_of->entry + segment->begin;
    const size_t count = segment->count, begin = segment->begin;
    size_t left = 0;
    for (size_t e = 0; e < count; e++) {
        if (entry[e] == RPS_NO_ENTRY) continue;
        segment->slot_i[left] = new_of->slot[segment->slot_i[e]];
        segment->slot_j[left] = new_of->slot[segment->slot_j[e]];
        if (segment->subkey) segment->subkey[left] = segment->subkey[e];
        contacts->was_active[begin + left] = contacts->was_active[begin + e];
        memcpy(contacts->place[begin + left], contacts->place[begin + e], sizeof *contacts->place);
        left++;
    }
    if (left == count) return;
    for (size_t l = 0; l < lanes; l++) {
        compact_lane(rps_segment_lane_to_write(segment, (int)l), entry, begin, count, left, 0.0);
    }
    for (size_t l = 0; l < RPS_CONSTANT_LANES && segment->same == NULL; l++) {
        compact_lane(segment->constant + l * segment->capacity, entry, begin, count, left, 1.0);
    }
    for (size_t e = left; e < count; e++) {
        segment->slot_i[e] = segment->slot_j[e] = 0;
        if (segment->subkey) segment->subkey[e] = (rps_subkey){0};
        contacts->was_active[begin + e] = 0;
    }
    segment->count = left;
}

static void compact_references(rps_contacts *contacts, size_t count, const renumbering *new_of) {
    size_t slot = 0, next = 0;
    for (size_t s = 0, end, begin = contacts->reference_begin[0]; s < count; s++, begin = end) {
        const size_t own = contacts->reference_own[s];
        size_t new_own = SIZE_MAX;
        end = contacts->reference_begin[s + 1];
        if (new_of->slot[s] == RPS_NO_SLOT) continue;
        contacts->reference_begin[slot] = (uint32_t)next;
        for (size_t r = begin; r < end; r++) {
            const uint32_t reference = contacts->reference[r], entry = new_of->entry[rps_reference_entry(reference)];
            if (r == own) new_own = next;
            if (entry != RPS_NO_ENTRY) contacts->reference[next++] = entry * 2 + (reference & 1);
        }
        contacts->reference_own[slot++] = (uint32_t)(new_own == SIZE_MAX ? next : new_own);
    }
    contacts->reference_begin[slot] = (uint32_t)next;
    contacts->bodies = slot;
}

rps_status rps_contacts_remove_reserve(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    if (contacts->bodies == 0) return RPS_OK;
    RPS_TRY(rps_contacts_extend(world, contacts, err));
    return rps_scratch_fit(world, &contacts->memory.renumbering, world->bodies.count + contacts->entries,
                           sizeof(uint32_t), err);
}

void rps_contacts_remove(const rps_world *world, rps_contacts *contacts, const uint8_t *mark) {
    if (contacts->bodies == 0) return;
    renumbering new_of;
    renumber(contacts, world->bodies.count, mark, &new_of);
    for (size_t k = 0; k < contacts->segments; k++) {
        rps_segment *segment = &contacts->segment[k];
        const size_t lanes = (size_t)world->pair_setup[segment->pair].layout[segment->record].lanes;
        compact_segment(contacts, segment, lanes, &new_of);
    }
    compact_references(contacts, world->bodies.count, &new_of);
    contacts->paths = 0;
    contacts->mesh.listed = false;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

rps_status rps_contacts_borrow(const rps_world *world, rps_contacts *contacts, size_t bytes, void **scratch,
                               rps_error *err) {
    *scratch = NULL;
    if (contacts->memory.lent) return rps_fail(err, RPS_INTERNAL, "the memory of the contact loads is lent already");
    RPS_TRY(rps_scratch_fit(world, &contacts->memory.load, bytes, 1, err));
    contacts->load = contacts->memory.load.p;
    contacts->memory.lent = true;
    *scratch = contacts->memory.load.p;
    return RPS_OK;
}

void rps_contacts_give_back(rps_contacts *contacts) {
    contacts->memory.lent = false;
}

void rps_contacts_drop_loads(const rps_world *world, rps_contacts *contacts) {
    rps_scratch_shrink(world, &contacts->memory.load);
    contacts->load = contacts->memory.load.p;
}

rps_status rps_contacts_extend(const rps_world *world, rps_contacts *contacts, rps_error *err) {
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

rps_status rps_contacts_reserve_results(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    rps_scratch *result = &contacts->memory.result;
    if (!world->keep_contacts || (contacts->result != NULL && contacts->result_capacity >= contacts->entries)) {
        return RPS_OK;
    }
    RPS_TRY(rps_scratch_fit(world, result, contacts->entries, sizeof(rps_entry_result), err));
    contacts->result = result->p;
    contacts->result_capacity = result->bytes / sizeof(rps_entry_result);
    return RPS_OK;
}

void rps_contacts_forget(rps_contacts *contacts) {
    rps_contact_memory memory = contacts->memory;
    memory.lent = false;
    memory.store_present = !memory.store_present; /* a rebuild writes to the other store, and releases this one */
    *contacts = (rps_contacts){.memory = memory};
}

void rps_contacts_release(const rps_world *world, rps_contacts *contacts) {
    rps_contact_memory *m = &contacts->memory;
    rps_scratch *const buffer[] = {
        &m->segment[0],      &m->segment[1], &m->store[0],     &m->store[1],     &m->slot[0],       &m->slot[1],
        &m->piece,           &m->same[0],    &m->same[1],      &m->mixed,        &m->line,          &m->row,
        &m->reference_begin, &m->reference,  &m->load,         &m->has_load,     &m->place,         &m->result,
        &m->reference_own,   &m->was_active, &m->path,         &m->apart,        &m->mesh_geometry, &m->mesh_wrench,
        &m->mesh_entry,      &m->mesh_pair,  &m->mesh_note[0], &m->mesh_note[1], &m->mesh_work,     &m->kind,
        &m->tally,           &m->degree,     &m->shuffled,     &m->renumbering};
    for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) rps_scratch_release(world, buffer[k]);
    memset(contacts, 0, sizeof *contacts);
}
