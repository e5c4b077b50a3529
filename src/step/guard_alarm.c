/* The limits of guards, and their alarms (guard_alarm.h). */
#include "step/guard_alarm.h"

#include <math.h>
#include <stdarg.h>

#include "base/c_locale.h"
#include "base/log.h"
#include "step/step_stages.h"
#include "world/share.h"

static const double CENTRES = 1.999; /* overlap, in radii, from which centres may coincide; they do at 2 or more */
static const double AGAIN = 2.0;     /* a warning is repeated when the value has grown by this */
const char *const rps_guard_key[RPS_GUARD_COUNT] = {"overlap", "motion", "lost", "step"};

const char *rps_guard_position(const rps_world *world, size_t slot, char *out, size_t bytes) {
    double x[3];
    rps_world_unwrapped(world, slot, x);
    rps_snprintf(out, bytes, "(%.6g, %.6g, %.6g) m", x[0], x[1], x[2]);
    return out;
}

double rps_guard_threshold(const rps_world *world, rps_guard_kind kind, double limit) {
    if (world->options.guards.action[kind] == RPS_GUARD_OFF) {
        return INFINITY;
    }
    const double again = AGAIN * world->guard.last_warned[kind];
    return again > limit ? again : limit;
}

/* Sets the limits that every step compares with, and resets them after a warning. The contact loop uses the smaller
 * of two limits: for overlaps, and for bodies behind planes. If both are off or large, it uses that of coinciding
 * centres. */
void rps_guard_arm(const rps_world *world, rps_guard_state *guard) {
    const rps_guards *guards = &world->options.guards;
    const double overlap = rps_guard_threshold(world, RPS_GUARD_OVERLAP, guards->overlap);
    const double lost = rps_guard_threshold(world, RPS_GUARD_LOST, RPS_GUARD_BEHIND);
    guard->overlap = overlap < lost ? overlap : lost;
    guard->overlap = guard->overlap < CENTRES ? guard->overlap : CENTRES;
    guard->motion = rps_guard_threshold(world, RPS_GUARD_MOTION, 1.0);
}

rps_culprits rps_culprits_find(const rps_world *world, double value, size_t slot, size_t other) {
    const rps_bodies *bodies = &world->bodies;
    rps_culprits found = {.value = value, .slot = slot, .other = other, .gid = {UINT64_MAX, UINT64_MAX}};
    if (slot < bodies->count) found.gid[0] = rps_share_gid(world, bodies->id[slot][0]);
    if (other < bodies->count) found.gid[1] = rps_share_gid(world, bodies->id[other][0]);
    found.here = rps_share_leads(world, &found.value, found.gid);
    return found;
}

void rps_culprits_name(rps_guard_state *guard, const rps_culprits *found) {
    guard->offending_body[0] = found->gid[0];
    guard->offending_body[1] = found->gid[1];
}

rps_status rps_guard_stopped_elsewhere(const rps_world *world, const char *key, const rps_culprits *found,
                                       rps_error *err) {
    return rps_fail(err, RPS_GUARD,
                    "guard `%s`: body %llu, which another process holds, tripped it; at t = %.9g s (step %llu)", key,
                    (unsigned long long)found->gid[0], rps_world_time(world), (unsigned long long)world->steps);
}

rps_status rps_guard_alarm(const rps_world *world, rps_guard_state *guard, rps_guard_kind kind, double value,
                           rps_error *err, const char *remedy, const char *fmt, ...) {
    char found[768];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(found, sizeof found, fmt, args);
    va_end(args);
    char doubt[256] = "";
    if (world->solver.missed > 0) {
        rps_snprintf(
            doubt, sizeof doubt,
            "%llu of %llu steps before were left above the tolerance, and contacts and joints created %.3g J in "
            "them: raise `max_iterations`, or let `on_missed: refine` repeat them in halves; else ",
            (unsigned long long)world->solver.missed, (unsigned long long)world->solver.steps, world->solver.gained);
    }
    if (world->options.guards.action[kind] == RPS_GUARD_STOP) {
        guard->stopped = (int)kind;
        return rps_fail(err, RPS_GUARD, "guard `%s`: %s; at t = %.9g s (step %llu)\n%s%s", rps_guard_key[kind], found,
                        rps_world_time(world), (unsigned long long)world->steps, doubt, remedy);
    }
    guard->last_warned[kind] = value;
    rps_guard_arm(world, guard);
    if (world->options.log) {
        char text[1024];
        rps_snprintf(text, sizeof text, "guard `%s`: %s; at t = %.9g s (step %llu)", rps_guard_key[kind], found,
                     rps_world_time(world), (unsigned long long)world->steps);
        world->options.log(world->options.log_context, RPS_LOG_WARNING, text);
    }
    return RPS_OK;
}

rps_status rps_guard_alarm_elsewhere(const rps_world *world, rps_guard_state *guard, rps_guard_kind kind, double value,
                                     const rps_culprits *found, rps_error *err) {
    if (world->options.guards.action[kind] == RPS_GUARD_STOP) {
        guard->stopped = (int)kind;
        return rps_guard_stopped_elsewhere(world, rps_guard_key[kind], found, err);
    }
    guard->last_warned[kind] = value;
    rps_guard_arm(world, guard);
    return RPS_OK;
}
