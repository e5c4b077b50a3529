/*
 * The liquid of a world: films on bodies, and what bridges hold, in the memory of their contacts. A bridge takes its volume from both
 * films as it forms, and gives it back as it ruptures; what comes and goes with bodies is counted. Every film is a sum of two
 * doubles, and each number that leaves one arrives in another, so nothing is lost to rounding.
 */
#ifndef RPS_WORLD_LIQUID_H
#define RPS_WORLD_LIQUID_H

#include <repose/world.h>

#include "base/twofold.h"
#include "world/scratch.h"

typedef struct rps_liquid {
    rps_twofold *film; /* m^3, by id; NULL: no body has one */
    size_t films;
    rps_twofold added, removed; /* m^3, with bodies and by a program */
    uint64_t ruptured;          /* bridges so far */
    rps_scratch work;           /* of the stage */
} rps_liquid;

/* Whether bridges may form between bodies of some pair of materials. */
bool rps_world_is_wet(const rps_world *world);
/* Whether no pair gives its bridges a fixed volume, which comes from nowhere. */
bool rps_world_conserves_liquid(const rps_world *world);
/* Room for the film of the body with this id. RPS_NO_MEMORY. */
rps_status rps_liquid_reserve(rps_world *world, uint64_t id, rps_error *err);
/* Adds a film of this volume (m^3) to a body that has none; there is room. */
void rps_liquid_begin(rps_liquid *liquid, uint64_t id, double film);
/* m^3; 0 of a body without one. */
double rps_liquid_film(const rps_liquid *liquid, uint64_t id);
/* The film of a body goes with it. */
void rps_liquid_end(rps_liquid *liquid, uint64_t id);
/* Takes back the films of bodies from this id on, which were not added after all. */
void rps_liquid_undo(rps_liquid *liquid, uint64_t id);
void rps_liquid_release(rps_world *world);

/* Two bodies of a bridge: their ids and the radii of the spheres that meet (m; 0 of a plane, which has no film). */
typedef struct rps_liquid_sides {
    uint64_t id[2];
    double radius[2];
} rps_liquid_sides;

/* The volume of a bridge that forms (m^3), taken from the films; 0: too little. */
double rps_liquid_take(rps_liquid *liquid, const rps_law_liquid *share, const rps_liquid_sides *sides);
/* Gives the volume of a bridge that ends back to the films. */
void rps_liquid_give(rps_liquid *liquid, const rps_law_liquid *share, const rps_liquid_sides *sides, double volume);

#endif
