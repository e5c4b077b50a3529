/*
 * Joints in a step, once it is solved: their loads on bodies, their energies and their results.
 *
 * Energy: a row with impulse g does the work g (u_old + u_new)/2 on the bodies. For friction this is dissipation
 * (slide). The work of a drive is g times the prescribed speed; at a bound, and for a commanded load, it is the work on
 * the bodies. The rest, of first order, is lost to the implicit step (damping).
 *
 * In the penalty stepper the work of a drive is that on the bodies, and what is held does none but for what it takes from a motion
 * that it does not allow, g u_old/2, which is damping. The ledger's residual shows the rest: u_new is of the order of the step, with
 * opposite signs in the two passes of a step, so that its work is of second order.
 */
#include <math.h>
#include <string.h>

#include "base/flush.h"
#include "step/joint_pose.h"
#include "step/joint_sides.h"
#include "step/joint_spring.h"
#include "step/nonsmooth.h"

/* Of the loads before motion and after it. */
static rps_vec3 mean_of(rps_vec3 before, rps_vec3 now, double share) {
    return share == 1.0 ? now : rps_vec3_scale(rps_vec3_add(before, now), share);
}

void rps_nonsmooth_joint_loads(const rps_world *world, rps_nonsmooth *ns, rps_joint *joint) {
    if (world->joints == 0) return;
    rps_twist *load = ns->joint_load.p;
    const double rate = 1.0 / ns->kick, share = ns->pass == RPS_PASS_SPEEDS ? 0.5 : 1.0;
    rps_nonsmooth_clear_joint_loads(world, ns);
    for (size_t k = 0; k < world->joints; k++) {
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        const double *g = (const double *)ns->row_impulse.p + step->first;
        rps_vec3 force = step->load[0], couple = step->load[1];
        for (int r = 0; r < step->rows; r++) {
            const rps_step_joint_row *row = &step->row[r];
            rps_vec3 *to = row->turns ? &couple : &force;
            *to = rps_vec3_add_scaled(*to, rate * g[r], row->along);
            if (row->twist != 0.0) couple = rps_vec3_add_scaled(couple, rate * g[r] * row->twist, row->along);
        }
        rps_joint_memory *memory = &joint[k].memory;
        rps_vec3_put(memory->force, rps_vec3_flush(mean_of(rps_vec3_of(memory->force), force, share)));
        rps_vec3_put(memory->torque, rps_vec3_flush(mean_of(rps_vec3_of(memory->torque), couple, share)));
        rps_joint_push(step, 0, force, couple, load);
        if (world->joint[k].kind != RPS_JOINT_COUPLING) continue;
        const rps_vec3 other = rps_vec3_scale(step->other, rate * g[0]), none = rps_vec3_zero();
        rps_joint_push(step, 2, step->other_turns ? none : other, step->other_turns ? other : none, load);
    }
}

static void nonsmooth_joints_remember(rps_joint *joint, const rps_step_joint *step, const double *g) {
    double *memory = joint->memory.impulse;
    rps_vec3 rub = rps_vec3_zero();
    for (int r = 0; r < RPS_JOINT_IMPULSES; r++) memory[r] = 0.0;
    for (int r = 0; r < step->rows; r++) {
        const rps_step_joint_row *row = &step->row[r];
        if (row->part == RPS_ROW_FRICTION && joint->kind == RPS_JOINT_BALL) {
            rub = rps_vec3_add_scaled(rub, g[r], row->along);
        } else {
            memory[row->memory] += g[r];
        }
    }
    if (joint->kind == RPS_JOINT_BALL)
        rps_vec3_put(memory + 3, rps_vec3_flush(rps_quat_rotate_inverse(step->axes, rub)));
}

/* J, by which the energy of the springs grows in the step; in a pass of the penalty stepper the work against their loads. */
static double spring_gain(const rps_nonsmooth *ns, const rps_joint *joint, const rps_step_joint *step,
                          const rps_twist old[4], const rps_twist now[4]) {
    const double half = 0.5 * ns->kick;
    double gain = 0.0;
    for (int k = 0; k < rps_joint_free_coordinates(joint); k++) {
        if (!rps_joint_is_sprung(&joint->ends[k])) continue;
        const rps_step_joint_row row = {.turns = rps_joint_freedom(joint, k) == RPS_JOINT_TURNS,
                                        .along = step->along[k]};
        const double q = joint->memory.position[k], then = rps_joint_pair_velocity(&row, step, old);
        const double u = rps_joint_pair_velocity(&row, step, now);
        gain += ns->pass == RPS_PASS_STEP ? rps_joint_spring_energy(&joint->ends[k], q + half * u) -
                                                rps_joint_spring_energy(&joint->ends[k], q - half * then)
                                          : -rps_joint_spring_mean(&joint->ends[k], q, q) * half * (then + u);
    }
    return gain;
}

static bool is_sprung(const rps_joint *joint) {
    bool sprung = false;
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) sprung = sprung || rps_joint_is_sprung(&joint->ends[k]);
    return sprung;
}

/* J, of the loads that act without a row. */
static double load_work(const rps_step_joint *step, const rps_twist old[4], const rps_twist now[4], double h) {
    double work = 0.0;
    for (int turns = 0; turns < 2; turns++) {
        const rps_step_joint_row load = {.turns = turns == 1, .along = step->load[turns]};
        work += 0.5 * h * (rps_joint_pair_velocity(&load, step, old) + rps_joint_pair_velocity(&load, step, now));
    }
    return work;
}

