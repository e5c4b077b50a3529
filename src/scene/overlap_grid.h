/*
 * A grid of cells that finds the spheres a given sphere would overlap. Used before a run and during insertion, when
 * the step's own contact detection is not available.
 */
#ifndef RPS_SCENE_OVERLAP_GRID_H
#define RPS_SCENE_OVERLAP_GRID_H

#include "world/world.h"

typedef struct rps_near_item {
    double position[3], radius;
    uint64_t tag;
    int32_t next; /* next item of its cell; -1: last */
} rps_near_item;

typedef struct rps_overlap_grid {
    const rps_allocator *allocator;
    double low[3], high[3], cell;
    double largest, biggest; /* largest radius in the cells; largest of all */
    rps_cell periods;
    int n[3];
    int32_t *head;
    size_t head_bytes;
    rps_near_item *item; /* all spheres; those far larger than a cell are in no cell but in the list `big` */
    size_t count, buffer_bytes;
    size_t big_limit; /* items with a radius above this many cells are checked one by one */
    int32_t big;      /* head of their list */
} rps_overlap_grid;

/* An empty grid over a box; `cell` (m) is about the diameter of the spheres. Spheres outside the box go into its
 * border cells; periodic grids must have none. */
rps_status rps_near_init(rps_overlap_grid *grid, const double low[3], const double high[3], double cell,
                         const rps_cell *periods, size_t expected, const rps_allocator *allocator, rps_error *err);
void rps_near_release(rps_overlap_grid *grid);
rps_status rps_near_add(rps_overlap_grid *grid, const double position[3], double radius, uint64_t tag, rps_error *err);

/* Calls `found` with the overlap (m) for every sphere that overlaps this one, including periodic images; stops when
 * it returns false. */
typedef bool (*rps_near_found)(void *context, const rps_near_item *item, double overlap);
void rps_near_each(const rps_overlap_grid *grid, const double position[3], double radius, rps_near_found found,
                   void *context);

/* Number of spheres that overlap this one; each periodic image counts. */
size_t rps_near_count(const rps_overlap_grid *grid, const double position[3], double radius);

typedef struct rps_overlap {
    double relative;  /* overlap over the smaller radius (half of the smaller width); 0 if nothing overlaps */
    uint64_t id[2];   /* lower first */
    bool same_centre; /* concentric spheres (to rounding): no contact direction. Worse than any overlap */
} rps_overlap;
/* The worst overlap of bodies that can interact; ties go to the lowest ids. Two limits bound the work. Once an
 * overlap exceeds `enough`, only spheres and planes are checked, since deep overlaps of other shapes are expensive.
 * After more overlaps than any packing has, the search stops, so that bodies all at one place do not cost n^2. */
rps_status rps_near_worst_overlap(const rps_world *world, double enough, rps_overlap *worst, rps_error *err);

#endif
