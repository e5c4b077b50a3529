/*
 * What detection keeps between its calls, and the stages that make it:
 *
 *   cells.c    bounding spheres sorted by level and cell; finds every pair that may come close (raw pairs)
 *   keep.c     what of two such bodies is within reach: features of pieces, in which images (image.c)
 *   candidate_list.c    raw pairs -> outer list, one row a body, sorted by ids, and the same pairs seen from the other
 *   contact_match.c  which entry of the present segments each pair of a new outer list has
 *   near.c     which pairs of the outer list are near, with how far every body may leave its course
 *   neighbor_list.c    outer list -> segments of world.contacts with their histories, references of bodies
 *   order.c    slots in spatial order
 *   detect.c   when, and how wide the skins are
 *
 * Work over bodies is cut into `chunks`, one a thread; what a chunk makes is put together in the order of chunks, so
 * that the lists are the same for any number of threads.
 */
#ifndef RPS_DETECT_LISTS_H
#define RPS_DETECT_LISTS_H

#include "detect/detect.h"
#include "detect/gap_table.h"

#define RPS_NO_ENTRY UINT32_MAX

enum {
    RPS_PARALLEL_FROM = 2000, /* bodies: below, a parallel region costs more than it gains */
    RPS_LEVELS = 24,          /* levels of cells; each holds bodies within a factor of 2 in size */
    RPS_RAW_BLOCK = 256,      /* raw pairs with one summary of their slots */
    RPS_ROW_BLOCK = 64        /* rows of the outer list with one summary of their slots j */
};

#define RPS_PRAGMA_(x) _Pragma(#x)

/* The loop over chunks: a parallel region only if there is more than one. */
#define RPS_EACH_CHUNK(c, chunks)                                                      \
    RPS_PRAGMA_(omp parallel for schedule(static) num_threads(chunks) if (chunks > 1)) \
    for (int c = 0; c < (chunks); c++)

static inline size_t rps_chunk_begin(size_t count, int chunk, int chunks) {
    return count / (size_t)chunks * (size_t)chunk + count % (size_t)chunks * (size_t)chunk / (size_t)chunks;
}

/* A growing buffer whose content is rebuilt each time. */
typedef struct rps_scratch {
    void *p;
    size_t bytes;
} rps_scratch;

/* Makes room for count items; keeps nothing. */
rps_status rps_scratch_fit(const rps_world *world, rps_scratch *capacity, size_t count, size_t item, rps_error *err);
/* Makes room for count items; keeps the first `used`. */
rps_status rps_scratch_grow(const rps_world *world, rps_scratch *capacity, size_t used, size_t count, size_t item,
                            rps_error *err);

/* Gives the room back if it is large, for what is needed rarely. */
void rps_scratch_shrink(const rps_world *world, rps_scratch *capacity);

/* --- sorting (sort.c) --------------------------------------------------------------------------------------------- */

typedef struct rps_keyed {
    uint64_t key;
    uint32_t slot;
} rps_keyed;

/* Sorts by key, of which only the lowest `bits` are not 0; equal keys keep their order. `other` has room for count too;
 * the result is in *keyed, which may be exchanged with it. `histogram` is scratch. */
rps_status rps_sort_keyed(const rps_world *world, rps_scratch *keyed, rps_scratch *other, rps_scratch *histogram,
                          size_t count, int bits, int chunks, rps_error *err);

/* --- raw pairs ---------------------------------------------------------------------------------------------------- */

/* i has the lower id. code: which segment and which gap function, see rps_pair_type_make. Subkeys lie apart, since spheres have none. */
typedef struct rps_candidate_pair {
    uint32_t i, j, pair_type;
} rps_candidate_pair;

typedef struct rps_slot_range {
    uint32_t low, high;
} rps_slot_range;

/* What one chunk of the search found. */
typedef struct rps_found {
    rps_scratch pair;   /* rps_candidate_pair */
    rps_scratch subkey; /* rps_subkey, one a pair; in use only if some body has pieces */
    rps_scratch block;  /* rps_slot_range of slots i of each block */
    size_t count;
    rps_status status;
    rps_error error;
    bool pair_missing; /* two bodies whose materials have no pair, the first by ids; or whose contact was lost */
    uint64_t missing[2];
    int material[2];         /* of the pieces that have no pair */
    size_t changed_pairs[3]; /* pairs by how they differ from what they were marked for the last inner list (near.c) */
} rps_found;

