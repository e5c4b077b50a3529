/* The heat of bodies (repose/heat.h), by id: what contacts gave, as sums of two doubles, and the offset of its temperature. */
#ifndef RPS_WORLD_HEAT_H
#define RPS_WORLD_HEAT_H

#include <repose/heat.h>

#include "base/twofold.h"

typedef struct rps_body_heat {
    rps_twofold energy; /* J */
    double offset;      /* K, above the temperature of the start */
    double kelvin;      /* of the stage: at its begin, */
    double conductance; /* W/K, and of the contacts that the body has then */
} rps_body_heat;

typedef struct rps_world_heat {
    bool on;
    rps_heat options;
    rps_body_heat *body; /* NULL: none yet */
    size_t bodies;
} rps_world_heat;

/* Makes the table as long as there are bodies. RPS_NO_MEMORY. */
rps_status rps_heat_reserve(const rps_world *world, rps_world_heat *heat, rps_error *err);
/* The temperature (K) of a body that is about to be added. RPS_NO_MEMORY. */
rps_status rps_heat_begin(rps_world *world, uint64_t id, double kelvin, rps_error *err);
/* Forgets the bodies from this id on, which were not added after all. */
void rps_heat_undo(rps_world_heat *heat, uint64_t id);
/* J/K; INFINITY of a bath. */
double rps_heat_capacity(const rps_world *world, size_t slot);
/* K, now. */
double rps_heat_kelvin(const rps_world *world, size_t slot);
void rps_heat_release(rps_world *world);

#endif
