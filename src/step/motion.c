/*
 * Motion of bodies: the two halves of a step around the evaluation of contacts.
 *
 * verlet          v += dt/2 a0;  x += dt v;  contacts at the new positions give a1;  v += dt/2 a1
 * half-implicit   v += dt a0;    x += dt v;  contacts give a1 for the next step (the paper's)
 *
 * Spheres and driven bodies turn by q1 = exp(dt w) q0 through the Rodrigues vector g = tan(|w| dt/2) w/|w|, which
 * contacts read too. Free bodies with pieces keep the angular momentum in the place of w: half a kick, the free rotor of
 * rotor.c, half a kick; their w follows from it.
 * Every body adds the loads of its contacts in the order of their keys, so that neither slots nor threads show.
 * During the step the velocity field holds displacement/dt, which is what tracking on planes needs.
 */
#include <math.h>
#include <omp.h>

#include "base/elementary.h"
#include "base/subnormal.h"
#include "step/step_stages.h"

enum { AHEAD = 20 }; /* references between the prefetch of a load and its use */

static rps_vec3 vec(const double *v) {
    return (rps_vec3){v[0], v[1], v[2]};
}

static void put(double *to, rps_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* Velocity along a locked axis stays 0. */
static inline rps_vec3 locked(const rps_world *world, size_t s, rps_vec3 v) {
    if (!world->axes_locked) {
        return v;
    }
    const rps_bodies *bodies = &world->bodies;
    rps_vec3 axis = vec(bodies->lock_axis[s]);
    return rps_vec3_norm2(axis) > 0.0 ? rps_vec3_reject(v, axis) : v;
}

/* Returns the square of half the angle. */
static double turn(rps_bodies *bodies, size_t s, double dt) {
    rps_vec3 w = vec(bodies->motion[s].angular_velocity);
    double half = 0.5 * dt;
    double x2 = (half * half) * rps_vec3_norm2(w);
    double f = half * (x2 <= RPS_TAN_OVER_X_X2_MAX ? rps_tan_over_x_small(x2) : rps_tan_over_x_full(x2));
    rps_vec3 g = rps_vec3_scale(w, f);
    put(bodies->pose[s].half_turn, g);
    bodies->pose[s].half_turn_scale[0] = 2.0 / (1.0 + rps_vec3_norm2(g));
    if (!(x2 > 0.0)) {
        return x2;
    }
    /* (1, g) is the rotation up to its length, and the product is brought to length 1 anyway */
    double *o = bodies->orientation[s];
    rps_quat q = rps_quat_mul((rps_quat){1.0, g.x, g.y, g.z}, (rps_quat){o[0], o[1], o[2], o[3]});
    double scale = 1.0 / sqrt(((q.w * q.w + q.x * q.x) + q.y * q.y) + q.z * q.z);
    o[0] = scale * q.w;
    o[1] = scale * q.x;
    o[2] = scale * q.y;
    o[3] = scale * q.z;
    return x2;
}

/* What the guards and the lists want to know of all bodies. */
typedef struct extremes {
    double speed2;   /* m^2/s^2, of the fastest point; of a sphere its centre tells */
    double turn2;    /* square of half the angle of a step */
    double smallest; /* m, half the smallest width of free bodies */
} extremes;

static inline double larger(double most, double x) {
    return most == most && !(x <= most) ? x : most;
}

/* The largest of numbers does not depend on the order in which they are compared; a not-a-number wins, so that it is
 * noticed. */
static inline void notice(extremes *most, double speed2, double turn2, double radius) {
    most->speed2 = larger(most->speed2, speed2);
    most->turn2 = larger(most->turn2, turn2);
    most->smallest = radius < most->smallest ? radius : most->smallest;
}

/* Into [0, L) on periodic axes; a body that moves more than a period a step is a matter for the guards. */
static void wrap(const rps_world *world, rps_bodies *bodies, size_t s) {
    for (int k = 0; k < 3; k++) {
        const double period = world->options.period[k];
        double *x = &bodies->pose[s].position[k];
        if (!(period > 0.0)) {
            continue;
        }
        if (*x < 0.0) {
            *x += period;
            bodies->image[s][k] -= 1;
        }
        if (*x >= period) {
            *x -= period;
            bodies->image[s][k] += 1;
        }
    }
}

static void kick_momentum(rps_bodies *bodies, size_t s, double kick, rps_vec3 torque) {
    double *l = bodies->angular_momentum[s];
    put(l, rps_vec3_add_scaled(vec(l), kick, torque));
}

/* The half kick and the free rotor. *speed: what rotation adds to the speed of the centre for the fastest point. */
static double start_rotor(rps_bodies *bodies, size_t s, double dt, double kick, double *speed) {
    kick_momentum(bodies, s, kick, vec(bodies->load[s].torque));
    *speed = rps_rotor_turn(bodies, s, dt) / dt * bodies->pose[s].radius[0];
    rps_body_update_turning(bodies, s);
    return (0.25 * dt * dt) * rps_vec3_norm2(vec(bodies->motion[s].angular_velocity));
}

static void start_free(const rps_world *world, rps_bodies *bodies, size_t s, double dt, double kick, extremes *most) {
    rps_motion *m = &bodies->motion[s];
    const rps_load *load = &bodies->load[s];
    rps_vec3 a = rps_vec3_add_scaled(vec(world->options.gravity), m->inverse_mass[0], vec(load->force));
    rps_vec3 v = locked(world, s, rps_vec3_add_scaled(vec(m->velocity), kick, a));
    put(m->velocity, v);
    put(bodies->pose[s].position, rps_vec3_add_scaled(vec(bodies->pose[s].position), dt, v));
    wrap(world, bodies, s);
    if (bodies->piece[s][0] < 0) {
        put(m->angular_velocity,
            rps_vec3_add_scaled(vec(m->angular_velocity), kick * m->inverse_inertia[0], vec(load->torque)));
        const double turn2 = turn(bodies, s, dt);
        notice(most, rps_vec3_norm2(v), turn2, bodies->pose[s].radius[0]);
        return;
    }
    double turn2 = 0.0, speed = 0.0;
    if (m->inverse_inertia[0] > 0.0) {
        turn2 = start_rotor(bodies, s, dt, kick, &speed);
    }
    speed += rps_vec3_norm(v);
    notice(most, speed * speed, turn2, rps_body_half_width(world, s));
}

static void start_driven(const rps_world *world, rps_bodies *bodies, size_t s, double time, double dt, extremes *most) {
    const int which = bodies->drive[s][0];
    if (which < 0) {
        return;
    }
    rps_pose_at now, then;
    rps_drive_at(world, which, time, 0.0, &now);
    rps_drive_at(world, which, time + dt, dt, &then);
    const rps_vec3 x1 = then.position, w0 = now.angular_velocity, shift = rps_vec3_sub(x1, now.position);
    rps_vec3 v = rps_vec3_scale(shift, 1.0 / dt);
    put(bodies->motion[s].velocity, v);
    put(bodies->motion[s].angular_velocity, w0);
    double position[3] = {x1.x, x1.y, x1.z};
    for (int k = 0; k < 3; k++) { /* the image is counted from the closed form too */
        const double period = world->options.period[k];
        bodies->pose[s].position[k] = position[k];
        if (period > 0.0) {
            double images = 0.0;
            while (position[k] < 0.0) {
                position[k] += period;
                images -= 1.0;
            }
            while (position[k] >= period) {
                position[k] -= period;
                images += 1.0;
            }
            bodies->pose[s].position[k] = position[k];
            bodies->image[s][k] = (int32_t)images;
        }
    }
    double turn2 = turn(bodies, s, dt);
    if (!(bodies->pose[s].radius[0] > 0.0)) { /* a plane's normal turns with it */
        const double *o = bodies->orientation[s];
        put(bodies->normal[s], rps_quat_rotate((rps_quat){o[0], o[1], o[2], o[3]}, (rps_vec3){0.0, 0.0, 1.0}));
    }
    double speed2 = rps_vec3_norm2(v);
    if (bodies->piece[s][0] >= 0) {
        const double speed = sqrt(speed2) + rps_vec3_norm(w0) * bodies->pose[s].radius[0];
        speed2 = speed * speed;
    }
    notice(most, speed2, turn2, INFINITY);
}

static void start_body(rps_world *world, size_t s, double time, double dt, double kick, extremes *most) {
    rps_bodies *bodies = &world->bodies;
    switch (bodies->kind[s][0]) {
    case RPS_BODY_FREE:
        start_free(world, bodies, s, dt, kick, most);
        break;
    case RPS_BODY_DRIVEN:
        start_driven(world, bodies, s, time, dt, most);
        break;
    default:
        break;
    }
}

void rps_motion_start(rps_world *world, double time) {
    const double dt = world->step;
    const double kick = world->options.integrator == RPS_VERLET ? 0.5 * dt : dt;
    const size_t count = world->bodies.count;
    const int workers = rps_step_workers(world, count);
    extremes all = {.smallest = INFINITY};
    if (world->servos) {
        rps_servos_aim(world, time);
    }
    if (workers ==
        1) { /* without a parallel region, whose price is that of a step where worlds run beside each other */
        const unsigned mode = rps_subnormal_off();
        for (size_t s = 0; s < count; s++) {
            start_body(world, s, time, dt, kick, &all);
        }
        rps_subnormal_restore(mode);
    } else {
#pragma omp parallel num_threads(workers)
        {
            const unsigned mode = rps_subnormal_off();
            extremes most = {.smallest = INFINITY};
#pragma omp for schedule(static)
            for (size_t s = 0; s < count; s++) {
                start_body(world, s, time, dt, kick, &most);
            }
#pragma omp critical(rps_fastest)
            notice(&all, most.speed2, most.turn2, most.smallest);
            rps_subnormal_restore(mode);
        }
    }
    if (world->servos) {
        rps_servos_moved(world);
    }
    world->max_speed = sqrt(all.speed2);
    world->max_turn = 2.0 * sqrt(all.turn2);
    world->smallest_radius = all.smallest;
}

/* Sum of the forces on a body, exact, so that it does not depend on how the contacts of a wall were shared out. */
static rps_vec3 exact_force(const rps_contacts *contacts, size_t s) {
    rps_exact_sum sum[3];
    double force[3];
    for (int k = 0; k < 3; k++) {
        rps_exact_sum_clear(&sum[k]);
    }
    for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
        const rps_entry_load *load = &contacts->load[contacts->reference[r] >> 1];
        const bool is_j = contacts->reference[r] & 1;
        for (int k = 0; k < 3; k++) {
            rps_exact_sum_add(&sum[k], is_j ? -load->force[k] : load->force[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        force[k] = rps_exact_sum_value(&sum[k]);
    }
    return vec(force);
}

static void finish_body(rps_world *world, size_t s, double time, bool first) {
    static const rps_entry_load nothing;
    rps_bodies *bodies = &world->bodies;
    const rps_contacts *contacts = &world->contacts;
    const int kind = bodies->kind[s][0];
    if (kind == RPS_BODY_FIXED) {
        return;
    }
    rps_vec3 force = rps_vec3_zero(), torque = rps_vec3_zero();
    double dissipated[4] = {0.0, 0.0, 0.0, 0.0};
    const size_t begin = contacts->reference_begin[s], end = contacts->reference_begin[s + 1];
    const size_t world_end = contacts->reference_begin[bodies->count];
    for (size_t r = begin; r < end; r++) {
        const uint64_t reference = contacts->reference[r];
        const rps_entry_load *load = &contacts->load[reference >> 1];
        if (r + AHEAD < world_end) { /* loads of later bodies, in which this one is j, lie anywhere in memory */
            const char *later = (const char *)&contacts->load[contacts->reference[r + AHEAD] >> 1];
            __builtin_prefetch(later);
            __builtin_prefetch(later + 64);
        }
        const bool is_j = reference & 1;
        if (is_j) {
            force = rps_vec3_sub(force, vec(load->force));
            torque = rps_vec3_add(torque, vec(load->torque_j));
        } else {
            force = rps_vec3_add(force, vec(load->force));
            torque = rps_vec3_add(torque, vec(load->torque_i));
        }
        const rps_entry_load *booked = is_j == (load->booked_on_j != 0) ? load : &nothing;
        for (int k = 0; k < 4; k++) {
            dissipated[k] += booked->dissipated[k];
        }
    }
    rps_motion *m = &bodies->motion[s];
    rps_load *l = &bodies->load[s];
    if (!first) {
        for (int k = 0; k < 4; k++) {
            bodies->dissipated[s][k] += dissipated[k];
        }
    }
    if (kind == RPS_BODY_DRIVEN) {
        const double half = -0.5 * world->step;
        if (world->servos) {
            force = exact_force(contacts, s);
        }
        if (!first) { /* the drive works against the mean load of the step */
            bodies->work[s][0] += half * (rps_vec3_dot(rps_vec3_add(vec(l->force), force), vec(m->velocity)) +
                                          rps_vec3_dot(rps_vec3_add(vec(l->torque), torque), vec(m->angular_velocity)));
        }
        const int which = bodies->drive[s][0];
        if (which >= 0) {
            rps_pose_at at;
            rps_drive_at(world, which, time, 0.0, &at);
            put(m->velocity, at.velocity);
            put(m->angular_velocity, at.angular_velocity);
        }
    } else if (!first && world->options.integrator == RPS_VERLET) {
        const double kick = 0.5 * world->step;
        rps_vec3 a = rps_vec3_add_scaled(vec(world->options.gravity), m->inverse_mass[0], force);
        put(m->velocity, locked(world, s, rps_vec3_add_scaled(vec(m->velocity), kick, a)));
        if (bodies->piece[s][0] < 0) {
            put(m->angular_velocity,
                rps_vec3_add_scaled(vec(m->angular_velocity), kick * m->inverse_inertia[0], torque));
        } else if (m->inverse_inertia[0] > 0.0) {
            kick_momentum(bodies, s, kick, torque);
            rps_body_update_turning(bodies, s);
        }
    }
    put(l->force, force);
    put(l->torque, torque);
}

void rps_motion_finish(rps_world *world, double time, bool first) {
    const size_t count = world->bodies.count;
    const int workers = rps_step_workers(world, count);
    if (workers == 1) {
        const unsigned mode = rps_subnormal_off();
        for (size_t s = 0; s < count; s++) {
            finish_body(world, s, time, first);
        }
        rps_subnormal_restore(mode);
        return;
    }
#pragma omp parallel num_threads(workers)
    {
        const unsigned mode = rps_subnormal_off();
#pragma omp for schedule(static)
        for (size_t s = 0; s < count; s++) {
            finish_body(world, s, time, first);
        }
        rps_subnormal_restore(mode);
    }
}
