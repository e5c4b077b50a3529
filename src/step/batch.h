/*
 * The memory of one worker for a batch: one lane, RPS_BATCH doubles, per number and contact, all of it in the first
 * two caches. Tracking fills the upper part, the laws the lower one; rps_batch (law.h) points into it.
 */
#ifndef RPS_STEP_BATCH_H
#define RPS_STEP_BATCH_H

#include "world/world.h"

enum { RPS_PREFETCH_AHEAD = 4 * RPS_BATCH /* entries: how far ahead of its use what lies in memory is asked for */ };
enum { RPS_BATCH_CAPACITY = RPS_BATCH + 8, RPS_TRACK_LANES = 5 /* of the compact record: modes, overlap, normal */ };
typedef double rps_lane[RPS_BATCH_CAPACITY];

/* Entries taken from wherever they are active in a segment, as if they lay in a row: slots, references and flags; their
 * constants and state are in lanes of rps_lanes. */
typedef struct rps_packed {
    const rps_segment *from;
    rps_segment segment;
    int n;
    uint32_t index[RPS_BATCH_CAPACITY], slot_i[RPS_BATCH_CAPACITY], slot_j[RPS_BATCH_CAPACITY],
        reference[RPS_BATCH_CAPACITY][2];
    uint8_t was_active[RPS_BATCH_CAPACITY];
} rps_packed;

typedef struct rps_lanes {
    /* gathered */
    rps_lane d[3];               /* m, x_i - x_j, nearest image */
    rps_lane radius_i, radius_j; /* m, 0 of a plane */
    rps_lane radius_of[2];       /* m, of the body of the pair's first and second material; planar worlds, lines */
    rps_lane line_length, line_i, line_j; /* m, strips: what a point stands for; radii of the cylinders, 0 of a plane */
    rps_lane g_i[3], k_i, g_j[3], k_j;    /* rotation of the last step (pose record) */
    rps_lane shift[3];                    /* m, dt (v_i - v_j), for planes */
    rps_lane weight;
    /* geometry */
    rps_lane normal[3], normal_copy[3];
    rps_lane was_contact, touch, new_contact; /* existed before; exists now; began now */
    rps_lane overlap_increment;
    rps_lane overlap;      /* as laws see it: 0 where the normal law counts none */
    rps_lane overlap_mean; /* mean of old and new, in the arm of paths */
    rps_lane gap_overlap;  /* as geometry gives it */
    /* tracked */
    rps_lane slip[3], roll_i[3], roll_j[3], spin;
    /* turn of the memories about n, beyond the minimal rotation of n; and what makes that rotation (turn_memories) */
    rps_lane carry_cos, carry_sin, carry_scale, carry_back[3];
    rps_lane rolling_radius[3], rolling_radius_mean[3], twist_radius, twist_radius_mean;
    rps_lane branch_i[3], branch_j[3]; /* m, frame record: from the centres to the point where the force acts */
    rps_lane u[3], w[3];               /* frame record: tangent frame at the end of the step, in world axes */
    /* frame record, bodies with pieces: 1 where the geometry is general, shape operators as tensors (touch.h) in 1/m, what
     * floors their curvatures (1/m), and R_eff = 1/(H_i + H_j) of every contact of the record */
    rps_lane gradient_i[3], gradient_j[3]; /* 1/m^2, of the mean curvatures, for normal laws whose energy knows R_eff */
    rps_lane general, curve_i[6], curve_j[6], curve_floor, radius_eff;
    /* loads */
    rps_lane elastic_load, stiffness, contact_radius, damping_load, cap_load;
    rps_lane slide_force[3], roll_torque_i[3], roll_torque_j[3], spin_torque;
    rps_lane mode[RPS_ROLE_COUNT][2], elastic[RPS_ROLE_COUNT], energy[RPS_ROLE_COUNT], dissipated[RPS_ROLE_COUNT];
    rps_lane force[3], torque_i[3], torque_j[3];
    /* kept 0: lanes that a record has no use for */
    rps_lane zero;
    /* intermediate of tracking */
    rps_lane work[24];
    /* memory entries that are not kept go here; copies of the state when it must not change */
    rps_lane spare[RPS_LAW_MEMORY][3];
    rps_lane energy_only[RPS_ROLE_COUNT * RPS_LAW_MEMORY * 3 + RPS_TRACK_LANES]; /* also the state of packed entries */
    rps_lane constant[RPS_CONSTANT_LANES];                                       /* of packed entries */
    /* apart: 1 if some lane of the batch does not touch. young: 1 if some contact of it did not exist before. deep: 1 if this worker met an overlap that the guard wants to
     * see. Aligned, so that the lanes of the next worker are. */
    _Alignas(64) int apart;
    int any_new;
    const double *normal_old[3]; /* lanes: of the state where all contacts existed before, else normal_copy */
    int beyond_guard;
    rps_packed packed;
} rps_lanes;

/* One batch to evaluate: up to RPS_BATCH consecutive entries of a segment. */
typedef struct rps_batch_task {
    const rps_world *world;
    const rps_segment *segment;
    const rps_pair_setup *pair;
    size_t place;                   /* of the first entry in the segment */
    const uint32_t (*reference)[2]; /* of its entries: contacts.place */
    uint8_t *was_active;            /* contacts.written */
    rps_entry_result *result;       /* contacts.result */
    int n;                          /* entries */
    int padded;                     /* n rounded up to a multiple of 8 */
    double dt;
    bool energy_only; /* energies of the present state only: no increments, no caps, nothing stored */
} rps_batch_task;

/* Evaluates a batch: geometry, tracking, laws, loads; stores state and loads unless `energy_only`. With it the
 * energies are left in lanes->energy. Made once per instruction set (batch_kernel.c). */
typedef void rps_batch_evaluate_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_batch_evaluate_fn rps_batch_evaluate_sse2, rps_batch_evaluate_avx2, rps_batch_evaluate_avx512;

/* Which entries of a batch of spheres must be evaluated: those that touch, by a criterion that is wider by a rounding, and
 * those written last time. Returns how many; `active` [RPS_BATCH + 1] gets their numbers in the batch, rising. */
typedef int rps_find_active_fn(const rps_batch_task *task, rps_lanes *lanes, uint8_t *active);
rps_find_active_fn rps_find_active_sse2, rps_find_active_avx2, rps_find_active_avx512;

/* Gathers a batch and finds its geometry (gather_kernel.c); false if no contact of it exists or did. */
typedef bool rps_gather_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_gather_fn rps_gather_sse2, rps_gather_avx2, rps_gather_avx512;

/* Tracking (track_compact_kernel.c, track_frame_kernel.c): from the geometry of this step and the state of the last one to
 * slip, roll and spin; rotates the memories. */
typedef void rps_track_fn(const rps_batch_task *task, rps_lanes *lanes);
rps_track_fn rps_track_compact_sse2, rps_track_compact_avx2, rps_track_compact_avx512;
rps_track_fn rps_track_frame_sse2, rps_track_frame_avx2, rps_track_frame_avx512;

/* After tracking, for a pair whose laws want it: undoes the turn of their memories and projects them instead (project.c). */
void rps_project_memories(const rps_batch_task *task, const rps_lanes *lanes);

#define RPS_STEP_JOIN_(a, b) a##_##b
#define RPS_STEP_JOIN(a, b) RPS_STEP_JOIN_(a, b)
#define RPS_ISA_NAME(name) RPS_STEP_JOIN(name, RPS_ISA)

#endif
