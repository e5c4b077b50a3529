/*
 * The inner list: those pairs of the outer one whose gap is below reach and a small skin, and those whose contact
 * lived at the last evaluation, as segments of world.contacts, with the state of the contacts that live, and every
 * body's references to its entries in the order of keys.
 *
 * First everything is counted and all memory taken; what follows cannot fail, so that a failure leaves the last list.
 * The new lanes take the place of the present ones, one after the other by way of a spare lane, as long as there is room;
 * else they are written elsewhere.
 */
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "detect/lists.h"

enum {
    GAPS = 64,
    SAME = RPS_CONSTANT_LANES * RPS_BATCH,
    FAR_FROM = 8192,    /* lines of loads: half a second cache */
    STREAM_FROM = 65536 /* lines of loads: 4 MB, more than one core's share of the third cache */
};

typedef struct builder {
    rps_world *world;
    rps_lists *lists;
    double skin;
    size_t kinds; /* pairs of materials times record classes */
    size_t parts; /* 2 kinds: of every segment what touches lies first, so that batches are full of one or the other */
    size_t segments, entries;
    rps_segment *segment; /* the new ones */
    int *segment_of;      /* by kind; -1: none */
    int *old_of;
    uint8_t *mixed; /* by chunk and segment: constants differ */
    bool in_place;  /* lanes move within their store */
    /* these lie where the loads will be: a lane; the old entry of each new one, and what it was */
    double *spare;
    uint32_t *source;
    uint8_t *past;
} builder;

/* Of a pair of the outer list. */
enum { NEAR_NOT, NEAR_APART, NEAR_TOUCHES };

/* What is counted of a body: entries in which it is j, those of them that touch, and the same where it is i. */
enum { AS_J, AS_J_TOUCHING, AS_I, AS_I_TOUCHING, DEGREES };

/* What an entry was in the present list. */
enum { PAST_NONE, PAST_LISTED, PAST_LIVES };

/* --- which pairs -------------------------------------------------------------------------------------------------- */

/* The part of a segment for what is NEAR_TOUCHES or NEAR_APART. */
static size_t part_for(size_t kind, uint8_t near) {
    return 2 * kind + (near == NEAR_APART);
}

/* The body i of a pair: the first row from slot on that ends behind it. */
static inline uint32_t row_of(const uint32_t *row, uint32_t slot, size_t pair) {
    while (row[slot + 1] <= pair) slot++;
    return slot;
}

/* Marks those of the pairs of bodies first..last-1 that are near, and counts them by part. */
static void mark_pairs(const builder *b, size_t first, size_t last, size_t *tally) {
    const rps_world *world = b->world;
    const rps_pose *pose = world->bodies.pose;
    const uint32_t *row = b->lists->row.p, *other = b->lists->other.p;
    const size_t end = row[last];
    uint32_t self[GAPS] = {0}, slot = (uint32_t)first;
    const uint32_t *code = b->lists->code.p, *entry = b->lists->entry.p, *sub = rps_lists_sub(b->lists);
    uint8_t *near = b->lists->near.p, leaving[GAPS + 1] = {0};
    double gap[GAPS] = {0.0};
    for (size_t p = row[first]; p < end;) {
        uint32_t run = code[p], kind = rps_code_segment(run);
        size_t count = 1, touching = 0, here = 0, leavings = 0;
        while (p + count < end && count < GAPS && code[p + count] == run) count++;
        const rps_pair_shape shape_i = rps_code_shape_i(run), shape_j = rps_code_shape_j(run);
        const uint32_t *subs = sub != NULL ? sub + p : NULL;
        for (size_t k = 0; k < count; k++) slot = self[k] = row_of(row, slot, p + k);
        if (b->lists->course_time > 0.0) {
            rps_pair_swept_gaps(world, shape_i, shape_j, self, other + p, subs, count, b->lists->course_time, gap);
        } else {
            rps_pair_gaps(world, shape_i, shape_j, self, other + p, subs, count, gap);
        }
        double reach = world->pair_setup[kind / RPS_RECORD_COUNT].reach;
        for (size_t k = 0; reach > 0.0 && k < count; k++) {
            gap[k] -= reach * rps_pair_smaller_radius(pose[self[k]].radius[0], pose[other[p + k]].radius[0]);
        }
        for (size_t k = 0; k < count; k++) { /* without branches: whether a pair is near cannot be foretold */
            const uint8_t listed = gap[k] < b->skin, touches = gap[k] < 0.0;
            near[p + k] = (uint8_t)(listed + (listed & touches));
            here += listed;
            touching += listed & touches;
            leaving[leavings] = (uint8_t)k;
            leavings += !listed & (entry[p + k] != RPS_NO_ENTRY);
        }
        for (size_t k = 0; k < leavings;
             k++) { /* a contact that lived until now is evaluated once more: it ends there */
            bool lives = rps_persist_lives(world, entry[p + leaving[k]]);
            near[p + leaving[k]] = lives ? NEAR_TOUCHES : NEAR_NOT;
            touching += lives;
            here += lives;
        }
        tally[part_for(kind, NEAR_TOUCHES)] += touching;
        tally[part_for(kind, NEAR_APART)] += here - touching;
        p += count;
    }
}

