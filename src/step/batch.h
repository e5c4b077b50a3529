/*
 * The memory of one worker for a batch: one lane of RPS_BATCH doubles per quantity, small enough for the first two
 * caches. Tracking fills the upper part, the laws the lower one; rps_batch (law.h) points into it.
 */
#ifndef RPS_STEP_BATCH_H
#define RPS_STEP_BATCH_H

#include "base/cell.h"
#include "base/cpu.h"
#include "world/bodies.h"
#include "world/contact_store.h"
#include "world/pair_setup.h"

enum { RPS_PREFETCH_AHEAD = 4 * RPS_BATCH /* prefetch distance in entries */ };
enum {
    RPS_BATCH_CAPACITY = RPS_BATCH + 8,
    RPS_TRACK_LANES = 2 + RPS_FRAME_LANES /* of the frame record: modes, overlap, tracking */
};
typedef double rps_lane[RPS_BATCH_CAPACITY];

/* Active entries of a segment, packed to be contiguous: slots, references and flags. Their constants and state are in
 * lanes of rps_lanes. */
typedef struct rps_packed {
    rps_segment *from;
    int n;
    uint32_t index[RPS_BATCH_CAPACITY], slot_i[RPS_BATCH_CAPACITY], slot_j[RPS_BATCH_CAPACITY],
        reference[RPS_BATCH_CAPACITY][2];
    rps_subkey subkey[RPS_BATCH_CAPACITY]; /* in use only if the segment has subkeys */
    uint8_t was_active[RPS_BATCH_CAPACITY];
} rps_packed;

/* A law that violates its descriptor: number of the array; RPS_ARRAY_COUNT: a mode, or more than one array. */
typedef struct rps_law_fault {
    const rps_law *law; /* NULL: none was found */
    enum { RPS_LAW_READS, RPS_LAW_WRITES, RPS_LAW_LEAVES } kind;
    int array;
} rps_law_fault;

typedef struct rps_lanes {
    /* gathered */
    rps_lane d[3];               /* m, x_i - x_j, nearest image */
    rps_lane radius_i, radius_j; /* m, 0 of a plane */
    rps_lane radius_of[2];       /* m, of the body of the pair's first and second material; planar worlds, lines */
    rps_lane line_length, line_i,
        line_j; /* m, strips: length that a point represents; radii of the cylinders, 0 for a plane */
    rps_lane g_i[3], k_i, g_j[3], k_j; /* rotation of the last step (pose record) */
    rps_lane shift[3];                 /* m, dt (v_i - v_j), for planes */
    rps_lane weight;
    /* geometry */
    rps_lane normal[3], normal_copy[3];
    rps_lane was_contact, touch, new_contact; /* existed before; exists now; began now */
    rps_lane overlap_increment;
    rps_lane overlap;      /* as laws see it: 0 if the normal law has no overlap */
    rps_lane overlap_mean; /* mean of old and new, in the arm of paths */
    rps_lane gap_overlap;  /* as geometry gives it */
    /* tracked */
    rps_lane slip[3], roll_i[3], roll_j[3], spin;
    rps_lane run_i[3], run_j[3], run_roll_i[3], run_roll_j[3], run_spin,
        run_turn; /* m, rad: of the material of surfaces that run; frame record */
    /* rotation of the memories about n, on top of the minimal rotation of n; and the terms of that one
     * (turn_memories) */
    rps_lane carry_cos, carry_sin, carry_scale, carry_back[3];
    rps_lane rolling_radius[3], rolling_radius_mean[3], twist_radius, twist_radius_mean;
    /* m, frame record: from the centres to the point where the force acts; records of pieces: to the centers of the
     * spheres (0 of a plane) */
    rps_lane branch_i[3], branch_j[3];
    rps_lane u[3], w[3]; /* frame record: tangent frame at the end of the step, in world axes */
    /* frame record, bodies with pieces: 1 where the geometry is general, shape operators as tensors (touch.h) in 1/m,
     * the lower bound of their curvatures (1/m), and R_eff = 1/(H_i + H_j) of every contact of the record */
    rps_lane gradient_i[3],
        gradient_j[3]; /* 1/m^2, of the mean curvatures, for normal laws with an energy that depends on R_eff */
    rps_lane general, curve_i[6], curve_j[6], curve_floor, radius_eff;
    rps_lane gain; /* contacts with meshes: factor of the loads along the normal; set only if the batch has some */
    rps_lane more_force[3], more_torque[3]; /* on i, where the load acts; set only if the batch has wrenches */
    /* loads */
    rps_lane elastic_load, stiffness, contact_radius, pull, cap_bonus, damping_load, cap_load;
    rps_lane slide_force[3], roll_torque_i[3], roll_torque_j[3], spin_torque;
    rps_lane mode[RPS_ROLE_COUNT][2], elastic[RPS_ROLE_COUNT], energy[RPS_ROLE_COUNT], dissipated[RPS_ROLE_COUNT];
    /* constant 0: lanes that a record does not use; constant 1; constant NaN: lanes that no law of the pair declares
     * to read */
    rps_lane zero, one, unbuilt;
    /* intermediate of tracking and of the loads */
    rps_lane work[24];
    /* memory that is not kept, and copies of the state when it must not change */
    rps_lane spare[RPS_MEMORY_LANES];
    rps_lane energy_only[RPS_ROLE_COUNT * RPS_MEMORY_LANES + RPS_TRACK_LANES]; /* also the state of packed entries */
    rps_lane constant[RPS_CONSTANT_LANES];                                     /* of packed entries */
    rps_lane meets, meets_now; /* wet pairs: the surfaces touch; since now */
    rps_lane bridge_load, bridge_force[3];
    /* apart: 1 if some lane of the batch does not touch. young: 1 if some contact is new. deep: 1 if this worker met
     * an overlap that the guard must see. Aligned, so that the lanes of the next worker are too. */
    _Alignas(64) int apart;
    int any_new;
    rps_law_fault fault;
    const double *normal_old[3]; /* lanes: of the state where all contacts existed before, else normal_copy */
    int beyond_guard;
    rps_packed packed;
} rps_lanes;

