/*
 * The rebuild of the contact store when the neighbor list changes: the segments of the new entries, with the state of
 * the contacts that persist, and the references of each body to its entries in the order of keys.
 *
 * All counting and allocation comes first; the rest cannot fail, so a failure leaves the last list intact. New state
 * arrays replace the present ones in place, one after the other through a spare array, while they fit; else they are
 * written to a second store.
 */
#include "world/contact_rebuild.h"

#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/status.h"

enum {
    SAME = RPS_CONSTANT_LANES * RPS_BATCH,
    FAR_FROM = 8192,    /* load records: half a second-level cache */
    STREAM_FROM = 65536 /* load records: 4 MB, more than one core's share of the third-level cache */
};

/* State of an entry in the present list. */
enum { PAST_NONE, PAST_LISTED, PAST_LIVES };

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* An odd multiple of the batch, so that arrays do not all start in the same cache set. */
static size_t rebuild_capacity_for(size_t count) {
    return ((count + RPS_BATCH - 1) / RPS_BATCH | 1) * RPS_BATCH;
}

static size_t state_lanes(const rps_rebuild *b, const rps_segment *segment) {
    return (size_t)b->world->pair_setup[segment->pair].layout[segment->record].lanes;
}

/* Reserves the state arrays, with address space to grow, which takes no memory until it is written. The second list
 * is larger than the first, because the first skin is a guess. Without the reserve, the largest array of a world
 * would exist twice while it moves. */
static rps_status reserve_store(rps_rebuild *b, size_t bytes, rps_error *err) {
    rps_contact_memory *m = &b->contacts->memory;
    const size_t present = m->store[m->store_present].bytes;
    b->in_place = b->in_place && bytes <= present && present / 2 <= bytes + RPS_LARGE;
    rps_scratch *store = &m->store[b->in_place ? m->store_present : !m->store_present];
    if (!b->in_place) RPS_TRY(rps_scratch_fit(b->world, store, bytes + bytes / 4, 1, err));
    double *lane = store->p;
    for (size_t k = 0; k < b->segments; k++) {
        rps_segment *segment = &b->segment[k];
        segment->state = lane;
        segment->constant = lane + state_lanes(b, segment) * segment->capacity;
        lane = segment->constant + RPS_CONSTANT_LANES * segment->capacity;
    }
    return RPS_OK;
}

/* Number of entries of a kind; converts its counts into the first index of each worker in each part. */
static size_t add_up(rps_rebuild *b, size_t kind) {
    size_t total = 0;
    for (int part = 0; part < 2; part++) {
        for (int c = 0; c < b->workers.count; c++) {
            size_t *place = &rps_rebuild_tally(b, c)[rps_rebuild_part(kind, part == 0)], here = *place;
            *place = total;
            total += here;
        }
    }
    return total;
}

/* Entries of records that have subkeys. */
static size_t entries_with_subkeys(const rps_segment *segment, size_t segments) {
    size_t entries = 0;
    for (size_t k = 0; k < segments; k++)
        entries += rps_record_has_subkeys(segment[k].record) ? segment[k].capacity : 0;
    return entries;
}

/* Assigns the arrays of slots and subkeys to segments. */
static void place_names(const rps_contact_memory *m, rps_segment *segment, size_t segments) {
    rps_subkey *subkey = m->piece.p;
    for (size_t k = 0; k < segments; k++) {
        segment[k].slot_i = (uint32_t *)m->slot[0].p + segment[k].begin;
        segment[k].slot_j = (uint32_t *)m->slot[1].p + segment[k].begin;
        segment[k].subkey = rps_record_has_subkeys(segment[k].record) ? subkey : NULL;
        if (segment[k].subkey != NULL) subkey += segment[k].capacity;
    }
}

/* Grows one of these arrays to `count` values; the present list, which uses `used` of them, stays valid until nothing
 * can fail any more. */
