/* The part of a body with plane faces, a box or a convex mesh, that others of this kind cover, in closed form. */
#ifndef RPS_WORLD_PLANE_OVERLAP_H
#define RPS_WORLD_PLANE_OVERLAP_H

#include "world/overlap.h"

/* Scratch for the planes and corners of polyhedra; one block of the allocator. */
typedef struct rps_plane_scratch {
    const rps_allocator *allocator;
    void *block;
    size_t bytes, planes;
} rps_plane_scratch;

/* For pieces of at most so many faces each. RPS_NO_MEMORY. Release it, also after a failure. */
rps_status rps_plane_scratch_make(const rps_allocator *allocator, size_t faces, rps_plane_scratch *out, rps_error *err);
void rps_plane_scratch_release(rps_plane_scratch *scratch);

/* Number of its plane faces; 0: it has others. */
size_t rps_plane_faces(const rps_lined *s);

/* Moments about the origin of the frame of the part of placed[own] that placed[index[0]] ... placed[index[others - 1]]
 * cover; all of them must have plane faces. False, with *out undefined: more of them than the closed
 * form can take lie in one place. Adds the cost to *work, in units of a chord. */
bool rps_plane_overlap_moments(const rps_plane_scratch *scratch, const rps_lined *placed, size_t own,
                               const int32_t *index, size_t others, uint64_t *work, rps_moments *out);

#endif
