/*
 * Computes the loads of a batch on both bodies from the loads of the laws, which of them are active, and the results
 * of contacts.
 *
 * Compiled once per instruction set; see batch_kernel.c.
 */
#include <string.h>

#include "base/vec_simd.h"
#include "step/batch.h"

/* RPS_WIDE elements of an array. */
#define SOME(lane, c) (*(const rps_simd *)((lane) + (c)))

/* Stores a cache line of the load records of RPS_WIDE contacts, given as eight arrays; padding goes to a record that is
 * never read. side, line, streams: constants where this is inlined. */
static inline __attribute__((always_inline)) void store_records(const rps_batch_task *task, const int side,
                                                                const int line, int c, const rps_simd lane[8],
                                                                const bool streams) {
    rps_contact_load *load = task->load;
    _Alignas(64) rps_contact_load unused;
#define RECORD(m) (c + (m) < task->n ? load[task->reference[c + (m)][side]].number + 8 * line : unused.number)
    RPS_LANES_TO_RECORDS(lane, RECORD, streams);
#undef RECORD
}

/* The energies (J) that RPS_WIDE contacts dissipated and record in an account; 0 if there are fewer accounts. */
#define ACCOUNT(l, account, c) \
    ((account) < RPS_ACCOUNTS ? SOME((l)->dissipated[rps_account_role(account)], c) : RPS_ALL(0.0))

/* Stores the loads of RPS_WIDE contacts on both bodies, with the dissipated energies. */
static inline __attribute__((always_inline)) void store_both(const rps_batch_task *task, const rps_lanes *l, int c,
                                                             rps_simd on_i[8], rps_simd on_j[8], const bool streams) {
    for (int k = 0; k < 2; k++) {
        on_i[3 + 4 * k] = ACCOUNT(l, k, c);
        on_j[3 + 4 * k] = ACCOUNT(l, RPS_LOAD_ACCOUNTS + k, c);
    }
    store_records(task, 0, 0, c, on_i, streams);
    store_records(task, 1, 0, c, on_j, streams);
    for (int line = 1; line < RPS_LOAD_LINES; line++) {
        for (int k = 0; k < 8; k++) {
            const int number = 8 * line - 6 + k; /* the first line has two accounts */
            const bool carries = number < RPS_LOAD_ACCOUNTS;
            on_i[k] = carries ? ACCOUNT(l, number, c) : RPS_ALL(0.0);
            on_j[k] = carries ? ACCOUNT(l, RPS_LOAD_ACCOUNTS + number, c) : RPS_ALL(0.0);
        }
        store_records(task, 0, line, c, on_i, streams);
        store_records(task, 1, line, c, on_j, streams);
    }
}

/* Loads of spheres and planes: force on i, the opposite on j, torques on both. The force acts at one common point,
 * midway between C_i and C_j. turns, apart, pieces, streams: constants where this is inlined. */
