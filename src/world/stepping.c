/*
 * The clock of a world and the settings of its steps, the same for every stepper.
 */
#include "world/world.h"

uint64_t rps_world_steps(const rps_world *world) {
    return world->steps;
}

double rps_world_time(const rps_world *world) {
    return rps_step_time(rps_world_clock(world), world->steps);
}

void rps_world_keep_contacts(rps_world *world, bool keep) {
    world->keep_contacts = keep;
}

void rps_world_solver(const rps_world *world, rps_solver_report *report) {
    *report = world->solver;
}
