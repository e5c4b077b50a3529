/* Forces and torques that a program applies: held until set again, or for one step. The steppers apply them
 * (step/external.c). */
#include <repose/body.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "world/slot_block.h"
#include "world/world_internal.h"

static inline bool is_any(const double *load, int count) {
    bool any = false;
    for (int k = 0; k < count; k++) any |= load[k] != 0.0; /* no branch: loads of many bodies come in here */
    return any;
}

static int32_t *which_loads(rps_bodies *bodies, uint64_t id) {
    return bodies->applied[bodies->slot_of[id]].applies;
}

bool rps_external_used(const rps_world *world, uint64_t id) {
    const rps_bodies *bodies = &world->bodies;
    const uint32_t slot = bodies->slot_of[id];
    return slot != RPS_NO_SLOT && (bodies->applied[slot].applies[0] != 0 || bodies->applied_work[slot][0] != 0.0);
}

static void put_held(rps_world *world, uint64_t id, const double held[6]) {
    int32_t *which = which_loads(&world->bodies, id);
    if (id < world->external.count) memcpy(world->external.held[id], held, sizeof world->external.held[id]);
    *which &= ~RPS_EXTERNAL_HELD;
    if (is_any(held, 6)) *which |= RPS_EXTERNAL_HELD;
}

rps_external_record rps_external_get(const rps_world *world, uint64_t id) {
    const rps_bodies *bodies = &world->bodies;
    const rps_externals *external = &world->external;
    const uint32_t slot = bodies->slot_of[id];
    rps_external_record record = {.work = bodies->applied_work[slot][0]};
    memcpy(record.once, bodies->applied[slot].applied_force, sizeof bodies->applied[slot].applied_force);
    if (id >= external->count) return record;
    memcpy(record.held, external->held[id], sizeof record.held);
    memcpy(record.once + 3, external->torque[id], sizeof external->torque[id]);
    return record;
}

void rps_external_put(rps_world *world, uint64_t id, const rps_external_record *record) {
    rps_bodies *bodies = &world->bodies;
    const uint32_t slot = bodies->slot_of[id];
    memcpy(bodies->applied[slot].applied_force, record->once, sizeof bodies->applied[slot].applied_force);
    bodies->applied_work[slot][0] = record->work;
    bodies->applied[slot].applies[0] =
        (is_any(record->once, 3) ? RPS_EXTERNAL_FORCE : 0) | (is_any(record->once + 3, 3) ? RPS_EXTERNAL_TORQUE : 0);
    if (id < world->external.count) {
        memcpy(world->external.torque[id], record->once + 3, sizeof world->external.torque[id]);
    }
    put_held(world, id, record->held);
}

enum { HELD_AT = 3 * sizeof(double), BYTES_PER_ID = HELD_AT + 6 * sizeof(double) };

