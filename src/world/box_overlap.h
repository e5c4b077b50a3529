/* The part of a box that other boxes cover, in closed form. */
#ifndef RPS_WORLD_BOX_OVERLAP_H
#define RPS_WORLD_BOX_OVERLAP_H

#include "world/overlap.h"

/* Moments about the origin of the frame of the part of placed[own] that placed[index[0]] ... placed[index[others - 1]]
 * cover; all of them must be of the kind RPS_CHORD_BOX. False, with *out undefined: more of them than the closed form can
 * take lie in one place. Adds the cost to *work, in units of a chord. */
bool rps_box_overlap_moments(const rps_lined *placed, size_t own, const int32_t *index, size_t others, uint64_t *work,
                             rps_moments *out);

#endif
