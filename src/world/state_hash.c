/*
 * A fingerprint of the state: every bit that a restart needs, in an order that depends on ids alone. It must not
 * depend on slots, on the age of a list, or on listed pairs without a contact.
 *
 * The state hash is a hash of hashes. A block is RPS_HASH_BLOCK consecutive ids: the saved fields of its bodies, then
 * the contacts in which they are body i, in the order of their keys. The final hash covers the block hashes, in
 * order, and all state that is neither body nor contact. Threads share the blocks, and a comparison of two states
 * names the blocks that differ.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "world/fluid.h"
#include "world/share.h"

static void add_double(rps_hash *hash, double x) {
    rps_hash128_add(hash, &x, sizeof x);
}

static void add_sum(rps_hash *hash, const rps_exact_sum *sum) {
    rps_exact_sum one = *sum;
    rps_exact_sum_normalize(&one);
    rps_hash128_add(hash, one.limb, sizeof one.limb);
    rps_hash128_add(hash, &one.special, sizeof one.special);
}

typedef struct contact_place {
    uint64_t id_i, id_j;
    rps_subkey subkey;
    const rps_segment *segment;
    size_t at;
} contact_place;

/* Contacts and fields by block. */
typedef struct state_parts {
    const rps_world *world;
    const rps_lane_map *map;
    rps_view field[64]; /* of the bodies, saved ones */
    size_t fields;
    contact_place *place; /* contacts, block after block */
    size_t *begin;        /* by block, blocks + 1: its first contact */
    size_t begin_bytes, place_bytes;
    uint64_t (*out)[2]; /* by block */
} state_parts;

static int state_hash_compare_keys(const void *a, const void *b) {
    const contact_place *p = a, *q = b;
    if (p->id_i != q->id_i) return p->id_i < q->id_i ? -1 : 1;
    if (p->id_j != q->id_j) return p->id_j < q->id_j ? -1 : 1;
    return rps_subkey_compare(p->subkey, q->subkey);
}

static const rps_layout *state_hash_layout_of(const rps_world *world, const rps_segment *segment) {
    return &world->pair_setup[segment->pair].layout[segment->record];
}

/* Sorts existing contacts into their blocks and advances *at[block]. With place == NULL it only counts. */
static void sort_contacts(const rps_world *world, size_t *at, contact_place *place) {
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        const double *modes = rps_segment_lane(segment, state_hash_layout_of(world, segment)->modes);
        for (size_t e = 0; e < segment->count; e++) {
            if (modes[e] == 0.0) continue;
            const uint64_t id = world->bodies.id[segment->slot_i[e]][0];
            const size_t to = at[id / RPS_HASH_BLOCK]++;
            if (!place) continue;
            place[to] = (contact_place){id, world->bodies.id[segment->slot_j[e]][0], rps_segment_subkey(segment, e),
                                        segment, e};
        }
    }
}

static void release_parts(state_parts *parts) {
    rps_memory_release(parts->world->allocator, parts->begin, parts->begin_bytes);
    rps_memory_release(parts->world->allocator, parts->place, parts->place_bytes);
}

static rps_status find_fields(state_parts *parts, rps_error *err) {
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        RPS_TRY(rps_world_view(parts->world, field->name, &parts->field[parts->fields++], err));
    }
    return RPS_OK;
}

static void hash_fluid(const rps_fluid *fluid, rps_hash *hash) {
    double number[RPS_FLUID_NUMBERS];
    rps_fluid_pack(fluid, number);
    rps_hash128_add(hash, number, sizeof number);
}

/* Energies, loads and ids that a program changed, and ids of free common bodies; nothing for a world without them. */
/* Old checkpoints lack the last accounts. */
static bool is_zero(const rps_exact_sum *sum) {
    return rps_exact_sum_value(sum) == 0.0;
}

static void hash_changes(const rps_world *world, rps_hash *hash) {
    rps_exact_sum change[RPS_CHANGES];
    double changed = world->changed ? 1.0 : 0.0;
    memcpy(change, world->change, sizeof change);
    rps_share_sum(world, RPS_CHANGES, change);
    rps_share_most(world, 1, &changed);
    const uint64_t ids = world->share != NULL ? world->share->ids : world->bodies.ids;
    const uint64_t bodies = world->share != NULL ? world->share->bodies : world->bodies.count;
    if (ids != bodies) rps_hash128_add(hash, &ids, sizeof ids);
    for (int k = 0; changed > 0.0 && k < RPS_CHANGES; k++) {
        if (k < RPS_CHANGE_HANDOVER || !is_zero(&change[k])) add_sum(hash, &change[k]);
    }
    for (size_t k = 0; k < world->commons.count; k++) {
        const uint64_t id = world->commons.id[k], gid = rps_share_gid(world, id);
        if (world->bodies.kind[rps_world_slot(world, id)][0] == RPS_BODY_FREE) rps_hash128_add(hash, &gid, sizeof gid);
    }
    for (uint64_t id = 0; id < world->bodies.ids; id++) {
        if (!rps_external_used(world, id)) continue;
        const rps_external_record one = rps_external_get(world, id);
        rps_hash128_add(hash, &id, sizeof id);
        for (int n = 0; n < 6; n++) add_double(hash, one.held[n]);
        for (int n = 0; n < 6; n++) add_double(hash, one.once[n]);
        add_double(hash, one.work);
    }
}

