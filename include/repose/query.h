/*
 * Spatial queries: bodies in a region, the nearest body, ray casts. SI units, vectors in world axes.
 *
 * Queries use the present positions of the bodies, also before the first step. On periodic axes they find bodies in
 * every image. The cost of a query is linear in the number of bodies; several threads may query at the same time
 * while nothing changes the world. Invalid points, boxes and radii are RPS_BAD_INPUT.
 */
#ifndef REPOSE_QUERY_H
#define REPOSE_QUERY_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ids of the bodies whose centre of mass lies in a box, low <= x < high, low < high on each axis (m, may be
 * infinite), or within a radius of a point; in ascending order. Planes have no centre and are never included. Fills
 * at most `capacity` ids (`id` may be NULL if that is 0); *count: the number found. */
RPS_API rps_status rps_world_bodies_in_box(const rps_world *world, const double low[3], const double high[3],
                                           uint64_t *id, size_t capacity, size_t *count, rps_error *err);
RPS_API rps_status rps_world_bodies_in_sphere(const rps_world *world, const double center[3], double radius,
                                              uint64_t *id, size_t capacity, size_t *count, rps_error *err);

/* A point on the surface of a body. */
typedef struct rps_hit {
    uint64_t id;
    int piece;        /* index in the body, from 0 */
    double distance;  /* m, to the surface: from a point (negative inside the body), or along a ray */
    double point[3];  /* m, on the surface, in the image of the body that was hit */
    double normal[3]; /* outward */
} rps_hit;

/* The body whose surface is nearest to a point, planes included; among equally near bodies the one with the lowest
 * id. *found: false in a world without bodies. Accurate to round-off for spheres, disks and planes, to 1e-9 of the
 * size for other shapes; inside those, the distance to the surface is along the shortest way out of the piece. */
RPS_API rps_status rps_world_nearest_body(const rps_world *world, const double point[3], rps_hit *hit, bool *found,
                                          rps_error *err);

/* The first surface that a ray hits from outside within a length (m, finite) along a direction of any length but 0. A
 * body that contains the origin of the ray is not hit, and a plane is hit from its free side only. *found: false if
 * there is none. Accurate to round-off for spheres, disks and planes, to 1e-9 of the size for other shapes. */
RPS_API rps_status rps_world_cast_ray(const rps_world *world, const double origin[3], const double direction[3],
                                      double length, rps_hit *hit, bool *found, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
