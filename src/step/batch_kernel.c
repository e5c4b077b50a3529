/*
 * Evaluates one batch from bodies to loads: gather, geometry, track, laws, loads, store. All contacts of a batch
 * share a pair of materials and a contact layout, so laws and their constants are the same for the whole batch.
 *
 * Compiled once per instruction set; only + - * / and sqrt in a fixed order, so that all of them give the same bits.
 */
#include <math.h>
#include <string.h>

#include "base/flush.h"
#include "base/simd.h"
#include "law/arrays.h"
#include "step/batch.h"
#include <repose/law_kernel.h>

static const double NO_CAP = 1e150; /* N; its square stays finite */

static const double *radius_eff_lane(const rps_batch_task *task, const rps_lanes *l) {
    return task->record == RPS_RECORD_FRAME ? l->radius_eff : task->constant[RPS_CONSTANT_RADIUS_EFF];
}

static bool reads(const rps_batch_task *task, uint64_t arrays) {
    return (task->pair->reads & arrays) != 0;
}

/* Effective rolling radius Wm^-1 and twisting radius 1/(H_i + H_j) of spheres and planes: 2 R_eff and R_eff. For other
 * surfaces tracking sets the former, because it needs the tangent frame. */
static void rolling_radii(const rps_batch_task *task, rps_lanes *l) {
    const int count = task->padded;
    const bool frame = task->record == RPS_RECORD_FRAME;
    if (!frame && !reads(task, RPS_ARRAY(rolling_radius) | RPS_ARRAY(rolling_radius_mean))) return;
    RPS_IN_AS(radius_eff, radius_eff_lane(task, l));
    RPS_AS(rolling_radius, l->rolling_radius[0]);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        rolling_radius[c] = 2.0 * radius_eff[c];
    }
    if (!frame) return;
    memset(l->rolling_radius[1], 0, sizeof l->rolling_radius[1]);
    memcpy(l->rolling_radius[2], l->rolling_radius[0], sizeof l->rolling_radius[2]);
    memcpy(l->twist_radius, radius_eff, (size_t)count * sizeof *radius_eff);
}

/* Radii in the order of the materials of the pair, for laws that distinguish them. */
static void bind_radii(const rps_batch_task *task, rps_lanes *l, rps_batch *b) {
    const rps_bodies_view *bodies = &task->all->bodies;
    const int *material = task->pair->material;
    const bool lines = task->pair->lines;
    const double *radius_i = lines ? l->line_i : l->radius_i, *radius_j = lines ? l->line_j : l->radius_j;
    b->radius[0] = b->radius[1] = l->unbuilt;
    if (!reads(task, RPS_ARRAY(radius))) return;
    b->radius[0] = radius_i;
    b->radius[1] = radius_j;
    if (material[0] == material[1]) return;
    for (int c = 0; c < task->padded; c++) {
        const bool turned = c < task->n && bodies->material[task->slot_i[c]][0] != material[0];
        l->radius_of[0][c] = turned ? radius_j[c] : radius_i[c];
        l->radius_of[1][c] = turned ? radius_i[c] : radius_j[c];
    }
    b->radius[0] = l->radius_of[0];
    b->radius[1] = l->radius_of[1];
}

static void batch_bind(const rps_batch_task *task, rps_lanes *l, rps_batch *b) {
    const bool frame = task->record == RPS_RECORD_FRAME;
    const bool rolls = reads(task, RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j) | RPS_ARRAY(spin));
    const bool rolling_radii = reads(task, RPS_ARRAY(rolling_radius) | RPS_ARRAY(rolling_radius_mean));
    b->count = task->padded;
    b->dt = task->all->dt;
    b->rate = task->all->dt > 0.0 ? 1.0 / task->all->dt : 0.0;
    b->skip_diagnostics =
        !task->all->energy_only && !task->result && !frame; /* curvature loads of the frame layout need energies */
    b->round = !frame;
    b->touch = l->touch;
    b->new_contact = l->new_contact;
    b->overlap = l->overlap;
    b->overlap_increment = l->overlap_increment;
    b->radius_eff = radius_eff_lane(task, l);
    bind_radii(task, l, b);
    b->mass_eff = task->constant[RPS_CONSTANT_MASS_EFF];
    b->damper_mass_sqrt = task->constant[RPS_CONSTANT_DAMPER_MASS_SQRT];
    b->damper_inertia_sqrt = task->constant[RPS_CONSTANT_DAMPER_INERTIA_SQRT];
    b->weight = reads(task, RPS_ARRAY(weight)) ? l->weight : l->unbuilt;
    b->length = !reads(task, RPS_ARRAY(length)) ? l->unbuilt : task->pair->lines ? l->line_length : l->one;
    for (int k = 0; k < 3; k++) {
        b->slip[k] = l->slip[k];
        b->roll_i[k] = rolls ? l->roll_i[k] : l->unbuilt;
        b->roll_j[k] = !rolls ? l->unbuilt : frame || task->pair->per_body_history ? l->roll_j[k] : l->zero;
        b->rolling_radius[k] = !rolling_radii ? l->unbuilt
                               : frame        ? l->rolling_radius[k]
                               : k == 1       ? l->zero
                                              : l->rolling_radius[0];
        b->rolling_radius_mean[k] = frame && rolling_radii ? l->rolling_radius_mean[k] : b->rolling_radius[k];
        b->slide_force[k] = l->slide_force[k];
        b->bridge_force[k] = l->bridge_force[k];
        b->roll_torque_i[k] = l->roll_torque_i[k];
        b->roll_torque_j[k] = l->roll_torque_j[k];
    }
    b->spin = rolls ? l->spin : l->unbuilt;
    b->twist_radius = frame ? l->twist_radius : b->radius_eff;
    b->twist_radius_mean = frame ? l->twist_radius_mean : b->radius_eff;
    b->elastic_load = l->elastic_load;
    b->stiffness = l->stiffness;
    b->contact_radius = l->contact_radius;
    b->pull = l->pull;
    b->cap_bonus = l->cap_bonus;
    b->damping_load = l->damping_load;
    b->bridge_load = l->bridge_load;
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

