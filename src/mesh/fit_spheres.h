/*
 * Spheres that fill a closed mesh from inside: a clump that stands for a body of any form.
 *
 * Every sphere is inscribed: it touches the surface and passes it nowhere. Candidates are the inscribed spheres about the points of
 * a grid. The one that adds the largest volume to those before it comes next, moved to where it adds most, which is a place on the
 * medial surface, where it touches the mesh at several points. A choice of n sets out of many that is made like this covers at
 * least 1 - 1/e = 63 % of what the best n cover (Nemhauser, Wolsey & Fisher 1978, Mathematical Programming 14, 265). The first n
 * of a larger fit are the fit of n. The result depends on the mesh and the numbers alone.
 */
#ifndef RPS_MESH_FIT_SPHERES_H
#define RPS_MESH_FIT_SPHERES_H

#include "mesh/mesh.h"

enum { RPS_FIT_MOST = 10000 /* spheres */ };

typedef struct rps_fitted_sphere {
    rps_vec3 center; /* m, in the axes of the mesh */
    double radius;   /* m */
} rps_fitted_sphere;

typedef struct rps_sphere_fit {
    rps_fitted_sphere *sphere; /* in the order of their choice */
    size_t count;              /* fewer than wanted if more would add less than the grid resolves, or are too small */
    double spacing;            /* m, of the grid */
    double mean, largest;      /* m, distance of the points of the surface from the spheres, by area */
    const rps_allocator *allocator;
    size_t bytes;
} rps_sphere_fit;

/* Fits at most `wanted` spheres (1 to RPS_FIT_MOST) with radii of at least `least_radius` m, which may be 0. Takes seconds for 100
 * spheres in 1e4 triangles. RPS_BAD_INPUT: the mesh is open or has no volume, is too thin for the grid, or no sphere is large
 * enough; RPS_NO_MEMORY. Release it with rps_sphere_fit_release, which is harmless after a failure. */
rps_status rps_sphere_fit_make(const rps_allocator *allocator, const rps_mesh *mesh, size_t wanted, double least_radius,
                               rps_sphere_fit *out, rps_error *err);
void rps_sphere_fit_release(rps_sphere_fit *fit);

#endif
