/*
 * Geometry of contacts of ellipsoids, RPS_WIDE entries of a batch at a time (detect/ellipsoids_simd.h).
 *
 * A contact that existed starts from the normals that both bodies have carried along, midway between them: so a rotation of
 * one against the other, and of both together, is followed. Others start from the line of centers, and end as soon as their
 * gap is proven to be beyond the range of their laws. No entry depends on the others of its group.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include "detect/ellipsoids_simd.h"
#include "step/ellipsoid_geometry.h"

#define INLINE static inline __attribute__((always_inline))
#define SOME(lane, c) (*(rps_simd *)((lane) + (c)))

/* One body of RPS_WIDE entries. */
typedef struct side {
    rps_wide_turn turn;
    rps_wide_ellipsoid body;
    rps_mask plane;
    rps_simd half_width, equal_radius; /* m */
} side;

INLINE side side_of(const rps_batch_task *task, const rps_ellipsoid_entries *e, int c, const bool of_j) {
    const uint32_t *slot = (of_j ? task->slot_j : task->slot_i) + c;
    rps_simd q[4], axis[4], size[4];
#define ORIENTATION(m) (task->all->bodies.orientation[slot[m]])
#define AXES(m) (e->axis[of_j][c + (m)])
#define SIZES(m) (e->size[of_j][c + (m)])
    RPS_HALVES_TO_LANES(ORIENTATION, q);
    RPS_HALVES_TO_LANES(AXES, axis);
    RPS_HALVES_TO_LANES(SIZES, size);
#undef ORIENTATION
#undef AXES
#undef SIZES
    side s = {.turn = rps_wide_turn_of(q[0], q[1], q[2], q[3]), .half_width = size[0], .equal_radius = size[1]};
    s.body = rps_wide_ellipsoid_of(s.turn, (rps_wide3){axis[0], axis[1], axis[2]});
    s.plane = ~(axis[0] > 0.0);
    return s;
}

INLINE rps_wide3 carried_normal(const rps_batch_task *task, const side *s, int c, const bool of_j) {
    const int lane = rps_batch_layout(task)->track + (of_j ? RPS_FRAME_NJ : RPS_FRAME_NI);
    return rps_wide_outward(s->turn, rps_wide3_load(rps_batch_lane(task, lane) + c, task->state.stride));
}

INLINE rps_wide3 start_of(const rps_batch_task *task, rps_lanes *l, const side *i, const side *j, rps_mask existed,
                          rps_wide3 d, int c) {
    const rps_wide3 carried = rps_wide3_add(carried_normal(task, i, c, false), carried_normal(task, j, c, true));
    const rps_wide3 along = rps_wide3_select(existed, carried, d);
    const rps_wide3 n = rps_wide3_scale(along, 1.0 / RPS_SQRT(rps_wide3_dot(along, along)));
    return rps_wide3_select(i->plane | j->plane, rps_wide3_load(l->normal[0] + c, RPS_BATCH_CAPACITY), n);
}

/* m, gap up to which a new contact is looked for. */
INLINE rps_simd cutoff_of(const rps_batch_task *task, rps_lanes *l, int c) {
    const rps_simd r_i = SOME(l->radius_i, c), r_j = SOME(l->radius_j, c);
    const rps_simd smaller = RPS_SELECT(r_i < r_j, r_i, r_j);
    return task->pair->cutoff * RPS_SELECT(smaller > 0.0, smaller, r_i + r_j);
}

INLINE void put3(rps_lane *lane, int c, rps_wide3 v) {
    rps_wide3_store(lane[0] + c, RPS_BATCH_CAPACITY, v);
}