/* Binds the memory of a law: in place, a copy when only energies are asked for, or scratch where nothing is kept. */
static void bind_memory(const rps_batch_task *task, rps_lanes *l, rps_batch *b, int role) {
    const rps_layout *layout = rps_batch_layout(task);
    const rps_binding *end = layout->binding + layout->bound[role + 1];
    const size_t bytes = (size_t)task->padded * sizeof(double);
    const bool energy_only = task->all->energy_only;
    double **memory = b->memory[0];
    for (const rps_binding *one = layout->binding + layout->bound[role]; one < end; one++) {
        double *at = l->spare[one->place];
        if (one->lane >= 0) {
            at = rps_batch_lane(task, one->lane);
            if (energy_only) at = memcpy(l->energy_only[role * RPS_MEMORY_LANES + one->place], at, bytes);
        } else if (one->lane == RPS_BINDING_ZERO) {
            memset(at, 0, bytes);
        }
        memory[one->place] = at;
    }
}

/* Sets outputs of a role to 0 that its law does not write. */
static void clear_outputs(const rps_batch_task *task, const rps_batch *b, int role, uint64_t arrays) {
    const size_t bytes = (size_t)task->padded * sizeof(double);
    while (arrays != 0) {
        const rps_array_info *a = &rps_array_table[rps_next_bit(&arrays)];
        double *const *lane = (double *const *)(const void *)((const char *)b + a->offset);
        if (a->account) lane += role;
        for (int k = 0; k < a->count; k++) memset(lane[k], 0, bytes);
    }
}

/* Calls the law of a role. unread: outputs that are not read in this evaluation and need no value. */
static void call_law(const rps_batch_task *task, rps_lanes *l, rps_batch *b, int role, uint64_t unread) {
    const rps_pair_setup *pair = task->pair;
    if (pair->called[role]) {
        bind_memory(task, l, b, role);
        if (task->all->check_laws) {
            rps_law_call_checked(task, l, b, role);
        } else {
            pair->law[role]->kernel[task->all->isa](b, pair->constant[role]);
        }
    }
    const uint64_t clears = pair->clears[role] & ~unread;
    if (clears != 0) clear_outputs(task, b, role, clears);
}

/* Normal load in friction caps. When only stored energies are asked for, the cap is out of reach so that it changes
 * nothing. */
static void cap_loads(const rps_batch_task *task, rps_lanes *l) {
    const int count = task->padded;
    const double with_dashpot = task->pair->effective.form.cap_load == RPS_CAP_TOTAL ? 1.0 : 0.0;
    const double energy_only = task->all->energy_only ? 1.0 : 0.0;
    RPS_IN_AS(elastic, l->elastic_load);
    RPS_IN_AS(damping, l->damping_load);
    RPS_IN_AS(touch, l->touch);
    RPS_IN_AS(bonus, l->cap_bonus);
    RPS_AS(cap, l->cap_load);
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        double n = (elastic[c] + with_dashpot * damping[c]) + bonus[c];
        n = n > 0.0 ? n : 0.0;
        n = energy_only > 0.5 ? NO_CAP : n;
        cap[c] = touch[c] > 0.5 ? n : 0.0;
    }
}

/* Contacts with a mesh: the overlap changes by `gain` m for each m of motion along the normal, and so do the loads of the
 * normal law, whose energy is a function of the overlap. */