static inline __attribute__((always_inline)) void loads_compact(const rps_batch_task *task, rps_lanes *l,
                                                                const bool turns, const bool apart, const bool pieces,
                                                                const bool streams) {
    for (int c = 0; c < task->n; c += RPS_WIDE) {
        rps_simd n[3], f[3], t[3], cross[3], on_i[8], on_j[8];
        for (int k = 0; k < 3; k++) {
            n[k] = SOME(l->normal[k], c);
            f[k] = SOME(l->slide_force[k], c);
        }
        const rps_simd load = SOME(l->elastic_load, c) + SOME(l->damping_load, c), half = 0.5 * SOME(l->overlap, c);
        const rps_simd branch_i = SOME(l->radius_i, c) - half, branch_j = SOME(l->radius_j, c) - half;
        const rps_mask on = SOME(l->touch, c) > 0.5;
        RPS_CROSS(cross, n, f);
        for (int k = 0; k < 3; k++) {
            on_i[k] = (rps_simd)(on & (rps_mask)(load * n[k] + f[k]));
            on_j[k] = -on_i[k];
            on_i[4 + k] = -branch_i * cross[k];
            on_j[4 + k] = -branch_j * cross[k];
        }
        if (turns) {
            const rps_simd spin = SOME(l->spin_torque, c);
            for (int k = 0; k < 3; k++) t[k] = SOME(l->roll_torque_i[k], c);
            RPS_CROSS(cross, n, t);
            for (int k = 0; k < 3; k++) on_i[4 + k] = on_i[4 + k] - (cross[k] + spin * n[k]);
            if (apart) {
                for (int k = 0; k < 3; k++) t[k] = SOME(l->roll_torque_j[k], c);
                RPS_CROSS(cross, n, t);
            }
            for (int k = 0; k < 3; k++) on_j[4 + k] = on_j[4 + k] + (cross[k] + spin * n[k]);
        }
        if (pieces) { /* the branch vector begins at the center of the body */
            const rps_simd to_i[3] = {SOME(l->branch_i[0], c), SOME(l->branch_i[1], c), SOME(l->branch_i[2], c)};
            const rps_simd to_j[3] = {SOME(l->branch_j[0], c), SOME(l->branch_j[1], c), SOME(l->branch_j[2], c)};
            RPS_CROSS(cross, to_i, on_i);
            for (int k = 0; k < 3; k++) on_i[4 + k] = on_i[4 + k] + cross[k];
            RPS_CROSS(cross, to_j, on_j);
            for (int k = 0; k < 3; k++) on_j[4 + k] = on_j[4 + k] + cross[k];
        }
        for (int k = 4; k < 7; k++) {
            on_i[k] = (rps_simd)(on & (rps_mask)on_i[k]);
            on_j[k] = (rps_simd)(on & (rps_mask)on_j[k]);
        }
        store_both(task, l, c, on_i, on_j, streams);
    }
}

static inline __attribute__((always_inline)) void compact_loads(const rps_batch_task *task, rps_lanes *l,
                                                                const bool turns, const bool pieces,
                                                                const bool streams) {
    if (!turns) {
        loads_compact(task, l, false, false, pieces, streams);
    } else if (task->pair->per_body_history) {
        loads_compact(task, l, true, true, pieces, streams);
    } else {
        loads_compact(task, l, true, false, pieces, streams);
    }
}

/* Work lanes of the frame record: what the change of curvatures adds to the force on i and to its roll torque. */
enum { CURVATURE_FORCE, CURVATURE_TORQUE = CURVATURE_FORCE + 3 };

static inline __attribute__((always_inline)) rps_wide3 vector_at(rps_lane *lane, int c) {
    return rps_wide3_load(lane[0] + c, RPS_BATCH_CAPACITY);
}

static inline __attribute__((always_inline)) void vector_put(rps_lane *lane, int c, rps_wide3 v) {
    rps_wide3_store(lane[0] + c, RPS_BATCH_CAPACITY, v);
}

/* a u + b w */
static inline __attribute__((always_inline)) rps_wide3 combine(rps_simd a, rps_wide3 u, rps_simd b, rps_wide3 w) {
    return rps_wide3_add(rps_wide3_scale(u, a), rps_wide3_scale(w, b));
}

/* Converts components along u, w to a world vector, in place: from here on friction loads are world vectors in every
 * layout. */
static inline __attribute__((always_inline)) rps_wide3 to_world(rps_lane *lane, rps_wide3 u, rps_wide3 w, int c) {
    const rps_wide3 v = combine(SOME(lane[0], c), u, SOME(lane[1], c), w);
    vector_put(lane, c, v);
    return v;
}

static inline __attribute__((always_inline)) rps_wide3 tensor_times(rps_lane *t, rps_wide3 v, int c) {
    const rps_simd xy = SOME(t[3], c), xz = SOME(t[4], c), yz = SOME(t[5], c);
    return (rps_wide3){SOME(t[0], c) * v.x + xy * v.y + xz * v.z, xy * v.x + SOME(t[1], c) * v.y + yz * v.z,
                       xz * v.x + yz * v.y + SOME(t[2], c) * v.z};
}

/* (W_i + W_j)^-1 v of a tangent vector, with the lower bound of the curvatures. */
static inline __attribute__((always_inline)) rps_wide3 apply_rolling_radius(const rps_lanes *l, rps_wide3 v,
                                                                            rps_wide3 u, rps_wide3 w, int c) {
    const rps_simd a = rps_wide3_dot(v, u), b = rps_wide3_dot(v, w), uw = SOME(l->rolling_radius[1], c);
    return combine(0.5 * (SOME(l->rolling_radius[0], c) * a + uw * b), u,
                   0.5 * (uw * a + SOME(l->rolling_radius[2], c) * b), w);
}

