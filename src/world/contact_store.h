/*
 * The contact store: the entries of the neighbor list, their state, and which entries each body has.
 *
 * This is the only place where the position of a number within the arrays of a segment is computed. Code that reads
 * gets const pointers from the functions below; code that writes needs a pointer to a non-const segment. The store is
 * written through a rps_contacts alone: the world beside it is read, and gives memory.
 */
#ifndef RPS_WORLD_CONTACT_STORE_H
#define RPS_WORLD_CONTACT_STORE_H

#include <repose/world.h>

#include "base/vec.h"
#include "mesh/reach.h"
#include "world/scratch.h"
#include "world/segment.h"

enum { RPS_LINE_SPARE = 8 /* readable flags past the last one */ };

/* Buffers of the arrays in rps_contacts, and of a rebuild (contact_rebuild.c). */
typedef struct rps_contact_memory {
    rps_scratch segment[2]; /* rps_segment: present, and the next or last */
    rps_scratch store[2];   /* their state and constants; the other one is in use only while they move */
    int present, store_present;
    rps_scratch slot[2]; /* uint32_t, by entry: slots i and slots j */
    rps_scratch piece;   /* rps_subkey, by entry of records that have subkeys, through all their segments */
    rps_scratch same[2]; /* double: shared constants of segments with equal entries */
    rps_scratch mixed;   /* uint8_t, by chunk and segment: constants differ */
    rps_scratch reference_begin, reference_own, reference, line, row;
    rps_scratch load, has_load, place, was_active, result;
    rps_scratch path, apart; /* rps_body_path, by slot; double, by entry */
    rps_scratch mesh_geometry, mesh_wrench, mesh_entry, mesh_pair, mesh_work;
    rps_scratch mesh_note[2]; /* rps_near_note: present, and the last or next */
    int note_present;
    rps_scratch kind;        /* int: new and old segment of every kind (pair of materials and record class) */
    rps_scratch tally;       /* size_t: entries by chunk and part of segment, then their indices */
    rps_scratch degree;      /* uint32_t, RPS_DEGREES a body */
    rps_scratch renumbering; /* uint32_t: new slots and entry numbers while bodies are removed */
    rps_scratch shuffled;    /* uint32_t: places in random order (tests) */
    bool lent;               /* rps_contacts_borrow: the loads are scratch */
} rps_contact_memory;

/* How far a body came since the list was built, and where it was at the last evaluation (step/apart.h). */
typedef struct rps_body_path {
    double position[3], orientation[4], length; /* m, 1, m */
} rps_body_path;

/* An entry of a pair with a mesh: what was found of its contact. */
typedef struct rps_mesh_geometry {
    /* NONE: an entry of another shape. APART: no contact. ENDED: the contact of the last evaluation is gone, and its energy
     * is still to be booked */
    enum { RPS_MESH_NONE, RPS_MESH_APART, RPS_MESH_MEETS, RPS_MESH_ENDED } is;
    uint32_t foot;    /* MEETS: triangle of the nearest foot */
    double overlap;   /* m; APART: less than the reach of the laws allows; ENDED: to where the motion led it */
    double before;    /* m, ENDED: the overlap of the last evaluation */
    double normal[3]; /* unit, from j into i */
    double gain;      /* the load over that of the normal law at this overlap (mesh/reach.h) */
} rps_mesh_geometry;

typedef struct rps_mesh_entry {
    uint32_t segment, place, ball, slot; /* detect/pair_mesh.h */
    bool mesh_is_j;
} rps_mesh_entry;

/* The triangles near the ball of a pair (step/mesh_near.h). */
enum { RPS_MESH_NEAR = 48 };
typedef struct rps_near_key {
    uint64_t mesh, other; /* ids */
    uint32_t piece_i, piece_j, image, ball;
} rps_near_key;
typedef struct rps_near_note {
    rps_near_key key;
    double centre[3]; /* m, of the ball in the axes of the mesh when they were found */
    double within;    /* m, all triangles nearer than this are listed; 0: not known */
    bool crowded;     /* more are within reach than fit */
    uint32_t count;
    rps_mesh_near near[RPS_MESH_NEAR];
} rps_near_note;

/* Pairs with meshes (step/mesh_contacts.h). */
typedef struct rps_mesh_pairs {
    bool listed;                 /* for the present entries */
    rps_mesh_geometry *geometry; /* by entry number; valid once listed */
    rps_mesh_wrench
        *wrench;           /* of contacts of smooth bodies, in the axes of the world, likewise; NULL: there are none */
    rps_mesh_entry *entry; /* of all pairs, those of a pair by their slots */
    uint32_t *pair;        /* first entry of each pair; pairs + 1 */
    rps_near_note *note;   /* of each pair */
    size_t pairs, entries;
    size_t notes;     /* of the last listing */
    size_t triangles; /* most in reach of one ball so far; 0: not known */
} rps_mesh_pairs;