static void scale_normal_loads(const rps_batch_task *task, rps_lanes *l) {
    RPS_IN_AS(gain, l->gain);
    RPS_AS(elastic, l->elastic_load);
    RPS_AS(damping, l->damping_load);
    RPS_AS(bonus, l->cap_bonus);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        elastic[c] *= gain[c];
        damping[c] *= gain[c];
        bonus[c] *= gain[c];
    }
}

/* In a wet pair a contact lasts as long as its bridge, and dry laws see it while the surfaces touch. */
static void find_meetings(const rps_batch_task *task, rps_lanes *l) {
    const rps_layout *layout = rps_batch_layout(task);
    RPS_IN_AS(touch, l->touch);
    RPS_IN_AS(now, l->gap_overlap);
    RPS_IN_AS(was_contact, l->was_contact);
    RPS_IN_AS(before, rps_batch_lane(task, layout->overlap));
    RPS_AS(meets, l->meets);
    RPS_AS(begins, l->meets_now);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) {
        double is = now[c] > 0.0 ? touch[c] : 0.0, was = before[c] > 0.0 ? was_contact[c] : 0.0;
        meets[c] = is;
        begins[c] = is > was ? 1.0 : 0.0;
    }
}

static void show_contacts(const rps_lanes *l, rps_batch *b, int role) {
    const bool bridge = role == RPS_ROLE_BRIDGE;
    b->touch = bridge ? l->touch : l->meets;
    b->new_contact = bridge ? l->new_contact : l->meets_now;
}

/* The loads of bridges join those of the dry contact after its friction, which does not feel them. */
static void add_bridges(const rps_batch_task *task, rps_lanes *l) {
    RPS_IN_AS(load, l->bridge_load);
    RPS_AS(damping, l->damping_load);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) damping[c] += load[c];
    for (int k = 0; k < 3; k++) {
        RPS_IN_AS(force, l->bridge_force[k]);
        RPS_AS(slide, l->slide_force[k]);
        RPS_SIMD
        for (int c = 0; c < task->padded; c++) slide[c] += force[c];
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
    const rps_layout *layout = rps_batch_layout(task);
    const int count = task->padded;
    RPS_IN_AS(touch, l->touch);
    RPS_IN_AS(geometric, l->gap_overlap);
    RPS_AS(modes, rps_batch_lane(task, layout->modes));
    RPS_AS(overlap, rps_batch_lane(task, layout->overlap));
    for (int c = 0; c < count; c += RPS_WIDE) {
        rps_simd code = RPS_ALL(1.0);
        for (int bit = RPS_MODE_EXISTS + 1; bit < RPS_MODES; bit++) {
            const rps_mode_place of = rps_mode_place_of(bit);
            code += (double)(1 << bit) * *(const rps_simd *)(l->mode[of.role][of.body] + c);
        }
        *(rps_simd *)(modes + c) = (rps_simd)((rps_mask)code & (*(const rps_simd *)(touch + c) > 0.5));
    }
    RPS_SIMD
    for (int c = 0; c < count; c++) {
        overlap[c] = touch[c] > 0.5 ? geometric[c] : 0.0;
    }
    if (task->record != RPS_RECORD_FRAME) {
        for (int k = 0; k < 3; k++) {
            RPS_IN_AS(n, l->normal[k]);
            RPS_AS(stored, rps_batch_lane(task, layout->track + k));
            RPS_SIMD
            for (int c = 0; c < count; c++) {
                stored[c] = touch[c] > 0.5 ? n[c] : 0.0;
            }
        }
    }
    const uint64_t ended = l->apart ? ~rps_lanes_above(l->touch, 0.5, count) & rps_low_bits(count) : 0;
    const bool wet = task->pair->wet;
    const uint64_t parted = wet ? ~rps_lanes_above(l->meets, 0.5, count) & rps_low_bits(count) : ended;
    for (int role = 0; role < RPS_ROLE_COUNT && parted != 0; role++) {
        const uint64_t apart = role == RPS_ROLE_BRIDGE ? ended : parted;
        const rps_law *law = task->pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const int components = law->memory[m].kind & RPS_MEMORY_TANGENT ? 3 : 1;
            for (int k = 0; k < components && layout->memory[role][m] >= 0; k++) {
                if (layout->memory[role][m] == layout->liquid) continue;
                double *lane = rps_batch_lane(task, layout->memory[role][m] + k);
                for (uint64_t bits = apart; bits != 0;) lane[rps_next_bit(&bits)] = 0.0;
            }
        }
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
    if (task->record == RPS_RECORD_FRAME) { /* general geometry: the values that the last evaluation stored */
        const int first = rps_batch_layout(task)->track + RPS_FRAME_ROLLING_RADIUS;
        for (int c = 0; c < task->n; c++) {
            if (!(l->general[c] > 0.5)) continue;
            for (int k = 0; k < 3; k++) {
                l->rolling_radius[k][c] = rps_batch_lane(task, first + k)[c];
            }
        }
        memcpy(l->rolling_radius_mean, l->rolling_radius, sizeof l->rolling_radius);
        memcpy(l->twist_radius_mean, l->twist_radius, sizeof l->twist_radius);
    }
}

