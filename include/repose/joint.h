/*
 * Joints: what two bodies, or a body and the world, cannot do against each other. They belong to the nonsmooth stepper,
 * where each is a few bilateral rows of the problem of a step; each has its reaction recorded. SI units; vectors in
 * world axes. For errors and ownership see world.h.
 *
 * Loads and motions are those of the first body against the second: the force of the joint on the first body, how far the
 * first has moved along the axis, by how much it has turned about it (right hand). Points, axes and angles are given, and
 * counted, from where the bodies are when the joint is added.
 */
#ifndef REPOSE_JOINT_H
#define REPOSE_JOINT_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rps_joint_kind {
    RPS_JOINT_FIXED,    /* no motion */
    RPS_JOINT_BALL,     /* turns about a point */
    RPS_JOINT_HINGE,    /* turns about an axis through the point */
    RPS_JOINT_SLIDER,   /* moves along an axis, which is fixed in the second body */
    RPS_JOINT_DISTANCE, /* two points keep their distance */
    RPS_JOINT_MOTOR,    /* a slider or a hinge whose motion is prescribed */
    RPS_JOINT_KINDS
} rps_joint_kind;

/* In place of a body: what never moves. */
#define RPS_JOINT_WORLD UINT64_MAX

/* Prescribed motion of a motor: x(t) = speed t + amplitude (sin(2 pi frequency t + phase) - sin(phase)), t counted from
 * `from`, frozen after `until`. The position is held, so that no error adds up. */
typedef struct rps_joint_motion {
    bool turns;         /* about the axis (rad), else along it (m) */
    double speed;       /* m/s or rad/s */
    double amplitude;   /* m or rad */
    double frequency;   /* Hz */
    double phase;       /* rad */
    double from, until; /* s; until < from: for ever */
} rps_joint_motion;

typedef struct rps_joint_def {
    uint32_t size;
    const char *name; /* copied; distinct; NULL: none */
    rps_joint_kind kind;
    uint64_t body[2];   /* ids, or RPS_JOINT_WORLD */
    double point[2][3]; /* m; of RPS_JOINT_DISTANCE one on each body, of others the first */
    double axis[3]; /* of hinge, slider and motor, of any length. In a planar world hinges turn about y by themselves */
    double length;  /* m, of RPS_JOINT_DISTANCE; NAN: as the points are. Another one is approached at the recovery
                           * speed */
    /* Dry friction along what the joint leaves free, -friction <= load <= friction: N of a slider, N m of a hinge, either of
     * a motor. Of a ball the torque (N m) about three axes, of which the first lies along the turning, so that
     * friction opposes it with just this; what sticks bears as much about each. */
    double friction;
    bool collide; /* may the two bodies touch each other? (false) */
    rps_joint_motion motion;
} rps_joint_def;

RPS_API rps_joint_def rps_joint_def_default(void);
/* Adds a joint before the first step; `index` (may be NULL) counts from 0. RPS_UNSUPPORTED with the penalty stepper.
 * RPS_BAD_INPUT for bodies that do not exist, are the same or can both not move, and for what makes no sense. */
RPS_API rps_status rps_world_add_joint(rps_world *world, const rps_joint_def *def, size_t *index, rps_error *err);
RPS_API size_t rps_world_joint_count(const rps_world *world);
RPS_API int64_t rps_world_find_joint(const rps_world *world, const char *name); /* -1: none */

/* A joint after the last step. */
typedef struct rps_joint_state {
    const char *name; /* "" if it has none; lives as long as the world */
    rps_joint_kind kind;
    uint64_t body[2];
    double point[3];   /* m, where its loads act: on the first body, unwrapped */
    double force[3];   /* N, on the first body, mean of the last step, friction and drive included */
    double torque[3];  /* N m, on the first body, about the point */
    double position;   /* m, or rad with all whole turns, of the free direction; of a distance its length; else NAN */
    double speed;      /* m/s or rad/s, of the same */
    double error;      /* m, by which the points are off what the joint says */
    double dissipated; /* J, by its friction so far */
} rps_joint_state;
/* RPS_BAD_INPUT for a joint that does not exist. */
RPS_API rps_status rps_world_joint(const rps_world *world, size_t index, rps_joint_state *out, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