/* Read by all batches of an evaluation, written by none. */
typedef struct rps_evaluation {
    rps_bodies_view bodies;
    const rps_piece *piece;                  /* of all bodies */
    const struct rps_general_shapes *shapes; /* for general_geometry.c alone */
    rps_cell cell;
    double gravity[3];
    double guard_overlap;                   /* relative overlap from which a batch raises `beyond_guard` */
    double dt;                              /* s, since the last evaluation */
    const struct rps_drive_state *surfaces; /* drives; NULL: no surface runs */
    double time;                            /* s */
    rps_isa isa;
    int dimension;
    bool ledger;
    bool check_laws;          /* the option of the same name */
    bool exceeds_l2, streams; /* of rps_contacts */
    bool energy_only;         /* energies of the present state only: no increments, no caps, nothing stored */
} rps_evaluation;

/* One batch to evaluate: up to RPS_BATCH consecutive entries of a segment, or packed ones. Arrays begin at its first
 * entry. */
typedef struct rps_batch_task {
    /* read */
    const rps_evaluation *all;
    const rps_pair_setup *pair;
    rps_record record;
    int n;        /* entries */
    int padded;   /* n rounded up to a multiple of 8 */
    size_t ahead; /* entries and padding from the first to the end of the segment */
    const uint32_t *slot_i, *slot_j;
    const rps_subkey *subkey;                   /* NULL: all 0 */
    const double *constant[RPS_CONSTANT_LANES]; /* padded values each */
    const uint32_t (*reference)[2];             /* where the loads on i and j go */
    const rps_mesh_geometry *mesh;              /* contacts with meshes; NULL: there are none */
    const rps_mesh_wrench *wrench;              /* of smooth bodies there; NULL: there are none */
    const uint32_t *mesh_index;                 /* of entry c: mesh[mesh_index[c]]; NULL: mesh[c] */
    /* written, unless all->energy_only */
    rps_state_slice state;
    uint8_t *was_active;
    rps_contact_load *load;   /* of all contacts, by `reference` */
    uint8_t *has_load;        /* the same */
    rps_entry_result *result; /* NULL unless kept */
} rps_batch_task;

