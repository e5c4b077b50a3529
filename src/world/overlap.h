/* The part of a piece that other pieces cover: its volume and moments, by adaptive quadrature. */
#ifndef RPS_WORLD_OVERLAP_H
#define RPS_WORLD_OVERLAP_H

#include <stdint.h>

#include "world/chord.h"

/* 1, x, y, z, xx, yy, zz, xy, xz, yz integrated over a region. */
enum { RPS_MOMENTS = 10, RPS_OVERLAP_DEPTH = 24 };
typedef struct rps_moments {
    double m[RPS_MOMENTS];
} rps_moments;

/* Moments about another point, with the old point at c relative to it. */
rps_moments rps_moments_moved(const rps_moments *about, rps_vec3 c);

/* Another piece, and where it may overlap. */
typedef struct rps_overlapped {
    rps_lined solid;
    double low[2], high[2]; /* m, a rectangle across the lines that contains the overlap */
    double cell;            /* m, cells that may overlap are divided at least to this half width */
} rps_overlapped;

typedef struct rps_overlap {
    rps_lined own;
    rps_overlapped *other;
    size_t others;
    int32_t *near;            /* RPS_OVERLAP_DEPTH + 2 numbers for each of the others */
    rps_interval *hit;        /* room for all others */
    double length;            /* m, its powers make moments comparable with volumes */
    double limit;             /* m^3; a cell is left as it is if dividing it changes every moment by less */
    uint64_t most_work;       /* cells are not divided any further once `work` has reached it */
    uint64_t work;            /* in and out: chords computed; an iterated one counts by its cost */
    uint64_t divided, forced; /* in and out: cells that were divided; those divided only for their size */
    /* out: changes by the last division of every cell: sum of the magnitudes, m^3; sum of the squares, m^6 */
    double change, change2;
} rps_overlap;

/* Moments are about the origin of the frame of the lines, in its axes. */
rps_moments rps_overlap_moments(rps_overlap *o);

#endif