/* The columns in a block for so many ids. */
static rps_externals columns_in(char *block, size_t ids) {
    return (rps_externals){.torque = (void *)block,
                           .held = (void *)(block + ids * HELD_AT),
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
    const rps_externals fresh = columns_in(block, ids);
    if (old.count > 0) {
        memcpy(fresh.torque, old.torque, old.count * sizeof *old.torque);
        memcpy(fresh.held, old.held, old.count * sizeof *old.held);
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
    if (!rps_external_used(world, id)) return;
    rps_change_add(world, RPS_CHANGE_EXTERNAL, rps_external_get(world, id).work);
    rps_external_put(world, id, &none);
}

void rps_external_find_active(rps_world *world) {
    const rps_bodies *bodies = &world->bodies;
    world->external_acts = false;
    world->external_holds = false;
    for (size_t s = 0; s < bodies->count && !world->external_holds; s++) {
        world->external_acts = world->external_acts || bodies->applied[s].applies[0] != 0;
        world->external_holds = (bodies->applied[s].applies[0] & RPS_EXTERNAL_HELD) != 0;
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

static inline void note_load(rps_world *world, int32_t which) {
    world->external_acts = world->external_acts || which != 0;
    world->external_holds = world->external_holds || (which & RPS_EXTERNAL_HELD) != 0;
}

/* Adds a vector to a load of the next step. */
static inline void add_vector(double to[3], const double *given, int32_t part, int32_t *which) {
    for (int k = 0; k < 3; k++) to[k] += given[k];
    *which = is_any(to, 3) ? *which | part : *which & ~part;
}

static inline void add_load(rps_world *world, uint64_t id, const double *force, const double *torque) {
    rps_bodies *bodies = &world->bodies;
    const uint32_t slot = bodies->slot_of[id];
    int32_t *which = bodies->applied[slot].applies;
    if (force) add_vector(bodies->applied[slot].applied_force, force, RPS_EXTERNAL_FORCE, which);
    if (torque) add_vector(world->external.torque[id], torque, RPS_EXTERNAL_TORQUE, which);
    note_load(world, *which);
}

static void set_load(rps_world *world, uint64_t id, const double *force, const double *torque) {
    double held[6];
    for (int k = 0; k < 3; k++) {
        held[k] = force ? force[k] : 0.0;
        held[3 + k] = torque ? torque[k] : 0.0;
    }
    put_held(world, id, held);
    note_load(world, *which_loads(&world->bodies, id));
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

/* A body that moves freely. */
static inline bool is_plain_body(const rps_bodies *bodies, uint64_t id) {
    if (id >= bodies->ids || bodies->slot_of[id] == RPS_NO_SLOT) return false;
    return bodies->kind[bodies->slot_of[id]][0] == RPS_BODY_FREE;
}

/* Whether a load is certainly accepted: such a body with columns, and finite numbers. All else is for begin_load. */
static inline bool is_plain_load(const rps_world *world, uint64_t id, const double *force, const double *torque) {
    if (id >= world->external.count || !is_plain_body(&world->bodies, id)) return false;
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

/* Stores a force on a free body that has no load yet; false, with the body as it was, for another body or for a force that
 * needs another look. acts: true from now on if the force is not 0. */
static inline bool put_plain_force(rps_bodies *bodies, uint32_t slot, const double *force, bool *acts) {
    const double size = (fabs(force[0]) + fabs(force[1])) + fabs(force[2]);
    const bool acts_here = size > 0.0;
    rps_applied *applied = &bodies->applied[slot];
    if (bodies->kind[slot][0] != RPS_BODY_FREE || applied->applies[0] != 0 || !(size <= DBL_MAX)) return false;
    for (int k = 0; k < 3; k++) applied->applied_force[k] = 0.0 + force[k]; /* +0 for -0, as where they add up */
    applied->applies[0] = acts_here ? RPS_EXTERNAL_FORCE : 0;
    *acts = *acts || acts_here;
    return true;
}

/* How many of the first forces could be stored at once. acts: whether one of them is not 0. */
static size_t put_plain_forces(rps_world *world, const given_loads *given, bool *acts) {
    rps_bodies *bodies = &world->bodies;
    rps_slot_block block = {.bodies = bodies,
                            .id = given->id,
                            .count = given->count,
                            .read = {(const char *)bodies->kind, sizeof *bodies->kind},
                            .written = {(const char *)bodies->applied, sizeof *bodies->applied}};
    size_t k = 0, n;
    *acts = false;
    do {
        n = rps_block_find(&block, k);
        for (size_t m = 0; m < n; m++) {
            if (!put_plain_force(bodies, block.slot[m], load_item(given->force, k + m), acts)) return k + m;
        }
        k += n;
    } while (n == RPS_SLOTS_AT_ONCE);
    return k;
}

/* Forces alone, in one pass instead of two; false, with all bodies as they were, if one of them needs another look. */
static bool put_forces(rps_world *world, const given_loads *given) {
    rps_bodies *bodies = &world->bodies;
    bool acts;
    if (given->torque.data || !given->force.data || world->share || world->options.dimension != 3) return false;
    const size_t stored = put_plain_forces(world, given, &acts);
    if (stored == given->count) {
        world->external_acts = world->external_acts || acts;
        return true;
    }
    for (size_t k = 0; k < stored; k++) {
        const uint32_t slot = bodies->slot_of[body_of(given, k)];
        memset(&bodies->applied[slot], 0, sizeof bodies->applied[slot]);
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
