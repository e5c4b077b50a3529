/*
 * The two halves of motion over all bodies, in ranges of slots, one per worker. Common bodies are apart.
 */
#include <math.h>
#include <string.h>

#include "detect/detect.h"
#include "step/boundary.h"
#include "step/common_bodies.h"
#include "step/motion.h"
#include "step/step_stages.h"
#include "world/share.h"

static rps_motion_start_fn *const start_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_motion_start_range);
static rps_motion_start_fn *const kick_drift_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_motion_kick_drift_range);
static rps_motion_finish_fn *const finish_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_motion_finish_range);

static rps_motion_task motion_task(rps_world *world, const rps_general_shapes *shapes, double time) {
    const bool verlet = world->options.integrator == RPS_VERLET;
    rps_motion_task task = {.loads = rps_contacts_rows(&world->contacts),
                            .prediction = rps_detect_predictions(world),
                            .shapes = shapes,
                            .driven = world->driven,
                            .cell = world->cell,
                            .time = time,
                            .step = world->step,
                            .kick = verlet ? 0.5 * world->step : world->step,
                            .verlet = verlet,
                            .axes_locked = world->axes_locked,
                            .servos = world->servos,
                            .bodies = &world->bodies,
                            .account = world->boundary_dissipated};
    memcpy(task.gravity, world->options.gravity, sizeof task.gravity);
    return task;
}

/* A range without the bodies that are integrated apart. */
static void start_between(const rps_world *world, const rps_motion_task *task, rps_motion_start_fn *start, size_t first,
                          size_t end, rps_extreme_motion *most) {
    while (first < end) {
        const size_t next = rps_commons_next(world, first, end);
        if (next > first) start(task, first, next, most);
        first = next + 1;
    }
}

static void finish_between(const rps_world *world, const rps_motion_task *task, rps_motion_finish_fn *finish,
                           size_t first, size_t end) {
    while (first < end) {
        const size_t next = rps_commons_next(world, first, end);
        if (next > first) finish(task, first, next);
        first = next + 1;
    }
}

typedef struct shared_motion {
    const rps_world *world;
    const rps_motion_task *task;
    rps_motion_start_fn *start;
    rps_motion_finish_fn *finish;
    rps_extreme_motion *all; /* behind the lock, as the accounts of the task */
    rps_lock lock;
} shared_motion;

/* One worker's range of either half; its accounts are exact sums, so the order of workers does not matter. */
static void move_range(void *context, rps_part part) {
    shared_motion *shared = context;
    rps_extreme_motion most = {.smallest = INFINITY};
    rps_exact_sum account[RPS_ACCOUNTS];
    rps_accounts_clear(account);
    rps_motion_task mine = *shared->task;
    mine.account = account;
    if (shared->start != NULL) {
        start_between(shared->world, &mine, shared->start, part.begin, part.end, &most);
    } else {
        finish_between(shared->world, &mine, shared->finish, part.begin, part.end);
    }
    rps_lock_take(&shared->lock);
    rps_motion_notice(shared->all, most.speed2, most.deviation2, most.rotation2, most.smallest);
    rps_accounts_merge(shared->task->account, account);
    rps_lock_give(&shared->lock);
}

/* With start_range or kick_drift_range. Returns the largest motions. */
static rps_motion_maxima motion_move(const rps_world *world, const rps_motion_task *task,
                                     rps_motion_start_fn *const range[RPS_ISA_COUNT]) {
    const size_t count = rps_share_own(world);
    const rps_workers workers = rps_step_workers(world, count);
    rps_extreme_motion all = {.smallest = INFINITY};
    rps_commons_start(world, task, &all);
    if (workers.count < 2) {
        start_between(world, task, range[world->isa], 0, count, &all);
    } else {
        shared_motion shared = {world, task, range[world->isa], NULL, &all, RPS_LOCK_OPEN};
        rps_parallel_for(workers, count, move_range, &shared);
    }
    return (rps_motion_maxima){.speed = sqrt(all.speed2),
                               .deviation = sqrt(all.deviation2),
                               .rotation = 2.0 * sqrt(all.rotation2),
                               .smallest_radius = all.smallest};
}

void rps_motion_start(rps_world *world, double time) {
    if (world->servos) rps_servos_aim(world, world->driven, time);
    const rps_general_shapes shapes = {world};
    const rps_motion_task task = motion_task(world, &shapes, time);
    world->moved = motion_move(world, &task, start_range);
    if (world->servos) rps_servos_moved(world, world->driven);
}

void rps_motion_kick_drift(rps_world *world, double time) {
    const rps_general_shapes shapes = {world};
    const rps_motion_task task = motion_task(world, &shapes, time);
    rps_commons_finish(world, &task, world->commons.sum);
    world->moved = motion_move(world, &task, kick_drift_range); /* there are no servos */
}

void rps_motion_drift(rps_world *world, double time) {
    const rps_general_shapes shapes = {world};
    rps_motion_task task = motion_task(world, &shapes, time);
    task.kick = 0.0;
    world->moved = motion_move(world, &task, start_range);
    if (world->servos) rps_servos_moved(world, world->driven);
}

void rps_motion_drives(const rps_world *world, rps_bodies *bodies, double time) {
    for (size_t s = 0; s < bodies->count; s++) {
        const int which = bodies->drive[s][0];
        if (bodies->kind[s][0] != RPS_BODY_DRIVEN || which < 0) {
            continue;
        }
        rps_pose_at at;
        rps_drive_at(world->driven, which, time, 0.0, &at);
        memcpy(bodies->motion[s].velocity, &at.velocity, sizeof bodies->motion[s].velocity);
        memcpy(bodies->motion[s].angular_velocity, &at.angular_velocity, sizeof bodies->motion[s].angular_velocity);
    }
}

void rps_motion_finish(rps_world *world, double time, bool first) {
    const size_t count = rps_share_own(world);
    const rps_workers workers = rps_step_workers(world, count);
    const rps_general_shapes shapes = {world};
    rps_motion_task task = motion_task(world, &shapes, time);
    task.initial = first;
    rps_commons_finish(world, &task, world->commons.sum);
    if (workers.count < 2) {
        finish_between(world, &task, finish_range[world->isa], 0, count);
        return;
    }
    rps_extreme_motion none = {.smallest = INFINITY};
    shared_motion shared = {world, &task, NULL, finish_range[world->isa], &none, RPS_LOCK_OPEN};
    rps_parallel_for(workers, count, move_range, &shared);
}
