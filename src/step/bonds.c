/*
 * Bonds in a step of the penalty stepper. After the contacts, every intact bond is evaluated on its own; then each body
 * adds its bonds in the order of pairs. So results depend neither on threads nor on slots.
 *
 * A bond that breaks acts to the end of the step in which its law says so, and not at all in the next one. Its stored
 * energy is booked as dissipated at that time, so that the ledger closes as well as in a step without a break.
 */
#include <math.h>
#include <string.h>

#include "base/flush.h"
#include "detect/detect.h"
#include "step/bond_motion.h"
#include "step/step_stages.h"

static const rps_bond_law *law_of(const rps_world *world, const rps_bond *bond) {
    return world->bonds.setting[(size_t)bond->record.setting].law;
}

static void evaluate_law(const rps_world *world, const rps_bond *bond, double *memory, const rps_bond_motion *motion,
                         rps_bond_loads *loads) {
    memset(loads, 0, sizeof *loads);
    law_of(world, bond)->evaluate(bond->constant, &motion->strain, memory, loads);
}

/* The loads at the places of the last evaluation. */
static void bond_loads_now(const rps_world *world, const rps_bond *bond, rps_bond_motion *motion,
                           rps_bond_loads *loads) {
    double memory[RPS_BOND_MEMORY];
    memcpy(memory, bond->record.memory, sizeof memory);
    rps_bond_motion_of(world, bond, motion);
    evaluate_law(world, bond, memory, motion, loads);
}

static bool turned_too_far(const rps_bond_motion *motion) {
    const double most = 0.5 * RPS_BOND_MOST_ROTATION;
    return !(rps_vec3_norm2(motion->half) <= most * most);
}

static rps_status refuse_rotation(const rps_world *world, const rps_bond *bond, rps_error *err) {
    return rps_fail(err, RPS_GUARD,
                    "the bond of bodies %llu and %llu is turned by more than %g rad at t = %.9g s (step %llu): beyond "
                    "half a turn its loads are not defined\ngive the bond a strength at which it breaks before, or "
                    "choose a stiffer one",
                    (unsigned long long)bond->body[0], (unsigned long long)bond->body[1], RPS_BOND_MOST_ROTATION,
                    rps_world_time(world), (unsigned long long)world->steps);
}

/* False if the bond is turned too far. */
static bool evaluate_bond(const rps_world *world, rps_bond *bond, double dt) {
    rps_bond_motion motion;
    rps_bond_loads loads;
    if (dt > 0.0) {
        rps_bond_motion_on(world, bond, &bond->record.path, &motion);
        motion.strain.dt = dt;
    } else {
        rps_bond_motion_of(world, bond, &motion);
    }
    evaluate_law(world, bond, bond->record.memory, &motion, &loads);
    for (int k = 0; k < RPS_BOND_MEMORY; k++) bond->record.memory[k] = rps_flush(bond->record.memory[k]);
    bond->record.dissipated += loads.dissipated;
    bond->breaking = loads.broken > 0 && loads.broken <= RPS_BOND_FAILURES ? loads.broken : loads.broken != 0;
    rps_bond_wrench_of(world, &motion, &loads, &bond->wrench);
    return !turned_too_far(&motion);
}

/* An evaluation under way. */
typedef struct bond_pass {
    const rps_world *world;
    rps_bond *bond; /* all of them; written */
    double dt;
    rps_lock lock; /* of both below */
    bool breaking, turned;
} bond_pass;

static void evaluate_bonds_part(void *context, rps_part part) {
    bond_pass *pass = context;
    bool breaking = false, turned = false;
    for (size_t k = part.begin; k < part.end; k++) {
        rps_bond *bond = &pass->bond[k];
        if (!rps_bond_intact(bond)) continue;
        turned = !evaluate_bond(pass->world, bond, pass->dt) || turned;
        breaking = breaking || bond->breaking != 0;
    }
    if (!breaking && !turned) return;
    rps_lock_take(&pass->lock);
    pass->breaking = pass->breaking || breaking;
    pass->turned = pass->turned || turned;
    rps_lock_give(&pass->lock);
}

