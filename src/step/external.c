/*
 * Applied loads in a step. The two kicks of the penalty stepper act before the first half of the motion and after the
 * second; the nonsmooth stepper adds the loads to the free motion. Work is the load times the mean of the velocities
 * at both ends of the step: exact for the change of kinetic energy by the load alone, and of second order with other
 * loads.
 */
#include "base/flush.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* A force and a torque. */
typedef struct applied_load {
    rps_vec3 force, torque;
} applied_load;

static applied_load applied_load_of(const rps_external *external) {
    applied_load load = {rps_vec3_of(external->once), rps_vec3_of(external->once + 3)};
    if (external->holds) {
        load.force = rps_vec3_add(rps_vec3_of(external->held), load.force);
        load.torque = rps_vec3_add(rps_vec3_of(external->held + 3), load.torque);
    }
    return load;
}

static void add_applied_work(const rps_world *world, rps_external *external, const applied_load *load, size_t s) {
    const rps_motion *m = &world->bodies.motion[s];
    external->work += 0.5 * world->step *
                      (rps_vec3_dot(load->force, rps_vec3_of(m->velocity)) +
                       rps_vec3_dot(load->torque, rps_vec3_of(m->angular_velocity)));
}

bool rps_external_of(const rps_world *world, size_t slot, rps_vec3 *force, rps_vec3 *torque) {
    const uint64_t id = world->bodies.id[slot][0];
    if (!world->external_acts || id >= world->externals) return false;
    const applied_load load = applied_load_of(&world->external[id]);
    *force = load.force;
    *torque = load.torque;
    return true;
}

void rps_motion_kick_body(rps_bodies *bodies, size_t s, bool axes_locked, rps_vec3 force, rps_vec3 torque,
                          double kick) {
    rps_motion *m = &bodies->motion[s];
    rps_vec3 v = rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick * m->inverse_mass[0], force);
    if (axes_locked) {
        const rps_vec3 axis = rps_vec3_of(bodies->lock_axis[s]);
        if (rps_vec3_norm2(axis) > 0.0) v = rps_vec3_reject(v, axis);
    }
    rps_vec3_put(m->velocity, rps_vec3_flush(v));
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

enum { AHEAD = 12 }; /* bodies; records come from memory, in the order of ids */

typedef struct acting {
    const rps_world *world;
    rps_bodies *bodies;     /* written */
    rps_external *external; /* by id; written */
    double kick;
    bool first;
} acting;

static void act_on(const acting *a, size_t s) {
    const rps_world *world = a->world;
    const uint64_t id = world->bodies.id[s][0];
    if (id >= world->externals || !rps_external_acts(&a->external[id])) return;
    rps_external *external = &a->external[id];
    const applied_load load = applied_load_of(external);
    if (a->first) add_applied_work(world, external, &load, s);
    if (a->kick > 0.0) rps_motion_kick_body(a->bodies, s, world->axes_locked, load.force, load.torque, a->kick);
    if (a->first) return;
    add_applied_work(world, external, &load, s);
    for (int k = 0; k < 6; k++) external->once[k] = 0.0;
}

/* On a part of the slots. */
static void act_part(void *context, rps_part part) {
    const acting *a = context;
    const rps_bodies *bodies = &a->world->bodies;
    for (size_t s = part.begin; s < part.end; s++) {
        if (s + AHEAD < part.end && bodies->id[s + AHEAD][0] < a->world->externals) {
            __builtin_prefetch(&a->external[bodies->id[s + AHEAD][0]], 1);
        }
        act_on(a, s);
    }
}

/* kick: duration of the kick (s); 0: no kick. first: true at the beginning of the step. */
static void act(rps_world *world, double kick, bool first) {
    const size_t count = world->bodies.count;
    acting a = {world, &world->bodies, world->external, kick, first};
    rps_parallel_for(rps_step_workers(world, count), count, act_part, &a);
    if (!first) rps_external_find_active(world);
}

void rps_external_begin(rps_world *world, double kick) {
    if (world->external_acts) act(world, kick, true);
}

void rps_external_end(rps_world *world, double kick) {
    if (world->external_acts) act(world, kick, false);
}

void rps_external_work(const rps_world *world, rps_exact_sum *work) {
    for (size_t id = 0; id < world->externals; id++) rps_exact_sum_add(work, world->external[id].work);
}
