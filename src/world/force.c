/* The list of forces from outside, and their potential energies. */
#include "world/force.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "world/body_shape.h"
#include "world/share.h"
#include "world/world_internal.h"

rps_force_def rps_force_def_default(void) {
    return (rps_force_def){.size = sizeof(rps_force_def), .group = RPS_ALL_GROUPS};
}

static rps_status check_force(const rps_world *world, const rps_force_def *def, rps_error *err) {
    if (def->size != sizeof *def) {
        return rps_fail(err, RPS_BAD_INPUT, "force: size is %u, expected %zu; begin with rps_force_def_default()",
                        def->size, sizeof *def);
    }
    if (!def->name || !*def->name || strlen(def->name) >= RPS_FORCE_NAME) {
        return rps_fail(err, RPS_BAD_INPUT, "force: a name of at most %d bytes is expected", RPS_FORCE_NAME - 1);
    }
    for (size_t k = 0; k < world->forces.count; k++) {
        if (strcmp(world->forces.field[k].name, def->name) != 0) continue;
        return rps_fail(err, RPS_BAD_INPUT, "force `%s`: there is one of this name already; each needs its own",
                        def->name);
    }
    if (!def->load) return rps_fail(err, RPS_BAD_INPUT, "force `%s`: it has no function `load`", def->name);
    if (def->group != RPS_ALL_GROUPS && (def->group < 0 || (size_t)def->group >= world->groups)) {
        return rps_fail(err, RPS_BAD_INPUT, "force `%s`: there is no group number %d", def->name, def->group);
    }
    if (world->started) {
        return rps_fail(err, RPS_BAD_INPUT, "force `%s`: forces are added before the first step; let it depend on time",
                        def->name);
    }
    if (world->cell.sheared) {
        return rps_fail(
            err, RPS_UNSUPPORTED,
            "force `%s`: a sheared cell takes no forces from outside, whose work across its moving faces is "
            "not booked",
            def->name);
    }
    return RPS_OK;
}

static void book_potential_of_last(rps_world *world) {
    for (size_t s = 0; s < world->bodies.count; s++) {
        const rps_force_field *field = &world->forces.field[world->forces.count - 1];
        if (!field->def.potential || world->bodies.kind[s][0] != RPS_BODY_FREE) continue;
        if (!rps_force_acts_on(field, world->bodies.group[s][0])) continue;
        const rps_force_at at = rps_force_sees(world, s, 0.0);
        rps_exact_sum_add(&world->energy_brought, field->def.potential(field->def.context, &at));
    }
}

static rps_status add_force(rps_world *world, const rps_force_def *def, rps_error *err) {
    rps_forces *forces = &world->forces;
    void *grown;
    RPS_TRY(rps_share_refuse(world, "a force from outside", err));
    RPS_TRY(check_force(world, def, err));
    RPS_TRY(rps_list_grown(world->allocator, forces->field, forces->count, sizeof *forces->field, &grown, err));
    rps_list_keep(world->allocator, forces->field, forces->count, sizeof *forces->field, grown);
    forces->field = grown;
    rps_force_field *field = &forces->field[forces->count++];
    memset(field, 0, sizeof *field);
    memcpy(field->name, def->name, strlen(def->name) + 1);
    field->def = *def;
    field->def.name = NULL;
    rps_exact_sum_clear(&field->work);
    book_potential_of_last(world);
    return RPS_OK;
}

rps_status rps_world_add_force(rps_world *world, const rps_force_def *def, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(def);
    const rps_status status = add_force(world, def, err);
    if (status != RPS_OK && def->size == sizeof *def && def->release) def->release(def->context);
    return status;
}

size_t rps_world_forces(const rps_world *world) {
    return world->forces.count;
}

const char *rps_world_force_name(const rps_world *world, size_t index) {
    return index < world->forces.count ? world->forces.field[index].name : NULL;
}

double rps_world_force_work(const rps_world *world, size_t index) {
    return index < world->forces.count ? rps_exact_sum_value(&world->forces.field[index].work) : NAN;
}

rps_force_at rps_force_sees(const rps_world *world, size_t slot, double time) {
    const rps_bodies *bodies = &world->bodies;
    const bool planar = world->options.dimension == 2;
    rps_force_at at = {.id = bodies->id[slot][0],
                       .time = time,
                       .mass = bodies->mass[slot][0],
                       .radius = planar ? rps_body_half_width(world, slot) : rps_body_equal_radius(world, slot)};
    memcpy(at.position, bodies->pose[slot].position, sizeof at.position);
    memcpy(at.velocity, bodies->motion[slot].velocity, sizeof at.velocity);
    return at;
}

double rps_force_potential(const rps_world *world, size_t slot) {
    double sum = 0.0;
    if (world->forces.count == 0 || world->bodies.kind[slot][0] != RPS_BODY_FREE) return 0.0;
    for (size_t k = 0; k < world->forces.count; k++) {
        const rps_force_field *field = &world->forces.field[k];
        if (!field->def.potential || !rps_force_acts_on(field, world->bodies.group[slot][0])) continue;
        const rps_force_at at = rps_force_sees(world, slot, 0.0);
        sum += field->def.potential(field->def.context, &at);
    }
    return sum;
}

void rps_forces_release(rps_world *world) {
    rps_forces *forces = &world->forces;
    for (size_t k = 0; k < forces->count; k++) {
        const rps_force_def *def = &forces->field[k].def;
        if (def->release) def->release(def->context);
    }
    rps_list_release(world->allocator, forces->field, forces->count, sizeof *forces->field);
    *forces = (rps_forces){0};
}
