/*
 * The state of detection between its calls, and the stages that build it:
 *
 *   cells.c            bounding spheres sorted by level and cell; finds every candidate pair
 *   candidate_pairs.c  the parts of two such bodies that are in range: features of pieces, and in which images (image.c)
 *   candidate_list.c   candidate pairs -> candidate list, one row a body, sorted by ids, and its transpose
 *   contact_match.c    the present entry of each pair of a new candidate list
 *   neighbor_select.c  marks the pairs of the neighbor list, with predicted paths and displacement buffers
 *   neighbor_list.c    marked pairs -> entries of the contact store, references of bodies
 *   order.c            slots in spatial order
 *   list_life.c        when lists are rebuilt, and how wide their skins are
 *   detect.c           one update
 *
 * Work over bodies is cut into one part a worker (base/parallel.h). The stages read a const world; an update writes the
 * lists, the contact store, the order of bodies and the ranges of pairs, each by an argument of its own.
 */
#ifndef RPS_DETECT_LISTS_H
#define RPS_DETECT_LISTS_H

#include "base/parallel.h"
#include "detect/detect.h"
#include "detect/gap_table.h"
#include "detect/list_life.h"
#include "world/body_shape.h"
#include "world/contact_rebuild.h"

enum {
    RPS_PARALLEL_FROM = 2000, /* bodies: with fewer, a parallel region costs more than it gains */
    RPS_LEVELS = 24,          /* levels of cells; each holds bodies within a factor of 2 in size */
    RPS_RAW_BLOCK = 256,      /* candidate pairs with one summary of their slots */
    RPS_ROW_BLOCK = 64        /* rows of the candidate list with one summary of their slots j */
};

/* --- sorting (sort.c) --------------------------------------------------------------------------------------------- */

typedef struct rps_keyed {
    uint64_t key;
    uint32_t slot;
} rps_keyed;

/* Stable sort by key; only the lowest `bits` of a key may be nonzero. `other` has space for count items too; the
 * result is in *keyed, which may be swapped with it. `histogram` is scratch. */
rps_status rps_sort_keyed(const rps_world *world, rps_scratch *keyed, rps_scratch *other, rps_scratch *histogram,
                          size_t count, int bits, rps_workers workers, rps_error *err);

/* --- candidate pairs ---------------------------------------------------------------------------------------------- */

/* i has the lower id. pair_type selects the segment and the gap function, see rps_pair_type_make. Subkeys have a
 * separate array, since spheres have none. */
typedef struct rps_candidate_pair {
    uint32_t i, j, pair_type;
} rps_candidate_pair;

typedef struct rps_slot_range {
    uint32_t low, high;
} rps_slot_range;

/* Results of one worker of the search. */
typedef struct rps_found {
    rps_scratch pair;   /* rps_candidate_pair */
    rps_scratch subkey; /* rps_subkey, one a pair; in use only if some body has pieces */
    rps_scratch block;  /* rps_slot_range of slots i of each block */
    size_t count;
    rps_status status;
    rps_error error;
    bool pair_missing; /* first two bodies, by id, with materials that have no pair; or with a lost contact */
    uint64_t missing[2];
    uint64_t
        refused[2]; /* first two bodies, by id, whose contacts would be wrong, with the sentence; UINT64_MAX: none */
    rps_error refusal;
    int material[2];                          /* materials of the pieces without a pair */
    size_t changed_pairs[RPS_CHANGED_STATES]; /* pairs whose state changed since the last neighbor list marked them */
} rps_found;

