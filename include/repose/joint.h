/*
 * Joints constrain the relative motion of two bodies, or of a body and the world. Each adds a few bilateral rows to a step: in the
 * nonsmooth stepper to its problem, in the penalty stepper to one that is solved before and after the motion. The reaction of each
 * joint is recorded. SI units; vectors in world axes. For errors and ownership see world.h.
 *
 * Loads and motions are those of the first body relative to the second: the force of the joint on the first body, its
 * displacement along the axis, its rotation about the axis (right hand). Points, axes and angles refer to the
 * positions of the bodies at the time when the joint is added.
 *
 * The free motion of a joint has up to three coordinates (m or rad, whole turns included), each 0 at the start:
 *
 *     hinge, motor that turns       the angle about `axis`
 *     slider, motor that slides     the displacement along `axis`
 *     distance                      the distance itself
 *     universal                     the angle about `axis`; the angle about `second_axis`
 *     cylindrical                   the displacement along `axis`; the angle about it
 *     screw                         the angle about `axis`; the displacement along it, which follows from the angle
 *     planar                        the angle about `axis`; the displacement along `second_axis`; that along axis x
 *                                   second_axis
 *
 * A coupling has the force or torque on the first body of its first joint, along or about the axis of that joint; on the
 * second joint acts -ratio times as much.
 */
#ifndef REPOSE_JOINT_H
#define REPOSE_JOINT_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rps_joint_kind {
    RPS_JOINT_FIXED,       /* no motion */
    RPS_JOINT_BALL,        /* turns about a point */
    RPS_JOINT_HINGE,       /* turns about an axis through the point */
    RPS_JOINT_SLIDER,      /* moves along an axis, which is fixed in the second body */
    RPS_JOINT_DISTANCE,    /* two points keep their distance */
    RPS_JOINT_MOTOR,       /* a slider or a hinge whose motion is prescribed */
    RPS_JOINT_UNIVERSAL,   /* turns about an axis of each body, which stay perpendicular and meet at the point */
    RPS_JOINT_CYLINDRICAL, /* moves along an axis, which is fixed in the second body, and turns about it */
    RPS_JOINT_SCREW,       /* the same, by a pitch with every turn */
    RPS_JOINT_PLANAR,      /* moves across an axis, which is fixed in the second body, and turns about it */
    RPS_JOINT_COUPLING, /* of two joints: the coordinate of one follows that of the other, as by gears, belts or a rack */
    RPS_JOINT_KINDS
} rps_joint_kind;

/* In place of a body: the fixed world. */
#define RPS_JOINT_WORLD UINT64_MAX

enum { RPS_JOINT_COORDINATES = 3 }; /* the most of a joint */

/* Prescribed motion of a motor: x(t) = speed t + amplitude (sin(2 pi frequency t + phase) - sin(phase)), t counted
 * from `from`, frozen after `until`. The position is controlled, so that errors do not accumulate. */
typedef struct rps_joint_motion {
    bool turns;         /* about the axis (rad), else along it (m) */
    double speed;       /* m/s or rad/s */
    double amplitude;   /* m or rad */
    double frequency;   /* Hz */
    double phase;       /* rad */
    double from, until; /* s; until < from: for ever */
} rps_joint_motion;

/* Friction, stops and spring along a coordinate, as rps_joint_def has them for the first one. */
typedef struct rps_joint_ends {
    double friction;
    double limits[2];
    double restitution;
    double stiffness, damping, rest;
    const double (*table)[2];
    size_t table_rows;
} rps_joint_ends;

typedef struct rps_joint_def {
    uint32_t size;
    const char *name; /* copied; distinct; NULL: none */
    rps_joint_kind kind;
    uint64_t body[2]; /* ids, or RPS_JOINT_WORLD */
    /* Of RPS_JOINT_COUPLING, in place of bodies: indices of two joints, whose first coordinates are held at
     * q0 = ratio q1. 1, m/rad or rad/m, not 0 */
    size_t joint[2];
    double ratio;
    double point[2][3]; /* m; RPS_JOINT_DISTANCE: one on each body; others use the first */
    double axis[3]; /* of any length; none of fixed, ball and distance. In a planar world hinges always turn about y */
    /* Of RPS_JOINT_UNIVERSAL the axis in the first body, of RPS_JOINT_PLANAR a direction in the second, perpendicular to
     * `axis` within 1e-6 */
    double second_axis[3];
    double pitch; /* m a turn, of RPS_JOINT_SCREW, not 0; right-handed if positive */
    /* m, of RPS_JOINT_DISTANCE; NAN: the present distance of the points. A different length is approached at the
     * recovery speed */
    double length;
    /* Dry friction along the first coordinate, -friction <= load <= friction: N if it is a displacement, N m if it is an angle. For
     * a ball joint it bounds the torque (N m) about each of three axes; the first lies along the relative rotation, so that
     * friction opposes it with exactly this torque. In stick the torque about each axis may reach the bound. */
    double friction;
    bool collide; /* contacts between the two bodies are enabled (false) */
    rps_joint_motion motion;
    /* N or N m, of a motor under any control, a command's load_max included: it pushes no harder. A motor with such a bound
     * follows the speed of its motion, and does not make up for what it missed in a stall. INFINITY: none */
    double load_max;
    /* Not of motors: stops, m or rad, limits[0] <= position <= limits[1], around the position 0 of the start;
     * -INFINITY, INFINITY: none. A body that meets a stop faster than the impact speed (on a hinge, that at the farthest point of
     * its bodies) leaves it with `restitution` (0 to 1) times that speed; the stop bears what presses on it */
    double limits[2];
    double restitution;
    /* Not of motors: a spring and a damper along the first coordinate, with the load -stiffness (position - rest)
     * - damping speed. By the trapezoidal rule: of second order in the step, stable at any, and without a damper it keeps
     * its energy. N/m, N s/m, m; of a hinge N m/rad, N m s/rad, rad */
    double stiffness, damping, rest;
    /* In place of stiffness and rest: the load of the spring on the first body (N, N m) at positions (m, rad) that ascend, as
     * rows {position, load}, two or more; copied. Lines join them, and the first and the last one go on. A restoring load has the sign opposite to
     * its position. The energy counts from position 0. 0 rows: none */
    const double (*table)[2];
    size_t table_rows;
    /* Of the second and third coordinate; not of a screw, whose second follows from the first */
    rps_joint_ends more[2];
} rps_joint_def;

