/*
 * Contacts as they lie in memory.
 *
 * The entries of the neighbor list, pairs of bodies near enough that they may touch before the list is rebuilt, lie
 * in segments: one for each pair of materials and class of record; what touched when the list was made comes first,
 * and both parts are in spatial order of body i. A batch is up to RPS_BATCH consecutive entries of one segment. State
 * is structure of arrays: one lane per number, `capacity` doubles long, one behind the other, so that a kernel works
 * on it in place. An entry whose bodies do not touch holds zeros.
 *
 * Entries are numbered through all segments: entry = segment.begin + place. Every body knows its entries, in the
 * order of their keys, through `reference`.
 *
 * Key of a contact: (id i, id j, piece i, piece j, feature), i the body with the lower id; a period below twice the reach
 * of the largest pair is refused, so that the image need not be named. Pieces and
 * feature are the subkey; of spheres and planes it is 0 and not stored.
 */
#ifndef RPS_WORLD_SEGMENT_H
#define RPS_WORLD_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <repose/law.h>

typedef enum rps_record {
    RPS_RECORD_COMPACT, /* two spheres: n and the memories as world vectors */
    RPS_RECORD_FLAT,    /* a sphere and a plane that does not turn: the same */
    RPS_RECORD_FRAME,   /* anything: contact points and frames in the axes of both bodies */
    RPS_RECORD_COUNT
} rps_record;

/* Which lane of a segment holds what; -1: absent. Made once for a pair and record (world/pair.c). */
typedef struct rps_layout {
    bool impulses;                              /* the record of the nonsmooth stepper, the same for every class */
    int lanes;                                  /* number of state lanes */
    int modes;                                  /* contact exists + 2 x slide + 4 x roll + 8 x roll of j + 16 x spin */
    int overlap;                                /* m, at the last evaluation */
    int track;                                  /* first of the tracking lanes: compact 3 (n), frame RPS_FRAME_LANES */
    int memory[RPS_ROLE_COUNT][RPS_LAW_MEMORY]; /* first lane of a memory entry (tangent vectors: three in a row) */
    /* memory lanes to flush before the laws read them (base/flush.h): not those that tracking turns, and so flushes, and no
     * books, which laws compute from flushed increments */
    int flushes, flushed[RPS_ROLE_COUNT * RPS_LAW_MEMORY * 3];
} rps_layout;

/* Lanes of the frame record, from `track`: c_i, c_j (contact points), n, u in the axes of i, n, u in those of j; and, of
 * the last evaluation, Wm^-1 (uu, uw, ww) and 1/(H_i + H_j). */
enum {
    RPS_FRAME_CI = 0,
    RPS_FRAME_CJ = 3,
    RPS_FRAME_NI = 6,
    RPS_FRAME_UI = 9,
    RPS_FRAME_NJ = 12,
    RPS_FRAME_UJ = 15,
    RPS_FRAME_ROLLING_RADIUS = 18,
    RPS_FRAME_TWIST_RADIUS = 21,
    RPS_FRAME_LANES = 22
};

/* Lanes of a contact of the nonsmooth stepper. It exists while it carries an impulse. The energy of its springs and
 * where they are follows from the impulses, which are the memory of the contact. */
enum {
    RPS_IMPULSE_MODES = 0,
    RPS_IMPULSE_OVERLAP = 1, /* m, at the beginning of the step */
    RPS_IMPULSE_NORMAL = 2,  /* unit vector, from j into i */
    RPS_IMPULSE_N = 5,       /* N s */
    RPS_IMPULSE_T = 6,       /* N s, world vector, on i */
    RPS_IMPULSE_SPIN = 9,    /* N m s, about the normal, on i */
    RPS_IMPULSE_ROLL = 10,   /* N m s, world vector, on i */
    RPS_IMPULSE_SLIP = 13,   /* m/s, s(u) */
    RPS_IMPULSE_ENERGY = 14, /* J, stored: normal, slide, roll, spin */
    RPS_IMPULSE_LANES = 18
};

/* Curvatures of a contact have a floor of this over the radius of the sphere of equal volume of the smaller body:
 * between flat surfaces roll friction would have an unbounded rolling radius (Fang & Negrut 2020 divide by 0 there). */
#define RPS_CURVATURE_FLOOR 1e-3

/* Constants of an entry, made when the pair is listed. */
enum {
    RPS_CONSTANT_RADIUS_EFF,
    RPS_CONSTANT_MASS_EFF,
    RPS_CONSTANT_DAMPER_MASS_SQRT,
    RPS_CONSTANT_DAMPER_INERTIA_SQRT,
    RPS_CONSTANT_LANES
};

/* Tells contacts of one pair of bodies apart: a piece (primitive) of each, and the feature of the pair of pieces with its
 * periodic image (detect/image.h). Features of points are below RPS_SUBKEY_POINTS, those of lines from RPS_SUBKEY_LINES on,
 * RPS_SUBKEY_LINE of them (detect/touch.h); the image counts in steps of that many. */
typedef struct rps_subkey {
    uint32_t piece_i, piece_j, feature;
} rps_subkey;

enum { RPS_SUBKEY_POINTS = 160, RPS_SUBKEY_LINES = 4000, RPS_SUBKEY_LINE = 2 };

