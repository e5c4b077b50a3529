/*
 * Gaps of spheres: of two bodies, and of the pieces of bodies. Along predicted paths see gap_spheres_kernel.c.
 */
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

/* From the center of a body to its sphere, m, world axes, and the radius of that; of a body without pieces 0 and its
 * own radius. */
static inline rps_vec3 offset_of(const rps_world *world, size_t slot, uint32_t piece, double *radius) {
    const rps_piece *first = rps_body_pieces(world, slot);
    *radius = first != NULL ? first[piece].radius : world->bodies.pose[slot].radius[0];
    if (first == NULL) return rps_vec3_zero();
    const double *q = world->bodies.orientation[slot];
    return rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, rps_vec3_of(first[piece].offset));
}

void rps_gap_sphere_pieces(const rps_world *world, const uint32_t *a, const uint32_t *b, const rps_subkey *subkey,
                           size_t count, double *gap) {
    const rps_pose *pose = world->bodies.pose;
    for (size_t c = 0; c < count; c++) {
        double r_a, r_b, d[3];
        const rps_vec3 to_a = offset_of(world, a[c], subkey[c].piece_i, &r_a);
        const rps_vec3 to_b = offset_of(world, b[c], subkey[c].piece_j, &r_b);
        for (int k = 0; k < 3; k++) d[k] = pose[a[c]].position[k] - pose[b[c]].position[k];
        rps_cell_nearest(&world->cell, d);
        const rps_vec3 between = rps_vec3_add(rps_vec3_of(d), rps_vec3_sub(to_a, to_b));
        if (r_a > 0.0 && r_b > 0.0) {
            gap[c] = rps_vec3_norm(between) - (r_a + r_b);
        } else { /* a plane */
            const double height = rps_vec3_dot(between, rps_vec3_of(world->bodies.normal[r_a > 0.0 ? b[c] : a[c]]));
            gap[c] = (r_a > 0.0 ? height : -height) - (r_a + r_b);
        }
    }
}
