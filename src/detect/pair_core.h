/*
 * Contact geometry of cores (shape.h): points, segments, rectangles and boxes with a radius around them, against each
 * other and against a plane. Spheres, capsules and boxes are such cores.
 *
 * A pair of them is a pair of sphero-polyhedra (Pournin and Liebling; Alonso-Marroquin; Galindo-Torres): its energy is
 * a sum over features of functions of the features' overlaps. Features of a pair, in this order:
 *   every vertex of i, a ball of radius r_i, against the solid j;
 *   every vertex of j against the solid i;
 *   every edge of i against every edge of j.
 * If one of the cores is a point there is one feature, the point against the other core.
 *
 * The overlap of a vertex is r_i + r_j less its signed distance from the other core (outside: the Euclidean distance,
 * inside: minus the distance from the nearest face), a function of the pose without jumps, whose gradient is exactly
 * the normal at the arms. A core without an interior (flat, segment, point) has an unsigned distance. Two corners
 * that touch count twice, once from each side; so do the ends of two capsules that lie along each other.
 *
 * The overlap of two edges is likewise r_i + r_j less the distance of two segments: an exact potential again, and
 * none is above the overlap of the bodies as long as the cores (without their radii) are apart. Two changes of the
 * edges keep their force without jumps and their number small:
 *   - They are barrels. At t from the middle of an edge of half length h its radius is less by e (t/h)^2, e 1/2000 of the
 *     core's smallest half width. The overlap is the largest r_i(t) + r_j(u) - distance(t, u), a strictly concave function;
 *     so its place is unique and moves without jumps, also where edges lie along each other: from the middle to an end
 *     while they tilt by 4 e / h. Force and torque are still the exact gradient, being those at the best t and u. The
 *     price is the barrel: overlaps of edges are less by up to e_i + e_j towards their ends, and normals there lean out by
 *     up to 2 e / h = 1/1000.
 *   - They end before their vertices, by c with c^2 = (r_i + r_j) w / 500, w the smallest full width (at most by a quarter
 *     of h). Where corners meet or slide over an edge their vertices carry, and edges that end there would only count the
 *     same place again; so cut, they stay out of it up to an overlap of w / 500 (where they go different ways from a
 *     corner) or c (where one stands on the other). Where a crossing is within c of an end the largest overlap is less
 *     than that of the bodies by up to c^2 / 4 (r_i + r_j) = w / 2000.
 * All overlaps are distances, so the sum of the energies of all features is a potential with a continuous gradient:
 * forces without friction and damping keep the energy to the order of the integration. It is not the same number of
 * features everywhere. A corner on a face is one; over a rim, within sqrt(2 (r_i + r_j) overlap) of it, its edges
 * join, and the body rises a little in passing.
 *
 * Two edges are found DEEP at 3/4 of r_i + r_j if that is less than RPS_CORE_DEEP; deeper than the radii, segments pass
 * through each other. Vertices have signed distances and no such limit.
 *
 * Only + - * / and sqrt. Nothing is allocated. Swapping i and j and the sense of d mirrors every result.
 */
#ifndef RPS_DETECT_PAIR_CORE_H
#define RPS_DETECT_PAIR_CORE_H

#include "detect/touch.h"

/* RPS_TOUCH_DEEP: overlap over the smallest full width of either piece; of a ball 2 r. */
#define RPS_CORE_DEEP 0.1

/* The core of a shape with edges for contact with another one with edges: the same body, but with edges and corners
 * rounded by at least RPS_CORE_SHARP of its smallest half width, because two edges without thickness cannot support
 * each other. Its faces do not move, to round-off. Balls and planes touch the true core. */
rps_shape_core rps_core_for_contact(const rps_shape_core *core);

/* Number of features of a pair of cores: at least 1, at most 8 + 8 + 12 * 12 = 160. */
unsigned rps_core_features(const rps_shape_core *i, const rps_shape_core *j);
/* Number of vertices of a core, its features against a plane: 1, 2, 4 or 8, ordered by the sign bits of x, y, z (the
 * lowest bit is that of the first extent that is not 0; 1 is the positive side). */
