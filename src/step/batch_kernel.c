/*
 * Evaluates one batch from bodies to loads: gather, geometry, track, laws, loads, store. All contacts of a batch share a
 * pair of materials and a contact layout, so laws and their constants are the same for the whole batch.
 *
 * Compiled once per instruction set; only + - * / and sqrt in a fixed order, so that all of them give the same bits.
 */
#include <math.h>
#include <string.h>

#include "base/flush.h"
#include "base/simd.h"
#include "step/batch.h"
#include <repose/law_kernel.h>

static const double NO_CAP = 1e150; /* N; its square stays finite */
static const double *constant_lane(const rps_batch_task *task, int which) {
    if (task->segment->same != NULL) return task->segment->same + which * RPS_BATCH;
    return task->segment->constant + (size_t)which * task->segment->capacity + task->place;
}

static const double *radius_eff_lane(const rps_batch_task *task, const rps_lanes *l) {
    return task->segment->record == RPS_RECORD_FRAME ? l->radius_eff : constant_lane(task, RPS_CONSTANT_RADIUS_EFF);
}

/* Effective rolling radius Wm^-1 and twisting radius 1/(H_i + H_j) of spheres and planes: 2 R_eff and R_eff. For other
 * surfaces tracking sets the former, because it needs the tangent frame. */
static void rolling_radii(const rps_batch_task *task, rps_lanes *l) {
    const int count = task->padded;
    RPS_IN_AS(radius_eff, radius_eff_lane(task, l));
    RPS_AS(rolling_radius, l->rolling_radius[0]);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        rolling_radius[c] = 2.0 * radius_eff[c];
    }
    if (task->segment->record != RPS_RECORD_FRAME) return;
    memset(l->rolling_radius[1], 0, sizeof l->rolling_radius[1]);
    memcpy(l->rolling_radius[2], l->rolling_radius[0], sizeof l->rolling_radius[2]);
    memcpy(l->twist_radius, radius_eff, (size_t)count * sizeof *radius_eff);
}

/* Radii in the order of the materials of the pair, for laws that distinguish them. */
static void bind_radii(const rps_batch_task *task, rps_lanes *l, rps_batch *b) {
    const rps_bodies *bodies = &task->world->bodies;
    const int *material = task->pair->material;
    const bool lines = task->pair->lines;
    const double *radius_i = lines ? l->line_i : l->radius_i, *radius_j = lines ? l->line_j : l->radius_j;
    b->radius[0] = b->radius[1] = NULL;
    b->length = lines ? l->line_length : NULL;
    if (task->world->options.dimension != 2 && !lines) return;
    b->radius[0] = radius_i;
    b->radius[1] = radius_j;
    if (material[0] == material[1]) return;
    for (int c = 0; c < task->padded; c++) {
        const bool turned =
            c < task->n && bodies->material[task->segment->slot_i[task->place + (size_t)c]][0] != material[0];
        l->radius_of[0][c] = turned ? radius_j[c] : radius_i[c];
        l->radius_of[1][c] = turned ? radius_i[c] : radius_j[c];
    }
    b->radius[0] = l->radius_of[0];
    b->radius[1] = l->radius_of[1];
}

