/*
 * After an evaluation liquid moves: bridges that ruptured give their volume back to the films, and then contacts that have none,
 * and whose surfaces meet, take theirs. Both go in the order of permanent ids, so that neither threads nor slots show.
 */
#include <stdlib.h>

#include "base/elementary.h"
#include "detect/detect.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

typedef struct liquid_move {
    uint64_t id[2];
    rps_subkey subkey;
    bool forms;
    size_t entry;
} liquid_move;

static int compare_moves(const void *a, const void *b) {
    const liquid_move *x = a, *y = b;
    if (x->forms != y->forms) return x->forms ? 1 : -1;
    for (int k = 0; k < 2; k++) {
        if (x->id[k] != y->id[k]) return x->id[k] < y->id[k] ? -1 : 1;
    }
    return rps_subkey_compare(x->subkey, y->subkey);
}

static rps_law_liquid share_of(const rps_pair_setup *pair) {
    rps_law_liquid share = {.share = RPS_LIQUID_FIXED};
    const rps_law *law = pair->law[RPS_ROLE_BRIDGE];
    if (law->liquid) law->liquid(pair->constant[RPS_ROLE_BRIDGE], &share);
    return share;
}

static rps_liquid_sides bridge_sides(const rps_world *world, size_t slot_i, size_t slot_j, rps_record record,
                                     rps_subkey subkey) {
    const size_t slot[2] = {slot_i, slot_j};
    const uint32_t piece[2] = {subkey.piece_i, subkey.piece_j};
    rps_liquid_sides sides;
    for (int k = 0; k < 2; k++) {
        const rps_piece *first = rps_record_has_offsets(record) ? rps_body_pieces(world, slot[k]) : NULL;
        sides.id[k] = world->bodies.id[slot[k]][0];
        sides.radius[k] = first != NULL ? first[piece[k]].radius : world->bodies.pose[slot[k]].radius[0];
    }
    return sides;
}

/* 1: it takes liquid, -1: it gives it back, 0: neither. */
static int moves_of(const rps_segment *segment, const rps_layout *layout, const rps_law_liquid *share, size_t place) {
    const double volume = rps_segment_get(segment, layout->liquid, place);
    const bool lives = rps_segment_get(segment, layout->modes, place) > 0.5;
    if (!lives) return volume != 0.0 ? -1 : 0;
    const bool meets = rps_segment_get(segment, layout->overlap, place) > 0.0;
    return volume == 0.0 && meets && share->share != RPS_LIQUID_FIXED ? 1 : 0;
}

/* Fills moves[], NULL: counts them. */
static size_t find_moves(const rps_world *world, liquid_move *moves) {
    size_t count = 0;
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        const rps_pair_setup *pair = &world->pair_setup[segment->pair];
        if (!pair->wet) continue;
        const rps_layout *layout = &pair->layout[segment->record];
        const rps_law_liquid share = share_of(pair);
        for (size_t e = 0; e < segment->count; e++) {
            const int moves_it = moves_of(segment, layout, &share, e);
            if (moves_it == 0) continue;
            if (moves != NULL) {
                moves[count] = (liquid_move){
                    .id = {world->bodies.id[segment->slot_i[e]][0], world->bodies.id[segment->slot_j[e]][0]},
                    .subkey = rps_segment_subkey(segment, e),
                    .forms = moves_it > 0,
                    .entry = segment->begin + e};
            }
            count++;
        }
    }
    return count;
}

void rps_liquid_leave_entry(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, size_t entry) {
    rps_segment *segment = rps_segment_to_write(contacts, rps_entry_segment(contacts, entry));
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    if (!pair->wet) return;
    const rps_layout *layout = &pair->layout[segment->record];
    const size_t place = entry - segment->begin;
    const double kept = rps_segment_get(segment, layout->liquid, place);
    if (kept == 0.0) return;
    const rps_law_liquid share = share_of(pair);
    const rps_liquid_sides sides = bridge_sides(world, segment->slot_i[place], segment->slot_j[place], segment->record,
                                                rps_segment_subkey(segment, place));
    rps_liquid_give(liquid, &share, &sides, kept < 0.0 ? -kept : kept);
    rps_segment_set(segment, layout->liquid, place, 0.0);
    rps_segment_set(segment, layout->range, place, 0.0);
}

void rps_liquid_leave_contact(const rps_world *world, rps_liquid *liquid, const rps_pair_setup *pair,
                              const uint64_t id[2], rps_subkey subkey, rps_record record, const double *state) {
    if (!pair->wet || !(state[pair->layout[record].liquid] != 0.0)) return;
    const double kept = state[pair->layout[record].liquid];
    const rps_law_liquid share = share_of(pair);
    const rps_liquid_sides sides =
        bridge_sides(world, rps_world_slot(world, id[0]), rps_world_slot(world, id[1]), record, subkey);
    rps_liquid_give(liquid, &share, &sides, kept < 0.0 ? -kept : kept);
}

static void form(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, size_t entry) {
    rps_segment *segment = rps_segment_to_write(contacts, rps_entry_segment(contacts, entry));
    const rps_pair_setup *pair = &world->pair_setup[segment->pair];
    const rps_layout *layout = &pair->layout[segment->record];
    const size_t place = entry - segment->begin;
    const rps_law_liquid share = share_of(pair);
    const rps_liquid_sides sides = bridge_sides(world, segment->slot_i[place], segment->slot_j[place], segment->record,
                                                rps_segment_subkey(segment, place));
    const double volume = rps_liquid_take(liquid, &share, &sides);
    if (!(volume > 0.0)) return;
    rps_segment_set(segment, layout->liquid, place, -volume);
    rps_segment_set(segment, layout->range, place, share.reach * rps_cbrt(volume));
}

rps_status rps_liquid_move(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, rps_error *err) {
    const size_t count = find_moves(world, NULL);
    if (count == 0) return RPS_OK;
    RPS_TRY(rps_scratch_fit(world, &liquid->work, count, sizeof(liquid_move), err));
    liquid_move *moves = liquid->work.p;
    find_moves(world, moves);
    if (count > 1) qsort(moves, count, sizeof *moves, compare_moves);
    for (size_t k = 0; k < count; k++) {
        if (moves[k].forms) {
            form(world, liquid, contacts, moves[k].entry);
        } else {
            rps_liquid_leave_entry(world, liquid, contacts, moves[k].entry);
        }
    }
    return RPS_OK;
}

void rps_liquid_leave(const rps_world *world, rps_liquid *liquid, rps_contacts *contacts, const uint8_t *mark) {
    const bool wet = rps_world_is_wet(world);
    for (uint64_t id = 0, s; wet && rps_bodies_next(&world->bodies, &id, &s); id++) {
        if (!contacts->reference_begin || s >= contacts->bodies) break;
        for (size_t r = contacts->reference_own[s]; r < contacts->reference_begin[s + 1]; r++) {
            const size_t entry = rps_reference_entry(contacts->reference[r]);
            const rps_segment *segment = rps_entry_segment(contacts, entry);
            const size_t place = entry - segment->begin;
            if (!mark[segment->slot_i[place]] && !mark[segment->slot_j[place]]) continue;
            rps_liquid_leave_entry(world, liquid, contacts, entry);
        }
    }
    for (uint64_t id = 0, s; liquid->films > 0 && rps_bodies_next(&world->bodies, &id, &s); id++) {
        if (mark[s]) rps_liquid_end(liquid, id);
    }
}
