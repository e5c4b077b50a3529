/*
 * The nonsmooth step (Tasora & Anitescu 2013): a time step is one cone complementarity problem. Here are its solution and
 * the order of its parts; each part gets what it writes as an argument, and reads a const world.
 */
#include "step/fluid_kick.h"
#include "step/force_kick.h"
#include "step/nonsmooth.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/flush.h"
#include "detect/detect.h"
#include "step/boundary.h"
#include "step/mesh_pairs.h"
#include "world/body_shape.h"

enum {
    PASSES = 4,  /* solutions per step, with spring secants that fit their loads better each time */
    HALVINGS = 6 /* of a step that misses, with RPS_MISSED_REFINE */
};

/* --- memory --------------------------------------------------------------------------------------------------------- */

static void nonsmooth_release(rps_world *world) {
    rps_nonsmooth *ns = world->nonsmooth;
    rps_scratch *store[] = {&ns->before,       &ns->after,       &ns->trial,       &ns->node,        &ns->node_of,
                            &ns->slot_of_node, &ns->velocity,    &ns->first,       &ns->flag,        &ns->number,
                            &ns->picked,       &ns->now.contact, &ns->now.cone,    &ns->now.impulse, &ns->now.slip,
                            &ns->old.contact,  &ns->old.cone,    &ns->old.impulse, &ns->old.slip,    &ns->row,
                            &ns->row_impulse,  &ns->joint,       &ns->joint_load,  &ns->group,       &ns->relaxation,
                            &ns->limit,        &ns->member,      &ns->kept,        &ns->goal,        &ns->miss,
                            &ns->island,       &ns->island_work};
    for (size_t k = 0; k < sizeof store / sizeof *store; k++) {
        rps_scratch_release(world, store[k]);
    }
    rps_cone_system_release(ns->system);
    rps_memory_release(world->allocator, ns, sizeof *ns);
    world->nonsmooth = NULL;
}

rps_status rps_nonsmooth_create(rps_world *world, rps_error *err) {
    void *p;
    if (world->nonsmooth) return RPS_OK;
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, sizeof(rps_nonsmooth), &p, err));
    world->nonsmooth = p;
    world->nonsmooth_release = nonsmooth_release;
    return RPS_OK;
}

/* --- solution ------------------------------------------------------------------------------------------------------- */

/* Change of a node's velocity by a load, in a step. */
static void push_node(const rps_cone_node *node, const rps_twist *load, double step, rps_twist *velocity) {
    const double *j = node->inverse_inertia, *t = load->w; /* xx yy zz yz xz xy */
    const double turn[3] = {(j[0] * t[0] + j[5] * t[1]) + j[4] * t[2], (j[5] * t[0] + j[1] * t[1]) + j[3] * t[2],
                            (j[4] * t[0] + j[3] * t[1]) + j[2] * t[2]};
    for (int k = 0; k < 3; k++) {
        velocity->v[k] += step * node->inverse_mass * load->v[k];
        velocity->w[k] += step * turn[k];
    }
}

/* Adds the pulls of adhesive contacts, in the order of contacts. */
static void pull_nodes(const rps_nonsmooth *ns, rps_twist *velocity) {
    const rps_step_contact *contact = ns->now.contact.p;
    const rps_cone_contact *cone = ns->now.cone.p;
    for (size_t k = 0; k < ns->contacts; k++) {
        const rps_step_contact *c = &contact[k];
        for (int side = 0; side < 2 && c->pull > 0.0; side++) {
            if (cone[k].node[side] >= ns->nodes) continue;
            const rps_vec3 force = rps_vec3_scale(c->n, side == 0 ? -c->pull : c->pull);
            rps_twist load;
            rps_vec3_put(load.v, force);
            rps_vec3_put(load.w, rps_vec3_cross(c->branch[side], force));
            push_node((const rps_cone_node *)ns->node.p + cone[k].node[side], &load, ns->kick,
                      &velocity[cone[k].node[side]]);
        }
    }
}

