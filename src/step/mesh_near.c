/* Notes of the triangles near balls; mesh_near.h has the idea. */
#include "step/mesh_near.h"

#include <math.h>
#include <string.h>

/* --- searches -------------------------------------------------------------------------------------------------------- */

/* Above 1, for the rounding of a displacement. */
#define ROUNDED_UP (1.0 + 1e-9)
/* How far a ball with too many triangles in reach moves until it is seen whether there are fewer, as a part of the margin. */
#define CROWDED_PART 0.1

/* Fills a note with the triangles around a ball. Where none is nearer than reach + margin, the distance of the nearest tells how far
 * the ball may move. */
static void search(const rps_mesh *mesh, rps_vec3 centre, double reach, double margin, rps_near_note *note) {
    rps_vec3_put(note->centre, centre);
    note->within = reach + margin;
    const size_t found = rps_mesh_find_near(mesh, centre, &note->within, note->near, RPS_MESH_NEAR);
    note->count = (uint32_t)(found < RPS_MESH_NEAR ? found : RPS_MESH_NEAR);
    note->crowded = !(note->within > reach);
    if (found > 0) return;
    rps_reached nearest;
    if (rps_mesh_nearest(mesh, centre, INFINITY, &nearest)) note->within = nearest.distance;
}

size_t rps_mesh_near_reach(const rps_mesh *mesh, rps_vec3 centre, double reach, double margin, rps_near_note *note,
                           rps_reached *out, size_t capacity, double *clear) {
    rps_vec3 moved = rps_vec3_sub(centre, rps_vec3_of(note->centre));
    double by = ROUNDED_UP * rps_vec3_norm(moved);
    const bool still_crowded = note->crowded && by < CROWDED_PART * margin;
    if (!still_crowded && !(reach + by < note->within)) {
        search(mesh, centre, reach, margin, note);
        moved = rps_vec3_zero();
        by = 0.0;
    }
    *clear = (note->count > 0 ? (double)note->near[0].distance : note->within) - by;
    if (note->crowded) return rps_mesh_reach(mesh, centre, reach, out, capacity);
    return rps_mesh_reach_among(mesh, centre, reach, note->near, note->count, moved, out, capacity);
}

/* --- notes of pairs -------------------------------------------------------------------------------------------------- */

static rps_near_key note_key_of(const rps_world *world, const rps_contacts *contacts, size_t pair) {
    const rps_mesh_entry *entry = &contacts->mesh.entry[contacts->mesh.pair[pair]];
    const rps_segment *segment = &contacts->segment[entry->segment];
    const rps_subkey subkey = rps_segment_subkey(segment, entry->place);
    const uint64_t id_i = world->bodies.id[segment->slot_i[entry->place]][0],
                   id_j = world->bodies.id[segment->slot_j[entry->place]][0];
    return (rps_near_key){.mesh = entry->mesh_is_j ? id_j : id_i,
                          .other = entry->mesh_is_j ? id_i : id_j,
                          .piece_i = subkey.piece_i,
                          .piece_j = subkey.piece_j,
                          .image = rps_subkey_image(subkey),
                          .ball = entry->ball};
}

/* The order in which pairs are listed. */
static int compare(const rps_near_key *a, const rps_near_key *b) {
    if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
    if (a->other != b->other) return a->other < b->other ? -1 : 1;
    if (a->piece_i != b->piece_i) return a->piece_i < b->piece_i ? -1 : 1;
    if (a->piece_j != b->piece_j) return a->piece_j < b->piece_j ? -1 : 1;
    if (a->image != b->image) return a->image < b->image ? -1 : 1;
    return a->ball < b->ball ? -1 : a->ball > b->ball;
}

/* Both listings are in one order, and are gone through together. */
rps_status rps_mesh_near_match(const rps_world *world, rps_contacts *contacts, rps_error *err) {
    rps_mesh_pairs *pairs = &contacts->mesh;
    rps_scratch *past = &contacts->memory.mesh_note[contacts->memory.note_present],
                *next = &contacts->memory.mesh_note[!contacts->memory.note_present];
    RPS_TRY(rps_scratch_fit(world, next, pairs->pairs, sizeof *pairs->note, err));
    const rps_near_note *old = past->p;
    rps_near_note *note = next->p;
    for (size_t k = 0, m = 0; k < pairs->pairs; k++) {
        const rps_near_key key = note_key_of(world, contacts, k);
        while (m < pairs->notes && compare(&old[m].key, &key) < 0) m++;
        if (m < pairs->notes && compare(&old[m].key, &key) == 0) {
            note[k] = old[m];
        } else {
            note[k].key = key;
            memset(note[k].centre, 0, sizeof note[k].centre);
            note[k].within = 0.0;
            note[k].crowded = false;
        }
    }
    pairs->note = note;
    pairs->notes = pairs->pairs;
    contacts->memory.note_present = !contacts->memory.note_present;
    return RPS_OK;
}
