/*
 * Gap of a sphere and a plane: height of the centre above the plane less the radius. The plane is unbounded and its
 * normal has no component along a periodic axis, so images do not matter.
 */
#include "detect/gap_table.h"

void rps_gap_plane_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap) {
    const rps_pose *pose = world->bodies.pose;
    for (size_t c = 0; c < count; c++) {
        const double *p = pose[a[c]].position, *n = world->bodies.normal[a[c]];
        const rps_pose *s = &pose[b[c]];
        double height =
            ((s->position[0] - p[0]) * n[0] + (s->position[1] - p[1]) * n[1]) + (s->position[2] - p[2]) * n[2];
        gap[c] = height - s->radius[0];
    }
}
