/*
 * Removes bodies and their contact slots from the lists: what is left moves together in the same order, so that
 * references stay in the order of keys and histories stay with their contacts.
 */
#include <string.h>

#include "detect/lists.h"

/* New numbers of contact slots and bodies; RPS_NO_ENTRY, RPS_NO_SLOT: gone. */
typedef struct renumbering {
    uint32_t *entry; /* by old number */
    uint32_t *slot;  /* by old slot */
} renumbering;

static void renumber(const rps_world *world, const uint8_t *mark, renumbering *new_of) {
    const size_t bodies = world->bodies.count;
    new_of->slot = world->lists->renumbering.p;
    new_of->entry = new_of->slot + bodies;
    uint32_t next = 0;
    for (size_t s = 0; s < bodies; s++) new_of->slot[s] = mark[s] ? RPS_NO_SLOT : next++;
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        size_t to = segment->begin;
        for (size_t e = 0; e < segment->count; e++) {
            const bool gone = mark[segment->slot_i[e]] || mark[segment->slot_j[e]];
            new_of->entry[segment->begin + e] = gone ? RPS_NO_ENTRY : (uint32_t)to++;
        }
    }
}

/* Moves a lane together and fills what is left of its last batches. */
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
        compact_lane(segment->state + l * segment->capacity, entry, begin, count, left, 0.0);
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
            const uint32_t reference = contacts->reference[r], entry = new_of->entry[reference >> 1];
            if (r == own) new_own = next;
            if (entry != RPS_NO_ENTRY) contacts->reference[next++] = entry * 2 + (reference & 1);
        }
        contacts->reference_own[slot++] = (uint32_t)(new_own == SIZE_MAX ? next : new_own);
    }
    contacts->reference_begin[slot] = (uint32_t)next;
}

rps_status rps_detect_remove_reserve(rps_world *world, rps_error *err) {
    rps_lists *lists = world->lists;
    if (!lists || lists->referenced == 0) return RPS_OK;
    RPS_TRY(rps_persist_extend(world, lists, err));
    return rps_scratch_fit(world, &lists->renumbering, world->bodies.count + world->contacts.entries, sizeof(uint32_t),
                           err);
}

void rps_detect_remove(rps_world *world, const uint8_t *mark) {
    rps_contacts *contacts = &world->contacts;
    rps_lists *lists = world->lists;
    if (lists && lists->referenced > 0) {
        renumbering new_of;
        renumber(world, mark, &new_of);
        for (size_t k = 0; k < contacts->segments; k++) {
            rps_segment *segment = &contacts->segment[k];
            const size_t lanes = (size_t)world->pair_setup[segment->pair].layout[segment->record].lanes;
            compact_segment(contacts, segment, lanes, &new_of);
        }
        compact_references(contacts, world->bodies.count, &new_of);
    }
    rps_bodies_compact(world, mark);
    if (lists && lists->referenced > 0) lists->referenced = world->bodies.count;
    world->prediction = NULL; /* it was by slot */
    world->lists_stale = true;
}
