/*
 * Books of normal laws that dissipate: what the load does over a step, less what is stored more after it. The load is that of both
 * ends of the step, so a law of straight lines loses exactly what its loops enclose.
 */
#ifndef RPS_LAW_PLASTIC_H
#define RPS_LAW_PLASTIC_H

#include <math.h>

#include "base/elementary.h"
#include "base/status.h"
#include <repose/law_kernel.h>

/* Entries of the memory. The largest overlap is forgotten where the contact ends. */
enum { RPS_PLASTIC_DEPTH, RPS_PLASTIC_LOAD, RPS_PLASTIC_STORED };

#define RPS_PLASTIC_ENTRIES                                                                        \
    {"depth", "m", "largest overlap of the contact", RPS_MEMORY_SCALAR | RPS_MEMORY_FROM_ZERO},    \
        {"load", "N", "load of the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK}, {       \
        "stored", "J", "energy stored at the last evaluation", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK \
    }
#define RPS_PLASTIC_MEMORY \
    { RPS_PLASTIC_ENTRIES }

#define RPS_PLASTIC_READS (RPS_ARRAY(touch) | RPS_ARRAY(overlap) | RPS_ARRAY(overlap_increment) | RPS_ARRAY(radius_eff))
#define RPS_PLASTIC_WRITES                                                                            \
    (RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy) | \
     RPS_ARRAY(dissipated))

/* The arrays that all of them use. */
#define RPS_PLASTIC_LANES                                \
    RPS_IN(touch);                                       \
    RPS_IN(overlap);                                     \
    RPS_IN(overlap_increment);                           \
    RPS_IN(radius_eff);                                  \
    RPS_LANE(elastic_load);                              \
    RPS_LANE(stiffness);                                 \
    RPS_LANE(contact_radius);                            \
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);          \
    RPS_AS(dissipated, b->dissipated[RPS_ROLE_NORMAL]);  \
    RPS_AS(largest, b->memory[RPS_PLASTIC_DEPTH][0]);    \
    RPS_AS(load_before, b->memory[RPS_PLASTIC_LOAD][0]); \
    RPS_AS(stored_before, b->memory[RPS_PLASTIC_STORED][0])

/* Writes the load and the energy of contact c, and what was lost since the last evaluation. */
#define RPS_PLASTIC_BOOK(c, load_, stored_)                                                                     \
    do {                                                                                                        \
        dissipated[c] = 0.5 * (load_before[c] + (load_)) * overlap_increment[c] - ((stored_)-stored_before[c]); \
        elastic_load[c] = load_before[c] = (load_);                                                             \
        energy[c] = stored_before[c] = (stored_);                                                               \
    } while (0)

#endif
