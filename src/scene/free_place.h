/*
 * Places that are free for a sphere put into a region at random. All that such a sphere could touch is gathered once: a
 * search through all bodies for every place tried would make the time grow as the square of their number.
 */
#ifndef RPS_SCENE_FREE_PLACE_H
#define RPS_SCENE_FREE_PLACE_H

#include "scene/overlap_grid.h"

typedef struct rps_free_places {
    rps_overlap_grid grid;
    const rps_world *world;
    void *plane; /* slots of all planes, size_t */
    size_t planes, plane_bytes;
} rps_free_places;

/* Gathers what spheres with centers in a box, low to high (m), could touch. radius: m, of the largest of them;
 * expected: about how many are to be placed. To be released also after a failure. RPS_NO_MEMORY. */
rps_status rps_free_places_find(const rps_world *world, const double low[3], const double high[3], double radius,
                                uint64_t expected, rps_free_places *out, rps_error *err);
void rps_free_places_release(rps_free_places *places);
/* True if a sphere there touches no body, by its exact shape, and no sphere placed before, nor any image of these. */
bool rps_free_place(const rps_free_places *places, const double x[3], double radius);
/* From now on a sphere is there. */
rps_status rps_free_place_take(rps_free_places *places, const double x[3], double radius, rps_error *err);

#endif