/* Pair of materials, record class and shapes of both bodies in one number. */
static inline uint32_t rps_pair_type_make(int pair, rps_record record, rps_pair_shape i, rps_pair_shape j) {
    return (((uint32_t)pair * RPS_RECORD_COUNT + (uint32_t)record) * RPS_PAIR_SHAPES + (uint32_t)i) * RPS_PAIR_SHAPES +
           (uint32_t)j;
}
static inline rps_pair_shape rps_pair_type_shape_j(uint32_t pair_type) {
    return (rps_pair_shape)(pair_type % RPS_PAIR_SHAPES);
}
static inline rps_pair_shape rps_pair_type_shape_i(uint32_t pair_type) {
    return (rps_pair_shape)(pair_type / RPS_PAIR_SHAPES % RPS_PAIR_SHAPES);
}
/* pair * RPS_RECORD_COUNT + record */
static inline uint32_t rps_pair_type_segment(uint32_t pair_type) {
    return pair_type / (RPS_PAIR_SHAPES * RPS_PAIR_SHAPES);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* Cells of one level. On an axis that is not periodic the numbering wraps too, so that stray bodies cost nothing: cells
 * far apart may then share a number, and the distance test parts their bodies. */
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
    rps_scratch from;                          /* uint32_t: old slots by new ones, while they are put in order */
    double low[3], high[3];                    /* m, box of the centres */
    size_t free;                               /* of those in cells */
    double radius_mean, free_mean;             /* m, of those in cells but walls of many pieces, and of the free ones */
    double radius_max[2];                      /* m, of the two largest free ones */
    bool held_pieces;                          /* some fixed or driven body has pieces */
    double held_sphere;                        /* m, of the largest sphere that is fixed or driven; -1: none */
    double cutoff;                             /* the largest of all pairs, relative to the smaller radius */
} rps_cells;

struct rps_lists {
    int chunks;
    bool candidates_valid, neighbors_valid;
    double candidate_skin, neighbor_skin;                 /* m, with which they were made */
    double candidate_displacement, neighbor_displacement; /* m, bound of a body's way since */
    double step_displacement;                             /* m, the same of the last step */
    /* The inner list also holds what would come within the leeways of two bodies if all kept their course. */
    double prediction_horizon; /* s, how long that counts; 0: it has none */
    double since;              /* s, since the inner list was made */
    /* m, bound of a body's way off its course since, scaled to a leeway of half a skin; INFINITY: not known */
    double accumulated_deviation;
    bool moved; /* bodies moved since the last call, and the motion stage told how */
    /* m, what a body strayed in the last inner list's time, scaled so, a step and step; < 0: not known */
    double acceleration;
    double rebuild_cost;          /* what the last inner list cost more in each step, in pairs relisted; 0: not known */
    double coming_candidate_skin; /* m, of the outer list that is being made */
    double order_displacement;    /* m, since slots were put in order */
    double plane_reach; /* m, distance of the farthest body from a turning plane, when the outer list was made */
    rps_detect_count counts;
    bool remake_constants; /* of entries: what they were made from may have changed */
    bool ordered;          /* slots were put in order once */
    bool general;          /* some body has pieces */

    rps_cells cells;
    rps_scratch found; /* rps_found, one a chunk */
    size_t found_chunks;

    /* outer list */
    size_t bodies; /* rows */
    size_t pairs;
    rps_scratch row;          /* uint32_t, bodies + 1: the pairs in which a body is i */
    rps_scratch cursor;       /* uint32_t, bodies */
    rps_scratch other;        /* uint32_t, one a pair: slot j */
    rps_scratch pair_type;    /* uint32_t */
    rps_scratch subkey;       /* rps_subkey; in use only if some body has pieces */
    rps_scratch entry;        /* uint32_t: entry in the present segments, RPS_NO_ENTRY: none */
    rps_scratch pair_mark;    /* uint8_t: goes into the segments that are being made */
    rps_scratch column;       /* uint32_t, bodies + 1: the pairs in which a body is j ... */
    rps_scratch column_pair;  /* uint32_t: ... by number in the outer list, sorted by id of i */
    rps_scratch column_other; /* uint32_t: their slot i, while it is made */
    rps_scratch row_block;    /* rps_slot_range of slots j of each block of rows */

