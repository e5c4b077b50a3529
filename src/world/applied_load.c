/* Forces and torques that a program applies: held until set again, or for one step. They are stored by id, so they
 * stay with their body in any slot. The steppers apply them (step/external.c). */
#include <repose/body.h>

#include <string.h>

#include "world/world_internal.h"

static inline bool is_any(const double *load, int count) {
    bool any = false;
    for (int k = 0; k < count; k++) any |= load[k] != 0.0; /* no branch: loads of many bodies come in here */
    return any;
}

bool rps_external_used(const rps_externals *external, uint64_t id) {
    return external->which[id] != 0 || external->applied[id].work != 0.0;
}

static void put_held(rps_externals *external, uint64_t id, const double held[6]) {
    memcpy(external->held[id], held, sizeof external->held[id]);
    external->which[id] &= (uint8_t)~RPS_EXTERNAL_HELD;
    if (is_any(held, 6)) external->which[id] |= RPS_EXTERNAL_HELD;
}

rps_external_record rps_external_get(const rps_externals *external, uint64_t id) {
    rps_external_record record = {.work = external->applied[id].work};
    memcpy(record.held, external->held[id], sizeof record.held);
    memcpy(record.once, external->applied[id].force, sizeof external->applied[id].force);
    memcpy(record.once + 3, external->torque[id], sizeof external->torque[id]);
    return record;
}

void rps_external_put(rps_externals *external, uint64_t id, const rps_external_record *record) {
    const int once =
        (is_any(record->once, 3) ? RPS_EXTERNAL_FORCE : 0) | (is_any(record->once + 3, 3) ? RPS_EXTERNAL_TORQUE : 0);
    memcpy(external->applied[id].force, record->once, sizeof external->applied[id].force);
    memcpy(external->torque[id], record->once + 3, sizeof external->torque[id]);
    external->which[id] = (uint8_t)once;
    external->applied[id].work = record->work;
    put_held(external, id, record->held);
}

enum {
    TORQUE_AT = sizeof(rps_applied),
    HELD_AT = TORQUE_AT + 3 * sizeof(double),
    WHICH_AT = HELD_AT + 6 * sizeof(double),
    BYTES_PER_ID = WHICH_AT + 1
};

/* The columns in a block for so many ids. */
static rps_externals columns_in(char *block, size_t ids) {
    return (rps_externals){.applied = (void *)block,
                           .torque = (void *)(block + ids * TORQUE_AT),
                           .held = (void *)(block + ids * HELD_AT),
                           .which = (void *)(block + ids * WHICH_AT),
                           .block = block,
                           .count = ids,
                           .bytes = ids * BYTES_PER_ID};
}

rps_status rps_external_reserve(rps_world *world, size_t ids, rps_error *err) {
    const rps_externals old = world->external;
    size_t bytes;
    void *block;
    if (ids <= old.count) return RPS_OK;
    RPS_TRY(rps_size_of_items(ids, BYTES_PER_ID, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, bytes, &block, err));
    rps_externals fresh = columns_in(block, ids);
    for (uint64_t id = 0; id < old.count; id++) {
        const rps_external_record record = rps_external_get(&old, id);
        rps_external_put(&fresh, id, &record);
    }
    rps_memory_release(world->allocator, old.block, old.bytes);
    world->external = fresh;
    return RPS_OK;
}

void rps_external_release(rps_world *world) {
    rps_memory_release(world->allocator, world->external.block, world->external.bytes);
    world->external = (rps_externals){0};
    world->external_acts = false;
    world->external_holds = false;
}

void rps_external_end(rps_world *world, uint64_t id) {
    const rps_external_record none = {0};
    if (id >= world->external.count) return;
    rps_change_add(world, RPS_CHANGE_EXTERNAL, world->external.applied[id].work);
    rps_external_put(&world->external, id, &none);
}

void rps_external_find_active(rps_world *world) {
    const rps_externals *external = &world->external;
    world->external_acts = false;
    world->external_holds = false;
    for (size_t id = 0; id < external->count && !world->external_holds; id++) {
        world->external_acts = world->external_acts || external->which[id] != 0;
        world->external_holds = (external->which[id] & RPS_EXTERNAL_HELD) != 0;
    }
}

/* Checks a load and creates the columns. */
static rps_status begin_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                             rps_error *err) {
    size_t slot;
    RPS_TRY(rps_world_find_free(world, id, "an applied load", &slot, err));
    if (force) RPS_TRY(rps_check_given(world, slot, "force", force, 0, err));
    if (torque) RPS_TRY(rps_check_given(world, slot, "torque", torque, 1, err));
    return id < world->external.count ? RPS_OK : rps_external_reserve(world, world->bodies.id_capacity, err);
}

static inline void note_load(rps_world *world, uint64_t id) {
    const uint8_t which = world->external.which[id];
    world->external_acts = world->external_acts || which != 0;
    world->external_holds = world->external_holds || (which & RPS_EXTERNAL_HELD) != 0;
}

/* Adds a vector to a load of the next step. */
static inline void add_vector(double to[3], const double *given, int part, uint8_t *which) {
    for (int k = 0; k < 3; k++) to[k] += given[k];
    *which = (uint8_t)(is_any(to, 3) ? *which | part : *which & ~part);
}

static inline void add_load(rps_world *world, uint64_t id, const double *force, const double *torque) {
    rps_externals *external = &world->external;
    if (force) add_vector(external->applied[id].force, force, RPS_EXTERNAL_FORCE, &external->which[id]);
    if (torque) add_vector(external->torque[id], torque, RPS_EXTERNAL_TORQUE, &external->which[id]);
    note_load(world, id);
}

