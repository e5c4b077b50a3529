/* Tables of motion: a cubic for each component between two rows (repose/motion.h). */
#ifndef RPS_WORLD_MOTION_TABLE_H
#define RPS_WORLD_MOTION_TABLE_H

#include <repose/motion.h>

#include <stdbool.h>

enum { RPS_MOTION_PARTS = 6 }; /* displacement and turn, three components each */

/* Powers of the time since the row at which it begins. */
typedef struct rps_motion_piece {
    double power[RPS_MOTION_PARTS][4];
} rps_motion_piece;

typedef struct rps_motion_table {
    char *name;
    size_t rows;
    double *time;                   /* s, rows */
    rps_motion_piece *piece;        /* rows - 1 */
    double total[RPS_MOTION_PARTS]; /* m and rad, from the first row to the last */
    bool repeat, moves, turns;
    bool along[RPS_MOTION_PARTS]; /* whether a component moves at all */
    double speed, rate;           /* m/s and rad/s, bounds */
    double shortest;              /* s, least time between two rows */
} rps_motion_table;

/* Displacement (m) and turn (rad) after a time, and their derivatives, to the right at rows. */
void rps_motion_table_at(const rps_motion_table *table, double time, double value[RPS_MOTION_PARTS],
                         double slope[RPS_MOTION_PARTS]);
/* The table of a drive; NULL: it has none. */
const rps_motion_table *rps_drive_table(const rps_world *world, const rps_drive *drive);
/* The same of its surface. */
const rps_motion_table *rps_drive_surface_table(const rps_world *world, const rps_drive *drive);
/* Whether a drive turns its body at any time; in a world of which it is or can be a drive. */
bool rps_drive_turns(const rps_world *world, const rps_drive *drive);
void rps_motion_tables_release(rps_world *world);

#endif