static void batch_bind(const rps_batch_task *task, rps_lanes *l, rps_batch *b) {
    const int frame = task->segment->record == RPS_RECORD_FRAME;
    b->count = task->padded;
    b->dt = task->dt;
    b->rate = task->dt > 0.0 ? 1.0 / task->dt : 0.0;
    b->skip_diagnostics =
        !task->energy_only && !task->result && !frame; /* curvature loads of the frame layout need energies */
    b->touch = l->touch;
    b->new_contact = l->new_contact;
    b->overlap = l->overlap;
    b->overlap_increment = l->overlap_increment;
    b->radius_eff = radius_eff_lane(task, l);
    bind_radii(task, l, b);
    b->mass_eff = constant_lane(task, RPS_CONSTANT_MASS_EFF);
    b->damper_mass_sqrt = constant_lane(task, RPS_CONSTANT_DAMPER_MASS_SQRT);
    b->damper_inertia_sqrt = constant_lane(task, RPS_CONSTANT_DAMPER_INERTIA_SQRT);
    b->weight = l->weight;
    for (int k = 0; k < 3; k++) {
        b->slip[k] = l->slip[k];
        b->roll_i[k] = l->roll_i[k];
        b->roll_j[k] = frame || task->pair->per_body_history ? l->roll_j[k] : l->zero;
        b->rolling_radius[k] = frame ? l->rolling_radius[k] : k == 1 ? l->zero : l->rolling_radius[0];
        b->rolling_radius_mean[k] = frame ? l->rolling_radius_mean[k] : b->rolling_radius[k];
        b->slide_force[k] = l->slide_force[k];
        b->roll_torque_i[k] = l->roll_torque_i[k];
        b->roll_torque_j[k] = l->roll_torque_j[k];
    }
    b->spin = l->spin;
    b->twist_radius = frame ? l->twist_radius : b->radius_eff;
    b->twist_radius_mean = frame ? l->twist_radius_mean : b->radius_eff;
    b->elastic_load = l->elastic_load;
    b->stiffness = l->stiffness;
    b->contact_radius = l->contact_radius;
    b->damping_load = l->damping_load;
    b->cap_load = l->cap_load;
    b->spin_torque = l->spin_torque;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        b->mode[role][0] = l->mode[role][0];
        b->mode[role][1] = l->mode[role][1];
        b->elastic[role] = l->elastic[role];
        b->energy[role] = l->energy[role];
        b->dissipated[role] = l->dissipated[role];
    }
}

/* Binds the memory of a law: in place, a copy when only energies are asked for, or scratch where nothing is kept, which laws
 * read as 0. */
static void bind_memory(const rps_batch_task *task, rps_lanes *l, rps_batch *b, int role) {
    const rps_segment *segment = task->segment;
    const rps_law *law = task->pair->law[role];
    const int *lane = task->pair->layout[segment->record].memory[role];
    for (int m = 0; m < RPS_LAW_MEMORY; m++) {
        if (!law->memory[m].name) {
            break;
        }
        for (int k = 0; k < 3; k++) {
            b->memory[m][k] = l->spare[m][k];
        }
        const int components = law->memory[m].kind & RPS_MEMORY_TANGENT ? 3 : 1;
        if (lane[m] < 0) {
            const bool booked = (law->memory[m].kind & RPS_MEMORY_BOOK) && !task->world->options.ledger;
            for (int k = 0; k < components && booked; k++) {
                memset(l->spare[m][k], 0, (size_t)task->padded * sizeof(double));
            }
            continue;
        }
        for (int k = 0; k < components; k++) {
            double *state = segment->state + (size_t)(lane[m] + k) * segment->capacity + task->place;
            if (task->energy_only) {
                double *copy = l->energy_only[(role * RPS_LAW_MEMORY + m) * 3 + k];
                memcpy(copy, state, (size_t)task->padded * sizeof(double));
                state = copy;
            }
            b->memory[m][k] = state;
        }
    }
}

static void call_law(const rps_batch_task *task, rps_lanes *l, rps_batch *b, int role) {
    bind_memory(task, l, b, role);
    task->pair->law[role]->kernel[task->world->isa](b, task->pair->constant[role]);
}

/* Normal load in friction caps. When only stored energies are asked for, the cap is out of reach so that it changes
 * nothing. */
static void cap_loads(const rps_batch_task *task, rps_lanes *l) {
    const int count = task->padded;
    const double with_dashpot = task->pair->effective.form.cap_load == RPS_CAP_TOTAL ? 1.0 : 0.0;
    const double energy_only = task->energy_only ? 1.0 : 0.0;
    RPS_IN_AS(elastic, l->elastic_load);
    RPS_IN_AS(damping, l->damping_load);
    RPS_IN_AS(touch, l->touch);
    RPS_AS(cap, l->cap_load);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double n = elastic[c] + with_dashpot * damping[c];
        n = n > 0.0 ? n : 0.0;
        n = energy_only > 0.5 ? NO_CAP : n;
        cap[c] = touch[c] > 0.5 ? n : 0.0;
    }
}

/* RPS_WIDE elements of an array. */
#define SOME(lane, c) (*(const rps_simd *)((lane) + (c)))

