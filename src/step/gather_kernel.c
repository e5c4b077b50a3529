/*
 * Gather and geometry of a batch: poses of both bodies, then unit normal, overlap and branch vectors, and which
 * contacts exist, existed before or begin. Geometry of spheres and planes is inlined here; for other shapes see
 * general_geometry.c.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include <math.h>

#include "base/cell_simd.h"
#include "step/batch.h"
#include <repose/law_kernel.h>

/* Pads an element of the batch with two separate unit spheres. */
static void gather_padding(rps_lanes *l, int c) {
    l->d[0][c] = 3.0;
    l->d[1][c] = l->d[2][c] = 0.0;
    l->radius_i[c] = l->radius_j[c] = 1.0;
    for (int k = 0; k < 3; k++) {
        l->g_i[k][c] = l->g_j[k][c] = l->shift[k][c] = l->branch_i[k][c] = l->branch_j[k][c] = 0.0;
    }
    l->normal[0][c] = 1.0;
    l->normal[1][c] = l->normal[2][c] = 0.0;
    l->gap_overlap[c] = -1.0;
    l->k_i[c] = l->k_j[c] = 2.0;
    l->weight[c] = 0.0;
}

/* Prefetches the poses of RPS_WIDE later contacts, which are scattered in memory, into the second-level cache. */
static inline __attribute__((always_inline)) void prefetch_poses(const rps_batch_task *task, int c) {
    const rps_pose *pose = task->all->bodies.pose;
    const size_t ahead = (size_t)c + RPS_PREFETCH_AHEAD;
    if (ahead + RPS_WIDE > task->ahead) return;
    for (size_t m = ahead; m < ahead + RPS_WIDE; m++) {
        __builtin_prefetch(&pose[task->slot_i[m]], 0, 2);
        __builtin_prefetch(&pose[task->slot_j[m]], 0, 2);
    }
}

/* d[3] = x_i - x_j of RPS_WIDE pairs, nearest image. */
#define DIFFERENCE(d, x_i, x_j, cell)                             \
    do {                                                          \
        for (int k = 0; k < 3; k++) (d)[k] = (x_i)[k] - (x_j)[k]; \
        rps_cell_nearest_simd(cell, d);                           \
    } while (0)

/* Unit normals and overlaps of RPS_WIDE pairs of spheres. It is part of the gather loop, so that divisions and square
 * roots overlap with the transposition of the next poses. */
static inline __attribute__((always_inline)) void geometry_spheres(const rps_simd *d, const rps_simd *radius_i,
                                                                   const rps_simd *radius_j, rps_lanes *l, int c) {
    const rps_simd distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const rps_simd distance = RPS_SQRT(distance2);
    /* Three divisions, not one reciprocal: the error of |n| would double and tilt friction out of the tangent plane. */
    for (int k = 0; k < 3; k++) *(rps_simd *)(l->normal[k] + c) = d[k] / distance;
    *(rps_simd *)(l->gap_overlap + c) = (*radius_i + *radius_j) - distance;
}

/* From the centers of RPS_WIDE bodies, i or j of their contacts, to the spheres that touch, in world axes, and their
 * radii: of a body without pieces 0 and its radius. of_j: a constant where this is inlined. */
