/* The books of heat. */
#include "world/heat.h"

#include <math.h>

#include "base/exact_sum.h"
#include "world/share.h"
#include "world/world_internal.h"

rps_heat rps_heat_default(void) {
    return (rps_heat){.size = sizeof(rps_heat), .start = 293.15, .conduction = true};
}

static rps_status lengthen(const rps_world *world, rps_world_heat *heat, rps_error *err) {
    void *table = heat->body;
    RPS_TRY(rps_table_by_id(world, &table, &heat->bodies, sizeof *heat->body, err));
    heat->body = table;
    return RPS_OK;
}

rps_status rps_heat_reserve(const rps_world *world, rps_world_heat *heat, rps_error *err) {
    return heat->bodies >= world->bodies.ids ? RPS_OK : lengthen(world, heat, err);
}

rps_status rps_heat_begin(rps_world *world, uint64_t id, double kelvin, rps_error *err) {
    if (id >= world->heat.bodies) RPS_TRY(lengthen(world, &world->heat, err));
    world->heat.body[id] = (rps_body_heat){.offset = kelvin - world->heat.options.start};
    return RPS_OK;
}

void rps_heat_undo(rps_world_heat *heat, uint64_t id) {
    for (; id < heat->bodies; id++) heat->body[id] = (rps_body_heat){.offset = 0.0};
}

double rps_heat_capacity(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    if (bodies->kind[slot][0] != RPS_BODY_FREE) return INFINITY;
    return bodies->mass[slot][0] * world->material[bodies->material[slot][0]].heat_capacity;
}

double rps_heat_kelvin(const rps_world *world, size_t slot) {
    const rps_world_heat *heat = &world->heat;
    const uint64_t id = world->bodies.id[slot][0];
    if (id >= heat->bodies) return heat->options.start;
    const rps_body_heat *h = &heat->body[id];
    return heat->options.start + (h->offset + h->energy.high / rps_heat_capacity(world, slot));
}

void rps_heat_release(rps_world *world) {
    rps_world_heat *heat = &world->heat;
    rps_memory_release(world->allocator, heat->body, heat->bodies * sizeof *heat->body);
    heat->body = NULL;
    heat->bodies = 0;
}

/* --- a program ------------------------------------------------------------------------------------------------------- */

static rps_status before_start(const rps_world *world, rps_error *err) {
    return world->started ? rps_fail(err, RPS_BAD_INPUT, "heat is set up before the first step") : RPS_OK;
}

rps_status rps_world_set_thermal(rps_world *world, int material, double conductivity, double heat_capacity,
                                 rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(before_start(world, err));
    if (material < 0 || (size_t)material >= world->materials) {
        return rps_fail(err, RPS_BAD_INPUT, "heat: no material has the index %d; expected one that was added before",
                        material);
    }
    rps_material_slot *slot = &world->material[material];
    if (!(conductivity > 0.0 && isfinite(conductivity) && heat_capacity > 0.0 && isfinite(heat_capacity))) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "material \"%s\": conductivity %g W/(m K) and heat capacity %g J/(kg K); expected positive "
                        "numbers",
                        slot->name, conductivity, heat_capacity);
    }
    slot->conductivity = conductivity;
    slot->heat_capacity = heat_capacity;
    return RPS_OK;
}

static rps_status check_heat(const rps_world *world, const rps_heat *heat, rps_error *err) {
    if (heat->size != sizeof *heat) {
        return rps_fail(err, RPS_BAD_INPUT, "heat: size is %u, expected %zu; begin with rps_heat_default()", heat->size,
                        sizeof *heat);
    }
    if (!(heat->start > 0.0 && isfinite(heat->start))) {
        return rps_fail(err, RPS_BAD_INPUT, "heat: bodies start at %g K; expected a number above 0", heat->start);
    }
    if (!world->options.ledger) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "the heat of friction is read from the accounts of the energy ledger: set `ledger: true` in "
                        "run");
    }
    if (world->options.stepper != RPS_PENALTY) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "the nonsmooth stepper counts no heat: it knows the impulses of a step, not its contact areas; "
                        "take the penalty stepper");
    }
    for (size_t k = 0; k < world->materials; k++) {
        const rps_material_slot *m = &world->material[k];
        if (m->conductivity > 0.0 && m->value.density > 0.0) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "material \"%s\": heat needs its conductivity, heat capacity and density, which share the heat "
                        "of friction between two bodies; give all of them",
                        m->name);
    }
    return RPS_OK;
}

rps_status rps_world_set_heat(rps_world *world, const rps_heat *heat, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(heat);
    RPS_TRY(rps_share_refuse(world, "heat", err));
    RPS_TRY(before_start(world, err));
    if (world->bodies.ids > 0) return rps_fail(err, RPS_BAD_INPUT, "heat is set up before bodies are added");
    RPS_TRY(check_heat(world, heat, err));
    world->heat.on = true;
    world->heat.options = *heat;
    return RPS_OK;
}

static rps_status find_warm(const rps_world *world, uint64_t id, size_t *slot, rps_error *err) {
    if (!world->heat.on)
        return rps_fail(err, RPS_BAD_INPUT, "this world counts no heat: call rps_world_set_heat first");
    return rps_world_find_body(world, id, slot, err);
}

rps_status rps_world_temperature(const rps_world *world, uint64_t id, double *kelvin, double *heat, rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(kelvin);
    RPS_GIVEN(heat);
    RPS_TRY(find_warm(world, id, &slot, err));
    *kelvin = rps_heat_kelvin(world, slot);
    *heat = id < world->heat.bodies ? world->heat.body[id].energy.high : 0.0;
    return RPS_OK;
}

rps_status rps_world_set_temperature(rps_world *world, uint64_t id, double kelvin, rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_TRY(find_warm(world, id, &slot, err));
    if (!(kelvin > 0.0 && isfinite(kelvin))) {
        return rps_fail(err, RPS_BAD_INPUT, "body %llu: a temperature of %g K; expected a number above 0",
                        (unsigned long long)id, kelvin);
    }
    RPS_TRY(rps_heat_reserve(world, &world->heat, err));
    rps_body_heat *h = &world->heat.body[id];
    h->offset = (kelvin - world->heat.options.start) - h->energy.high / rps_heat_capacity(world, slot);
    return RPS_OK;
}

rps_status rps_world_heat_sum(const rps_world *world, double *heat, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(heat);
    if (!world->heat.on)
        return rps_fail(err, RPS_BAD_INPUT, "this world counts no heat: call rps_world_set_heat first");
    rps_exact_sum sum;
    rps_exact_sum_clear(&sum);
    for (size_t k = 0; k < world->heat.bodies; k++) {
        rps_exact_sum_add(&sum, world->heat.body[k].energy.high);
        rps_exact_sum_add(&sum, world->heat.body[k].energy.low);
    }
    *heat = rps_exact_sum_value(&sum);
    return RPS_OK;
}