/* Stores the load records of RPS_WIDE contacts, given as eight arrays; padding goes to a record that nobody reads. side, streams:
 * constants where this is inlined. */
static inline __attribute__((always_inline)) void store_records(const rps_batch_task *task, const int side, int c,
                                                                const rps_simd lane[8], const bool streams) {
    rps_contact_load *load = task->world->contacts.load;
    _Alignas(64) rps_contact_load unused;
#define RECORD(m) (c + (m) < task->n ? &load[task->reference[c + (m)][side]] : &unused)
    RPS_LANES_TO_RECORDS(lane, RECORD, streams);
#undef RECORD
}

/* Stores the loads of RPS_WIDE contacts on both bodies. Elements 3 and 7 of a record hold dissipated energies: damping and
 * slide on i, roll and spin on j. */
static inline __attribute__((always_inline)) void store_both(const rps_batch_task *task, const rps_lanes *l, int c,
                                                             rps_simd on_i[8], rps_simd on_j[8], const bool streams) {
    on_i[3] = SOME(l->dissipated[RPS_ROLE_DAMPING], c);
    on_i[7] = SOME(l->dissipated[RPS_ROLE_SLIDE], c);
    on_j[3] = SOME(l->dissipated[RPS_ROLE_ROLL], c);
    on_j[7] = SOME(l->dissipated[RPS_ROLE_SPIN], c);
    store_records(task, 0, c, on_i, streams);
    store_records(task, 1, c, on_j, streams);
}

/* out = n x v for RPS_WIDE vectors. */
#define CROSS(out, n, v)                              \
    do {                                              \
        (out)[0] = (n)[1] * (v)[2] - (n)[2] * (v)[1]; \
        (out)[1] = (n)[2] * (v)[0] - (n)[0] * (v)[2]; \
        (out)[2] = (n)[0] * (v)[1] - (n)[1] * (v)[0]; \
    } while (0)

/* Loads of spheres and planes: force on i, the opposite on j, torques on both. The force acts at one common point, midway
 * between C_i and C_j. rolls, apart, streams: constants where this is inlined. */
static inline __attribute__((always_inline)) void loads_compact(const rps_batch_task *task, rps_lanes *l,
                                                                const bool rolls, const bool apart,
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
        CROSS(cross, n, f);
        for (int k = 0; k < 3; k++) {
            on_i[k] = (rps_simd)(on & (rps_mask)(load * n[k] + f[k]));
            on_j[k] = -on_i[k];
            on_i[4 + k] = -branch_i * cross[k];
            on_j[4 + k] = -branch_j * cross[k];
        }
        if (rolls) {
            const rps_simd spin = SOME(l->spin_torque, c);
            for (int k = 0; k < 3; k++) t[k] = SOME(l->roll_torque_i[k], c);
            CROSS(cross, n, t);
            for (int k = 0; k < 3; k++) on_i[4 + k] = on_i[4 + k] - (cross[k] + spin * n[k]);
            if (apart) {
                for (int k = 0; k < 3; k++) t[k] = SOME(l->roll_torque_j[k], c);
                CROSS(cross, n, t);
            }
            for (int k = 0; k < 3; k++) on_j[4 + k] = on_j[4 + k] + (cross[k] + spin * n[k]);
        }
        for (int k = 4; k < 7; k++) {
            on_i[k] = (rps_simd)(on & (rps_mask)on_i[k]);
            on_j[k] = (rps_simd)(on & (rps_mask)on_j[k]);
        }
        store_both(task, l, c, on_i, on_j, streams);
    }
}

static inline __attribute__((always_inline)) void compact_loads(const rps_batch_task *task, rps_lanes *l,
                                                                const bool rolls, const bool streams) {
    if (!rolls) {
        loads_compact(task, l, false, false, streams);
    } else if (task->pair->per_body_history) {
        loads_compact(task, l, true, true, streams);
    } else {
        loads_compact(task, l, true, false, streams);
    }
}

static inline rps_vec3 lane_at(rps_lane *lane, int c) {
    return (rps_vec3){lane[0][c], lane[1][c], lane[2][c]};
}

static inline void lane_put(rps_lane *lane, int c, rps_vec3 v) {
    lane[0][c] = v.x;
    lane[1][c] = v.y;
    lane[2][c] = v.z;
}

