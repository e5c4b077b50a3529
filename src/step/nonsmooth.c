/*
 * The nonsmooth step (Tasora & Anitescu 2013): a time step is one cone complementarity problem.
 *
 * Velocities at its end follow from the impulses by sums in key order, so momentum is conserved to rounding whatever
 * the residual of the solver. The distance of the solver's own velocities from these is reported. The state of bodies
 * with pieces is L: the impulse changes L at the initial attitude, and the free rotation then integrates it,
 * gyroscopic terms included.
 */
#include "step/nonsmooth.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/flush.h"
#include "detect/detect.h"
#include "step/boundary.h"
#include "world/body_shape.h"

enum { PASSES = 4 /* solutions per step, with spring secants that fit their loads better each time */ };

/* --- memory --------------------------------------------------------------------------------------------------------- */

static void nonsmooth_release(rps_world *world) {
    rps_nonsmooth *ns = world->nonsmooth;
    rps_scratch *store[] = {&ns->before,       &ns->after,       &ns->trial,       &ns->node,        &ns->node_of,
                            &ns->slot_of_node, &ns->velocity,    &ns->first,       &ns->flag,        &ns->number,
                            &ns->picked,       &ns->now.contact, &ns->now.cone,    &ns->now.impulse, &ns->now.slip,
                            &ns->old.contact,  &ns->old.cone,    &ns->old.impulse, &ns->old.slip,    &ns->row,
                            &ns->row_impulse,  &ns->joint,       &ns->joint_load,  &ns->group,       &ns->relaxation,
                            &ns->limit};
    for (size_t k = 0; k < sizeof store / sizeof *store; k++) {
        rps_scratch_release(world, store[k]);
    }
    rps_cone_system_release(ns->system);
    rps_memory_release(world->allocator, ns, sizeof *ns);
    world->nonsmooth = NULL;
}

static rps_status nonsmooth_create(rps_world *world, rps_error *err) {
    void *p;
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, sizeof(rps_nonsmooth), &p, err));
    world->nonsmooth = p;
    world->nonsmooth_release = nonsmooth_release;
    return RPS_OK;
}

/* --- bodies --------------------------------------------------------------------------------------------------------- */

static bool is_locked_axis(const rps_world *world, size_t s) {
    return world->axes_locked && rps_vec3_norm2(rps_vec3_of(world->bodies.lock_axis[s])) > 0.0;
}

/* Change of the angular velocity by an angular impulse. */
static rps_vec3 turn_by(const rps_bodies *bodies, size_t s, rps_vec3 impulse) {
    const double mean = bodies->motion[s].inverse_inertia[0];
    if (!rps_body_has_pieces(bodies, s) || !(mean > 0.0)) return rps_vec3_scale(impulse, mean);
    const double *inertia = bodies->inertia[s], *o = bodies->orientation[s];
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    const rps_vec3 m = rps_quat_rotate_inverse(q, impulse);
    return rps_quat_rotate(q, (rps_vec3){m.x / inertia[0], m.y / inertia[1], m.z / inertia[2]});
}

/* Velocities at the beginning, and free of contacts at the end; returns the speed of the fastest point. */
static double free_motion(const rps_world *world, size_t s, rps_twist *before, rps_twist *after) {
    const rps_bodies *bodies = &world->bodies;
    const double h = world->step;
    memset(before, 0, sizeof *before);
    if (bodies->kind[s][0] == RPS_BODY_FREE) {
        rps_vec3 v = rps_vec3_of(bodies->motion[s].velocity);
        rps_vec3_put(before->v, v);
        rps_vec3_put(before->w, rps_vec3_of(bodies->motion[s].angular_velocity));
        *after = *before;
        v = rps_vec3_add_scaled(v, h, rps_vec3_of(world->options.gravity));
        rps_vec3 force, torque;
        if (rps_external_of(world, s, &force, &torque)) {
            v = rps_vec3_add_scaled(v, h * bodies->motion[s].inverse_mass[0], force);
            rps_vec3_put(after->w, rps_vec3_add(rps_vec3_of(before->w), turn_by(bodies, s, rps_vec3_scale(torque, h))));
        }
        rps_vec3_put(after->v, is_locked_axis(world, s) ? rps_vec3_reject(v, rps_vec3_of(bodies->lock_axis[s])) : v);
    } else {
        const int which = bodies->drive[s][0];
        if (bodies->kind[s][0] == RPS_BODY_DRIVEN && which >= 0) {
            const double time = rps_world_time(world);
            rps_pose_at now, then;
            rps_drive_at(world->driven, which, time, 0.0, &now);
            rps_drive_at(world->driven, which, time + h, h, &then);
            rps_vec3_put(before->v, rps_vec3_scale(rps_vec3_sub(then.position, now.position), 1.0 / h));
            rps_vec3_put(before->w, now.angular_velocity);
        }
        *after = *before;
    }
    const double angular =
        rps_body_has_pieces(bodies, s) ? rps_vec3_norm(rps_vec3_of(after->w)) * bodies->pose[s].radius[0] : 0.0;
    return rps_vec3_norm(rps_vec3_of(after->v)) + angular;
}