/* The stored energy E ~ R_eff^q of a normal law also changes where curvatures vary along the surfaces: with paths
 * p_b, dE = -q E R_eff (grad H_i . p_i + grad H_j . p_j); of adhesive laws q E is (4 E - delta N)/3 (law/adhesion.h). W_i p_i + W_j p_j = roll and p_i - p_j = slip give the roll
 * torque and the slide force that do this work. Without them a rolling ellipsoid would gain or lose energy. They count
 * where `on` is set. */
static inline __attribute__((always_inline)) void find_curvature_loads(const rps_batch_task *task, rps_lanes *l,
                                                                       rps_mask on, rps_wide3 u, rps_wide3 w, int c) {
    const rps_law *law = task->pair->law[RPS_ROLE_NORMAL];
    const rps_simd energy = SOME(l->energy[RPS_ROLE_NORMAL], c);
    const rps_simd least = law->similar ? (SOME(l->overlap, c) * SOME(l->elastic_load, c) - 4.0 * energy) * (1.0 / 3.0)
                                        : -law->radius_exponent * energy;
    const rps_simd scale = least * SOME(l->radius_eff, c);
    const rps_wide3 g_i = apply_rolling_radius(l, vector_at(l->gradient_i, c), u, w, c);
    const rps_wide3 g_j = apply_rolling_radius(l, vector_at(l->gradient_j, c), u, w, c);
    const rps_wide3 force = rps_wide3_sub(tensor_times(l->curve_j, g_i, c), tensor_times(l->curve_i, g_j, c));
    vector_put(&l->work[CURVATURE_FORCE], c, rps_wide3_keep(on, rps_wide3_scale(force, scale)));
    vector_put(&l->work[CURVATURE_TORQUE], c, rps_wide3_keep(on, rps_wide3_scale(rps_wide3_add(g_i, g_j), scale)));
}

/* Forces and torques that contacts of smooth bodies with a mesh have besides (detect/mesh_smooth.h). */
static void find_wrenches(const rps_batch_task *task, rps_lanes *l) {
    for (int c = 0; c < task->padded; c++) {
        for (int k = 0; k < 3; k++) l->more_force[k][c] = l->more_torque[k][c] = 0.0;
        if (c >= task->n || !(l->touch[c] > 0.5)) continue;
        const uint32_t entry = task->mesh_index != NULL ? task->mesh_index[c] : (uint32_t)c;
        if (task->mesh[entry].is != RPS_MESH_MEETS) continue;
        const rps_mesh_wrench *w = &task->wrench[entry];
        const double energy = l->energy[RPS_ROLE_NORMAL][c];
        const double couple = (l->elastic_load[c] + l->damping_load[c]) * w->couple;
        const double force[3] = {w->force.x, w->force.y, w->force.z};
        const double torque[3] = {w->torque.x, w->torque.y, w->torque.z};
        for (int k = 0; k < 3; k++) {
            l->more_force[k][c] = energy * force[k];
            l->more_torque[k][c] = energy * torque[k] + couple * l->normal[k][c];
        }
    }
}

