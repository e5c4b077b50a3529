/* Velocity of surfaces that run (surface_velocity.h). */
#include "world/surface_velocity.h"

#include <math.h>

#include "base/flush.h"
#include "world/motion_table.h"

static bool is_set(const double v[3]) {
    return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0;
}

bool rps_drive_surface_turns(const rps_world *world, const rps_drive *drive) {
    const rps_motion_table *table = rps_drive_surface_table(world, drive);
    return is_set(drive->surface_turning) || (table != NULL && table->turns);
}

bool rps_drive_runs(const rps_drive *drive) {
    return is_set(drive->surface_velocity) || is_set(drive->surface_turning) || drive->surface_motion > 0;
}

/* The part of a step in which the drive acts, s. */
static bool part_of_step(const rps_drive *drive, double *begin, double *end) {
    const bool ends = drive->until >= drive->from;
    if (*begin < drive->from) *begin = drive->from;
    if (ends && *end > drive->until) *end = drive->until;
    return *end > *begin;
}

rps_surface_rates rps_surface_mean(const rps_drive_state *driven, double end, double dt) {
    const rps_drive *drive = &driven->now;
    rps_surface_rates rates = {rps_vec3_of(drive->surface_velocity), rps_vec3_of(drive->surface_turning)};
    double begin = end - dt, before[RPS_MOTION_PARTS], after[RPS_MOTION_PARTS], slope[RPS_MOTION_PARTS];
    if (driven->surface_table == NULL || !part_of_step(drive, &begin, &end)) return rates;
    rps_motion_table_at(driven->surface_table, begin - drive->from, before, slope);
    rps_motion_table_at(driven->surface_table, end - drive->from, after, slope);
    const double per_time = 1.0 / (end - begin);
    const rps_vec3 moved = rps_vec3_sub(rps_vec3_of(after), rps_vec3_of(before));
    const rps_vec3 turned = rps_vec3_sub(rps_vec3_of(after + 3), rps_vec3_of(before + 3));
    rates.velocity = rps_vec3_flush(rps_vec3_add_scaled(rates.velocity, per_time, moved));
    rates.turning = rps_vec3_flush(rps_vec3_add_scaled(rates.turning, per_time, turned));
    return rates;
}

rps_vec3 rps_surface_velocity(const rps_drive_state *driven, const rps_surface_rates *rates, rps_vec3 branch,
                              rps_vec3 n) {
    static const double LEAST = 1e-12; /* of the squared speed: along the normal it has no direction on the surface */
    /* the axis moves with the body */
    const rps_vec3 about = rps_vec3_sub(rps_vec3_of(driven->now.surface_about), driven->start);
    const rps_vec3 v = rps_vec3_add(rates->velocity, rps_vec3_cross(rates->turning, rps_vec3_sub(branch, about)));
    const rps_vec3 along = rps_vec3_reject(v, n);
    const double all = rps_vec3_norm2(v), part = rps_vec3_norm2(along);
    return part > LEAST * all ? rps_vec3_scale(along, sqrt(all / part)) : rps_vec3_zero();
}

double rps_surface_time(const rps_drive *drive, double end, double dt) {
    const bool ends = drive->until >= drive->from;
    double begin = end - dt;
    if (!rps_drive_runs(drive)) return 0.0;
    if (begin >= drive->from && !(ends && end > drive->until)) return dt;
    return part_of_step(drive, &begin, &end) ? end - begin : 0.0;
}
