/* Access to bodies by id: the queries of a program, and the velocities that it sets. */
#include <repose/body.h>

#include <string.h>

#include "base/flush.h"
#include "world/share.h"
#include "world/world_internal.h"

rps_status rps_world_find_body(const rps_world *world, uint64_t id, size_t *slot, rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "finding a body by its id", err));
    const uint64_t ids = world->bodies.ids;
    *slot = rps_world_slot(world, id);
    if (*slot != SIZE_MAX) return RPS_OK;
    if (id < ids) return rps_fail(err, RPS_BAD_INPUT, "body %llu was removed", (unsigned long long)id);
    if (ids == 0) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no body with id %llu; this world has none yet",
                        (unsigned long long)id);
    }
    return rps_fail(err, RPS_BAD_INPUT, "there is no body with id %llu; this world has given ids 0 to %llu",
                    (unsigned long long)id, (unsigned long long)(ids - 1));
}

bool rps_world_has_body(const rps_world *world, uint64_t id) {
    return rps_world_slot(world, id) != SIZE_MAX;
}

uint64_t rps_world_id_end(const rps_world *world) {
    return world->bodies.ids;
}

rps_status rps_world_body_position(const rps_world *world, uint64_t id, double position[3], rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(position);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    rps_world_unwrapped(world, slot, position);
    return RPS_OK;
}

rps_status rps_world_body_orientation(const rps_world *world, uint64_t id, double orientation[4], rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(orientation);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    memcpy(orientation, world->bodies.orientation[slot], sizeof *world->bodies.orientation);
    return RPS_OK;
}

rps_status rps_world_body_velocity(const rps_world *world, uint64_t id, double velocity[3], rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(velocity);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    memcpy(velocity, world->bodies.motion[slot].velocity, 3 * sizeof *velocity);
    return RPS_OK;
}

rps_status rps_world_body_angular_velocity(const rps_world *world, uint64_t id, double angular_velocity[3],
                                           rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(angular_velocity);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    memcpy(angular_velocity, world->bodies.motion[slot].angular_velocity, 3 * sizeof *angular_velocity);
    return RPS_OK;
}

/* --- velocities ----------------------------------------------------------------------------------------------------- */

void rps_change_add(rps_world *world, int which, double energy) {
    /* before the first evaluation every change belongs to the start */
    if (world->started) {
        rps_exact_sum_add(&world->change[which], energy);
        world->changed = true;
    } else {
        rps_exact_sum_add(&world->energy_brought, energy);
    }
}

void rps_change_merge(rps_world *world, int which, const rps_exact_sum *energy) {
    rps_exact_sum_merge(&world->change[which], energy);
    world->changed = true;
}

rps_status rps_world_find_free(const rps_world *world, uint64_t id, const char *what, size_t *slot, rps_error *err) {
    RPS_TRY(rps_world_find_body(world, id, slot, err));
    if (world->bodies.kind[*slot][0] == RPS_BODY_FREE) return RPS_OK;
    char name[RPS_BODY_NAME];
    const bool fixed = world->bodies.kind[*slot][0] == RPS_BODY_FIXED;
    return rps_fail(err, RPS_BAD_INPUT, "%s is %s, so that %s means nothing for it; %s",
                    rps_body_name(world, *slot, name, sizeof name), fixed ? "fixed" : "driven", what,
                    fixed ? "it does not move" : "it moves by its drive alone");
}

rps_status rps_check_given(const rps_world *world, size_t slot, const char *what, const double v[3], int planar_axis,
                           rps_error *err) {
    char name[RPS_BODY_NAME];
    if (!rps_finite3(v)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: %s is (%g, %g, %g); expected finite numbers",
                        rps_body_name(world, slot, name, sizeof name), what, v[0], v[1], v[2]);
    }
    if (world->options.dimension != 2) return RPS_OK;
    const bool in_plane = planar_axis == 1 ? v[0] == 0.0 && v[2] == 0.0 : v[1] == 0.0;
    if (in_plane) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s: %s is (%g, %g, %g); a planar world has %s",
                    rps_body_name(world, slot, name, sizeof name), what, v[0], v[1], v[2],
                    planar_axis == 1 ? "nothing but a part along y" : "no part along y");
}

