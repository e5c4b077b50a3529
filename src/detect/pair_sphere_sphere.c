/*
 * Gap of two spheres: distance of the centres less both radii. It is smallest at the closest approach of the
 * predicted paths.
 */
#include <math.h>

#include "detect/gap_table.h"

enum { LANES = 64 };
#define LEAST 1e-200 /* m^2: below any real displacement */

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

void rps_gap_spheres_swept(const rps_world *world, const rps_prediction *prediction, const uint32_t *a,
                           const uint32_t *b, size_t count, double time, double *gap, float *pass2) {
    const rps_pose *pose = world->bodies.pose;
    const rps_cell cell = world->cell;
    double d[3][LANES], pass[3][LANES], radii[LANES];
    for (size_t first = 0; first < count; first += LANES) {
        const size_t n = count - first < LANES ? count - first : LANES;
        for (size_t c = 0; c < n; c++) {
            const uint32_t i = a[first + c], j = b[first + c];
            const rps_pose *p = &pose[i], *q = &pose[j];
            const float *u = prediction[i].v, *v = prediction[j].v;
            d[0][c] = p->position[0] - q->position[0];
            d[1][c] = p->position[1] - q->position[1];
            d[2][c] = p->position[2] - q->position[2];
            pass[0][c] = (double)u[0] - (double)v[0];
            pass[1][c] = (double)u[1] - (double)v[1];
            pass[2][c] = (double)u[2] - (double)v[2];
            radii[c] = p->radius[0] + q->radius[0];
        }
        for (size_t c = 0; c < n && cell.sheared; c++) {
            const double away = d[cell.gradient][c];
            pass[cell.flow][c] -= cell.speed * rps_cell_images_up(&cell, away);
            d[cell.flow][c] -= cell.offset * rps_cell_images_up(&cell, away);
        }
#pragma omp simd
        for (size_t c = 0; c < n; c++) {
            const double u = pass[0][c], v = pass[1][c], w = pass[2][c];
            const double dx = rps_cell_nearest_along(&cell, 0, d[0][c]), x = u * time;
            const double dy = rps_cell_nearest_along(&cell, 1, d[1][c]), y = v * time;
            const double dz = rps_cell_nearest_along(&cell, 2, d[2][c]), z = w * time;
            const double way2 = ((x * x + y * y) + z * z) + LEAST, ahead = -((dx * x + dy * y) + dz * z);
            double part = (ahead > 0.0 ? ahead : 0.0) / way2; /* fraction of the path to the closest approach */
            part = part < 1.0 ? part : 1.0;
            const double nx = dx + part * x, ny = dy + part * y, nz = dz + part * z;
            gap[first + c] = sqrt((nx * nx + ny * ny) + nz * nz) - radii[c];
            pass2[first + c] = (float)((u * u + v * v) + w * w);
        }
    }
}
