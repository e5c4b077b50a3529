/*
 * Two materials as the contact loop sees them: laws, their constants, and the lanes of their contacts.
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
    double cutoff;         /* relative to the smaller radius */
    bool lines;            /* three dimensions, contacts along lines */
    bool projects;         /* some law has its memories projected */
    bool rolls;            /* some law may ask how bodies roll and spin */
    bool per_body_history; /* roll histories are per body */
} rps_pair_setup;

#endif