/* No other load of a joint is known yet. */
void rps_nonsmooth_free_velocities(const rps_world *world, rps_nonsmooth *ns) {
    const rps_twist *after = ns->after.p, *load = ns->joint_load.p;
    const uint32_t *slot = ns->slot_of_node.p;
    rps_twist *velocity = ns->velocity.p;
    for (size_t k = 0; k < ns->nodes; k++) {
        velocity[k] = after[slot[k]];
        if (world->joints > 0) push_node((const rps_cone_node *)ns->node.p + k, &load[slot[k]], ns->kick, &velocity[k]);
    }
    velocity[ns->still] = (rps_twist){{0.0}, {0.0}};
    if (ns->pulls) pull_nodes(ns, velocity);
}

/* Nodes of the problem; the still node exists only if a contact needs it. */
static rps_status nonsmooth_count_nodes(const rps_world *world, const rps_nonsmooth *ns, size_t *nodes,
                                        rps_error *err) {
    const rps_cone_contact *cone = ns->now.cone.p;
    const rps_step_contact *contact = ns->now.contact.p;
    *nodes = ns->nodes;
    for (size_t k = 0; k < ns->contacts; k++) {
        if (cone[k].node[0] != ns->still) continue;
        *nodes = ns->nodes + 1;
        if (cone[k].compliance[0] > 0.0) continue;
        char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s and %s touch, and no impulse moves either of them, so that the load between them follows "
                        "from the stiffness of their contact alone; but their pair of materials is rigid. Give it a "
                        "normal law with a stiffness, or exclude them from each other",
                        rps_body_name(world, contact[k].slot[0], a, sizeof a),
                        rps_body_name(world, contact[k].slot[1], b, sizeof b));
    }
    return RPS_OK;
}

/* Velocities as the solver has them. */
static void set_trial(const rps_world *world, rps_nonsmooth *ns) {
    const uint32_t *slot = ns->slot_of_node.p;
    const rps_twist *velocity = ns->velocity.p;
    rps_twist *trial = ns->trial.p;
    memcpy(trial, ns->before.p, world->bodies.count * sizeof *trial);
    for (size_t k = 0; k < ns->nodes; k++) trial[slot[k]] = velocity[k];
}

/* Names the bodies of a contact that the solver refused: the solver knows contacts only by number. */
static rps_status name_refused(const rps_world *world, const rps_nonsmooth *ns, size_t nodes, rps_status status,
                               rps_error *err) {
    const rps_cone_contact *cone = ns->now.cone.p;
    const rps_step_contact *contact = ns->now.contact.p;
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
    rps_error why;
    for (size_t k = 0; k < ns->contacts; k++) {
        if (rps_cone_check_contact(&cone[k], k, nodes, &why) == RPS_OK) continue;
        return rps_fail(err, status, "%s and %s: %s at t = %.9g s (step %llu)\nthe step of %g s is probably too large",
                        rps_body_name(world, contact[k].slot[0], a, sizeof a),
                        rps_body_name(world, contact[k].slot[1], b, sizeof b), why.text, rps_world_time(world),
                        (unsigned long long)world->steps, world->step);
    }
    return status;
}

