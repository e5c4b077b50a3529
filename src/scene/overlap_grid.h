/*
 * Spheres by place: a grid of cells that answers whether a sphere would overlap one that is there. Used before a run
 * and for pouring, where nothing of the step's own detection exists yet.
 */
#ifndef RPS_SCENE_OVERLAP_GRID_H
#define RPS_SCENE_OVERLAP_GRID_H

#include "world/world.h"

typedef struct rps_near_item {
    double position[3], radius;
    uint64_t tag;
    int32_t next; /* in its cell, -1 at the end */
} rps_near_item;

typedef struct rps_overlap_grid {
    const rps_allocator *allocator;
    double low[3], high[3], cell;
    double largest, biggest; /* largest radius held in cells, and of all */
    double period[3];
    int n[3];
    int32_t *head;
    size_t head_bytes;
    rps_near_item *item; /* those in cells; the first `big` are in none: they are far larger than a cell */
    size_t count, buffer_bytes;
    size_t big_limit; /* items with a radius above this times the cell are looked at one by one */
    int32_t big;      /* head of their list */
} rps_overlap_grid;

/* An empty grid over a box; `cell` is about the diameter of the spheres. Spheres outside belong to its border
 * cells; with periods there must be none. */
rps_status rps_near_init(rps_overlap_grid *grid, const double low[3], const double high[3], double cell,
                         const double period[3], size_t expected, const rps_allocator *allocator, rps_error *err);
void rps_near_release(rps_overlap_grid *grid);
rps_status rps_near_add(rps_overlap_grid *grid, const double position[3], double radius, uint64_t tag, rps_error *err);

/* Calls `found` for every sphere that overlaps this one, by which overlap in m (also for images across periods); stops
 * when it returns false. */
typedef bool (*rps_near_found)(void *context, const rps_near_item *item, double overlap);
void rps_near_each(const rps_overlap_grid *grid, const double position[3], double radius, rps_near_found found,
                   void *context);

/* How many spheres (images counted each) overlap this one. */
size_t rps_near_count(const rps_overlap_grid *grid, const double position[3], double radius);

typedef struct rps_overlap {
    double relative;  /* overlap over the smaller radius (half of the smaller width); 0 if nothing overlaps */
    uint64_t id[2];   /* lower first */
    bool same_centre; /* spheres, to rounding: their contact has no direction. Above all other overlaps */
} rps_overlap;
/* The worst overlap of bodies that can act on each other; of equals the one with the lowest ids. Where one is
 * above `enough`, pairs of other shapes than spheres and planes are no longer looked at: deep overlaps take long;
 * and after as many overlaps as no packing has, nothing is looked at any more, so that bodies all on top of each other do
 * not take n^2. */
rps_status rps_near_worst_overlap(const rps_world *world, double enough, rps_overlap *worst, rps_error *err);

#endif
