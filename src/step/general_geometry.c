/*
 * Geometry of the contacts of bodies with pieces, one at a time: detect/ finds where the pieces touch, and this file
 * writes the result to the arrays of the batch.
 */
#include "step/general_geometry.h"

#include <math.h>

#include "detect/gap_table.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

/* Sets a normal and curvatures for a separated pair of general shapes that keep every law finite. */
static void gather_separated(rps_lanes *l, int c) {
    l->normal[0][c] = 1.0;
    l->normal[1][c] = l->normal[2][c] = 0.0;
    for (int k = 0; k < 3; k++) {
        l->branch_i[k][c] = l->branch_j[k][c] = l->gradient_i[k][c] = l->gradient_j[k][c] = 0.0;
    }
    for (int k = 0; k < 6; k++) l->curve_i[k][c] = l->curve_j[k][c] = 0.0;
    l->radius_eff[c] = l->line_length[c] = l->line_i[c] = l->line_j[c] = 1.0;
}

static void set_lane(rps_lane *lane, int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

/* A vector of the frame record, carried along with a body. */
static rps_vec3 carried(const rps_batch_task *task, size_t c, size_t slot, int lane) {
    const double *q = task->all->bodies.orientation[slot];
    const rps_vec3 in_body = rps_slice_vector(task->state, rps_batch_layout(task)->track + lane, c);
    return rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, in_body);
}

/* The contact of the last evaluation; its normal is carried along with body i. */
static rps_touch_start last_contact(const rps_batch_task *task, size_t c) {
    const size_t i = task->slot_i[c], j = task->slot_j[c];
    return (rps_touch_start){.normal = rps_vec3_normalize(carried(task, c, i, RPS_FRAME_NI)),
                             .branch_i = carried(task, c, i, RPS_FRAME_CI),
                             .branch_j = carried(task, c, j, RPS_FRAME_CJ),
                             .points = true};
}

/* Along the axes `endless` the contact point on one body. lane: of its old point in the state. */
static void follow_image(const rps_batch_task *task, size_t c, size_t slot, rps_vec3 branch, unsigned endless,
                         int lane) {
    if (endless == 0) return;
    const rps_cell *cell = &task->all->cell;
    const double *o = task->all->bodies.orientation[slot];
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    const int point = rps_batch_layout(task)->track + lane;
    const rps_vec3 local = rps_slice_vector(task->state, point, c);
    const rps_vec3 jump = rps_vec3_sub(branch, rps_quat_rotate(q, local));
    double by[3] = {0.0, 0.0, 0.0}, d[3] = {jump.x, jump.y, jump.z};
    for (int k = 0; k < 3; k++) {
        if ((endless >> k & 1U) != 0) by[k] = cell->period[k] * rps_cell_turns(cell, k, d[k]);
    }
    rps_slice_set_vector(task->state, point, c, rps_vec3_add(local, rps_quat_rotate_inverse(q, rps_vec3_of(by))));
}

void rps_geometry_follow_images(const rps_batch_task *task, int c, unsigned endless, rps_vec3 branch_i,
                                rps_vec3 branch_j) {
    const bool existed = rps_batch_lane(task, rps_batch_layout(task)->modes)[c] > 0.5;
    if (endless == 0 || !existed || task->all->energy_only) return;
    follow_image(task, (size_t)c, task->slot_i[c], branch_i, endless & 7U, RPS_FRAME_CI);
    follow_image(task, (size_t)c, task->slot_j[c], branch_j, endless >> 3, RPS_FRAME_CJ);
}

/* Scales and bounds that do not depend on where the bodies touch. */
static double set_scales(const rps_batch_task *task, rps_lanes *l, int c, double overlap) {
    const rps_world *world = task->all->shapes->world;
    const size_t i = task->slot_i[c], j = task->slot_j[c];
    l->general[c] = 1.0;
    const double half_i = rps_body_half_width(world, i), half_j = rps_body_half_width(world, j);
    l->radius_i[c] = half_i < INFINITY ? half_i : 0.0; /* scale of the relative overlap; of a surface as of a plane */
    l->radius_j[c] = half_j < INFINITY ? half_j : 0.0;
    l->gap_overlap[c] = overlap;
    return l->curve_floor[c] = rps_pair_curvature_floor(world, i, j);
}

void rps_geometry_apart(const rps_batch_task *task, rps_lanes *l, int c, double overlap) {
    (void)set_scales(task, l, c, overlap);
    gather_separated(l, c);
}

