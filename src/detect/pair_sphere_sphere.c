/*
 * Gap of two spheres: distance of the centres less both radii. It is smallest at the closest approach of the
 * predicted paths.
 */
#include <math.h>

#include "detect/gap_table.h"

enum { LANES = 64 };
#define LEAST 1e-200 /* m^2: nobody goes so short a way */

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

void rps_gap_spheres_swept(const rps_world *world, const uint32_t *a, const uint32_t *b, size_t count, double time,
                           double *gap, float *pass2) {
    const rps_pose *pose = world->bodies.pose;
    const double *period = world->options.period;
    double half[3], d[3][LANES], pass[3][LANES], radii[LANES];
    for (int k = 0; k < 3; k++) half[k] = period[k] > 0.0 ? 0.5 * period[k] : INFINITY;
    for (size_t first = 0; first < count; first += LANES) {
        const size_t n = count - first < LANES ? count - first : LANES;
        for (size_t c = 0; c < n; c++) {
            const uint32_t i = a[first + c], j = b[first + c];
            const rps_pose *p = &pose[i], *q = &pose[j];
            const float *u = world->prediction[i], *v = world->prediction[j];
            d[0][c] = p->position[0] - q->position[0];
            d[1][c] = p->position[1] - q->position[1];
            d[2][c] = p->position[2] - q->position[2];
            pass[0][c] = (double)u[0] - (double)v[0];
            pass[1][c] = (double)u[1] - (double)v[1];
            pass[2][c] = (double)u[2] - (double)v[2];
            radii[c] = p->radius[0] + q->radius[0];
        }
#pragma omp simd
        for (size_t c = 0; c < n; c++) {
            const double u = pass[0][c], v = pass[1][c], w = pass[2][c];
            const double dx = rps_nearest(d[0][c], period[0], half[0]), x = u * time;
            const double dy = rps_nearest(d[1][c], period[1], half[1]), y = v * time;
            const double dz = rps_nearest(d[2][c], period[2], half[2]), z = w * time;
            const double way2 = ((x * x + y * y) + z * z) + LEAST, ahead = -((dx * x + dy * y) + dz * z);
            double part = (ahead > 0.0 ? ahead : 0.0) / way2; /* of the way, until they are nearest */
            part = part < 1.0 ? part : 1.0;
            const double nx = dx + part * x, ny = dy + part * y, nz = dz + part * z;
            gap[first + c] = sqrt((nx * nx + ny * ny) + nz * nz) - radii[c];
            pass2[first + c] = (float)((u * u + v * v) + w * w);
        }
    }
}
