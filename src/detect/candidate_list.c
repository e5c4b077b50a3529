/*
 * Builds the candidate list from the pairs that the cell search found, as a sparse matrix: row i holds the pairs whose
 * lower id is body i, sorted by the other id; column j holds the same pairs for the body with the higher id.
 *
 * Each worker owns a range of rows and columns and picks its pairs from all that were found. These are in spatial
 * order, so a worker skips nearly all others by the slot ranges of blocks.
 */
#include <string.h>

#include "detect/lists.h"

enum { SHORT = 32 };

/* One pair while a row with pieces and features is sorted. */
typedef struct featured {
    uint64_t id;
    rps_subkey subkey;
    uint32_t slot, with;
} featured;

/* sub: NULL: `with` breaks ties. */
static featured take_featured(const uint32_t *slot, const uint32_t *with, const rps_subkey *subkey, size_t k,
                              const uint64_t (*id)[1]) {
    return (featured){id[slot[k]][0], subkey != NULL ? subkey[k] : rps_subkey_make(0, 0, with[k]), slot[k], with[k]};
}

static void put_featured(uint32_t *slot, uint32_t *with, rps_subkey *subkey, size_t k, featured f) {
    slot[k] = f.slot;
    with[k] = f.with;
    if (subkey != NULL) subkey[k] = f.subkey;
}

static bool after(featured a, featured b) {
    return a.id > b.id || (a.id == b.id && rps_subkey_compare(a.subkey, b.subkey) > 0);
}

/* Heap sort of three arrays by id, then sub: in place and never quadratic (the row of a plane holds all bodies near
 * it). */
static void sort_featured(uint32_t *slot, uint32_t *with, rps_subkey *subkey, size_t count, const uint64_t (*id)[1]) {
    for (size_t heap = count / 2, end = count; end > 1;) {
        featured moved;
        if (heap > 0) {
            heap--;
            moved = take_featured(slot, with, subkey, heap, id);
        } else {
            end--;
            moved = take_featured(slot, with, subkey, end, id);
            put_featured(slot, with, subkey, end, take_featured(slot, with, subkey, 0, id));
        }
        size_t at = heap;
        for (size_t child; (child = 2 * at + 1) < end; at = child) {
            featured below = take_featured(slot, with, subkey, child, id);
            if (child + 1 < end) {
                const featured other = take_featured(slot, with, subkey, child + 1, id);
                if (after(other, below)) {
                    below = other;
                    child++;
                }
            }
            if (!after(below, moved)) break;
            put_featured(slot, with, subkey, at, below);
        }
        put_featured(slot, with, subkey, at, moved);
    }
}

/* Sorts both arrays by the id of the slot in `slot`; ids are distinct. */
static void sort_row(uint32_t *slot, uint32_t *with, size_t count, const uint64_t (*id)[1]) {
    if (count <= SHORT) {
        for (size_t a = 1; a < count; a++) {
            uint32_t moved = slot[a], moved_with = with[a];
            uint64_t key = id[moved][0];
            size_t b = a;
            for (; b > 0 && id[slot[b - 1]][0] > key; b--) {
                slot[b] = slot[b - 1];
                with[b] = with[b - 1];
            }
            slot[b] = moved;
            with[b] = moved_with;
        }
        return;
    }
    /* heap sort, as above */
    for (size_t heap = count / 2, end = count; end > 1;) {
        uint32_t moved, moved_with;
        if (heap > 0) {
            heap--;
            moved = slot[heap];
            moved_with = with[heap];
        } else {
            end--;
            moved = slot[end];
            moved_with = with[end];
            slot[end] = slot[0];
            with[end] = with[0];
        }
        size_t at = heap;
        for (size_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && id[slot[child + 1]][0] > id[slot[child]][0]) child++;
            if (id[slot[child]][0] <= id[moved][0]) break;
            slot[at] = slot[child];
            with[at] = with[child];
        }
        slot[at] = moved;
        with[at] = moved_with;
    }
}

/* The same for two arrays; the second breaks ties. */
static void sort_columns(uint32_t *slot, uint32_t *pair, size_t count, const uint64_t (*id)[1]) {
    sort_featured(slot, pair, NULL, count, id);
}

static void sum_up(uint32_t *begin, size_t count) {
    begin[0] = 0;
    for (size_t s = 0; s < count; s++) begin[s + 1] += begin[s];
}

