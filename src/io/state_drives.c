/* Drives, gravity and the fluid in a checkpoint. They are state, since stages change them; their initial definition is part of
 * the set-up. */
#include "io/state_parts.h"
#include "shape/shape.h"
#include "world/fluid.h"

static const char drives_name[] = "drives", gravity_name[] = "gravity", fluid_name[] = "fluid";
static const char *const sections[] = {gravity_name, drives_name, fluid_name, NULL};

/* The fluid of a checkpoint with that gravity; none without the section, which old ones lack. */
static rps_status find_fluid(const rps_world *world, const rps_checkpoint *c, const double gravity[3], rps_fluid *fluid,
                             rps_error *err) {
    double number[RPS_FLUID_NUMBERS];
    *fluid = rps_fluid_default();
    if (!rps_checkpoint_find(c, fluid_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_doubles(c, fluid_name, number, RPS_FLUID_NUMBERS, err));
    const bool sound = rps_fluid_unpack(number, fluid) && rps_fluid_check(world, fluid, gravity, NULL) == RPS_OK;
    return sound ? RPS_OK : rps_state_contradicts(c, "its fluid makes no sense", 0, err);
}

static void describe_drives(const rps_world *world, rps_text *text) {
    for (size_t k = 0; k < world->drives; k++) {
        double made[RPS_DRIVEN_NUMBERS];
        rps_drive_state_pack_definition(&world->driven[k], made);
        rps_text_addf(text, NULL, "drive %zu:", k);
        rps_state_add_numbers(text, made, RPS_DRIVEN_NUMBERS);
        rps_text_add(text, "\n", NULL);
    }
}

static rps_status save_drives(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_doubles(serializer, gravity_name, world->options.gravity, 3, err));
    if (world->in_fluid) {
        double number[RPS_FLUID_NUMBERS];
        rps_fluid_pack(&world->fluid, number);
        RPS_TRY(rps_serializer_doubles(serializer, fluid_name, number, RPS_FLUID_NUMBERS, err));
    }
    if (world->drives == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, drives_name, RPS_TYPE_double, RPS_DRIVEN_NUMBERS, world->drives, &to, err));
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state_pack(&world->driven[k], (double *)to + k * (size_t)RPS_DRIVEN_NUMBERS);
    }
    return RPS_OK;
}

/* Checks that the drives and gravity of a checkpoint are finite and refer to existing bodies. */
static rps_status check_drives(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    const size_t bodies = (size_t)from->bodies;
    double gravity[3];
    const rps_section *s;
    RPS_TRY(rps_checkpoint_doubles(c, gravity_name, gravity, 3, err));
    bool sound = rps_all_finite(gravity, 3) && !(world->options.dimension == 2 && gravity[1] != 0.0);
    if (!sound) return rps_state_contradicts(c, "its gravity makes no sense", 0, err);
    rps_fluid fluid;
    RPS_TRY(find_fluid(world, c, gravity, &fluid, err));
    if (world->drives == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, drives_name, RPS_TYPE_double, RPS_DRIVEN_NUMBERS, world->drives, &s, err));
    const int32_t *kind = rps_state_body(c, "kind"), *drive = rps_state_body(c, "drive"),
                  *shape = rps_state_body(c, "shape");
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state one = world->driven[k];
        sound = rps_drive_state_unpack(&one, (const double *)s->data + k * (size_t)RPS_DRIVEN_NUMBERS);
        const size_t body = rps_state_row(c, bodies, one.body);
        const bool moves = body < bodies && kind[body] == RPS_BODY_DRIVEN;
        /* the drive of a body that was held or released does nothing */
        sound = sound && (size_t)one.now.motion <= world->motions &&
                (moves ? drive[body] == (int32_t)k : one.now.kind == RPS_DRIVE_MOTION);
        for (int n = 0; sound && n < 2 * one.now.spans; n++) {
            const size_t plane = rps_state_row(c, bodies, one.now.span[n / 2][n % 2]);
            sound = plane < bodies && shape[plane] == RPS_SHAPE_INDEX(plane);
        }
        if (sound && one.now.kind == RPS_DRIVE_MIRROR) {
            const size_t mirror = rps_state_row(c, bodies, one.now.mirror);
            sound = mirror < bodies && kind[mirror] == RPS_BODY_DRIVEN;
        }
        if (!sound) return rps_state_contradicts(c, "a drive makes no sense", k, err);
    }
    return RPS_OK;
}

static rps_status restore_drives(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    RPS_TRY(rps_checkpoint_doubles(c, gravity_name, world->options.gravity, 3, err));
    RPS_TRY(find_fluid(world, c, world->options.gravity, &world->fluid, err));
    world->in_fluid = !rps_fluid_is_none(&world->fluid);
    const rps_section *s = rps_checkpoint_find(c, drives_name);
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state_unpack(&world->driven[k], (const double *)s->data + k * (size_t)RPS_DRIVEN_NUMBERS);
    }
    return rps_drives_join(world) ? RPS_OK : rps_state_contradicts(c, "a drive mirrors none", 0, err);
}

const rps_state_part rps_state_drives = {.section = sections,
                                         .describe = describe_drives,
                                         .save = save_drives,
                                         .check = check_drives,
                                         .restore = restore_drives};
