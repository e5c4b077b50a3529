/* The shear of a periodic box in a checkpoint. */
#include "io/state_parts.h"

static const char shear_name[] = "shear: rate, since, travel, force, work";
static const char *const sections[] = {shear_name, NULL};

static rps_status save_shear(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    if (!world->cell.sheared) return RPS_OK;
    return rps_serializer_doubles(serializer, shear_name, (const double *)&world->shear, RPS_SHEAR_NUMBERS, err);
}

static rps_status read_shear(const rps_world *world, const rps_state_source *from, rps_shear_memory *shear,
                             rps_error *err) {
    *shear = (rps_shear_memory){0};
    if (!world->cell.sheared) return RPS_OK;
    return rps_checkpoint_doubles(from->c, shear_name, (double *)shear, RPS_SHEAR_NUMBERS, err);
}

static rps_status check_shear(const rps_world *world, const rps_state_source *from, rps_error *err) {
    rps_shear_memory shear;
    RPS_TRY(read_shear(world, from, &shear, err));
    const bool sound = rps_all_finite((const double *)&shear, RPS_SHEAR_NUMBERS) && shear.since >= 0.0 &&
                       shear.since <= (double)from->steps;
    return sound ? RPS_OK : rps_state_contradicts(from->c, "its shear makes no sense", 0, err);
}

static rps_status restore_shear(rps_world *world, const rps_state_source *from, rps_error *err) {
    RPS_TRY(read_shear(world, from, &world->shear, err));
    if (!world->cell.sheared) return RPS_OK;
    world->cell.speed = world->shear.rate * world->cell.period[world->cell.gradient];
    return rps_shear_set_travel(world, err);
}

const rps_state_part rps_state_shear = {
    .section = sections, .save = save_shear, .check = check_shear, .restore = restore_shear};
