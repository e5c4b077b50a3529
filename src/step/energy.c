/*
 * The energy ledger: every term from the state or from the laws' own accounts, none as a remainder.
 *
 *   residual = kinetic + gravity + elastic + dissipated + handover + bonds + removed - drives - shear - external
 *              - changed - start + buoyancy + drag - flow - forces + potential
 *
 * Sums over bodies and contacts are exact, so they do not depend on the order of bodies. Stored energies come from an
 * evaluation of the present state without motion; the bodies accumulate dissipation step by step.
 */
#include <math.h>
#include <string.h>

#include "step/ledger_terms.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/fluid.h"
#include "world/share.h"

static double energy_total(const rps_exact_sum *sum) {
    return rps_exact_sum_value(sum);
}

static void kinetic(const rps_world *world, rps_exact_sum *translation, rps_exact_sum *rotation, rps_exact_sum *gravity,
                    rps_exact_sum *buoyancy, rps_exact_sum *potential) {
    const rps_bodies *bodies = &world->bodies;
    const double *g = world->options.gravity;
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE || !rps_share_counts_body(world->share, s)) {
            continue;
        }
        const double *v = bodies->motion[s].velocity;
        const double m = bodies->mass[s][0];
        rps_exact_sum_add(translation, 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        rps_exact_sum_add(rotation, rps_body_rotation_energy(bodies, s));
        double x[3];
        rps_world_unwrapped(world, s, x);
        for (int k = 0; k < 3; k++) { /* axis by axis, to avoid cancellation */
            rps_exact_sum_add(gravity, -m * g[k] * x[k]);
        }
        if (world->in_fluid) rps_exact_sum_add(buoyancy, rps_fluid_potential(world, s));
        rps_exact_sum_add(potential, rps_force_potential(world, s));
    }
}

/* Dissipated energies, damping, slide, roll, spin, and the work of drives. */
static void account_of_bodies(const rps_world *world, rps_exact_sum spent[RPS_ACCOUNTS], rps_exact_sum *work) {
    for (int k = 0; k < RPS_ACCOUNTS; k++) spent[k] = world->boundary_dissipated[k];
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (!rps_share_counts_body(world->share, s)) continue;
        for (int k = 0; k < RPS_ACCOUNTS; k++) rps_exact_sum_add(&spent[k], world->bodies.dissipated[s][k]);
        rps_exact_sum_add(work, world->bodies.load[s].work[0]);
    }
}

/* A term that overflows makes the residual meaningless. */
static rps_status check_terms(const rps_world *world, const rps_ledger *ledger, rps_error *err) {
    rps_ledger_term term[RPS_LEDGER_TERMS];
    const size_t terms = rps_ledger_terms(ledger, term);
    for (size_t k = 0; k < terms; k++) {
        if (isfinite(term[k].value)) continue;
        return rps_fail(
            err, RPS_GUARD,
            "guard `ledger`: the energy ledger has no number for the %s (%g) at t = %.9g s (step %llu): some value is "
            "beyond "
            "the range of numbers\nlook for positions, speeds or stiffnesses that are far too large, and for "
            "a step above the stability limit (`run: {step: auto}`)",
            term[k].meaning, term[k].value, rps_world_time(world), (unsigned long long)rps_world_steps(world));
    }
    return RPS_OK;
}

