/*
 * A region of space, as probes, planes of flow, sinks and sources take it: a box, a cylinder, a sphere, the inside of
 * a closed mesh, all that lies behind a plane, or a face (region_face.h). region.c has one entry for each, so that another
 * kind is one more entry.
 *
 * A body is in a region if its centre is, or that of one of its periodic images. Lengths in m.
 */
#ifndef RPS_SCENE_REGION_H
#define RPS_SCENE_REGION_H

#include "base/cell.h"
#include "base/vec.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

typedef enum rps_region_kind {
    RPS_REGION_BOX,
    RPS_REGION_CYLINDER,
    RPS_REGION_DISK,
    RPS_REGION_SPHERE,
    RPS_REGION_MESH,
    RPS_REGION_BEHIND,
    RPS_REGION_RECTANGLE,
    RPS_REGION_SURFACE,
    RPS_REGION_KINDS
} rps_region_kind;

typedef struct rps_region {
    int kind;               /* rps_region_kind */
    double low[3], high[3]; /* the box around it; of what lies behind a plane infinite */
    rps_vec3 point,
        axis; /* an end, the center, a corner or a point of the plane; unit vector, outwards of a plane or face */
    double radius, length; /* length: of a cylinder; 0 of a disk */
    rps_vec3 side[2];      /* of a rectangle */
    const rps_mesh *mesh;  /* whose inside or surface it is; the scene owns it */
    const double *upto;    /* of a surface, by triangle: m^2, the area of all up to it */
    bool inner;            /* particles come out on its inner side */
    bool wide[3];          /* axes along which the radius of a particle does not count: periodic, y of a planar scene */
    bool planar;
} rps_region;

typedef enum rps_region_use {
    RPS_REGION_HOLDS,  /* it is asked whether it holds points: no face, which has no inside */
    RPS_REGION_SOURCE, /* particles are put into it: it has an end, and in a sheared cell it is a box */
    RPS_REGION_PACKED  /* it is filled: it has walls, or spans the period */
} rps_region_use;

/* Reads a checked node: the two corners of a box, or a map with one kind. */
rps_status rps_region_read(rps_scene *scene, const rps_node *node, rps_region_use use, rps_region *region,
                           rps_error *err);

/* True if the region holds the point, or an image of it. */
bool rps_region_holds(const rps_region *region, const rps_cell *cell, const double x[3]);

/* Checks that a sphere of this radius lies in the region; along periodic axes its centre need lie there alone, and so
 * it is across a disk, a rectangle and a box without thickness. */
rps_status rps_region_check_space(const rps_region *region, rps_place place, double radius, rps_error *err);
/* Volume, m^3; of a planar scene the area in x-z, m^2. 0 of a face and of a box without thickness. */
double rps_region_volume(const rps_region *region);
/* The walls that close it, fixed bodies that touch its inside, one per face; there are none across periodic axes. Returns their
 * number. */
enum { RPS_REGION_WALLS = 6 };
int rps_region_walls(const rps_region *region, rps_body_def wall[RPS_REGION_WALLS]);
/* A point at random for the centre of such a sphere, in the cell; a function of all that is given alone. front: unit vector
 * out of a face there, 0 of any other region; NULL to leave out. False: this attempt gave none. */
bool rps_region_draw(const rps_region *region, const rps_cell *cell, double radius, uint64_t seed, uint64_t key,
                     uint64_t attempt, double x[3], rps_vec3 *front);

#endif
