/*
 * The part of a body inside an axis-aligned box.
 *
 * Spheres and disks have a closed form. Everything reduces to the part of a unit ball where x >= a, y >= b and z >=
 * c, none of them negative. By the divergence theorem, three times its volume is the area of its spherical face less
 * its plane faces times their distances from the centre; the Gauss-Bonnet theorem gives the spherical area from three
 * angles and three arcs. A box is the region beyond its lower corner less those beyond other corners, with the signs
 * of inclusion and exclusion.
 *
 * Of a solid with the surface of a mesh its triangles give it (mesh/volume_inside.c). For all other bodies the result is the fraction of the length of many parallel chords (part_inside.c).
 */
#include "base/elementary.h"
#include "mesh/enclose.h"
#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

static double clamped(double t) {
    return t < -1.0 ? -1.0 : t > 1.0 ? 1.0 : t;
}

/* sqrt(1 - a^2 - b^2), for a positive radicand. */
static double height_above(double a, double b) {
    return sqrt((1.0 - a) * (1.0 + a) - b * b);
}

/* --- the unit disk ---------------------------------------------------------------------------------------------------- */

/* Where x >= a. */
static double disk_beyond(double a) {
    const double half_chord = height_above(a, 0.0);
    return rps_atan2(half_chord, a) - a * half_chord;
}

/* Where x >= a and y >= b. */
static double disk_corner(double a, double b) {
    if (a < 0.0) return disk_beyond(b) - disk_corner(-a, b);
    if (b < 0.0) return disk_beyond(a) - disk_corner(a, -b);
    if (a * a + b * b >= 1.0) return 0.0;
    const double y = height_above(a, 0.0), x = height_above(b, 0.0); /* where the lines leave the disk */
    return 0.5 * (rps_atan2(y, a) - rps_atan2(b, x) - a * (y - b) - b * (x - a));
}

/* --- the unit ball ---------------------------------------------------------------------------------------------------- */

static double ball_beyond(double a) {
    return RPS_PI / 3.0 * (1.0 - a) * (1.0 - a) * (2.0 + a);
}

/* In the plane x = a: angle of the arc from y = b to z = c, and the area that it encloses with these lines. */
static void plane_face(double a, double b, double c, double *arc, double *area) {
    const double z = height_above(a, b), y = height_above(a, c);
    *arc = rps_atan2(z, b) - rps_atan2(c, y);
    *area = 0.5 * ((1.0 - a) * (1.0 + a) * *arc - b * (z - c) - c * (y - b));
}

/* Where x >= a, y >= b and z >= c. */
static double ball_corner(double a, double b, double c);

/* Where x >= a and y >= b. */
static double ball_edge(double a, double b) {
    if (a < 0.0) return ball_beyond(b) - ball_edge(-a, b);
    if (b < 0.0) return ball_beyond(a) - ball_edge(a, -b);
    return 2.0 * ball_corner(a, b, 0.0);
}

static double ball_corner(double a, double b, double c) {
    if (a < 0.0) return ball_edge(b, c) - ball_corner(-a, b, c);
    if (b < 0.0) return ball_edge(a, c) - ball_corner(a, -b, c);
    if (c < 0.0) return ball_edge(a, b) - ball_corner(a, b, -c);
    if (a * a + b * b + c * c >= 1.0) return 0.0;
    double arc[3], area[3];
    plane_face(a, b, c, &arc[0], &area[0]);
    plane_face(b, c, a, &arc[1], &area[1]);
    plane_face(c, a, b, &arc[2], &area[2]);
    const double corners = rps_atan2(height_above(a, b), a * b) + rps_atan2(height_above(b, c), b * c) +
                           rps_atan2(height_above(c, a), c * a);
    const double face = corners - RPS_PI - (a * arc[0] + b * arc[1] + c * arc[2]);
    return (face - (a * area[0] + b * area[1] + c * area[2])) / 3.0;
}

double rps_sphere_inside(double radius, const double low[3], const double high[3]) {
    const double whole = 4.0 / 3.0 * RPS_PI * ((radius * radius) * radius);
    double corner[3][2], sum = 0.0;
    bool cut = false;
    for (int k = 0; k < 3; k++) {
        corner[k][0] = clamped(low[k] / radius);
        corner[k][1] = clamped(high[k] / radius);
        cut = cut || corner[k][0] > -1.0 || corner[k][1] < 1.0;
    }
    if (!cut) return whole;
    for (int n = 0; n < 8; n++) {
        const int i = n & 1, j = n >> 1 & 1, k = n >> 2;
        const double beyond = ball_corner(corner[0][i], corner[1][j], corner[2][k]);
        sum += (i + j + k) % 2 ? -beyond : beyond;
    }
    return sum > 0.0 ? sum * ((radius * radius) * radius) : 0.0;
}

double rps_disk_inside(double radius, const double low[3], const double high[3]) {
    double corner[2][2], sum = 0.0;
    bool cut = false;
    for (int k = 0; k < 2; k++) {
        corner[k][0] = clamped(low[2 * k] / radius);
        corner[k][1] = clamped(high[2 * k] / radius);
        cut = cut || corner[k][0] > -1.0 || corner[k][1] < 1.0;
    }
    if (!cut) return RPS_PI * (radius * radius);
    for (int n = 0; n < 4; n++) {
        const int i = n & 1, j = n >> 1;
        const double beyond = disk_corner(corner[0][i], corner[1][j]);
        sum += (i + j) % 2 ? -beyond : beyond;
    }
    return sum > 0.0 ? sum * (radius * radius) : 0.0;
}

/* --- bodies ----------------------------------------------------------------------------------------------------------- */

double rps_body_inside(const rps_world *world, size_t slot, const double low[3], const double high[3]) {
    const rps_bodies *bodies = &world->bodies;
    const double radius = bodies->pose[slot].radius[0];
    const rps_piece *piece = rps_body_pieces(world, slot);
    if (world->options.dimension == 2) return rps_disk_inside(radius, low, high);
    if (piece == NULL) return rps_sphere_inside(radius, low, high);
    if (rps_body_is_sheets(world, slot)) return 0.0;
    const double r = rps_body_equal_radius(world, slot), whole = 4.0 / 3.0 * RPS_PI * ((r * r) * r);
    double bottom[3], top[3];
    bool cut = false;
    for (int k = 0; k < 3; k++) {
        if (low[k] >= radius || high[k] <= -radius) return 0.0;
        cut = cut || low[k] > -radius || high[k] < radius;
        bottom[k] = low[k] > -2.0 * radius ? low[k] : -2.0 * radius;
        top[k] = high[k] < 2.0 * radius ? high[k] : 2.0 * radius;
    }
    if (!cut) return whole;
    const double *q = bodies->orientation[slot];
    const rps_mat3 axes = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
    const size_t count = (size_t)rps_body_piece_count(bodies, slot);
    const rps_mesh *mesh = count == 1 ? rps_piece_mesh(world, piece) : NULL;
    if (mesh != NULL) return rps_mesh_volume_inside(mesh, &axes, low, high);
    return whole * rps_union_part_inside(world->mesh, piece, count, &axes, bottom, top);
}
