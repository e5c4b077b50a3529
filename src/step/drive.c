/*
 * Drives: bodies whose motion is prescribed. Position in closed form from the time, never accumulated.
 */
#include "base/elementary.h"
#include "step/step_stages.h"

void rps_drive_at(const rps_drive *drive, rps_vec3 start, double time, rps_vec3 *position, rps_vec3 *velocity,
                  rps_vec3 *angular_velocity) {
    const bool ends = drive->until >= drive->from;
    const bool waiting = time < drive->from;
    const bool over = ends && time >= drive->until;
    double t = waiting ? 0.0 : (over ? drive->until : time) - drive->from;
    const double turn = 2.0 * RPS_PI * drive->frequency;
    double sine, cosine, sine0, cosine0;
    rps_sincos(turn * t + drive->phase, &sine, &cosine);
    rps_sincos(drive->phase, &sine0, &cosine0);
    const double moving = waiting || over ? 0.0 : 1.0;
    double x[3] = {start.x, start.y, start.z}, v[3], w[3];
    for (int k = 0; k < 3; k++) {
        x[k] += drive->velocity[k] * t + drive->amplitude[k] * (sine - sine0);
        v[k] = moving * (drive->velocity[k] + drive->amplitude[k] * turn * cosine);
        w[k] = moving * drive->angular_velocity[k];
    }
    *position = (rps_vec3){x[0], x[1], x[2]};
    *velocity = (rps_vec3){v[0], v[1], v[2]};
    *angular_velocity = (rps_vec3){w[0], w[1], w[2]};
}