typedef struct rps_contacts {
    rps_segment *segment;
    size_t segments;
    size_t entries; /* numbers in use, padding included */
    /* by line: loads that touched at the rebuild are contiguous per body, all others follow, so that the lines in use
     * lie close together */
    rps_contact_load *load;
    uint8_t *has_load; /* by line: 1 if the load is active, else it was not written. RPS_LINE_SPARE more */
    /* by slot, count + 1: lines of pairs that touched at the rebuild, in the order of keys: the first, and the first
     * in which the body is i */
    uint32_t (*row)[2];
    size_t inactive_begin; /* lines of the rest start at this + reference_begin[slot] - row[slot][0] */
    bool exceeds_l2;       /* a step reads more than the second-level cache holds, so it prefetches */
    bool streams;          /* loads would leave the caches before they are read, so stores bypass them */
    uint8_t *was_active;   /* by entry number: 1 if its loads are active or its contact exists: to be evaluated again */
    uint32_t (*place)[2];  /* by entry number: lines of the loads on i and on j */
    size_t paths;          /* bodies that have a path; 0: neither paths nor `apart` are known */
    rps_body_path *path;
    double *apart; /* by entry number: m, sum of the paths of both bodies below which the pair cannot touch */
    rps_mesh_pairs mesh;
    rps_entry_result *result; /* by entry number; NULL unless kept */
    size_t result_capacity;
    /* by slot: entries in the order of their keys, references reference_begin[slot] .. reference_begin[slot + 1] - 1.
     * The body is i in those from reference_own[slot] on */
    uint32_t *reference_begin; /* count + 1 */
    uint32_t *reference_own;   /* count */
    uint32_t *reference;       /* entry * 2 + (1 if the body is j) */
    uint32_t *line;            /* by reference: line of the load on the body */
    size_t bodies;             /* that have references */
    rps_contact_memory memory;
} rps_contacts;

/* --- state of the entries of a segment ---------------------------------------------------------------------------- */

/* One state number of all entries; index: position in the segment. */
static inline const double *rps_segment_lane(const rps_segment *segment, int lane) {
    return segment->state + (size_t)lane * segment->capacity;
}
static inline double *rps_segment_lane_to_write(rps_segment *segment, int lane) {
    return segment->state + (size_t)lane * segment->capacity;
}

/* One state number of one entry. */
static inline double rps_segment_get(const rps_segment *segment, int lane, size_t place) {
    return rps_segment_lane(segment, lane)[place];
}
static inline void rps_segment_set(rps_segment *segment, int lane, size_t place, double value) {
    rps_segment_lane_to_write(segment, lane)[place] = value;
}

/* A vector of one entry: three state numbers from `lane` on. */
static inline rps_vec3 rps_segment_vector(const rps_segment *segment, int lane, size_t place) {
    return (rps_vec3){rps_segment_get(segment, lane, place), rps_segment_get(segment, lane + 1, place),
                      rps_segment_get(segment, lane + 2, place)};
}

/* One constant of one entry. */
static inline double rps_segment_constant(const rps_segment *segment, size_t place, int which) {
    return segment->same != NULL ? segment->same[which * RPS_BATCH]
                                 : segment->constant[(size_t)which * segment->capacity + place];
}

/* A constant of the entries from `place` to the end of their batch. */
static inline const double *rps_segment_constants(const rps_segment *segment, size_t place, int which) {
    return segment->same != NULL ? segment->same + which * RPS_BATCH
                                 : segment->constant + (size_t)which * segment->capacity + place;
}

/* The same number of consecutive entries: lane l of the first is first[l * stride]. A stage that evaluates a
 * batch writes it. */
typedef struct rps_state_slice {
    double *first;
    size_t stride;
} rps_state_slice;

