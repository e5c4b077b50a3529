/*
 * Gap of a sphere and a plane: height of the centre above the plane less the radius. The plane is unbounded and its normal
 * has no component along a periodic axis, so that no image enters.
 */
#include "detect/pair.h"

void rps_gap_plane_sphere(const rps_world *world, size_t slot, const uint32_t *other, size_t count, double *gap) {
    const rps_pose *pose = world->bodies.pose;
    const double *p = pose[slot].position;
    const double *n = world->bodies.normal[slot];
    for (size_t c = 0; c < count; c++) {
        const rps_pose *s = &pose[other[c]];
        double height = ((s->position[0] - p[0]) * n[0] + (s->position[1] - p[1]) * n[1]) +
                        (s->position[2] - p[2]) * n[2];
        gap[c] = height - s->radius[0];
    }
}