static rps_status grow_names(rps_rebuild *b, rps_scratch *buffer, size_t used, size_t count, size_t item,
                             rps_error *err) {
    rps_contacts *contacts = b->contacts;
    RPS_TRY(rps_scratch_grow(b->world, buffer, buffer->bytes / item < used ? 0 : used, count, item, err));
    place_names(&contacts->memory, contacts->segment, contacts->segments);
    return RPS_OK;
}

/* Assigns memory to the new segments. */
static rps_status lay_out(rps_rebuild *b, rps_error *err) {
    rps_contact_memory *m = &b->contacts->memory;
    size_t bytes = 0, segments = 0;
    for (size_t kind = 0; kind < b->kinds; kind++) {
        size_t total = 0;
        for (int c = 0; c < b->workers.count; c++) {
            const size_t *parts = rps_rebuild_tally(b, c) + rps_rebuild_part(kind, true);
            total += parts[0] + parts[1];
        }
        segments += total > 0;
    }
    rps_scratch *buffer = &m->segment[!m->present];
    b->in_place = segments == b->contacts->segments;
    RPS_TRY(rps_scratch_fit(b->world, buffer, segments, sizeof(rps_segment), err));
    b->segment = buffer->p;
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
        const rps_segment *old = b->old_of[kind] >= 0 ? &b->contacts->segment[b->old_of[kind]] : NULL;
        segment->capacity = rebuild_capacity_for(total);
        b->entries += segment->capacity;
        b->in_place = b->in_place && old != NULL;
        const size_t lanes = state_lanes(b, segment) + RPS_CONSTANT_LANES;
        size_t lane_bytes, all;
        if (!rps_size_mul(segment->capacity, sizeof(double), &lane_bytes) || !rps_size_mul(lane_bytes, lanes, &all) ||
            !rps_size_add(bytes, all, &bytes) || b->entries >= RPS_NO_ENTRY / 2) {
            return rps_fail(err, RPS_NO_MEMORY, "%zu contacts do not fit into memory.", b->entries);
        }
    }
    if (b->segments == 0) b->in_place = false;
    const rps_contacts *contacts = b->contacts;
    for (int side = 0; side < 2; side++) {
        RPS_TRY(grow_names(b, &m->slot[side], contacts->entries, b->entries, sizeof(uint32_t), err));
    }
    const size_t framed = entries_with_subkeys(b->segment, b->segments);
    if (framed > 0) {
        const size_t used = entries_with_subkeys(contacts->segment, contacts->segments);
        RPS_TRY(grow_names(b, &m->piece, used, framed, sizeof(rps_subkey), err));
    }
    place_names(m, b->segment, b->segments);
    return reserve_store(b, bytes, err);
}

/* Reserves load records and their flags. The next evaluation writes the active ones; until then their memory is
 * scratch. */
static rps_status reserve_loads(rps_rebuild *b, size_t references, rps_error *err) {
    size_t longest = 0;
    for (size_t k = 0; k < b->segments; k++) {
        longest = b->segment[k].capacity > longest ? b->segment[k].capacity : longest;
    }
    const size_t scratch = longest * sizeof *b->spare + b->entries * (sizeof *b->source + sizeof *b->past);
    const size_t lines = scratch / sizeof(rps_contact_load) + 1;
    rps_scratch *buffer = &b->contacts->memory.load;
    RPS_TRY(rps_scratch_fit(b->world, buffer, references > lines ? references : lines, sizeof(rps_contact_load), err));
    b->contacts->load = buffer->p;
    b->spare = buffer->p;
    b->source = (uint32_t *)(void *)(b->spare + longest);
    b->past = (uint8_t *)(b->source + b->entries);
    return RPS_OK;
}

