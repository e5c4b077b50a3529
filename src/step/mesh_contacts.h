/*
 * Contacts with meshes: found for each pair of a body and a mesh at once, before the evaluation.
 *
 * The contacts of such a pair have no place of their own, as a corner of a box has: they are the pieces of the surface
 * within reach (mesh/reach.h), which move over it, join and part. The lists therefore hold a few entries for the pair,
 * its slots. A contact keeps its slot, and with it its memory, as long as it lasts; a new one takes the lowest free slot.
 *
 * step/mesh_match.h says which piece continues which contact, and step/mesh_handover.h what becomes of their memories where
 * contacts join or part. So no memory belongs to a triangle, and the slots are part of the state: they are in the keys.
 */
#ifndef RPS_STEP_MESH_CONTACTS_H
#define RPS_STEP_MESH_CONTACTS_H

#include "step/batch.h"
#include "step/mesh_handover.h"
#include "world/world.h"

/* Finds the contacts with meshes at the present positions, and fills contacts->mesh; nothing in worlds without meshes.
 * Where contacts joined or parted it replaces their records, and adds to *handed. skips: pairs that are noted as apart
 * (step/apart.h) may be left out. *crowded: a pair has more contacts than slots, and the lists must be rebuilt with more; else
 * the result is complete. RPS_NO_MEMORY. */
rps_status rps_mesh_contacts_find(const rps_world *world, rps_contacts *contacts, bool skips, bool *crowded,
                                  rps_handed *handed, rps_error *err);

#endif
