/* Motion of common bodies (common_bodies.h). */
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

size_t rps_commons_next(const rps_world *world, size_t first, size_t end) {
    size_t next = end;
    for (size_t k = 0; k < world->commons.count && world->share == NULL; k++) { /* those of a share lie past its own */
        const size_t s = rps_world_slot(world, world->commons.id[k]);
        if (s >= first && s < next) next = s;
    }
    return next;
}

/* Force and torque, and of free bodies dissipated energies; fixed bodies need no sum. */
enum { DRIVEN_SUMS = 6, FREE_SUMS = RPS_COMMON_SUMS };
static size_t common_sums_of(const rps_bodies *bodies, size_t s) {
    const int kind = bodies->kind[s][0];
    return kind == RPS_BODY_FREE ? FREE_SUMS : kind == RPS_BODY_DRIVEN ? DRIVEN_SUMS : 0;
}

static void finish_common(const rps_motion_task *task, size_t s, const rps_exact_sum *sum) {
    rps_bodies *bodies = task->bodies;
    const rps_vec3 force = common_value(sum), torque = common_value(sum + 3);
    if (bodies->kind[s][0] == RPS_BODY_DRIVEN) {
        rps_motion_finish_driven(task, s, force, torque);
        return;
    }
    rps_load now = {0};
    rps_vec3_put(now.force, force);
    rps_vec3_put(now.torque, torque);
    for (int k = 0; k < RPS_ACCOUNTS && !task->initial; k++) {
        bodies->dissipated[s][k] += rps_flush(rps_exact_sum_value(&sum[DRIVEN_SUMS + k]));
    }
    rps_motion_finish_free(task, s, &now);
}

void rps_commons_finish(const rps_world *world, const rps_motion_task *task, rps_exact_sum *all) {
    const rps_commons *commons = &world->commons;
    const rps_bodies *bodies = &world->bodies;
    size_t sums = 0;
    for (size_t k = 0; k < commons->count; k++) {
        const size_t s = rps_world_slot(world, commons->id[k]), n = common_sums_of(bodies, s);
        rps_exact_sum *sum = all + sums;
        for (size_t m = 0; m < n; m++) rps_exact_sum_clear(&sum[m]);
        if (n > 0) rps_boundary_add(&task->loads, s, sum);
        if (!task->initial) {
            rps_boundary_account(&task->loads, s, n == FREE_SUMS ? sum + DRIVEN_SUMS : task->account);
        }
        sums += n;
    }
    rps_share_sum(world, sums, all);
    sums = 0;
    for (size_t k = 0; k < commons->count; k++) {
        const size_t s = rps_world_slot(world, commons->id[k]), n = common_sums_of(bodies, s);
        if (n > 0) finish_common(task, s, all + sums);
        sums += n;
    }
}