/* Rows first..end-1: counts their pairs, or with `fill` stores them. */
static void fill_rows(const rps_lists *lists, size_t first, size_t end, bool fill) {
    const rps_found *found = lists->found.p;
    uint32_t *row = lists->row.p;
    uint32_t *cursor = lists->cursor.p, *other = lists->other.p, *pair_type = lists->pair_type.p;
    rps_subkey *subkey = lists->general ? lists->subkey.p : NULL;
    for (int c = 0; c < lists->workers.count; c++) {
        const rps_candidate_pair *pair = found[c].pair.p;
        const rps_subkey *found_sub = found[c].subkey.p;
        const rps_slot_range *block = found[c].block.p;
        for (size_t k = 0; k < found[c].count; k += RPS_RAW_BLOCK) {
            rps_slot_range range = block[k / RPS_RAW_BLOCK];
            if (range.high < first || range.low >= end) continue;
            size_t stop = k + RPS_RAW_BLOCK < found[c].count ? k + RPS_RAW_BLOCK : found[c].count;
            for (size_t p = k; p < stop; p++) {
                if (pair[p].i - first >= end - first) continue;
                if (fill) {
                    size_t place = row[pair[p].i] + cursor[pair[p].i]++;
                    other[place] = pair[p].j;
                    pair_type[place] = pair[p].pair_type;
                    if (subkey != NULL) subkey[place] = found_sub[p];
                } else {
                    row[pair[p].i + 1]++;
                }
            }
        }
    }
}

/* The same for columns, from the rows. */
static void fill_columns(const rps_lists *lists, size_t first, size_t end, bool fill) {
    const uint32_t *row = lists->row.p;
    const uint32_t *other = lists->other.p;
    const rps_slot_range *block = lists->row_block.p;
    uint32_t *column = lists->column.p;
    uint32_t *cursor = lists->cursor.p, *column_pair = lists->column_pair.p, *column_other = lists->column_other.p;
    for (size_t s = 0; s < lists->bodies; s += RPS_ROW_BLOCK) {
        rps_slot_range range = block[s / RPS_ROW_BLOCK];
        if (range.high < first || range.low >= end) continue;
        size_t stop = s + RPS_ROW_BLOCK < lists->bodies ? s + RPS_ROW_BLOCK : lists->bodies;
        for (size_t i = s; i < stop; i++) {
            for (size_t p = row[i]; p < row[i + 1]; p++) {
                if (other[p] - first >= end - first) continue;
                if (fill) {
                    size_t place = column[other[p]] + cursor[other[p]]++;
                    column_pair[place] = (uint32_t)p;
                    column_other[place] = (uint32_t)i;
                } else {
                    column[other[p] + 1]++;
                }
            }
        }
    }
}

static void summarise_rows(const rps_lists *lists, size_t block) {
    const uint32_t *row = lists->row.p;
    const uint32_t *other = lists->other.p;
    size_t first = block * RPS_ROW_BLOCK;
    size_t end = first + RPS_ROW_BLOCK < lists->bodies ? first + RPS_ROW_BLOCK : lists->bodies;
    rps_slot_range range = {UINT32_MAX, 0};
    for (size_t p = row[first]; p < row[end]; p++) {
        range.low = other[p] < range.low ? other[p] : range.low;
        range.high = other[p] > range.high ? other[p] : range.high;
    }
    ((rps_slot_range *)lists->row_block.p)[block] = range;
}

static rps_status candidate_list_reserve(const rps_world *world, rps_lists *lists, size_t count, size_t pairs,
                                         rps_error *err) {
    RPS_TRY(rps_scratch_fit(world, &lists->row, count + 1, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &lists->column, count + 1, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &lists->cursor, count, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &lists->row_block, count / RPS_ROW_BLOCK + 1, sizeof(rps_slot_range), err));
    rps_scratch *by_pair[] = {&lists->other, &lists->pair_type, &lists->entry, &lists->column_pair,
                              &lists->column_other};
    for (size_t k = 0; k < sizeof by_pair / sizeof *by_pair; k++) {
        RPS_TRY(rps_scratch_fit(world, by_pair[k], pairs, sizeof(uint32_t), err));
    }
    if (lists->general) RPS_TRY(rps_scratch_fit(world, &lists->subkey, pairs, sizeof(rps_subkey), err));
    return rps_scratch_fit(world, &lists->pair_mark, pairs, sizeof(uint8_t), err);
}

