/* Forces and torques that a program applies: held until set again, or for one step. They are stored by id, so they
 * stay with their body in any slot. The steppers apply them (step/external.c). */
#include <repose/body.h>

#include <string.h>

#include "world/world_internal.h"

static bool is_any(const double *load) {
    for (int k = 0; k < 6; k++) {
        if (load[k] != 0.0) return true;
    }
    return false;
}

bool rps_external_acts(const rps_external *external) {
    return external->holds || is_any(external->once);
}

void rps_external_hold(rps_external *external) {
    external->holds = is_any(external->held);
}

bool rps_external_used(const rps_external *external) {
    return rps_external_acts(external) || external->work != 0.0;
}

void rps_external_find_active(rps_world *world) {
    world->external_acts = false;
    world->external_holds = false;
    for (size_t id = 0; id < world->externals && !world->external_holds; id++) {
        world->external_acts = world->external_acts || rps_external_acts(&world->external[id]);
        world->external_holds = world->external[id].holds;
    }
}

/* Checks a load and creates the record of the body. */
static rps_status begin_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                             rps_external **record, rps_error *err) {
    size_t slot;
    RPS_TRY(rps_world_find_free(world, id, "an applied load", &slot, err));
    if (force) RPS_TRY(rps_check_given(world, slot, "force", force, 0, err));
    if (torque) RPS_TRY(rps_check_given(world, slot, "torque", torque, 1, err));
    if (id >= world->externals) {
        void *table = world->external;
        RPS_TRY(rps_table_by_id(world, &table, &world->externals, sizeof *world->external, err));
        world->external = table;
    }
    *record = &world->external[id];
    return RPS_OK;
}

static void add_load(rps_external *record, const double *force, const double *torque) {
    for (int k = 0; k < 3; k++) {
        if (force) record->once[k] += force[k];
        if (torque) record->once[3 + k] += torque[k];
    }
}

static void set_load(rps_external *record, const double *force, const double *torque) {
    for (int k = 0; k < 3; k++) {
        record->held[k] = force ? force[k] : 0.0;
        record->held[3 + k] = torque ? torque[k] : 0.0;
    }
    rps_external_hold(record);
}

static void note_load(rps_world *world, const rps_external *record) {
    world->external_acts = world->external_acts || rps_external_acts(record);
    world->external_holds = world->external_holds || record->holds;
}

rps_status rps_world_apply_load(rps_world *world, uint64_t id, const double force[3], const double torque[3],
                                rps_error *err) {
    rps_external *record;
    RPS_GIVEN(world);
    RPS_TRY(begin_load(world, id, force, torque, &record, err));
    add_load(record, force, torque);
    note_load(world, record);
    return RPS_OK;
}

static const double *load_item(rps_array array, size_t index) {
    const size_t stride = array.stride > 0 ? array.stride : 3 * sizeof(double);
    return array.data ? (const double *)(const void *)((const char *)array.data + index * stride) : NULL;
}

/* Whether a load is certainly accepted: a body that moves freely, and finite numbers. All else is for begin_load. */
static bool is_plain_load(const rps_world *world, uint64_t id, const double *force, const double *torque) {
    const rps_bodies *bodies = &world->bodies;
    if (id >= world->externals || id >= bodies->ids || bodies->slot_of[id] == RPS_NO_SLOT) return false;
    if (bodies->kind[bodies->slot_of[id]][0] != RPS_BODY_FREE) return false;
    return (!force || rps_finite3(force)) && (!torque || rps_finite3(torque));
}

/* Loads of many bodies. The first pass only checks, so that a refused body leaves all as they were. */
static rps_status load_many(rps_world *world, const uint64_t *id, size_t count, rps_array force, rps_array torque,
                            void (*load)(rps_external *record, const double *force, const double *torque),
                            rps_error *err) {
    const bool whole = world->share == NULL && world->options.dimension == 3;
    rps_external *record;
    for (size_t k = 0; k < count; k++) {
        const uint64_t body = id ? id[k] : k;
        const double *f = load_item(force, k), *t = load_item(torque, k);
        if (!whole || !is_plain_load(world, body, f, t)) RPS_TRY(begin_load(world, body, f, t, &record, err));
    }
    for (size_t k = 0; k < count; k++) {
        record = &world->external[id ? id[k] : k];
        load(record, load_item(force, k), load_item(torque, k));
        note_load(world, record);
    }
    return RPS_OK;
}

rps_status rps_world_apply_loads(rps_world *world, const uint64_t *id, size_t count, rps_array force, rps_array torque,
                                 rps_error *err) {
    RPS_GIVEN(world);
    return load_many(world, id, count, force, torque, add_load, err);
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
    rps_external *record;
    RPS_GIVEN(world);
    RPS_TRY(begin_load(world, id, force, torque, &record, err));
    set_load(record, force, torque);
    note_load(world, record);
    return RPS_OK;
}

rps_status rps_world_hold_loads(rps_world *world, const uint64_t *id, size_t count, rps_array force, rps_array torque,
                                rps_error *err) {
    RPS_GIVEN(world);
    return load_many(world, id, count, force, torque, set_load, err);
}
