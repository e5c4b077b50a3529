/*
 * A fingerprint of the state: what a restart needs, bit by bit, in an order that comes from ids alone. Where bodies lie, how
 * old a list is and which pairs it holds beyond the contacts that exist must not show.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "world/world.h"

static void add_double(rps_hash *hash, double x) {
    rps_hash128_add(hash, &x, sizeof x);
}

static void add_sum(rps_hash *hash, const rps_exact_sum *sum) {
    rps_exact_sum one = *sum;
    rps_exact_sum_normalize(&one);
    rps_hash128_add(hash, one.limb, sizeof one.limb);
    rps_hash128_add(hash, &one.special, sizeof one.special);
}

static rps_status add_bodies(const rps_world *world, rps_hash *hash, rps_error *err) {
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        rps_view view;
        RPS_TRY(rps_world_view(world, field->name, &view, err));
        size_t bytes = (size_t)view.components * (view.type == RPS_TYPE_int32 ? 4 : 8);
        for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++) {
            rps_hash128_add(hash, (const char *)view.data + s * view.stride, bytes);
        }
    }
    return RPS_OK;
}

typedef struct contact_place {
    uint64_t id_i, id_j;
    uint32_t subkey;
    const rps_segment *segment;
    size_t at;
} contact_place;

static int state_hash_compare_keys(const void *a, const void *b) {
    const contact_place *p = a, *q = b;
    if (p->id_i != q->id_i) return p->id_i < q->id_i ? -1 : 1;
    if (p->id_j != q->id_j) return p->id_j < q->id_j ? -1 : 1;
    return (p->subkey > q->subkey) - (p->subkey < q->subkey);
}

static const rps_layout *state_hash_layout_of(const rps_world *world, const rps_segment *segment) {
    return &world->pair_setup[segment->pair].layout[segment->record];
}

/* Finds the contacts that exist; with room == NULL it only counts them. */
static size_t find_contacts(const rps_world *world, contact_place *space) {
    size_t count = 0;
    for (size_t k = 0; k < world->contacts.segments; k++) {
        const rps_segment *segment = &world->contacts.segment[k];
        const double *modes = segment->state + (size_t)state_hash_layout_of(world, segment)->modes * segment->capacity;
        for (size_t e = 0; e < segment->count; e++) {
            if (modes[e] == 0.0) continue;
            if (space) {
                space[count] =
                    (contact_place){world->bodies.id[segment->slot_i[e]][0], world->bodies.id[segment->slot_j[e]][0],
                                    segment->subkey ? segment->subkey[e] : 0, segment, e};
            }
            count++;
        }
    }
    return count;
}

static rps_status add_contacts(const rps_world *world, rps_hash *hash, rps_error *err) {
    size_t count = find_contacts(world, NULL), bytes;
    RPS_TRY(rps_size_of_items(count, sizeof(contact_place), &bytes, err));
    void *block;
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &block, err));
    contact_place *place = block;
    uint64_t counted = count;
    rps_hash128_add(hash, &counted, sizeof counted);
    if (count > 0) {
        find_contacts(world, place);
        qsort(place, count, sizeof *place, state_hash_compare_keys);
    }
    for (size_t c = 0; c < count; c++) {
        const rps_segment *segment = place[c].segment;
        int lanes = state_hash_layout_of(world, segment)->lanes;
        rps_hash128_add(hash, &place[c].id_i, sizeof place[c].id_i);
        rps_hash128_add(hash, &place[c].id_j, sizeof place[c].id_j);
        rps_hash128_add(hash, &place[c].subkey, sizeof place[c].subkey);
        for (int lane = 0; lane < lanes; lane++) {
            add_double(hash, segment->state[(size_t)lane * segment->capacity + place[c].at]);
        }
    }
    rps_memory_release(world->allocator, block, bytes);
    return RPS_OK;
}

/* Energies, loads and ids that a program changed; of a world that was left alone nothing. */
static void hash_changes(const rps_world *world, rps_hash *hash) {
    if (world->bodies.ids != world->bodies.count) rps_hash128_add(hash, &world->bodies.ids, sizeof world->bodies.ids);
    for (int k = 0; world->changed && k < RPS_CHANGES; k++) add_sum(hash, &world->change[k]);
    for (uint64_t id = 0; id < world->externals; id++) {
        const rps_external *one = &world->external[id];
        if (!rps_external_used(one)) continue;
        rps_hash128_add(hash, &id, sizeof id);
        for (int n = 0; n < 6; n++) add_double(hash, one->held[n]);
        for (int n = 0; n < 6; n++) add_double(hash, one->once[n]);
        add_double(hash, one->work);
    }
}

rps_status rps_world_hash(const rps_world *world, uint64_t hash[2], rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(hash);
    rps_hash state;
    rps_hash128_begin(&state);
    rps_hash128_add(&state, &world->steps, sizeof world->steps);
    add_double(&state, world->step);
    RPS_TRY(add_bodies(world, &state, err));
    if (world->pieces > 0) rps_hash128_add(&state, world->piece, world->pieces * sizeof *world->piece);
    RPS_TRY(add_contacts(world, &state, err));
    for (size_t k = 0; k < world->drives; k++) {
        double number[RPS_DRIVEN_NUMBERS];
        rps_drive_state_pack(&world->driven[k], number);
        rps_hash128_add(&state, number, sizeof number);
    }
    for (size_t k = 0; k < world->joints; k++) {
        rps_hash128_add(&state, &world->joint[k].memory, sizeof world->joint[k].memory);
    }
    rps_hash128_add(&state, world->options.gravity, sizeof world->options.gravity);
    add_sum(&state, &world->energy_brought);
    add_double(&state, world->energy_first);
    hash_changes(world, &state);
    rps_hash128_value value = rps_hash128_result(&state);
    hash[0] = value.high;
    hash[1] = value.low;
    return RPS_OK;
}