/* Loads of the frame record; body j gets the opposite force. streams: a constant where this is inlined. */
static inline __attribute__((always_inline)) void loads_frame(const rps_batch_task *task, rps_lanes *l,
                                                              const bool streams) {
    const bool curves = task->pair->law[RPS_ROLE_NORMAL]->radius_exponent != 0.0;
    if (task->wrench != NULL) find_wrenches(task, l);
    for (int c = 0; c < task->n; c += RPS_WIDE) {
        const rps_mask on = SOME(l->touch, c) > 0.5;
        const rps_wide3 n = vector_at(l->normal, c), u = vector_at(l->u, c), w = vector_at(l->w, c);
        rps_wide3 f = to_world(l->slide_force, u, w, c);
        rps_wide3 t_i = to_world(l->roll_torque_i, u, w, c), t_j = to_world(l->roll_torque_j, u, w, c);
        if (curves) {
            find_curvature_loads(task, l, on & (SOME(l->general, c) > 0.5), u, w, c);
            const rps_wide3 more = vector_at(&l->work[CURVATURE_TORQUE], c);
            f = rps_wide3_add(f, vector_at(&l->work[CURVATURE_FORCE], c));
            t_i = rps_wide3_add(t_i, more);
            t_j = rps_wide3_add(t_j, more);
        }
        if (task->wrench != NULL) f = rps_wide3_add(f, vector_at(l->more_force, c));
        const rps_wide3 force = rps_wide3_add_scaled(f, SOME(l->elastic_load, c) + SOME(l->damping_load, c), n);
        const rps_simd half = 0.5 * SOME(l->overlap, c);
        const rps_wide3 branch_i = rps_wide3_add_scaled(vector_at(l->branch_i, c), half, n);
        const rps_wide3 branch_j = rps_wide3_add_scaled(vector_at(l->branch_j, c), -half, n);
        rps_wide3 twist = rps_wide3_scale(n, SOME(l->spin_torque, c));
        if (task->wrench != NULL) twist = rps_wide3_sub(twist, vector_at(l->more_torque, c));
        const rps_simd none = RPS_ALL(0.0); /* the accounts come later */
        const rps_wide3 on_force = rps_wide3_keep(on, force);
        const rps_wide3 torque_i = rps_wide3_keep(
            on, rps_wide3_sub(rps_wide3_sub(rps_wide3_cross(branch_i, force), rps_wide3_cross(n, t_i)), twist));
        const rps_wide3 torque_j = rps_wide3_keep(
            on, rps_wide3_sub(rps_wide3_add(rps_wide3_cross(n, t_j), twist), rps_wide3_cross(branch_j, force)));
        rps_simd on_i[8] = {on_force.x, on_force.y, on_force.z, none, torque_i.x, torque_i.y, torque_i.z, none};
        rps_simd on_j[8] = {-on_force.x, -on_force.y, -on_force.z, none, torque_j.x, torque_j.y, torque_j.z, none};
        store_both(task, l, c, on_i, on_j, streams);
    }
}

static inline rps_vec3 lane_at(rps_lane *lane, int c) {
    return (rps_vec3){lane[0][c], lane[1][c], lane[2][c]};
}

/* Marks the loads of an entry as active or not. */
static void flag_loads(const rps_batch_task *task, int c, uint8_t has_load) {
    const uint32_t *place = task->reference[c];
    uint8_t *flag = task->has_load;
    task->was_active[c] = flag[place[0]] = flag[place[1]] = has_load;
}

/* Updates which loads are active. Records of pairs that neither touch nor touched before are written too, but never
 * read. */
static void flag_batch(const rps_batch_task *task, const rps_lanes *l) {
    /* a contact that has just ended still delivers its dissipated energy */
    const uint64_t has_load =
        rps_lanes_above(l->touch, 0.5, task->padded) | rps_lanes_above(l->was_contact, 0.5, task->padded);
    for (uint64_t bits = (has_load ^ rps_flag_bits(task->was_active, task->n)) & rps_low_bits(task->n); bits != 0;) {
        const int c = rps_next_bit(&bits);
        flag_loads(task, c, (uint8_t)(has_load >> c & 1));
    }
}

static void store_no_loads(const rps_batch_task *task) {
    for (uint64_t bits = rps_flag_bits(task->was_active, task->n); bits != 0;) flag_loads(task, rps_next_bit(&bits), 0);
}

/* Tangential loads for results: forces and torques on the bodies of a contact, in world axes. */
static void store_tangential(const rps_batch_task *task, rps_lanes *l, int c, bool general, rps_entry_result *r) {
    const rps_vec3 n = lane_at(l->normal, c);
    rps_vec3_put(r->slide_force, lane_at(l->slide_force, c));
    rps_vec3_put(r->roll_torque_i, rps_vec3_cross(lane_at(l->roll_torque_i, c), n));
    rps_vec3_put(r->roll_torque_j, rps_vec3_cross(n, lane_at(l->roll_torque_j, c)));
    if (task->wrench != NULL) {
        rps_vec3_put(r->curvature_force, lane_at(l->more_force, c));
        rps_vec3_put(r->curvature_torque, lane_at(l->more_torque, c));
    }
    if (!general || task->pair->law[RPS_ROLE_NORMAL]->radius_exponent == 0.0) return;
    const rps_vec3 bend = lane_at(&l->work[CURVATURE_FORCE], c);
    const rps_vec3 turn = rps_vec3_cross(lane_at(&l->work[CURVATURE_TORQUE], c), n);
    rps_vec3_put(r->curvature_force, rps_vec3_add(rps_vec3_of(r->curvature_force), bend));
    rps_vec3_put(r->curvature_torque, rps_vec3_add(rps_vec3_of(r->curvature_torque), turn));
}

