/*
 * The part of a closed mesh in a box.
 *
 * The field (0, 0, z - low_z), held at 0 below the box and constant above it, has the divergence 1 between the two planes and 0
 * outside; and none of it passes the sides of the column over the box. So its flux through the surface within that column is the
 * volume: each triangle is cut by the four planes of the column, its part between the planes across z by their distance from the lower
 * one, its part above by the height of the box, both times the area seen along z, whose sign is that of the normal.
 */
#include "mesh/enclose.h"

#include <math.h>

enum { CORNERS = 3 + 4 + 2 /* a plane adds at most one to a convex polygon */ };

typedef struct cut_face {
    rps_vec3 corner[CORNERS];
    int corners;
} cut_face;

static double height_of(const rps_vec3 *x, int axis) {
    return axis == 0 ? x->x : axis == 1 ? x->y : x->z;
}

/* Keeps what lies above `at` along an axis (sign 1), or below it (-1). */
static void cut_at(cut_face *face, int axis, double at, double sign) {
    if (isinf(at)) return;
    cut_face kept = {.corners = 0};
    for (int k = 0; k < face->corners; k++) {
        const rps_vec3 a = face->corner[k], b = face->corner[(k + 1) % face->corners];
        const double in_a = sign * (height_of(&a, axis) - at), in_b = sign * (height_of(&b, axis) - at);
        if (in_a >= 0.0) kept.corner[kept.corners++] = a;
        if ((in_a >= 0.0) == (in_b >= 0.0)) continue;
        kept.corner[kept.corners++] = rps_vec3_add_scaled(a, in_a / (in_a - in_b), rps_vec3_sub(b, a));
    }
    *face = kept;
}

/* Integral of z - low over the area seen along z; with low = -INFINITY the area itself. */
static double flux_of(const cut_face *face, double low) {
    double sum = 0.0;
    for (int k = 2; k < face->corners; k++) {
        const rps_vec3 a = face->corner[0], b = face->corner[k - 1], c = face->corner[k];
        const double area = 0.5 * ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
        sum += isinf(low) ? area : area * (((a.z - low) + (b.z - low) + (c.z - low)) / 3.0);
    }
    return sum;
}

double rps_mesh_volume_inside(const rps_mesh *mesh, const rps_mat3 *turn, const double low[3], const double high[3]) {
    double reach = 0.0, sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double far = fabs(mesh->box.low[k]) > fabs(mesh->box.high[k]) ? mesh->box.low[k] : mesh->box.high[k];
        reach += fabs(far);
    }
    /* nothing lies beyond `reach` along any axis */
    const double bottom = low[2] > -reach ? low[2] : -reach, top = high[2] < reach ? high[2] : reach;
    if (!(bottom < top)) return 0.0;
    for (size_t t = 0; t < mesh->triangles; t++) {
        cut_face face = {.corners = 3};
        for (int k = 0; k < 3; k++) {
            face.corner[k] = rps_mat3_mul_vec(turn, rps_vec3_of(mesh->point[mesh->triangle[t][k]]));
        }
        for (int axis = 0; axis < 2; axis++) {
            cut_at(&face, axis, low[axis], 1.0);
            cut_at(&face, axis, high[axis], -1.0);
        }
        cut_face above = face;
        cut_at(&above, 2, top, 1.0);
        sum += flux_of(&above, -INFINITY) * (top - bottom);
        cut_at(&face, 2, bottom, 1.0);
        cut_at(&face, 2, top, -1.0);
        sum += flux_of(&face, bottom);
    }
    return sum > 0.0 ? sum : 0.0;
}
