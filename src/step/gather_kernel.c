/*
 * Gather and geometry of a batch: poses of both bodies, then unit normal, overlap and branch vectors, and which contacts
 * exist, existed before or begin. Geometry of spheres and planes is inlined here; that of other shapes is in detect/.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include <math.h>

#include "base/simd.h"
#include "detect/gap_table.h"
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

/* A separated pair of general shapes: a normal and curvatures with which every law stays finite. */
static void gather_separated(rps_lanes *l, int c) {
    l->normal[0][c] = 1.0;
    l->normal[1][c] = l->normal[2][c] = 0.0;
    for (int k = 0; k < 3; k++) {
        l->branch_i[k][c] = l->branch_j[k][c] = l->gradient_i[k][c] = l->gradient_j[k][c] = 0.0;
    }
    for (int k = 0; k < 6; k++) l->curve_i[k][c] = l->curve_j[k][c] = 0.0;
    l->radius_eff[c] = l->line_length[c] = l->line_i[c] = l->line_j[c] = 1.0;
}

/* Prefetches the poses of RPS_WIDE later contacts, which are scattered in memory, into the second-level cache. */
static inline __attribute__((always_inline)) void prefetch_poses(const rps_batch_task *task, int c) {
    const rps_segment *segment = task->segment;
    const rps_pose *pose = task->world->bodies.pose;
    const size_t ahead = task->place + (size_t)c + RPS_PREFETCH_AHEAD;
    if (ahead + RPS_WIDE > segment->capacity) return;
    for (size_t m = ahead; m < ahead + RPS_WIDE; m++) {
        __builtin_prefetch(&pose[segment->slot_i[m]], 0, 2);
        __builtin_prefetch(&pose[segment->slot_j[m]], 0, 2);
    }
}

/* rps_nearest for RPS_WIDE differences along a periodic axis. */
#define NEAREST(d, period)                                                      \
    (((d) + (rps_simd)((rps_mask)((d) < -0.5 * (period)) & ALL_BITS(period))) - \
     (rps_simd)((rps_mask)((d) > 0.5 * (period)) & ALL_BITS(period)))
#define ALL_BITS(x) ((rps_mask)RPS_ALL(x))

/* d[3] = x_i - x_j of RPS_WIDE pairs, nearest image. */
#define DIFFERENCE(d, x_i, x_j, period)                                   \
    do {                                                                  \
        for (int k = 0; k < 3; k++) {                                     \
            (d)[k] = (x_i)[k] - (x_j)[k];                                 \
            if ((period)[k] > 0.0) (d)[k] = NEAREST((d)[k], (period)[k]); \
        }                                                                 \
    } while (0)

/* Unit normals and overlaps of RPS_WIDE pairs of spheres. It stands in the gather loop, so that divisions and square roots
 * overlap with the transposition of the next poses. */
static inline __attribute__((always_inline)) void geometry_spheres(const rps_simd *d, const rps_simd *radius_i,
                                                                   const rps_simd *radius_j, rps_lanes *l, int c) {
    const rps_simd distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const rps_simd distance = RPS_SQRT(distance2);
    /* Three divisions, not one reciprocal: the error of |n| would double and tilt friction out of the tangent plane. */
    for (int k = 0; k < 3; k++) *(rps_simd *)(l->normal[k] + c) = d[k] / distance;
    *(rps_simd *)(l->gap_overlap + c) = (*radius_i + *radius_j) - distance;
}

