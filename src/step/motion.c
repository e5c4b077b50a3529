/*
 * The two halves of motion over all bodies, in ranges of slots, one a worker.
 */
#include <math.h>

#include "base/subnormal.h"
#include "step/motion.h"

#ifdef RPS_ONE_ISA
#define EACH_ISA(name) \
    { name##_sse2, name##_sse2, name##_sse2 }
#else
#define EACH_ISA(name) \
    { name##_sse2, name##_avx2, name##_avx512 }
#endif

static rps_motion_start_fn *const start_range[RPS_ISA_COUNT] = EACH_ISA(rps_motion_start_range);
static rps_motion_finish_fn *const finish_range[RPS_ISA_COUNT] = EACH_ISA(rps_motion_finish_range);

static size_t begin_of(size_t count, int part, int parts) {
    return count / (size_t)parts * (size_t)part + count % (size_t)parts * (size_t)part / (size_t)parts;
}

void rps_motion_start(rps_world *world, double time) {
    const size_t count = world->bodies.count;
    const int workers = rps_step_workers(world, count);
    rps_extreme_motion all = {.smallest = INFINITY};
    if (world->servos) {
        rps_servos_aim(world, time);
    }
    if (workers == 1) { /* a parallel region would cost as much as a step where worlds run beside each other */
        const unsigned mode = rps_subnormal_off();
        start_range[world->isa](world, 0, count, time, &all);
        rps_subnormal_restore(mode);
    } else {
#pragma omp parallel for schedule(static, 1) num_threads(workers)
        for (int part = 0; part < workers; part++) {
            const unsigned mode = rps_subnormal_off();
            rps_extreme_motion most = {.smallest = INFINITY};
            start_range[world->isa](world, begin_of(count, part, workers), begin_of(count, part + 1, workers), time,
                                    &most);
#pragma omp critical(rps_fastest)
            rps_motion_notice(&all, most.speed2, most.turn2, most.smallest);
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

void rps_motion_finish(rps_world *world, double time, bool first) {
    const size_t count = world->bodies.count;
    const int workers = rps_step_workers(world, count);
    if (workers == 1) {
        const unsigned mode = rps_subnormal_off();
        finish_range[world->isa](world, 0, count, time, first);
        rps_subnormal_restore(mode);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(workers)
    for (int part = 0; part < workers; part++) {
        const unsigned mode = rps_subnormal_off();
        finish_range[world->isa](world, begin_of(count, part, workers), begin_of(count, part + 1, workers), time,
                                 first);
        rps_subnormal_restore(mode);
    }
}
