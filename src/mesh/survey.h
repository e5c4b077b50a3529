/*
 * The parts of a mesh, for people: its shells, the rims of its holes, and the parts that are facets of a curved surface.
 *
 * Facets are touched as they are, so a ball that rolls over them feels each fold. How coarse they are says the largest angle
 * a between two neighbors: they lie about w a/8 off the curved surface (w the width of a facet, R_w = w/a its radius), and a
 * ball of radius R rises by R a^2/8 in a fold.
 */
#ifndef RPS_MESH_SURVEY_H
#define RPS_MESH_SURVEY_H

#include "mesh/mesh.h"

#define RPS_MESH_CREASE 0.5235987755982988 /* rad, 30 degrees: a larger angle is an edge that was meant */

/* Triangles that hang together over edges. */
typedef struct rps_mesh_shell {
    size_t triangles;
    bool closed;    /* no boundary */
    double area;    /* m^2 */
    double volume;  /* m^3, of a closed one; below 0: a cavity */
    double at[3];   /* m, its lowest point in the order x, y, z */
    uint32_t first; /* its lowest triangle, in the order of the mesh */
} rps_mesh_shell;

/* A closed line of boundary edges: the rim of a hole, or the outline of a sheet. Lines with a point in common count as one. */
typedef struct rps_mesh_rim {
    size_t edges;
    double length; /* m */
    double at[3];  /* m, one of its points */
} rps_mesh_rim;

/* Planar facets that meet in folds below RPS_MESH_CREASE, at least RPS_MESH_CURVED_FOLDS of them, and lie farther off the curved
 * surface than the rounding of an STL file, 2^-24 of the largest coordinate. */
enum { RPS_MESH_CURVED_FOLDS = 3 };
typedef struct rps_mesh_curved {
    size_t facets, folds, concave; /* folds that are concave seen from the outer side */
    double area;                   /* m^2 */
    double angle;                  /* rad, largest between two facets */
    double width;                  /* m, of the facets at that fold, the mean of both */
    double radius;                 /* m, width/angle: of the curved surface there */
    double sagitta;                /* m, largest width angle/8 */
    double at[3];                  /* m, a point of the fold with the largest angle */
} rps_mesh_curved;

/* The largest of each kind first: shells and curved parts by area, rims by length. */
typedef struct rps_mesh_survey {
    size_t shells, rims, curves;
    rps_mesh_shell *shell;
    rps_mesh_rim *rim;
    rps_mesh_curved *curved;
    double longest_edge, least_height; /* m; height of a triangle over its longest edge */
    const rps_allocator *allocator;
    size_t shell_bytes, rim_bytes, curved_bytes;
} rps_mesh_survey;

/* RPS_NO_MEMORY; *out is then empty. Release it with rps_mesh_survey_release. Takes time and memory linear in the mesh. */
rps_status rps_mesh_survey_make(const rps_mesh *mesh, rps_mesh_survey *out, rps_error *err);
void rps_mesh_survey_release(rps_mesh_survey *survey);

#endif