/* Prefetches one of PREFETCH_PARTS parts of a later batch's state into the second-level cache. The parts are spread
 * over the work on this batch, because a core cannot have all these cache lines in flight at once. always_inline: GCC
 * drops calls to functions without effect. */
enum { PREFETCH_PARTS = 5 };
static inline __attribute__((always_inline)) void prefetch_state(const rps_batch_task *task, const int part) {
    if (!task->all->exceeds_l2 || RPS_PREFETCH_AHEAD + RPS_BATCH > task->ahead) return;
    const int lanes = rps_batch_layout(task)->lanes;
    for (int k = lanes * part / PREFETCH_PARTS; k < lanes * (part + 1) / PREFETCH_PARTS; k++) {
        const double *lane = rps_batch_lane(task, k) + RPS_PREFETCH_AHEAD;
        for (int c = 0; c < RPS_BATCH; c += 8) __builtin_prefetch(lane + c, 0, 2);
    }
}

/* The dissipation of a role that has no account of its own is recorded in that of another. */
static void add_to_account(const rps_batch_task *task, rps_lanes *l, rps_role role) {
    RPS_IN_AS(more, l->dissipated[role]);
    RPS_AS(sum, l->dissipated[rps_account_role(rps_role_account(role))]);
    RPS_SIMD
    for (int c = 0; c < task->padded; c++) sum[c] += more[c];
}

static void clear_accounts(const rps_batch_task *task, rps_lanes *l, int role) {
    memset(l->dissipated[role], 0, (size_t)task->padded * sizeof(double));
}

/* Flushes the inputs of laws that tracking has not flushed. */
static void flush_memories(const rps_batch_task *task) {
    const rps_layout *layout = rps_batch_layout(task);
    for (int k = 0; k < layout->flushes; k++) {
        RPS_AS(x, rps_batch_lane(task, layout->flushed[k]));
        for (int c = 0; c < task->padded; c += 8) { /* padded is a multiple of 8 */
            RPS_SIMD
            for (int m = 0; m < 8; m++) {
                x[c + m] = RPS_FLUSH(x[c + m]);
            }
        }
    }
}

void RPS_ISA_NAME(rps_batch_evaluate)(const rps_batch_task *task, rps_lanes *l) {
    const rps_record record = task->record;
    if (!RPS_ISA_NAME(rps_gather)(task, l)) {
        if (task->all->energy_only) {
            memset(l->energy, 0, sizeof l->energy);
        } else {
            RPS_ISA_NAME(rps_store_no_loads)(task, l);
        }
        return;
    }
    rolling_radii(task, l);
    prefetch_state(task, 0);
    if (task->all->energy_only) {
        no_increments(task, l);
    } else if (record == RPS_RECORD_FRAME) {
        RPS_ISA_NAME(rps_track_frame)(task, l);
    } else {
        RPS_ISA_NAME(rps_track_compact)(task, l);
    }
    if (!task->all->energy_only && task->pair->projects) rps_project_memories(task, l);
    if (!task->all->energy_only) flush_memories(task);

    rps_batch b;
    batch_bind(task, l, &b);
    prefetch_state(task, 1);
    const bool turns = task->pair->turns, wet = task->pair->wet;
    if (wet) find_meetings(task, l);
    const uint64_t unread = (b.skip_diagnostics ? RPS_ARRAY(elastic) | RPS_ARRAY(energy) : 0) |
                            (turns || !b.skip_diagnostics ? 0 : RPS_TORQUES);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (role == RPS_ROLE_SLIDE) {
            if (task->mesh != NULL) scale_normal_loads(task, l);
            cap_loads(task, l);
            prefetch_state(task, 2);
        } else if (role == RPS_ROLE_ROLL) {
            prefetch_state(task, 3);
        }
        if (wet) show_contacts(l, &b, role);
        call_law(task, l, &b, role, unread);
    }
    if (wet) add_bridges(task, l);
    for (uint64_t roles = task->pair->adds; roles != 0;) add_to_account(task, l, (rps_role)rps_next_bit(&roles));
    if (!task->all->ledger) { /* laws computed them from memories that are not kept */
        for (int role = 0; role < RPS_ROLE_COUNT; role++) clear_accounts(task, l, role);
    }
    if (task->all->energy_only) {
        for (int role = 0; role < RPS_ROLE_COUNT; role++) {
            clear_lane(l->energy[role], l->touch, task->padded);
        }
        return;
    }
    prefetch_state(task, 4);
    RPS_ISA_NAME(rps_store_loads)(task, l, turns);
    store_state(task, l);
}
