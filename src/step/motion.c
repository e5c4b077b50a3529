/*
 * The two halves of motion over all bodies, in ranges of slots, one per worker. Common bodies are apart. Applied loads
 * (external.c) act in the same pass, in short runs of slots, while the bodies are in the cache.
 */
#include <math.h>
#include <string.h>

#include "detect/detect.h"
#include "step/fluid_kick.h"
#include "step/boundary.h"
#include "step/common_bodies.h"
#include "step/motion.h"
#include "step/step_stages.h"
#include "world/share.h"

static rps_motion_start_fn *const start_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_motion_start_range);
static rps_motion_start_fn *const kick_drift_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_motion_kick_drift_range);
static rps_motion_finish_fn *const finish_range[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_motion_finish_range);

static rps_motion_task task_of(const rps_world *world, const rps_general_shapes *shapes, double time) {
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
                            .servos = world->servos};
    memcpy(task.gravity, world->options.gravity, sizeof task.gravity);
    return task;
}

static rps_motion_task motion_task(rps_world *world, const rps_general_shapes *shapes, double time) {
    rps_motion_task task = task_of(world, shapes, time);
    task.bodies = &world->bodies;
    task.account = world->boundary_dissipated;
    return task;
}

void rps_motion_try(const rps_world *world, rps_bodies *bodies, double time, size_t s) {
    const rps_general_shapes shapes = {world};
    rps_motion_task task = task_of(world, &shapes, time);
    rps_extreme_motion unused = {.smallest = INFINITY};
    rps_vec3 force, torque;
    task.bodies = bodies;
    const rps_fluid_task fluid = {world, bodies, NULL, task.kick, true};
    if (world->in_fluid) rps_fluid_act(&fluid, s, s + 1);
    if (bodies->kind[s][0] == RPS_BODY_FREE && rps_external_of(world, s, &force, &torque)) {
        rps_motion_kick_body(bodies, s, world->axes_locked, force, torque, task.kick);
    }
    rps_motion_start_single(&task, s, &unused);
}

enum { LOADED_RUN = 128 }; /* slots; their records fit into the first-level cache together */

/* One half of motion: its task, its pass over a range, and the applied loads and the fluid of the half (world NULL: none act). */
typedef struct half_motion {
    const rps_motion_task *task;
    rps_motion_start_fn *start; /* or finish; the other is NULL */
    rps_motion_finish_fn *finish;
    rps_external_task applied;
    rps_fluid_task fluid;
} half_motion;

static void move_run(const half_motion *half, size_t first, size_t end, rps_extreme_motion *most) {
    if (half->start != NULL) {
        half->start(half->task, first, end, most);
    } else {
        half->finish(half->task, first, end);
    }
}

static void move_loaded_run(const half_motion *half, size_t first, size_t end, rps_extreme_motion *most) {
    const bool starts = half->start != NULL, applied = half->applied.world != NULL, flows = half->fluid.world != NULL;
    if (starts && flows) rps_fluid_act(&half->fluid, first, end);
    if (starts && applied) rps_external_act(&half->applied, first, end);
    move_run(half, first, end, most);
    if (!starts && applied) rps_external_act(&half->applied, first, end);
    if (!starts && flows) rps_fluid_act(&half->fluid, first, end);
}

/* A range without the bodies that are integrated apart. */
static void move_between(const rps_world *world, const half_motion *half, size_t first, size_t end,
                         rps_extreme_motion *most) {
    const bool loaded = half->applied.world != NULL || half->fluid.world != NULL;
    while (first < end) {
        const size_t next = rps_commons_next(world, first, end);
        for (size_t s = first; s < next && loaded; s += LOADED_RUN) {
            move_loaded_run(half, s, next - s < LOADED_RUN ? next : s + LOADED_RUN, most);
        }
        if (next > first && !loaded) move_run(half, first, next, most);
        first = next + 1;
    }
}

/* The applied loads and the fluid of the bodies that are integrated apart. All processes move them; one books the fluid. */
static void load_commons(const rps_world *world, const half_motion *half) {
    rps_fluid_task fluid = half->fluid;
    if (world->share != NULL && !world->share->first) fluid.account = NULL;
    for (size_t k = 0; k < world->commons.count; k++) {
        const size_t s = rps_world_slot(world, world->commons.id[k]);
        if (fluid.world != NULL && fluid.first) rps_fluid_act(&fluid, s, s + 1);
        if (half->applied.world != NULL) rps_external_act(&half->applied, s, s + 1);
        if (fluid.world != NULL && !fluid.first) rps_fluid_act(&fluid, s, s + 1);
    }
}

typedef struct shared_motion {
    const rps_world *world;
    const half_motion *half;
    rps_extreme_motion *all; /* behind the lock, as the accounts of the task */
    rps_lock lock;
} shared_motion;