void rps_geometry_put(const rps_batch_task *task, rps_lanes *l, int c, const rps_touch *t, bool deep,
                      const rps_vec3 gradient[2]) {
    const double least = set_scales(task, l, c, t->overlap);
    const bool curved = t->overlap > 0.0 && t->curvature_sum > least;
    if (deep && !task->all->energy_only) l->beyond_guard = 1;
    set_lane(l->normal, c, t->normal);
    set_lane(l->branch_i, c, t->branch_i);
    set_lane(l->branch_j, c, t->branch_j);
    for (int k = 0; k < 6; k++) {
        l->curve_i[k][c] = t->curve_i.s[k];
        l->curve_j[k][c] = t->curve_j.s[k];
    }
    l->radius_eff[c] = 1.0 / (t->curvature_sum > least ? t->curvature_sum : least);
    if (task->pair->lines) {
        l->line_length[c] = t->length;
        l->line_i[c] = t->radius_i;
        l->line_j[c] = t->radius_j;
    }
    set_lane(l->gradient_i, c, curved ? gradient[0] : rps_vec3_zero());
    set_lane(l->gradient_j, c, curved ? gradient[1] : rps_vec3_zero());
}

/* A contact with a mesh, which was found before. One that ended stops to overlap at once, wherever the motion led it, and its
 * dashpot sees the motion. */
static void put_mesh_geometry(const rps_batch_task *task, rps_lanes *l, int c, const rps_mesh_geometry *found,
                              const rps_mesh_wrench *wrench) {
    static const rps_vec3 flat[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const rps_world *world = task->all->shapes->world;
    const size_t i = task->slot_i[c], j = task->slot_j[c];
    if (found->is == RPS_MESH_APART) {
        rps_geometry_apart(task, l, c, found->overlap);
        return;
    }
    rps_touch t;
    double before = found->before;
    const bool deep = rps_pair_put_mesh(world, i, j, task->subkey[c], rps_vec3_of(found->normal), found->overlap,
                                        wrench, &t) == RPS_TOUCH_DEEP;
    if (found->is == RPS_MESH_ENDED) {
        const rps_pose *pose = task->all->bodies.pose;
        const double most = -task->pair->cutoff * rps_pair_smaller_radius(pose[i].radius[0], pose[j].radius[0]);
        if (t.overlap > most) t.overlap = most;
        before += t.overlap - found->overlap;
    }
    rps_geometry_put(task, l, c, &t, deep, flat);
    l->gain[c] = found->gain;
    if (found->is == RPS_MESH_ENDED && !task->all->energy_only) {
        rps_batch_lane(task, rps_batch_layout(task)->overlap)[c] = before;
    }
}

void rps_general_geometry(const rps_batch_task *task, rps_lanes *l, int c) {
    if (task->mesh != NULL) {
        const uint32_t entry = task->mesh_index != NULL ? task->mesh_index[c] : (uint32_t)c;
        const rps_mesh_geometry *found = &task->mesh[entry];
        if (found->is != RPS_MESH_NONE) {
            put_mesh_geometry(task, l, c, found, task->wrench != NULL ? &task->wrench[entry] : NULL);
            return;
        }
    }
    const rps_world *world = task->all->shapes->world;
    const size_t i = task->slot_i[c], j = task->slot_j[c];
    const rps_subkey subkey = task->subkey != NULL ? task->subkey[c] : (rps_subkey){0};
    const bool existed = rps_batch_lane(task, rps_batch_layout(task)->modes)[c] > 0.5;
    const rps_pose *pose = task->all->bodies.pose;
    const double smaller = rps_pair_smaller_radius(pose[i].radius[0], pose[j].radius[0]);
    rps_touch_start warm;
    if (existed) warm = last_contact(task, (size_t)c);
    rps_touch t;
    const double cutoff = existed ? INFINITY : task->pair->cutoff * smaller;
    const rps_touch_result result = rps_pair_touch(world, i, j, subkey, cutoff, existed ? &warm : NULL, &t);
    if (result == RPS_TOUCH_APART) {
        /* beyond every reach, also if another sheet has the contact */
        const double most = -task->pair->cutoff * smaller * (1.0 + 1e-9);
        rps_geometry_apart(task, l, c, t.overlap < most ? t.overlap : most);
        return;
    }
    rps_geometry_follow_images(task, c, t.endless, t.branch_i, t.branch_j);
    rps_vec3 gradient[2] = {rps_vec3_zero(), rps_vec3_zero()};
    if (task->pair->law[RPS_ROLE_NORMAL]->radius_exponent != 0.0 && t.overlap > 0.0 &&
        t.curvature_sum > rps_pair_curvature_floor(world, i, j)) {
        rps_pair_curvature_gradients(world, i, j, subkey, &t, &gradient[0], &gradient[1]);
    }
    rps_geometry_put(task, l, c, &t, result == RPS_TOUCH_DEEP, gradient);
}