rps_status rps_bonds_evaluate(const rps_world *world, rps_bonds *bonds, double dt, rps_error *err) {
    const size_t count = bonds->count;
    bond_pass pass = {.world = world, .bond = bonds->bond, .dt = dt, .lock = RPS_LOCK_OPEN};
    RPS_TRY(rps_bonds_index(world, bonds, err));
    rps_parallel_for(rps_step_workers(world, count), count, evaluate_bonds_part, &pass);
    bonds->breaking = pass.breaking;
    for (size_t k = 0; k < count && pass.turned; k++) {
        rps_bond_motion motion;
        rps_bond_motion_of(world, &bonds->bond[k], &motion);
        if (rps_bond_intact(&bonds->bond[k]) && turned_too_far(&motion)) {
            return refuse_rotation(world, &bonds->bond[k], err);
        }
    }
    return RPS_OK;
}

/* --- loads on bodies ------------------------------------------------------------------------------------------------ */

/* Sum of the bonds of the body number b of the index; intact: without those that break now. */
static void sum_of_bonds(const rps_bonds *bonds, size_t b, bool intact, rps_vec3 *force, rps_vec3 *torque) {
    *force = *torque = rps_vec3_zero();
    for (size_t k = bonds->body_begin[b]; k < bonds->body_begin[b + 1]; k++) {
        const size_t end = bonds->end[k].end, side = end % 2;
        const rps_bond *bond = &bonds->bond[end / 2];
        if (intact && bond->breaking) continue;
        *force = rps_vec3_add_scaled(*force, side == 0 ? 1.0 : -1.0, bond->wrench.force);
        *torque = rps_vec3_add(*torque, bond->wrench.torque[side]);
    }
}

/* The second half kick of a free body, and the work of the drive of a driven one: mean load times displacement. */
static void bonds_act(const rps_world *world, rps_bodies *bodies, size_t s, rps_vec3 force, rps_vec3 torque,
                      double kick) {
    const rps_motion *m = &bodies->motion[s];
    if (bodies->kind[s][0] == RPS_BODY_FREE) {
        if (kick > 0.0) rps_motion_kick_body(bodies, s, world->axes_locked, force, torque, kick);
        return;
    }
    if (bodies->kind[s][0] != RPS_BODY_DRIVEN) return;
    const double power =
        rps_vec3_dot(force, rps_vec3_of(m->velocity)) + rps_vec3_dot(torque, rps_vec3_of(m->angular_velocity));
    double *work = bodies->load[s].work;
    work[0] = rps_flush(work[0] - 0.5 * world->step * power);
}

/* Bodies with bonds, whose loads or velocities are written. */
typedef struct bonded_bodies {
    const rps_world *world;
    rps_bodies *bodies;
} bonded_bodies;

static void kick_bonds_part(void *context, rps_part part) {
    const bonded_bodies *bonded = context;
    const rps_world *world = bonded->world;
    const rps_bonds *bonds = &world->bonds;
    const double kick = world->options.integrator == RPS_VERLET ? 0.5 * world->step : 0.0;
    for (size_t b = part.begin; b < part.end; b++) {
        const size_t s = world->bodies.slot_of[bonds->end[bonds->body_begin[b]].body];
        rps_vec3 force, torque;
        sum_of_bonds(bonds, b, false, &force, &torque);
        bonds_act(world, bonded->bodies, s, force, torque, kick);
    }
}

void rps_bonds_kick(const rps_world *world, rps_bodies *bodies) {
    const size_t count = world->bonds.bodies;
    bonded_bodies bonded = {world, bodies};
    rps_parallel_for(rps_step_workers(world, count), count, kick_bonds_part, &bonded);
}

static void break_bonds(rps_bonds *bonds, double time) {
    for (size_t k = 0; k < bonds->count && bonds->breaking; k++) {
        rps_bond *bond = &bonds->bond[k];
        if (!bond->breaking) continue;
        bond->record.dissipated += bond->wrench.stored;
        bond->record.failure = bond->breaking;
        bond->record.broken_at = time;
        bond->breaking = 0;
        memset(&bond->wrench, 0, sizeof bond->wrench);
        bonds->broken++;
        bonds->breaks++;
        bonds->stale = true;
        if (bond->record.contact != RPS_BOND_CONTACT_NONE) continue;
        bonds->without_contact--;
        bonds->opening++; /* the lists change in the next step, so that the contacts of this one can be read */
    }
}

