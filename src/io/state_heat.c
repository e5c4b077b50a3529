/* Heat in a checkpoint: of bodies by id the sum of two doubles and the offset of the temperature. A world without heat has no such
 * section; its options belong to the set-up. */
#include "io/state_parts.h"

static const char heat_name[] = "heat: bodies";
static const char *const sections[] = {heat_name, NULL};
enum { NUMBERS = 3 };

static rps_status save_heat(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_world_heat *heat = &world->heat;
    const size_t bodies = heat->bodies < world->bodies.ids ? heat->bodies : (size_t)world->bodies.ids;
    void *to;
    if (!heat->on || bodies == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, heat_name, RPS_TYPE_double, NUMBERS, bodies, &to, err));
    for (size_t k = 0; k < bodies; k++) {
        const rps_body_heat *h = &heat->body[k];
        double *number = (double *)to + NUMBERS * k;
        number[0] = h->energy.high;
        number[1] = h->energy.low;
        number[2] = h->offset;
    }
    return RPS_OK;
}

static rps_status check_heat_section(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *bodies;
    (void)world;
    if (!rps_checkpoint_find(from->c, heat_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, heat_name, RPS_TYPE_double, NUMBERS, SIZE_MAX, &bodies, err));
    const bool sound = bodies->count <= from->ids && rps_all_finite(bodies->data, NUMBERS * bodies->count);
    return sound ? RPS_OK : rps_state_contradicts(from->c, "its heat makes no sense", bodies->count, err);
}

static rps_status restore_heat(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *bodies;
    rps_heat_release(world);
    if (!world->heat.on || !rps_checkpoint_find(from->c, heat_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, heat_name, RPS_TYPE_double, NUMBERS, SIZE_MAX, &bodies, err));
    RPS_TRY(rps_heat_reserve(world, &world->heat, err));
    for (size_t k = 0; k < bodies->count && k < world->heat.bodies; k++) {
        const double *number = (const double *)bodies->data + NUMBERS * k;
        world->heat.body[k] = (rps_body_heat){.energy = {number[0], number[1]}, .offset = number[2]};
    }
    return RPS_OK;
}

const rps_state_part rps_state_heat = {
    .section = sections, .save = save_heat, .check = check_heat_section, .restore = restore_heat};
