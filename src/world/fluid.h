/* The effect of a fluid (repose/fluid.h) on one body, for the stepper and the ledger. */
#ifndef RPS_WORLD_FLUID_H
#define RPS_WORLD_FLUID_H

#include "world/world.h"

bool rps_fluid_is_none(const rps_fluid *fluid);
/* The checks of rps_world_set_fluid, under that gravity (m/s^2). */
rps_status rps_fluid_check(const rps_world *world, const rps_fluid *fluid, const double gravity[3], rps_error *err);
/* A fluid as numbers, for state hashes and checkpoints, and back; false if the first number stands for none of the laws of drag. */
enum { RPS_FLUID_NUMBERS = 8 };
void rps_fluid_pack(const rps_fluid *fluid, double number[RPS_FLUID_NUMBERS]);
bool rps_fluid_unpack(const double number[RPS_FLUID_NUMBERS], rps_fluid *fluid);

/* m^3, of a free body. */
double rps_fluid_volume(const rps_world *world, size_t slot);
/* Part of its volume that is in the fluid. */
double rps_fluid_immersed(const rps_world *world, size_t slot);
/* N s/m: force of drag over the velocity relative to the fluid, at that speed (m/s), of a body that is in it. */
double rps_fluid_drag(const rps_fluid *fluid, double diameter, double speed);
/* J, of buoyancy on a free body; 0 without a fluid. */
double rps_fluid_potential(const rps_world *world, size_t slot);
/* Adds `sign` times that of all bodies to the energy brought in, before and after a change of gravity or of the fluid. */
void rps_fluid_book_potential(rps_world *world, double sign);
/* RPS_BAD_INPUT if the level of the fluid has no height under that gravity. */
rps_status rps_fluid_check_gravity(const rps_world *world, const double gravity[3], rps_error *err);

#endif