unsigned rps_core_vertices(const rps_shape_core *core);

/* A vertex of a core, m, from its origin in world axes, and the shape operator of the ball about it, 1/m, across n; sharp
 * vertices have that of a small rounding. */
rps_vec3 rps_core_vertex(const rps_shape_core *core, rps_quat rotation, unsigned vertex);
rps_sym3 rps_core_ball_curve(const rps_shape_core *core, rps_vec3 n);

/* Geometry of one feature of two cores, as rps_touch_find: rotations from the cores' axes to the world's, d the
 * origin of i less that of j, m; reach >= 0, m. APART sets only overlap, to minus a distance (at least 0) that the
 * pieces must move before the feature can touch. DEEP: overlap above RPS_CORE_DEEP. */
rps_touch_result rps_core_touch(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j,
                                rps_quat rotation_j, rps_vec3 d, unsigned feature, double cutoff, rps_touch *out);
/* A lower bound of the gap of a feature, m, that changes by no more than the pieces move: of a vertex the gap itself,
 * of two edges the distance of the two segments less the radii. */
double rps_core_gap(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j, rps_quat rotation_j,
                    rps_vec3 d, unsigned feature);

/* The gaps of all features at once: gaps[rps_core_features] is filled with what rps_core_gap gives, or with another
 * lower bound >= `capacity` of it (m). False, with nothing filled, if all gaps are >= `capacity`. */
bool rps_core_gaps(const rps_shape_core *i, rps_quat rotation_i, const rps_shape_core *j, rps_quat rotation_j,
                   rps_vec3 d, double capacity, double *gaps);

/* Edges of a core: 0, 1, 4 or 12. */
unsigned rps_core_edges(const rps_shape_core *core);

/* A line without thickness that bodies with edges touch: a ridge of a mesh. m, from the origin of the core, world axes. An
 * end with a tip, which is a contact of its own, is cut as the ends of edges are. */
typedef struct rps_core_line {
    rps_vec3 end[2];
    bool tip[2];
} rps_core_line;
/* An edge of core i, for contact (rps_core_for_contact), against such a line j, and its lower bound as rps_core_gap. branch_j
 * starts at the origin of i. DEEP as two edges. */
rps_touch_result rps_core_line_touch(const rps_shape_core *i, rps_quat rotation_i, unsigned edge,
                                     const rps_core_line *line, double cutoff, rps_touch *out);
double rps_core_line_gap(const rps_shape_core *i, rps_quat rotation_i, unsigned edge, const rps_core_line *line);

/* An edge of a polyhedron as those of cores: round, thinner at its ends, and cut there. m, from the origin of the body, world axes. */
typedef struct rps_core_rod {
    rps_vec3 middle, along;
    double half, taper, radius;
} rps_core_rod;
/* half_width: m, of the body; cut: m, of its ends (rps_core_cut_of). */
rps_core_rod rps_core_rod_between(rps_vec3 from, rps_vec3 to, double radius, double half_width, double cut);
/* As two edges of cores. width: m, the smallest full width of both bodies. */
rps_touch_result rps_core_rods_touch(const rps_core_rod *i, const rps_core_rod *j, rps_vec3 d, double width,
                                     double cutoff, rps_touch *out);
double rps_core_rods_gap(const rps_core_rod *i, const rps_core_rod *j, rps_vec3 d);
/* As an edge of a core against a line. width: m, the smallest full width of the body. */
rps_touch_result rps_core_rod_line_touch(const rps_core_rod *i, const rps_core_line *line, double width, double cutoff,
                                         rps_touch *out);
double rps_core_rod_line_gap(const rps_core_rod *i, const rps_core_line *line, double width);

/* A vertex of core i against the half space j below a plane, whose outward normal is its z axis: d is the origin of i
 * less any point of the plane, from which arm_j starts. */
rps_touch_result rps_core_plane_touch(const rps_shape_core *i, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                                      unsigned feature, double cutoff, rps_touch *out);
double rps_core_plane_gap(const rps_shape_core *i, rps_quat rotation_i, rps_quat turn_plane, rps_vec3 d,
                          unsigned feature);

#endif