/* Transposes both pose records of RPS_WIDE contacts. spheres: a constant where this is inlined. */
static inline __attribute__((always_inline)) void gather_some(const rps_pose *pose, const double *period,
                                                              const uint32_t *i, const uint32_t *j, rps_lanes *l, int c,
                                                              const bool spheres) {
    rps_simd lane_i[8], lane_j[8], d[3];
#define POSE_I(m) (&pose[i[m]])
#define POSE_J(m) (&pose[j[m]])
    RPS_RECORDS_TO_LANES(POSE_I, lane_i);
    RPS_RECORDS_TO_LANES(POSE_J, lane_j);
    DIFFERENCE(d, lane_i, lane_j, period);
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

int RPS_ISA_NAME(rps_find_active)(const rps_batch_task *task, rps_lanes *l, uint8_t *active) {
    const rps_pose *pose = task->world->bodies.pose;
    const double *period = task->world->options.period;
    const double cutoff = task->pair->cutoff;
    for (int c = 0; c < task->n; c += RPS_WIDE) { /* padding entries refer to body 0 */
        const uint32_t *i = task->segment->slot_i + task->place + c, *j = task->segment->slot_j + task->place + c;
        rps_simd x_i[4], x_j[4], d[3];
        if (task->world->contacts.exceeds_l2) prefetch_poses(task, c);
        RPS_HALVES_TO_LANES(POSE_I, x_i);
        RPS_HALVES_TO_LANES(POSE_J, x_j);
        DIFFERENCE(d, x_i, x_j, period);
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

/* Gathers all poses of a batch; for spheres their geometry as well. Padding entries refer to body 0, so that RPS_WIDE can be
 * read at a time. spheres: a constant where this is inlined. */
static inline __attribute__((always_inline)) void gather(const rps_batch_task *task, rps_lanes *l, const bool spheres) {
    const rps_pose *pose = task->world->bodies.pose;
    const double *period = task->world->options.period;
    const rps_contacts *contacts = &task->world->contacts;
    const uint32_t(*place)[2] = task->reference;
    const uint32_t *slot_i = task->segment->slot_i + task->place, *slot_j = task->segment->slot_j + task->place;
    const bool lines = contacts->exceeds_l2 && !contacts->streams;
    for (int c = 0; c < task->n; c += RPS_WIDE) {
        if (contacts->exceeds_l2) prefetch_poses(task, c);
        /* the records where the loads will be stored */
        for (int m = c; m < c + RPS_WIDE && m < task->n && lines; m++) {
            __builtin_prefetch(&contacts->load[place[m][0]], 0, 2);
            __builtin_prefetch(&contacts->load[place[m][1]], 0, 2);
        }
        gather_some(pose, period, slot_i + c, slot_j + c, l, c, spheres);
    }
    for (int c = task->n; c < task->padded; c++) gather_padding(l, c);
}

/* A plane of outward normal m, a sphere on its outer side. */
static void geometry_flat(const rps_batch_task *task, rps_lanes *l) {
    const rps_bodies *bodies = &task->world->bodies;
    for (int c = 0; c < task->n; c++) {
        const size_t entry = task->place + (size_t)c;
        const int plane_is_i = !(l->radius_i[c] > 0.0);
        const uint32_t plane = plane_is_i ? task->segment->slot_i[entry] : task->segment->slot_j[entry];
        const double *m = bodies->normal[plane];
        const double sign = plane_is_i ? -1.0 : 1.0;
        const double *v_i = bodies->motion[task->segment->slot_i[entry]].velocity;
        const double *v_j = bodies->motion[task->segment->slot_j[entry]].velocity;
        double height = sign * (m[0] * l->d[0][c] + m[1] * l->d[1][c] + m[2] * l->d[2][c]);
        for (int k = 0; k < 3; k++) {
            l->normal[k][c] = sign * m[k];
            l->shift[k][c] = task->dt * (v_i[k] - v_j[k]);
        }
        l->gap_overlap[c] = (l->radius_i[c] + l->radius_j[c]) - height;
    }
}

static void gather_set_lane(rps_lane *lane, int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

/* The normal of the last evaluation, carried along with body i. */
static rps_vec3 carried_normal(const rps_batch_task *task, size_t entry) {
    const rps_segment *segment = task->segment;
    const int lane = task->pair->layout[segment->record].track + RPS_FRAME_NI;
    const double *n = segment->state + (size_t)lane * segment->capacity + entry;
    const double *q = task->world->bodies.orientation[segment->slot_i[entry]];
    const rps_vec3 in_body = {n[0], n[segment->capacity], n[2 * segment->capacity]};
    return rps_vec3_normalize(rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, in_body));
}

/* Along the axes `endless` the contact point on a piece jumps by a period where the other body passes to the next image: the
 * old point is taken along, so that the path between both is that of the surfaces. */
static void follow_image(const rps_batch_task *task, size_t entry, size_t slot, rps_vec3 branch, unsigned endless,
                         int lane) {
    if (endless == 0) return;
    const rps_segment *segment = task->segment;
    const double *period = task->world->options.period, *o = task->world->bodies.orientation[slot];
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    double *const point =
        segment->state + (size_t)(task->pair->layout[segment->record].track + lane) * segment->capacity + entry;
    const rps_vec3 local = {point[0], point[segment->capacity], point[2 * segment->capacity]};
    const rps_vec3 jump = rps_vec3_sub(branch, rps_quat_rotate(q, local));
    double by[3] = {0.0, 0.0, 0.0}, d[3] = {jump.x, jump.y, jump.z};
    for (int k = 0; k < 3; k++) {
        if ((endless >> k & 1U) != 0 && fabs(d[k]) > 0.5 * period[k]) by[k] = d[k] > 0.0 ? period[k] : -period[k];
    }
    const rps_vec3 moved = rps_vec3_add(local, rps_quat_rotate_inverse(q, rps_vec3_of(by)));
    point[0] = moved.x;
    point[segment->capacity] = moved.y;
    point[2 * segment->capacity] = moved.z;
}

/* Geometry of a contact of a body with pieces. A contact that has ended is computed too, since its stored energy is booked
 * as dissipated. */
static void geometry_general(const rps_batch_task *task, rps_lanes *l, int c) {
    const rps_world *world = task->world;
    const rps_segment *segment = task->segment;
    const size_t entry = task->place + (size_t)c;
    const size_t i = segment->slot_i[entry], j = segment->slot_j[entry];
    const int modes = task->pair->layout[segment->record].modes;
    const int existed = segment->state[(size_t)modes * segment->capacity + entry] > 0.5;
    const double half_i = rps_body_half_width(world, i), half_j = rps_body_half_width(world, j);
    const double smaller = rps_pair_smaller_radius(world->bodies.pose[i].radius[0], world->bodies.pose[j].radius[0]);
    rps_vec3 warm = rps_vec3_zero();
    if (existed) warm = carried_normal(task, entry);
    rps_touch t;
    const rps_touch_result result =
        rps_pair_touch(world, i, j, segment->subkey[entry], existed ? INFINITY : task->pair->cutoff * smaller,
                       existed ? &warm : NULL, &t);
    l->general[c] = 1.0;
    l->radius_i[c] = half_i; /* scale of the relative overlap */
    l->radius_j[c] = half_j;
    l->gap_overlap[c] = t.overlap;
    const double least = rps_pair_curvature_floor(world, i, j);
    l->curve_floor[c] = least;
    if (result == RPS_TOUCH_APART) {
        gather_separated(l, c);
        return;
    }
    if (result == RPS_TOUCH_DEEP && !task->energy_only) l->beyond_guard = 1;
    if (t.endless != 0 && existed && !task->energy_only) {
        follow_image(task, entry, i, t.branch_i, t.endless & 7U, RPS_FRAME_CI);
        follow_image(task, entry, j, t.branch_j, t.endless >> 3, RPS_FRAME_CJ);
    }
    gather_set_lane(l->normal, c, t.normal);
    gather_set_lane(l->branch_i, c, t.branch_i);
    gather_set_lane(l->branch_j, c, t.branch_j);
    for (int k = 0; k < 6; k++) {
        l->curve_i[k][c] = t.curve_i.s[k];
        l->curve_j[k][c] = t.curve_j.s[k];
    }
    l->radius_eff[c] = 1.0 / (t.curvature_sum > least ? t.curvature_sum : least);
    if (task->pair->lines) {
        l->line_length[c] = t.length;
        l->line_i[c] = t.radius_i;
        l->line_j[c] = t.radius_j;
    }
    rps_vec3 gradient_i = rps_vec3_zero(), gradient_j = rps_vec3_zero();
    if (task->pair->law[RPS_ROLE_NORMAL]->radius_exponent != 0.0 && t.overlap > 0.0 && t.curvature_sum > least) {
        rps_pair_curvature_gradients(world, i, j, segment->subkey[entry], &t, &gradient_i, &gradient_j);
    }
    gather_set_lane(l->gradient_i, c, gradient_i);
    gather_set_lane(l->gradient_j, c, gradient_j);
}

/* Geometry of the frame layout: branch vectors end at the surface points. */
static void geometry_frame(const rps_batch_task *task, rps_lanes *l) {
    const rps_bodies *bodies = &task->world->bodies;
    for (int c = task->n; c < task->padded; c++) {
        l->general[c] = 0.0;
        l->radius_eff[c] = l->line_length[c] = l->line_i[c] = l->line_j[c] = 1.0;
    }
    for (int c = 0; c < task->n; c++) {
        const size_t entry = task->place + (size_t)c;
        if (bodies->piece[task->segment->slot_i[entry]][0] >= 0 ||
            bodies->piece[task->segment->slot_j[entry]][0] >= 0) {
            geometry_general(task, l, c);
            continue;
        }
        l->general[c] = 0.0;
        l->radius_eff[c] = rps_segment_constant(task->segment, entry, RPS_CONSTANT_RADIUS_EFF);
        const double r_i = l->radius_i[c], r_j = l->radius_j[c];
        rps_vec3 d = {l->d[0][c], l->d[1][c], l->d[2][c]}, n;
        double distance;
        if (r_i > 0.0 && r_j > 0.0) {
            distance = rps_vec3_norm(d);
            n = (rps_vec3){d.x / distance, d.y / distance, d.z / distance};
        } else {
            const int plane_is_i = !(r_i > 0.0);
            const double *m = bodies->normal[plane_is_i ? task->segment->slot_i[entry] : task->segment->slot_j[entry]];
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
}

/* Weight of the free body along the normal, positive if it presses. */
static void gather_weight(const rps_batch_task *task, rps_lanes *l) {
    const rps_bodies *bodies = &task->world->bodies;
    const double *g = task->world->options.gravity;
    for (int c = 0; c < task->n; c++) {
        const uint32_t i = task->segment->slot_i[task->place + (size_t)c],
                       j = task->segment->slot_j[task->place + (size_t)c];
        const double along = g[0] * l->normal[0][c] + g[1] * l->normal[1][c] + g[2] * l->normal[2][c];
        const int i_is_free = bodies->kind[i][0] == RPS_BODY_FREE;
        l->weight[c] = i_is_free ? -bodies->mass[i][0] * along : bodies->mass[j][0] * along;
    }
}

/* Gaps up to which contacts last, or begin (m): 0 where no law of the pair has a range. */
static const double *find_law_ranges(const rps_batch_task *task, rps_lanes *l) {
    if (!task->pair->ranged) return l->zero;
    const rps_segment *segment = task->segment;
    const rps_bodies *bodies = &task->world->bodies;
    const bool frame = segment->record == RPS_RECORD_FRAME;
    const double *modes =
        segment->state + (size_t)task->pair->layout[segment->record].modes * segment->capacity + task->place;
    double *const range = l->work[1]; /* work[] is free until tracking */
    for (int c = 0; c < task->padded; c++) {
        range[c] = 0.0;
        if (c >= task->n) continue;
        const size_t entry = task->place + (size_t)c;
        const double radius_eff =
            frame ? l->radius_eff[c] : rps_segment_constant(segment, entry, RPS_CONSTANT_RADIUS_EFF);
        const double smaller = rps_pair_smaller_radius(l->radius_i[c], l->radius_j[c]);
        const double own = rps_pair_range(task->pair, !(modes[c] > 0.5), smaller, radius_eff);
        /* where a pair is so far apart that it has no R_eff */
        const double most =
            task->pair->cutoff * rps_pair_smaller_radius(bodies->pose[segment->slot_i[entry]].radius[0],
                                                         bodies->pose[segment->slot_j[entry]].radius[0]);
        range[c] = own < most ? own : most;
    }
    return range;
}

/* Finds which contacts exist, existed before and begin, unpacks modes, and computes overlaps and their increments. Returns
 * whether the batch has any work. */
static bool classify(const rps_batch_task *task, rps_lanes *l, const double *range_of) {
    const rps_segment *segment = task->segment;
    const rps_layout *layout = &task->pair->layout[segment->record];
    const int count = task->padded;
    const double counts = task->pair->law[RPS_ROLE_NORMAL]->rigid_geometry ? 0.0 : 1.0;
    const double energy_only = task->energy_only ? 1.0 : 0.0;
    const double beyond_guard = 8.0; /* flag in `unusual`; larger than the sum of the others */
    const double guard = counts > 0.5 && !task->energy_only ? task->world->guard.overlap : INFINITY;
    RPS_IN_AS(radius_i, l->radius_i);
    RPS_IN_AS(radius_j, l->radius_j);
    RPS_IN_AS(geometric, l->gap_overlap);
    RPS_IN_AS(range, range_of);
    RPS_AS(unusual, l->work[0]); /* work[] is free until tracking */
    RPS_IN_AS(state_modes, segment->state + (size_t)layout->modes * segment->capacity + task->place);
    RPS_IN_AS(state_overlap, segment->state + (size_t)layout->overlap * segment->capacity + task->place);
    RPS_AS(was_contact, l->was_contact);
    RPS_AS(touch, l->touch);
    RPS_AS(new_contact, l->new_contact);
    RPS_AS(overlap, l->overlap);
    RPS_AS(increment, l->overlap_increment);
    RPS_AS(mean, l->overlap_mean);
    RPS_AS(slide, l->mode[RPS_ROLE_SLIDE][0]);
    RPS_AS(roll_i, l->mode[RPS_ROLE_ROLL][0]);
    RPS_AS(roll_j, l->mode[RPS_ROLE_ROLL][1]);
    RPS_AS(spin, l->mode[RPS_ROLE_SPIN][0]);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double r_i = radius_i[c], r_j = radius_j[c];
        double smaller = r_i < r_j ? r_i : r_j;
        smaller = smaller > 0.0 ? smaller : r_i + r_j; /* the radius of a plane is 0 */
        double is = geometric[c] > -range[c] ? 1.0 : 0.0;
        double too_deep = geometric[c] > guard * smaller ? beyond_guard : 0.0;
        double code = state_modes[c];
        double was = code > 0.5 ? 1.0 : 0.0;
        double m = code > 15.5 ? 1.0 : 0.0;
        spin[c] = m;
        code -= 16.0 * m;
        m = code > 7.5 ? 1.0 : 0.0;
        roll_j[c] = m;
        code -= 8.0 * m;
        m = code > 3.5 ? 1.0 : 0.0;
        roll_i[c] = m;
        code -= 4.0 * m;
        slide[c] = code > 1.5 ? 1.0 : 0.0;
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
    const rps_segment *segment = task->segment;
    const int first = task->pair->layout[segment->record].track;
    const int count = task->padded;
    RPS_IN_AS(was_contact, l->was_contact);
    for (int k = 0; k < 3; k++) {
        RPS_IN_AS(stored, segment->state + (size_t)(first + k) * segment->capacity + task->place);
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
    switch (task->segment->record) {
    case RPS_RECORD_COMPACT:
        gather(task, l, true);
        break;
    case RPS_RECORD_FLAT:
        gather(task, l, false);
        geometry_flat(task, l);
        break;
    default:
        gather(task, l, false);
        geometry_frame(task, l);
        break;
    }
    if (!classify(task, l, find_law_ranges(task, l))) {
        return false;
    }
    if (task->pair->reads & RPS_ARRAY(weight)) {
        gather_weight(task, l);
    }
    if (task->segment->record != RPS_RECORD_FRAME && !task->energy_only) {
        old_normal(task, l);
    }
    return true;
}