/* Solves once, from v* and the present impulses; adds its counts to `sum`. */
static rps_status solve_once(const rps_world *world, rps_nonsmooth *ns, rps_cone_result *sum, rps_error *err) {
    const rps_nonsmooth_options *o = &world->options.nonsmooth;
    const rps_cone_options options = {.law = o->cone == RPS_FRICTION_CONVEX ? RPS_CONE_CONVEX : RPS_CONE_COULOMB,
                                      .method = RPS_CONE_AUTO,
                                      .tolerance = o->tolerance,
                                      .max_iterations = o->max_iterations,
                                      .least_norm = world->solver.redundant_rows > 0};
    rps_cone_result result;
    rps_cone_system *old = ns->system;
    ns->system = NULL;
    size_t nodes;
    RPS_TRY(nonsmooth_count_nodes(world, ns, &nodes, err));
    const rps_status made =
        rps_cone_system_make(&ns->system, old, world->allocator, ns->node.p, nodes, ns->now.cone.p, ns->contacts,
                             ns->row.p, ns->rows, rps_step_workers(world, ns->contacts), err);
    if (made != RPS_OK) return name_refused(world, ns, nodes, made, err);
    RPS_TRY(rps_cone_system_solve(ns->system, &options, ns->velocity.p, ns->now.impulse.p, ns->now.slip.p,
                                  ns->row_impulse.p, &result, err));
    const uint64_t before = sum->iterations;
    *sum = result;
    sum->iterations += before;
    return RPS_OK;
}

static void flush_numbers(double *x, size_t count) {
    for (size_t k = 0; k < count; k++) x[k] = rps_flush(x[k]);
}

/* The problem is solved again, with a warm start, in two cases: loads far above those of the last step met springs
 * that are too soft, which get the secant of their load; or bodies without rows come together. */
rps_status rps_nonsmooth_solve(const rps_world *world, rps_nonsmooth *ns, rps_solver_report *report, rps_error *err) {
    rps_cone_result result = {.solved = true};
    bool again = ns->contacts + ns->rows > 0;
    if (!again) rps_nonsmooth_free_velocities(world, ns); /* rps_nonsmooth_kick compares with them */
    for (int pass = 0; pass < PASSES && again; pass++) {
        rps_nonsmooth_free_velocities(world, ns);
        RPS_TRY(solve_once(world, ns, &result, err));
        if (pass + 1 == PASSES) break;
        bool added;
        size_t restrained;
        set_trial(world, ns);
        RPS_TRY(rps_nonsmooth_restrain(world, ns, &restrained, err));
        report->restrained += restrained;
        again = rps_nonsmooth_stiffen(world, ns) > 0 || restrained > 0;
        RPS_TRY(rps_nonsmooth_add(world, ns, &added, err));
        again = again || added;
    }
    flush_numbers(ns->now.impulse.p, 6 * ns->contacts);
    flush_numbers(ns->now.slip.p, ns->contacts);
    flush_numbers(ns->row_impulse.p, ns->rows);
    ns->missed = !result.solved;
    report->iterations += result.iterations;
    report->last_iterations = result.iterations;
    report->rows = ns->contacts;
    report->residual = result.residual_metric;
    report->residual_euclidean = result.residual_euclidean;
    report->slip_change = result.slip_change;
    report->approach = result.approach;
    return RPS_OK;
}

/* --- the step ------------------------------------------------------------------------------------------------------- */

/* time: s, for which the bodies have moved. */
static void nonsmooth_tell(rps_world *world, const rps_nonsmooth *ns, double time) {
    world->evaluated = true;
    world->contacts_kept = world->keep_contacts;
    world->loads_known = true;
    rps_nonsmooth_results(world, ns, time, &world->contacts);
    rps_nonsmooth_joint_results(world, ns, world->joint);
}

/* Lists, free velocities and the feet on meshes; a ball with more feet than slots has new lists made. */
static rps_status find_near_meshes(rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    for (;;) {
        bool crowded;
        RPS_TRY(rps_detect_update(world, err));
        RPS_TRY(rps_nonsmooth_predict(world, ns, err));
        RPS_TRY(rps_nonsmooth_meshes(world, ns, &world->contacts, &crowded, err));
        if (!crowded) return RPS_OK;
        RPS_TRY(rps_mesh_more_slots(world, err));
    }
}