/* One worker's range of either half; its accounts are exact sums, so the order of workers does not matter. */
static void move_range(void *context, rps_part part) {
    shared_motion *shared = context;
    rps_extreme_motion most = {.smallest = INFINITY};
    rps_exact_sum account[RPS_ACCOUNTS], spent[RPS_FLUID_ACCOUNTS];
    rps_accounts_clear(account);
    for (int k = 0; k < RPS_FLUID_ACCOUNTS; k++) rps_exact_sum_clear(&spent[k]);
    rps_motion_task task = *shared->half->task;
    task.account = account;
    half_motion half = *shared->half;
    half.task = &task;
    if (half.fluid.account != NULL) half.fluid.account = spent;
    move_between(shared->world, &half, part.begin, part.end, &most);
    rps_lock_take(&shared->lock);
    rps_motion_notice(shared->all, most.speed2, most.deviation2, most.rotation2, most.smallest);
    rps_accounts_merge(shared->half->task->account, account);
    rps_exact_sum *all = shared->half->fluid.account;
    for (int k = 0; all != NULL && k < RPS_FLUID_ACCOUNTS; k++) rps_exact_sum_merge(&all[k], &spent[k]);
    rps_lock_give(&shared->lock);
}

/* Over all slots but those of the common bodies. */
static void move_all(const rps_world *world, const half_motion *half, rps_extreme_motion *most) {
    const size_t count = rps_share_own(world);
    const rps_workers workers = rps_step_workers(world, count);
    if (workers.count < 2) {
        move_between(world, half, 0, count, most);
    } else {
        shared_motion shared = {world, half, most, RPS_LOCK_OPEN};
        rps_parallel_for(workers, count, move_range, &shared);
    }
}

/* The half of start_range or kick_drift_range. Returns the largest motions. */
static rps_motion_maxima motion_move(const rps_world *world, const half_motion *half) {
    rps_extreme_motion all = {.smallest = INFINITY};
    load_commons(world, half);
    rps_commons_start(world, half->task, &all);
    move_all(world, half, &all);
    return (rps_motion_maxima){.speed = sqrt(all.speed2),
                               .deviation = sqrt(all.deviation2),
                               .rotation = 2.0 * sqrt(all.rotation2),
                               .smallest_radius = all.smallest};
}

static rps_external_task applied_task(rps_world *world, double kick, bool first) {
    return (rps_external_task){world, &world->bodies, &world->external, kick, first};
}

rps_fluid_task rps_motion_fluid(rps_world *world, double kick, bool first) {
    if (world->options.ledger) world->changed = true;
    rps_exact_sum *account = world->options.ledger ? &world->change[RPS_CHANGE_DRAG] : NULL;
    return (rps_fluid_task){world, &world->bodies, account, kick, first};
}

void rps_motion_start(rps_world *world, double time) {
    if (world->servos) rps_servos_aim(world, world->driven, time);
    const rps_general_shapes shapes = {world};
    const rps_motion_task task = motion_task(world, &shapes, time);
    half_motion half = {.task = &task, .start = start_range[world->isa]};
    if (world->external_acts) half.applied = applied_task(world, task.kick, true);
    if (world->in_fluid) half.fluid = rps_motion_fluid(world, task.kick, true);
    world->moved = motion_move(world, &half);
    if (world->servos) rps_servos_moved(world, world->driven);
}

void rps_motion_copies(const rps_world *world, rps_motion_maxima *moved) {
    if (world->share == NULL) return;
    const rps_motion_task task = task_of(world, NULL, rps_world_time(world));
    for (size_t s = world->share->mine; s < world->bodies.count; s++) {
        const double deviation = rps_motion_copy_deviation(&task, &world->bodies, s);
        moved->deviation = rps_motion_larger(moved->deviation, deviation);
    }
}

void rps_motion_kick_drift(rps_world *world, double time) {
    const rps_general_shapes shapes = {world};
    rps_motion_task task = motion_task(world, &shapes, time);
    task.fused = true;
    rps_commons_finish(world, &task, world->commons.sum);
    const half_motion half = {.task = &task, .start = kick_drift_range[world->isa]};
    world->moved =
        motion_move(world, &half); /* a world with servos, applied loads or a fluid takes the two halves apart */
}

void rps_motion_drift(rps_world *world, double time) {
    const rps_general_shapes shapes = {world};
    rps_motion_task task = motion_task(world, &shapes, time);
    task.kick = 0.0;
    const half_motion half = {.task = &task, .start = start_range[world->isa]};
    world->moved = motion_move(world, &half);
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
    const rps_general_shapes shapes = {world};
    rps_motion_task task = motion_task(world, &shapes, time);
    task.initial = first;
    half_motion half = {.task = &task, .finish = finish_range[world->isa]};
    const double kick = task.verlet ? task.kick : 0.0;
    if (world->external_acts && !first) half.applied = applied_task(world, kick, false);
    if (world->in_fluid && !first) half.fluid = rps_motion_fluid(world, kick, false);
    rps_extreme_motion none = {.smallest = INFINITY};
    rps_commons_finish(world, &task, world->commons.sum);
    load_commons(world, &half);
    move_all(world, &half, &none);
    if (!first) rps_external_ended(world);
}