rps_status rps_world_ledger(rps_world *world, rps_ledger *ledger, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(ledger);
    if (!world->options.ledger) {
        return rps_fail(err, RPS_UNSUPPORTED, "this world keeps no energy ledger: set `ledger: true` in run");
    }
    RPS_TRY(rps_world_start(world, err));
    rps_exact_sum translation, rotation, gravity, energy[RPS_ROLE_COUNT], spent[RPS_ACCOUNTS], work;
    rps_exact_sum change[RPS_CHANGES];
    memcpy(change, world->change, sizeof change);
    rps_share_sum(world, RPS_CHANGES, change);
    rps_exact_sum external = change[RPS_CHANGE_EXTERNAL];
    rps_external_work(world, &external);
    rps_exact_sum_clear(&translation);
    rps_exact_sum_clear(&rotation);
    rps_exact_sum_clear(&gravity);
    rps_exact_sum_clear(&work);
    rps_exact_sum bonds_stored = work, bonds_dissipated = work, buoyancy = work, potential = work, forced = work;
    for (size_t k = 0; k < world->forces.count; k++) rps_exact_sum_merge(&forced, &world->forces.field[k].work);
    rps_bonds_energy(world, &bonds_stored, &bonds_dissipated);
    kinetic(world, &translation, &rotation, &gravity, &buoyancy, &potential);
    rps_share_sum(world, 1, &translation);
    rps_share_sum(world, 1, &rotation);
    rps_share_sum(world, 1, &gravity);
    if (world->in_fluid) rps_share_sum(world, 1, &buoyancy);
    if (world->options.stepper == RPS_NONSMOOTH) {
        rps_nonsmooth_energy(world, energy);
    } else {
        RPS_TRY(rps_evaluate_energy(world, energy, err));
        rps_joints_energy(world, &energy[RPS_ROLE_NORMAL]);
    }
    account_of_bodies(world, spent, &work);
    rps_share_sum(world, RPS_ACCOUNTS, spent);
    rps_share_sum(world, 1, &work);
    for (int k = 0; k < RPS_ACCOUNTS; k++) rps_exact_sum_merge(&spent[k], &change[RPS_CHANGE_DISSIPATED + k]);
    rps_exact_sum_merge(&work, &change[RPS_CHANGE_DRIVES]);
    *ledger = (rps_ledger){.kinetic_translation = energy_total(&translation),
                           .kinetic_rotation = energy_total(&rotation),
                           .gravity = energy_total(&gravity),
                           .drives = energy_total(&work),
                           .shear = world->shear.work,
                           .handover = energy_total(&change[RPS_CHANGE_HANDOVER]),
                           .bonds_stored = energy_total(&bonds_stored),
                           .bonds_dissipated = energy_total(&bonds_dissipated),
                           .external = energy_total(&external),
                           .removed = energy_total(&change[RPS_CHANGE_REMOVED]),
                           .changed = energy_total(&change[RPS_CHANGE_CHANGED]),
                           .buoyancy = energy_total(&buoyancy),
                           .drag = energy_total(&change[RPS_CHANGE_DRAG]),
                           .flow = energy_total(&change[RPS_CHANGE_FLOW]),
                           .forces = energy_total(&forced),
                           .potential = energy_total(&potential)};
    rps_exact_sum stored, dissipated;
    rps_exact_sum_clear(&stored);
    rps_exact_sum_clear(&dissipated);
    for (int r = 0; r < RPS_ROLE_COUNT; r++) {
        rps_exact_sum_merge(&stored, &energy[r]);
        const rps_role as = rps_role_stores_as((rps_role)r);
        if ((int)as == r) continue;
        rps_exact_sum_merge(&energy[as], &energy[r]);
        rps_exact_sum_clear(&energy[r]);
    }
    for (int r = 0; r < RPS_ROLE_COUNT; r++) ledger->elastic[r] = energy_total(&energy[r]);
    for (int k = 0; k < RPS_ACCOUNTS; k++) {
        ledger->dissipated[rps_account_role(k)] = energy_total(&spent[k]);
        rps_exact_sum_merge(&dissipated, &spent[k]);
    }
    ledger->start = energy_total(&world->energy_brought) + world->energy_first;
    /* the large terms cancel inside the exact sum */
    rps_exact_sum residual = translation;
    rps_exact_sum_merge(&residual, &rotation);
    rps_exact_sum_merge(&residual, &gravity);
    rps_exact_sum_merge(&residual, &stored);
    rps_exact_sum_merge(&residual, &dissipated);
    rps_exact_sum_merge(&residual, &change[RPS_CHANGE_HANDOVER]);
    rps_exact_sum_merge(&residual, &bonds_stored);
    rps_exact_sum_merge(&residual, &bonds_dissipated);
    rps_exact_sum_merge(&residual, &change[RPS_CHANGE_REMOVED]);
    rps_exact_sum_merge(&residual, &buoyancy);
    rps_exact_sum_merge(&residual, &change[RPS_CHANGE_DRAG]);
    rps_exact_sum_merge(&residual, &potential);
    rps_exact_sum_add(&residual, -ledger->forces);
    rps_exact_sum_add(&residual, -ledger->flow);
    rps_exact_sum_add(&residual, -ledger->external);
    rps_exact_sum_add(&residual, -ledger->drives);
    rps_exact_sum_add(&residual, -ledger->shear);
    rps_exact_sum_add(&residual, -ledger->changed);
    rps_exact_sum_add(&residual, -ledger->start);
    ledger->residual = energy_total(&residual);
    return check_terms(world, ledger, err);
}

rps_status rps_world_extremes(const rps_world *world, rps_extremes *out, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    RPS_TRY(rps_share_refuse(world, "looking for extremes", err));
    const rps_bodies *bodies = &world->bodies;
    rps_extremes e = {0};
    rps_exact_sum kinetic_sum;
    rps_exact_sum_clear(&kinetic_sum);
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->kind[s][0] == RPS_BODY_FIXED) {
            continue;
        }
        const double *v = bodies->motion[s].velocity;
        const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const uint64_t id = bodies->id[s][0];
        if (v2 > e.speed * e.speed || (v2 == e.speed * e.speed && id < e.speed_id)) {
            e.speed = sqrt(v2);
            e.speed_id = id;
        }
        if (bodies->kind[s][0] != RPS_BODY_FREE) {
            continue;
        }
        const double k = 0.5 * bodies->mass[s][0] * v2 + rps_body_rotation_energy(bodies, s);
        rps_exact_sum_add(&kinetic_sum, k);
        e.kinetic_max = k > e.kinetic_max ? k : e.kinetic_max;
        e.free_bodies++;
    }
    e.kinetic = energy_total(&kinetic_sum);
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
        const double *modes = rps_segment_lane(segment, layout->modes);
        const double *overlap = rps_segment_lane(segment, layout->overlap);
        for (size_t c = 0; c < segment->count; c++) {
            const size_t i = segment->slot_i[c], j = segment->slot_j[c];
            const double r_i = rps_body_half_width(world, i), r_j = rps_body_half_width(world, j);
            double smaller = r_i > 0.0 && (r_i < r_j || !(r_j > 0.0)) ? r_i : r_j;
            if (modes[c] > 0.5 && overlap[c] > e.overlap * smaller) {
                e.overlap = overlap[c] / smaller;
                e.overlap_id[0] = bodies->id[i][0];
                e.overlap_id[1] = bodies->id[j][0];
            }
        }
    }
    *out = e;
    return RPS_OK;
}
