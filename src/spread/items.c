/* Bodies and contacts on their way (items.h). */
#include "spread/items.h"

#include <string.h>

#include "world/share.h"

rps_row_layout rps_row_layout_make(void) {
    rps_row_layout layout = {.bytes = sizeof(uint64_t)};
    for (size_t f = 0; f < rps_body_field_count() && layout.count < RPS_ROW_FIELDS; f++) {
        const rps_field *field = rps_body_field(f);
        if (!(field->flags & RPS_FIELD_SAVED) && strcmp(field->name, "common") != 0) continue;
        if (strcmp(field->name, "radius") == 0) layout.radius = layout.bytes;
        if (strcmp(field->name, "position") == 0) layout.position = layout.bytes;
        layout.field[layout.count] = f;
        layout.at[layout.count] = layout.bytes;
        layout.size[layout.count] = (size_t)field->components * (field->type == RPS_TYPE_int32 ? 4 : 8);
        layout.bytes += layout.size[layout.count++];
    }
    layout.bytes = (layout.bytes + 7) / 8 * 8;
    return layout;
}

rps_row_columns rps_row_columns_of(const rps_row_layout *layout, rps_bodies *bodies) {
    rps_row_columns columns = {.layout = layout, .id = bodies->id};
    for (size_t f = 0; f < layout->count; f++) {
        columns.first[f] = rps_bodies_field(bodies, layout->field[f], &columns.stride[f]);
    }
    return columns;
}

/* Fields have 4 to 32 bytes, in whole words of 4. */
static inline void copy_words(char *to, const char *from, size_t bytes) {
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) memcpy(to, from, 8);
    if (bytes > 0) memcpy(to, from, 4);
}

void rps_row_put(const rps_row_columns *columns, size_t slot, uint64_t gid, char *row) {
    const rps_row_layout *layout = columns->layout;
    memcpy(row, &gid, sizeof gid);
    for (size_t f = 0; f < layout->count; f++) {
        copy_words(row + layout->at[f], columns->first[f] + slot * columns->stride[f], layout->size[f]);
    }
}

void rps_row_get(const rps_row_columns *columns, size_t slot, uint64_t id, const char *row) {
    const rps_row_layout *layout = columns->layout;
    for (size_t f = 0; f < layout->count; f++) {
        copy_words(columns->first[f] + slot * columns->stride[f], row + layout->at[f], layout->size[f]);
    }
    columns->id[slot][0] = id;
}

uint64_t rps_row_gid(const char *row) {
    uint64_t gid;
    memcpy(&gid, row, sizeof gid);
    return gid;
}

/* --- contacts ----------------------------------------------------------------------------------------------------- */

static int most_lanes(const rps_world *world) {
    int most = 0;
    for (size_t p = 0; p < world->pairs; p++) {
        for (int r = 0; r < RPS_RECORD_COUNT; r++) {
            const int lanes = world->pair_setup[p].layout[r].lanes;
            most = lanes > most ? lanes : most;
        }
    }
    return most;
}

size_t rps_contact_item_bytes(const rps_world *world, bool loads) {
    size_t bytes = sizeof(rps_contact_item) + (size_t)most_lanes(world) * sizeof(double);
    if (loads) bytes += 2 * sizeof(rps_contact_load);
    if (loads && world->contacts_kept) bytes += sizeof(rps_entry_result);
    return bytes;
}

/* Entry number of a place in a segment. */
static size_t entry_of_place(const rps_segment *segment, size_t place) {
    return segment->begin + place;
}

static void put_loads(const rps_contacts *contacts, size_t entry, bool kept, rps_contact_item *item) {
    char *to = (char *)(item->state + item->state_lanes);
    const uint32_t *line = contacts->place[entry];
    item->acts = contacts->has_load[line[0]] | contacts->has_load[line[1]] << 1;
    for (int side = 0; side < 2; side++, to += sizeof *contacts->load) {
        if (item->acts >> side & 1) memcpy(to, &contacts->load[line[side]], sizeof *contacts->load);
    }
    if (kept) memcpy(to, &contacts->result[entry], sizeof *contacts->result);
}

static void get_loads(rps_contacts *contacts, size_t entry, bool kept, const rps_contact_item *item) {
    const char *from = (const char *)(item->state + item->state_lanes);
    const uint32_t *line = contacts->place[entry];
    for (int side = 0; side < 2; side++, from += sizeof *contacts->load) {
        contacts->has_load[line[side]] = (uint8_t)(item->acts >> side & 1);
        memcpy(&contacts->load[line[side]], from, sizeof *contacts->load);
    }
    if (kept) memcpy(&contacts->result[entry], from, sizeof *contacts->result);
}

void rps_contact_item_put(const rps_world *world, const rps_segment *segment, size_t place, bool loads,
                          rps_contact_item *item) {
    const int lanes = world->pair_setup[segment->pair].layout[segment->record].lanes;
    const uint64_t i = world->bodies.id[segment->slot_i[place]][0], j = world->bodies.id[segment->slot_j[place]][0];
    *item = (rps_contact_item){.gid = {rps_share_gid(world, i), rps_share_gid(world, j)},
                               .subkey = rps_segment_subkey(segment, place),
                               .kind = segment->pair * RPS_RECORD_COUNT + (int)segment->record,
                               .lanes = lanes,
                               .state_lanes = most_lanes(world)};
    rps_segment_get_all(segment, place, lanes, item->state);
    if (loads) put_loads(&world->contacts, entry_of_place(segment, place), world->contacts_kept, item);
}

rps_status rps_contact_item_get(rps_world *world, const uint64_t id[2], const rps_contact_item *item, bool loads,
                                rps_error *err) {
    const size_t entry = rps_contacts_find(world, id, item->subkey);
    const rps_segment *segment = entry != SIZE_MAX ? rps_entry_segment(&world->contacts, entry) : NULL;
    if (segment == NULL || segment->pair * RPS_RECORD_COUNT + (int)segment->record != item->kind) {
        return rps_fail(err, RPS_INTERNAL,
                        "the lists lack the contact of bodies %llu and %llu, which came from another "
                        "process",
                        (unsigned long long)item->gid[0], (unsigned long long)item->gid[1]);
    }
    rps_contacts_restore_entry(&world->contacts, entry, item->lanes, item->state);
    if (loads) get_loads(&world->contacts, entry, world->contacts_kept, item);
    return RPS_OK;
}

/* --- outboxes ----------------------------------------------------------------------------------------------------- */

void *rps_outbox_add(rps_outbox *box, int process, rps_error *err) {
    void *dest = box->dest, *data = box->data;
    const size_t n = box->count;
    rps_status status =
        rps_buffer_reserve(NULL, &dest, &box->dest_bytes, n * sizeof *box->dest, (n + 1) * sizeof *box->dest, err);
    box->dest = dest;
    if (status == RPS_OK) {
        status = rps_buffer_reserve(NULL, &data, &box->data_bytes, n * box->bytes, (n + 1) * box->bytes, err);
    }
    box->data = data;
    if (status != RPS_OK) return NULL;
    box->dest[n] = process;
    memset(box->data + n * box->bytes, 0, box->bytes);
    box->count = n + 1;
    return box->data + n * box->bytes;
}

void rps_outbox_release(rps_outbox *box) {
    void *dest = box->dest, *data = box->data;
    rps_buffer_release(NULL, &dest, &box->dest_bytes);
    rps_buffer_release(NULL, &data, &box->data_bytes);
    *box = (rps_outbox){.bytes = box->bytes};
}
