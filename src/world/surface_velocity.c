/* Velocity of surfaces that run (surface_velocity.h). */
#include "world/surface_velocity.h"

#include <math.h>

static bool is_set(const double v[3]) {
    return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0;
}

bool rps_drive_surface_turns(const rps_drive *drive) {
    return is_set(drive->surface_turning);
}

bool rps_drive_runs(const rps_drive *drive) {
    return is_set(drive->surface_velocity) || is_set(drive->surface_turning);
}

rps_vec3 rps_surface_velocity(const rps_drive_state *driven, rps_vec3 branch, rps_vec3 n) {
    static const double LEAST = 1e-12; /* of the squared speed: along the normal it has no direction on the surface */
    const rps_drive *drive = &driven->now;
    const rps_vec3 w = rps_vec3_of(drive->surface_turning);
    /* the axis moves with the body */
    const rps_vec3 about = rps_vec3_sub(rps_vec3_of(drive->surface_about), driven->start);
    const rps_vec3 v =
        rps_vec3_add(rps_vec3_of(drive->surface_velocity), rps_vec3_cross(w, rps_vec3_sub(branch, about)));
    const rps_vec3 along = rps_vec3_reject(v, n);
    const double all = rps_vec3_norm2(v), part = rps_vec3_norm2(along);
    return part > LEAST * all ? rps_vec3_scale(along, sqrt(all / part)) : rps_vec3_zero();
}

double rps_surface_time(const rps_drive *drive, double end, double dt) {
    const bool ends = drive->until >= drive->from;
    double begins = end - dt;
    if (!rps_drive_runs(drive)) return 0.0;
    if (begins >= drive->from && !(ends && end > drive->until)) return dt;
    if (begins < drive->from) begins = drive->from;
    if (ends && end > drive->until) end = drive->until;
    return end > begins ? end - begins : 0.0;
}
