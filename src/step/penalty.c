/*
 * The penalty stepper: one evaluation of contacts a step.
 */
#include <math.h>

#include "detect/detect.h"
#include "step/step_stages.h"

uint64_t rps_world_steps(const rps_world *world) {
    return world->steps;
}

double rps_world_time(const rps_world *world) {
    return (double)world->steps * world->step;
}

rps_status rps_world_set_step(rps_world *world, double step, rps_error *err) {
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

rps_status rps_world_start(rps_world *world, rps_error *err) {
    if (world->started && !world->lists_stale) {
        return RPS_OK;
    }
    if (world->started) { /* bodies came in between steps: their contacts are born in the next step */
        return RPS_OK;
    }
    world->max_speed = 0.0;
    RPS_TRY(rps_detect_update(world, err));
    RPS_TRY(rps_evaluate(world, 0.0, err));
    rps_motion_finish(world, rps_world_time(world), true);
    rps_exact_sum energy[RPS_ROLE_COUNT];
    RPS_TRY(rps_evaluate_energy(world, energy, err));
    rps_exact_sum all;
    rps_exact_sum_clear(&all);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        rps_exact_sum_merge(&all, &energy[role]);
    }
    world->energy_first = rps_exact_sum_value(&all);
    world->started = true;
    return RPS_OK;
}

static rps_status find_lost(const rps_world *world, rps_error *err) {
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position, *v = world->bodies.motion[s].velocity;
        const double sum = ((x[0] + x[1]) + (x[2] + v[0])) + (v[1] + v[2]);
        if (!(sum - sum == 0.0)) {
            return rps_fail(
                err, RPS_GUARD,
                "body %llu has a position or velocity that is not a finite number at t = %g s (step %llu): the step of "
                "%g s is probably too large for the stiffness; choose a smaller one",
                (unsigned long long)world->bodies.id[s][0], rps_world_time(world), (unsigned long long)world->steps,
                world->step);
        }
    }
    return rps_fail(err, RPS_INTERNAL, "a speed is not a number, but no body has one at fault");
}

rps_status rps_world_step(rps_world *world, uint64_t steps, rps_error *err) {
    RPS_TRY(rps_world_start(world, err));
    for (uint64_t n = 0; n < steps; n++) {
        rps_motion_start(world, rps_world_time(world));
        world->steps++;
        if (!(world->max_speed - world->max_speed == 0.0)) {
            return find_lost(world, err);
        }
        RPS_TRY(rps_detect_update(world, err));
        RPS_TRY(rps_evaluate(world, world->step, err));
        rps_motion_finish(world, rps_world_time(world), false);
    }
    return RPS_OK;
}