static void set_load(rps_world *world, uint64_t id, const double *force, const double *torque) {
    double held[6];
    for (int k = 0; k < 3; k++) {
        held[k] = force ? force[k] : 0.0;
        held[3 + k] = torque ? torque[k] : 0.0;
    }
    put_held(&world->external, id, held);
    note_load(world, id);
}

rps_status rps_world_apply_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                                rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(begin_load(world, id, force, torque, err));
    add_load(world, id, force, torque);
    return RPS_OK;
}

static inline const double *load_item(rps_array array, size_t index) {
    const size_t stride = array.stride > 0 ? array.stride : 3 * sizeof(double);
    return array.data ? (const double *)(const void *)((const char *)array.data + index * stride) : NULL;
}

/* Whether a load is certainly accepted: a body that moves freely, and finite numbers. All else is for begin_load. */
static inline bool is_plain_load(const rps_world *world, uint64_t id, const double *force, const double *torque) {
    const rps_bodies *bodies = &world->bodies;
    if (id >= world->external.count || id >= bodies->ids || bodies->slot_of[id] == RPS_NO_SLOT) return false;
    if (bodies->kind[bodies->slot_of[id]][0] != RPS_BODY_FREE) return false;
    return (!force || rps_finite3(force)) && (!torque || rps_finite3(torque));
}

/* The loads of many bodies as a caller gives them. */
typedef struct given_loads {
    const uint64_t *id; /* NULL: 0, 1, 2 ... */
    size_t count;
    rps_array force, torque;
} given_loads;

static uint64_t body_of(const given_loads *given, size_t k) {
    return given->id ? given->id[k] : k;
}

/* Checks them all before any is stored, so that a refused one leaves all bodies as they were. */
static rps_status check_given_loads(rps_world *world, const given_loads *given, rps_error *err) {
    const bool whole = world->share == NULL && world->options.dimension == 3;
    for (size_t k = 0; k < given->count; k++) {
        const uint64_t id = body_of(given, k);
        const double *force = load_item(given->force, k), *torque = load_item(given->torque, k);
        if (!whole || !is_plain_load(world, id, force, torque)) RPS_TRY(begin_load(world, id, force, torque, err));
    }
    return RPS_OK;
}

/* How many of the first forces could be stored at once: on bodies that have no load yet, which take it for certain. acts:
 * whether one of them is not 0. */
static size_t put_plain_forces(const rps_world *world, rps_externals *external, const given_loads *given, bool *acts) {
    uint8_t all = 0;
    size_t k = 0;
    for (; k < given->count; k++) {
        const uint64_t id = body_of(given, k);
        const double *force = load_item(given->force, k);
        if (!is_plain_load(world, id, force, NULL) || external->which[id] != 0) break;
        for (int c = 0; c < 3; c++)
            external->applied[id].force[c] = 0.0 + force[c]; /* +0 for -0, as where they add up */
        external->which[id] = is_any(force, 3) ? RPS_EXTERNAL_FORCE : 0;
        all |= external->which[id];
    }
    *acts = all != 0;
    return k;
}

/* Forces alone, in one pass instead of two; false, with all bodies as they were, if one of them needs another look. */
static bool put_forces(rps_world *world, const given_loads *given) {
    rps_externals *external = &world->external;
    if (given->torque.data || !given->force.data || world->share || world->options.dimension != 3) return false;
    bool acts;
    const size_t stored = put_plain_forces(world, external, given, &acts);
    if (stored == given->count) {
        world->external_acts = world->external_acts || acts;
        return true;
    }
    for (size_t k = 0; k < stored; k++) {
        const uint64_t id = body_of(given, k);
        memset(external->applied[id].force, 0, sizeof external->applied[id].force);
        external->which[id] = 0;
    }
    return false;
}

rps_status rps_world_apply_loads(rps_world *world, const uint64_t *id, size_t count, rps_array force, rps_array torque,
                                 rps_error *err) {
    RPS_GIVEN(world);
    const given_loads given = {id, count, force, torque};
    if (put_forces(world, &given)) return RPS_OK;
    RPS_TRY(check_given_loads(world, &given, err));
    for (size_t k = 0; k < count; k++) add_load(world, body_of(&given, k), load_item(force, k), load_item(torque, k));
    return RPS_OK;
}

rps_status rps_world_apply_force_at(rps_world *world, uint64_t id, const double force[3], const double point[3],
                                    rps_error *err) {
    double centre[3], torque[3];
    RPS_GIVEN(world);
    RPS_GIVEN(force);
    RPS_GIVEN(point);
    RPS_TRY(rps_world_body_position(world, id, centre, err));
    const rps_vec3 branch = rps_vec3_sub(rps_vec3_of(point), rps_vec3_of(centre));
    rps_vec3_put(torque, rps_vec3_cross(branch, rps_vec3_of(force)));
    return rps_world_apply_load(world, id, force, torque, err);
}

rps_status rps_world_hold_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                               rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(begin_load(world, id, force, torque, err));
    set_load(world, id, force, torque);
    return RPS_OK;
}

rps_status rps_world_hold_loads(rps_world *world, const uint64_t *id, size_t count, rps_array force, rps_array torque,
                                rps_error *err) {
    RPS_GIVEN(world);
    const given_loads given = {id, count, force, torque};
    RPS_TRY(check_given_loads(world, &given, err));
    for (size_t k = 0; k < count; k++) set_load(world, body_of(&given, k), load_item(force, k), load_item(torque, k));
    return RPS_OK;
}