typedef struct rps_segment {
    int pair; /* index into world.pair_setup */
    rps_record record;
    size_t begin;    /* number of its first entry, a multiple of RPS_BATCH */
    size_t count;    /* entries */
    size_t capacity; /* a multiple of RPS_BATCH. Past `count` slots are 0; in the last batch state is 0, constants 1 */
    uint32_t *slot_i, *slot_j;
    rps_subkey *subkey; /* NULL: all 0 */
    double *state;      /* layout.lanes * capacity; lane l starts at state + l * capacity */
    const double *same; /* RPS_CONSTANT_LANES * RPS_BATCH, where all entries have these constants; else NULL */
    double *constant;   /* RPS_CONSTANT_LANES * capacity, in use only without `same`: see rps_segment_constant */
} rps_segment;

/* A constant of an entry. */
static inline double rps_segment_constant(const rps_segment *segment, size_t place, int which) {
    return segment->same != NULL ? segment->same[which * RPS_BATCH]
                                 : segment->constant[(size_t)which * segment->capacity + place];
}

static inline rps_subkey rps_subkey_make(uint32_t piece_i, uint32_t piece_j, uint32_t feature) {
    return (rps_subkey){piece_i, piece_j, feature};
}
static inline rps_subkey rps_segment_subkey(const rps_segment *segment, size_t place) {
    return segment->subkey != NULL ? segment->subkey[place] : (rps_subkey){0};
}
/* Below 0, 0 or above 0: the order of keys within a pair of bodies. */
static inline int rps_subkey_compare(rps_subkey a, rps_subkey b) {
    if (a.piece_i != b.piece_i) return a.piece_i < b.piece_i ? -1 : 1;
    if (a.piece_j != b.piece_j) return a.piece_j < b.piece_j ? -1 : 1;
    return (a.feature > b.feature) - (a.feature < b.feature);
}
static inline uint32_t rps_subkey_add_image(uint32_t feature, uint32_t image) {
    return feature + image * (feature < RPS_SUBKEY_LINES ? RPS_SUBKEY_POINTS : RPS_SUBKEY_LINE);
}
static inline uint32_t rps_subkey_image(rps_subkey subkey) {
    return subkey.feature < RPS_SUBKEY_LINES ? subkey.feature / RPS_SUBKEY_POINTS
                                             : (subkey.feature - RPS_SUBKEY_LINES) / RPS_SUBKEY_LINE;
}
/* The feature without its image. */
static inline uint32_t rps_subkey_touch(rps_subkey subkey) {
    return subkey.feature < RPS_SUBKEY_LINES ? subkey.feature % RPS_SUBKEY_POINTS
                                             : RPS_SUBKEY_LINES + (subkey.feature - RPS_SUBKEY_LINES) % RPS_SUBKEY_LINE;
}

/* The load of a contact on one of its bodies, one cache line. A body adds its loads in the order of their keys; of
 * what was dissipated (J) body i keeps the account of damping and slide, body j that of roll and spin. */
typedef struct rps_contact_load {
    double force[3];     /* N, on this body */
    double dissipated_a; /* J, of i: damping; of j: roll */
    double torque[3];    /* N m, about its centre */
    double dissipated_b; /* J, of i: slide; of j: spin */
} __attribute__((aligned(64))) rps_contact_load;

/* Kept for results only. */
typedef struct rps_entry_result {
    double branch_i[3], branch_j[3]; /* m, from the centres of i and j to the mid of C_i and C_j */
#define RPS_CONTACT_FIELD(name, components, unit, meaning) double name[components];
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
} rps_entry_result;

enum { RPS_LINE_SPARE = 8 /* flags past the last that may be read */ };

typedef struct rps_contacts {
    rps_segment *segment;
    size_t segments;
    size_t entries; /* numbers in use, padding included */
    /* by line: what a body adds up lies in a row, apart from what did not touch when the list was made, so that the lines
     * that are in use lie close together */
    rps_contact_load *load;
    uint8_t *has_load; /* by line: 1 if the load there is one; else it was not written. RPS_LINE_SPARE more */
    /* by slot, count + 1: lines of what touched when the list was made, in the order of keys: the first, and the first of
     * those in which the body is i */
    uint32_t (*row)[2];
    size_t inactive_begin;    /* lines of the rest: from here + reference_begin[slot] - row[slot][0] on */
    bool exceeds_l2;          /* what a step reads is more than the second cache holds: it is asked for ahead */
    bool streams;             /* loads are so many that they leave the caches before they are read: written past them */
    uint8_t *was_active;      /* by entry number: 1 if its loads are live or its contact lives: to be evaluated again */
    uint32_t (*place)[2];     /* by entry number: lines of the loads on i and on j */
    rps_entry_result *result; /* by entry number; NULL unless kept */
    size_t result_capacity;
    /* by slot: entries in the order of their keys. references reference_begin[slot] .. reference_begin[slot + 1] - 1;
     * those from reference_own[slot] on are the ones in which the body is i */
    uint32_t *reference_begin; /* count + 1 */
    uint32_t *reference_own;   /* count */
    uint32_t *reference;       /* entry * 2 + (1 if the body is j) */
    uint32_t *line;            /* by reference: where the load on the body is */
} rps_contacts;

#endif
