/*
 * How the neighbor list replaces the entries of the contact store. In this order:
 *
 *   rps_rebuild_begin           then the caller counts its pairs: rps_rebuild_tally and `degree`
 *   rps_rebuild_reserve         memory; until here a failure leaves the present entries valid
 *   rps_rebuild_put             every pair becomes an entry
 *   rps_rebuild_move            state and constants of entries that were there before
 *   rps_rebuild_put_references  the entries of every body, in the order of keys
 *   rps_rebuild_end             the new entries are valid
 */
#ifndef RPS_WORLD_CONTACT_REBUILD_H
#define RPS_WORLD_CONTACT_REBUILD_H

#include "world/world.h"

/* Counts of a body: entries in which it is j, those of them in contact, and the same where it is i. */
enum { RPS_AS_J, RPS_AS_J_TOUCHING, RPS_AS_I, RPS_AS_I_TOUCHING, RPS_DEGREES };

typedef struct rps_rebuild {
    const rps_world *world;
    rps_contacts *contacts;
    rps_workers workers; /* each with a part of the bodies and, later, of the entries */
    size_t bodies;
    size_t kinds; /* pairs of materials times record classes */
    size_t
        parts; /* 2 * kinds: pairs in contact come first in each segment, so that batches are either active or idle */
    bool remake_constants; /* recompute those of all entries: radii or masses may have changed */
    size_t *tally;         /* by worker and part: number of entries, then index of the next one */
    uint32_t *degree;      /* RPS_DEGREES a body */
    size_t segments, entries;
    rps_segment *segment; /* the new ones */
    int *segment_of;      /* by kind; -1: none */
    int *old_of;
    uint8_t *mixed;           /* by worker and segment: constants differ */
    const uint32_t *shuffled; /* by entry, indices in random order; NULL: order of insertion */
    bool in_place;            /* arrays move within their store */
    /* scratch in the memory of the loads: one array; the old entry of each new one, and its old state */
    double *spare;
    uint32_t *source;
    uint8_t *past;
} rps_rebuild;

/* The part of a segment for pairs of a kind that are in contact, or merely listed. */
static inline size_t rps_rebuild_part(size_t kind, bool in_contact) {
    return 2 * kind + !in_contact;
}
/* Entries of a worker, by part. */
static inline size_t *rps_rebuild_tally(rps_rebuild *rebuild, int worker) {
    return rebuild->tally + (size_t)worker * rebuild->parts;
}

/* remake_constants: radii or masses may have changed. The tallies start at 0. Fails with RPS_NO_MEMORY. */
rps_status rps_rebuild_begin(const rps_world *world, rps_contacts *contacts, rps_workers workers, bool remake_constants,
                             rps_rebuild *rebuild, rps_error *err);
rps_status rps_rebuild_reserve(rps_rebuild *rebuild, rps_error *err);

/* The next entry of a part of kind `kind`; next: the tally of the worker. old: number of the pair in the present
 * entries, RPS_NO_ENTRY if it is new. Returns the number of the entry. */
static inline uint32_t rps_rebuild_put(rps_rebuild *rebuild, size_t *next, size_t kind, bool in_contact,
                                       uint32_t slot_i, uint32_t slot_j, rps_subkey subkey, uint32_t old) {
    rps_segment *segment = &rebuild->segment[rebuild->segment_of[kind]];
    size_t place = next[rps_rebuild_part(kind, in_contact)]++;
    if (rebuild->shuffled != NULL) place = rebuild->shuffled[segment->begin + place];
    segment->slot_i[place] = slot_i;
    segment->slot_j[place] = slot_j;
    if (segment->subkey != NULL) segment->subkey[place] = subkey;
    rebuild->source[segment->begin + place] = old;
    return (uint32_t)(segment->begin + place);
}

/* Called after all entries exist and `degree` is known. */
void rps_rebuild_move(rps_rebuild *rebuild);
/* Appends references of a body from number `at` on and gives each the next load record of its part, line[touches];
 * returns the number of the next reference. */
size_t rps_rebuild_put_references(rps_rebuild *rebuild, const uint32_t *reference, const uint32_t *touches,
                                  size_t count, size_t at, size_t line[2]);
void rps_rebuild_end(rps_rebuild *rebuild);

#endif
