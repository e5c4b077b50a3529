/*
 * Memory layout of contacts.
 *
 * The entries of the neighbor list are pairs of bodies that may touch before the list is rebuilt. They are stored in
 * segments, one for each pair of materials and class of record. Pairs that touched at the rebuild come first, and
 * both parts are in spatial order of body i. A batch is up to RPS_BATCH consecutive entries of one segment. State is
 * a structure of arrays: one lane of `capacity` doubles per number, contiguous, so that a kernel works on it in
 * place. The state of an entry without contact is zero.
 *
 * Entries are numbered through all segments: entry = segment.begin + place. Every body knows its entries, in the
 * order of their keys, through `reference`.
 *
 * Key of a contact: (id i, id j, piece i, piece j, feature), i the body with the lower id. A period below twice the
 * reach of the largest pair is refused, so the key need not name the image. Pieces and feature are the subkey; for
 * spheres and planes it is 0 and not stored.
 */
#ifndef RPS_WORLD_SEGMENT_H
#define RPS_WORLD_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "law/roles.h"

typedef enum rps_record {
    RPS_RECORD_COMPACT,        /* two spheres: n and the memories as world vectors */
    RPS_RECORD_FLAT,           /* a sphere and a plane that does not rotate: the same */
    RPS_RECORD_COMPACT_PIECES, /* as compact, and one of the spheres, or both, are pieces of bodies */
    RPS_RECORD_FLAT_PIECES,    /* as flat, and the sphere is a piece of a body */
    RPS_RECORD_FRAME,          /* any shapes: contact points and frames in the axes of both bodies */
    RPS_RECORD_COUNT
} rps_record;

/* A sphere and a plane. */
static inline bool rps_record_is_flat(rps_record record) {
    return record == RPS_RECORD_FLAT || record == RPS_RECORD_FLAT_PIECES;
}
/* Spheres that are pieces of bodies: their centers lie off those of the bodies. */
static inline bool rps_record_has_offsets(rps_record record) {
    return record == RPS_RECORD_COMPACT_PIECES || record == RPS_RECORD_FLAT_PIECES;
}
/* Contacts with a subkey. */
static inline bool rps_record_has_subkeys(rps_record record) {
    return record == RPS_RECORD_FRAME || rps_record_has_offsets(record);
}

/* The lane of a component of a memory entry of a law, or one of RPS_BINDING_... */
enum { RPS_MEMORY_LANES = 3 * RPS_LAW_MEMORY };         /* most of one law */
enum { RPS_BINDING_SPARE = -1, RPS_BINDING_ZERO = -2 }; /* scratch that nobody reads; scratch that the law reads as 0 */
typedef struct rps_binding {
    int place; /* 3 m + k: component k of entry m */
    int lane;
} rps_binding;

/* Lane numbers of a segment; -1: absent. Computed once per pair and record (world/pair.c). */
typedef struct rps_layout {
    bool impulses;                              /* the record of the nonsmooth stepper, the same for every class */
    int lanes;                                  /* number of state lanes */
    int modes;                                  /* sum of 2^bit over the bits that are set (law/roles.h) */
    int overlap;                                /* m, at the last evaluation */
    int track;                                  /* first of the tracking lanes: compact 3 (n), frame RPS_FRAME_LANES */
    int range, liquid;                          /* m, m^3: of the bridge of a wet contact */
    int memory[RPS_ROLE_COUNT][RPS_LAW_MEMORY]; /* first lane of a memory entry (tangent vectors: three in a row) */
    /* memory lanes to flush before the laws read them (base/flush.h): neither those that tracking rotates, and so
     * flushes, nor energies that laws add up themselves from flushed increments */
    int flushes, flushed[RPS_ROLE_COUNT * RPS_MEMORY_LANES];
    /* where laws find their memories, role after role: bound[r] .. bound[r + 1] - 1 of `binding` are those of role r */
    int bound[RPS_ROLE_COUNT + 1];
    rps_binding binding[RPS_ROLE_COUNT * RPS_MEMORY_LANES];
} rps_layout;

/* Lanes of the frame record, from `track`: c_i, c_j (contact points), n, u in the axes of i, n, u in those of j; and,
 * of the last evaluation, Wm^-1 (uu, uw, ww) and 1/(H_i + H_j). */
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

/* Lanes of a contact of the nonsmooth stepper. It exists while it carries an impulse. The impulses are the memory of
 * the contact; the energy and the extension of its springs follow from them. */
enum {
    RPS_IMPULSE_MODES = 0,
    RPS_IMPULSE_OVERLAP = 1, /* m, at the beginning of the step */
    RPS_IMPULSE_NORMAL = 2,  /* unit vector, from j into i */
    RPS_IMPULSE_N = 5,       /* N s */
    RPS_IMPULSE_T = 6,       /* N s, world vector, on i */
    RPS_IMPULSE_SPIN = 9,    /* N m s, about the normal, on i */
    RPS_IMPULSE_ROLL = 10,   /* N m s, world vector, on i */
    RPS_IMPULSE_SLIP = 13,   /* m/s, s(u) */
    RPS_IMPULSE_ENERGY = 14, /* J, stored, by RPS_STORED_ */
    RPS_IMPULSE_LANES = RPS_IMPULSE_ENERGY + RPS_STORED
};

/* Lower bound of the curvatures of a contact, times the radius of the sphere with the volume of the smaller body.
 * Without it roll friction between flat surfaces would have an unbounded rolling radius (Fang & Negrut 2020 divide by
 * 0 there). */