/* Converts components along u, w to a world vector, in place: from here on friction loads are world vectors in every
 * layout. */
static rps_vec3 to_world(rps_lane *lane, rps_vec3 u, rps_vec3 w, int c) {
    rps_vec3 v = rps_vec3_add(rps_vec3_scale(u, lane[0][c]), rps_vec3_scale(w, lane[1][c]));
    lane_put(lane, c, v);
    return v;
}

static rps_vec3 tensor_times(rps_lane *tensor, rps_vec3 v, int c) {
    return (rps_vec3){tensor[0][c] * v.x + tensor[3][c] * v.y + tensor[4][c] * v.z,
                      tensor[3][c] * v.x + tensor[1][c] * v.y + tensor[5][c] * v.z,
                      tensor[4][c] * v.x + tensor[5][c] * v.y + tensor[2][c] * v.z};
}

/* (W_i + W_j)^-1 v of a tangent vector, with the lower bound of the curvatures. */
static rps_vec3 apply_rolling_radius(const rps_lanes *l, rps_vec3 v, rps_vec3 u, rps_vec3 w, int c) {
    const double a = rps_vec3_dot(v, u), b = rps_vec3_dot(v, w);
    return rps_vec3_add(rps_vec3_scale(u, 0.5 * (l->rolling_radius[0][c] * a + l->rolling_radius[1][c] * b)),
                        rps_vec3_scale(w, 0.5 * (l->rolling_radius[1][c] * a + l->rolling_radius[2][c] * b)));
}

/* The stored energy E ~ R_eff^q of a normal law also changes where curvatures vary along the surfaces: with paths p_b,
 * dE = -q E R_eff (grad H_i . p_i + grad H_j . p_j). W_i p_i + W_j p_j = roll and p_i - p_j = slip give the roll torque and
 * the slide force that do this work. Without them a rolling ellipsoid would gain or lose energy. */
static void add_curvature_loads(const rps_batch_task *task, rps_lanes *l, rps_vec3 u, rps_vec3 w, int c,
                                rps_vec3 *force, rps_vec3 *torque) {
    const double q = task->pair->law[RPS_ROLE_NORMAL]->radius_exponent;
    const double scale = -q * l->energy[RPS_ROLE_NORMAL][c] * l->radius_eff[c];
    const rps_vec3 g_i = apply_rolling_radius(l, lane_at(l->gradient_i, c), u, w, c);
    const rps_vec3 g_j = apply_rolling_radius(l, lane_at(l->gradient_j, c), u, w, c);
    *torque = rps_vec3_add_scaled(*torque, scale, rps_vec3_add(g_i, g_j));
    *force = rps_vec3_add_scaled(*force, scale,
                                 rps_vec3_sub(tensor_times(l->curve_j, g_i, c), tensor_times(l->curve_i, g_j, c)));
}

static void loads_frame(const rps_batch_task *task, rps_lanes *l) {
    for (int c = 0; c < task->padded; c++) {
        if (c >= task->n || !(l->touch[c] > 0.5)) {
            lane_put(l->force, c, rps_vec3_zero());
            lane_put(l->torque_i, c, rps_vec3_zero());
            lane_put(l->torque_j, c, rps_vec3_zero());
            continue;
        }
        rps_vec3 n = lane_at(l->normal, c), u = lane_at(l->u, c), w = lane_at(l->w, c);
        rps_vec3 f = to_world(l->slide_force, u, w, c);
        rps_vec3 t_i = to_world(l->roll_torque_i, u, w, c), t_j = to_world(l->roll_torque_j, u, w, c);
        if (l->general[c] > 0.5 && task->pair->law[RPS_ROLE_NORMAL]->radius_exponent != 0.0) {
            rps_vec3 extra = rps_vec3_zero();
            add_curvature_loads(task, l, u, w, c, &f, &extra);
            t_i = rps_vec3_add(t_i, extra);
            t_j = rps_vec3_add(t_j, extra);
        }
        rps_vec3 force = rps_vec3_add_scaled(f, l->elastic_load[c] + l->damping_load[c], n);
        double half = 0.5 * l->overlap[c];
        rps_vec3 branch_i = rps_vec3_add_scaled(lane_at(l->branch_i, c), half, n);
        rps_vec3 branch_j = rps_vec3_add_scaled(lane_at(l->branch_j, c), -half, n);
        rps_vec3 twist = rps_vec3_scale(n, l->spin_torque[c]);
        rps_vec3 torque_i = rps_vec3_sub(rps_vec3_sub(rps_vec3_cross(branch_i, force), rps_vec3_cross(n, t_i)), twist);
        rps_vec3 torque_j = rps_vec3_sub(rps_vec3_add(rps_vec3_cross(n, t_j), twist), rps_vec3_cross(branch_j, force));
        lane_put(l->force, c, force);
        lane_put(l->torque_i, c, torque_i);
        lane_put(l->torque_j, c, torque_j);
    }
}

