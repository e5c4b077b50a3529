/* Drives and gravity in a checkpoint. They are state, since stages change them; their initial definition is part of
 * the set-up. */
#include <math.h>
#include <stdio.h>

#include "io/state_parts.h"
#include "shape/shape.h"

rps_status rps_state_contradicts(const rps_checkpoint *c, const char *what, uint64_t number, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT, "the checkpoint %s contradicts itself: %s (number %llu); take another one",
                    rps_checkpoint_path(c), what, (unsigned long long)number);
}

bool rps_all_finite(const double *value, size_t count) {
    bool good = true;
    for (size_t k = 0; k < count; k++) good = good && value[k] - value[k] == 0.0;
    return good;
}

const void *rps_state_body(const rps_checkpoint *c, const char *name) {
    char section[80];
    snprintf(section, sizeof section, "body/%s", name);
    return rps_checkpoint_find(c, section)->data;
}

/* The current state of drives and gravity; their initial definition is part of the set-up. */
static const char drives_name[] = "drives", gravity_name[] = "gravity";

rps_status rps_state_save_drives(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_doubles(serializer, gravity_name, world->options.gravity, 3, err));
    if (world->drives == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, drives_name, RPS_TYPE_double, RPS_DRIVEN_NUMBERS, world->drives, &to, err));
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state_pack(&world->driven[k], (double *)to + k * (size_t)RPS_DRIVEN_NUMBERS);
    }
    return RPS_OK;
}

/* Checks that the drives and gravity of a checkpoint are finite and refer to existing bodies. */
rps_status rps_state_check_drives(const rps_world *world, const rps_checkpoint *c, uint64_t bodies, rps_error *err) {
    double gravity[3];
    const rps_section *s;
    RPS_TRY(rps_checkpoint_doubles(c, gravity_name, gravity, 3, err));
    bool sound = rps_all_finite(gravity, 3) && !(world->options.dimension == 2 && gravity[1] != 0.0);
    if (!sound) return rps_state_contradicts(c, "its gravity makes no sense", 0, err);
    if (world->drives == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, drives_name, RPS_TYPE_double, RPS_DRIVEN_NUMBERS, world->drives, &s, err));
    const int32_t *kind = rps_state_body(c, "kind"), *drive = rps_state_body(c, "drive"),
                  *shape = rps_state_body(c, "shape");
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state one = world->driven[k];
        sound = rps_drive_state_unpack(&one, (const double *)s->data + k * (size_t)RPS_DRIVEN_NUMBERS);
        const size_t body = rps_state_row(c, (size_t)bodies, one.body);
        sound = sound && body < bodies && kind[body] == RPS_BODY_DRIVEN && drive[body] == (int32_t)k;
        for (int n = 0; sound && n < 2 * one.now.spans; n++) {
            const size_t plane = rps_state_row(c, (size_t)bodies, one.now.span[n / 2][n % 2]);
            sound = plane < bodies && shape[plane] == RPS_SHAPE_INDEX(plane);
        }
        if (sound && one.now.kind == RPS_DRIVE_MIRROR) {
            const size_t mirror = rps_state_row(c, (size_t)bodies, one.now.mirror);
            sound = mirror < bodies && kind[mirror] == RPS_BODY_DRIVEN;
        }
        if (!sound) return rps_state_contradicts(c, "a drive makes no sense", k, err);
    }
    return RPS_OK;
}

rps_status rps_state_restore_drives(rps_world *world, const rps_checkpoint *c, rps_error *err) {
    RPS_TRY(rps_checkpoint_doubles(c, gravity_name, world->options.gravity, 3, err));
    const rps_section *s = rps_checkpoint_find(c, drives_name);
    for (size_t k = 0; k < world->drives; k++) {
        rps_drive_state_unpack(&world->driven[k], (const double *)s->data + k * (size_t)RPS_DRIVEN_NUMBERS);
    }
    return rps_drives_join(world) ? RPS_OK : rps_state_contradicts(c, "a drive mirrors none", 0, err);
}