rps_status rps_world_set_velocity(rps_world *world, uint64_t id, const double velocity[3], rps_error *err) {
    size_t slot;
    char name[RPS_BODY_NAME];
    RPS_GIVEN(world);
    RPS_GIVEN(velocity);
    RPS_TRY(rps_world_find_free(world, id, "a velocity", &slot, err));
    RPS_TRY(rps_check_given(world, slot, "velocity", velocity, 0, err));
    rps_bodies *bodies = &world->bodies;
    const rps_vec3 v = rps_vec3_of(velocity), axis = rps_vec3_of(bodies->lock_axis[slot]);
    /* 1e-9: accuracy of directions given with ten digits */
    if (fabs(rps_vec3_dot(v, axis)) > 1e-9 * rps_vec3_norm(v)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: its velocity has a part along lock_axis, along which it is held at 0",
                        rps_body_name(world, slot, name, sizeof name));
    }
    double *old = bodies->motion[slot].velocity;
    const double half = 0.5 * bodies->mass[slot][0];
    rps_change_add(world, RPS_CHANGE_EXTERNAL, -half * (old[0] * old[0] + old[1] * old[1] + old[2] * old[2]));
    rps_vec3_put(old, rps_vec3_flush(v));
    rps_change_add(world, RPS_CHANGE_EXTERNAL, half * (old[0] * old[0] + old[1] * old[1] + old[2] * old[2]));
    const double speed = rps_vec3_norm(v);
    if (speed > world->moved.speed) world->moved.speed = speed;
    return RPS_OK;
}

rps_status rps_world_set_angular_velocity(rps_world *world, uint64_t id, const double angular_velocity[3],
                                          rps_error *err) {
    size_t slot;
    char name[RPS_BODY_NAME];
    RPS_GIVEN(world);
    RPS_GIVEN(angular_velocity);
    RPS_TRY(rps_world_find_free(world, id, "an angular velocity", &slot, err));
    RPS_TRY(rps_check_given(world, slot, "angular velocity", angular_velocity, 1, err));
    rps_bodies *bodies = &world->bodies;
    const double *w = angular_velocity;
    if (bodies->locked[slot][0] && (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is locked and cannot turn, yet an angular velocity is given",
                        rps_body_name(world, slot, name, sizeof name));
    }
    rps_change_add(world, RPS_CHANGE_EXTERNAL, -rps_body_rotation_energy(bodies, slot));
    rps_vec3_put(bodies->motion[slot].angular_velocity, rps_vec3_flush(rps_vec3_of(w)));
    rps_body_start_rotation(bodies, slot);
    rps_change_add(world, RPS_CHANGE_EXTERNAL, rps_body_rotation_energy(bodies, slot));
    return RPS_OK;
}

/* --- user data ------------------------------------------------------------------------------------------------------ */

rps_status rps_world_body_user(const rps_world *world, uint64_t id, void **user, rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(user);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    *user = id < world->users ? world->user[id] : NULL;
    return RPS_OK;
}

rps_status rps_world_set_user(rps_world *world, uint64_t id, void *user, rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    if (id >= world->users) {
        void *table = world->user;
        RPS_TRY(rps_table_by_id(world, &table, &world->users, sizeof *world->user, err));
        world->user = table;
    }
    world->user[id] = user;
    return RPS_OK;
}

/* A table by id, created when first needed. It grows to the capacity of ids. */
rps_status rps_table_by_id(const rps_world *world, void **table, size_t *count, size_t item, rps_error *err) {
    const size_t wanted = world->bodies.id_capacity;
    size_t bytes;
    void *fresh;
    if (wanted <= *count) return RPS_OK;
    RPS_TRY(rps_size_of_items(wanted, item, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, bytes, &fresh, err));
    if (*count > 0) memcpy(fresh, *table, *count * item);
    rps_memory_release(world->allocator, *table, *count * item);
    *table = fresh;
    *count = wanted;
    return RPS_OK;
}