#define RPS_CURVATURE_FLOOR 1e-3

/* Constants of an entry, computed when the pair is listed. */
enum {
    RPS_CONSTANT_RADIUS_EFF,
    RPS_CONSTANT_MASS_EFF,
    RPS_CONSTANT_DAMPER_MASS_SQRT,
    RPS_CONSTANT_DAMPER_INERTIA_SQRT,
    RPS_CONSTANT_LANES
};

/* Distinguishes contacts of one pair of bodies: a piece (primitive) of each, and the feature of the pair of pieces
 * with its periodic image (detect/image.h). Point features are below RPS_SUBKEY_POINTS; RPS_SUBKEY_LINE line features
 * start at RPS_SUBKEY_LINES (detect/touch.h); the image counts in steps of that many. Features of places of a mesh start at
 * RPS_SUBKEY_PLACES (detect/pair_mesh.h), with the image as the lowest digit, RPS_SUBKEY_IMAGES of them. */
typedef struct rps_subkey {
    uint32_t piece_i, piece_j, feature;
} rps_subkey;

enum {
    RPS_SUBKEY_POINTS = 160,
    RPS_SUBKEY_LINES = 4000,
    RPS_SUBKEY_LINE = 2,
    RPS_SUBKEY_PLACES = 8192,
    RPS_SUBKEY_IMAGES = 25,
    RPS_SUBKEY_PLACES_MOST = (INT32_MAX - RPS_SUBKEY_PLACES) / RPS_SUBKEY_IMAGES /* of one pair of pieces */
};

typedef struct rps_segment {
    int pair; /* index into world.pair_setup */
    rps_record record;
    size_t begin;    /* number of its first entry, a multiple of RPS_BATCH */
    size_t count;    /* entries */
    size_t capacity; /* a multiple of RPS_BATCH. Past `count` slots are 0; in the last batch state is 0, constants 1 */
    uint32_t *slot_i, *slot_j;
    rps_subkey *subkey; /* NULL: all 0 */
    double *state;      /* layout.lanes * capacity; lane l starts at state + l * capacity */
    const double *same; /* RPS_CONSTANT_LANES * RPS_BATCH if all entries have these constants, else NULL */
    double *constant;   /* RPS_CONSTANT_LANES * capacity, in use only without `same`: see rps_segment_constant */
} rps_segment;

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
    if (feature >= RPS_SUBKEY_PLACES) {
        return RPS_SUBKEY_PLACES + (feature - RPS_SUBKEY_PLACES) * RPS_SUBKEY_IMAGES + image;
    }
    return feature + image * (feature < RPS_SUBKEY_LINES ? RPS_SUBKEY_POINTS : RPS_SUBKEY_LINE);
}
static inline uint32_t rps_subkey_image(rps_subkey subkey) {
    if (subkey.feature >= RPS_SUBKEY_PLACES) return (subkey.feature - RPS_SUBKEY_PLACES) % RPS_SUBKEY_IMAGES;
    return subkey.feature < RPS_SUBKEY_LINES ? subkey.feature / RPS_SUBKEY_POINTS
                                             : (subkey.feature - RPS_SUBKEY_LINES) / RPS_SUBKEY_LINE;
}
/* The feature without its image. */
static inline uint32_t rps_subkey_touch(rps_subkey subkey) {
    if (subkey.feature >= RPS_SUBKEY_PLACES) {
        return RPS_SUBKEY_PLACES + (subkey.feature - RPS_SUBKEY_PLACES) / RPS_SUBKEY_IMAGES;
    }
    return subkey.feature < RPS_SUBKEY_LINES ? subkey.feature % RPS_SUBKEY_POINTS
                                             : RPS_SUBKEY_LINES + (subkey.feature - RPS_SUBKEY_LINES) % RPS_SUBKEY_LINE;
}

/* Accounts of dissipated energy that the load of a contact on one body carries: body i records the first ones, body j
 * the others. */
enum {
    RPS_LOAD_ACCOUNTS = RPS_ACCOUNTS > 4 ? (RPS_ACCOUNTS + 1) / 2 : 2,
    RPS_LOAD_LINES = (6 + RPS_LOAD_ACCOUNTS + 7) / 8
};
_Static_assert(RPS_LOAD_LINES <= 2, "a load of three cache lines: too many accounts for every contact to carry");

/* The load of a contact on one of its bodies, one cache line (more only with more than four accounts). A body adds its
 * loads in the order of their keys. */
typedef union rps_contact_load {
    struct {
        double force[3];  /* N, on this body */
        double first;     /* J, dissipated, its first account */
        double torque[3]; /* N m, about its centre */
        double second;    /* J, its second account */
    };
    double number[8 * RPS_LOAD_LINES];
} __attribute__((aligned(64))) rps_contact_load;

/* Where a load carries the account of dissipated energy with a number: index in `number`. On body i this is account
 * `k`, on body j account RPS_LOAD_ACCOUNTS + k. */
static inline int rps_load_account(int k) {
    return k < 2 ? 3 + 4 * k : 6 + k;
}

/* Kept for results only. */
typedef struct rps_entry_result {
    double branch_i[3], branch_j[3]; /* m, from the centres of i and j to the mid of C_i and C_j */
#define RPS_CONTACT_FIELD(name, components, unit, meaning) double name[components];
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
} rps_entry_result;

#endif
