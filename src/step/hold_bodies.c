/* Holds free and driven bodies in place, and releases fixed and driven ones, on request of the program. */
#include <repose/body.h>

#include <string.h>

#include "step/change.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/fluid.h"

/* J, of a body as it is: a fixed one has none. */
static double energy_of(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    const double *v = bodies->motion[slot].velocity, *g = world->options.gravity, mass = bodies->mass[slot][0];
    double x[3];
    if (bodies->kind[slot][0] != RPS_BODY_FREE) return 0.0;
    rps_world_unwrapped(world, slot, x);
    return 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + rps_body_rotation_energy(bodies, slot) -
           mass * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]) + rps_fluid_potential(world, slot) +
           rps_force_potential(world, slot);
}

/* A driven body can leave its drive if nothing else goes by the drive. */
static rps_status check_leaves_drive(const rps_world *world, size_t slot, const char *name, const char *verb,
                                     rps_error *err) {
    const rps_drive_state *driven = &world->driven[world->bodies.drive[slot][0]];
    if (driven->partner >= 0) {
        char other[RPS_BODY_NAME];
        rps_body_name(world, rps_world_slot(world, world->driven[driven->partner].body), other, sizeof other);
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s %s: it and %s move as mirror images; give both another drive before, such as `off`", name,
                        verb, other);
    }
    if (driven->runs) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s %s: its surface runs, which surfaces of fixed and free bodies do not; give its drive "
                        "another `surface_velocity`",
                        name, verb);
    }
    if (world->share != NULL) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "%s %s in a share of a world, where driven bodies are common to all shares", name, verb);
    }
    return RPS_OK;
}

static rps_status check_kind_change(const rps_world *world, size_t slot, rps_body_kind kind, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    char name[RPS_BODY_NAME];
    rps_body_name(world, slot, name, sizeof name);
    const char *verb = kind == RPS_BODY_FIXED ? "cannot be held" : "cannot be released";
    if (bodies->kind[slot][0] == RPS_BODY_DRIVEN) RPS_TRY(check_leaves_drive(world, slot, name, verb, err));
    if (kind == RPS_BODY_FREE && rps_body_is_plane(bodies, slot)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s %s: a plane has no end, so that it cannot move freely", name, verb);
    }
    if (kind == RPS_BODY_FREE && !(bodies->mass[slot][0] > 0.0 && rps_mean_inertia(bodies->inertia[slot]) > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s %s, since it has no mass; give it `mass`, or its material a density",
                        name, verb);
    }
    if (kind == RPS_BODY_FREE && (rps_body_has_sheets(world, slot) || rps_body_is_sheets(world, slot))) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s %s: walls without thickness, and meshes but of solids, are fixed or driven", name, verb);
    }
    if (world->cell.sheared) {
        return rps_fail(err, RPS_UNSUPPORTED, "%s %s in a sheared cell, which has free bodies only", name, verb);
    }
    return rps_world_check_unjoined(world, slot, verb, err);
}

/* The drive stays as one that does nothing, since drives are numbered. */
static void leave_drive(rps_drive_state *driven, int32_t *which) {
    driven->now = (rps_drive){.until = -1.0};
    driven->speed = driven->shift = 0.0;
    driven->is_servo = false;
    driven->table = NULL;
    *which = -1;
}

static void put_kind(rps_world *world, size_t slot, rps_body_kind kind) {
    rps_bodies *bodies = &world->bodies;
    const uint64_t id = bodies->id[slot][0];
    const bool flies_on = bodies->kind[slot][0] == RPS_BODY_DRIVEN && kind == RPS_BODY_FREE;
    rps_change_add(world, RPS_CHANGE_CHANGED, -energy_of(world, slot));
    if (bodies->kind[slot][0] == RPS_BODY_DRIVEN) {
        int32_t *which = bodies->drive[slot];
        leave_drive(&world->driven[*which], which);
    }
    if (!flies_on) {
        memset(bodies->motion[slot].velocity, 0, sizeof bodies->motion[slot].velocity);
        memset(bodies->motion[slot].angular_velocity, 0, sizeof bodies->motion[slot].angular_velocity);
    }
    memset(bodies->angular_momentum[slot], 0, sizeof bodies->angular_momentum[slot]);
    memset(bodies->load[slot].force, 0, sizeof bodies->load[slot].force);
    memset(bodies->load[slot].torque, 0, sizeof bodies->load[slot].torque);
    bodies->kind[slot][0] = (int32_t)kind;
    if (kind == RPS_BODY_FREE) rps_body_start_rotation(bodies, slot);
    rps_change_add(world, RPS_CHANGE_CHANGED, energy_of(world, slot));
    if (kind == RPS_BODY_FIXED) rps_external_end(world, id); /* only free bodies feel loads of the program */
}

rps_status rps_world_set_kind(rps_world *world, const uint64_t *id, size_t count, rps_body_kind kind, rps_error *err) {
    rps_change change;
    size_t slot;
    RPS_GIVEN(world);
    if (count == 0) return RPS_OK;
    RPS_GIVEN(id);
    if (kind != RPS_BODY_FREE && kind != RPS_BODY_FIXED) {
        return rps_fail(err, RPS_BAD_INPUT, "a body can become free or fixed, not kind number %d", (int)kind);
    }
    for (size_t k = 0; k < count; k++) {
        RPS_TRY(rps_world_find_body(world, id[k], &slot, err));
        RPS_TRY(check_kind_change(world, slot, kind, err));
    }
    rps_status status = rps_change_begin(world, &change, err);
    for (size_t k = 0; k < count && status == RPS_OK; k++) {
        slot = rps_world_slot(world, id[k]);
        if (world->bodies.kind[slot][0] != (int32_t)kind) put_kind(world, slot, kind);
    }
    if (status == RPS_OK) {
        rps_bodies_derive(world);
        rps_external_find_active(world);
        world->lists_stale = true;
        status = rps_change_finish(world, &change, err);
    }
    rps_change_release(&change);
    return status;
}
