/*
 * Heat of bodies: what friction dissipates in contacts warms both bodies, and warmer bodies pass heat on to colder ones through
 * their contacts. A body has one temperature; the heat capacity of one of several materials is that of its first piece. Fixed and driven bodies are baths: they keep theirs and count what they take.
 *
 * Of the energy that a contact dissipates body i gets the part e_i/(e_i + e_j), e = sqrt(k rho c) (Charron 1943). Through a contact of
 * the radius a flows 4 a k_i k_j/(k_i + k_j) (T_j - T_i) (Batchelor & O'Brien 1977).
 */
#ifndef REPOSE_HEAT_H
#define REPOSE_HEAT_H

#include <repose/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rps_heat {
    uint32_t size;
    double start;      /* K, temperature of bodies at first, above 0 */
    bool conduction;   /* heat flows through contacts */
    bool from_damping; /* dashpots, plastic normal laws and bridges warm bodies too, not friction alone */
} rps_heat;

RPS_API rps_heat rps_heat_default(void); /* 293.15 K, with conduction, from friction alone */
/* Conductivity (W/(m K)) and heat capacity (J/(kg K)) of a material, both above 0, before the first step. RPS_BAD_INPUT. */
RPS_API rps_status rps_world_set_thermal(rps_world *world, int material, double conductivity, double heat_capacity,
                                         rps_error *err);
/* Counts the heat of bodies from the first step on; called before bodies are added. RPS_BAD_INPUT for numbers out of range and a
 * material whose conductivity or density is not known; RPS_UNSUPPORTED without a ledger and in the nonsmooth stepper. */
RPS_API rps_status rps_world_set_heat(rps_world *world, const rps_heat *heat, rps_error *err);
/* K, and J: the heat that contacts have put into the body so far. RPS_BAD_INPUT in a world without heat. */
RPS_API rps_status rps_world_temperature(const rps_world *world, uint64_t id, double *kelvin, double *heat,
                                         rps_error *err);
/* Sets the temperature of a body (K, above 0); the heat that contacts gave stays as it is. */
RPS_API rps_status rps_world_set_temperature(rps_world *world, uint64_t id, double kelvin, rps_error *err);
/* J, over all bodies, those that were removed included: what contacts dissipated and counted. */
RPS_API rps_status rps_world_heat_sum(const rps_world *world, double *heat, rps_error *err);

#ifdef __cplusplus
}
#endif
#endif
