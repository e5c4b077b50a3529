/*
 * A pair of materials for the contact loop: laws, their constants, and the lanes of their contacts.
 */
#ifndef RPS_WORLD_PAIR_SETUP_H
#define RPS_WORLD_PAIR_SETUP_H

#include <repose/world.h>

#include "world/segment.h"

typedef struct rps_pair_setup {
    int material[2];                    /* lower index first */
    rps_pair given;                     /* as the user gave it */
    rps_pair effective;                 /* with defaults filled in */
    const rps_law *law[RPS_ROLE_COUNT]; /* never NULL: "none" is a law that does nothing */
    double constant[RPS_ROLE_COUNT][RPS_LAW_CONSTANTS];
    rps_layout layout[RPS_RECORD_COUNT];
    /* over the smaller radius: no contact of this pair exists at a wider gap. With a range it follows from the
     * bodies: see rps_pairs_bound_ranges */
    double cutoff;
    bool ranged;                     /* some law has a range */
    bool gaps;                       /* contacts begin and act across gaps, where they do not touch */
    bool wet;                        /* the pair has a law of liquid bridges */
    bool lines;                      /* three dimensions, contacts along lines */
    bool projects;                   /* some law has its memories projected */
    bool spheres;                    /* the normal law is stated for spheres and planes only */
    uint64_t reads;                  /* arrays that some law reads, as .reads */
    uint64_t clears[RPS_ROLE_COUNT]; /* outputs of a role that its law does not write */
    bool called[RPS_ROLE_COUNT];     /* the law has a kernel to call */
    uint64_t adds;                   /* bits of the roles whose laws dissipate, but into the account of another */
    bool turns;                      /* some law writes a torque of rolling or spinning */
    bool per_body_history;           /* roll histories are per body */
} rps_pair_setup;

/* Largest gap at which a contact of the pair persists, or begins if it is new (m); 0 without a range. */
double rps_pair_range(const rps_pair_setup *pair, bool is_new, double smaller_radius, double radius_eff);
/* Upper bound of the same over the smaller radius, for bounding spheres of this radius or larger. */
double rps_pair_range_bound(const rps_pair_setup *pair, double radius, bool general);

/* The radius that scales the reach of a pair (m): the smaller one; next to a plane, that of the other body. */
static inline double rps_pair_smaller_radius(double a, double b) {
    return a > 0.0 && (a < b || !(b > 0.0)) ? a : b;
}

#endif