static inline __attribute__((always_inline)) void offsets(const rps_batch_task *task, const uint32_t *slot,
                                                          const rps_subkey *subkey, const bool of_j, rps_simd to[3],
                                                          rps_simd *radius) {
    const rps_bodies_view *bodies = &task->all->bodies;
    rps_simd4 local[RPS_WIDE], turn[RPS_WIDE];
    for (int m = 0; m < RPS_WIDE; m++) {
        const int32_t first = bodies->piece[slot[m]][0];
        const rps_simd4 whole = {0.0, 0.0, 0.0, bodies->pose[slot[m]].radius[0]};
        const size_t piece = (size_t)first + (of_j ? subkey[m].piece_j : subkey[m].piece_i);
        local[m] = first >= 0 ? *(const rps_simd4 *)task->all->piece[piece].offset : whole;
        turn[m] = *(const rps_simd4 *)bodies->orientation[slot[m]];
    }
    rps_simd p[4], q[4], t[3];
    RPS_TRANSPOSE_HALVES(local, p);
    RPS_TRANSPOSE_HALVES(turn, q);
    const rps_simd *u = q + 1;
    RPS_CROSS(t, u, p);
    for (int k = 0; k < 3; k++) t[k] = t[k] + t[k];
    RPS_CROSS(to, u, t);
    for (int k = 0; k < 3; k++) to[k] = p[k] + (q[0] * t[k] + to[k]);
    *radius = p[3];
}
_Static_assert(offsetof(rps_piece, radius) == offsetof(rps_piece, offset) + 3 * sizeof(double),
               "the offset and the radius of a piece are read as one vector");

