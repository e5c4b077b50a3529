/*
 * A shape: geometry in its own axes, with the centre of mass (of an unbounded shape: a point of its surface) at the
 * origin and its principal axes along x, y, z.
 *
 * Every shape is one file that defines a descriptor `rps_shape_<name>` and one line in shape_list.inc. The body field
 * `shape` is the index in that list. A shape knows no body and no contact, and world axes only through a rotation
 * passed to it. `parameter` always holds the numbers that the descriptor lists, in that order and within their
 * ranges.
 */
#ifndef RPS_SHAPE_SHAPE_H
#define RPS_SHAPE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/status.h"
#include "base/vec.h"

enum { RPS_SHAPE_PARAMETERS = 8 };

/* The numbers of a shape are stored consecutively in the order of its list, so that a parameter of three components
 * takes three of at most RPS_SHAPE_PARAMETERS. */
typedef struct rps_shape_parameter {
    const char *name;
    const char *unit; /* "" for a pure number */
    const char *meaning;
    double low, high;     /* allowed range: low < value <= high; with RPS_SHAPE_MAY_BE_LOW low <= value */
    int components;       /* 0 counts as 1 */
    double default_value; /* default of all components; 0: it must be given, unless RPS_SHAPE_MAY_BE_LOW */
    int flags; /* RPS_SHAPE_MAY_BE_LOW: the lowest value is allowed too, and the default where it is not given */
} rps_shape_parameter;

enum { RPS_SHAPE_MAY_BE_LOW = 1 };

/* A box, a rectangle, a segment or a point, and everything within a radius of it: spheres, capsules and boxes have
 * this form. */
typedef struct rps_shape_core {
    double half[3]; /* m, half extents along x, y, z; any of them may be 0 */
    double radius;  /* m, may be 0 */
} rps_shape_core;

/* Rounding of edges and corners for a core of radius 0, which have no finite curvature, and least rounding of the
 * core of a contact: this fraction of its smallest half extent. */
#define RPS_CORE_SHARP 0.05

/* Of the homogeneous shape; times a density and a mass it gives mass and principal moments of inertia. */
typedef struct rps_shape_mass {
    double volume;             /* m^3 */
    rps_vec3 inertia_per_mass; /* m^2, about the principal axes x, y, z */
} rps_shape_mass;

typedef struct rps_shape_bounds {
    rps_vec3 low, high; /* m, from the origin of the shape, along world axes; infinite where it has no bound */
} rps_shape_bounds;

/* The point of a sheet that is nearest to another point, and the sheet there as seen from that point. */
typedef struct rps_shape_foot {
    rps_vec3 point;      /* m */
    rps_vec3 normal;     /* unit vector, from the foot to the point */
    double distance;     /* m, at least 0 */
    rps_vec3 along;      /* unit vector across the normal: the first direction of curvature */
    double curvature[2]; /* 1/m, along it and along normal x along; positive where convex, negative where concave. Of a
                          * rim: that of its line as seen along the normal, and of the sheet's, turned with it. */
    double inland;       /* m, from the foot to the nearest rim along the sheet: 0 on a rim; infinite without one */
    double open;         /* m, a lower bound of the distance from the point to the nearest rim that no other part of the
                          * sheet closes, at most 0 beyond it; infinite without one */
} rps_shape_foot;

/* Triangles for pictures, wound counterclockwise seen from outside. */
typedef struct rps_shape_triangles {
    size_t points, triangles;
    double (*point)[3]; /* m */
    uint32_t (*triangle)[3];
} rps_shape_triangles;

