/* Contacts in a checkpoint: by kind (pair of materials and class of record), their keys in order and the lanes of each
 * with the names of these (state_lanes.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/gap_table.h"
#include "detect/pair_mesh.h"
#include "io/state_parts.h"
#include "world/body_shape.h"

/* Both ids, both pieces, feature. */
enum { KEY = 5 };

static const rps_layout *state_layout_of(const rps_world *world, const rps_segment *segment) {
    return &world->pair_setup[segment->pair].layout[segment->record];
}

typedef struct contact_key {
    uint64_t id[KEY];
    size_t place;
} contact_key;

static int compare_ids(const uint64_t *p, const uint64_t *q) {
    int k = 0;
    while (k < KEY - 1 && p[k] == q[k]) k++;
    return (p[k] > q[k]) - (p[k] < q[k]);
}

static int state_compare_keys(const void *a, const void *b) {
    return compare_ids(((const contact_key *)a)->id, ((const contact_key *)b)->id);
}

/* The contacts of one segment: keys in order, and all lanes of each contact. */
static rps_status save_segment(const rps_world *world, const rps_segment *segment, rps_serializer *serializer,
                               rps_error *err) {
    const rps_layout *layout = state_layout_of(world, segment);
    const double *modes = rps_segment_lane(segment, layout->modes);
    size_t count = 0, bytes;
    for (size_t e = 0; e < segment->count; e++) count += modes[e] != 0.0;
    if (count == 0) return RPS_OK;
    void *block, *ids, *state;
    RPS_TRY(rps_size_of_items(count, sizeof(contact_key), &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &block, err));
    contact_key *key = block;
    count = 0;
    for (size_t e = 0; e < segment->count; e++) {
        if (modes[e] == 0.0) continue;
        const uint64_t i = world->bodies.id[segment->slot_i[e]][0], j = world->bodies.id[segment->slot_j[e]][0];
        const rps_subkey subkey = rps_segment_subkey(segment, e);
        key[count++] = (contact_key){{i, j, subkey.piece_i, subkey.piece_j, subkey.feature}, e};
    }
    qsort(key, count, sizeof *key, state_compare_keys);
    char name[RPS_CONTACT_NAME];
    int kind = segment->pair * RPS_RECORD_COUNT + (int)segment->record;
    rps_text text;
    rps_status status = rps_state_lane_names(world, kind, &text, err);
    rps_contact_section(name, kind, "lanes");
    if (status == RPS_OK) status = rps_serializer_text(serializer, name, rps_text_string(&text), text.length, err);
    rps_text_release(&text);
    rps_contact_section(name, kind, "ids");
    if (status == RPS_OK) status = rps_serializer_add(serializer, name, RPS_TYPE_uint64, KEY, count, &ids, err);
    for (size_t k = 0; status == RPS_OK && k < count; k++)
        memcpy((uint64_t *)ids + KEY * k, key[k].id, sizeof key[k].id);
    rps_contact_section(name, kind, "state");
    size_t lanes = (size_t)layout->lanes;
    if (status == RPS_OK)
        status = rps_serializer_add(serializer, name, RPS_TYPE_double, (int)lanes, count, &state, err);
    for (size_t k = 0; status == RPS_OK && k < count; k++) {
        double *to = (double *)state + k * lanes;
        rps_segment_get_all(segment, key[k].place, layout->lanes, to);
    }
    rps_memory_release(world->allocator, block, bytes);
    return status;
}

static rps_status save_contacts(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    for (size_t k = 0; k < world->contacts.segments; k++) {
        RPS_TRY(save_segment(world, &world->contacts.segment[k], serializer, err));
    }
    return RPS_OK;
}

/* --- restoring ---------------------------------------------------------------------------------------------------- */

typedef struct kind_state {
    const uint64_t *id;
    const double *state;
    const rps_lane_map *map;
    size_t count, lanes;
} kind_state;

/* The contacts of one kind, as the checkpoint has them; count 0 if it has none. */
static rps_status find_kind(const rps_world *world, const rps_state_source *from, int kind, kind_state *out,
                            rps_error *err) {
    char name[RPS_CONTACT_NAME];
    const rps_section *ids, *state;
    const char *names;
    const rps_lane_map *map = &from->lanes[kind];
    const int lanes =
        map->lane ? map->lanes : world->pair_setup[kind / RPS_RECORD_COUNT].layout[kind % RPS_RECORD_COUNT].lanes;
    *out = (kind_state){.map = map, .lanes = (size_t)lanes};
    rps_contact_section(name, kind, "ids");
    if (!rps_checkpoint_find(from->c, name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, name, RPS_TYPE_uint64, KEY, SIZE_MAX, &ids, err));
    rps_contact_section(name, kind, "state");
    RPS_TRY(rps_checkpoint_need(from->c, name, RPS_TYPE_double, lanes, ids->count, &state, err));
    rps_contact_section(name, kind, "lanes");
    RPS_TRY(rps_checkpoint_text(from->c, name, &names, NULL, err));
    out->id = ids->data;
    out->state = state->data;
    out->count = ids->count;
    return RPS_OK;
}

/* One contact with the lanes of this world, of which there are `lanes`. */
static const double *take_lanes(const kind_state *of, size_t k, double *state, size_t lanes) {
    const double *saved = of->state + k * of->lanes;
    if (!of->map->lane) return saved;
    for (size_t l = 0; l < lanes; l++) state[l] = 0.0;
    for (size_t l = 0; l < of->lanes; l++) {
        if (of->map->lane[l] >= 0) state[of->map->lane[l]] = saved[l];
    }
    return state;
}

