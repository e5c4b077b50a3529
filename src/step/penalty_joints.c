/*
 * Joints in the penalty stepper: RATTLE (Andersen 1983), with the rows of the nonsmooth stepper. A step of velocity Verlet kicks the
 * bodies before and after their motion, for half a step each; so do the joints:
 *
 *   lead     v' = v + h/2 M^-1 (loads + J(x)' g) so that x' = x + h v' is at places that joints allow
 *   follow   v" = v' + h/2 M^-1 (loads' + J(x')' g') so that J(x') v" = 0
 *
 * with J(x)' the transposed rows. This is symplectic (Leimkuhler & Skeel 1994), of second order, and does not drift off the joints.
 * The places follow from the whole motion, turns included, so lead repeats: it solves the rows, tries the motion, and adds the errors
 * over h to the bias of the rows. The rows stay those of x, so an error falls by about the turn of a step each time.
 *
 * Rows with bounds, friction and drives of limited load, have half a step's impulse in each pass. A stop lets its bodies come to it
 * within the motion, or turns them back (lead), and takes what goes beyond it (follow). Springs push as at the present place.
 * The half-implicit integrator kicks once, for a whole step, and has the first pass alone.
 *
 * Loads act as pairs at one point, so momentum and angular momentum are those without joints to rounding.
 */
#include "step/fluid_kick.h"
#include "step/penalty_joints.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/flush.h"
#include "step/joint_sides.h"
#include "world/body_shape.h"

enum { TRIALS = 30, SWEEPS = 10000 };
static const double PLACED =
    1e-13; /* m over the size of a joint and its distance from the origin, or rad: about rounding */
static const double OPEN = 1e-9;      /* the same: more stops the run */
static const double TOLERANCE = 1e-9; /* of rows with bounds; others are solved to rounding */

/* The part of a body that a trial of its motion changes. */
typedef struct kept_body {
    rps_pose pose;
    rps_motion motion;
    double orientation[4], angular_momentum[3], normal[3], force[3], torque[3];
    int32_t image[3];
} kept_body;

static uint32_t member_slot(const rps_nonsmooth *ns, size_t k) {
    return ((const uint32_t *)ns->member.p)[k];
}

/* --- bodies --------------------------------------------------------------------------------------------------------- */

/* Numbers the free bodies of joints as nodes and lists all their bodies, both in the order of the joints. */
static void list_joined(const rps_world *world, rps_nonsmooth *ns) {
    const uint32_t other = RPS_CONE_NO_NODE - 1; /* listed, and no node */
    const rps_bodies *bodies = &world->bodies;
    uint32_t *node_of = ns->node_of.p, *member = ns->member.p, *slot_of_node = ns->slot_of_node.p;
    memset(node_of, 0xff, bodies->count * sizeof *node_of);
    ns->members = ns->nodes = 0;
    for (size_t k = 0; k < world->joints; k++) {
        for (int side = 0; side < 2; side++) {
            const uint64_t id = world->joint[k].body[side];
            if (id == RPS_JOINT_WORLD) continue; /* of a coupling both */
            const uint32_t s = bodies->slot_of[id];
            if (node_of[s] != RPS_CONE_NO_NODE) continue;
            const bool is_free = bodies->kind[s][0] == RPS_BODY_FREE;
            member[ns->members++] = s;
            node_of[s] = is_free ? (uint32_t)ns->nodes : other;
            if (is_free) slot_of_node[ns->nodes++] = s;
        }
    }
    for (size_t k = 0; k < ns->members; k++) {
        if (node_of[member[k]] == other) node_of[member[k]] = RPS_CONE_NO_NODE;
    }
}

static size_t most_rows(const rps_world *world) {
    return (2 + RPS_JOINT_ROWS) * world->joints;
}

static rps_status reserve_joints(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const size_t bodies = world->bodies.count, most = 2 * world->joints, rows = most_rows(world);
    RPS_TRY(rps_scratch_fit(world, &ns->before, bodies, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->after, bodies, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->node_of, bodies, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->member, most, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->kept, most, sizeof(kept_body), err));
    RPS_TRY(rps_scratch_fit(world, &ns->slot_of_node, most, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->node, most + 1, sizeof(rps_cone_node), err));
    RPS_TRY(rps_scratch_fit(world, &ns->velocity, most + 1, sizeof(rps_twist), err));
    RPS_TRY(rps_scratch_fit(world, &ns->row, rows, sizeof(rps_cone_joint_row), err));
    RPS_TRY(rps_scratch_fit(world, &ns->goal, rows, sizeof(double), err));
    RPS_TRY(rps_scratch_fit(world, &ns->miss, rows, sizeof(double), err));
    return rps_scratch_fit(world, &ns->row_impulse, rows, sizeof(double), err);
}

