/* Motion of the common bodies of a share (common_bodies.h). */
#include "step/common_bodies.h"

#include "base/flush.h"
#include "step/boundary.h"
#include "world/share.h"

void rps_commons_start(const rps_world *world, const rps_motion_task *task, rps_extreme_motion *most) {
    for (size_t k = 0; k < world->commons.count; k++) {
        rps_motion_start_single(task, rps_world_slot(world, world->commons.id[k]), most);
    }
}

static rps_vec3 common_value(const rps_exact_sum sum[3]) {
    return rps_vec3_flush(
        (rps_vec3){rps_exact_sum_value(&sum[0]), rps_exact_sum_value(&sum[1]), rps_exact_sum_value(&sum[2])});
}

void rps_commons_finish(rps_world *world, const rps_motion_task *task) {
    const rps_commons *commons = &world->commons;
    const rps_bodies *bodies = &world->bodies;
    size_t driven = 0;
    for (size_t k = 0; k < commons->count; k++) {
        const size_t s = rps_world_slot(world, commons->id[k]);
        if (!task->initial) rps_boundary_account(&task->loads, s, task->account);
        if (bodies->kind[s][0] != RPS_BODY_DRIVEN) continue;
        rps_exact_sum *sum = commons->sum + RPS_COMMON_SUMS * driven++;
        for (int n = 0; n < RPS_COMMON_SUMS; n++) rps_exact_sum_clear(&sum[n]);
        rps_boundary_add(&task->loads, s, sum);
    }
    rps_share_sum(world, RPS_COMMON_SUMS * driven, commons->sum);
    driven = 0;
    for (size_t k = 0; k < commons->count; k++) {
        const size_t s = rps_world_slot(world, commons->id[k]);
        if (bodies->kind[s][0] != RPS_BODY_DRIVEN) continue;
        const rps_exact_sum *sum = commons->sum + RPS_COMMON_SUMS * driven++;
        rps_motion_finish_driven(task, s, common_value(sum), common_value(sum + 3));
    }
}