/* NaN wins, so that it is noticed. */
static double nonsmooth_larger(double most, double x) {
    return most == most && !(x <= most) ? x : most;
}

/* A loop over bodies; the largest values are behind the lock. */
typedef struct bodies_task {
    rps_world *world;
    rps_nonsmooth *ns;
    rps_lock lock;
    double most, defect;
} bodies_task;

static void look_ahead_part(void *context, rps_part part) {
    bodies_task *task = context;
    rps_twist before, after;
    double mine = 0.0;
    for (size_t s = part.begin; s < part.end; s++) {
        mine = nonsmooth_larger(mine, free_motion(task->world, s, &before, &after));
    }
    rps_lock_take(&task->lock);
    task->most = nonsmooth_larger(task->most, mine);
    rps_lock_give(&task->lock);
}

/* The speed that lists must allow for. */
static void nonsmooth_look_ahead(rps_world *world) {
    bodies_task task = {.world = world, .lock = RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, look_ahead_part, &task);
    world->speed_bound = task.most;
}

static void free_motion_part(void *context, rps_part part) {
    const bodies_task *task = context;
    const rps_nonsmooth *ns = task->ns;
    for (size_t s = part.begin; s < part.end; s++) {
        free_motion(task->world, s, (rps_twist *)ns->before.p + s, (rps_twist *)ns->after.p + s);
    }
}

/* Once slots stay where they are. */
static rps_status begin_bodies(rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const size_t count = world->bodies.count;
    RPS_TRY(rps_scratch_fit(world, &ns->before, count, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->after, count, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->trial, count, sizeof(rps_twist), err));
    bodies_task task = {.world = world, .ns = ns};
    rps_parallel_for(rps_step_workers(world, count), count, free_motion_part, &task);
    ns->slip_speed = world->options.nonsmooth.tolerance * world->speed_bound;
    return RPS_OK;
}

/* M^-1 of a body: R I^-1 R^T = ball + more a a^T + less b b^T, a and b the axes of the smallest and largest moment. */
static void make_node(const rps_world *world, size_t s, rps_cone_node *node) {
    const rps_bodies *bodies = &world->bodies;
    *node = (rps_cone_node){.inverse_mass = bodies->motion[s].inverse_mass[0]};
    const double mean = bodies->motion[s].inverse_inertia[0];
    double *j = node->inverse_inertia;
    if (!rps_body_has_pieces(bodies, s) || !(mean > 0.0)) {
        j[0] = j[1] = j[2] = mean;
        return;
    }
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const rps_free_rotation free_rotation = rps_body_free_rotation(bodies->inertia[s]);
    const double *o = bodies->orientation[s];
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    double a[3], b[3];
    rps_vec3_put(a, rps_quat_rotate(q, rps_vec3_of(unit[free_rotation.low])));
    rps_vec3_put(b, rps_quat_rotate(q, rps_vec3_of(unit[free_rotation.high])));
    static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1}; /* xx yy zz yz xz xy */
    for (int k = 0; k < 6; k++) {
        j[k] = (k < 3 ? free_rotation.inverse_mid : 0.0) + (free_rotation.delta_high * a[row[k]] * a[column[k]] +
                                                            free_rotation.delta_low * b[row[k]] * b[column[k]]);
    }
}