/* Bonds in the order of pairs; nothing for a world that never had any. */
static void hash_bonds(const rps_bonds *bonds, rps_hash *hash) {
    const uint64_t count = bonds->count;
    rps_hash128_add(hash, &count, sizeof count);
    for (size_t k = 0; k < bonds->count; k++) {
        rps_bond_record record = bonds->bond[k].record;
        const rps_bond_setting *setting = &bonds->setting[(size_t)record.setting];
        record.setting = 0.0; /* its number depends on the history of the list */
        rps_hash128_add(hash, bonds->bond[k].body, sizeof bonds->bond[k].body);
        rps_hash128_add(hash, &record, sizeof record);
        rps_hash128_add(hash, setting->law->name, strlen(setting->law->name));
        for (int p = 0; p < RPS_BOND_PARAMETERS; p++) {
            add_double(hash, setting->value[p] == setting->value[p] ? setting->value[p] : -1e308);
        }
    }
    add_sum(hash, &bonds->dissipated);
    rps_hash128_add(hash, &bonds->breaks, sizeof bonds->breaks);
}

static void hash_loads(const rps_surface_loads *loads, rps_hash *hash) {
    rps_hash128_add(hash, &loads->time, sizeof loads->time);
    rps_hash128_add(hash, loads->body, loads->bodies * sizeof *loads->body);
    if (loads->triangles > 0) rps_hash128_add(hash, loads->triangle, loads->triangles * sizeof *loads->triangle);
}

static void hash_liquid(const rps_liquid *liquid, uint64_t ids, rps_hash *hash) {
    const size_t films = liquid->films < ids ? liquid->films : (size_t)ids;
    if (films > 0) rps_hash128_add(hash, liquid->film, films * sizeof *liquid->film);
    rps_hash128_add(hash, &liquid->added, sizeof liquid->added);
    rps_hash128_add(hash, &liquid->removed, sizeof liquid->removed);
    rps_hash128_add(hash, &liquid->ruptured, sizeof liquid->ruptured);
}

static void hash_forces(const rps_forces *forces, rps_hash *hash) {
    for (size_t k = 0; k < forces->count; k++) {
        rps_hash128_add(hash, forces->field[k].name, strlen(forces->field[k].name));
        add_sum(hash, &forces->field[k].work);
    }
}

static void hash_heat(const rps_world_heat *heat, uint64_t ids, rps_hash *hash) {
    for (uint64_t k = 0; k < ids && k < heat->bodies; k++) {
        rps_hash128_add(hash, &heat->body[k].energy, sizeof heat->body[k].energy);
        rps_hash128_add(hash, &heat->body[k].offset, sizeof heat->body[k].offset);
    }
}

/* begin has one extra element in front, so that counting and placing leave the final values. */
static rps_status state_hash_find_contacts(state_parts *parts, size_t blocks, rps_error *err) {
    const rps_world *world = parts->world;
    void *memory;
    RPS_TRY(rps_size_of_items(blocks + 2, sizeof *parts->begin, &parts->begin_bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, parts->begin_bytes, &memory, err));
    parts->begin = memory;
    memset(memory, 0, parts->begin_bytes);
    sort_contacts(world, parts->begin + 2, NULL);
    for (size_t k = 2; k < blocks + 2; k++) parts->begin[k] += parts->begin[k - 1];
    RPS_TRY(rps_size_of_items(parts->begin[blocks + 1], sizeof *parts->place, &parts->place_bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, parts->place_bytes, &memory, err));
    parts->place = memory;
    sort_contacts(world, parts->begin + 1, parts->place);
    return RPS_OK;
}

static void add_lanes(rps_hash *hash, const state_parts *parts, const contact_place *of) {
    const rps_segment *segment = of->segment;
    const rps_lane_map *map = parts->map ? &parts->map[segment->pair * RPS_RECORD_COUNT + (int)segment->record] : NULL;
    if (map && map->lane) {
        for (int l = 0; l < map->lanes; l++) {
            add_double(hash, map->lane[l] < 0 ? 0.0 : rps_segment_get(segment, map->lane[l], of->at));
        }
        return;
    }
    const int lanes = state_hash_layout_of(parts->world, segment)->lanes;
    for (int lane = 0; lane < lanes; lane++) add_double(hash, rps_segment_get(segment, lane, of->at));
}