/* Points and curvatures of a pair. */
INLINE void put_pair(const rps_batch_task *task, rps_lanes *l, const side *i, const side *j, const rps_wide_pair *p,
                     rps_wide3 d, int c) {
    /* the point on a plane is the other one's, moved along the normal */
    const rps_wide3 x_i = rps_wide3_neg(p->i.x), x_j = p->j.x, across = rps_wide3_add_scaled(d, p->overlap, p->n);
    put3(l->normal, c, p->n);
    put3(l->branch_i, c, rps_wide3_select(i->plane, rps_wide3_sub(x_j, across), x_i));
    put3(l->branch_j, c, rps_wide3_select(j->plane, rps_wide3_add(x_i, across), x_j));
    const rps_wide_curve of_i = rps_wide_curve_of(&i->body, &p->i, p->n),
                         of_j = rps_wide_curve_of(&j->body, &p->j, p->n);
    for (int k = 0; k < 6; k++) {
        SOME(l->curve_i[k], c) = of_i.w.s[k];
        SOME(l->curve_j[k], c) = of_j.w.s[k];
    }
    const rps_simd smaller = RPS_SELECT(i->equal_radius < j->equal_radius, i->equal_radius, j->equal_radius);
    const rps_simd least = RPS_CURVATURE_FLOOR / smaller, sum = of_i.mean + of_j.mean;
    SOME(l->curve_floor, c) = least;
    SOME(l->radius_eff, c) = 1.0 / RPS_SELECT(sum > least, sum, least);
    if (task->pair->law[RPS_ROLE_NORMAL]->radius_exponent == 0.0) return;
    const rps_mask curved = (p->overlap > 0.0) & (sum > least);
    put3(l->gradient_i, c, rps_wide3_keep(curved, rps_wide3_neg(of_i.gradient)));
    put3(l->gradient_j, c, rps_wide3_keep(curved, of_j.gradient));
}

/* Returns 1 where the entry is complete, else 0. */
INLINE rps_simd touch_some(const rps_batch_task *task, rps_lanes *l, const rps_ellipsoid_entries *e, rps_mask mine,
                           int c) {
    const side i = side_of(task, e, c, false), j = side_of(task, e, c, true);
    const rps_wide3 d = rps_wide3_load(l->d[0] + c, RPS_BATCH_CAPACITY);
    const rps_mask existed = *(rps_simd *)(rps_batch_lane(task, rps_batch_layout(task)->modes) + c) > 0.5;
    const rps_mask plane = i.plane | j.plane;
    const rps_simd r_i = SOME(l->radius_i, c), r_j = SOME(l->radius_j, c);
    const rps_simd size = RPS_SELECT(r_i > r_j, r_i, r_j);
    rps_wide_search s = {mine, plane, RPS_SELECT(existed, RPS_ALL(INFINITY), cutoff_of(task, l, c)), {0}, {0}};
    const rps_wide_pair p = rps_wide_pair_find(&i.body, &j.body, d, start_of(task, l, &i, &j, existed, d, c), size, &s);
    put_pair(task, l, &i, &j, &p, d, c);
    SOME(l->general, c) = RPS_ALL(1.0);
    SOME(l->gap_overlap, c) = p.overlap;
    SOME(l->radius_i, c) = RPS_SELECT(mine, i.half_width, r_i); /* scale of the relative overlap */
    SOME(l->radius_j, c) = RPS_SELECT(mine, j.half_width, r_j);
    const rps_mask done = mine & (s.apart | s.found);
    const rps_simd half_i = RPS_SELECT(i.plane, j.half_width, i.half_width),
                   half_j = RPS_SELECT(j.plane, i.half_width, j.half_width);
    const rps_mask deep = done & (p.overlap > 0.2 * RPS_SELECT(half_i < half_j, half_i, half_j));
    if (rps_any(deep) && !task->all->energy_only) l->beyond_guard = 1; /* as rps_convex_touch */
    return RPS_KEEP(done, RPS_ALL(1.0));
}

uint64_t RPS_ISA_NAME(rps_ellipsoid_geometry)(const rps_batch_task *task, rps_lanes *l,
                                              const rps_ellipsoid_entries *e) {
    rps_lane done;
    for (int c = 0; c < task->padded; c += RPS_WIDE) {
        const rps_mask mine = *(const rps_simd *)(e->mine + c) > 0.5;
        rps_simd of_these = RPS_ALL(0.0);
        if (rps_any(mine)) of_these = touch_some(task, l, e, mine, c);
        SOME(done, c) = of_these;
    }
    return rps_lanes_above(done, 0.5, task->padded);
}