/* Free bodies in the order of ids. A locked axis is a bilateral row: no velocity along it. */
static rps_status make_nodes(rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    size_t nodes = 0, rows = 0;
    RPS_TRY(rps_scratch_fit(world, &ns->node_of, bodies->count, sizeof(uint32_t), err));
    uint32_t *node_of = ns->node_of.p;
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        const bool is_free = bodies->kind[s][0] == RPS_BODY_FREE;
        node_of[s] = is_free ? (uint32_t)nodes++ : RPS_CONE_NO_NODE;
        rows += is_free && is_locked_axis(world, s);
    }
    ns->nodes = nodes;
    ns->rows = rows;
    ns->still = (uint32_t)nodes;
    RPS_TRY(rps_scratch_fit(world, &ns->node, nodes + 1, sizeof(rps_cone_node), err));
    RPS_TRY(rps_scratch_fit(world, &ns->slot_of_node, nodes, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->velocity, 6 * (nodes + 1), sizeof(double), err));
    const size_t capacity = rows + RPS_JOINT_ROWS * world->joints;
    RPS_TRY(rps_scratch_fit(world, &ns->row, capacity, sizeof(rps_cone_joint_row), err));
    RPS_TRY(rps_scratch_fit(world, &ns->row_impulse, capacity, sizeof(double), err));
    rps_cone_node *node = ns->node.p;
    node[ns->still] = (rps_cone_node){.inverse_mass = 0.0};
    size_t row = 0;
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        if (node_of[s] == RPS_CONE_NO_NODE) continue;
        make_node(world, s, &node[node_of[s]]);
        ((uint32_t *)ns->slot_of_node.p)[node_of[s]] = (uint32_t)s;
        if (!is_locked_axis(world, s)) continue;
        rps_cone_joint_row *r = (rps_cone_joint_row *)ns->row.p + row;
        *r = (rps_cone_joint_row){
            .joint = (uint32_t)row, .node = {node_of[s], RPS_CONE_NO_NODE}, .low = -INFINITY, .high = INFINITY};
        memcpy(r->jacobian[0], bodies->lock_axis[s], sizeof bodies->lock_axis[s]);
        ((double *)ns->row_impulse.p)[row++] = 0.0;
    }
    return RPS_OK;
}

static void set_free_velocities(const rps_nonsmooth *ns) {
    const rps_twist *after = ns->after.p;
    const uint32_t *slot = ns->slot_of_node.p;
    rps_twist *velocity = ns->velocity.p;
    for (size_t k = 0; k < ns->nodes; k++) velocity[k] = after[slot[k]];
    velocity[ns->still] = (rps_twist){{0.0}, {0.0}};
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

/* --- solution ------------------------------------------------------------------------------------------------------- */

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
static rps_status solve_once(rps_world *world, rps_nonsmooth *ns, rps_cone_result *sum, rps_error *err) {
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
static rps_status nonsmooth_solve(rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    rps_solver_report *report = &world->solver;
    rps_cone_result result = {.solved = true};
    bool again = ns->contacts + ns->rows > 0;
    for (int pass = 0; pass < PASSES && again; pass++) {
        set_free_velocities(ns);
        RPS_TRY(solve_once(world, ns, &result, err));
        if (pass + 1 == PASSES) break;
        bool added;
        set_trial(world, ns);
        again = rps_nonsmooth_stiffen(world, ns) > 0;
        RPS_TRY(rps_nonsmooth_add(world, ns, &added, err));
        again = again || added;
    }
    flush_numbers(ns->now.impulse.p, 6 * ns->contacts);
    flush_numbers(ns->now.slip.p, ns->contacts);
    flush_numbers(ns->row_impulse.p, ns->rows);
    report->steps++;
    report->missed += !result.solved;
    report->iterations += result.iterations;
    report->worst_residual = nonsmooth_larger(report->worst_residual, result.residual_metric);
    report->last_iterations = result.iterations;
    report->rows = ns->contacts;
    report->residual = result.residual_metric;
    report->residual_euclidean = result.residual_euclidean;
    report->slip_change = result.slip_change;
    report->approach = result.approach;
    return RPS_OK;
}

/* --- velocities ----------------------------------------------------------------------------------------------------- */

/* Adds the loads of a body's joints. */
static void add_joints(const rps_world *world, const rps_nonsmooth *ns, size_t s, rps_vec3 *force, rps_vec3 *torque) {
    if (world->joints == 0) return;
    const rps_twist *load = (const rps_twist *)ns->joint_load.p + s;
    *force = rps_vec3_add(*force, rps_vec3_of(load->v));
    *torque = rps_vec3_add(*torque, rps_vec3_of(load->w));
}

/* Sum of the loads of a body's contacts, in the order of keys, or exactly (boundary.h); `dissipated` gets the part of
 * a free body. */
static void sum_loads(const rps_world *world, size_t s, rps_vec3 *force, rps_vec3 *torque,
                      double dissipated[RPS_ACCOUNTS]) {
    const rps_contacts *contacts = &world->contacts;
    *force = *torque = rps_vec3_zero();
    for (int k = 0; k < RPS_ACCOUNTS; k++) dissipated[k] = 0.0;
    if (world->bodies.kind[s][0] != RPS_BODY_FREE) {
        const rps_load_rows rows = rps_contacts_rows(contacts);
        rps_boundary_load(&rows, s, force, torque);
        return;
    }
    for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
        const rps_contact_load *load = &contacts->load[contacts->line[r]];
        const int first = r < contacts->reference_own[s] ? RPS_LOAD_ACCOUNTS : 0;
        *force = rps_vec3_add(*force, rps_vec3_of(load->force));
        *torque = rps_vec3_add(*torque, rps_vec3_of(load->torque));
        for (int k = 0; k < RPS_LOAD_ACCOUNTS && first + k < RPS_ACCOUNTS; k++) {
            dissipated[first + k] += load->number[rps_load_account(k)];
        }
    }
    *force = rps_vec3_flush(*force);
    *torque = rps_vec3_flush(*torque);
}

/* Velocities at the end of the step; returns the change by the impulses. */
static double kick_body(rps_world *world, rps_nonsmooth *ns, size_t s) {
    rps_bodies *bodies = &world->bodies;
    rps_twist *after = (rps_twist *)ns->after.p + s;
    rps_load *load = &bodies->load[s];
    rps_vec3 force, torque;
    double unused[RPS_ACCOUNTS];
    sum_loads(world, s, &force, &torque, unused);
    rps_vec3_put(load->force, force);
    rps_vec3_put(load->torque, torque);
    if (bodies->kind[s][0] != RPS_BODY_FREE) return 0.0;
    add_joints(world, ns, s, &force, &torque);
    rps_motion *m = &bodies->motion[s];
    const double h = world->step;
    const rps_vec3 v0 = rps_vec3_of(after->v);
    rps_vec3 v = rps_vec3_flush(rps_vec3_add_scaled(v0, h * m->inverse_mass[0], force));
    /* the row of a locked axis has the residual of the solver; here the velocity is exactly 0 */
    if (is_locked_axis(world, s)) v = rps_vec3_flush(rps_vec3_reject(v, rps_vec3_of(bodies->lock_axis[s])));
    rps_vec3_put(after->v, v);
    rps_vec3_put(m->velocity, v);
    if (!rps_body_has_pieces(bodies, s)) {
        rps_vec3_put(after->w,
                     rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(after->w), h * m->inverse_inertia[0], torque)));
        rps_vec3_put(m->angular_velocity, rps_vec3_of(after->w));
    } else if (m->inverse_inertia[0] > 0.0) {
        double *l = bodies->angular_momentum[s];
        rps_vec3 applied, twist;
        if (rps_external_of(world, s, &applied, &twist)) torque = rps_vec3_add(torque, twist);
        rps_vec3_put(l, rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(l), h, torque)));
        rps_body_update_angular_velocity(bodies, s);
        rps_vec3_put(after->w, rps_vec3_of(m->angular_velocity));
    }
    return rps_vec3_norm(rps_vec3_sub(v, v0));
}

