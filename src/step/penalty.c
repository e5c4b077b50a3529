/*
 * The penalty stepper: one evaluation of contacts and bonds a step.
 */
#include <math.h>

#include "detect/detect.h"
#include "step/force_kick.h"
#include "step/penalty_joints.h"
#include "world/share.h"

static rps_status start_joints(rps_world *world, rps_error *err) {
    RPS_TRY(rps_nonsmooth_create(world, err));
    world->changed = true; /* by the work of drives */
    return rps_penalty_joints_start(world, world->nonsmooth, world->joint, &world->solver.redundant_rows, err);
}

/* The first half of motion, with joints. */
static rps_status start_joined(rps_world *world, rps_error *err) {
    const double time = rps_world_time(world);
    RPS_TRY(rps_nonsmooth_create(world, err)); /* of a restored world */
    if (world->servos) rps_servos_aim(world, world->driven, time);
    RPS_TRY(rps_penalty_joints_lead(world, world->nonsmooth, &world->bodies, world->joint,
                                    &world->change[RPS_CHANGE_DRIVES], err));
    rps_motion_start(world, time);
    rps_penalty_joints_unload(world, world->nonsmooth, &world->bodies);
    return RPS_OK;
}

static rps_status finish_joined(rps_world *world, rps_error *err) {
    return rps_penalty_joints_follow(world, world->nonsmooth, &world->bodies, world->joint,
                                     &world->change[RPS_CHANGE_DRIVES], err);
}

rps_status rps_world_start(rps_world *world, rps_error *err) {
    RPS_GIVEN(world);
    if (world->started) { /* bodies added since: their contacts begin in the next step */
        return RPS_OK;
    }
    if (world->options.contacts) world->keep_contacts = true;
    if (world->options.stepper == RPS_NONSMOOTH) {
        return rps_nonsmooth_start(world, err);
    }
    RPS_TRY(rps_guard_begin(world, err));
    world->moved.speed = 0.0;
    world->evaluated = false;
    RPS_TRY(rps_detect_update(world, err));
    RPS_TRY(rps_evaluate(world, 0.0, err));
    if (rps_world_is_wet(world)) RPS_TRY(rps_liquid_move(world, &world->liquid, &world->contacts, err));
    rps_surfaces_book(world, world->driven, &world->bodies, 0.0);
    rps_shear_account(world, true);
    if (world->bonds.count > 0) RPS_TRY(rps_bonds_evaluate(world, &world->bonds, 0.0, err));
    rps_motion_finish(world, rps_world_time(world), true);
    if (world->bonds.count > 0) rps_bonds_finish(world, &world->bonds, &world->bodies);
    if (world->joints > 0) RPS_TRY(start_joints(world, err));
    rps_exact_sum energy[RPS_ROLE_COUNT];
    RPS_TRY(rps_evaluate_energy(world, energy, err));
    rps_joints_energy(world, &energy[RPS_ROLE_NORMAL]);
    rps_exact_sum all;
    rps_exact_sum_clear(&all);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        rps_exact_sum_merge(&all, &energy[role]);
    }
    world->energy_first = rps_exact_sum_value(&all);
    world->started = true;
    return rps_guard_contacts(world, err);
}

static rps_status forces_act(rps_world *world, bool first, rps_error *err) {
    const bool verlet = world->options.integrator == RPS_VERLET;
    const double kick = verlet ? 0.5 * world->step : first ? world->step : 0.0;
    return rps_forces_act(world, &world->forces, &world->bodies, kick, first, err);
}

/* If nothing observes the state between two steps, one pass does the second half of one and the first half of the
 * next. */
static rps_status penalty_steps(rps_world *world, uint64_t steps, rps_error *err) {
    const bool bonded = world->bonds.count > world->bonds.broken, joined = world->joints > 0;
    const bool forced = world->forces.count > 0;
    const bool wet = rps_world_is_wet(world);
    const bool conducts = world->heat.on && world->heat.options.conduction;
    bool moved = false; /* the first half of the step is done */
    for (uint64_t n = 0; n < steps; n++) {
        if (forced) RPS_TRY(forces_act(world, true, err));
        if (joined) RPS_TRY(start_joined(world, err));
        if (!moved && !joined) rps_motion_start(world, rps_world_time(world));
        world->steps++;
        rps_status status = rps_shear_advance(world, err);
        if (status == RPS_OK) status = rps_share_follow(world, err);
        if (status == RPS_OK) rps_motion_copies(world, &world->moved);
        if (status == RPS_OK) status = rps_guard_motion(world, err);
        if (status != RPS_OK) {
            if (moved) rps_motion_finish(world, rps_world_time(world), true); /* observers see the last loads */
            return status;
        }
        const bool pauses = rps_share_pauses(world);
        world->evaluated = false;
        const bool opening = world->bonds.opening > 0;
        world->lists_stale = world->lists_stale || opening;
        world->keep_contacts = world->keep_contacts || conducts;
        RPS_TRY(rps_detect_update(world, err));
        RPS_TRY(rps_evaluate(world, world->step, err));
        if (wet) RPS_TRY(rps_liquid_move(world, &world->liquid, &world->contacts, err));
        if (world->heat.on) RPS_TRY(rps_heat_flow(world, &world->heat, err));
        rps_surfaces_book(world, world->driven, &world->bodies, world->step);
        if (opening) rps_bonds_book_contacts(world);
        if (world->loads.bodies > 0) RPS_TRY(rps_surface_loads_add(world, &world->loads, err));
        rps_shear_account(world, false);
        if (bonded) RPS_TRY(rps_bonds_evaluate(world, &world->bonds, world->step, err));
        moved = n + 1 < steps && !bonded && !joined && !world->servos && !world->external_acts && !world->in_fluid &&
                !forced && !pauses && !rps_guard_looks(world);
        if (moved) {
            rps_motion_kick_drift(world, rps_world_time(world));
        } else {
            if (joined) rps_penalty_joints_keep(world, world->nonsmooth);
            if (bonded) rps_bonds_kick(world, &world->bodies);
            rps_motion_finish(world, rps_world_time(world), false);
            if (forced) RPS_TRY(forces_act(world, false, err));
            if (bonded) rps_bonds_finish(world, &world->bonds, &world->bodies);
            if (joined) RPS_TRY(finish_joined(world, err));
            RPS_TRY(rps_guard_contacts(world, err));
        }
        if (pauses) break;
    }
    return RPS_OK;
}

/* Steps of either stepper. */
static rps_status advance(rps_world *world, uint64_t steps, rps_error *err) {
    if (world->options.stepper == RPS_PENALTY) return penalty_steps(world, steps, err);
    for (uint64_t n = 0; n < steps; n++) {
        RPS_TRY(rps_nonsmooth_step(world, err));
        if (world->loads.bodies > 0) RPS_TRY(rps_surface_loads_add(world, &world->loads, err));
    }
    return RPS_OK;
}

rps_status rps_world_step(rps_world *world, uint64_t steps, rps_error *err) {
    RPS_GIVEN(world);
    const bool log = world->options.contacts; /* of the last step alone */
    if (log) RPS_TRY(rps_contact_events_begin(world, err));
    RPS_TRY(rps_world_start(world, err));
    if (!log) return advance(world, steps, err);
    world->keep_contacts = false;
    if (steps > 1) RPS_TRY(advance(world, steps - 1, err));
    world->keep_contacts = true;
    if (steps > 0) RPS_TRY(advance(world, 1, err));
    return rps_contact_events_update(world, err);
}