static void hash_block(void *context, size_t block) {
    const state_parts *parts = context;
    const rps_world *world = parts->world;
    const uint64_t first = (uint64_t)block * RPS_HASH_BLOCK, end = first + RPS_HASH_BLOCK;
    rps_hash hash;
    rps_hash128_begin(&hash);
    for (size_t f = 0; f < parts->fields; f++) {
        const rps_view *view = &parts->field[f];
        const size_t bytes = (size_t)view->components * (view->type == RPS_TYPE_int32 ? 4 : 8);
        for (uint64_t id = first, s; rps_bodies_next(&world->bodies, &id, &s) && id < end; id++) {
            rps_hash128_add(&hash, (const char *)view->data + s * view->stride, bytes);
        }
    }
    contact_place *place = parts->place + parts->begin[block];
    const uint64_t contacts = parts->begin[block + 1] - parts->begin[block];
    rps_hash128_add(&hash, &contacts, sizeof contacts);
    if (contacts > 1) qsort(place, contacts, sizeof *place, state_hash_compare_keys);
    for (size_t c = 0; c < contacts; c++) {
        rps_hash128_add(&hash, &place[c].id_i, sizeof place[c].id_i);
        rps_hash128_add(&hash, &place[c].id_j, sizeof place[c].id_j);
        rps_hash128_add(&hash, &place[c].subkey, sizeof place[c].subkey);
        add_lanes(&hash, parts, &place[c]);
    }
    const rps_hash128_value value = rps_hash128_result(&hash);
    parts->out[block][0] = value.high;
    parts->out[block][1] = value.low;
}

size_t rps_world_hash_blocks(const rps_world *world) {
    const uint64_t ids = world->share != NULL ? world->share->ids : world->bodies.ids;
    return (size_t)((ids + RPS_HASH_BLOCK - 1) / RPS_HASH_BLOCK);
}

rps_status rps_world_block_hashes(const rps_world *world, const rps_lane_map *map, uint64_t (*block)[2],
                                  rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "a hash of blocks", err));
    const size_t blocks = rps_world_hash_blocks(world);
    state_parts parts = {.world = world, .map = map};
    rps_status status = find_fields(&parts, err);
    if (status == RPS_OK) status = state_hash_find_contacts(&parts, blocks, err);
    if (status == RPS_OK) {
        parts.out = block;
        rps_parallel_each(rps_world_workers(world), blocks, hash_block, &parts);
    }
    release_parts(&parts);
    return status;
}

void rps_world_hash_of_blocks(const rps_world *world, const uint64_t (*block)[2], uint64_t hash[2]) {
    const uint64_t bodies = world->share != NULL ? world->share->bodies : world->bodies.count;
    rps_exact_sum boundary[RPS_ACCOUNTS];
    memcpy(boundary, world->boundary_dissipated, sizeof boundary);
    rps_share_sum(world, RPS_ACCOUNTS, boundary);
    rps_hash state;
    rps_hash128_begin(&state);
    rps_hash128_add(&state, &world->steps, sizeof world->steps);
    add_double(&state, world->step);
    if (world->step_from > 0) {
        rps_hash128_add(&state, &world->step_from, sizeof world->step_from);
        add_double(&state, world->time_from);
    }
    rps_hash128_add(&state, &bodies, sizeof bodies);
    rps_hash128_add(&state, block, rps_world_hash_blocks(world) * sizeof *block);
    if (world->pieces > 0) rps_hash128_add(&state, world->piece, world->pieces * sizeof *world->piece);
    for (size_t k = 0; k < world->drives; k++) {
        double number[RPS_DRIVEN_NUMBERS];
        rps_drive_state driven = world->driven[k];
        rps_share_drive_out(world->share, &driven);
        rps_drive_state_pack(&driven, number);
        rps_hash128_add(&state, number, sizeof number);
    }
    if (world->cell.sheared) rps_hash128_add(&state, &world->shear, sizeof world->shear);
    for (size_t k = 0; k < world->joints; k++) {
        rps_hash128_add(&state, &world->joint[k].memory, sizeof world->joint[k].memory);
    }
    rps_hash128_add(&state, world->options.gravity, sizeof world->options.gravity);
    if (world->in_fluid) hash_fluid(&world->fluid, &state);
    add_sum(&state, &world->energy_brought);
    for (int k = 0; k < RPS_ACCOUNTS; k++) add_sum(&state, &boundary[k]);
    add_double(&state, world->energy_first);
    hash_changes(world, &state);
    if (world->bonds.used) hash_bonds(&world->bonds, &state);
    if (world->liquid.films > 0 || world->liquid.ruptured > 0) hash_liquid(&world->liquid, world->bodies.ids, &state);
    hash_forces(&world->forces, &state);
    if (world->heat.on) hash_heat(&world->heat, world->bodies.ids, &state);
    if (world->loads.bodies > 0) hash_loads(&world->loads, &state);
    const rps_hash128_value value = rps_hash128_result(&state);
    hash[0] = value.high;
    hash[1] = value.low;
}

rps_status rps_world_hash(const rps_world *world, uint64_t hash[2], rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(hash);
    size_t bytes;
    void *memory;
    RPS_TRY(rps_size_of_items(rps_world_hash_blocks(world), 2 * sizeof *hash, &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    uint64_t(*block)[2] = memory;
    const rps_status status = rps_world_block_hashes(world, NULL, block, err);
    if (status == RPS_OK) rps_world_hash_of_blocks(world, (const uint64_t(*)[2])block, hash);
    rps_memory_release(world->allocator, memory, bytes);
    return status;
}
