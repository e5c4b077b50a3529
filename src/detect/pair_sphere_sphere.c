/*
 * Gap of two spheres: distance of the centres less both radii.
 */
#include <math.h>

#include "detect/pair.h"

void rps_gap_sphere_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap) {
    const rps_pose *pose = world->bodies.pose;
    const double *period = world->options.period;
    double half[3];
    for (int k = 0; k < 3; k++) half[k] = period[k] > 0.0 ? 0.5 * period[k] : INFINITY;
    for (size_t c = 0; c < count; c++) {
        const rps_pose *p = &pose[a[c]], *q = &pose[b[c]];
        double dx = rps_nearest(p->position[0] - q->position[0], period[0], half[0]);
        double dy = rps_nearest(p->position[1] - q->position[1], period[1], half[1]);
        double dz = rps_nearest(p->position[2] - q->position[2], period[2], half[2]);
        gap[c] = sqrt((dx * dx + dy * dy) + dz * dz) - (p->radius[0] + q->radius[0]);
    }
}