/* Distance of the solver's velocity from that by sums. */
static double defect_of(const rps_nonsmooth *ns, size_t s) {
    const uint32_t node = ((const uint32_t *)ns->node_of.p)[s];
    if (node == RPS_CONE_NO_NODE) return 0.0;
    const double *v = (const double *)ns->velocity.p + 6 * (size_t)node;
    return rps_vec3_norm(rps_vec3_sub(rps_vec3_of(v), rps_vec3_of(((const rps_twist *)ns->after.p)[s].v)));
}

static void kick_part(void *context, rps_part part) {
    bodies_task *task = context;
    double change = 0.0, defect = 0.0;
    for (size_t s = part.begin; s < part.end; s++) {
        change = nonsmooth_larger(change, kick_body(task->world, task->ns, s));
        defect = nonsmooth_larger(defect, defect_of(task->ns, s));
    }
    rps_lock_take(&task->lock);
    task->most = nonsmooth_larger(task->most, change);
    task->defect = nonsmooth_larger(task->defect, defect);
    rps_lock_give(&task->lock);
}

static void kick(rps_world *world, rps_nonsmooth *ns) {
    bodies_task task = {.world = world, .ns = ns, .lock = RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, kick_part, &task);
    world->solver.momentum = task.most > 0.0 ? task.defect / task.most : 0.0;
}