static inline rps_state_slice rps_segment_slice(rps_segment *segment, size_t place) {
    return (rps_state_slice){segment->state + place, segment->capacity};
}
static inline double *rps_slice_lane(rps_state_slice slice, int lane) {
    return slice.first + (size_t)lane * slice.stride;
}
static inline rps_vec3 rps_slice_vector(rps_state_slice slice, int lane, size_t entry) {
    const double *x = rps_slice_lane(slice, lane) + entry;
    return (rps_vec3){x[0], x[slice.stride], x[2 * slice.stride]};
}
static inline void rps_slice_set_vector(rps_state_slice slice, int lane, size_t entry, rps_vec3 v) {
    double *x = rps_slice_lane(slice, lane) + entry;
    x[0] = v.x;
    x[slice.stride] = v.y;
    x[2 * slice.stride] = v.z;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

#define RPS_NO_ENTRY UINT32_MAX

/* Number of an entry from its reference, and whether the referring body is j. */
static inline size_t rps_reference_entry(uint32_t reference) {
    return reference >> 1;
}
static inline bool rps_reference_is_j(uint32_t reference) {
    return reference & 1;
}

/* The segment that holds an entry, by binary search; there is at least one segment. */
const rps_segment *rps_entry_segment(const rps_contacts *contacts, size_t entry);

/* The same segment, for a caller that may write to the store. */
static inline rps_segment *rps_segment_to_write(rps_contacts *contacts, const rps_segment *segment) {
    return &contacts->segment[segment - contacts->segment];
}

/* Number of the entry with a key, SIZE_MAX if the pair is not listed. id: of both bodies, the lower first. */
size_t rps_contacts_find(const rps_world *world, const uint64_t id[2], rps_subkey subkey);
/* True if the contact of an entry exists. */
bool rps_contacts_entry_lives(const rps_world *world, size_t entry);
/* All state numbers of an entry, `lanes` of them. */
void rps_segment_get_all(const rps_segment *segment, size_t place, int lanes, double *state);
/* The inverse; the next evaluation treats the contact as existing. */
void rps_contacts_restore_entry(rps_contacts *contacts, size_t entry, int lanes, const double *state);
/* Resets an entry, as if its bodies had never met. */
void rps_contacts_end_entry(const rps_world *world, rps_contacts *contacts, size_t entry);
/* Drops the entries of bodies with a set mark (by slot), and their references: the others are compacted in the same
 * order, with their state, and refer to the slots after the marked bodies are gone (rps_bodies_compact). Loads are
 * not moved: the lists must be rebuilt. rps_contacts_remove_reserve gets the memory for it: rps_contacts_remove
 * cannot fail. */
rps_status rps_contacts_remove_reserve(const rps_world *world, rps_contacts *contacts, rps_error *err);
void rps_contacts_remove(const rps_world *world, rps_contacts *contacts, const uint8_t *mark);

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* The loads of all contacts by body, for a stage that sums them; members as in rps_contacts. */
typedef struct rps_load_rows {
    const rps_contact_load *load;
    const uint8_t *has_load;
    const uint32_t (*row)[2];
    size_t inactive_begin;
    const uint32_t *reference_begin, *reference_own, *line;
    bool exceeds_l2, streams;
} rps_load_rows;

static inline rps_load_rows rps_contacts_rows(const rps_contacts *contacts) {
    return (rps_load_rows){.load = contacts->load,
                           .has_load = contacts->has_load,
                           .row = (const uint32_t(*)[2])contacts->row,
                           .inactive_begin = contacts->inactive_begin,
                           .reference_begin = contacts->reference_begin,
                           .reference_own = contacts->reference_own,
                           .line = contacts->line,
                           .exceeds_l2 = contacts->exceeds_l2,
                           .streams = contacts->streams};
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Lends this many bytes of scratch from the memory of the loads, until rps_contacts_give_back; the next evaluation
 * rewrites all loads. One borrower at a time; RPS_INTERNAL for a second, RPS_NO_MEMORY. */
rps_status rps_contacts_borrow(const rps_world *world, rps_contacts *contacts, size_t bytes, void **scratch,
                               rps_error *err);
void rps_contacts_give_back(rps_contacts *contacts);
/* Releases the memory of the loads if it is large; the next rebuild or loan brings it back. */
void rps_contacts_drop_loads(const rps_world *world, rps_contacts *contacts);
/* Adds empty references for new bodies. Fails with RPS_NO_MEMORY. */
rps_status rps_contacts_extend(const rps_world *world, rps_contacts *contacts, rps_error *err);
/* Reserves memory for the results of contacts, if they are kept. */
rps_status rps_contacts_reserve_results(const rps_world *world, rps_contacts *contacts, rps_error *err);
/* Forgets all contacts; the memory stays for the next rebuild, where the lists must be rebuilt before they are read. */
void rps_contacts_forget(rps_contacts *contacts);
/* Forgets all contacts and releases their memory. */
void rps_contacts_release(const rps_world *world, rps_contacts *contacts);

#endif
