/*
 * Builds the neighbor list: gives the marked candidate pairs (neighbor_select.c) to the contact store as entries, in
 * spatial order, and their numbers to both bodies in the order of keys.
 */
#include "detect/lists.h"
#include "world/contact_rebuild.h"

enum { GAPS = 64 };

/* Body i of a pair: the first row from `slot` on that ends after it. */
static inline uint32_t row_of(const uint32_t *row, uint32_t slot, size_t pair) {
    while (row[slot + 1] <= pair) slot++;
    return slot;
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

typedef struct filling {
    rps_rebuild *rebuild;
    const rps_lists *lists;
} filling;

/* Assigns entries to the listed pairs of a part of the bodies. */
static void place_pairs(void *context, rps_part part) {
    const filling *f = context;
    const rps_lists *lists = f->lists;
    rps_rebuild *rebuild = f->rebuild;
    size_t *next = rps_rebuild_tally(rebuild, part.worker); /* index of the next entry of each part of a segment */
    const uint32_t *row = lists->row.p, *other = lists->other.p, *pair_type = lists->pair_type.p;
    const size_t end = row[part.end];
    uint32_t self = (uint32_t)part.begin;
    const rps_subkey *subkey = rps_lists_subkey(lists);
    const uint8_t *pair_mark = lists->pair_mark.p;
    uint32_t *entry = lists->entry.p;
    uint32_t kept[GAPS + 1] = {0};
    for (size_t p = row[part.begin]; p < end; p += GAPS) {
        size_t stop = p + GAPS < end ? p + GAPS : end, count = 0;
        for (size_t k = p; k < stop; k++) {
            kept[count] = (uint32_t)k;
            count += pair_mark[k] != RPS_PAIR_NOT_LISTED;
        }
        for (size_t k = 0; k < count; k++) {
            const size_t pair = kept[k];
            const bool in_contact = pair_mark[pair] == RPS_PAIR_IN_CONTACT;
            self = row_of(row, self, pair);
            entry[pair] = rps_rebuild_put(rebuild, next, rps_pair_type_segment(pair_type[pair]), in_contact, self,
                                          other[pair], subkey != NULL ? subkey[pair] : (rps_subkey){0}, entry[pair]);
            rebuild->degree[RPS_DEGREES * self + RPS_AS_I]++;
            rebuild->degree[RPS_DEGREES * self + RPS_AS_I_TOUCHING] += in_contact;
        }
        for (size_t k = p; k < stop; k++)
            entry[k] |= (uint32_t)(pair_mark[k] != RPS_PAIR_NOT_LISTED) - 1u; /* RPS_NO_ENTRY where not listed */
    }
}

/* References of a part of the bodies. Those where the body is j come first, because their other ids are lower. */
static void fill_references(void *context, rps_part part) {
    const filling *f = context;
    const rps_lists *lists = f->lists;
    rps_rebuild *rebuild = f->rebuild;
    rps_contacts *contacts = rebuild->contacts;
    const uint32_t *row = lists->row.p, *column = lists->column.p;
    const uint32_t *column_pair = lists->column_pair.p, *entry = lists->entry.p;
    const uint8_t *pair_mark = lists->pair_mark.p;
    /* branch-free through a small block, written one element past its content */
    uint32_t block[GAPS + 1] = {0};
    uint32_t touches[GAPS + 1] = {0};
    for (size_t s = part.begin; s < part.end; s++) {
        size_t at = contacts->reference_begin[s];
        size_t line[2] = {contacts->inactive_begin + at - contacts->row[s][0],
                          contacts->row[s][0]}; /* the next, by `touches` */
        for (size_t k = column[s]; k < column[s + 1];) {
            size_t stop = k + GAPS < column[s + 1] ? k + GAPS : column[s + 1], count = 0;
            for (; k < stop; k++) {
                uint32_t e = entry[column_pair[k]];
                block[count] = e * 2 + 1;
                touches[count] = pair_mark[column_pair[k]] == RPS_PAIR_IN_CONTACT;
                count += e != RPS_NO_ENTRY;
            }
            at = rps_rebuild_put_references(rebuild, block, touches, count, at, line);
        }
        contacts->reference_own[s] = at;
        for (size_t p = row[s]; p < row[s + 1];) {
            size_t stop = p + GAPS < row[s + 1] ? p + GAPS : row[s + 1], count = 0;
            for (; p < stop; p++) {
                block[count] = entry[p] * 2;
                touches[count] = pair_mark[p] == RPS_PAIR_IN_CONTACT;
                count += entry[p] != RPS_NO_ENTRY;
            }
            at = rps_rebuild_put_references(rebuild, block, touches, count, at, line);
        }
    }
}

rps_status rps_neighbor_list_build(const rps_world *world, rps_lists *lists, rps_contacts *contacts, double skin,
                                   double widest, double horizon, rps_error *err) {
    rps_rebuild rebuild;
    RPS_TRY(rps_rebuild_begin(world, contacts, lists->workers, lists->remake_constants, &rebuild, err));
    RPS_TRY(rps_neighbor_select(world, lists, skin, widest, horizon, &rebuild, err));
    RPS_TRY(rps_rebuild_reserve(&rebuild, err));
    filling f = {&rebuild, lists};
    rps_parallel_for(lists->workers, lists->bodies, place_pairs, &f);
    rps_rebuild_move(&rebuild);
    rps_parallel_for(lists->workers, lists->bodies, fill_references, &f);
    rps_rebuild_end(&rebuild);
    return RPS_OK;
}