typedef struct listing {
    rps_lists *lists;
    const uint64_t (*id)[1];
} listing;

static void count_list_rows(void *context, rps_part part) {
    rps_lists *lists = ((const listing *)context)->lists;
    uint32_t *row = lists->row.p, *column = lists->column.p, *cursor = lists->cursor.p;
    const size_t first = part.begin, end = part.end;
    if (first == end) return;
    memset(row + first + 1, 0, (end - first) * sizeof *row);
    memset(column + first + 1, 0, (end - first) * sizeof *column);
    memset(cursor + first, 0, (end - first) * sizeof *cursor);
    fill_rows(lists, first, end, false);
}

static void make_list_rows(void *context, rps_part part) {
    rps_lists *lists = ((const listing *)context)->lists;
    const uint64_t(*id)[1] = ((const listing *)context)->id;
    const uint32_t *row = lists->row.p;
    uint32_t *cursor = lists->cursor.p, *other = lists->other.p, *pair_type = lists->pair_type.p;
    const size_t first = part.begin, end = part.end;
    if (first < end) fill_rows(lists, first, end, true);
    for (size_t s = first; s < end; s++) {
        if (row[s + 1] <= row[s] + 1) continue;
        if (lists->general) {
            rps_subkey *subkey = lists->subkey.p;
            sort_featured(other + row[s], pair_type + row[s], subkey + row[s], row[s + 1] - row[s], id);
        } else {
            sort_row(other + row[s], pair_type + row[s], row[s + 1] - row[s], id);
        }
    }
    if (first < end) memset(cursor + first, 0, (end - first) * sizeof *cursor);
}

/* Of blocks of rows. */
static void summarise_blocks(void *context, rps_part part) {
    for (size_t b = part.begin; b < part.end; b++) summarise_rows(((const listing *)context)->lists, b);
}

static void count_list_columns(void *context, rps_part part) {
    if (part.begin < part.end) fill_columns(((const listing *)context)->lists, part.begin, part.end, false);
}

static void make_list_columns(void *context, rps_part part) {
    rps_lists *lists = ((const listing *)context)->lists;
    const uint64_t(*id)[1] = ((const listing *)context)->id;
    const uint32_t *column = lists->column.p;
    uint32_t *pair = lists->column_pair.p, *other = lists->column_other.p;
    if (part.begin < part.end) fill_columns(lists, part.begin, part.end, true);
    for (size_t s = part.begin; s < part.end; s++) {
        if (column[s + 1] > column[s] + 1 && lists->general) {
            /* features of a pair have consecutive numbers in the order of their keys */
            sort_columns(other + column[s], pair + column[s], column[s + 1] - column[s], id);
        } else if (column[s + 1] > column[s] + 1) {
            sort_row(other + column[s], pair + column[s], column[s + 1] - column[s], id);
        }
    }
}

rps_status rps_candidate_list_build(const rps_world *world, rps_lists *lists, rps_error *err) {
    const rps_found *found = lists->found.p;
    const rps_workers workers = lists->workers;
    size_t count = world->bodies.count, pairs = 0;
    for (int c = 0; c < workers.count; c++) pairs += found[c].count;
    if (pairs >= RPS_NO_ENTRY) {
        return rps_fail(err, RPS_NO_MEMORY, "There are %zu pairs of bodies near each other; at most %u can be listed.",
                        pairs, RPS_NO_ENTRY - 1);
    }
    RPS_TRY(candidate_list_reserve(world, lists, count, pairs, err));
    lists->bodies = count;
    lists->pairs = pairs;
    if (pairs > 0) memset(lists->pair_mark.p, RPS_PAIR_NOT_LISTED, pairs); /* none is in the neighbor list yet */
    listing l = {lists, (const uint64_t(*)[1])world->bodies.id};
    rps_parallel_for(workers, count, count_list_rows, &l);
    sum_up(lists->row.p, count);
    rps_parallel_for(workers, count, make_list_rows, &l);
    rps_parallel_for(workers, (count + RPS_ROW_BLOCK - 1) / RPS_ROW_BLOCK, summarise_blocks, &l);
    rps_parallel_for(workers, count, count_list_columns, &l);
    sum_up(lists->column.p, count);
    rps_parallel_for(workers, count, make_list_columns, &l);
    return RPS_OK;
}