/* Transposes both pose records of RPS_WIDE contacts. spheres, pieces: constants where this is inlined. */
static inline __attribute__((always_inline)) void gather_some(const rps_batch_task *task, const rps_pose *pose,
                                                              const rps_cell *cell, const uint32_t *i,
                                                              const uint32_t *j, rps_lanes *l, int c,
                                                              const bool spheres, const bool pieces) {
    rps_simd lane_i[8], lane_j[8], d[3];
#define POSE_I(m) (&pose[i[m]])
#define POSE_J(m) (&pose[j[m]])
    RPS_RECORDS_TO_LANES(POSE_I, lane_i);
    RPS_RECORDS_TO_LANES(POSE_J, lane_j);
    DIFFERENCE(d, lane_i, lane_j, cell);
    if (pieces) {
        rps_simd to_i[3], to_j[3];
        offsets(task, i, task->subkey + c, false, to_i, &lane_i[3]);
        offsets(task, j, task->subkey + c, true, to_j, &lane_j[3]);
        for (int k = 0; k < 3; k++) {
            d[k] = d[k] + (to_i[k] - to_j[k]);
            *(rps_simd *)(l->branch_i[k] + c) = to_i[k];
            *(rps_simd *)(l->branch_j[k] + c) = to_j[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        if (!spheres) *(rps_simd *)(l->d[k] + c) = d[k];
        *(rps_simd *)(l->g_i[k] + c) = lane_i[4 + k];
        *(rps_simd *)(l->g_j[k] + c) = lane_j[4 + k];
    }
    *(rps_simd *)(l->radius_i + c) = lane_i[3];
    *(rps_simd *)(l->radius_j + c) = lane_j[3];
    *(rps_simd *)(l->k_i + c) = lane_i[7];
    *(rps_simd *)(l->k_j + c) = lane_j[7];
    if (spheres) geometry_spheres(d, &lane_i[3], &lane_j[3], l, c);
}

/* pieces: a constant where this is inlined. */
static inline __attribute__((always_inline)) int find_active(const rps_batch_task *task, rps_lanes *l, uint8_t *active,
                                                             const bool pieces) {
    const rps_pose *pose = task->all->bodies.pose;
    const rps_cell *cell = &task->all->cell;
    const double cutoff = task->pair->cutoff;
    for (int c = 0; c < task->n; c += RPS_WIDE) { /* padding entries refer to body 0 */
        const uint32_t *i = task->slot_i + c, *j = task->slot_j + c;
        rps_simd x_i[4], x_j[4], d[3];
        if (task->all->exceeds_l2) prefetch_poses(task, c);
        RPS_HALVES_TO_LANES(POSE_I, x_i);
        RPS_HALVES_TO_LANES(POSE_J, x_j);
        DIFFERENCE(d, x_i, x_j, cell);
        if (pieces) {
            rps_simd to_i[3], to_j[3];
            offsets(task, i, task->subkey + c, false, to_i, &x_i[3]);
            offsets(task, j, task->subkey + c, true, to_j, &x_j[3]);
            for (int k = 0; k < 3; k++) d[k] = d[k] + (to_i[k] - to_j[k]);
        }
        const rps_simd smaller = RPS_SELECT(x_i[3] < x_j[3], x_i[3], x_j[3]);
        const rps_simd most = (x_i[3] + x_j[3]) + cutoff * smaller;
        const rps_simd distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        /* NaN counts as active, so that the evaluation meets it */
        *(rps_simd *)(l->touch + c) = RPS_SELECT(distance2 > (1.0 + 1e-12) * (most * most), RPS_ALL(0.0), RPS_ALL(1.0));
    }
    uint64_t bits = rps_lanes_above(l->touch, 0.5, task->padded) | rps_flag_bits(task->was_active, task->n);
    int found = 0;
    for (bits &= rps_low_bits(task->n); bits != 0; found++) active[found] = (uint8_t)rps_next_bit(&bits);
    return found;
}
#undef POSE_I
#undef POSE_J

int RPS_ISA_NAME(rps_find_active)(const rps_batch_task *task, rps_lanes *l, uint8_t *active) {
    return rps_record_has_offsets(task->record) ? find_active(task, l, active, true)
                                                : find_active(task, l, active, false);
}

/* Gathers all poses of a batch; for spheres their geometry as well. Padding entries refer to body 0, so that RPS_WIDE
 * can be read at a time. spheres, pieces: constants where this is inlined. */
static inline __attribute__((always_inline)) void gather(const rps_batch_task *task, rps_lanes *l, const bool spheres,
                                                         const bool pieces) {
    const rps_pose *pose = task->all->bodies.pose;
    const rps_cell *cell = &task->all->cell;
    const rps_contact_load *load = task->load;
    const uint32_t(*place)[2] = task->reference;
    const uint32_t *slot_i = task->slot_i, *slot_j = task->slot_j;
    const bool exceeds_l2 = task->all->exceeds_l2, lines = exceeds_l2 && !task->all->streams;
    for (int c = 0; c < task->n; c += RPS_WIDE) {
        if (exceeds_l2) prefetch_poses(task, c);
        /* the records where the loads will be stored */
        for (int m = c; m < c + RPS_WIDE && m < task->n && lines; m++) {
            __builtin_prefetch(&load[place[m][0]], 0, 2);
            __builtin_prefetch(&load[place[m][1]], 0, 2);
        }
        gather_some(task, pose, cell, slot_i + c, slot_j + c, l, c, spheres, pieces);
    }
    for (int c = task->n; c < task->padded; c++) gather_padding(l, c);
}

/* A plane of outward normal m, a sphere on its outer side. */
static void geometry_flat(const rps_batch_task *task, rps_lanes *l) {
    const rps_bodies_view *bodies = &task->all->bodies;
    for (int c = 0; c < task->n; c++) {
        const int plane_is_i = !(l->radius_i[c] > 0.0);
        const uint32_t plane = plane_is_i ? task->slot_i[c] : task->slot_j[c];
        const double *m = bodies->normal[plane];
        const double sign = plane_is_i ? -1.0 : 1.0;
        const double *v_i = bodies->motion[task->slot_i[c]].velocity;
        const double *v_j = bodies->motion[task->slot_j[c]].velocity;
        double height = sign * (m[0] * l->d[0][c] + m[1] * l->d[1][c] + m[2] * l->d[2][c]);
        for (int k = 0; k < 3; k++) {
            l->normal[k][c] = sign * m[k];
            l->shift[k][c] = task->all->dt * (v_i[k] - v_j[k]);
        }
        l->gap_overlap[c] = (l->radius_i[c] + l->radius_j[c]) - height;
    }
    if (task->all->surfaces != NULL) rps_surfaces_shift(task, l);
}

/* Displacement of the spheres of bodies that rotate, against those of the bodies: R o - o for the present offset R o,
 * which is k (g x R o - g x (g x R o)). */
static void shift_offsets(const rps_batch_task *task, rps_lanes *l) {
    for (int c = 0; c < task->n; c++) {
        const bool is_j = !(l->radius_i[c] > 0.0); /* i is the plane */
        rps_lane *const g_of = is_j ? l->g_j : l->g_i, *const branch = is_j ? l->branch_j : l->branch_i;
        const double scale = is_j ? -l->k_j[c] : l->k_i[c];
        const rps_vec3 g = {g_of[0][c], g_of[1][c], g_of[2][c]}, to = {branch[0][c], branch[1][c], branch[2][c]};
        const rps_vec3 turned = rps_vec3_cross(g, to), twice = rps_vec3_cross(g, turned);
        l->shift[0][c] += scale * (turned.x - twice.x);
        l->shift[1][c] += scale * (turned.y - twice.y);
        l->shift[2][c] += scale * (turned.z - twice.z);
    }
}

/* Geometry of the frame layout: branch vectors end at the surface points. */
static void geometry_frame(const rps_batch_task *task, rps_lanes *l) {
    const rps_bodies_view *bodies = &task->all->bodies;
    uint64_t done = rps_smooth_geometry(task, l);
    done |= rps_core_geometry(task, l, done);
    for (int c = task->n; c < task->padded; c++) {
        gather_padding(l, c);
        l->general[c] = 0.0;
        l->radius_eff[c] = l->line_length[c] = l->line_i[c] = l->line_j[c] = 1.0;
    }
    for (int c = 0; c < task->padded && task->mesh != NULL; c++) l->gain[c] = 1.0;
    for (int c = 0; c < task->n; c++) {
        if (bodies->piece[task->slot_i[c]][0] >= 0 || bodies->piece[task->slot_j[c]][0] >= 0) {
            if ((done >> c & 1U) == 0) rps_general_geometry(task, l, c);
            continue;
        }
        l->general[c] = 0.0;
        l->radius_eff[c] = task->constant[RPS_CONSTANT_RADIUS_EFF][c];
        const double r_i = l->radius_i[c], r_j = l->radius_j[c];
        rps_vec3 d = {l->d[0][c], l->d[1][c], l->d[2][c]}, n;
        double distance;
        if (r_i > 0.0 && r_j > 0.0) {
            distance = rps_vec3_norm(d);
            n = (rps_vec3){d.x / distance, d.y / distance, d.z / distance};
        } else {
            const int plane_is_i = !(r_i > 0.0);
            const double *m = bodies->normal[plane_is_i ? task->slot_i[c] : task->slot_j[c]];
            const double sign = plane_is_i ? -1.0 : 1.0;
            n = (rps_vec3){sign * m[0], sign * m[1], sign * m[2]};
            distance = rps_vec3_dot(n, d);
        }
        /* a plane's branch vector ends at the projection of the other centre */
        rps_vec3 branch_i = r_i > 0.0 ? rps_vec3_scale(n, -r_i) : rps_vec3_add_scaled(rps_vec3_neg(d), distance, n);
        rps_vec3 branch_j = r_j > 0.0 ? rps_vec3_scale(n, r_j) : rps_vec3_add_scaled(d, -distance, n);
        l->normal[0][c] = n.x;
        l->normal[1][c] = n.y;
        l->normal[2][c] = n.z;
        l->branch_i[0][c] = branch_i.x;
        l->branch_i[1][c] = branch_i.y;
        l->branch_i[2][c] = branch_i.z;
        l->branch_j[0][c] = branch_j.x;
        l->branch_j[1][c] = branch_j.y;
        l->branch_j[2][c] = branch_j.z;
        l->gap_overlap[c] = (r_i + r_j) - distance;
    }
    if (task->all->surfaces != NULL) rps_surfaces_run(task, l);
}

/* Weight of the free body along the normal, positive if it presses. */
static void gather_weight(const rps_batch_task *task, rps_lanes *l) {
    const rps_bodies_view *bodies = &task->all->bodies;
    const double *g = task->all->gravity;
    for (int c = 0; c < task->n; c++) {
        const uint32_t i = task->slot_i[c], j = task->slot_j[c];
        const double along = g[0] * l->normal[0][c] + g[1] * l->normal[1][c] + g[2] * l->normal[2][c];
        const int i_is_free = bodies->kind[i][0] == RPS_BODY_FREE;
        l->weight[c] = i_is_free ? -bodies->mass[i][0] * along : bodies->mass[j][0] * along;
    }
}

/* Gaps up to which contacts last, or begin (m): 0 where no law of the pair has a range, and where it does not matter because
 * the bodies overlap, or are farther apart than any of their size may be. */
static const double *find_law_ranges(const rps_batch_task *task, rps_lanes *l) {
    if (!task->pair->ranged) return l->zero;
    const rps_pose *pose = task->all->bodies.pose;
    const double *radius_effs =
        task->record == RPS_RECORD_FRAME ? l->radius_eff : task->constant[RPS_CONSTANT_RADIUS_EFF];
    const double *modes = rps_batch_lane(task, rps_batch_layout(task)->modes);
    const int of_memory = rps_batch_layout(task)->range;
    const double *ends = of_memory >= 0 ? rps_batch_lane(task, of_memory) : NULL;
    double *const range = l->work[1]; /* work[] is free until tracking */
    for (int c = 0; c < task->padded; c++) {
        range[c] = 0.0;
        if (c >= task->n || l->gap_overlap[c] > 0.0) continue;
        /* also of a pair so far apart that it has no R_eff */
        const double most = task->pair->cutoff *
                            rps_pair_smaller_radius(pose[task->slot_i[c]].radius[0], pose[task->slot_j[c]].radius[0]);
        if (!(l->gap_overlap[c] > -most)) continue;
        if (ends != NULL) { /* in a wet pair only bridges hold bodies that have parted */
            range[c] = modes[c] > 0.5 ? ends[c] : 0.0;
            continue;
        }
        const double smaller = rps_pair_smaller_radius(l->radius_i[c], l->radius_j[c]);
        const double own = rps_pair_range(task->pair, !(modes[c] > 0.5), smaller, radius_effs[c]);
        range[c] = own < most ? own : most;
    }
    return range;
}

/* Stick/slip states from the stored sum of bits, the highest bit first. */
static inline void read_modes(const rps_batch_task *task, rps_lanes *l, const double *modes) {
    for (int c = 0; c < task->padded; c += RPS_WIDE) {
        rps_simd code = *(const rps_simd *)(modes + c);
        for (int bit = RPS_MODES - 1; bit > RPS_MODE_EXISTS; bit--) {
            const rps_mode_place of = rps_mode_place_of(bit);
            const double weight = (double)(1 << bit);
            const rps_mask set = code > weight - 0.5;
            *(rps_simd *)(l->mode[of.role][of.body] + c) = (rps_simd)(set & (rps_mask)RPS_ALL(1.0));
            code -= (rps_simd)(set & (rps_mask)RPS_ALL(weight));
        }
    }
}

/* Finds which contacts exist, existed before and begin, unpacks modes, and computes overlaps and their increments.
 * Returns whether the batch has any work. */
static bool classify(const rps_batch_task *task, rps_lanes *l, const double *range_of) {
    const rps_layout *layout = rps_batch_layout(task);
    const int count = task->padded;
    const double counts = task->pair->law[RPS_ROLE_NORMAL]->rigid_geometry ? 0.0 : 1.0;
    const double energy_only = task->all->energy_only ? 1.0 : 0.0;
    const double beyond_guard = 8.0; /* flag in `unusual`; larger than the sum of the others */
    const double guard = counts > 0.5 && !task->all->energy_only ? task->all->guard_overlap : INFINITY;
    RPS_IN_AS(radius_i, l->radius_i);
    RPS_IN_AS(radius_j, l->radius_j);
    RPS_IN_AS(geometric, l->gap_overlap);
    RPS_IN_AS(range, range_of);
    RPS_AS(unusual, l->work[0]); /* work[] is free until tracking */
    RPS_IN_AS(state_modes, rps_batch_lane(task, layout->modes));
    RPS_IN_AS(state_overlap, rps_batch_lane(task, layout->overlap));
    RPS_AS(was_contact, l->was_contact);
    RPS_AS(touch, l->touch);
    RPS_AS(new_contact, l->new_contact);
    RPS_AS(overlap, l->overlap);
    RPS_AS(increment, l->overlap_increment);
    RPS_AS(mean, l->overlap_mean);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double r_i = radius_i[c], r_j = radius_j[c];
        double smaller = r_i < r_j ? r_i : r_j;
        smaller = smaller > 0.0 ? smaller : r_i + r_j; /* the radius of a plane is 0 */
        double is = geometric[c] > -range[c] ? 1.0 : 0.0;
        double too_deep = geometric[c] > guard * smaller ? beyond_guard : 0.0;
        double was = state_modes[c] > 0.5 ? 1.0 : 0.0;
        is = energy_only > 0.5 ? was : is;
        touch[c] = is;
        was_contact[c] = was;
        unusual[c] = ((1.0 - is) + (1.0 - was)) + too_deep;
        double begins_now = is > was ? 1.0 : 0.0;
        new_contact[c] = begins_now;
        double now = counts * geometric[c];
        double before = begins_now > 0.5 ? now : counts * state_overlap[c];
        before = is + was > 0.5 ? before : now;
        before = energy_only > 0.5 ? now : before;
        overlap[c] = now;
        increment[c] = now - before;
        mean[c] = 0.5 * (now + before);
    }
    read_modes(task, l, state_modes);
    l->apart = l->any_new = false;
    if (!rps_lane_above(unusual, 0.5, count)) return true;
    const uint64_t are = rps_lanes_above(touch, 0.5, count), were = rps_lanes_above(was_contact, 0.5, count);
    l->apart = are != rps_low_bits(count);
    l->any_new = were != rps_low_bits(count);
    l->beyond_guard |= rps_lane_above(unusual, 0.5 * beyond_guard, count);
    return (are | were) != 0;
}

/* Normal of the last step; for a new contact the present one, since it has not rolled yet. */
static void old_normal(const rps_batch_task *task, rps_lanes *l) {
    const int first = rps_batch_layout(task)->track;
    const int count = task->padded;
    RPS_IN_AS(was_contact, l->was_contact);
    for (int k = 0; k < 3; k++) {
        RPS_IN_AS(stored, rps_batch_lane(task, first + k));
        RPS_IN_AS(now, l->normal[k]);
        RPS_AS(old, l->normal_copy[k]);
        l->normal_old[k] = l->any_new ? old : stored;
        if (!l->any_new) continue;
        RPS_SIMD
        for (int c = 0; c < count; c++) {
            old[c] = was_contact[c] > 0.5 ? stored[c] : now[c];
        }
    }
}

bool RPS_ISA_NAME(rps_gather)(const rps_batch_task *task, rps_lanes *l) {
    switch (task->record) {
    case RPS_RECORD_COMPACT:
        gather(task, l, true, false);
        break;
    case RPS_RECORD_COMPACT_PIECES:
        gather(task, l, true, true);
        break;
    case RPS_RECORD_FLAT:
        gather(task, l, false, false);
        geometry_flat(task, l);
        break;
    case RPS_RECORD_FLAT_PIECES:
        gather(task, l, false, true);
        geometry_flat(task, l);
        shift_offsets(task, l);
        break;
    default:
        gather(task, l, false, false);
        geometry_frame(task, l);
        break;
    }
    if (!classify(task, l, find_law_ranges(task, l))) {
        return false;
    }
    if (task->pair->reads & RPS_ARRAY(weight)) {
        gather_weight(task, l);
    }
    if (task->record != RPS_RECORD_FRAME && !task->all->energy_only) {
        old_normal(task, l);
    }
    return true;
}
