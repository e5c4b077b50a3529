/*
 * Bodies in a nonsmooth step: velocities free of contacts, nodes of the problem, and velocities at the end of the step.
 *
 * Velocities at its end follow from the impulses by sums in key order, so momentum is conserved to rounding whatever
 * the residual of the solver. The distance of the solver's own velocities from these is reported. The state of bodies
 * with pieces is L: the impulse changes L at the initial attitude, and the free rotation then integrates it,
 * gyroscopic terms included.
 */
#include <math.h>
#include <string.h>

#include "base/flush.h"
#include "step/boundary.h"
#include "step/nonsmooth.h"
#include "world/body_shape.h"

/* --- free motion ---------------------------------------------------------------------------------------------------- */

static bool is_locked_axis(const rps_world *world, size_t s) {
    return world->axes_locked && rps_vec3_norm2(rps_vec3_of(world->bodies.lock_axis[s])) > 0.0;
}

rps_vec3 rps_nonsmooth_turned_by(const rps_bodies *bodies, size_t s, rps_vec3 impulse) {
    const double mean = bodies->motion[s].inverse_inertia[0];
    if (!rps_body_has_pieces(bodies, s) || !(mean > 0.0)) return rps_vec3_scale(impulse, mean);
    const double *inertia = bodies->inertia[s], *o = bodies->orientation[s];
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    const rps_vec3 m = rps_quat_rotate_inverse(q, impulse);
    return rps_quat_rotate(q, (rps_vec3){m.x / inertia[0], m.y / inertia[1], m.z / inertia[2]});
}

rps_twist rps_nonsmooth_mean_drive(const rps_world *world, size_t s) {
    const double h = world->step, time = rps_world_time(world);
    const int which = world->bodies.drive[s][0];
    rps_twist mean = {{0.0}, {0.0}};
    rps_pose_at now, then;
    if (world->bodies.kind[s][0] != RPS_BODY_DRIVEN || which < 0) return mean;
    rps_drive_at(world->driven, which, time, 0.0, &now);
    rps_drive_at(world->driven, which, time + h, h, &then);
    rps_vec3_put(mean.v, rps_vec3_scale(rps_vec3_sub(then.position, now.position), 1.0 / h));
    rps_vec3_put(mean.w, rps_drive_mean_turning(&now, &then, h));
    return mean;
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
            const rps_vec3 turned = rps_nonsmooth_turned_by(bodies, s, rps_vec3_scale(torque, h));
            rps_vec3_put(after->w, rps_vec3_add(rps_vec3_of(before->w), turned));
        }
        rps_vec3_put(after->v, is_locked_axis(world, s) ? rps_vec3_reject(v, rps_vec3_of(bodies->lock_axis[s])) : v);
    } else {
        *before = rps_nonsmooth_mean_drive(world, s);
        *after = *before;
    }
    const double angular =
        rps_body_has_pieces(bodies, s) ? rps_vec3_norm(rps_vec3_of(after->w)) * bodies->pose[s].radius[0] : 0.0;
    return rps_vec3_norm(rps_vec3_of(after->v)) + angular;
}

/* A loop over bodies. */
typedef struct bodies_task {
    const rps_world *world;
    const rps_nonsmooth *ns;
    /* written; NULL in loops that do not */
    rps_bodies *bodies;
    rps_twist *before, *after;
    rps_lock lock; /* of all below */
    rps_exact_sum *account;
    double most, defect;
} bodies_task;

static void look_ahead_part(void *context, rps_part part) {
    bodies_task *task = context;
    rps_twist before, after;
    double mine = 0.0;
    for (size_t s = part.begin; s < part.end; s++) {
        mine = rps_nonsmooth_larger(mine, free_motion(task->world, s, &before, &after));
    }
    rps_lock_take(&task->lock);
    task->most = rps_nonsmooth_larger(task->most, mine);
    rps_lock_give(&task->lock);
}

double rps_nonsmooth_look_ahead(const rps_world *world) {
    bodies_task task = {.world = world, .lock = RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, look_ahead_part, &task);
    return task.most;
}

static void free_motion_part(void *context, rps_part part) {
    const bodies_task *task = context;
    for (size_t s = part.begin; s < part.end; s++) {
        free_motion(task->world, s, &task->before[s], &task->after[s]);
    }
}

rps_status rps_nonsmooth_predict(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const size_t count = world->bodies.count;
    RPS_TRY(rps_scratch_fit(world, &ns->before, count, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->after, count, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->trial, count, sizeof(rps_twist), err));
    bodies_task task = {.world = world, .before = ns->before.p, .after = ns->after.p};
    rps_parallel_for(rps_step_workers(world, count), count, free_motion_part, &task);
    ns->slip_speed = world->options.nonsmooth.tolerance * world->speed_bound;
    return RPS_OK;
}