enum { LANES = RPS_FRAME_LANES + 2 + RPS_ROLE_COUNT * RPS_LAW_MEMORY * 3 };

static rps_status check_kind(const rps_world *world, const rps_state_source *from, int kind, size_t *contacts,
                             rps_error *err) {
    const rps_layout *layout = &world->pair_setup[kind / RPS_RECORD_COUNT].layout[kind % RPS_RECORD_COUNT];
    const size_t bodies = (size_t)from->bodies;
    kind_state saved;
    double memory[LANES];
    RPS_TRY(find_kind(world, from, kind, &saved, err));
    *contacts += saved.count;
    for (size_t k = 0; k < saved.count; k++) {
        const uint64_t *id = saved.id + (size_t)KEY * k;
        const double *state = take_lanes(&saved, k, memory, (size_t)layout->lanes);
        const double modes = state[layout->modes];
        bool sound = id[0] < id[1] && rps_state_row(from->c, bodies, id[0]) < bodies &&
                     rps_state_row(from->c, bodies, id[1]) < bodies && modes >= 1.0 && modes < 64.0 &&
                     ((int)modes & 1) && modes == (double)(int)modes && rps_all_finite(state, (size_t)layout->lanes) &&
                     id[2] <= INT32_MAX && id[3] <= INT32_MAX && id[4] <= INT32_MAX &&
                     (k == 0 || compare_ids(id - KEY, id) < 0);
        if (!sound) return rps_state_contradicts(from->c, "a contact makes no sense", k, err);
    }
    return RPS_OK;
}

static rps_status check_contacts(const rps_world *world, const rps_state_source *from, rps_error *err) {
    size_t contacts = 0;
    for (size_t kind = 0; kind < from->kinds; kind++) RPS_TRY(check_kind(world, from, (int)kind, &contacts, err));
    return contacts == from->contacts
               ? RPS_OK
               : rps_state_contradicts(from->c, "its number of contacts is another", contacts, err);
}

static bool has_piece(const rps_world *world, size_t slot, uint64_t piece) {
    return !rps_body_has_pieces(&world->bodies, slot) || piece < (uint64_t)rps_body_piece_count(&world->bodies, slot);
}

/* The lists must have a slot for each contact with a mesh. */
static void fit_slots(rps_world *world, const uint64_t *id) {
    for (int side = 0; side < 2; side++) {
        const size_t slot = rps_world_slot(world, id[side]);
        const rps_piece *piece = rps_body_pieces(world, slot);
        if (piece == NULL || id[2 + side] >= (uint64_t)rps_body_piece_count(&world->bodies, slot)) continue;
        if (rps_piece_mesh(world, &piece[id[2 + side]]) == NULL) continue;
        rps_side wall, body;
        rps_vec3 offset;
        const size_t other = rps_world_slot(world, id[1 - side]);
        if (!has_piece(world, other, id[3 - side])) continue;
        rps_pair_side(world, slot, (uint32_t)id[2 + side], &wall, &offset);
        rps_pair_side(world, other, (uint32_t)id[3 - side], &body, &offset);
        if (rps_mesh_wall(&wall, &body) != &wall) continue;
        const uint32_t feature = rps_subkey_touch(rps_subkey_make(0, 0, (uint32_t)id[4]));
        if (feature >= RPS_SUBKEY_PLACES) continue;
        const uint32_t slots = rps_mesh_feature_at(feature, rps_mesh_balls(&body)).slot + 1;
        if (slots <= RPS_SUBKEY_POINTS && slots > world->mesh_slots) world->mesh_slots = slots;
    }
}

static rps_status restore_slots(rps_world *world, const rps_state_source *from, rps_error *err) {
    for (int kind = 0; kind < (int)from->kinds && world->meshes > 0; kind++) {
        kind_state saved;
        RPS_TRY(find_kind(world, from, kind, &saved, err));
        for (size_t k = 0; k < saved.count; k++) fit_slots(world, saved.id + (size_t)KEY * k);
    }
    return RPS_OK;
}

static rps_status restore_listed(rps_world *world, const rps_state_source *from, rps_error *err) {
    for (int kind = 0; kind < (int)from->kinds; kind++) {
        const rps_layout *layout = &world->pair_setup[kind / RPS_RECORD_COUNT].layout[kind % RPS_RECORD_COUNT];
        kind_state saved;
        double memory[LANES];
        RPS_TRY(find_kind(world, from, kind, &saved, err));
        for (size_t k = 0; k < saved.count; k++) {
            const uint64_t *id = saved.id + (size_t)KEY * k;
            const size_t entry =
                rps_contacts_find(world, id, rps_subkey_make((uint32_t)id[2], (uint32_t)id[3], (uint32_t)id[4]));
            const rps_segment *segment = entry != SIZE_MAX ? rps_entry_segment(&world->contacts, entry) : NULL;
            if (segment == NULL || segment->pair * RPS_RECORD_COUNT + (int)segment->record != kind) {
                return rps_state_contradicts(from->c, "a contact is between bodies that do not touch", k, err);
            }
            rps_contacts_restore_entry(&world->contacts, entry, layout->lanes,
                                       take_lanes(&saved, k, memory, (size_t)layout->lanes));
        }
    }
    return RPS_OK;
}

static const char *const sections[] = {NULL};

const rps_state_part rps_state_contacts = {.section = sections,
                                           .knows = rps_contact_section_known,
                                           .save = save_contacts,
                                           .check = check_contacts,
                                           .restore = restore_slots,
                                           .restore_listed = restore_listed};