static void clear_lane(double *lane, const double *touch, int count) {
    RPS_AS(x, lane);
    RPS_IN_AS(on, touch);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        x[c] = on[c] > 0.5 ? x[c] : 0.0;
    }
}

/* Stores the contact state; a contact that has ended leaves zeros. */
static void store_state(const rps_batch_task *task, rps_lanes *l) {
    const rps_segment *segment = task->segment;
    const rps_layout *layout = &task->pair->layout[segment->record];
    const int count = task->padded;
    double *const state = segment->state + task->place;
    RPS_IN_AS(touch, l->touch);
    RPS_IN_AS(slide, l->mode[RPS_ROLE_SLIDE][0]);
    RPS_IN_AS(roll_i, l->mode[RPS_ROLE_ROLL][0]);
    RPS_IN_AS(roll_j, l->mode[RPS_ROLE_ROLL][1]);
    RPS_IN_AS(spin, l->mode[RPS_ROLE_SPIN][0]);
    RPS_IN_AS(geometric, l->gap_overlap);
    RPS_AS(modes, state + (size_t)layout->modes * segment->capacity);
    RPS_AS(overlap, state + (size_t)layout->overlap * segment->capacity);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double code = ((1.0 + 2.0 * slide[c]) + 4.0 * roll_i[c]) + (8.0 * roll_j[c] + 16.0 * spin[c]);
        modes[c] = touch[c] > 0.5 ? code : 0.0;
        overlap[c] = touch[c] > 0.5 ? geometric[c] : 0.0;
    }
    if (segment->record != RPS_RECORD_FRAME) {
        for (int k = 0; k < 3; k++) {
            RPS_IN_AS(n, l->normal[k]);
            RPS_AS(stored, state + (size_t)(layout->track + k) * segment->capacity);
            RPS_SIMD
            for (int c = 0; c < count; c++) {
                stored[c] = touch[c] > 0.5 ? n[c] : 0.0;
            }
        }
    }
    const uint64_t apart = l->apart ? ~rps_lanes_above(l->touch, 0.5, count) & rps_low_bits(count) : 0;
    for (int role = 0; role < RPS_ROLE_COUNT && apart != 0; role++) {
        const rps_law *law = task->pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const int components = law->memory[m].kind & RPS_MEMORY_TANGENT ? 3 : 1;
            for (int k = 0; k < components && layout->memory[role][m] >= 0; k++) {
                double *lane = state + (size_t)(layout->memory[role][m] + k) * segment->capacity;
                for (uint64_t bits = apart; bits != 0;) lane[rps_next_bit(&bits)] = 0.0;
            }
        }
    }
}

/* Marks the loads of an entry as active or not. */
static void flag_loads(const rps_batch_task *task, int c, uint8_t has_load) {
    const uint32_t *place = task->reference[c];
    uint8_t *flag = task->world->contacts.has_load;
    task->was_active[c] = flag[place[0]] = flag[place[1]] = has_load;
}

/* Stores loads computed into arrays; body j gets the opposite force. */
static inline __attribute__((always_inline)) void store_frame_loads(const rps_batch_task *task, const rps_lanes *l,
                                                                    const bool streams) {
    for (int c = 0; c < task->n; c += RPS_WIDE) {
        rps_simd on_i[8], on_j[8];
        for (int k = 0; k < 3; k++) {
            on_i[k] = SOME(l->force[k], c);
            on_j[k] = -on_i[k];
            on_i[4 + k] = SOME(l->torque_i[k], c);
            on_j[4 + k] = SOME(l->torque_j[k], c);
        }
        store_both(task, l, c, on_i, on_j, streams);
    }
}