/* Nodes and rows of locked axes at the present poses. */
static void make_nodes(const rps_world *world, rps_nonsmooth *ns) {
    const uint32_t *slot = ns->slot_of_node.p;
    rps_cone_node *node = ns->node.p;
    rps_cone_joint_row *row = ns->row.p;
    ns->rows = 0;
    ns->still = (uint32_t)ns->nodes;
    node[ns->still] = (rps_cone_node){.inverse_mass = 0.0};
    for (size_t k = 0; k < ns->nodes; k++) {
        const uint32_t at = (uint32_t)ns->rows;
        rps_nonsmooth_make_node(world, slot[k], &node[k]);
        if (!rps_nonsmooth_lock_row(world, slot[k], (uint32_t)k, at, &row[at])) continue;
        ((double *)ns->row_impulse.p)[at] = ((double *)ns->goal.p)[at] = 0.0;
        ns->rows++;
    }
}

static rps_twist present_twist(const rps_bodies *bodies, size_t s) {
    rps_twist twist = {{0.0}, {0.0}};
    if (bodies->kind[s][0] == RPS_BODY_FIXED) return twist;
    rps_vec3_put(twist.v, rps_vec3_of(bodies->motion[s].velocity));
    rps_vec3_put(twist.w, rps_vec3_of(bodies->motion[s].angular_velocity));
    return twist;
}

static void look_at_velocities(const rps_world *world, const rps_nonsmooth *ns, rps_twist *to) {
    for (size_t k = 0; k < ns->members; k++) {
        const uint32_t s = member_slot(ns, k);
        to[s] = present_twist(&world->bodies, s);
    }
}

/* --- trials of the motion ------------------------------------------------------------------------------------------- */

static void keep_body(const rps_bodies *bodies, size_t s, kept_body *out) {
    *out = (kept_body){.pose = bodies->pose[s], .motion = bodies->motion[s]};
    memcpy(out->orientation, bodies->orientation[s], sizeof out->orientation);
    memcpy(out->angular_momentum, bodies->angular_momentum[s], sizeof out->angular_momentum);
    memcpy(out->normal, bodies->normal[s], sizeof out->normal);
    memcpy(out->image, bodies->image[s], sizeof out->image);
    memcpy(out->force, bodies->load[s].force, sizeof out->force);
    memcpy(out->torque, bodies->load[s].torque, sizeof out->torque);
}

static void put_body_back(const kept_body *from, rps_bodies *bodies, size_t s) {
    bodies->pose[s] = from->pose;
    bodies->motion[s] = from->motion;
    memcpy(bodies->orientation[s], from->orientation, sizeof from->orientation);
    memcpy(bodies->angular_momentum[s], from->angular_momentum, sizeof from->angular_momentum);
    memcpy(bodies->normal[s], from->normal, sizeof from->normal);
    memcpy(bodies->image[s], from->image, sizeof from->image);
}

static void put_load(const kept_body *from, const rps_twist *joints, rps_load *load) {
    rps_vec3_put(load->force, rps_vec3_add(rps_vec3_of(from->force), rps_vec3_of(joints->v)));
    rps_vec3_put(load->torque, rps_vec3_add(rps_vec3_of(from->torque), rps_vec3_of(joints->w)));
}

/* Adds the loads of joints to those of their free bodies. */
static void load_members(const rps_nonsmooth *ns, rps_bodies *bodies) {
    const kept_body *kept = ns->kept.p;
    for (size_t k = 0; k < ns->members; k++) {
        const uint32_t s = member_slot(ns, k);
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        put_load(&kept[k], (const rps_twist *)ns->joint_load.p + s, &bodies->load[s]);
    }
}

void rps_penalty_joints_unload(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies) {
    static const rps_twist none = {{0.0}, {0.0}};
    const kept_body *kept = ns->kept.p;
    for (size_t k = 0; k < ns->members && world->joints > 0; k++) {
        const uint32_t s = member_slot(ns, k);
        if (bodies->kind[s][0] == RPS_BODY_FREE) put_load(&kept[k], &none, &bodies->load[s]);
    }
}

/* Moves the bodies as the step will, looks at the errors of the rows, and puts the bodies back. */
static double try_motion(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies, double *error, size_t *worst) {
    const kept_body *kept = ns->kept.p;
    load_members(ns, bodies);
    for (size_t k = 0; k < ns->members; k++) rps_motion_try(world, bodies, rps_world_time(world), member_slot(ns, k));
    const double most = rps_nonsmooth_joint_errors(world, ns, error, worst);
    for (size_t k = 0; k < ns->members; k++) put_body_back(&kept[k], bodies, member_slot(ns, k));
    return most;
}