/* Pair of materials, record class and shapes of both bodies in one number. */
static inline uint32_t rps_pair_type_make(int pair, rps_record record, rps_body_shape i, rps_body_shape j) {
    return (((uint32_t)pair * RPS_RECORD_COUNT + (uint32_t)record) * RPS_BODY_SHAPES + (uint32_t)i) * RPS_BODY_SHAPES +
           (uint32_t)j;
}
static inline rps_body_shape rps_pair_type_shape_j(uint32_t pair_type) {
    return (rps_body_shape)(pair_type % RPS_BODY_SHAPES);
}
static inline rps_body_shape rps_pair_type_shape_i(uint32_t pair_type) {
    return (rps_body_shape)(pair_type / RPS_BODY_SHAPES % RPS_BODY_SHAPES);
}
/* pair * RPS_RECORD_COUNT + record */
static inline uint32_t rps_pair_type_segment(uint32_t pair_type) {
    return pair_type / (RPS_BODY_SHAPES * RPS_BODY_SHAPES);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* Cells of one level. On an axis that is not periodic the numbering wraps too, so that distant bodies cost nothing:
 * cells far apart may then share a number, and the distance test separates their bodies. */
typedef struct rps_level {
    size_t begin, end;            /* places in the sorted arrays */
    uint64_t base;                /* key of its first cell */
    double radius_max;            /* m */
    double origin[3], inverse[3]; /* m, 1/m: cell number = floor((x - origin) * inverse) */
    int64_t n[3];
} rps_level;

typedef struct rps_celled {
    double x[3], radius;
} rps_celled;

typedef struct rps_cells {
    rps_level level[RPS_LEVELS];
    int levels;
    int key_bits;
    size_t count, planes;                      /* bodies in cells, and apart */
    rps_scratch keyed, keyed_other, histogram; /* rps_keyed, by place */
    rps_scratch body;                          /* rps_celled, by place */
    rps_scratch plane;                         /* uint32_t slots */
    rps_scratch from;                          /* uint32_t: old slots by new ones, while slots are sorted */
    double low[3], high[3];                    /* m, box of the centres */
    size_t free;                               /* of those in cells */
    double radius_mean, free_mean;             /* m, of bodies in cells except walls of many pieces, and of free ones */
    double radius_max[2];                      /* m, of the two largest free ones */
    bool held_pieces;                          /* some fixed or driven body has pieces */
    double held_sphere;                        /* m, of the largest fixed or driven sphere; -1: none */
    double cutoff;                             /* the largest of all pairs, relative to the smaller radius */
} rps_cells;

struct rps_lists {
    rps_workers workers; /* of the present update */
    rps_list_life life;
    double coming_candidate_skin; /* m, of the candidate list that is being built */
    rps_detect_count counts;
    bool remake_constants; /* recompute constants of entries: radii or masses may have changed */
    bool ordered;          /* slots were put in order once */
    bool general;          /* some body has pieces */

    rps_cells cells;
    rps_scratch found; /* rps_found, one a worker */
    size_t finders;

    /* candidate list */
    size_t bodies; /* rows */
    size_t pairs;
    rps_scratch row;          /* uint32_t, bodies + 1: the pairs in which a body is i */
    rps_scratch cursor;       /* uint32_t, bodies */
    rps_scratch other;        /* uint32_t, one a pair: slot j */
    rps_scratch pair_type;    /* uint32_t */
    rps_scratch subkey;       /* rps_subkey; in use only if some body has pieces */
    rps_scratch entry;        /* uint32_t: entry in the present segments, RPS_NO_ENTRY: none */
    rps_scratch pair_mark;    /* uint8_t: RPS_PAIR_...: goes into the neighbor list */
    rps_scratch column;       /* uint32_t, bodies + 1: the pairs in which a body is j ... */
    rps_scratch column_pair;  /* uint32_t: ... by number in the candidate list, sorted by id of i */
    rps_scratch column_other; /* uint32_t: their slot i, during construction */
    rps_scratch row_block;    /* rps_slot_range of slots j of each block of rows */
    rps_scratch prediction;   /* rps_prediction, by slot; valid if life.predicts */
};

/* Marks of the pairs of the candidate list. */
enum { RPS_PAIR_NOT_LISTED, RPS_PAIR_LISTED, RPS_PAIR_IN_CONTACT };

/* Pieces and features of the candidate pairs; NULL: all 0. */
static inline const rps_subkey *rps_lists_subkey(const rps_lists *lists) {
    return lists->general ? lists->subkey.p : NULL;
}

/* Separates bodies from planes and measures their sizes; error for a position that is not finite and for a plane
 * across a periodic axis. */
rps_status rps_cells_measure(const rps_world *world, rps_lists *lists, rps_error *err);
rps_status rps_cells_not_finite(const rps_world *world, uint64_t id, rps_error *err);
/* Sorts the bodies into cells for pairs within reach + skin. */
rps_status rps_cells_sort(const rps_world *world, rps_lists *lists, double skin, rps_error *err);
/* Finds all pairs, into lists->found; error for a pair of materials that was not given. */
rps_status rps_cells_search(const rps_world *world, rps_lists *lists, double skin, rps_error *err);

/* Builds the candidate list from lists->found; entry numbers stay undefined. */
rps_status rps_candidate_list_build(const rps_world *world, rps_lists *lists, rps_error *err);

/* Sets the entry of every pair of the candidate list; error if an existing contact is not among them. */
rps_status rps_persist_match(const rps_world *world, rps_lists *lists, rps_error *err);
/* Marks the pairs of the coming neighbor list in lists->pair_mark and counts them in the rebuild of the contact
 * store; sets lists->prediction if the horizon (s) is not 0. skin: m, twice the least displacement buffer; widest: m,
 * the largest. Error for a position that is not finite. */
rps_status rps_neighbor_select(const rps_world *world, rps_lists *lists, double skin, double widest, double horizon,
                               rps_rebuild *rebuild, rps_error *err);
/* Selects the pairs and rebuilds the contact store from them; arguments as above. */
rps_status rps_neighbor_list_build(const rps_world *world, rps_lists *lists, rps_contacts *contacts, double skin,
                                   double widest, double horizon, rps_error *err);

/* Sorts slots in space if that is worthwhile; with shuffle, puts them in random order. Bodies and contacts are those of
 * the world. *done: slots have changed. */
rps_status rps_order_slots(const rps_world *world, rps_lists *lists, rps_bodies *bodies, rps_contacts *contacts,
                           bool *done, rps_error *err);

#endif
