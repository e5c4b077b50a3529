/* Limits and alarms of the guards (guard.c), and the bodies that trip them. */
#ifndef RPS_STEP_GUARD_ALARM_H
#define RPS_STEP_GUARD_ALARM_H

#include "world/world.h"

#define RPS_GUARD_BEHIND 1.0 /* overlap with a plane, in radii, at which the centre is behind it */

extern const char *const rps_guard_key[RPS_GUARD_COUNT];

/* Bodies that may trip a guard; slots, SIZE_MAX: none. Of many processes one has them and tells (world/share.h). */
typedef struct rps_culprits {
    double value; /* by which they are found: the largest of all processes */
    size_t slot, other;
    uint64_t gid[2]; /* their ids in the whole world */
    bool here;
} rps_culprits;

rps_culprits rps_culprits_find(const rps_world *world, double value, size_t slot, size_t other);
/* Records them; `guard` is that of the world, here and below. */
void rps_culprits_name(rps_guard_state *guard, const rps_culprits *found);

/* "(x, y, z) m" of a body; returns `out`. */
const char *rps_guard_position(const rps_world *world, size_t slot, char *out, size_t bytes);
/* The value at which a guard trips; INFINITY when it is off. */
double rps_guard_threshold(const rps_world *world, rps_guard_kind kind, double limit);
/* Stops or warns: `fmt` tells the bodies and where, then come the time and, on its own line, the remedy. */
rps_status rps_guard_alarm(const rps_world *world, rps_guard_state *guard, rps_guard_kind kind, double value,
                           rps_error *err, const char *remedy, const char *fmt, ...) RPS_PRINTF(7, 8);
/* The same where another process has the bodies and tells: all stop, or repeat the warning, at the same value. */
rps_status rps_guard_alarm_elsewhere(const rps_world *world, rps_guard_state *guard, rps_guard_kind kind, double value,
                                     const rps_culprits *found, rps_error *err);
/* The sentence of a process that does not have the bodies. */
rps_status rps_guard_stopped_elsewhere(const rps_world *world, const char *key, const rps_culprits *found,
                                       rps_error *err);

#endif