static rps_status take_memory(rps_rebuild *b, rps_error *err) {
    rps_contacts *contacts = b->contacts;
    rps_contact_memory *m = &contacts->memory;
    size_t references = 0, known = contacts->reference_begin[b->bodies];
    for (size_t k = 0; k < b->segments; k++) references += 2 * b->segment[k].count;
    RPS_TRY(rps_scratch_grow(b->world, &m->reference, known, references, sizeof(uint32_t), err));
    contacts->reference = m->reference.p;
    RPS_TRY(reserve_loads(b, references, err));
    RPS_TRY(rps_scratch_fit(b->world, &m->has_load, references + RPS_LINE_SPARE, sizeof(uint8_t), err));
    contacts->has_load = m->has_load.p;
    memset(contacts->has_load + references, 0, RPS_LINE_SPARE);
    RPS_TRY(rps_scratch_fit(b->world, &m->line, references, sizeof(uint32_t), err));
    contacts->line = m->line.p;
    RPS_TRY(rps_scratch_fit(b->world, &m->row, b->bodies + 1, sizeof *contacts->row, err));
    contacts->row = m->row.p;
    RPS_TRY(rps_scratch_fit(b->world, &m->was_active, b->entries, sizeof(uint8_t), err));
    contacts->was_active = m->was_active.p;
    RPS_TRY(rps_scratch_grow(b->world, &m->place, contacts->entries, b->entries, sizeof *contacts->place, err));
    contacts->place = m->place.p;
    if (b->world->keep_contacts) {
        /* the next evaluation writes them */
        RPS_TRY(rps_scratch_fit(b->world, &m->result, b->entries, sizeof(rps_entry_result), err));
        contacts->result = m->result.p;
        contacts->result_capacity = m->result.bytes / sizeof(rps_entry_result);
    }
    if (b->world->options.shuffle != 0) {
        RPS_TRY(rps_scratch_fit(b->world, &m->shuffled, b->entries, sizeof(uint32_t), err));
        b->shuffled = m->shuffled.p;
    }
    RPS_TRY(rps_scratch_fit(b->world, &m->mixed, (size_t)b->workers.count * b->segments, sizeof(uint8_t), err));
    b->mixed = m->mixed.p;
    return rps_scratch_fit(b->world, &m->same[!m->present], b->segments * SAME, sizeof(double), err);
}

