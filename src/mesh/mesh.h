/*
 * A triangle mesh: a surface as CAD programs give it, read, checked and repaired, with the neighborhood of its triangles.
 *
 *   read_*.c   bytes of a file -> raw triangles
 *   mesh_parts.c    raw triangles -> those of each part, where one file holds several bodies
 *   build_mesh.c    raw triangles -> mesh: welds, removes, splits, turns; a report says all of it
 *
 * The mesh does not depend on the order in the file: points are sorted by their coordinates, triangles by their points.
 * It knows no body and no contact. SI units, in the axes of the file, moved and turned as the options say.
 */
#ifndef RPS_MESH_MESH_H
#define RPS_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/box_tree.h"
#include "base/status.h"
#include "base/vec.h"

/* Triangles as they are given. Blocks of the allocator, whole ones: rps_raw_mesh_release. */
typedef struct rps_raw_mesh {
    size_t points, triangles;
    double (*point)[3]; /* in the unit of the file */
    uint32_t (*triangle)[3];
    size_t groups;   /* that the file names; 0: none */
    uint32_t *group; /* the first triangle of each */
    size_t point_bytes, triangle_bytes, group_bytes;
} rps_raw_mesh;

/* Which side of its triangles a body may touch. */
typedef enum rps_mesh_side {
    RPS_MESH_OUTER, /* the side from which the corners run counterclockwise */
    RPS_MESH_INNER, /* the other one */
    RPS_MESH_BOTH   /* a sheet without thickness: the side on which the body is */
} rps_mesh_side;

typedef enum rps_mesh_fold {
    RPS_FOLD_BOUNDARY, /* one triangle */
    RPS_FOLD_FLAT,     /* two, in one plane to rounding (RPS_MESH_FLAT) */
    RPS_FOLD_CONVEX,   /* two, seen from the outer side */
    RPS_FOLD_CONCAVE,
    RPS_FOLD_MANY /* three or more, or two that both sides of a sheet touch and that lie on each other */
} rps_mesh_fold;

/* Sine of the angle between the planes of two triangles below which they are one plane. */
#define RPS_MESH_FLAT 1e-9

/* In the place of the number of a triangle. */
#define RPS_NO_TRIANGLE UINT32_MAX
#define RPS_TRIANGLES (UINT32_MAX - 1)

/* A triangle with all that contacts ask about it, side by side in memory. */
typedef struct rps_mesh_face {
    double point[3][3], normal[3]; /* m, 1 */
    uint32_t corner[3];            /* numbers of its points */
    uint32_t across[3];            /* the other triangle at edge k, or RPS_NO_TRIANGLE, or RPS_TRIANGLES: several */
    uint32_t spare[2];             /* to two lines of the cache */
} rps_mesh_face;

/* A straight line of edges that a body with edges may touch (ridges.c). */
typedef struct rps_mesh_ridge {
    double end[2][3]; /* m */
    double out[3];    /* unit: bodies touch it from this side; 0: from any */
    bool tip[2];      /* it ends at a tip */
} rps_mesh_ridge;

/* A point that a face may touch. */
typedef struct rps_mesh_tip {
    double point[3]; /* m */
    double out[3];   /* as above */
} rps_mesh_tip;

typedef struct rps_mesh {
    size_t points, triangles, edges;
    double (*point)[3];      /* m, sorted by x, y, z */
    uint32_t (*triangle)[3]; /* counterclockwise seen from the outer side; the lowest first; sorted */
    double (*normal)[3];     /* unit, by triangle, to the outer side */
    rps_mesh_face *face;     /* by triangle */
    uint32_t (*edge)[2];     /* points, the lower first; sorted */
    uint32_t (*edge_of)[3];  /* by triangle: edge k joins its corners k and k + 1 */
    uint8_t *fold;           /* rps_mesh_fold, by edge */
    uint32_t *edge_first,
        *edge_triangle; /* triangles at edge e: edge_triangle[edge_first[e] .. edge_first[e + 1] - 1] */
    uint32_t *point_first, *point_triangle; /* triangles at a point, likewise */
    uint32_t *patch; /* by triangle: number of its planar patch, the triangles of one plane joined over flat edges */
    size_t patches;
    rps_box_tree tree; /* over the triangles */
    size_t ridges, tips;
    rps_mesh_ridge *ridge;
    rps_mesh_tip *tip;
    rps_box_tree ridge_tree, tip_tree;
    double (*shift)[3]; /* by point: moved against it by any length, all planes at the point move back by that length */
    rps_box box;        /* m, of the points */
    rps_mesh_side side;
    bool closed;                /* no boundary, orientable: `volume` and what follows are set, else 0 */
    double area;                /* m^2 */
    double volume;              /* m^3, on the inner side */
    rps_vec3 center;            /* m, of mass of the homogeneous volume */
    struct rps_mesh_core *core; /* of a convex one, where it was asked for (mesh_core.h); else NULL */
    double inertia[6]; /* m^2, per mass, about the center: xx, yy, zz, xy, xz, yz of the tensor (xy = -integral x y) */
    const rps_allocator *allocator;
} rps_mesh;

/* Sine of the angle of a fold below which an edge is none: files in single precision bend planes by less. */
#define RPS_MESH_RIDGE 1e-5

/* Finds ridges, tips and shifts of a finished mesh (ridges.c). RPS_NO_MEMORY. */
rps_status rps_mesh_find_ridges(rps_mesh *mesh, rps_error *err);

/* A tree over ridges, 1 at least. RPS_NO_MEMORY. */
rps_status rps_ridge_tree(const rps_allocator *allocator, const rps_mesh_ridge *ridge, size_t count, rps_box_tree *out,
                          rps_error *err);

/* Harmless for an empty one. */
void rps_raw_mesh_release(const rps_allocator *allocator, rps_raw_mesh *raw);
void rps_mesh_release(rps_mesh *mesh);
size_t rps_mesh_bytes(const rps_mesh *mesh);

#endif
