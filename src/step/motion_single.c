/*
 * Motion of single bodies: those that cannot rotate, those with locked axes, driven and fixed ones, and common ones
 * (common_bodies.h). The formulas are those of motion_kernel.c and motion_pieces_kernel.c, which integrate all others.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/flush.h"
#include "step/boundary.h"
#include "step/motion.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* Removes the component of the velocity along a locked axis. */
static rps_vec3 without_locked(const rps_motion_task *task, size_t s, rps_vec3 v) {
    if (!task->axes_locked) return v;
    const rps_vec3 axis = rps_vec3_of(task->bodies->lock_axis[s]);
    return rps_vec3_norm2(axis) > 0.0 ? rps_vec3_reject(v, axis) : v;
}

/* Returns the square of half the angle. */
static double motion_turn(rps_bodies *bodies, size_t s, double dt) {
    rps_vec3 w = rps_vec3_of(bodies->motion[s].angular_velocity);
    double half = 0.5 * dt;
    double x2 = (half * half) * rps_vec3_norm2(w);
    double f = half * (x2 <= RPS_TAN_OVER_X_X2_MAX ? rps_tan_over_x_small(x2) : rps_tan_over_x_full(x2));
    rps_vec3 g = rps_vec3_scale(w, f);
    rps_vec3_put(bodies->pose[s].rodrigues, g);
    bodies->pose[s].rodrigues_scale[0] = 2.0 / (1.0 + rps_vec3_norm2(g));
    if (!(x2 > LEAST_ROTATION2)) {
        return x2;
    }
    /* (1, g) is the rotation up to a factor, and the product is normalised anyway */
    double *o = bodies->orientation[s];
    rps_quat q = rps_quat_mul((rps_quat){1.0, g.x, g.y, g.z}, (rps_quat){o[0], o[1], o[2], o[3]});
    double scale = 1.0 / sqrt(((q.w * q.w + q.x * q.x) + q.y * q.y) + q.z * q.z);
    o[0] = rps_flush(scale * q.w);
    o[1] = rps_flush(scale * q.x);
    o[2] = rps_flush(scale * q.y);
    o[3] = rps_flush(scale * q.z);
    return x2;
}

static void kick_momentum(rps_bodies *bodies, size_t s, double kick, rps_vec3 torque) {
    double *l = bodies->angular_momentum[s];
    rps_vec3_put(l, rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(l), kick, torque)));
}

/* Half kick and free rigid rotation. *speed: by how much the fastest point is faster than the centre (m/s). */
static double start_free_rotation(rps_bodies *bodies, size_t s, double dt, double kick, double *speed) {
    kick_momentum(bodies, s, kick, rps_vec3_of(bodies->load[s].torque));
    *speed = rps_free_rotation_advance(bodies, s, dt) / dt * bodies->pose[s].radius[0];
    rps_body_update_angular_velocity(bodies, s);
    return (0.25 * dt * dt) * rps_vec3_norm2(rps_vec3_of(bodies->motion[s].angular_velocity));
}

/* Rate at which the body leaves its predicted path (m/s), scaled by its displacement buffer. around: by how much its
 * fastest point is faster than the centre (m/s). */
static double deviation_speed(const rps_motion_task *task, size_t s, rps_vec3 v, double around) {
    const rps_prediction *prediction = task->prediction;
    if (prediction == NULL) return rps_vec3_norm(v) + around;
    const float *u = prediction[s].v;
    return (rps_vec3_norm(rps_vec3_sub(v, (rps_vec3){u[0], u[1], u[2]})) + around) * (double)prediction[s].weight;
}

/* Their owners have moved the copies, which need not keep to the predictions that were made here. */
double rps_motion_copy_deviation(const rps_motion_task *task, const rps_bodies *bodies, size_t s) {
    const rps_pose *pose = &bodies->pose[s];
    double around = 0.0; /* g = tan(half the rotation) */
    if (rps_body_has_pieces(bodies, s)) {
        const double g2 = rps_vec3_norm2(rps_vec3_of(pose->rodrigues));
        around = 2.0 * sqrt(g2 / (1.0 + g2)) / task->step * pose->radius[0];
    }
    return deviation_speed(task, s, rps_vec3_of(bodies->motion[s].velocity), around);
}

double rps_motion_half_width(const rps_motion_task *task, size_t s) {
    return rps_body_half_width(task->shapes->world, s);
}

static void start_free(const rps_motion_task *task, size_t s, rps_extreme_motion *most) {
    rps_bodies *bodies = task->bodies;
    const double dt = task->step, kick = task->kick;
    rps_motion *m = &bodies->motion[s];
    const rps_load *load = &bodies->load[s];
    rps_vec3 a = rps_vec3_add_scaled(rps_vec3_of(task->gravity), m->inverse_mass[0], rps_vec3_of(load->force));
    rps_vec3 v = rps_vec3_flush(without_locked(task, s, rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick, a)));
    rps_vec3_put(m->velocity, v);
    rps_vec3_put(bodies->pose[s].position,
                 rps_vec3_flush(rps_vec3_add_scaled(rps_vec3_of(bodies->pose[s].position), dt, v)));
    rps_motion_wrap(task, s);
    if (!rps_body_has_pieces(bodies, s)) {
        rps_vec3_put(m->angular_velocity, rps_vec3_flush(rps_vec3_add_scaled(
                                              rps_vec3_of(m->angular_velocity), kick,
                                              rps_vec3_scale(rps_vec3_of(load->torque), m->inverse_inertia[0]))));
        const double rotation2 = motion_turn(bodies, s, dt), off = deviation_speed(task, s, v, 0.0);
        rps_motion_notice(most, rps_vec3_norm2(v), off * off, rotation2, bodies->pose[s].radius[0]);
        return;
    }
    double rotation2 = 0.0, around = 0.0;
    if (m->inverse_inertia[0] > 0.0) {
        rotation2 = start_free_rotation(bodies, s, dt, kick, &around);
    }
    const double speed = around + rps_vec3_norm(v), off = deviation_speed(task, s, v, around);
    rps_motion_notice(most, speed * speed, off * off, rotation2, rps_motion_half_width(task, s));
}

