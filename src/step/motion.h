/*
 * Motion of a range of bodies (motion_kernel.c), and the extremes of all bodies for the guards and the lists.
 */
#ifndef RPS_STEP_MOTION_H
#define RPS_STEP_MOTION_H

#include "base/cell.h"
#include "base/exact_sum.h"
#include "detect/prediction.h"
#include "step/batch.h"
#include "world/bodies.h"
#include "world/contact_store.h"

typedef struct rps_extreme_motion {
    double speed2;     /* m^2/s^2, of the fastest point; for a sphere, of its centre */
    double deviation2; /* m^2/s^2, relative to the predicted velocity of the centre, scaled (rps_prediction) */
    double rotation2;  /* square of half the angle of a step */
    double smallest;   /* m, half the smallest width of free bodies */
} rps_extreme_motion;

static inline double rps_motion_larger(double most, double x) {
    return most == most && !(x <= most) ? x : most;
}

/* Maximum that does not depend on the order of comparison; NaN wins, so that it is noticed. */
static inline void rps_motion_notice(rps_extreme_motion *most, double speed2, double deviation2, double rotation2,
                                     double radius) {
    most->speed2 = rps_motion_larger(most->speed2, speed2);
    most->deviation2 = rps_motion_larger(most->deviation2, deviation2);
    most->rotation2 = rps_motion_larger(most->rotation2, rotation2);
    most->smallest = radius < most->smallest ? radius : most->smallest;
}

/* A body with a squared half angle below this does not rotate: the square may be subnormal (flush.h). */
#define LEAST_ROTATION2 0x1p-800

/* One pass of motion over the bodies. */
typedef struct rps_motion_task {
    /* read */
    rps_load_rows loads;
    const rps_prediction *prediction;        /* by slot; NULL: none */
    const struct rps_general_shapes *shapes; /* for motion_single.c alone */
    const struct rps_drive_state *driven;
    rps_cell cell;
    double gravity[3];
    double time; /* s, between the two halves of motion */
    double step; /* s */
    double kick; /* s, for which the loads act in the first half */
    bool verlet, axes_locked, servos;
    bool initial; /* second half at the start of a run: loads only */
    bool fused;   /* the next first half follows at once, which sets the angular velocities of bodies with pieces */
    /* written */
    rps_bodies *bodies;
    rps_exact_sum *account; /* [RPS_ACCOUNTS], dissipation at the contacts of fixed and driven bodies (boundary.h) */
} rps_motion_task;

/* Brings the body back into the cell, unless the cell is sheared (lees_edwards.c). The guards stop a body that moves
 * by half a period in a step or is lost. */
static inline void rps_motion_wrap(const rps_motion_task *task, size_t s) {
    if (!task->cell.periodic || task->cell.sheared) return;
    (void)rps_cell_wrap(&task->cell, task->bodies->pose[s].position, NULL, task->bodies->image[s]);
}

/* Single bodies, which are not integrated in blocks (motion_single.c). */
void rps_motion_start_single(const rps_motion_task *task, size_t s, rps_extreme_motion *most);
/* A free body; now: sum of the loads of its contacts. */
void rps_motion_finish_free(const rps_motion_task *task, size_t s, const rps_load *now);
/* A fixed or driven body. A fixed one needs only its account, to complete the ledger. */
void rps_motion_finish_boundary(const rps_motion_task *task, size_t s);
/* A driven body with the load (N, N m) of its contacts. */
void rps_motion_finish_driven(const rps_motion_task *task, size_t s, rps_vec3 force, rps_vec3 torque);

/* m/s, scaled: rate at which a copy, which follow has moved, leaves its predicted path. */
double rps_motion_copy_deviation(const rps_motion_task *task, const rps_bodies *bodies, size_t s);

/* Rotates a free body with pieces for dt with constant angular momentum (free_rotation.c). Returns twice the sine of
 * half the total angle: no point moves farther than this times its distance from the center. */
double rps_free_rotation_advance(rps_bodies *bodies, size_t slot, double dt);

/* Half the smallest width of a free body with pieces (m). */
double rps_motion_half_width(const rps_motion_task *task, size_t s);

/* Free bodies with pieces that can rotate, whose motion is computed together: up to RPS_WIDE, in rising order of slots, all within
 * RPS_GROUP_SPAN of the first. */
enum { RPS_GROUP_SPAN = 64 };
typedef struct rps_motion_group {
    size_t slot[8];
    int count;
    int32_t measured; /* first piece of the last body whose width was noticed; -1: none */
} rps_motion_group;

/* The passes for such a group (motion_pieces_kernel.c): the two halves, and the second fused with the first of the next
 * step. */
typedef void rps_motion_group_fn(const rps_motion_task *task, rps_motion_group *group, rps_extreme_motion *most);
rps_motion_group_fn rps_motion_start_group_sse2, rps_motion_start_group_avx2, rps_motion_start_group_avx512;
rps_motion_group_fn rps_motion_finish_group_sse2, rps_motion_finish_group_avx2, rps_motion_finish_group_avx512;
rps_motion_group_fn rps_motion_kick_drift_group_sse2, rps_motion_kick_drift_group_avx2,
    rps_motion_kick_drift_group_avx512;

/* Slots first .. end - 1. Compiled once per instruction set (motion_kernel.c): both halves, and the second fused with
 * the first of the next step. */
typedef void rps_motion_start_fn(const rps_motion_task *task, size_t first, size_t end, rps_extreme_motion *most);
rps_motion_start_fn rps_motion_start_range_sse2, rps_motion_start_range_avx2, rps_motion_start_range_avx512;
rps_motion_start_fn rps_motion_kick_drift_range_sse2, rps_motion_kick_drift_range_avx2,
    rps_motion_kick_drift_range_avx512;
typedef void rps_motion_finish_fn(const rps_motion_task *task, size_t first, size_t end);
rps_motion_finish_fn rps_motion_finish_range_sse2, rps_motion_finish_range_avx2, rps_motion_finish_range_avx512;

#endif
