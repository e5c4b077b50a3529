/*
 * The two halves of motion over all bodies, in ranges of slots, one a worker.
 */
#include <math.h>
#include <string.h>

#include "step/boundary.h"
#include "step/motion.h"

#ifdef RPS_ONE_ISA
#define EACH_ISA(name) \
    { name##_sse2, name##_sse2, name##_sse2 }
#else
#define EACH_ISA(name) \
    { name##_sse2, name##_avx2, name##_avx512 }
#endif

static rps_motion_start_fn *const start_range[RPS_ISA_COUNT] = EACH_ISA(rps_motion_start_range);
static rps_motion_start_fn *const kick_drift_range[RPS_ISA_COUNT] = EACH_ISA(rps_motion_kick_drift_range);
static rps_motion_finish_fn *const finish_range[RPS_ISA_COUNT] = EACH_ISA(rps_motion_finish_range);

static size_t begin_of(size_t count, int part, int parts) {
    return count / (size_t)parts * (size_t)part + count % (size_t)parts * (size_t)part / (size_t)parts;
}

/* With start_range or kick_drift_range. */
static void motion_move(rps_world *world, double time, double kick, rps_motion_start_fn *const range[RPS_ISA_COUNT]) {
    const size_t count = world->bodies.count;
    const int workers = rps_step_workers(world, count);
    rps_extreme_motion all = {.smallest = INFINITY};
    if (workers == 1) { /* a parallel region would cost as much as a step where worlds run beside each other */
        range[world->isa](world, 0, count, time, kick, &all, world->boundary_dissipated);
    } else {
#pragma omp parallel for schedule(static, 1) num_threads(workers)
        for (int part = 0; part < workers; part++) {
            rps_extreme_motion most = {.smallest = INFINITY};
            rps_exact_sum account[4];
            rps_accounts_clear(account);
            range[world->isa](world, begin_of(count, part, workers), begin_of(count, part + 1, workers), time, kick,
                              &most, account);
#pragma omp critical(rps_fastest)
            {
                rps_motion_notice(&all, most.speed2, most.deviation2, most.rotation2, most.smallest);
                rps_accounts_merge(world, account);
            }
        }
    }
    if (world->servos) {
        rps_servos_moved(world);
    }
    world->max_speed = sqrt(all.speed2);
    world->max_deviation = sqrt(all.deviation2);
    world->max_rotation = 2.0 * sqrt(all.rotation2);
    world->smallest_radius = all.smallest;
}

/* s, for which loads act in the first half of a step. */
static double first_kick(const rps_world *world) {
    return world->options.integrator == RPS_VERLET ? 0.5 * world->step : world->step;
}

void rps_motion_start(rps_world *world, double time) {
    if (world->servos) {
        rps_servos_aim(world, time);
    }
    motion_move(world, time, first_kick(world), start_range);
}

void rps_motion_kick_drift(rps_world *world, double time) {
    motion_move(world, time, first_kick(world), kick_drift_range);
}

void rps_motion_drift(rps_world *world, double time) {
    motion_move(world, time, 0.0, start_range);
}

void rps_motion_drives(rps_world *world, double time) {
    rps_bodies *bodies = &world->bodies;
    for (size_t s = 0; s < bodies->count; s++) {
        const int which = bodies->drive[s][0];
        if (bodies->kind[s][0] != RPS_BODY_DRIVEN || which < 0) {
            continue;
        }
        rps_pose_at at;
        rps_drive_at(world, which, time, 0.0, &at);
        memcpy(bodies->motion[s].velocity, &at.velocity, sizeof bodies->motion[s].velocity);
        memcpy(bodies->motion[s].angular_velocity, &at.angular_velocity, sizeof bodies->motion[s].angular_velocity);
    }
}

void rps_motion_finish(rps_world *world, double time, bool first) {
    const size_t count = world->bodies.count;
    const int workers = rps_step_workers(world, count);
    if (workers == 1) {
        finish_range[world->isa](world, 0, count, time, first, world->boundary_dissipated);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(workers)
    for (int part = 0; part < workers; part++) {
        rps_exact_sum account[4];
        rps_accounts_clear(account);
        finish_range[world->isa](world, begin_of(count, part, workers), begin_of(count, part + 1, workers), time, first,
                                 account);
#pragma omp critical(rps_fastest)
        rps_accounts_merge(world, account);
    }
}
