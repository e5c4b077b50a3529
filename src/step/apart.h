/*
 * Pairs of the frame record that cannot touch yet, which no evaluation needs to look at.
 *
 * No point of a body is farther from where it was than the path of the body: the sum over the evaluations of the
 * displacement of its center and of a bound of the displacement about it, 2 |q1 - q0| R. A gap shrinks by no more than
 * the paths of both bodies. So an evaluation that finds a gap notes up to which sum of both paths none of the contact
 * can begin, and until then the pair is skipped. It would be found apart again and leave its state 0: no bit depends on
 * it. Notes are therefore not part of the state: a new list or a restart begins without them.
 */
#ifndef RPS_STEP_APART_H
#define RPS_STEP_APART_H

#include "step/batch.h"
#include "world/world.h"

/* At the start of an evaluation: adds to the paths what the bodies moved since the last one, or begins with new paths
 * and without notes where the list is new. */
rps_status rps_apart_begin(const rps_world *world, rps_contacts *contacts, rps_error *err);

/* After the evaluation of a batch: notes those of its entries that neither touch nor did before. Entry c of the batch is number
 * first + index[c], or first + c without `index`. */
void rps_apart_note(rps_contacts *contacts, const rps_batch_task *task, const rps_lanes *lanes, size_t first,
                    const uint32_t *index);

/* Notes one entry that neither touches nor did before, where there are paths. gap, range: m, how far the bodies are apart, at least,
 * and how far the laws of the pair reach. */
void rps_apart_note_entry(rps_contacts *contacts, const rps_cell *cell, const rps_bodies_view *bodies, size_t entry,
                          uint32_t slot_i, uint32_t slot_j, double gap, double range);

/* True if a pair without contact cannot touch now. */
static inline bool rps_apart_still(const rps_contacts *contacts, size_t entry, uint32_t slot_i, uint32_t slot_j) {
    return contacts->path[slot_i].length + contacts->path[slot_j].length < contacts->apart[entry];
}

#endif
