/* A joint in the engine. Its definition belongs to the set-up of a world; its memory is state. */
#ifndef RPS_WORLD_JOINT_H
#define RPS_WORLD_JOINT_H

#include <repose/joint.h>

#include "base/vec.h"

enum {
    RPS_JOINT_HELD_ROWS = 6, /* the most that a joint holds */
    RPS_JOINT_IMPULSES =
        RPS_JOINT_HELD_ROWS + 3 * RPS_JOINT_COORDINATES, /* friction, stops, spring of each coordinate */
    RPS_JOINT_ROWS =
        3 + 4 * RPS_JOINT_COORDINATES, /* the most: those of a planar joint; it has two stops a coordinate */
    RPS_JOINT_NUMBERS = 39             /* of its memory */
};

/* State: all numbers. */
typedef struct rps_joint_memory {
    /* N s, N m s, of the last step: of what is held; of friction, stops and spring of each coordinate. Friction of a ball
     * joint has places 3 to 5, in the joint's axes */
    double impulse[RPS_JOINT_IMPULSES];
    double position[RPS_JOINT_COORDINATES]; /* m or rad; 0 beyond those that there are */
    double speed[RPS_JOINT_COORDINATES];
    double error;                             /* m */
    double point[3];                          /* m, unwrapped */
    double force[3], torque[3];               /* N, N m */
    double dissipated;                        /* J, by its friction */
    double control, value;                    /* rps_motor_control; as commanded */
    double load_max, speed_max, deceleration; /* 0: none */
    double time;                              /* s */
    double stored;                            /* J, by its springs, half a step before the end of the last one */
} rps_joint_memory;
_Static_assert(sizeof(rps_joint_memory) == RPS_JOINT_NUMBERS * sizeof(double), "the memory of a joint is nothing else");

typedef struct rps_joint {
    char *name; /* NULL: none */
    rps_joint_kind kind;
    bool collide;
    uint64_t body[2];
    double length, pitch;
    size_t coupled[2]; /* indices of two joints before it */
    double ratio;
    rps_joint_motion motion;
    double load_max; /* N or N m, of a motor; INFINITY: none */
    rps_joint_ends ends[RPS_JOINT_COORDINATES];
    void *table[RPS_JOINT_COORDINATES]; /* memory of their tables; NULL: none */
    rps_vec3 anchor[2];                 /* m, in the axes of each body, from its centre */
    rps_quat frame[2]; /* from the joint's axes to those of each body; z is the axis, x the second one */
    rps_vec3 image;    /* m, periods between the first body's point and the second's at the start */
    rps_joint_memory memory;
} rps_joint;

/* Ids of two bodies that a joint keeps from touching each other, the lower first. */
typedef struct rps_joined {
    uint64_t id[2];
} rps_joined;

/* Kinds of coordinates. */
typedef enum rps_joint_free { RPS_JOINT_HELD, RPS_JOINT_SLIDES, RPS_JOINT_TURNS } rps_joint_free;
/* RPS_JOINT_HELD beyond the coordinates that there are. */
rps_joint_free rps_joint_freedom(const rps_joint *joint, int coordinate);
/* The coordinate that is the `nth` (from 0) of this kind; -1 if there is none. */
int rps_joint_coordinate_of(const rps_joint *joint, rps_joint_free motion, int nth);
/* Number of coordinates along which friction, stops and springs can act: all but that of a screw that follows. */
int rps_joint_free_coordinates(const rps_joint *joint);

/* Whether the numbers of a command could have been given to the joint. */
bool rps_joint_command_sound(const rps_joint *joint, const rps_joint_memory *memory);

/* How it was made, as numbers. */
enum { RPS_JOINT_DEFINITION_NUMBERS = 56 };
void rps_joint_pack_definition(const rps_joint *joint, double out[RPS_JOINT_DEFINITION_NUMBERS]);
void rps_joints_release(struct rps_world *world);

#endif