    /* inner list: world.contacts points into these */
    rps_scratch renumbering; /* uint32_t: see list_remove.c */
    size_t referenced;       /* bodies that have references */
    rps_scratch segment[2];  /* rps_segment: present, and the next or last */
    rps_scratch store[2];    /* their lanes; the other one is in use only while they move */
    int present, store_present;
    rps_scratch slot[2]; /* uint32_t, by entry: slots i and slots j */
    rps_scratch piece;   /* rps_subkey, by entry of frame records, through all segments that have them */
    rps_scratch same[2]; /* double: constants of segments whose entries all have the same */
    rps_scratch mixed;   /* uint8_t, by chunk and segment: they have not */
    rps_scratch reference_begin, reference_own, reference;
    rps_scratch prediction; /* float[4], by slot: world.course */
    rps_scratch load, has_load, place, was_active, result;
    rps_scratch kind;           /* int: new and old segment of every kind (pair of materials and record class) */
    rps_scratch tally;          /* size_t: entries by chunk and part of segment, then their places */
    rps_scratch degree;         /* uint32_t, four a body: how many entries it has, and how many of them touch */
    rps_scratch line, line_row; /* uint32_t, by reference; uint32_t[2], by slot: see rps_contacts */
    rps_scratch shuffled;       /* uint32_t: places in random order (tests) */
};

/* Of a pair of the outer list. */
enum { RPS_PAIR_NOT_LISTED, RPS_PAIR_LISTED, RPS_PAIR_IN_CONTACT };

/* What is counted of a body: entries in which it is j, those of them that touch, and the same where it is i. */
enum { RPS_AS_J, RPS_AS_J_TOUCHING, RPS_AS_I, RPS_AS_I_TOUCHING, RPS_DEGREES };

/* The part of a segment for what is RPS_PAIR_IN_CONTACT or RPS_PAIR_LISTED. */
static inline size_t rps_part_for(size_t kind, uint8_t pair_mark) {
    return 2 * kind + (pair_mark == RPS_PAIR_LISTED);
}

/* Pieces and features of the outer list's pairs; NULL: all 0. */
static inline const rps_subkey *rps_lists_subkey(const rps_lists *lists) {
    return lists->general ? lists->subkey.p : NULL;
}

/* Parts bodies from planes and measures them; error for a position that is not finite and for a plane across a periodic
 * axis. */
rps_status rps_cells_measure(rps_world *world, rps_lists *lists, rps_error *err);
rps_status rps_cells_not_finite(const rps_world *world, uint64_t id, rps_error *err);
/* Sorts the bodies into cells for pairs within reach + skin. */
rps_status rps_cells_sort(const rps_world *world, rps_lists *lists, double skin, rps_error *err);
/* Finds all pairs into lists->found; error for a pair of materials that was not given. */
rps_status rps_cells_search(const rps_world *world, rps_lists *lists, double skin, rps_error *err);

/* Makes the outer list from lists->found; entry numbers are left undefined. */
rps_status rps_candidate_list_build(const rps_world *world, rps_lists *lists, rps_error *err);

/* Sets the entry of every pair of the outer list; error if a contact that lives is not among them. */
rps_status rps_persist_match(const rps_world *world, rps_lists *lists, rps_error *err);
/* Gives every body a place in the references of world.contacts; new bodies have no entries yet. */
rps_status rps_persist_extend(rps_world *world, rps_lists *lists, rps_error *err);
/* True if the contact of an entry exists. */
bool rps_persist_lives(const rps_world *world, size_t entry);

/* Marks the near pairs: lists->near, tally (by chunk and part) and degree; sets world.course if lists->prediction_horizon is not 0.
 * skin: m, twice the least leeway; widest: m, the largest. Error for a position that is not finite. */
rps_status rps_near_mark(rps_world *world, rps_lists *lists, double skin, double widest, size_t parts, rps_error *err);
/* Makes segments and references with the given inner skin. */
rps_status rps_neighbor_list_build(rps_world *world, rps_lists *lists, double skin, double widest, rps_error *err);

/* Puts slots in spatial order if that is worthwhile; with shuffle, into random order. *done: slots have changed. */
rps_status rps_order_slots(rps_world *world, rps_lists *lists, bool *done, rps_error *err);

#endif