/* --- nodes ---------------------------------------------------------------------------------------------------------- */

/* M^-1 of a body: R I^-1 R^T = ball + more a a^T + less b b^T, a and b the axes of the smallest and largest moment. */
void rps_nonsmooth_make_node(const rps_world *world, size_t s, rps_cone_node *node) {
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

bool rps_nonsmooth_lock_row(const rps_world *world, size_t s, uint32_t node, uint32_t joint, rps_cone_joint_row *row) {
    if (!is_locked_axis(world, s)) return false;
    *row = (rps_cone_joint_row){.joint = joint, .node = {node, RPS_CONE_NO_NODE}, .low = -INFINITY, .high = INFINITY};
    memcpy(row->jacobian[0], world->bodies.lock_axis[s], sizeof world->bodies.lock_axis[s]);
    return true;
}

rps_status rps_nonsmooth_nodes(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
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
    const size_t capacity = rows + RPS_JOINT_ROWS * world->joints + 1; /* so that the next row has an address */
    RPS_TRY(rps_scratch_fit(world, &ns->row, capacity, sizeof(rps_cone_joint_row), err));
    RPS_TRY(rps_scratch_fit(world, &ns->row_impulse, capacity, sizeof(double), err));
    rps_cone_node *node = ns->node.p;
    node[ns->still] = (rps_cone_node){.inverse_mass = 0.0};
    size_t row = 0;
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        if (node_of[s] == RPS_CONE_NO_NODE) continue;
        rps_nonsmooth_make_node(world, s, &node[node_of[s]]);
        ((uint32_t *)ns->slot_of_node.p)[node_of[s]] = (uint32_t)s;
        rps_cone_joint_row *r = (rps_cone_joint_row *)ns->row.p + row;
        if (rps_nonsmooth_lock_row(world, s, node_of[s], (uint32_t)row, r)) ((double *)ns->row_impulse.p)[row++] = 0.0;
    }
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
static double kick_body(const bodies_task *task, size_t s) {
    const rps_world *world = task->world;
    rps_bodies *bodies = task->bodies;
    rps_twist *after = &task->after[s];
    rps_load *load = &bodies->load[s];
    rps_vec3 force, torque;
    double unused[RPS_ACCOUNTS];
    sum_loads(world, s, &force, &torque, unused);
    rps_vec3_put(load->force, force);
    rps_vec3_put(load->torque, torque);
    if (bodies->kind[s][0] != RPS_BODY_FREE) return 0.0;
    add_joints(world, task->ns, s, &force, &torque);
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
        change = rps_nonsmooth_larger(change, kick_body(task, s));
        defect = rps_nonsmooth_larger(defect, defect_of(task->ns, s));
    }
    rps_lock_take(&task->lock);
    task->most = rps_nonsmooth_larger(task->most, change);
    task->defect = rps_nonsmooth_larger(task->defect, defect);
    rps_lock_give(&task->lock);
}

double rps_nonsmooth_kick(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies) {
    bodies_task task = {.world = world, .ns = ns, .bodies = bodies, .after = ns->after.p, .lock = RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, kick_part, &task);
    return task.most > 0.0 ? task.defect / task.most : 0.0;
}

/* Records the dissipated energies of bodies, and the work of drives against the loads. */
static void book_body(bodies_task *task, size_t s) {
    const rps_world *world = task->world;
    const rps_nonsmooth *ns = task->ns;
    rps_bodies *bodies = task->bodies;
    rps_vec3 force, torque;
    double dissipated[RPS_ACCOUNTS];
    sum_loads(world, s, &force, &torque, dissipated);
    for (int k = 0; k < RPS_ACCOUNTS && world->options.ledger; k++) {
        bodies->dissipated[s][k] = rps_flush(bodies->dissipated[s][k] + dissipated[k]);
    }
    if (bodies->kind[s][0] != RPS_BODY_FREE && world->options.ledger) {
        const rps_load_rows rows = rps_contacts_rows(&world->contacts);
        rps_lock_take(&task->lock);
        rps_boundary_account(&rows, s, task->account);
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

void rps_nonsmooth_book(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies,
                        rps_exact_sum account[RPS_ACCOUNTS]) {
    bodies_task task = {.world = world, .ns = ns, .bodies = bodies, .account = account, .lock = RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(world, world->bodies.count), world->bodies.count, book_part, &task);
}

void rps_nonsmooth_first_loads(const rps_world *world, rps_bodies *bodies) {
    for (size_t s = 0; s < bodies->count; s++) {
        rps_vec3 force, torque;
        double unused[RPS_ACCOUNTS];
        sum_loads(world, s, &force, &torque, unused);
        rps_vec3_put(bodies->load[s].force, force);
        rps_vec3_put(bodies->load[s].torque, torque);
    }
}
