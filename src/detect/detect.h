/*
 * Detection: finds the pairs of bodies that may touch.
 *
 * Two lists. The candidate list holds every pair that may come within the cutoff before the displacement since its
 * build exceeds its skin; it comes from cells (levels by size; planes in a list of their own). The neighbor list, the
 * segments of world.contacts, holds the candidates whose gap is below a smaller skin, and is rebuilt more often.
 * Neither affects any result: a contact exists by geometry, and an entry that does not touch adds nothing.
 */
#ifndef RPS_DETECT_DETECT_H
#define RPS_DETECT_DETECT_H

#include "detect/prediction.h"
#include "world/world.h"

/* Makes the neighbor list valid for the present positions (world.moved and world.step bound the displacement
 * since the last call; lists_stale forces a rebuild). Histories of contacts that stay listed are kept by key. Call
 * once a step, after motion. */
rps_status rps_detect_update(rps_world *world, rps_error *err);

/* Removes the bodies with a set mark (by slot), their listed pairs and contacts. Contacts of the others keep their
 * histories; the lists must be rebuilt before the next evaluation. rps_detect_remove_reserve gets the memory for it:
 * rps_detect_remove cannot fail. */
rps_status rps_detect_remove_reserve(rps_world *world, rps_error *err);
void rps_detect_remove(rps_world *world, const uint8_t *mark);

typedef struct rps_detect_count {
    uint64_t candidate_builds, neighbor_builds; /* since the world began */
    size_t candidate_count, neighbor_count;
} rps_detect_count;
void rps_detect_counts(const rps_world *world, rps_detect_count *out);

/* Exact reference for tests and small worlds: all pairs of slots (i lower id) whose gap is below `gap` m, sorted by
 * ids; without those that can never touch (rps_world_may_touch, two planes). The caller releases the block:
 * rps_memory_release(world->allocator, *pairs, *count * sizeof **pairs). */
rps_status rps_detect_all_pairs(const rps_world *world, double gap, uint32_t (**pairs)[2], size_t *count,
                                rps_error *err);

/* Smallest period (m) for which two free bodies with these largest radii meet in one image only, including the reach
 * of the laws and a skin. mean: mean radius of the free bodies (m). */
double rps_detect_least_period(const rps_world *world, double largest, double second, double mean);

/* Predicted paths by slot, NULL if there are none: the motion stage measures deviations from them into world.moved. */
const rps_prediction *rps_detect_predictions(const rps_world *world);
/* The same to write: the velocity of a body that gains one at a face of the sheared cell. */
rps_prediction *rps_detect_predictions_to_write(rps_world *world);

/* Gap between two bodies (m): the negative overlap (pair_*.c). */
double rps_detect_gap(const rps_world *world, size_t slot_i, size_t slot_j);

#endif