/* Updates which loads are active. Records of pairs that neither touch nor did are written too, but never read. */
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
    if (!general || task->pair->law[RPS_ROLE_NORMAL]->radius_exponent == 0.0) return;
    rps_vec3 force = rps_vec3_zero(), torque = rps_vec3_zero();
    add_curvature_loads(task, l, lane_at(l->u, c), lane_at(l->w, c), c, &force, &torque);
    rps_vec3_put(r->curvature_force, force);
    rps_vec3_put(r->curvature_torque, rps_vec3_cross(torque, n));
}

static void store_results(const rps_batch_task *task, rps_lanes *l) {
    if (!task->world->keep_contacts) {
        return;
    }
    rps_entry_result *result = task->result;
    for (int c = 0; c < task->n; c++) {
        rps_entry_result *r = &result[c];
        memset(r, 0, sizeof *r);
        if (!(l->touch[c] > 0.5)) {
            continue;
        }
        const double half = 0.5 * l->overlap[c], branch_i = half - l->radius_i[c], branch_j = l->radius_j[c] - half;
        const bool general = task->segment->record == RPS_RECORD_FRAME && l->general[c] > 0.5;
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
        }
        store_tangential(task, l, c, general, r);
        r->overlap[0] = l->gap_overlap[c];
        r->elastic_load[0] = l->elastic_load[c];
        r->normal_load[0] = l->elastic_load[c] + l->damping_load[c];
        r->cap_load[0] = l->cap_load[c];
        r->contact_radius[0] = l->contact_radius[c];
        r->spin_torque[0] = l->spin_torque[c];
        r->slide_elastic_force[0] = l->elastic[RPS_ROLE_SLIDE][c];
        r->roll_elastic_torque[0] = l->elastic[RPS_ROLE_ROLL][c];
        r->spin_elastic_torque[0] = l->elastic[RPS_ROLE_SPIN][c];
        r->slide_mode[0] = l->mode[RPS_ROLE_SLIDE][0][c];
        const double roll_i = l->mode[RPS_ROLE_ROLL][0][c], roll_j = l->mode[RPS_ROLE_ROLL][1][c];
        r->roll_mode[0] = roll_i > roll_j ? roll_i : roll_j;
        r->spin_mode[0] = l->mode[RPS_ROLE_SPIN][0][c];
        r->energy_normal[0] = l->energy[RPS_ROLE_NORMAL][c];
        r->energy_slide[0] = l->energy[RPS_ROLE_SLIDE][c];
        r->energy_roll[0] = l->energy[RPS_ROLE_ROLL][c];
        r->energy_spin[0] = l->energy[RPS_ROLE_SPIN][c];
    }
}

static void no_increments(const rps_batch_task *task, rps_lanes *l) {
    const size_t bytes = (size_t)task->padded * sizeof(double);
    for (int k = 0; k < 3; k++) {
        memset(l->slip[k], 0, bytes);
        memset(l->roll_i[k], 0, bytes);
        memset(l->roll_j[k], 0, bytes);
    }
    memset(l->spin, 0, bytes);
    if (task->segment->record == RPS_RECORD_FRAME) { /* general geometry: as the last evaluation stored them */
        const rps_segment *segment = task->segment;
        const int first = task->pair->layout[segment->record].track;
        const double *state = segment->state + task->place;
        for (int c = 0; c < task->n; c++) {
            if (!(l->general[c] > 0.5)) continue;
            for (int k = 0; k < 3; k++) {
                l->rolling_radius[k][c] =
                    state[(size_t)(first + RPS_FRAME_ROLLING_RADIUS + k) * segment->capacity + (size_t)c];
            }
        }
        memcpy(l->rolling_radius_mean, l->rolling_radius, sizeof l->rolling_radius);
        memcpy(l->twist_radius_mean, l->twist_radius, sizeof l->twist_radius);
    }
}

/* Prefetches one of PREFETCH_PARTS parts of a later batch's state into the second-level cache. The parts are spread over the
 * work on this batch, because a core cannot have all these cache lines in flight at once. always_inline: GCC drops calls to
 * functions without effect. */
