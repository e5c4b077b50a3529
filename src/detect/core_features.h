/*
 * The vertices and edges of cores in the axes of the cores, and the sizes that their contacts depend on. pair_core.h has the
 * model, and declares how many features there are.
 */
#ifndef RPS_DETECT_CORE_FEATURES_H
#define RPS_DETECT_CORE_FEATURES_H

#include "shape/shape.h"

typedef enum rps_core_kind { RPS_CORE_VERTEX_OF_I, RPS_CORE_VERTEX_OF_J, RPS_CORE_EDGES } rps_core_kind;

/* The kind of a feature of cores with so many vertices; *feature becomes its number within the kind. */
static inline rps_core_kind rps_core_kind_of(unsigned vertices_i, unsigned vertices_j, unsigned *feature) {
    if (vertices_i == 1) return RPS_CORE_VERTEX_OF_I;
    if (vertices_j == 1) return RPS_CORE_VERTEX_OF_J;
    if (*feature < vertices_i) return RPS_CORE_VERTEX_OF_I;
    *feature -= vertices_i;
    if (*feature < vertices_j) return RPS_CORE_VERTEX_OF_J;
    *feature -= vertices_j;
    return RPS_CORE_EDGES;
}

/* m, from the core's origin. */
rps_vec3 rps_core_vertex_in(const rps_shape_core *core, unsigned vertex);

/* An edge: from its middle (m) by `half` both ways along an axis. Its radius falls by taper t^2 at t from the middle. */
typedef struct rps_core_edge {
    rps_vec3 middle;
    int axis;
    double half, taper;
} rps_core_edge;
/* Edges along x first, then y, then z; each group by the sign bits over the other axes. cut: m, distance of its ends from its
 * vertices. */
rps_core_edge rps_core_edge_in(const rps_shape_core *core, unsigned number, double cut);
/* `cut` of the edges of two cores, and of one against a line without thickness. */
double rps_core_cut(const rps_shape_core *i, const rps_shape_core *j);
double rps_core_cut_at_line(const rps_shape_core *core);
/* The same for edges whose radii sum up to `radii`, of bodies of that smallest full width (m). */
double rps_core_cut_of(double radii, double width);
/* 1/m: taper of an edge of that half length of a body of that half width (m). */
double rps_core_taper(double half_width, double half);
/* The largest fraction of its half length that an edge loses. */
extern const double rps_core_cut_most;

/* 1/m, of edges and corners. */
double rps_core_bend(const rps_shape_core *core);
/* m, the smallest full width: of one core, and of both. */
double rps_core_width(const rps_shape_core *core);
double rps_core_smaller_width(const rps_shape_core *i, const rps_shape_core *j);
/* m, overlaps from which a contact is RPS_TOUCH_DEEP, for cores of that smallest width. radii: m, of both edges. */
double rps_core_deep(double width);
double rps_core_deep_edges(double width, double radii);

#endif