/* A fixed joint without a name or friction, between the world and the world: the caller fills in kind, bodies, point. */
RPS_API rps_joint_def rps_joint_def_default(void);
/* Adds a joint before the first step; `index` (may be NULL) counts from 0. RPS_UNSUPPORTED in a sheared cell.
 * RPS_BAD_INPUT for bodies that do not exist, are the same or are both immovable, and for other invalid values. */
RPS_API rps_status rps_world_add_joint(rps_world *world, const rps_joint_def *def, size_t *index, rps_error *err);
RPS_API size_t rps_world_joint_count(const rps_world *world);                   /* their indices run from 0 */
RPS_API int64_t rps_world_find_joint(const rps_world *world, const char *name); /* -1: none */

/* Control of a motor. SPEED and POSITION are rows of the problem of a step, with the load as their unknown; LOAD is a
 * load on the two bodies. Its friction acts in addition. */
typedef enum rps_motor_control {
    RPS_MOTOR_MOTION,   /* the motion that the motor was added with */
    RPS_MOTOR_SPEED,    /* the speed is `value`; position errors are not corrected */
    RPS_MOTOR_POSITION, /* the speed is the distance to the position `value` over `time`, or less to brake in time */
    RPS_MOTOR_LOAD,     /* the force or torque along the axis is `value` */
    RPS_MOTOR_CONTROLS
} rps_motor_control;

typedef struct rps_motor_command {
    uint32_t size;
    rps_motor_control control;
    double value; /* m/s, m or N; of a motor that turns rad/s, rad (with whole turns) or N m */
    /* N or N m: a motor that cannot reach its speed with this load pushes with it; INFINITY: none but the motor's own */
    double load_max;
    double speed_max; /* m/s or rad/s, of a position; INFINITY: none */
    double time;      /* s, of a position; 0: a step, which is the least */
    /* m/s^2 or rad/s^2, of a position: the speed stays so low that this deceleration ends it there, by the square-root law of motion
     * control. INFINITY: none; with a load_max, which bounds the deceleration, a position is then overshot unless `time` leaves room. A
     * load_max of more than this times the inertia that the motor moves, and other loads, brakes in time */
    double deceleration;
} rps_motor_command;

/* Speed 0 without limits. */
RPS_API rps_motor_command rps_motor_command_default(void);
/* Commands a motor from now on, in place of its motion or the last command, at any time between steps; a checkpoint
 * keeps it. The work of the motor is part of the ledger's `drives`. RPS_BAD_INPUT for a joint that does not exist or is
 * no motor, for numbers that are not finite or negative limits, for a load above the motor's own limit, and for
 * RPS_MOTOR_MOTION. */
RPS_API rps_status rps_world_command_motor(rps_world *world, size_t joint, const rps_motor_command *command,
                                           rps_error *err);

/* A joint after the last step. */
typedef struct rps_joint_state {
    const char *name; /* "" if it has none; lives as long as the world */
    rps_joint_kind kind;
    uint64_t body[2];  /* of a coupling the first bodies of its joints */
    double point[3];   /* m, where its loads act: on the first body, unwrapped */
    double axis[3];    /* unit vector, as in the second body now, of a coupling that of its first joint; NAN: none */
    double force[3];   /* N, on the first body, mean of the last step, friction and drive included */
    double torque[3];  /* N m, on the first body, about the point */
    double position;   /* m or rad, the first coordinate; NAN if there is none */
    double turns;      /* position / (2 pi) of what turns, else NAN */
    double speed;      /* m/s or rad/s, rate of `position` */
    double error;      /* m, position error of the constraint; of a coupling m or rad, as its first coordinate */
    double dissipated; /* J, by friction so far */
    double coordinate[RPS_JOINT_COORDINATES], rate[RPS_JOINT_COORDINATES]; /* all; NAN beyond those that there are */
} rps_joint_state;
/* RPS_BAD_INPUT for a joint that does not exist. */
RPS_API rps_status rps_world_joint(const rps_world *world, size_t index, rps_joint_state *out, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