/* Records the dissipated energies of bodies, and the work of drives against the loads. */
static void book_body(bodies_task *task, size_t s) {
    rps_world *world = task->world;
    const rps_nonsmooth *ns = task->ns;
    rps_bodies *bodies = &world->bodies;
    rps_vec3 force, torque;
    double dissipated[RPS_ACCOUNTS];
    sum_loads(world, s, &force, &torque, dissipated);
    for (int k = 0; k < RPS_ACCOUNTS && world->options.ledger; k++) {
        bodies->dissipated[s][k] = rps_flush(bodies->dissipated[s][k] + dissipated[k]);
    }
    if (bodies->kind[s][0] != RPS_BODY_FREE && world->options.ledger) {
        const rps_load_rows rows = rps_contacts_rows(&world->contacts);
        rps_lock_take(&task->lock);
        rps_boundary_account(&rows, s, world->boundary_dissipated);
        rps_lock_give(&task->lock);
    }
    if (bodies->kind[s][0] != RPS_BODY_DRIVEN) return;
    add_joints(world, ns, s, &force, &torque);
    const rps_twist *twist = (const rps_twist *)ns->before.p + s;
    const double done =
        world->step * (rps_vec3_dot(force, rps_vec3_of(twist->v)) + rps_vec3_dot(torque, rps_vec3_of(twist->w)));
    bodies->load[s].work[0] = rps_flush(bodies->load[s].work[0] - done);
}

static void book_part(void *context, rps_part part) {
    for (size_t s = part.begin; s < part.end; s++) book_body(context, s);
}

static void nonsmooth_book(rps_world *world, rps_nonsmooth *ns) {
    bodies_task task = {.world = world, .ns = ns, .lock = RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, book_part, &task);
}

/* --- the step ------------------------------------------------------------------------------------------------------- */

static void nonsmooth_tell(rps_world *world, const rps_nonsmooth *ns) {
    world->evaluated = true;
    world->contacts_kept = world->keep_contacts;
    world->loads_known = true;
    rps_nonsmooth_results(world, ns);
    rps_nonsmooth_joint_results(world, ns);
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
    if (!world->nonsmooth) RPS_TRY(nonsmooth_create(world, err));
    nonsmooth_look_ahead(world);
    RPS_TRY(rps_detect_update(world, err));
    rps_nonsmooth *ns = world->nonsmooth;
    RPS_TRY(begin_bodies(world, ns, err));
    RPS_TRY(make_nodes(world, ns, err));
    RPS_TRY(rps_nonsmooth_joints(world, ns, err));
    RPS_TRY(rps_nonsmooth_rank(world, ns, err));
    RPS_TRY(rps_nonsmooth_contacts(world, ns, err));
    rps_nonsmooth_press(world, ns);
    rps_nonsmooth_loads(world, ns);
    rps_nonsmooth_accounts(world, ns, true);
    for (size_t s = 0; s < world->bodies.count; s++) {
        rps_vec3 force, torque;
        double unused[RPS_ACCOUNTS];
        sum_loads(world, s, &force, &torque, unused);
        rps_vec3_put(world->bodies.load[s].force, force);
        rps_vec3_put(world->bodies.load[s].torque, torque);
    }
    rps_exact_sum energy[RPS_ROLE_COUNT];
    rps_nonsmooth_energy(world, energy);
    world->energy_first = rps_exact_sum_value(&energy[RPS_ROLE_NORMAL]);
    world->started = true;
    nonsmooth_tell(world, ns);
    return rps_guard_contacts(world, err);
}

rps_status rps_nonsmooth_step(rps_world *world, rps_error *err) {
    if (!world->nonsmooth) RPS_TRY(nonsmooth_create(world, err)); /* a restored world */
    rps_nonsmooth *ns = world->nonsmooth;
    const double time = rps_world_time(world);
    world->evaluated = false;
    if (world->servos) rps_servos_aim(world, time);
    nonsmooth_look_ahead(world);
    RPS_TRY(rps_detect_update(world, err));
    RPS_TRY(begin_bodies(world, ns, err));
    RPS_TRY(make_nodes(world, ns, err));
    RPS_TRY(rps_nonsmooth_joints(world, ns, err));
    RPS_TRY(rps_nonsmooth_contacts(world, ns, err));
    RPS_TRY(nonsmooth_solve(world, ns, err));
    rps_nonsmooth_loads(world, ns);
    rps_nonsmooth_joint_loads(world, ns);
    rps_external_begin(world, 0.0);
    kick(world, ns);
    rps_external_end(world, 0.0);
    rps_nonsmooth_accounts(world, ns, false);
    nonsmooth_book(world, ns);
    rps_nonsmooth_joint_accounts(world, ns);
    rps_motion_drift(world, time);
    world->steps++;
    rps_motion_drives(world, rps_world_time(world));
    nonsmooth_tell(world, ns);
    RPS_TRY(rps_guard_motion(world, err));
    return rps_guard_contacts(world, err);
}