/* Draws a random order of the entries of each segment (tests). */
static void shuffle_places(rps_rebuild *b) {
    uint32_t *place = b->contacts->memory.shuffled.p;
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

static const rps_segment *old_segment(const rps_rebuild *b, const rps_segment *segment) {
    const int index = b->old_of[(size_t)segment->pair * RPS_RECORD_COUNT + (size_t)segment->record];
    return index >= 0 ? &b->contacts->segment[index] : NULL;
}

/* Intersects the entry numbers first..end-1 with a segment; the result is indices within it. */
static bool rebuild_part_of(const rps_segment *segment, size_t first, size_t end, size_t *from, size_t *to) {
    const size_t stop = segment->begin + segment->capacity;
    *from = first > segment->begin ? first - segment->begin : 0;
    *to = end < stop ? end - (end > segment->begin ? segment->begin : end) : segment->capacity;
    return first < stop && end > segment->begin;
}

/* Finds the old entry, if any, of each new entry; padding refers to slot 0. */
static void look_back(void *context, rps_part part) {
    const rps_rebuild *b = context;
    const uint32_t *source = b->source;
    uint8_t *past = b->past;
    size_t from, to;
    for (size_t k = 0; k < b->segments; k++) {
        rps_segment *segment = &b->segment[k];
        const rps_segment *old = old_segment(b, segment);
        if (!rebuild_part_of(segment, part.begin, part.end, &from, &to)) continue;
        const int lane = b->world->pair_setup[segment->pair].layout[segment->record].modes;
        const double *modes = old != NULL ? rps_segment_lane(old, lane) : NULL;
        for (size_t e = from; e < to; e++) {
            const size_t entry = segment->begin + e;
            const bool listed = old != NULL && e < segment->count && source[entry] != RPS_NO_ENTRY;
            const bool lives = listed && modes[source[entry] - old->begin] != 0.0;
            past[entry] = (uint8_t)(lives ? PAST_LIVES : listed ? PAST_LISTED : PAST_NONE);
            b->contacts->was_active[entry] = lives;
            if (e < segment->count) continue;
            segment->slot_i[e] = segment->slot_j[e] = 0;
            if (segment->subkey != NULL) segment->subkey[e] = (rps_subkey){0};
        }
    }
}

/* Constants that all entries of a segment might share: those of its first. False if the segment keeps its arrays. */
static bool try_same(const rps_rebuild *b, const rps_segment *segment, double *same) {
    const rps_segment *old = old_segment(b, segment);
    const bool known = old != NULL && !b->remake_constants;
    if (known && old->same == NULL) return false;
    double constant[RPS_CONSTANT_LANES];
    rps_entry_constants(b->world, segment, 0, constant);
    for (size_t l = 0; l < RPS_CONSTANT_LANES; l++) {
        for (size_t e = 0; e < RPS_BATCH; e++) same[l * RPS_BATCH + e] = known ? old->same[l * RPS_BATCH] : constant[l];
    }
    return true;
}

/* True if the constants of an entry can be taken from its old entry. */
static bool is_known(const rps_rebuild *b, size_t entry) {
    return b->past[entry] != PAST_NONE && !b->remake_constants;
}

/* True if an entry of first..end-1 differs from the constants that its segment might share. */
static bool is_mixed(const rps_rebuild *b, const rps_segment *segment, size_t first, size_t end) {
    size_t from, to;
    if (segment->same == NULL || !rebuild_part_of(segment, first, end, &from, &to)) return segment->same == NULL;
    for (size_t e = from; e < to && e < segment->count; e++) {
        if (is_known(b, segment->begin + e)) continue;
        double constant[RPS_CONSTANT_LANES];
        rps_entry_constants(b->world, segment, e, constant);
        for (size_t l = 0; l < RPS_CONSTANT_LANES; l++) {
            if (constant[l] != segment->same[l * RPS_BATCH]) return true;
        }
    }
    return false;
}

static void find_mixed(void *context, rps_part part) {
    const rps_rebuild *b = context;
    for (size_t k = 0; k < b->segments; k++) {
        b->mixed[(size_t)part.worker * b->segments + k] = is_mixed(b, &b->segment[k], part.begin, part.end);
    }
}

/* Constants shared by all entries of a segment are read from one small block, which stays in the first-level cache. */
static void find_same(rps_rebuild *b) {
    const rps_contact_memory *m = &b->contacts->memory;
    double *same = m->same[!m->present].p;
    for (size_t k = 0; k < b->segments; k++, same += SAME) {
        b->segment[k].same = try_same(b, &b->segment[k], same) ? same : NULL;
    }
    rps_parallel_for(b->workers, b->entries, find_mixed, b);
    for (size_t k = 0; k < b->segments; k++) {
        for (size_t c = 0; c < (size_t)b->workers.count; c++) {
            if (b->mixed[c * b->segments + k]) b->segment[k].same = NULL;
        }
    }
}

/* Present location of an array of state or constants, NULL if there is none. Constants follow the state. */
static const double *old_lane(const rps_rebuild *b, const rps_segment *segment, size_t lane) {
    const rps_segment *old = old_segment(b, segment);
    if (old == NULL || (lane >= state_lanes(b, segment) && (old->same != NULL || segment->same != NULL))) return NULL;
    return old->state + lane * old->capacity;
}

/* A new array and the present one with its values, NULL: zeros. */
typedef struct lane_move {
    const rps_segment *segment;
    const double *from;
    double *to;   /* NULL: nothing to move */
    size_t least; /* past of an entry whose value is kept */
} lane_move;

/* Two moves at once: while one array is written, the values of the next are gathered. */
typedef struct moving {
    const rps_rebuild *b;
    size_t count; /* entries of the segment, in whole batches */
    lane_move gathered, next;
} moving;

static void gather_lane(const rps_rebuild *b, const lane_move *lane, rps_part part, double *to) {
    const uint32_t *source = b->source + lane->segment->begin;
    const uint8_t *past = b->past + lane->segment->begin;
    /* without an old array no entry has an old value */
    const size_t begin = lane->from != NULL ? old_segment(b, lane->segment)->begin : 0;
    for (size_t e = part.begin; e < part.end; e++) to[e] = past[e] >= lane->least ? lane->from[source[e] - begin] : 0.0;
}

static void move_part(void *context, rps_part part) {
    const moving *m = context;
    double *spare = m->b->spare, *to = m->gathered.to;
    if (to != NULL) memcpy(to + part.begin, spare + part.begin, (part.end - part.begin) * sizeof *to);
    if (m->next.to != NULL) gather_lane(m->b, &m->next, part, spare);
}

/* The move of an array, if it moves in the given direction. */
static lane_move lane_move_of(const rps_rebuild *b, const rps_segment *segment, size_t lane, bool up) {
    const bool is_state = lane < state_lanes(b, segment);
    const double *from = old_lane(b, segment, lane);
    double *to = segment->state + lane * segment->capacity;
    if ((from == NULL && !is_state) || (b->in_place && to > from) != up) to = NULL;
    return (lane_move){segment, from, to, is_state ? PAST_LIVES : PAST_LISTED};
}

/* Moves the arrays of a segment that move in one direction. An array is written when all of its values are in the
 * spare one, and covers no array that has not moved yet. So one call writes it and gathers the next. */
static void move_segment(const rps_rebuild *b, const rps_segment *segment, bool up) {
    const size_t lanes = state_lanes(b, segment) + RPS_CONSTANT_LANES;
    moving m = {.b = b, .count = (segment->count + RPS_BATCH - 1) / RPS_BATCH * RPS_BATCH};
    for (size_t k = 0; k < lanes; k++) {
        m.next = lane_move_of(b, segment, up ? lanes - 1 - k : k, up);
        if (m.next.to == NULL) continue;
        rps_parallel_for(b->workers, m.count, move_part, &m);
        m.gathered = m.next;
    }
    m.next.to = NULL;
    if (m.gathered.to != NULL) rps_parallel_for(b->workers, m.count, move_part, &m);
}

/* In-place move as memmove does it: arrays that move up go last to first, arrays that move down first to last. */
static void move_lanes(const rps_rebuild *b) {
    for (size_t k = b->segments; k-- > 0;) move_segment(b, &b->segment[k], true);
    for (size_t k = 0; k < b->segments; k++) move_segment(b, &b->segment[k], false);
}

/* Computes the constants of new entries, or of all where radii or masses may have changed. */
static void make_constants(void *context, rps_part part) {
    const rps_rebuild *b = context;
    size_t from, to;
    for (size_t k = 0; k < b->segments; k++) {
        rps_segment *segment = &b->segment[k];
        const rps_segment *old = old_segment(b, segment);
        if (segment->same != NULL || !rebuild_part_of(segment, part.begin, part.end, &from, &to)) continue;
        for (size_t e = from; e < to; e++) {
            double constant[RPS_CONSTANT_LANES] = {1.0, 1.0, 1.0, 1.0}; /* of padding */
            const bool known = e < segment->count && is_known(b, segment->begin + e);
            if (known && old->same == NULL) continue; /* they were moved with their arrays */
            for (size_t l = 0; known && l < RPS_CONSTANT_LANES; l++) constant[l] = old->same[l * RPS_BATCH];
            if (e < segment->count && !known) {
                rps_entry_constants(b->world, segment, e, constant);
            }
            for (size_t l = 0; l < RPS_CONSTANT_LANES; l++) segment->constant[l * segment->capacity + e] = constant[l];
        }
    }
}

size_t rps_rebuild_put_references(rps_rebuild *b, const uint32_t *reference, const uint32_t *touches, size_t count,
                                  size_t at, size_t line[2]) {
    rps_contacts *contacts = b->contacts;
    for (size_t n = 0; n < count; n++, at++) {
        const uint32_t next = (uint32_t)line[touches[n]]++;
        const size_t entry = rps_reference_entry(reference[n]);
        contacts->line[at] = contacts->place[entry][rps_reference_is_j(reference[n])] = next;
        contacts->has_load[next] = contacts->was_active[entry];
        contacts->reference[at] = reference[n];
    }
    return at;
}

/* --- all stages --------------------------------------------------------------------------------------------------- */

rps_status rps_rebuild_begin(const rps_world *world, rps_contacts *contacts, rps_workers workers, bool remake_constants,
                             rps_rebuild *rebuild, rps_error *err) {
    rps_contact_memory *m = &contacts->memory;
    rps_rebuild b = {.world = world,
                     .contacts = contacts,
                     .workers = workers,
                     .bodies = world->bodies.count,
                     .remake_constants = remake_constants,
                     .kinds = world->pairs * RPS_RECORD_COUNT};
    b.parts = 2 * b.kinds;
    RPS_TRY(rps_scratch_fit(world, &m->tally, (size_t)workers.count * b.parts + 1, sizeof(size_t), err));
    RPS_TRY(rps_scratch_fit(world, &m->degree, RPS_DEGREES * b.bodies, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &m->kind, 2 * b.kinds, sizeof(int), err));
    b.tally = m->tally.p;
    b.degree = m->degree.p;
    b.segment_of = m->kind.p;
    b.old_of = b.kinds > 0 ? b.segment_of + b.kinds : NULL;
    memset(b.tally, 0, (size_t)workers.count * b.parts * sizeof *b.tally);
    for (size_t k = 0; k < b.kinds; k++) b.old_of[k] = -1;
    for (size_t k = 0; k < contacts->segments; k++) {
        const rps_segment *old = &contacts->segment[k];
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a segment has a pair, so there are kinds */
        b.old_of[(size_t)old->pair * RPS_RECORD_COUNT + (size_t)old->record] = (int)k;
    }
    *rebuild = b;
    return RPS_OK;
}

rps_status rps_rebuild_reserve(rps_rebuild *b, rps_error *err) {
    if (b->contacts->memory.lent) return rps_fail(err, RPS_INTERNAL, "the memory of the contact loads is lent");
    RPS_TRY(lay_out(b, err));
    RPS_TRY(take_memory(b, err));
    if (b->world->options.shuffle != 0) shuffle_places(b);
    return RPS_OK;
}

/* First reference and first load of each body, from the counts. */
static void count_references(rps_rebuild *b) {
    rps_contacts *contacts = b->contacts;
    size_t lines = 0; /* of pairs in contact */
    for (size_t s = 0; s < b->bodies; s++) {
        const uint32_t *d = b->degree + RPS_DEGREES * s;
        contacts->reference_begin[s + 1] = contacts->reference_begin[s] + d[RPS_AS_J] + d[RPS_AS_I];
        contacts->row[s][0] = (uint32_t)lines;
        contacts->row[s][1] = (uint32_t)(lines + d[RPS_AS_J_TOUCHING]);
        lines += (size_t)d[RPS_AS_J_TOUCHING] + d[RPS_AS_I_TOUCHING];
    }
    contacts->row[b->bodies][0] = contacts->row[b->bodies][1] = (uint32_t)lines;
    contacts->inactive_begin = lines;
}

void rps_rebuild_move(rps_rebuild *b) {
    count_references(b);
    rps_parallel_for(b->workers, b->entries, look_back, b);
    find_same(b);
    move_lanes(b);
    rps_parallel_for(b->workers, b->entries, make_constants, b);
}

void rps_rebuild_end(rps_rebuild *b) {
    rps_contacts *contacts = b->contacts;
    rps_contact_memory *m = &contacts->memory;
    /* shuffled, so that tests of small worlds see both ways */
    contacts->exceeds_l2 = contacts->inactive_begin >= FAR_FROM || b->world->options.shuffle != 0;
    contacts->streams = contacts->inactive_begin >= STREAM_FROM || b->world->options.shuffle != 0;
    contacts->segment = b->segment;
    contacts->segments = b->segments;
    contacts->entries = b->entries;
    contacts->paths = 0;
    contacts->mesh.listed = false;
    m->present = !m->present;
    if (b->in_place) return;
    rps_scratch_release(b->world, &m->store[m->store_present]);
    m->store_present = !m->store_present;
}
