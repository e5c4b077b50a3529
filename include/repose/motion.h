/*
 * Motion by a table: rows of time and place, velocity or turning, which a drive follows.
 *
 * The displacement is a continuous function of time, and the velocity is its derivative. Columns of velocity alone are linear
 * between rows, and the displacement is their integral. Columns of place alone give a cubic between two rows, whose slope at a
 * row is that of the parabola through it and its two neighbors, and 0 beside rows that are equal: what stays, stays. Both
 * together give the cubic with these values and slopes.
 */
#ifndef REPOSE_MOTION_H
#define REPOSE_MOTION_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rps_motion_def {
    uint32_t size;
    const char *name;   /* in sentences; NULL: none */
    const double *time; /* s, increasing */
    size_t rows;        /* at least 2 */
    const double (
        *position)[3]; /* m; the body moves by the difference from the first row. NULL: the integral of velocity */
    const double (*velocity)[3]; /* m/s; NULL: the derivative of position */
    const double (*turn)[3];     /* rad, angle times axis, in world axes. NULL: the integral of angular_velocity */
    const double (*angular_velocity)[3]; /* rad/s */
    int linear; /* 1: position and turn are linear between rows, the velocity jumps there (0) */
    /* 1: after the last row the table begins again, and each repetition begins where the one before ended (0). Else nothing moves
     * before the first row and after the last */
    int repeat;
} rps_motion_def;

RPS_API rps_motion_def rps_motion_def_default(void);
/* Adds a table, copied, before the first step; *number (may be NULL) counts the tables of the world from 1, as
 * rps_drive.motion refers to them. RPS_BAD_INPUT for fewer than two rows, times that do not increase, numbers that are not
 * finite, no column at all, and velocities beside positions that are `linear`. */
RPS_API rps_status rps_world_add_motion(rps_world *world, const rps_motion_def *def, int *number, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
