/*
 * Applied loads in a step. The two kicks of the penalty stepper act before the first half of the motion and after the
 * second, in the same pass over the bodies (motion.c); the nonsmooth stepper adds the loads to the free motion. Work is
 * the load times the mean of the velocities at both ends of the step: exact for the change of kinetic energy by the
 * load alone, and of second order with other loads.
 */
#include <string.h>

#include "base/flush.h"
#include "step/push.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

static rps_push_fn *const push_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_push_range);

/* A force and a torque; `turns`: the torque may not be 0. */
typedef struct applied_load {
    rps_vec3 force, torque;
    bool turns;
} applied_load;

static inline applied_load applied_load_of(const rps_world *world, size_t s) {
    const rps_bodies *bodies = &world->bodies;
    const rps_externals *external = &world->external;
    const int32_t which = bodies->applied[s].applies[0];
    const uint64_t id = bodies->id[s][0];
    applied_load load = {.turns = (which & ~RPS_EXTERNAL_FORCE) != 0};
    if (which & RPS_EXTERNAL_FORCE) load.force = rps_vec3_of(bodies->applied[s].applied_force);
    if (which & RPS_EXTERNAL_TORQUE) load.torque = rps_vec3_of(external->torque[id]);
    if (which & RPS_EXTERNAL_HELD) {
        load.force = rps_vec3_add(rps_vec3_of(external->held[id]), load.force);
        load.torque = rps_vec3_add(rps_vec3_of(external->held[id] + 3), load.torque);
    }
    return load;
}

static inline double applied_work(const rps_world *world, const applied_load *load, size_t s) {
    const rps_motion *m = &world->bodies.motion[s];
    double power = rps_vec3_dot(load->force, rps_vec3_of(m->velocity));
    if (load->turns) power += rps_vec3_dot(load->torque, rps_vec3_of(m->angular_velocity));
    return 0.5 * world->step * power;
}

bool rps_external_of(const rps_world *world, size_t slot, rps_vec3 *force, rps_vec3 *torque) {
    if (!world->external_acts) return false;
    const applied_load load = applied_load_of(world, slot);
    *force = load.force;
    *torque = load.torque;
    return true;
}

static inline void kick_velocity(rps_bodies *bodies, size_t s, bool axes_locked, rps_vec3 force, double kick) {
    rps_motion *m = &bodies->motion[s];
    rps_vec3 v = rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick * m->inverse_mass[0], force);
    if (axes_locked) {
        const rps_vec3 axis = rps_vec3_of(bodies->lock_axis[s]);
        if (rps_vec3_norm2(axis) > 0.0) v = rps_vec3_reject(v, axis);
    }
    rps_vec3_put(m->velocity, rps_vec3_flush(v));
}

static void kick_rotation(rps_bodies *bodies, size_t s, rps_vec3 torque, double kick) {
    rps_motion *m = &bodies->motion[s];
    if (!(m->inverse_inertia[0] > 0.0)) return;
    if (!rps_body_has_pieces(bodies, s)) {
        const rps_vec3 w = rps_vec3_of(m->angular_velocity);
        rps_vec3_put(m->angular_velocity, rps_vec3_flush(rps_vec3_add_scaled(w, kick * m->inverse_inertia[0], torque)));
    } else {
        double *l = bodies->angular_momentum[s];
        rps_vec3_put(l, rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(l), kick, torque)));
        rps_body_update_angular_velocity(bodies, s);
    }
}

void rps_motion_kick_body(rps_bodies *bodies, size_t s, bool axes_locked, rps_vec3 force, rps_vec3 torque,
                          double kick) {
    kick_velocity(bodies, s, axes_locked, force, kick);
    kick_rotation(bodies, s, torque, kick);
}

/* Drops what acts in one step alone. */
static void drop_once(const rps_external_task *task, size_t s) {
    int32_t *which = task->bodies->applied[s].applies;
    const uint64_t id = task->bodies->id[s][0];
    for (int k = 0; k < 3 && (*which & RPS_EXTERNAL_FORCE); k++) task->bodies->applied[s].applied_force[k] = 0.0;
    for (int k = 0; k < 3 && (*which & RPS_EXTERNAL_TORQUE); k++) task->external->torque[id][k] = 0.0;
    *which &= RPS_EXTERNAL_HELD;
}

static inline void act_on(const rps_external_task *task, size_t s) {
    const rps_world *world = task->world;
    double *work = task->bodies->applied_work[s];
    if (task->bodies->applied[s].applies[0] == 0) return;
    const applied_load load = applied_load_of(world, s);
    if (task->first) *work += applied_work(world, &load, s);
    if (task->kick > 0.0) {
        kick_velocity(task->bodies, s, world->axes_locked, load.force, task->kick);
        if (load.turns) kick_rotation(task->bodies, s, load.torque, task->kick);
    }
    if (task->first) return;
    *work += applied_work(world, &load, s);
    drop_once(task, s);
}

void rps_external_act(const rps_external_task *task, size_t begin, size_t end) {
    const rps_bodies *bodies = task->bodies;
    const rps_push push = {bodies->motion, bodies->applied,         bodies->applied_work,
                           task->kick,     0.5 * task->world->step, task->first};
    rps_push_fn *const push_from = push_range[task->world->isa];
    for (size_t s = begin; s < end; s++) {
        if (!task->world->axes_locked) s = push_from(&push, s, end); /* act_on for most loads of a program */
        if (s < end) act_on(task, s);
    }
}

static void act_part(void *context, rps_part part) {
    rps_external_act(context, part.begin, part.end);
}

void rps_external_all(rps_world *world, bool first) {
    const size_t count = world->bodies.count;
    rps_external_task task = {world, &world->bodies, &world->external, 0.0, first};
    if (world->external_acts) rps_parallel_for(rps_step_workers(world, count), count, act_part, &task);
}

void rps_external_ended(rps_world *world) {
    if (!world->external_acts) return;
    world->external_acts = false;
    if (world->external_holds) rps_external_find_active(world);
}

void rps_external_work(const rps_world *world, rps_exact_sum *work) {
    for (size_t s = 0; s < world->bodies.count; s++) rps_exact_sum_add(work, world->bodies.applied_work[s][0]);
}