rps_status rps_nonsmooth_start(rps_world *world, rps_error *err) {
    if (world->servos && world->options.nonsmooth.rigid) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "a servo finds its load by the stiffness of contacts, and rigid ones have none: leave out "
                        "`compliance: rigid`, or prescribe the motion");
    }
    RPS_TRY(rps_guard_begin(world, err));
    world->moved.speed = 0.0;
    world->evaluated = false;
    RPS_TRY(rps_nonsmooth_create(world, err));
    world->speed_bound = rps_nonsmooth_look_ahead(world);
    rps_nonsmooth *ns = world->nonsmooth;
    ns->kick = world->step;
    RPS_TRY(find_near_meshes(world, ns, err));
    RPS_TRY(rps_nonsmooth_nodes(world, ns, err));
    RPS_TRY(rps_nonsmooth_joints(world, ns, err));
    world->solver.joint_rows = ns->rows - ns->locks;
    RPS_TRY(rps_nonsmooth_rank(world, ns, &world->solver.redundant_rows, err));
    RPS_TRY(rps_nonsmooth_contacts(world, ns, err));
    rps_nonsmooth_press(world, ns);
    rps_nonsmooth_loads(world, ns, &world->contacts);
    world->guard.beyond_guard = rps_nonsmooth_accounts(world, ns, &world->contacts, true);
    rps_nonsmooth_first_loads(world, &world->bodies);
    world->started = true;
    nonsmooth_tell(world, ns, 0.0);
    rps_exact_sum energy[RPS_ROLE_COUNT];
    rps_nonsmooth_energy(world, energy);
    world->energy_first = rps_exact_sum_value(&energy[RPS_ROLE_NORMAL]);
    return rps_guard_contacts(world, err);
}

static rps_status fail_missed(const rps_world *world, const rps_solver_report *report, rps_error *err) {
    const rps_nonsmooth_options *o = &world->options.nonsmooth;
    return rps_fail(err, RPS_GUARD,
                    "the step from t = %.9g s (number %llu) was left at a residual of %.3g after %llu iterations; the "
                    "tolerance is %.3g\nraise `max_iterations` (%llu), take a smaller step, or `on_missed: refine`",
                    rps_world_time(world), (unsigned long long)world->steps, report->residual,
                    (unsigned long long)report->last_iterations, o->tolerance, (unsigned long long)o->max_iterations);
}

/* J, all that contacts and joints took out so far; 0 without a ledger. */
static double nonsmooth_spent(const rps_world *world) {
    rps_exact_sum sum;
    rps_exact_sum_clear(&sum);
    for (int k = 0; k < RPS_ACCOUNTS; k++) {
        rps_exact_sum_add(&sum, rps_exact_sum_value(&world->boundary_dissipated[k]));
        for (size_t s = 0; s < world->bodies.count; s++) rps_exact_sum_add(&sum, world->bodies.dissipated[s][k]);
    }
    return rps_exact_sum_value(&sum);
}

/* Counts the contacts of a step that bear a load by what was done with them. */
static void count_contacts(const rps_nonsmooth *ns, rps_solver_report *report) {
    const rps_step_contact *contact = ns->now.contact.p;
    const double *impulse = ns->now.impulse.p;
    for (size_t k = 0; k < ns->contacts; k++) {
        if (!(impulse[6 * k] > 0.0)) continue;
        report->rebounds += contact[k].impact;
        report->followed += contact[k].follows[0];
        report->implicit += !contact[k].impact && !contact[k].follows[0];
    }
}

/* Counts a step that is used; `spent` is from before it. */
static void count_step(const rps_world *world, const rps_nonsmooth *ns, double spent, rps_solver_report *report) {
    report->steps++;
    count_contacts(ns, report);
    report->missed += ns->missed;
    report->worst_residual = rps_nonsmooth_larger(report->worst_residual, report->residual);
    const double gained = ns->missed ? spent - nonsmooth_spent(world) : 0.0;
    if (!(gained > 0.0)) return;
    report->gaining++;
    report->gained = rps_flush(report->gained + gained);
}