/* --- solution ------------------------------------------------------------------------------------------------------- */

static rps_status solve_rows(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const rps_cone_options options = {.method = RPS_CONE_AUTO,
                                      .tolerance = TOLERANCE,
                                      .max_iterations = SWEEPS,
                                      .least_norm = world->solver.redundant_rows > 0};
    rps_cone_result result;
    rps_cone_system *old = ns->system;
    ns->system = NULL;
    rps_nonsmooth_free_velocities(world, ns);
    RPS_TRY(rps_cone_system_make(&ns->system, old, world->allocator, ns->node.p, ns->nodes, NULL, 0, ns->row.p,
                                 ns->rows, (rps_workers){.count = 1}, err));
    RPS_TRY(rps_cone_system_solve(ns->system, &options, ns->velocity.p, NULL, NULL, ns->row_impulse.p, &result, err));
    if (result.solved) return RPS_OK;
    return rps_fail(
        err, RPS_GUARD,
        "the rows of joints with bounds (stops, friction, drives with a largest load) were left at a residual "
        "of %.3g after %llu sweeps, at t = %.9g s; the tolerance is %.3g\ntake a smaller step, or see whether "
        "stops and drives work against each other",
        result.residual_metric, (unsigned long long)result.iterations, rps_world_time(world), TOLERANCE);
}

static rps_status refuse_open(const rps_world *world, size_t joint, double error, rps_error *err) {
    const char *name = world->joint[joint].name;
    char who[80];
    rps_snprintf(who, sizeof who, name ? "`%.60s`" : "number %.0s%zu", name ? name : "", joint);
    return rps_fail(
        err, RPS_GUARD,
        "joint %s cannot be held in the step from t = %.9g s: after %d trials its bodies still miss their "
        "places by %.3g of their size\ntake a smaller step, or look for stops and joints that contradict each "
        "other in this position",
        who, rps_world_time(world), TRIALS, error);
}

/* Solves the rows until the motion leads to their places. */
static rps_status solve_places(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                               rps_error *err) {
    rps_cone_joint_row *row = ns->row.p;
    double *error = ns->miss.p, last = INFINITY;
    size_t worst = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        RPS_TRY(solve_rows(world, ns, err));
        rps_nonsmooth_joint_loads(world, ns, joint);
        memset(error, 0, ns->rows * sizeof *error);
        const double most = try_motion(world, ns, bodies, error, &worst);
        if (most <= PLACED || (most <= OPEN && most > 0.5 * last)) return RPS_OK;
        last = most;
        for (size_t r = ns->locks; r < ns->rows; r++) row[r].bias += error[r] / world->step;
        for (size_t k = 0; k < world->joints; k++) { /* v* begins without the loads of rows */
            const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
            if (k == 0) rps_nonsmooth_clear_joint_loads(world, ns);
            rps_joint_push(step, 0, step->load[0], step->load[1], ns->joint_load.p);
        }
    }
    return refuse_open(world, worst, last, err);
}

/* Velocities of the solved pass, and what it did to driven bodies. */
static void set_after(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies) {
    const uint32_t *slot = ns->slot_of_node.p;
    const rps_twist *before = ns->before.p, *load = ns->joint_load.p;
    rps_twist *after = ns->after.p;
    for (size_t k = 0; k < ns->nodes; k++) after[slot[k]] = ((const rps_twist *)ns->velocity.p)[k];
    for (size_t k = 0; k < ns->members; k++) {
        const uint32_t s = member_slot(ns, k);
        if (world->bodies.kind[s][0] != RPS_BODY_DRIVEN) continue;
        const rps_vec3 v = rps_vec3_add(rps_vec3_of(before[s].v), rps_vec3_of(after[s].v));
        const rps_vec3 w = rps_vec3_add(rps_vec3_of(before[s].w), rps_vec3_of(after[s].w));
        const double done =
            0.5 * ns->kick * (rps_vec3_dot(rps_vec3_of(load[s].v), v) + rps_vec3_dot(rps_vec3_of(load[s].w), w));
        bodies->load[s].work[0] = rps_flush(bodies->load[s].work[0] - done);
    }
}