/* State number `lane` of the entries. */
static inline double *rps_batch_lane(const rps_batch_task *task, int lane) {
    return rps_slice_lane(task->state, lane);
}
static inline const rps_layout *rps_batch_layout(const rps_batch_task *task) {
    return &task->pair->layout[task->record];
}

/* Evaluates a batch: geometry, tracking, laws, loads. Stores state and loads; with `energy_only` it stores nothing
 * and leaves the energies in lanes->energy. Compiled once per instruction set (batch_kernel.c). */
typedef void rps_batch_evaluate_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_batch_evaluate_fn rps_batch_evaluate_sse2, rps_batch_evaluate_avx2, rps_batch_evaluate_avx512;

/* Selects the entries of a batch of spheres that must be evaluated: those that touch, by a test with a margin for
 * rounding, and those written last time. Returns their number; `active` [RPS_BATCH + 1] gets their indices in the
 * batch, ascending. */
typedef int rps_find_active_fn(const rps_batch_task *task, rps_lanes *lanes, uint8_t *active);
rps_find_active_fn rps_find_active_sse2, rps_find_active_avx2, rps_find_active_avx512;

/* Calls the law of a role on copies of the arrays, and records violations of its descriptor (law_check.c). Arrays
 * that it does not declare to read hold NaN. */
void rps_law_call_checked(const rps_batch_task *task, rps_lanes *lanes, rps_batch *b, int role);

/* Gathers a batch and computes its geometry (gather_kernel.c); false if no contact of it exists or existed before. */
typedef bool rps_gather_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_gather_fn rps_gather_sse2, rps_gather_avx2, rps_gather_avx512;

/* Geometry of entry c of a batch, one with a body with pieces (general_geometry.c). A contact that has just ended is
 * computed too, because its stored energy is recorded as dissipated. */
void rps_general_geometry(const rps_batch_task *task, rps_lanes *lanes, int c);
/* The geometry of all pairs of smooth bodies of the batch for which the fast method is proven (smooth_geometry.c).
 * Returns a set bit c for each entry c that is complete; all others must be set after it, padding too. */
uint64_t rps_smooth_geometry(const rps_batch_task *task, rps_lanes *lanes);
/* The same, after it, for features of boxes and capsules among the entries that are not `done` (core_geometry.c). */
uint64_t rps_core_geometry(const rps_batch_task *task, rps_lanes *lanes, uint64_t done);

/* Tracking (track_compact_kernel.c, track_frame_kernel.c): from the geometry of this step and the state of the last
 * one to slip, roll and spin; rotates the memories. */
typedef void rps_track_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_track_fn rps_track_compact_sse2, rps_track_compact_avx2, rps_track_compact_avx512;
rps_track_fn rps_track_frame_sse2, rps_track_frame_avx2, rps_track_frame_avx512;

/* Stores the loads of a batch, their flags and results (loads_kernel.c); turns: some law writes a torque. The second
 * function is for a batch without contacts. */
typedef void rps_store_loads_fn(const rps_batch_task *task, rps_lanes *lanes, bool turns);
rps_store_loads_fn rps_store_loads_sse2, rps_store_loads_avx2, rps_store_loads_avx512;
typedef void rps_store_no_loads_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_store_no_loads_fn rps_store_no_loads_sse2, rps_store_no_loads_avx2, rps_store_no_loads_avx512;

/* In worlds with surfaces that run (surface_runs.c): adds their motion to the shift of spheres against planes; sets that of
 * both bodies in the frame record. */
void rps_surfaces_shift(const rps_batch_task *task, rps_lanes *lanes);
void rps_surfaces_run(const rps_batch_task *task, rps_lanes *lanes);

/* After tracking, for laws that request it: undoes the rotation of their memories and projects them instead
 * (project_memory.c). */
void rps_project_memories(const rps_batch_task *task, const rps_lanes *lanes);

#endif
