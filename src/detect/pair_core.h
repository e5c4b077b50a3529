/*
 * Contact geometry of cores (shape.h): points, segments, rectangles and boxes with a radius around them, against each
 * other and against a plane. Spheres, capsules and boxes are such cores.
 *
 * A pair of them is a pair of sphero-polyhedra (Pournin and Liebling; Alonso-Marroquin; Galindo-Torres): its energy is
 * a sum over features of functions of the features' overlaps. Features of a pair, in this order:
 *   every vertex of i, a ball of radius r_i, against the solid j;
 *   every vertex of j against the solid i;
 *   every edge of i against every edge of j, where they cross within both.
 * If one of the cores is a point there is one feature, the point against the other core.
 *
 * The overlap of a vertex is r_i + r_j less its signed distance from the other core (outside: the Euclidean distance,
 * inside: minus the distance from the nearest face), a function of the pose without jumps, whose gradient is exactly
 * the normal at the arms. A core without an inside (flat, segment, point) has an unsigned distance. Two corners that
 * touch are seen from both sides and count twice; so do the ends of two capsules that lie along each other.
 *
 * Two edges touch where the lines cross: g = r_i + r_j - n.(p_i - p_j), n along the common normal, which must point out
 * of both edges. The feature's overlap is
 *     min(g, 2 s_i - |g|, 2 s_j - |g|, l (0.3 - v), l (sin - 0.001))
 * with s the distance of the crossing from the nearer end of its edge (negative beyond it), v the sine of the angle by
 * which n leaves the cone of outward normals of an edge, sin that of the angle of the two edges, and l the shorter half
 * length. The first term is the contact. The others only let it begin and end without jumps; where one of them is the
 * least, the overlap is not the potential of the force along n, so that a passage through such a zone can cost or give
 * up to the energy of that one feature, half k g^2:
 *   - s: the crossing moves in past the end of an edge, where the vertex carries. The zone is as wide as the overlap. It
 *     also excludes the edges that cross elsewhere: in a patch the upright edge of one box crosses the rim of the
 *     other one overlap away from its end, while its g is the width of the patch.
 *   - v: where faces lie on each other n is on the border of the cones, and any tilt takes it over the border for half
 *     of the crossings of the patch; 0.3 is a tilt at which the opposite side of a patch as wide as the bodies has come
 *     apart by more than the overlaps that are allowed, so that the crossings that stay are inside their cones.
 *   - sin: edges so nearly parallel touch with their ends as well, which are vertices. At 0.001 the ends of an edge are
 *     sideways of the other by less than a twentieth of a radius up to a length of 100 radii, and the crossing, whose
 *     place is worth 1/sin as much as the poses, is still found to 1e-12 of the size.
 * Edges on the far sides of two boxes have a normal out of both as well; there g is at least twice the smallest width,
 * so that crossings with g above half of the smallest width are no contacts.
 *
 * Only + - * / and sqrt. Nothing is allocated. Swapping i and j and the sense of d mirrors every result.
 */
#ifndef RPS_DETECT_PAIR_CORE_H
#define RPS_DETECT_PAIR_CORE_H

#include "detect/touch.h"

/* Where a core has radius 0, so that its edges and corners have no finite curvature, and as the least rounding of the
 * core of a contact: this part of its smallest half extent. */
#define RPS_CORE_SHARP 0.05

/* RPS_TOUCH_DEEP: overlap over the smallest full width of either piece; of a ball 2 r. */
#define RPS_CORE_DEEP 0.1

/* The core by which a shape with edges touches another one with edges: the same body, but with edges and corners
 * rounded by at least RPS_CORE_SHARP of its smallest half width, because two edges of no thickness could not carry
 * each other. Its faces stay where they are, to round-off. Balls and planes touch the true core. */
rps_shape_core rps_core_for_contact(const rps_shape_core *core);

/* Number of features of a pair of cores: at least 1, at most 8 + 8 + 12 * 12 = 160. */
unsigned rps_core_features(const rps_shape_core *i, const rps_shape_core *j);
/* Number of vertices of a core, which are its features against a plane: 1, 2, 4 or 8, ordered by the sign bits of
 * x, y, z (the lowest bit is that of the first extent that is not 0; 1 is the positive side). */
unsigned rps_core_vertices(const rps_shape_core *core);

/* Geometry of one feature of two cores, as rps_touch_find: turns from the cores' axes to the world's, d the origin of i
 * less that of j, m; reach >= 0, m. APART sets overlap alone, to minus a distance (at least 0) that the pieces must move
 * before the feature can touch. DEEP: overlap above RPS_CORE_DEEP. */
rps_touch_result rps_core_touch(const rps_shape_core *i, rps_quat turn_i, const rps_shape_core *j, rps_quat turn_j,
                                rps_vec3 d, unsigned feature, double reach, rps_touch *out);
/* A lower bound of the gap of a feature, m, that changes by no more than the pieces move: of a vertex the gap itself, of
 * two edges the distance of the two segments less the radii. */
double rps_core_gap(const rps_shape_core *i, rps_quat turn_i, const rps_shape_core *j, rps_quat turn_j, rps_vec3 d,
                    unsigned feature);

/* A vertex of core i against the half space j below a plane, whose outward normal is its z axis: d is the origin of i
 * less any point of the plane, from which arm_j starts. */
rps_touch_result rps_core_plane_touch(const rps_shape_core *i, rps_quat turn_i, rps_quat turn_plane, rps_vec3 d,
                                      unsigned feature, double reach, rps_touch *out);
double rps_core_plane_gap(const rps_shape_core *i, rps_quat turn_i, rps_quat turn_plane, rps_vec3 d, unsigned feature);

#endif
