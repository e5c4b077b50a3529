/*
 * Geometry of a contact of two pieces and of their features.
 *
 * A pair of pieces that touches at one point (any two smooth convex ones) has one feature. Flat shapes touch in
 * patches: such a pair has several features, each a contact with its own history: the corners of a box on a plane,
 * corner against face and edge against edge of two boxes. The number of features depends only on the kinds of shapes,
 * their overlaps are continuous functions of the poses, and the identity of a feature does not change with time.
 *
 * The result is a function of the present poses; `warm` may only speed it up, never change it beyond the accuracy of
 * the solver. Only + - * / and sqrt and the elementary functions of base, in a fixed order.
 */
#ifndef RPS_DETECT_TOUCH_H
#define RPS_DETECT_TOUCH_H

#include "mesh/mesh.h"
#include "shape/shape.h"
#include "world/segment.h"

/* One piece of a contact. */
typedef struct rps_side {
    const rps_shape *shape;
    const double *parameter;
    rps_quat orientation; /* from the shape's axes to the world's */
    const rps_mesh *mesh; /* NULL: another shape */
    unsigned slots;       /* of a mesh: features that a pair with it has */
} rps_side;

/* A symmetric 3 x 3 tensor: xx, yy, zz, xy, xz, yz. */
typedef struct rps_sym3 {
    double s[6];
} rps_sym3;

/* a . T b */
static inline double rps_sym3_between(const rps_sym3 *t, rps_vec3 a, rps_vec3 b) {
    const double *s = t->s;
    return (a.x * (s[0] * b.x + s[3] * b.y + s[4] * b.z) + a.y * (s[3] * b.x + s[1] * b.y + s[5] * b.z)) +
           a.z * (s[4] * b.x + s[5] * b.y + s[2] * b.z);
}

/* Contact of two pieces. Arms are computed as differences, never from positions in the world, so they are exact to
 * round-off of the pieces' sizes (tracked-friction: round-off). */
typedef struct rps_touch {
    rps_vec3 normal;             /* unit, from j into i */
    double overlap;              /* m; negative: a gap */
    rps_vec3 branch_i, branch_j; /* m, world axes: from the origin of the shape to the surface points C_i and C_j */
    /* 1/m, H_i + H_j, sum of the mean curvatures, for stiffnesses. For features of cores, that of the ball or of the two
     * edges, so it does not depend on where they touch. */
    double curvature_sum;
    double length, radius_i,
        radius_j;              /* m; of features of lines alone: the part of the strip that this point stands for,
                                        * and the radii of the cylinders, 0 of a plane */
    rps_sym3 curve_i, curve_j; /* 1/m, shape operators at C_i and C_j as tensors of the world that have the normal in
                                 * their kernel: W(u, w) = u . curve w; positive if convex */
    double conformity; /* of contacts with sheets (pair_sheet.h), else 0: radius of the ball times the larger concave
                        * curvature of the sheet */
    bool on_rim;       /* the point of the sheet is on a rim, else false */
    unsigned endless;  /* set by rps_pair_touch: bit k (3 + k) if piece i (j) is endless along the periodic axis k */
} rps_touch;

typedef enum rps_touch_result {
    RPS_TOUCH_FOUND, /* all of rps_touch is set */
    RPS_TOUCH_APART, /* the gap exceeds `reach`, or a rim of a sheet is that of a neighbouring one (gap_table.c); only
                      * overlap is set, to the negative of a lower bound of the gap */
    RPS_TOUCH_DEEP   /* deeper than the geometry is valid for; overlap and the rest are set as well as possible */
} rps_touch_result;

/* Where a contact was at the last step, carried along with the bodies: normal and surface points as in rps_touch. Without
 * `points` only the normal is known. */
typedef struct rps_touch_start {
    rps_vec3 normal, branch_i, branch_j;
    bool points;
} rps_touch_start;

/* First feature of a contact along a line (pair_line.h); there are RPS_LINE_FEATURES of them. Contacts of a pair of
 * materials with line laws have only these. */
enum { RPS_LINE_FEATURE = RPS_SUBKEY_LINES, RPS_LINE_FEATURES = RPS_SUBKEY_LINE };

/* Number of features of a pair of pieces, at most RPS_SUBKEY_POINTS; 0: they never touch (two planes). */
unsigned rps_touch_features(const rps_side *i, const rps_side *j);
/* Geometry of one feature. d: origin of i less origin of j, m, nearest image. reach >= 0, m: gaps above it are APART.
 * warm: the contact of the last step, NULL at first. */
rps_touch_result rps_touch_find(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature, double cutoff,
                                const rps_touch_start *warm, rps_touch *out);
/* NULL, or why contacts of two pieces may be wrong while they move by less than `margin` (m): a part of a sentence. */
const char *rps_touch_refuses(const rps_side *i, const rps_side *j, rps_vec3 d, double margin);
/* Whether it is a surface without thickness: a sheet or a mesh. The nearest point of one, in its axes; normal towards `point`. */
static inline bool rps_side_is_surface(const rps_side *side) {
    return rps_shape_is_sheet(side->shape) || side->mesh != NULL;
}
rps_shape_foot rps_touch_nearest(const rps_side *side, rps_vec3 point);
/* A contact of points seen from the other body: i and j are exchanged. */
rps_touch rps_touch_mirror(const rps_touch *t);
/* Gradient of the mean curvature along the surface of a smooth body or a sheet at the surface point `arm` (from the origin of
 * the shape) with outward unit normal `n`, both in world axes, 1/m^2; 0 for cores, planes and cylinders, which have a
 * piecewise constant H. */
rps_vec3 rps_touch_curvature_gradient(const rps_side *side, rps_vec3 branch, rps_vec3 n);
/* A lower bound of the gap of one feature, m, at most a small part of the pieces' size below it when near 0. Cheap. */
double rps_touch_gap(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned feature);

/* The gaps of all features: that of rps_touch_gap if it is below `capacity` (m), else any value not below it; false
 * if no gap is below. gap: rps_touch_features numbers. */
bool rps_touch_gaps(const rps_side *i, const rps_side *j, rps_vec3 d, double capacity, double *gap);

#endif
