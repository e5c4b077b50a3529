/* Removes bodies with their contacts; accounts of the world take over their energies, so that the ledger still
 * closes. */
#include <repose/body.h>

#include <string.h>

#include "detect/detect.h"
#include "step/step_stages.h"
#include "world/fluid.h"

static rps_status check_removable(const rps_world *world, size_t slot, rps_error *err) {
    char name[RPS_BODY_NAME], of[RPS_BODY_NAME];
    const uint64_t id = world->bodies.id[slot][0];
    rps_body_name(world, slot, name, sizeof name);
    if (world->bodies.kind[slot][0] == RPS_BODY_DRIVEN) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is driven, and its drive belongs to the set-up: it cannot be removed",
                        name);
    }
    for (size_t k = 0; k < world->drives; k++) {
        const rps_drive *drive = &world->driven[k].now;
        bool named = drive->kind == RPS_DRIVE_MIRROR && drive->mirror == id;
        for (int n = 0; n < 2 * drive->spans; n++) named = named || drive->span[n / 2][n % 2] == id;
        if (!named) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s cannot be removed: the drive of %s names it", name,
                        rps_body_name(world, rps_world_slot(world, world->driven[k].body), of, sizeof of));
    }
    return rps_world_check_unjoined(world, slot, "cannot be removed", err);
}

static rps_status mark_bodies(const rps_world *world, const uint64_t *id, size_t count, uint8_t *mark, rps_error *err) {
    for (size_t n = 0; n < count; n++) {
        size_t slot;
        RPS_TRY(rps_world_find_body(world, id[n], &slot, err));
        if (mark[slot]) {
            return rps_fail(err, RPS_BAD_INPUT, "body %llu is named twice among those to be removed",
                            (unsigned long long)id[n]);
        }
        RPS_TRY(check_removable(world, slot, err));
        mark[slot] = 1;
    }
    return RPS_OK;
}

/* Energy of a body, and its accounts. `before` the start, the energy that it brought is subtracted. */
static void take_accounts(rps_world *world, size_t slot) {
    rps_bodies *bodies = &world->bodies;
    const uint64_t id = bodies->id[slot][0];
    const double sign = world->started ? 1.0 : -1.0;
    if (bodies->kind[slot][0] == RPS_BODY_FREE) {
        const double *v = bodies->motion[slot].velocity, mass = bodies->mass[slot][0];
        double x[3];
        rps_world_unwrapped(world, slot, x);
        rps_change_add(world, RPS_CHANGE_REMOVED, sign * rps_fluid_potential(world, slot));
        rps_change_add(world, RPS_CHANGE_REMOVED, sign * rps_force_potential(world, slot));
        rps_change_add(world, RPS_CHANGE_REMOVED, sign * (0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
        rps_change_add(world, RPS_CHANGE_REMOVED, sign * rps_body_rotation_energy(bodies, slot));
        for (int k = 0; k < 3; k++) {
            rps_change_add(world, RPS_CHANGE_REMOVED, sign * (-mass * world->options.gravity[k] * x[k]));
        }
    }
    for (int k = 0; k < RPS_ACCOUNTS; k++)
        rps_change_add(world, RPS_CHANGE_DISSIPATED + k, bodies->dissipated[slot][k]);
    rps_change_add(world, RPS_CHANGE_DRIVES, bodies->load[slot].work[0]);
    rps_external_end(world, id);
    if (id < world->users) world->user[id] = NULL;
}

static rps_status remove_marked(rps_world *world, const uint8_t *mark, rps_error *err) {
    const size_t count = world->bodies.count;
    rps_exact_sum stored;
    rps_exact_sum_clear(&stored);
    RPS_TRY(rps_evaluate_reserve(world, err));
    for (size_t s = 0; s < count; s++) {
        if (mark[s]) rps_contacts_energy_of(world, s, mark, &stored);
    }
    RPS_TRY(rps_detect_remove_reserve(world, err));
    for (size_t s = 0; s < count; s++) {
        if (mark[s]) take_accounts(world, s);
    }
    if (world->started) rps_change_add(world, RPS_CHANGE_REMOVED, rps_exact_sum_value(&stored));
    rps_liquid_leave(world, &world->liquid, &world->contacts, mark);
    rps_bonds_remove_marked(world, mark);
    rps_detect_remove(world, mark);
    rps_external_find_active(world);
    return RPS_OK;
}

rps_status rps_world_remove_bodies(rps_world *world, const uint64_t *id, size_t count, rps_error *err) {
    void *mark;
    RPS_GIVEN(world);
    if (count == 0) return RPS_OK;
    RPS_GIVEN(id);
    const size_t bytes = world->bodies.count + 1; /* 1: a world without bodies */
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, bytes, &mark, err));
    rps_status status = mark_bodies(world, id, count, mark, err);
    if (status == RPS_OK) status = remove_marked(world, mark, err);
    rps_memory_release(world->allocator, mark, bytes);
    return status;
}