static void store_bridge(const rps_batch_task *task, rps_lanes *l, int c, rps_entry_result *r) {
    const double kept = rps_batch_lane(task, rps_batch_layout(task)->liquid)[c]; /* below 0 until it pulls */
    r->bridge_volume[0] = kept < 0.0 ? -kept : kept;
    r->energy_normal[0] += l->energy[RPS_ROLE_BRIDGE][c];
}

static void store_results(const rps_batch_task *task, rps_lanes *l) {
    rps_entry_result *result = task->result;
    if (result == NULL) return;
    for (int c = 0; c < task->n; c++) {
        rps_entry_result *r = &result[c];
        memset(r, 0, sizeof *r);
        if (!(l->touch[c] > 0.5)) {
            continue;
        }
        const double half = 0.5 * l->overlap[c], branch_i = half - l->radius_i[c], branch_j = l->radius_j[c] - half;
        const bool general = task->record == RPS_RECORD_FRAME && l->general[c] > 0.5;
        const bool offsets = rps_record_has_offsets(task->record);
        for (int k = 0; k < 3; k++) {
            const double n = l->normal[k][c], d = l->d[k][c];
            /* the branch vector of a plane follows from that of the other body */
            r->branch_i[k] = general                ? l->branch_i[k][c] + half * n
                             : l->radius_i[c] > 0.0 ? branch_i * n
                                                    : branch_j * n - d;
            r->branch_j[k] = general                ? l->branch_j[k][c] - half * n
                             : l->radius_j[c] > 0.0 ? branch_j * n
                                                    : branch_i * n + d;
            r->normal[k] = n;
            if (offsets && l->radius_i[c] > 0.0) r->branch_i[k] += l->branch_i[k][c];
            if (offsets && l->radius_j[c] > 0.0) r->branch_j[k] += l->branch_j[k][c];
        }
        store_tangential(task, l, c, general, r);
        r->overlap[0] = l->gap_overlap[c];
        r->elastic_load[0] = l->elastic_load[c];
        r->normal_load[0] = l->elastic_load[c] + l->damping_load[c];
        r->cap_load[0] = l->cap_load[c];
        r->contact_radius[0] = l->contact_radius[c];
        r->spin_torque[0] = l->spin_torque[c];
#define RPS_ROLE_ELASTIC(symbol, name, load, unit, meaning) \
    r->name##_elastic_##load[0] = l->elastic[RPS_ROLE_##symbol][c];
#define RPS_ROLE_MODE(symbol, name, meaning) r->name##_mode[0] = l->mode[RPS_ROLE_##symbol][0][c];
#define RPS_ROLE_MODE_J(symbol, name) \
    if (l->mode[RPS_ROLE_##symbol][1][c] > r->name##_mode[0]) r->name##_mode[0] = l->mode[RPS_ROLE_##symbol][1][c];
#define RPS_ROLE_STORES(symbol, name, what) r->energy_##name[0] = l->energy[RPS_ROLE_##symbol][c];
#include <repose/role_list.inc>
        if (task->pair->wet) store_bridge(task, l, c, r);
    }
}

void RPS_ISA_NAME(rps_store_loads)(const rps_batch_task *task, rps_lanes *l, bool turns) {
    const bool frame = task->record == RPS_RECORD_FRAME, streams = task->all->streams;
    if (frame && streams) {
        loads_frame(task, l, true);
    } else if (frame) {
        loads_frame(task, l, false);
    } else if (rps_record_has_offsets(task->record)) {
        compact_loads(task, l, turns, true, streams);
    } else if (streams) {
        compact_loads(task, l, turns, false, true);
    } else {
        compact_loads(task, l, turns, false, false);
    }
    flag_batch(task, l);
    store_results(task, l);
}

void RPS_ISA_NAME(rps_store_no_loads)(const rps_batch_task *task, rps_lanes *l) {
    store_no_loads(task);
    store_results(task, l);
}
