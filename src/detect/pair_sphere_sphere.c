/* Gap of two spheres: distance of the centers less both radii. Along predicted paths see gap_spheres_kernel.c. */
#include <math.h>

#include "detect/gap_table.h"

void rps_gap_sphere_sphere(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double *gap) {
    const rps_pose *pose = world->bodies.pose;
    const rps_cell cell = world->cell;
    for (size_t c = 0; c < count; c++) {
        const rps_pose *p = &pose[a[c]], *q = &pose[b[c]];
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = p->position[k] - q->position[k];
        rps_cell_nearest(&cell, d);
        gap[c] = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) - (p->radius[0] + q->radius[0]);
    }
}
