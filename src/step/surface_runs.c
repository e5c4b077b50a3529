/* How far the material of surfaces that run comes in a step, at the contacts of a batch (world/surface_velocity.h). */
#include "step/batch.h"
#include "world/surface_velocity.h"

/* m and rad: how far the material of a body moves and turns at a contact; zeros if it does not run. */
static rps_vec3 material_path(const rps_batch_task *task, uint32_t slot, rps_vec3 branch, rps_vec3 n,
                              rps_vec3 *turned) {
    const rps_evaluation *all = task->all;
    *turned = rps_vec3_zero();
    if (all->bodies.kind[slot][0] != RPS_BODY_DRIVEN) return rps_vec3_zero();
    const rps_drive_state *driven = &all->surfaces[all->bodies.drive[slot][0]];
    const double acts = rps_surface_time(&driven->now, all->time, all->dt);
    if (!(acts > 0.0)) return rps_vec3_zero();
    const rps_surface_rates rates = rps_surface_mean(driven, all->time, all->dt);
    *turned = rps_vec3_scale(rates.turning, acts);
    return rps_vec3_scale(rps_surface_velocity(driven, &rates, branch, n), acts);
}

/* The point of contact on a body, midway between the evaluations. lane: of the last one in the state, in the axes of the body. */
static rps_vec3 mid_branch(const rps_batch_task *task, uint32_t slot, int c, int lane, rps_vec3 now) {
    const rps_layout *layout = rps_batch_layout(task);
    const double *o = task->all->bodies.orientation[slot];
    if (!(rps_batch_lane(task, layout->modes)[c] > 0.5)) return now;
    const rps_vec3 old = rps_slice_vector(task->state, layout->track + lane, (size_t)c);
    return rps_vec3_scale(rps_vec3_add(now, rps_quat_rotate((rps_quat){o[0], o[1], o[2], o[3]}, old)), 0.5);
}

static rps_vec3 vector_of_lane(rps_lane *lane, int c) {
    return rps_vec3_make(lane[0][c], lane[1][c], lane[2][c]);
}

static void put_in_lane(rps_lane *lane, int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

void rps_surfaces_shift(const rps_batch_task *task, rps_lanes *l) {
    for (int c = 0; c < task->n; c++) {
        const bool plane_is_i = !(l->radius_i[c] > 0.0);
        const uint32_t slot = plane_is_i ? task->slot_i[c] : task->slot_j[c];
        rps_vec3 turned; /* a plane whose material turns has the frame record */
        const rps_vec3 by = material_path(task, slot, rps_vec3_zero(), vector_of_lane(l->normal, c), &turned);
        const rps_vec3 shift = vector_of_lane(l->shift, c);
        put_in_lane(l->shift, c, plane_is_i ? rps_vec3_add(shift, by) : rps_vec3_sub(shift, by));
    }
}

void rps_surfaces_run(const rps_batch_task *task, rps_lanes *l) {
    const bool lower = task->pair->effective.form.frame == RPS_FRAME_LOWER;
    for (int c = 0; c < task->padded; c++) {
        rps_vec3 turned_i = rps_vec3_zero(), turned_j = turned_i, i = turned_i, j = turned_i;
        const rps_vec3 n = vector_of_lane(l->normal, c);
        if (c < task->n) {
            const uint32_t slot_i = task->slot_i[c], slot_j = task->slot_j[c];
            const rps_vec3 at_i = mid_branch(task, slot_i, c, RPS_FRAME_CI, vector_of_lane(l->branch_i, c));
            const rps_vec3 at_j = mid_branch(task, slot_j, c, RPS_FRAME_CJ, vector_of_lane(l->branch_j, c));
            i = material_path(task, slot_i, at_i, n, &turned_i);
            j = material_path(task, slot_j, at_j, n, &turned_j);
        }
        const double about_i = rps_vec3_dot(turned_i, n), about_j = rps_vec3_dot(turned_j, n);
        put_in_lane(l->run_i, c, i);
        put_in_lane(l->run_j, c, j);
        put_in_lane(l->run_roll_i, c, rps_vec3_cross(turned_i, n));
        put_in_lane(l->run_roll_j, c, rps_vec3_cross(n, turned_j));
        l->run_spin[c] = about_i - about_j;
        l->run_turn[c] = lower ? about_i : 0.5 * (about_i + about_j);
    }
}