void rps_bonds_book_contacts(rps_world *world) {
    rps_bonds *bonds = &world->bonds;
    rps_exact_sum stored;
    rps_exact_sum_clear(&stored);
    for (size_t k = 0; k < bonds->count && bonds->opening > 0; k++) {
        rps_bond *bond = &bonds->bond[k];
        if (rps_bond_intact(bond) || bond->record.contact != RPS_BOND_CONTACT_NONE) continue;
        rps_contacts_energy_between(world, world->bodies.slot_of[bond->body[0]], world->bodies.slot_of[bond->body[1]],
                                    &stored);
        bond->record.contact = RPS_BOND_CONTACT_BESIDE;
        bonds->opening--;
    }
    rps_change_add(world, RPS_CHANGE_EXTERNAL, rps_exact_sum_value(&stored));
}

/* Adds bonds to the loads of bodies, for the first half of the next step and for results. */
static void load_bonds_part(void *context, rps_part part) {
    const bonded_bodies *bonded = context;
    const rps_bonds *bonds = &bonded->world->bonds;
    rps_bodies *bodies = bonded->bodies;
    for (size_t b = part.begin; b < part.end; b++) {
        const size_t s = bodies->slot_of[bonds->end[bonds->body_begin[b]].body];
        rps_vec3 force, torque;
        if (bodies->kind[s][0] == RPS_BODY_FIXED) continue;
        sum_of_bonds(bonds, b, true, &force, &torque);
        double *f = bodies->load[s].force, *t = bodies->load[s].torque;
        rps_vec3_put(f, rps_vec3_flush(rps_vec3_add(rps_vec3_of(f), force)));
        rps_vec3_put(t, rps_vec3_flush(rps_vec3_add(rps_vec3_of(t), torque)));
    }
}

void rps_bonds_finish(const rps_world *world, rps_bonds *bonds, rps_bodies *bodies) {
    const size_t count = bonds->bodies;
    bonded_bodies bonded = {world, bodies};
    rps_parallel_for(rps_step_workers(world, count), count, load_bonds_part, &bonded);
    break_bonds(bonds, rps_world_time(world));
}

/* --- energy --------------------------------------------------------------------------------------------------------- */

static double bond_energy(const rps_world *world, const rps_bond *bond) {
    rps_bond_motion motion;
    rps_bond_loads loads;
    bond_loads_now(world, bond, &motion, &loads);
    return loads.stored;
}

void rps_bonds_energy(const rps_world *world, rps_exact_sum *stored, rps_exact_sum *dissipated) {
    const rps_bonds *bonds = &world->bonds;
    rps_exact_sum_merge(dissipated, &bonds->dissipated);
    for (size_t k = 0; k < bonds->count; k++) {
        const rps_bond *bond = &bonds->bond[k];
        rps_exact_sum_add(dissipated, bond->record.dissipated);
        if (rps_bond_intact(bond)) rps_exact_sum_add(stored, bond_energy(world, bond));
    }
}

/* --- removal -------------------------------------------------------------------------------------------------------- */

/* A body that stays does not feel the bond in the coming step: the loads of a step are those at its start. */
static void unload(rps_bodies *bodies, const rps_bond *bond, const rps_bond_wrench *wrench, int side) {
    const size_t s = bodies->slot_of[bond->body[side]];
    double *f = bodies->load[s].force, *t = bodies->load[s].torque;
    if (bodies->kind[s][0] == RPS_BODY_FIXED) return;
    rps_vec3_put(f, rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(f), side == 0 ? -1.0 : 1.0, wrench->force)));
    rps_vec3_put(t, rps_vec3_flush(rps_vec3_sub(rps_vec3_of(t), wrench->torque[side])));
}

static void end_bond(rps_world *world, const rps_bond *bond) {
    rps_bond_motion motion;
    rps_bond_loads loads;
    rps_bond_wrench wrench;
    if (!rps_bond_intact(bond) || !world->started) return;
    bond_loads_now(world, bond, &motion, &loads);
    rps_bond_wrench_of(world, &motion, &loads, &wrench);
    rps_change_add(world, RPS_CHANGE_REMOVED, loads.stored);
    for (int side = 0; side < 2; side++) unload(&world->bodies, bond, &wrench, side);
}