static rps_status nonsmooth_advance(rps_world *world, int halvings, rps_error *err);

/* The step again as two of half the length: the bodies have not moved yet. Its number and the clock are those of the whole
 * step before and after. */
static rps_status advance_in_halves(rps_world *world, int halvings, rps_error *err) {
    const uint64_t steps = world->steps, step_from = world->step_from;
    const double step = world->step, time_from = world->time_from, time = rps_world_time(world);
    rps_status status = RPS_OK;
    world->solver.refined++;
    world->step = 0.5 * step;
    world->step_from = steps;
    rps_nonsmooth_change_step(&world->contacts, 0.5);
    for (int half = 0; half < 2 && status == RPS_OK; half++) {
        world->steps = steps;
        world->time_from = time + 0.5 * half * step;
        status = nonsmooth_advance(world, halvings + 1, err);
    }
    rps_nonsmooth_change_step(&world->contacts, 2.0);
    world->step = step;
    world->step_from = step_from;
    world->time_from = time_from;
    world->steps = steps + 1;
    return status;
}

static rps_status nonsmooth_advance(rps_world *world, int halvings, rps_error *err) {
    rps_nonsmooth *ns = world->nonsmooth;
    const double time = rps_world_time(world);
    ns->kick = world->step;
    world->evaluated = false;
    if (world->servos) rps_servos_aim(world, world->driven, time);
    world->speed_bound = rps_nonsmooth_look_ahead(world);
    RPS_TRY(find_near_meshes(world, ns, err));
    RPS_TRY(rps_nonsmooth_nodes(world, ns, err));
    RPS_TRY(rps_nonsmooth_joints(world, ns, err));
    world->solver.joint_rows = ns->rows - ns->locks;
    RPS_TRY(rps_nonsmooth_contacts(world, ns, err));
    RPS_TRY(rps_nonsmooth_solve(world, ns, &world->solver, err));
    const rps_on_missed on_missed = world->options.nonsmooth.on_missed;
    if (ns->missed && on_missed == RPS_MISSED_STOP) return fail_missed(world, &world->solver, err);
    if (ns->missed && on_missed == RPS_MISSED_REFINE && halvings < HALVINGS) {
        return advance_in_halves(world, halvings, err);
    }
    const double spent = ns->missed ? nonsmooth_spent(world) : 0.0;
    rps_nonsmooth_loads(world, ns, &world->contacts);
    rps_nonsmooth_joint_loads(world, ns, world->joint);
    rps_external_all(world, true);
    world->solver.momentum = rps_nonsmooth_kick(world, ns, &world->bodies);
    rps_external_all(world, false);
    rps_external_ended(world);
    world->guard.beyond_guard = rps_nonsmooth_accounts(world, ns, &world->contacts, false);
    rps_nonsmooth_book(world, ns, &world->bodies, world->boundary_dissipated);
    rps_nonsmooth_book_surfaces(world, ns, &world->bodies);
    rps_nonsmooth_joint_accounts(world, ns, &world->bodies, world->joint, NULL);
    count_step(world, ns, spent, &world->solver);
    rps_motion_drift(world, time);
    world->steps++;
    rps_motion_drives(world, &world->bodies, rps_world_time(world));
    nonsmooth_tell(world, ns, world->step);
    RPS_TRY(rps_guard_motion(world, err));
    return rps_guard_contacts(world, err);
}

rps_status rps_nonsmooth_step(rps_world *world, rps_error *err) {
    RPS_TRY(rps_nonsmooth_create(world, err)); /* of a restored world */
    if (world->forces.count > 0) {
        RPS_TRY(rps_forces_act(world, &world->forces, &world->bodies, world->step, true, err));
    }
    if (world->in_fluid) {
        const rps_fluid_task fluid = rps_motion_fluid(world, world->step, true);
        rps_fluid_all(&fluid);
    }
    return nonsmooth_advance(world, 0, err);
}