void rps_nonsmooth_joint_accounts(const rps_world *world, const rps_nonsmooth *ns, rps_bodies *bodies, rps_joint *joint,
                                  rps_exact_sum *drives) {
    const bool whole = ns->pass == RPS_PASS_STEP;
    for (size_t k = 0; k < world->joints; k++) {
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        const double *g = (const double *)ns->row_impulse.p + step->first;
        rps_twist old[4], now[4];
        double lost = 0.0, rubbed = 0.0, driven = 0.0;
        const bool sprung = is_sprung(&joint[k]);
        rps_joint_twists_of(ns->before.p, step, old);
        rps_joint_twists_of(ns->after.p, step, now);
        for (int r = 0; r < step->rows; r++) {
            const rps_step_joint_row *row = &step->row[r];
            const double work =
                g[r] * (0.5 * (rps_joint_row_velocity(row, step, old) + rps_joint_row_velocity(row, step, now)));
            const bool slips = fabs(g[r]) >= step->bound; /* the speed is not reached */
            const double given = row->part != RPS_ROW_DRIVEN ? 0.0 : slips || !whole ? work : g[r] * step->speed;
            if (row->part == RPS_ROW_FRICTION) {
                rubbed -= work;
            } else if (row->part == RPS_ROW_HELD && !whole) {
                lost -= ns->pass == RPS_PASS_PLACES ? g[r] * (0.5 * rps_joint_row_velocity(row, step, old)) : 0.0;
            } else {
                lost += given - work;
            }
            driven += given;
        }
        const double given = load_work(step, old, now, ns->kick);
        if (sprung) lost -= given + spring_gain(ns, &joint[k], step, old, now);
        if (!sprung) driven += given;
        const size_t on = step->slot[step->slot[0] == UINT32_MAX];
        if (world->options.ledger) {
            double *dissipated = bodies->dissipated[on];
            dissipated[RPS_ACCOUNT_DAMPING] = rps_flush(dissipated[RPS_ACCOUNT_DAMPING] + lost);
            dissipated[RPS_ACCOUNT_SLIDE] = rps_flush(dissipated[RPS_ACCOUNT_SLIDE] + rubbed);
        }
        double *mine = bodies->load[on].work;
        if (drives) {
            rps_exact_sum_add(drives, driven);
        } else {
            *mine = rps_flush(*mine + driven);
        }
        joint[k].memory.dissipated = rps_flush(joint[k].memory.dissipated + rubbed);
        nonsmooth_joints_remember(&joint[k], step, g);
    }
}

/* Its joints come before it. */
static void coupling_results(const rps_joint *joints, rps_joint *joint) {
    const rps_joint_memory *a = &joints[joint->coupled[0]].memory, *b = &joints[joint->coupled[1]].memory;
    joint->memory.error = rps_flush(fabs(a->position[0] - joint->ratio * b->position[0]));
    memcpy(joint->memory.point, a->point, sizeof a->point);
}

void rps_joints_energy(const rps_world *world, rps_exact_sum *energy) {
    for (size_t k = 0; k < world->joints; k++) rps_exact_sum_add(energy, world->joint[k].memory.stored);
}

/* --- results -------------------------------------------------------------------------------------------------------- */

void rps_nonsmooth_joint_results(const rps_world *world, const rps_nonsmooth *ns, rps_joint *joints) {
    const double behind = ns->pass == RPS_PASS_STEP ? 0.5 * world->step : 0.0;
    for (size_t k = 0; k < world->joints; k++) {
        rps_joint *joint = &joints[k];
        const rps_step_joint *step = (const rps_step_joint *)ns->joint.p + k;
        rps_joint_pose pose;
        if (joint->kind == RPS_JOINT_COUPLING) {
            coupling_results(joints, joint);
            continue;
        }
        rps_joint_look(world, joint, &pose);
        joint->memory.error = rps_flush(rps_joint_point_error(joint, &pose));
        rps_vec3_put(joint->memory.point, rps_vec3_flush(rps_vec3_add(pose.x[0], pose.branch[0])));
        const rps_twist a = rps_joint_twist_of(ns->after.p, step->slot[0]),
                        b = rps_joint_twist_of(ns->after.p, step->slot[1]);
        const bool line = joint->kind == RPS_JOINT_DISTANCE;
        const rps_vec3 branch = line ? pose.branch[1] : rps_vec3_add(pose.branch[1], pose.separation);
        const rps_vec3 v = rps_vec3_sub(rps_joint_speed_at(&a, pose.branch[0]), rps_joint_speed_at(&b, branch));
        const rps_vec3 w = rps_vec3_sub(rps_vec3_of(a.w), rps_vec3_of(b.w));
        double stored = 0.0;
        for (int c = 0; c < RPS_JOINT_COORDINATES; c++) {
            const rps_joint_free motion = rps_joint_freedom(joint, c);
            if (motion == RPS_JOINT_HELD) break;
            const rps_vec3 along = line ? rps_joint_line(&pose) : rps_joint_coordinate_axis(joint, &pose, c);
            const double position = rps_joint_coordinate_now(joint, &pose, c);
            const double speed = rps_vec3_dot(motion == RPS_JOINT_SLIDES ? v : w, along);
            stored += rps_joint_spring_energy(&joint->ends[c], position - behind * speed);
            joint->memory.position[c] = rps_flush(position);
            joint->memory.speed[c] = rps_flush(speed);
        }
        joint->memory.stored = rps_flush(stored);
    }
}
