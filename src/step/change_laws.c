/* Other laws, materials, guards and steps, set by a program between two steps. */
#include <math.h>
#include <string.h>

#include "step/change.h"
#include "step/nonsmooth.h"
#include "step/step_stages.h"

/* Puts all setups into the world; the contacts go on under them. */
static rps_status put_setups(rps_world *world, const rps_pair_setup *setup, size_t count, rps_error *err) {
    rps_change change;
    rps_status status = rps_change_begin(world, &change, err);
    for (size_t k = 0; k < count && status == RPS_OK; k++) status = rps_pair_setup_put(world, &setup[k], err);
    if (status == RPS_OK) status = rps_change_finish(world, &change, err);
    rps_change_release(&change);
    return status;
}

rps_status rps_world_set_pair(rps_world *world, int material_a, int material_b, const rps_pair *pair, rps_error *err) {
    rps_pair_setup setup;
    RPS_GIVEN(world);
    RPS_GIVEN(pair);
    RPS_TRY(rps_pair_setup_make(world, material_a, material_b, pair, &setup, err));
    return put_setups(world, &setup, 1, err);
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* The pairs of a material with its new values, which the world has for the time of this call. */
static rps_status make_setups(rps_world *world, int index, const rps_material *value, rps_pair_setup *setup,
                              size_t *count, rps_error *err) {
    const rps_material before = world->material[index].value;
    rps_status status = RPS_OK;
    *count = 0;
    world->material[index].value = *value;
    world->material[index].value.name = before.name;
    for (size_t k = 0; k < world->pairs && status == RPS_OK; k++) {
        const rps_pair_setup *now = &world->pair_setup[k];
        if (now->material[0] != index && now->material[1] != index) continue;
        status = rps_pair_setup_make(world, now->material[0], now->material[1], &now->given, &setup[*count], err);
        ++*count;
    }
    if (status != RPS_OK) world->material[index].value = before;
    return status;
}

rps_status rps_world_set_material(rps_world *world, int index, const rps_material *material, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(material);
    size_t bytes, count;
    void *memory;
    if (index < 0 || (size_t)index >= world->materials) {
        return rps_fail(err, RPS_BAD_INPUT, "material: there is no number %d; the world has %zu", index,
                        world->materials);
    }
    rps_material value = *material;
    value.name = world->material[index].name;
    RPS_TRY(rps_material_check(&value, err));
    if (world->bodies.count > 0 && !same_number(value.density, world->material[index].value.density)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "material \"%s\": its density cannot change from %g to %g kg/m^3, since bodies have their masses "
            "already; leave it as it is",
            value.name, world->material[index].value.density, value.density);
    }
    RPS_TRY(rps_size_of_items(world->pairs + 1, sizeof(rps_pair_setup), &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &memory, err));
    rps_status status = make_setups(world, index, &value, memory, &count, err);
    if (status == RPS_OK) status = put_setups(world, memory, count, err);
    rps_memory_release(world->allocator, memory, bytes);
    return status;
}

rps_status rps_world_set_guards(rps_world *world, const rps_guards *guards, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(guards);
    RPS_TRY(rps_guards_check(guards, err));
    world->options.guards = *guards;
    if (world->started) rps_guard_arm(world, &world->guard);
    return RPS_OK;
}

rps_status rps_world_set_step(rps_world *world, double step, rps_error *err) {
    RPS_GIVEN(world);
    if (!(step > 0.0) || isinf(step)) {
        return rps_fail(err, RPS_BAD_INPUT, "the time step is %g s: it must be a positive number of seconds", step);
    }
    if (step == world->step) return RPS_OK;
    if (world->steps > 0) {
        const double time = rps_world_time(world);
        world->time_from = time;
        world->step_from = world->steps;
        world->shear.travel_since = world->cell.travel;
        world->shear.since = (double)world->steps;
    }
    if (world->started && world->options.stepper == RPS_NONSMOOTH) {
        rps_nonsmooth_change_step(&world->contacts, step / world->step);
    }
    world->step = step;
    world->lists_stale = true; /* how long they last was counted in steps */
    return RPS_OK;
}
