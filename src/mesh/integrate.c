/*
 * Area, and volume with its moments by the divergence theorem, exact for the polyhedron. A triangle a, b, c spans a
 * tetrahedron with the middle of the box: with D = a . (b x c), s = a + b + c,
 *
 *     V = sum D/6,   V x = sum D s/24,   int x x^T = sum D (a a^T + b b^T + c c^T + s s^T)/120.
 *
 * Sums are exact, so that what cancels between the tetrahedra leaves no error behind.
 */
#include "base/exact_sum.h"
#include "mesh/draft.h"

enum { BLOCK = 64, VOLUME = 0, FIRST = 1, SECOND = 4, MOMENTS = 10 };

/* xx, yy, zz, xy, xz, yz */
static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

static void tetrahedron_moments(double x[4][3], double out[MOMENTS]) {
    const rps_vec3 a = rps_vec3_of(x[0]), b = rps_vec3_of(x[1]), c = rps_vec3_of(x[2]);
    const double volume6 = rps_vec3_dot(a, rps_vec3_cross(b, c));
    out[VOLUME] = volume6 / 6.0;
    for (int k = 0; k < 3; k++) out[FIRST + k] = volume6 * x[3][k] / 24.0;
    for (int k = 0; k < 6; k++) {
        const int i = row[k], j = column[k];
        const double sum = ((x[0][i] * x[0][j] + x[1][i] * x[1][j]) + x[2][i] * x[2][j]) + x[3][i] * x[3][j];
        out[SECOND + k] = volume6 * sum / 120.0;
    }
}

/* Fills the corners of a triangle relative to the middle, and their sum. */
static void corners_of(const rps_mesh *m, size_t triangle, const double middle[3], double x[4][3]) {
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) x[c][k] = m->point[m->triangle[triangle][c]][k] - middle[k];
        x[3][k] = (x[0][k] + x[1][k]) + x[2][k];
    }
}

/* Moments of all, and the area last. */
static void sum_moments(const rps_mesh *m, const double middle[3], double out[MOMENTS + 1]) {
    rps_exact_sum sum[MOMENTS + 1];
    double term[MOMENTS + 1][BLOCK];
    memset(sum, 0, sizeof sum);
    for (size_t begin = 0; begin < m->triangles; begin += BLOCK) {
        const size_t count = m->triangles - begin < BLOCK ? m->triangles - begin : BLOCK;
        for (size_t n = 0; n < count; n++) {
            double x[4][3], moment[MOMENTS];
            corners_of(m, begin + n, middle, x);
            tetrahedron_moments(x, moment);
            for (int k = 0; k < MOMENTS; k++) term[k][n] = moment[k];
            const rps_vec3 a = rps_vec3_of(x[0]), b = rps_vec3_of(x[1]), c = rps_vec3_of(x[2]);
            term[MOMENTS][n] = 0.5 * rps_vec3_norm(rps_vec3_cross(rps_vec3_sub(b, a), rps_vec3_sub(c, a)));
        }
        for (int k = 0; k <= MOMENTS; k++) rps_exact_sum_add_all(&sum[k], term[k], count);
    }
    for (int k = 0; k <= MOMENTS; k++) out[k] = rps_exact_sum_value(&sum[k]);
}

void rps_mesh_integrate(rps_mesh *mesh, bool closed) {
    double middle[3], moment[MOMENTS + 1], center[3], spread[6];
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * mesh->box.low[k] + 0.5 * mesh->box.high[k];
    sum_moments(mesh, middle, moment);
    mesh->area = moment[MOMENTS];
    mesh->closed = closed;
    if (!closed || moment[VOLUME] == 0.0) return;
    mesh->volume = moment[VOLUME];
    for (int k = 0; k < 3; k++) center[k] = moment[FIRST + k] / moment[VOLUME];
    for (int k = 0; k < 6; k++) {
        spread[k] = moment[SECOND + k] / moment[VOLUME] - center[row[k]] * center[column[k]];
    }
    mesh->center = rps_vec3_add(rps_vec3_of(middle), rps_vec3_of(center));
    const double inertia[6] = {
        spread[1] + spread[2], spread[0] + spread[2], spread[0] + spread[1], -spread[3], -spread[4], -spread[5]};
    memcpy(mesh->inertia, inertia, sizeof inertia);
}
