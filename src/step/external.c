/*
 * Applied loads in a step. The two kicks of the penalty stepper act before the first half of the motion and after the
 * second; the nonsmooth stepper adds the loads to the free motion. Work is the load times the mean of the velocities
 * at both ends of the step: exact for the change of kinetic energy by the load alone, and of second order with other
 * loads.
 */
#include "base/flush.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

static rps_vec3 applied_force(const rps_external *external) {
    return rps_vec3_add(rps_vec3_of(external->held), rps_vec3_of(external->once));
}

static rps_vec3 applied_torque(const rps_external *external) {
    return rps_vec3_add(rps_vec3_of(external->held + 3), rps_vec3_of(external->once + 3));
}

static void add_applied_work(const rps_world *world, rps_external *external, size_t s) {
    const rps_motion *m = &world->bodies.motion[s];
    external->work += 0.5 * world->step *
                      (rps_vec3_dot(applied_force(external), rps_vec3_of(m->velocity)) +
                       rps_vec3_dot(applied_torque(external), rps_vec3_of(m->angular_velocity)));
}

bool rps_external_of(const rps_world *world, size_t slot, rps_vec3 *force, rps_vec3 *torque) {
    const uint64_t id = world->bodies.id[slot][0];
    if (!world->external_acts || id >= world->externals) return false;
    *force = applied_force(&world->external[id]);
    *torque = applied_torque(&world->external[id]);
    return true;
}

void rps_motion_kick_body(rps_bodies *bodies, size_t s, bool axes_locked, rps_vec3 force, rps_vec3 torque,
                          double kick) {
    rps_motion *m = &bodies->motion[s];
    const rps_vec3 axis = rps_vec3_of(bodies->lock_axis[s]);
    rps_vec3 v = rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick * m->inverse_mass[0], force);
    if (axes_locked && rps_vec3_norm2(axis) > 0.0) v = rps_vec3_reject(v, axis);
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

typedef struct acting {
    const rps_world *world;
    rps_bodies *bodies;     /* written */
    rps_external *external; /* by id; written */
    double kick;
    bool first;
} acting;

/* On a part of the ids. */
static void act_part(void *context, rps_part part) {
    const acting *a = context;
    const rps_world *world = a->world;
    for (size_t id = part.begin; id < part.end; id++) {
        rps_external *external = &a->external[id];
        const uint32_t s = world->bodies.slot_of[id];
        if (s == RPS_NO_SLOT || !rps_external_acts(external)) continue;
        if (a->first) add_applied_work(world, external, s);
        if (a->kick > 0.0) {
            rps_motion_kick_body(a->bodies, s, world->axes_locked, applied_force(external), applied_torque(external),
                                 a->kick);
        }
        if (a->first) continue;
        add_applied_work(world, external, s);
        for (int k = 0; k < 6; k++) external->once[k] = 0.0;
    }
}

/* kick: duration of the kick (s); 0: no kick. first: true at the beginning of the step. */
static void act(rps_world *world, double kick, bool first) {
    const size_t count = world->externals < world->bodies.ids ? world->externals : (size_t)world->bodies.ids;
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