typedef struct rps_shape {
    const char *name;
    const char *summary;
    rps_shape_parameter parameter[RPS_SHAPE_PARAMETERS]; /* ends at name == NULL */
    bool unbounded;                                      /* reaches to infinity: has no mass, cannot be a free body */
    bool by_world; /* the world fills in its numbers, from data that it keeps: users name the data */
    /* NULL for an unbounded shape, and for a surface: neither can be a free body. */
    rps_shape_mass (*mass)(const double *parameter);
    /* Refuses inconsistent parameters with a sentence. NULL: any parameters within their ranges are consistent. */
    rps_status (*check)(const double *parameter, rps_error *err);
    /* Smallest distance of two parallel planes that enclose the shape, m; NULL for an unbounded shape. */
    double (*smallest_width)(const double *parameter);
    /* A lower bound of the radii of curvature of the whole surface, m; NULL: 0. */
    double (*smallest_radius)(const double *parameter);
    /* Optional: the radius of a ball within the body that touches its surface at this point (m). */
    double (*ball_radius)(const double *parameter, rps_vec3 point);
    /* NULL: not of that kind. */
    rps_shape_core (*core)(const double *parameter);
    /* Radius of the smallest sphere about the origin that encloses the shape, m; infinite for an unbounded shape. */
    double (*bounding_radius)(const double *parameter);
    /* Axis-aligned box; `rotation` turns from the shape's axes into the world's. */
    rps_shape_bounds (*bounds)(const double *parameter, const rps_mat3 *rotation);
    /* A point of the shape that lies farthest along `direction` (any length but 0). Components are infinite where an
     * unbounded shape has no such point. */
    rps_vec3 (*support)(const double *parameter, rps_vec3 direction);
    /* Negative inside, 0 on the surface, positive outside; increasing outwards, in m near the surface or a pure number.
     * Its gradient points outwards. */
    double (*value)(const double *parameter, rps_vec3 point);
    rps_vec3 (*gradient)(const double *parameter, rps_vec3 point);
    /* Shape operator at a point of the surface in the tangent frame (u, w): dn = W dx, n the outward unit normal.
     * Positive for a convex surface. out = {uu, uw, ww}, 1/m. */
    void (*shape_operator)(const double *parameter, rps_vec3 point, rps_vec3 u, rps_vec3 w, double out[3]);
    /* Half its trace, 1/m. An edge or a corner without rounding has no curvature: the contact handles infinite
     * curvatures. */
    double (*mean_curvature)(const double *parameter, rps_vec3 point);
    /* Of a sheet alone, a surface without thickness that is touched from both sides; a body of sheets is fixed or driven.
     * It consists of parts, which meet at their rims. A sheet has no volume, no width and no inside: value, gradient,
     * shape_operator and mean_curvature are NULL. `nearest` gives the foot of a point, both in the shape's axes; where
     * several points are equally near, any of them. */
    int (*parts)(const double *parameter);
    rps_shape_foot (*nearest)(const double *parameter, int part, rps_vec3 point);
    /* Its mean curvature is the same all over each part. */
    bool even;
    /* Upper bounds of both concave curvatures, 1/m, at least 0; infinite at a tip. */
    void (*hollow)(const double *parameter, double out[2]);
    /* A mesh of the surface with about `triangles` triangles, in blocks of the allocator that the caller releases;
     * NULL: the reader of results draws this shape itself. */
    rps_status (*mesh)(const double *parameter, size_t triangles, const rps_allocator *allocator,
                       rps_shape_triangles *out, rps_error *err);
} rps_shape;

/* How many numbers describe the shape. */
int rps_shape_numbers(const rps_shape *shape);
/* Checks a whole set of numbers against the ranges of the list and the shape's own rules; `who` names the body in the
 * sentence. Numbers that are NAN and have a default are filled in. RPS_BAD_INPUT. */
rps_status rps_shape_check(const rps_shape *shape, double *parameter, const char *who, rps_error *err);
/* Index of the shape of that name, -1 if there is none. */
int rps_shape_find(const char *name);
/* The shape of an index from 0; NULL past the end. */
const rps_shape *rps_shape_at(int index);
/* The index of a shape of the library at compile time: RPS_SHAPE_INDEX(sphere). */
#define RPS_SHAPE_INDEX(name) RPS_SHAPE_INDEX_##name
enum {
#define RPS_SHAPE(name) RPS_SHAPE_INDEX_##name,
#include "shape/shape_list.inc"
#undef RPS_SHAPE
    RPS_SHAPE_COUNT
};

/* Whether it is a surface without thickness. */
static inline bool rps_shape_is_sheet(const rps_shape *shape) {
    return shape->nearest != NULL;
}
/* The nearest foot on all parts of a sheet. */
rps_shape_foot rps_shape_nearest(const rps_shape *shape, const double *parameter, rps_vec3 point);

/* Half the shortest edge of the box around a mesh, m: of a solid, the size that counts in a contact. */
double rps_mesh_half_width(const double *parameter);

/* Whether the radius alone describes it: a sphere, or a disk in its plane. */
static inline bool rps_shape_is_round(int index) {
    return index == RPS_SHAPE_INDEX(sphere) || index == RPS_SHAPE_INDEX(disk);
}

#define RPS_SHAPE(name) extern const rps_shape rps_shape_##name;
#include "shape/shape_list.inc"
#undef RPS_SHAPE

#endif
