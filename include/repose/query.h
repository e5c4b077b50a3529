/*
 * Questions about places: which bodies are there, which is nearest, what a ray meets. SI units, vectors in world axes.
 *
 * A world answers from where its bodies are now, also before the first step. On periodic axes bodies are met in every
 * image. Each question looks at all bodies once; several threads may ask at the same time while nothing changes the
 * world. The functions fail with RPS_BAD_INPUT for places that make no sense.
 */
#ifndef REPOSE_QUERY_H
#define REPOSE_QUERY_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ids of the bodies whose centre of mass lies in a box, low <= x < high, low < high on each axis (m, may be infinite),
 * or within a radius of a point; in rising order. Planes have no centre and are never among them. Fills at most
 * `capacity` (`id` may be NULL if that is 0); *count: how many there are. */
RPS_API rps_status rps_world_bodies_in_box(const rps_world *world, const double low[3], const double high[3],
                                           uint64_t *id, size_t capacity, size_t *count, rps_error *err);
RPS_API rps_status rps_world_bodies_in_sphere(const rps_world *world, const double center[3], double radius,
                                              uint64_t *id, size_t capacity, size_t *count, rps_error *err);

/* A place on the surface of a body. */
typedef struct rps_hit {
    uint64_t id;
    int piece;        /* of the body, from 0 */
    double distance;  /* m, to the surface: of a point negative inside the body, of a ray along it */
    double point[3];  /* m, on the surface, in the image of the body that was met */
    double normal[3]; /* outward */
} rps_hit;

/* The body whose surface is nearest to a point, planes too; of equally near ones that with the lowest id. *found:
 * false in a world without bodies. Of spheres, disks and planes to round-off, of other shapes to 1e-9 of their size;
 * inside of those the distance is that to the surface along the shortest way out of the piece. */
RPS_API rps_status rps_world_nearest_body(const rps_world *world, const double point[3], rps_hit *hit, bool *found,
                                          rps_error *err);

/* The first surface that a ray meets from outside within a length (m, finite) along a direction of any length but 0. A
 * body in which the ray begins is not met, a plane from its free side only. *found: false if there is none. Of
 * spheres, disks and planes to round-off, of other shapes to 1e-9 of their size. */
RPS_API rps_status rps_world_cast_ray(const rps_world *world, const double origin[3], const double direction[3],
                                      double length, rps_hit *hit, bool *found, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