static rps_status mark(const builder *b, rps_error *err) {
    rps_lists *lists = b->lists;
    rps_found *found = lists->found.p;
    size_t count = lists->bodies, *tally = lists->tally.p;
    uint32_t *degree = lists->degree.p;
    RPS_EACH_CHUNK(c, lists->chunks) {
        size_t first = rps_chunk_begin(count, c, lists->chunks), end = rps_chunk_begin(count, c + 1, lists->chunks);
        memset(tally + (size_t)c * b->parts, 0, b->parts * sizeof *tally);
        found[c].status = RPS_OK;
        for (size_t s = first; s < end; s++) {
            const double *x = b->world->bodies.pose[s].position;
            if (rps_vec3_is_finite((rps_vec3){x[0], x[1], x[2]})) continue;
            uint64_t id = b->world->bodies.id[s][0];
            if (found[c].status == RPS_OK || id < found[c].missing[0]) found[c].missing[0] = id;
            found[c].status = RPS_GUARD;
        }
        mark_pairs(b, first, end, tally + (size_t)c * b->parts);
    }
    uint64_t bad = UINT64_MAX;
    for (int c = 0; c < lists->chunks; c++) {
        if (found[c].status == RPS_GUARD && found[c].missing[0] < bad) bad = found[c].missing[0];
    }
    if (bad != UINT64_MAX) return rps_cells_not_finite(b->world, bad, err);
    const uint32_t *column = lists->column.p;
    const uint32_t *column_pair = lists->column_pair.p;
    const uint8_t *near = lists->near.p;
    RPS_EACH_CHUNK(c, lists->chunks) {
        size_t end = rps_chunk_begin(count, c + 1, lists->chunks);
        for (size_t s = rps_chunk_begin(count, c, lists->chunks); s < end; s++) {
            uint32_t nears = 0, touching = 0;
            for (size_t k = column[s]; k < column[s + 1]; k++) {
                nears += near[column_pair[k]] != NEAR_NOT;
                touching += near[column_pair[k]] == NEAR_TOUCHES;
            }
            degree[DEGREES * s + AS_J] = nears;
            degree[DEGREES * s + AS_J_TOUCHING] = touching;
            degree[DEGREES * s + AS_I] = degree[DEGREES * s + AS_I_TOUCHING] =
                0; /* counted when they get their places */
        }
    }
    return RPS_OK;
}

/* --- room --------------------------------------------------------------------------------------------------------- */

/* A multiple of the batch, odd times, so that lanes do not all begin at the same place of a page (cache sets). */
static size_t capacity_for(size_t count) {
    return ((count + RPS_BATCH - 1) / RPS_BATCH | 1) * RPS_BATCH;
}

static size_t state_lanes(const builder *b, const rps_segment *segment) {
    return (size_t)b->world->pair_setup[segment->pair].layout[segment->record].lanes;
}

/* Room for the lanes. A store has room to grow behind its lanes, which costs addresses and no memory while nothing is
 * written there: the second list is larger than the first, whose skin was a guess, and while old and new lanes both exist
 * the largest array of a world would be there twice. */