static void start_driven(const rps_motion_task *task, size_t s, rps_extreme_motion *most) {
    rps_bodies *bodies = task->bodies;
    const double time = task->time, dt = task->step;
    const int which = bodies->drive[s][0];
    if (which < 0) {
        return;
    }
    rps_pose_at now, then;
    rps_drive_at(task->driven, which, time, 0.0, &now);
    rps_drive_at(task->driven, which, time + dt, dt, &then);
    const rps_vec3 x1 = then.position, w0 = rps_drive_mean_turning(&now, &then, dt),
                   shift = rps_vec3_sub(x1, now.position);
    rps_vec3 v = rps_vec3_flush(rps_vec3_scale(shift, 1.0 / dt));
    rps_vec3_put(bodies->motion[s].velocity, v);
    rps_vec3_put(bodies->motion[s].angular_velocity, w0);
    rps_vec3_put(bodies->pose[s].position, x1);
    memset(bodies->image[s], 0, sizeof bodies->image[s]); /* from the closed form too, so nothing accumulates */
    rps_motion_wrap(task, s);
    double rotation2 = motion_turn(bodies, s, dt);
    if (rps_body_is_plane(bodies, s)) { /* a plane's normal turns with it */
        const double *o = bodies->orientation[s];
        rps_vec3_put(bodies->normal[s],
                     rps_vec3_flush(rps_quat_rotate((rps_quat){o[0], o[1], o[2], o[3]}, (rps_vec3){0.0, 0.0, 1.0})));
    }
    const double around = rps_body_has_pieces(bodies, s) ? rps_vec3_norm(w0) * bodies->pose[s].radius[0] : 0.0;
    const double speed = rps_vec3_norm(v) + around, off = deviation_speed(task, s, v, around);
    rps_motion_notice(most, speed * speed, off * off, rotation2, INFINITY);
}

void rps_motion_start_single(const rps_motion_task *task, size_t s, rps_extreme_motion *most) {
    switch (task->bodies->kind[s][0]) {
    case RPS_BODY_FREE:
        start_free(task, s, most);
        break;
    case RPS_BODY_DRIVEN:
        start_driven(task, s, most);
        break;
    default:
        break;
    }
}

void rps_motion_finish_driven(const rps_motion_task *task, size_t s, rps_vec3 force, rps_vec3 torque) {
    rps_bodies *bodies = task->bodies;
    rps_motion *m = &bodies->motion[s];
    rps_load *l = &bodies->load[s];
    if (!task->initial) { /* work of the drive: mean load over the step times displacement */
        const rps_vec3 v = rps_vec3_of(m->velocity), w = rps_vec3_of(m->angular_velocity);
        const double done = -0.5 * task->step *
                            (rps_vec3_dot(rps_vec3_add(rps_vec3_of(l->force), force), v) +
                             rps_vec3_dot(rps_vec3_add(rps_vec3_of(l->torque), torque), w));
        l->work[0] = rps_flush(l->work[0] + done);
    }
    const int which = bodies->drive[s][0];
    if (which >= 0) {
        rps_pose_at at;
        rps_drive_at(task->driven, which, task->time, 0.0, &at);
        rps_vec3_put(m->velocity, at.velocity);
        rps_vec3_put(m->angular_velocity, at.angular_velocity);
    }
    rps_vec3_put(l->force, force);
    rps_vec3_put(l->torque, torque);
}

void rps_motion_finish_boundary(const rps_motion_task *task, size_t s) {
    if (!task->initial) rps_boundary_account(&task->loads, s, task->account);
    if (task->bodies->kind[s][0] == RPS_BODY_FIXED) return;
    rps_vec3 force, torque;
    rps_boundary_load(&task->loads, s, &force, &torque);
    rps_motion_finish_driven(task, s, force, torque);
}

/* The second half kick of a body that is not plain. */
static void finish_free(const rps_motion_task *task, size_t s, const rps_load *now) {
    rps_bodies *bodies = task->bodies;
    rps_motion *m = &bodies->motion[s];
    const double kick = 0.5 * task->step;
    rps_vec3 a = rps_vec3_add_scaled(rps_vec3_of(task->gravity), m->inverse_mass[0], rps_vec3_of(now->force));
    rps_vec3_put(m->velocity,
                 rps_vec3_flush(without_locked(task, s, rps_vec3_add_scaled(rps_vec3_of(m->velocity), kick, a))));
    if (!rps_body_has_pieces(bodies, s)) {
        rps_vec3_put(m->angular_velocity, rps_vec3_flush(rps_vec3_add_scaled(
                                              rps_vec3_of(m->angular_velocity), kick,
                                              rps_vec3_scale(rps_vec3_of(now->torque), m->inverse_inertia[0]))));
    } else if (m->inverse_inertia[0] > 0.0) {
        kick_momentum(bodies, s, kick, rps_vec3_of(now->torque));
        if (!task->fused) rps_body_update_angular_velocity(bodies, s);
    }
}

void rps_motion_finish_free(const rps_motion_task *task, size_t s, const rps_load *now) {
    rps_bodies *bodies = task->bodies;
    if (!task->initial && task->verlet) finish_free(task, s, now);
    rps_vec3_put(bodies->load[s].force, rps_vec3_of(now->force));
    rps_vec3_put(bodies->load[s].torque, rps_vec3_of(now->torque));
}
