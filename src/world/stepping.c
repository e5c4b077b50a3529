/*
 * The clock of a world and the settings of its steps, the same for every stepper.
 */
#include <math.h>

#include "world/world.h"

uint64_t rps_world_steps(const rps_world *world) {
    return world->steps;
}

double rps_world_time(const rps_world *world) {
    return (double)world->steps * world->step;
}

rps_status rps_world_set_step(rps_world *world, double step, rps_error *err) {
    RPS_GIVEN(world);
    if (!(step > 0.0) || isinf(step)) {
        return rps_fail(err, RPS_BAD_INPUT, "the time step is %g s: it must be a positive number of seconds", step);
    }
    if (world->steps > 0) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "the time step can be set before the first step only, since time is the number of steps times it");
    }
    world->step = step;
    return RPS_OK;
}

void rps_world_keep_contacts(rps_world *world, bool keep) {
    world->keep_contacts = keep;
}

void rps_world_solver(const rps_world *world, rps_solver_report *report) {
    *report = world->solver;
}
