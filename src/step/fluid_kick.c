/*
 * The fluid in a step (world/fluid.h): drag and buoyancy change velocities before the first half of the motion and, in reverse
 * order, after the second, as loads of a program do. So buoyancy and gravity act side by side, and their difference is what drag
 * balances. The nonsmooth stepper takes both before its step.
 *
 * Drag divides the velocity relative to the fluid by 1 + x + x^2/2, x = c t/m, which is exp(x) up to x^3/6 and stays sound for
 * any step. c is that of the speed in the middle, so that the whole is of second order. The dissipated energy and the work of a
 * flowing fluid follow from the impulse and the mean of both velocities: their difference is the change of kinetic energy, to
 * round-off.
 */
#include "step/fluid_kick.h"

#include "base/elementary.h"
#include "base/flush.h"
#include "step/step_stages.h"
#include "world/body_shape.h"
#include "world/fluid.h"

static inline double fluid_decay(double x) {
    return 1.0 / (1.0 + x + 0.5 * (x * x));
}

/* The velocity after drag for the time t. wet: part of the body that is in the fluid. */
static rps_vec3 dragged(const rps_world *world, size_t s, rps_vec3 v, double wet, double t) {
    const rps_fluid *fluid = &world->fluid;
    const double per_mass = t * world->bodies.motion[s].inverse_mass[0] * wet;
    const double diameter = 2.0 * rps_body_equal_radius(world, s);
    const rps_vec3 u = rps_vec3_of(fluid->velocity), relative = rps_vec3_sub(v, u);
    const double speed = rps_vec3_norm(relative);
    const double middle = speed * fluid_decay(0.5 * per_mass * rps_fluid_drag(fluid, diameter, speed));
    const double left = fluid_decay(per_mass * rps_fluid_drag(fluid, diameter, middle));
    return rps_vec3_add_scaled(u, left, relative);
}

static rps_vec3 keep_axis(const rps_world *world, size_t s, rps_vec3 v) {
    const rps_vec3 axis = rps_vec3_of(world->bodies.lock_axis[s]);
    return world->axes_locked && rps_vec3_norm2(axis) > 0.0 ? rps_vec3_reject(v, axis) : v;
}

static rps_vec3 buoyed(const rps_world *world, size_t s, rps_vec3 v, double wet, double t) {
    const rps_fluid *fluid = &world->fluid;
    if (!(fluid->density > 0.0)) return v;
    const double lift = fluid->density * rps_fluid_volume(world, s) * world->bodies.motion[s].inverse_mass[0];
    const rps_vec3 g = rps_vec3_of(world->options.gravity);
    return keep_axis(world, s, rps_vec3_add_scaled(v, -(t * wet) * lift, g));
}

/* Drag with its energies. */
static rps_vec3 drag_body(const rps_fluid_task *task, size_t s, rps_vec3 v, double wet) {
    const rps_world *world = task->world;
    if (world->fluid.drag == RPS_DRAG_NONE || !(wet > 0.0)) return v;
    const rps_vec3 after = rps_vec3_flush(keep_axis(world, s, dragged(world, s, v, wet, task->kick)));
    if (task->account != NULL) {
        const rps_vec3 impulse = rps_vec3_scale(rps_vec3_sub(after, v), world->bodies.mass[s][0]);
        const rps_vec3 u = rps_vec3_of(world->fluid.velocity), mean = rps_vec3_scale(rps_vec3_add(v, after), 0.5);
        rps_exact_sum_add(&task->account[RPS_FLUID_DRAG], rps_vec3_dot(impulse, rps_vec3_sub(u, mean)));
        rps_exact_sum_add(&task->account[RPS_FLUID_FLOW], rps_vec3_dot(impulse, u));
    }
    return after;
}