enum { PREFETCH_PARTS = 5 };
static inline __attribute__((always_inline)) void prefetch_state(const rps_batch_task *task, const int part) {
    const rps_segment *segment = task->segment;
    const size_t ahead = task->place + RPS_PREFETCH_AHEAD;
    if (!task->world->contacts.exceeds_l2 || ahead + RPS_BATCH > segment->capacity) return;
    const int lanes = task->pair->layout[segment->record].lanes;
    for (int k = lanes * part / PREFETCH_PARTS; k < lanes * (part + 1) / PREFETCH_PARTS; k++) {
        const double *lane = segment->state + (size_t)k * segment->capacity + ahead;
        for (int c = 0; c < RPS_BATCH; c += 8) __builtin_prefetch(lane + c, 0, 2);
    }
}

static void clear_accounts(const rps_batch_task *task, rps_lanes *l, int role) {
    memset(l->dissipated[role], 0, (size_t)task->padded * sizeof(double));
}

/* Flushes what laws are about to read and tracking has not flushed. */
static void flush_memories(const rps_batch_task *task) {
    const rps_segment *segment = task->segment;
    const rps_layout *layout = &task->pair->layout[segment->record];
    for (int k = 0; k < layout->flushes; k++) {
        RPS_AS(x, segment->state + (size_t)layout->flushed[k] * segment->capacity + task->place);
        for (int c = 0; c < task->padded; c += 8) { /* padded is a multiple of 8 */
            RPS_SIMD
            for (int m = 0; m < 8; m++) {
                x[c + m] = RPS_FLUSH(x[c + m]);
            }
        }
    }
}

void RPS_ISA_NAME(rps_batch_evaluate)(const rps_batch_task *task, rps_lanes *l) {
    const rps_record record = task->segment->record;
    if (!RPS_ISA_NAME(rps_gather)(task, l)) {
        if (task->energy_only) {
            memset(l->energy, 0, sizeof l->energy);
        } else {
            store_no_loads(task);
            store_results(task, l);
        }
        return;
    }
    rolling_radii(task, l);
    prefetch_state(task, 0);
    if (task->energy_only) {
        no_increments(task, l);
    } else if (record == RPS_RECORD_FRAME) {
        RPS_ISA_NAME(rps_track_frame)(task, l);
    } else {
        RPS_ISA_NAME(rps_track_compact)(task, l);
    }
    if (!task->energy_only && task->pair->projects) rps_project_memories(task, l);
    if (!task->energy_only) flush_memories(task);

    rps_batch b;
    batch_bind(task, l, &b);
    prefetch_state(task, 1);
    call_law(task, l, &b, RPS_ROLE_NORMAL);
    call_law(task, l, &b, RPS_ROLE_DAMPING);
    cap_loads(task, l);
    prefetch_state(task, 2);
    call_law(task, l, &b, RPS_ROLE_SLIDE);
    const bool rolls = task->pair->rolls || !b.skip_diagnostics;
    prefetch_state(task, 3);
    if (rolls) {
        call_law(task, l, &b, RPS_ROLE_ROLL);
        call_law(task, l, &b, RPS_ROLE_SPIN);
    } else { /* these laws would clear more, but only the dissipated energies are read */
        clear_accounts(task, l, RPS_ROLE_ROLL);
        clear_accounts(task, l, RPS_ROLE_SPIN);
    }
    if (!task->world->options.ledger) { /* laws computed them from memories that are not kept */
        for (int role = 0; role < RPS_ROLE_COUNT; role++) clear_accounts(task, l, role);
    }
    if (task->energy_only) {
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            clear_lane(l->energy[role], l->touch, task->padded);
        }
        return;
    }
    prefetch_state(task, 4);
    if (record == RPS_RECORD_FRAME) {
        loads_frame(task, l);
        if (task->world->contacts.streams) {
            store_frame_loads(task, l, true);
        } else {
            store_frame_loads(task, l, false);
        }
    } else if (task->world->contacts.streams) {
        compact_loads(task, l, rolls, true);
    } else {
        compact_loads(task, l, rolls, false);
    }
    flag_batch(task, l);
    store_results(task, l);
    store_state(task, l);
}
