/*
 * The contact store: the entries of the neighbor list, their state, and which entries each body has.
 *
 * This is the only place where the position of a number within the arrays of a segment is computed. Code that reads gets
 * const pointers from the functions below; code that writes says so by a pointer to a segment that is not const.
 */
#ifndef RPS_WORLD_CONTACT_STORE_H
#define RPS_WORLD_CONTACT_STORE_H

#include "base/vec.h"
#include "world/segment.h"

/* --- state of the entries of a segment ---------------------------------------------------------------------------- */

/* One state number of all entries; index: place in the segment. */
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

/* Key of the pieces and the feature of an entry. */
static inline uint32_t rps_segment_sub(const rps_segment *segment, size_t place) {
    return segment->subkey != NULL ? segment->subkey[place] : 0;
}

/* One constant of one entry. */
static inline double rps_segment_constant(const rps_segment *segment, size_t place, int which) {
    return segment->same != NULL ? segment->same[which * RPS_BATCH]
                                 : segment->constant[(size_t)which * segment->capacity + place];
}

/* A constant of the entries from `place` on, up to the end of their batch. */
static inline const double *rps_segment_constants(const rps_segment *segment, size_t place, int which) {
    return segment->same != NULL ? segment->same + which * RPS_BATCH
                                 : segment->constant + (size_t)which * segment->capacity + place;
}

/* The same number of consecutive entries: lane l of the first is first[l * stride]. What a stage that evaluates a batch may
 * write. */
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

/* Number of an entry from its reference, and whether the body that refers to it is j. */
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

#endif
