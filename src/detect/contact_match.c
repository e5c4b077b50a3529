/*
 * Contact persistence: histories stay with their contacts when lists are rebuilt.
 *
 * A contact is identified by its key: the two ids, pieces and feature. The entries of the lower body and its row in
 * the new candidate list are both sorted by the other id, so one merge finds the present entry of every listed pair.
 * Slots may have changed in between; ids have not.
 */
#include <string.h>

#include "detect/lists.h"

static bool lives(const rps_world *world, const rps_segment *segment, size_t entry) {
    const int modes = world->pair_setup[segment->pair].layout[segment->record].modes;
    return rps_segment_get(segment, modes, entry - segment->begin) != 0.0;
}

static rps_status report_lost_feature(const rps_world *world, const rps_lists *lists, const uint64_t id[2],
                                      rps_error *err) {
    char i[RPS_BODY_NAME], j[RPS_BODY_NAME];
    const unsigned long long steps = world->steps;
    rps_body_name(world, rps_world_slot(world, id[0]), i, sizeof i);
    rps_body_name(world, rps_world_slot(world, id[1]), j, sizeof j);
    if (!(2.0 * lists->life.step_displacement < lists->coming_candidate_skin)) {
        return rps_fail(err, RPS_GUARD,
                        "The contact of %s and %s was torn apart within one step after %llu steps: bodies move by "
                        "up to %g m a step, more than their size or the periodic box allows. Lower the step.",
                        i, j, steps, lists->life.step_displacement);
    }
    return rps_fail(err, RPS_INTERNAL,
                    "The contact of %s and %s exists but is missing from the list of near pairs after %llu steps. "
                    "Bodies moved farther than their largest speed says, or the lists are wrong.",
                    i, j, steps);
}

static bool comes_before(uint64_t id_a, rps_subkey sub_a, uint64_t id_b, rps_subkey sub_b) {
    return id_a < id_b || (id_a == id_b && rps_subkey_compare(sub_a, sub_b) < 0);
}

/* Merges the entries and the row of one body; false: an existing contact with *lost is not in the row. */
static bool match_row(const rps_world *world, const rps_lists *lists, size_t slot, uint64_t *lost) {
    const rps_contacts *contacts = &world->contacts;
    const uint32_t *row = lists->row.p;
    const uint32_t *other = lists->other.p, *pair_type = lists->pair_type.p;
    const rps_subkey *subkey = rps_lists_subkey(lists), none = {0};
    uint32_t *entry = lists->entry.p;
    const uint64_t(*id)[1] = (const uint64_t(*)[1])world->bodies.id;
    size_t p = row[slot], end = row[slot + 1];
    bool whole = true;
    for (size_t r = contacts->reference_own[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const size_t old = rps_reference_entry(contacts->reference[r]);
        const rps_segment *segment = rps_entry_segment(contacts, old);
        uint32_t old_other = segment->slot_j[old - segment->begin];
        uint64_t key = id[old_other][0];
        const rps_subkey old_subkey = rps_segment_subkey(segment, old - segment->begin);
        for (; p < end && comes_before(id[other[p]][0], subkey ? subkey[p] : none, key, old_subkey); p++)
            entry[p] = RPS_NO_ENTRY;
        if (p < end && id[other[p]][0] == key && rps_subkey_compare(subkey ? subkey[p] : none, old_subkey) == 0 &&
            rps_pair_type_segment(pair_type[p]) ==
                (uint32_t)segment->pair * RPS_RECORD_COUNT + (uint32_t)segment->record) {
            entry[p++] = (uint32_t)old;
        } else if (whole && world->options.stepper == RPS_PENALTY && lives(world, segment, old) &&
                   rps_world_may_touch(world, slot, old_other)) {
            /* a pair excluded since then may vanish; nonsmooth contacts have no history to lose */
            whole = false;
            *lost = key;
        }
    }
    for (; p < end; p++) entry[p] = RPS_NO_ENTRY;
    return whole;
}

typedef struct matching {
    const rps_world *world;
    const rps_lists *lists;
} matching;

static void match_rows(void *context, rps_part part) {
    const matching *m = context;
    rps_found *found = (rps_found *)m->lists->found.p + part.worker;
    found->pair_missing = false;
    for (size_t s = part.begin; s < part.end; s++) {
        uint64_t lost;
        if (!match_row(m->world, m->lists, s, &lost) && !found->pair_missing) {
            found->pair_missing = true;
            found->missing[0] = m->world->bodies.id[s][0];
            found->missing[1] = lost;
        }
    }
}

rps_status rps_persist_match(const rps_world *world, rps_lists *lists, rps_error *err) {
    matching m = {world, lists};
    rps_parallel_for(lists->workers, lists->bodies, match_rows, &m);
    const rps_found *found = lists->found.p;
    for (int c = 0; c < lists->workers.count; c++) {
        if (found[c].pair_missing) return report_lost_feature(world, lists, found[c].missing, err);
    }
    return RPS_OK;
}