rps_status rps_world_remove_bond(rps_world *world, uint64_t a, uint64_t b, rps_error *err) {
    RPS_GIVEN(world);
    const rps_bond *bond = rps_bond_of(&world->bonds, a, b);
    if (!bond) {
        return rps_fail(err, RPS_BAD_INPUT, "bodies %llu and %llu have no bond to remove", (unsigned long long)a,
                        (unsigned long long)b);
    }
    const bool contact = rps_bond_intact(bond) && bond->record.contact == RPS_BOND_CONTACT_NONE;
    if (contact && world->started &&
        rps_detect_gap(world, rps_world_slot(world, bond->body[0]), rps_world_slot(world, bond->body[1])) < 0.0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the bond of bodies %llu and %llu keeps them from touching, and they overlap: nothing would "
                        "have brought the energy of their contact; let it break, or remove one of the bodies",
                        (unsigned long long)bond->body[0], (unsigned long long)bond->body[1]);
    }
    end_bond(world, bond);
    rps_bonds_drop(world, (size_t)(bond - world->bonds.bond));
    return RPS_OK;
}

void rps_bonds_remove_marked(rps_world *world, const uint8_t *mark) {
    for (size_t k = 0; k < world->bonds.count; k++) {
        const rps_bond *bond = &world->bonds.bond[k];
        if (mark[world->bodies.slot_of[bond->body[0]]] || mark[world->bodies.slot_of[bond->body[1]]]) {
            end_bond(world, bond);
        }
    }
    rps_bonds_drop_marked(world, mark);
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

static void state_of(const rps_world *world, const rps_bond *bond, rps_bond_state *out) {
    const rps_bond_law *law = law_of(world, bond);
    const bool intact = rps_bond_intact(bond);
    const char *failure = intact ? "" : law->failure[(int)bond->record.failure - 1];
    *out = (rps_bond_state){.law = law->name,
                            .body = {bond->body[0], bond->body[1]},
                            .length = bond->record.length,
                            .dissipated = bond->record.dissipated,
                            .broken = !intact,
                            .failure = failure ? failure : "unnamed",
                            .broken_at = intact ? NAN : bond->record.broken_at};
}

static rps_status read_bond(const rps_world *world, const rps_bond *bond, rps_bond_state *out, rps_error *err) {
    rps_bond_motion motion;
    rps_bond_loads loads;
    rps_bond_wrench wrench;
    double x[3];
    state_of(world, bond, out);
    rps_bond_motion_of(world, bond, &motion);
    rps_world_unwrapped(world, world->bodies.slot_of[bond->body[0]], x);
    rps_vec3_put(out->point, rps_vec3_add_scaled(rps_vec3_add(rps_vec3_of(x), motion.arm[0]), 0.5, motion.between));
    memcpy(out->stretch, motion.strain.stretch, sizeof out->stretch);
    memcpy(out->rotation, motion.strain.rotation, sizeof out->rotation);
    if (out->broken) return RPS_OK;
    if (turned_too_far(&motion)) return refuse_rotation(world, bond, err);
    bond_loads_now(world, bond, &motion, &loads);
    rps_bond_wrench_of(world, &motion, &loads, &wrench);
    memcpy(out->load, loads.force, sizeof loads.force);
    memcpy(out->load + 3, loads.torque, sizeof loads.torque);
    rps_vec3_put(out->force, wrench.force);
    for (int side = 0; side < 2; side++) rps_vec3_put(out->torque[side], wrench.torque[side]);
    out->stored = loads.stored;
    return RPS_OK;
}

rps_status rps_world_bond_at(const rps_world *world, size_t index, rps_bond_state *out, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    if (index >= world->bonds.count) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no bond number %zu; the world has %zu", index,
                        world->bonds.count);
    }
    return read_bond(world, &world->bonds.bond[index], out, err);
}

rps_status rps_world_bond(const rps_world *world, uint64_t a, uint64_t b, rps_bond_state *out, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    const rps_bond *bond = rps_bond_of(&world->bonds, a, b);
    if (bond) return read_bond(world, bond, out, err);
    return rps_fail(err, RPS_BAD_INPUT, "bodies %llu and %llu have no bond", (unsigned long long)a,
                    (unsigned long long)b);
}