static rps_status take_store(builder *b, size_t bytes, rps_error *err) {
    rps_lists *lists = b->lists;
    const size_t present = lists->store[lists->store_present].bytes;
    b->in_place = b->in_place && bytes <= present && present / 2 <= bytes + RPS_LARGE;
    rps_room *store = &lists->store[b->in_place ? lists->store_present : !lists->store_present];
    if (!b->in_place) RPS_TRY(rps_room_fit(b->world, store, bytes + bytes / 4, 1, err));
    double *lane = store->p;
    for (size_t k = 0; k < b->segments; k++) {
        rps_segment *segment = &b->segment[k];
        segment->state = lane;
        segment->constant = lane + state_lanes(b, segment) * segment->capacity;
        lane = segment->constant + RPS_CONSTANT_LANES * segment->capacity;
    }
    return RPS_OK;
}

/* Entries of a kind; turns its tallies into the places of each chunk's first entries of each part. */
static size_t add_up(const builder *b, size_t kind) {
    size_t *tally = b->lists->tally.p, total = 0;
    for (uint8_t near = NEAR_TOUCHES; near != NEAR_NOT; near--) {
        for (int c = 0; c < b->lists->chunks; c++) {
            size_t *place = &tally[(size_t)c * b->parts + part_for(kind, near)], here = *place;
            *place = total;
            total += here;
        }
    }
    return total;
}

/* Where slots, pieces and features of segments lie. */
static void place_names(const rps_lists *lists, rps_segment *segment, size_t segments) {
    for (size_t k = 0; k < segments; k++) {
        segment[k].slot_i = (uint32_t *)lists->slot[0].p + segment[k].begin;
        segment[k].slot_j = (uint32_t *)lists->slot[1].p + segment[k].begin;
        segment[k].sub = segment[k].record == RPS_RECORD_FRAME ? (uint32_t *)lists->piece.p + segment[k].begin : NULL;
    }
}

/* Room for one of them of every entry; those of the present list stay until nothing can fail any more. */
static rps_status grow_names(const builder *b, rps_room *room, rps_error *err) {
    rps_contacts *contacts = &b->world->contacts;
    const size_t known = room->bytes / sizeof(uint32_t) < contacts->entries ? 0 : contacts->entries;
    RPS_TRY(rps_room_grow(b->world, room, known, b->entries, sizeof(uint32_t), err));
    place_names(b->lists, contacts->segment, contacts->segments);
    return RPS_OK;
}

/* Lays out the new segments. */
static rps_status lay_out(builder *b, rps_error *err) {
    rps_lists *lists = b->lists;
    size_t *tally = lists->tally.p, bytes = 0, segments = 0;
    bool framed = false;
    for (size_t kind = 0; kind < b->kinds; kind++) {
        size_t total = 0;
        for (int c = 0; c < lists->chunks; c++) {
            const size_t *parts = tally + (size_t)c * b->parts + 2 * kind;
            total += parts[0] + parts[1];
        }
        segments += total > 0;
    }
    rps_room *room = &lists->segment[!lists->present];
    b->in_place = segments == b->world->contacts.segments;
    RPS_TRY(rps_room_fit(b->world, room, segments, sizeof(rps_segment), err));
    b->segment = room->p;
    for (size_t kind = 0; kind < b->kinds; kind++) {
        const size_t total = add_up(b, kind);
        b->segment_of[kind] = total > 0 ? (int)b->segments : -1;
        if (total == 0) continue;
        rps_segment *segment = &b->segment[b->segments++];
        memset(segment, 0, sizeof *segment);
        segment->pair = (int)(kind / RPS_RECORD_COUNT);
        segment->record = (rps_record)(kind % RPS_RECORD_COUNT);
        segment->begin = b->entries;
        segment->count = total;
        const rps_segment *old = b->old_of[kind] >= 0 ? &b->world->contacts.segment[b->old_of[kind]] : NULL;
        segment->capacity = capacity_for(total);
        b->entries += segment->capacity;
        b->in_place = b->in_place && old != NULL;
        framed = framed || segment->record == RPS_RECORD_FRAME;
        const size_t lanes = state_lanes(b, segment) + RPS_CONSTANT_LANES;
        size_t lane_bytes, all;
        if (!rps_size_mul(segment->capacity, sizeof(double), &lane_bytes) || !rps_size_mul(lane_bytes, lanes, &all) ||
            !rps_size_add(bytes, all, &bytes) || b->entries >= RPS_NO_ENTRY / 2) {
            return rps_fail(err, RPS_NO_MEMORY, "%zu contacts do not fit into memory.", b->entries);
        }
    }
    if (b->segments == 0) b->in_place = false;
    for (int side = 0; side < 2; side++) RPS_TRY(grow_names(b, &lists->slot[side], err));
    if (framed) RPS_TRY(grow_names(b, &lists->piece, err));
    place_names(lists, b->segment, b->segments);
    return take_store(b, bytes, err);
}

