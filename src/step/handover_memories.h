/*
 * The memories of a contact as numbers, to be added, shared and scaled where contacts join or part (mesh_handover.h). How an
 * entry passes on follows from what its law declares of it.
 */
#ifndef RPS_STEP_HANDOVER_MEMORIES_H
#define RPS_STEP_HANDOVER_MEMORIES_H

#include "world/contact_store.h"
#include "world/pair_setup.h"

/* Component k of entry m of a role is at 3 m + k; entries that are not kept are 0. */
typedef struct rps_memories {
    double of[RPS_ROLE_COUNT][RPS_MEMORY_LANES];
} rps_memories;

typedef enum rps_passing {
    RPS_PASS_SUM,   /* added and shared: tangent vectors, what is flagged linear, and the books of friction */
    RPS_PASS_FIRST, /* stays with the first contact: the history of normal loads, counts */
    RPS_PASS_NEW,   /* the law sets it as at the beginning of a contact */
    RPS_PASS_NOT    /* the books of dashpots, which are closed */
} rps_passing;
rps_passing rps_memory_passes(const rps_law *law, int entry);
int rps_memory_components(const rps_law *law, int entry);

void rps_memories_read(const rps_pair_setup *pair, const rps_layout *layout, const rps_segment *segment, size_t place,
                       rps_memories *out);
void rps_memories_write(const rps_pair_setup *pair, const rps_layout *layout, rps_segment *segment, size_t place,
                        const rps_memories *from);
/* Adds what passes as a sum; tangent vectors turn by the angle with this cosine and sine. */
void rps_memories_add(const rps_pair_setup *pair, rps_memories *sum, const rps_memories *one, double cosine,
                      double sine);
/* Sets `share` of the sums, and what stays with the first contact if this is the first; the rest is 0. */
void rps_memories_share(const rps_pair_setup *pair, const rps_memories *sum, const rps_memories *first, double share,
                        bool is_first, rps_memories *out);
/* Scales what stores energy; loads of the last evaluation are books. */
void rps_memories_scale(const rps_pair_setup *pair, rps_memories *x, int role, double by);

#endif