/* Velocities after the first kick without joints: of the middle of the step, or of its end. */
static void predict_kick(const rps_world *world, rps_nonsmooth *ns) {
    const rps_bodies *bodies = &world->bodies;
    rps_twist *after = ns->after.p;
    for (size_t k = 0; k < ns->members; k++) {
        const uint32_t s = member_slot(ns, k);
        if (bodies->kind[s][0] != RPS_BODY_FREE) {
            after[s] = rps_nonsmooth_mean_drive(world, s);
            continue;
        }
        rps_vec3 force = rps_vec3_of(bodies->load[s].force), torque = rps_vec3_of(bodies->load[s].torque), f, t;
        if (rps_external_of(world, s, &f, &t)) {
            force = rps_vec3_add(force, f);
            torque = rps_vec3_add(torque, t);
        }
        const rps_vec3 gravity = rps_vec3_of(world->options.gravity);
        const rps_vec3 a = rps_vec3_add_scaled(gravity, bodies->motion[s].inverse_mass[0], force);
        const rps_vec3 turn = rps_nonsmooth_turned_by(bodies, s, rps_vec3_scale(torque, ns->kick));
        const rps_vec3 v = rps_fluid_kicked(world, s, rps_vec3_of(bodies->motion[s].velocity), ns->kick);
        rps_vec3_put(after[s].v, rps_vec3_add_scaled(v, ns->kick, a));
        rps_vec3_put(after[s].w, rps_vec3_add(rps_vec3_of(bodies->motion[s].angular_velocity), turn));
    }
}

/* --- the passes ----------------------------------------------------------------------------------------------------- */

static rps_status begin_pass(const rps_world *world, rps_nonsmooth *ns, rps_joint_pass pass, rps_error *err) {
    ns->pass = pass;
    ns->kick = world->options.integrator == RPS_VERLET ? 0.5 * world->step : world->step;
    RPS_TRY(reserve_joints(world, ns, err));
    list_joined(world, ns);
    make_nodes(world, ns);
    return RPS_OK;
}

static rps_status make_places(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    RPS_TRY(begin_pass(world, ns, RPS_PASS_PLACES, err));
    look_at_velocities(world, ns, ns->before.p);
    predict_kick(world, ns);
    return rps_nonsmooth_joints(world, ns, err);
}

rps_status rps_penalty_joints_start(const rps_world *world, rps_nonsmooth *ns, rps_joint *joint,
                                    uint64_t *redundant_rows, rps_error *err) {
    if (world->joints == 0) return RPS_OK;
    RPS_TRY(make_places(world, ns, err));
    RPS_TRY(rps_nonsmooth_rank(world, ns, redundant_rows, err));
    look_at_velocities(world, ns, ns->after.p);
    rps_nonsmooth_joint_results(world, ns, joint);
    return RPS_OK;
}

rps_status rps_penalty_joints_lead(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                                   rps_exact_sum *work, rps_error *err) {
    if (world->joints == 0) return RPS_OK;
    RPS_TRY(make_places(world, ns, err));
    kept_body *kept = ns->kept.p;
    for (size_t k = 0; k < ns->members; k++) keep_body(bodies, member_slot(ns, k), &kept[k]);
    const rps_status status = solve_places(world, ns, bodies, joint, err);
    if (status != RPS_OK) {
        rps_penalty_joints_unload(world, ns, bodies);
        return status;
    }
    set_after(world, ns, bodies);
    rps_nonsmooth_joint_accounts(world, ns, bodies, joint, work);
    load_members(ns, bodies);
    return RPS_OK;
}

void rps_penalty_joints_keep(const rps_world *world, rps_nonsmooth *ns) {
    if (world->joints == 0) return;
    list_joined(world, ns); /* detection may have changed the slots */
    look_at_velocities(world, ns, ns->before.p);
}

static void kick_members(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies) {
    const uint32_t *slot = ns->slot_of_node.p;
    for (size_t k = 0; k < ns->nodes; k++) {
        const rps_twist *load = (const rps_twist *)ns->joint_load.p + slot[k];
        rps_motion_kick_body(bodies, slot[k], world->axes_locked, rps_vec3_of(load->v), rps_vec3_of(load->w), ns->kick);
    }
}

rps_status rps_penalty_joints_follow(const rps_world *world, rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                                     rps_exact_sum *work, rps_error *err) {
    if (world->joints == 0) return RPS_OK;
    look_at_velocities(world, ns, ns->after.p);
    rps_nonsmooth_joint_results(world, ns, joint); /* coordinates, for stops and springs */
    if (world->options.integrator != RPS_VERLET) return RPS_OK;
    RPS_TRY(begin_pass(world, ns, RPS_PASS_SPEEDS, err));
    RPS_TRY(rps_nonsmooth_joints(world, ns, err));
    RPS_TRY(solve_rows(world, ns, err));
    rps_nonsmooth_joint_loads(world, ns, joint);
    kick_members(world, ns, bodies);
    set_after(world, ns, bodies);
    rps_nonsmooth_joint_accounts(world, ns, bodies, joint, work);
    look_at_velocities(world, ns, ns->after.p);
    rps_nonsmooth_joint_results(world, ns, joint);
    return RPS_OK;
}
