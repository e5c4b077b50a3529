/*
 * Forces from outside in a step (world/force.h): they change velocities before the first half of the motion and, in
 * reverse order, after the second, as loads of a program do. The nonsmooth stepper takes them before its step.
 *
 * A force of the velocity is evaluated again in the middle of its kick, so that the whole is of second order. The work is
 * the change of kinetic energy of the kick: the impulse times the mean of the velocities before and after it.
 */
#include "step/force_kick.h"

#include <math.h>

#include "base/flush.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

/* Bodies of several workers. */
typedef struct force_pass {
    const rps_world *world;
    const rps_forces *forces;
    rps_bodies *bodies;  /* written */
    double time, kick;   /* s */
    rps_exact_sum *work; /* J, of the field under way, behind the lock; NULL: no energy is recorded */
    size_t field;        /* its number */
    uint64_t bad;        /* the lowest id of a body whose load is no number; UINT64_MAX: none */
    rps_lock lock;
} force_pass;

typedef struct force_load {
    double force[3], torque[3];
} force_load;

/* In a planar world the part of it that acts there. */
static force_load force_load_of(const force_pass *pass, const rps_force_at *at) {
    const rps_force_def *def = &pass->forces->field[pass->field].def;
    force_load load = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    def->load(def->context, at, load.force, load.torque);
    if (pass->world->options.dimension == 2) load.force[1] = load.torque[0] = load.torque[2] = 0.0;
    return load;
}

/* The velocity after half of the kick. */
static void look_midway(const force_pass *pass, size_t s, const force_load *load, rps_force_at *at) {
    const rps_bodies *bodies = pass->bodies;
    const rps_vec3 axis = rps_vec3_of(bodies->lock_axis[s]);
    rps_vec3 force = rps_vec3_of(load->force);
    if (pass->world->axes_locked && rps_vec3_norm2(axis) > 0.0) force = rps_vec3_reject(force, axis);
    const double half = 0.5 * pass->kick * bodies->motion[s].inverse_mass[0];
    rps_vec3_put(at->velocity, rps_vec3_add_scaled(rps_vec3_of(at->velocity), half, force));
}

static bool load_is_finite(const force_load *load) {
    return rps_finite3(load->force) && rps_finite3(load->torque);
}

/* False if the load is no number. work: J, added to. */
static bool kick_forced(const force_pass *pass, size_t s, rps_exact_sum *work) {
    const rps_bodies *bodies = pass->bodies;
    rps_force_at at = rps_force_sees(pass->world, s, pass->time);
    force_load load = force_load_of(pass, &at);
    if (pass->forces->field[pass->field].def.of_velocity && load_is_finite(&load)) {
        look_midway(pass, s, &load, &at);
        load = force_load_of(pass, &at);
    }
    if (!load_is_finite(&load)) return false;
    const rps_vec3 before = rps_vec3_of(bodies->motion[s].velocity);
    const double turning = work ? rps_body_rotation_energy(bodies, s) : 0.0;
    rps_motion_kick_body(pass->bodies, s, pass->world->axes_locked, rps_vec3_of(load.force), rps_vec3_of(load.torque),
                         pass->kick);
    if (!work) return true;
    const rps_vec3 after = rps_vec3_of(bodies->motion[s].velocity);
    const rps_vec3 change = rps_vec3_sub(after, before), mean = rps_vec3_scale(rps_vec3_add(before, after), 0.5);
    rps_exact_sum_add(work, bodies->mass[s][0] * rps_vec3_dot(change, mean));
    rps_exact_sum_add(work, rps_body_rotation_energy(bodies, s));
    rps_exact_sum_add(work, -turning);
    return true;
}

static void force_part(void *context, rps_part part) {
    force_pass *pass = context;
    const rps_force_field *field = &pass->forces->field[pass->field];
    rps_exact_sum mine;
    uint64_t bad = UINT64_MAX;
    rps_exact_sum_clear(&mine);
    for (size_t s = part.begin; s < part.end; s++) {
        const rps_bodies *bodies = pass->bodies;
        if (bodies->kind[s][0] != RPS_BODY_FREE || !rps_force_acts_on(field, bodies->group[s][0])) continue;
        if (kick_forced(pass, s, pass->work ? &mine : NULL)) continue;
        bad = bodies->id[s][0] < bad ? bodies->id[s][0] : bad;
    }
    rps_lock_take(&pass->lock);
    if (pass->work) rps_exact_sum_merge(pass->work, &mine);
    pass->bad = bad < pass->bad ? bad : pass->bad;
    rps_lock_give(&pass->lock);
}

static rps_status refuse_load(const force_pass *pass, rps_error *err) {
    const size_t s = rps_world_slot(pass->world, pass->bad);
    const rps_force_at at = rps_force_sees(pass->world, s, pass->time);
    const force_load load = force_load_of(pass, &at);
    const double *x = at.position, *v = at.velocity, *f = load.force, *t = load.torque;
    char name[RPS_BODY_NAME];
    return rps_fail(
        err, RPS_GUARD,
        "the force `%s` on %s is no number at t = %.9g s: force (%g, %g, %g) N, torque (%g, %g, %g) N m\nit is "
        "at (%.9g, %.9g, %.9g) m with the velocity (%.6g, %.6g, %.6g) m/s; see where the formula divides "
        "by 0, or takes a root or a logarithm below 0",
        pass->forces->field[pass->field].name, rps_body_name(pass->world, s, name, sizeof name), at.time, f[0], f[1],
        f[2], t[0], t[1], t[2], x[0], x[1], x[2], v[0], v[1], v[2]);
}

rps_status rps_forces_act(const rps_world *world, rps_forces *forces, rps_bodies *bodies, double kick, bool first,
                          rps_error *err) {
    const size_t count = forces->count;
    force_pass pass = {.world = world,
                       .forces = forces,
                       .bodies = bodies,
                       .time = rps_world_time(world),
                       .kick = kick,
                       .lock = RPS_LOCK_OPEN};
    for (size_t k = 0; k < count && kick > 0.0; k++) {
        pass.field = first ? k : count - 1 - k;
        rps_force_field *field = &forces->field[pass.field];
        pass.work = world->options.ledger && !field->def.potential ? &field->work : NULL;
        pass.bad = UINT64_MAX;
        rps_parallel_for(rps_step_workers(world, bodies->count), bodies->count, force_part, &pass);
        if (pass.bad != UINT64_MAX) return refuse_load(&pass, err);
    }
    return RPS_OK;
}