/* Loads: the coming evaluation writes those that are live, and flags them where they are not flagged. Until then their
 * memory serves the builder. */
static rps_status take_loads(builder *b, size_t references, rps_error *err) {
    size_t longest = 0;
    for (size_t k = 0; k < b->segments; k++) {
        longest = b->segment[k].capacity > longest ? b->segment[k].capacity : longest;
    }
    const size_t scratch = longest * sizeof *b->spare + b->entries * (sizeof *b->source + sizeof *b->past);
    const size_t lines = scratch / sizeof(rps_side_load) + 1;
    rps_room *room = &b->lists->load;
    RPS_TRY(rps_room_fit(b->world, room, references > lines ? references : lines, sizeof(rps_side_load), err));
    b->world->contacts.load = room->p;
    b->spare = room->p;
    b->source = (uint32_t *)(void *)(b->spare + longest);
    b->past = (uint8_t *)(b->source + b->entries);
    return RPS_OK;
}

static rps_status take_memory(builder *b, rps_error *err) {
    rps_lists *lists = b->lists;
    rps_contacts *contacts = &b->world->contacts;
    size_t references = 0, known = contacts->reference_begin[lists->bodies];
    for (size_t k = 0; k < b->segments; k++) references += 2 * b->segment[k].count;
    RPS_TRY(rps_room_grow(b->world, &lists->reference, known, references, sizeof(uint32_t), err));
    contacts->reference = lists->reference.p;
    RPS_TRY(take_loads(b, references, err));
    RPS_TRY(rps_room_fit(b->world, &lists->live, references + RPS_LINE_SPARE, sizeof(uint8_t), err));
    contacts->live = lists->live.p;
    memset(contacts->live + references, 0, RPS_LINE_SPARE);
    RPS_TRY(rps_room_fit(b->world, &lists->line, references, sizeof(uint32_t), err));
    contacts->line = lists->line.p;
    RPS_TRY(rps_room_fit(b->world, &lists->line_row, lists->bodies + 1, sizeof *contacts->row, err));
    contacts->row = lists->line_row.p;
    RPS_TRY(rps_room_fit(b->world, &lists->written, b->entries, sizeof(uint8_t), err));
    contacts->written = lists->written.p;
    RPS_TRY(rps_room_grow(b->world, &lists->place, contacts->entries, b->entries, sizeof *contacts->place, err));
    contacts->place = lists->place.p;
    if (b->world->keep_contacts) {
        /* the coming evaluation writes them anew */
        RPS_TRY(rps_room_fit(b->world, &lists->result, b->entries, sizeof(rps_entry_result), err));
        contacts->result = lists->result.p;
        contacts->result_capacity = lists->result.bytes / sizeof(rps_entry_result);
    }
    if (b->world->options.shuffle != 0) {
        RPS_TRY(rps_room_fit(b->world, &lists->shuffled, b->entries, sizeof(uint32_t), err));
    }
    RPS_TRY(rps_room_fit(b->world, &lists->mixed, (size_t)lists->chunks * b->segments, sizeof(uint8_t), err));
    b->mixed = lists->mixed.p;
    return rps_room_fit(b->world, &lists->same[!lists->present], b->segments * SAME, sizeof(double), err);
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

/* A random order of the places of every segment. */
static void shuffle_places(const builder *b) {
    uint32_t *place = b->lists->shuffled.p;
    for (size_t k = 0; k < b->segments; k++) {
        uint32_t *mine = place + b->segment[k].begin;
        for (size_t e = 0; e < b->segment[k].count; e++) mine[e] = (uint32_t)e;
        for (size_t e = b->segment[k].count; e > 1; e--) {
            uint64_t pick = rps_random_index(b->world->options.shuffle, RPS_RANDOM_SHUFFLE_ORDER, b->world->steps,
                                             b->segment[k].begin + e, e);
            uint32_t swap = mine[e - 1];
            mine[e - 1] = mine[pick];
            mine[pick] = swap;
        }
    }
}

/* Gives the near ones of the pairs of bodies first..last-1 their entries; `next`: place of the next entry of each part. */
static void place_pairs(const builder *b, size_t first, size_t last, size_t *next) {
    const rps_lists *lists = b->lists;
    const uint32_t *row = lists->row.p, *other = lists->other.p, *code = lists->code.p;
    const size_t end = row[last];
    uint32_t self = (uint32_t)first;
    const uint32_t *sub = rps_lists_sub(lists);
    const uint8_t *near = lists->near.p;
    const uint32_t *shuffled = b->world->options.shuffle != 0 ? lists->shuffled.p : NULL;
    uint32_t *entry = lists->entry.p, *degree = lists->degree.p;
    uint32_t kept[GAPS + 1] = {0};
    for (size_t p = row[first]; p < end; p += GAPS) {
        size_t stop = p + GAPS < end ? p + GAPS : end, count = 0;
        for (size_t k = p; k < stop; k++) {
            kept[count] = (uint32_t)k;
            count += near[k] != NEAR_NOT;
        }
        for (size_t k = 0; k < count; k++) {
            size_t pair = kept[k];
            uint32_t kind = rps_code_segment(code[pair]);
            const rps_segment *segment = &b->segment[b->segment_of[kind]];
            size_t place = next[part_for(kind, near[pair])]++;
            if (shuffled != NULL) place = shuffled[segment->begin + place];
            self = row_of(row, self, pair);
            segment->slot_i[place] = self;
            segment->slot_j[place] = other[pair];
            if (segment->sub != NULL) segment->sub[place] = sub != NULL ? sub[pair] : 0;
            b->source[segment->begin + place] = entry[pair];
            entry[pair] = (uint32_t)(segment->begin + place);
            degree[DEGREES * self + AS_I]++;
            degree[DEGREES * self + AS_I_TOUCHING] += near[pair] == NEAR_TOUCHES;
        }
        for (size_t k = p; k < stop; k++)
            entry[k] |= (uint32_t)(near[k] != NEAR_NOT) - 1u; /* RPS_NO_ENTRY where not near */
    }
}

static const rps_segment *old_segment(const builder *b, const rps_segment *segment) {
    const int index = b->old_of[(size_t)segment->pair * RPS_RECORD_COUNT + (size_t)segment->record];
    return index >= 0 ? &b->world->contacts.segment[index] : NULL;
}

/* The part first..end-1 of the numbers of entries that lies in a segment, as places. */
static bool part_of(const rps_segment *segment, size_t first, size_t end, size_t *from, size_t *to) {
    const size_t stop = segment->begin + segment->capacity;
    *from = first > segment->begin ? first - segment->begin : 0;
    *to = end < stop ? end - (end > segment->begin ? segment->begin : end) : segment->capacity;
    return first < stop && end > segment->begin;
}

/* What the new entries first..end-1 were; padding names slot 0. */
static void look_back(const builder *b, size_t first, size_t end) {
    const uint32_t *source = b->source;
    uint8_t *past = b->past;
    size_t from, to;
    for (size_t k = 0; k < b->segments; k++) {
        const rps_segment *segment = &b->segment[k], *old = old_segment(b, segment);
        if (!part_of(segment, first, end, &from, &to)) continue;
        const int lane = b->world->pair_setup[segment->pair].layout[segment->record].modes;
        const double *modes = old != NULL ? old->state + (size_t)lane * old->capacity : NULL;
        for (size_t e = from; e < to; e++) {
            const size_t entry = segment->begin + e;
            const bool listed = old != NULL && e < segment->count && source[entry] != RPS_NO_ENTRY;
            const bool lives = listed && modes[source[entry] - old->begin] != 0.0;
            past[entry] = (uint8_t)(lives ? PAST_LIVES : listed ? PAST_LISTED : PAST_NONE);
            b->world->contacts.written[entry] = lives;
            if (e < segment->count) continue;
            segment->slot_i[e] = segment->slot_j[e] = 0;
            if (segment->sub != NULL) segment->sub[e] = 0;
        }
    }
}

/* The constants that the entries of a segment would share are those of its first; false: the segment has lanes that may
 * stay. */
static bool try_same(const builder *b, const rps_segment *segment, double *same) {
    const rps_segment *old = old_segment(b, segment);
    const bool known = old != NULL && !b->lists->remake_constants;
    if (known && old->same == NULL) return false;
    double constant[RPS_CONSTANT_LANES];
    rps_entry_constants(b->world, &b->world->pair_setup[segment->pair], segment->slot_i[0], segment->slot_j[0],
                        constant);
    for (size_t l = 0; l < RPS_CONSTANT_LANES; l++) {
        for (size_t e = 0; e < RPS_BATCH; e++) same[l * RPS_BATCH + e] = known ? old->same[l * RPS_BATCH] : constant[l];
    }
    return true;
}

/* Are constants of an entry those of its past? */
static bool is_known(const builder *b, size_t entry) {
    return b->past[entry] != PAST_NONE && !b->lists->remake_constants;
}

/* Has an entry among first..end-1 other constants than those that its segment's entries would share? */
static bool is_mixed(const builder *b, const rps_segment *segment, size_t first, size_t end) {
    size_t from, to;
    if (segment->same == NULL || !part_of(segment, first, end, &from, &to)) return segment->same == NULL;
    for (size_t e = from; e < to && e < segment->count; e++) {
        if (is_known(b, segment->begin + e)) continue;
        double constant[RPS_CONSTANT_LANES];
        rps_entry_constants(b->world, &b->world->pair_setup[segment->pair], segment->slot_i[e], segment->slot_j[e],
                            constant);
        for (size_t l = 0; l < RPS_CONSTANT_LANES; l++) {
            if (constant[l] != segment->same[l * RPS_BATCH]) return true;
        }
    }
    return false;
}

/* Constants that all entries of a segment share are read from one small place, which stays in the first cache, and the
 * lanes for them are not written. */
static void find_same(const builder *b) {
    double *same = b->lists->same[!b->lists->present].p;
    for (size_t k = 0; k < b->segments; k++, same += SAME) {
        b->segment[k].same = try_same(b, &b->segment[k], same) ? same : NULL;
    }
    const int chunks = b->lists->chunks;
    RPS_EACH_CHUNK(c, chunks) {
        const size_t first = rps_chunk_begin(b->entries, c, chunks), end = rps_chunk_begin(b->entries, c + 1, chunks);
        for (size_t k = 0; k < b->segments; k++) {
            b->mixed[(size_t)c * b->segments + k] = is_mixed(b, &b->segment[k], first, end);
        }
    }
    for (size_t k = 0; k < b->segments; k++) {
        for (size_t c = 0; c < (size_t)chunks; c++) {
            if (b->mixed[c * b->segments + k]) b->segment[k].same = NULL;
        }
    }
}

/* Where a lane of state or constants is now; NULL: it is not there. Constants follow the state. */
static const double *old_lane(const builder *b, const rps_segment *segment, size_t lane) {
    const rps_segment *old = old_segment(b, segment);
    if (old == NULL || (lane >= state_lanes(b, segment) && (old->same != NULL || segment->same != NULL))) return NULL;
    return old->state + lane * old->capacity;
}

/* Part of a new lane, into the spare one. */
static void take_lane(const builder *b, const rps_segment *segment, const double *from, bool is_state, size_t first,
                      size_t end, double *spare) {
    const uint32_t *source = b->source + segment->begin;
    const uint8_t *past = b->past + segment->begin;
    const uint8_t least = is_state ? PAST_LIVES : PAST_LISTED;
    const size_t begin = from != NULL ? old_segment(b, segment)->begin : 0; /* without, nothing has a past */
    for (size_t e = first; e < end; e++) spare[e] = past[e] >= least ? from[source[e] - begin] : 0.0;
}

/* Moves one lane, if it goes up or down as wanted; all threads together, each a part of it. */
static void move_lane(const builder *b, const rps_segment *segment, size_t lane, bool up, int thread, int threads) {
    const bool is_state = lane < state_lanes(b, segment);
    const double *from = old_lane(b, segment, lane);
    double *to = segment->state + lane * segment->capacity, *spare = b->spare;
    if ((from == NULL && !is_state) || (b->in_place && to > from) != up) return;
    const size_t used = (segment->count + RPS_BATCH - 1) / RPS_BATCH * RPS_BATCH;
    const size_t first = rps_chunk_begin(used, thread, threads), end = rps_chunk_begin(used, thread + 1, threads);
    take_lane(b, segment, from, is_state, first, end, spare);
#pragma omp barrier
    memcpy(to + first, spare + first, (end - first) * sizeof *to);
#pragma omp barrier
}

/* Lanes that go up, the last first, then those that go down, the first first: so none is written over before it was
 * taken. */
static void move_lanes(const builder *b, int thread, int threads) {
    for (size_t k = b->segments; k-- > 0;) {
        const rps_segment *segment = &b->segment[k];
        for (size_t lane = state_lanes(b, segment) + RPS_CONSTANT_LANES; lane-- > 0;) {
            move_lane(b, segment, lane, true, thread, threads);
        }
    }
    for (size_t k = 0; k < b->segments; k++) {
        const rps_segment *segment = &b->segment[k];
        for (size_t lane = 0; lane < state_lanes(b, segment) + RPS_CONSTANT_LANES; lane++) {
            move_lane(b, segment, lane, false, thread, threads);
        }
    }
}

/* Constants of entries that had none, or of all where what they were made from may have changed. */
static void make_constants(const builder *b, size_t first, size_t end) {
    size_t from, to;
    for (size_t k = 0; k < b->segments; k++) {
        const rps_segment *segment = &b->segment[k], *old = old_segment(b, segment);
        if (segment->same != NULL || !part_of(segment, first, end, &from, &to)) continue;
        for (size_t e = from; e < to; e++) {
            double constant[RPS_CONSTANT_LANES] = {1.0, 1.0, 1.0, 1.0}; /* of padding */
            const bool known = e < segment->count && is_known(b, segment->begin + e);
            if (known && old->same == NULL) continue; /* they came with their lanes */
            for (size_t l = 0; known && l < RPS_CONSTANT_LANES; l++) constant[l] = old->same[l * RPS_BATCH];
            if (e < segment->count && !known) {
                rps_entry_constants(b->world, &b->world->pair_setup[segment->pair], segment->slot_i[e],
                                    segment->slot_j[e], constant);
            }
            for (size_t l = 0; l < RPS_CONSTANT_LANES; l++) segment->constant[l * segment->capacity + e] = constant[l];
        }
    }
}

/* Writes the next references of a body, with a line for each. */
static size_t put_references(const rps_contacts *contacts, const uint32_t *block, const uint32_t *touches, size_t count,
                             size_t at, size_t line[2]) {
    for (size_t n = 0; n < count; n++, at++) {
        const uint32_t next = (uint32_t)line[touches[n]]++;
        contacts->line[at] = contacts->place[block[n] >> 1][block[n] & 1] = next;
        contacts->live[next] = contacts->written[block[n] >> 1];
        contacts->reference[at] = block[n];
    }
    return at;
}

/* References of some bodies: those where the body is j come first, as their other ids are lower. */
static void fill_references(const builder *b, size_t first, size_t end) {
    const rps_lists *lists = b->lists;
    const rps_contacts *contacts = &b->world->contacts;
    const uint32_t *row = lists->row.p, *column = lists->column.p;
    const uint32_t *column_pair = lists->column_pair.p, *entry = lists->entry.p;
    const uint8_t *near = lists->near.p;
    /* without branches, by way of a small block: one place too many is written each time */
    uint32_t block[GAPS + 1] = {0};
    uint32_t touches[GAPS + 1] = {0};
    for (size_t s = first; s < end; s++) {
        size_t at = contacts->reference_begin[s];
        size_t line[2] = {contacts->apart + at - contacts->row[s][0], contacts->row[s][0]}; /* the next, by `touches` */
        for (size_t k = column[s]; k < column[s + 1];) {
            size_t stop = k + GAPS < column[s + 1] ? k + GAPS : column[s + 1], count = 0;
            for (; k < stop; k++) {
                uint32_t e = entry[column_pair[k]];
                block[count] = e * 2 + 1;
                touches[count] = near[column_pair[k]] == NEAR_TOUCHES;
                count += e != RPS_NO_ENTRY;
            }
            at = put_references(contacts, block, touches, count, at, line);
        }
        contacts->reference_own[s] = at;
        for (size_t p = row[s]; p < row[s + 1];) {
            size_t stop = p + GAPS < row[s + 1] ? p + GAPS : row[s + 1], count = 0;
            for (; p < stop; p++) {
                block[count] = entry[p] * 2;
                touches[count] = near[p] == NEAR_TOUCHES;
                count += entry[p] != RPS_NO_ENTRY;
            }
            at = put_references(contacts, block, touches, count, at, line);
        }
    }
}

static void fill(builder *b) {
    rps_lists *lists = b->lists;
    rps_contacts *contacts = &b->world->contacts;
    int chunks = lists->chunks;
    size_t *tally = lists->tally.p;
    if (b->world->options.shuffle != 0) shuffle_places(b);
    RPS_EACH_CHUNK(c, chunks) {
        place_pairs(b, rps_chunk_begin(lists->bodies, c, chunks), rps_chunk_begin(lists->bodies, c + 1, chunks),
                    tally + (size_t)c * b->parts);
    }
    const uint32_t *degree = lists->degree.p;
    size_t lines = 0; /* of what touches */
    for (size_t s = 0; s < lists->bodies; s++) {
        const uint32_t *d = degree + DEGREES * s;
        contacts->reference_begin[s + 1] = contacts->reference_begin[s] + d[AS_J] + d[AS_I];
        contacts->row[s][0] = (uint32_t)lines;
        contacts->row[s][1] = (uint32_t)(lines + d[AS_J_TOUCHING]);
        lines += (size_t)d[AS_J_TOUCHING] + d[AS_I_TOUCHING];
    }
    contacts->row[lists->bodies][0] = contacts->row[lists->bodies][1] = (uint32_t)lines;
    contacts->apart = lines;
    RPS_EACH_CHUNK(c, chunks) {
        look_back(b, rps_chunk_begin(b->entries, c, chunks), rps_chunk_begin(b->entries, c + 1, chunks));
    }
    find_same(b);
#pragma omp parallel num_threads(chunks) if (chunks > 1)
    move_lanes(b, omp_get_thread_num(), omp_get_num_threads());
    RPS_EACH_CHUNK(c, chunks) {
        make_constants(b, rps_chunk_begin(b->entries, c, chunks), rps_chunk_begin(b->entries, c + 1, chunks));
        fill_references(b, rps_chunk_begin(lists->bodies, c, chunks), rps_chunk_begin(lists->bodies, c + 1, chunks));
    }
    /* shuffled, so that tests of small worlds see both ways */
    contacts->far = contacts->apart >= FAR_FROM || b->world->options.shuffle != 0;
    contacts->streams = contacts->apart >= STREAM_FROM || b->world->options.shuffle != 0;
    contacts->segment = b->segment;
    contacts->segments = b->segments;
    contacts->entries = b->entries;
    lists->present = !lists->present;
    if (b->in_place) return;
    rps_room *last = &lists->store[lists->store_present];
    rps_buffer_release(b->world->allocator, &last->p, &last->bytes);
    lists->store_present = !lists->store_present;
}

rps_status rps_inner_build(rps_world *world, rps_lists *lists, double skin, rps_error *err) {
    builder b = {.world = world, .lists = lists, .skin = skin, .kinds = world->pairs * RPS_RECORD_COUNT};
    b.parts = 2 * b.kinds;
    RPS_TRY(rps_room_fit(world, &lists->tally, (size_t)lists->chunks * b.parts + 1, sizeof(size_t), err));
    RPS_TRY(rps_room_fit(world, &lists->degree, DEGREES * lists->bodies, sizeof(uint32_t), err));
    RPS_TRY(rps_room_fit(world, &lists->kind, 2 * b.kinds, sizeof(int), err));
    b.segment_of = lists->kind.p;
    b.old_of = b.kinds > 0 ? b.segment_of + b.kinds : NULL;
    for (size_t k = 0; k < b.kinds; k++) b.old_of[k] = -1;
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *old = &world->contacts.segment[k];
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a segment has a pair, so there are kinds */
        b.old_of[(size_t)old->pair * RPS_RECORD_COUNT + (size_t)old->record] = (int)k;
    }
    RPS_TRY(mark(&b, err));
    RPS_TRY(lay_out(&b, err));
    RPS_TRY(take_memory(&b, err));
    fill(&b);
    return RPS_OK;
}