/* Drag against turning, pi eta d^3: of a body with three moments it falls by the smallest, so that it never gains energy. */
static void drag_rotation(const rps_fluid_task *task, size_t s, double wet) {
    const rps_world *world = task->world;
    rps_bodies *bodies = task->bodies;
    rps_motion *m = &bodies->motion[s];
    if (world->fluid.drag == RPS_DRAG_NONE || !(wet > 0.0) || !(m->inverse_inertia[0] > 0.0)) return;
    const double d = 2.0 * rps_body_equal_radius(world, s);
    const double x = task->kick * wet * RPS_PI * world->fluid.viscosity * ((d * d) * d);
    const double before = task->account != NULL ? rps_body_rotation_energy(bodies, s) : 0.0;
    const rps_vec3 w = rps_vec3_of(m->angular_velocity);
    if (!rps_body_has_pieces(bodies, s)) {
        rps_vec3_put(m->angular_velocity, rps_vec3_flush(rps_vec3_scale(w, fluid_decay(x * m->inverse_inertia[0]))));
    } else {
        const double *inertia = bodies->inertia[s];
        double least = inertia[0] < inertia[1] ? inertia[0] : inertia[1];
        least = inertia[2] < least ? inertia[2] : least;
        double *l = bodies->angular_momentum[s];
        const double spent = least * (1.0 - fluid_decay(x / least));
        rps_vec3_put(l, rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(l), -spent, w)));
        rps_body_update_angular_velocity(bodies, s);
    }
    if (task->account == NULL) return;
    rps_exact_sum_add(&task->account[RPS_FLUID_DRAG], before);
    rps_exact_sum_add(&task->account[RPS_FLUID_DRAG], -rps_body_rotation_energy(bodies, s));
}

static void flow_past(const rps_fluid_task *task, size_t s) {
    const rps_world *world = task->world;
    if (world->bodies.kind[s][0] != RPS_BODY_FREE) return;
    const double wet = rps_fluid_immersed(world, s);
    double *velocity = task->bodies->motion[s].velocity;
    rps_vec3 v = rps_vec3_of(velocity);
    if (!task->first) v = buoyed(world, s, v, wet, task->kick);
    v = drag_body(task, s, v, wet);
    if (task->first) v = buoyed(world, s, v, wet, task->kick);
    rps_vec3_put(velocity, rps_vec3_flush(v));
    drag_rotation(task, s, wet);
}

void rps_fluid_act(const rps_fluid_task *task, size_t begin, size_t end) {
    if (!(task->kick > 0.0)) return;
    for (size_t s = begin; s < end; s++) flow_past(task, s);
}

rps_vec3 rps_fluid_kicked(const rps_world *world, size_t slot, rps_vec3 velocity, double kick) {
    if (!world->in_fluid) return velocity;
    const double wet = rps_fluid_immersed(world, slot);
    const bool drags = world->fluid.drag != RPS_DRAG_NONE && wet > 0.0;
    const rps_vec3 v = drags ? keep_axis(world, slot, dragged(world, slot, velocity, wet, kick)) : velocity;
    return buoyed(world, slot, v, wet, kick);
}

/* A loop over all bodies by several workers. */
typedef struct fluid_loop {
    const rps_fluid_task *task;
    rps_lock lock; /* of the account of the task */
} fluid_loop;

static void fluid_part(void *context, rps_part part) {
    fluid_loop *loop = context;
    rps_exact_sum mine[RPS_FLUID_ACCOUNTS];
    rps_fluid_task task = *loop->task;
    for (int k = 0; k < RPS_FLUID_ACCOUNTS; k++) rps_exact_sum_clear(&mine[k]);
    if (task.account != NULL) task.account = mine;
    rps_fluid_act(&task, part.begin, part.end);
    if (task.account == NULL) return;
    rps_lock_take(&loop->lock);
    for (int k = 0; k < RPS_FLUID_ACCOUNTS; k++) rps_exact_sum_merge(&loop->task->account[k], &mine[k]);
    rps_lock_give(&loop->lock);
}

void rps_fluid_all(const rps_fluid_task *task) {
    const size_t count = task->world->bodies.count;
    fluid_loop loop = {task, RPS_LOCK_OPEN};
    rps_parallel_for(rps_step_workers(task->world, count), count, fluid_part, &loop);
}
